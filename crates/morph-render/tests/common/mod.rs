//! Drivers to run on, shapes to draw, and a scene that draws them.

#![allow(dead_code, reason = "each test program takes what it needs")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::io::Write as _;
use std::sync::Once;

use ash::vk;
use glam::{Mat4, Vec3};
use morph_core::{Aabb, VertexLayout};
use morph_render::{
    Background, Buffer, DeviceError, DrawItem, DriverInfo, Feature, Frame, HeadlessDesc, HeadlessDevice,
    KeyLight, Material, PassSet, Renderer, RendererDesc, ValidationDesc, ViewMatrices, list_drivers, upload,
    upload_indices,
};

/// Says something even where the test program keeps what tests print to itself.
pub(crate) fn say(text: &str) {
    // Not `eprintln`, which the test harness catches.
    let line = format!("{text}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

/// Every device that is here.
///
/// The two software drivers that this crate is made for are missed aloud, once; without any device the test fails with
/// the line that installs one.
pub(crate) fn drivers() -> Vec<DriverInfo> {
    static MISSED: Once = Once::new();
    let found = list_drivers().unwrap_or_else(|error| panic!("{error}"));
    MISSED.call_once(|| {
        if !found.iter().any(DriverInfo::is_lavapipe) {
            say("NOT RUN on lavapipe, which is not here: apt-get install mesa-vulkan-drivers");
        }
        if !found.iter().any(DriverInfo::is_swiftshader) {
            say(
                "NOT RUN on SwiftShader, which is not here: apt-get install chromium-common, and set \
                 VK_ADD_DRIVER_FILES=/usr/lib/chromium/vk_swiftshader_icd.json",
            );
        }
    });
    assert!(
        !found.is_empty(),
        "no driver is here: apt-get install mesa-vulkan-drivers"
    );
    found
}

/// Runs a test on every driver, under the validation layer, and fails on any message.
pub(crate) fn on_every_driver(test: impl Fn(&HeadlessDevice)) {
    for driver in drivers() {
        let device = open(&driver, &[]);
        let log = device.message_log();
        test(&device);
        drop(device);
        // Only now, so that messages about the end of objects count as well.
        let messages: Vec<String> = log.messages().iter().map(ToString::to_string).collect();
        assert!(messages.is_empty(), "{driver}:\n{}", messages.join("\n"));
    }
}

/// A device on this driver, under the validation layer where it is here.
pub(crate) fn open(driver: &DriverInfo, required: &[Feature]) -> HeadlessDevice {
    let desc = HeadlessDesc {
        driver: Some(driver.device_name.clone()),
        validation: Some(ValidationDesc::SYNCHRONIZATION),
        required: required.to_vec(),
        second_queue: false,
        watch: None,
    };
    match HeadlessDevice::new(&desc) {
        Err(error @ DeviceError::NoValidationLayer { .. }) => {
            static MISSED: Once = Once::new();
            MISSED.call_once(|| say(&format!("NOT VALIDATED: {error}")));
            HeadlessDevice::new(&HeadlessDesc {
                validation: None,
                ..desc
            })
            .unwrap()
        }
        device => device.unwrap_or_else(|error| panic!("{error}")),
    }
}

/// Triangles with a normal a vertex.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shape {
    pub positions: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    pub indices: Vec<u32>,
}

impl Shape {
    /// A box around the origin, four vertices a face.
    pub(crate) fn cuboid(half: Vec3) -> Self {
        let mut shape = Self::default();
        for normal in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
            let right = if normal.y == 0.0 {
                Vec3::Y.cross(normal)
            } else {
                Vec3::X
            };
            let up = normal.cross(right);
            shape.quad(normal, right, up, half);
        }
        shape
    }

    /// A rectangle that faces +z.
    pub(crate) fn rectangle(half: Vec3) -> Self {
        let mut shape = Self::default();
        shape.quad(Vec3::Z, Vec3::X, Vec3::Y, half);
        shape
    }

    fn quad(&mut self, normal: Vec3, right: Vec3, up: Vec3, half: Vec3) {
        let first = self.positions.len() as u32;
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            self.positions.push((normal + right * x + up * y) * half);
            self.normals.push(normal);
        }
        self.indices
            .extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
    }

    /// A ball of this many rings.
    pub(crate) fn ball(radius: f32, rings: u32) -> Self {
        let mut shape = Self::default();
        let sectors = rings * 2;
        for ring in 0..=rings {
            let (y, across) = {
                let angle = std::f32::consts::PI * ring as f32 / rings as f32;
                (angle.cos(), angle.sin())
            };
            for sector in 0..=sectors {
                let angle = std::f32::consts::TAU * sector as f32 / sectors as f32;
                let normal = Vec3::new(across * angle.sin(), y, across * angle.cos());
                shape.positions.push(normal * radius);
                shape.normals.push(normal);
            }
        }
        for ring in 0..rings {
            for sector in 0..sectors {
                let at = ring * (sectors + 1) + sector;
                let below = at + sectors + 1;
                shape
                    .indices
                    .extend([at, below, below + 1, at, below + 1, at + 1]);
            }
        }
        shape
    }

    pub(crate) fn map(mut self, map: impl Fn(Vec3) -> Vec3) -> Self {
        for position in &mut self.positions {
            *position = map(*position);
        }
        self
    }

    pub(crate) fn with_normals(mut self, normal: Vec3) -> Self {
        self.normals.fill(normal);
        self
    }

    pub(crate) fn vertex_count(&self) -> u32 {
        self.positions.len() as u32
    }

    /// The vertices as bytes; what no attribute covers is 0xAB.
    pub(crate) fn bytes(&self, layout: &VertexLayout) -> Vec<u8> {
        let stride = layout.vertex_bytes() as usize;
        let mut bytes = vec![0xAB; stride * self.positions.len()];
        for (index, vertex) in bytes.chunks_exact_mut(stride).enumerate() {
            let mut put = |offset: u32, value: Vec3| {
                for (component, target) in value
                    .to_array()
                    .iter()
                    .zip(vertex[offset as usize..].chunks_exact_mut(4))
                {
                    target.copy_from_slice(&component.to_le_bytes());
                }
            };
            put(layout.position.offset, self.positions[index]);
            if let Some(place) = layout.normal {
                put(place.offset, self.normals[index]);
            }
        }
        bytes
    }
}

/// Ranges of vertices in one buffer, and their indices in another.
///
/// Every range stands behind a gap that no draw may touch, so a wrong first vertex does not go unseen.
pub(crate) struct Meshes {
    pub vertices: Buffer,
    pub indices: Buffer,
    ranges: Vec<Range>,
}

struct Range {
    first_vertex: u32,
    vertex_count: u32,
    first_index: u32,
    index_count: u32,
}

const GAP_VERTICES: u32 = 5;

impl Meshes {
    pub(crate) fn new(device: &HeadlessDevice, layout: &VertexLayout, shapes: &[&Shape]) -> Self {
        let mut bytes = Vec::new();
        let mut indices = Vec::new();
        let mut ranges = Vec::new();
        for shape in shapes {
            bytes.extend(vec![0xCD; (GAP_VERTICES * layout.vertex_bytes()) as usize]);
            ranges.push(Range {
                first_vertex: bytes.len() as u32 / layout.vertex_bytes(),
                vertex_count: shape.vertex_count(),
                first_index: indices.len() as u32,
                index_count: shape.indices.len() as u32,
            });
            bytes.extend(shape.bytes(layout));
            indices.extend(&shape.indices);
        }
        let usage = vk::BufferUsageFlags::VERTEX_BUFFER;
        Self {
            vertices: upload(device, "test vertices", &bytes, usage).unwrap(),
            indices: upload_indices(device, "test indices", &indices).unwrap(),
            ranges,
        }
    }

    /// Draws a shape that stands still.
    pub(crate) fn item(&self, shape: usize) -> DrawItem {
        self.moving(shape, shape)
    }

    /// Draws a shape that was another one of the same kind one frame ago.
    pub(crate) fn moving(&self, shape: usize, previous: usize) -> DrawItem {
        let range = &self.ranges[shape];
        DrawItem {
            vertex_buffer: self.vertices.handle(),
            current_first_vertex: range.first_vertex,
            previous_first_vertex: self.ranges[previous].first_vertex,
            vertex_count: range.vertex_count,
            index_buffer: self.indices.handle(),
            first_index: range.first_index,
            index_count: range.index_count,
            model: Mat4::IDENTITY,
            previous_model: Mat4::IDENTITY,
            material: Material::CLAY,
            placement: None,
        }
    }
}

/// The box in which the tests play.
pub(crate) const STAGE: Aabb = Aabb {
    min: [-2.0; 3],
    max: [2.0; 3],
};

/// An orthographic camera on +z that shows x and y from -2 to 2: a picture of 4n samples has n samples a unit.
pub(crate) fn straight_view() -> ViewMatrices {
    let view = glam::camera::rh::view::look_to_mat4(Vec3::new(0.0, 0.0, 4.0), Vec3::NEG_Z, Vec3::Y);
    let projection = glam::camera::rh::proj::vulkan::orthographic(-2.0, 2.0, -2.0, 2.0, 1.0, 7.0);
    ViewMatrices {
        view,
        projection,
        previous_view_projection: projection * view,
    }
}

/// A frame on the stage, lit straight from the camera.
pub(crate) fn frame(items: &[DrawItem]) -> Frame<'_> {
    Frame {
        view: straight_view(),
        light: KeyLight {
            direction: Vec3::NEG_Z,
            color: [1.0; 3],
            shadow_bounds: STAGE,
        },
        background: Background::BLACK,
        items,
        passes: PassSet::ALL,
    }
}

/// One sample a pixel, so that pixels can be counted.
pub(crate) fn exact(extent: (u32, u32), layout: VertexLayout) -> RendererDesc {
    RendererDesc {
        supersampling: 1,
        shadow_map_size: 256,
        ..RendererDesc::new(extent, layout)
    }
}

/// Records a frame, submits it and waits.
pub(crate) fn draw(device: &HeadlessDevice, renderer: &mut Renderer, frame: &Frame<'_>) {
    device
        .submit_once("test frame", |commands| {
            // SAFETY: the command buffer is recording; the buffers live until the submit was waited for; uploads are
            // visible to everything.
            unsafe { renderer.record(commands, frame) };
        })
        .unwrap();
}
