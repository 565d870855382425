//! Reading the passes back: as pictures for people and as numbers for tests.

use half::f16;
use image::RgbaImage;

use crate::error::CaptureError;
use crate::frame::Pass;
use crate::picture;
use crate::renderer::{LastFrame, Renderer};

/// Numbers of a pass, row by row from the top.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane<T> {
    /// Samples in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `width * height` values.
    pub values: Vec<T>,
}

impl<T: Copy> Plane<T> {
    /// The value at a sample, or `None` outside.
    pub fn get(&self, x: u32, y: u32) -> Option<T> {
        if x >= self.width {
            return None;
        }
        self.values
            .get(y as usize * self.width as usize + x as usize)
            .copied()
    }

    pub(crate) fn map<U>(&self, map: impl FnMut(T) -> U) -> Plane<U> {
        Plane {
            width: self.width,
            height: self.height,
            values: self.values.iter().copied().map(map).collect(),
        }
    }
}

/// Waits for what was submitted, copies, and converts.
///
/// Each call submits a copy of its own and waits for it.
/// The command buffer of the frame must have been submitted before.
impl Renderer {
    /// A pass as a picture.
    ///
    /// - color: sRGB, opaque.
    /// - depth: distance along the line of sight in grey, linear, the nearest surface white; black where nothing is.
    /// - shadow: the same for the shadow map, in its own size.
    /// - motion: direction as hue (right is red, down is yellow-green, left is cyan, up is violet) and length as
    ///   saturation, full at the longest motion of the frame; what stands still is light grey, the background dark.
    ///   A wheel in the corner shows the directions, and the number beside it is the length in pixels at its rim.
    /// - normal: x, y, z of the view space normal as red, green, blue from 0 to 255; a canceled normal is mid-grey.
    ///
    /// # Errors
    /// The pass was not part of the last recorded frame, or the device failed.
    pub fn read(&self, pass: Pass) -> Result<RgbaImage, CaptureError> {
        let factor = self.desc().supersampling;
        match pass {
            Pass::Color => {
                self.recorded(pass)?;
                let bytes = self.read_image(&self.targets.picture, 4)?;
                Ok(picture::from_bytes(self.desc().extent, bytes))
            }
            Pass::Depth => {
                let last = self.recorded(pass)?;
                let depth = self.read_depth()?;
                Ok(picture::depth(&depth, factor, |depth| {
                    view_distance(&last, depth)
                }))
            }
            // Orthographic: depth is linear as it is, and one sample a texel.
            Pass::Shadow => Ok(picture::depth(&self.read_shadow()?, 1, |depth| depth)),
            Pass::Motion => Ok(picture::motion(&self.read_motion()?, &self.read_depth()?, factor)),
            Pass::Normal => Ok(picture::normal(&self.read_normal()?, factor)),
        }
    }

    /// Depth of every sample, 0 at the near plane to 1 at the far plane and where nothing was drawn.
    ///
    /// # Errors
    /// No frame was recorded, or the device failed.
    pub fn read_depth(&self) -> Result<Plane<f32>, CaptureError> {
        self.read_plane(Pass::Depth, 4, |texel| {
            f32::from_le_bytes([texel[0], texel[1], texel[2], texel[3]])
        })
    }

    /// Depth of every texel of the shadow map, 1 where nothing was drawn.
    ///
    /// # Errors
    /// The pass was not part of the last recorded frame, or the device failed.
    pub fn read_shadow(&self) -> Result<Plane<f32>, CaptureError> {
        self.read_plane(Pass::Shadow, 4, |texel| {
            f32::from_le_bytes([texel[0], texel[1], texel[2], texel[3]])
        })
    }

    /// Motion of every sample in pixels (not samples), from where the surface was to where it is, x to the right and
    /// y down; zero where nothing was drawn.
    ///
    /// # Errors
    /// The pass was not part of the last recorded frame, or the device failed.
    pub fn read_motion(&self) -> Result<Plane<[f32; 2]>, CaptureError> {
        self.read_plane(Pass::Motion, 8, |texel| {
            [
                f32::from_le_bytes([texel[0], texel[1], texel[2], texel[3]]),
                f32::from_le_bytes([texel[4], texel[5], texel[6], texel[7]]),
            ]
        })
    }

    /// Normal in view space and coverage of every sample: x to the right, y up, z toward the camera, and 1 where
    /// something was drawn.
    ///
    /// # Errors
    /// The pass was not part of the last recorded frame, or the device failed.
    pub fn read_normal(&self) -> Result<Plane<[f32; 4]>, CaptureError> {
        self.read_plane(Pass::Normal, 8, halves)
    }

    /// Linear tone mapped color and coverage of every sample, before it becomes a pixel.
    ///
    /// # Errors
    /// The pass was not part of the last recorded frame, or the device failed.
    pub fn read_color_samples(&self) -> Result<Plane<[f32; 4]>, CaptureError> {
        self.read_plane(Pass::Color, 8, halves)
    }

    fn read_plane<T>(
        &self,
        pass: Pass,
        texel_bytes: usize,
        decode: impl Fn(&[u8]) -> T,
    ) -> Result<Plane<T>, CaptureError> {
        self.recorded(pass)?;
        let image = self.targets.of(pass);
        let bytes = self.read_image(image, texel_bytes as u64)?;
        Ok(Plane {
            width: image.extent.width,
            height: image.extent.height,
            values: bytes.chunks_exact(texel_bytes).map(decode).collect(),
        })
    }

    fn recorded(&self, pass: Pass) -> Result<LastFrame, CaptureError> {
        match self.last {
            Some(last) if last.passes.draws(pass) => Ok(last),
            _ => Err(CaptureError::NotRecorded { pass }),
        }
    }
}

fn halves(texel: &[u8]) -> [f32; 4] {
    [0, 2, 4, 6].map(|at| f16::from_le_bytes([texel[at], texel[at + 1]]).to_f32())
}

/// Distance along the line of sight of a depth in clip space.
fn view_distance(frame: &LastFrame, depth: f32) -> f32 {
    -frame
        .projection
        .inverse()
        .project_point3(glam::Vec3::new(0.0, 0.0, depth))
        .z
}
