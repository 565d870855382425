//! What a placement does to positions and normals; `shaders/include/placement.glsl` mirrors it operation by operation.
//!
//! Devices may flush subnormal numbers, the host keeps them.
//! As in the morph (see [`domain`](crate::domain)), every factor is therefore zero or at least 2⁻⁴⁰: positions,
//! scaled positions, entries of the rotation matrix and translations below that count as zero.
//! Their products are then at least 2⁻⁸⁰ and no sum of such can be subnormal.
//! The words of a row are not changed by that rule, only what is read from them.

use super::error::{PlacementError, PlacementField};
use super::narrow::check_finite;
use super::rotation::{rows, rows64};
use super::value::Placement;
use crate::domain::to_domain3;

impl Placement {
    /// The position of a vertex: scaled, rotated, moved; to the bit what the shader gives.
    ///
    /// With p the position, s the scale, t the translation and n = |s₁p₁| + |s₂p₂| + |s₃p₃|, a component is within
    /// 12·2⁻²⁴ (n + |t|) + 2⁻⁴⁰ (4 + s₁ + s₂ + s₃) of the exact one.
    /// Bits are the same wherever position and result are finite and nothing between them overflows.
    ///
    /// The identity returns the position as it is.
    pub fn apply(&self, position: [f32; 3]) -> [f32; 3] {
        if self.is_identity() {
            return position;
        }
        let position = to_domain3(position);
        let scale = self.scale();
        let scaled = std::array::from_fn(|axis| scale[axis] * position[axis]);
        let [x, y, z] = rotate(self.rotation(), scaled);
        let [tx, ty, tz] = to_domain3(self.translation());
        [x + tx, y + ty, z + tz]
    }

    /// The normal of a vertex: divided by the scale, rotated, made unit; within 10⁻⁶ of what the shader gives.
    ///
    /// A normal of any length is taken; one that is zero (every component below 2⁻⁴⁰) or not finite gives zero.
    /// The identity returns the normal as it is, whatever its length.
    pub fn apply_normal(&self, normal: [f32; 3]) -> [f32; 3] {
        if self.is_identity() {
            return normal;
        }
        if normal.iter().any(|x| !x.is_finite()) {
            return [0.0; 3];
        }
        // Of ordinary size first: what is a subnormal quotient below is then too small to matter.
        let normal = to_unit_size(to_domain3(normal));
        let scale = self.scale();
        // Relative to the smallest scale that counts, no quotient overflows, and the largest one keeps its size.
        let reference = (0..3)
            .filter(|&axis| normal[axis] != 0.0)
            .fold(f32::MAX, |smallest, axis| smallest.min(scale[axis]));
        let stretched = std::array::from_fn(|axis| {
            if normal[axis] == 0.0 {
                0.0
            } else {
                normal[axis] * (reference / scale[axis])
            }
        });
        let [x, y, z] = rotate(self.rotation(), to_unit_size(stretched));
        let square = x * x + y * y + z * z;
        if square == 0.0 {
            return [0.0; 3];
        }
        let inverse_length = 1.0 / square.sqrt();
        [x * inverse_length, y * inverse_length, z * inverse_length]
    }

    /// Where a placed position came from, in double precision inside: what picking needs.
    ///
    /// There is no inverse `Placement`: where the scale differs by axis, the inverse scales along rotated axes, which
    /// a row cannot say.
    ///
    /// ```
    /// use morph_core::placement::{Placement, axis_angle};
    /// let placed = Placement::new([1.0, 2.0, 3.0], axis_angle([1.0, 1.0, 0.0], 0.5)?, [2.0, 3.0, 4.0])?;
    /// let back = placed.apply_inverse(placed.apply([0.25, 0.5, 0.75]));
    /// assert!(back.iter().zip([0.25, 0.5, 0.75]).all(|(a, b)| (a - b).abs() < 1.0e-6));
    /// # Ok::<(), morph_core::placement::PlacementError>(())
    /// ```
    pub fn apply_inverse(&self, position: [f32; 3]) -> [f32; 3] {
        if self.is_identity() {
            return position;
        }
        let (rows, translation, scale) = (rows64(self.rotation()), self.translation(), self.scale());
        let moved: [f64; 3] =
            std::array::from_fn(|axis| f64::from(position[axis]) - f64::from(translation[axis]));
        std::array::from_fn(|axis| {
            let turned = rows[0][axis] * moved[0] + rows[1][axis] * moved[1] + rows[2][axis] * moved[2];
            (turned / f64::from(scale[axis])) as f32
        })
    }

    /// The affine matrix, by columns, as graphics interfaces take it; rounded once from double precision.
    ///
    /// A product with it rounds otherwise than [`apply`](Self::apply): use one or the other for one mesh.
    pub fn matrix(&self) -> [[f32; 4]; 4] {
        let (rows, scale) = (rows64(self.rotation()), self.scale());
        let [tx, ty, tz] = self.translation();
        let column = |axis: usize| {
            let scale = f64::from(scale[axis]);
            let [x, y, z] = [0, 1, 2].map(|row: usize| (rows[row][axis] * scale) as f32);
            [x, y, z, 0.0]
        };
        [column(0), column(1), column(2), [tx, ty, tz, 1.0]]
    }

    /// The same scale and rotation about a point instead of the model's origin; its translation comes on top.
    ///
    /// A row has no slot for a pivot: the point is folded into the translation.
    /// Without a translation of its own the result leaves the pivot where it is, within the rounding of
    /// [`apply`](Self::apply).
    ///
    /// # Errors
    /// A pivot that is not finite, and a translation that comes to more than a 32-bit float holds.
    ///
    /// ```
    /// use morph_core::placement::{Placement, axis_angle};
    /// let turn = Placement::IDENTITY.with_rotation(axis_angle([0.0, 0.0, 1.0], 2.0)?)?;
    /// let [x, y, z] = turn.about_pivot([10.0, 0.0, 0.0])?.apply([10.0, 0.0, 0.0]);
    /// assert!((x - 10.0).abs() < 1.0e-5 && y.abs() < 1.0e-5 && z == 0.0);
    /// # Ok::<(), morph_core::placement::PlacementError>(())
    /// ```
    pub fn about_pivot(self, pivot: [f64; 3]) -> Result<Placement, PlacementError> {
        check_finite(PlacementField::Pivot, &pivot)?;
        if self.only_moves() {
            // Nothing turns about the pivot, and a far one must not cost the translation its digits.
            return Ok(self);
        }
        let (rows, scale, translation) = (rows64(self.rotation()), self.scale(), self.translation());
        let scaled: [f64; 3] = std::array::from_fn(|axis| f64::from(scale[axis]) * pivot[axis]);
        self.with_translation(std::array::from_fn(|axis| {
            let [x, y, z] = rows[axis];
            let turned = x * scaled[0] + y * scaled[1] + z * scaled[2];
            f64::from(translation[axis]) + (pivot[axis] - turned)
        }))
    }
}

/// The matrix of a rotation times a vector, whose small components count as zero.
fn rotate(rotation: [f32; 4], v: [f32; 3]) -> [f32; 3] {
    let v = to_domain3(v);
    rows(rotation).map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

/// A vector times the power of two, exactly, that brings its largest component to 1 to 4, and small components made
/// zero; nothing stays nothing.
fn to_unit_size(v: [f32; 3]) -> [f32; 3] {
    let largest = v.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    let factor = f32::from_bits((254 - (largest.to_bits() >> 23).min(253)) << 23);
    to_domain3(v.map(|x| x * factor))
}
