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
//! - [`Deformer`] runs the morph pre-pass on such a device, frame by frame, and reads morphed vertices back.
//!
//! The renderer reads plain `vk::Buffer`s with first vertex numbers, so it does not care who wrote the vertices.
//!
//! # Coordinates
//! World and view space are right-handed with y up; the camera looks along -z of view space.
//! Clip space is Vulkan's: y down, depth 0 (near) to 1 (far).
//! Counterclockwise triangles face the viewer.

mod camera;
mod capture;
mod deformer;
mod descriptors;
mod device;
mod digits;
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
mod pipelines;
mod recorder;
mod renderer;
mod scene;
mod submit;
mod sync;
mod targets;
mod validation;

pub use camera::{Camera, head_bounds};
pub use capture::Plane;
pub use deformer::{DeformError, Deformer, DeformerDesc, device_facts, pass_desc, raw_memory, unpack};
pub use device::{HeadlessDesc, HeadlessDevice};
pub use drivers::{DriverInfo, list_drivers};
pub use error::{CaptureError, DeviceError, RenderError};
pub use features::Feature;
pub use frame::{Background, DrawItem, Frame, KeyLight, Material, Pass, PassSet, UnknownPass, ViewMatrices};
pub use memory::{Buffer, BufferDesc, MemoryPlace, readback, upload};
pub use renderer::{Renderer, RendererDesc};
pub use scene::upload_indices;
pub use validation::{
    MESSAGE_FILTERS, MessageFilter, MessageLog, Severity, ValidationDesc, ValidationLayer, ValidationMessage,
};
