//! A compute pipeline of one set, for the kernels that only tests have.

use ash::vk;
use morph_render::HeadlessDevice;
use morph_tests::spirv::committed_module;

/// The pipeline with its layouts.
pub(crate) struct ComputeKernel<'a> {
    device: &'a HeadlessDevice,
    kinds: Vec<vk::DescriptorType>,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
}

impl<'a> ComputeKernel<'a> {
    /// `kinds`: what is bound, from binding 0 on; `params_bytes`: bytes of push constants.
    pub(crate) fn new(
        device: &'a HeadlessDevice,
        module: &str,
        kinds: &[vk::DescriptorType],
        params_bytes: u32,
    ) -> ComputeKernel<'a> {
        let functions = device.device();
        let stages = vk::ShaderStageFlags::COMPUTE;
        let bindings: Vec<_> = (0..)
            .zip(kinds)
            .map(|(binding, &kind)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(kind)
                    .descriptor_count(1)
                    .stage_flags(stages)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: the device is alive, as it is for all of these.
        let set_layout = unsafe { functions.create_descriptor_set_layout(&info, None) }.unwrap();
        let set_layouts = [set_layout];
        let ranges = [vk::PushConstantRange::default()
            .stage_flags(stages)
            .size(params_bytes)];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&set_layouts)
            .push_constant_ranges(&ranges);
        // SAFETY: the set layout was made just now.
        let layout = unsafe { functions.create_pipeline_layout(&info, None) }.unwrap();
        let code: Vec<u32> = committed_module(module)
            .chunks_exact(4)
            .map(bytemuck::pod_read_unaligned)
            .collect();
        let info = vk::ShaderModuleCreateInfo::default().code(&code);
        // SAFETY: the module went through spirv-val when it was compiled.
        let module = unsafe { functions.create_shader_module(&info, None) }.unwrap();
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(stages)
            .module(module)
            .name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(layout)];
        // SAFETY: module and layout were made just now.
        let made = unsafe { functions.create_compute_pipelines(vk::PipelineCache::null(), &info, None) };
        // SAFETY: a pipeline keeps no hold on its module.
        unsafe { functions.destroy_shader_module(module, None) };
        ComputeKernel {
            device,
            kinds: kinds.to_vec(),
            set_layout,
            layout,
            pipeline: made.unwrap()[0],
        }
    }

    /// A pool with room for one set of the kernel, and the set.
    pub(crate) fn allocate_set(&self) -> (vk::DescriptorPool, vk::DescriptorSet) {
        let functions = self.device.device();
        let sizes: Vec<_> = self
            .kinds
            .iter()
            .map(|&ty| vk::DescriptorPoolSize {
                ty,
                descriptor_count: 1,
            })
            .collect();
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(1)
            .pool_sizes(&sizes);
        // SAFETY: the device is alive.
        let pool = unsafe { functions.create_descriptor_pool(&info, None) }.unwrap();
        let set_layouts = [self.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&set_layouts);
        // SAFETY: the pool was made for one set of this layout.
        let set = unsafe { functions.allocate_descriptor_sets(&info) }.unwrap()[0];
        (pool, set)
    }

    /// Binds the kernel with its set and parameters, and runs so many workgroups.
    pub(crate) fn dispatch(
        &self,
        commands: vk::CommandBuffer,
        set: vk::DescriptorSet,
        params: &[u8],
        group_count: u32,
    ) {
        let functions = self.device.device();
        let point = vk::PipelineBindPoint::COMPUTE;
        // SAFETY: the command buffer is recording, as for the calls below; all objects outlive the submit.
        unsafe { functions.cmd_bind_pipeline(commands, point, self.pipeline) };
        // SAFETY: the set is of the pipeline's layout.
        unsafe { functions.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[set], &[]) };
        let stages = vk::ShaderStageFlags::COMPUTE;
        // SAFETY: the layout has these bytes.
        unsafe { functions.cmd_push_constants(commands, self.layout, stages, 0, params) };
        // SAFETY: the kernels leave what is past the last element alone.
        unsafe { functions.cmd_dispatch(commands, group_count, 1, 1) };
    }
}

impl Drop for ComputeKernel<'_> {
    fn drop(&mut self) {
        let functions = self.device.device();
        // SAFETY: every submit was waited for, and the handle is this value's own, as for those below.
        unsafe { functions.destroy_pipeline(self.pipeline, None) };
        // SAFETY: as above.
        unsafe { functions.destroy_pipeline_layout(self.layout, None) };
        // SAFETY: as above.
        unsafe { functions.destroy_descriptor_set_layout(self.set_layout, None) };
    }
}
