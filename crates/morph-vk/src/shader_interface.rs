//! What host and shaders share: parameter structs, bindings, specialization constants.
//!
//! Each struct stands here and in GLSL with the same members in the same order. Sizes and offsets are asserted at
//! compile time, and a test reads member names and offsets out of the compiled modules and compares them with
//! [`STRUCTS`].

use bytemuck::{Pod, Zeroable};
use morph_core::plan::{Kernel, MAX_PARAMETER_WORDS};
use morph_core::{Aabb, Quantization, Streams, VertexLayout};

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
    /// Word offset of the range being written in the output buffer.
    pub output_offset: u32,
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
    /// Word offset of the range in the output buffer.
    pub output_offset: u32,
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
    assert!(size_of::<GatherParams>() == 40);
    assert!(size_of::<ScatterParams>() == 40);
    assert!(size_of::<InstanceRecord>() == 12);
    assert!(size_of::<InstanceBounds>() == 32);
    assert!(PUSH_CONSTANT_BYTES <= 128);
    assert!(std::mem::offset_of!(GatherParams, by_cofactors) == 36);
    assert!(std::mem::offset_of!(ScatterParams, weight) == 24);
};

/// Bytes of push constants that the pipeline layout declares.
pub const PUSH_CONSTANT_BYTES: u32 = 40;
const _: () = assert!(size_of::<ScatterParams>() as u32 <= PUSH_CONSTANT_BYTES);
const _: () = assert!(size_of::<GatherParams>() as u32 <= PUSH_CONSTANT_BYTES);
const _: () = assert!(PUSH_CONSTANT_BYTES as usize <= MAX_PARAMETER_WORDS * 4);

/// Binding numbers of the one descriptor set.
pub mod bindings {
    /// Rest pose of the mesh.
    pub const REST: u32 = 0;
    /// Deltas of the mesh.
    pub const DELTAS: u32 = 1;
    /// Ranges of the instances.
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
            output_offset,
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

/// Specialization constants: name and id. The first two are the workgroup's size in x and y.
pub const SPECIALIZATION_CONSTANTS: &[(&str, u32)] = &[
    ("QUANTIZATION", 2),
    ("STRIDE_WORDS", 3),
    ("POSITION_OFFSET_WORDS", 4),
    ("NORMAL_OFFSET_WORDS", 5),
    ("TANGENT_OFFSET_WORDS", 6),
];

/// The values of all specialization constants, by rising id.
pub(crate) fn specialization(kernel: Kernel, quantization: Quantization, layout: &VertexLayout) -> [u32; 7] {
    let [local_x, local_y] = kernel.local_size();
    [
        local_x,
        local_y,
        quantization_number(quantization),
        layout.stride_bytes / 4,
        layout.position_offset / 4,
        // Where the layout has no such attribute, no stream of it is ever written.
        layout.normal_offset.unwrap_or(0) / 4,
        layout.tangent_offset.unwrap_or(0) / 4,
    ]
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
