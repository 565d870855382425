//! Where the figure is seen: camera, light, background, and one picture of it.

use glam::{Mat4, Vec3};
use image::RgbImage;
use morph_core::{Aabb, VertexLayout};
use morph_render::{
    Background, Buffer, Camera, DrawItem, Frame, HeadlessDevice, KeyLight, Pass, PassSet, Renderer,
    RendererDesc, head_bounds, upload_indices,
};
use morph_vk::VertexRange;

use super::figure::Figure;
use super::sheet::opaque;

/// From the face toward the camera: a little to one side and above, so that noses and lips have depth.
pub const TOWARD_CAMERA: Vec3 = Vec3::new(0.18, 0.03, 1.0);

/// From the upper left, as the viewer sees it, and from the front.
const LIGHT_TRAVELS: Vec3 = Vec3::new(0.58, -0.42, -1.0);

/// The stage with a figure's indices on the device.
#[derive(Debug)]
pub struct Stage {
    device: HeadlessDevice,
    layout: VertexLayout,
    indices: Buffer,
    runs: Vec<(u32, u32, morph_render::Material)>,
    camera_box: Aabb,
    light: KeyLight,
    occlusion_radius: f32,
}

/// A renderer for pictures of one size.
#[derive(Debug)]
pub struct Easel {
    renderer: Renderer,
    view: morph_render::ViewMatrices,
}

impl Stage {
    /// Sets the stage for a figure; `reach` is a box around everything that it will do.
    pub fn new(
        device: &HeadlessDevice,
        figure: &Figure,
        layout: VertexLayout,
        reach: &Aabb,
    ) -> anyhow::Result<Self> {
        let (indices, runs) = figure.index_runs();
        let runs = runs
            .iter()
            .zip(&figure.parts)
            .map(|(&(first, count), part)| (first, count, part.material))
            .collect();
        let camera_box = figure.focus.unwrap_or_else(|| head_bounds(&figure.positions()));
        let side = (0..3)
            .map(|axis| camera_box.max[axis] - camera_box.min[axis])
            .fold(0.0, f32::max);
        // Only what is near the picture casts shadows into it, and a small box makes a sharp shadow map.
        let margin = side * 0.25;
        let shadow_bounds = Aabb {
            min: std::array::from_fn(|axis| (camera_box.min[axis] - margin).max(reach.min[axis] - margin)),
            max: std::array::from_fn(|axis| (camera_box.max[axis] + margin).min(reach.max[axis] + margin)),
        };
        Ok(Self {
            device: device.clone(),
            layout,
            indices: upload_indices(device, "figure indices", &indices)?,
            runs,
            camera_box,
            light: KeyLight {
                direction: LIGHT_TRAVELS,
                color: [1.05, 0.98, 0.90],
                shadow_bounds,
            },
            occlusion_radius: side * 0.06,
        })
    }

    /// Makes the images and pipelines for pictures of a size.
    pub fn easel(&self, extent: (u32, u32)) -> anyhow::Result<Easel> {
        let aspect = Camera::aspect_ratio(extent);
        let camera = Camera::framing(&self.camera_box, TOWARD_CAMERA, Camera::PORTRAIT_FOV, aspect);
        let desc = RendererDesc {
            occlusion_radius: self.occlusion_radius,
            ..RendererDesc::new(extent, self.layout)
        };
        Ok(Easel {
            renderer: Renderer::new(&self.device, &desc)?,
            view: camera.matrices(aspect),
        })
    }

    /// Draws the vertices of one instance in the passes asked for.
    ///
    /// `vertices` is the buffer that `range` lies in; the frame that wrote it was submitted before.
    pub fn draw(
        &self,
        easel: &mut Easel,
        vertices: ash::vk::Buffer,
        range: VertexRange,
        passes: PassSet,
    ) -> anyhow::Result<()> {
        let items: Vec<DrawItem> = self
            .runs
            .iter()
            .map(|&(first_index, index_count, material)| DrawItem {
                vertex_buffer: vertices,
                current_first_vertex: range.current_first_vertex,
                previous_first_vertex: range.previous_first_vertex,
                vertex_count: range.vertex_count,
                index_buffer: self.indices.handle(),
                first_index,
                index_count,
                model: Mat4::IDENTITY,
                previous_model: Mat4::IDENTITY,
                material,
                placement: None,
            })
            .collect();
        let frame = Frame {
            view: easel.view,
            light: self.light,
            background: Background {
                top: [0.070, 0.078, 0.090],
                bottom: [0.016, 0.018, 0.022],
            },
            items: &items,
            passes,
        };
        let renderer = &mut easel.renderer;
        self.device.submit_once("demo picture", |commands| {
            // SAFETY: the command buffer is recording; buffers outlive the submit, which is waited for; the pre-pass
            // named vertex input among its readers, and uploads are visible to everything submitted later.
            unsafe { renderer.record(commands, &frame) }
        })?;
        Ok(())
    }
}

impl Easel {
    /// A pass of the frame that was drawn last.
    pub fn picture(&self, pass: Pass) -> anyhow::Result<RgbImage> {
        Ok(opaque(&self.renderer.read(pass)?))
    }
}
