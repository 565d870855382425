//! The one fixed device-local buffer with everything that draws read: it refuses what does not fit and never moves
//! what it handed out.

use ash::vk;

use crate::buffer::{Buffer, BufferDesc};
use crate::debug::DebugNames;
use crate::error::MorphError;
use crate::memory::{MemoryLocation, MemoryProvider};
use crate::range_allocator::{Range, RangeAllocator};
use crate::vertex_space::{VertexSpace, VertexStream};

/// The fixed device-local buffer of a pass: rest poses, deltas and the ranges of the instances.
#[derive(Debug)]
pub struct GeometryBuffer {
    buffer: Buffer,
    space: VertexSpace,
    /// Bytes of rest poses and deltas, and of vertices in one stream.
    shared: RangeAllocator,
    /// Vertices of the parts that several streams have.
    vertices: RangeAllocator,
}

/// Vertices side by side, the same ones in every stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VertexBlock {
    pub(crate) first_vertex: u64,
    pub(crate) vertex_count: u64,
}

impl GeometryBuffer {
    /// # Safety
    ///
    /// `device` must be live and the one that `memory` was made for.
    pub(crate) unsafe fn new(
        device: &ash::Device,
        memory: &mut dyn MemoryProvider,
        names: &DebugNames,
        space: VertexSpace,
        extra_usage: vk::BufferUsageFlags,
        queue_families: &[u32],
    ) -> Result<GeometryBuffer, MorphError> {
        let desc = BufferDesc {
            name: "morph geometry",
            size_bytes: space.geometry_bytes,
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
        Ok(GeometryBuffer::with_buffer(buffer, space))
    }

    /// Without a device, for tests of what lies above.
    #[cfg(test)]
    pub(crate) fn without_device(space: VertexSpace) -> GeometryBuffer {
        GeometryBuffer::with_buffer(Buffer::null(), space)
    }

    fn with_buffer(buffer: Buffer, space: VertexSpace) -> GeometryBuffer {
        GeometryBuffer {
            buffer,
            space,
            shared: RangeAllocator::new(space.shared_bytes),
            vertices: RangeAllocator::new(space.vertex_count),
        }
    }

    /// The buffer, to bind as vertex buffer. All ranges lie in it.
    pub fn buffer(&self) -> vk::Buffer {
        self.buffer.handle
    }

    /// The streams of vertices: where to bind each. A range has the same vertices in all of them.
    pub fn streams(&self) -> &[VertexStream] {
        self.space.streams()
    }

    /// How it is divided.
    pub(crate) fn space(&self) -> &VertexSpace {
        &self.space
    }

    /// Its size in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.space.geometry_bytes
    }

    /// Bytes handed out to nobody.
    pub fn free_bytes(&self) -> u64 {
        self.shared.free_bytes() + self.vertices.free_bytes() * self.space.vertex_bytes()
    }

    /// The largest range that could be handed out, alignment aside.
    pub fn largest_hole_bytes(&self) -> u64 {
        let vertices = self.vertices.largest_hole_bytes() * self.space.vertex_bytes();
        self.shared.largest_hole_bytes().max(vertices)
    }

    /// The largest rest pose or deltas that could be held, alignment aside.
    pub(crate) fn largest_shared_hole_bytes(&self) -> u64 {
        self.shared.largest_hole_bytes()
    }

    /// Room for rest poses and deltas.
    pub(crate) fn allocate(
        &mut self,
        what: &'static str,
        size_bytes: u64,
        alignment: u64,
    ) -> Result<Range, MorphError> {
        self.shared
            .allocate(size_bytes, alignment)
            .ok_or(MorphError::OutOfSpace {
                what,
                asked_bytes: size_bytes,
                alignment_bytes: alignment,
                free_bytes: self.shared.free_bytes(),
                largest_hole_bytes: self.shared.largest_hole_bytes(),
            })
    }

    pub(crate) fn release(&mut self, range: Range) {
        self.shared.release(range);
    }

    /// Room for vertices in every stream, at a multiple of the division's alignment.
    pub(crate) fn allocate_vertices(
        &mut self,
        what: &'static str,
        vertex_count: u64,
    ) -> Result<VertexBlock, MorphError> {
        let vertex_bytes = self.space.vertex_bytes();
        let asked_bytes = vertex_count.saturating_mul(vertex_bytes);
        let alignment_bytes = self.space.vertex_alignment * vertex_bytes;
        let first_vertex = if self.space.is_divided() {
            let range = self.vertices.allocate(vertex_count, self.space.vertex_alignment);
            range
                .ok_or(MorphError::OutOfSpace {
                    what,
                    asked_bytes,
                    alignment_bytes,
                    free_bytes: self.vertices.free_bytes() * vertex_bytes,
                    largest_hole_bytes: self.vertices.largest_hole_bytes() * vertex_bytes,
                })?
                .offset
        } else {
            self.allocate(what, asked_bytes, alignment_bytes)?.offset / vertex_bytes
        };
        Ok(VertexBlock {
            first_vertex,
            vertex_count,
        })
    }

    pub(crate) fn release_vertices(&mut self, block: VertexBlock) {
        let unit = if self.space.is_divided() {
            1
        } else {
            self.space.vertex_bytes()
        };
        let range = Range {
            offset: block.first_vertex * unit,
            size_bytes: block.vertex_count * unit,
        };
        if self.space.is_divided() {
            self.vertices.release(range);
        } else {
            self.shared.release(range);
        }
    }

    /// # Safety
    ///
    /// As for [`Buffer::destroy`].
    pub(crate) unsafe fn destroy(&mut self, device: &ash::Device, memory: &mut dyn MemoryProvider) {
        // SAFETY: handed on.
        unsafe { self.buffer.destroy(device, memory) };
    }
}
