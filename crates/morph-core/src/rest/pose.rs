//! The rest pose as the engine's vertices, byte for byte as they are uploaded.

use crate::domain::{to_domain3, zeroed_components};
use crate::packed::{decode_octahedral16, decode_snorm10};
use crate::rounding::length;
use crate::set_kernel::RestSet;
use crate::sets::VertexSet;
use crate::streams::Stream;
use crate::vertex_attribute::{AttributePlace, SetPlace, VertexAttribute, VertexFormat};
use crate::vertex_layout::VertexLayout;

use super::{BaseNormals, RestError, RestStreams, check_finite, check_length, check_vertex_count};

/// The attributes of vertices, one value each, for [`RestPose::from_attributes`].
#[derive(Clone, Copy, Debug, Default)]
pub struct RestAttributes<'a> {
    /// Positions in model units.
    pub positions: &'a [[f32; 3]],
    /// Normals.
    pub normals: Option<&'a [[f32; 3]]>,
    /// Tangent directions and handedness.
    pub tangents: Option<&'a [[f32; 4]]>,
    /// The set of texture coordinates that the layout names.
    pub texcoords: Option<&'a [[f32; 2]]>,
    /// The set of colors that the layout names.
    pub colors: Option<&'a [[f32; 4]]>,
}

/// The rest pose as the engine's vertices, byte for byte as they are uploaded.
///
/// The bytes are the streams of the layout one after the other, which for an interleaved layout are the vertices, and
/// behind them, where the layout packs directions, the floats that they are packed from: a morph adds to those.
/// What the layout packs is always packed from these floats, so an instance at rest and a vertex that no target moves
/// show the same bits.
///
/// Attributes are finite and have the domain rule applied, and colors are clamped to 0..=1; every other byte, the
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
    /// Takes over vertices, stream after stream, and applies the domain rule to the attributes that the layout names.
    ///
    /// Packed directions are unpacked, and packed again from unit ones.
    pub fn from_vertices(
        layout: VertexLayout,
        vertices: Vec<u8>,
        base_normals: BaseNormals,
    ) -> Result<RestPose, RestError> {
        layout.validate()?;
        let stride = layout.vertex_bytes() as usize;
        if !vertices.len().is_multiple_of(stride) {
            return Err(RestError::PartialVertex {
                given_bytes: vertices.len(),
                stride_bytes: layout.vertex_bytes(),
            });
        }
        let vertex_count = check_vertex_count(vertices.len() / stride)?;
        let mut pose = RestPose {
            layout,
            vertex_count,
            bytes: vertices,
            zeroed_component_count: 0,
        };
        pose.grow(pose.size_bytes()?)?;
        pose.unpack();
        pose.admitted(base_normals)
    }

    /// Takes over vertices of which every attribute is known to be finite and in the domain, and which are as many
    /// bytes as a valid layout of floats needs.
    pub(crate) fn from_admitted(
        layout: VertexLayout,
        bytes: Vec<u8>,
        zeroed_component_count: u64,
    ) -> RestPose {
        RestPose {
            layout,
            vertex_count: (bytes.len() / layout.rest_vertex_bytes() as usize) as u32,
            bytes,
            zeroed_component_count,
        }
    }

    /// Makes vertices out of positions, normals and tangents; see [`from_attributes`](Self::from_attributes).
    pub fn from_streams(
        layout: VertexLayout,
        positions: &[[f32; 3]],
        normals: Option<&[[f32; 3]]>,
        tangents: Option<&[[f32; 4]]>,
        base_normals: BaseNormals,
    ) -> Result<RestPose, RestError> {
        let attributes = RestAttributes {
            positions,
            normals,
            tangents,
            ..RestAttributes::default()
        };
        RestPose::from_attributes(layout, &attributes, base_normals)
    }

    /// Makes vertices out of their attributes.
    ///
    /// An attribute that the layout has and the caller does not is written as zeros (normals as `base_normals`
    /// says: zero when kept as given, +Y when made unit); bytes that no attribute covers are zero.
    /// An attribute that the layout does not have is checked for its length and left out.
    pub fn from_attributes(
        layout: VertexLayout,
        attributes: &RestAttributes<'_>,
        base_normals: BaseNormals,
    ) -> Result<RestPose, RestError> {
        layout.validate()?;
        let vertex_count = attributes.positions.len();
        let mut pose = RestPose {
            layout,
            vertex_count: check_vertex_count(vertex_count)?,
            bytes: Vec::new(),
            zeroed_component_count: 0,
        };
        check_length(Stream::Normal, attributes.normals, vertex_count)?;
        check_length(Stream::Tangent, attributes.tangents, vertex_count)?;
        let set = |place: Option<SetPlace>| place.map_or(0, |place| place.set);
        let texcoord = VertexSet::Texcoord(set(layout.texcoord));
        let color = VertexSet::Color(set(layout.color));
        check_set_length(texcoord, attributes.texcoords, vertex_count)?;
        check_set_length(color, attributes.colors, vertex_count)?;
        pose.grow(pose.size_bytes()?)?;
        let stream = VertexAttribute::Stream;
        pose.write(stream(Stream::Position), Some(attributes.positions));
        pose.write(stream(Stream::Normal), attributes.normals);
        pose.write(stream(Stream::Tangent), attributes.tangents);
        pose.write(VertexAttribute::Set(texcoord), attributes.texcoords);
        pose.write(VertexAttribute::Set(color), attributes.colors);
        pose.admitted(base_normals)
    }

    /// The same rest pose as interleaved floats with nothing between them; texture coordinates, colors and the engine's
    /// own bytes are left out.
    #[must_use]
    pub fn to_tight(&self) -> RestPose {
        let streams = self.streams();
        let mut pose = RestPose {
            layout: VertexLayout::tight(streams.streams()),
            vertex_count: self.vertex_count,
            bytes: Vec::new(),
            zeroed_component_count: self.zeroed_component_count,
        };
        let stride = pose.layout.vertex_bytes() as usize;
        pose.bytes.resize(self.vertex_count as usize * stride, 0);
        let stream = VertexAttribute::Stream;
        pose.write(stream(Stream::Position), Some(&streams.positions));
        pose.write(stream(Stream::Normal), streams.normals.as_deref());
        let tangents = self.read::<4>(stream(Stream::Tangent));
        pose.write(stream(Stream::Tangent), tangents.as_deref());
        pose
    }

    /// Where the attributes lie in a vertex.
    pub fn layout(&self) -> VertexLayout {
        self.layout
    }

    /// How many vertices there are.
    pub fn vertex_count(&self) -> u32 {
        self.vertex_count
    }

    /// All bytes: the streams one after the other, and the floats that packed directions are packed from.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The streams one after the other, as they are drawn; for an interleaved layout, the vertices.
    pub fn vertices(&self) -> &[u8] {
        &self.bytes[..self.vertex_count as usize * self.layout.vertex_bytes() as usize]
    }

    /// The vertices of one stream; empty past the last.
    pub fn stream_vertices(&self, stream: usize) -> &[u8] {
        let Some(&stride) = self.layout.strides().get(stream) else {
            return &[];
        };
        let count = self.vertex_count as usize;
        let start = self.layout.bytes_before(stream) as usize * count;
        &self.bytes[start..start + stride as usize * count]
    }

    /// Components that were not zero and became zero because they were below 2⁻⁴⁰.
    pub fn zeroed_component_count(&self) -> u64 {
        self.zeroed_component_count
    }

    /// Positions, normals and tangents, for the host kernel; the very values that the device reads.
    pub fn streams(&self) -> RestStreams {
        let read = |stream| self.read::<3>(VertexAttribute::Stream(stream));
        RestStreams {
            positions: read(Stream::Position).unwrap_or_default(),
            normals: read(Stream::Normal),
            tangents: read(Stream::Tangent),
        }
    }

    /// The texture coordinates that the layout names, for the host kernel; the very values that the device reads.
    pub fn texcoords(&self) -> Option<RestSet<2>> {
        let set = self.layout.texcoord?.set;
        let values = self.read(VertexAttribute::Set(VertexSet::Texcoord(set)))?;
        Some(RestSet::from_admitted(set, values))
    }

    /// The colors that the layout names, clamped to 0..=1, for the host kernel; the very values that the device reads.
    pub fn colors(&self) -> Option<RestSet<4>> {
        let set = self.layout.color?.set;
        let values = self.read(VertexAttribute::Set(VertexSet::Color(set)))?;
        Some(RestSet::from_admitted(set, values))
    }

    fn size_bytes(&self) -> Result<usize, RestError> {
        let vertex_count = self.vertex_count as usize;
        vertex_count
            .checked_mul(self.layout.rest_vertex_bytes() as usize)
            .ok_or_else(|| self.too_large())
    }

    fn too_large(&self) -> RestError {
        RestError::TooLarge {
            vertex_count: self.vertex_count as usize,
            stride_bytes: self.layout.rest_vertex_bytes(),
        }
    }

    /// Adds zeros up to a size. The stride is the caller's: a wrong one should be an error and not the end of the
    /// program.
    fn grow(&mut self, byte_count: usize) -> Result<(), RestError> {
        let missing = byte_count.saturating_sub(self.bytes.len());
        if self.bytes.try_reserve_exact(missing).is_err() {
            return Err(self.too_large());
        }
        self.bytes.resize(byte_count, 0);
        Ok(())
    }

    /// The words or floats of an attribute as it is drawn.
    fn drawn(&self, place: AttributePlace) -> Run {
        let stream = place.stream as usize;
        Run {
            first: self.layout.bytes_before(stream) as usize * self.vertex_count as usize
                + place.offset as usize,
            stride: self.layout.strides_bytes[stream] as usize,
        }
    }

    /// The floats of an attribute, where the layout has it.
    fn floats(&self, attribute: VertexAttribute) -> Option<Run> {
        let place = self.layout.rest_place(attribute)?;
        Some(Run {
            first: place.base_bytes as usize * self.vertex_count as usize + place.offset as usize,
            stride: place.stride_bytes as usize,
        })
    }

    fn word(&self, at: usize) -> u32 {
        let bytes = &self.bytes;
        u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    }

    /// The first `N` floats of an attribute that has as many.
    fn get<const N: usize>(&self, run: Run, vertex: usize) -> [f32; N] {
        std::array::from_fn(|component| f32::from_bits(self.word(run.at(vertex) + component * 4)))
    }

    /// Writes the first floats of an attribute that has as many.
    fn put(&mut self, run: Run, vertex: usize, values: &[f32]) {
        for (bytes, value) in self.bytes[run.at(vertex)..].chunks_exact_mut(4).zip(values) {
            bytes.copy_from_slice(&value.to_ne_bytes());
        }
    }

    fn read<const N: usize>(&self, attribute: VertexAttribute) -> Option<Vec<[f32; N]>> {
        let run = self.floats(attribute)?;
        Some(
            (0..self.vertex_count as usize)
                .map(|vertex| self.get(run, vertex))
                .collect(),
        )
    }

    /// Writes an attribute of all vertices, where the layout has it and there are values.
    fn write<const N: usize>(&mut self, attribute: VertexAttribute, values: Option<&[[f32; N]]>) {
        if let (Some(run), Some(values)) = (self.floats(attribute), values) {
            for (vertex, value) in values.iter().enumerate() {
                self.put(run, vertex, value);
            }
        }
    }

    /// Checks every attribute, applies the domain rule, makes normals unit where asked, and packs.
    fn admitted(mut self, base_normals: BaseNormals) -> Result<RestPose, RestError> {
        for (attribute, _) in self.layout.attributes() {
            match attribute {
                VertexAttribute::Stream(stream) => self.admit_stream(stream, base_normals)?,
                VertexAttribute::Set(set @ VertexSet::Texcoord(_)) => self.admit_set::<2>(set)?,
                VertexAttribute::Set(set @ VertexSet::Color(_)) => self.admit_set::<4>(set)?,
            }
        }
        self.pack();
        Ok(self)
    }

    fn admit_stream(&mut self, stream: Stream, base_normals: BaseNormals) -> Result<(), RestError> {
        let Some(run) = self.floats(VertexAttribute::Stream(stream)) else {
            return Ok(());
        };
        let make_unit = stream == Stream::Normal && base_normals == BaseNormals::MakeUnit;
        for vertex in 0..self.vertex_count as usize {
            let given = self.get::<3>(run, vertex);
            check_finite(stream, vertex, given)?;
            self.zeroed_component_count += u64::from(zeroed_components(given));
            let mut value = to_domain3(given);
            if make_unit {
                let unit = unit_or_up(value);
                self.zeroed_component_count += u64::from(zeroed_components(unit));
                value = to_domain3(unit);
            }
            self.put(run, vertex, &value);
        }
        Ok(())
    }

    fn admit_set<const N: usize>(&mut self, set: VertexSet) -> Result<(), RestError> {
        let attribute = VertexAttribute::Set(set);
        let Some(values) = self.read::<N>(attribute) else {
            return Ok(());
        };
        let (admitted, zeroed) = RestSet::admit(set, values)?;
        self.zeroed_component_count += zeroed;
        let mut values = admitted.into_values();
        if let VertexSet::Color(_) = set {
            // What a color shows at rest is what the kernel would write, and it clamps.
            for component in values.as_flattened_mut() {
                *component = component.clamp(0.0, 1.0);
            }
        }
        self.write(attribute, Some(&values));
        Ok(())
    }

    /// Unpacks what the layout packs into the floats behind the streams.
    fn unpack(&mut self) {
        let layout = self.layout;
        for (attribute, place) in layout.packed_attributes() {
            let Some(floats) = self.floats(attribute) else {
                continue;
            };
            let drawn = self.drawn(place);
            for vertex in 0..self.vertex_count as usize {
                let word = self.word(drawn.at(vertex));
                let [x, y, z, w] = match place.format {
                    VertexFormat::Float32 => continue,
                    VertexFormat::Snorm10 => decode_snorm10(word),
                    VertexFormat::Octahedral16 => {
                        let [x, y, z] = decode_octahedral16(word);
                        [x, y, z, 0.0]
                    }
                };
                // Two bits of w may say zero, which is no handedness.
                let whole = [x, y, z, if w < 0.0 { -1.0 } else { 1.0 }];
                self.put(floats, vertex, &whole[..floats.stride / 4]);
            }
        }
    }

    /// Packs what the layout packs, out of the floats behind the streams.
    fn pack(&mut self) {
        let layout = self.layout;
        for (attribute, place) in layout.packed_attributes() {
            let Some(floats) = self.floats(attribute) else {
                continue;
            };
            let drawn = self.drawn(place);
            let is_tangent = attribute == VertexAttribute::Stream(Stream::Tangent);
            for vertex in 0..self.vertex_count as usize {
                let w = is_tangent.then(|| self.get::<4>(floats, vertex)[3]);
                let word = place.format.encode(self.get(floats, vertex), w);
                let at = drawn.at(vertex);
                self.bytes[at..at + 4].copy_from_slice(&word.to_ne_bytes());
            }
        }
    }
}

/// Where the values of an attribute lie in the bytes of a rest pose.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: usize,
    stride: usize,
}

impl Run {
    fn at(self, vertex: usize) -> usize {
        self.first + self.stride * vertex
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

fn check_set_length<T>(set: VertexSet, values: Option<&[T]>, expected: usize) -> Result<(), RestError> {
    match values {
        Some(values) if values.len() != expected => Err(RestError::SetLength {
            set,
            expected,
            found: values.len(),
        }),
        _ => Ok(()),
    }
}
