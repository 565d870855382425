//! What the functions count.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ash::vk;

use crate::BufferFacts;

/// What was recorded into a command buffer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CommandCounts {
    /// Copy commands.
    pub copies: u64,
    /// Regions of all copies.
    pub copied_regions: u64,
    /// Dispatches.
    pub dispatches: u64,
    /// Barrier commands.
    pub barriers: u64,
    /// Pipelines and descriptor sets bound, constants pushed.
    pub state_changes: u64,
    /// Anything else.
    pub other: u64,
}

/// What exists on a device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LiveCounts {
    /// Buffers.
    pub buffers: u64,
    /// Memory objects.
    pub memories: u64,
    /// Everything else: pipelines, their layouts and modules, descriptor pools, query pools.
    pub others: u64,
}

impl LiveCounts {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.buffers + self.memories + self.others
    }
}

/// What stands behind the handle of a command buffer.
#[derive(Debug, Default)]
pub(crate) struct CommandCounters {
    pub(crate) copies: AtomicU64,
    pub(crate) copied_regions: AtomicU64,
    pub(crate) dispatches: AtomicU64,
    pub(crate) barriers: AtomicU64,
    pub(crate) state_changes: AtomicU64,
    pub(crate) other: AtomicU64,
    barrier_list: Mutex<BarrierList>,
}

/// The last few barriers, in place: the mock must not allocate while somebody counts allocations.
#[derive(Debug, Default)]
struct BarrierList {
    list: [vk::MemoryBarrier2<'static>; 8],
    count: usize,
}

pub(crate) fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}

impl CommandCounters {
    pub(crate) fn take(&self) -> CommandCounts {
        let take = |counter: &AtomicU64| counter.swap(0, Ordering::Relaxed);
        CommandCounts {
            copies: take(&self.copies),
            copied_regions: take(&self.copied_regions),
            dispatches: take(&self.dispatches),
            barriers: take(&self.barriers),
            state_changes: take(&self.state_changes),
            other: take(&self.other),
        }
    }

    pub(crate) fn keep_barrier(&self, barrier: &vk::MemoryBarrier2<'_>) {
        let mut kept = lock(&self.barrier_list);
        let index = kept.count % kept.list.len();
        kept.list[index] = vk::MemoryBarrier2 {
            src_stage_mask: barrier.src_stage_mask,
            src_access_mask: barrier.src_access_mask,
            dst_stage_mask: barrier.dst_stage_mask,
            dst_access_mask: barrier.dst_access_mask,
            ..Default::default()
        };
        kept.count += 1;
    }

    pub(crate) fn take_barriers(&self) -> Vec<vk::MemoryBarrier2<'static>> {
        let mut kept = lock(&self.barrier_list);
        let count = std::mem::take(&mut kept.count);
        let first = count.saturating_sub(kept.list.len());
        (first..count)
            .map(|index| kept.list[index % kept.list.len()])
            .collect()
    }
}

/// What stands behind the handle of a device.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The last handle that was handed out.
    last_handle: AtomicU64,
    buffers: Mutex<HashMap<u64, u64>>,
    buffer_facts: Mutex<Vec<BufferFacts>>,
    /// Sizes, and the bytes of those that were mapped.
    memories: Mutex<HashMap<u64, Memory>>,
    others: AtomicU64,
    written_descriptors: AtomicU64,
}

#[derive(Debug)]
struct Memory {
    size_bytes: u64,
    /// In units of 16 bytes, for their alignment. Only what is mapped takes memory.
    mapped: Vec<u128>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn next_handle(&self) -> u64 {
        self.last_handle.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn add_buffer(&self, facts: BufferFacts) -> u64 {
        let handle = self.next_handle();
        lock(&self.buffers).insert(handle, facts.size_bytes);
        lock(&self.buffer_facts).push(facts);
        handle
    }

    pub(crate) fn buffer_size(&self, handle: u64) -> u64 {
        lock(&self.buffers).get(&handle).copied().unwrap_or_default()
    }

    pub(crate) fn remove_buffer(&self, handle: u64) {
        lock(&self.buffers).remove(&handle);
    }

    pub(crate) fn add_memory(&self, size_bytes: u64) -> u64 {
        let handle = self.next_handle();
        let memory = Memory {
            size_bytes,
            mapped: Vec::new(),
        };
        lock(&self.memories).insert(handle, memory);
        handle
    }

    /// The address of the memory's first byte; it stays until the memory is freed.
    pub(crate) fn map(&self, handle: u64) -> *mut u8 {
        let mut memories = lock(&self.memories);
        let Some(memory) = memories.get_mut(&handle) else {
            return std::ptr::null_mut();
        };
        if memory.mapped.is_empty() {
            memory.mapped = vec![0; memory.size_bytes.div_ceil(16) as usize];
        }
        memory.mapped.as_mut_ptr().cast()
    }

    pub(crate) fn remove_memory(&self, handle: u64) {
        lock(&self.memories).remove(&handle);
    }

    pub(crate) fn add_other(&self) -> u64 {
        self.others.fetch_add(1, Ordering::Relaxed);
        self.next_handle()
    }

    /// A handle to something that goes with what it was made from.
    pub(crate) fn add_dependent(&self) -> u64 {
        self.next_handle()
    }

    pub(crate) fn remove_other(&self, handle: u64) {
        // Null is allowed everywhere.
        if handle != 0 {
            self.others.fetch_sub(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn write_descriptors(&self, count: u64) {
        add(&self.written_descriptors, count);
    }

    pub(crate) fn written_descriptor_count(&self) -> u64 {
        self.written_descriptors.load(Ordering::Relaxed)
    }

    pub(crate) fn buffers(&self) -> Vec<BufferFacts> {
        lock(&self.buffer_facts).clone()
    }

    pub(crate) fn live(&self) -> LiveCounts {
        LiveCounts {
            buffers: lock(&self.buffers).len() as u64,
            memories: lock(&self.memories).len() as u64,
            others: self.others.load(Ordering::Relaxed),
        }
    }
}
