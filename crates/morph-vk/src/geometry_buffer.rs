//! The one fixed device-local buffer with everything that draws read: it refuses what does not fit and never moves
//! what it handed out.

use ash::vk;

use crate::buffer::{Buffer, BufferDesc};
use crate::debug::DebugNames;
use crate::error::MorphError;
use crate::memory::{MemoryLocation, MemoryProvider};
use crate::range_allocator::{Range, RangeAllocator};

/// The fixed device-local buffer of a pass: rest poses, deltas and the ranges of the instances.
#[derive(Debug)]
pub struct GeometryBuffer {
    buffer: Buffer,
    ranges: RangeAllocator,
    size_bytes: u64,
}

impl GeometryBuffer {
    /// # Safety
    ///
    /// `device` must be live and the one that `memory` was made for.
    pub(crate) unsafe fn new(
        device: &ash::Device,
        memory: &mut dyn MemoryProvider,
        names: &DebugNames,
        size_bytes: u64,
        extra_usage: vk::BufferUsageFlags,
        queue_families: &[u32],
    ) -> Result<GeometryBuffer, MorphError> {
        let desc = BufferDesc {
            name: "morph geometry",
            size_bytes,
            usage: vk::BufferUsageFlags::VERTEX_BUFFER
                | vk::BufferUsageFlags::STORAGE_BUFFER
                | vk::BufferUsageFlags::TRANSFER_SRC
                | vk::BufferUsageFlags::TRANSFER_DST
                | extra_usage,
            location: MemoryLocation::DeviceLocal,
            queue_families,
        };
        // SAFETY: handed on.
        let buffer = unsafe { Buffer::new(device, memory, names, &desc) }?;
        Ok(GeometryBuffer {
            buffer,
            ranges: RangeAllocator::new(size_bytes),
            size_bytes,
        })
    }

    /// Without a device, for tests of what lies above.
    #[cfg(test)]
    pub(crate) fn without_device(size_bytes: u64) -> GeometryBuffer {
        GeometryBuffer {
            buffer: Buffer::null(),
            ranges: RangeAllocator::new(size_bytes),
            size_bytes,
        }
    }

    /// The buffer, to bind as vertex buffer. All ranges lie in it.
    pub fn buffer(&self) -> vk::Buffer {
        self.buffer.handle
    }

    /// Its size in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Bytes handed out to nobody.
    pub fn free_bytes(&self) -> u64 {
        self.ranges.free_bytes()
    }

    /// The largest range that could be handed out, alignment aside.
    pub fn largest_hole_bytes(&self) -> u64 {
        self.ranges.largest_hole_bytes()
    }

    pub(crate) fn allocate(
        &mut self,
        what: &'static str,
        size_bytes: u64,
        alignment: u64,
    ) -> Result<Range, MorphError> {
        self.ranges
            .allocate(size_bytes, alignment)
            .ok_or(MorphError::OutOfSpace {
                what,
                asked_bytes: size_bytes,
                alignment_bytes: alignment,
                free_bytes: self.free_bytes(),
                largest_hole_bytes: self.largest_hole_bytes(),
            })
    }

    pub(crate) fn release(&mut self, range: Range) {
        self.ranges.release(range);
    }

    /// # Safety
    ///
    /// As for [`Buffer::destroy`].
    pub(crate) unsafe fn destroy(&mut self, device: &ash::Device, memory: &mut dyn MemoryProvider) {
        // SAFETY: handed on.
        unsafe { self.buffer.destroy(device, memory) };
    }
}
