//! One frame: planned, recorded, looked at, taken back.

use ash::vk;
use morph_core::plan::FramePlan;

use crate::pass::MorphPass;
use crate::recorder::Recorder;
use crate::stats::{DeviceTime, FrameStats, RecordRefusal};

impl MorphPass {
    /// Records one frame: uploads, rest poses, weights, kernels, and the barriers around them.
    ///
    /// Cannot fail: what can be refused was refused earlier. A frame in which nothing changed records no command.
    ///
    /// What an engine does wrong is told in the log and in [`FrameStats::refusal`], and records nothing: a slot that
    /// does not exist, a slot whose last frame is not done (a frame that was recorded and neither submitted nor
    /// [discarded](Self::discard_frame) is never done), a pass that was destroyed, a device that is lost. What was
    /// changed stays to be done, ranges stay those of the frame before, and the frame is not counted.
    ///
    /// # Safety
    ///
    /// - `cmd` must be recording, outside a render pass, for a queue with compute on the pass's device.
    /// - The device must be done with the frame last recorded with this slot, or that frame was given to
    ///   [`discard_frame`](Self::discard_frame). With [`MorphPassDesc::check_slots`](crate::MorphPassDesc::check_slots)
    ///   a slot that comes too early is refused and does no harm.
    /// - Frames must be submitted to one queue in the order in which they are recorded, each once.
    /// - Readers of the ranges that are not among [`MorphPassDesc::readers`](crate::MorphPassDesc::readers) need barriers
    ///   of the engine's own.
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
        // SAFETY: handed on.
        if let Some(refusal) = unsafe { self.refusal(frame_slot) } {
            tracing::error!(frame_slot, reason = refusal.name(), "a frame was not recorded");
            return self.scene.refuse_frame(refusal);
        }
        let slot_bytes = self.scene.constants.staging_slot_bytes() as usize;
        let ready = self.pipelines_ready();
        let Some(mapped) = self.staging.mapped() else {
            // A provider broke its promise; `new` refuses such a block.
            tracing::error!("the staging ring is not mapped");
            return FrameStats::default();
        };
        // SAFETY: handed on.
        let device_time = unsafe { self.take_device_time(frame_slot) };
        if self.device_lost {
            return self.scene.refuse_frame(RecordRefusal::DeviceLost);
        }
        // SAFETY: the slot is below the count, so its part lies within the staging buffer.
        let start = unsafe { mapped.as_ptr().add(frame_slot as usize * slot_bytes) };
        // SAFETY: the device is done with the frame that last used this part, and nobody else writes it.
        let staging = unsafe { std::slice::from_raw_parts_mut(start, slot_bytes) };
        let mut stats = self.scene.plan_frame(frame_slot, staging, ready);
        stats.device_time = device_time;
        // SAFETY: the caller vouches for the slot, and so for the frames that are done.
        unsafe {
            self.pipelines
                .destroy_retired(&self.device.0, self.scene.completed_frame());
        };
        let (geometry, frame) = (self.scene.geometry.buffer(), self.frame_buffer.handle);
        for (set, ranges) in &self.scene.set_writes {
            // SAFETY: the ledger hands out only sets that no pending frame uses.
            unsafe { self.sets.write(&self.device.0, *set, geometry, frame, ranges) };
        }
        edit(&mut self.scene.plan);
        let has_commands = !self.scene.plan.is_empty();
        let khr = self.desc.synchronization2_khr.as_ref();
        if let (true, Some(timestamps)) = (has_commands, &mut self.timestamps) {
            // SAFETY: the caller vouches for the command buffer and the slot.
            unsafe { timestamps.begin(&self.device.0, khr, cmd, frame_slot) };
        }
        let mut recorder = Recorder {
            device: &self.device.0,
            synchronization2_khr: khr,
            names: &self.names,
            pipelines: &self.pipelines,
            sets: &self.sets,
            readers: self.desc.readers,
            geometry,
            frame,
            staging: self.staging.handle,
            bounds: self.bounds.as_ref().map_or(vk::Buffer::null(), |it| it.handle),
            regions: &mut self.regions,
        };
        // SAFETY: the caller vouches for the command buffer; the plan comes from the scene.
        unsafe { recorder.record(cmd, &self.scene.plan) };
        if let (true, Some(timestamps)) = (has_commands, &mut self.timestamps) {
            // SAFETY: as above, behind `begin`.
            unsafe { timestamps.end(&self.device.0, khr, cmd, frame_slot, stats.frame) };
        }
        if let Some(guard) = &mut self.slot_guard {
            // SAFETY: as above; the guard said that the slot is free.
            unsafe { guard.end_frame(&self.device.0, cmd, frame_slot, stats.frame, has_commands) };
        }
        stats
    }

    /// Why nothing can be recorded with this slot now.
    ///
    /// # Safety
    ///
    /// The device must be live, unless the pass was destroyed.
    unsafe fn refusal(&mut self, frame_slot: u32) -> Option<RecordRefusal> {
        if self.destroyed {
            return Some(RecordRefusal::Destroyed);
        }
        if self.device_lost {
            return Some(RecordRefusal::DeviceLost);
        }
        if frame_slot >= self.desc.capacities.frame_slot_count {
            return Some(RecordRefusal::SlotOutOfRange);
        }
        let guard = self.slot_guard.as_mut()?;
        // SAFETY: the caller vouches for the device.
        match unsafe { guard.is_free(&self.device.0, frame_slot) } {
            Ok(true) => None,
            Ok(false) => Some(RecordRefusal::SlotInUse),
            Err(error) => self.note_failure(error),
        }
    }

    /// # Safety
    ///
    /// The device must be live and the slot within the count.
    unsafe fn take_device_time(&mut self, frame_slot: u32) -> Option<DeviceTime> {
        let timestamps = self.timestamps.as_mut()?;
        // SAFETY: the slot's last frame was submitted, so its queries were reset and written.
        match unsafe { timestamps.take(&self.device.0, frame_slot) } {
            Ok(time) => time,
            Err(error) => {
                self.note_failure(error);
                None
            }
        }
    }

    /// A question that the device did not answer: only a lost device keeps a frame from being recorded.
    fn note_failure(&mut self, error: vk::Result) -> Option<RecordRefusal> {
        if error == vk::Result::ERROR_DEVICE_LOST {
            self.device_lost = true;
            return Some(RecordRefusal::DeviceLost);
        }
        tracing::warn!(%error, "the device did not say how far it is");
        None
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
            if let Some(guard) = &mut self.slot_guard {
                guard.discard(frame_slot);
            }
            if let Some(timestamps) = &mut self.timestamps {
                timestamps.discard(frame_slot);
            }
        }
    }
}
