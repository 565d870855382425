//! Who needs what this frame: decided instance by instance out of the queue.

use std::sync::OnceLock;

use morph_core::plan::{CopyPurpose, CopyStep, Interval, PlanBuffer};

use crate::desc::Method;
use crate::range_allocator::Range;
use crate::scene::block::BlockSet;
use crate::scene::instance::Content;
use crate::scene::mesh::Deltas;
use crate::scene::{BlockId, InstanceId, MeshId, Scene};
use crate::sets::SetRanges;
use crate::shader_interface::NO_POSE;
use crate::stats::FrameStats;

use super::{Item, Scratch};

/// What an instance is to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// The rest pose, by a copy.
    Rest,
    /// The rest pose skinned by the pose of this version, by a kernel.
    Posed(u64),
    /// The morphed shape, skinned where it follows a skeleton, by a kernel.
    Morphed,
}

/// Why an instance shows less than it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shortfall {
    /// For want of something that may come.
    Degraded,
    /// Because its deltas were refused.
    Refused,
    /// What would change is too small to be seen.
    TooSmall,
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
            let written_before = stats.written_instances;
            let shortfall = if self.meshes[instance.mesh].rest_ready(self.frame) {
                let shortfall = self.show(id, scratch, slot, pipelines_ready, stats);
                let skipped = u32::from(stats.written_instances == written_before);
                match shortfall {
                    Some(Shortfall::Degraded) => {
                        stats.degraded_instances += 1;
                        stats.skipped.degraded += skipped;
                    }
                    Some(Shortfall::Refused) => {
                        stats.refused_instances += 1;
                        stats.skipped.refused += skipped;
                    }
                    // Counted as long as it lasts, not only in the frame that judges it.
                    Some(Shortfall::TooSmall) | None => {}
                }
                shortfall
            } else {
                stats.waiting_instances += 1;
                stats.skipped.waiting += 1;
                Some(Shortfall::Degraded)
            };
            let again = shortfall == Some(Shortfall::Degraded);
            let instance = &mut self.instances[id];
            instance.dirty = again;
            instance.must_write = again || shortfall == Some(Shortfall::Refused);
            let is_behind = shortfall == Some(Shortfall::TooSmall);
            let was_behind = std::mem::replace(&mut instance.is_behind, is_behind);
            self.far_instance_count += u32::from(is_behind);
            self.far_instance_count -= u32::from(was_behind);
            if again {
                self.enqueue(id);
            }
        }
        scratch.queue = queue;
        self.count_skipped(stats);
    }

    /// Has an instance written unless what is there is right, and says what it still lacks.
    fn show(
        &mut self,
        id: InstanceId,
        scratch: &mut Scratch,
        slot: u32,
        pipelines_ready: bool,
        stats: &mut FrameStats,
    ) -> Option<Shortfall> {
        let (mut shape, mut shortfall) = self.shape(id, pipelines_ready);
        if self.holds(id, shape) {
            return shortfall;
        }
        if shortfall.is_none() && self.is_too_small_to_see(id) {
            return Some(Shortfall::TooSmall);
        }
        if shape != Shape::Rest && !self.bind(self.instances[id].block) {
            (shape, shortfall) = (Shape::Rest, Some(Shortfall::Degraded));
            if self.holds(id, shape) {
                return shortfall;
            }
        }
        if shape == Shape::Rest {
            self.show_rest(id, scratch, slot, stats);
        } else {
            self.run_kernel(id, shape, scratch, slot, stats);
        }
        shortfall
    }

    /// What an instance can show in this frame, and what it lacks of what it should show.
    fn shape(&self, id: InstanceId, pipelines_ready: bool) -> (Shape, Option<Shortfall>) {
        let instance = &self.instances[id];
        let mesh = &self.meshes[instance.mesh];
        let pose = instance.skeleton.and_then(|it| self.pose_version(it).ok());
        if pose.is_some() && !(pipelines_ready && mesh.skin_ready(self.frame)) {
            return (Shape::Rest, Some(Shortfall::Degraded));
        }
        let rest = pose.map_or(Shape::Rest, Shape::Posed);
        let weights = &instance.weights;
        let moves = weights.is_enabled() && mesh.entry_counts.active(weights.values()).target_count > 0;
        if !moves {
            (rest, None)
        } else if matches!(mesh.deltas, Deltas::Refused(_)) {
            (rest, Some(Shortfall::Refused))
        } else if pipelines_ready && mesh.deltas_ready(self.frame) {
            (Shape::Morphed, None)
        } else {
            (rest, Some(Shortfall::Degraded))
        }
    }

    /// Whether the current range of an instance holds a shape already.
    fn holds(&self, id: InstanceId, shape: Shape) -> bool {
        let instance = &self.instances[id];
        let held = instance.contents[usize::from(instance.current)];
        match shape {
            Shape::Rest => held == Content::Rest,
            Shape::Posed(version) => held == Content::Posed(version),
            // Which weights it was morphed with is not kept.
            Shape::Morphed => false,
        }
    }

    /// Swaps an instance to the range that this frame writes, and says which.
    fn begin_write(&mut self, id: InstanceId, slot: u32, shape: Shape) -> (u8, u64) {
        let frame = self.frame;
        let pose = self.instances[id].skeleton.filter(|_| shape != Shape::Rest);
        let pose = pose.map(|skeleton| self.skeletons.snapshot(skeleton));
        let instance = &mut self.instances[id];
        let before = instance.before(&mut self.slots[slot as usize].held);
        instance.hold(shape == Shape::Morphed, pose);
        instance.bounds = OnceLock::new();
        if self.constants.history && instance.written {
            instance.current = 1 - instance.current;
            if instance.seen_from < frame {
                instance.moved_frame = frame;
            }
        }
        instance.written = true;
        instance.written_frame = frame;
        let (block, place, which) = (instance.block, instance.place, instance.current);
        self.note_bounds(id);
        self.slots[slot as usize].written.push((id, before));
        (which, self.first_vertex(block, place, which))
    }

    fn show_rest(&mut self, id: InstanceId, scratch: &mut Scratch, slot: u32, stats: &mut FrameStats) {
        let (which, first_vertex) = self.begin_write(id, slot, Shape::Rest);
        let instance = &mut self.instances[id];
        // A second range may still hold the rest pose from earlier: then there is nothing to copy.
        if instance.contents[usize::from(which)] != Content::Rest {
            instance.contents[usize::from(which)] = Content::Rest;
            let mesh = instance.mesh;
            scratch.copies.extend(self.rest_copies(mesh, first_vertex));
        }
        stats.written_instances += 1;
    }

    fn run_kernel(
        &mut self,
        id: InstanceId,
        shape: Shape,
        scratch: &mut Scratch,
        slot: u32,
        stats: &mut FrameStats,
    ) {
        let (which, first_vertex) = self.begin_write(id, slot, shape);
        let instance = &mut self.instances[id];
        let held = instance.contents[usize::from(which)];
        instance.contents[usize::from(which)] = match shape {
            Shape::Posed(version) => Content::Posed(version),
            _ => Content::Morphed,
        };
        // A gather writes whole results and needs the engine's other attributes once; scatter adds, every time.
        let copies = match self.constants.method {
            Method::Gather => held == Content::Nothing,
            Method::Scatter => held != Content::Rest,
        };
        let instance = &self.instances[id];
        let mesh = &self.meshes[instance.mesh];
        let morphs = shape == Shape::Morphed;
        if morphs {
            let active = mesh.entry_counts.active(instance.weights.values());
            stats.active_targets += u64::from(active.target_count);
            stats.active_entries += u64::from(active.entry_count);
        }
        let item = Item {
            block: instance.block,
            place: instance.place,
            instance: id,
            morphs,
            skeleton: instance.skeleton,
            pose_offset: NO_POSE,
            first_vertex,
            next_slot: 0,
        };
        if copies {
            scratch
                .copies
                .extend(self.rest_copies(instance.mesh, first_vertex));
        }
        let mesh = &mut self.meshes[self.instances[id].mesh];
        if morphs && mesh.morphed_frame != self.frame {
            mesh.morphed_frame = self.frame;
            stats.morphed_meshes += 1;
        }
        stats.written_instances += 1;
        stats.morphed_instances += u32::from(morphs);
        stats.skinned_instances += u32::from(item.skeleton.is_some());
        scratch.items.push(item);
    }

    /// The rest pose of a mesh into a range, stream by stream.
    fn rest_copies(&self, mesh: MeshId, first_vertex: u64) -> impl Iterator<Item = CopyStep> + use<> {
        let mesh = &self.meshes[mesh];
        let mut offset = mesh.rest_range.offset;
        let written = self
            .geometry
            .space()
            .intervals(first_vertex, u64::from(mesh.morph.vertex_count()));
        written
            .into_iter()
            .take_while(|(_, size_bytes)| *size_bytes > 0)
            .map(move |(destination_offset, size_bytes)| {
                let source = Interval {
                    buffer: PlanBuffer::Geometry,
                    offset,
                    size_bytes,
                };
                offset += size_bytes;
                CopyStep {
                    purpose: CopyPurpose::RestPose,
                    source,
                    destination: PlanBuffer::Geometry,
                    destination_offset,
                }
            })
    }

    /// Gives a block the descriptor set that this frame needs; false where none is free.
    fn bind(&mut self, id: BlockId) -> bool {
        let block = &self.blocks[id];
        let mesh = &self.meshes[block.mesh];
        let bytes_of = |range: &Range| (range.offset, range.size_bytes);
        let rest = bytes_of(&mesh.rest_range);
        // Where there are no deltas or no skin, no kernel reads that binding; the rest pose stands in.
        let ranges = SetRanges {
            rest,
            deltas: match &mesh.deltas {
                Deltas::Held { range, .. } => bytes_of(range),
                Deltas::Empty | Deltas::Refused(_) => rest,
            },
            output: self
                .geometry
                .space()
                .intervals(block.vertices.first_vertex, block.vertices.vertex_count),
            skin: mesh.skin.as_ref().map_or(rest, |it| bytes_of(&it.range)),
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
