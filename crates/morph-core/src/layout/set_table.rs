//! Deltas of one set of texture coordinates or colors by vertex, as the gather reads them beside those of positions.

use crate::mesh::MorphMesh;
use crate::sets::{SetPool, VertexSet};

/// Lays the deltas of one set out by vertex, targets rising within each; no words where no target changes the set.
///
/// | words | content |
/// |---|---|
/// | `0 ..= vertex_count` | index of the first entry of each vertex, and the entry count at the end |
/// | behind | the entries: the target, then 2 floats of texture coordinates or 4 of colors |
///
/// Takes time and memory linear in vertices and entries.
pub fn pack_set_table(mesh: &MorphMesh, set: VertexSet) -> Vec<u32> {
    match set {
        VertexSet::Texcoord(number) => pack(mesh, &mesh.texcoords, number),
        VertexSet::Color(number) => pack(mesh, &mesh.colors, number),
    }
}

/// How many words [`pack_set_table`] returns.
pub(crate) fn word_count(mesh: &MorphMesh, set: VertexSet) -> u64 {
    let (entry_count, entry_words) = match set {
        VertexSet::Texcoord(number) => (entry_count(&mesh.texcoords, number), 3),
        VertexSet::Color(number) => (entry_count(&mesh.colors, number), 5),
    };
    if entry_count == 0 {
        return 0;
    }
    u64::from(mesh.vertex_count()) + 1 + entry_count * entry_words
}

fn entry_count<const N: usize>(pool: &SetPool<N>, number: u32) -> u64 {
    pool.of_set(number)
        .map(|(_, view)| view.vertices.len() as u64)
        .sum()
}

fn pack<const N: usize>(mesh: &MorphMesh, pool: &SetPool<N>, number: u32) -> Vec<u32> {
    let entry_count = entry_count(pool, number) as usize;
    if entry_count == 0 {
        return Vec::new();
    }
    let table_words = mesh.vertex_count() as usize + 1;
    let mut words = vec![0; table_words + entry_count * (1 + N)];
    let (table, entries) = words.split_at_mut(table_words);
    // A counting sort by vertex; going through the targets in rising order keeps them rising within each vertex.
    for (_, view) in pool.of_set(number) {
        for &vertex in view.vertices {
            table[vertex as usize + 1] += 1;
        }
    }
    for vertex in 1..table.len() {
        table[vertex] += table[vertex - 1];
    }
    let mut next = table.to_vec();
    for (slot, view) in pool.of_set(number) {
        for (&vertex, delta) in view.vertices.iter().zip(view.deltas) {
            let first = next[vertex as usize] as usize * (1 + N);
            next[vertex as usize] += 1;
            entries[first] = slot as u32;
            for (word, component) in entries[first + 1..].iter_mut().zip(delta) {
                *word = component.to_bits();
            }
        }
    }
    words
}
