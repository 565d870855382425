//! How far a change of weights and bones moves a skinned mesh.

use crate::bounds::Aabb;
use crate::domain::DOMAIN_MIN;
use crate::mesh::MorphMesh;
use crate::rounding::{length64, up};
use crate::skin::bounds::{Magnitudes, rows_of};
use crate::skin::{BoneRows, SkinBounds, SkinError, SkinPose};

/// What gives a skinned mesh its shape.
#[derive(Clone, Copy, Debug)]
pub struct SkinShape<'a> {
    /// The morph weights, one per target; missing ones are zero.
    pub weights: &'a [f32],
    /// The bones.
    pub pose: &'a SkinPose,
}

impl SkinBounds {
    /// How far any vertex can move when morph weights and bones change, in model units, rounded up.
    ///
    /// A vertex lies where the sum of its weights times its bones carries it, so it moves by no more than the sum of
    /// its weights (the greatest of the mesh, where they do not sum to one) times the farthest that any of its bones
    /// alone would move it.
    /// A bone moves a point of its [morphed box](MorphMesh::bounds) by what the change of its matrix does to that box,
    /// taken at the corner of the box around it, plus what the [morph moves](MorphMesh::movement) times the most by
    /// which the bone stretches: the square root of the greatest row sum of |LᵀL|, which is at least the greatest
    /// singular value of its 3×3 part L (Gershgorin's circles) and equals it where a bone only turns and scales.
    ///
    /// What the kernels' roundings and domain rules may add at either end is added, so this holds between the
    /// kernel's results and the exact ones alike.
    /// Zero where neither weights nor bones that hold something move anything; infinite where a morph weight is not
    /// finite.
    /// As with [`MorphMesh::movement`], this is about positions, not directions.
    ///
    /// # Errors
    /// [`SkinError::MissingBone`] where a pose lacks a bone that holds a vertex.
    pub fn movement(
        &self,
        mesh: &MorphMesh,
        from: SkinShape<'_>,
        to: SkinShape<'_>,
    ) -> Result<f32, SkinError> {
        let everything = self.rest_box();
        let morph = f64::from(mesh.movement(&everything, from.weights, to.weights));
        let [least, greatest] = mesh.offsets(from.weights);
        let error = mesh.kernel_error(
            everything.farthest().into_iter().fold(0.0, f64::max),
            from.weights,
        );
        let mut farthest = 0.0_f64;
        let mut magnitudes = [Magnitudes::default(), Magnitudes::default()];
        for &(bone, rest) in &self.bones {
            let [before, after] = [rows_of(from.pose, bone)?, rows_of(to.pose, bone)?];
            // The box of what the kernel gives for the old weights: its middle, and half its sides.
            let min: [f64; 3] = std::array::from_fn(|axis| f64::from(rest.min[axis]) + least[axis] - error);
            let max: [f64; 3] =
                std::array::from_fn(|axis| f64::from(rest.max[axis]) + greatest[axis] + error);
            let carried = if before == after {
                0.0
            } else {
                carried_by_change(before, after, min, max)
            };
            let stretched = if morph == 0.0 { 0.0 } else { stretch(after) * morph };
            farthest = farthest.max(carried + stretched);
            let corner: [f64; 3] = std::array::from_fn(|axis| min[axis].abs().max(max[axis].abs()));
            magnitudes[0].add(before, corner);
            magnitudes[1].add(after, corner.map(|x| x + morph));
        }
        let mut movement = 0.0;
        if farthest > 0.0 {
            let [_, greatest_sum] = self.weight_sums;
            let errors = magnitudes.map(|it| length64(self.kernel_error(&it)));
            movement = greatest_sum * farthest + errors[0] + errors[1];
        }
        if morph > 0.0 && !self.unskinned.is_empty() {
            // The domain rule is applied to each component at either end.
            movement = f64::max(movement, morph + 4.0 * f64::from(DOMAIN_MIN));
        }
        Ok(if movement.is_nan() {
            f32::INFINITY
        } else {
            up(movement)
        })
    }

    /// The box of all vertices at rest.
    pub fn rest_box(&self) -> Aabb {
        self.skinned.union(&self.unskinned)
    }
}

/// The farthest that a change of a bone moves a point of a box.
fn carried_by_change(before: &BoneRows, after: &BoneRows, min: [f64; 3], max: [f64; 3]) -> f64 {
    length64(std::array::from_fn(|r| {
        let change: [f64; 4] = std::array::from_fn(|c| f64::from(after[r][c]) - f64::from(before[r][c]));
        let (mut middle, mut half) = (change[3], 0.0);
        // An unbounded box times zero is no number.
        for axis in (0..3).filter(|&axis| change[axis] != 0.0) {
            middle += change[axis] * f64::midpoint(min[axis], max[axis]);
            half += change[axis].abs() * (max[axis] - min[axis]) / 2.0;
        }
        middle.abs() + half
    }))
}

/// A bound of how much a bone stretches any direction.
fn stretch(rows: &BoneRows) -> f64 {
    let product =
        |a: usize, b: usize| -> f64 { rows.iter().map(|row| f64::from(row[a]) * f64::from(row[b])).sum() };
    let (xy, xz, yz) = (product(0, 1).abs(), product(0, 2).abs(), product(1, 2).abs());
    let row_sums = [
        product(0, 0) + xy + xz,
        product(1, 1) + xy + yz,
        product(2, 2) + xz + yz,
    ];
    // Products of floats are exact; the sums and the root round by less than eight units of 2⁻⁵².
    row_sums.into_iter().fold(0.0, f64::max).sqrt() * (1.0 + 8.0 * f64::EPSILON)
}
