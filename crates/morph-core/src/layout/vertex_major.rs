//! Vertex-major order: all entries of a vertex together, targets rising.
//!
//! One thread per vertex sums its entries in the order of the arithmetic contract and writes once.

use crate::deltas::DeltaSlice;
use crate::layout::join_halves;
use crate::mesh::{MorphMesh, StoredTarget};
use crate::quantization::Quantization;
use crate::streams::{Stream, Streams};

/// Words of a mesh in vertex-major order, exactly as the gather shader reads them.
///
/// | words | content |
/// |---|---|
/// | `0 ..= vertex_count` | index of the first entry of each vertex, and the entry count at the end |
/// | from `steps_offset` | snorm16 only: per target the position, normal and tangent step, as float bits |
/// | from `entries_offset` | the entries, `entry_words` each |
///
/// An entry is its target, then position, then normal and tangent if the mesh has them; a target that lacks a
/// stream has zeros there.
/// In `f32` each of these is a word; otherwise each is 16 bits, low half first, padded with zeros to 2, 4 or
/// 5 words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexMajor {
    /// The words.
    pub words: Vec<u32>,
    /// Word at which the steps start; equal to `entries_offset` where there are none.
    pub steps_offset: u32,
    /// Word at which the entries start.
    pub entries_offset: u32,
    /// Words per entry: 2, 4 or 5, and 4, 7 or 10 in `f32`.
    pub entry_words: u32,
    /// The streams of an entry; positions are always stored.
    pub streams: Streams,
}

/// The streams that every entry stores: positions always, the others where any target has them.
fn stored_streams(mesh: &MorphMesh) -> Streams {
    Streams {
        positions: true,
        ..mesh.streams()
    }
}

fn entry_words(mesh: &MorphMesh) -> u32 {
    let values = 1 + 3 * stored_streams(mesh).count();
    match mesh.quantization() {
        Quantization::F32 => values,
        Quantization::Half | Quantization::Snorm16 => values.div_ceil(2),
    }
}

fn step_words(mesh: &MorphMesh) -> u64 {
    match mesh.quantization() {
        Quantization::Snorm16 => 3,
        Quantization::F32 | Quantization::Half => 0,
    }
}

pub(crate) fn word_count(mesh: &MorphMesh) -> u64 {
    u64::from(mesh.vertex_count())
        + 1
        + step_words(mesh) * mesh.target_count() as u64
        + mesh.entry_count() * u64::from(entry_words(mesh))
}

pub(crate) fn target_word_count(mesh: &MorphMesh, target: &StoredTarget) -> u64 {
    step_words(mesh) + u64::from(target.entry_count) * u64::from(entry_words(mesh))
}

/// Where the steps and the entries of a mesh start, and how many words an entry has.
pub(crate) fn offsets(mesh: &MorphMesh) -> [u64; 3] {
    let steps_offset = u64::from(mesh.vertex_count()) + 1;
    let entries_offset = steps_offset + step_words(mesh) * mesh.target_count() as u64;
    [steps_offset, entries_offset, u64::from(entry_words(mesh))]
}

/// Makes the words of the entries of one target.
#[derive(Debug)]
pub(crate) struct EntryWriter<'a> {
    slot: u32,
    quantization: Quantization,
    vertices: &'a [u32],
    stored: Streams,
    deltas: [Option<DeltaSlice<'a>>; 3],
}

impl<'a> EntryWriter<'a> {
    /// The most words that an entry has.
    pub(crate) const MOST_WORDS: usize = 10;

    /// A writer for the target in a slot of the mesh.
    pub(crate) fn new(mesh: &'a MorphMesh, slot: usize, target: &'a StoredTarget) -> Self {
        EntryWriter {
            slot: slot as u32,
            quantization: mesh.quantization(),
            vertices: mesh.vertices_of(target),
            stored: stored_streams(mesh),
            deltas: Stream::ALL.map(|stream| mesh.stream(target, stream)),
        }
    }

    /// The vertices that the target moves, one for each entry.
    pub(crate) fn vertices(&self) -> &'a [u32] {
        self.vertices
    }

    /// Writes entry `i` of the target into as many words as an entry has.
    #[inline]
    pub(crate) fn write(&self, i: usize, entry: &mut [u32]) {
        let stored = Stream::ALL
            .into_iter()
            .zip(self.deltas)
            .filter(|&(stream, _)| self.stored.contains(stream))
            .map(|(_, deltas)| deltas);
        if self.quantization == Quantization::F32 {
            entry[0] = self.slot;
            for (words, deltas) in entry[1..].chunks_exact_mut(3).zip(stored) {
                let delta = deltas.and_then(|deltas| deltas.get(i)).unwrap_or_default();
                words.copy_from_slice(&delta.map(f32::to_bits));
            }
        } else {
            let mut halves = [0_u16; 10];
            halves[0] = self.slot as u16;
            for (halves, deltas) in halves[1..].chunks_exact_mut(3).zip(stored) {
                halves.copy_from_slice(&deltas.map(|deltas| deltas.half_words(i)).unwrap_or_default());
            }
            for (word, joined) in entry.iter_mut().zip(join_halves(halves)) {
                *word = joined;
            }
        }
    }
}

/// Lays a mesh out in vertex-major order.
///
/// Takes time and memory linear in vertices, targets and entries; the build has made sure that word offsets
/// fit 32 bits.
pub fn pack_vertex_major(mesh: &MorphMesh) -> VertexMajor {
    let [steps_offset, entries_offset, entry_words] = offsets(mesh).map(|words| words as usize);
    let mut words = vec![0; word_count(mesh) as usize];
    let (table, rest) = words.split_at_mut(steps_offset);
    let (steps, entries) = rest.split_at_mut(entries_offset - steps_offset);

    for (words, target) in steps.chunks_exact_mut(3).zip(&mesh.targets) {
        for (word, step) in words.iter_mut().zip(target.steps) {
            *word = step.to_bits();
        }
    }

    // A counting sort by vertex. Going through the targets in rising order keeps them rising within each
    // vertex.
    for &vertex in &mesh.vertices {
        table[vertex as usize + 1] += 1;
    }
    for v in 1..table.len() {
        table[v] += table[v - 1];
    }
    let mut next = table.to_vec();
    for (slot, target) in mesh.targets.iter().enumerate() {
        let writer = EntryWriter::new(mesh, slot, target);
        for (i, &vertex) in writer.vertices().iter().enumerate() {
            let at = next[vertex as usize] as usize * entry_words;
            next[vertex as usize] += 1;
            writer.write(i, &mut entries[at..at + entry_words]);
        }
    }

    VertexMajor {
        words,
        steps_offset: steps_offset as u32,
        entries_offset: entries_offset as u32,
        entry_words: entry_words as u32,
        streams: stored_streams(mesh),
    }
}
