//! A Vulkan device in the process, without a driver and without a loader.
//!
//! Every function that the pre-pass calls is one of this crate's: it hands out handles, maps plain memory, counts, and
//! succeeds. Nothing runs. What is left when the pass records on it is the pass's own time on the CPU, which is what
//! its benchmark measures, and its own allocations, which its tests count.
//!
//! A function that is not here panics by its name as soon as it is called.

mod functions;
mod state;

use std::sync::Arc;

use ash::vk;
use ash::vk::Handle;

use state::{CommandCounters, State};

pub use state::{CommandCounts, LiveCounts};

/// The device.
pub struct MockDevice {
    device: ash::Device,
    state: Arc<State>,
}

impl std::fmt::Debug for MockDevice {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("MockDevice")
            .field("live", &self.live())
            .finish_non_exhaustive()
    }
}

impl Default for MockDevice {
    fn default() -> Self {
        Self::new()
    }
}

impl MockDevice {
    /// A device on which nothing was made yet.
    pub fn new() -> MockDevice {
        let state = Arc::new(State::default());
        let handle = vk::Device::from_raw(Arc::as_ptr(&state) as u64);
        // SAFETY: every pointer that `address` returns is a function with the signature of that name, and none of
        // them uses the device's handle as anything but the address of `state`, which lives as long as this device.
        let device = unsafe { ash::Device::load_with(functions::address, handle) };
        MockDevice { device, state }
    }

    /// The functions, for whoever wants an `ash::Device`. It must not be used once this value is gone.
    pub fn device(&self) -> &ash::Device {
        &self.device
    }

    /// Two types of memory: one on the device, one that is mapped and coherent.
    pub fn memory_properties(&self) -> vk::PhysicalDeviceMemoryProperties {
        let mut properties = vk::PhysicalDeviceMemoryProperties {
            memory_type_count: 2,
            memory_heap_count: 1,
            ..Default::default()
        };
        properties.memory_types[0].property_flags = vk::MemoryPropertyFlags::DEVICE_LOCAL;
        properties.memory_types[1].property_flags =
            vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        properties.memory_heaps[0].size = u64::MAX;
        properties
    }

    /// Limits of a usual GPU: 2 GiB bound at once, 65,535 groups in a direction.
    pub fn limits(&self) -> vk::PhysicalDeviceLimits {
        vk::PhysicalDeviceLimits {
            max_storage_buffer_range: 1 << 31,
            min_storage_buffer_offset_alignment: 16,
            max_per_stage_descriptor_storage_buffers: 1 << 20,
            max_compute_work_group_count: [65_535; 3],
            timestamp_period: 1.0,
            ..Default::default()
        }
    }

    /// What was made on the device and not destroyed.
    pub fn live(&self) -> LiveCounts {
        self.state.live()
    }

    /// Descriptors written so far.
    pub fn written_descriptor_count(&self) -> u64 {
        self.state.written_descriptor_count()
    }

    /// Flags and families of the buffers made so far, in the order in which they were made.
    pub fn buffers(&self) -> Vec<BufferFacts> {
        self.state.buffers()
    }
}

/// How a buffer was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferFacts {
    /// Size in bytes.
    pub size_bytes: u64,
    /// What it may be used for.
    pub usage: vk::BufferUsageFlags,
    /// Whether queues of several families may use it without handing it over.
    pub sharing_mode: vk::SharingMode,
    /// These families; empty where it is exclusive.
    pub queue_families: Vec<u32>,
}

/// A command buffer that is always recording and keeps nothing but counts.
#[derive(Debug)]
pub struct MockCommands {
    counters: Box<CommandCounters>,
}

impl Default for MockCommands {
    fn default() -> Self {
        Self::new()
    }
}

impl MockCommands {
    /// An empty one.
    pub fn new() -> MockCommands {
        MockCommands {
            counters: Box::default(),
        }
    }

    /// The handle to record into, good for as long as this value lives.
    pub fn handle(&self) -> vk::CommandBuffer {
        vk::CommandBuffer::from_raw(std::ptr::from_ref(&*self.counters) as u64)
    }

    /// What was recorded since the last call.
    pub fn take(&self) -> CommandCounts {
        self.counters.take()
    }

    /// The memory barriers recorded since the last call: source stages, source accesses, then those behind.
    pub fn take_barriers(&self) -> Vec<vk::MemoryBarrier2<'static>> {
        self.counters.take_barriers()
    }
}
