//! How the engine lays out its vertices: in one interleaved stream, or in several.

use crate::sets::VertexSet;
use crate::streams::{Stream, Streams};
use crate::vertex_attribute::{AttributePlace, SetPlace, VertexAttribute, VertexFormat};

/// Where the morphed attributes lie in the vertices of the engine's own format.
///
/// Vertices lie in one stream, interleaved, or in several, each bound by itself; vertex `v` is the `v`th of every
/// stream.
/// All numbers are bytes and multiples of 4.
/// Bytes that no attribute covers belong to the engine and are copied untouched, and so is the tangent's w.
///
/// ```
/// use morph_core::{VertexFormat, VertexLayout};
///
/// // Position, normal, 8 bytes of the engine's own.
/// let interleaved = VertexLayout::interleaved(32).with_normal(0, 12, VertexFormat::Float32);
/// // Positions by themselves for depth and shadow passes; normal and tangent packed beside each other.
/// let separate = VertexLayout::in_streams([12, 8])
///     .with_normal(1, 0, VertexFormat::Snorm10)
///     .with_tangent(1, 4, VertexFormat::Snorm10);
/// assert_eq!((interleaved.validate(), separate.validate()), (Ok(()), Ok(())));
/// assert_eq!(separate.vertex_bytes(), 20);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VertexLayout {
    /// From one vertex to the next in each stream; zero behind the last stream.
    pub strides_bytes: [u32; VertexLayout::MAX_STREAM_COUNT],
    /// The position.
    pub position: AttributePlace,
    /// The normal, where vertices have one.
    pub normal: Option<AttributePlace>,
    /// The tangent, where vertices have one.
    pub tangent: Option<AttributePlace>,
    /// The morphed set of texture coordinates, where vertices have one.
    pub texcoord: Option<SetPlace>,
    /// The morphed set of colors, where vertices have one.
    pub color: Option<SetPlace>,
}

/// Where a kernel reads a float attribute in the bytes of a [`RestPose`](crate::RestPose): of `n` vertices, vertex `v`
/// has it at `base_bytes * n + stride_bytes * v + offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RestPlace {
    /// Bytes a vertex of all that lies before.
    pub base_bytes: u32,
    /// From one vertex to the next.
    pub stride_bytes: u32,
    /// First byte within.
    pub offset: u32,
}

/// A vertex layout that cannot be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// The stride of a stream is zero or not a multiple of 4.
    #[error(
        "a stride of {stride_bytes} bytes in vertex stream {stream}: it must be a multiple of 4 and not zero"
    )]
    Stride {
        /// The stream.
        stream: u32,
        /// The stride given.
        stride_bytes: u32,
    },
    /// All streams together make vertices that no 32-bit number counts.
    #[error("a vertex of {vertex_bytes} bytes in all streams: it must be less than 2^32")]
    VertexBytes {
        /// The sum of the strides.
        vertex_bytes: u64,
    },
    /// No attribute lies in a stream.
    #[error("no attribute lies in vertex stream {stream}: keep the engine's own streams elsewhere")]
    IdleStream {
        /// The stream.
        stream: u32,
    },
    /// An attribute lies in a stream that is not there.
    #[error("the {attribute} lies in vertex stream {stream}, and there are {stream_count}: name one of them")]
    NoSuchStream {
        /// The attribute.
        attribute: VertexAttribute,
        /// Its stream.
        stream: u32,
        /// How many streams there are.
        stream_count: u32,
    },
    /// An attribute does not start on a multiple of 4.
    #[error("the {attribute} starts at byte {offset}: it must start at a multiple of 4")]
    Misaligned {
        /// The attribute.
        attribute: VertexAttribute,
        /// Its offset.
        offset: u32,
    },
    /// An attribute ends after its vertex.
    #[error(
        "the {attribute} takes bytes {offset} to {end} of a vertex that has {stride_bytes}: lower its offset or raise the stride"
    )]
    PastStride {
        /// The attribute.
        attribute: VertexAttribute,
        /// Its offset.
        offset: u32,
        /// One past its last byte.
        end: u64,
        /// The stride of its stream.
        stride_bytes: u32,
    },
    /// Two attributes share bytes.
    #[error("the {first} and the {second} share bytes of the vertex: give each its own")]
    Overlap {
        /// The one that comes first in the list position, normal, tangent, texture coordinates, colors.
        first: VertexAttribute,
        /// The other one.
        second: VertexAttribute,
    },
    /// An attribute cannot be stored like that.
    #[error("the {attribute} as {format}: {right}")]
    Format {
        /// The attribute.
        attribute: VertexAttribute,
        /// The format given.
        format: VertexFormat,
        /// What would be right.
        right: &'static str,
    },
}

impl VertexLayout {
    /// The most streams: one for each attribute.
    pub const MAX_STREAM_COUNT: usize = 5;

    /// Position, normal, tangent with w in one stream: 40 bytes.
    pub const PACKED: VertexLayout = VertexLayout::interleaved(40)
        .with_normal(0, 12, VertexFormat::Float32)
        .with_tangent(0, 24, VertexFormat::Float32);
    /// Position and normal in one stream: 24 bytes.
    pub const POSITION_NORMAL: VertexLayout =
        VertexLayout::interleaved(24).with_normal(0, 12, VertexFormat::Float32);
    /// Position only: 12 bytes.
    pub const POSITION: VertexLayout = VertexLayout::interleaved(12);
    /// Position, normal, tangent with w, each in a stream of its own: 12, 12 and 16 bytes.
    pub const SEPARATE: VertexLayout = VertexLayout::in_streams([12, 12, 16])
        .with_normal(1, 0, VertexFormat::Float32)
        .with_tangent(2, 0, VertexFormat::Float32);
    /// The same with directions of ten bits a component: 12, 4 and 4 bytes.
    pub const SEPARATE_SNORM10: VertexLayout = VertexLayout::in_streams([12, 4, 4])
        .with_normal(1, 0, VertexFormat::Snorm10)
        .with_tangent(2, 0, VertexFormat::Snorm10);

    /// One stream of this stride, with the position at its start.
    pub const fn interleaved(stride_bytes: u32) -> VertexLayout {
        VertexLayout::in_streams([stride_bytes])
    }

    /// Streams of these strides, up to [`MAX_STREAM_COUNT`](Self::MAX_STREAM_COUNT), with the position at the start of
    /// the first.
    pub const fn in_streams<const N: usize>(strides_bytes: [u32; N]) -> VertexLayout {
        const { assert!(N >= 1 && N <= VertexLayout::MAX_STREAM_COUNT) };
        let mut layout = VertexLayout {
            strides_bytes: [0; VertexLayout::MAX_STREAM_COUNT],
            position: AttributePlace::floats(0, 0),
            normal: None,
            tangent: None,
            texcoord: None,
            color: None,
        };
        let mut stream = 0;
        while stream < N {
            layout.strides_bytes[stream] = strides_bytes[stream];
            stream += 1;
        }
        layout
    }

    /// The same with the position elsewhere.
    #[must_use]
    pub const fn with_position(mut self, stream: u32, offset: u32) -> VertexLayout {
        self.position = AttributePlace::floats(stream, offset);
        self
    }

    /// The same with normals.
    #[must_use]
    pub const fn with_normal(mut self, stream: u32, offset: u32, format: VertexFormat) -> VertexLayout {
        self.normal = Some(AttributePlace {
            stream,
            offset,
            format,
        });
        self
    }

    /// The same with tangents.
    #[must_use]
    pub const fn with_tangent(mut self, stream: u32, offset: u32, format: VertexFormat) -> VertexLayout {
        self.tangent = Some(AttributePlace {
            stream,
            offset,
            format,
        });
        self
    }

    /// The same with a morphed set of texture coordinates.
    #[must_use]
    pub const fn with_texcoord(mut self, set: u32, stream: u32, offset: u32) -> VertexLayout {
        self.texcoord = Some(SetPlace { set, stream, offset });
        self
    }

    /// The same with a morphed set of colors.
    #[must_use]
    pub const fn with_color(mut self, set: u32, stream: u32, offset: u32) -> VertexLayout {
        self.color = Some(SetPlace { set, stream, offset });
        self
    }

    /// Position, then the other attributes of a set in one stream, with nothing between them: 12 to 40 bytes.
    pub const fn tight(streams: Streams) -> VertexLayout {
        match (streams.normals, streams.tangents) {
            (true, true) => VertexLayout::PACKED,
            (true, false) => VertexLayout::POSITION_NORMAL,
            (false, true) => VertexLayout::interleaved(28).with_tangent(0, 12, VertexFormat::Float32),
            (false, false) => VertexLayout::POSITION,
        }
    }

    /// How many streams there are.
    pub fn stream_count(&self) -> usize {
        let first_absent = self.strides_bytes.iter().position(|&stride| stride == 0);
        first_absent.unwrap_or(Self::MAX_STREAM_COUNT)
    }

    /// The strides of the streams, in bytes.
    pub fn strides(&self) -> &[u32] {
        &self.strides_bytes[..self.stream_count()]
    }

    /// Bytes of one vertex in all streams together; the stride where there is one stream.
    pub fn vertex_bytes(&self) -> u32 {
        self.strides().iter().copied().fold(0, u32::saturating_add)
    }

    /// Bytes of one vertex in the streams before one: times the number of vertices, that is where the stream starts in a
    /// rest pose.
    pub fn bytes_before(&self, stream: usize) -> u32 {
        let before = self.strides_bytes.iter().take(stream);
        before.copied().fold(0, u32::saturating_add)
    }

    /// The attributes with their places: position, normal, tangent, texture coordinates, colors.
    pub fn attributes(&self) -> impl Iterator<Item = (VertexAttribute, AttributePlace)> + use<> {
        let set = |place: SetPlace| AttributePlace::floats(place.stream, place.offset);
        let texcoord = self
            .texcoord
            .map(|place| (VertexAttribute::Set(VertexSet::Texcoord(place.set)), set(place)));
        let color = self
            .color
            .map(|place| (VertexAttribute::Set(VertexSet::Color(place.set)), set(place)));
        let streams = Stream::ALL.map(|stream| {
            self.place(stream)
                .map(|place| (VertexAttribute::Stream(stream), place))
        });
        streams.into_iter().chain([texcoord, color]).flatten()
    }

    /// Where position, normal or tangent lies, where the layout has it.
    pub fn place(&self, stream: Stream) -> Option<AttributePlace> {
        match stream {
            Stream::Position => Some(self.position),
            Stream::Normal => self.normal,
            Stream::Tangent => self.tangent,
        }
    }

    /// Whether vertices lie in one stream and every attribute is floats.
    pub fn is_interleaved_floats(&self) -> bool {
        self.stream_count() == 1 && self.packed_attributes().next().is_none()
    }

    /// The attributes that are not stored as floats.
    pub fn packed_attributes(&self) -> impl Iterator<Item = (VertexAttribute, AttributePlace)> + use<> {
        self.attributes()
            .filter(|(_, place)| place.format != VertexFormat::Float32)
    }

    /// Bytes a vertex takes in a rest pose: those of all streams, and behind them the floats that packed attributes are
    /// packed from.
    pub fn rest_vertex_bytes(&self) -> u32 {
        let sources = self
            .packed_attributes()
            .map(|(attribute, _)| attribute.float_bytes());
        sources.fold(self.vertex_bytes(), u32::saturating_add)
    }

    /// Where kernels read the floats of an attribute in a rest pose: in its stream, or, where it is packed, behind all
    /// streams, because a morph adds to what the normal was before it was packed.
    pub fn rest_place(&self, attribute: VertexAttribute) -> Option<RestPlace> {
        let (_, place) = self.attributes().find(|(it, _)| *it == attribute)?;
        if place.format == VertexFormat::Float32 {
            return Some(RestPlace {
                base_bytes: self.bytes_before(place.stream as usize),
                stride_bytes: *self.strides_bytes.get(place.stream as usize)?,
                offset: place.offset,
            });
        }
        let before = self.packed_attributes().take_while(|(it, _)| *it != attribute);
        Some(RestPlace {
            base_bytes: before
                .map(|(it, _)| it.float_bytes())
                .fold(self.vertex_bytes(), u32::saturating_add),
            stride_bytes: attribute.float_bytes(),
            offset: 0,
        })
    }

    /// Checks strides, alignment and formats, that every attribute lies inside its vertex and every stream has one, and
    /// that none overlap.
    pub fn validate(&self) -> Result<(), LayoutError> {
        self.validate_streams()?;
        let mut seen: Vec<(VertexAttribute, u32, u64, u64)> = Vec::with_capacity(5);
        for (attribute, place) in self.attributes() {
            let (start, end) = self.validate_attribute(attribute, place)?;
            let overlapped = seen
                .iter()
                .find(|&&(_, stream, s, e)| stream == place.stream && start < e && s < end);
            if let Some(&(first, ..)) = overlapped {
                return Err(LayoutError::Overlap {
                    first,
                    second: attribute,
                });
            }
            seen.push((attribute, place.stream, start, end));
        }
        let idle = (0..self.stream_count() as u32).find(|stream| seen.iter().all(|it| it.1 != *stream));
        match idle {
            Some(stream) => Err(LayoutError::IdleStream { stream }),
            None => Ok(()),
        }
    }

    fn validate_streams(&self) -> Result<(), LayoutError> {
        let last = self.strides_bytes.iter().rposition(|&stride| stride != 0);
        let present = &self.strides_bytes[..=last.unwrap_or(0)];
        let wrong = present
            .iter()
            .position(|stride| *stride == 0 || !stride.is_multiple_of(4));
        if let Some(stream) = wrong {
            return Err(LayoutError::Stride {
                stream: stream as u32,
                stride_bytes: self.strides_bytes[stream],
            });
        }
        let sources = self
            .packed_attributes()
            .map(|(attribute, _)| attribute.float_bytes());
        let vertex_bytes = present.iter().copied().chain(sources).map(u64::from).sum();
        if vertex_bytes > u64::from(u32::MAX) {
            return Err(LayoutError::VertexBytes { vertex_bytes });
        }
        Ok(())
    }

    /// The bytes that an attribute takes of its vertex.
    fn validate_attribute(
        &self,
        attribute: VertexAttribute,
        place: AttributePlace,
    ) -> Result<(u64, u64), LayoutError> {
        let AttributePlace {
            stream,
            offset,
            format,
        } = place;
        let stream_count = self.stream_count() as u32;
        if stream >= stream_count {
            return Err(LayoutError::NoSuchStream {
                attribute,
                stream,
                stream_count,
            });
        }
        let is_position = attribute == VertexAttribute::Stream(Stream::Position);
        let is_tangent = attribute == VertexAttribute::Stream(Stream::Tangent);
        let right = match format {
            VertexFormat::Float32 => None,
            _ if is_position => Some("positions are 32-bit floats"),
            VertexFormat::Octahedral16 if is_tangent => {
                Some("it has no room for the handedness; tangents are floats or 10-bit signed integers")
            }
            VertexFormat::Snorm10 | VertexFormat::Octahedral16 => None,
        };
        if let Some(right) = right {
            return Err(LayoutError::Format {
                attribute,
                format,
                right,
            });
        }
        if !offset.is_multiple_of(4) {
            return Err(LayoutError::Misaligned { attribute, offset });
        }
        let start = u64::from(offset);
        let end = start + u64::from(attribute.bytes_as(format));
        let stride_bytes = self.strides_bytes[stream as usize];
        if end > u64::from(stride_bytes) {
            return Err(LayoutError::PastStride {
                attribute,
                offset,
                end,
                stride_bytes,
            });
        }
        Ok((start, end))
    }
}
