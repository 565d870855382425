//! The kernels written anew, from the layouts' descriptions, so that a plan with a wrong offset, a missing copy or a
//! stale weight gives wrong vertices without any device.

use morph_core::{
    AttributePlace, Quantization, Stream, VertexAttribute, VertexFormat, VertexLayout, VertexSet,
    encode_octahedral16, encode_snorm10,
};

use super::skin_kernel;
use crate::shader_interface::{GatherParams, NO_POSE, NO_STREAM, NO_WEIGHTS, ScatterParams};

/// What the descriptors of a dispatch bind.
pub(super) struct Memory<'a> {
    pub(super) rest: &'a [u8],
    pub(super) deltas: &'a [u8],
    pub(super) frame: &'a [u8],
    pub(super) skin: &'a [u8],
    /// A part of each stream of vertices.
    pub(super) output: Vec<Vec<u8>>,
    pub(super) layout: VertexLayout,
}

impl Memory<'_> {
    /// First word of an attribute of a vertex in its output stream.
    fn output_word(&self, place: AttributePlace, vertex: usize) -> usize {
        let stride = self.layout.strides_bytes[place.stream as usize] as usize;
        (vertex * stride + place.offset as usize) / 4
    }

    fn store(&mut self, place: AttributePlace, vertex: usize, words: &[u32]) {
        let first = self.output_word(place, vertex);
        for (component, word) in words.iter().enumerate() {
            let start = (first + component) * 4;
            self.output[place.stream as usize][start..start + 4].copy_from_slice(&word.to_le_bytes());
        }
    }

    /// Floats of the rest pose of one of `count` vertices.
    fn rest<const N: usize>(&self, attribute: VertexAttribute, count: usize, vertex: usize) -> [f32; N] {
        let place = self
            .layout
            .rest_place(attribute)
            .expect("an attribute of the layout");
        let first =
            place.base_bytes as usize * count + place.stride_bytes as usize * vertex + place.offset as usize;
        std::array::from_fn(|component| f32::from_bits(word(self.rest, first / 4 + component)))
    }
}

pub(super) fn word(bytes: &[u8], index: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|byte| bytes[index * 4 + byte]))
}

fn half_word(bytes: &[u8], index: usize) -> u16 {
    u16::from_le_bytes(std::array::from_fn(|byte| bytes[index * 2 + byte]))
}

fn decode(bits: u16, quantization: Quantization, step: f32) -> f32 {
    match quantization {
        Quantization::Half => {
            let magnitude = match (bits >> 10 & 31, bits & 1023) {
                (0, mantissa) => f64::from(mantissa) * 2f64.powi(-24),
                (exponent, mantissa) => {
                    (1.0 + f64::from(mantissa) / 1024.0) * 2f64.powi(i32::from(exponent) - 15)
                }
            };
            if bits & 0x8000 == 0 {
                magnitude as f32
            } else {
                -magnitude as f32
            }
        }
        _ => f32::from(bits as i16) * step,
    }
}

fn accumulate<const N: usize>(sum: [f32; N], weight: f32, delta: [f32; N]) -> [f32; N] {
    std::array::from_fn(|component| sum[component] + weight * delta[component])
}

pub(super) fn scatter(memory: &mut Memory<'_>, params: &ScatterParams, quantization: Quantization) {
    let streams = [
        (params.position_offset, params.position_step, Stream::Position),
        (params.normal_offset, params.normal_step, Stream::Normal),
        (params.tangent_offset, params.tangent_step, Stream::Tangent),
    ];
    for entry in 0..params.entry_count as usize {
        let vertex = word(memory.deltas, params.index_offset as usize + entry) + params.first_vertex;
        for (offset, step, stream) in streams {
            if offset == NO_STREAM {
                continue;
            }
            let place = memory
                .layout
                .place(stream)
                .expect("a stream that the layout has not");
            let first = memory.output_word(place, vertex as usize);
            let sum = [0, 1, 2]
                .map(|axis| f32::from_bits(word(&memory.output[place.stream as usize], first + axis)));
            let delta = std::array::from_fn(|axis| {
                let index = entry * 3 + axis;
                if quantization == Quantization::F32 {
                    f32::from_bits(word(memory.deltas, offset as usize + index))
                } else {
                    decode(
                        half_word(memory.deltas, offset as usize * 2 + index),
                        quantization,
                        step,
                    )
                }
            });
            let sum = accumulate(sum, params.weight, delta);
            memory.store(place, vertex as usize, &sum.map(f32::to_bits));
        }
    }
}

/// Where an instance is written and what it is made from, as its record says.
#[derive(Clone, Copy)]
struct Record {
    first_vertex: usize,
    /// `None`: at rest.
    weights_offset: Option<usize>,
    /// `None`: not skinned.
    pose_offset: Option<usize>,
}

pub(super) fn gather(
    memory: &mut Memory<'_>,
    params: &GatherParams,
    quantization: Quantization,
    skins: bool,
) {
    for instance in 0..params.instance_count as usize {
        let first = params.first_record as usize + instance * 3;
        let [first_vertex, weights_offset, pose_offset] =
            std::array::from_fn(|member| word(memory.frame, first + member));
        let present = |offset: u32, absent: u32| (offset != absent).then_some(offset as usize);
        let record = Record {
            first_vertex: first_vertex as usize,
            weights_offset: present(weights_offset, NO_WEIGHTS),
            pose_offset: present(pose_offset, NO_POSE),
        };
        assert!(skins || (record.weights_offset.is_some() && record.pose_offset.is_none()));
        for vertex in 0..params.vertex_count as usize {
            gather_vertex(memory, params, quantization, record, vertex);
            gather_sets(memory, params, record, vertex);
        }
    }
}

/// Positions, normals and tangents of one vertex.
fn gather_vertex(
    memory: &mut Memory<'_>,
    params: &GatherParams,
    quantization: Quantization,
    record: Record,
    vertex: usize,
) {
    let has = |bits: u32, bit: u32| bits & bit != 0;
    // Which streams an entry holds, in its order, and which are written.
    let streams = [
        (Stream::Position, true, true),
        (
            Stream::Normal,
            has(params.entry_streams, 1),
            has(params.output_streams, 1),
        ),
        (
            Stream::Tangent,
            has(params.entry_streams, 2),
            has(params.output_streams, 2),
        ),
    ];
    let vertex_count = params.vertex_count as usize;
    let mut sums = streams.map(|(stream, _, written)| {
        if written {
            memory.rest::<3>(VertexAttribute::Stream(stream), vertex_count, vertex)
        } else {
            [0.0; 3]
        }
    });
    let entries = match record.weights_offset {
        Some(_) => word(memory.deltas, vertex)..word(memory.deltas, vertex + 1),
        None => 0..0,
    };
    for entry in entries {
        let first = (params.entries_offset + entry * params.entry_words) as usize;
        let wide = quantization == Quantization::F32;
        let target = if wide {
            word(memory.deltas, first)
        } else {
            u32::from(half_word(memory.deltas, first * 2))
        };
        let weights_offset = record.weights_offset.unwrap_or(0);
        let weight = f32::from_bits(word(memory.frame, weights_offset + target as usize));
        let mut place = 1;
        for (number, (_, held, _)) in streams.into_iter().enumerate() {
            if !held {
                continue;
            }
            let step = if quantization == Quantization::Snorm16 {
                let index = params.steps_offset as usize + target as usize * 3 + number;
                f32::from_bits(word(memory.deltas, index))
            } else {
                1.0
            };
            let delta: [f32; 3] = std::array::from_fn(|axis| {
                if wide {
                    f32::from_bits(word(memory.deltas, first + place + axis))
                } else {
                    decode(
                        half_word(memory.deltas, first * 2 + place + axis),
                        quantization,
                        step,
                    )
                }
            });
            place += 3;
            sums[number] = accumulate(sums[number], weight, delta);
        }
    }
    if let Some(pose_offset) = record.pose_offset {
        let influences = skin_kernel::influences(memory.skin, params.influence_count as usize, vertex);
        let pose = &memory.frame[pose_offset * 16..];
        let mut bytes: Vec<u8> = bytemuck::cast_slice(sums.as_flattened()).to_vec();
        let mut word_of = [0, 3, 6].into_iter();
        let places = streams.map(|(_, _, written)| word_of.next().filter(|_| written));
        skin_kernel::skin(&mut bytes, places, &influences, pose, params.by_cofactors == 1);
        for (component, sum) in sums.as_flattened_mut().iter_mut().enumerate() {
            *sum = f32::from_bits(word(&bytes, component));
        }
    }
    for (sum, (stream, _, written)) in sums.into_iter().zip(streams) {
        if !written {
            continue;
        }
        let place = memory
            .layout
            .place(stream)
            .expect("only what the layout has is written");
        let row = record.first_vertex + vertex;
        match place.format {
            VertexFormat::Float32 => memory.store(place, row, &sum.map(f32::to_bits)),
            VertexFormat::Octahedral16 => memory.store(place, row, &[encode_octahedral16(sum)]),
            VertexFormat::Snorm10 => {
                let w = (stream == Stream::Tangent)
                    .then(|| memory.rest::<4>(VertexAttribute::Stream(stream), vertex_count, vertex)[3]);
                memory.store(place, row, &[encode_snorm10(sum, w)]);
            }
        }
    }
}

/// Texture coordinates and colors of one vertex.
fn gather_sets(memory: &mut Memory<'_>, params: &GatherParams, record: Record, vertex: usize) {
    let layout = memory.layout;
    let row = record.first_vertex + vertex;
    // Without weights, what an earlier frame may have left is set right, whatever deltas there are now.
    let is_written = |table: u32| table != NO_STREAM || record.weights_offset.is_none();
    if let (Some(place), true) = (layout.texcoord, is_written(params.texcoord_table)) {
        let set = VertexSet::Texcoord(place.set);
        let sum = gather_set::<2>(
            memory,
            params,
            set,
            params.texcoord_table as usize,
            (record, vertex),
        );
        let place = AttributePlace::floats(place.stream, place.offset);
        memory.store(place, row, &sum.map(f32::to_bits));
    }
    if let (Some(place), true) = (layout.color, is_written(params.color_table)) {
        let set = VertexSet::Color(place.set);
        let sum = gather_set::<4>(memory, params, set, params.color_table as usize, (record, vertex));
        let place = AttributePlace::floats(place.stream, place.offset);
        let clamped = sum.map(|it| it.clamp(0.0, 1.0).to_bits());
        memory.store(place, row, &clamped);
    }
}

fn gather_set<const N: usize>(
    memory: &Memory<'_>,
    params: &GatherParams,
    set: VertexSet,
    table: usize,
    (record, vertex): (Record, usize),
) -> [f32; N] {
    let vertex_count = params.vertex_count as usize;
    let mut sum = memory.rest::<N>(VertexAttribute::Set(set), vertex_count, vertex);
    let Some(weights_offset) = record.weights_offset else {
        return sum;
    };
    for entry in word(memory.deltas, table + vertex)..word(memory.deltas, table + vertex + 1) {
        let first = table + vertex_count + 1 + entry as usize * (1 + N);
        let target = word(memory.deltas, first) as usize;
        let weight = f32::from_bits(word(memory.frame, weights_offset + target));
        let delta = std::array::from_fn(|it| f32::from_bits(word(memory.deltas, first + 1 + it)));
        sum = accumulate(sum, weight, delta);
    }
    sum
}
