//! A buffer with its memory.

use std::ptr::NonNull;

use ash::vk;

use crate::debug::DebugNames;
use crate::error::MorphError;
use crate::memory::{MemoryBlock, MemoryLocation, MemoryProvider, MemoryRequest};
use crate::queues::share;

#[derive(Debug, Clone, Copy)]
pub(crate) struct BufferDesc<'a> {
    pub(crate) name: &'static str,
    pub(crate) size_bytes: u64,
    pub(crate) usage: vk::BufferUsageFlags,
    pub(crate) location: MemoryLocation,
    /// As [`MorphPassDesc::queue_families`](crate::MorphPassDesc::queue_families).
    pub(crate) queue_families: &'a [u32],
}

#[derive(Debug)]
pub(crate) struct Buffer {
    pub(crate) handle: vk::Buffer,
    block: MemoryBlock,
}

impl Buffer {
    /// # Safety
    ///
    /// `device` must be live and the one that `memory` was made for.
    pub(crate) unsafe fn new(
        device: &ash::Device,
        memory: &mut dyn MemoryProvider,
        names: &DebugNames,
        desc: &BufferDesc<'_>,
    ) -> Result<Buffer, MorphError> {
        let info = vk::BufferCreateInfo::default()
            .size(desc.size_bytes)
            .usage(desc.usage);
        let info = share(info, desc.queue_families);
        // SAFETY: the device is live; size and usage are not zero.
        let handle =
            unsafe { device.create_buffer(&info, None) }.map_err(MorphError::vulkan("vkCreateBuffer"))?;
        // SAFETY: the buffer was made by this device just now.
        let requirements = unsafe { device.get_buffer_memory_requirements(handle) };
        let request = MemoryRequest {
            name: desc.name,
            requirements,
            location: desc.location,
            device_address: desc.usage.contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS),
        };
        // SAFETY: handed on.
        let block = match unsafe { memory.allocate(device, &request) } {
            Ok(block) => block,
            Err(error) => {
                // SAFETY: nothing uses the buffer yet.
                unsafe { device.destroy_buffer(handle, None) };
                return Err(error);
            }
        };
        // SAFETY: the provider promises memory that fits the requirements; the buffer has none yet.
        if let Err(result) = unsafe { device.bind_buffer_memory(handle, block.memory, block.offset) } {
            let mut buffer = Buffer { handle, block };
            // SAFETY: nothing uses the buffer yet.
            unsafe { buffer.destroy(device, memory) };
            return Err(MorphError::Vulkan {
                call: "vkBindBufferMemory",
                result,
            });
        }
        names.name(handle, desc.name);
        Ok(Buffer { handle, block })
    }

    #[cfg(test)]
    pub(crate) fn null() -> Buffer {
        let block = MemoryBlock {
            memory: vk::DeviceMemory::null(),
            offset: 0,
            mapped: None,
            token: 0,
        };
        Buffer {
            handle: vk::Buffer::null(),
            block,
        }
    }

    pub(crate) fn mapped(&self) -> Option<NonNull<u8>> {
        self.block.mapped
    }

    /// # Safety
    ///
    /// The device must be done with the buffer, `memory` must be the provider that it came from, and it must not be
    /// destroyed twice.
    pub(crate) unsafe fn destroy(&mut self, device: &ash::Device, memory: &mut dyn MemoryProvider) {
        // SAFETY: the caller vouches that the device is done with the buffer.
        unsafe { device.destroy_buffer(self.handle, None) };
        // SAFETY: the block is this buffer's own, and the buffer is gone.
        unsafe { memory.free(device, self.block) };
    }
}
