//! What the active targets of an instance come to.

use morph_core::{MorphMesh, TargetView, VertexSet};

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
    /// `sets`: those that are drawn; changing another one changes nothing.
    pub(super) fn of(mesh: &MorphMesh, sets: [Option<VertexSet>; 2]) -> EntryCounts {
        let count = |target: TargetView<'_>| {
            let of_sets = sets.into_iter().flatten().map(|set| target.set_entry_count(set));
            let entries = u64::from(target.entry_count()) + of_sets.sum::<u64>();
            u32::try_from(entries).unwrap_or(u32::MAX)
        };
        EntryCounts(mesh.targets().map(count).collect())
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
