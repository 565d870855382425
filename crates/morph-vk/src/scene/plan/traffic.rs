//! Bytes that a frame's steps move, estimated from what the kernels are made to do.
//!
//! [`FrameStats::read_bytes`](crate::FrameStats::read_bytes) says what the estimate takes in and what not.

use bytemuck::Pod;
use morph_core::Quantization;
use morph_core::plan::{CopyPurpose, DispatchStep, Kernel, PlanStep};

use crate::shader_interface::{GatherParams, NO_STREAM, ScatterParams};

/// Bytes of three floats, which every stream of a vertex takes.
const STREAM_BYTES: u64 = 12;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::scene) struct Traffic {
    pub(in crate::scene) read_bytes: u64,
    pub(in crate::scene) written_bytes: u64,
}

impl Traffic {
    pub(in crate::scene) fn of(steps: &[PlanStep]) -> Traffic {
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
                PlanStep::Dispatch(dispatch) => gather(dispatch),
                PlanStep::Barrier(_) => Traffic::default(),
            };
            sum.read_bytes += read_bytes;
            sum.written_bytes += written_bytes;
        }
        sum
    }
}

fn gather(step: &DispatchStep) -> Traffic {
    let params: GatherParams = parameters(step);
    let stream_count = 1 + u64::from(params.output_streams.count_ones());
    let instance_bytes = u64::from(params.vertex_count) * STREAM_BYTES * stream_count;
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
        read_bytes: u64::from(rows) * (delta_bytes + skin_bytes + instance_bytes),
        written_bytes: u64::from(step.instance_count) * instance_bytes,
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
