//! How the engine lays out one interleaved vertex.

use crate::streams::{Stream, Streams};

/// Where the morphed attributes lie inside one interleaved vertex of the engine's own format.
///
/// All numbers are bytes and multiples of 4.
/// Position and normal are three 32-bit floats, the tangent is four (its w is kept as it is).
/// Bytes that no attribute covers belong to the engine and are copied untouched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VertexLayout {
    /// From one vertex to the next.
    pub stride_bytes: u32,
    /// Start of the position.
    pub position_offset: u32,
    /// Start of the normal, where vertices have one.
    pub normal_offset: Option<u32>,
    /// Start of the tangent, where vertices have one.
    pub tangent_offset: Option<u32>,
}

/// A vertex layout that cannot be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// The stride is zero or not a multiple of 4.
    #[error("a vertex stride of {stride_bytes} bytes: it must be a multiple of 4 and at least 12")]
    Stride {
        /// The stride given.
        stride_bytes: u32,
    },
    /// An attribute does not start on a multiple of 4.
    #[error("the {stream} starts at byte {offset}: it must start at a multiple of 4")]
    Misaligned {
        /// The attribute.
        stream: Stream,
        /// Its offset.
        offset: u32,
    },
    /// An attribute ends after its vertex.
    #[error(
        "the {stream} takes bytes {offset} to {end} of a vertex that has {stride_bytes}: lower its offset or raise the stride"
    )]
    PastStride {
        /// The attribute.
        stream: Stream,
        /// Its offset.
        offset: u32,
        /// One past its last byte.
        end: u64,
        /// The stride given.
        stride_bytes: u32,
    },
    /// Two attributes share bytes.
    #[error("the {first} and the {second} share bytes of the vertex: give each its own")]
    Overlap {
        /// The one that starts first in the list position, normal, tangent.
        first: Stream,
        /// The other one.
        second: Stream,
    },
}

impl VertexLayout {
    /// Position, normal, tangent with w: 40 bytes.
    pub const PACKED: VertexLayout = VertexLayout {
        stride_bytes: 40,
        position_offset: 0,
        normal_offset: Some(12),
        tangent_offset: Some(24),
    };
    /// Position and normal: 24 bytes.
    pub const POSITION_NORMAL: VertexLayout = VertexLayout {
        stride_bytes: 24,
        position_offset: 0,
        normal_offset: Some(12),
        tangent_offset: None,
    };
    /// Position only: 12 bytes.
    pub const POSITION: VertexLayout = VertexLayout {
        stride_bytes: 12,
        position_offset: 0,
        normal_offset: None,
        tangent_offset: None,
    };

    /// Position, then the other attributes of a set, with nothing between them: 12 to 40 bytes.
    pub fn tight(streams: Streams) -> VertexLayout {
        match (streams.normals, streams.tangents) {
            (true, true) => VertexLayout::PACKED,
            (true, false) => VertexLayout::POSITION_NORMAL,
            (false, true) => VertexLayout {
                stride_bytes: 28,
                tangent_offset: Some(12),
                ..VertexLayout::POSITION
            },
            (false, false) => VertexLayout::POSITION,
        }
    }

    /// Checks alignment, that every attribute lies inside the vertex, and that none overlap.
    pub fn validate(&self) -> Result<(), LayoutError> {
        let stride_bytes = self.stride_bytes;
        if stride_bytes == 0 || !stride_bytes.is_multiple_of(4) {
            return Err(LayoutError::Stride { stride_bytes });
        }
        let mut seen: Vec<(Stream, u64, u64)> = Vec::with_capacity(3);
        for second in Stream::ALL {
            let Some(offset) = self.offset(second) else {
                continue;
            };
            if !offset.is_multiple_of(4) {
                return Err(LayoutError::Misaligned {
                    stream: second,
                    offset,
                });
            }
            let start = u64::from(offset);
            let end = start + attribute_bytes(second);
            if end > u64::from(stride_bytes) {
                return Err(LayoutError::PastStride {
                    stream: second,
                    offset,
                    end,
                    stride_bytes,
                });
            }
            if let Some(&(first, ..)) = seen.iter().find(|&&(_, s, e)| start < e && s < end) {
                return Err(LayoutError::Overlap { first, second });
            }
            seen.push((second, start, end));
        }
        Ok(())
    }

    /// Byte offset of an attribute, where the layout has it.
    pub fn offset(&self, stream: Stream) -> Option<u32> {
        match stream {
            Stream::Position => Some(self.position_offset),
            Stream::Normal => self.normal_offset,
            Stream::Tangent => self.tangent_offset,
        }
    }
}

fn attribute_bytes(stream: Stream) -> u64 {
    match stream {
        Stream::Position | Stream::Normal => 12,
        Stream::Tangent => 16,
    }
}
