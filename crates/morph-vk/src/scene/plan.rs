//! From what the scene knows to one frame's plan.
//!
//! Who needs work is decided instance by instance out of the queue; then come the copies (rest poses, this frame's
//! weights, uploads), then the dispatches, then the barriers around them. All lists are kept from frame to frame.

use morph_core::plan::{
    BarrierKind, CopyPurpose, CopyStep, DispatchStep, Interval, Kernel, MAX_PARAMETER_WORDS, PlanBuffer,
    PlanStep,
};
use morph_core::{MorphMesh, Streams};

use crate::desc::Method;
use crate::scene::block::BlockSet;
use crate::scene::instance::Content;
use crate::scene::mesh::{DeltaLayout, Deltas};
use crate::scene::{BlockId, InstanceId, MeshId, Scene};
use crate::sets::SetRanges;
use crate::shader_interface::{GatherParams, InstanceRecord, NO_STREAM, ScatterParams, stream_bits};
use crate::stats::FrameStats;

/// Lists that one frame needs and the next one uses again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    queue: Vec<InstanceId>,
    copies: Vec<CopyStep>,
    items: Vec<Item>,
    dispatches: Vec<DispatchStep>,
    /// Scatter: behind which dispatch each round ends.
    round_ends: Vec<usize>,
}

/// An instance that a kernel writes this frame.
#[derive(Debug, Clone, Copy)]
struct Item {
    block: BlockId,
    place: u32,
    instance: InstanceId,
    /// Byte offset of the range written.
    range_offset: u64,
    /// Scatter: the slot behind the target of the round before.
    next_slot: usize,
}

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
    /// Plans the next frame into `self.plan`, and writes what it uploads into `staging`: the part of the staging ring
    /// that belongs to `slot`, whose last frame the device is done with.
    pub(crate) fn plan_frame(&mut self, slot: u32, staging: &mut [u8], pipelines_ready: bool) -> FrameStats {
        self.frame += 1;
        self.kept_frames += 1;
        let frame = self.frame;
        let log = &mut self.slots[slot as usize];
        // Submissions of one queue complete in order: what the slot's last frame waited for is done too.
        self.completed_frame = self.completed_frame.max(log.frame);
        log.frame = frame;
        log.written.clear();
        log.uploads.clear();
        self.drop_uploaded_words();
        self.plan.clear();
        self.set_writes.clear();
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.copies.clear();
        scratch.items.clear();
        scratch.dispatches.clear();
        scratch.round_ends.clear();
        let mut stats = FrameStats {
            frame,
            ..FrameStats::default()
        };

        self.decide(&mut scratch, slot, pipelines_ready, &mut stats);
        let staged = match self.constants.method {
            Method::Gather => self.plan_gather(&mut scratch, slot, staging),
            Method::Scatter => {
                self.plan_scatter(&mut scratch);
                0
            }
        };
        self.plan_uploads(&mut scratch, slot, staging, staged, &mut stats);
        self.assemble(&scratch, &mut stats);
        self.scratch = scratch;
        stats
    }

    /// Packed words are kept until the frame that sent the last of them is done, in case it is discarded.
    fn drop_uploaded_words(&mut self) {
        let completed = self.completed_frame;
        let meshes = &mut self.meshes;
        self.packed.retain(|id| {
            let Some(mesh) = meshes.get_mut(*id) else {
                return false;
            };
            let done = mesh.upload.delta_frame.is_some_and(|frame| frame <= completed);
            if let (true, Deltas::Held { words, .. }) = (done, &mut mesh.deltas) {
                *words = Vec::new();
            }
            !done && mesh.upload.delta_frame.is_some()
        });
    }

    /// Empties the queue: rest copies for whom they suffice, items for whom a kernel runs; who has to wait stays.
    fn decide(&mut self, scratch: &mut Scratch, slot: u32, pipelines_ready: bool, stats: &mut FrameStats) {
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
        let moves = instance.weights.is_enabled()
            && instance
                .weights
                .active()
                .any(|(slot, _)| entry_count(&mesh.morph, slot) > 0);
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
        for (target, _) in instance.weights.active() {
            let entries = entry_count(&mesh.morph, target);
            stats.active_targets += u64::from(entries > 0);
            stats.active_entries += u64::from(entries);
        }
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

    /// One dispatch a block; returns the bytes of staging taken by records and weights.
    fn plan_gather(&mut self, scratch: &mut Scratch, slot: u32, staging: &mut [u8]) -> u64 {
        if scratch.items.is_empty() {
            return 0;
        }
        scratch
            .items
            .sort_unstable_by_key(|item| (item.block, item.place));
        let record_bytes = size_of::<InstanceRecord>();
        let mut record_offset = 0;
        let mut weights_offset = scratch.items.len() * record_bytes;
        for batch in scratch.items.chunk_by(|a, b| a.block == b.block) {
            let block_offset = self.blocks[batch[0].block].range.offset;
            let first_record = (record_offset / 4) as u32;
            for item in batch {
                let record = InstanceRecord {
                    output_offset: ((item.range_offset - block_offset) / 4) as u32,
                    weights_offset: (weights_offset / 4) as u32,
                };
                staging[record_offset..record_offset + record_bytes]
                    .copy_from_slice(bytemuck::bytes_of(&record));
                record_offset += record_bytes;
                let weights: &[u8] = bytemuck::cast_slice(self.instances[item.instance].weights.values());
                staging[weights_offset..weights_offset + weights.len()].copy_from_slice(weights);
                weights_offset += weights.len();
            }
            scratch
                .dispatches
                .extend(self.gather_dispatch(batch[0].block, batch.len() as u32, first_record));
        }
        let size_bytes = weights_offset as u64;
        scratch.copies.push(CopyStep {
            purpose: CopyPurpose::FrameData,
            source: Interval {
                buffer: PlanBuffer::Staging,
                offset: self.staging_offset(slot),
                size_bytes,
            },
            destination: PlanBuffer::Frame,
            destination_offset: 0,
        });
        size_bytes
    }

    fn gather_dispatch(&self, id: BlockId, instance_count: u32, first_record: u32) -> Option<DispatchStep> {
        let mesh = &self.meshes[self.blocks[id].mesh];
        let Deltas::Held {
            layout:
                DeltaLayout::VertexMajor {
                    steps_offset,
                    entries_offset,
                    entry_words,
                    streams,
                },
            ..
        } = &mesh.deltas
        else {
            return None;
        };
        let layout = &self.constants.layout;
        let kernel = Kernel::gather_for(instance_count);
        let [local_x, local_y] = kernel.local_size();
        let output = Streams {
            positions: true,
            normals: streams.normals && layout.normal_offset.is_some(),
            tangents: streams.tangents && layout.tangent_offset.is_some(),
        };
        let vertex_count = mesh.morph.vertex_count();
        let params = GatherParams {
            vertex_count,
            instance_count,
            first_record,
            steps_offset: *steps_offset,
            entries_offset: *entries_offset,
            entry_words: *entry_words,
            entry_streams: stream_bits(*streams),
            output_streams: stream_bits(output),
        };
        let [x, z] = spill(vertex_count.div_ceil(local_x), self.constants.max_group_count[0]);
        let group_count = [x, instance_count.div_ceil(local_y), z];
        self.dispatch(
            id,
            kernel,
            None,
            instance_count,
            group_count,
            bytemuck::bytes_of(&params),
        )
    }

    /// Nothing where the block has no descriptor set; `bind` has seen to it that it has.
    fn dispatch(
        &self,
        id: BlockId,
        kernel: Kernel,
        target: Option<u32>,
        instance_count: u32,
        group_count: [u32; 3],
        params: &[u8],
    ) -> Option<DispatchStep> {
        let block = &self.blocks[id];
        let mesh = &self.meshes[block.mesh];
        let BlockSet {
            number: binding,
            ranges,
            ..
        } = block.set?;
        let interval = |(offset, size_bytes)| Interval {
            buffer: PlanBuffer::Geometry,
            offset,
            size_bytes,
        };
        let frame_data = Interval {
            buffer: PlanBuffer::Frame,
            offset: 0,
            size_bytes: self.constants.capacities.frame_bytes,
        };
        let mut parameters = [0; MAX_PARAMETER_WORDS];
        bytemuck::cast_slice_mut(&mut parameters)[..params.len()].copy_from_slice(params);
        Some(DispatchStep {
            kernel,
            quantization: mesh.morph.quantization(),
            binding,
            mesh: mesh.number,
            target,
            instance_count,
            group_count,
            parameters,
            parameter_words: (params.len() / 4) as u32,
            reads: [interval(ranges.rest), interval(ranges.deltas), frame_data],
            writes: interval(ranges.output),
        })
    }

    /// Rounds of dispatches: in each the next active target of every instance, so that instances share barriers.
    fn plan_scatter(&mut self, scratch: &mut Scratch) {
        scratch
            .items
            .sort_unstable_by_key(|item| (item.block, item.place));
        loop {
            let before = scratch.dispatches.len();
            for item in &mut scratch.items {
                let instance = &self.instances[item.instance];
                let mesh = &self.meshes[instance.mesh];
                let Deltas::Held {
                    layout: DeltaLayout::Scatter { targets },
                    ..
                } = &mesh.deltas
                else {
                    continue;
                };
                let weights = instance.weights.values();
                let slots = item.next_slot..weights.len();
                let is_active = |slot: &usize| weights[*slot] != 0.0 && targets[*slot].entry_count > 0;
                let Some(slot) = slots.into_iter().find(is_active) else {
                    item.next_slot = weights.len();
                    continue;
                };
                item.next_slot = slot + 1;
                let target = &targets[slot];
                let layout = &self.constants.layout;
                let stream = |offset: Option<u32>, drawn: bool| {
                    if drawn {
                        offset.unwrap_or(NO_STREAM)
                    } else {
                        NO_STREAM
                    }
                };
                let params = ScatterParams {
                    entry_count: target.entry_count,
                    index_offset: target.index_offset,
                    position_offset: stream(target.position_offset, true),
                    normal_offset: stream(target.normal_offset, layout.normal_offset.is_some()),
                    tangent_offset: stream(target.tangent_offset, layout.tangent_offset.is_some()),
                    output_offset: ((item.range_offset - self.blocks[item.block].range.offset) / 4) as u32,
                    weight: weights[slot],
                    position_step: target.position_step,
                    normal_step: target.normal_step,
                    tangent_step: target.tangent_step,
                };
                let [local_x, _] = Kernel::Scatter.local_size();
                let groups = target.entry_count.div_ceil(local_x);
                let [x, z] = spill(groups, self.constants.max_group_count[0]);
                let target = Some(slot as u32);
                scratch.dispatches.extend(self.dispatch(
                    item.block,
                    Kernel::Scatter,
                    target,
                    1,
                    [x, 1, z],
                    bytemuck::bytes_of(&params),
                ));
            }
            if scratch.dispatches.len() == before {
                break;
            }
            // Where the round ends; `assemble` puts a barrier before the next one.
            scratch.round_ends.push(scratch.dispatches.len());
        }
    }

    fn staging_offset(&self, slot: u32) -> u64 {
        u64::from(slot) * self.constants.staging_slot_bytes()
    }

    /// Sends on as much of the waiting meshes as the slot's staging still holds.
    fn plan_uploads(
        &mut self,
        scratch: &mut Scratch,
        slot: u32,
        staging: &mut [u8],
        staged: u64,
        stats: &mut FrameStats,
    ) {
        let base = self.staging_offset(slot);
        let mut cursor = staged.next_multiple_of(16) as usize;
        while let Some(&id) = self.uploads.front() {
            let Some(mesh) = self.meshes.get_mut(id) else {
                self.uploads.pop_front();
                continue;
            };
            let before = mesh.upload;
            let frame = self.frame;
            let mut send = |bytes: &[u8], destination_offset: u64| {
                let room = staging.len().saturating_sub(cursor) & !15;
                let taken = bytes.len().min(room);
                if taken > 0 {
                    staging[cursor..cursor + taken].copy_from_slice(&bytes[..taken]);
                    scratch.copies.push(CopyStep {
                        purpose: CopyPurpose::Upload,
                        source: Interval {
                            buffer: PlanBuffer::Staging,
                            offset: base + cursor as u64,
                            size_bytes: taken as u64,
                        },
                        destination: PlanBuffer::Geometry,
                        destination_offset,
                    });
                    cursor = (cursor + taken).next_multiple_of(16);
                    stats.uploaded_bytes += taken as u64;
                }
                taken as u64
            };
            if mesh.upload.rest_frame.is_none() {
                let done = mesh.upload.rest_bytes;
                let bytes = &mesh.rest.bytes()[done as usize..];
                let sent = send(bytes, mesh.rest_range.offset + done);
                mesh.upload.rest_bytes += sent;
                if mesh.upload.rest_bytes == mesh.rest_range.size_bytes {
                    mesh.upload.rest_frame = Some(frame);
                }
            }
            let mut finished = mesh.upload.rest_frame.is_some();
            if let (true, Deltas::Held { range, words, .. }) = (finished, &mesh.deltas) {
                let done = mesh.upload.delta_bytes;
                let bytes = &bytemuck::cast_slice(words)[done as usize..];
                let sent = send(bytes, range.offset + done);
                finished = done + sent == range.size_bytes;
                mesh.upload.delta_bytes += sent;
                if finished {
                    mesh.upload.delta_frame = Some(frame);
                    self.packed.push(id);
                }
            }
            if mesh.upload != before {
                self.slots[slot as usize].uploads.push((id, before));
            }
            if !finished {
                break;
            }
            self.uploads.pop_front();
        }
    }

    fn assemble(&mut self, scratch: &Scratch, stats: &mut FrameStats) {
        if scratch.copies.is_empty() && scratch.dispatches.is_empty() {
            return;
        }
        let plan = &mut self.plan;
        plan.push_barrier(BarrierKind::Reuse);
        plan.steps
            .extend(scratch.copies.iter().copied().map(PlanStep::Copy));
        if !scratch.dispatches.is_empty() {
            if !scratch.copies.is_empty() {
                plan.push_barrier(BarrierKind::CopyToDispatch);
            }
            // A gather is one round.
            let whole = [scratch.dispatches.len()];
            let rounds = if scratch.round_ends.is_empty() {
                &whole[..]
            } else {
                &scratch.round_ends[..]
            };
            let mut first = 0;
            for &end in rounds {
                if first > 0 {
                    plan.push_barrier(BarrierKind::DispatchToDispatch);
                }
                plan.steps.extend(
                    scratch.dispatches[first..end]
                        .iter()
                        .copied()
                        .map(PlanStep::Dispatch),
                );
                first = end;
            }
        }
        plan.push_barrier(BarrierKind::Publish);
        stats.copies = scratch.copies.len() as u32;
        stats.copied_bytes = scratch.copies.iter().map(|copy| copy.source.size_bytes).sum();
        stats.dispatches = scratch.dispatches.len() as u32;
        stats.barriers = plan.barriers().count() as u32;
    }

    /// Takes back what the slot last recorded: the engine dropped that frame.
    pub(crate) fn discard_frame(&mut self, slot: u32) {
        let mut log = std::mem::take(&mut self.slots[slot as usize]);
        let next_frame = self.frame + 1;
        for (id, before) in log.written.drain(..) {
            let Some(instance) = self.instances.get_mut(id) else {
                continue;
            };
            instance.undo(before, log.frame, next_frame);
            self.enqueue(id);
        }
        // Nobody saw the frame, so nothing was first seen in it.
        for instance in self.instances.values_mut().filter(|it| it.seen_from == log.frame) {
            instance.seen_from = next_frame;
        }
        if log.frame > 0 {
            self.kept_frames -= 1;
        }
        // It says nothing about which frames the device is done with: the slot's next frame must not take it for one.
        log.frame = 0;
        for (id, before) in log.uploads.drain(..) {
            let Some(mesh) = self.meshes.get_mut(id) else {
                continue;
            };
            mesh.undo_upload(before);
            if !self.uploads.contains(&id) {
                self.uploads.push_back(id);
            }
        }
        self.slots[slot as usize] = log;
    }
}

/// Entries of a target; zero past the last slot.
fn entry_count(mesh: &MorphMesh, slot: usize) -> u32 {
    mesh.target(slot).map_or(0, |target| target.entry_count())
}

/// Workgroups in X and Z for a line of them, where X alone may pass the device's limit.
fn spill(groups: u32, max_x: u32) -> [u32; 2] {
    let x = groups.min(max_x).max(1);
    [x, groups.div_ceil(x)]
}
