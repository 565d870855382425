//! The frame: every pass, with the barriers between them.

use std::fmt;
use std::sync::Arc;

use ash::vk;
use glam::{Mat4, Vec3};
use morph_core::VertexLayout;

use crate::attachments::{DepthLoad, begin_rendering, color_attachment, depth_attachment};
use crate::descriptors::Descriptors;
use crate::device::{Context, HeadlessDevice};
use crate::draw::Draws;
use crate::error::{DeviceError, RenderError};
use crate::frame::{Frame, PassSet};
use crate::interface::{FrameConstants, set};
use crate::memory::{Buffer, BufferDesc, Image, MemoryPlace};
use crate::pipelines::{PassPipelines, Pipelines};
use crate::placement::PlacementTables;
use crate::recorder::Recorder;
use crate::sync::{ImageUse, transition};
use crate::targets::{Targets, check_extent};

/// What a renderer is to be.
#[derive(Debug, Clone, Copy)]
pub struct RendererDesc {
    /// Width and height of the pictures, in pixels.
    pub extent: (u32, u32),
    /// Samples per pixel and axis, 1 to 4; 2 gives clean edges, 1 gives one sample a pixel for exact tests.
    pub supersampling: u32,
    /// Side of the shadow map, in texels.
    pub shadow_map_size: u32,
    /// Reach of ambient occlusion in world units; 0 leaves it out.
    pub occlusion_radius: f32,
    /// The vertices that every item has.
    pub layout: VertexLayout,
}

impl RendererDesc {
    /// Clean pictures of this size: 2 x 2 samples, a shadow map of 2,048 texels, no ambient occlusion.
    pub const fn new(extent: (u32, u32), layout: VertexLayout) -> Self {
        Self {
            extent,
            supersampling: 2,
            shadow_map_size: 2048,
            occlusion_radius: 0.0,
            layout,
        }
    }
}

/// The largest supersampling factor.
const MAX_SUPERSAMPLING: u32 = 4;

/// Draws frames into images of its own.
///
/// A frame reads no memory of the host when it runs, so several may be recorded and submitted one after the other on
/// the queue of the device; each frame replaces the pictures of the last one.
pub struct Renderer {
    // In this order they end: what uses a thing goes before the thing.
    descriptors: Descriptors,
    pipelines: Pipelines,
    constants: Buffer,
    pub(crate) targets: Targets,
    pub(crate) context: Arc<Context>,
    desc: RendererDesc,
    /// What the last recorded frame drew, and how.
    pub(crate) last: Option<LastFrame>,
}

/// What reading a picture needs to know of the frame it shows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastFrame {
    pub(crate) passes: PassSet,
    pub(crate) projection: Mat4,
}

impl Renderer {
    /// The stages in which the renderer reads vertex buffers: name them in the barrier that publishes the vertices.
    pub const READER_STAGES: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::VERTEX_ATTRIBUTE_INPUT;
    /// The accesses with which the renderer reads vertex buffers.
    pub const READER_ACCESSES: vk::AccessFlags2 = vk::AccessFlags2::VERTEX_ATTRIBUTE_READ;

    /// Makes images and pipelines.
    ///
    /// # Errors
    /// A picture without pixels or larger than the device allows, a supersampling outside of 1 to 4, a vertex layout
    /// that cannot be right, no memory, or a failed Vulkan call.
    pub fn new(device: &HeadlessDevice, desc: &RendererDesc) -> Result<Self, RenderError> {
        let limits = device.limits();
        if !(1..=MAX_SUPERSAMPLING).contains(&desc.supersampling) {
            return Err(RenderError::Supersampling {
                given: desc.supersampling,
                limit: MAX_SUPERSAMPLING,
            });
        }
        desc.layout.validate()?;
        let stride_limit = limits.max_vertex_input_binding_stride;
        if !desc.layout.is_interleaved_floats() {
            return Err(RenderError::NotInterleaved);
        }
        if desc.layout.vertex_bytes() > stride_limit {
            return Err(RenderError::Stride {
                stride_bytes: desc.layout.vertex_bytes(),
                limit: stride_limit,
            });
        }
        let side_limit = limits
            .max_image_dimension2_d
            .min(limits.max_framebuffer_width)
            .min(limits.max_framebuffer_height);
        let (width, height) = (u64::from(desc.extent.0), u64::from(desc.extent.1));
        let factor = u64::from(desc.supersampling);
        let pixels = check_extent("a picture", (width, height), side_limit)?;
        let samples = check_extent(
            "a supersampled picture",
            (width * factor, height * factor),
            side_limit,
        )?;
        let side = u64::from(desc.shadow_map_size);
        let shadow = check_extent("a shadow map", (side, side), side_limit)?;

        let context = Arc::clone(device.context());
        let targets = Targets::new(&context, pixels, samples, shadow)?;
        let constants = Buffer::in_context(
            &context,
            &BufferDesc {
                name: "frame constants",
                size_bytes: size_of::<FrameConstants>() as u64,
                usage: vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST,
                place: MemoryPlace::Device,
            },
        )?;
        let pipelines = Pipelines::new(&context, &desc.layout)?;
        let descriptors = Descriptors::new(&context, &pipelines, &constants, &targets)?;
        Ok(Self {
            descriptors,
            pipelines,
            constants,
            targets,
            context,
            desc: *desc,
            last: None,
        })
    }

    /// What the renderer was made with.
    pub fn desc(&self) -> &RendererDesc {
        &self.desc
    }

    /// The finished picture of the last frame, in layout `TRANSFER_SRC_OPTIMAL` and visible to copies and blits once
    /// the frame has run; sRGB, 8 bits a channel, opaque.
    pub fn picture_image(&self) -> vk::Image {
        self.targets.picture.handle
    }

    /// Records a frame: depth pre-pass, shadow map, motion vectors, color, normals.
    ///
    /// Every pass binds the same range of an item's vertex buffer; the motion pass binds the previous range beside it.
    /// Must be outside of a rendering.
    /// Items without vertices or indices draw nothing.
    ///
    /// # Safety
    /// - `commands` is recording, belongs to the device and is submitted to its queue, in the order in which frames
    ///   are recorded.
    /// - The buffers of the items live until the frame has run, have the usages `VERTEX_BUFFER` and `INDEX_BUFFER`,
    ///   and hold the ranges that the items name; indices stay below `vertex_count`.
    /// - The same holds for the buffers of an item's placement: transform ids are vertices, and its tables, made by this
    ///   renderer and dropped no sooner than the frame has run, lie within their buffer.
    /// - A barrier before this call makes the vertices visible to [`Self::READER_STAGES`] and
    ///   [`Self::READER_ACCESSES`], the indices to `INDEX_INPUT` / `INDEX_READ`, and placement tables to `VERTEX_SHADER` /
    ///   `SHADER_STORAGE_READ`.
    pub unsafe fn record(&mut self, commands: vk::CommandBuffer, frame: &Frame<'_>) {
        // SAFETY: the caller vouches for the command buffer and for the items; the rest is this value's own.
        let recorder = unsafe { Recorder::new(&self.context, commands) };
        recorder.begin_label("morph-render frame");
        self.begin(recorder, frame);
        self.depth_pass(recorder, frame);
        self.shadow_pass(recorder, frame);
        self.between(recorder);
        self.motion_pass(recorder, frame);
        self.color_pass(recorder, frame);
        self.normal_pass(recorder, frame);
        self.resolve(recorder, frame);
        self.finish(recorder);
        recorder.end_label();
        self.last = Some(LastFrame {
            passes: frame.passes,
            projection: frame.view.projection,
        });
    }

    /// Takes everything back from the last frame's readers, and writes the constants of this one.
    fn begin(&self, recorder: Recorder<'_>, frame: &Frame<'_>) {
        let targets = &self.targets;
        let reuse = vk::MemoryBarrier2::default()
            .src_stage_mask(
                vk::PipelineStageFlags2::VERTEX_SHADER
                    | vk::PipelineStageFlags2::FRAGMENT_SHADER
                    | vk::PipelineStageFlags2::ALL_TRANSFER,
            )
            // A last frame that drew nothing leaves two updates with no read between them.
            .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_TRANSFER)
            .dst_access_mask(vk::AccessFlags2::TRANSFER_WRITE);
        let depth = (ImageUse::Undefined, ImageUse::DepthWrite);
        let color = (ImageUse::Undefined, ImageUse::ColorWrite);
        recorder.barrier(
            &[reuse],
            &[
                transition(&targets.depth, depth),
                transition(&targets.shadow, depth),
                transition(&targets.motion, color),
                transition(&targets.color, color),
                transition(&targets.normal, color),
                transition(&targets.picture, color),
            ],
        );
        recorder.update_buffer(
            self.constants.handle(),
            bytemuck::bytes_of(&self.frame_constants(frame)),
        );
        let publish = vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_TRANSFER)
            .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::VERTEX_SHADER | vk::PipelineStageFlags2::FRAGMENT_SHADER)
            .dst_access_mask(vk::AccessFlags2::SHADER_STORAGE_READ);
        recorder.barrier(&[publish], &[]);
        recorder.bind_set(self.pipelines.layout, set::FRAME, self.descriptors.set());
    }

    /// What the depth passes wrote becomes what the others test against and sample.
    fn between(&self, recorder: Recorder<'_>) {
        recorder.barrier(
            &[],
            &[
                transition(
                    &self.targets.depth,
                    (ImageUse::DepthWrite, ImageUse::DepthTestAndSample),
                ),
                transition(
                    &self.targets.shadow,
                    (ImageUse::DepthWrite, ImageUse::DepthTestAndSample),
                ),
            ],
        );
    }

    fn depth_pass(&self, recorder: Recorder<'_>, frame: &Frame<'_>) {
        recorder.begin_label("depth");
        let depth = depth_attachment(&self.targets.depth, DepthLoad::Clear);
        begin_rendering(recorder, self.targets.depth.extent, None, Some(&depth));
        self.draws(recorder).draw(frame.items, |passes| passes.depth);
        recorder.end_rendering();
        recorder.end_label();
    }

    fn shadow_pass(&self, recorder: Recorder<'_>, frame: &Frame<'_>) {
        recorder.begin_label("shadow");
        // Cleared even where it is left out, because the color pass has it bound.
        let depth = depth_attachment(&self.targets.shadow, DepthLoad::Clear);
        begin_rendering(recorder, self.targets.shadow.extent, None, Some(&depth));
        if frame.passes.shadow {
            self.draws(recorder).draw(frame.items, |passes| passes.shadow);
        }
        recorder.end_rendering();
        recorder.end_label();
    }

    fn motion_pass(&self, recorder: Recorder<'_>, frame: &Frame<'_>) {
        if !frame.passes.motion {
            return;
        }
        recorder.begin_label("motion");
        let color = color_attachment(&self.targets.motion);
        let depth = depth_attachment(&self.targets.depth, DepthLoad::Keep);
        begin_rendering(recorder, self.targets.motion.extent, Some(&color), Some(&depth));
        self.draws(recorder).motion(frame.items);
        recorder.end_rendering();
        recorder.end_label();
    }

    fn color_pass(&self, recorder: Recorder<'_>, frame: &Frame<'_>) {
        if !frame.passes.color {
            return;
        }
        self.surface_pass(recorder, frame, "color", &self.targets.color, |passes| {
            passes.color
        });
    }

    fn normal_pass(&self, recorder: Recorder<'_>, frame: &Frame<'_>) {
        if !frame.passes.normal {
            return;
        }
        self.surface_pass(recorder, frame, "normal", &self.targets.normal, |passes| {
            passes.normal
        });
    }

    fn surface_pass(
        &self,
        recorder: Recorder<'_>,
        frame: &Frame<'_>,
        label: &str,
        target: &Image,
        pipeline: fn(&PassPipelines) -> vk::Pipeline,
    ) {
        recorder.begin_label(label);
        let color = color_attachment(target);
        let depth = depth_attachment(&self.targets.depth, DepthLoad::Keep);
        begin_rendering(recorder, target.extent, Some(&color), Some(&depth));
        self.draws(recorder).draw(frame.items, pipeline);
        recorder.end_rendering();
        recorder.end_label();
    }

    /// Samples become pixels.
    fn resolve(&self, recorder: Recorder<'_>, frame: &Frame<'_>) {
        if !frame.passes.color {
            return;
        }
        recorder.begin_label("resolve");
        recorder.barrier(
            &[],
            &[transition(
                &self.targets.color,
                (ImageUse::ColorWrite, ImageUse::Sampled),
            )],
        );
        let color = color_attachment(&self.targets.picture);
        begin_rendering(recorder, self.targets.picture.extent, Some(&color), None);
        recorder.bind_pipeline(self.pipelines.resolve);
        recorder.cull(vk::CullModeFlags::NONE, vk::FrontFace::COUNTER_CLOCKWISE);
        recorder.draw(3);
        recorder.end_rendering();
        recorder.barrier(
            &[],
            &[transition(
                &self.targets.color,
                (ImageUse::Sampled, ImageUse::CopySource),
            )],
        );
        recorder.end_label();
    }

    /// Leaves every picture ready to be copied.
    fn finish(&self, recorder: Recorder<'_>) {
        let targets = &self.targets;
        recorder.barrier(
            &[],
            &[
                transition(
                    &targets.depth,
                    (ImageUse::DepthTestAndSample, ImageUse::CopySource),
                ),
                transition(
                    &targets.shadow,
                    (ImageUse::DepthTestAndSample, ImageUse::CopySource),
                ),
                transition(&targets.motion, (ImageUse::ColorWrite, ImageUse::CopySource)),
                transition(&targets.normal, (ImageUse::ColorWrite, ImageUse::CopySource)),
                transition(&targets.picture, (ImageUse::ColorWrite, ImageUse::CopySource)),
            ],
        );
    }

    fn draws<'a>(&'a self, recorder: Recorder<'a>) -> Draws<'a> {
        Draws {
            recorder,
            pipelines: &self.pipelines,
            stride_bytes: self.desc.layout.vertex_bytes(),
        }
    }

    fn frame_constants(&self, frame: &Frame<'_>) -> FrameConstants {
        let view = &frame.view;
        let to_light = (-frame.light.direction).try_normalize().unwrap_or(Vec3::Y);
        FrameConstants {
            view_projection: view.view_projection().to_cols_array(),
            previous_view_projection: view.previous_view_projection.to_cols_array(),
            shadow_view_projection: frame.light.view_projection().to_cols_array(),
            view: view.view.to_cols_array(),
            inverse_projection: view.projection.inverse().to_cols_array(),
            eye: view.view.inverse().w_axis.truncate().to_array(),
            shadow_texel: frame.light.texel(self.desc.shadow_map_size),
            light_direction: to_light.to_array(),
            shadow_strength: if frame.passes.shadow { 1.0 } else { 0.0 },
            light_color: frame.light.color,
            occlusion_radius: self.desc.occlusion_radius,
            background_top: frame.background.top,
            supersampling: self.desc.supersampling,
            background_bottom: frame.background.bottom,
            pixel_width: self.desc.extent.0 as f32,
            pixel_height: self.desc.extent.1 as f32,
        }
    }

    /// Makes a buffer of placement tables ready for draws of this renderer; see [`DrawItem::placement`](crate::DrawItem::placement).
    ///
    /// The first call makes the pipelines of placed draws.
    /// `words` holds the words of one table or of many, has the usage `STORAGE_BUFFER`, and must live for as long as
    /// frames that draw with it run.
    ///
    /// # Errors
    /// More bytes than the device binds at once, no memory, or a failed Vulkan call.
    pub fn placement_tables(&mut self, words: &Buffer) -> Result<PlacementTables, RenderError> {
        let limit = self.context.properties.limits.max_storage_buffer_range;
        if words.size_bytes() > u64::from(limit) {
            return Err(RenderError::PlacementTables {
                size_bytes: words.size_bytes(),
                limit,
            });
        }
        self.pipelines.make_placed()?;
        Ok(PlacementTables::new(
            &self.context,
            self.pipelines.placement_set_layout,
            words,
        )?)
    }

    /// Gives up the renderer: waits until the device is idle and frees everything.
    ///
    /// The same as dropping it, for those who like to see it.
    pub fn destroy(self) {
        drop(self);
    }

    pub(crate) fn read_image(&self, image: &Image, texel_bytes: u64) -> Result<Vec<u8>, DeviceError> {
        crate::transfer::readback_image(&self.context, image, texel_bytes)
    }
}

impl fmt::Debug for Renderer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Renderer")
            .field("desc", &self.desc)
            .finish_non_exhaustive()
    }
}
