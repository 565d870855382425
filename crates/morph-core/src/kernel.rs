//! The host kernel: the definition of the morph, which every device path must equal to the last bit.
//!
//! For every vertex and component, in 32-bit floats, over the targets in rising order with a weight other
//! than zero that move the vertex: `acc = acc + weight * delta`, the product rounded, then the sum rounded.
//! Never a fused multiply-add, never another order.
//! Since every factor is zero or at least 2⁻⁴⁰ ([`to_domain`]), adding a zero product
//! changes nothing, so leaving out zero weights is an optimization and not semantics.

use crate::deltas::DeltaSlice;
use crate::domain::to_domain;
use crate::mesh::MorphMesh;
use crate::quantization::{decode_half, decode_snorm16};
use crate::rest::RestStreams;
use crate::sets::VertexSet;
use crate::streams::Stream;
use crate::weights::{WeightError, check_weights};

/// Why the kernel refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// A stream of the rest pose is not as long as the mesh.
    #[error(
        "the rest pose has {found} {stream} values, but the mesh has {vertex_count} vertices: give one for each"
    )]
    RestLength {
        /// The stream.
        stream: Stream,
        /// How many values the rest pose has.
        found: usize,
        /// How many vertices the mesh has.
        vertex_count: u32,
    },
    /// A rest set is not as long as the mesh.
    #[error(
        "the rest pose has {found} values of {set}, but the mesh has {vertex_count} vertices: give one for each"
    )]
    RestSetLength {
        /// The set.
        set: VertexSet,
        /// How many values it has.
        found: usize,
        /// How many vertices the mesh has.
        vertex_count: u32,
    },
    /// The weights are wrong.
    #[error(transparent)]
    Weights(#[from] WeightError),
}

/// What the morph gives: the streams of the rest pose, morphed.
///
/// Normals and tangents are sums and no longer unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphedStreams {
    /// Positions in model units.
    pub positions: Vec<[f32; 3]>,
    /// Normals, where the rest pose has them; not normalized.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Tangent directions (xyz), where the rest pose has them; not normalized.
    pub tangents: Option<Vec<[f32; 3]>>,
}

/// Morphs a rest pose; see [`morph_into`].
pub fn morph(mesh: &MorphMesh, rest: &RestStreams, weights: &[f32]) -> Result<MorphedStreams, KernelError> {
    let mut out = MorphedStreams::default();
    morph_into(mesh, rest, weights, &mut out)?;
    Ok(out)
}

/// Morphs a rest pose into buffers that are reused: once they have the right size, nothing is allocated.
///
/// `weights` has one weight per target; a shorter array reads as zero for the rest, and the domain rule is
/// applied.
/// Deltas for a stream that the rest pose lacks are left out.
/// On an error `out` is unchanged.
pub fn morph_into(
    mesh: &MorphMesh,
    rest: &RestStreams,
    weights: &[f32],
    out: &mut MorphedStreams,
) -> Result<(), KernelError> {
    check_length(mesh, Stream::Position, Some(&rest.positions))?;
    check_length(mesh, Stream::Normal, rest.normals.as_deref())?;
    check_length(mesh, Stream::Tangent, rest.tangents.as_deref())?;
    check_weights(weights, mesh.target_count(), mesh.names())?;

    out.positions.clone_from(&rest.positions);
    out.normals.clone_from(&rest.normals);
    out.tangents.clone_from(&rest.tangents);
    for (target, &weight) in mesh.targets.iter().zip(weights) {
        let weight = to_domain(weight);
        if weight == 0.0 {
            continue;
        }
        let vertices = mesh.vertices_of(target);
        let sums = [
            (Stream::Position, Some(&mut out.positions)),
            (Stream::Normal, out.normals.as_mut()),
            (Stream::Tangent, out.tangents.as_mut()),
        ];
        for (stream, sums) in sums {
            if let (Some(sums), Some(deltas)) = (sums, mesh.stream(target, stream)) {
                add_stream(sums, vertices, deltas, weight);
            }
        }
    }
    Ok(())
}

/// Adds one stream of one target. A target moves a vertex once, so the order of entries does not matter.
fn add_stream(sums: &mut [[f32; 3]], vertices: &[u32], deltas: DeltaSlice<'_>, weight: f32) {
    match deltas {
        DeltaSlice::F32(deltas) => add(sums, vertices, deltas, weight, |x| x),
        DeltaSlice::Half(deltas) => add(sums, vertices, deltas, weight, decode_half),
        DeltaSlice::Snorm16(deltas, step) => add(sums, vertices, deltas, weight, |q| decode_snorm16(q, step)),
    }
}

#[inline]
fn add<Q: Copy>(
    sums: &mut [[f32; 3]],
    vertices: &[u32],
    deltas: &[[Q; 3]],
    weight: f32,
    decode: impl Fn(Q) -> f32,
) {
    for (&vertex, &[x, y, z]) in vertices.iter().zip(deltas) {
        let sum = &mut sums[vertex as usize];
        sum[0] += weight * decode(x);
        sum[1] += weight * decode(y);
        sum[2] += weight * decode(z);
    }
}

fn check_length(mesh: &MorphMesh, stream: Stream, values: Option<&[[f32; 3]]>) -> Result<(), KernelError> {
    match values {
        Some(values) if values.len() != mesh.vertex_count() as usize => Err(KernelError::RestLength {
            stream,
            found: values.len(),
            vertex_count: mesh.vertex_count(),
        }),
        _ => Ok(()),
    }
}
