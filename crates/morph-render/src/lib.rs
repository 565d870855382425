//! The small headless renderer of morph: four passes that cannot disagree.
//!
//! A depth pre-pass, a directional shadow map, motion vectors and forward color all bind the same range of one vertex
//! buffer, the one that the morph pre-pass wrote; motion vectors bind the range of the frame before beside it.
//! The sample program, the command line and the gold images use it.
//! It is not an engine: one light, no textures, no window.
//!
//! - [`HeadlessDevice`] finds a Vulkan device (a software driver will do), with the validation layer where asked.
//! - [`Renderer`] records a [`Frame`] into a command buffer and reads every [`Pass`] back as a picture or as numbers.
//! - [`Camera`] frames a model or its head; [`upload`] and [`upload_indices`] get a mesh onto the device.
//!
//! - [`DrawItem::placement`] moves the submeshes of a draw by a table, in every pass and in the motion vectors.
//! - [`Deformer`] runs the morph pre-pass on such a device, frame by frame, and reads morphed vertices back.
//!
//! The renderer reads plain `vk::Buffer`s with first vertex numbers, so it does not care who wrote the vertices.
//!
//! ```no_run
//! use ash::vk;
//! use glam::{Mat4, Vec3};
//! use morph_core::{Aabb, VertexLayout};
//! use morph_render::{
//!     Background, Camera, DrawItem, Frame, HeadlessDesc, HeadlessDevice, KeyLight, Material, Pass, PassSet, Renderer,
//!     RendererDesc, upload, upload_indices,
//! };
//!
//! let device = HeadlessDevice::new(&HeadlessDesc::default())?;
//! let triangle: [f32; 9] = [-1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 0.0, 1.0, 0.0];
//! let vertices =
//!     upload(&device, "triangle", bytemuck::bytes_of(&triangle), vk::BufferUsageFlags::VERTEX_BUFFER)?;
//! let indices = upload_indices(&device, "triangle", &[0, 1, 2])?;
//! let mut renderer = Renderer::new(&device, &RendererDesc::new((512, 512), VertexLayout::POSITION))?;
//!
//! let bounds = Aabb { min: [-1.0, -1.0, 0.0], max: [1.0, 1.0, 0.0] };
//! let item = DrawItem {
//!     vertex_buffer: vertices.handle(),
//!     current_first_vertex: 0,
//!     previous_first_vertex: 0,
//!     vertex_count: 3,
//!     index_buffer: indices.handle(),
//!     first_index: 0,
//!     index_count: 3,
//!     model: Mat4::IDENTITY,
//!     previous_model: Mat4::IDENTITY,
//!     material: Material::CLAY,
//!     placement: None,
//! };
//! let frame = Frame {
//!     view: Camera::framing(&bounds, Vec3::Z, Camera::PORTRAIT_FOV, 1.0).matrices(1.0),
//!     light: KeyLight::portrait(bounds),
//!     background: Background::STUDIO,
//!     items: &[item],
//!     passes: PassSet::FOUR,
//! };
//! device.submit_once("frame", |commands| {
//!     // SAFETY: the command buffer is recording, the buffers outlive the submit, and uploads are visible.
//!     unsafe { renderer.record(commands, &frame) };
//! })?;
//! renderer.read(Pass::Color)?.save("triangle.png")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Coordinates
//! World and view space are right-handed with y up; the camera looks along -z of view space.
//! Clip space is Vulkan's: y down, depth 0 (near) to 1 (far).
//! Counterclockwise triangles face the viewer.

mod attachments;
mod camera;
mod capture;
mod deformer;
mod descriptors;
mod device;
mod digits;
mod draw;
mod drivers;
mod error;
mod features;
mod frame;
mod instance;
mod interface;
#[cfg(test)]
mod interface_test;
mod memory;
mod picture;
mod pipeline;
mod pipelines;
mod placement;
mod recorder;
mod renderer;
mod scene;
mod submit;
mod sync;
mod targets;
mod transfer;
mod validation;
mod watch;

pub use camera::{Camera, head_bounds};
pub use capture::Plane;
pub use deformer::{DeformError, Deformer, DeformerDesc, device_facts, pass_desc, raw_memory, unpack};
pub use device::{FamilyQueue, HeadlessDesc, HeadlessDevice};
pub use drivers::{DriverInfo, list_drivers};
pub use error::{CaptureError, DeviceError, RenderError};
pub use features::Feature;
pub use frame::{Background, DrawItem, Frame, KeyLight, Material, Pass, PassSet, UnknownPass, ViewMatrices};
pub use memory::{Buffer, BufferDesc, MemoryPlace};
pub use placement::{DrawPlacement, PlacementTables, TableRange, placed_positions};
pub use renderer::{Renderer, RendererDesc};
pub use scene::upload_indices;
pub use transfer::{readback, readback_ranges, upload};
pub use validation::{
    MESSAGE_FILTERS, MessageFilter, MessageLog, Severity, ValidationDesc, ValidationLayer, ValidationMessage,
};
pub use watch::DeviceWatch;
