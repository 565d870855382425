//! Offsets of control points, laid on the vertices that are their corners.

use morph_core::MorphTarget;

use super::budget::Budget;
use super::shapes::Offsets;
use crate::error::FbxError;
use crate::findings::Account;

/// Memory that a target takes besides its lists.
const EMPTY_TARGET_BYTES: u64 = 256;

/// Every vertex of a moved control point gets the point's offset.
///
/// `points` holds the control point of each vertex, rising.
pub(super) fn target(
    name: &str,
    offsets: &Offsets,
    points: &[u32],
    budget: &Budget,
) -> Result<MorphTarget, FbxError> {
    let mut found = Vec::new();
    let mut vertex = 0;
    for (number, offset) in offsets.entries.iter().enumerate() {
        vertex += points[vertex..].partition_point(|&point| point < offset.point);
        while points.get(vertex) == Some(&offset.point) {
            found.push((vertex as u32, number));
            vertex += 1;
        }
    }
    let entry_bytes = if offsets.has_normals { 28 } else { 16 };
    budget.spend(name.len() as u64 + EMPTY_TARGET_BYTES + found.len() as u64 * entry_bytes)?;
    let of = |&(_, number): &(u32, usize)| offsets.entries[number];
    Ok(MorphTarget {
        vertices: found.iter().map(|&(vertex, _)| vertex).collect(),
        positions: (!found.is_empty()).then(|| found.iter().map(|entry| of(entry).position).collect()),
        // A shape that tells how normals turn tells it of every part of the mesh, also where none turns.
        normals: offsets
            .has_normals
            .then(|| found.iter().map(|entry| of(entry).normal).collect()),
        ..MorphTarget::empty(name)
    })
}
