//! Memory out of the engine's own `gpu-allocator`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gpu_allocator::MemoryLocation as AllocatorLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme, Allocator};

use crate::error::MorphError;
use crate::memory::{MemoryBlock, MemoryLocation, MemoryProvider, MemoryRequest};

/// Takes the pass's memory from an allocator that the engine shares with it.
#[derive(Debug)]
pub struct GpuAllocatorMemory {
    allocator: Arc<Mutex<Allocator>>,
    allocations: HashMap<u64, Allocation>,
    next_token: u64,
}

impl GpuAllocatorMemory {
    /// The allocator must have been made for the device that the pass is created on, with `buffer_device_address` where
    /// the pass's buffers are to have addresses.
    pub fn new(allocator: Arc<Mutex<Allocator>>) -> GpuAllocatorMemory {
        GpuAllocatorMemory {
            allocator,
            allocations: HashMap::new(),
            next_token: 0,
        }
    }
}

// SAFETY: gpu-allocator hands out blocks that fit the requirements and belong to nobody else, and maps
// `CpuToGpu` memory, which it takes from host-coherent types only, for as long as the block lives.
unsafe impl MemoryProvider for GpuAllocatorMemory {
    unsafe fn allocate(
        &mut self,
        _device: &ash::Device,
        request: &MemoryRequest,
    ) -> Result<MemoryBlock, MorphError> {
        let desc = AllocationCreateDesc {
            name: request.name,
            requirements: request.requirements,
            location: match request.location {
                MemoryLocation::DeviceLocal => AllocatorLocation::GpuOnly,
                MemoryLocation::HostToDevice => AllocatorLocation::CpuToGpu,
            },
            linear: true,
            allocation_scheme: AllocationScheme::GpuAllocatorManaged,
        };
        // A panic elsewhere under the lock leaves the allocator itself whole.
        let mut allocator = self.allocator.lock().unwrap_or_else(PoisonError::into_inner);
        let allocation = allocator.allocate(&desc).map_err(|error| MorphError::Memory {
            what: request.name,
            location: request.location.name(),
            size_bytes: request.requirements.size,
            reason: error.to_string(),
        })?;
        // SAFETY: the handle is only used to bind buffers, and only until the block is freed.
        let memory = unsafe { allocation.memory() };
        let block = MemoryBlock {
            memory,
            offset: allocation.offset(),
            mapped: allocation.mapped_ptr().map(std::ptr::NonNull::cast),
            token: self.next_token,
        };
        self.allocations.insert(self.next_token, allocation);
        self.next_token += 1;
        Ok(block)
    }

    unsafe fn free(&mut self, _device: &ash::Device, block: MemoryBlock) {
        let Some(allocation) = self.allocations.remove(&block.token) else {
            tracing::error!(
                token = block.token,
                "a block was freed that this provider does not know"
            );
            return;
        };
        let mut allocator = self.allocator.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = allocator.free(allocation) {
            tracing::error!(%error, "gpu-allocator did not take a block back");
        }
    }
}
