//! From what the scene knows to one frame's plan.
//!
//! Who needs work is decided instance by instance out of the queue; then come the copies (rest poses, this frame's
//! data, uploads), then the dispatches, then the barriers around them. All lists are kept from frame to frame.

mod decide;
mod discard;
mod gather;
mod scatter;
mod traffic;
mod uploads;

use morph_core::plan::{
    BarrierKind, CopyStep, DispatchStep, Interval, Kernel, MAX_PARAMETER_WORDS, PlanBuffer, PlanStep,
};

use crate::desc::Method;
use crate::queues::push_barrier;
use crate::scene::block::BlockSet;
use crate::scene::{BlockId, InstanceId, Scene, SkeletonId};
use crate::stats::{FrameStats, RecordRefusal};

use traffic::Traffic;

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

impl Scratch {
    pub(super) fn new(queue_capacity: usize) -> Scratch {
        Scratch {
            queue: Vec::with_capacity(queue_capacity),
            ..Scratch::default()
        }
    }
}

/// An instance that a kernel writes this frame.
#[derive(Debug, Clone, Copy)]
struct Item {
    block: BlockId,
    place: u32,
    instance: InstanceId,
    /// Whether its weights are applied: what follows a skeleton may be written at rest.
    morphs: bool,
    skeleton: Option<SkeletonId>,
    /// First row of its pose in this frame's data.
    pose_offset: u32,
    /// First vertex of the range written.
    first_vertex: u64,
    /// Scatter: the slot behind the target of the round before.
    next_slot: usize,
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
        log.held.clear();
        log.bounds.clear();
        self.last_slot = slot;
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
            Method::Gather => self.plan_gather(&mut scratch, slot, staging, &mut stats),
            Method::Scatter => {
                self.plan_scatter(&mut scratch);
                0
            }
        };
        let staged = self.plan_bounds(&mut scratch.copies, slot, staging, staged);
        self.plan_uploads(&mut scratch, slot, staging, staged, &mut stats);
        self.assemble(&scratch, &mut stats);
        self.scratch = scratch;
        stats
    }

    /// What a frame says that was not even planned.
    pub(crate) fn refuse_frame(&mut self, refusal: RecordRefusal) -> FrameStats {
        self.plan.clear();
        self.set_writes.clear();
        FrameStats {
            frame: self.frame,
            refusal: Some(refusal),
            ..FrameStats::default()
        }
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
            reads: [
                interval(ranges.rest),
                interval(ranges.deltas),
                frame_data,
                interval(ranges.skin),
            ],
            writes: ranges.output.map(interval),
        })
    }

    fn staging_offset(&self, slot: u32) -> u64 {
        u64::from(slot) * self.constants.staging_slot_bytes()
    }

    fn assemble(&mut self, scratch: &Scratch, stats: &mut FrameStats) {
        if scratch.copies.is_empty() && scratch.dispatches.is_empty() {
            return;
        }
        let readers_here = self.constants.readers_here;
        let plan = &mut self.plan;
        push_barrier(plan, BarrierKind::Reuse, readers_here);
        plan.steps
            .extend(scratch.copies.iter().copied().map(PlanStep::Copy));
        if !scratch.dispatches.is_empty() {
            if !scratch.copies.is_empty() {
                push_barrier(plan, BarrierKind::CopyToDispatch, readers_here);
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
                    push_barrier(plan, BarrierKind::DispatchToDispatch, readers_here);
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
        push_barrier(plan, BarrierKind::Publish, readers_here);
        stats.copies = scratch.copies.len() as u32;
        stats.copied_bytes = scratch.copies.iter().map(|copy| copy.source.size_bytes).sum();
        stats.dispatches = scratch.dispatches.len() as u32;
        stats.barriers = plan.barriers().count() as u32;
        let traffic = Traffic::of(&plan.steps, &self.constants.layout);
        stats.read_bytes = traffic.read_bytes;
        stats.written_bytes = traffic.written_bytes;
    }
}

/// Workgroups in X and Z for a line of them, where X alone may pass the device's limit.
fn spill(groups: u32, max_x: u32) -> [u32; 2] {
    let x = groups.min(max_x).max(1);
    [x, groups.div_ceil(x)]
}
