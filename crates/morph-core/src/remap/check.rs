//! Whether a target belongs to a mesh of so many vertices.

use crate::remap::RemapError;
use crate::sets::VertexSet;
use crate::streams::Stream;
use crate::target::{MorphTarget, SetDeltas};

/// Checks that streams and sets run parallel to their vertices, and that the mesh has the vertices.
pub(super) fn target(target: &MorphTarget, old_vertex_count: u32) -> Result<(), RemapError> {
    let expected = target.vertices.len();
    for stream in Stream::ALL {
        if let Some(deltas) = target.stream(stream).filter(|deltas| deltas.len() != expected) {
            return Err(RemapError::TargetStreamLength {
                name: target.name.clone(),
                stream,
                expected,
                found: deltas.len(),
            });
        }
    }
    vertices(&target.name, &target.vertices, old_vertex_count)?;
    sets(target, &target.texcoords, VertexSet::Texcoord, old_vertex_count)?;
    sets(target, &target.colors, VertexSet::Color, old_vertex_count)
}

fn sets<const N: usize>(
    target: &MorphTarget,
    sets: &[SetDeltas<N>],
    attribute: fn(u32) -> VertexSet,
    old_vertex_count: u32,
) -> Result<(), RemapError> {
    for set in sets {
        if set.deltas.len() != set.vertices.len() {
            return Err(RemapError::TargetSetLength {
                name: target.name.clone(),
                set: attribute(set.set),
                expected: set.vertices.len(),
                found: set.deltas.len(),
            });
        }
        vertices(&target.name, &set.vertices, old_vertex_count)?;
    }
    Ok(())
}

fn vertices(name: &str, vertices: &[u32], old_vertex_count: u32) -> Result<(), RemapError> {
    match vertices.iter().find(|&&vertex| vertex >= old_vertex_count) {
        Some(&vertex) => Err(RemapError::TargetVertexOutOfRange {
            name: name.to_owned(),
            vertex,
            old_vertex_count,
        }),
        None => Ok(()),
    }
}
