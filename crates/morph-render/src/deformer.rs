//! The pre-pass on a headless device: what tests, tools and the demo need between a mesh on the host and its morphed
//! vertices on the device.
//!
//! [`Deformer`] owns a `morph_vk::MorphPass` and waits for every frame, which an engine never would.

use std::sync::Arc;

use ash::{ext, vk};
use morph_core::{
    AttributePlace, MorphMesh, MorphedStreams, RestPose, VertexFormat, VertexLayout, decode_octahedral16,
    decode_snorm10,
};
use morph_vk::{
    Capacities, DeviceFacts, FrameStats, InstanceId, MeshDesc, MeshId, Method, MorphError, MorphPass,
    MorphPassDesc, RawMemory, Readers, VertexRange,
};

use crate::device::HeadlessDevice;
use crate::error::DeviceError;
use crate::transfer::{readback, readback_ranges};

/// What went wrong between a mesh and its morphed vertices.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeformError {
    /// The pre-pass refused.
    #[error(transparent)]
    Morph(#[from] MorphError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The upload never ended.
    #[error("the mesh was not resident after {frames} frames")]
    NeverResident {
        /// Frames recorded.
        frames: u32,
    },
}

/// How a [`Deformer`] is made.
#[derive(Debug, Clone)]
pub struct DeformerDesc {
    /// The vertex.
    pub layout: VertexLayout,
    /// How targets are applied.
    pub method: Method,
    /// Whether instances keep their previous vertices, for motion vectors.
    pub history: bool,
    /// How much fits.
    pub capacities: Capacities,
}

/// The facts about a headless device that the pre-pass asks an engine for.
pub fn device_facts(device: &HeadlessDevice) -> DeviceFacts {
    let mut controls = vk::PhysicalDeviceFloatControlsProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut controls);
    // SAFETY: the physical device belongs to the instance, and Vulkan 1.2 has the structure.
    unsafe {
        device
            .instance()
            .get_physical_device_properties2(device.physical_device(), &mut properties);
    };
    DeviceFacts {
        limits: *device.limits(),
        // `HeadlessDevice` refuses a device without it.
        synchronization2: true,
        rounding_mode_rte_float32: controls.shader_rounding_mode_rte_float32 == vk::TRUE,
        timestamp_valid_bits: device.timestamp_valid_bits(),
    }
}

/// A pass description for a headless device; draws and copies are the readers.
pub fn pass_desc(device: &HeadlessDevice, desc: &DeformerDesc) -> MorphPassDesc {
    let mut pass = MorphPassDesc::new(desc.layout, desc.capacities, device_facts(device));
    pass.method = desc.method;
    pass.history = desc.history;
    pass.readers = Readers::VERTEX_INPUT.and(Readers::COPY);
    pass.debug_utils = device
        .has_debug_utils()
        .then(|| ext::debug_utils::Device::new(device.instance(), device.device()));
    pass
}

/// Memory straight from a headless device.
pub fn raw_memory(device: &HeadlessDevice) -> RawMemory {
    // SAFETY: the physical device belongs to the instance.
    let properties = unsafe {
        device
            .instance()
            .get_physical_device_memory_properties(device.physical_device())
    };
    RawMemory::new(properties)
}

/// A pre-pass on a headless device, one frame after the other.
#[derive(Debug)]
pub struct Deformer {
    device: HeadlessDevice,
    pass: MorphPass,
    slot_count: u32,
    next_slot: u32,
}

impl Deformer {
    /// Makes the pass.
    ///
    /// # Errors
    /// Whatever `MorphPass::new` refuses.
    pub fn new(device: &HeadlessDevice, desc: &DeformerDesc) -> Result<Self, DeformError> {
        Self::with_pass_desc(device, pass_desc(device, desc))
    }

    /// Makes the pass from a description of its own.
    ///
    /// # Errors
    /// Whatever `MorphPass::new` refuses.
    pub fn with_pass_desc(device: &HeadlessDevice, desc: MorphPassDesc) -> Result<Self, DeformError> {
        let slot_count = desc.capacities.frame_slot_count;
        // SAFETY: the device lives as long as this struct, which destroys the pass first; facts, debug utilities and
        // memory are the device's own.
        let pass = unsafe { MorphPass::new(device.device(), desc, Box::new(raw_memory(device))) }?;
        Ok(Self {
            device: device.clone(),
            pass,
            slot_count,
            next_slot: 0,
        })
    }

    /// The pass.
    pub fn pass(&self) -> &MorphPass {
        &self.pass
    }

    /// The pass, to add meshes and instances and to set weights.
    pub fn pass_mut(&mut self) -> &mut MorphPass {
        &mut self.pass
    }

    /// The buffer that all ranges lie in.
    pub fn buffer(&self) -> vk::Buffer {
        self.pass.geometry_buffer().buffer()
    }

    /// Records one frame, submits it and waits for it.
    ///
    /// # Errors
    /// The device failed.
    pub fn advance(&mut self) -> Result<FrameStats, DeformError> {
        let slot = self.next_slot;
        self.next_slot = (slot + 1) % self.slot_count;
        let pass = &mut self.pass;
        let stats = self.device.submit_once("morph frame", |commands| {
            // SAFETY: the command buffer is recording on the one queue; every earlier frame was waited for.
            unsafe { pass.record(commands, slot) }
        })?;
        Ok(stats)
    }

    /// Builds the pipelines of a pass that was made without.
    ///
    /// # Errors
    /// The device failed.
    pub fn build_pipelines(&mut self) -> Result<(), DeformError> {
        // SAFETY: the device is live, and nothing records meanwhile.
        unsafe { self.pass.build_pipelines() }?;
        Ok(())
    }

    /// Adds a mesh with instances at the given weights, and advances until all of them are morphed.
    ///
    /// # Errors
    /// Whatever the pass refuses; a mesh whose deltas are refused is no error and stays at rest.
    pub fn deform(
        &mut self,
        mesh: Arc<MorphMesh>,
        rest: RestPose,
        weights: &[&[f32]],
    ) -> Result<(MeshId, Vec<InstanceId>), DeformError> {
        let mesh = self.pass.add_mesh(MeshDesc::new(mesh, rest))?;
        self.pass.reserve_instances(mesh, weights.len() as u32)?;
        let mut instances = Vec::with_capacity(weights.len());
        for weights in weights {
            let instance = self.pass.attach(mesh)?;
            self.pass.set_weights(instance, weights)?;
            instances.push(instance);
        }
        self.settle()?;
        Ok((mesh, instances))
    }

    /// Advances until nothing is left to do; returns the statistics of the last frame that did something.
    ///
    /// # Errors
    /// [`DeformError::NeverResident`] where frames go on being incomplete, as they do while pipelines are missing.
    pub fn settle(&mut self) -> Result<FrameStats, DeformError> {
        const MOST_FRAMES: u32 = 10_000;
        let mut last = FrameStats::default();
        for _ in 0..MOST_FRAMES {
            let stats = self.advance()?;
            if stats.is_idle() && stats.waiting_instances == 0 && stats.degraded_instances == 0 {
                return Ok(last);
            }
            last = stats;
        }
        Err(DeformError::NeverResident { frames: MOST_FRAMES })
    }

    /// The bytes of an instance's current range, stream after stream; empty for a stale handle.
    ///
    /// # Errors
    /// The device failed.
    pub fn vertex_bytes(&self, instance: InstanceId) -> Result<Vec<u8>, DeformError> {
        let Some(range) = self.pass.vertex_range(instance) else {
            return Ok(Vec::new());
        };
        self.vertex_bytes_at(range.current_first_vertex, range.vertex_count)
    }

    /// The bytes of any vertices of the geometry buffer, stream after stream.
    ///
    /// # Errors
    /// The device failed.
    pub fn vertex_bytes_at(&self, first_vertex: u32, vertex_count: u32) -> Result<Vec<u8>, DeformError> {
        let mut bytes = Vec::new();
        for stream in self.pass.vertex_streams() {
            let length = u64::from(vertex_count) * u64::from(stream.stride_bytes);
            // SAFETY: ranges lie within the geometry buffer, which has TRANSFER_SRC among its usages.
            let part = unsafe {
                readback(
                    &self.device,
                    self.buffer(),
                    stream.offset_of(first_vertex),
                    length,
                )
            }?;
            bytes.extend(part);
        }
        Ok(bytes)
    }

    /// The morphed attributes of each instance, bit by bit as the device wrote them; empty for a stale handle.
    ///
    /// All of them are read in one submit.
    ///
    /// # Errors
    /// The device failed.
    pub fn morphed(&self, instances: &[InstanceId]) -> Result<Vec<MorphedStreams>, DeformError> {
        let layout = self.pass.layout();
        let ranges: Vec<Option<VertexRange>> =
            instances.iter().map(|&it| self.pass.vertex_range(it)).collect();
        let parts: Vec<(u64, u64)> = ranges
            .iter()
            .flatten()
            .flat_map(|range| {
                let streams = self.pass.vertex_streams().iter();
                streams.map(|stream| {
                    let length = u64::from(range.vertex_count) * u64::from(stream.stride_bytes);
                    (stream.offset_of(range.current_first_vertex), length)
                })
            })
            .collect();
        // SAFETY: ranges lie within the geometry buffer, which has TRANSFER_SRC among its usages.
        let bytes = unsafe { readback_ranges(&self.device, self.buffer(), &parts) }?;
        let mut rest = bytes.as_slice();
        let streams = ranges.iter().map(|range| {
            let vertex_count = range.map_or(0, |range| range.vertex_count as usize);
            let (own, others) = rest.split_at(vertex_count * layout.vertex_bytes() as usize);
            rest = others;
            unpack(layout, own)
        });
        Ok(streams.collect())
    }
}

impl Drop for Deformer {
    fn drop(&mut self) {
        // SAFETY: every frame was waited for, and the device is still alive.
        unsafe { self.pass.destroy() };
    }
}

/// Takes the morphed attributes out of vertices, stream after stream: floats bit by bit, packed directions unpacked.
///
/// A layout that is not valid gives no attributes.
pub fn unpack(layout: VertexLayout, bytes: &[u8]) -> MorphedStreams {
    if layout.validate().is_err() {
        return MorphedStreams::default();
    }
    let vertex_count = bytes.len() / layout.vertex_bytes() as usize;
    let attribute = |place: AttributePlace| -> Vec<[f32; 3]> {
        let stream = place.stream as usize;
        let stride = layout.strides_bytes[stream] as usize;
        let first = layout.bytes_before(stream) as usize * vertex_count + place.offset as usize;
        (0..vertex_count)
            .map(|vertex| {
                let at = first + vertex * stride;
                let word = |component: usize| {
                    u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + component * 4 + byte]))
                };
                match place.format {
                    VertexFormat::Float32 => [0, 1, 2].map(|axis| f32::from_bits(word(axis))),
                    VertexFormat::Snorm10 => {
                        let [x, y, z, _] = decode_snorm10(word(0));
                        [x, y, z]
                    }
                    VertexFormat::Octahedral16 => decode_octahedral16(word(0)),
                }
            })
            .collect()
    };
    MorphedStreams {
        positions: attribute(layout.position),
        normals: layout.normal.map(attribute),
        tangents: layout.tangent.map(attribute),
    }
}
