//! What the active targets of an instance come to.

use morph_core::MorphMesh;

/// Entries of each target of a mesh, side by side: planning asks for them once an instance and frame.
#[derive(Debug)]
pub(super) struct EntryCounts(Box<[u32]>);

/// Targets whose weight is not zero and which move something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ActiveTargets {
    pub(super) target_count: u32,
    /// Entries of all of them.
    pub(super) entry_count: u32,
}

impl EntryCounts {
    pub(super) fn of(mesh: &MorphMesh) -> EntryCounts {
        let count = |slot| mesh.target(slot).map_or(0, |target| target.entry_count());
        EntryCounts((0..mesh.target_count()).map(count).collect())
    }

    /// Sums without a branch, several targets at a time.
    ///
    /// Entries do not wrap where it matters: a mesh that a kernel reads has fewer than 2^32 of them, as its deltas have
    /// fewer bytes than `maxStorageBufferRange` can say.
    pub(super) fn active(&self, weights: &[f32]) -> ActiveTargets {
        let mut sum = ActiveTargets::default();
        for (&weight, &entries) in weights.iter().zip(&self.0) {
            let counted = if weight == 0.0 { 0 } else { entries };
            sum.target_count += u32::from(counted > 0);
            sum.entry_count = sum.entry_count.wrapping_add(counted);
        }
        sum
    }
}
