//! What images are used for, and the barrier from one use to the next.

use ash::vk;

use crate::memory::Image;

/// A use of an image: layout, stages and accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImageUse {
    /// The last frame may still read or copy it; what it holds is not needed.
    Undefined,
    /// Drawn into with the depth test.
    DepthWrite,
    /// Tested against without writing, and sampled in fragment shaders.
    DepthTestAndSample,
    /// Drawn into.
    ColorWrite,
    /// Sampled in fragment shaders.
    Sampled,
    /// Copied out of.
    CopySource,
}

impl ImageUse {
    fn layout(self) -> vk::ImageLayout {
        match self {
            Self::Undefined => vk::ImageLayout::UNDEFINED,
            Self::DepthWrite => vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            Self::DepthTestAndSample => vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL,
            Self::ColorWrite => vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            Self::Sampled => vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            Self::CopySource => vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        }
    }

    fn stages(self) -> vk::PipelineStageFlags2 {
        let depth_tests =
            vk::PipelineStageFlags2::EARLY_FRAGMENT_TESTS | vk::PipelineStageFlags2::LATE_FRAGMENT_TESTS;
        match self {
            // Whatever the last frame did last with any target, and copies or blits of the caller.
            Self::Undefined => {
                depth_tests
                    | vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT
                    | vk::PipelineStageFlags2::FRAGMENT_SHADER
                    | vk::PipelineStageFlags2::ALL_TRANSFER
            }
            Self::DepthWrite => depth_tests,
            Self::DepthTestAndSample => depth_tests | vk::PipelineStageFlags2::FRAGMENT_SHADER,
            Self::ColorWrite => vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT,
            Self::Sampled => vk::PipelineStageFlags2::FRAGMENT_SHADER,
            Self::CopySource => vk::PipelineStageFlags2::ALL_TRANSFER,
        }
    }

    fn accesses(self) -> vk::AccessFlags2 {
        match self {
            // The layout transitions of the last frame ended in reads, so nothing is left to make available.
            Self::Undefined => vk::AccessFlags2::NONE,
            Self::DepthWrite => {
                vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_READ
                    | vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE
            }
            Self::DepthTestAndSample => {
                vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_READ | vk::AccessFlags2::SHADER_SAMPLED_READ
            }
            Self::ColorWrite => {
                vk::AccessFlags2::COLOR_ATTACHMENT_READ | vk::AccessFlags2::COLOR_ATTACHMENT_WRITE
            }
            Self::Sampled => vk::AccessFlags2::SHADER_SAMPLED_READ,
            Self::CopySource => vk::AccessFlags2::TRANSFER_READ,
        }
    }

    /// What must be made available before the next use: the writes of this one.
    fn written(self) -> vk::AccessFlags2 {
        self.accesses()
            & (vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE | vk::AccessFlags2::COLOR_ATTACHMENT_WRITE)
    }
}

/// The barrier over the whole image from one use to the next.
pub(crate) fn transition(
    image: &Image,
    (from, to): (ImageUse, ImageUse),
) -> vk::ImageMemoryBarrier2<'static> {
    vk::ImageMemoryBarrier2::default()
        .src_stage_mask(from.stages())
        .src_access_mask(from.written())
        .old_layout(from.layout())
        .dst_stage_mask(to.stages())
        .dst_access_mask(to.accesses())
        .new_layout(to.layout())
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image.handle)
        .subresource_range(image.whole())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_writes_are_made_available_and_reads_are_only_waited_for() {
        for (image_use, written) in [
            (ImageUse::Undefined, vk::AccessFlags2::NONE),
            (
                ImageUse::DepthWrite,
                vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE,
            ),
            (ImageUse::DepthTestAndSample, vk::AccessFlags2::NONE),
            (ImageUse::ColorWrite, vk::AccessFlags2::COLOR_ATTACHMENT_WRITE),
            (ImageUse::Sampled, vk::AccessFlags2::NONE),
            (ImageUse::CopySource, vk::AccessFlags2::NONE),
        ] {
            assert_eq!(image_use.written(), written, "{image_use:?}");
            assert!(!image_use.stages().is_empty(), "{image_use:?}");
        }
    }

    #[test]
    fn the_next_frame_waits_for_every_use_of_the_last_one() {
        let reuse = ImageUse::Undefined.stages();
        for image_use in [
            ImageUse::DepthWrite,
            ImageUse::DepthTestAndSample,
            ImageUse::ColorWrite,
            ImageUse::Sampled,
            ImageUse::CopySource,
        ] {
            assert!(reuse.contains(image_use.stages()), "{image_use:?}");
        }
    }
}
