//! From one order of slots to another.

use super::alias::{Aliases, Match, ResolveError};
use super::id::{IdTable, TargetId};
use super::table::NameTable;

/// Why a [`SlotMap`] was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SlotMapError {
    /// Two old slots would lead to one new one.
    #[error("old slots {first} and {second} both lead to new slot {slot}: leave one of them out")]
    Clash {
        /// The first old slot.
        first: usize,
        /// The next old slot.
        second: usize,
        /// The new slot of both.
        slot: usize,
    },
    /// A name could be several targets.
    #[error("old slot {old_slot}: {source}")]
    Ambiguous {
        /// The old slot.
        old_slot: usize,
        /// Which targets it could be.
        source: ResolveError,
    },
}

/// Where each slot of an old order is in a new one.
///
/// For weights and clips that were stored before a mesh was exported again with a target more, and for
/// sources of weights with an order of their own, such as a face tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotMap {
    new_slots: Vec<Option<usize>>,
    added: Vec<usize>,
    target_count: usize,
}

impl SlotMap {
    /// From slots whose ids were stored to those of a mesh.
    pub fn by_id(old: &[TargetId], new: &IdTable) -> Result<Self, SlotMapError> {
        let new_slots = old.iter().map(|&id| new.slot(id)).collect();
        SlotMap::new(new_slots, new.ids().len())
    }

    /// From slots with names to those of a mesh, where a name may match as badly as `worst`.
    ///
    /// A name without a match is lost; one that could be several targets is an error.
    pub fn by_name<'n>(
        old: impl IntoIterator<Item = &'n str>,
        new: &NameTable,
        worst: Match,
    ) -> Result<Self, SlotMapError> {
        let aliases = Aliases::new(new);
        let new_slots = old
            .into_iter()
            .enumerate()
            .map(|(old_slot, name)| match aliases.resolve(name) {
                Ok(resolved) => Ok((resolved.how <= worst).then_some(resolved.slot)),
                Err(source @ ResolveError::Ambiguous { how, .. }) if how <= worst => {
                    Err(SlotMapError::Ambiguous { old_slot, source })
                }
                Err(_) => Ok(None),
            })
            .collect::<Result<_, _>>()?;
        SlotMap::new(new_slots, new.len())
    }

    fn new(new_slots: Vec<Option<usize>>, target_count: usize) -> Result<Self, SlotMapError> {
        let mut old_slots = vec![None; target_count];
        for (second, slot) in new_slots.iter().enumerate() {
            let Some(slot) = *slot else { continue };
            if let Some(first) = old_slots[slot].replace(second) {
                return Err(SlotMapError::Clash { first, second, slot });
            }
        }
        let added = (0..target_count).filter(|&slot| old_slots[slot].is_none());
        Ok(SlotMap {
            added: added.collect(),
            new_slots,
            target_count,
        })
    }

    /// The new slot of an old one; `None` where it was lost or never was.
    pub fn new_slot(&self, old_slot: usize) -> Option<usize> {
        self.new_slots.get(old_slot).copied().flatten()
    }

    /// Old slots that lead nowhere, ascending.
    pub fn lost(&self) -> impl Iterator<Item = usize> {
        let slots = self.new_slots.iter().enumerate();
        slots.filter(|(_, new)| new.is_none()).map(|(old, _)| old)
    }

    /// New slots that nothing leads to, ascending.
    pub fn added(&self) -> &[usize] {
        &self.added
    }

    /// How many slots the old order has.
    pub fn old_count(&self) -> usize {
        self.new_slots.len()
    }

    /// How many slots the new order has.
    pub fn new_count(&self) -> usize {
        self.target_count
    }

    /// Writes weights of the old order into the new one and leaves the slots that nothing leads to.
    ///
    /// Old slots past the end of `old` are zero; what lies past the end of `new` is dropped.
    /// Allocates nothing.
    pub fn remap_into(&self, old: &[f32], new: &mut [f32]) {
        for (old_slot, new_slot) in self.new_slots.iter().enumerate() {
            if let Some(weight) = new_slot.and_then(|slot| new.get_mut(slot)) {
                *weight = old.get(old_slot).copied().unwrap_or(0.0);
            }
        }
    }

    /// Weights of the old order in the new one, zero where nothing leads to.
    pub fn remap(&self, old: &[f32]) -> Vec<f32> {
        let mut new = vec![0.0; self.target_count];
        self.remap_into(old, &mut new);
        new
    }
}
