//! A node's transform in the parts that clips drive.

use glam::{Mat4, Quat, Vec3};

/// Translation, rotation and scale to the parent: scaled first, then rotated, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trs {
    /// In metres.
    pub translation: Vec3,
    /// A unit quaternion.
    pub rotation: Quat,
    /// Along the node's axes.
    pub scale: Vec3,
}

impl Trs {
    /// Moves nothing.
    pub const IDENTITY: Self = Trs {
        translation: Vec3::ZERO,
        rotation: Quat::IDENTITY,
        scale: Vec3::ONE,
    };

    /// The parts of a matrix that was put together from such; the nearest to any other.
    ///
    /// What is not finite, and axes of length zero, which name no rotation, give the identity for that part.
    pub fn nearest(matrix: &Mat4) -> Self {
        let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
        Trs {
            translation: if translation.is_finite() {
                translation
            } else {
                Vec3::ZERO
            },
            rotation: if rotation.is_finite() && rotation.is_normalized() {
                rotation
            } else {
                Quat::IDENTITY
            },
            scale: if scale.is_finite() { scale } else { Vec3::ONE },
        }
    }

    /// Whether every part is free of NaN and infinity.
    pub fn is_finite(&self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }

    /// The matrix into the parent's space.
    pub fn matrix(&self) -> Mat4 {
        Mat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

impl Default for Trs {
    fn default() -> Self {
        Self::IDENTITY
    }
}
