//! What a frame did and what a pass holds, in numbers.
//!
//! Counting costs what changed: a frame in which nothing did touches no instance.

/// Visible and hidden instances that a frame did not write, by the one reason that held for each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SkippedInstances {
    /// What its range holds is right already.
    pub unchanged: u32,
    /// Hidden by the engine.
    pub hidden: u32,
    /// What would change is too small to be seen from where it is.
    pub far: u32,
    /// The rest pose of its mesh is still on its way.
    pub waiting: u32,
    /// Degraded, and its range holds the rest pose already.
    pub degraded: u32,
    /// Its mesh's deltas were refused, and its range holds the rest pose already.
    pub refused: u32,
}

impl SkippedInstances {
    /// All of them.
    pub fn total(&self) -> u32 {
        self.unchanged + self.hidden + self.far + self.waiting + self.degraded + self.refused
    }
}

/// Why [`record`](crate::MorphPass::record) recorded nothing. What was changed stays to be done by a later frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecordRefusal {
    /// The device is not done with the frame last recorded with this slot, or that frame was neither submitted nor
    /// given to [`discard_frame`](crate::MorphPass::discard_frame). Found only with
    /// [`MorphPassDesc::check_slots`](crate::MorphPassDesc::check_slots).
    SlotInUse,
    /// There is no such slot.
    SlotOutOfRange,
    /// [`destroy`](crate::MorphPass::destroy) was called.
    Destroyed,
    /// The device is lost: the pass records nothing any more and can only be destroyed.
    DeviceLost,
}

impl RecordRefusal {
    /// A few words for logs and messages.
    pub const fn name(self) -> &'static str {
        match self {
            RecordRefusal::SlotInUse => "the frame last recorded with this slot is not done",
            RecordRefusal::SlotOutOfRange => "there is no such frame slot",
            RecordRefusal::Destroyed => "the pass was destroyed",
            RecordRefusal::DeviceLost => "the device is lost",
        }
    }
}

impl std::fmt::Display for RecordRefusal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

/// How long the device took for a frame, by timestamps of its queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeviceTime {
    /// The frame that was measured; an earlier one than the frame that tells it.
    pub frame: u64,
    /// From the end of all work before it on the queue to the end of its own: what the pre-pass adds to the queue.
    /// Work that ran while earlier work of the engine's was still running is not in it.
    pub nanoseconds: u64,
}

/// What one recorded frame did.
///
/// Every attached instance is counted once: `instance_count` is `written_instances` and `skipped.total()`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FrameStats {
    /// Number of the frame; the first is 1. Where the frame was refused, that of the last one that was not.
    pub frame: u64,
    /// Why nothing was recorded, where recording itself was refused; everything below is zero then.
    pub refusal: Option<RecordRefusal>,
    /// Instances attached.
    pub instance_count: u32,
    /// Instances whose range was written, by copy or by dispatch.
    pub written_instances: u32,
    /// Of these, instances that a kernel morphed.
    pub morphed_instances: u32,
    /// Meshes of the morphed instances.
    pub morphed_meshes: u32,
    /// Of the written instances, those that a kernel skinned, morphed or at rest.
    pub skinned_instances: u32,
    /// Skeletons whose pose was sent: once a frame, however many instances follow them.
    pub sent_poses: u32,
    /// Instances not written, and why.
    pub skipped: SkippedInstances,
    /// Blends: targets that were active, summed over the morphed instances.
    pub active_targets: u64,
    /// Entries of these targets.
    pub active_entries: u64,
    /// Instances that should have been morphed or skinned but could not be yet (pipelines not built, deltas or skin
    /// weights on their way, no descriptor set free): they show the rest pose, skinned where only the deltas are
    /// missing, and are tried again.
    pub degraded_instances: u32,
    /// Instances whose rest pose is still on its way: nothing of them was ever written.
    pub waiting_instances: u32,
    /// Instances that asked to be morphed in this frame and are shown at rest, or skinned from rest, because their
    /// mesh's deltas were refused. How many there are in all is in [`PassStats::refused_instance_count`].
    pub refused_instances: u32,
    /// Copied regions.
    pub copies: u32,
    /// Bytes copied in all.
    pub copied_bytes: u64,
    /// Of these, bytes of meshes uploaded.
    pub uploaded_bytes: u64,
    /// Dispatches.
    pub dispatches: u32,
    /// Barriers.
    pub barriers: u32,
    /// Bytes that copies and kernels read, estimated from what the kernels are made to do and not measured.
    ///
    /// Copies, weights and poses count once. Every row of workgroups of a gather counts the mesh's deltas, its skin
    /// weights where it is skinned, and the streams of its rest pose once, as the invocations of a vertex in one
    /// workgroup read the same words together; deltas of targets that are not active count, as they lie between the
    /// others. Scatter counts the entries of active targets, and the vertices that it adds to. What caches save between
    /// workgroups, and what they read beyond the words asked for, is not in it.
    pub read_bytes: u64,
    /// Bytes that copies and kernels write; exact.
    pub written_bytes: u64,
    /// How long the device took for the latest frame that was measured since the last call, where
    /// [`MorphPassDesc::timestamps`](crate::MorphPassDesc::timestamps) asks for it and the queue can tell.
    pub device_time: Option<DeviceTime>,
}

impl FrameStats {
    /// Whether the frame shows some instance at rest that should be morphed.
    pub fn degraded(&self) -> bool {
        self.degraded_instances > 0
    }

    /// Whether the frame recorded no command.
    pub fn is_idle(&self) -> bool {
        self.copies == 0 && self.dispatches == 0 && self.barriers == 0
    }
}

/// Bytes of the pass's three buffers, by what they are for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BufferBytes {
    /// Geometry buffer: rest poses.
    pub rest: u64,
    /// Geometry buffer: deltas.
    pub deltas: u64,
    /// Geometry buffer: skin weights.
    pub skins: u64,
    /// Geometry buffer: ranges of instances, those reserved among them.
    pub ranges: u64,
    /// Geometry buffer: nobody's.
    pub free: u64,
    /// Poses, weights and instance records of one frame, on the device.
    pub frame: u64,
    /// The staging ring: all frame slots.
    pub staging: u64,
}

impl BufferBytes {
    /// All three buffers.
    pub fn total(&self) -> u64 {
        self.rest + self.deltas + self.skins + self.ranges + self.free + self.frame + self.staging
    }
}

/// What a pass holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PassStats {
    /// Meshes.
    pub mesh_count: u32,
    /// Of these, meshes whose deltas were refused.
    pub refused_mesh_count: u32,
    /// Instances.
    pub instance_count: u32,
    /// Of these, hidden ones.
    pub hidden_instance_count: u32,
    /// Of these, instances of meshes whose deltas were refused.
    pub refused_instance_count: u32,
    /// Skeletons.
    pub skeleton_count: u32,
    /// Bones of all skeletons.
    pub bone_count: u32,
    /// Bones that there may be.
    pub bone_capacity: u32,
    /// Bytes of skin weights held.
    pub skin_bytes: u64,
    /// Targets of all meshes.
    pub target_count: u64,
    /// Entries of all meshes.
    pub entry_count: u64,
    /// Bytes of deltas held.
    pub delta_bytes: u64,
    /// Bytes of deltas that may be held.
    pub delta_budget_bytes: u64,
    /// Bytes of the geometry buffer.
    pub geometry_bytes: u64,
    /// Of these, bytes free.
    pub geometry_free_bytes: u64,
    /// Bytes of all buffers, by what they are for.
    pub buffer_bytes: BufferBytes,
}
