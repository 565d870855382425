//! The functions themselves.
//!
//! Each is what its name says in the Vulkan specification, as far as the pre-pass can tell: valid use is the caller's
//! business, as it is with a driver.

use std::ffi::{CStr, c_void};

use ash::vk;
use ash::vk::Handle;

use crate::BufferFacts;
use crate::state::{CommandCounters, State, add};

type Callbacks = *const vk::AllocationCallbacks<'static>;

/// The address of a function by its name; null where there is none.
pub(crate) fn address(name: &CStr) -> *const c_void {
    macro_rules! table {
        ($($name:literal => $function:expr,)*) => {
            match name.to_bytes() {
                $($name => $function as *const c_void,)*
                _ => std::ptr::null(),
            }
        };
    }
    table! {
        b"vkCreateBuffer" => create_buffer,
        b"vkDestroyBuffer" => destroy_buffer,
        b"vkGetBufferMemoryRequirements" => get_buffer_memory_requirements,
        b"vkBindBufferMemory" => bind_buffer_memory,
        b"vkAllocateMemory" => allocate_memory,
        b"vkFreeMemory" => free_memory,
        b"vkMapMemory" => map_memory,
        b"vkUnmapMemory" => unmap_memory,
        b"vkCreateDescriptorSetLayout" => create_other,
        b"vkDestroyDescriptorSetLayout" => destroy_other,
        b"vkCreatePipelineLayout" => create_other,
        b"vkDestroyPipelineLayout" => destroy_other,
        b"vkCreateShaderModule" => create_other,
        b"vkDestroyShaderModule" => destroy_other,
        b"vkCreatePipelineCache" => create_other,
        b"vkDestroyPipelineCache" => destroy_other,
        b"vkCreateQueryPool" => create_other,
        b"vkDestroyQueryPool" => destroy_other,
        b"vkCreateEvent" => create_other,
        b"vkDestroyEvent" => destroy_other,
        b"vkGetEventStatus" => get_event_status,
        b"vkResetEvent" => reset_event,
        b"vkCmdSetEvent" => cmd_set_event,
        b"vkCreateDescriptorPool" => create_other,
        b"vkDestroyDescriptorPool" => destroy_other,
        b"vkCreateComputePipelines" => create_compute_pipelines,
        b"vkDestroyPipeline" => destroy_other,
        b"vkAllocateDescriptorSets" => allocate_descriptor_sets,
        b"vkUpdateDescriptorSets" => update_descriptor_sets,
        b"vkCmdCopyBuffer" => cmd_copy_buffer,
        b"vkCmdPipelineBarrier2" => cmd_pipeline_barrier2,
        b"vkCmdBindPipeline" => cmd_bind_pipeline,
        b"vkCmdBindDescriptorSets" => cmd_bind_descriptor_sets,
        b"vkCmdPushConstants" => cmd_push_constants,
        b"vkCmdDispatch" => cmd_dispatch,
        b"vkCmdResetQueryPool" => cmd_reset_query_pool,
        b"vkCmdWriteTimestamp2" => cmd_write_timestamp2,
        b"vkGetQueryPoolResults" => get_query_pool_results,
    }
}

/// # Safety
///
/// The handle must be that of a living `MockDevice`.
unsafe fn state<'a>(device: vk::Device) -> &'a State {
    // SAFETY: the handle is the address of the device's state, which the caller says is alive.
    unsafe { &*(device.as_raw() as *const State) }
}

/// # Safety
///
/// The handle must be that of a living `MockCommands`.
unsafe fn counters<'a>(commands: vk::CommandBuffer) -> &'a CommandCounters {
    // SAFETY: the handle is the address of the counters, which the caller says are alive.
    unsafe { &*(commands.as_raw() as *const CommandCounters) }
}

/// # Safety
///
/// `first` must be null or point to `count` values.
unsafe fn list<'a, T>(first: *const T, count: u32) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller vouches for the pointer.
    unsafe { std::slice::from_raw_parts(first, count as usize) }
}

unsafe extern "system" fn create_buffer(
    device: vk::Device,
    info: *const vk::BufferCreateInfo<'static>,
    _callbacks: Callbacks,
    buffer: *mut vk::Buffer,
) -> vk::Result {
    // SAFETY: the caller passes a valid structure, as it must to a driver.
    let info = unsafe { &*info };
    let families = if info.sharing_mode == vk::SharingMode::CONCURRENT {
        // SAFETY: the structure is valid.
        unsafe { list(info.p_queue_family_indices, info.queue_family_index_count) }
    } else {
        &[]
    };
    let facts = BufferFacts {
        size_bytes: info.size,
        usage: info.usage,
        sharing_mode: info.sharing_mode,
        queue_families: families.to_vec(),
    };
    // SAFETY: the device is alive.
    let handle = unsafe { state(device) }.add_buffer(facts);
    // SAFETY: the caller passes a place for the handle.
    unsafe { buffer.write(vk::Buffer::from_raw(handle)) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn destroy_buffer(device: vk::Device, buffer: vk::Buffer, _callbacks: Callbacks) {
    // SAFETY: the device is alive.
    unsafe { state(device) }.remove_buffer(buffer.as_raw());
}

unsafe extern "system" fn get_buffer_memory_requirements(
    device: vk::Device,
    buffer: vk::Buffer,
    requirements: *mut vk::MemoryRequirements,
) {
    // SAFETY: the device is alive.
    let size = unsafe { state(device) }.buffer_size(buffer.as_raw());
    let found = vk::MemoryRequirements {
        size,
        alignment: 16,
        memory_type_bits: 0b11,
    };
    // SAFETY: the caller passes a place for the structure.
    unsafe { requirements.write(found) };
}

unsafe extern "system" fn bind_buffer_memory(
    _device: vk::Device,
    _buffer: vk::Buffer,
    _memory: vk::DeviceMemory,
    _offset: vk::DeviceSize,
) -> vk::Result {
    vk::Result::SUCCESS
}

unsafe extern "system" fn allocate_memory(
    device: vk::Device,
    info: *const vk::MemoryAllocateInfo<'static>,
    _callbacks: Callbacks,
    memory: *mut vk::DeviceMemory,
) -> vk::Result {
    // SAFETY: the caller passes a valid structure.
    let size_bytes = unsafe { (*info).allocation_size };
    // SAFETY: the device is alive.
    let handle = unsafe { state(device) }.add_memory(size_bytes);
    // SAFETY: the caller passes a place for the handle.
    unsafe { memory.write(vk::DeviceMemory::from_raw(handle)) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn free_memory(device: vk::Device, memory: vk::DeviceMemory, _callbacks: Callbacks) {
    // SAFETY: the device is alive.
    unsafe { state(device) }.remove_memory(memory.as_raw());
}

unsafe extern "system" fn map_memory(
    device: vk::Device,
    memory: vk::DeviceMemory,
    offset: vk::DeviceSize,
    _size: vk::DeviceSize,
    _flags: vk::MemoryMapFlags,
    pointer: *mut *mut c_void,
) -> vk::Result {
    // SAFETY: the device is alive.
    let first = unsafe { state(device) }.map(memory.as_raw());
    if first.is_null() {
        return vk::Result::ERROR_MEMORY_MAP_FAILED;
    }
    // SAFETY: the caller passes a place for the address.
    unsafe { pointer.write(first.wrapping_add(offset as usize).cast()) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn unmap_memory(_device: vk::Device, _memory: vk::DeviceMemory) {}

/// For every function `vkCreate…` that makes one handle out of one structure.
unsafe extern "system" fn create_other(
    device: vk::Device,
    _info: *const c_void,
    _callbacks: Callbacks,
    object: *mut u64,
) -> vk::Result {
    // SAFETY: the device is alive.
    let handle = unsafe { state(device) }.add_other();
    // SAFETY: the caller passes a place for the handle; handles of these kinds are 64-bit numbers.
    unsafe { object.write(handle) };
    vk::Result::SUCCESS
}

/// For every function `vkDestroy…` of those objects.
unsafe extern "system" fn destroy_other(device: vk::Device, object: u64, _callbacks: Callbacks) {
    // SAFETY: the device is alive.
    unsafe { state(device) }.remove_other(object);
}

unsafe extern "system" fn create_compute_pipelines(
    device: vk::Device,
    _cache: vk::PipelineCache,
    count: u32,
    _infos: *const vk::ComputePipelineCreateInfo<'static>,
    _callbacks: Callbacks,
    pipelines: *mut vk::Pipeline,
) -> vk::Result {
    for index in 0..count as usize {
        // SAFETY: the device is alive.
        let handle = unsafe { state(device) }.add_other();
        // SAFETY: the caller passes places for `count` handles.
        unsafe {
            pipelines
                .wrapping_add(index)
                .write(vk::Pipeline::from_raw(handle));
        };
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn allocate_descriptor_sets(
    device: vk::Device,
    info: *const vk::DescriptorSetAllocateInfo<'static>,
    sets: *mut vk::DescriptorSet,
) -> vk::Result {
    // SAFETY: the caller passes a valid structure.
    let count = unsafe { (*info).descriptor_set_count };
    for index in 0..count as usize {
        // SAFETY: the device is alive.
        let handle = unsafe { state(device) }.add_dependent();
        // SAFETY: the caller passes places for `count` handles.
        unsafe {
            sets.wrapping_add(index)
                .write(vk::DescriptorSet::from_raw(handle));
        };
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn update_descriptor_sets(
    device: vk::Device,
    write_count: u32,
    _writes: *const vk::WriteDescriptorSet<'static>,
    _copy_count: u32,
    _copies: *const vk::CopyDescriptorSet<'static>,
) {
    // SAFETY: the device is alive.
    unsafe { state(device) }.write_descriptors(u64::from(write_count));
}

unsafe extern "system" fn cmd_copy_buffer(
    commands: vk::CommandBuffer,
    _source: vk::Buffer,
    _destination: vk::Buffer,
    region_count: u32,
    _regions: *const vk::BufferCopy,
) {
    // SAFETY: the command buffer is alive.
    let counters = unsafe { counters(commands) };
    add(&counters.copies, 1);
    add(&counters.copied_regions, u64::from(region_count));
}

unsafe extern "system" fn cmd_pipeline_barrier2(
    commands: vk::CommandBuffer,
    info: *const vk::DependencyInfo<'static>,
) {
    // SAFETY: the command buffer is alive.
    let counters = unsafe { counters(commands) };
    add(&counters.barriers, 1);
    // SAFETY: the caller passes a valid structure.
    let info = unsafe { &*info };
    // SAFETY: as above.
    for barrier in unsafe { list(info.p_memory_barriers, info.memory_barrier_count) } {
        counters.keep_barrier(barrier);
    }
}

unsafe extern "system" fn cmd_bind_pipeline(
    commands: vk::CommandBuffer,
    _bind_point: vk::PipelineBindPoint,
    _pipeline: vk::Pipeline,
) {
    // SAFETY: the command buffer is alive.
    add(&unsafe { counters(commands) }.state_changes, 1);
}

unsafe extern "system" fn cmd_bind_descriptor_sets(
    commands: vk::CommandBuffer,
    _bind_point: vk::PipelineBindPoint,
    _layout: vk::PipelineLayout,
    _first_set: u32,
    _set_count: u32,
    _sets: *const vk::DescriptorSet,
    _offset_count: u32,
    _offsets: *const u32,
) {
    // SAFETY: the command buffer is alive.
    add(&unsafe { counters(commands) }.state_changes, 1);
}

unsafe extern "system" fn cmd_push_constants(
    commands: vk::CommandBuffer,
    _layout: vk::PipelineLayout,
    _stages: vk::ShaderStageFlags,
    _offset: u32,
    _size: u32,
    _values: *const c_void,
) {
    // SAFETY: the command buffer is alive.
    add(&unsafe { counters(commands) }.state_changes, 1);
}

unsafe extern "system" fn cmd_dispatch(commands: vk::CommandBuffer, _x: u32, _y: u32, _z: u32) {
    // SAFETY: the command buffer is alive.
    add(&unsafe { counters(commands) }.dispatches, 1);
}

unsafe extern "system" fn cmd_reset_query_pool(
    commands: vk::CommandBuffer,
    _pool: vk::QueryPool,
    _first: u32,
    _count: u32,
) {
    // SAFETY: the command buffer is alive.
    add(&unsafe { counters(commands) }.other, 1);
}

unsafe extern "system" fn cmd_write_timestamp2(
    commands: vk::CommandBuffer,
    _stage: vk::PipelineStageFlags2,
    _pool: vk::QueryPool,
    _query: u32,
) {
    // SAFETY: the command buffer is alive.
    add(&unsafe { counters(commands) }.other, 1);
}

/// Nothing runs, so no query ever has a result.
unsafe extern "system" fn get_query_pool_results(
    _device: vk::Device,
    _pool: vk::QueryPool,
    _first: u32,
    _count: u32,
    _size: usize,
    _data: *mut c_void,
    _stride: vk::DeviceSize,
    _flags: vk::QueryResultFlags,
) -> vk::Result {
    vk::Result::NOT_READY
}

/// Nothing runs, so everything is done at once.
unsafe extern "system" fn get_event_status(_device: vk::Device, _event: vk::Event) -> vk::Result {
    vk::Result::EVENT_SET
}

unsafe extern "system" fn reset_event(_device: vk::Device, _event: vk::Event) -> vk::Result {
    vk::Result::SUCCESS
}

unsafe extern "system" fn cmd_set_event(
    commands: vk::CommandBuffer,
    _event: vk::Event,
    _stages: vk::PipelineStageFlags,
) {
    // SAFETY: the command buffer is alive.
    add(&unsafe { counters(commands) }.other, 1);
}
