//! How long the device takes for a frame: two timestamps a slot, read without waiting when the slot comes round.

use ash::{khr, vk};

use crate::debug::DebugNames;
use crate::desc::MorphPassDesc;
use crate::error::MorphError;
use crate::stats::DeviceTime;

/// Timestamps of one frame: at its start and at its end.
const QUERIES_PER_SLOT: u32 = 2;

#[derive(Debug)]
pub(crate) struct Timestamps {
    pool: vk::QueryPool,
    /// The frame measured in each slot, until it was read.
    frames: Vec<Option<u64>>,
    clock: Clock,
}

/// How ticks of a queue become nanoseconds.
#[derive(Debug, Clone, Copy)]
struct Clock {
    nanoseconds_per_tick: f32,
    valid_bits: u32,
}

impl Clock {
    /// The counter wraps at its valid bits, so the difference does too.
    fn nanoseconds(self, start: u64, end: u64) -> u64 {
        let mask = u64::MAX >> (64 - self.valid_bits.clamp(1, 64));
        let ticks = end.wrapping_sub(start) & mask;
        (ticks as f64 * f64::from(self.nanoseconds_per_tick)).round() as u64
    }
}

impl Timestamps {
    /// `None` where they were not asked for, or the queue has none.
    ///
    /// # Safety
    ///
    /// `device` must be live, and `desc` say what is true of it.
    pub(crate) unsafe fn new(
        device: &ash::Device,
        names: &DebugNames,
        desc: &MorphPassDesc,
    ) -> Result<Option<Timestamps>, MorphError> {
        let clock = Clock {
            nanoseconds_per_tick: desc.device.limits.timestamp_period,
            valid_bits: desc.device.timestamp_valid_bits,
        };
        if !desc.timestamps || clock.valid_bits == 0 || clock.nanoseconds_per_tick <= 0.0 {
            return Ok(None);
        }
        let slot_count = desc.capacities.frame_slot_count;
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(slot_count * QUERIES_PER_SLOT);
        // SAFETY: the caller vouches for the device.
        let pool = unsafe { device.create_query_pool(&info, None) }
            .map_err(MorphError::vulkan("vkCreateQueryPool"))?;
        names.name(pool, "morph timestamps");
        Ok(Some(Timestamps {
            pool,
            frames: vec![None; slot_count as usize],
            clock,
        }))
    }

    /// The time of the slot's last frame, where it was measured and the device has it; told once.
    ///
    /// # Safety
    ///
    /// `device` must be the live device of `new`, and the slot's last frame submitted or discarded.
    pub(crate) unsafe fn take(
        &mut self,
        device: &ash::Device,
        slot: u32,
    ) -> Result<Option<DeviceTime>, vk::Result> {
        let Some(frame) = self.frames[slot as usize].take() else {
            return Ok(None);
        };
        // Value and availability of each.
        let mut words = [[0_u64; 2]; QUERIES_PER_SLOT as usize];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        let first = slot * QUERIES_PER_SLOT;
        // SAFETY: the queries were reset and written by the slot's last frame.
        match unsafe { device.get_query_pool_results(self.pool, first, &mut words, flags) } {
            Ok(()) | Err(vk::Result::NOT_READY) => {}
            Err(error) => return Err(error),
        }
        let [[start, start_known], [end, end_known]] = words;
        Ok((start_known != 0 && end_known != 0).then(|| DeviceTime {
            frame,
            nanoseconds: self.clock.nanoseconds(start, end),
        }))
    }

    /// # Safety
    ///
    /// `device` must be the live device of `new`; `cmd` must be recording outside a render pass, on the queue that the
    /// valid bits are of; nothing pending may use the slot.
    pub(crate) unsafe fn begin(
        &mut self,
        device: &ash::Device,
        khr: Option<&khr::synchronization2::Device>,
        cmd: vk::CommandBuffer,
        slot: u32,
    ) {
        let first = slot * QUERIES_PER_SLOT;
        // SAFETY: the caller vouches for the command buffer and the slot.
        unsafe { device.cmd_reset_query_pool(cmd, self.pool, first, QUERIES_PER_SLOT) };
        // SAFETY: the same.
        unsafe { self.write(device, khr, cmd, first) };
    }

    /// # Safety
    ///
    /// As for [`begin`](Self::begin), which must have been called for the frame.
    pub(crate) unsafe fn end(
        &mut self,
        device: &ash::Device,
        khr: Option<&khr::synchronization2::Device>,
        cmd: vk::CommandBuffer,
        slot: u32,
        frame: u64,
    ) {
        // SAFETY: handed on.
        unsafe { self.write(device, khr, cmd, slot * QUERIES_PER_SLOT + 1) };
        self.frames[slot as usize] = Some(frame);
    }

    /// Behind everything before it, at both ends: a start that waits for less could lie behind its end.
    ///
    /// # Safety
    ///
    /// As for [`begin`](Self::begin).
    unsafe fn write(
        &self,
        device: &ash::Device,
        khr: Option<&khr::synchronization2::Device>,
        cmd: vk::CommandBuffer,
        query: u32,
    ) {
        let stage = vk::PipelineStageFlags2::ALL_COMMANDS;
        match khr {
            // SAFETY: the query was reset by this frame.
            Some(functions) => unsafe { functions.cmd_write_timestamp2(cmd, stage, self.pool, query) },
            // SAFETY: the same.
            None => unsafe { device.cmd_write_timestamp2(cmd, stage, self.pool, query) },
        }
    }

    /// The slot's last frame will never run.
    pub(crate) fn discard(&mut self, slot: u32) {
        self.frames[slot as usize] = None;
    }

    /// # Safety
    ///
    /// The device must be done with every frame, and this must not be called twice.
    pub(crate) unsafe fn destroy(&mut self, device: &ash::Device) {
        // SAFETY: the caller vouches that the device is done.
        unsafe { device.destroy_query_pool(self.pool, None) };
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn a_counter_that_wraps_between_start_and_end_still_gives_the_time() {
        for valid_bits in [36, 48, 63, 64] {
            let clock = Clock {
                nanoseconds_per_tick: 2.5,
                valid_bits,
            };
            let last = u64::MAX >> (64 - valid_bits);
            assert_eq!(clock.nanoseconds(100, 140), 100);
            assert_eq!(clock.nanoseconds(last - 9, 30), 100, "{valid_bits} bits");
            // Bits past the valid ones mean nothing.
            if valid_bits < 64 {
                assert_eq!(clock.nanoseconds((1 << valid_bits) + 100, 140), 100);
            }
        }
    }
}
