//! The rest pose: as streams for the host, and as the bytes of vertices that a device gets.

mod pose;

use crate::domain::{to_domain3, zeroed_components};
use crate::sets::VertexSet;
use crate::streams::{Stream, Streams};
use crate::vertex_layout::LayoutError;

pub use pose::{RestAttributes, RestPose};

/// A rest pose that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RestError {
    /// The vertex layout is wrong.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The bytes are no whole number of vertices.
    #[error("{given_bytes} bytes are no whole number of vertices of {stride_bytes} bytes: check the stride")]
    PartialVertex {
        /// How many bytes were given.
        given_bytes: usize,
        /// Bytes of a vertex: the strides of all streams.
        stride_bytes: u32,
    },
    /// More vertices than a 32-bit index reaches.
    #[error(
        "{given} vertices are more than the {} that a 32-bit count reaches: split the mesh",
        u32::MAX
    )]
    TooManyVertices {
        /// How many were given.
        given: usize,
    },
    /// The streams are not equally long.
    #[error("{found} {stream} values for {expected} positions: give one for each vertex")]
    StreamLength {
        /// The stream.
        stream: Stream,
        /// How many values there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A set is not as long as the positions.
    #[error("{found} values of {set} for {expected} positions: give one for each vertex")]
    SetLength {
        /// The set.
        set: VertexSet,
        /// How many values there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A component is NaN or infinite.
    #[error("the {stream} of vertex {vertex} has the component {value}; rest poses must be finite")]
    NotFinite {
        /// The stream.
        stream: Stream,
        /// The vertex.
        vertex: u32,
        /// The offending component.
        value: f32,
    },
    /// A component of a set of texture coordinates or colors is NaN or infinite.
    #[error("{set} of vertex {vertex} has the component {value}; rest poses must be finite")]
    SetNotFinite {
        /// The set.
        set: VertexSet,
        /// The vertex.
        vertex: u32,
        /// The offending component.
        value: f32,
    },
    /// The vertices do not fit into this machine's memory.
    #[error(
        "{vertex_count} vertices of {stride_bytes} bytes do not fit into memory: check the stride, or split the mesh"
    )]
    TooLarge {
        /// How many vertices there are.
        vertex_count: usize,
        /// Bytes that a vertex takes.
        stride_bytes: u32,
    },
}

/// What becomes of base normals on the way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BaseNormals {
    /// Kept, apart from the domain rule.
    AsGiven,
    /// Made unit; an unset one (zero length) becomes +Y.
    MakeUnit,
}

/// The rest pose as the host kernel reads it: finite, and in the domain of the arithmetic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RestStreams {
    /// Positions in model units.
    pub positions: Vec<[f32; 3]>,
    /// Normals, where the mesh has them.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Tangent directions (xyz), where the mesh has them.
    pub tangents: Option<Vec<[f32; 3]>>,
}

impl RestStreams {
    /// Checks lengths and finiteness, applies the domain rule, and says how many components it made zero.
    pub fn new(
        mut positions: Vec<[f32; 3]>,
        mut normals: Option<Vec<[f32; 3]>>,
        mut tangents: Option<Vec<[f32; 3]>>,
    ) -> Result<(RestStreams, u64), RestError> {
        let vertex_count = positions.len();
        check_vertex_count(vertex_count)?;
        check_length(Stream::Normal, normals.as_deref(), vertex_count)?;
        check_length(Stream::Tangent, tangents.as_deref(), vertex_count)?;
        let mut zeroed = admit(Stream::Position, &mut positions)?;
        for (stream, values) in [(Stream::Normal, &mut normals), (Stream::Tangent, &mut tangents)] {
            if let Some(values) = values {
                zeroed += admit(stream, values)?;
            }
        }
        Ok((
            RestStreams {
                positions,
                normals,
                tangents,
            },
            zeroed,
        ))
    }

    /// Which streams there are.
    pub fn streams(&self) -> Streams {
        Streams {
            positions: true,
            normals: self.normals.is_some(),
            tangents: self.tangents.is_some(),
        }
    }
}

/// Checks a stream for finiteness, applies the domain rule in place, and counts what that made zero.
fn admit(stream: Stream, values: &mut [[f32; 3]]) -> Result<u64, RestError> {
    let mut zeroed = 0;
    for (v, value) in values.iter_mut().enumerate() {
        check_finite(stream, v, *value)?;
        zeroed += u64::from(zeroed_components(*value));
        *value = to_domain3(*value);
    }
    Ok(zeroed)
}

fn check_finite(stream: Stream, vertex: usize, value: [f32; 3]) -> Result<(), RestError> {
    match value.into_iter().find(|x| !x.is_finite()) {
        Some(value) => Err(RestError::NotFinite {
            stream,
            vertex: vertex as u32,
            value,
        }),
        None => Ok(()),
    }
}

fn check_vertex_count(given: usize) -> Result<u32, RestError> {
    u32::try_from(given).map_err(|_| RestError::TooManyVertices { given })
}

fn check_length<T>(stream: Stream, values: Option<&[T]>, expected: usize) -> Result<(), RestError> {
    match values {
        Some(values) if values.len() != expected => Err(RestError::StreamLength {
            stream,
            expected,
            found: values.len(),
        }),
        _ => Ok(()),
    }
}
