//! How long the device takes, by its own clock.

use std::time::Duration;

use ash::vk;
use morph_render::HeadlessDevice;

/// Two timestamps around some commands; does nothing on a device whose queue has no clock.
#[derive(Debug)]
pub struct Timer {
    device: HeadlessDevice,
    /// The pool, and the bits of a timestamp that count.
    pool: Option<(vk::QueryPool, u32)>,
}

impl Timer {
    /// Makes a timer where the device has a clock.
    pub fn new(device: &HeadlessDevice) -> anyhow::Result<Self> {
        // SAFETY: the physical device belongs to the instance.
        let families = unsafe {
            device
                .instance()
                .get_physical_device_queue_family_properties(device.physical_device())
        };
        let bits = families
            .get(device.queue_family() as usize)
            .map_or(0, |family| family.timestamp_valid_bits);
        let mut timer = Self {
            device: device.clone(),
            pool: None,
        };
        if bits > 0 && device.limits().timestamp_period > 0.0 {
            let info = vk::QueryPoolCreateInfo::default()
                .query_type(vk::QueryType::TIMESTAMP)
                .query_count(2);
            // SAFETY: the device is alive.
            let pool = unsafe { device.device().create_query_pool(&info, None) }?;
            timer.pool = Some((pool, bits));
        }
        Ok(timer)
    }

    /// Records commands between two timestamps; the command buffer is recording, outside of a rendering.
    pub fn around<R>(&self, commands: vk::CommandBuffer, record: impl FnOnce() -> R) -> R {
        let Some((pool, _)) = self.pool else {
            return record();
        };
        let device = self.device.device();
        // SAFETY: the caller's command buffer is recording; frames are waited for, so the queries are in no use.
        unsafe { device.cmd_reset_query_pool(commands, pool, 0, 2) };
        // SAFETY: as above; the query was reset just now.
        unsafe { device.cmd_write_timestamp(commands, vk::PipelineStageFlags::TOP_OF_PIPE, pool, 0) };
        let result = record();
        // SAFETY: as above.
        unsafe { device.cmd_write_timestamp(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, pool, 1) };
        result
    }

    /// The time between the timestamps last recorded, once their submit was waited for.
    pub fn read(&self) -> anyhow::Result<Option<Duration>> {
        let Some((pool, bits)) = self.pool else {
            return Ok(None);
        };
        let mut ticks = [0_u64; 2];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: both queries were written by commands that have run.
        unsafe {
            self.device
                .device()
                .get_query_pool_results(pool, 0, &mut ticks, flags)
        }?;
        // Only so many bits count; the clock may have come around between the two.
        let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let elapsed = ticks[1].wrapping_sub(ticks[0]) & mask;
        let nanoseconds = elapsed as f64 * f64::from(self.device.limits().timestamp_period);
        Ok(Some(Duration::from_secs_f64(nanoseconds * 1.0e-9)))
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if let Some((pool, _)) = self.pool.take() {
            // SAFETY: every frame was waited for.
            unsafe { self.device.device().destroy_query_pool(pool, None) };
        }
    }
}
