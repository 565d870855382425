//! The placement of a submesh, checked where it is made.

use super::error::{PlacementError, PlacementField};
use super::format::ROTATION_TOLERANCE;
use super::narrow::{COMPONENTS, narrow};
use super::rotation::length;

/// Where a submesh goes: scaled along its own axes, then rotated, then moved, as a glTF node is.
///
/// Holds 32-bit floats, exactly those that a row of the table stores: the nearest to what was given.
/// A placement that exists is valid: finite, with a unit rotation and a positive, normal scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
}

impl Placement {
    /// Leaves a submesh where it is.
    pub const IDENTITY: Placement = Placement {
        translation: [0.0; 3],
        rotation: [0.0, 0.0, 0.0, 1.0],
        scale: [1.0; 3],
    };

    /// Checks and narrows all parts; `rotation` is a quaternion x, y, z, w.
    ///
    /// [`axis_angle`](super::axis_angle) makes rotations, which leaves no question where the w stands.
    ///
    /// # Errors
    /// What [`with_translation`](Self::with_translation), [`with_rotation`](Self::with_rotation) and
    /// [`with_scale`](Self::with_scale) refuse.
    pub fn new(
        translation: [f64; 3],
        rotation: [f64; 4],
        scale: [f64; 3],
    ) -> Result<Placement, PlacementError> {
        Placement::IDENTITY
            .with_translation(translation)?
            .with_rotation(rotation)?
            .with_scale(scale)
    }

    /// The same with another translation, in model units.
    ///
    /// # Errors
    /// A component that is not finite, or beyond what a 32-bit float holds.
    pub fn with_translation(self, translation: [f64; 3]) -> Result<Placement, PlacementError> {
        let translation = narrow(PlacementField::Translation, translation)?;
        Ok(Placement { translation, ..self })
    }

    /// The same with another rotation, a quaternion x, y, z, w.
    ///
    /// # Errors
    /// A component that is not finite or beyond what a 32-bit float holds, and a length that is not 1 within
    /// [`ROTATION_TOLERANCE`] once narrowed.
    pub fn with_rotation(self, rotation: [f64; 4]) -> Result<Placement, PlacementError> {
        let given = rotation;
        let rotation = narrow(PlacementField::Rotation, given)?;
        let length = length(rotation);
        if (length - 1.0).abs() > ROTATION_TOLERANCE {
            return Err(PlacementError::RotationNotUnit {
                rotation: given,
                length,
            });
        }
        Ok(Placement { rotation, ..self })
    }

    /// The same with another scale.
    ///
    /// # Errors
    /// A component that is not finite or beyond what a 32-bit float holds, and one that is, once narrowed, zero,
    /// negative or subnormal: 10⁻⁵⁰ is positive and would be stored as zero.
    pub fn with_scale(self, scale: [f64; 3]) -> Result<Placement, PlacementError> {
        let given = scale;
        let scale = narrow(PlacementField::Scale, given)?;
        for ((stored, value), component) in scale.into_iter().zip(given).zip(COMPONENTS) {
            if stored <= 0.0 {
                return Err(PlacementError::ScaleNotPositive {
                    component,
                    value,
                    stored,
                });
            }
            if stored < f32::MIN_POSITIVE {
                return Err(PlacementError::ScaleSubnormal {
                    component,
                    value,
                    stored,
                });
            }
        }
        Ok(Placement { scale, ..self })
    }

    /// The translation, in model units.
    pub fn translation(&self) -> [f32; 3] {
        self.translation
    }

    /// The rotation, a unit quaternion x, y, z, w.
    pub fn rotation(&self) -> [f32; 4] {
        self.rotation
    }

    /// The scale along the submesh's own axes.
    pub fn scale(&self) -> [f32; 3] {
        self.scale
    }

    /// Whether it leaves everything where it is; the presence word of a row is derived from this.
    ///
    /// -0 counts as 0, and a rotation by nothing counts whichever sign its w has.
    pub fn is_identity(&self) -> bool {
        self.translation == [0.0; 3] && self.only_moves()
    }

    /// Whether it neither rotates nor scales.
    pub(super) fn only_moves(&self) -> bool {
        let [x, y, z, _] = self.rotation;
        [x, y, z] == [0.0; 3] && self.scale == [1.0; 3]
    }
}

impl Default for Placement {
    fn default() -> Self {
        Self::IDENTITY
    }
}
