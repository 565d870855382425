//! The bones of one frame.

use crate::domain::to_domain;
use crate::skin::SkinError;

/// A bone as the first three rows of its matrix: from the mesh's space at bind time to the skinned mesh's space.
///
/// Column 3 of each row moves. The fourth row of an affine matrix is always 0, 0, 0, 1 and is not stored.
pub type BoneRows = [[f32; 4]; 3];

/// The rows of a matrix that is stored column by column, as glTF, glam and GLSL store it; the last row is dropped.
///
/// ```
/// let columns = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [7.0, 8.0, 9.0, 1.0]];
/// let rows = morph_core::skin::rows_from_columns(&columns);
/// assert_eq!(rows, [[1.0, 0.0, 0.0, 7.0], [0.0, 1.0, 0.0, 8.0], [0.0, 0.0, 1.0, 9.0]]);
/// ```
pub fn rows_from_columns(columns: &[[f32; 4]; 4]) -> BoneRows {
    std::array::from_fn(|row| std::array::from_fn(|column| columns[column][row]))
}

/// How bones carry normals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DirectionTransform {
    /// By the upper left 3×3 of the blended matrix: right where bones turn, move, and scale all axes alike.
    #[default]
    Linear,
    /// By its cofactor matrix, with the sign of its determinant: right for any scale, and dearer.
    Cofactor,
}

/// By how much the axes of a bone may differ in length, and lean on each other, and still count as one scale.
///
/// Bones are products of several rounded matrices, each off by some 2⁻²⁴; a normal that is carried by axes
/// which differ by this much is off by less than a twentieth of a degree.
const UNIFORM_TOLERANCE: f64 = 1.0e-3;

/// The bones of one skeleton in one frame: finite, and in the domain of the arithmetic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinPose {
    rows: Vec<BoneRows>,
    zeroed_component_count: u64,
}

impl SkinPose {
    /// Takes the bones of a frame; see [`set`](Self::set).
    pub fn new(bones: &[BoneRows]) -> Result<Self, SkinError> {
        let mut pose = SkinPose::default();
        pose.set(bones)?;
        Ok(pose)
    }

    /// Takes the bones of the next frame and applies the domain rule; allocates nothing where there are as many
    /// bones as before.
    ///
    /// # Errors
    /// [`SkinError::Bone`] where a component is not finite; the pose is unchanged then.
    pub fn set(&mut self, bones: &[BoneRows]) -> Result<(), SkinError> {
        for (bone, rows) in bones.iter().enumerate() {
            let at = rows.as_flattened().iter().position(|x| !x.is_finite());
            if let Some(at) = at {
                return Err(SkinError::Bone {
                    bone,
                    row: at / 4,
                    column: at % 4,
                    value: rows[at / 4][at % 4],
                });
            }
        }
        self.zeroed_component_count = 0;
        self.rows.clear();
        self.rows.extend_from_slice(bones);
        for x in self.rows.as_flattened_mut().as_flattened_mut() {
            let admitted = to_domain(*x);
            self.zeroed_component_count += u64::from(admitted != *x);
            *x = admitted;
        }
        Ok(())
    }

    /// The bones, twelve floats each, as a device reads them.
    pub fn rows(&self) -> &[BoneRows] {
        &self.rows
    }

    /// How many bones there are.
    pub fn bone_count(&self) -> usize {
        self.rows.len()
    }

    /// Components that were not zero and became zero because they were below 2⁻⁴⁰.
    pub fn zeroed_component_count(&self) -> u64 {
        self.zeroed_component_count
    }

    /// How normals have to be carried: by cofactors where any bone scales its axes differently or shears.
    ///
    /// Choose once for a skin and keep it: the two give normals of different length.
    pub fn direction_transform(&self) -> DirectionTransform {
        if self.rows.iter().all(scales_uniformly) {
            DirectionTransform::Linear
        } else {
            DirectionTransform::Cofactor
        }
    }
}

/// Whether the columns of the upper left 3×3 are equally long and at right angles, to within the tolerance.
fn scales_uniformly(rows: &BoneRows) -> bool {
    let product =
        |a: usize, b: usize| -> f64 { rows.iter().map(|row| f64::from(row[a]) * f64::from(row[b])).sum() };
    let squares = [product(0, 0), product(1, 1), product(2, 2)];
    let greatest = squares.into_iter().fold(0.0, f64::max);
    let least = squares.into_iter().fold(f64::INFINITY, f64::min);
    // Squares differ by twice what lengths do.
    let slack = 2.0 * UNIFORM_TOLERANCE * greatest;
    let lean = [product(0, 1), product(0, 2), product(1, 2)];
    greatest - least <= slack && lean.iter().all(|dot| dot.abs() <= UNIFORM_TOLERANCE * greatest)
}
