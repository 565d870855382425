//! Frames recorded and submitted one by one, for what `Rig` does right by itself: slots that come too early, and
//! submits that wait for the host.

use ash::vk;
use morph_render::HeadlessDevice;
use morph_validation::Rig;
use morph_vk::FrameStats;

/// No test waits for this value or a later one.
const LAST_VALUE: u64 = 1000;

/// Command buffers of its own, and a timeline that the host signals.
pub(crate) struct ByHand {
    device: HeadlessDevice,
    pool: vk::CommandPool,
    timeline: vk::Semaphore,
}

impl ByHand {
    /// The device must have timeline semaphores on.
    pub(crate) fn new(device: &HeadlessDevice) -> ByHand {
        let functions = device.device();
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.queue_family());
        // SAFETY: the device is alive.
        let pool = unsafe { functions.create_command_pool(&info, None) }.unwrap();
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: as above.
        let timeline = unsafe { functions.create_semaphore(&info, None) }.unwrap();
        ByHand {
            device: device.clone(),
            pool,
            timeline,
        }
    }

    /// Records a frame with a slot, whatever the device is doing with it.
    pub(crate) fn record(&self, rig: &mut Rig, slot: u32) -> (vk::CommandBuffer, FrameStats) {
        let functions = self.device.device();
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .command_buffer_count(1);
        // SAFETY: the pool is alive.
        let commands = unsafe { functions.allocate_command_buffers(&info) }.unwrap()[0];
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is fresh.
        unsafe { functions.begin_command_buffer(commands, &info) }.unwrap();
        // SAFETY: the command buffer is recording; a slot that comes too early is what the pass is to find.
        let stats = unsafe { rig.pass_mut().record(commands, slot) };
        // SAFETY: as above.
        unsafe { functions.end_command_buffer(commands) }.unwrap();
        (commands, stats)
    }

    /// Submits; with a value it runs only once the timeline has it.
    pub(crate) fn submit(&self, commands: vk::CommandBuffer, wait_for: Option<u64>) {
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(commands)];
        let waits: Vec<_> = wait_for
            .map(|value| {
                vk::SemaphoreSubmitInfo::default()
                    .semaphore(self.timeline)
                    .value(value)
                    .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            })
            .into_iter()
            .collect();
        let submit = [vk::SubmitInfo2::default()
            .command_buffer_infos(&buffers)
            .wait_semaphore_infos(&waits)];
        let queue = self.device.queue();
        // SAFETY: the command buffer is complete, and this thread alone submits.
        unsafe {
            self.device
                .device()
                .queue_submit2(queue, &submit, vk::Fence::null())
        }
        .unwrap();
    }

    /// Lets what waits for this value run, and waits until all is done.
    pub(crate) fn release(&self, value: u64) {
        let info = vk::SemaphoreSignalInfo::default()
            .semaphore(self.timeline)
            .value(value);
        // SAFETY: the semaphore is a timeline that is behind this value.
        unsafe { self.device.device().signal_semaphore(&info) }.unwrap();
        self.device.wait_idle().unwrap();
    }
}

impl Drop for ByHand {
    fn drop(&mut self) {
        // A test that failed may have left a submit that waits: nothing would ever be idle.
        let info = vk::SemaphoreSignalInfo::default()
            .semaphore(self.timeline)
            .value(LAST_VALUE);
        // SAFETY: the semaphore is a timeline that is behind this value.
        let _ = unsafe { self.device.device().signal_semaphore(&info) };
        // A lost device is idle too.
        let _ = self.device.wait_idle();
        let functions = self.device.device();
        // SAFETY: the device is idle.
        unsafe { functions.destroy_command_pool(self.pool, None) };
        // SAFETY: as above.
        unsafe { functions.destroy_semaphore(self.timeline, None) };
    }
}
