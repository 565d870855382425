//! One frame: planned, recorded, looked at, taken back.

use ash::vk;
use morph_core::plan::FramePlan;

use crate::pass::MorphPass;
use crate::recorder::Recorder;
use crate::stats::FrameStats;

impl MorphPass {
    /// Records one frame: uploads, rest poses, weights, kernels, and the barriers around them.
    ///
    /// Cannot fail: what can be refused was refused earlier. A frame in which nothing changed records no command.
    ///
    /// # Safety
    ///
    /// - `cmd` must be recording, outside a render pass, for a queue with compute on the pass's device.
    /// - `frame_slot` must be below `frame_slot_count`, and the device must be done with the frame last recorded with
    ///   this slot, or that frame was given to [`discard_frame`](Self::discard_frame).
    /// - Frames must be submitted to one queue in the order in which they are recorded, each once.
    /// - [`destroy`](Self::destroy) must not have been called.
    /// - Readers of the ranges that are not among [`MorphPassDesc::readers`](crate::MorphPassDesc::readers) need barriers of the engine's own.
    pub unsafe fn record(&mut self, cmd: vk::CommandBuffer, frame_slot: u32) -> FrameStats {
        // SAFETY: handed on; the plan is recorded as it is.
        unsafe { self.record_edited(cmd, frame_slot, |_| ()) }
    }

    /// As [`record`](Self::record), with a look at the plan, or a change to it, before it becomes commands.
    ///
    /// For controls (a barrier left out must be reported), for logs and for an engine's own checks.
    ///
    /// # Safety
    ///
    /// As for `record`; and a plan that was changed must still be valid, or the outcome must be of no concern.
    pub unsafe fn record_edited(
        &mut self,
        cmd: vk::CommandBuffer,
        frame_slot: u32,
        edit: impl FnOnce(&mut FramePlan),
    ) -> FrameStats {
        let _span = tracing::trace_span!("morph_record", frame_slot).entered();
        let slot_bytes = self.scene.constants.staging_slot_bytes() as usize;
        let ready = self.pipelines_ready();
        let Some(mapped) = self.staging.mapped() else {
            // A provider broke its promise; `new` refuses such a block.
            tracing::error!("the staging ring is not mapped");
            return FrameStats::default();
        };
        // SAFETY: the slot is below the count, so its part lies within the staging buffer.
        let start = unsafe { mapped.as_ptr().add(frame_slot as usize * slot_bytes) };
        // SAFETY: the device is done with the frame that last used this part, and nobody else writes it.
        let staging = unsafe { std::slice::from_raw_parts_mut(start, slot_bytes) };
        let stats = self.scene.plan_frame(frame_slot, staging, ready);
        let (geometry, frame) = (self.scene.geometry.buffer(), self.frame_buffer.handle);
        for (set, ranges) in &self.scene.set_writes {
            // SAFETY: the ledger hands out only sets that no pending frame uses.
            unsafe { self.sets.write(&self.device.0, *set, geometry, frame, ranges) };
        }
        edit(&mut self.scene.plan);
        let mut recorder = Recorder {
            device: &self.device.0,
            synchronization2_khr: self.desc.synchronization2_khr.as_ref(),
            names: &self.names,
            pipelines: &self.pipelines,
            sets: &self.sets,
            readers: self.desc.readers,
            geometry,
            frame,
            staging: self.staging.handle,
            regions: &mut self.regions,
        };
        // SAFETY: the caller vouches for the command buffer; the plan comes from the scene.
        unsafe { recorder.record(cmd, &self.scene.plan) };
        stats
    }

    /// The plan that was last recorded.
    pub fn plan(&self) -> &FramePlan {
        &self.scene.plan
    }

    /// Takes back the frame last recorded with a slot, because the engine dropped it instead of submitting it.
    ///
    /// What was marked clean is dirty again, ranges are what they were before, and uploads go on from where they were.
    /// Frames build on each other: call this before another frame is recorded, and for several frames the newest
    /// first. Nothing happens for a slot past the last one, or one that recorded nothing since.
    pub fn discard_frame(&mut self, frame_slot: u32) {
        if frame_slot < self.desc.capacities.frame_slot_count {
            self.scene.discard_frame(frame_slot);
        }
    }
}
