//! The attributes of a vertex that the morph writes: what they are, how they are stored, and where.

use std::fmt;

use crate::sets::VertexSet;
use crate::streams::Stream;

/// An attribute of a vertex that the morph writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VertexAttribute {
    /// Position, normal or tangent.
    Stream(Stream),
    /// A set of texture coordinates or colors.
    Set(VertexSet),
}

impl fmt::Display for VertexAttribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VertexAttribute::Stream(stream) => stream.fmt(f),
            VertexAttribute::Set(set) => set.fmt(f),
        }
    }
}

impl VertexAttribute {
    /// How many floats it has: 3 for positions and normals, 4 for tangents and colors, 2 for texture coordinates.
    const fn component_count(self) -> u32 {
        match self {
            VertexAttribute::Stream(Stream::Position | Stream::Normal) => 3,
            VertexAttribute::Stream(Stream::Tangent) | VertexAttribute::Set(VertexSet::Color(_)) => 4,
            VertexAttribute::Set(VertexSet::Texcoord(_)) => 2,
        }
    }

    /// Bytes of its floats.
    pub(crate) const fn float_bytes(self) -> u32 {
        4 * self.component_count()
    }

    /// Bytes that it takes of a vertex.
    pub(crate) const fn bytes_as(self, format: VertexFormat) -> u32 {
        match format {
            VertexFormat::Float32 => self.float_bytes(),
            VertexFormat::Snorm10 | VertexFormat::Octahedral16 => 4,
        }
    }
}

/// How the numbers of an attribute are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VertexFormat {
    /// 32-bit floats: `R32G32B32_SFLOAT` for positions and normals, `R32G32B32A32_SFLOAT` for tangents and colors,
    /// `R32G32_SFLOAT` for texture coordinates. Directions are sums and not unit.
    Float32,
    /// A unit direction in 32 bits, `A2B10G10R10_SNORM_PACK32`: x in the lowest ten bits; the handedness of a tangent
    /// is w, and the w of a normal is zero. Vertex input reads it as it is. See [`encode_snorm10`](crate::encode_snorm10).
    Snorm10,
    /// A unit normal in 32 bits, `R16G16_SNORM`: an octahedral map, which every Vulkan device can fetch and the vertex
    /// shader unfolds. See [`encode_octahedral16`](crate::encode_octahedral16).
    Octahedral16,
}

impl fmt::Display for VertexFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            VertexFormat::Float32 => "32-bit floats",
            VertexFormat::Snorm10 => "10-bit signed integers",
            VertexFormat::Octahedral16 => "an octahedral map",
        })
    }
}

/// Where an attribute lies, and how its numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttributePlace {
    /// The stream of vertices that it is part of.
    pub stream: u32,
    /// Its first byte within a vertex of the stream.
    pub offset: u32,
    /// How its numbers are stored.
    pub format: VertexFormat,
}

impl AttributePlace {
    /// Floats.
    pub const fn floats(stream: u32, offset: u32) -> AttributePlace {
        AttributePlace {
            stream,
            offset,
            format: VertexFormat::Float32,
        }
    }
}

/// Where a set of texture coordinates or colors lies; its numbers are floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SetPlace {
    /// Which set: 0 for `TEXCOORD_0` or `COLOR_0`.
    pub set: u32,
    /// The stream of vertices that it is part of.
    pub stream: u32,
    /// Its first byte within a vertex of the stream.
    pub offset: u32,
}
