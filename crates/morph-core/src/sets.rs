//! Deltas of texture coordinates and colors in their stored form: sparse lists of their own, always 32-bit floats.
//!
//! They stand apart from positions, normals and tangents, because few models have them: no layout that
//! shaders read takes a byte for them, and no quantization touches them.

use std::fmt;

/// A set of texture coordinates or colors, named as glTF names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VertexSet {
    /// Texture coordinates: u, v.
    Texcoord(u32),
    /// Colors: red, green, blue, opacity.
    Color(u32),
}

impl fmt::Display for VertexSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VertexSet::Texcoord(set) => write!(f, "TEXCOORD_{set}"),
            VertexSet::Color(set) => write!(f, "COLOR_{set}"),
        }
    }
}

/// What one target changes in one set: `vertices` and `deltas` run parallel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetView<'a, const N: usize> {
    /// Which set: 0 for TEXCOORD_0 or COLOR_0.
    pub set: u32,
    /// The changed vertices, strictly rising.
    pub vertices: &'a [u32],
    /// A delta for each of them, in the domain of the arithmetic and never all zero.
    pub deltas: &'a [[f32; N]],
}

/// The deltas of all sets of all targets, in flat lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct SetPool<const N: usize> {
    /// By rising slot, then rising set.
    runs: Vec<Run>,
    vertices: Vec<u32>,
    deltas: Vec<[f32; N]>,
}

/// Where the deltas of one set of one target lie.
#[derive(Clone, Copy, Debug)]
struct Run {
    slot: usize,
    set: u32,
    first: usize,
    end: usize,
}

impl<const N: usize> SetPool<N> {
    /// The bytes of an entry: its vertex and N floats.
    const ENTRY_BYTES: u64 = 4 + 4 * N as u64;

    /// Adds an entry; slots, sets of a slot and vertices of a set come rising.
    pub(crate) fn push(&mut self, slot: usize, set: u32, vertex: u32, delta: [f32; N]) {
        match self.runs.last_mut() {
            Some(run) if (run.slot, run.set) == (slot, set) => run.end += 1,
            _ => self.runs.push(Run {
                slot,
                set,
                first: self.deltas.len(),
                end: self.deltas.len() + 1,
            }),
        }
        self.vertices.push(vertex);
        self.deltas.push(delta);
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.runs.shrink_to_fit();
        self.vertices.shrink_to_fit();
        self.deltas.shrink_to_fit();
    }

    pub(crate) fn entry_count(&self) -> u64 {
        self.deltas.len() as u64
    }

    pub(crate) fn size_bytes(&self) -> u64 {
        Self::ENTRY_BYTES * self.entry_count()
    }

    pub(crate) fn target_size_bytes(&self, slot: usize) -> u64 {
        let entry_count: usize = self.runs_of(slot).iter().map(|run| run.end - run.first).sum();
        Self::ENTRY_BYTES * entry_count as u64
    }

    /// The sets that any target changes, rising.
    pub(crate) fn sets(&self) -> Vec<u32> {
        let mut sets: Vec<u32> = self.runs.iter().map(|run| run.set).collect();
        sets.sort_unstable();
        sets.dedup();
        sets
    }

    /// What a target changes, by rising set.
    pub(crate) fn of_target(&self, slot: usize) -> impl ExactSizeIterator<Item = SetView<'_, N>> {
        self.runs_of(slot).iter().map(|run| self.view(run))
    }

    /// What all targets change in one set, by rising slot.
    pub(crate) fn of_set(&self, set: u32) -> impl Iterator<Item = (usize, SetView<'_, N>)> {
        self.runs
            .iter()
            .filter(move |run| run.set == set)
            .map(|run| (run.slot, self.view(run)))
    }

    fn runs_of(&self, slot: usize) -> &[Run] {
        let first = self.runs.partition_point(|run| run.slot < slot);
        let end = self.runs.partition_point(|run| run.slot <= slot);
        &self.runs[first..end]
    }

    fn view(&self, run: &Run) -> SetView<'_, N> {
        SetView {
            set: run.set,
            vertices: &self.vertices[run.first..run.end],
            deltas: &self.deltas[run.first..run.end],
        }
    }
}
