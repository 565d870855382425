//! The test kernels of the placement table on a device: a table, vertices in, placed vertices out.

use ash::vk;
use morph_render::{Buffer, BufferDesc, HeadlessDevice, MemoryPlace, readback, upload};

use crate::compute_kernel::ComputeKernel;

/// How the kernel reads the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Buffer,
    Texture,
    Combined,
}

impl Form {
    pub(crate) const ALL: [Form; 3] = [Form::Buffer, Form::Texture, Form::Combined];

    pub(crate) fn module(self) -> &'static str {
        match self {
            Form::Buffer => "place_buffer",
            Form::Texture => "place_texture",
            Form::Combined => "place_combined",
        }
    }

    fn descriptor(self) -> vk::DescriptorType {
        match self {
            Form::Buffer => vk::DescriptorType::STORAGE_BUFFER,
            Form::Texture => vk::DescriptorType::SAMPLED_IMAGE,
            Form::Combined => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        }
    }
}

/// The push constants of the kernel, words all of them.
const PARAM_COUNT: usize = 5;

/// What the kernel is told of a table, which need not be what a `PlacementTable` would say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundTable<'a> {
    pub(crate) words: &'a [u32],
    pub(crate) first_word: u32,
    pub(crate) row_count: u32,
    pub(crate) stride: u32,
    pub(crate) width: u32,
}

/// A vertex, before or after.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex {
    pub(crate) submesh: u32,
    pub(crate) position: [f32; 3],
    pub(crate) normal: [f32; 3],
}

/// The pipeline of one form.
pub(crate) struct PlaceKernel<'a> {
    device: &'a HeadlessDevice,
    form: Form,
    kernel: ComputeKernel<'a>,
    sampler: vk::Sampler,
}

impl<'a> PlaceKernel<'a> {
    pub(crate) fn new(device: &'a HeadlessDevice, form: Form) -> PlaceKernel<'a> {
        let kernel = ComputeKernel::new(device, form.module(), &descriptors(form), PARAM_COUNT as u32 * 4);
        let info = vk::SamplerCreateInfo::default();
        // SAFETY: the device is alive.
        let sampler = unsafe { device.device().create_sampler(&info, None) }.unwrap();
        PlaceKernel {
            device,
            form,
            kernel,
            sampler,
        }
    }

    /// Places every vertex on the device.
    pub(crate) fn place(&self, table: BoundTable<'_>, vertices: &[Vertex]) -> Vec<Vertex> {
        let inputs: Vec<u32> = vertices
            .iter()
            .flat_map(|vertex| {
                let floats = [vertex.position, vertex.normal].concat();
                std::iter::once(vertex.submesh).chain(floats.into_iter().map(f32::to_bits))
            })
            .collect();
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let input = upload(self.device, "vertices", &to_bytes(&inputs), usage).unwrap();
        let output = Buffer::new(
            self.device,
            &BufferDesc {
                name: "placed vertices",
                size_bytes: vertices.len() as u64 * 24,
                usage: usage | vk::BufferUsageFlags::TRANSFER_SRC,
                place: MemoryPlace::Device,
            },
        )
        .unwrap();
        let usage = usage | vk::BufferUsageFlags::TRANSFER_SRC;
        let words = upload(self.device, "placement table", &to_bytes(table.words), usage).unwrap();
        let image = (self.form != Form::Buffer).then(|| TableImage::new(self.device, table, &words));

        let vertex_count = vertices.len() as u32;
        let params = [
            table.first_word,
            table.row_count,
            table.stride,
            table.width,
            vertex_count,
        ];
        self.dispatch(&words, image.as_ref(), [&input, &output], params);
        // SAFETY: the buffer is the device's own, can be copied from, and is read as a whole.
        let bytes = unsafe { readback(self.device, output.handle(), 0, output.size_bytes()) }.unwrap();
        let results = to_words(&bytes);
        let (results, _) = results.as_chunks::<6>();
        vertices
            .iter()
            .zip(results)
            .map(|(vertex, result)| {
                let [x, y, z, nx, ny, nz] = result.map(f32::from_bits);
                Vertex {
                    position: [x, y, z],
                    normal: [nx, ny, nz],
                    ..*vertex
                }
            })
            .collect()
    }

    fn dispatch(
        &self,
        table: &Buffer,
        image: Option<&TableImage<'_>>,
        vertices: [&Buffer; 2],
        params: [u32; PARAM_COUNT],
    ) {
        let functions = self.device.device();
        let (pool, set) = self.kernel.allocate_set();
        let buffers = [table, vertices[0], vertices[1]].map(|buffer| {
            [vk::DescriptorBufferInfo::default()
                .buffer(buffer.handle())
                .range(vk::WHOLE_SIZE)]
        });
        let images = [vk::DescriptorImageInfo {
            sampler: self.sampler,
            image_view: image.map_or(vk::ImageView::null(), |image| image.view),
            image_layout: vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
        }];
        let mut writes = Vec::new();
        for ((binding, kind), buffer) in (0..).zip(descriptors(self.form)).zip(&buffers) {
            let write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding)
                .descriptor_type(kind);
            writes.push(if kind == vk::DescriptorType::STORAGE_BUFFER {
                write.buffer_info(buffer)
            } else {
                write.image_info(&images)
            });
        }
        // SAFETY: set, buffers and view are alive, and nothing uses the set yet.
        unsafe { functions.update_descriptor_sets(&writes, &[]) };
        self.device
            .submit_once("place", |commands| {
                let group_count = params[4].div_ceil(64);
                self.kernel
                    .dispatch(commands, set, &to_bytes(&params), group_count);
            })
            .unwrap();
        // SAFETY: the submit was waited for.
        unsafe { functions.destroy_descriptor_pool(pool, None) };
    }
}

impl Drop for PlaceKernel<'_> {
    fn drop(&mut self) {
        // SAFETY: every submit was waited for, and the sampler is this value's own.
        unsafe { self.device.device().destroy_sampler(self.sampler, None) };
    }
}

/// The table as an image of format R32_UINT.
struct TableImage<'a> {
    device: &'a HeadlessDevice,
    image: vk::Image,
    memory: vk::DeviceMemory,
    view: vk::ImageView,
}

impl<'a> TableImage<'a> {
    fn new(device: &'a HeadlessDevice, table: BoundTable<'_>, words: &Buffer) -> TableImage<'a> {
        let functions = device.device();
        let extent = vk::Extent3D {
            width: table.width,
            height: table.words.len() as u32 / table.width,
            depth: 1,
        };
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(vk::Format::R32_UINT)
            .extent(extent)
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST);
        // SAFETY: the device is alive, as it is for all of these.
        let image = unsafe { functions.create_image(&info, None) }.unwrap();
        // SAFETY: the image was made just now.
        let needs = unsafe { functions.get_image_memory_requirements(image) };
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(needs.memory_type_bits.trailing_zeros());
        // SAFETY: the memory type is one of those that the image allows.
        let memory = unsafe { functions.allocate_memory(&info, None) }.unwrap();
        // SAFETY: the memory fits and is bound once.
        unsafe { functions.bind_image_memory(image, memory, 0) }.unwrap();
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(1);
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(vk::Format::R32_UINT)
            .subresource_range(range);
        // SAFETY: the image has its memory.
        let view = unsafe { functions.create_image_view(&info, None) }.unwrap();
        let turn = |commands, from, to| {
            let barriers = [vk::ImageMemoryBarrier2::default()
                .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
                .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
                .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
                .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
                .old_layout(from)
                .new_layout(to)
                .image(image)
                .subresource_range(range)];
            let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
            // SAFETY: the command buffer is recording outside of a rendering.
            unsafe { functions.cmd_pipeline_barrier2(commands, &info) };
        };
        let copied = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        device
            .submit_once("upload table", |commands| {
                turn(commands, vk::ImageLayout::UNDEFINED, copied);
                let layers = vk::ImageSubresourceLayers::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .layer_count(1);
                let region = [vk::BufferImageCopy::default()
                    .image_subresource(layers)
                    .image_extent(extent)];
                // SAFETY: the buffer holds a word for every texel, and the image is in this layout.
                unsafe {
                    functions.cmd_copy_buffer_to_image(commands, words.handle(), image, copied, &region);
                };
                turn(commands, copied, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
            })
            .unwrap();
        TableImage {
            device,
            image,
            memory,
            view,
        }
    }
}

impl Drop for TableImage<'_> {
    fn drop(&mut self) {
        let functions = self.device.device();
        // SAFETY: every submit was waited for, and the handle is this value's own, as for those below.
        unsafe { functions.destroy_image_view(self.view, None) };
        // SAFETY: as above.
        unsafe { functions.destroy_image(self.image, None) };
        // SAFETY: the image is gone.
        unsafe { functions.free_memory(self.memory, None) };
    }
}

/// The descriptors of the set: table, vertices in, vertices out.
fn descriptors(form: Form) -> [vk::DescriptorType; 3] {
    let buffer = vk::DescriptorType::STORAGE_BUFFER;
    [form.descriptor(), buffer, buffer]
}

fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn to_words(bytes: &[u8]) -> Vec<u32> {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}
