//! Cameras: where to stand so that the whole of something, or its head, fills the picture.

use glam::{Mat4, Vec3};
use morph_core::Aabb;

use crate::frame::{ViewMatrices, transformed_bounds};

/// A perspective camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Where it stands.
    pub eye: Vec3,
    /// What it looks at.
    pub target: Vec3,
    /// Which way is up; not along the line of sight.
    pub up: Vec3,
    /// Opening angle from bottom to top, in radians.
    pub vertical_fov: f32,
    /// Distance of the near plane; above zero.
    pub near: f32,
    /// Distance of the far plane; beyond the near one.
    pub far: f32,
}

impl Camera {
    /// The opening angle of a portrait lens: long enough that noses stay small.
    pub const PORTRAIT_FOV: f32 = 0.35;

    /// Stands in the direction `toward_camera` of the box and shows the whole of it, with a margin of 6 %.
    ///
    /// `aspect_ratio` is width over height.
    /// A box without size is shown as if it had a side of 1.
    pub fn framing(bounds: &Aabb, toward_camera: Vec3, vertical_fov: f32, aspect_ratio: f32) -> Self {
        let toward = toward_camera.try_normalize().unwrap_or(Vec3::Z);
        let up = if toward.y.abs() > 0.99 {
            Vec3::NEG_Z
        } else {
            Vec3::Y
        };
        let (min, max) = (Vec3::from(bounds.min), Vec3::from(bounds.max));
        let center = (min + max) * 0.5;
        let size = (max - min).max_element();
        let size = if size.is_finite() && size > 0.0 { size } else { 1.0 };

        // Each corner asks for a distance of its own: far enough that its offset fits the opening angle at its depth.
        let view = glam::camera::rh::view::look_to_mat4(center, -toward, up);
        let tangent_y = (vertical_fov * 0.5).tan();
        let tangent_x = tangent_y * aspect_ratio;
        let (low, high) = transformed_bounds(&view, bounds);
        let mut distance = size * 0.5;
        for index in 0..8_usize {
            let pick = |axis: usize| {
                if index >> axis & 1 == 0 {
                    bounds.min[axis]
                } else {
                    bounds.max[axis]
                }
            };
            let corner = view.transform_point3(Vec3::new(pick(0), pick(1), pick(2)));
            let needed = (corner.x.abs() / tangent_x).max(corner.y.abs() / tangent_y) * 1.06 + corner.z;
            if needed.is_finite() {
                distance = distance.max(needed);
            }
        }
        // Room for what a pose or an expression adds.
        let depth = (high.z - low.z).max(size) * 0.75;
        Self {
            eye: center + toward * distance,
            target: center,
            up,
            vertical_fov,
            near: (distance - depth).max(distance * 0.01),
            far: distance + depth,
        }
    }

    /// A portrait of the head: of the whole model where it is a head, of the top of it where it is a body.
    ///
    /// The head is found by [`head_bounds`]; the camera stands in front of it (+z, where glTF and MakeHuman faces
    /// look), a little to one side and above.
    pub fn head(positions: &[[f32; 3]], aspect_ratio: f32) -> Self {
        let bounds = head_bounds(positions);
        Self::framing(
            &bounds,
            Vec3::new(0.20, 0.05, 1.0),
            Self::PORTRAIT_FOV,
            aspect_ratio,
        )
    }

    /// Width over height of a picture; 1 where it has no pixels.
    pub fn aspect_ratio(extent: (u32, u32)) -> f32 {
        if extent.0 == 0 || extent.1 == 0 {
            1.0
        } else {
            extent.0 as f32 / extent.1 as f32
        }
    }

    /// World to view space.
    pub fn view(&self) -> Mat4 {
        glam::camera::rh::view::look_at_mat4(self.eye, self.target, self.up)
    }

    /// View to clip space: y down, depth 0 to 1.
    pub fn projection(&self, aspect_ratio: f32) -> Mat4 {
        glam::camera::rh::proj::vulkan::perspective(self.vertical_fov, aspect_ratio, self.near, self.far)
    }

    /// The matrices of a camera that stands still.
    pub fn matrices(&self, aspect_ratio: f32) -> ViewMatrices {
        self.matrices_after(self, aspect_ratio)
    }

    /// The matrices of a camera that was somewhere else one frame ago.
    pub fn matrices_after(&self, previous: &Camera, aspect_ratio: f32) -> ViewMatrices {
        ViewMatrices {
            view: self.view(),
            projection: self.projection(aspect_ratio),
            previous_view_projection: previous.projection(aspect_ratio) * previous.view(),
        }
    }
}

/// The box around the head of a model that stands upright, y up.
///
/// The head is taken to be one and a half times as tall as it is wide, which is how human heads are, from the top of
/// the model down; its width is that of the uppermost slab of vertices.
/// A model that is not taller than that is a head as it is.
pub fn head_bounds(positions: &[[f32; 3]]) -> Aabb {
    let whole = bounds_of(positions.iter());
    let height = whole.max[1] - whole.min[1];
    let depth = whole.max[2] - whole.min[2];
    // More than two and a half times as tall as deep: a body, whose skull ends well above a quarter of its height.
    let skull = if height > depth * 2.5 {
        height * 0.08
    } else {
        height * 0.25
    };
    let slab = bounds_of(
        positions
            .iter()
            .filter(|position| position[1] >= whole.max[1] - skull),
    );
    let chin = whole.max[1] - (slab.max[0] - slab.min[0]) * 1.5;
    if chin.is_nan() || chin <= whole.min[1] || chin >= whole.max[1] {
        return whole;
    }
    bounds_of(positions.iter().filter(|position| position[1] >= chin))
}

fn bounds_of<'a>(positions: impl Iterator<Item = &'a [f32; 3]>) -> Aabb {
    let mut bounds: Option<Aabb> = None;
    for position in positions {
        let bounds = bounds.get_or_insert(Aabb {
            min: *position,
            max: *position,
        });
        bounds.min = Vec3::from(bounds.min).min(Vec3::from(*position)).to_array();
        bounds.max = Vec3::from(bounds.max).max(Vec3::from(*position)).to_array();
    }
    bounds.unwrap_or(Aabb {
        min: [0.0; 3],
        max: [0.0; 3],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framing_shows_the_whole_box_and_fills_the_picture() {
        let bounds = Aabb {
            min: [-1.0, 0.0, -2.0],
            max: [3.0, 5.0, 2.0],
        };
        for toward in [
            Vec3::Z,
            Vec3::new(1.0, 0.5, 0.2),
            Vec3::Y,
            Vec3::new(-3.0, -1.0, 1.0),
        ] {
            for aspect in [0.5, 1.0, 2.0] {
                let camera = Camera::framing(&bounds, toward, 0.6, aspect);
                let matrices = camera.matrices(aspect);
                let mut widest = 0.0_f32;
                for index in 0..8_usize {
                    let pick = |axis: usize| {
                        if index >> axis & 1 == 0 {
                            bounds.min[axis]
                        } else {
                            bounds.max[axis]
                        }
                    };
                    let clip =
                        matrices
                            .view_projection()
                            .project_point3(Vec3::new(pick(0), pick(1), pick(2)));
                    assert!((0.0..=1.0).contains(&clip.z), "{toward} {aspect}: {clip}");
                    widest = widest.max(clip.x.abs()).max(clip.y.abs());
                }
                assert!(widest < 1.0 && widest > 0.8, "{toward} {aspect}: {widest}");
            }
        }
    }

    #[test]
    fn a_point_or_nothing_is_framed_without_nan() {
        for bounds in [head_bounds(&[]), head_bounds(&[[1.0, 2.0, 3.0]])] {
            let camera = Camera::framing(&bounds, Vec3::ZERO, 0.6, 1.0);
            assert!(camera.matrices(1.0).view_projection().is_finite());
            assert!(camera.near > 0.0 && camera.far > camera.near);
        }
    }

    #[test]
    fn the_head_of_a_body_is_found_by_the_width_of_its_skull() {
        let skull = [[-0.5, 10.0, -0.6], [0.5, 9.5, 0.6], [0.3, 8.6, 0.9]];
        let shoulders = [[-4.0, 8.0, -0.5], [4.0, 0.0, 0.5]];
        let body: Vec<[f32; 3]> = skull.into_iter().chain(shoulders).collect();
        let head = head_bounds(&body);
        assert_eq!((head.min, head.max), ([-0.5, 8.6, -0.6], [0.5, 10.0, 0.9]));
        assert_eq!(head_bounds(&skull).min, [-0.5, 8.6, -0.6], "a head is all head");
    }
}
