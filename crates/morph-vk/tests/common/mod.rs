//! A pass on the mock device with settled instances, for tests and the benchmark of what recording costs the CPU.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "shared by several programs, of which each uses a part"
)]

use std::sync::Arc;

use morph_core::skin::{BoneRows, DirectionTransform, InfluenceCount, SkinWeights};
use morph_core::{BaseNormals, BuildOptions, MorphMesh, MorphTarget, Quantization, RestPose, VertexLayout};
use morph_mock_device::{MockCommands, MockDevice};
use morph_vk::{
    Capacities, DeviceFacts, FrameStats, InstanceId, MeshDesc, MeshId, MorphError, MorphPass, MorphPassDesc,
    RawMemory, SkeletonId,
};

pub const VERTEX_COUNT: u32 = 16;

/// A pass on a mock device.
#[derive(Debug)]
pub struct MockPass {
    pub pass: MorphPass,
    pub commands: MockCommands,
    pub device: MockDevice,
    slot: u32,
    slot_count: u32,
}

/// A description for `instance_count` instances with up to `target_count` targets.
pub fn desc(device: &MockDevice, instance_count: u32, target_count: u32) -> MorphPassDesc {
    let facts = DeviceFacts {
        limits: device.limits(),
        synchronization2: true,
        rounding_mode_rte_float32: false,
        timestamp_valid_bits: 64,
    };
    let bytes = u64::from(instance_count) * u64::from(VERTEX_COUNT) * 512 + (64 << 20);
    MorphPassDesc::new(
        VertexLayout::PACKED,
        Capacities::new(bytes, instance_count, target_count),
        facts,
    )
}

/// A mesh of a few vertices, every one of which every target moves.
pub fn mesh_desc(target_count: usize) -> MeshDesc {
    let positions: Vec<[f32; 3]> = (0..VERTEX_COUNT).map(|i| [i as f32, 1.0, 2.0]).collect();
    let targets: Vec<_> = (0..target_count)
        .map(|target| {
            let deltas = vec![[0.5, target as f32, 0.25]; positions.len()];
            MorphTarget::from_dense(format!("target{target}"), Some(&deltas), None, None)
        })
        .collect();
    let (mesh, _) = MorphMesh::build(VERTEX_COUNT, &targets, &BuildOptions::new(Quantization::Half))
        .expect("plain targets");
    let rest = RestPose::from_streams(VertexLayout::PACKED, &positions, None, None, BaseNormals::AsGiven);
    MeshDesc::new(Arc::new(mesh), rest.expect("plain vertices"))
}

pub const BONE_COUNT: usize = 60;

/// A pose of which every component differs from that of another mood.
pub fn pose(mood: usize) -> Vec<BoneRows> {
    let shift = mood as f32 * 0.5 + 1.0;
    vec![[[shift, 0.25, 0.25, shift]; 3]; BONE_COUNT]
}

impl MockPass {
    /// One mesh of 52 targets and skeletons of [`BONE_COUNT`] bones, each with so many instances, all settled.
    pub fn skinned(
        skeleton_count: u32,
        instances_per_skeleton: u32,
    ) -> (MockPass, Vec<SkeletonId>, Vec<InstanceId>) {
        let instance_count = skeleton_count * instances_per_skeleton;
        let mut pass = MockPass::new(|device| {
            let mut desc = desc(device, instance_count, 52);
            desc.capacities = desc.capacities.with_bones(skeleton_count * BONE_COUNT as u32);
            desc
        })
        .expect("a usable description");
        let vertices = 0..VERTEX_COUNT as u16;
        let joints: Vec<u16> = vertices.flat_map(|vertex| [vertex, vertex + 1, 0, 0]).collect();
        let weights: Vec<f32> = (0..VERTEX_COUNT).flat_map(|_| [0.5, 0.5, 0.0, 0.0]).collect();
        let weights = SkinWeights::new(InfluenceCount::Four, joints, weights).expect("usable weights");
        let mesh = mesh_desc(52).with_skin(Arc::new(weights), DirectionTransform::Linear);
        let mesh = pass.pass.add_mesh(mesh).expect("room");
        pass.pass.reserve_instances(mesh, instance_count).expect("room");
        let (mut skeletons, mut instances) = (Vec::new(), Vec::new());
        for _ in 0..skeleton_count {
            let skeleton = pass.pass.add_skeleton(BONE_COUNT as u32).expect("room");
            let attach = |_| pass.pass.attach_skinned(mesh, skeleton).expect("room");
            instances.extend((0..instances_per_skeleton).map(attach));
            skeletons.push(skeleton);
        }
        pass.settle();
        (pass, skeletons, instances)
    }

    pub fn new(edit: impl FnOnce(&MockDevice) -> MorphPassDesc) -> Result<MockPass, MorphError> {
        let device = MockDevice::new();
        let desc = edit(&device);
        let slot_count = desc.capacities.frame_slot_count;
        let memory = Box::new(RawMemory::new(device.memory_properties()));
        // SAFETY: the device lives as long as the pass; facts and memory are its own.
        let pass = unsafe { MorphPass::new(device.device(), desc, memory) }?;
        Ok(MockPass {
            pass,
            commands: MockCommands::new(),
            device,
            slot: 0,
            slot_count,
        })
    }

    /// A pass with `mesh_count` meshes of 52 targets and so many instances of each, all settled.
    pub fn settled(mesh_count: u32, instances_per_mesh: u32) -> (MockPass, Vec<InstanceId>) {
        let instance_count = mesh_count * instances_per_mesh;
        let mut pass =
            MockPass::new(|device| desc(device, instance_count, 52)).expect("a usable description");
        let mut instances = Vec::new();
        for _ in 0..mesh_count {
            let mesh = pass.pass.add_mesh(mesh_desc(52)).expect("room");
            instances.extend(pass.attach(mesh, instances_per_mesh));
        }
        pass.settle();
        (pass, instances)
    }

    pub fn attach(&mut self, mesh: MeshId, count: u32) -> Vec<InstanceId> {
        self.pass.reserve_instances(mesh, count).expect("room");
        (0..count)
            .map(|_| self.pass.attach(mesh).expect("room"))
            .collect()
    }

    /// Records a frame with the next slot.
    pub fn record(&mut self) -> FrameStats {
        let slot = self.slot;
        self.slot = (slot + 1) % self.slot_count;
        // SAFETY: nothing runs on a mock device, so it is done with every slot.
        unsafe { self.pass.record(self.commands.handle(), slot) }
    }

    /// Takes the frame last recorded back.
    pub fn discard(&mut self) {
        self.slot = (self.slot + self.slot_count - 1) % self.slot_count;
        self.pass.discard_frame(self.slot);
    }

    /// Frames until nothing is left to do.
    pub fn settle(&mut self) {
        for _ in 0..1000 {
            let stats = self.record();
            if stats.is_idle() && stats.waiting_instances == 0 && !stats.degraded() {
                self.commands.take();
                return;
            }
        }
        panic!("work was left after 1,000 frames");
    }
}

impl Drop for MockPass {
    fn drop(&mut self) {
        // SAFETY: nothing runs on a mock device.
        unsafe { self.pass.destroy() };
    }
}

/// Two sets of weights without an equal slot.
pub fn two_moods(target_count: usize) -> [Vec<f32>; 2] {
    [0.25, -0.5].map(|start| (0..target_count).map(|slot| start + slot as f32 / 64.0).collect())
}
