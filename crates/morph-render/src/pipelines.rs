//! The pipelines of every pass, in a form for plain draws and one for draws whose submeshes are placed.

use std::sync::Arc;

use ash::vk;
use morph_core::VertexLayout;

use crate::device::Context;
use crate::error::{DeviceError, Named};
use crate::interface::{PLACEMENT_WORDS_BINDING, PUSH_BYTES, binding, location, stream};
use crate::pipeline::{Attribute, DepthUse, Module, PipelineDesc, Stream, make};
use crate::targets::{COLOR_FORMAT, MOTION_FORMAT, NORMAL_FORMAT, PICTURE_FORMAT};

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

/// The vertex modules, one a pass; color and normals share one.
#[derive(Clone, Copy)]
pub(crate) struct VertexModules {
    is_placed: bool,
    pub(crate) depth: Module,
    pub(crate) shadow: Module,
    pub(crate) motion: Module,
    pub(crate) surface: Module,
}

/// Draw what the vertex buffer holds.
pub(crate) const PLAIN: VertexModules = VertexModules {
    is_placed: false,
    depth: module!("render_depth_vertex"),
    shadow: module!("render_shadow_vertex"),
    motion: module!("render_motion_vertex"),
    surface: module!("render_surface_vertex"),
};

/// Place the submesh of each vertex by a row of a table first.
pub(crate) const PLACED: VertexModules = VertexModules {
    is_placed: true,
    depth: module!("render_placed_depth_vertex"),
    shadow: module!("render_placed_shadow_vertex"),
    motion: module!("render_placed_motion_vertex"),
    surface: module!("render_placed_surface_vertex"),
};

pub(crate) const MOTION_FRAGMENT: Module = module!("render_motion_fragment");
pub(crate) const COLOR_FRAGMENT: Module = module!("render_color_fragment");
pub(crate) const NORMAL_FRAGMENT: Module = module!("render_normal_fragment");
pub(crate) const FULLSCREEN_VERTEX: Module = module!("render_fullscreen_vertex");
pub(crate) const RESOLVE_FRAGMENT: Module = module!("render_resolve_fragment");

/// The pipelines that draw items, one a pass.
#[derive(Clone, Copy, Default)]
pub(crate) struct PassPipelines {
    pub(crate) depth: vk::Pipeline,
    pub(crate) shadow: vk::Pipeline,
    pub(crate) motion: vk::Pipeline,
    pub(crate) color: vk::Pipeline,
    pub(crate) normal: vk::Pipeline,
}

impl PassPipelines {
    fn all(&self) -> [vk::Pipeline; 5] {
        [self.depth, self.shadow, self.motion, self.color, self.normal]
    }
}

/// The pipelines of every pass, with the layouts they share.
pub(crate) struct Pipelines {
    context: Arc<Context>,
    vertices: VertexLayout,
    pub(crate) set_layout: vk::DescriptorSetLayout,
    pub(crate) placement_set_layout: vk::DescriptorSetLayout,
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) shadow_sampler: vk::Sampler,
    pub(crate) texel_sampler: vk::Sampler,
    pub(crate) plain: PassPipelines,
    /// Null until the first placement tables are made: most renderers never draw with any.
    pub(crate) placed: PassPipelines,
    pub(crate) resolve: vk::Pipeline,
}

impl Pipelines {
    pub(crate) fn new(context: &Arc<Context>, vertices: &VertexLayout) -> Result<Self, DeviceError> {
        // From here on `Drop` cleans up after a failure; destroying what is null does nothing.
        let mut pipelines = Self {
            context: Arc::clone(context),
            vertices: *vertices,
            set_layout: vk::DescriptorSetLayout::null(),
            placement_set_layout: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            shadow_sampler: vk::Sampler::null(),
            texel_sampler: vk::Sampler::null(),
            plain: PassPipelines::default(),
            placed: PassPipelines::default(),
            resolve: vk::Pipeline::null(),
        };
        pipelines.make_layouts()?;
        pipelines.make_samplers()?;
        let (context, layout) = (&pipelines.context, pipelines.layout);
        pipelines.resolve = make(
            context,
            layout,
            &PipelineDesc {
                name: "resolve",
                vertex: FULLSCREEN_VERTEX,
                fragment: Some(RESOLVE_FRAGMENT),
                attributes: &[],
                color: Some(PICTURE_FORMAT),
                depth: None,
                has_normals: false,
            },
        )?;
        make_passes(context, layout, vertices, &PLAIN, &mut pipelines.plain)?;
        Ok(pipelines)
    }

    /// Makes the pipelines of placed draws, unless they are there.
    pub(crate) fn make_placed(&mut self) -> Result<(), DeviceError> {
        make_passes(
            &self.context,
            self.layout,
            &self.vertices,
            &PLACED,
            &mut self.placed,
        )
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

        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .binding(PLACEMENT_WORDS_BINDING)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::VERTEX)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: the device is alive.
        self.placement_set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }
            .named("vkCreateDescriptorSetLayout")?;
        // SAFETY: the layout was just made.
        unsafe { self.context.name_object(self.placement_set_layout, "placement") };

        let ranges = [vk::PushConstantRange::default()
            .stage_flags(DRAW_STAGES)
            .size(PUSH_BYTES)];
        // In the order of `interface::set`.
        let layouts = [self.set_layout, self.placement_set_layout];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&layouts)
            .push_constant_ranges(&ranges);
        // SAFETY: the set layouts were just made.
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
}

impl Drop for Pipelines {
    fn drop(&mut self) {
        // A lost device is idle too.
        let _ = self.context.wait_idle();
        let device = &self.context.device.0;
        let passes = [self.plain, self.placed].map(|it| it.all());
        for pipeline in passes.into_iter().flatten().chain([self.resolve]) {
            // SAFETY: the device is idle, and the handle is this value's own; null is allowed.
            unsafe { device.destroy_pipeline(pipeline, None) };
        }
        for sampler in [self.texel_sampler, self.shadow_sampler] {
            // SAFETY: as above.
            unsafe { device.destroy_sampler(sampler, None) };
        }
        // SAFETY: as above.
        unsafe { device.destroy_pipeline_layout(self.layout, None) };
        for set_layout in [self.set_layout, self.placement_set_layout] {
            // SAFETY: as above.
            unsafe { device.destroy_descriptor_set_layout(set_layout, None) };
        }
    }
}

/// Makes what is missing of the pipelines of every pass, those that were made staying where a later one fails.
fn make_passes(
    context: &Context,
    layout: vk::PipelineLayout,
    vertices: &VertexLayout,
    modules: &VertexModules,
    passes: &mut PassPipelines,
) -> Result<(), DeviceError> {
    let floats = |location, number, offset| Attribute {
        location,
        stream: Stream {
            number,
            stride_bytes: vertices.vertex_bytes(),
        },
        offset,
        format: vk::Format::R32G32B32_SFLOAT,
    };
    let position = floats(location::POSITION, stream::CURRENT, vertices.position.offset);
    let previous = floats(
        location::PREVIOUS_POSITION,
        stream::PREVIOUS,
        vertices.position.offset,
    );
    // A layout without normals feeds the position in, and the shader is told to make flat normals instead.
    let normal_offset = vertices.normal.unwrap_or(vertices.position).offset;
    let normals = floats(location::NORMAL, stream::CURRENT, normal_offset);
    let transform_id = Attribute {
        location: location::TRANSFORM_ID,
        stream: Stream {
            number: stream::TRANSFORM_ID,
            stride_bytes: 4,
        },
        offset: 0,
        format: vk::Format::R32_UINT,
    };
    // Placed modules read one stream more.
    let with_ids = |attributes: &[Attribute]| -> Vec<Attribute> {
        let ids = modules.is_placed.then_some(transform_id);
        attributes.iter().copied().chain(ids).collect()
    };
    let positions = with_ids(&[position]);
    let motions = with_ids(&[position, previous]);
    let surfaces = with_ids(&[position, normals]);

    let base = PipelineDesc {
        name: "",
        vertex: modules.depth,
        fragment: None,
        attributes: &positions,
        color: None,
        depth: Some(DepthUse::Equal),
        has_normals: vertices.normal.is_some(),
    };
    let depth = PipelineDesc {
        name: "depth",
        depth: Some(DepthUse::Write),
        ..base
    };
    let shadow = PipelineDesc {
        name: "shadow",
        vertex: modules.shadow,
        ..depth
    };
    let motion = PipelineDesc {
        name: "motion",
        vertex: modules.motion,
        fragment: Some(MOTION_FRAGMENT),
        attributes: &motions,
        color: Some(MOTION_FORMAT),
        ..base
    };
    let color = PipelineDesc {
        name: "color",
        vertex: modules.surface,
        fragment: Some(COLOR_FRAGMENT),
        attributes: &surfaces,
        color: Some(COLOR_FORMAT),
        ..base
    };
    let normal = PipelineDesc {
        name: "normal",
        fragment: Some(NORMAL_FRAGMENT),
        color: Some(NORMAL_FORMAT),
        ..color
    };
    for (pipeline, desc) in [
        (&mut passes.depth, depth),
        (&mut passes.shadow, shadow),
        (&mut passes.motion, motion),
        (&mut passes.color, color),
        (&mut passes.normal, normal),
    ] {
        if *pipeline == vk::Pipeline::null() {
            *pipeline = make(context, layout, &desc)?;
        }
    }
    Ok(())
}
