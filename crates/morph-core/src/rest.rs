//! The rest pose: as streams for the host, and as the interleaved bytes that a device gets.

use crate::domain::{to_domain3, zeroed_components};
use crate::rounding::length;
use crate::sets::VertexSet;
use crate::streams::{Stream, Streams};
use crate::vertex_layout::{LayoutError, VertexLayout};

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
        /// The stride of the layout.
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
    /// The interleaved vertices do not fit into this machine's memory.
    #[error(
        "{vertex_count} vertices of {stride_bytes} bytes do not fit into memory: check the stride, or split the mesh"
    )]
    TooLarge {
        /// How many vertices there are.
        vertex_count: usize,
        /// The stride of the layout.
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

/// The rest pose as interleaved vertices, byte for byte as they are uploaded.
///
/// Position, normal and tangent direction are finite and have the domain rule applied; every other byte, the
/// tangent's w among them, is the caller's.
/// Floats are in the byte order of the host, which is the device's too.
#[derive(Clone, Debug, PartialEq)]
pub struct RestPose {
    layout: VertexLayout,
    vertex_count: u32,
    bytes: Vec<u8>,
    zeroed_component_count: u64,
}

impl RestPose {
    /// Takes over interleaved vertices and applies the domain rule to the attributes that the layout names.
    pub fn from_vertices(
        layout: VertexLayout,
        vertices: Vec<u8>,
        base_normals: BaseNormals,
    ) -> Result<RestPose, RestError> {
        layout.validate()?;
        let stride = layout.stride_bytes as usize;
        if !vertices.len().is_multiple_of(stride) {
            return Err(RestError::PartialVertex {
                given_bytes: vertices.len(),
                stride_bytes: layout.stride_bytes,
            });
        }
        let vertex_count = check_vertex_count(vertices.len() / stride)?;
        let mut pose = RestPose {
            layout,
            vertex_count,
            bytes: vertices,
            zeroed_component_count: 0,
        };
        for stream in Stream::ALL {
            pose.admit(stream, base_normals)?;
        }
        Ok(pose)
    }

    /// Takes over vertices of which every attribute is known to be finite and in the domain, and which are as many
    /// bytes as a valid layout needs.
    pub(crate) fn from_admitted(
        layout: VertexLayout,
        bytes: Vec<u8>,
        zeroed_component_count: u64,
    ) -> RestPose {
        RestPose {
            layout,
            vertex_count: (bytes.len() / layout.stride_bytes as usize) as u32,
            bytes,
            zeroed_component_count,
        }
    }

    /// Interleaves separate streams.
    ///
    /// A stream that the layout has and the caller does not is written as zeros (normals as `base_normals`
    /// says: zero when kept as given, +Y when made unit); bytes that no attribute covers are zero.
    /// A stream that the layout does not have is checked for its length and left out.
    pub fn from_streams(
        layout: VertexLayout,
        positions: &[[f32; 3]],
        normals: Option<&[[f32; 3]]>,
        tangents: Option<&[[f32; 4]]>,
        base_normals: BaseNormals,
    ) -> Result<RestPose, RestError> {
        layout.validate()?;
        let vertex_count = positions.len();
        check_vertex_count(vertex_count)?;
        check_length(Stream::Normal, normals, vertex_count)?;
        check_length(Stream::Tangent, tangents, vertex_count)?;
        let stride = layout.stride_bytes as usize;
        let too_large = || RestError::TooLarge {
            vertex_count,
            stride_bytes: layout.stride_bytes,
        };
        let byte_count = vertex_count.checked_mul(stride).ok_or_else(too_large)?;
        // The stride is the caller's: a wrong one should be an error and not the end of the program.
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(byte_count).map_err(|_| too_large())?;
        bytes.resize(byte_count, 0);
        for (v, vertex) in bytes.chunks_exact_mut(stride).enumerate() {
            write_floats(vertex, Some(layout.position_offset), &positions[v]);
            if let Some(normals) = normals {
                write_floats(vertex, layout.normal_offset, &normals[v]);
            }
            if let Some(tangents) = tangents {
                write_floats(vertex, layout.tangent_offset, &tangents[v]);
            }
        }
        RestPose::from_vertices(layout, bytes, base_normals)
    }

    /// Where the attributes lie in a vertex.
    pub fn layout(&self) -> VertexLayout {
        self.layout
    }

    /// How many vertices there are.
    pub fn vertex_count(&self) -> u32 {
        self.vertex_count
    }

    /// The vertices, `vertex_count` times the layout's stride.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Components that were not zero and became zero because they were below 2⁻⁴⁰.
    pub fn zeroed_component_count(&self) -> u64 {
        self.zeroed_component_count
    }

    /// The attributes as separate streams, for the host kernel; the very values that the device reads.
    pub fn streams(&self) -> RestStreams {
        let read = |offset: u32| -> Vec<[f32; 3]> {
            self.bytes
                .chunks_exact(self.layout.stride_bytes as usize)
                .map(|vertex| read_float3(vertex, offset as usize))
                .collect()
        };
        RestStreams {
            positions: read(self.layout.position_offset),
            normals: self.layout.normal_offset.map(read),
            tangents: self.layout.tangent_offset.map(read),
        }
    }

    /// Checks one attribute of every vertex, applies the domain rule, and makes normals unit where asked.
    fn admit(&mut self, stream: Stream, base_normals: BaseNormals) -> Result<(), RestError> {
        let Some(offset) = self.layout.offset(stream) else {
            return Ok(());
        };
        let make_unit = stream == Stream::Normal && base_normals == BaseNormals::MakeUnit;
        for (v, vertex) in self
            .bytes
            .chunks_exact_mut(self.layout.stride_bytes as usize)
            .enumerate()
        {
            let given = read_float3(vertex, offset as usize);
            check_finite(stream, v, given)?;
            self.zeroed_component_count += u64::from(zeroed_components(given));
            let mut value = to_domain3(given);
            if make_unit {
                let unit = unit_or_up(value);
                self.zeroed_component_count += u64::from(zeroed_components(unit));
                value = to_domain3(unit);
            }
            write_floats(vertex, Some(offset), &value);
        }
        Ok(())
    }
}

/// The unit vector along `v`, or +Y where `v` is zero.
fn unit_or_up(v: [f32; 3]) -> [f32; 3] {
    let length = length(v);
    if length == 0.0 {
        [0.0, 1.0, 0.0]
    } else {
        v.map(|x| (f64::from(x) / length) as f32)
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

/// Writes floats at an offset that the layout's validation has shown to lie inside the vertex.
fn write_floats(vertex: &mut [u8], offset: Option<u32>, values: &[f32]) {
    let Some(offset) = offset else { return };
    for (bytes, value) in vertex[offset as usize..].chunks_exact_mut(4).zip(values) {
        bytes.copy_from_slice(&value.to_ne_bytes());
    }
}

/// Reads three floats at an offset that the layout's validation has shown to lie inside the vertex.
fn read_float3(vertex: &[u8], offset: usize) -> [f32; 3] {
    [0, 4, 8].map(|component| {
        let at = offset + component;
        f32::from_ne_bytes([vertex[at], vertex[at + 1], vertex[at + 2], vertex[at + 3]])
    })
}
