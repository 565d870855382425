//! What the scene holds, in numbers, and who of it a frame passed over.

use crate::scene::Scene;
use crate::stats::{BufferBytes, FrameStats, PassStats};

impl Scene {
    /// Fills in who was skipped by doing nothing: hidden and unchanged instances are known by their number alone, so
    /// that no idle instance is touched.
    pub(super) fn count_skipped(&self, stats: &mut FrameStats) {
        stats.instance_count = self.instance_count() as u32;
        stats.skipped.hidden = self.hidden_instance_count;
        stats.skipped.far = self.far_instance_count;
        let accounted = stats.written_instances + stats.skipped.total();
        debug_assert!(accounted <= stats.instance_count, "an instance was counted twice");
        stats.skipped.unchanged = stats.instance_count.saturating_sub(accounted);
    }

    pub(crate) fn stats(&self) -> PassStats {
        let (refused_mesh_count, refused_instance_count) = self.refused_counts();
        let meshes = || self.meshes.values();
        let buffer_bytes = BufferBytes {
            rest: meshes().map(|mesh| mesh.rest_range.size_bytes).sum(),
            deltas: self.delta_bytes,
            skins: self.skin_bytes(),
            ranges: self
                .blocks
                .values()
                .map(|block| block.vertices.vertex_count)
                .sum::<u64>()
                * self.geometry.space().vertex_bytes(),
            free: self.geometry.free_bytes(),
            frame: self.constants.capacities.frame_bytes,
            staging: self.constants.staging_bytes(),
        };
        PassStats {
            mesh_count: self.mesh_count() as u32,
            refused_mesh_count,
            instance_count: self.instance_count() as u32,
            hidden_instance_count: self.hidden_instance_count,
            refused_instance_count,
            skeleton_count: self.skeletons.len() as u32,
            bone_count: self.skeletons.bone_count(),
            bone_capacity: self.constants.capacities.bone_capacity,
            skin_bytes: self.skin_bytes(),
            target_count: meshes().map(|mesh| mesh.morph.target_count() as u64).sum(),
            entry_count: meshes().map(|mesh| mesh.morph.entry_count()).sum(),
            delta_bytes: self.delta_bytes,
            delta_budget_bytes: self.delta_budget_bytes(),
            geometry_bytes: self.geometry.size_bytes(),
            geometry_free_bytes: self.geometry.free_bytes(),
            buffer_bytes,
        }
    }
}
