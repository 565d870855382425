//! From a frame plan to commands, step by step.

use std::ffi::CString;

use ash::{khr, vk};
use morph_core::plan::{
    Access, BarrierStep, CopyStep, DispatchStep, FramePlan, PlanBuffer, PlanStep, Stages,
};

use crate::debug::DebugNames;
use crate::desc::Readers;
use crate::pipelines::Pipelines;
use crate::sets::DescriptorSets;

/// What the recorder needs of the pass.
pub(crate) struct Recorder<'a> {
    pub(crate) device: &'a ash::Device,
    pub(crate) synchronization2_khr: Option<&'a khr::synchronization2::Device>,
    pub(crate) names: &'a DebugNames,
    pub(crate) pipelines: &'a Pipelines,
    pub(crate) sets: &'a DescriptorSets,
    pub(crate) readers: Readers,
    pub(crate) geometry: vk::Buffer,
    pub(crate) frame: vk::Buffer,
    pub(crate) staging: vk::Buffer,
    /// Null where there is none; then no plan names it.
    pub(crate) bounds: vk::Buffer,
    /// Kept from frame to frame.
    pub(crate) regions: &'a mut Vec<vk::BufferCopy>,
}

impl Recorder<'_> {
    /// # Safety
    ///
    /// `cmd` must be recording outside a render pass, on a queue with compute; the plan's offsets must lie in the
    /// buffers, its sets must be written, and its pipelines built.
    pub(crate) unsafe fn record(&mut self, cmd: vk::CommandBuffer, plan: &FramePlan) {
        if plan.is_empty() {
            return;
        }
        // SAFETY: handed on; `end` follows below.
        unsafe { self.names.begin(cmd, c"morph pre-pass") };
        let mut bound = None;
        let mut steps = plan.steps.as_slice();
        while let Some((step, rest)) = steps.split_first() {
            match step {
                PlanStep::Copy(copy) => {
                    let count = steps.iter().take_while(|it| same_buffers(it, copy)).count();
                    // SAFETY: handed on.
                    unsafe { self.copy(cmd, &steps[..count]) };
                    steps = &steps[count..];
                    continue;
                }
                // SAFETY: handed on.
                PlanStep::Dispatch(dispatch) => unsafe { self.dispatch(cmd, dispatch, &mut bound) },
                // SAFETY: handed on.
                PlanStep::Barrier(barrier) => unsafe { self.barrier(cmd, barrier) },
            }
            steps = rest;
        }
        // SAFETY: behind `begin`.
        unsafe { self.names.end(cmd) };
    }

    fn buffer(&self, buffer: PlanBuffer) -> vk::Buffer {
        match buffer {
            PlanBuffer::Geometry => self.geometry,
            PlanBuffer::Frame => self.frame,
            PlanBuffer::Staging => self.staging,
            PlanBuffer::Bounds => self.bounds,
        }
    }

    /// One command for a run of copies between the same two buffers.
    ///
    /// # Safety
    ///
    /// As for `record`.
    unsafe fn copy(&mut self, cmd: vk::CommandBuffer, run: &[PlanStep]) {
        self.regions.clear();
        let mut buffers = None;
        for step in run {
            let PlanStep::Copy(copy) = step else { continue };
            buffers = Some((copy.source.buffer, copy.destination));
            self.regions.push(vk::BufferCopy {
                src_offset: copy.source.offset,
                dst_offset: copy.destination_offset,
                size: copy.source.size_bytes,
            });
        }
        let Some((source, destination)) = buffers else {
            return;
        };
        let (source, destination) = (self.buffer(source), self.buffer(destination));
        // SAFETY: the caller vouches for the offsets; regions of one frame never overlap.
        unsafe {
            self.device
                .cmd_copy_buffer(cmd, source, destination, self.regions);
        };
    }

    /// # Safety
    ///
    /// As for `record`.
    unsafe fn dispatch(
        &self,
        cmd: vk::CommandBuffer,
        step: &DispatchStep,
        bound: &mut Option<(vk::Pipeline, u32)>,
    ) {
        // The planner dispatches only what is built; a plan from elsewhere that asks for more is not recorded.
        let Some(pipeline) = self.pipelines.get(step.kernel, step.quantization) else {
            tracing::error!(
                kernel = step.kernel.name(),
                "a plan asks for a pipeline that is not built"
            );
            return;
        };
        if self.names.enabled() {
            let target = step.target.map_or(String::new(), |it| format!(", target {it}"));
            let label = format!(
                "{} {}, mesh {}{target}, {} instances",
                step.kernel.name(),
                step.quantization,
                step.mesh,
                step.instance_count
            );
            // SAFETY: the command buffer records; `end` follows below.
            unsafe { self.names.begin(cmd, &CString::new(label).unwrap_or_default()) };
        }
        let bind_point = vk::PipelineBindPoint::COMPUTE;
        if bound.is_none_or(|(it, _)| it != pipeline) {
            // SAFETY: the pipeline is live.
            unsafe { self.device.cmd_bind_pipeline(cmd, bind_point, pipeline) };
        }
        if bound.is_none_or(|(_, set)| set != step.binding) {
            let sets = [self.sets.get(step.binding)];
            let layout = self.pipelines.layout;
            // SAFETY: the set was written for this layout, and no pending frame needs what it held before.
            unsafe {
                self.device
                    .cmd_bind_descriptor_sets(cmd, bind_point, layout, 0, &sets, &[]);
            };
        }
        *bound = Some((pipeline, step.binding));
        let parameters = bytemuck::cast_slice(&step.parameters[..step.parameter_words as usize]);
        let stages = vk::ShaderStageFlags::COMPUTE;
        // SAFETY: the range is within what the layout declares.
        unsafe {
            self.device
                .cmd_push_constants(cmd, self.pipelines.layout, stages, 0, parameters);
        };
        let [x, y, z] = step.group_count;
        // SAFETY: pipeline, set and parameters are bound; the counts are within the device's limits.
        unsafe { self.device.cmd_dispatch(cmd, x, y, z) };
        // SAFETY: behind `begin`, which does nothing under the same condition.
        unsafe { self.names.end(cmd) };
    }

    /// # Safety
    ///
    /// As for `record`.
    unsafe fn barrier(&self, cmd: vk::CommandBuffer, step: &BarrierStep) {
        let barriers = [vk::MemoryBarrier2::default()
            .src_stage_mask(stages(step.from.stages, self.readers))
            .src_access_mask(access(step.from.access, self.readers))
            .dst_stage_mask(stages(step.to.stages, self.readers))
            .dst_access_mask(access(step.to.access, self.readers))];
        let info = vk::DependencyInfo::default().memory_barriers(&barriers);
        match self.synchronization2_khr {
            // SAFETY: the command buffer records outside a render pass.
            Some(functions) => unsafe { functions.cmd_pipeline_barrier2(cmd, &info) },
            // SAFETY: the same.
            None => unsafe { self.device.cmd_pipeline_barrier2(cmd, &info) },
        }
    }
}

fn same_buffers(step: &PlanStep, first: &CopyStep) -> bool {
    matches!(step, PlanStep::Copy(copy)
        if copy.source.buffer == first.source.buffer
            && copy.destination == first.destination
            && copy.purpose == first.purpose)
}

fn stages(stages: Stages, readers: Readers) -> vk::PipelineStageFlags2 {
    let mut flags = vk::PipelineStageFlags2::empty();
    for (stage, flag) in [
        (Stages::COPY, vk::PipelineStageFlags2::COPY),
        (Stages::COMPUTE, vk::PipelineStageFlags2::COMPUTE_SHADER),
        (Stages::ENGINE_READERS, readers.stages),
    ] {
        if stages.contains(stage) {
            flags |= flag;
        }
    }
    flags
}

fn access(access: Access, readers: Readers) -> vk::AccessFlags2 {
    let mut flags = vk::AccessFlags2::empty();
    for (kind, flag) in [
        (Access::TRANSFER_READ, vk::AccessFlags2::TRANSFER_READ),
        (Access::TRANSFER_WRITE, vk::AccessFlags2::TRANSFER_WRITE),
        (Access::STORAGE_READ, vk::AccessFlags2::SHADER_STORAGE_READ),
        (Access::STORAGE_WRITE, vk::AccessFlags2::SHADER_STORAGE_WRITE),
        (Access::ENGINE_READS, readers.access),
    ] {
        if access.contains(kind) {
            flags |= flag;
        }
    }
    flags
}
