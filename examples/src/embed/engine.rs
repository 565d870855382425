//! What every Vulkan program has before it draws: instance, device, queue, command buffers, fences.
//!
//! Plain `ash`, headless, and nothing of it knows about morphs, but for [`Engine::facts`] and the names of the allocator.

use anyhow::{Context as _, bail, ensure};
use ash::vk;
use morph_vk::{DeviceFacts, MemoryBlock, MemoryLocation, MemoryProvider as _, MemoryRequest};

use super::memory::EngineMemory;

/// Frames that the engine lets the device be behind; each has a command buffer and a fence, and the pass keeps them
/// apart by this number, its frame slot.
pub(super) const FRAMES_IN_FLIGHT: usize = 2;

/// What every Vulkan program has: a device with a queue, and a command buffer and a fence for each frame in flight.
pub(super) struct Engine {
    pub(super) name: String,
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    pub(super) device: ash::Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
    commands: Vec<vk::CommandBuffer>,
    fences: [vk::Fence; FRAMES_IN_FLIGHT],
    /// Where the last frame's vertices are copied to, in memory that the host reads.
    readback: vk::Buffer,
    readback_block: Option<MemoryBlock>,
    /// Where all buffers of the program lie, the pass's among them.
    pub(super) memory: EngineMemory,
    /// The loader's library; it must outlive everything above.
    _entry: ash::Entry,
}

/// Room for the vertices that are copied out.
const READBACK_BYTES: u64 = 4096;

impl Engine {
    pub(super) fn new(driver: Option<&str>) -> anyhow::Result<Self> {
        // SAFETY: the system's Vulkan loader is a library made to be loaded this way.
        let entry = unsafe { ash::Entry::load() }.context(
            "the Vulkan loader could not be opened; on Debian or Ubuntu: apt-get install libvulkan1 \
             mesa-vulkan-drivers",
        )?;
        let application = vk::ApplicationInfo::default()
            .application_name(c"embed")
            .api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: what the structs point to lives until the call returns.
        let instance = unsafe { entry.create_instance(&info, None) }
            .context("no Vulkan driver; on Debian or Ubuntu: apt-get install mesa-vulkan-drivers")?;
        let device = choose(&instance, driver).and_then(|choice| {
            let device = make_device(&instance, &choice)?;
            Ok((choice, device))
        });
        let (choice, device) = match device {
            Ok(made) => made,
            Err(error) => {
                // SAFETY: nothing was made on the instance.
                unsafe { instance.destroy_instance(None) };
                return Err(error);
            }
        };
        // From here on `drop` cleans up: null handles are allowed there.
        let mut engine = Self {
            name: choice.name,
            physical: choice.device,
            // SAFETY: the device was made with one queue of this family.
            queue: unsafe { device.get_device_queue(choice.family, 0) },
            pool: vk::CommandPool::null(),
            commands: Vec::new(),
            fences: [vk::Fence::null(); FRAMES_IN_FLIGHT],
            readback: vk::Buffer::null(),
            readback_block: None,
            // SAFETY: the physical device belongs to the instance.
            memory: EngineMemory::new(&unsafe {
                instance.get_physical_device_memory_properties(choice.device)
            }),
            device,
            instance,
            _entry: entry,
        };
        engine.make_frames(choice.family)?;
        engine.make_readback()?;
        Ok(engine)
    }

    fn make_frames(&mut self, family: u32) -> anyhow::Result<()> {
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)
            .queue_family_index(family);
        // SAFETY: the device is live; so it is below.
        self.pool = unsafe { self.device.create_command_pool(&info, None) }?;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(FRAMES_IN_FLIGHT as u32);
        // SAFETY: the pool was just made.
        self.commands = unsafe { self.device.allocate_command_buffers(&info) }?;
        // Signaled, so that the first wait for each of them returns at once.
        let info = vk::FenceCreateInfo::default().flags(vk::FenceCreateFlags::SIGNALED);
        for fence in &mut self.fences {
            // SAFETY: the device is live.
            *fence = unsafe { self.device.create_fence(&info, None) }?;
        }
        Ok(())
    }

    fn make_readback(&mut self) -> anyhow::Result<()> {
        let info = vk::BufferCreateInfo::default()
            .size(READBACK_BYTES)
            .usage(vk::BufferUsageFlags::TRANSFER_DST);
        // SAFETY: the device is live; so it is below.
        self.readback = unsafe { self.device.create_buffer(&info, None) }?;
        // SAFETY: the buffer was just made.
        let requirements = unsafe { self.device.get_buffer_memory_requirements(self.readback) };
        let request = MemoryRequest {
            name: "readback",
            requirements,
            location: MemoryLocation::HostToDevice,
            device_address: false,
        };
        // SAFETY: the device is the one that the allocator was made for.
        let block = unsafe { self.memory.allocate(&self.device, &request) }?;
        self.readback_block = Some(block);
        // SAFETY: the block is as large as the buffer asks, and the buffer is unbound.
        unsafe {
            self.device
                .bind_buffer_memory(self.readback, block.memory, block.offset)
        }?;
        Ok(())
    }

    /// What the pass wants to know of the device.
    pub(super) fn facts(&self) -> DeviceFacts {
        let mut controls = vk::PhysicalDeviceFloatControlsProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut controls);
        // SAFETY: the physical device belongs to the instance.
        unsafe {
            self.instance
                .get_physical_device_properties2(self.physical, &mut properties);
        };
        DeviceFacts {
            limits: properties.properties.limits,
            // `make_device` enabled it.
            synchronization2: true,
            rounding_mode_rte_float32: controls.shader_rounding_mode_rte_float32 == vk::TRUE,
            // No device times are asked for.
            timestamp_valid_bits: 0,
        }
    }

    /// Waits until the slot's last frame is done and starts its command buffer anew.
    pub(super) fn begin_frame(&self, slot: usize) -> anyhow::Result<vk::CommandBuffer> {
        let (fence, commands) = (self.fences[slot], self.commands[slot]);
        // SAFETY: the fence is the engine's own; so are the handles below.
        unsafe { self.device.wait_for_fences(&[fence], true, u64::MAX) }?;
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the device is done with the command buffer, as the fence says; beginning resets it.
        unsafe { self.device.begin_command_buffer(commands, &begin) }?;
        Ok(commands)
    }

    /// Submits the slot's command buffer; its fence tells when it is done.
    pub(super) fn end_frame(&self, slot: usize) -> anyhow::Result<()> {
        let (fence, commands) = (self.fences[slot], self.commands[slot]);
        // SAFETY: the command buffer is recording.
        unsafe { self.device.end_command_buffer(commands) }?;
        // Reset only now: a frame given up between begin and end leaves the fence signaled, and nobody waits forever.
        // SAFETY: the fence was waited for and is in no submit.
        unsafe { self.device.reset_fences(&[fence]) }?;
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(commands)];
        let submit = [vk::SubmitInfo2::default().command_buffer_infos(&buffers)];
        // SAFETY: the command buffer is complete and the fence is unsignaled.
        unsafe { self.device.queue_submit2(self.queue, &submit, fence) }?;
        Ok(())
    }

    /// Gives up the slot's command buffer; its fence stays signaled, so nobody waits for it.
    pub(super) fn drop_frame(&self, slot: usize) -> anyhow::Result<()> {
        // SAFETY: the command buffer is recording and is not submitted.
        Ok(unsafe { self.device.end_command_buffer(self.commands[slot]) }?)
    }

    /// Copies a part of a buffer to where the host reads it once the frame is done.
    pub(super) fn copy_to_host(
        &self,
        commands: vk::CommandBuffer,
        source: vk::Buffer,
        region: vk::BufferCopy,
    ) -> anyhow::Result<()> {
        ensure!(
            region.dst_offset + region.size <= READBACK_BYTES,
            "{region:?} does not fit into {READBACK_BYTES} bytes"
        );
        // SAFETY: the command buffer is recording, the source holds the region, and the target has room for it.
        unsafe {
            self.device
                .cmd_copy_buffer(commands, source, self.readback, &[region]);
        };
        let to_host = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::COPY)
            .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::HOST)
            .dst_access_mask(vk::AccessFlags2::HOST_READ)];
        let barrier = vk::DependencyInfo::default().memory_barriers(&to_host);
        // SAFETY: the command buffer is recording.
        unsafe { self.device.cmd_pipeline_barrier2(commands, &barrier) };
        Ok(())
    }

    /// The first bytes of the buffer that the host reads, once the frame that copied them is done.
    pub(super) fn read_back(&self, length: usize) -> anyhow::Result<Vec<u8>> {
        ensure!(
            length as u64 <= READBACK_BYTES,
            "{length} bytes do not fit into {READBACK_BYTES}"
        );
        let start = self.readback_block.and_then(|block| block.mapped);
        let start = start.context("the buffer is not mapped")?;
        // SAFETY: the mapping holds at least so many bytes, the memory is coherent, and the copy is done.
        Ok(unsafe { std::slice::from_raw_parts(start.as_ptr(), length) }.to_vec())
    }

    pub(super) fn wait_idle(&self) {
        // A lost device is idle too.
        // SAFETY: no other thread uses the device.
        let _ = unsafe { self.device.device_wait_idle() };
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.wait_idle();
        for fence in self.fences {
            // SAFETY: the device is idle, here and below; null is allowed.
            unsafe { self.device.destroy_fence(fence, None) };
        }
        // SAFETY: as above; the command buffers go with their pool.
        unsafe { self.device.destroy_command_pool(self.pool, None) };
        // SAFETY: as above.
        unsafe { self.device.destroy_buffer(self.readback, None) };
        // SAFETY: the pass was destroyed and the buffer is gone.
        unsafe { self.memory.destroy(&self.device) };
        // SAFETY: everything made on the device is gone.
        unsafe { self.device.destroy_device(None) };
        // SAFETY: everything made on the instance is gone.
        unsafe { self.instance.destroy_instance(None) };
    }
}

/// A device that will do, and its queue family.
struct Choice {
    name: String,
    device: vk::PhysicalDevice,
    family: u32,
}

/// The first device with that name that has Vulkan 1.3, `synchronization2`, and a queue for graphics and compute.
fn choose(instance: &ash::Instance, driver: Option<&str>) -> anyhow::Result<Choice> {
    // SAFETY: the instance is live; so it is below.
    let devices = unsafe { instance.enumerate_physical_devices() }?;
    let mut seen = Vec::new();
    for device in devices {
        // SAFETY: the physical device belongs to the instance.
        let properties = unsafe { instance.get_physical_device_properties(device) };
        let name = properties
            .device_name_as_c_str()
            .map_or_else(|_| String::new(), |name| name.to_string_lossy().into());
        seen.push(name.clone());
        let wanted = driver.is_none_or(|part| name.to_lowercase().contains(&part.to_lowercase()));
        if !wanted || properties.api_version < vk::API_VERSION_1_3 {
            continue;
        }
        let mut features13 = vk::PhysicalDeviceVulkan13Features::default();
        let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut features13);
        // SAFETY: as above; the device knows Vulkan 1.3.
        unsafe { instance.get_physical_device_features2(device, &mut features) };
        // SAFETY: as above.
        let families = unsafe { instance.get_physical_device_queue_family_properties(device) };
        let does_both = |family: &vk::QueueFamilyProperties| {
            family
                .queue_flags
                .contains(vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE)
        };
        if let Some(family) = families.iter().position(does_both)
            && features13.synchronization2 == vk::TRUE
        {
            return Ok(Choice {
                name,
                device,
                family: family as u32,
            });
        }
    }
    if seen.is_empty() {
        bail!("no Vulkan driver; on Debian or Ubuntu: apt-get install mesa-vulkan-drivers");
    }
    bail!(
        "no device will do (asked for {:?}, Vulkan 1.3 needed); here are: {}",
        driver.unwrap_or("any"),
        seen.join(", ")
    )
}

/// A device with one queue and the one feature that the pass needs.
fn make_device(instance: &ash::Instance, choice: &Choice) -> anyhow::Result<ash::Device> {
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(choice.family)
        .queue_priorities(&[1.0])];
    let mut features13 = vk::PhysicalDeviceVulkan13Features::default().synchronization2(true);
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .push_next(&mut features13);
    // SAFETY: the physical device belongs to the instance and has the feature and the queue family.
    Ok(unsafe { instance.create_device(choice.device, &info, None) }?)
}
