//! Joining normal deltas to a target that moves other vertices.

use crate::target::MorphTarget;

/// Gives a target normal deltas instead of those it had, with the vertices that it did not list before.
///
/// `changed` rises by vertex; so do the target's vertices afterwards.
/// Without any the target stays as it is.
/// The target's streams run parallel to its vertices; what lacks a value reads as zero.
pub fn set_normal_deltas(target: &mut MorphTarget, changed: &[(u32, [f32; 3])]) {
    if changed.is_empty() {
        return;
    }
    let mut order: Vec<usize> = (0..target.vertices.len()).collect();
    order.sort_unstable_by_key(|&entry| target.vertices[entry]);
    let mut old = order.into_iter().peekable();
    let mut new = changed.iter().peekable();
    let mut vertices = Vec::with_capacity(target.vertices.len() + changed.len());
    let mut normals = Vec::with_capacity(vertices.capacity());
    let mut sources = Vec::with_capacity(vertices.capacity());
    loop {
        let old_vertex = old.peek().map(|&entry| target.vertices[entry]);
        let new_vertex = new.peek().map(|&&(vertex, _)| vertex);
        let Some(vertex) = old_vertex.into_iter().chain(new_vertex).min() else {
            break;
        };
        vertices.push(vertex);
        sources.push(if old_vertex == Some(vertex) {
            old.next()
        } else {
            None
        });
        let delta = if new_vertex == Some(vertex) {
            new.next()
        } else {
            None
        };
        normals.push(delta.map_or([0.0; 3], |&(_, delta)| delta));
    }
    let spread = |stream: &Vec<[f32; 3]>| -> Vec<[f32; 3]> {
        sources
            .iter()
            .map(|source| source.map_or([0.0; 3], |entry| stream.get(entry).copied().unwrap_or_default()))
            .collect()
    };
    target.positions = target.positions.as_ref().map(spread);
    target.tangents = target.tangents.as_ref().map(spread);
    target.vertices = vertices;
    target.normals = Some(normals);
}
