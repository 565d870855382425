//! The way of bytes to the device and back, each waited for.

use std::sync::Arc;

use ash::vk;

use crate::device::{Context, HeadlessDevice};
use crate::error::DeviceError;
use crate::memory::{Buffer, BufferDesc, Image, MemoryPlace};
use crate::recorder::Recorder;

/// Makes a buffer on the device and fills it, waiting until the bytes are there.
///
/// `TRANSFER_DST` is added to the usage.
/// Everything that is submitted later on the same queue sees the bytes without a barrier.
///
/// # Errors
/// No bytes, no memory, or a failed Vulkan call.
pub fn upload(
    device: &HeadlessDevice,
    name: &str,
    bytes: &[u8],
    usage: vk::BufferUsageFlags,
) -> Result<Buffer, DeviceError> {
    let size_bytes = bytes.len() as u64;
    let usage = usage | vk::BufferUsageFlags::TRANSFER_DST;
    let buffer = Buffer::new(
        device,
        &BufferDesc {
            name,
            size_bytes,
            usage,
            place: MemoryPlace::Device,
        },
    )?;
    let mut staging = Buffer::new(
        device,
        &BufferDesc {
            name: "upload staging",
            size_bytes,
            usage: vk::BufferUsageFlags::TRANSFER_SRC,
            place: MemoryPlace::Upload,
        },
    )?;
    staging.write(0, bytes)?;
    device.submit_once("upload", |commands| {
        // SAFETY: the command buffer is recording, and both buffers outlive the submit, which is waited for.
        let recorder = unsafe { Recorder::new(device.context(), commands) };
        recorder.copy_buffer(
            staging.handle(),
            buffer.handle(),
            &[vk::BufferCopy::default().size(size_bytes)],
        );
        let publish = vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::COPY)
            .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE);
        recorder.barrier(&[publish], &[]);
    })?;
    Ok(buffer)
}

/// Reads bytes of a buffer back, waiting for everything that was submitted before.
///
/// # Errors
/// No memory, or a failed Vulkan call.
///
/// # Safety
/// The buffer belongs to the device, has `TRANSFER_SRC` among its usages, and has at least `offset + length` bytes.
pub unsafe fn readback(
    device: &HeadlessDevice,
    buffer: vk::Buffer,
    offset: u64,
    length: u64,
) -> Result<Vec<u8>, DeviceError> {
    // SAFETY: the caller vouches for the buffer and the range.
    unsafe { readback_ranges(device, buffer, &[(offset, length)]) }
}

/// Reads the bytes of several ranges, offset and length of each, back in one submit; they come one behind the other.
///
/// # Errors
/// No memory, or a failed Vulkan call.
///
/// # Safety
/// As [`readback`], for each range.
pub unsafe fn readback_ranges(
    device: &HeadlessDevice,
    buffer: vk::Buffer,
    ranges: &[(u64, u64)],
) -> Result<Vec<u8>, DeviceError> {
    let mut size_bytes = 0;
    let mut regions = Vec::with_capacity(ranges.len());
    for &(offset, length) in ranges.iter().filter(|(_, length)| *length > 0) {
        regions.push(vk::BufferCopy {
            src_offset: offset,
            dst_offset: size_bytes,
            size: length,
        });
        size_bytes += length;
    }
    if regions.is_empty() {
        return Ok(Vec::new());
    }
    let target = readback_buffer(device.context(), size_bytes)?;
    device.submit_once("readback", |commands| {
        // SAFETY: the command buffer is recording, and both buffers outlive the submit, which is waited for.
        let recorder = unsafe { Recorder::new(device.context(), commands) };
        let settle = vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::COPY)
            .dst_access_mask(vk::AccessFlags2::TRANSFER_READ);
        recorder.barrier(&[settle], &[]);
        recorder.copy_buffer(buffer, target.handle(), &regions);
        recorder.barrier(&[to_host()], &[]);
    })?;
    Ok(target.bytes()?.to_vec())
}

/// Reads back an image that lies in layout `TRANSFER_SRC_OPTIMAL` and is visible to copies; rows close together.
pub(crate) fn readback_image(
    context: &Arc<Context>,
    image: &Image,
    texel_bytes: u64,
) -> Result<Vec<u8>, DeviceError> {
    let extent = image.extent;
    let target = readback_buffer(
        context,
        u64::from(extent.width) * u64::from(extent.height) * texel_bytes,
    )?;
    crate::submit::submit_once(context, "read picture", |commands| {
        // SAFETY: the command buffer is recording, and image and buffer outlive the submit, which is waited for.
        let recorder = unsafe { Recorder::new(context, commands) };
        recorder.copy_image_to_buffer(image.handle, image.aspect, extent, target.handle());
        recorder.barrier(&[to_host()], &[]);
    })?;
    Ok(target.bytes()?.to_vec())
}

fn readback_buffer(context: &Arc<Context>, size_bytes: u64) -> Result<Buffer, DeviceError> {
    Buffer::in_context(
        context,
        &BufferDesc {
            name: "readback",
            size_bytes,
            usage: vk::BufferUsageFlags::TRANSFER_DST,
            place: MemoryPlace::Readback,
        },
    )
}

fn to_host() -> vk::MemoryBarrier2<'static> {
    vk::MemoryBarrier2::default()
        .src_stage_mask(vk::PipelineStageFlags2::COPY)
        .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
        .dst_stage_mask(vk::PipelineStageFlags2::HOST)
        .dst_access_mask(vk::AccessFlags2::HOST_READ)
}
