//! The frame plan: what one frame of the pre-pass does, as plain data.
//!
//! A frame is a value before it is commands: copies, dispatches and barriers in one straight line.
//!
//! ```text
//! [Reuse] copies [CopyToDispatch] dispatches [DispatchToDispatch between them only in scatter] [Publish]
//! ```
//!
//! Nothing here names Vulkan. `morph-vk` fills a plan from its state and turns it into commands; a test, a tool or an
//! engine's continuous integration can read the same plan, count its bytes or check its hazards.
//! A plan is reused from frame to frame, so a steady state allocates nothing.

mod scope;

pub use scope::{Access, Scope, Stages};

use crate::{Quantization, VertexLayout};

/// A buffer that the pre-pass reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlanBuffer {
    /// The one fixed device-local buffer with rest poses, deltas and the instances' ranges.
    Geometry,
    /// This frame's poses, instance records and weights on the device.
    Frame,
    /// The host-visible ring that uploads pass through.
    Staging,
    /// The boxes of all instances, where the engine asked for them on the device.
    Bounds,
}

/// A range of bytes of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The buffer.
    pub buffer: PlanBuffer,
    /// First byte.
    pub offset: u64,
    /// Size in bytes.
    pub size_bytes: u64,
}

impl Interval {
    /// Whether both name at least one byte in common.
    pub fn overlaps(&self, other: &Interval) -> bool {
        self.buffer == other.buffer
            && self.offset < other.offset + other.size_bytes
            && other.offset < self.offset + self.size_bytes
    }
}

/// Why bytes are copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CopyPurpose {
    /// The rest pose of a mesh into the range of an instance.
    RestPose,
    /// Poses, instance records and weights of this frame.
    FrameData,
    /// A part of a mesh from the staging ring.
    Upload,
    /// Boxes of instances that changed.
    Bounds,
}

/// One copied region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyStep {
    /// Why.
    pub purpose: CopyPurpose,
    /// What is read.
    pub source: Interval,
    /// Where it goes; of the same size.
    pub destination: PlanBuffer,
    /// First byte written.
    pub destination_offset: u64,
}

impl CopyStep {
    /// What is written.
    pub fn written(&self) -> Interval {
        Interval {
            buffer: self.destination,
            offset: self.destination_offset,
            size_bytes: self.source.size_bytes,
        }
    }
}

/// A kernel of the pre-pass with its workgroup shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kernel {
    /// One entry of one target an invocation, 64 × 1.
    Scatter,
    /// Batched gather, 32 vertices × 1 instance: below four instances.
    GatherX32Y1,
    /// Batched gather, 8 vertices × 16 instances: from four instances.
    GatherX8Y16,
    /// [`GatherX32Y1`](Self::GatherX32Y1), and then bones carry what the morph gave.
    SkinnedX32Y1,
    /// [`GatherX8Y16`](Self::GatherX8Y16), and then bones carry what the morph gave.
    SkinnedX8Y16,
}

impl Kernel {
    /// Every kernel.
    pub const ALL: [Kernel; 5] = [
        Kernel::Scatter,
        Kernel::GatherX32Y1,
        Kernel::GatherX8Y16,
        Kernel::SkinnedX32Y1,
        Kernel::SkinnedX8Y16,
    ];

    /// From this many instances on, the batched gather takes the shape X8Y16.
    pub const X8Y16_MIN_INSTANCE_COUNT: u32 = 4;

    /// Invocations of a workgroup in x and y.
    pub const fn local_size(self) -> [u32; 2] {
        match self {
            Kernel::Scatter => [64, 1],
            Kernel::GatherX32Y1 | Kernel::SkinnedX32Y1 => [32, 1],
            Kernel::GatherX8Y16 | Kernel::SkinnedX8Y16 => [8, 16],
        }
    }

    /// The batched gather's shape for so many instances.
    pub const fn gather_for(instance_count: u32) -> Kernel {
        if instance_count < Kernel::X8Y16_MIN_INSTANCE_COUNT {
            Kernel::GatherX32Y1
        } else {
            Kernel::GatherX8Y16
        }
    }

    /// The kernel of the same shape with skinning behind the morph; scatter has none and stays as it is.
    #[must_use]
    pub const fn skinned(self) -> Kernel {
        match self {
            Kernel::Scatter => Kernel::Scatter,
            Kernel::GatherX32Y1 | Kernel::SkinnedX32Y1 => Kernel::SkinnedX32Y1,
            Kernel::GatherX8Y16 | Kernel::SkinnedX8Y16 => Kernel::SkinnedX8Y16,
        }
    }

    /// Whether bones carry what the morph gives.
    pub const fn is_skinned(self) -> bool {
        matches!(self, Kernel::SkinnedX32Y1 | Kernel::SkinnedX8Y16)
    }

    /// The published name of the shape.
    pub const fn name(self) -> &'static str {
        match self {
            Kernel::Scatter => "scatter",
            Kernel::GatherX32Y1 => "gather X32Y1",
            Kernel::GatherX8Y16 => "gather X8Y16",
            Kernel::SkinnedX32Y1 => "gather X32Y1 skinned",
            Kernel::SkinnedX8Y16 => "gather X8Y16 skinned",
        }
    }
}

/// The most words of parameters that a kernel takes.
pub const MAX_PARAMETER_WORDS: usize = 12;

/// One dispatch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DispatchStep {
    /// The kernel.
    pub kernel: Kernel,
    /// Which permutation of it.
    pub quantization: Quantization,
    /// Number of the resource set that it binds; the recorder's own.
    pub binding: u32,
    /// Number of the mesh, for labels and logs.
    pub mesh: u32,
    /// Targets that it applies: the slot for scatter, `None` for a gather, which applies all that are active.
    pub target: Option<u32>,
    /// Instances written.
    pub instance_count: u32,
    /// Workgroups in x, y and z.
    pub group_count: [u32; 3],
    /// Parameters, as the kernel's push constants lie in memory.
    pub parameters: [u32; MAX_PARAMETER_WORDS],
    /// How many words of them the kernel takes.
    pub parameter_words: u32,
    /// What the resource set lets it read.
    pub reads: [Interval; 4],
    /// What the resource set lets it write, a part of each stream of vertices; scatter reads it too. Intervals of no
    /// bytes stand behind the last stream.
    pub writes: [Interval; VertexLayout::MAX_STREAM_COUNT],
}

impl DispatchStep {
    /// What the resource set lets it write.
    pub fn written(&self) -> impl Iterator<Item = &Interval> {
        self.writes.iter().filter(|interval| interval.size_bytes > 0)
    }
}

/// Which of the four barriers of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BarrierKind {
    /// B0: last frame's draws and our own last dispatches may still use ranges and arenas.
    Reuse,
    /// B1: the kernel reads what was copied.
    CopyToDispatch,
    /// B2: scatter only, two targets may move one vertex.
    DispatchToDispatch,
    /// B3: the readers that the engine named see what was written.
    Publish,
}

impl BarrierKind {
    /// Every kind, in the order of a frame.
    pub const ALL: [BarrierKind; 4] = [
        BarrierKind::Reuse,
        BarrierKind::CopyToDispatch,
        BarrierKind::DispatchToDispatch,
        BarrierKind::Publish,
    ];

    /// The barrier of this kind: a global memory barrier within one queue.
    pub fn barrier(self) -> BarrierStep {
        let copy_write = Scope {
            stages: Stages::COPY,
            access: Access::TRANSFER_WRITE,
        };
        let storage = Access::STORAGE_READ | Access::STORAGE_WRITE;
        let (from, to) = match self {
            // Execution alone is not enough: where no tracked read lies between (a hidden instance, indexed draws),
            // our own last write is followed by the next one.
            BarrierKind::Reuse => (
                Scope {
                    stages: Stages::ENGINE_READERS | Stages::COPY | Stages::COMPUTE,
                    access: Access::TRANSFER_WRITE | Access::STORAGE_WRITE,
                },
                Scope {
                    stages: Stages::COPY | Stages::COMPUTE,
                    access: Access::TRANSFER_READ | Access::TRANSFER_WRITE | storage,
                },
            ),
            BarrierKind::CopyToDispatch => (
                copy_write,
                Scope {
                    stages: Stages::COMPUTE,
                    access: storage,
                },
            ),
            BarrierKind::DispatchToDispatch => (
                Scope {
                    stages: Stages::COMPUTE,
                    access: Access::STORAGE_WRITE,
                },
                Scope {
                    stages: Stages::COMPUTE,
                    access: storage,
                },
            ),
            // COPY, because a degraded or first frame publishes copies.
            BarrierKind::Publish => (
                Scope {
                    stages: Stages::COMPUTE | Stages::COPY,
                    access: Access::STORAGE_WRITE | Access::TRANSFER_WRITE,
                },
                Scope {
                    stages: Stages::ENGINE_READERS,
                    access: Access::ENGINE_READS,
                },
            ),
        };
        BarrierStep { kind: self, from, to }
    }
}

/// One global memory barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BarrierStep {
    /// Which one.
    pub kind: BarrierKind,
    /// What comes before.
    pub from: Scope,
    /// What comes behind.
    pub to: Scope,
}

impl BarrierStep {
    /// The same barrier where every reader is on another queue: barriers do not reach there, a semaphore does.
    #[must_use]
    pub fn without_readers(mut self) -> BarrierStep {
        for scope in [&mut self.from, &mut self.to] {
            scope.stages.remove(Stages::ENGINE_READERS);
            scope.access.remove(Access::ENGINE_READS);
        }
        self
    }
}

/// One step of a frame.
#[allow(
    clippy::large_enum_variant,
    reason = "a box would be an allocation in every frame, and the list is kept from frame to frame"
)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PlanStep {
    /// Copies one region.
    Copy(CopyStep),
    /// Runs a kernel.
    Dispatch(DispatchStep),
    /// Orders and makes visible.
    Barrier(BarrierStep),
}

/// One frame of the pre-pass, in the order of its commands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FramePlan {
    /// The steps.
    pub steps: Vec<PlanStep>,
}

impl FramePlan {
    /// An empty plan.
    pub const fn new() -> FramePlan {
        FramePlan { steps: Vec::new() }
    }

    /// Empties the plan and keeps its memory.
    pub fn clear(&mut self) {
        self.steps.clear();
    }

    /// Whether the frame does nothing.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Adds the barrier of a kind.
    pub fn push_barrier(&mut self, kind: BarrierKind) {
        self.steps.push(PlanStep::Barrier(kind.barrier()));
    }

    /// The copies.
    pub fn copies(&self) -> impl Iterator<Item = &CopyStep> {
        self.steps.iter().filter_map(|step| {
            if let PlanStep::Copy(copy) = step {
                Some(copy)
            } else {
                None
            }
        })
    }

    /// The dispatches.
    pub fn dispatches(&self) -> impl Iterator<Item = &DispatchStep> {
        self.steps.iter().filter_map(|step| {
            if let PlanStep::Dispatch(it) = step {
                Some(it)
            } else {
                None
            }
        })
    }

    /// The barriers.
    pub fn barriers(&self) -> impl Iterator<Item = &BarrierStep> {
        self.steps.iter().filter_map(|step| {
            if let PlanStep::Barrier(it) = step {
                Some(it)
            } else {
                None
            }
        })
    }

    /// Takes every barrier of a kind out, and says how many there were.
    ///
    /// For controls: a run that is silent under validation proves something only where the same run with a barrier
    /// left out is reported.
    pub fn remove_barriers(&mut self, kind: BarrierKind) -> usize {
        let before = self.steps.len();
        self.steps
            .retain(|step| !matches!(step, PlanStep::Barrier(barrier) if barrier.kind == kind));
        before - self.steps.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gather_takes_the_wide_shape_from_four_instances() {
        assert_eq!(Kernel::gather_for(1), Kernel::GatherX32Y1);
        assert_eq!(Kernel::gather_for(3), Kernel::GatherX32Y1);
        assert_eq!(Kernel::gather_for(4), Kernel::GatherX8Y16);
        assert_eq!(Kernel::gather_for(u32::MAX), Kernel::GatherX8Y16);
        for kernel in Kernel::ALL {
            assert_eq!(kernel.skinned().local_size(), kernel.local_size());
            assert_eq!(kernel.skinned().is_skinned(), kernel != Kernel::Scatter);
        }
    }

    #[test]
    fn intervals_overlap_only_within_one_buffer() {
        let a = Interval {
            buffer: PlanBuffer::Geometry,
            offset: 0,
            size_bytes: 16,
        };
        let touching = Interval { offset: 16, ..a };
        let inside = Interval {
            offset: 15,
            size_bytes: 1,
            ..a
        };
        assert!(!a.overlaps(&touching) && !touching.overlaps(&a));
        assert!(a.overlaps(&inside) && inside.overlaps(&a));
        assert!(!a.overlaps(&Interval {
            buffer: PlanBuffer::Frame,
            ..a
        }));
    }

    #[test]
    fn barriers_can_be_taken_out_for_controls() {
        let mut plan = FramePlan::new();
        for kind in BarrierKind::ALL {
            plan.push_barrier(kind);
        }
        assert_eq!(plan.remove_barriers(BarrierKind::Publish), 1);
        assert_eq!(plan.remove_barriers(BarrierKind::Publish), 0);
        assert_eq!(plan.barriers().count(), 3);
    }

    #[test]
    fn publish_and_reuse_name_the_engine_on_their_far_sides() {
        assert!(
            BarrierKind::Publish
                .barrier()
                .to
                .stages
                .contains(Stages::ENGINE_READERS)
        );
        assert!(BarrierKind::Publish.barrier().from.stages.contains(Stages::COPY));
        assert!(
            BarrierKind::Reuse
                .barrier()
                .from
                .stages
                .contains(Stages::ENGINE_READERS)
        );
    }
}
