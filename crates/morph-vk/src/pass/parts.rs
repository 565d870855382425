//! What a pass is made of, made one after the other and given back where that fails.

use ash::vk;

use crate::buffer::{Buffer, BufferDesc};
use crate::debug::DebugNames;
use crate::desc::MorphPassDesc;
use crate::device_handle::DeviceHandle;
use crate::error::MorphError;
use crate::geometry_buffer::GeometryBuffer;
use crate::memory::{MemoryLocation, MemoryProvider};
use crate::pipeline_builder::PipelineBuilder;
use crate::pipelines::Pipelines;
use crate::scene::{BOUNDS_ENTRY_BYTES, Constants, set_count};
use crate::sets::{BindingCounts, DescriptorSets};
use crate::shader_interface::bindings;
use crate::shader_modules::ShaderModules;
use crate::slot_guard::SlotGuard;
use crate::timestamps::Timestamps;

/// What `new` makes, as far as it got.
#[derive(Debug, Default)]
pub(super) struct Parts {
    geometry: Option<GeometryBuffer>,
    frame_buffer: Option<Buffer>,
    staging: Option<Buffer>,
    bounds: Option<Buffer>,
    pipelines: Option<Pipelines>,
    sets: Option<DescriptorSets>,
    slot_guard: Option<SlotGuard>,
    timestamps: Option<Timestamps>,
}

/// All of it.
#[derive(Debug)]
pub(super) struct Objects {
    pub(super) geometry: GeometryBuffer,
    pub(super) frame_buffer: Buffer,
    pub(super) staging: Buffer,
    pub(super) bounds: Option<Buffer>,
    pub(super) pipelines: Pipelines,
    pub(super) sets: DescriptorSets,
    pub(super) slot_guard: Option<SlotGuard>,
    pub(super) timestamps: Option<Timestamps>,
}

impl Parts {
    /// # Safety
    ///
    /// As for [`MorphPass::new`].
    pub(super) unsafe fn make(
        &mut self,
        device: &ash::Device,
        memory: &mut dyn MemoryProvider,
        names: &DebugNames,
        desc: &MorphPassDesc,
        constants: &Constants,
    ) -> Result<(), MorphError> {
        let capacities = &desc.capacities;
        let queue_families = &desc.queue_families;
        let (space, usage) = (constants.vertex_space(), desc.extra_buffer_usage);
        // SAFETY: the caller vouches for device and memory, here and below.
        self.geometry =
            Some(unsafe { GeometryBuffer::new(device, memory, names, space, usage, queue_families) }?);
        let frame = BufferDesc {
            name: "morph frame data",
            size_bytes: capacities.frame_bytes,
            usage: vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST,
            location: MemoryLocation::DeviceLocal,
            queue_families,
        };
        // SAFETY: as above.
        self.frame_buffer = Some(unsafe { Buffer::new(device, memory, names, &frame) }?);
        let staging = BufferDesc {
            name: "morph staging ring",
            size_bytes: constants.staging_bytes(),
            usage: vk::BufferUsageFlags::TRANSFER_SRC,
            location: MemoryLocation::HostToDevice,
            queue_families,
        };
        // SAFETY: as above.
        let staging = self
            .staging
            .insert(unsafe { Buffer::new(device, memory, names, &staging) }?);
        if staging.mapped().is_none() {
            return Err(MorphError::Memory {
                what: "morph staging ring",
                location: MemoryLocation::HostToDevice.name(),
                size_bytes: capacities.staging_bytes_per_frame,
                reason: "the memory provider returned a block that is not mapped".to_owned(),
            });
        }
        let binding_count = if capacities.skins() {
            bindings::COUNT
        } else {
            bindings::UNSKINNED_COUNT
        };
        if desc.bounds_buffer {
            let bounds = BufferDesc {
                name: "morph instance bounds",
                size_bytes: u64::from(capacities.instance_capacity) * BOUNDS_ENTRY_BYTES,
                usage: vk::BufferUsageFlags::STORAGE_BUFFER
                    | vk::BufferUsageFlags::TRANSFER_SRC
                    | vk::BufferUsageFlags::TRANSFER_DST,
                location: MemoryLocation::DeviceLocal,
                queue_families: &desc.queue_families,
            };
            // SAFETY: as above.
            self.bounds = Some(unsafe { Buffer::new(device, memory, names, &bounds) }?);
        }
        let counts = BindingCounts {
            bindings: binding_count,
            streams: desc.layout.stream_count() as u32,
        };
        // SAFETY: as above.
        let pipelines = unsafe { Pipelines::new(device, names, counts) }?;
        let pipelines = self.pipelines.insert(pipelines);
        let count = set_count(capacities);
        // SAFETY: as above; the layout was made just now.
        let sets = unsafe { DescriptorSets::new(device, names, pipelines.set_layout, counts, count) };
        self.sets = Some(sets?);
        if desc.check_slots {
            // SAFETY: as above.
            self.slot_guard = Some(unsafe { SlotGuard::new(device, names, capacities.frame_slot_count) }?);
        }
        // SAFETY: as above.
        self.timestamps = unsafe { Timestamps::new(device, names, desc) }?;
        if !desc.defer_pipelines {
            let builder = pipeline_builder(device, names, desc, pipelines);
            // SAFETY: as above; the modules are the crate's own.
            let built = unsafe { builder.build(&ShaderModules::built_in()) }?;
            pipelines.replace(built.into_table(), 0);
        }
        Ok(())
    }

    /// Everything, where everything is there; otherwise it stays.
    pub(super) fn whole(&mut self) -> Result<Objects, MorphError> {
        match std::mem::take(self) {
            Parts {
                geometry: Some(geometry),
                frame_buffer: Some(frame_buffer),
                staging: Some(staging),
                bounds,
                pipelines: Some(pipelines),
                sets: Some(sets),
                slot_guard,
                timestamps,
            } => Ok(Objects {
                geometry,
                frame_buffer,
                staging,
                bounds,
                pipelines,
                sets,
                slot_guard,
                timestamps,
            }),
            parts => {
                *self = parts;
                Err(MorphError::Vulkan {
                    call: "MorphPass::new",
                    result: vk::Result::ERROR_UNKNOWN,
                })
            }
        }
    }

    /// # Safety
    ///
    /// The device must not use any of it.
    pub(super) unsafe fn destroy(mut self, device: &ash::Device, memory: &mut dyn MemoryProvider) {
        if let Some(timestamps) = &mut self.timestamps {
            // SAFETY: handed on, here and below.
            unsafe { timestamps.destroy(device) };
        }
        if let Some(guard) = &mut self.slot_guard {
            // SAFETY: as above.
            unsafe { guard.destroy(device) };
        }
        if let Some(sets) = &mut self.sets {
            // SAFETY: as above.
            unsafe { sets.destroy(device) };
        }
        if let Some(pipelines) = &mut self.pipelines {
            // SAFETY: as above.
            unsafe { pipelines.destroy(device) };
        }
        for buffer in [&mut self.staging, &mut self.frame_buffer, &mut self.bounds]
            .into_iter()
            .flatten()
        {
            // SAFETY: as above.
            unsafe { buffer.destroy(device, memory) };
        }
        if let Some(geometry) = &mut self.geometry {
            // SAFETY: as above.
            unsafe { geometry.destroy(device, memory) };
        }
    }
}

pub(super) fn pipeline_builder(
    device: &ash::Device,
    names: &DebugNames,
    desc: &MorphPassDesc,
    pipelines: &Pipelines,
) -> PipelineBuilder {
    PipelineBuilder {
        device: DeviceHandle(device.clone()),
        names: names.clone(),
        layout: pipelines.layout,
        vertex_layout: desc.layout,
        round_to_nearest_even: desc.device.rounding_mode_rte_float32,
        cache: desc.pipeline_cache,
        kernels: desc.kernels(),
    }
}
