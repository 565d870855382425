//! Morph targets on an engine's own Vulkan device.
//!
//! [`MorphPass`] deforms meshes once a frame in a compute pre-pass: every instance owns a range of one fixed
//! device-local buffer, and depth, shadow, motion and color passes all draw that range, so they cannot disagree.
//! The engine owns the device, the queue, the memory and the command buffer; the pass records.
//!
//! Results equal `morph_core::morph`, the host kernel, to the last bit, and where bones then carry them
//! `morph_core::skin`: meshes with a skin ([`MeshDesc::with_skin`]) follow a skeleton
//! ([`MorphPass::add_skeleton`], [`MorphPass::attach_skinned`]), whose pose all its submeshes share and which is sent
//! once a frame.
//!
//! ```no_run
//! # fn frame(
//! #     device: &ash::Device, limits: ash::vk::PhysicalDeviceLimits,
//! #     memory: ash::vk::PhysicalDeviceMemoryProperties, cmd: ash::vk::CommandBuffer,
//! #     mesh: std::sync::Arc<morph_core::MorphMesh>, rest: morph_core::RestPose,
//! # ) -> Result<(), morph_vk::MorphError> {
//! use morph_vk::{Capacities, DeviceFacts, MeshDesc, MorphPass, MorphPassDesc, RawMemory};
//!
//! let facts = DeviceFacts { limits, synchronization2: true, rounding_mode_rte_float32: false, timestamp_valid_bits: 0 };
//! let capacities = Capacities::new(64 << 20, 16, 52);
//! let desc = MorphPassDesc::new(morph_core::VertexLayout::PACKED, capacities, facts);
//! // SAFETY: the device is live and outlives the pass; facts and memory are its own.
//! let mut pass = unsafe { MorphPass::new(device, desc, Box::new(RawMemory::new(memory))) }?;
//! let mesh = pass.add_mesh(MeshDesc::new(mesh, rest))?;
//! let face = pass.attach(mesh)?;
//! pass.set_weight_named(face, "jawOpen", 0.4)?;
//! // Every frame, outside a render pass:
//! // SAFETY: the command buffer is recording and slot 0 is free.
//! let stats = unsafe { pass.record(cmd, 0) };
//! if let Some(range) = pass.vertex_range(face).filter(|range| range.written) {
//!     // Draw from `range.current_first_vertex`. A mesh shows in the frame after the one that sent its rest pose.
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Goes with ash 0.38; Rust 1.88 or newer. Needs `synchronization2` (Vulkan 1.3, or the extension) and nothing else
//! that is optional: no 16-bit storage, no half arithmetic, no subgroup operations.

mod buffer;
mod debug;
mod desc;
mod device_handle;
mod error;
mod geometry_buffer;
#[cfg(feature = "gpu-allocator")]
mod gpu_allocator_memory;
mod memory;
mod mesh_desc;
mod pass;
mod pipeline_builder;
mod pipelines;
mod queues;
mod range_allocator;
mod recorder;
mod scene;
mod sets;
pub mod shader_interface;
mod shader_modules;
mod slot_guard;
mod spirv_check;
mod stats;
mod timestamps;
mod vertex_input;
mod vertex_space;

pub use desc::{Capacities, DeviceFacts, Method, MorphPassDesc, Readers};
pub use error::MorphError;
pub use geometry_buffer::GeometryBuffer;
#[cfg(feature = "gpu-allocator")]
pub use gpu_allocator_memory::GpuAllocatorMemory;
pub use memory::{MemoryBlock, MemoryLocation, MemoryProvider, MemoryRequest, RawMemory};
pub use mesh_desc::{MeshDesc, MeshSkin};
pub use morph_core;
pub use pass::MorphPass;
pub use pipeline_builder::{BuiltPipelines, PipelineBuilder};
pub use pipelines::modules;
pub use scene::{
    BuildAdvice, ChangedInstance, InstanceId, MeshId, MeshState, RefusalLimit, SkeletonId, VertexRange,
};
pub use shader_modules::ShaderModules;
pub use spirv_check::ShaderProblem;
pub use stats::{BufferBytes, DeviceTime, FrameStats, PassStats, RecordRefusal, SkippedInstances};
pub use vertex_input::{attribute_format, vertex_attributes, vertex_bindings};
pub use vertex_space::VertexStream;
