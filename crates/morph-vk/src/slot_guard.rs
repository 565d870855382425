//! Whether the device is done with a frame slot: asked where the engine might be wrong about it.
//!
//! Every frame with commands ends with an event that the device sets. When a slot comes round again, the events of all
//! frames up to the slot's last one must be set. An event and not a query, because the status of an event may be asked
//! for whether or not its frame was ever submitted.

use ash::vk;

use crate::debug::DebugNames;
use crate::error::MorphError;

#[derive(Debug)]
struct Slot {
    event: vk::Event,
    /// The frame last recorded with the slot, with commands or without; zero where there is none.
    last_frame: u64,
    /// The frame that sets the event, until it was seen to be done.
    pending_frame: Option<u64>,
    /// The event was set and not reset since.
    is_set: bool,
}

/// One event a slot.
#[derive(Debug)]
pub(crate) struct SlotGuard {
    slots: Vec<Slot>,
}

impl SlotGuard {
    /// # Safety
    ///
    /// `device` must be live.
    pub(crate) unsafe fn new(
        device: &ash::Device,
        names: &DebugNames,
        slot_count: u32,
    ) -> Result<SlotGuard, MorphError> {
        let mut guard = SlotGuard { slots: Vec::new() };
        for slot in 0..slot_count {
            let info = vk::EventCreateInfo::default();
            // SAFETY: the caller vouches for the device.
            match unsafe { device.create_event(&info, None) } {
                Ok(event) => {
                    names.name(event, &format!("morph slot {slot} done"));
                    guard.slots.push(Slot {
                        event,
                        last_frame: 0,
                        pending_frame: None,
                        is_set: false,
                    });
                }
                Err(result) => {
                    // SAFETY: nothing was recorded with them.
                    unsafe { guard.destroy(device) };
                    return Err(MorphError::Vulkan {
                        call: "vkCreateEvent",
                        result,
                    });
                }
            }
        }
        Ok(guard)
    }

    /// Whether the device is done with every frame up to the slot's last one.
    ///
    /// # Safety
    ///
    /// `device` must be the live device of `new`.
    pub(crate) unsafe fn is_free(&mut self, device: &ash::Device, slot: u32) -> Result<bool, vk::Result> {
        let last_frame = self.slots[slot as usize].last_frame;
        for slot in &mut self.slots {
            if slot.pending_frame.is_none_or(|frame| frame > last_frame) {
                continue;
            }
            // SAFETY: the event is the device's own and may be asked for by the host.
            if !unsafe { device.get_event_status(slot.event) }? {
                return Ok(false);
            }
            slot.pending_frame = None;
            slot.is_set = true;
        }
        Ok(true)
    }

    /// Notes a frame; one with commands gets its event at their end.
    ///
    /// # Safety
    ///
    /// `device` must be the live device of `new`; the slot must be free, and `cmd` recording outside a render pass.
    pub(crate) unsafe fn end_frame(
        &mut self,
        device: &ash::Device,
        cmd: vk::CommandBuffer,
        slot: u32,
        frame: u64,
        has_commands: bool,
    ) {
        let slot = &mut self.slots[slot as usize];
        slot.last_frame = frame;
        if !has_commands {
            return;
        }
        if slot.is_set {
            // SAFETY: the device is done with the frame that set it, and nobody waits for it.
            if let Err(error) = unsafe { device.reset_event(slot.event) } {
                tracing::warn!(%error, frame, "a frame's event could not be reset: its slot is not checked");
                return;
            }
            slot.is_set = false;
        }
        // SAFETY: the caller vouches for the command buffer.
        unsafe { device.cmd_set_event(cmd, slot.event, vk::PipelineStageFlags::ALL_COMMANDS) };
        slot.pending_frame = Some(frame);
    }

    /// The slot's last frame will never run.
    pub(crate) fn discard(&mut self, slot: u32) {
        let slot = &mut self.slots[slot as usize];
        slot.last_frame = 0;
        slot.pending_frame = None;
    }

    /// # Safety
    ///
    /// The device must be done with every frame, and this must not be called twice.
    pub(crate) unsafe fn destroy(&mut self, device: &ash::Device) {
        for slot in self.slots.drain(..) {
            // SAFETY: the caller vouches that the device is done.
            unsafe { device.destroy_event(slot.event, None) };
        }
    }
}
