//! What a frame did, in numbers.

/// What one recorded frame did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FrameStats {
    /// Number of the frame; the first is 1.
    pub frame: u64,
    /// Instances whose range was written, by copy or by dispatch.
    pub written_instances: u32,
    /// Of these, instances that a kernel morphed.
    pub morphed_instances: u32,
    /// Of the written instances, those that a kernel skinned, morphed or at rest.
    pub skinned_instances: u32,
    /// Skeletons whose pose was sent: once a frame, however many instances follow them.
    pub sent_poses: u32,
    /// Targets that were active, summed over the morphed instances.
    pub active_targets: u64,
    /// Entries of these targets.
    pub active_entries: u64,
    /// Instances that should have been morphed or skinned but could not be yet (pipelines not built, deltas or skin
    /// weights on their way, no descriptor set free): they show the rest pose, skinned where only the deltas are
    /// missing, and are tried again.
    pub degraded_instances: u32,
    /// Instances whose rest pose is still on its way: nothing of them was ever written.
    pub waiting_instances: u32,
    /// Instances shown at rest, or skinned from rest, because their mesh's deltas were refused.
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

/// What a pass holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PassStats {
    /// Meshes.
    pub mesh_count: u32,
    /// Of these, meshes whose deltas were refused.
    pub refused_mesh_count: u32,
    /// Instances.
    pub instance_count: u32,
    /// Skeletons.
    pub skeleton_count: u32,
    /// Bones of all skeletons.
    pub bone_count: u32,
    /// Bones that there may be.
    pub bone_capacity: u32,
    /// Bytes of skin weights held.
    pub skin_bytes: u64,
    /// Bytes of deltas held.
    pub delta_bytes: u64,
    /// Bytes of deltas that may be held.
    pub delta_budget_bytes: u64,
    /// Bytes of the geometry buffer.
    pub geometry_bytes: u64,
    /// Of these, bytes free.
    pub geometry_free_bytes: u64,
}
