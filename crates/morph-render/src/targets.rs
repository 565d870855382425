//! The images that a frame is drawn into.

use std::sync::Arc;

use ash::vk;

use crate::device::Context;
use crate::error::{DeviceError, RenderError};
use crate::frame::Pass;
use crate::memory::Image;

/// Depth of camera and shadow map: every Vulkan device draws to it and samples it.
pub(crate) const DEPTH_FORMAT: vk::Format = vk::Format::D32_SFLOAT;
/// Samples of the color pass: tone mapped, linear, premultiplied by coverage.
pub(crate) const COLOR_FORMAT: vk::Format = vk::Format::R16G16B16A16_SFLOAT;
/// Motion in pixels.
pub(crate) const MOTION_FORMAT: vk::Format = vk::Format::R32G32_SFLOAT;
/// Normals and coverage.
pub(crate) const NORMAL_FORMAT: vk::Format = vk::Format::R16G16B16A16_SFLOAT;
/// The finished picture.
pub(crate) const PICTURE_FORMAT: vk::Format = vk::Format::R8G8B8A8_SRGB;

/// Every image of a frame.
#[derive(Debug)]
pub(crate) struct Targets {
    pub(crate) depth: Image,
    pub(crate) shadow: Image,
    pub(crate) motion: Image,
    pub(crate) color: Image,
    pub(crate) normal: Image,
    pub(crate) picture: Image,
}

impl Targets {
    pub(crate) fn new(
        context: &Arc<Context>,
        pixels: vk::Extent2D,
        samples: vk::Extent2D,
        shadow: vk::Extent2D,
    ) -> Result<Self, DeviceError> {
        let depth_usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
            | vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::TRANSFER_SRC;
        let color_usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC;
        let sampled_usage = color_usage | vk::ImageUsageFlags::SAMPLED;
        Ok(Self {
            depth: Image::new(context, "depth", samples, DEPTH_FORMAT, depth_usage)?,
            shadow: Image::new(context, "shadow map", shadow, DEPTH_FORMAT, depth_usage)?,
            motion: Image::new(context, "motion", samples, MOTION_FORMAT, color_usage)?,
            color: Image::new(context, "color samples", samples, COLOR_FORMAT, sampled_usage)?,
            normal: Image::new(context, "normal", samples, NORMAL_FORMAT, color_usage)?,
            picture: Image::new(context, "picture", pixels, PICTURE_FORMAT, color_usage)?,
        })
    }

    /// The image that holds the raw result of a pass.
    pub(crate) fn of(&self, pass: Pass) -> &Image {
        match pass {
            Pass::Color => &self.color,
            Pass::Depth => &self.depth,
            Pass::Shadow => &self.shadow,
            Pass::Motion => &self.motion,
            Pass::Normal => &self.normal,
        }
    }
}

/// Checks an extent against the device, and names the image where it does not fit.
pub(crate) fn check_extent(
    what: &'static str,
    (width, height): (u64, u64),
    limit: u32,
) -> Result<vk::Extent2D, RenderError> {
    let fits = |side: u64| (1..=u64::from(limit)).contains(&side);
    if fits(width) && fits(height) {
        Ok(vk::Extent2D {
            width: width as u32,
            height: height as u32,
        })
    } else {
        Err(RenderError::Extent {
            what,
            width,
            height,
            limit,
        })
    }
}
