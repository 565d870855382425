//! The compute pipelines: one module a kernel, its permutations by specialization constants.

use ash::vk;
use morph_core::plan::Kernel;
use morph_core::{Quantization, VertexLayout};

use crate::debug::DebugNames;
use crate::error::MorphError;
use crate::shader_interface::{PUSH_CONSTANT_BYTES, specialization};

/// The compiled modules, embedded: an engine that builds this crate needs no shader compiler.
///
/// `cargo xtask shaders` makes them out of the GLSL under `shaders/`, and `cargo xtask shaders --check` says whether
/// they are fresh.
pub mod modules {
    /// Batched gather.
    pub const GATHER: &[u8] = include_bytes!("../../../shaders/spv/gather.spv");
    /// Batched gather with round-to-nearest-even declared.
    pub const GATHER_RTE: &[u8] = include_bytes!("../../../shaders/spv/gather_rte.spv");
    /// Batched gather with skinning behind the morph.
    pub const GATHER_SKINNED: &[u8] = include_bytes!("../../../shaders/spv/gather_skinned.spv");
    /// The same with round-to-nearest-even declared.
    pub const GATHER_SKINNED_RTE: &[u8] = include_bytes!("../../../shaders/spv/gather_skinned_rte.spv");
    /// Scatter.
    pub const SCATTER: &[u8] = include_bytes!("../../../shaders/spv/scatter.spv");
    /// Scatter with round-to-nearest-even declared.
    pub const SCATTER_RTE: &[u8] = include_bytes!("../../../shaders/spv/scatter_rte.spv");
}

const QUANTIZATIONS: [Quantization; 3] = [Quantization::F32, Quantization::Half, Quantization::Snorm16];
const KERNEL_COUNT: usize = Kernel::ALL.len();

/// What the pipelines are made from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PipelineDesc<'a> {
    pub(crate) layout: &'a VertexLayout,
    pub(crate) round_to_nearest_even: bool,
    pub(crate) cache: vk::PipelineCache,
    pub(crate) kernels: &'a [Kernel],
}

#[derive(Debug)]
pub(crate) struct Pipelines {
    pub(crate) set_layout: vk::DescriptorSetLayout,
    pub(crate) layout: vk::PipelineLayout,
    built: [[vk::Pipeline; QUANTIZATIONS.len()]; KERNEL_COUNT],
}

impl Pipelines {
    /// Makes the layouts with the first `binding_count` bindings, and no pipeline yet.
    ///
    /// # Safety
    ///
    /// `device` must be live.
    pub(crate) unsafe fn new(
        device: &ash::Device,
        names: &DebugNames,
        binding_count: u32,
    ) -> Result<Pipelines, MorphError> {
        let entries: Vec<_> = (0..binding_count)
            .map(|binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&entries);
        // SAFETY: the caller vouches for the device.
        let set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }
            .map_err(MorphError::vulkan("vkCreateDescriptorSetLayout"))?;
        names.name(set_layout, "morph set layout");
        let set_layouts = [set_layout];
        let ranges = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
            .size(PUSH_CONSTANT_BYTES)];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&set_layouts)
            .push_constant_ranges(&ranges);
        // SAFETY: the set layout was made just now.
        let layout = unsafe { device.create_pipeline_layout(&info, None) };
        let layout = match layout {
            Ok(layout) => layout,
            Err(result) => {
                // SAFETY: nothing uses the set layout.
                unsafe { device.destroy_descriptor_set_layout(set_layout, None) };
                return Err(MorphError::Vulkan {
                    call: "vkCreatePipelineLayout",
                    result,
                });
            }
        };
        names.name(layout, "morph pipeline layout");
        Ok(Pipelines {
            set_layout,
            layout,
            built: [[vk::Pipeline::null(); QUANTIZATIONS.len()]; KERNEL_COUNT],
        })
    }

    /// The pipeline of a permutation, where it was built.
    pub(crate) fn get(&self, kernel: Kernel, quantization: Quantization) -> Option<vk::Pipeline> {
        let quantization = QUANTIZATIONS.iter().position(|it| *it == quantization)?;
        let pipeline = self.built[kernel as usize][quantization];
        (pipeline != vk::Pipeline::null()).then_some(pipeline)
    }

    /// Whether every permutation of these kernels was built.
    pub(crate) fn ready(&self, kernels: &[Kernel]) -> bool {
        kernels
            .iter()
            .all(|kernel| QUANTIZATIONS.iter().all(|it| self.get(*kernel, *it).is_some()))
    }

    /// Builds what is missing of these kernels. On an error nothing of this call stays.
    ///
    /// # Safety
    ///
    /// `device` must be the live device of `new`, and the cache null or its own.
    pub(crate) unsafe fn build(
        &mut self,
        device: &ash::Device,
        names: &DebugNames,
        desc: &PipelineDesc<'_>,
    ) -> Result<(), MorphError> {
        for &kernel in desc.kernels {
            let missing = QUANTIZATIONS.iter().any(|it| self.get(kernel, *it).is_none());
            if missing {
                // SAFETY: handed on.
                unsafe { self.build_kernel(device, names, desc, kernel) }?;
            }
        }
        Ok(())
    }

    /// # Safety
    ///
    /// As for `build`.
    unsafe fn build_kernel(
        &mut self,
        device: &ash::Device,
        names: &DebugNames,
        desc: &PipelineDesc<'_>,
        kernel: Kernel,
    ) -> Result<(), MorphError> {
        let bytes = module_of(kernel, desc.round_to_nearest_even);
        // `include_bytes!` promises no alignment; a module is words.
        let words: Vec<u32> = bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|it| u32::from_le_bytes(*it))
            .collect();
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: the module is one of ours, valid by the tests that run spirv-val on it.
        let module = unsafe { device.create_shader_module(&info, None) }
            .map_err(MorphError::vulkan("vkCreateShaderModule"))?;
        let mut made = [vk::Pipeline::null(); QUANTIZATIONS.len()];
        let mut outcome = Ok(());
        for (slot, quantization) in made.iter_mut().zip(QUANTIZATIONS) {
            let values = specialization(kernel, quantization, desc.layout);
            // SAFETY: handed on; the module is live.
            match unsafe { create_pipeline(device, self.layout, module, desc.cache, &values) } {
                Ok(pipeline) => {
                    names.name(pipeline, &format!("morph {} {quantization}", kernel.name()));
                    *slot = pipeline;
                }
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        // SAFETY: pipelines keep no hold on their module.
        unsafe { device.destroy_shader_module(module, None) };
        for (kept, new) in self.built[kernel as usize].iter_mut().zip(made) {
            if new == vk::Pipeline::null() {
                continue;
            }
            if outcome.is_ok() && *kept == vk::Pipeline::null() {
                *kept = new;
            } else {
                // SAFETY: this pipeline was made just now and never bound.
                unsafe { device.destroy_pipeline(new, None) };
            }
        }
        outcome
    }

    /// # Safety
    ///
    /// The device must be done with every pipeline, and this must not be called twice.
    pub(crate) unsafe fn destroy(&mut self, device: &ash::Device) {
        for pipeline in self.built.iter_mut().flatten() {
            // SAFETY: the caller vouches that the device is done with it; null is allowed.
            unsafe { device.destroy_pipeline(*pipeline, None) };
            *pipeline = vk::Pipeline::null();
        }
        // SAFETY: the pipelines are gone.
        unsafe { device.destroy_pipeline_layout(self.layout, None) };
        // SAFETY: the pipeline layout is gone and the sets are the pool's.
        unsafe { device.destroy_descriptor_set_layout(self.set_layout, None) };
    }
}

fn module_of(kernel: Kernel, round_to_nearest_even: bool) -> &'static [u8] {
    let (plain, declared) = match kernel {
        Kernel::Scatter => (modules::SCATTER, modules::SCATTER_RTE),
        Kernel::GatherX32Y1 | Kernel::GatherX8Y16 => (modules::GATHER, modules::GATHER_RTE),
        Kernel::SkinnedX32Y1 | Kernel::SkinnedX8Y16 => (modules::GATHER_SKINNED, modules::GATHER_SKINNED_RTE),
    };
    if round_to_nearest_even { declared } else { plain }
}

/// # Safety
///
/// Device, layout, module and cache must be live and belong together.
unsafe fn create_pipeline(
    device: &ash::Device,
    layout: vk::PipelineLayout,
    module: vk::ShaderModule,
    cache: vk::PipelineCache,
    values: &[u32; 7],
) -> Result<vk::Pipeline, MorphError> {
    let entries: [_; 7] = std::array::from_fn(|index| {
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
        .layout(layout)];
    // SAFETY: the caller vouches for all handles; the specialization data outlives the call.
    let created = unsafe { device.create_compute_pipelines(cache, &info, None) };
    created
        .map(|pipelines| pipelines[0])
        .map_err(|(_, result)| MorphError::Vulkan {
            call: "vkCreateComputePipelines",
            result,
        })
}
