//! A pre-pass with frames in flight, driven the way an engine drives it.
//!
//! `morph_render`'s own helper waits for every frame; hazards and frame slots show only where nobody waits.

use ash::vk;
use morph_core::plan::FramePlan;
use morph_render::{DeviceError, HeadlessDevice, raw_memory, readback};
use morph_vk::{FrameStats, MemoryProvider, MorphError, MorphPass, MorphPassDesc, VertexRange};

/// What a rig may meet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RigError {
    /// The pre-pass refused.
    #[error(transparent)]
    Morph(#[from] MorphError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A Vulkan call failed.
    #[error("{call} failed: {result}")]
    Vulkan {
        /// The call.
        call: &'static str,
        /// What it returned.
        result: vk::Result,
    },
    /// A scene asked for something that is not there.
    #[error("{0}")]
    Scene(String),
}

impl RigError {
    pub(crate) fn scene(error: impl std::fmt::Display) -> RigError {
        RigError::Scene(error.to_string())
    }
}

fn call(call: &'static str) -> impl Fn(vk::Result) -> RigError {
    move |result| RigError::Vulkan { call, result }
}

/// A pass, its device, and a command buffer for every frame slot.
#[derive(Debug)]
pub struct Rig {
    device: HeadlessDevice,
    pass: MorphPass,
    slots: Vec<Slot>,
    next_slot: usize,
}

/// One frame in flight.
#[derive(Debug)]
struct Slot {
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
    pending: bool,
}

impl Rig {
    /// Makes the pass with memory straight from the device.
    ///
    /// # Errors
    /// Whatever `MorphPass::new` refuses.
    pub fn new(device: &HeadlessDevice, desc: MorphPassDesc) -> Result<Rig, RigError> {
        let memory = Box::new(raw_memory(device));
        Rig::with_memory(device, desc, memory)
    }

    /// Makes the pass with memory of another kind, which must be the device's own.
    ///
    /// # Errors
    /// Whatever `MorphPass::new` refuses.
    pub fn with_memory(
        device: &HeadlessDevice,
        desc: MorphPassDesc,
        memory: Box<dyn MemoryProvider>,
    ) -> Result<Rig, RigError> {
        let slot_count = desc.capacities.frame_slot_count;
        // SAFETY: the device lives as long as the rig, which destroys the pass before; the description and the memory
        // were made for it.
        let pass = unsafe { MorphPass::new(device.device(), desc, memory) }?;
        // From here on `Drop` cleans up after a failure.
        let mut rig = Rig {
            device: device.clone(),
            pass,
            slots: Vec::new(),
            next_slot: 0,
        };
        for _ in 0..slot_count {
            rig.add_slot()?;
        }
        Ok(rig)
    }

    fn add_slot(&mut self) -> Result<(), RigError> {
        let device = self.device.device();
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)
            .queue_family_index(self.device.queue_family());
        // SAFETY: the device is alive.
        let pool = unsafe { device.create_command_pool(&info, None) }.map_err(call("vkCreateCommandPool"))?;
        self.slots.push(Slot {
            pool,
            commands: vk::CommandBuffer::null(),
            fence: vk::Fence::null(),
            pending: false,
        });
        let Some(slot) = self.slots.last_mut() else {
            return Ok(());
        };
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: the pool was made just now.
        let commands =
            unsafe { device.allocate_command_buffers(&info) }.map_err(call("vkAllocateCommandBuffers"))?;
        slot.commands = commands[0];
        // SAFETY: the device is alive.
        slot.fence = unsafe { device.create_fence(&vk::FenceCreateInfo::default(), None) }
            .map_err(call("vkCreateFence"))?;
        Ok(())
    }

    /// The device.
    pub fn device(&self) -> &HeadlessDevice {
        &self.device
    }

    /// The pass.
    pub fn pass(&self) -> &MorphPass {
        &self.pass
    }

    /// The pass, to change what the next frame shows.
    pub fn pass_mut(&mut self) -> &mut MorphPass {
        &mut self.pass
    }

    /// The slot that the next frame is recorded with.
    pub fn next_slot(&self) -> u32 {
        self.next_slot as u32
    }

    /// Records a frame, submits it and waits for it.
    ///
    /// # Errors
    /// The device failed.
    pub fn frame(&mut self) -> Result<FrameStats, RigError> {
        let stats = self.submit(|_| (), |_, _| ())?;
        self.wait()?;
        Ok(stats)
    }

    /// Records a frame with a change to its plan, then whatever reads it, and submits it. Waits only for the frame that
    /// used the same slot before.
    ///
    /// `readers` gets the recording command buffer and the pass behind its frame.
    ///
    /// # Errors
    /// The device failed.
    pub fn submit(
        &mut self,
        edit: impl FnOnce(&mut FramePlan),
        readers: impl FnOnce(vk::CommandBuffer, &MorphPass),
    ) -> Result<FrameStats, RigError> {
        let commands = self.begin()?;
        let slot = self.next_slot as u32;
        // SAFETY: the command buffer is recording on the device's queue family, and `begin` waited for the slot. A plan
        // that was changed is a control's: software drivers run commands in order, so what it does stays harmless.
        let stats = unsafe { self.pass.record_edited(commands, slot, edit) };
        readers(commands, &self.pass);
        self.end_and_submit()?;
        Ok(stats)
    }

    /// Records two frames into one command buffer, the second with a change to its plan, and submits them.
    ///
    /// Engines do not do this; validation layers see within a command buffer what some do not see across submits.
    ///
    /// # Errors
    /// The device failed, or the rig has one slot only.
    pub fn submit_two(
        &mut self,
        between: impl FnOnce(vk::CommandBuffer, &mut MorphPass),
        edit: impl FnOnce(&mut FramePlan),
        readers: impl FnOnce(vk::CommandBuffer, &MorphPass),
    ) -> Result<(), RigError> {
        if self.slots.len() < 2 {
            return Err(RigError::Scene(
                "two frames in one command buffer need two frame slots".to_owned(),
            ));
        }
        self.wait()?;
        let commands = self.begin()?;
        let first = self.next_slot as u32;
        let second = ((self.next_slot + 1) % self.slots.len()) as u32;
        // SAFETY: as in `submit`; every slot was waited for.
        unsafe { self.pass.record(commands, first) };
        between(commands, &mut self.pass);
        // SAFETY: the same.
        unsafe { self.pass.record_edited(commands, second, edit) };
        readers(commands, &self.pass);
        self.end_and_submit()?;
        // Both slots are in this one submit: waiting for it frees both.
        self.wait()
    }

    /// Records one frame in every slot, each behind a change of the pass and with its readers, and only then submits
    /// them, without waiting between.
    ///
    /// # Errors
    /// The device failed.
    pub fn record_all_then_submit(
        &mut self,
        mut change: impl FnMut(u32, &mut MorphPass),
        mut readers: impl FnMut(u32, vk::CommandBuffer, &MorphPass),
    ) -> Result<(), RigError> {
        let count = self.slots.len();
        let first = self.next_slot;
        for frame in 0..count {
            self.next_slot = (first + frame) % count;
            let commands = self.begin()?;
            change(frame as u32, &mut self.pass);
            // SAFETY: as in `submit`; frames are submitted below in the order in which they are recorded.
            unsafe { self.pass.record(commands, self.next_slot as u32) };
            readers(frame as u32, commands, &self.pass);
        }
        self.next_slot = first;
        (0..count).try_for_each(|_| self.end_and_submit())
    }

    /// Records a frame and drops it, as an engine does that lost its swapchain.
    ///
    /// # Errors
    /// The device failed.
    pub fn drop_frame(&mut self) -> Result<FrameStats, RigError> {
        let commands = self.begin()?;
        let slot = self.next_slot as u32;
        // SAFETY: as in `submit`; the frame is discarded below.
        let stats = unsafe { self.pass.record(commands, slot) };
        // SAFETY: the command buffer is recording.
        unsafe { self.device.device().end_command_buffer(commands) }.map_err(call("vkEndCommandBuffer"))?;
        self.pass.discard_frame(slot);
        Ok(stats)
    }

    /// Waits for every frame.
    ///
    /// # Errors
    /// The device failed.
    pub fn wait(&mut self) -> Result<(), RigError> {
        for slot in 0..self.slots.len() {
            self.wait_for(slot)?;
        }
        Ok(())
    }

    /// Frames until nothing is left to do; returns how many there were, the idle last one included.
    ///
    /// # Errors
    /// The device failed, or frames go on being incomplete, as they do while pipelines are missing.
    pub fn settle(&mut self) -> Result<u32, RigError> {
        const MOST_FRAMES: u32 = 10_000;
        for frame in 1..=MOST_FRAMES {
            let stats = self.frame()?;
            if stats.is_idle() && stats.waiting_instances == 0 && stats.degraded_instances == 0 {
                return Ok(frame);
            }
        }
        Err(RigError::Scene(format!(
            "work was left after {MOST_FRAMES} frames"
        )))
    }

    /// Writes a word all over the geometry buffer, so that bytes which nobody writes can be told.
    ///
    /// For use before the first frame.
    ///
    /// # Errors
    /// The device failed.
    pub fn fill_geometry(&mut self, word: u32) -> Result<(), RigError> {
        self.wait()?;
        let buffer = self.pass.geometry_buffer().buffer();
        let device = &self.device;
        let functions = device.device();
        device.submit_once("fill geometry", |commands| {
            // SAFETY: the command buffer is recording; the buffer is the pass's and may be copied into.
            unsafe { functions.cmd_fill_buffer(commands, buffer, 0, vk::WHOLE_SIZE, word) };
            let settle = [vk::MemoryBarrier2::default()
                .src_stage_mask(vk::PipelineStageFlags2::ALL_TRANSFER)
                .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
                .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)];
            let info = vk::DependencyInfo::default().memory_barriers(&settle);
            // SAFETY: the command buffer is recording outside of a rendering.
            unsafe { functions.cmd_pipeline_barrier2(commands, &info) };
        })?;
        Ok(())
    }

    /// Waits, and reads bytes of the geometry buffer.
    ///
    /// # Errors
    /// The device failed, or the bytes lie outside.
    pub fn read(&mut self, offset: u64, length: u64) -> Result<Vec<u8>, RigError> {
        self.wait()?;
        let geometry = self.pass.geometry_buffer();
        if offset
            .checked_add(length)
            .is_none_or(|end| end > geometry.size_bytes())
        {
            return Err(RigError::Scene(format!(
                "{length} bytes from {offset} are not in the geometry buffer"
            )));
        }
        // SAFETY: the buffer is alive, may be copied from, and has these bytes.
        Ok(unsafe { readback(&self.device, geometry.buffer(), offset, length) }?)
    }

    /// Waits, and reads the whole geometry buffer.
    ///
    /// # Errors
    /// The device failed.
    pub fn read_geometry(&mut self) -> Result<Vec<u8>, RigError> {
        self.read(0, self.pass.geometry_buffer().size_bytes())
    }

    /// Waits, and reads the vertices of a range, now, stream after stream.
    ///
    /// # Errors
    /// The device failed.
    pub fn read_current(&mut self, range: VertexRange) -> Result<Vec<u8>, RigError> {
        let mut bytes = Vec::new();
        for (offset, length) in self.intervals_of(range.current_first_vertex, range.vertex_count) {
            bytes.extend(self.read(offset, length)?);
        }
        Ok(bytes)
    }

    /// Offset and size in bytes of vertices in the first stream of the geometry buffer.
    pub fn bytes_of(&self, first_vertex: u32, vertex_count: u32) -> (u64, u64) {
        self.intervals_of(first_vertex, vertex_count)[0]
    }

    /// Offset and size in bytes of vertices in every stream of the geometry buffer.
    pub fn intervals_of(&self, first_vertex: u32, vertex_count: u32) -> Vec<(u64, u64)> {
        let streams = self.pass.vertex_streams().iter();
        streams
            .map(|stream| {
                let length = u64::from(vertex_count) * u64::from(stream.stride_bytes);
                (stream.offset_of(first_vertex), length)
            })
            .collect()
    }

    fn wait_for(&mut self, slot: usize) -> Result<(), RigError> {
        let slot = &mut self.slots[slot];
        if slot.pending {
            let device = self.device.device();
            // SAFETY: the fence was handed to a submit.
            unsafe { device.wait_for_fences(&[slot.fence], true, u64::MAX) }
                .map_err(call("vkWaitForFences"))?;
            // SAFETY: the fence is signaled, so nothing waits for it.
            unsafe { device.reset_fences(&[slot.fence]) }.map_err(call("vkResetFences"))?;
            slot.pending = false;
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<vk::CommandBuffer, RigError> {
        self.wait_for(self.next_slot)?;
        let commands = self.slots[self.next_slot].commands;
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the slot was waited for; beginning resets the command buffer.
        unsafe { self.device.device().begin_command_buffer(commands, &info) }
            .map_err(call("vkBeginCommandBuffer"))?;
        Ok(commands)
    }

    fn end_and_submit(&mut self) -> Result<(), RigError> {
        let device = self.device.device();
        let slot = &mut self.slots[self.next_slot];
        // SAFETY: the command buffer is recording.
        unsafe { device.end_command_buffer(slot.commands) }.map_err(call("vkEndCommandBuffer"))?;
        let commands = [vk::CommandBufferSubmitInfo::default().command_buffer(slot.commands)];
        let submit = [vk::SubmitInfo2::default().command_buffer_infos(&commands)];
        // SAFETY: the command buffer is complete, the fence is unsignaled, and a rig is used by one thread.
        unsafe { device.queue_submit2(self.device.queue(), &submit, slot.fence) }
            .map_err(call("vkQueueSubmit2"))?;
        slot.pending = true;
        self.next_slot = (self.next_slot + 1) % self.slots.len();
        Ok(())
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        // A lost device is idle too.
        let _ = self.device.wait_idle();
        let device = self.device.device();
        for slot in &self.slots {
            // SAFETY: the device is idle; null is allowed.
            unsafe { device.destroy_fence(slot.fence, None) };
            // SAFETY: as above; the command buffer goes with its pool.
            unsafe { device.destroy_command_pool(slot.pool, None) };
        }
        // SAFETY: the device is idle and still alive.
        unsafe { self.pass.destroy() };
    }
}
