//! The one descriptor set: frame constants, shadow map, depth, and the samples of the color pass.

use std::sync::Arc;

use ash::vk;

use crate::device::Context;
use crate::error::{DeviceError, Named};
use crate::interface::binding;
use crate::memory::Buffer;
use crate::pipelines::Pipelines;
use crate::targets::Targets;

/// A pool with one set in it, written once.
pub(crate) struct Descriptors {
    context: Arc<Context>,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
}

impl Descriptors {
    pub(crate) fn new(
        context: &Arc<Context>,
        pipelines: &Pipelines,
        constants: &Buffer,
        targets: &Targets,
    ) -> Result<Self, DeviceError> {
        let device = &context.device.0;
        let sizes = [
            vk::DescriptorPoolSize {
                ty: vk::DescriptorType::STORAGE_BUFFER,
                descriptor_count: 1,
            },
            vk::DescriptorPoolSize {
                ty: vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
                descriptor_count: 3,
            },
        ];
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(1)
            .pool_sizes(&sizes);
        // SAFETY: the device is alive.
        let pool = unsafe { device.create_descriptor_pool(&info, None) }.named("vkCreateDescriptorPool")?;
        // From here on `Drop` cleans up after a failure.
        let mut descriptors = Self {
            context: Arc::clone(context),
            pool,
            set: vk::DescriptorSet::null(),
        };
        let layouts = [pipelines.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&layouts);
        // SAFETY: pool and layout are alive.
        let sets = unsafe { device.allocate_descriptor_sets(&info) }.named("vkAllocateDescriptorSets")?;
        descriptors.set = sets[0];
        // SAFETY: the set was just allocated.
        unsafe { context.name_object(descriptors.set, "frame") };

        let buffers = [vk::DescriptorBufferInfo::default()
            .buffer(constants.handle())
            .range(constants.size_bytes())];
        let read_only_depth = vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL;
        let image = |view, layout, sampler| {
            [vk::DescriptorImageInfo::default()
                .image_view(view)
                .image_layout(layout)
                .sampler(sampler)]
        };
        let shadow = image(targets.shadow.view, read_only_depth, pipelines.shadow_sampler);
        let depth = image(targets.depth.view, read_only_depth, pipelines.texel_sampler);
        let color = image(
            targets.color.view,
            vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            pipelines.texel_sampler,
        );
        let write = |number, kind| {
            vk::WriteDescriptorSet::default()
                .dst_set(descriptors.set)
                .dst_binding(number)
                .descriptor_type(kind)
        };
        let combined = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
        let writes = [
            write(binding::FRAME, vk::DescriptorType::STORAGE_BUFFER).buffer_info(&buffers),
            write(binding::SHADOW_MAP, combined).image_info(&shadow),
            write(binding::DEPTH, combined).image_info(&depth),
            write(binding::COLOR, combined).image_info(&color),
        ];
        // SAFETY: the set is not in use yet, and everything written into it is alive.
        unsafe { device.update_descriptor_sets(&writes, &[]) };
        Ok(descriptors)
    }

    pub(crate) fn set(&self) -> vk::DescriptorSet {
        self.set
    }
}

impl Drop for Descriptors {
    fn drop(&mut self) {
        // A lost device is idle too.
        let _ = self.context.wait_idle();
        // SAFETY: the device is idle, and the pool is this value's own; the set goes with it.
        unsafe { self.context.device.0.destroy_descriptor_pool(self.pool, None) };
    }
}
