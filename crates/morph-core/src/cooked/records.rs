//! The records of a primitive, as they lie in the file.

use bytemuck::{Pod, Zeroable};

use crate::quantization::Quantization;
use crate::streams::{Stream, Streams};
use crate::vertex_attribute::AttributePlace;
use crate::vertex_layout::VertexLayout;

/// Stands for an offset that is not there.
pub(super) const ABSENT: u32 = u32::MAX;

/// [`TargetRecord::flags`]: the direction error was measured.
pub(super) const HAS_DIRECTION_ERROR: u32 = 1;

/// What is known of a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PrimitiveRecord {
    /// Stored deltas of all targets.
    pub entry_count: u64,
    /// Components of the rest pose that the domain rule made zero.
    pub rest_zeroed_component_count: u64,
    /// Vertices.
    pub vertex_count: u32,
    /// Targets.
    pub target_count: u32,
    /// Indices.
    pub index_count: u32,
    /// How deltas are stored: 0 f32, 1 half, 2 snorm16.
    pub quantization: u32,
    /// From one vertex of the rest pose to the next.
    pub stride_bytes: u32,
    /// Where position, normal and tangent start in a vertex; 2³² - 1 where it has none.
    pub attribute_offsets: [u32; 3],
    /// Sets of texture coordinates.
    pub texcoord_set_count: u32,
    /// Sets of colors.
    pub color_set_count: u32,
    /// Bones of a vertex: 0, 4 or 8.
    pub influence_count: u32,
    /// Vertex-major words: where steps start, where entries start, words of an entry, and the streams of an entry
    /// (1 position, 2 normal, 4 tangent).
    pub vertex_major: [u32; 4],
    /// The thresholds of the build: position in model units, direction against a unit one.
    pub thresholds: [f32; 2],
    /// Which deltas of sets there are: 1 of texture coordinates, 2 of colors, 3 of both.
    pub set_deltas: u32,
}

/// What is known of a target in a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct TargetRecord {
    /// See [`TargetReport::dropped_entry_count`](crate::TargetReport::dropped_entry_count).
    pub dropped_entry_count: u64,
    /// See [`TargetReport::zeroed_component_count`](crate::TargetReport::zeroed_component_count).
    pub zeroed_component_count: u64,
    /// Bytes of the name. Names follow each other in the order of the targets.
    pub name_bytes: u32,
    /// Moved vertices.
    pub entry_count: u32,
    /// Scatter words: where the vertex numbers start.
    pub index_offset: u32,
    /// Scatter words: where positions, normals and tangents start; 2³² - 1 where the target has none.
    pub stream_offsets: [u32; 3],
    /// What one count of each stream is worth; 1 where not snorm16.
    pub steps: [f32; 3],
    /// Length of the longest position delta, rounded up.
    pub reach: f32,
    /// Smallest position delta on each axis over all vertices.
    pub minimum: [f32; 3],
    /// Largest position delta on each axis over all vertices.
    pub maximum: [f32; 3],
    /// Worst errors of positions, normals and tangents that the build measured.
    pub worst_errors: [f32; 3],
    /// Worst angle that the build measured, in degrees; 0 where it measured none.
    pub worst_direction_error_degrees: f32,
    /// See [`TargetReport::uncounted_direction_vertices`](crate::TargetReport::uncounted_direction_vertices).
    pub uncounted_direction_vertices: u32,
    /// 1 where the direction error was measured.
    pub flags: u32,
}

/// [`PrimitiveRecord::set_deltas`]: targets change texture coordinates.
pub(super) const TEXCOORD_DELTAS: u32 = 1;
/// [`PrimitiveRecord::set_deltas`]: targets change colors.
pub(super) const COLOR_DELTAS: u32 = 2;

const QUANTIZATIONS: [Quantization; 3] = [Quantization::F32, Quantization::Half, Quantization::Snorm16];

/// The number of a quantization in a file.
pub(super) fn quantization_code(quantization: Quantization) -> u32 {
    match quantization {
        Quantization::F32 => 0,
        Quantization::Half => 1,
        Quantization::Snorm16 => 2,
    }
}

/// The quantization that a number of a file stands for.
pub(super) fn quantization_of(code: u32) -> Option<Quantization> {
    QUANTIZATIONS.get(code as usize).copied()
}

/// The bits of a set of streams in a file.
pub(super) fn stream_bits(streams: Streams) -> u32 {
    Stream::ALL
        .into_iter()
        .filter(|&stream| streams.contains(stream))
        .map(|stream| 1 << stream.index())
        .sum()
}

impl PrimitiveRecord {
    /// Where the attributes lie in a vertex of the rest pose; not checked.
    pub(super) fn vertex_layout(&self) -> VertexLayout {
        let [position, normal, tangent] = self.attribute_offsets;
        let present = |offset: u32| (offset != ABSENT).then_some(offset);
        let place = |offset| AttributePlace::floats(0, offset);
        VertexLayout {
            normal: present(normal).map(place),
            tangent: present(tangent).map(place),
            ..VertexLayout::interleaved(self.stride_bytes).with_position(0, position)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quantization_has_a_number_of_its_own() {
        for quantization in Quantization::ALL {
            assert_eq!(
                quantization_of(quantization_code(quantization)),
                Some(quantization)
            );
        }
        assert_eq!(quantization_of(3), None);
    }
}
