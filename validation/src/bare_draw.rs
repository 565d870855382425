//! A draw that reads vertices and does nothing else: no barrier, no attachment, nothing rasterized.
//!
//! The barriers of a real renderer lie between its draws and the next frame's kernels, and order them by accident: a
//! control needs a reader that does not help.

use ash::vk;
use morph_core::VertexLayout;
use morph_render::HeadlessDevice;
use morph_vk::{MorphPass, vertex_attributes, vertex_bindings};
use rspirv::binary::Assemble as _;
use rspirv::dr::{Builder, Operand};
use rspirv::spirv;

use crate::rig::RigError;

/// The pipeline of the draw.
pub struct BareDraw {
    device: HeadlessDevice,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
}

impl std::fmt::Debug for BareDraw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BareDraw").finish_non_exhaustive()
    }
}

fn call(call: &'static str) -> impl Fn(vk::Result) -> RigError {
    move |result| RigError::Vulkan { call, result }
}

impl BareDraw {
    /// Makes the pipeline for vertices of a layout.
    ///
    /// # Errors
    /// A failed Vulkan call.
    pub fn new(device: &HeadlessDevice, layout: &VertexLayout) -> Result<BareDraw, RigError> {
        let functions = device.device();
        let info = vk::PipelineLayoutCreateInfo::default();
        // SAFETY: the device is alive.
        let pipeline_layout = unsafe { functions.create_pipeline_layout(&info, None) }
            .map_err(call("vkCreatePipelineLayout"))?;
        // From here on `Drop` cleans up after a failure.
        let mut draw = BareDraw {
            device: device.clone(),
            layout: pipeline_layout,
            pipeline: vk::Pipeline::null(),
        };
        let words = vertex_shader(layout.attributes().count() as u32);
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: the module was assembled above and is valid.
        let module =
            unsafe { functions.create_shader_module(&info, None) }.map_err(call("vkCreateShaderModule"))?;
        let made = draw.make_pipeline(layout, module);
        // SAFETY: pipelines keep no hold on their module.
        unsafe { functions.destroy_shader_module(module, None) };
        draw.pipeline = made?;
        Ok(draw)
    }

    fn make_pipeline(
        &self,
        layout: &VertexLayout,
        module: vk::ShaderModule,
    ) -> Result<vk::Pipeline, RigError> {
        let stages = [vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::VERTEX)
            .module(module)
            .name(c"main")];
        let bindings = vertex_bindings(layout);
        let mut attributes = vertex_attributes(layout);
        for attribute in &mut attributes {
            // One format of ours is not every device's: then its word is read as a float.
            if !self.can_read(attribute.format) {
                attribute.format = vk::Format::R32_SFLOAT;
            }
        }
        let vertex_input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let rasterization = vk::PipelineRasterizationStateCreateInfo::default()
            .rasterizer_discard_enable(true)
            .line_width(1.0);
        let mut rendering = vk::PipelineRenderingCreateInfo::default();
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&vertex_input)
            .input_assembly_state(&assembly)
            .rasterization_state(&rasterization)
            .layout(self.layout)
            .push_next(&mut rendering);
        let functions = self.device.device();
        // SAFETY: everything that the structs point to lives until the call returns; with rasterizer discard no other
        // state is needed.
        let pipelines =
            unsafe { functions.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
        pipelines
            .map(|pipelines| pipelines[0])
            .map_err(|(_, result)| call("vkCreateGraphicsPipelines")(result))
    }

    fn can_read(&self, format: vk::Format) -> bool {
        let instance = self.device.instance();
        // SAFETY: the physical device belongs to the instance.
        let properties =
            unsafe { instance.get_physical_device_format_properties(self.device.physical_device(), format) };
        properties
            .buffer_features
            .contains(vk::FormatFeatureFlags::VERTEX_BUFFER)
    }

    /// Binds every stream of a pass once, and draws ranges: first vertex and number of vertices of each.
    ///
    /// # Safety
    /// `commands` is recording on the device, outside of a rendering; the pass is alive, draws the layout that this was
    /// made for, and has these vertices.
    pub unsafe fn record(&self, commands: vk::CommandBuffer, pass: &MorphPass, ranges: &[(u32, u32)]) {
        let functions = self.device.device();
        let area = vk::Rect2D {
            offset: vk::Offset2D::default(),
            extent: vk::Extent2D { width: 1, height: 1 },
        };
        let info = vk::RenderingInfo::default().render_area(area).layer_count(1);
        // SAFETY: the command buffer is recording; no attachment is named.
        unsafe { functions.cmd_begin_rendering(commands, &info) };
        // SAFETY: the pipeline is alive.
        unsafe { functions.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, self.pipeline) };
        let offsets: Vec<u64> = pass.vertex_streams().iter().map(|it| it.offset).collect();
        let buffers = vec![pass.geometry_buffer().buffer(); offsets.len()];
        // SAFETY: the caller vouches for the pass.
        unsafe { functions.cmd_bind_vertex_buffers(commands, 0, &buffers, &offsets) };
        for &(first_vertex, vertex_count) in ranges {
            // SAFETY: pipeline and vertices are bound.
            unsafe { functions.cmd_draw(commands, vertex_count, 1, first_vertex, 0) };
        }
        // SAFETY: behind the beginning above.
        unsafe { functions.cmd_end_rendering(commands) };
    }
}

impl Drop for BareDraw {
    fn drop(&mut self) {
        // A lost device is idle too.
        let _ = self.device.wait_idle();
        let functions = self.device.device();
        // SAFETY: the device is idle; null is allowed.
        unsafe { functions.destroy_pipeline(self.pipeline, None) };
        // SAFETY: as above.
        unsafe { functions.destroy_pipeline_layout(self.layout, None) };
    }
}

/// A vertex shader that reads so many attributes and passes on their sum, as words of SPIR-V.
fn vertex_shader(attribute_count: u32) -> Vec<u32> {
    let mut b = Builder::new();
    b.set_version(1, 3);
    b.capability(spirv::Capability::Shader);
    b.memory_model(spirv::AddressingModel::Logical, spirv::MemoryModel::GLSL450);
    let void = b.type_void();
    let float = b.type_float(32, None);
    // What a format lacks of four components is filled up.
    let vec4 = b.type_vector(float, 4);
    let input_pointer = b.type_pointer(None, spirv::StorageClass::Input, vec4);
    let output_pointer = b.type_pointer(None, spirv::StorageClass::Output, vec4);
    let inputs: Vec<u32> = (0..attribute_count)
        .map(|location| {
            let input = b.variable(input_pointer, None, spirv::StorageClass::Input, None);
            b.decorate(
                input,
                spirv::Decoration::Location,
                [Operand::LiteralBit32(location)],
            );
            input
        })
        .collect();
    let output = b.variable(output_pointer, None, spirv::StorageClass::Output, None);
    b.decorate(
        output,
        spirv::Decoration::BuiltIn,
        [Operand::BuiltIn(spirv::BuiltIn::Position)],
    );
    let zero = b.constant_bit32(float, 0.0_f32.to_bits());
    let nothing = b.constant_composite(vec4, [zero; 4]);
    let main_type = b.type_function(void, []);
    // The builder refuses instructions outside of a block; inside of one, as here, it has nothing to refuse.
    let main = b
        .begin_function(void, None, spirv::FunctionControl::NONE, main_type)
        .unwrap_or_default();
    let _ = b.begin_block(None);
    let mut sum = nothing;
    for input in &inputs {
        let value = b.load(vec4, None, *input, None, []).unwrap_or_default();
        sum = b.f_add(vec4, None, sum, value).unwrap_or_default();
    }
    let _ = b.store(output, sum, None, []);
    let _ = b.ret();
    let _ = b.end_function();
    let interface: Vec<u32> = inputs.into_iter().chain([output]).collect();
    b.entry_point(spirv::ExecutionModel::Vertex, main, "main", interface);
    b.module().assemble()
}
