//! The Vulkan commands that this crate records, each wrapped once.
//!
//! The promise about the command buffer is given once, in [`Recorder::new`]; what each command needs beyond that
//! (living handles, matching layouts) is what the callers in this crate are made to keep, and the validation layer
//! checks in the tests.

use ash::vk;

use crate::device::{Context, c_string};

/// A command buffer that is being recorded.
#[derive(Clone, Copy)]
pub(crate) struct Recorder<'a> {
    context: &'a Context,
    commands: vk::CommandBuffer,
}

impl<'a> Recorder<'a> {
    /// # Safety
    /// `commands` is in the recording state, belongs to the context's device, stays so while this value is used, and
    /// every object handed to the methods is alive until the commands have run.
    pub(crate) unsafe fn new(context: &'a Context, commands: vk::CommandBuffer) -> Self {
        Self { context, commands }
    }

    fn device(&self) -> &ash::Device {
        &self.context.device.0
    }

    pub(crate) fn begin_label(&self, name: &str) {
        let Some(debug_utils) = &self.context.debug_utils else {
            return;
        };
        let name = c_string(name);
        let label = vk::DebugUtilsLabelEXT::default().label_name(&name);
        // SAFETY: by the promise of `new`; the extension is on.
        unsafe { debug_utils.cmd_begin_debug_utils_label(self.commands, &label) }
    }

    pub(crate) fn end_label(&self) {
        let Some(debug_utils) = &self.context.debug_utils else {
            return;
        };
        // SAFETY: by the promise of `new`; the extension is on.
        unsafe { debug_utils.cmd_end_debug_utils_label(self.commands) }
    }

    pub(crate) fn barrier(&self, memory: &[vk::MemoryBarrier2<'_>], images: &[vk::ImageMemoryBarrier2<'_>]) {
        let info = vk::DependencyInfo::default()
            .memory_barriers(memory)
            .image_memory_barriers(images);
        match &self.context.functions.synchronization2 {
            // SAFETY: by the promise of `new`.
            None => unsafe { self.device().cmd_pipeline_barrier2(self.commands, &info) },
            // SAFETY: as above, under the name that the extension gives the call.
            Some(functions) => unsafe { functions.cmd_pipeline_barrier2(self.commands, &info) },
        }
    }

    pub(crate) fn begin_rendering(&self, info: &vk::RenderingInfo<'_>) {
        match &self.context.functions.dynamic_rendering {
            // SAFETY: by the promise of `new`.
            None => unsafe { self.device().cmd_begin_rendering(self.commands, info) },
            // SAFETY: as above, under the name that the extension gives the call.
            Some(functions) => unsafe { functions.cmd_begin_rendering(self.commands, info) },
        }
    }

    pub(crate) fn end_rendering(&self) {
        match &self.context.functions.dynamic_rendering {
            // SAFETY: by the promise of `new`.
            None => unsafe { self.device().cmd_end_rendering(self.commands) },
            // SAFETY: as above, under the name that the extension gives the call.
            Some(functions) => unsafe { functions.cmd_end_rendering(self.commands) },
        }
    }

    /// Viewport and scissor over the whole of an image.
    pub(crate) fn whole_viewport(&self, extent: vk::Extent2D) {
        let viewport = vk::Viewport {
            x: 0.0,
            y: 0.0,
            width: extent.width as f32,
            height: extent.height as f32,
            min_depth: 0.0,
            max_depth: 1.0,
        };
        // SAFETY: by the promise of `new`.
        unsafe { self.device().cmd_set_viewport(self.commands, 0, &[viewport]) };
        // SAFETY: by the promise of `new`.
        unsafe {
            self.device()
                .cmd_set_scissor(self.commands, 0, &[vk::Rect2D::from(extent)]);
        };
    }

    pub(crate) fn bind_pipeline(&self, pipeline: vk::Pipeline) {
        // SAFETY: by the promise of `new`.
        unsafe {
            self.device()
                .cmd_bind_pipeline(self.commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
        };
    }

    pub(crate) fn bind_set(&self, layout: vk::PipelineLayout, number: u32, set: vk::DescriptorSet) {
        let point = vk::PipelineBindPoint::GRAPHICS;
        // SAFETY: by the promise of `new`.
        unsafe {
            self.device()
                .cmd_bind_descriptor_sets(self.commands, point, layout, number, &[set], &[]);
        };
    }

    pub(crate) fn push_constants(
        &self,
        layout: vk::PipelineLayout,
        stages: vk::ShaderStageFlags,
        bytes: &[u8],
    ) {
        // SAFETY: by the promise of `new`.
        unsafe {
            self.device()
                .cmd_push_constants(self.commands, layout, stages, 0, bytes);
        };
    }

    pub(crate) fn cull(&self, mode: vk::CullModeFlags, front: vk::FrontFace) {
        match &self.context.functions.extended_dynamic_state {
            None => {
                // SAFETY: by the promise of `new`.
                unsafe { self.device().cmd_set_cull_mode(self.commands, mode) };
                // SAFETY: by the promise of `new`.
                unsafe { self.device().cmd_set_front_face(self.commands, front) };
            }
            Some(functions) => {
                // SAFETY: as above, under the name that the extension gives the call.
                unsafe { functions.cmd_set_cull_mode(self.commands, mode) };
                // SAFETY: as above.
                unsafe { functions.cmd_set_front_face(self.commands, front) };
            }
        }
    }

    /// Binds a buffer, from a byte offset on, as the vertex stream of this number.
    pub(crate) fn bind_stream(&self, number: u32, buffer: vk::Buffer, offset: u64) {
        // SAFETY: by the promise of `new`.
        unsafe {
            self.device()
                .cmd_bind_vertex_buffers(self.commands, number, &[buffer], &[offset]);
        };
    }

    pub(crate) fn bind_index_buffer(&self, buffer: vk::Buffer) {
        // SAFETY: by the promise of `new`.
        unsafe {
            self.device()
                .cmd_bind_index_buffer(self.commands, buffer, 0, vk::IndexType::UINT32);
        };
    }

    pub(crate) fn draw(&self, vertex_count: u32) {
        // SAFETY: by the promise of `new`.
        unsafe { self.device().cmd_draw(self.commands, vertex_count, 1, 0, 0) };
    }

    pub(crate) fn draw_indexed(&self, index_count: u32, first_index: u32) {
        // SAFETY: by the promise of `new`.
        unsafe {
            self.device()
                .cmd_draw_indexed(self.commands, index_count, 1, first_index, 0, 0);
        };
    }

    pub(crate) fn update_buffer(&self, buffer: vk::Buffer, bytes: &[u8]) {
        // SAFETY: by the promise of `new`.
        unsafe { self.device().cmd_update_buffer(self.commands, buffer, 0, bytes) };
    }

    pub(crate) fn copy_buffer(&self, source: vk::Buffer, target: vk::Buffer, regions: &[vk::BufferCopy]) {
        // SAFETY: by the promise of `new`.
        unsafe {
            self.device()
                .cmd_copy_buffer(self.commands, source, target, regions);
        };
    }

    /// Copies the whole first level of an image in layout `TRANSFER_SRC_OPTIMAL`, rows close together.
    pub(crate) fn copy_image_to_buffer(
        &self,
        image: vk::Image,
        aspect: vk::ImageAspectFlags,
        extent: vk::Extent2D,
        target: vk::Buffer,
    ) {
        let region = vk::BufferImageCopy::default()
            .image_subresource(
                vk::ImageSubresourceLayers::default()
                    .aspect_mask(aspect)
                    .layer_count(1),
            )
            .image_extent(extent.into());
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        // SAFETY: by the promise of `new`.
        unsafe {
            self.device()
                .cmd_copy_image_to_buffer(self.commands, image, layout, target, &[region]);
        };
    }
}
