//! The engine's own allocator: one large piece of device memory for each type, cut into blocks.
//!
//! A real engine has its own, or a library's; what `morph-vk` asks of it is [`MemoryProvider`], two functions.
//! This one looks for the first gap that fits, and only for buffers: images would have to keep a distance from them.

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;
use morph_vk::{MemoryBlock, MemoryLocation, MemoryProvider, MemoryRequest, MorphError};

/// The size of a page, unless one buffer alone needs more.
const PAGE_BYTES: u64 = 8 << 20;

/// A handle to the allocator: the engine keeps one, the pass gets another.
#[derive(Debug, Clone)]
pub(super) struct EngineMemory(Arc<Mutex<Pages>>);

#[derive(Debug)]
struct Pages {
    properties: vk::PhysicalDeviceMemoryProperties,
    pages: Vec<Page>,
}

/// One piece of device memory; what the host can reach stays mapped.
#[derive(Debug)]
struct Page {
    memory: vk::DeviceMemory,
    type_index: u32,
    size_bytes: u64,
    mapped: Option<NonNull<u8>>,
    /// The bytes in use, in their order.
    blocks: Vec<Range<u64>>,
}

// SAFETY: the mapping is an address that any thread may hand on; nothing is read or written through a page.
unsafe impl Send for Page {}

impl EngineMemory {
    pub(super) fn new(properties: &vk::PhysicalDeviceMemoryProperties) -> Self {
        let properties = *properties;
        let pages = Vec::new();
        Self(Arc::new(Mutex::new(Pages { properties, pages })))
    }

    fn lock(&self) -> MutexGuard<'_, Pages> {
        // A panic between two steps of a lock leaves whole pages behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives every page back.
    ///
    /// # Safety
    /// Nothing bound to a block is alive.
    pub(super) unsafe fn destroy(&self, device: &ash::Device) {
        for page in self.lock().pages.drain(..) {
            // SAFETY: the caller vouches for it; freeing unmaps.
            unsafe { device.free_memory(page.memory, None) };
        }
    }
}

// SAFETY: a block lies in a page of a type that the request allows, in a gap between the others, and its mapping stays
// for as long as its page, which ends with the engine; host-visible types are taken only where they are coherent.
unsafe impl MemoryProvider for EngineMemory {
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
        let mut pages = self.lock();
        let type_index = pages
            .find_type(request)
            .ok_or_else(|| fail("no memory type has these properties".to_owned()))?;
        let page = pages
            .with_room(device, type_index, request)
            .map_err(|result| fail(result.to_string()))?;
        let (at, block) = page
            .gap(&request.requirements)
            .ok_or_else(|| fail("a fresh page is too small".to_owned()))?;
        let (memory, offset) = (page.memory, block.start);
        page.blocks.insert(at, block);
        // SAFETY: the block lies within the page, which is mapped as a whole.
        let mapped = page.mapped.map(|start| unsafe { start.add(offset as usize) });
        Ok(MemoryBlock {
            memory,
            offset,
            mapped,
            token: 0,
        })
    }

    unsafe fn free(&mut self, _device: &ash::Device, block: MemoryBlock) {
        let mut pages = self.lock();
        if let Some(page) = pages.pages.iter_mut().find(|page| page.memory == block.memory) {
            page.blocks.retain(|used| used.start != block.offset);
        }
    }
}

impl Pages {
    /// A page of this type with a gap for the request: one that is there, or a fresh one.
    fn with_room(
        &mut self,
        device: &ash::Device,
        type_index: u32,
        request: &MemoryRequest,
    ) -> Result<&mut Page, vk::Result> {
        let needs = &request.requirements;
        let has_room = |page: &Page| page.type_index == type_index && page.gap(needs).is_some();
        let index = self.pages.iter().position(has_room).unwrap_or(self.pages.len());
        if index == self.pages.len() {
            let size_bytes = PAGE_BYTES.max(needs.size);
            self.pages
                .push(make_page(device, type_index, size_bytes, request.location)?);
        }
        Ok(&mut self.pages[index])
    }

    fn find_type(&self, request: &MemoryRequest) -> Option<u32> {
        let wanted = match request.location {
            MemoryLocation::DeviceLocal => vk::MemoryPropertyFlags::DEVICE_LOCAL,
            MemoryLocation::HostToDevice => {
                vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT
            }
        };
        (0..)
            .zip(self.properties.memory_types_as_slice())
            .find_map(|(index, kind)| {
                let is_allowed = request.requirements.memory_type_bits >> index & 1 == 1;
                (is_allowed && kind.property_flags.contains(wanted)).then_some(index)
            })
    }
}

impl Page {
    /// The first gap that is large enough: before which block, and which bytes.
    fn gap(&self, requirements: &vk::MemoryRequirements) -> Option<(usize, Range<u64>)> {
        let mut start = 0;
        let ends = self.blocks.iter().map(|block| (block.start, block.end));
        for (at, (gap_end, next)) in ends.chain([(self.size_bytes, self.size_bytes)]).enumerate() {
            let end = start + requirements.size;
            if end <= gap_end {
                return Some((at, start..end));
            }
            start = next.next_multiple_of(requirements.alignment);
        }
        None
    }
}

fn make_page(
    device: &ash::Device,
    type_index: u32,
    size_bytes: u64,
    location: MemoryLocation,
) -> Result<Page, vk::Result> {
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(size_bytes)
        .memory_type_index(type_index);
    // SAFETY: the device is live and has this memory type.
    let memory = unsafe { device.allocate_memory(&info, None) }?;
    let mut page = Page {
        memory,
        type_index,
        size_bytes,
        mapped: None,
        blocks: Vec::new(),
    };
    if location == MemoryLocation::HostToDevice {
        // SAFETY: the memory is fresh and of a type that the host can reach.
        match unsafe { device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) } {
            Ok(start) => page.mapped = NonNull::new(start.cast()),
            Err(result) => {
                // SAFETY: nothing is bound to it.
                unsafe { device.free_memory(memory, None) };
                return Err(result);
            }
        }
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(size: u64, alignment: u64) -> vk::MemoryRequirements {
        vk::MemoryRequirements {
            size,
            alignment,
            memory_type_bits: 1,
        }
    }

    #[test]
    fn blocks_go_to_the_first_gap_that_fits_and_is_aligned() {
        let mut page = Page {
            memory: vk::DeviceMemory::null(),
            type_index: 0,
            size_bytes: 1000,
            mapped: None,
            blocks: vec![0..100, 300..400],
        };
        assert_eq!(page.gap(&needs(100, 64)), Some((1, 128..228)));
        assert_eq!(page.gap(&needs(200, 1)), Some((1, 100..300)));
        assert_eq!(page.gap(&needs(200, 64)), Some((2, 448..648)));
        assert_eq!(page.gap(&needs(700, 1)), None);
        page.blocks.remove(0);
        assert_eq!(page.gap(&needs(300, 256)), Some((0, 0..300)));
        page.blocks.clear();
        assert_eq!(page.gap(&needs(1000, 1)), Some((0, 0..1000)));
        assert_eq!(page.gap(&needs(1001, 1)), None);
    }
}
