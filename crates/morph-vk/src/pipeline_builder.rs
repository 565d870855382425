//! Building all pipelines of a pass, on any thread.

use ash::vk;
use morph_core::VertexLayout;
use morph_core::plan::Kernel;

use crate::debug::DebugNames;
use crate::device_handle::DeviceHandle;
use crate::error::MorphError;
use crate::pipelines::{PipelineTable, QUANTIZATIONS};
use crate::shader_interface::{SPECIALIZATION_COUNT, specialization};
use crate::shader_modules::ShaderModules;

/// Builds the pipelines of one pass, on whatever thread: compilers take their time.
///
/// From [`MorphPass::pipeline_builder`](crate::MorphPass::pipeline_builder);
/// [`MorphPass::install_pipelines`](crate::MorphPass::install_pipelines) takes what it makes.
#[derive(Debug, Clone)]
pub struct PipelineBuilder {
    pub(crate) device: DeviceHandle,
    pub(crate) names: DebugNames,
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) vertex_layout: VertexLayout,
    pub(crate) round_to_nearest_even: bool,
    pub(crate) cache: vk::PipelineCache,
    pub(crate) kernels: &'static [Kernel],
}

impl PipelineBuilder {
    /// Builds every permutation. On an error nothing stays behind.
    ///
    /// # Safety
    ///
    /// - The pass that the builder is of must not be destroyed meanwhile, so its device is live.
    /// - Modules that are not the crate's own must be valid SPIR-V for the device, as `spirv-val` says, and use nothing
    ///   that the device was not created with: drivers do not check it.
    /// - The engine's pipeline cache, where there is one, must not be one that callers have to lock.
    pub unsafe fn build(&self, modules: &ShaderModules) -> Result<BuiltPipelines, MorphError> {
        let mut built = BuiltPipelines {
            device: self.device.clone(),
            layout: self.layout,
            table: PipelineTable::default(),
        };
        for &kernel in self.kernels {
            let words = modules.of_kernel(kernel, self.round_to_nearest_even);
            // SAFETY: handed on.
            let made = unsafe { self.build_kernel(kernel, &words, &mut built.table) };
            if let Err(error) = made {
                // SAFETY: they were made just now and never bound.
                unsafe { built.destroy() };
                return Err(error);
            }
        }
        Ok(built)
    }

    /// # Safety
    ///
    /// As for [`build`](Self::build).
    unsafe fn build_kernel(
        &self,
        kernel: Kernel,
        words: &[u32],
        table: &mut PipelineTable,
    ) -> Result<(), MorphError> {
        let device = &self.device.0;
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: the module is one of ours, valid by the tests that run spirv-val on it, or the caller vouches for it.
        let module = unsafe { device.create_shader_module(&info, None) }
            .map_err(MorphError::vulkan("vkCreateShaderModule"))?;
        let outcome = QUANTIZATIONS.iter().try_for_each(|&quantization| {
            let values = specialization(kernel, quantization, &self.vertex_layout);
            // SAFETY: handed on; the module is live.
            let pipeline = unsafe { self.create_pipeline(module, &values) }?;
            self.names
                .name(pipeline, &format!("morph {} {quantization}", kernel.name()));
            table.set(kernel, quantization, pipeline);
            Ok(())
        });
        // SAFETY: pipelines keep no hold on their module.
        unsafe { device.destroy_shader_module(module, None) };
        outcome
    }

    /// # Safety
    ///
    /// As for [`build`](Self::build); the module must be live.
    unsafe fn create_pipeline(
        &self,
        module: vk::ShaderModule,
        values: &[u32; SPECIALIZATION_COUNT],
    ) -> Result<vk::Pipeline, MorphError> {
        let entries: [_; SPECIALIZATION_COUNT] = std::array::from_fn(|index| {
            vk::SpecializationMapEntry::default()
                .constant_id(index as u32)
                .offset(index as u32 * 4)
                .size(size_of::<u32>())
        });
        let constants = vk::SpecializationInfo::default()
            .map_entries(&entries)
            .data(bytemuck::cast_slice(values));
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main")
            .specialization_info(&constants);
        let info = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(self.layout)];
        // SAFETY: the caller vouches for all handles; the specialization data outlives the call.
        let created = unsafe { self.device.0.create_compute_pipelines(self.cache, &info, None) };
        created
            .map(|pipelines| pipelines[0])
            .map_err(|(_, result)| MorphError::Vulkan {
                call: "vkCreateComputePipelines",
                result,
            })
    }
}

/// Pipelines that no pass uses yet. Must be installed or destroyed.
#[derive(Debug)]
#[must_use = "pipelines that are neither installed nor destroyed leak"]
pub struct BuiltPipelines {
    device: DeviceHandle,
    layout: vk::PipelineLayout,
    table: PipelineTable,
}

impl BuiltPipelines {
    /// Whether they were built for the pass with this device and layout.
    pub(crate) fn belong_to(&self, device: &ash::Device, layout: vk::PipelineLayout) -> bool {
        self.device.0.handle() == device.handle() && self.layout == layout
    }

    pub(crate) fn into_table(mut self) -> PipelineTable {
        std::mem::take(&mut self.table)
    }

    /// Gives them back unused.
    ///
    /// # Safety
    ///
    /// The device must be live.
    pub unsafe fn destroy(mut self) {
        // SAFETY: nobody ever bound them.
        unsafe { std::mem::take(&mut self.table).destroy(&self.device.0) };
    }
}

impl Drop for BuiltPipelines {
    fn drop(&mut self) {
        if !self.table.is_empty() {
            tracing::error!("pipelines were dropped without being installed or destroyed: they leak");
        }
    }
}
