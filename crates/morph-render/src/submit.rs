//! Commands that are recorded, submitted and waited for in one go.

use ash::vk;

use crate::device::Context;
use crate::error::{DeviceError, Named};
use crate::recorder::Recorder;

/// Records commands, submits them and waits until they are done.
pub(crate) fn submit_once<R>(
    context: &Context,
    label: &str,
    record: impl FnOnce(vk::CommandBuffer) -> R,
) -> Result<R, DeviceError> {
    let once = Once::new(context)?;
    let device = &context.device.0;
    let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
    // SAFETY: the command buffer is fresh.
    unsafe { device.begin_command_buffer(once.commands, &begin) }.named("vkBeginCommandBuffer")?;
    // SAFETY: the command buffer is recording and stays alive for as long as the recorder.
    let recorder = unsafe { Recorder::new(context, once.commands) };
    recorder.begin_label(label);
    let result = record(once.commands);
    recorder.end_label();
    // SAFETY: the command buffer is still recording: `record` was told to leave it so.
    unsafe { device.end_command_buffer(once.commands) }.named("vkEndCommandBuffer")?;

    let commands = [vk::CommandBufferSubmitInfo::default().command_buffer(once.commands)];
    let submit = [vk::SubmitInfo2::default().command_buffer_infos(&commands)];
    {
        let _lock = context.lock_queue();
        match &context.functions.synchronization2 {
            // SAFETY: the command buffer is complete, the fence is unsignaled, and the queue is locked.
            None => unsafe { device.queue_submit2(context.queue, &submit, once.fence) },
            // SAFETY: as above, under the name that the extension gives the call.
            Some(functions) => unsafe { functions.queue_submit2(context.queue, &submit, once.fence) },
        }
        .named("vkQueueSubmit2")?;
    }
    // Without a limit: giving up would free objects that the device still uses.
    // SAFETY: the fence was handed to the submit above.
    unsafe { device.wait_for_fences(&[once.fence], true, u64::MAX) }.named("vkWaitForFences")?;
    Ok(result)
}

/// A command buffer and a fence that end with the submit.
struct Once<'a> {
    context: &'a Context,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
}

impl<'a> Once<'a> {
    fn new(context: &'a Context) -> Result<Self, DeviceError> {
        let device = &context.device.0;
        let mut once = Self {
            context,
            pool: vk::CommandPool::null(),
            commands: vk::CommandBuffer::null(),
            fence: vk::Fence::null(),
        };
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::TRANSIENT)
            .queue_family_index(context.queue_family);
        // SAFETY: the device is alive.
        once.pool = unsafe { device.create_command_pool(&info, None) }.named("vkCreateCommandPool")?;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(once.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: the pool was just made.
        let commands = unsafe { device.allocate_command_buffers(&info) }.named("vkAllocateCommandBuffers")?;
        once.commands = commands[0];
        // SAFETY: the device is alive.
        once.fence =
            unsafe { device.create_fence(&vk::FenceCreateInfo::default(), None) }.named("vkCreateFence")?;
        // SAFETY: the command buffer was just allocated.
        unsafe { context.name_object(once.commands, "submit once") };
        // SAFETY: the fence was just made.
        unsafe { context.name_object(once.fence, "submit once") };
        Ok(once)
    }
}

impl Drop for Once<'_> {
    fn drop(&mut self) {
        let device = &self.context.device.0;
        // SAFETY: the submit was waited for or never made; a null fence is allowed.
        unsafe { device.destroy_fence(self.fence, None) };
        // SAFETY: as above; the command buffer goes with its pool.
        unsafe { device.destroy_command_pool(self.pool, None) };
    }
}
