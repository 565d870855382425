//! A mesh's morph targets in their stored form: sparse, sorted by vertex, quantized.

use crate::deltas::{DeltaPool, DeltaSlice};
use crate::layout::{self, Layout};
use crate::names::NameTable;
use crate::quantization::Quantization;
use crate::sets::{SetPool, SetView, VertexSet};
use crate::streams::{Stream, Streams};

/// The morph targets of one mesh, ready for the host kernel and for the layouts that shaders read.
///
/// Made by [`MorphMesh::build`] and never changed afterwards.
/// All targets share flat pools: entries of a target are one run, and its streams run parallel to them.
#[derive(Clone, Debug)]
pub struct MorphMesh {
    pub(crate) vertex_count: u32,
    pub(crate) quantization: Quantization,
    pub(crate) streams: Streams,
    pub(crate) names: NameTable,
    pub(crate) targets: Vec<StoredTarget>,
    /// The moved vertices of all targets, rising within each.
    pub(crate) vertices: Vec<u32>,
    pub(crate) deltas: DeltaPool,
    pub(crate) texcoords: SetPool<2>,
    pub(crate) colors: SetPool<4>,
}

/// Where one target lies in the pools, and what is known about it.
#[derive(Clone, Debug)]
pub(crate) struct StoredTarget {
    pub(crate) first_entry: usize,
    pub(crate) entry_count: u32,
    /// First delta of each stream in the pool, where the target has the stream.
    pub(crate) first_delta: [Option<usize>; 3],
    /// The step of each stream: 1 where the quantization has none, 0 where nothing moves or the stream is
    /// absent.
    pub(crate) steps: [f32; 3],
    pub(crate) reach: f32,
    pub(crate) minimum: [f32; 3],
    pub(crate) maximum: [f32; 3],
}

impl MorphMesh {
    /// The most targets that a mesh may have, because entries name theirs in 16 bits.
    pub const MAX_TARGET_COUNT: usize = 65_536;

    /// How many vertices the base mesh has.
    pub fn vertex_count(&self) -> u32 {
        self.vertex_count
    }

    /// How many targets there are, empty ones included.
    pub fn target_count(&self) -> usize {
        self.targets.len()
    }

    /// How many entries move positions, normals or tangents, over all targets.
    pub fn entry_count(&self) -> u64 {
        self.vertices.len() as u64
    }

    /// How many deltas of texture coordinates are stored, over all targets and sets.
    pub fn texcoord_entry_count(&self) -> u64 {
        self.texcoords.entry_count()
    }

    /// How many deltas of colors are stored, over all targets and sets.
    pub fn color_entry_count(&self) -> u64 {
        self.colors.entry_count()
    }

    /// The sets of texture coordinates that any target changes, rising.
    pub fn texcoord_sets(&self) -> Vec<u32> {
        self.texcoords.sets()
    }

    /// The sets of colors that any target changes, rising.
    pub fn color_sets(&self) -> Vec<u32> {
        self.colors.sets()
    }

    /// How the deltas of positions, normals and tangents are stored.
    pub fn quantization(&self) -> Quantization {
        self.quantization
    }

    /// The streams that any target with entries has.
    pub fn streams(&self) -> Streams {
        self.streams
    }

    /// The targets' names.
    pub fn names(&self) -> &NameTable {
        &self.names
    }

    /// The target in a slot, or `None` past the last one.
    pub fn target(&self, slot: usize) -> Option<TargetView<'_>> {
        self.targets.get(slot).map(|target| TargetView {
            mesh: self,
            target,
            slot,
        })
    }

    /// All targets in slot order.
    pub fn targets(&self) -> impl ExactSizeIterator<Item = TargetView<'_>> {
        self.targets.iter().enumerate().map(|(slot, target)| TargetView {
            mesh: self,
            target,
            slot,
        })
    }

    /// The bytes that the words of a layout take: the length of what its packer returns.
    ///
    /// Texture coordinates and colors are in no layout; see [`set_size_bytes`](Self::set_size_bytes).
    pub fn size_bytes(&self, layout: Layout) -> u64 {
        4 * match layout {
            Layout::Scatter => layout::scatter::word_count(self),
            Layout::VertexMajor => layout::vertex_major::word_count(self),
        }
    }

    /// The part of [`size_bytes`](Self::size_bytes) that one target causes; zero past the last slot.
    ///
    /// In vertex-major order the table of first entries, `vertex_count + 1` words, is no target's.
    pub fn target_size_bytes(&self, slot: usize, layout: Layout) -> u64 {
        let Some(target) = self.targets.get(slot) else {
            return 0;
        };
        4 * match layout {
            Layout::Scatter => layout::scatter::target_word_count(self, target),
            Layout::VertexMajor => layout::vertex_major::target_word_count(self, target),
        }
    }

    /// The bytes of the deltas of texture coordinates (12 an entry) and colors (20 an entry) with their
    /// vertices, which come on top of any layout.
    pub fn set_size_bytes(&self) -> u64 {
        self.texcoords.size_bytes() + self.colors.size_bytes()
    }

    /// The part of [`set_size_bytes`](Self::set_size_bytes) that one target causes; zero past the last slot.
    pub fn target_set_size_bytes(&self, slot: usize) -> u64 {
        self.texcoords.target_size_bytes(slot) + self.colors.target_size_bytes(slot)
    }

    /// The bytes of the deltas of one set by vertex, as [`pack_set_table`](crate::pack_set_table) lays them out; zero
    /// where no target changes the set.
    pub fn set_table_size_bytes(&self, set: VertexSet) -> u64 {
        4 * layout::set_table::word_count(self, set)
    }

    pub(crate) fn stream(&self, target: &StoredTarget, stream: Stream) -> Option<DeltaSlice<'_>> {
        let first = target.first_delta[stream.index()]?;
        let range = first..first + target.entry_count as usize;
        Some(self.deltas.slice(range, target.steps[stream.index()]))
    }

    pub(crate) fn vertices_of(&self, target: &StoredTarget) -> &[u32] {
        &self.vertices[target.first_entry..target.first_entry + target.entry_count as usize]
    }
}

impl StoredTarget {
    pub(crate) fn streams(&self) -> Streams {
        let [positions, normals, tangents] = self.first_delta.map(|first| first.is_some());
        Streams {
            positions,
            normals,
            tangents,
        }
    }
}

/// One target of a [`MorphMesh`].
#[derive(Clone, Copy, Debug)]
pub struct TargetView<'a> {
    mesh: &'a MorphMesh,
    target: &'a StoredTarget,
    slot: usize,
}

impl<'a> TargetView<'a> {
    /// The target's slot in the mesh.
    pub fn slot(&self) -> usize {
        self.slot
    }

    /// The target's name.
    pub fn name(&self) -> &'a str {
        self.mesh.names.name(self.slot).unwrap_or_default()
    }

    /// How many vertices the target moves, or turns the normal or tangent of.
    pub fn entry_count(&self) -> u32 {
        self.target.entry_count
    }

    /// The streams that are stored for this target; none where it has no entries.
    pub fn streams(&self) -> Streams {
        self.target.streams()
    }

    /// The moved vertices, strictly rising.
    pub fn vertices(&self) -> &'a [u32] {
        self.mesh.vertices_of(self.target)
    }

    /// The decoded position delta of entry `i`; zero past the last entry and where the target has no
    /// positions.
    pub fn position(&self, i: usize) -> [f32; 3] {
        self.delta(Stream::Position, i)
    }

    /// The decoded normal delta of entry `i`; zero past the last entry and where the target has no normals.
    pub fn normal(&self, i: usize) -> [f32; 3] {
        self.delta(Stream::Normal, i)
    }

    /// The decoded tangent delta of entry `i`; zero past the last entry and where the target has no tangents.
    pub fn tangent(&self, i: usize) -> [f32; 3] {
        self.delta(Stream::Tangent, i)
    }

    /// The decoded delta of entry `i` in any stream; zero past the last entry and where the target lacks the
    /// stream.
    pub fn delta(&self, stream: Stream, i: usize) -> [f32; 3] {
        self.mesh
            .stream(self.target, stream)
            .and_then(|deltas| deltas.get(i))
            .unwrap_or_default()
    }

    /// What the target changes in sets of texture coordinates, by rising set.
    pub fn texcoords(&self) -> impl ExactSizeIterator<Item = SetView<'a, 2>> {
        self.mesh.texcoords.of_target(self.slot)
    }

    /// What the target changes in sets of colors, by rising set.
    pub fn colors(&self) -> impl ExactSizeIterator<Item = SetView<'a, 4>> {
        self.mesh.colors.of_target(self.slot)
    }

    /// How many vertices the target changes in a set.
    pub fn set_entry_count(&self, set: VertexSet) -> u64 {
        let count = |(number, vertices): (u32, &[u32]), wanted| {
            if number == wanted {
                vertices.len() as u64
            } else {
                0
            }
        };
        match set {
            VertexSet::Texcoord(wanted) => {
                let views = self.texcoords().map(|view| (view.set, view.vertices));
                views.map(|view| count(view, wanted)).sum()
            }
            VertexSet::Color(wanted) => {
                let views = self.colors().map(|view| (view.set, view.vertices));
                views.map(|view| count(view, wanted)).sum()
            }
        }
    }

    /// What one count of a stored position is worth, in model units.
    ///
    /// Steps are 1 for quantizations other than snorm16, which have none, and for snorm16 zero where nothing
    /// moves.
    pub fn position_step(&self) -> f32 {
        self.target.steps[Stream::Position.index()]
    }

    /// What one count of a stored normal is worth; see [`position_step`](Self::position_step).
    pub fn normal_step(&self) -> f32 {
        self.target.steps[Stream::Normal.index()]
    }

    /// What one count of a stored tangent is worth; see [`position_step`](Self::position_step).
    pub fn tangent_step(&self) -> f32 {
        self.target.steps[Stream::Tangent.index()]
    }

    /// Length of the longest decoded position delta, in model units, rounded up.
    pub fn reach(&self) -> f32 {
        self.target.reach
    }

    /// Smallest decoded position delta on each axis over all vertices of the mesh, those that do not move
    /// included.
    pub fn minimum(&self) -> [f32; 3] {
        self.target.minimum
    }

    /// Largest decoded position delta on each axis over all vertices of the mesh, those that do not move
    /// included.
    pub fn maximum(&self) -> [f32; 3] {
        self.target.maximum
    }
}
