//! The host kernel of skinning: the definition that every device path must equal to the last bit.
//!
//! The order of operations is written down in the [module's documentation](mod@crate::skin).

use crate::domain::{to_domain, to_domain3};
use crate::kernel::MorphedStreams;
use crate::skin::{BoneRows, DirectionTransform, SkinError, SkinPose, SkinWeights};
use crate::streams::Stream;

type Matrix3 = [[f32; 3]; 3];

/// Skins morphed streams; see [`skin_into`].
pub fn skin(
    morphed: &MorphedStreams,
    weights: &SkinWeights,
    pose: &SkinPose,
    directions: DirectionTransform,
) -> Result<MorphedStreams, SkinError> {
    let mut out = MorphedStreams::default();
    skin_into(morphed, weights, pose, directions, &mut out)?;
    Ok(out)
}

/// Skins morphed streams into buffers that are reused: once they have the right size, nothing is allocated.
///
/// Positions go through the blended matrix, tangents through its upper left 3×3, normals as `directions` says;
/// the order of operations is in the [module's documentation](mod@crate::skin).
/// A vertex whose weights are all zero stays where the morph put it.
/// Results that are not finite, from factors near the largest float, are outside the contract.
/// On an error `out` is unchanged.
///
/// # Errors
/// Where streams, weights and pose do not fit each other: [`SkinError::StreamLength`],
/// [`SkinError::VertexCount`], [`SkinError::JointOutOfRange`].
pub fn skin_into(
    morphed: &MorphedStreams,
    weights: &SkinWeights,
    pose: &SkinPose,
    directions: DirectionTransform,
    out: &mut MorphedStreams,
) -> Result<(), SkinError> {
    let vertex_count = morphed.positions.len();
    check_length(Stream::Normal, morphed.normals.as_deref(), vertex_count)?;
    check_length(Stream::Tangent, morphed.tangents.as_deref(), vertex_count)?;
    weights.check(vertex_count, pose.bone_count())?;

    out.positions.clone_from(&morphed.positions);
    out.normals.clone_from(&morphed.normals);
    out.tangents.clone_from(&morphed.tangents);
    let per_vertex = weights.influence_count().get();
    let joints = weights.joints().chunks_exact(per_vertex);
    let influences = joints.zip(weights.weights().chunks_exact(per_vertex));
    for (vertex, (joints, weights)) in influences.enumerate() {
        let position = &mut out.positions[vertex];
        let normal = out.normals.as_mut().map(|normals| &mut normals[vertex]);
        let tangent = out.tangents.as_mut().map(|tangents| &mut tangents[vertex]);
        let matrix = blend(joints, weights, pose.rows());
        *position = to_domain3(*position);
        if let Some(matrix) = &matrix {
            *position = carry_point(matrix, *position);
        }
        if let Some(tangent) = tangent {
            *tangent = to_domain3(*tangent);
            if let Some(matrix) = &matrix {
                *tangent = carry(&upper_left(matrix), *tangent);
            }
        }
        if let Some(normal) = normal {
            *normal = to_domain3(*normal);
            if let Some(matrix) = &matrix {
                let linear = upper_left(matrix);
                *normal = match directions {
                    DirectionTransform::Linear => carry(&linear, *normal),
                    DirectionTransform::Cofactor => carry(&signed_cofactors(&linear), *normal),
                };
            }
        }
    }
    Ok(())
}

/// The sum of bones times weights in the order of the influences; `None` where all weights are zero.
fn blend(joints: &[u16], weights: &[f32], bones: &[BoneRows]) -> Option<BoneRows> {
    if weights.iter().all(|&weight| weight == 0.0) {
        return None;
    }
    let mut sum = [[0.0_f32; 4]; 3];
    for (&joint, &weight) in joints.iter().zip(weights) {
        // Starting from +0 differs from starting with the first product in the sign of a zero only, which the
        // domain takes away.
        for (sums, row) in sum.iter_mut().zip(&bones[usize::from(joint)]) {
            for (sum, x) in sums.iter_mut().zip(row) {
                *sum += weight * x;
            }
        }
    }
    Some(sum.map(|row| row.map(to_domain)))
}

fn carry_point(matrix: &BoneRows, [x, y, z]: [f32; 3]) -> [f32; 3] {
    matrix.map(|row| to_domain(((row[0] * x + row[1] * y) + row[2] * z) + row[3]))
}

fn carry(matrix: &Matrix3, [x, y, z]: [f32; 3]) -> [f32; 3] {
    matrix.map(|row| to_domain((row[0] * x + row[1] * y) + row[2] * z))
}

fn upper_left(matrix: &BoneRows) -> Matrix3 {
    matrix.map(|[x, y, z, _]| [x, y, z])
}

/// The cofactor matrix, negated where the determinant is negative.
fn signed_cofactors(m: &Matrix3) -> Matrix3 {
    let cofactors: Matrix3 = std::array::from_fn(|r| {
        let (r1, r2) = ((r + 1) % 3, (r + 2) % 3);
        std::array::from_fn(|c| {
            let (c1, c2) = ((c + 1) % 3, (c + 2) % 3);
            to_domain(m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1])
        })
    });
    let determinant = (m[0][0] * cofactors[0][0] + m[0][1] * cofactors[0][1]) + m[0][2] * cofactors[0][2];
    if determinant < 0.0 {
        cofactors.map(|row| row.map(|x| -x))
    } else {
        cofactors
    }
}

fn check_length(stream: Stream, values: Option<&[[f32; 3]]>, expected: usize) -> Result<(), SkinError> {
    match values {
        Some(values) if values.len() != expected => Err(SkinError::StreamLength {
            stream,
            expected,
            found: values.len(),
        }),
        _ => Ok(()),
    }
}
