//! Shader modules and pipelines.

use std::sync::Arc;

use ash::vk;
use morph_core::VertexLayout;

use crate::device::Context;
use crate::error::{DeviceError, Named};
use crate::interface::{DrawConstants, HAS_NORMALS_CONSTANT, binding, location};
use crate::targets::{COLOR_FORMAT, DEPTH_FORMAT, MOTION_FORMAT, NORMAL_FORMAT, PICTURE_FORMAT};

/// The stages that read the push constants.
pub(crate) const DRAW_STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::VERTEX.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw(),
);

macro_rules! module {
    ($name:literal) => {
        (
            $name,
            include_bytes!(concat!("../../../shaders/spv/", $name, ".spv")),
        )
    };
}

/// Name and words of a compiled module.
type Module = (&'static str, &'static [u8]);

pub(crate) const DEPTH_VERTEX: Module = module!("render_depth_vertex");
pub(crate) const SHADOW_VERTEX: Module = module!("render_shadow_vertex");
pub(crate) const MOTION_VERTEX: Module = module!("render_motion_vertex");
pub(crate) const MOTION_FRAGMENT: Module = module!("render_motion_fragment");
pub(crate) const SURFACE_VERTEX: Module = module!("render_surface_vertex");
pub(crate) const COLOR_FRAGMENT: Module = module!("render_color_fragment");
pub(crate) const NORMAL_FRAGMENT: Module = module!("render_normal_fragment");
pub(crate) const FULLSCREEN_VERTEX: Module = module!("render_fullscreen_vertex");
pub(crate) const RESOLVE_FRAGMENT: Module = module!("render_resolve_fragment");

/// The pipelines of every pass, with the layouts they share.
pub(crate) struct Pipelines {
    context: Arc<Context>,
    pub(crate) set_layout: vk::DescriptorSetLayout,
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) shadow_sampler: vk::Sampler,
    pub(crate) texel_sampler: vk::Sampler,
    pub(crate) depth: vk::Pipeline,
    pub(crate) shadow: vk::Pipeline,
    pub(crate) motion: vk::Pipeline,
    pub(crate) color: vk::Pipeline,
    pub(crate) normal: vk::Pipeline,
    pub(crate) resolve: vk::Pipeline,
}

impl Pipelines {
    pub(crate) fn new(context: &Arc<Context>, vertices: &VertexLayout) -> Result<Self, DeviceError> {
        // From here on `Drop` cleans up after a failure; destroying what is null does nothing.
        let mut pipelines = Self {
            context: Arc::clone(context),
            set_layout: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            shadow_sampler: vk::Sampler::null(),
            texel_sampler: vk::Sampler::null(),
            depth: vk::Pipeline::null(),
            shadow: vk::Pipeline::null(),
            motion: vk::Pipeline::null(),
            color: vk::Pipeline::null(),
            normal: vk::Pipeline::null(),
            resolve: vk::Pipeline::null(),
        };
        pipelines.make_layouts()?;
        pipelines.make_samplers()?;

        let position = Attribute {
            location: location::POSITION,
            binding: 0,
            offset: vertices.position_offset,
        };
        // A layout without normals feeds the position in, and the shader is told to make flat normals instead.
        let normal_offset = vertices.normal_offset.unwrap_or(vertices.position_offset);
        let normal = Attribute {
            location: location::NORMAL,
            binding: 0,
            offset: normal_offset,
        };
        let previous = Attribute {
            location: location::PREVIOUS_POSITION,
            binding: 1,
            offset: vertices.position_offset,
        };
        let stride = vertices.stride_bytes;
        let has_normals = vertices.normal_offset.is_some();

        let base = PipelineDesc {
            name: "",
            vertex: DEPTH_VERTEX,
            fragment: None,
            attributes: &[],
            stride,
            color: None,
            depth: Some(DepthUse::Equal),
            has_normals,
        };
        let depth_only = PipelineDesc {
            attributes: &[position],
            depth: Some(DepthUse::Write),
            ..base
        };
        pipelines.depth = pipelines.make(&PipelineDesc {
            name: "depth",
            ..depth_only
        })?;
        pipelines.shadow = pipelines.make(&PipelineDesc {
            name: "shadow",
            vertex: SHADOW_VERTEX,
            ..depth_only
        })?;
        pipelines.motion = pipelines.make(&PipelineDesc {
            name: "motion",
            vertex: MOTION_VERTEX,
            fragment: Some(MOTION_FRAGMENT),
            attributes: &[position, previous],
            color: Some(MOTION_FORMAT),
            ..base
        })?;
        let surface = PipelineDesc {
            vertex: SURFACE_VERTEX,
            attributes: &[position, normal],
            ..base
        };
        pipelines.color = pipelines.make(&PipelineDesc {
            name: "color",
            fragment: Some(COLOR_FRAGMENT),
            color: Some(COLOR_FORMAT),
            ..surface
        })?;
        pipelines.normal = pipelines.make(&PipelineDesc {
            name: "normal",
            fragment: Some(NORMAL_FRAGMENT),
            color: Some(NORMAL_FORMAT),
            ..surface
        })?;
        pipelines.resolve = pipelines.make(&PipelineDesc {
            name: "resolve",
            vertex: FULLSCREEN_VERTEX,
            fragment: Some(RESOLVE_FRAGMENT),
            color: Some(PICTURE_FORMAT),
            depth: None,
            ..base
        })?;
        Ok(pipelines)
    }

    fn make_layouts(&mut self) -> Result<(), DeviceError> {
        let device = &self.context.device.0;
        let image = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
        let bindings = [
            (binding::FRAME, vk::DescriptorType::STORAGE_BUFFER, DRAW_STAGES),
            (binding::SHADOW_MAP, image, vk::ShaderStageFlags::FRAGMENT),
            (binding::DEPTH, image, vk::ShaderStageFlags::FRAGMENT),
            (binding::COLOR, image, vk::ShaderStageFlags::FRAGMENT),
        ]
        .map(|(number, kind, stages)| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(number)
                .descriptor_type(kind)
                .descriptor_count(1)
                .stage_flags(stages)
        });
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: the device is alive.
        self.set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }
            .named("vkCreateDescriptorSetLayout")?;
        // SAFETY: the layout was just made.
        unsafe { self.context.name_object(self.set_layout, "frame") };

        let ranges = [vk::PushConstantRange::default()
            .stage_flags(DRAW_STAGES)
            .size(size_of::<DrawConstants>() as u32)];
        let layouts = [self.set_layout];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&layouts)
            .push_constant_ranges(&ranges);
        // SAFETY: the set layout was just made.
        self.layout =
            unsafe { device.create_pipeline_layout(&info, None) }.named("vkCreatePipelineLayout")?;
        // SAFETY: the layout was just made.
        unsafe { self.context.name_object(self.layout, "render") };
        Ok(())
    }

    fn make_samplers(&mut self) -> Result<(), DeviceError> {
        let device = &self.context.device.0;
        let texel = vk::SamplerCreateInfo::default()
            .address_mode_u(vk::SamplerAddressMode::CLAMP_TO_EDGE)
            .address_mode_v(vk::SamplerAddressMode::CLAMP_TO_EDGE);
        // Outside of the shadow map there is light.
        let shadow = vk::SamplerCreateInfo::default()
            .address_mode_u(vk::SamplerAddressMode::CLAMP_TO_BORDER)
            .address_mode_v(vk::SamplerAddressMode::CLAMP_TO_BORDER)
            .border_color(vk::BorderColor::FLOAT_OPAQUE_WHITE)
            .compare_enable(true)
            .compare_op(vk::CompareOp::LESS_OR_EQUAL);
        // SAFETY: the device is alive.
        self.texel_sampler = unsafe { device.create_sampler(&texel, None) }.named("vkCreateSampler")?;
        // SAFETY: the device is alive.
        self.shadow_sampler = unsafe { device.create_sampler(&shadow, None) }.named("vkCreateSampler")?;
        // SAFETY: the sampler was just made.
        unsafe { self.context.name_object(self.texel_sampler, "texel") };
        // SAFETY: the sampler was just made.
        unsafe { self.context.name_object(self.shadow_sampler, "shadow compare") };
        Ok(())
    }

    fn make(&self, desc: &PipelineDesc<'_>) -> Result<vk::Pipeline, DeviceError> {
        let vertex = ShaderModule::new(&self.context, desc.vertex)?;
        let fragment = desc
            .fragment
            .map(|module| ShaderModule::new(&self.context, module))
            .transpose()?;
        let value = u32::from(desc.has_normals).to_ne_bytes();
        let entries = [vk::SpecializationMapEntry {
            constant_id: HAS_NORMALS_CONSTANT,
            offset: 0,
            size: 4,
        }];
        let specialization = vk::SpecializationInfo::default()
            .map_entries(&entries)
            .data(&value);
        let stage = |module: &ShaderModule<'_>, stage| {
            vk::PipelineShaderStageCreateInfo::default()
                .stage(stage)
                .module(module.handle)
                .name(c"main")
        };
        let mut stages = vec![stage(&vertex, vk::ShaderStageFlags::VERTEX)];
        stages.extend(fragment.iter().map(|module| {
            stage(module, vk::ShaderStageFlags::FRAGMENT).specialization_info(&specialization)
        }));

        let bindings = vertex_bindings(desc);
        let attributes: Vec<_> = desc.attributes.iter().map(Attribute::description).collect();
        let vertex_input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewport_count(1)
            .scissor_count(1);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let depth = depth_state(desc.depth);
        let blend_attachments: Vec<_> = desc
            .color
            .iter()
            .map(|_| {
                vk::PipelineColorBlendAttachmentState::default()
                    .color_write_mask(vk::ColorComponentFlags::RGBA)
            })
            .collect();
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blend_attachments);
        let dynamic_states = [
            vk::DynamicState::VIEWPORT,
            vk::DynamicState::SCISSOR,
            vk::DynamicState::CULL_MODE,
            vk::DynamicState::FRONT_FACE,
        ];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic_states);
        let color_formats: Vec<vk::Format> = desc.color.into_iter().collect();
        let depth_format = if desc.depth.is_some() {
            DEPTH_FORMAT
        } else {
            vk::Format::UNDEFINED
        };
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(&color_formats)
            .depth_attachment_format(depth_format);
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&vertex_input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(self.layout)
            .push_next(&mut rendering);
        let device = &self.context.device.0;
        // SAFETY: everything that the structs point to lives until the end of this function.
        let made = unsafe { device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
        let pipeline = made
            .map_err(|(_, result)| result)
            .named("vkCreateGraphicsPipelines")?[0];
        // SAFETY: the pipeline was just made.
        unsafe { self.context.name_object(pipeline, desc.name) };
        Ok(pipeline)
    }
}

impl Drop for Pipelines {
    fn drop(&mut self) {
        // A lost device is idle too.
        let _ = self.context.wait_idle();
        let device = &self.context.device.0;
        for pipeline in [
            self.depth,
            self.shadow,
            self.motion,
            self.color,
            self.normal,
            self.resolve,
        ] {
            // SAFETY: the device is idle, and the handle is this value's own; null is allowed.
            unsafe { device.destroy_pipeline(pipeline, None) };
        }
        for sampler in [self.texel_sampler, self.shadow_sampler] {
            // SAFETY: as above.
            unsafe { device.destroy_sampler(sampler, None) };
        }
        // SAFETY: as above.
        unsafe { device.destroy_pipeline_layout(self.layout, None) };
        // SAFETY: as above.
        unsafe { device.destroy_descriptor_set_layout(self.set_layout, None) };
    }
}

/// What a pass does with the depth attachment.
#[derive(Clone, Copy)]
enum DepthUse {
    Write,
    Equal,
}

#[derive(Clone, Copy)]
struct PipelineDesc<'a> {
    name: &'static str,
    vertex: Module,
    fragment: Option<Module>,
    attributes: &'a [Attribute],
    stride: u32,
    color: Option<vk::Format>,
    depth: Option<DepthUse>,
    has_normals: bool,
}

/// One binding for each range of vertices that the attributes come from.
fn vertex_bindings(desc: &PipelineDesc<'_>) -> Vec<vk::VertexInputBindingDescription> {
    let count = desc
        .attributes
        .iter()
        .map(|attribute| attribute.binding + 1)
        .max();
    (0..count.unwrap_or(0))
        .map(|number| {
            vk::VertexInputBindingDescription::default()
                .binding(number)
                .stride(desc.stride)
        })
        .collect()
}

fn depth_state(depth: Option<DepthUse>) -> vk::PipelineDepthStencilStateCreateInfo<'static> {
    let none = vk::PipelineDepthStencilStateCreateInfo::default();
    match depth {
        None => none,
        Some(DepthUse::Write) => none
            .depth_test_enable(true)
            .depth_write_enable(true)
            .depth_compare_op(vk::CompareOp::LESS),
        // Equal and not less-or-equal: passes that disagree about a surface then show holes in place of hiding it.
        Some(DepthUse::Equal) => none
            .depth_test_enable(true)
            .depth_compare_op(vk::CompareOp::EQUAL),
    }
}

/// Three floats of a vertex.
#[derive(Clone, Copy)]
struct Attribute {
    location: u32,
    binding: u32,
    offset: u32,
}

impl Attribute {
    fn description(&self) -> vk::VertexInputAttributeDescription {
        vk::VertexInputAttributeDescription {
            location: self.location,
            binding: self.binding,
            format: vk::Format::R32G32B32_SFLOAT,
            offset: self.offset,
        }
    }
}

/// A shader module that ends with the making of its pipeline.
struct ShaderModule<'a> {
    context: &'a Context,
    handle: vk::ShaderModule,
}

impl<'a> ShaderModule<'a> {
    fn new(context: &'a Context, (name, bytes): Module) -> Result<Self, DeviceError> {
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: the words are a module that was validated when it was compiled.
        let handle =
            unsafe { context.device.0.create_shader_module(&info, None) }.named("vkCreateShaderModule")?;
        // SAFETY: the module was just made.
        unsafe { context.name_object(handle, name) };
        Ok(Self { context, handle })
    }
}

impl Drop for ShaderModule<'_> {
    fn drop(&mut self) {
        // SAFETY: pipelines do not need their modules once they are made.
        unsafe { self.context.device.0.destroy_shader_module(self.handle, None) };
    }
}
