//! What deltas may take: the engine's budget, what the device binds at once, and the room there is.

use crate::range_allocator::Range;
use crate::scene::Scene;
use crate::scene::mesh::Deltas;

/// The limit that the deltas of a mesh passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalLimit {
    /// What the meshes before it left of the engine's budget
    /// ([`Capacities::delta_budget_bytes`](crate::Capacities::delta_budget_bytes)).
    Budget,
    /// `maxStorageBufferRange`: what the device binds at once. No budget helps.
    Device,
    /// The largest hole in the geometry buffer.
    Room,
}

impl RefusalLimit {
    /// A few words for logs and messages.
    pub const fn name(self) -> &'static str {
        match self {
            RefusalLimit::Budget => "what is left of the delta budget",
            RefusalLimit::Device => "the device's maxStorageBufferRange",
            RefusalLimit::Room => "the largest hole of the geometry buffer",
        }
    }
}

impl std::fmt::Display for RefusalLimit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Why the deltas of a mesh are not held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) limit: RefusalLimit,
    pub(super) asked_bytes: u64,
    /// What the limit leaves.
    pub(super) budget_bytes: u64,
}

impl Scene {
    /// Finds room for deltas, or says which limit they pass; told in the log once a call.
    pub(super) fn reserve_deltas(&mut self, name: &str, asked_bytes: u64) -> Result<Range, Refusal> {
        let refuse = |limit, budget_bytes| {
            tracing::warn!(
                mesh = name,
                asked_bytes,
                budget_bytes,
                limit = RefusalLimit::name(limit),
                "the deltas of a mesh were refused; it is drawn at rest until it is uploaded again"
            );
            Err(Refusal {
                limit,
                asked_bytes,
                budget_bytes,
            })
        };
        // The limit that no change of the engine's lifts comes first.
        if asked_bytes > self.constants.max_range_bytes {
            return refuse(RefusalLimit::Device, self.constants.max_range_bytes);
        }
        let budget_left = self.delta_budget_bytes.saturating_sub(self.delta_bytes);
        if asked_bytes > budget_left {
            return refuse(RefusalLimit::Budget, budget_left);
        }
        let alignment = self.constants.storage_alignment;
        match self.geometry.allocate("deltas", asked_bytes, alignment) {
            Ok(range) => {
                self.delta_bytes += asked_bytes;
                Ok(range)
            }
            Err(_) => refuse(RefusalLimit::Room, self.geometry.largest_shared_hole_bytes()),
        }
    }

    pub(crate) fn delta_budget_bytes(&self) -> u64 {
        self.delta_budget_bytes
    }

    /// Holds for what is uploaded from now on: nothing is evicted, and no refusal ends.
    pub(crate) fn set_delta_budget(&mut self, bytes: u64) {
        self.delta_budget_bytes = bytes;
    }

    /// Meshes whose deltas were refused, and their instances.
    pub(crate) fn refused_counts(&self) -> (u32, u32) {
        self.meshes
            .values()
            .filter(|mesh| matches!(mesh.deltas, Deltas::Refused(_)))
            .fold((0, 0), |(meshes, instances), mesh| {
                (meshes + 1, instances + mesh.instance_count)
            })
    }
}
