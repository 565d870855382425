//! Baking an expression into a plain rest pose.

use crate::compare::SHORTEST_NORMAL;
use crate::kernel::{KernelError, MorphedStreams, morph};
use crate::mesh::MorphMesh;
use crate::rest::{RestError, RestStreams};
use crate::rounding::length;

/// Why an expression cannot be baked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BakeError {
    /// Rest pose or weights do not fit the mesh.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The morphed mesh is no rest pose: a sum went past the largest float.
    #[error("the morphed mesh cannot be a rest pose: {0}")]
    Rest(#[from] RestError),
}

/// What becomes of normals and tangents that are baked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BakedDirections {
    /// Kept as the sums that the morph gives.
    AsSummed,
    /// Made unit. One that is shorter than [`SHORTEST_NORMAL`] has no direction and becomes zero.
    MakeUnit,
}

/// Bakes an expression: the rest pose morphed with these weights, as a rest pose of its own.
///
/// Only the weights given count, never those of some instance: with an empty array the rest pose itself comes
/// back, to the bit.
/// The second value says how many components the domain rule made zero.
/// Texture coordinates and colors are baked by [`morph_texcoords`](crate::morph_texcoords) and
/// [`morph_colors`](crate::morph_colors).
///
/// # Errors
/// What [`morph`] refuses, and a result that is not finite.
pub fn bake(
    mesh: &MorphMesh,
    rest: &RestStreams,
    weights: &[f32],
    directions: BakedDirections,
) -> Result<(RestStreams, u64), BakeError> {
    let MorphedStreams {
        positions,
        mut normals,
        mut tangents,
    } = morph(mesh, rest, weights)?;
    if directions == BakedDirections::MakeUnit {
        for direction in [&mut normals, &mut tangents].into_iter().flatten().flatten() {
            *direction = unit_or_zero(*direction);
        }
    }
    Ok(RestStreams::new(positions, normals, tangents)?)
}

/// The unit vector along `v`, or zero where `v` is too short to have a direction.
///
/// What is not finite stays so, for the check that refuses it.
fn unit_or_zero(v: [f32; 3]) -> [f32; 3] {
    let length = length(v);
    if length < SHORTEST_NORMAL {
        [0.0; 3]
    } else if length.is_finite() {
        v.map(|x| (f64::from(x) / length) as f32)
    } else {
        v
    }
}
