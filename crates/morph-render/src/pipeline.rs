//! One graphics pipeline: shader modules, vertex streams and fixed state.

use ash::vk;

use crate::device::Context;
use crate::error::{DeviceError, Named};
use crate::interface::HAS_NORMALS_CONSTANT;
use crate::targets::DEPTH_FORMAT;

/// Name and words of a compiled module.
pub(crate) type Module = (&'static str, &'static [u8]);

/// What a pass does with the depth attachment.
#[derive(Clone, Copy)]
pub(crate) enum DepthUse {
    Write,
    Equal,
}

#[derive(Clone, Copy)]
pub(crate) struct PipelineDesc<'a> {
    pub(crate) name: &'static str,
    pub(crate) vertex: Module,
    pub(crate) fragment: Option<Module>,
    pub(crate) attributes: &'a [Attribute],
    pub(crate) color: Option<vk::Format>,
    pub(crate) depth: Option<DepthUse>,
    pub(crate) has_normals: bool,
}

/// Makes the pipeline that a description asks for.
pub(crate) fn make(
    context: &Context,
    layout: vk::PipelineLayout,
    desc: &PipelineDesc<'_>,
) -> Result<vk::Pipeline, DeviceError> {
    let vertex = ShaderModule::new(context, desc.vertex)?;
    let fragment = desc
        .fragment
        .map(|module| ShaderModule::new(context, module))
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
    stages.extend(
        fragment
            .iter()
            .map(|module| stage(module, vk::ShaderStageFlags::FRAGMENT).specialization_info(&specialization)),
    );

    let bindings = vertex_bindings(desc);
    let attributes: Vec<_> = desc.attributes.iter().map(Attribute::description).collect();
    let vertex_input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&bindings)
        .vertex_attribute_descriptions(&attributes);
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewport = vk::PipelineViewportStateCreateInfo::default()
        .viewport_count(1)
        .scissor_count(1);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let multisample =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let depth = depth_state(desc.depth);
    let blend_attachments: Vec<_> = desc
        .color
        .iter()
        .map(|_| {
            vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA)
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
        .layout(layout)
        .push_next(&mut rendering);
    let device = &context.device.0;
    // SAFETY: everything that the structs point to lives until the end of this function.
    let made = unsafe { device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
    let pipeline = made
        .map_err(|(_, result)| result)
        .named("vkCreateGraphicsPipelines")?[0];
    // SAFETY: the pipeline was just made.
    unsafe { context.name_object(pipeline, desc.name) };
    Ok(pipeline)
}

/// Every stream that the attributes come from, once.
fn vertex_bindings(desc: &PipelineDesc<'_>) -> Vec<vk::VertexInputBindingDescription> {
    let mut streams: Vec<Stream> = Vec::new();
    for attribute in desc.attributes {
        if !streams.contains(&attribute.stream) {
            streams.push(attribute.stream);
        }
    }
    streams
        .into_iter()
        .map(|stream| {
            vk::VertexInputBindingDescription::default()
                .binding(stream.number)
                .stride(stream.stride_bytes)
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

/// A vertex buffer that a pipeline reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stream {
    /// Its binding.
    pub(crate) number: u32,
    /// Bytes from one vertex to the next.
    pub(crate) stride_bytes: u32,
}

/// What a vertex shader takes from a stream.
#[derive(Clone, Copy)]
pub(crate) struct Attribute {
    pub(crate) location: u32,
    pub(crate) stream: Stream,
    pub(crate) offset: u32,
    pub(crate) format: vk::Format,
}

impl Attribute {
    fn description(&self) -> vk::VertexInputAttributeDescription {
        vk::VertexInputAttributeDescription {
            location: self.location,
            binding: self.stream.number,
            format: self.format,
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
