//! Runs frame plans on byte arrays: what a device would do, one step after the other.

use std::sync::Arc;

use morph_core::plan::{CopyStep, DispatchStep, FramePlan, Interval, Kernel, PlanBuffer, PlanStep};
use morph_core::{
    AttributePlace, MorphMesh, MorphedStreams, RestPose, VertexFormat, decode_octahedral16, decode_snorm10,
};

use crate::geometry_buffer::GeometryBuffer;
use crate::mesh_desc::MeshDesc;
use crate::scene::{Constants, InstanceId, MeshId, Scene};
use crate::shader_interface::{GatherParams, ScatterParams};
use crate::stats::FrameStats;

use super::kernels::{Memory, gather, scatter, word};

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
                GeometryBuffer::without_device(constants.vertex_space()),
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

    /// What an instance shows: floats as they are, packed directions unpacked.
    pub(super) fn morphed(&self, id: InstanceId) -> MorphedStreams {
        let range = self.scene.vertex_range(id);
        range.map_or_else(MorphedStreams::default, |it| {
            self.streams_at(it.current_first_vertex, it.vertex_count)
        })
    }

    /// What lies where motion vectors look for the frame before.
    pub(super) fn previous(&self, id: InstanceId) -> MorphedStreams {
        let range = self.scene.vertex_range(id);
        range.map_or_else(MorphedStreams::default, |it| {
            self.streams_at(it.previous_first_vertex, it.vertex_count)
        })
    }

    /// The words of an attribute of every vertex of what an instance shows.
    pub(super) fn words<const N: usize>(&self, id: InstanceId, stream: u32, offset: u32) -> Vec<[u32; N]> {
        let range = self.scene.vertex_range(id);
        range.map_or_else(Vec::new, |it| {
            self.words_at(it.current_first_vertex, it.vertex_count, stream, offset)
        })
    }

    fn words_at<const N: usize>(&self, first: u32, count: u32, stream: u32, offset: u32) -> Vec<[u32; N]> {
        let stream = self.scene.geometry.streams()[stream as usize];
        (first..first + count)
            .map(|vertex| {
                let first = (stream.offset_of(vertex) + u64::from(offset)) as usize / 4;
                std::array::from_fn(|component| word(&self.geometry, first + component))
            })
            .collect()
    }

    fn streams_at(&self, first: u32, count: u32) -> MorphedStreams {
        let layout = self.scene.constants.layout;
        let attribute = |place: AttributePlace| -> Vec<[f32; 3]> {
            let unpack: fn(u32) -> [f32; 3] = match place.format {
                VertexFormat::Float32 => {
                    let words = self.words_at::<3>(first, count, place.stream, place.offset);
                    return words.into_iter().map(|it| it.map(f32::from_bits)).collect();
                }
                VertexFormat::Snorm10 => |word| {
                    let [x, y, z, _] = decode_snorm10(word);
                    [x, y, z]
                },
                VertexFormat::Octahedral16 => decode_octahedral16,
            };
            let words = self.words_at::<1>(first, count, place.stream, place.offset);
            words.into_iter().map(|[word]| unpack(word)).collect()
        };
        MorphedStreams {
            positions: attribute(layout.position),
            normals: layout.normal.map(attribute),
            tangents: layout.tangent.map(attribute),
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
        let output = step
            .written()
            .map(|interval| self.slice(*interval).to_vec())
            .collect();
        let [local_x, local_y] = step.kernel.local_size();
        let [x, y, z] = step.group_count;
        let parameters: &[u8] = bytemuck::cast_slice(&step.parameters[..step.parameter_words as usize]);
        let mut memory = Memory {
            rest: &rest,
            deltas: &deltas,
            frame: &frame,
            skin: &skin,
            output,
            layout: self.scene.constants.layout,
        };
        let invocations = u64::from(x) * u64::from(z) * u64::from(local_x);
        match step.kernel {
            Kernel::Scatter => {
                let params: ScatterParams = *bytemuck::from_bytes(parameters);
                assert!(invocations >= u64::from(params.entry_count), "too few groups");
                scatter(&mut memory, &params, step.quantization);
            }
            Kernel::GatherX32Y1 | Kernel::GatherX8Y16 | Kernel::SkinnedX32Y1 | Kernel::SkinnedX8Y16 => {
                let params: GatherParams = *bytemuck::from_bytes(parameters);
                assert!(
                    invocations >= u64::from(params.vertex_count),
                    "too few groups in x and z"
                );
                assert!(y * local_y >= params.instance_count, "too few groups in y");
                gather(&mut memory, &params, step.quantization, step.kernel.is_skinned());
            }
        }
        for (interval, written) in step.written().zip(&memory.output) {
            let start = interval.offset as usize;
            self.geometry[start..start + written.len()].copy_from_slice(written);
        }
    }
}
