//! The compute pipelines: one module a kernel, its permutations by specialization constants.

use ash::vk;
use morph_core::Quantization;
use morph_core::plan::Kernel;

use crate::debug::DebugNames;
use crate::error::MorphError;
use crate::sets::BindingCounts;
use crate::shader_interface::{PUSH_CONSTANT_BYTES, bindings};

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

pub(crate) const QUANTIZATIONS: [Quantization; 3] =
    [Quantization::F32, Quantization::Half, Quantization::Snorm16];

/// A pipeline for every permutation, null where there is none.
#[derive(Debug, Default)]
pub(crate) struct PipelineTable([[vk::Pipeline; QUANTIZATIONS.len()]; Kernel::ALL.len()]);

impl PipelineTable {
    pub(crate) fn get(&self, kernel: Kernel, quantization: Quantization) -> Option<vk::Pipeline> {
        let quantization = QUANTIZATIONS.iter().position(|it| *it == quantization)?;
        let pipeline = self.0[kernel as usize][quantization];
        (pipeline != vk::Pipeline::null()).then_some(pipeline)
    }

    pub(crate) fn set(&mut self, kernel: Kernel, quantization: Quantization, pipeline: vk::Pipeline) {
        if let Some(index) = QUANTIZATIONS.iter().position(|it| *it == quantization) {
            self.0[kernel as usize][index] = pipeline;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().flatten().all(|it| *it == vk::Pipeline::null())
    }

    /// # Safety
    ///
    /// The device must be live and done with every pipeline.
    pub(crate) unsafe fn destroy(self, device: &ash::Device) {
        for pipeline in self.0.into_iter().flatten() {
            // SAFETY: the caller vouches that the device is done with it; null is allowed.
            unsafe { device.destroy_pipeline(pipeline, None) };
        }
    }
}

/// The layouts, the pipelines in use, and those that frames still in flight may use.
#[derive(Debug)]
pub(crate) struct Pipelines {
    pub(crate) set_layout: vk::DescriptorSetLayout,
    pub(crate) layout: vk::PipelineLayout,
    current: PipelineTable,
    /// With the last frame that may use them.
    retired: Vec<(PipelineTable, u64)>,
}

impl Pipelines {
    /// Makes the layouts with the first bindings, and no pipeline yet.
    ///
    /// # Safety
    ///
    /// `device` must be live.
    pub(crate) unsafe fn new(
        device: &ash::Device,
        names: &DebugNames,
        counts: BindingCounts,
    ) -> Result<Pipelines, MorphError> {
        let entries: Vec<_> = (0..counts.bindings)
            .map(|binding| {
                let count = if binding == bindings::OUTPUT {
                    counts.streams
                } else {
                    1
                };
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .descriptor_count(count)
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
            current: PipelineTable::default(),
            retired: Vec::new(),
        })
    }

    /// The pipeline of a permutation, where it was built.
    pub(crate) fn get(&self, kernel: Kernel, quantization: Quantization) -> Option<vk::Pipeline> {
        self.current.get(kernel, quantization)
    }

    /// Whether every permutation of these kernels was built.
    pub(crate) fn ready(&self, kernels: &[Kernel]) -> bool {
        kernels
            .iter()
            .all(|kernel| QUANTIZATIONS.iter().all(|it| self.get(*kernel, *it).is_some()))
    }

    /// Uses these from now on; those before are kept until the device is done with `last_frame`.
    pub(crate) fn replace(&mut self, table: PipelineTable, last_frame: u64) {
        let before = std::mem::replace(&mut self.current, table);
        if !before.is_empty() {
            self.retired.push((before, last_frame));
        }
    }

    /// Destroys what no frame behind `completed_frame` uses.
    ///
    /// # Safety
    ///
    /// `device` must be the live device of `new`, and done with `completed_frame` and all before it.
    pub(crate) unsafe fn destroy_retired(&mut self, device: &ash::Device, completed_frame: u64) {
        for (table, _) in self
            .retired
            .extract_if(.., |(_, frame)| *frame <= completed_frame)
        {
            // SAFETY: the caller vouches that the device is done with the last frame that may use them.
            unsafe { table.destroy(device) };
        }
    }

    /// # Safety
    ///
    /// The device must be done with every pipeline, and this must not be called twice.
    pub(crate) unsafe fn destroy(&mut self, device: &ash::Device) {
        // SAFETY: the caller vouches that the device is done.
        unsafe { self.destroy_retired(device, u64::MAX) };
        // SAFETY: as above.
        unsafe { std::mem::take(&mut self.current).destroy(device) };
        // SAFETY: the pipelines are gone.
        unsafe { device.destroy_pipeline_layout(self.layout, None) };
        // SAFETY: the pipeline layout is gone and the sets are the pool's.
        unsafe { device.destroy_descriptor_set_layout(self.set_layout, None) };
    }
}
