//! Small helpers to get a mesh onto the device.

use ash::vk;

use crate::device::HeadlessDevice;
use crate::error::DeviceError;
use crate::memory::Buffer;
use crate::transfer::upload;

/// Uploads 32-bit indices; everything submitted later on the same queue may draw with them without a barrier.
///
/// # Errors
/// No indices, no memory, or a failed Vulkan call.
pub fn upload_indices(device: &HeadlessDevice, name: &str, indices: &[u32]) -> Result<Buffer, DeviceError> {
    upload(
        device,
        name,
        bytemuck::cast_slice(indices),
        vk::BufferUsageFlags::INDEX_BUFFER,
    )
}
