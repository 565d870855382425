//! How the geometry buffer is divided: where rest poses and deltas lie, and where each stream of vertices.
//!
//! Vertices in one stream share the buffer with everything else. Vertices in several have a part for each stream, in
//! proportion to the strides, so that one number names a vertex in all of them: an engine binds every stream once and
//! draws any instance with the same first vertex.

use morph_core::VertexLayout;

use crate::desc::Capacities;
use crate::error::MorphError;

/// Where a stream of vertices lies in the geometry buffer: vertex `v` of any range at `offset + v * stride_bytes`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct VertexStream {
    /// Byte offset of vertex 0: what to bind, whatever is drawn.
    pub offset: u64,
    /// From one vertex to the next.
    pub stride_bytes: u32,
}

impl VertexStream {
    /// Byte offset of a vertex in the geometry buffer.
    pub fn offset_of(&self, vertex: u32) -> u64 {
        self.offset + u64::from(vertex) * u64::from(self.stride_bytes)
    }
}

/// The division of a geometry buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VertexSpace {
    /// Bytes of the whole buffer.
    pub(crate) geometry_bytes: u64,
    /// Bytes from its start for rest poses and deltas, and with one stream for everything.
    pub(crate) shared_bytes: u64,
    /// Vertices that the parts of the streams hold; zero where vertices share the buffer.
    pub(crate) vertex_count: u64,
    /// Ranges start at multiples of so many vertices: then each stream's bytes start where stride and device allow.
    pub(crate) vertex_alignment: u64,
    streams: [VertexStream; VertexLayout::MAX_STREAM_COUNT],
    stream_count: usize,
}

impl VertexSpace {
    /// Divides a buffer for vertices of a valid layout.
    pub(crate) fn new(layout: &VertexLayout, capacities: &Capacities, storage_alignment: u64) -> VertexSpace {
        let strides = layout.strides();
        let vertex_alignment = strides.iter().fold(1, |alignment, &stride| {
            least_common_multiple(
                alignment,
                storage_alignment / greatest_common_divisor(u64::from(stride), storage_alignment),
            )
        });
        let mut space = VertexSpace {
            geometry_bytes: capacities.geometry_bytes,
            shared_bytes: capacities.geometry_bytes,
            vertex_count: 0,
            vertex_alignment,
            streams: [VertexStream::default(); VertexLayout::MAX_STREAM_COUNT],
            stream_count: strides.len(),
        };
        let mut offset = 0;
        if let [_, _, ..] = strides {
            let range_bytes = capacities.range_bytes.min(capacities.geometry_bytes);
            // A first vertex has 32 bits. Whole multiples of the alignment, so that every stream starts aligned.
            let fit = (range_bytes / u64::from(layout.vertex_bytes())).min(u64::from(u32::MAX));
            space.vertex_count = fit / vertex_alignment * vertex_alignment;
            let taken = space.vertex_count * u64::from(layout.vertex_bytes());
            space.shared_bytes = (capacities.geometry_bytes - taken) / storage_alignment * storage_alignment;
            offset = space.shared_bytes;
        }
        for (stream, &stride_bytes) in space.streams.iter_mut().zip(strides) {
            *stream = VertexStream { offset, stride_bytes };
            offset += space.vertex_count * u64::from(stride_bytes);
        }
        space
    }

    /// Whether every stream has a part of its own.
    pub(crate) fn is_divided(&self) -> bool {
        self.stream_count > 1
    }

    pub(crate) fn streams(&self) -> &[VertexStream] {
        &self.streams[..self.stream_count]
    }

    /// Bytes of one vertex in all streams.
    pub(crate) fn vertex_bytes(&self) -> u64 {
        self.streams().iter().map(|it| u64::from(it.stride_bytes)).sum()
    }

    /// Offset and size of vertices in every stream; nothing behind the last.
    pub(crate) fn intervals(
        &self,
        first_vertex: u64,
        vertex_count: u64,
    ) -> [(u64, u64); VertexLayout::MAX_STREAM_COUNT] {
        self.streams.map(|stream| {
            let stride = u64::from(stream.stride_bytes);
            (stream.offset + first_vertex * stride, vertex_count * stride)
        })
    }

    /// Whether there is room for any vertex and any rest pose at all.
    pub(crate) fn validate(&self, capacities: &Capacities) -> Result<(), MorphError> {
        if self.is_divided() && (self.vertex_count == 0 || self.shared_bytes == 0) {
            return Err(MorphError::InvalidDesc {
                member: "range_bytes",
                given: capacities.range_bytes,
                right: "enough for some vertices of all streams, and less than `geometry_bytes`",
            });
        }
        Ok(())
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    x
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    a / greatest_common_divisor(a, b) * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn capacities(geometry_bytes: u64, range_bytes: u64) -> Capacities {
        Capacities {
            range_bytes,
            ..Capacities::new(geometry_bytes, 1, 1)
        }
    }

    #[test]
    fn one_stream_shares_the_whole_buffer() {
        let space = VertexSpace::new(&VertexLayout::PACKED, &capacities(1000, 10), 16);
        assert_eq!((space.shared_bytes, space.vertex_alignment), (1000, 2));
        let stream = VertexStream {
            offset: 0,
            stride_bytes: 40,
        };
        assert_eq!(space.streams(), [stream]);
        assert_eq!(space.intervals(6, 3)[..2], [(240, 120), (0, 0)]);
    }

    #[test]
    fn too_small_a_share_is_refused() {
        // 64 vertices of 40 bytes are the least that starts aligned in every stream.
        for range_bytes in [0, 2559, 25_600, u64::MAX] {
            let given = capacities(25_600, range_bytes);
            let refused = VertexSpace::new(&VertexLayout::SEPARATE, &given, 256).validate(&given);
            assert!(
                matches!(refused, Err(MorphError::InvalidDesc { member: "range_bytes", given, .. }) if given == range_bytes),
                "{refused:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn streams_lie_side_by_side_and_start_aligned(
            words in prop::collection::vec(1_u32..40, 2..=5),
            geometry_bytes in 20_000_u64..1_000_000,
            percent in 30_u64..90,
            alignment in prop::sample::select(vec![16_u64, 32, 64, 256]),
            first in 0_u64..1000,
        ) {
            let mut layout = VertexLayout::POSITION;
            for (stride, words) in layout.strides_bytes.iter_mut().zip(&words) {
                *stride = words * 4;
            }
            let given = capacities(geometry_bytes, geometry_bytes / 100 * percent);
            let space = VertexSpace::new(&layout, &given, alignment);
            let mut end = space.shared_bytes;
            for stream in space.streams() {
                prop_assert_eq!(stream.offset, end);
                prop_assert_eq!(stream.offset % alignment, 0);
                end += space.vertex_count * u64::from(stream.stride_bytes);
            }
            prop_assert!(end <= geometry_bytes);
            for (offset, _) in &space.intervals(first * space.vertex_alignment, 1)[..words.len()] {
                prop_assert_eq!(offset % alignment, 0);
            }
        }
    }
}
