//! What a pass renders into: color that starts empty, depth that is written or only tested.

use ash::vk;

use crate::memory::Image;
use crate::recorder::Recorder;

/// Starts a rendering over the whole of an image.
pub(crate) fn begin_rendering(
    recorder: Recorder<'_>,
    extent: vk::Extent2D,
    color: Option<&vk::RenderingAttachmentInfo<'_>>,
    depth: Option<&vk::RenderingAttachmentInfo<'_>>,
) {
    let mut info = vk::RenderingInfo::default()
        .render_area(vk::Rect2D::from(extent))
        .layer_count(1);
    if let Some(color) = color {
        info = info.color_attachments(std::slice::from_ref(color));
    }
    if let Some(depth) = depth {
        info = info.depth_attachment(depth);
    }
    recorder.begin_rendering(&info);
    recorder.whole_viewport(extent);
}

/// A color attachment that starts as zeros: no coverage, no motion.
pub(crate) fn color_attachment(image: &Image) -> vk::RenderingAttachmentInfo<'static> {
    vk::RenderingAttachmentInfo::default()
        .image_view(image.view)
        .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
}

/// What a pass finds in its depth attachment.
#[derive(Clone, Copy)]
pub(crate) enum DepthLoad {
    Clear,
    Keep,
}

pub(crate) fn depth_attachment(image: &Image, load: DepthLoad) -> vk::RenderingAttachmentInfo<'static> {
    let info = vk::RenderingAttachmentInfo::default()
        .image_view(image.view)
        .clear_value(vk::ClearValue {
            depth_stencil: vk::ClearDepthStencilValue {
                depth: 1.0,
                stencil: 0,
            },
        });
    match load {
        DepthLoad::Clear => info
            .image_layout(vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE),
        // Not even a store: the passes after the pre-pass only read, and need no barrier among themselves.
        DepthLoad::Keep => info
            .image_layout(vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::NONE),
    }
}
