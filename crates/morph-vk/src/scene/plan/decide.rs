//! Who needs what this frame: decided instance by instance out of the queue.

use morph_core::plan::{CopyPurpose, CopyStep, Interval, PlanBuffer};

use crate::desc::Method;
use crate::scene::block::BlockSet;
use crate::scene::instance::Content;
use crate::scene::mesh::Deltas;
use crate::scene::{BlockId, InstanceId, MeshId, Scene};
use crate::sets::SetRanges;
use crate::stats::FrameStats;

use super::{Item, Scratch};

/// What an instance needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// What is there is right.
    Nothing,
    /// The rest pose is still on its way.
    Wait,
    /// The rest pose is what it should show.
    Rest,
    /// It shows the rest pose, for want of something that may come.
    Degraded,
    /// It shows the rest pose, because its deltas were refused.
    Refused,
    Morph,
}

impl Scene {
    /// Empties the queue: rest copies for whom they suffice, items for whom a kernel runs; who has to wait stays.
    pub(in crate::scene) fn decide(
        &mut self,
        scratch: &mut Scratch,
        slot: u32,
        pipelines_ready: bool,
        stats: &mut FrameStats,
    ) {
        let mut queue = std::mem::take(&mut scratch.queue);
        std::mem::swap(&mut self.queue, &mut queue);
        for id in queue.drain(..) {
            let Some(instance) = self.instances.get_mut(id) else {
                continue;
            };
            instance.queued = false;
            // Hidden instances stay dirty and come back into the queue when they are shown.
            if !instance.dirty || !instance.visible {
                continue;
            }
            let mut need = self.need(id, pipelines_ready);
            if need == Need::Morph && !self.bind(self.instances[id].block) {
                need = Need::Degraded;
            }
            match need {
                Need::Nothing => {}
                Need::Wait => stats.waiting_instances += 1,
                Need::Rest => self.show_rest(id, scratch, slot, stats),
                Need::Degraded | Need::Refused => {
                    if need == Need::Degraded {
                        stats.degraded_instances += 1;
                    } else {
                        stats.refused_instances += 1;
                    }
                    let instance = &self.instances[id];
                    if instance.contents[usize::from(instance.current)] != Content::Rest {
                        self.show_rest(id, scratch, slot, stats);
                    }
                }
                Need::Morph => self.show_morphed(id, scratch, slot, stats),
            }
            let again = matches!(need, Need::Wait | Need::Degraded);
            self.instances[id].dirty = again;
            if again {
                self.enqueue(id);
            }
        }
        scratch.queue = queue;
    }

    fn need(&self, id: InstanceId, pipelines_ready: bool) -> Need {
        let instance = &self.instances[id];
        let mesh = &self.meshes[instance.mesh];
        if !mesh.rest_ready(self.frame) {
            return Need::Wait;
        }
        let weights = &instance.weights;
        let moves = weights.is_enabled() && mesh.entry_counts.active(weights.values()).target_count > 0;
        if !moves {
            let holds_rest = instance.contents[usize::from(instance.current)] == Content::Rest;
            return if holds_rest { Need::Nothing } else { Need::Rest };
        }
        if matches!(mesh.deltas, Deltas::Refused { .. }) {
            return Need::Refused;
        }
        if pipelines_ready && mesh.deltas_ready(self.frame) {
            Need::Morph
        } else {
            Need::Degraded
        }
    }

    /// Swaps an instance to the range that this frame writes, and says which.
    fn begin_write(&mut self, id: InstanceId, slot: u32) -> (u8, u64) {
        let frame = self.frame;
        let instance = &mut self.instances[id];
        let before = instance.before();
        if self.constants.history && instance.written {
            instance.current = 1 - instance.current;
            if instance.seen_from < frame {
                instance.moved_frame = frame;
            }
        }
        instance.written = true;
        instance.written_frame = frame;
        let (block, place, which) = (instance.block, instance.place, instance.current);
        self.slots[slot as usize].written.push((id, before));
        (which, self.range_offset(block, place, which))
    }

    fn show_rest(&mut self, id: InstanceId, scratch: &mut Scratch, slot: u32, stats: &mut FrameStats) {
        let (which, range_offset) = self.begin_write(id, slot);
        let instance = &mut self.instances[id];
        // A second range may still hold the rest pose from earlier: then there is nothing to copy.
        if instance.contents[usize::from(which)] != Content::Rest {
            instance.contents[usize::from(which)] = Content::Rest;
            let mesh = instance.mesh;
            scratch.copies.push(self.rest_copy(mesh, range_offset));
        }
        stats.written_instances += 1;
    }

    fn show_morphed(&mut self, id: InstanceId, scratch: &mut Scratch, slot: u32, stats: &mut FrameStats) {
        let (which, range_offset) = self.begin_write(id, slot);
        let instance = &mut self.instances[id];
        let held = instance.contents[usize::from(which)];
        instance.contents[usize::from(which)] = Content::Morphed;
        // A gather writes whole results and needs the engine's other attributes once; scatter adds, every time.
        let copies = match self.constants.method {
            Method::Gather => held == Content::Nothing,
            Method::Scatter => held != Content::Rest,
        };
        let instance = &self.instances[id];
        let mesh = &self.meshes[instance.mesh];
        let active = mesh.entry_counts.active(instance.weights.values());
        stats.active_targets += u64::from(active.target_count);
        stats.active_entries += u64::from(active.entry_count);
        let item = Item {
            block: instance.block,
            place: instance.place,
            instance: id,
            range_offset,
            next_slot: 0,
        };
        if copies {
            scratch.copies.push(self.rest_copy(instance.mesh, range_offset));
        }
        scratch.items.push(item);
        stats.written_instances += 1;
        stats.morphed_instances += 1;
    }

    fn rest_copy(&self, mesh: MeshId, range_offset: u64) -> CopyStep {
        let rest = self.meshes[mesh].rest_range;
        CopyStep {
            purpose: CopyPurpose::RestPose,
            source: Interval {
                buffer: PlanBuffer::Geometry,
                offset: rest.offset,
                size_bytes: rest.size_bytes,
            },
            destination: PlanBuffer::Geometry,
            destination_offset: range_offset,
        }
    }

    /// Gives a block the descriptor set that this frame needs; false where none is free.
    fn bind(&mut self, id: BlockId) -> bool {
        let block = &self.blocks[id];
        let mesh = &self.meshes[block.mesh];
        let Deltas::Held { range: deltas, .. } = &mesh.deltas else {
            return false;
        };
        let ranges = SetRanges {
            rest: (mesh.rest_range.offset, mesh.rest_range.size_bytes),
            deltas: (deltas.offset, deltas.size_bytes),
            output: (block.range.offset, block.range.size_bytes),
        };
        let frame = self.frame;
        let block = &mut self.blocks[id];
        if let Some(set) = &mut block.set {
            if set.ranges == ranges {
                set.last_frame = frame;
                return true;
            }
            self.ledger.release(set.number, set.last_frame);
            block.set = None;
        }
        let Some(number) = self.ledger.acquire(self.completed_frame) else {
            return false;
        };
        block.set = Some(BlockSet {
            number,
            ranges,
            last_frame: frame,
        });
        self.set_writes.push((number, ranges));
        true
    }
}
