//! What a mesh's targets amount to, in numbers.

use crate::layout::Layout;
use crate::mesh::MorphMesh;
use crate::quantization::Quantization;

/// Counts, bytes and density of a mesh's targets.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshStatistics {
    /// How many vertices the base mesh has.
    pub vertex_count: u32,
    /// How many targets there are.
    pub target_count: usize,
    /// How many of them change nothing at all.
    pub empty_target_count: usize,
    /// Entries of positions, normals and tangents.
    pub entry_count: u64,
    /// Entries of texture coordinates.
    pub texcoord_entry_count: u64,
    /// Entries of colors.
    pub color_entry_count: u64,
    /// The share of vertices that a target moves, on average over the targets: 1 where every target moves every
    /// vertex, 0 where there is nothing to share.
    pub density: f64,
    /// How the deltas are stored.
    pub quantization: Quantization,
    /// The bytes of each layout.
    pub layout_bytes: Vec<(Layout, u64)>,
    /// The bytes of texture coordinates and colors, on top of any layout.
    pub set_bytes: u64,
    /// What the targets would take as dense 32-bit floats: each stream that any of them has, for every vertex and
    /// target.
    pub dense_bytes: u64,
}

impl MorphMesh {
    /// Counts, bytes and density of the mesh's targets.
    pub fn statistics(&self) -> MeshStatistics {
        let pairs = u64::from(self.vertex_count()).saturating_mul(self.target_count() as u64);
        let is_empty =
            |slot: usize| self.targets[slot].entry_count == 0 && self.target_set_size_bytes(slot) == 0;
        MeshStatistics {
            vertex_count: self.vertex_count(),
            target_count: self.target_count(),
            empty_target_count: (0..self.target_count()).filter(|&slot| is_empty(slot)).count(),
            entry_count: self.entry_count(),
            texcoord_entry_count: self.texcoord_entry_count(),
            color_entry_count: self.color_entry_count(),
            density: if pairs == 0 {
                0.0
            } else {
                self.entry_count() as f64 / pairs as f64
            },
            quantization: self.quantization(),
            layout_bytes: [Layout::Scatter, Layout::VertexMajor]
                .map(|layout| (layout, self.size_bytes(layout)))
                .to_vec(),
            set_bytes: self.set_size_bytes(),
            dense_bytes: pairs.saturating_mul(12 * u64::from(self.streams().count())),
        }
    }
}
