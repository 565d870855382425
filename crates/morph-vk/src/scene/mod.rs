//! What the pass knows: meshes, instances, blocks of ranges, and which of them need work.
//!
//! Everything here is host data and names no command buffer, so that it can be tested without a device.
//! `plan` turns it into a frame plan.

mod active;
mod block;
mod bounds;
mod bounds_table;
mod budget;
mod changes;
mod far;
mod held;
mod instance;
mod mesh;
mod plan;
mod skeleton;
mod skin;
mod statistics;

use std::collections::VecDeque;

use morph_core::VertexSet;
use morph_core::plan::FramePlan;
use slotmap::SlotMap;

use crate::desc::{Capacities, Method, MorphPassDesc};
use crate::error::MorphError;
use crate::geometry_buffer::GeometryBuffer;
use crate::sets::{SetLedger, SetRanges};
use crate::vertex_space::VertexSpace;

pub(crate) use bounds_table::ENTRY_BYTES as BOUNDS_ENTRY_BYTES;
pub use budget::RefusalLimit;
pub use changes::{BuildAdvice, ChangedInstance};
pub(crate) use far::check_pixels;
pub use instance::VertexRange;
pub use mesh::MeshState;

slotmap::new_key_type! {
    /// A mesh of a pass. Carries a generation: a stale handle is an error, never another mesh.
    pub struct MeshId;
    /// An instance of a mesh. Carries a generation: a stale handle is an error, never another instance.
    pub struct InstanceId;
    /// A skeleton of a pass. Carries a generation: a stale handle is an error, never another skeleton.
    pub struct SkeletonId;
    pub(crate) struct BlockId;
}

/// What never changes in the life of a pass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Constants {
    pub(crate) layout: morph_core::VertexLayout,
    pub(crate) method: Method,
    pub(crate) history: bool,
    /// Whether some reader of the ranges is on the queue that frames are recorded for.
    pub(crate) readers_here: bool,
    pub(crate) bounds_buffer: bool,
    pub(crate) capacities: Capacities,
    /// `maxStorageBufferRange`.
    pub(crate) max_range_bytes: u64,
    /// Rest poses and deltas start at multiples of it.
    pub(crate) storage_alignment: u64,
    /// The same for ranges of vertices, where the engine asked for more.
    pub(crate) range_alignment: u64,
    /// `maxComputeWorkGroupCount`.
    pub(crate) max_group_count: [u32; 3],
}

impl Constants {
    pub(crate) fn new(desc: &MorphPassDesc) -> Constants {
        let limits = &desc.device.limits;
        let storage_alignment = desc.storage_alignment();
        Constants {
            layout: desc.layout,
            method: desc.method,
            history: desc.history,
            readers_here: !desc.readers.stages.is_empty(),
            bounds_buffer: desc.bounds_buffer,
            capacities: desc.capacities,
            max_range_bytes: u64::from(limits.max_storage_buffer_range),
            storage_alignment,
            range_alignment: desc.range_alignment(),
            max_group_count: limits.max_compute_work_group_count,
        }
    }

    /// Bytes of the staging ring that belong to one frame slot.
    pub(crate) fn staging_slot_bytes(&self) -> u64 {
        self.capacities.staging_bytes_per_frame.next_multiple_of(16)
    }

    pub(crate) fn staging_bytes(&self) -> u64 {
        self.staging_slot_bytes() * u64::from(self.capacities.frame_slot_count)
    }

    /// How the geometry buffer is divided.
    pub(crate) fn vertex_space(&self) -> VertexSpace {
        VertexSpace::new(&self.layout, &self.capacities, self.range_alignment)
    }

    /// The stride of the stream with the longest vertices.
    fn longest_stride_bytes(&self) -> u64 {
        let strides = self.layout.strides().iter().copied();
        u64::from(strides.max().unwrap_or(0))
    }

    /// The sets that the layout asks for, with their deltas on the device.
    fn drawn_sets(&self) -> [Option<VertexSet>; 2] {
        let layout = &self.layout;
        [
            layout.texcoord.map(|place| VertexSet::Texcoord(place.set)),
            layout.color.map(|place| VertexSet::Color(place.set)),
        ]
    }

    fn ranges_per_instance(&self) -> u64 {
        if self.history { 2 } else { 1 }
    }
}

/// What one frame slot last recorded, so that the engine can take it back.
#[derive(Debug, Clone, Default)]
struct SlotLog {
    /// The frame's number; zero where it was dropped, or before the first.
    frame: u64,
    written: Vec<(InstanceId, instance::Before)>,
    /// What the written instances' ranges held before.
    held: held::HeldLog,
    /// Entries of the table of bounds that the frame sent.
    bounds: Vec<u32>,
    /// Meshes whose upload went on in the frame, and how far it was before.
    uploads: Vec<(MeshId, mesh::UploadCursor)>,
}

/// Everything the pass knows.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) constants: Constants,
    pub(crate) geometry: GeometryBuffer,
    meshes: SlotMap<MeshId, mesh::Mesh>,
    /// How many meshes there ever were: the number of the next one, for labels.
    next_mesh_number: u32,
    instances: SlotMap<InstanceId, instance::Instance>,
    pub(crate) skeletons: skeleton::Skeletons,
    blocks: SlotMap<BlockId, block::Block>,
    ledger: SetLedger,
    /// Instances that may need work, and stale handles of some that are gone. Idle ones are not in it, so they cost
    /// nothing.
    queue: Vec<InstanceId>,
    uploads: VecDeque<MeshId>,
    /// Meshes that were sent whole but still hold their packed words.
    packed: Vec<MeshId>,
    /// Bytes of the frame's data that all skeletons and attached instances could need at once.
    reserved_frame_bytes: u64,
    skin_bytes: u64,
    delta_bytes: u64,
    /// Starts as `capacities` has it; the engine may change it.
    delta_budget_bytes: u64,
    /// Kept as instances come, go, hide and return, so that a frame need not count them.
    hidden_instance_count: u32,
    /// Visible instances whose last change was left out as too small to be seen.
    far_instance_count: u32,
    /// Number of the last planned frame; the first is 1.
    frame: u64,
    /// Frames planned and not dropped.
    kept_frames: u64,
    /// The last frame that the device is known to be done with.
    completed_frame: u64,
    slots: Vec<SlotLog>,
    /// Where the engine asked for it.
    pub(crate) bounds_table: Option<bounds_table::BoundsTable>,
    /// The slot of the last planned frame.
    last_slot: u32,
    /// A change is written where it moves a vertex by so many pixels; zero writes all.
    pub(crate) skip_below_pixels: f32,
    pub(crate) plan: FramePlan,
    /// Sets to be written before the plan is recorded.
    pub(crate) set_writes: Vec<(u32, SetRanges)>,
    scratch: plan::Scratch,
}

impl Scene {
    pub(crate) fn new(constants: Constants, geometry: GeometryBuffer) -> Scene {
        let instance_capacity = constants.capacities.instance_capacity;
        Scene {
            constants,
            geometry,
            meshes: SlotMap::with_key(),
            next_mesh_number: 0,
            instances: SlotMap::with_capacity_and_key(instance_capacity as usize),
            skeletons: skeleton::Skeletons::new(),
            blocks: SlotMap::with_key(),
            ledger: SetLedger::new(set_count(&constants.capacities)),
            queue: Vec::with_capacity(queue_capacity(&constants.capacities)),
            uploads: VecDeque::new(),
            packed: Vec::new(),
            reserved_frame_bytes: 0,
            skin_bytes: 0,
            delta_bytes: 0,
            delta_budget_bytes: constants.capacities.delta_budget_bytes,
            hidden_instance_count: 0,
            far_instance_count: 0,
            frame: 0,
            kept_frames: 0,
            completed_frame: 0,
            slots: vec![SlotLog::default(); constants.capacities.frame_slot_count as usize],
            bounds_table: constants
                .bounds_buffer
                .then(|| bounds_table::BoundsTable::new(instance_capacity)),
            last_slot: 0,
            skip_below_pixels: 0.0,
            plan: FramePlan::new(),
            set_writes: Vec::new(),
            scratch: plan::Scratch::new(queue_capacity(&constants.capacities)),
        }
    }

    fn queue_capacity(&self) -> usize {
        queue_capacity(&self.constants.capacities)
    }

    pub(crate) fn mesh_count(&self) -> usize {
        self.meshes.len()
    }

    /// Number of the last planned frame.
    pub(crate) fn last_frame(&self) -> u64 {
        self.frame
    }

    /// Sets bytes of the frame's data aside, or says how many there are.
    fn reserve_frame_bytes(&mut self, what: &'static str, asked_bytes: u64) -> Result<(), MorphError> {
        let capacity_bytes = self.constants.capacities.frame_bytes;
        if self.reserved_frame_bytes + asked_bytes > capacity_bytes {
            return Err(MorphError::FrameDataFull {
                what,
                asked_bytes,
                used_bytes: self.reserved_frame_bytes,
                capacity_bytes,
            });
        }
        self.reserved_frame_bytes += asked_bytes;
        Ok(())
    }

    /// The last frame that the device is known to be done with.
    pub(crate) fn completed_frame(&self) -> u64 {
        self.completed_frame
    }

    pub(crate) fn instance_count(&self) -> usize {
        self.instances.len()
    }
}

/// Descriptor sets for a pass.
///
/// Every block that has an instance holds at most one. A set given back may be used by as many frames as there are
/// slots, so where all instances are replaced in every frame, each slot's frame holds sets of its own.
pub(crate) fn set_count(capacities: &Capacities) -> u32 {
    capacities
        .instance_capacity
        .saturating_mul(capacities.frame_slot_count.saturating_add(1))
}

/// Every instance and as many stale handles.
fn queue_capacity(capacities: &Capacities) -> usize {
    capacities.instance_capacity as usize * 2
}

#[cfg(test)]
mod tests;
