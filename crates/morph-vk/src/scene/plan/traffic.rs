//! Bytes that a frame's steps move, estimated from what the kernels are made to do.
//!
//! [`FrameStats::read_bytes`](crate::FrameStats::read_bytes) says what the estimate takes in and what not.

use bytemuck::Pod;
use morph_core::plan::{CopyPurpose, DispatchStep, Kernel, PlanStep};
use morph_core::{Quantization, Stream, Streams, VertexAttribute, VertexFormat, VertexLayout, VertexSet};

use crate::shader_interface::{GatherParams, NO_STREAM, ScatterParams, stream_bits};

/// Bytes of three floats: what a position or a direction takes that is not packed.
const STREAM_BYTES: u64 = 12;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::scene) struct Traffic {
    pub(in crate::scene) read_bytes: u64,
    pub(in crate::scene) written_bytes: u64,
}

impl Traffic {
    pub(in crate::scene) fn of(steps: &[PlanStep], layout: &VertexLayout) -> Traffic {
        let mut sum = Traffic::default();
        for step in steps {
            let Traffic {
                read_bytes,
                written_bytes,
            } = match step {
                PlanStep::Copy(copy) => Traffic {
                    // The kernels read once more what was copied for them.
                    read_bytes: copy.source.size_bytes
                        * if copy.purpose == CopyPurpose::FrameData {
                            2
                        } else {
                            1
                        },
                    written_bytes: copy.source.size_bytes,
                },
                PlanStep::Dispatch(dispatch) if dispatch.kernel == Kernel::Scatter => scatter(dispatch),
                PlanStep::Dispatch(dispatch) => gather(dispatch, layout),
                PlanStep::Barrier(_) => Traffic::default(),
            };
            sum.read_bytes += read_bytes;
            sum.written_bytes += written_bytes;
        }
        sum
    }
}

/// What a gather reads of the rest pose and writes of an instance, in bytes a vertex.
fn vertex_traffic(layout: &VertexLayout, output_streams: u32) -> Traffic {
    let is_written = |streams: Streams| output_streams & stream_bits(streams) != 0;
    let normals = Streams {
        normals: true,
        ..Streams::default()
    };
    let tangents = Streams {
        tangents: true,
        ..Streams::default()
    };
    let mut sum = Traffic::default();
    for (attribute, place) in layout.attributes() {
        let is_packed = place.format != VertexFormat::Float32;
        let (read_bytes, written_bytes) = match attribute {
            VertexAttribute::Stream(Stream::Normal) if !is_written(normals) => continue,
            VertexAttribute::Stream(Stream::Tangent) if !is_written(tangents) => continue,
            // The handedness is read to be packed beside the direction; as a float it is left alone.
            VertexAttribute::Stream(Stream::Tangent) if is_packed => (STREAM_BYTES + 4, 4),
            VertexAttribute::Stream(_) if is_packed => (STREAM_BYTES, 4),
            VertexAttribute::Stream(_) => (STREAM_BYTES, STREAM_BYTES),
            VertexAttribute::Set(VertexSet::Texcoord(_)) => (8, 8),
            VertexAttribute::Set(VertexSet::Color(_)) => (16, 16),
        };
        sum.read_bytes += read_bytes;
        sum.written_bytes += written_bytes;
    }
    sum
}

fn gather(step: &DispatchStep, layout: &VertexLayout) -> Traffic {
    let params: GatherParams = parameters(step);
    let vertex = vertex_traffic(layout, params.output_streams);
    let vertex_count = u64::from(params.vertex_count);
    let [_, rows, _] = step.group_count;
    let [_, deltas, _, skin] = step.reads;
    // Where there is none the rest pose stands in for the binding, and is not read through it.
    let delta_bytes = if params.entry_words > 0 {
        deltas.size_bytes
    } else {
        0
    };
    let skin_bytes = if params.influence_count > 0 {
        skin.size_bytes
    } else {
        0
    };
    Traffic {
        read_bytes: u64::from(rows) * (delta_bytes + skin_bytes + vertex_count * vertex.read_bytes),
        written_bytes: u64::from(step.instance_count) * vertex_count * vertex.written_bytes,
    }
}

fn scatter(step: &DispatchStep) -> Traffic {
    let params: ScatterParams = parameters(step);
    let streams = [
        params.position_offset,
        params.normal_offset,
        params.tangent_offset,
    ];
    let stream_count = streams.iter().filter(|it| **it != NO_STREAM).count() as u64;
    let delta_bytes = match step.quantization {
        Quantization::F32 => STREAM_BYTES,
        _ => STREAM_BYTES / 2,
    };
    let entry_count = u64::from(params.entry_count);
    Traffic {
        // The vertex that an entry moves, its deltas, and the sums so far.
        read_bytes: entry_count * (4 + stream_count * (delta_bytes + STREAM_BYTES)),
        written_bytes: entry_count * stream_count * STREAM_BYTES,
    }
}

fn parameters<T: Pod>(step: &DispatchStep) -> T {
    bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&step.parameters)[..size_of::<T>()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_directions_and_sets_take_what_they_are_written_with() {
        let all = stream_bits(Streams {
            positions: true,
            normals: true,
            tangents: true,
        });
        let of = |layout: &VertexLayout, streams| {
            let traffic = vertex_traffic(layout, streams);
            (traffic.read_bytes, traffic.written_bytes)
        };
        assert_eq!(of(&VertexLayout::PACKED, all), (36, 36));
        assert_eq!(of(&VertexLayout::PACKED, 0), (12, 12));
        assert_eq!(
            of(&VertexLayout::SEPARATE_SNORM10, all),
            (12 + 12 + 16, 12 + 4 + 4)
        );
        let colored = VertexLayout::interleaved(36)
            .with_texcoord(0, 0, 12)
            .with_color(0, 0, 20);
        assert_eq!(of(&colored, all), (36, 36));
    }
}
