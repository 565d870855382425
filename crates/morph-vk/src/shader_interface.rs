//! What host and shaders share: parameter structs, bindings, specialization constants.
//!
//! Each struct stands here and in GLSL with the same members in the same order. Sizes and offsets are asserted at
//! compile time, and a test reads member names and offsets out of the compiled modules and compares them with
//! [`STRUCTS`].

use bytemuck::{Pod, Zeroable};
use morph_core::plan::{Kernel, MAX_PARAMETER_WORDS};
use morph_core::{
    Aabb, Quantization, Stream, Streams, VertexAttribute, VertexFormat, VertexLayout, VertexSet,
};

/// Push constants of the batched gather.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct GatherParams {
    /// Vertices of the mesh.
    pub vertex_count: u32,
    /// Instances of this dispatch.
    pub instance_count: u32,
    /// Word offset of the first instance record in the frame buffer.
    pub first_record: u32,
    /// Word offset of the quantization steps in the delta buffer.
    pub steps_offset: u32,
    /// Word offset of the entries in the delta buffer.
    pub entries_offset: u32,
    /// Words of an entry.
    pub entry_words: u32,
    /// Streams that an entry holds beside the position, as [`stream_bits`].
    pub entry_streams: u32,
    /// Streams that are written beside the position, as [`stream_bits`].
    pub output_streams: u32,
    /// Bones that may hold a vertex, 4 or 8; 0 where the mesh has no skin.
    pub influence_count: u32,
    /// 1 where cofactors carry normals, 0 where the blended matrix itself does.
    pub by_cofactors: u32,
    /// Word offset of the deltas of texture coordinates in the delta buffer, or [`NO_STREAM`].
    pub texcoord_table: u32,
    /// Word offset of the deltas of colors in the delta buffer, or [`NO_STREAM`].
    pub color_table: u32,
}

/// Push constants of scatter.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
pub struct ScatterParams {
    /// Entries of the target.
    pub entry_count: u32,
    /// Word offset of the vertices in the delta buffer.
    pub index_offset: u32,
    /// Word offset of the position stream, or [`NO_STREAM`].
    pub position_offset: u32,
    /// Word offset of the normal stream, or [`NO_STREAM`].
    pub normal_offset: u32,
    /// Word offset of the tangent stream, or [`NO_STREAM`].
    pub tangent_offset: u32,
    /// First vertex of the range being written in each output stream.
    pub first_vertex: u32,
    /// Weight of the target.
    pub weight: f32,
    /// Step of the position stream.
    pub position_step: f32,
    /// Step of the normal stream.
    pub normal_step: f32,
    /// Step of the tangent stream.
    pub tangent_step: f32,
}

/// Where an instance is written, where its weights are and where its pose; three words of the frame buffer.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct InstanceRecord {
    /// First vertex of the range in each output stream.
    pub first_vertex: u32,
    /// Word offset of the weights in the frame buffer; [`NO_WEIGHTS`] only where a skinned kernel runs.
    pub weights_offset: u32,
    /// First row of the pose in the frame buffer, of which each bone has three; or [`NO_POSE`].
    pub pose_offset: u32,
}

/// The box around what an instance shows, in model units; eight words of the buffer of bounds.
///
/// Empty where the least corner is above the greatest. Where there is no bound it is the largest float: no component is
/// infinite, which a shader need not understand.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct InstanceBounds {
    /// Least x.
    pub min_x: f32,
    /// Least y.
    pub min_y: f32,
    /// Least z.
    pub min_z: f32,
    /// Zero.
    pub reserved_0: u32,
    /// Greatest x.
    pub max_x: f32,
    /// Greatest y.
    pub max_y: f32,
    /// Greatest z.
    pub max_z: f32,
    /// Zero.
    pub reserved_1: u32,
}

impl InstanceBounds {
    /// The box of nothing.
    pub const EMPTY: InstanceBounds = InstanceBounds {
        min_x: f32::MAX,
        min_y: f32::MAX,
        min_z: f32::MAX,
        reserved_0: 0,
        max_x: f32::MIN,
        max_y: f32::MIN,
        max_z: f32::MIN,
        reserved_1: 0,
    };

    /// A box as the device reads it.
    pub fn new(aabb: &Aabb) -> InstanceBounds {
        let finite = |x: f32| x.clamp(f32::MIN, f32::MAX);
        let [[min_x, min_y, min_z], [max_x, max_y, max_z]] = [aabb.min, aabb.max].map(|it| it.map(finite));
        InstanceBounds {
            min_x,
            min_y,
            min_z,
            reserved_0: 0,
            max_x,
            max_y,
            max_z,
            reserved_1: 0,
        }
    }

    /// The box.
    pub fn aabb(&self) -> Aabb {
        Aabb {
            min: [self.min_x, self.min_y, self.min_z],
            max: [self.max_x, self.max_y, self.max_z],
        }
    }
}

/// A stream that is not there.
pub const NO_STREAM: u32 = u32::MAX;
/// The instance shows its rest shape, skinned: no delta is read.
pub const NO_WEIGHTS: u32 = u32::MAX;
/// The instance has no skeleton: it is morphed only.
pub const NO_POSE: u32 = u32::MAX;

const _: () = {
    assert!(size_of::<GatherParams>() == 48);
    assert!(size_of::<ScatterParams>() == 40);
    assert!(size_of::<InstanceRecord>() == 12);
    assert!(size_of::<InstanceBounds>() == 32);
    assert!(PUSH_CONSTANT_BYTES <= 128);
    assert!(std::mem::offset_of!(GatherParams, color_table) == 44);
    assert!(std::mem::offset_of!(ScatterParams, weight) == 24);
};

/// Bytes of push constants that the pipeline layout declares.
pub const PUSH_CONSTANT_BYTES: u32 = 48;
const _: () = assert!(size_of::<ScatterParams>() as u32 <= PUSH_CONSTANT_BYTES);
const _: () = assert!(size_of::<GatherParams>() as u32 <= PUSH_CONSTANT_BYTES);
const _: () = assert!(PUSH_CONSTANT_BYTES as usize <= MAX_PARAMETER_WORDS * 4);

/// Binding numbers of the one descriptor set.
pub mod bindings {
    /// Rest pose of the mesh.
    pub const REST: u32 = 0;
    /// Deltas of the mesh.
    pub const DELTAS: u32 = 1;
    /// Ranges of the instances: an array with a buffer for each stream of vertices.
    pub const OUTPUT: u32 = 2;
    /// Instance records and weights.
    pub const FRAME: u32 = 3;
    /// How many there are where nothing is skinned: as many storage buffers as Vulkan promises a stage.
    pub const UNSKINNED_COUNT: u32 = 4;
    /// Skin weights of the mesh.
    pub const SKIN: u32 = 4;
    /// Poses; the same bytes as [`FRAME`].
    pub const POSES: u32 = 5;
    /// How many there are.
    pub const COUNT: u32 = 6;
}

/// A struct, for the test that compares it with the compiled modules.
#[derive(Debug, Clone, Copy)]
pub struct StructTable {
    /// Name in GLSL and in Rust.
    pub name: &'static str,
    /// Modules that declare it.
    pub modules: &'static [&'static str],
    /// Members: name and byte offset.
    pub members: &'static [(&'static str, u32)],
    /// Size in bytes.
    pub size_bytes: u32,
}

macro_rules! struct_table {
    ($name:ident, $modules:expr, [$($member:ident),* $(,)?]) => {
        StructTable {
            name: stringify!($name),
            modules: $modules,
            members: &[$((stringify!($member), std::mem::offset_of!($name, $member) as u32)),*],
            size_bytes: size_of::<$name>() as u32,
        }
    };
}

/// Every struct that host and shaders share.
pub const STRUCTS: &[StructTable] = &[
    struct_table!(
        GatherParams,
        &["gather", "gather_rte", "gather_skinned", "gather_skinned_rte"],
        [
            vertex_count,
            instance_count,
            first_record,
            steps_offset,
            entries_offset,
            entry_words,
            entry_streams,
            output_streams,
            influence_count,
            by_cofactors,
            texcoord_table,
            color_table,
        ]
    ),
    struct_table!(
        ScatterParams,
        &["scatter", "scatter_rte"],
        [
            entry_count,
            index_offset,
            position_offset,
            normal_offset,
            tangent_offset,
            first_vertex,
            weight,
            position_step,
            normal_step,
            tangent_step,
        ]
    ),
];

/// What engines read on the device, in the module that runs it in the tests.
pub const INSTANCE_BOUNDS: StructTable = struct_table!(
    InstanceBounds,
    &["bounds_behind"],
    [min_x, min_y, min_z, reserved_0, max_x, max_y, max_z, reserved_1]
);

/// Buffers by name and binding, for the same test.
pub const BUFFERS: &[(&str, u32)] = &[
    ("RestBuffer", bindings::REST),
    ("DeltaBuffer", bindings::DELTAS),
    ("OutputBuffer", bindings::OUTPUT),
    ("FrameBuffer", bindings::FRAME),
    ("SkinBuffer", bindings::SKIN),
    ("PoseBuffer", bindings::POSES),
];

/// Specialization constants: name and id. The first two ids are the workgroup's size in x and y.
pub const SPECIALIZATION_CONSTANTS: &[(&str, u32)] = &[
    ("QUANTIZATION", 2),
    ("STREAM_COUNT", 3),
    ("POSITION_STREAM", 4),
    ("POSITION_STRIDE", 5),
    ("POSITION_OFFSET", 6),
    ("POSITION_REST_BASE", 7),
    ("POSITION_REST_STRIDE", 8),
    ("POSITION_REST_OFFSET", 9),
    ("NORMAL_STREAM", 10),
    ("NORMAL_STRIDE", 11),
    ("NORMAL_OFFSET", 12),
    ("NORMAL_REST_BASE", 13),
    ("NORMAL_REST_STRIDE", 14),
    ("NORMAL_REST_OFFSET", 15),
    ("NORMAL_FORMAT", 16),
    ("TANGENT_STREAM", 17),
    ("TANGENT_STRIDE", 18),
    ("TANGENT_OFFSET", 19),
    ("TANGENT_REST_BASE", 20),
    ("TANGENT_REST_STRIDE", 21),
    ("TANGENT_REST_OFFSET", 22),
    ("TANGENT_FORMAT", 23),
    ("TEXCOORD_STREAM", 24),
    ("TEXCOORD_STRIDE", 25),
    ("TEXCOORD_OFFSET", 26),
    ("TEXCOORD_REST_BASE", 27),
    ("TEXCOORD_REST_STRIDE", 28),
    ("TEXCOORD_REST_OFFSET", 29),
    ("COLOR_STREAM", 30),
    ("COLOR_STRIDE", 31),
    ("COLOR_OFFSET", 32),
    ("COLOR_REST_BASE", 33),
    ("COLOR_REST_STRIDE", 34),
    ("COLOR_REST_OFFSET", 35),
];

/// How many specialization constants a kernel has; their ids rise from zero.
pub(crate) const SPECIALIZATION_COUNT: usize = 2 + SPECIALIZATION_CONSTANTS.len();

/// The values of all specialization constants, by rising id.
pub(crate) fn specialization(
    kernel: Kernel,
    quantization: Quantization,
    layout: &VertexLayout,
) -> [u32; SPECIALIZATION_COUNT] {
    let [local_x, local_y] = kernel.local_size();
    let head = [
        local_x,
        local_y,
        quantization_number(quantization),
        layout.stream_count() as u32,
    ];
    let stream = |stream| attribute_constants(layout, VertexAttribute::Stream(stream), true);
    let set = |set| attribute_constants(layout, VertexAttribute::Set(set), false);
    let parts = [
        attribute_constants(layout, VertexAttribute::Stream(Stream::Position), false),
        stream(Stream::Normal),
        stream(Stream::Tangent),
        set(VertexSet::Texcoord(layout.texcoord.map_or(0, |it| it.set))),
        set(VertexSet::Color(layout.color.map_or(0, |it| it.set))),
    ];
    let mut values = head.into_iter().chain(parts.into_iter().flatten());
    std::array::from_fn(|_| values.next().unwrap_or(0))
}

/// Stream, stride, offset, the three of the rest pose, and the format where it has one; zeros where the layout has no
/// such attribute: then no stream of it is ever written.
fn attribute_constants(
    layout: &VertexLayout,
    attribute: VertexAttribute,
    has_format: bool,
) -> impl Iterator<Item = u32> + use<> {
    let place = layout.attributes().find(|(it, _)| *it == attribute);
    let constants = match (place, layout.rest_place(attribute)) {
        (Some((_, place)), Some(rest)) => [
            place.stream,
            layout.strides_bytes[place.stream as usize] / 4,
            place.offset / 4,
            rest.base_bytes / 4,
            rest.stride_bytes / 4,
            rest.offset / 4,
            format_number(place.format),
        ],
        _ => [0; 7],
    };
    constants.into_iter().take(if has_format { 7 } else { 6 })
}

/// As `shaders/include/morph_constants.glsl` numbers them.
fn format_number(format: VertexFormat) -> u32 {
    match format {
        VertexFormat::Float32 => 0,
        VertexFormat::Snorm10 => 1,
        VertexFormat::Octahedral16 => 2,
    }
}

/// As `shaders/include/morph_math.glsl` numbers them.
fn quantization_number(quantization: Quantization) -> u32 {
    match quantization {
        Quantization::F32 => 0,
        Quantization::Half => 1,
        Quantization::Snorm16 => 2,
        // `morph-core` and this crate are released together; a quantization without a kernel cannot be built.
        other => unreachable!("no kernel decodes {other}"),
    }
}

/// Bits of the streams beside the position, as `shaders/include/morph_constants.glsl` has them.
pub fn stream_bits(streams: Streams) -> u32 {
    u32::from(streams.normals) | u32::from(streams.tangents) << 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_has_the_id_of_its_place() {
        for (place, (name, id)) in SPECIALIZATION_CONSTANTS.iter().enumerate() {
            assert_eq!(*id as usize, place + 2, "{name}");
        }
    }

    #[test]
    fn constants_say_where_attributes_lie_and_what_they_are_packed_from() {
        let layout = VertexLayout::in_streams([20, 8])
            .with_position(0, 8)
            .with_normal(1, 4, VertexFormat::Octahedral16)
            .with_tangent(1, 0, VertexFormat::Snorm10)
            .with_texcoord(3, 0, 0);
        assert_eq!(layout.validate(), Ok(()));
        let values = specialization(Kernel::GatherX8Y16, Quantization::Half, &layout);
        let expected = [
            [8, 16, 1, 2].as_slice(),
            &[0, 5, 2, 0, 5, 2],
            // Behind 28 bytes a vertex come three floats a normal, then four a tangent.
            &[1, 2, 1, 7, 3, 0, 2],
            &[1, 2, 0, 10, 4, 0, 1],
            &[0, 5, 0, 0, 5, 0],
            &[0; 6],
        ];
        assert_eq!(values.as_slice(), expected.concat());
    }
}
