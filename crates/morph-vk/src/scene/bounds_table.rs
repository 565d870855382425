//! Boxes of all instances as a table on the device, for culling there: which entry is whose, and what has to be sent.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use morph_core::Aabb;
use morph_core::plan::{CopyPurpose, CopyStep, Interval, PlanBuffer};

use crate::scene::{InstanceId, Scene};
use crate::shader_interface::InstanceBounds;

/// Bytes of an entry.
pub(crate) const ENTRY_BYTES: u64 = size_of::<InstanceBounds>() as u64;

/// What the table on the device is to hold.
#[derive(Debug)]
pub(crate) struct BoundsTable {
    entries: Vec<InstanceBounds>,
    /// Entries of nobody among them; the lowest comes first.
    free: BinaryHeap<Reverse<u32>>,
    /// Entries that the device does not hold yet, each once.
    pending: Vec<u32>,
    is_pending: Vec<bool>,
    /// Entries that the frame last recorded made valid.
    sent_count: u32,
}

impl BoundsTable {
    pub(super) fn new(instance_capacity: u32) -> BoundsTable {
        let capacity = instance_capacity as usize;
        BoundsTable {
            entries: Vec::with_capacity(capacity),
            free: BinaryHeap::with_capacity(capacity),
            pending: Vec::with_capacity(capacity),
            is_pending: Vec::with_capacity(capacity),
            sent_count: 0,
        }
    }

    /// An entry for a new instance, empty until something is written of it.
    pub(super) fn attach(&mut self) -> u32 {
        let index = if let Some(Reverse(index)) = self.free.pop() {
            index
        } else {
            self.entries.push(InstanceBounds::EMPTY);
            self.is_pending.push(false);
            self.entries.len() as u32 - 1
        };
        self.set(index, &Aabb::EMPTY);
        index
    }

    pub(super) fn detach(&mut self, index: u32) {
        self.set(index, &Aabb::EMPTY);
        self.free.push(Reverse(index));
    }

    pub(super) fn set(&mut self, index: u32, aabb: &Aabb) {
        self.entries[index as usize] = InstanceBounds::new(aabb);
        self.send_again(index);
    }

    /// Has an entry sent with the next frame, because a frame that sent it was dropped or it changed.
    pub(super) fn send_again(&mut self, index: u32) {
        if !std::mem::replace(&mut self.is_pending[index as usize], true) {
            self.pending.push(index);
        }
    }
}

impl Scene {
    /// Sends what changed, neighbors in one region; returns the bytes of staging taken so far, rounded up to a
    /// multiple of 16.
    ///
    /// `MorphPassDesc::validate` sees to it that all entries fit a frame beside its other data; what does not, waits.
    pub(super) fn plan_bounds(
        &mut self,
        copies: &mut Vec<CopyStep>,
        slot: u32,
        staging: &mut [u8],
        staged: u64,
    ) -> u64 {
        let base = u64::from(slot) * self.constants.staging_slot_bytes();
        let Some(table) = &mut self.bounds_table else {
            return staged;
        };
        if table.pending.is_empty() {
            return staged;
        }
        table.pending.sort_unstable();
        let mut cursor = staged.next_multiple_of(16);
        let room = (staging.len() as u64).saturating_sub(cursor) / ENTRY_BYTES;
        let sent = table.pending.len().min(room as usize);
        let log = &mut self.slots[slot as usize].bounds;
        for run in table.pending[..sent].chunk_by(|a, b| a + 1 == *b) {
            let (first, count) = (run[0] as usize, run.len());
            let bytes: &[u8] = bytemuck::cast_slice(&table.entries[first..first + count]);
            staging[cursor as usize..cursor as usize + bytes.len()].copy_from_slice(bytes);
            copies.push(CopyStep {
                purpose: CopyPurpose::Bounds,
                source: Interval {
                    buffer: PlanBuffer::Staging,
                    offset: base + cursor,
                    size_bytes: bytes.len() as u64,
                },
                destination: PlanBuffer::Bounds,
                destination_offset: first as u64 * ENTRY_BYTES,
            });
            cursor += bytes.len() as u64;
            table.is_pending[first..first + count].fill(false);
            log.extend_from_slice(run);
        }
        table.pending.drain(..sent);
        if table.pending.is_empty() {
            table.sent_count = table.entries.len() as u32;
        }
        cursor
    }

    /// Notes what the range of an instance holds now.
    pub(super) fn note_bounds(&mut self, id: InstanceId) {
        if self.bounds_table.is_none() {
            return;
        }
        let instance = &self.instances[id];
        let aabb = if instance.written {
            self.held_bounds(instance, &instance.held)
        } else {
            Aabb::EMPTY
        };
        let index = instance.bounds_index;
        if let Some(table) = &mut self.bounds_table {
            table.set(index, &aabb);
        }
    }

    pub(crate) fn bounds_entry_count(&self) -> u32 {
        self.bounds_table.as_ref().map_or(0, |table| table.sent_count)
    }

    pub(crate) fn bounds_index(&self, id: InstanceId) -> Option<u32> {
        self.bounds_table.as_ref()?;
        Some(self.instances.get(id)?.bounds_index)
    }
}
