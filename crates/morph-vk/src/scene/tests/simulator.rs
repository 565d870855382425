//! Runs frame plans on byte arrays: what a device would do, one step after the other.
//!
//! The kernels are written anew here, from the layouts' descriptions, so that a plan with a wrong offset, a missing
//! copy or a stale weight gives wrong vertices without any device.

use std::sync::Arc;

use morph_core::plan::{CopyStep, DispatchStep, FramePlan, Interval, Kernel, PlanBuffer, PlanStep};
use morph_core::{MorphMesh, MorphedStreams, Quantization, RestPose};

use super::skin_kernel;
use crate::geometry_buffer::GeometryBuffer;
use crate::mesh_desc::MeshDesc;
use crate::scene::{Constants, InstanceId, MeshId, Scene};
use crate::shader_interface::{GatherParams, NO_POSE, NO_STREAM, NO_WEIGHTS, ScatterParams};
use crate::stats::FrameStats;

/// A scene with memory to run its plans on.
pub(super) struct Simulator {
    pub(super) scene: Scene,
    pub(super) geometry: Vec<u8>,
    frame: Vec<u8>,
    pub(super) bounds: Vec<u8>,
    staging: Vec<u8>,
    next_slot: u32,
}

impl Simulator {
    pub(super) fn new(constants: Constants) -> Simulator {
        let capacities = constants.capacities;
        let staging = constants.staging_slot_bytes() as usize * capacities.frame_slot_count as usize;
        Simulator {
            scene: Scene::new(
                constants,
                GeometryBuffer::without_device(capacities.geometry_bytes),
            ),
            // Not zero: what was never written must show.
            geometry: vec![0xcd; capacities.geometry_bytes as usize],
            frame: vec![0xcd; capacities.frame_bytes as usize],
            bounds: vec![0xcd; capacities.instance_capacity as usize * 32],
            staging: vec![0xcd; staging],
            next_slot: 0,
        }
    }

    /// Adds a mesh with one instance.
    pub(super) fn with_face(
        constants: Constants,
        mesh: &Arc<MorphMesh>,
        rest: &RestPose,
    ) -> (Simulator, MeshId, InstanceId) {
        let mut simulator = Simulator::new(constants);
        let id = simulator
            .scene
            .add_mesh(MeshDesc::new(Arc::clone(mesh), rest.clone()))
            .unwrap();
        let face = simulator.scene.attach(id, None).unwrap();
        (simulator, id, face)
    }

    /// Sets all weights of an instance, and says whether any changed.
    pub(super) fn set_weights(&mut self, id: InstanceId, weights: &[f32]) -> bool {
        self.scene
            .change_weights(id, |state, names| state.set_all(weights, names))
            .unwrap()
    }

    /// Plans a frame and runs it.
    pub(super) fn advance(&mut self, pipelines_ready: bool) -> FrameStats {
        let stats = self.plan(pipelines_ready);
        self.run();
        stats
    }

    /// Plans a frame without running it, as an engine that drops it would.
    pub(super) fn plan(&mut self, pipelines_ready: bool) -> FrameStats {
        let slot = self.next_slot;
        let slots = self.scene.constants.capacities.frame_slot_count;
        self.next_slot = (slot + 1) % slots;
        let bytes = self.scene.constants.staging_slot_bytes() as usize;
        let start = slot as usize * bytes;
        let staging = &mut self.staging[start..start + bytes];
        let stats = self.scene.plan_frame(slot, staging, pipelines_ready);
        let hidden = self.scene.instances.values().filter(|it| !it.visible).count();
        assert_eq!(stats.skipped.hidden as usize, hidden);
        assert_eq!(
            stats.instance_count,
            stats.written_instances + stats.skipped.total(),
            "every instance is counted once: {stats:?}"
        );
        stats
    }

    /// The slot that was planned last.
    pub(super) fn last_slot(&self) -> u32 {
        let slots = self.scene.constants.capacities.frame_slot_count;
        (self.next_slot + slots - 1) % slots
    }

    pub(super) fn run(&mut self) {
        let plan = std::mem::replace(&mut self.scene.plan, FramePlan::new());
        for step in &plan.steps {
            match step {
                PlanStep::Copy(copy) => self.copy(copy),
                PlanStep::Dispatch(dispatch) => self.dispatch(dispatch),
                PlanStep::Barrier(_) => {}
            }
        }
        self.scene.plan = plan;
    }

    /// What an instance shows.
    pub(super) fn morphed(&self, id: InstanceId) -> MorphedStreams {
        let range = self.scene.vertex_range(id);
        range.map_or_else(MorphedStreams::default, |it| {
            self.vertices(it.current_first_vertex, it.vertex_count)
        })
    }

    /// What lies where motion vectors look for the frame before.
    pub(super) fn previous(&self, id: InstanceId) -> MorphedStreams {
        let range = self.scene.vertex_range(id);
        range.map_or_else(MorphedStreams::default, |it| {
            self.vertices(it.previous_first_vertex, it.vertex_count)
        })
    }

    fn vertices(&self, first_vertex: u32, vertex_count: u32) -> MorphedStreams {
        let layout = self.scene.constants.layout;
        let stream = |offset: u32| {
            (first_vertex..first_vertex + vertex_count)
                .map(|vertex| {
                    let first = (vertex * layout.stride_bytes + offset) as usize / 4;
                    std::array::from_fn(|axis| f32::from_bits(word(&self.geometry, first + axis)))
                })
                .collect()
        };
        MorphedStreams {
            positions: stream(layout.position_offset),
            normals: layout.normal_offset.map(stream),
            tangents: layout.tangent_offset.map(stream),
        }
    }

    fn copy(&mut self, copy: &CopyStep) {
        let bytes = self.slice(copy.source).to_vec();
        let target = match copy.destination {
            PlanBuffer::Geometry => &mut self.geometry,
            PlanBuffer::Frame => &mut self.frame,
            PlanBuffer::Bounds => &mut self.bounds,
            PlanBuffer::Staging => panic!("the ring is written by the host alone"),
        };
        let start = copy.destination_offset as usize;
        target[start..start + bytes.len()].copy_from_slice(&bytes);
    }

    fn slice(&self, interval: Interval) -> &[u8] {
        let buffer = match interval.buffer {
            PlanBuffer::Geometry => &self.geometry,
            PlanBuffer::Frame => &self.frame,
            PlanBuffer::Bounds => &self.bounds,
            PlanBuffer::Staging => &self.staging,
        };
        &buffer[interval.offset as usize..(interval.offset + interval.size_bytes) as usize]
    }

    fn dispatch(&mut self, step: &DispatchStep) {
        let [rest, deltas, frame, skin] = step.reads.map(|interval| self.slice(interval).to_vec());
        let mut output = self.slice(step.writes).to_vec();
        let [local_x, local_y] = step.kernel.local_size();
        let [x, y, z] = step.group_count;
        let parameters: &[u8] = bytemuck::cast_slice(&step.parameters[..step.parameter_words as usize]);
        let memory = &mut Memory {
            rest: &rest,
            deltas: &deltas,
            frame: &frame,
            skin: &skin,
            output: &mut output,
        };
        let layout = self.scene.constants.layout;
        let invocations = u64::from(x) * u64::from(z) * u64::from(local_x);
        match step.kernel {
            Kernel::Scatter => {
                let params: ScatterParams = *bytemuck::from_bytes(parameters);
                assert!(invocations >= u64::from(params.entry_count), "too few groups");
                scatter(memory, &params, step.quantization, layout);
            }
            Kernel::GatherX32Y1 | Kernel::GatherX8Y16 | Kernel::SkinnedX32Y1 | Kernel::SkinnedX8Y16 => {
                let params: GatherParams = *bytemuck::from_bytes(parameters);
                assert!(
                    invocations >= u64::from(params.vertex_count),
                    "too few groups in x and z"
                );
                assert!(y * local_y >= params.instance_count, "too few groups in y");
                gather(
                    memory,
                    &params,
                    step.quantization,
                    layout,
                    step.kernel.is_skinned(),
                );
            }
        }
        let start = step.writes.offset as usize;
        self.geometry[start..start + output.len()].copy_from_slice(&output);
    }
}

struct Memory<'a> {
    rest: &'a [u8],
    deltas: &'a [u8],
    frame: &'a [u8],
    skin: &'a [u8],
    output: &'a mut Vec<u8>,
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

fn accumulate(output: &mut [u8], first_word: usize, weight: f32, delta: [f32; 3]) {
    for (axis, delta) in delta.into_iter().enumerate() {
        let sum = f32::from_bits(word(output, first_word + axis)) + weight * delta;
        let start = (first_word + axis) * 4;
        output[start..start + 4].copy_from_slice(&sum.to_le_bytes());
    }
}

fn scatter(
    memory: &mut Memory<'_>,
    params: &ScatterParams,
    quantization: Quantization,
    layout: morph_core::VertexLayout,
) {
    let streams = [
        (
            params.position_offset,
            params.position_step,
            Some(layout.position_offset),
        ),
        (params.normal_offset, params.normal_step, layout.normal_offset),
        (params.tangent_offset, params.tangent_step, layout.tangent_offset),
    ];
    for entry in 0..params.entry_count as usize {
        let vertex = word(memory.deltas, params.index_offset as usize + entry);
        for (offset, step, attribute) in streams {
            if offset == NO_STREAM {
                continue;
            }
            let attribute = attribute.expect("a stream that the layout has not");
            let first = params.output_offset + vertex * (layout.stride_bytes / 4) + attribute / 4;
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
            accumulate(memory.output, first as usize, params.weight, delta);
        }
    }
}

fn gather(
    memory: &mut Memory<'_>,
    params: &GatherParams,
    quantization: Quantization,
    layout: morph_core::VertexLayout,
    skins: bool,
) {
    let stride = layout.stride_bytes as usize / 4;
    let has = |bits: u32, bit: u32| bits & bit != 0;
    for instance in 0..params.instance_count as usize {
        let record = params.first_record as usize + instance * 3;
        let output_offset = word(memory.frame, record) as usize;
        let weights_offset = word(memory.frame, record + 1);
        let pose_offset = word(memory.frame, record + 2);
        assert!(skins || (weights_offset != NO_WEIGHTS && pose_offset == NO_POSE));
        for vertex in 0..params.vertex_count as usize {
            // Which streams an entry holds, in its order, and where each goes.
            let streams = [
                (true, true, Some(layout.position_offset)),
                (
                    has(params.entry_streams, 1),
                    has(params.output_streams, 1),
                    layout.normal_offset,
                ),
                (
                    has(params.entry_streams, 2),
                    has(params.output_streams, 2),
                    layout.tangent_offset,
                ),
            ];
            for (_, written, attribute) in streams {
                if let (true, Some(attribute)) = (written, attribute) {
                    let (from, to) = (vertex * stride, output_offset + vertex * stride);
                    let attribute = attribute as usize / 4;
                    for axis in 0..3 {
                        let bits = word(memory.rest, from + attribute + axis);
                        let start = (to + attribute + axis) * 4;
                        memory.output[start..start + 4].copy_from_slice(&bits.to_le_bytes());
                    }
                }
            }
            let entries = if weights_offset == NO_WEIGHTS {
                0..0
            } else {
                word(memory.deltas, vertex)..word(memory.deltas, vertex + 1)
            };
            for entry in entries {
                let first = (params.entries_offset + entry * params.entry_words) as usize;
                let wide = quantization == Quantization::F32;
                let target = if wide {
                    word(memory.deltas, first)
                } else {
                    u32::from(half_word(memory.deltas, first * 2))
                };
                let weight = f32::from_bits(word(memory.frame, (weights_offset + target) as usize));
                let mut place = 1;
                for (stream, (held, written, attribute)) in streams.into_iter().enumerate() {
                    if !held {
                        continue;
                    }
                    let step = if quantization == Quantization::Snorm16 {
                        let index = params.steps_offset as usize + target as usize * 3 + stream;
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
                    if let (true, Some(attribute)) = (written, attribute) {
                        let to = output_offset + vertex * stride + attribute as usize / 4;
                        accumulate(memory.output, to, weight, delta);
                    }
                }
            }
            if pose_offset == NO_POSE {
                continue;
            }
            let places = streams.map(|(_, written, attribute)| {
                let place = attribute.filter(|_| written)?;
                Some(output_offset + vertex * stride + place as usize / 4)
            });
            let influence_count = params.influence_count as usize;
            let influences = skin_kernel::influences(memory.skin, influence_count, vertex);
            let pose = &memory.frame[pose_offset as usize * 16..];
            skin_kernel::skin(memory.output, places, &influences, pose, params.by_cofactors == 1);
        }
    }
}
