//! The functions that count: each does what the original does, which it finds by the device's handle.
//!
//! No function here panics: a panic must not pass through Vulkan.

use std::ffi::c_void;

use ash::vk;

use super::{DEVICES, lock, watched};

/// What a call says whose device is not watched, which cannot be.
const UNWATCHED: vk::Result = vk::Result::ERROR_UNKNOWN;

/// Defines the functions that make and destroy one object, and puts them into a table.
macro_rules! objects {
    ($($kind:literal: $create:ident($info:ident) -> $handle:ident, $destroy:ident;)*) => {
        $(
            unsafe extern "system" fn $create(
                device: vk::Device,
                info: *const vk::$info<'_>,
                allocator: *const vk::AllocationCallbacks<'_>,
                handle: *mut vk::$handle,
            ) -> vk::Result {
                let Some((watch, original)) = original(device) else { return UNWATCHED };
                if let Some(failure) = watch.creation_failure() {
                    return failure;
                }
                // SAFETY: handed on as it came.
                let result = unsafe { (original.$create)(device, info, allocator, handle) };
                if result == vk::Result::SUCCESS {
                    // SAFETY: a call that succeeded wrote the handle.
                    watch.made($kind, unsafe { *handle });
                }
                result
            }

            unsafe extern "system" fn $destroy(
                device: vk::Device,
                handle: vk::$handle,
                allocator: *const vk::AllocationCallbacks<'_>,
            ) {
                let Some((watch, original)) = original(device) else { return };
                watch.destroyed($kind, handle);
                // SAFETY: handed on as it came.
                unsafe { (original.$destroy)(device, handle, allocator) };
            }
        )*

        fn replace_objects(table: &mut ash::DeviceFnV1_0) {
            $(
                table.$create = $create;
                table.$destroy = $destroy;
            )*
        }
    };
}

objects! {
    "memory": allocate_memory(MemoryAllocateInfo) -> DeviceMemory, free_memory;
    "fence": create_fence(FenceCreateInfo) -> Fence, destroy_fence;
    "semaphore": create_semaphore(SemaphoreCreateInfo) -> Semaphore, destroy_semaphore;
    "event": create_event(EventCreateInfo) -> Event, destroy_event;
    "query pool": create_query_pool(QueryPoolCreateInfo) -> QueryPool, destroy_query_pool;
    "buffer": create_buffer(BufferCreateInfo) -> Buffer, destroy_buffer;
    "buffer view": create_buffer_view(BufferViewCreateInfo) -> BufferView, destroy_buffer_view;
    "image": create_image(ImageCreateInfo) -> Image, destroy_image;
    "image view": create_image_view(ImageViewCreateInfo) -> ImageView, destroy_image_view;
    "shader module": create_shader_module(ShaderModuleCreateInfo) -> ShaderModule, destroy_shader_module;
    "pipeline cache": create_pipeline_cache(PipelineCacheCreateInfo) -> PipelineCache, destroy_pipeline_cache;
    "pipeline layout": create_pipeline_layout(PipelineLayoutCreateInfo) -> PipelineLayout, destroy_pipeline_layout;
    "sampler": create_sampler(SamplerCreateInfo) -> Sampler, destroy_sampler;
    "descriptor set layout": create_descriptor_set_layout(DescriptorSetLayoutCreateInfo) -> DescriptorSetLayout,
        destroy_descriptor_set_layout;
    "descriptor pool": create_descriptor_pool(DescriptorPoolCreateInfo) -> DescriptorPool, destroy_descriptor_pool;
    "framebuffer": create_framebuffer(FramebufferCreateInfo) -> Framebuffer, destroy_framebuffer;
    "render pass": create_render_pass(RenderPassCreateInfo) -> RenderPass, destroy_render_pass;
    "command pool": create_command_pool(CommandPoolCreateInfo) -> CommandPool, destroy_command_pool;
}

/// Defines the functions that make several pipelines at once.
macro_rules! pipelines {
    ($($create:ident($info:ident);)*) => {
        $(
            unsafe extern "system" fn $create(
                device: vk::Device,
                cache: vk::PipelineCache,
                count: u32,
                infos: *const vk::$info<'_>,
                allocator: *const vk::AllocationCallbacks<'_>,
                handles: *mut vk::Pipeline,
            ) -> vk::Result {
                let Some((watch, original)) = original(device) else { return UNWATCHED };
                if let Some(failure) = watch.creation_failure() {
                    for index in 0..count as usize {
                        // SAFETY: the caller has room for so many handles, and expects null for what failed.
                        unsafe { handles.add(index).write(vk::Pipeline::null()) };
                    }
                    return failure;
                }
                // SAFETY: handed on as it came.
                let result = unsafe { (original.$create)(device, cache, count, infos, allocator, handles) };
                for index in 0..count as usize {
                    // SAFETY: every handle was written, with null where its pipeline failed.
                    watch.made("pipeline", unsafe { handles.add(index).read() });
                }
                result
            }
        )*
    };
}

pipelines! {
    create_compute_pipelines(ComputePipelineCreateInfo);
    create_graphics_pipelines(GraphicsPipelineCreateInfo);
}

unsafe extern "system" fn destroy_pipeline(
    device: vk::Device,
    handle: vk::Pipeline,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    let Some((watch, original)) = original(device) else {
        return;
    };
    watch.destroyed("pipeline", handle);
    // SAFETY: handed on as it came.
    unsafe { (original.destroy_pipeline)(device, handle, allocator) };
}

/// Defines functions that only may fail: with the failures of those that create, or of those that ask.
macro_rules! fallible {
    ($($failure:ident: $name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(
            unsafe extern "system" fn $name(device: vk::Device, $($argument: $kind),*) -> vk::Result {
                let Some((watch, original)) = original(device) else { return UNWATCHED };
                match watch.$failure() {
                    Some(failure) => failure,
                    // SAFETY: handed on as it came.
                    None => unsafe { (original.$name)(device, $($argument),*) },
                }
            }
        )*

        fn replace_fallible(table: &mut ash::DeviceFnV1_0) {
            $(table.$name = $name;)*
        }
    };
}

fallible! {
    creation_failure: allocate_descriptor_sets(
        info: *const vk::DescriptorSetAllocateInfo<'_>,
        sets: *mut vk::DescriptorSet
    );
    creation_failure: allocate_command_buffers(
        info: *const vk::CommandBufferAllocateInfo<'_>,
        buffers: *mut vk::CommandBuffer
    );
    creation_failure: bind_buffer_memory(buffer: vk::Buffer, memory: vk::DeviceMemory, offset: vk::DeviceSize);
    creation_failure: bind_image_memory(image: vk::Image, memory: vk::DeviceMemory, offset: vk::DeviceSize);
    creation_failure: map_memory(
        memory: vk::DeviceMemory,
        offset: vk::DeviceSize,
        size: vk::DeviceSize,
        flags: vk::MemoryMapFlags,
        data: *mut *mut c_void
    );
    question_failure: get_event_status(event: vk::Event);
    question_failure: get_query_pool_results(
        pool: vk::QueryPool,
        first: u32,
        count: u32,
        size: usize,
        data: *mut c_void,
        stride: vk::DeviceSize,
        flags: vk::QueryResultFlags
    );
}

unsafe extern "system" fn destroy_device(device: vk::Device, allocator: *const vk::AllocationCallbacks<'_>) {
    let Some((_, original)) = original(device) else {
        return;
    };
    // First, because another device may get the handle as soon as this one is gone.
    lock(&DEVICES).remove(&device);
    // SAFETY: handed on as it came.
    unsafe { (original.destroy_device)(device, allocator) };
}

fn original(device: vk::Device) -> Option<(std::sync::Arc<super::Watched>, ash::DeviceFnV1_0)> {
    let watch = watched(device)?;
    let table = watch.original.get()?.clone();
    Some((watch, table))
}

/// The device with functions that count.
pub(super) fn replaced(device: &ash::Device) -> ash::Device {
    let mut table = device.fp_v1_0().clone();
    replace_objects(&mut table);
    replace_fallible(&mut table);
    table.create_compute_pipelines = create_compute_pipelines;
    table.create_graphics_pipelines = create_graphics_pipelines;
    table.destroy_pipeline = destroy_pipeline;
    table.destroy_device = destroy_device;
    ash::Device::from_parts_1_3(
        device.handle(),
        table,
        device.fp_v1_1().clone(),
        device.fp_v1_2().clone(),
        device.fp_v1_3().clone(),
    )
}
