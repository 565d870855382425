//! What one frame shows, as plain data: view, light, background, and the ranges of vertices to draw.

use std::fmt;

use ash::vk;
use glam::{Mat4, Vec3};
use morph_core::Aabb;

use crate::placement::DrawPlacement;

/// One picture of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pass {
    /// Forward color: lit, shadowed, tone mapped, over the background.
    Color,
    /// The depth pre-pass.
    Depth,
    /// The shadow map of the key light.
    Shadow,
    /// Motion vectors.
    Motion,
    /// Normals as the color pass sees them.
    Normal,
}

impl Pass {
    /// Every pass, in the order in which a contact sheet shows them.
    pub const ALL: [Self; 5] = [Self::Color, Self::Depth, Self::Shadow, Self::Motion, Self::Normal];

    /// Its name in lower case, as the command line takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Color => "color",
            Self::Depth => "depth",
            Self::Shadow => "shadow",
            Self::Motion => "motion",
            Self::Normal => "normal",
        }
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Pass {
    type Err = UnknownPass;

    fn from_str(name: &str) -> Result<Self, UnknownPass> {
        Self::ALL
            .into_iter()
            .find(|pass| pass.name() == name)
            .ok_or_else(|| UnknownPass(name.to_owned()))
    }
}

/// A name that no pass has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no pass \"{0}\"; the passes are color, depth, shadow, motion and normal")]
pub struct UnknownPass(pub String);

/// Which of the passes that others do not need are drawn.
///
/// Depth is always drawn, because the other camera passes test against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "a set: each member stands for itself, and any mix has a meaning"
)]
pub struct PassSet {
    /// Forward color.
    pub color: bool,
    /// The shadow map; without it the color pass shows no shadows.
    pub shadow: bool,
    /// Motion vectors.
    pub motion: bool,
    /// Normals.
    pub normal: bool,
}

impl PassSet {
    /// Everything.
    pub const ALL: Self = Self {
        color: true,
        shadow: true,
        motion: true,
        normal: true,
    };
    /// The four passes that a game draws: depth, shadow, motion and color.
    pub const FOUR: Self = Self {
        normal: false,
        ..Self::ALL
    };
    /// What a color picture needs.
    pub const COLOR: Self = Self {
        color: true,
        shadow: true,
        motion: false,
        normal: false,
    };

    /// What reading this one pass needs.
    pub fn only(pass: Pass) -> Self {
        let none = Self {
            color: false,
            shadow: false,
            motion: false,
            normal: false,
        };
        match pass {
            Pass::Color => Self::COLOR,
            Pass::Depth => none,
            Pass::Shadow => Self { shadow: true, ..none },
            Pass::Motion => Self { motion: true, ..none },
            Pass::Normal => Self { normal: true, ..none },
        }
    }

    pub(crate) fn draws(self, pass: Pass) -> bool {
        match pass {
            Pass::Color => self.color,
            Pass::Depth => true,
            Pass::Shadow => self.shadow,
            Pass::Motion => self.motion,
            Pass::Normal => self.normal,
        }
    }
}

/// The camera as matrices, now and one frame ago.
///
/// View space is right-handed, y up, looking along -z.
/// Clip space is Vulkan's: y down, depth from 0 (near) to 1 (far).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViewMatrices {
    /// World to view space; rotation and translation only.
    pub view: Mat4,
    /// View to clip space.
    pub projection: Mat4,
    /// World to clip space one frame ago; the same as now for a camera at rest.
    pub previous_view_projection: Mat4,
}

impl ViewMatrices {
    /// World to clip space.
    pub fn view_projection(&self) -> Mat4 {
        self.projection * self.view
    }
}

/// The key light: one direction, with a shadow map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeyLight {
    /// Where the light travels to, in world space; need not be of unit length, must not be zero.
    pub direction: Vec3,
    /// Its strength and color, linear; 1 is the strength that the materials are made for.
    pub color: [f32; 3],
    /// What the shadow map covers: everything that casts or catches a shadow, in world space.
    ///
    /// Keep it fixed from frame to frame, and the texels of the shadow map stay where they are.
    pub shadow_bounds: Aabb,
}

impl KeyLight {
    /// The key of a portrait, for a face that looks along +z: from above, from the front, and from the left of the
    /// picture.
    ///
    /// `shadow_bounds` is the box around everything that casts or catches a shadow.
    pub const fn portrait(shadow_bounds: Aabb) -> Self {
        Self {
            direction: Vec3::new(0.62, -0.62, -0.80),
            color: [1.0; 3],
            shadow_bounds,
        }
    }

    /// World to the clip space of the shadow map: orthographic, square, fitted to the bounds as the light sees them.
    ///
    /// The map covers exactly the larger of width and height, centered, without a margin: an axis-aligned box that the
    /// light meets straight on has its edges at computable texels.
    /// In depth it covers one hundredth more on either side, so that what lies on the bounds is not clipped.
    pub fn view_projection(&self) -> Mat4 {
        let direction = self.direction.try_normalize().unwrap_or(Vec3::NEG_Y);
        let up = if direction.y.abs() > 0.99 {
            Vec3::Z
        } else {
            Vec3::Y
        };
        let view = glam::camera::rh::view::look_to_mat4(Vec3::ZERO, direction, up);
        let (min, max) = transformed_bounds(&view, &self.shadow_bounds);
        let center = (min + max) * 0.5;
        let half = ((max - min) * 0.5).max(Vec3::splat(1.0e-6));
        let half_side = half.x.max(half.y);
        let margin = half.z * 0.01;
        // View space looks along -z: what is nearest to the light has the largest z.
        glam::camera::rh::proj::vulkan::orthographic(
            center.x - half_side,
            center.x + half_side,
            center.y - half_side,
            center.y + half_side,
            -(max.z + margin),
            -(min.z - margin),
        ) * view
    }

    /// The side of one texel in world units.
    pub(crate) fn texel(&self, shadow_map_size: u32) -> f32 {
        let direction_x = self.view_projection().row(0).truncate().length();
        2.0 / (direction_x * shadow_map_size.max(1) as f32)
    }
}

/// The smallest box in the target space around a box that was transformed.
pub(crate) fn transformed_bounds(matrix: &Mat4, bounds: &Aabb) -> (Vec3, Vec3) {
    let corner = |index: usize| {
        let pick = |axis: usize| {
            if index >> axis & 1 == 0 {
                bounds.min[axis]
            } else {
                bounds.max[axis]
            }
        };
        matrix.transform_point3(Vec3::new(pick(0), pick(1), pick(2)))
    };
    let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    (0..8)
        .map(corner)
        .fold(start, |(min, max), corner| (min.min(corner), max.max(corner)))
}

/// What is seen where nothing was drawn: a gradient from top to bottom, linear colors between 0 and 1, shown as they
/// are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Background {
    /// At the top edge.
    pub top: [f32; 3],
    /// At the bottom edge.
    pub bottom: [f32; 3],
}

impl Background {
    /// A cool, dark grey that a face stands out from.
    pub const STUDIO: Self = Self {
        top: [0.100, 0.115, 0.135],
        bottom: [0.030, 0.034, 0.041],
    };
    /// Black.
    pub const BLACK: Self = Self::solid([0.0; 3]);

    /// One color all over.
    pub const fn solid(color: [f32; 3]) -> Self {
        Self {
            top: color,
            bottom: color,
        }
    }
}

/// How a surface takes the light.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Albedo, linear, each between 0 and 1.
    pub base_color: [f32; 3],
    /// Width of the highlight: 0.05 (wet) to 1 (dull).
    pub roughness: f32,
    /// How far light wraps around into the dark side, per channel, 0 (hard) to 1: skin lets red through the furthest.
    pub subsurface: [f32; 3],
    /// Strength of the highlight; 1 is an ordinary dielectric (4 % straight on).
    pub specular: f32,
    /// Draws both sides; the back is lit as if it were the front.
    pub double_sided: bool,
}

impl Material {
    /// Light skin.
    pub const SKIN: Self = Self {
        base_color: [0.58, 0.34, 0.245],
        roughness: 0.50,
        subsurface: [0.30, 0.15, 0.10],
        specular: 0.7,
        double_sided: false,
    };
    /// Matte grey clay, which shows the shape and nothing else.
    pub const CLAY: Self = Self {
        base_color: [0.42, 0.40, 0.38],
        roughness: 0.60,
        subsurface: [0.12, 0.12, 0.12],
        specular: 0.6,
        double_sided: false,
    };
    /// The white of an eye.
    pub const EYE_WHITE: Self = Self {
        base_color: [0.72, 0.68, 0.64],
        roughness: 0.18,
        subsurface: [0.25, 0.18, 0.16],
        specular: 1.0,
        double_sided: false,
    };
    /// A brown iris.
    pub const IRIS: Self = Self::plain([0.10, 0.050, 0.022], 0.16);
    /// A pupil.
    pub const PUPIL: Self = Self::plain([0.006, 0.006, 0.007], 0.12);
    /// Teeth.
    pub const TEETH: Self = Self {
        base_color: [0.80, 0.76, 0.68],
        roughness: 0.25,
        subsurface: [0.25, 0.22, 0.18],
        specular: 1.0,
        double_sided: false,
    };
    /// A tongue.
    pub const TONGUE: Self = Self {
        base_color: [0.48, 0.16, 0.14],
        roughness: 0.35,
        subsurface: [0.45, 0.18, 0.15],
        specular: 1.0,
        double_sided: false,
    };
    /// Lashes and brows: thin, dark, seen from both sides.
    pub const LASHES: Self = Self {
        double_sided: true,
        ..Self::plain([0.030, 0.018, 0.012], 0.7)
    };

    /// A plain surface of this color.
    pub const fn plain(base_color: [f32; 3], roughness: f32) -> Self {
        Self {
            base_color,
            roughness,
            subsurface: [0.0; 3],
            specular: 1.0,
            double_sided: false,
        }
    }
}

/// One draw: a range of vertices in one buffer, the same for every pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrawItem {
    /// The buffer with the vertices of this and of the last frame; usage `VERTEX_BUFFER`.
    pub vertex_buffer: vk::Buffer,
    /// First vertex of the range to draw, in strides from the start of the buffer.
    pub current_first_vertex: u32,
    /// First vertex of the same range one frame ago; the same as the current one for what stands still.
    pub previous_first_vertex: u32,
    /// Vertices in the range; drawn as they come where there are no indices.
    pub vertex_count: u32,
    /// 32-bit indices, counted from the first vertex of the range; a null handle draws the range without indices.
    pub index_buffer: vk::Buffer,
    /// First index to draw.
    pub first_index: u32,
    /// How many indices; a multiple of three.
    pub index_count: u32,
    /// Model to world space; affine (its last row is 0 0 0 1).
    pub model: Mat4,
    /// Model to world space one frame ago.
    pub previous_model: Mat4,
    /// The surface.
    pub material: Material,
    /// Where the submeshes of the vertices go before the model matrix; without it they stay, and nothing is read.
    pub placement: Option<DrawPlacement>,
}

/// One frame.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// The camera.
    pub view: ViewMatrices,
    /// The key light; fill, rim and ambient light come with it.
    pub light: KeyLight,
    /// What is seen where nothing is drawn.
    pub background: Background,
    /// What is drawn.
    pub items: &'a [DrawItem],
    /// Which passes are drawn.
    pub passes: PassSet,
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Aabb = Aabb {
        min: [-2.0, -1.0, -3.0],
        max: [2.0, 1.0, 3.0],
    };

    fn light(direction: Vec3) -> KeyLight {
        KeyLight {
            direction,
            color: [1.0; 3],
            shadow_bounds: BOX,
        }
    }

    #[test]
    fn the_shadow_map_is_fitted_to_the_larger_side() {
        let matrix = light(Vec3::NEG_Z).view_projection();
        let corner = matrix.project_point3(Vec3::new(2.0, 1.0, 3.0));
        assert_eq!((corner.x, corner.y), (1.0, -0.5), "clip space is y down");
        assert!(
            corner.z > 0.0 && corner.z < 0.01,
            "nearest to the light: {}",
            corner.z
        );
        let far = matrix.project_point3(Vec3::new(-2.0, -1.0, -3.0));
        assert!(far.z < 1.0 && far.z > 0.99, "farthest from the light: {}", far.z);
        assert_eq!(light(Vec3::NEG_Z).texel(1024), 4.0 / 1024.0);
    }

    #[test]
    fn every_direction_keeps_the_bounds_inside() {
        for direction in [
            Vec3::X,
            Vec3::NEG_Y,
            Vec3::Y,
            Vec3::new(1.0, -2.0, 0.5),
            Vec3::new(0.0, -1.0, 1.0e-3),
        ] {
            let (min, max) = transformed_bounds(&light(direction).view_projection(), &BOX);
            assert!(
                min.min_element() >= -1.0001 && max.max_element() <= 1.0001,
                "{direction}: {min} {max}"
            );
            assert!(min.z > 0.0 && max.z < 1.0, "{direction}: {min} {max}");
        }
    }

    #[test]
    fn passes_have_names_both_ways() {
        for pass in Pass::ALL {
            assert_eq!(pass.name().parse(), Ok(pass));
        }
        assert!("colour".parse::<Pass>().is_err());
    }
}
