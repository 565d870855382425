//! Buffers and images with memory of their own.

use std::fmt;
use std::sync::Arc;

use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};

use crate::device::{Context, HeadlessDevice};
use crate::error::{DeviceError, Named};

/// Where the memory of a buffer lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryPlace {
    /// On the device; the host cannot reach it.
    Device,
    /// Written by the host, read by the device.
    Upload,
    /// Written by the device, read by the host.
    Readback,
}

/// What a buffer is to be.
#[derive(Debug, Clone, Copy)]
pub struct BufferDesc<'a> {
    /// The name that captures, messages and errors show.
    pub name: &'a str,
    /// Its size; at least one byte.
    pub size_bytes: u64,
    /// What it is used for.
    pub usage: vk::BufferUsageFlags,
    /// Where its memory lies.
    pub place: MemoryPlace,
}

/// A buffer with memory of its own.
///
/// Dropping it waits until the device is idle: in a headless program that costs nothing worth saving, and nobody has
/// to know when the last command that uses it has run.
pub struct Buffer {
    context: Arc<Context>,
    name: String,
    handle: vk::Buffer,
    size_bytes: u64,
    allocation: Option<Allocation>,
}

impl Buffer {
    /// Makes a buffer; its bytes are undefined.
    ///
    /// # Errors
    /// A size of zero, no memory, or a failed Vulkan call.
    pub fn new(device: &HeadlessDevice, desc: &BufferDesc<'_>) -> Result<Self, DeviceError> {
        Self::in_context(device.context(), desc)
    }

    pub(crate) fn in_context(context: &Arc<Context>, desc: &BufferDesc<'_>) -> Result<Self, DeviceError> {
        if desc.size_bytes == 0 {
            return Err(DeviceError::EmptyBuffer {
                name: desc.name.to_owned(),
            });
        }
        let info = vk::BufferCreateInfo::default()
            .size(desc.size_bytes)
            .usage(desc.usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: the device is alive.
        let handle = unsafe { context.device.0.create_buffer(&info, None) }.named("vkCreateBuffer")?;
        // From here on `Drop` cleans up after a failure.
        let mut buffer = Self {
            context: Arc::clone(context),
            name: desc.name.to_owned(),
            handle,
            size_bytes: desc.size_bytes,
            allocation: None,
        };
        // SAFETY: the buffer was just made.
        unsafe { context.name_object(handle, desc.name) };
        // SAFETY: as above.
        let requirements = unsafe { context.device.0.get_buffer_memory_requirements(handle) };
        let location = match desc.place {
            MemoryPlace::Device => MemoryLocation::GpuOnly,
            MemoryPlace::Upload => MemoryLocation::CpuToGpu,
            MemoryPlace::Readback => MemoryLocation::GpuToCpu,
        };
        let allocation = allocate(context, desc.name, requirements, location, true)?;
        // SAFETY: only the handle is taken; the memory stays the allocator's.
        let memory = unsafe { allocation.memory() };
        let offset = allocation.offset();
        buffer.allocation = Some(allocation);
        // SAFETY: the memory fits the requirements, and the buffer has none yet.
        unsafe { context.device.0.bind_buffer_memory(handle, memory, offset) }.named("vkBindBufferMemory")?;
        Ok(buffer)
    }

    /// The Vulkan buffer.
    pub fn handle(&self) -> vk::Buffer {
        self.handle
    }

    /// Its size as asked for.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Writes bytes from the host; the device sees them from the next submit on.
    ///
    /// # Errors
    /// A range past the end, or memory that the host cannot reach.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let range = self.range(offset, bytes.len() as u64)?;
        let mapped = self.allocation.as_mut().and_then(Allocation::mapped_slice_mut);
        match mapped.and_then(|mapped| mapped.get_mut(range)) {
            Some(target) => target.copy_from_slice(bytes),
            None => {
                return Err(DeviceError::NotMapped {
                    name: self.name.clone(),
                });
            }
        }
        Ok(())
    }

    /// All bytes as the host sees them; what the device writes is seen once its commands were waited for.
    ///
    /// # Errors
    /// Memory that the host cannot reach.
    pub fn bytes(&self) -> Result<&[u8], DeviceError> {
        let range = self.range(0, self.size_bytes)?;
        self.allocation
            .as_ref()
            .and_then(Allocation::mapped_slice)
            .and_then(|mapped| mapped.get(range))
            .ok_or_else(|| DeviceError::NotMapped {
                name: self.name.clone(),
            })
    }

    fn range(&self, offset: u64, length: u64) -> Result<std::ops::Range<usize>, DeviceError> {
        match offset.checked_add(length) {
            Some(end) if end <= self.size_bytes => Ok(offset as usize..end as usize),
            _ => Err(DeviceError::OutOfRange {
                name: self.name.clone(),
                offset,
                length,
                size_bytes: self.size_bytes,
            }),
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // A lost device is idle too.
        let _ = self.context.wait_idle();
        // SAFETY: the device is idle, and the handle is this value's own.
        unsafe { self.context.device.0.destroy_buffer(self.handle, None) };
        free(&self.context, self.allocation.take());
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer")
            .field("name", &self.name)
            .field("size_bytes", &self.size_bytes)
            .finish_non_exhaustive()
    }
}

/// An image of one level and one layer, with its view.
pub(crate) struct Image {
    context: Arc<Context>,
    pub(crate) handle: vk::Image,
    pub(crate) view: vk::ImageView,
    pub(crate) extent: vk::Extent2D,
    pub(crate) format: vk::Format,
    pub(crate) aspect: vk::ImageAspectFlags,
    allocation: Option<Allocation>,
}

impl Image {
    pub(crate) fn new(
        context: &Arc<Context>,
        name: &str,
        extent: vk::Extent2D,
        format: vk::Format,
        usage: vk::ImageUsageFlags,
    ) -> Result<Self, DeviceError> {
        let aspect = if usage.contains(vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT) {
            vk::ImageAspectFlags::DEPTH
        } else {
            vk::ImageAspectFlags::COLOR
        };
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(extent.into())
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        let device = &context.device.0;
        // SAFETY: the device is alive.
        let handle = unsafe { device.create_image(&info, None) }.named("vkCreateImage")?;
        // From here on `Drop` cleans up after a failure.
        let mut image = Self {
            context: Arc::clone(context),
            handle,
            view: vk::ImageView::null(),
            extent,
            format,
            aspect,
            allocation: None,
        };
        // SAFETY: the image was just made.
        unsafe { context.name_object(handle, name) };
        // SAFETY: as above.
        let requirements = unsafe { device.get_image_memory_requirements(handle) };
        let allocation = allocate(context, name, requirements, MemoryLocation::GpuOnly, false)?;
        // SAFETY: only the handle is taken; the memory stays the allocator's.
        let memory = unsafe { allocation.memory() };
        let offset = allocation.offset();
        image.allocation = Some(allocation);
        // SAFETY: the memory fits the requirements, and the image has none yet.
        unsafe { device.bind_image_memory(handle, memory, offset) }.named("vkBindImageMemory")?;
        let info = vk::ImageViewCreateInfo::default()
            .image(handle)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .subresource_range(image.whole());
        // SAFETY: the image has its memory.
        image.view = unsafe { device.create_image_view(&info, None) }.named("vkCreateImageView")?;
        // SAFETY: the view was just made.
        unsafe { context.name_object(image.view, name) };
        Ok(image)
    }

    /// The one level and layer.
    pub(crate) fn whole(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange::default()
            .aspect_mask(self.aspect)
            .level_count(1)
            .layer_count(1)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // A lost device is idle too.
        let _ = self.context.wait_idle();
        // SAFETY: the device is idle, and the handle is this value's own; null is allowed.
        unsafe { self.context.device.0.destroy_image_view(self.view, None) };
        // SAFETY: as above.
        unsafe { self.context.device.0.destroy_image(self.handle, None) };
        free(&self.context, self.allocation.take());
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Image")
            .field("format", &self.format)
            .field("extent", &self.extent)
            .finish_non_exhaustive()
    }
}

fn allocate(
    context: &Context,
    name: &str,
    requirements: vk::MemoryRequirements,
    location: MemoryLocation,
    linear: bool,
) -> Result<Allocation, DeviceError> {
    let desc = AllocationCreateDesc {
        name,
        requirements,
        location,
        linear,
        allocation_scheme: AllocationScheme::GpuAllocatorManaged,
    };
    context
        .allocator()
        .allocate(&desc)
        .map_err(|source| DeviceError::Memory {
            name: name.to_owned(),
            size_bytes: requirements.size,
            source,
        })
}

fn free(context: &Context, allocation: Option<Allocation>) {
    if let Some(allocation) = allocation {
        // The allocator only refuses an allocation that is not its own.
        let _ = context.allocator().free(allocation);
    }
}
