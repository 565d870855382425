//! Where the pass's few buffers get their memory: three or four allocations, made once.

use std::fmt::Debug;
use std::ptr::NonNull;

use ash::vk;

use crate::error::MorphError;

/// Where memory lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryLocation {
    /// On the device.
    DeviceLocal,
    /// Mapped, host coherent, written by the host and read by the device.
    HostToDevice,
}

impl MemoryLocation {
    /// What errors call it.
    pub const fn name(self) -> &'static str {
        match self {
            MemoryLocation::DeviceLocal => "device-local",
            MemoryLocation::HostToDevice => "host-visible",
        }
    }
}

/// What a buffer asks for.
#[derive(Debug, Clone, Copy)]
pub struct MemoryRequest {
    /// For names and errors.
    pub name: &'static str,
    /// As `vkGetBufferMemoryRequirements` says.
    pub requirements: vk::MemoryRequirements,
    /// Where it should lie.
    pub location: MemoryLocation,
    /// Whether the buffer's address will be asked for: the memory must be allocated with
    /// `VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT` then.
    pub device_address: bool,
}

/// A piece of device memory.
#[derive(Debug, Clone, Copy)]
pub struct MemoryBlock {
    /// The memory object.
    pub memory: vk::DeviceMemory,
    /// First byte within it.
    pub offset: u64,
    /// Where the block's first byte is mapped; always there for [`MemoryLocation::HostToDevice`].
    pub mapped: Option<NonNull<u8>>,
    /// The provider's own number for the block.
    pub token: u64,
}

// SAFETY: the mapping is an address that any thread may write through; whoever owns the block decides which one does.
unsafe impl Send for MemoryBlock {}
// SAFETY: nothing is read or written through a shared block.
unsafe impl Sync for MemoryBlock {}

/// Gives and takes back device memory.
///
/// # Safety
///
/// A block that `allocate` returns must lie in memory of a type that the request allows, must be aligned and as large
/// as it asks, must belong to nobody else until it is freed, and its mapping, where there is one, must stay valid for
/// as long and be host coherent.
pub unsafe trait MemoryProvider: Debug + Send + Sync {
    /// Allocates.
    ///
    /// # Safety
    ///
    /// `device` must be the live device that the provider was made for.
    unsafe fn allocate(
        &mut self,
        device: &ash::Device,
        request: &MemoryRequest,
    ) -> Result<MemoryBlock, MorphError>;

    /// Frees.
    ///
    /// # Safety
    ///
    /// `block` must come from this provider's `allocate` on the same device, must not have been freed, and the device
    /// must be done with everything bound to it.
    unsafe fn free(&mut self, device: &ash::Device, block: MemoryBlock);
}

/// Memory straight from Vulkan, one `vkAllocateMemory` a buffer: the pass has three, four with bounds on the device.
#[derive(Debug, Clone)]
pub struct RawMemory {
    properties: vk::PhysicalDeviceMemoryProperties,
}

impl RawMemory {
    /// `properties`: as `vkGetPhysicalDeviceMemoryProperties` says of the device's physical device.
    pub fn new(properties: vk::PhysicalDeviceMemoryProperties) -> RawMemory {
        RawMemory { properties }
    }

    fn find_type(&self, bits: u32, flags: vk::MemoryPropertyFlags) -> Option<u32> {
        self.properties
            .memory_types_as_slice()
            .iter()
            .enumerate()
            .find(|(index, it)| bits & (1 << index) != 0 && it.property_flags.contains(flags))
            .map(|(index, _)| index as u32)
    }
}

// SAFETY: every block is a memory object of its own, of a type out of the request's bits, at offset zero and of the
// size asked for; host-visible blocks are of a coherent type and stay mapped until they are freed.
unsafe impl MemoryProvider for RawMemory {
    unsafe fn allocate(
        &mut self,
        device: &ash::Device,
        request: &MemoryRequest,
    ) -> Result<MemoryBlock, MorphError> {
        let fail = |reason: String| MorphError::Memory {
            what: request.name,
            location: request.location.name(),
            size_bytes: request.requirements.size,
            reason,
        };
        let flags = match request.location {
            MemoryLocation::DeviceLocal => vk::MemoryPropertyFlags::DEVICE_LOCAL,
            MemoryLocation::HostToDevice => {
                vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT
            }
        };
        let bits = request.requirements.memory_type_bits;
        let memory_type = self
            .find_type(bits, flags)
            .ok_or_else(|| fail("the device has no such memory type".to_owned()))?;
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(request.requirements.size)
            .memory_type_index(memory_type);
        let mut address =
            vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let info = if request.device_address {
            info.push_next(&mut address)
        } else {
            info
        };
        // SAFETY: the caller vouches for the device; the type index comes from its own table.
        let memory = unsafe { device.allocate_memory(&info, None) }
            .map_err(|result| fail(format!("vkAllocateMemory: {result}")))?;
        let mapped = if request.location == MemoryLocation::HostToDevice {
            // SAFETY: the memory was allocated just now, is host visible and not mapped.
            let mapping =
                unsafe { device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) };
            match mapping {
                Ok(pointer) => NonNull::new(pointer.cast::<u8>()),
                Err(result) => {
                    // SAFETY: nothing was bound to the memory yet.
                    unsafe { device.free_memory(memory, None) };
                    return Err(fail(format!("vkMapMemory: {result}")));
                }
            }
        } else {
            None
        };
        Ok(MemoryBlock {
            memory,
            offset: 0,
            mapped,
            token: 0,
        })
    }

    unsafe fn free(&mut self, device: &ash::Device, block: MemoryBlock) {
        // SAFETY: the caller vouches that the block is ours and unused; freeing unmaps.
        unsafe { device.free_memory(block.memory, None) };
    }
}
