//! Which queues share the pass's buffers, and what barriers have to say where readers are on another one.

use ash::vk;
use morph_core::plan::{BarrierKind, FramePlan, PlanStep};

use crate::desc::Readers;
use crate::error::MorphError;

/// Refuses readers and families that do not go together.
pub(crate) fn validate(readers: &Readers, families: &[u32]) -> Result<(), MorphError> {
    let invalid = |member, given, right| Err(MorphError::InvalidDesc { member, given, right });
    if readers.stages.is_empty() && !readers.other_queue {
        let right = "the stages that read the ranges, or `Readers::OTHER_QUEUE`";
        return invalid("readers.stages", 0, right);
    }
    for (index, family) in families.iter().enumerate() {
        if families[..index].contains(family) {
            let right = "a family that the list does not have yet";
            return invalid("queue_families[..]", u64::from(*family), right);
        }
        if [
            vk::QUEUE_FAMILY_IGNORED,
            vk::QUEUE_FAMILY_EXTERNAL,
            vk::QUEUE_FAMILY_FOREIGN_EXT,
        ]
        .contains(family)
        {
            let right = "the index of a family of the device";
            return invalid("queue_families[..]", u64::from(*family), right);
        }
    }
    if readers.other_queue && families.is_empty() {
        let right =
            "the families of the recording queue and of every reading queue, for `Readers::OTHER_QUEUE`";
        return invalid("queue_families.len()", 0, right);
    }
    Ok(())
}

/// How a buffer is shared among queues of these families.
pub(crate) fn share<'a>(info: vk::BufferCreateInfo<'a>, families: &'a [u32]) -> vk::BufferCreateInfo<'a> {
    if families.len() < 2 {
        info.sharing_mode(vk::SharingMode::EXCLUSIVE)
    } else {
        info.sharing_mode(vk::SharingMode::CONCURRENT)
            .queue_family_indices(families)
    }
}

/// Adds a barrier to a plan. Where no reader is on the recording queue, none is named, and nothing is published: the
/// signal of a semaphore makes all writes before it available, and the wait makes them visible.
pub(crate) fn push_barrier(plan: &mut FramePlan, kind: BarrierKind, readers_here: bool) {
    if readers_here {
        plan.push_barrier(kind);
    } else if kind != BarrierKind::Publish {
        plan.steps
            .push(PlanStep::Barrier(kind.barrier().without_readers()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(readers: Readers, families: &[u32]) -> String {
        validate(&readers, families).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn readers_elsewhere_need_families_and_no_family_comes_twice() {
        let elsewhere = Readers::OTHER_QUEUE;
        assert!(refusal(elsewhere, &[]).contains("`queue_families.len()` is 0"));
        assert!(refusal(Readers::COPY.and(elsewhere), &[]).contains("`queue_families.len()` is 0"));
        assert!(refusal(elsewhere, &[0, 2, 0]).contains("`queue_families[..]` is 0"));
        assert!(refusal(Readers::COPY, &[3, 3]).contains("`queue_families[..]` is 3"));
        assert!(refusal(elsewhere, &[0, u32::MAX]).contains("index of a family"));
        assert_eq!(refusal(elsewhere, &[0, 2]), "");
        // Two queues of one family.
        assert_eq!(refusal(elsewhere, &[1]), "");
        assert_eq!(refusal(Readers::VERTEX_INPUT, &[]), "");
        let nobody = Readers {
            other_queue: false,
            ..Readers::OTHER_QUEUE
        };
        assert!(refusal(nobody, &[0, 1]).contains("`readers.stages`"));
    }
}
