//! How a pass is created: what the device can do, what the engine wants, and how much of it.

use ash::{ext, khr, vk};
use morph_core::VertexLayout;
use morph_core::plan::Kernel;
use morph_core::skin::BoneRows;

use crate::error::MorphError;
use crate::scene::{BOUNDS_ENTRY_BYTES, check_pixels};
use crate::sets::BindingCounts;
use crate::shader_interface::{InstanceRecord, bindings};
use crate::vertex_space::VertexSpace;

/// How targets are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Method {
    /// The batched gather: one invocation a vertex and instance, all targets at once.
    #[default]
    Gather,
    /// One dispatch per active target with a barrier between: the simple reference. It does not skin.
    Scatter,
}

impl Method {
    const fn kernels(self, skins: bool) -> &'static [Kernel] {
        match (self, skins) {
            (Method::Gather, false) => &[Kernel::GatherX32Y1, Kernel::GatherX8Y16],
            (Method::Gather, true) => &[
                Kernel::GatherX32Y1,
                Kernel::GatherX8Y16,
                Kernel::SkinnedX32Y1,
                Kernel::SkinnedX8Y16,
            ],
            (Method::Scatter, _) => &[Kernel::Scatter],
        }
    }
}

/// Who reads the ranges behind the pass: the far side of the publish barrier.
///
/// The engine names it, because a wrong guess here is the classic fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Readers {
    /// Stages of every reader.
    pub stages: vk::PipelineStageFlags2,
    /// Accesses of every reader.
    pub access: vk::AccessFlags2,
    /// Whether there are readers on other queues too, or only there: see [`OTHER_QUEUE`](Self::OTHER_QUEUE).
    pub other_queue: bool,
}

impl Readers {
    /// Draws that bind the ranges as vertex buffers.
    pub const VERTEX_INPUT: Readers = Readers {
        stages: vk::PipelineStageFlags2::VERTEX_ATTRIBUTE_INPUT,
        access: vk::AccessFlags2::VERTEX_ATTRIBUTE_READ,
        other_queue: false,
    };

    /// Copies out of the ranges, as a read-back does.
    pub const COPY: Readers = Readers {
        stages: vk::PipelineStageFlags2::COPY,
        access: vk::AccessFlags2::TRANSFER_READ,
        other_queue: false,
    };

    /// Whatever reads on another queue than the one that the pass is recorded for: async compute.
    ///
    /// Names no stage, as a barrier reaches no other queue and a compute queue has no stage of draws. A pass whose
    /// readers are all elsewhere records no barrier for them; the engine's semaphores order both ways:
    ///
    /// - Draws of frame *n* wait until its recorded commands are done, at the stages that read the ranges.
    /// - The commands of frame *n* + 1 wait, at `ALL_COMMANDS`, until the draws of frame *n* that read the ranges are
    ///   done.
    /// - With [`MorphPassDesc::history`] they need to wait only for those draws of frame *n* that read *previous*
    ///   positions and for all draws of frame *n* − 1, as long as nothing was detached or removed since frame *n* was
    ///   recorded; draws of frame *n* that read current positions run beside them.
    ///
    /// `docs/async-compute.md` has the frame line with timeline values.
    /// Needs [`MorphPassDesc::queue_families`].
    pub const OTHER_QUEUE: Readers = Readers {
        stages: vk::PipelineStageFlags2::NONE,
        access: vk::AccessFlags2::NONE,
        other_queue: true,
    };

    /// Compute shaders that read [`MorphPass::bounds_buffer`](crate::MorphPass::bounds_buffer), or the ranges as storage.
    pub const COMPUTE: Readers = Readers {
        stages: vk::PipelineStageFlags2::COMPUTE_SHADER,
        access: vk::AccessFlags2::SHADER_STORAGE_READ,
        other_queue: false,
    };

    /// Acceleration structure builds that read the ranges.
    pub const ACCELERATION_STRUCTURE_BUILD: Readers = Readers {
        stages: vk::PipelineStageFlags2::ACCELERATION_STRUCTURE_BUILD_KHR,
        access: vk::AccessFlags2::SHADER_READ,
        other_queue: false,
    };

    /// Both these and those.
    #[must_use]
    pub fn and(self, other: Readers) -> Readers {
        Readers {
            stages: self.stages | other.stages,
            access: self.access | other.access,
            other_queue: self.other_queue || other.other_queue,
        }
    }
}

/// What the device can do, as the engine that made it knows.
#[derive(Debug, Clone, Copy)]
pub struct DeviceFacts {
    /// Limits of the physical device.
    pub limits: vk::PhysicalDeviceLimits,
    /// Whether the feature `synchronization2` was enabled.
    pub synchronization2: bool,
    /// The property `shaderRoundingModeRTEFloat32`.
    pub rounding_mode_rte_float32: bool,
    /// `timestampValidBits` of the queue family that frames are submitted to; zero where it has no timestamps. Used
    /// with [`MorphPassDesc::timestamps`] alone.
    pub timestamp_valid_bits: u32,
}

/// How much the pass may hold. Everything is made at the start; nothing grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacities {
    /// Bytes of the geometry buffer: rest poses, deltas and all instances' ranges.
    pub geometry_bytes: u64,
    /// Of these, bytes for the instances' ranges where vertices lie in several streams: the buffer is divided at the
    /// start. Vertices in one stream share the whole buffer with rest poses and deltas, and this says nothing.
    pub range_bytes: u64,
    /// Most bytes of deltas in all; further meshes are refused and drawn at rest.
    pub delta_budget_bytes: u64,
    /// Most instances attached at once.
    pub instance_capacity: u32,
    /// Bones of all skeletons together; 0 where nothing is skinned, and then no kernel for it is built.
    pub bone_capacity: u32,
    /// Bytes of poses, instance records and weights that one frame may carry, when everything changes:
    /// [`instance_frame_bytes`](Self::instance_frame_bytes) for each instance, and [`BONE_BYTES`](Self::BONE_BYTES) for
    /// each bone of each skeleton, however many instances follow it.
    pub frame_bytes: u64,
    /// Bytes that pass through the staging ring a frame: `frame_bytes` and, with what is left of it, uploads.
    pub staging_bytes_per_frame: u64,
    /// Frames in flight.
    pub frame_slot_count: u32,
}

impl Capacities {
    /// The most instances of one pass.
    pub const MAX_INSTANCE_CAPACITY: u32 = 1 << 20;
    /// The most frames in flight.
    pub const MAX_FRAME_SLOT_COUNT: u32 = 16;
    /// Bytes of a bone in the frame's data: three rows of four floats.
    pub const BONE_BYTES: u64 = size_of::<BoneRows>() as u64;

    /// Room for `instance_capacity` instances of meshes with up to `target_count` targets in a geometry buffer of
    /// `geometry_bytes`, half of which is for ranges where vertices lie in several streams, with 8 MiB of uploads a
    /// frame and two frames in flight.
    pub fn new(geometry_bytes: u64, instance_capacity: u32, target_count: u32) -> Capacities {
        let instance_bytes = Self::instance_frame_bytes(target_count as usize);
        let frame_bytes = u64::from(instance_capacity)
            .saturating_mul(instance_bytes)
            .max(64);
        Capacities {
            geometry_bytes,
            range_bytes: geometry_bytes / 2,
            delta_budget_bytes: geometry_bytes,
            instance_capacity,
            bone_capacity: 0,
            frame_bytes,
            staging_bytes_per_frame: frame_bytes.saturating_add(8 << 20),
            frame_slot_count: 2,
        }
    }

    /// The same with room for skeletons of `bone_capacity` bones together, and for all their poses in one frame.
    #[must_use]
    pub fn with_bones(self, bone_capacity: u32) -> Capacities {
        let pose_bytes = u64::from(bone_capacity) * Self::BONE_BYTES;
        Capacities {
            bone_capacity,
            frame_bytes: self.frame_bytes.saturating_add(pose_bytes),
            staging_bytes_per_frame: self.staging_bytes_per_frame.saturating_add(pose_bytes),
            ..self
        }
    }

    /// Bytes of frame data that an instance of a mesh with so many targets may need: its record and its weights.
    pub const fn instance_frame_bytes(target_count: usize) -> u64 {
        size_of::<InstanceRecord>() as u64 + target_count as u64 * 4
    }

    /// Whether anything may be skinned.
    pub(crate) const fn skins(&self) -> bool {
        self.bone_capacity > 0
    }
}

/// How a pass is created.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own, not a state of one machine"
)]
#[derive(Clone)]
pub struct MorphPassDesc {
    /// The engine's vertex.
    pub layout: VertexLayout,
    /// How targets are applied.
    pub method: Method,
    /// Who reads the ranges.
    pub readers: Readers,
    /// Whether each instance has a second range with what it was before, for motion vectors.
    pub history: bool,
    /// Whether the boxes of all instances lie on the device too, for culling there; see
    /// [`MorphPass::bounds_buffer`](crate::MorphPass::bounds_buffer).
    pub bounds_buffer: bool,
    /// How many pixels a vertex must move at least for a change to be written; zero writes every change. See
    /// [`MorphPass::set_skip_below_pixels`](crate::MorphPass::set_skip_below_pixels).
    pub skip_below_pixels: f32,
    /// How much it may hold.
    pub capacities: Capacities,
    /// What the device can do.
    pub device: DeviceFacts,
    /// Families of all queues that the pass is recorded for or that read its ranges, each once.
    ///
    /// With two or more the buffers are shared (`VK_SHARING_MODE_CONCURRENT`), so that nothing has to be handed over.
    /// With one, which is enough for several queues of one family, or none, they are exclusive.
    /// Must not be empty with [`Readers::OTHER_QUEUE`].
    pub queue_families: Vec<u32>,
    /// Further usages of the geometry buffer, such as acceleration structure build input.
    ///
    /// With `SHADER_DEVICE_ADDRESS` the memory provider is told so ([`MemoryRequest::device_address`]); the device must
    /// have the feature `bufferDeviceAddress` on.
    ///
    /// [`MemoryRequest::device_address`]: crate::MemoryRequest::device_address
    pub extra_buffer_usage: vk::BufferUsageFlags,
    /// The ranges of instances start at multiples of it, too: a power of two, 1 where nothing is asked for. Acceleration
    /// structure builds ask for the size of a component of the vertex format, 4 bytes for floats, which every range
    /// keeps anyway.
    pub range_alignment_bytes: u64,
    /// Leaves the pipelines to [`MorphPass::build_pipelines`](crate::MorphPass::build_pipelines); until then frames
    /// are degraded.
    pub defer_pipelines: bool,
    /// Measures every frame with commands on the device, for
    /// [`FrameStats::device_time`](crate::FrameStats::device_time).
    pub timestamps: bool,
    /// Finds frame slots that are used before the device is done with them: [`record`](crate::MorphPass::record) then
    /// records nothing and says so. Costs an event a slot and, a frame, one command and one call; on in debug builds.
    /// Needs events, which a device of `VK_KHR_portability_subset` may lack (feature `events`).
    pub check_slots: bool,
    /// The engine's pipeline cache, or null.
    ///
    /// The pass keeps none of its own: a cache is worth its file, and files are the engine's.
    pub pipeline_cache: vk::PipelineCache,
    /// Names and labels, where the engine has the extension on.
    pub debug_utils: Option<ext::debug_utils::Device>,
    /// `VK_KHR_synchronization2`, where the engine's device is older than Vulkan 1.3.
    pub synchronization2_khr: Option<khr::synchronization2::Device>,
}

impl std::fmt::Debug for MorphPassDesc {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("MorphPassDesc")
            .field("layout", &self.layout)
            .field("method", &self.method)
            .field("readers", &self.readers)
            .field("queue_families", &self.queue_families)
            .field("history", &self.history)
            .field("capacities", &self.capacities)
            .field("defer_pipelines", &self.defer_pipelines)
            .field("timestamps", &self.timestamps)
            .field("check_slots", &self.check_slots)
            .finish_non_exhaustive()
    }
}

impl MorphPassDesc {
    /// A gather pass with draws as readers, without history, pipelines at once, nothing optional; slots are checked in
    /// debug builds.
    pub fn new(layout: VertexLayout, capacities: Capacities, device: DeviceFacts) -> MorphPassDesc {
        MorphPassDesc {
            layout,
            method: Method::Gather,
            readers: Readers::VERTEX_INPUT,
            history: false,
            bounds_buffer: false,
            skip_below_pixels: 0.0,
            capacities,
            device,
            queue_families: Vec::new(),
            extra_buffer_usage: vk::BufferUsageFlags::empty(),
            range_alignment_bytes: 1,
            defer_pipelines: false,
            timestamps: false,
            check_slots: cfg!(debug_assertions),
            pipeline_cache: vk::PipelineCache::null(),
            debug_utils: None,
            synchronization2_khr: None,
        }
    }

    /// The kernels that this pass needs.
    pub(crate) fn kernels(&self) -> &'static [Kernel] {
        self.method.kernels(self.capacities.skins())
    }

    pub(crate) fn validate(&self) -> Result<(), MorphError> {
        if !self.device.synchronization2 {
            return Err(MorphError::MissingFeature {
                feature: "synchronization2",
                remedy: "enable it when the device is created (Vulkan 1.3, or VK_KHR_synchronization2)",
            });
        }
        self.validate_layout()?;
        let capacities = &self.capacities;
        let range = u64::from(self.device.limits.max_storage_buffer_range);
        check_pixels("skip_below_pixels", self.skip_below_pixels)?;
        let invalid = |member, given, right| Err(MorphError::InvalidDesc { member, given, right });
        if capacities.geometry_bytes == 0 {
            return invalid("geometry_bytes", 0, "more than zero");
        }
        // Several streams number no more vertices than that by themselves.
        if capacities.geometry_bytes / u64::from(self.layout.vertex_bytes()) > u64::from(u32::MAX)
            && self.layout.stream_count() == 1
        {
            let right = "at most 2^32 vertices of the layout's stride, as draws number vertices in 32 bits";
            return invalid("geometry_bytes", capacities.geometry_bytes, right);
        }
        if self.device.timestamp_valid_bits > 64 {
            let right = "at most 64, as `VkQueueFamilyProperties::timestampValidBits` says";
            return invalid(
                "timestamp_valid_bits",
                u64::from(self.device.timestamp_valid_bits),
                right,
            );
        }
        VertexSpace::new(&self.layout, capacities, self.range_alignment()).validate(capacities)?;
        if capacities.instance_capacity == 0 {
            return invalid("instance_capacity", 0, "more than zero");
        }
        if capacities.instance_capacity > Capacities::MAX_INSTANCE_CAPACITY {
            let right = "at most 1,048,576, as each takes descriptor sets";
            return invalid(
                "instance_capacity",
                u64::from(capacities.instance_capacity),
                right,
            );
        }
        if capacities.skins() && self.method == Method::Scatter {
            let right = "zero with `Method::Scatter`, the reference, which does not skin";
            return invalid("bone_capacity", u64::from(capacities.bone_capacity), right);
        }
        self.validate_storage_buffers()?;
        if capacities.frame_slot_count == 0 || capacities.frame_slot_count > Capacities::MAX_FRAME_SLOT_COUNT
        {
            let right = "the number of frames in flight, 1 to 16";
            return invalid("frame_slot_count", u64::from(capacities.frame_slot_count), right);
        }
        if capacities.frame_bytes < 16 || capacities.frame_bytes > range {
            let right = "at least 16 and at most the device's maxStorageBufferRange";
            return invalid("frame_bytes", capacities.frame_bytes, right);
        }
        if !self.range_alignment_bytes.is_power_of_two() || self.range_alignment_bytes > 1 << 20 {
            let right = "a power of two, at most 1,048,576";
            return invalid("range_alignment_bytes", self.range_alignment_bytes, right);
        }
        let bounds_bytes = if self.bounds_buffer {
            u64::from(capacities.instance_capacity) * BOUNDS_ENTRY_BYTES
        } else {
            0
        };
        if bounds_bytes > range {
            let right = "so small that 32 bytes for each fit the device's maxStorageBufferRange, with `bounds_buffer`";
            return invalid(
                "instance_capacity",
                u64::from(capacities.instance_capacity),
                right,
            );
        }
        let needed_bytes = capacities.frame_bytes.saturating_add(bounds_bytes);
        if capacities.staging_bytes_per_frame < needed_bytes.saturating_add(1024) {
            let right = "at least `frame_bytes`, 32 bytes an instance with `bounds_buffer`, and 1,024 bytes for uploads";
            return invalid(
                "staging_bytes_per_frame",
                capacities.staging_bytes_per_frame,
                right,
            );
        }
        let staging = capacities
            .staging_bytes_per_frame
            .checked_next_multiple_of(16)
            .and_then(|bytes| bytes.checked_mul(u64::from(capacities.frame_slot_count)));
        if staging.is_none() {
            let right = "small enough that all frame slots together stay below 2^64 bytes";
            return invalid(
                "staging_bytes_per_frame",
                capacities.staging_bytes_per_frame,
                right,
            );
        }
        crate::queues::validate(&self.readers, &self.queue_families)
    }

    /// Multiples at which ranges of vertices start, in bytes of each stream.
    pub(crate) fn range_alignment(&self) -> u64 {
        self.storage_alignment().max(self.range_alignment_bytes)
    }

    /// What parts of the geometry buffer start at multiples of.
    pub(crate) fn storage_alignment(&self) -> u64 {
        self.device.limits.min_storage_buffer_offset_alignment.max(16)
    }

    fn validate_layout(&self) -> Result<(), MorphError> {
        self.layout.validate()?;
        if self.method == Method::Scatter {
            // Scatter adds to what lies in the range, target by target: there is nowhere to keep what is not packed
            // yet, and it reads positions, normals and tangents alone.
            if let Some((attribute, place)) = self.layout.packed_attributes().next() {
                return Err(MorphError::GatherOnly {
                    what: format!("the {attribute} as {}", place.format),
                });
            }
            if self.layout.texcoord.is_some() || self.layout.color.is_some() {
                return Err(MorphError::GatherOnly {
                    what: "texture coordinates and colors".to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Four storage buffers a stage are what Vulkan promises; skinning and further streams bind more.
    fn validate_storage_buffers(&self) -> Result<(), MorphError> {
        let bound = self.device.limits.max_per_stage_descriptor_storage_buffers;
        let stream_count = self.layout.stream_count() as u32;
        let needed = |bindings| BindingCounts {
            bindings,
            streams: stream_count,
        };
        let (skins, is_divided) = (self.capacities.skins(), stream_count > 1);
        if is_divided && needed(bindings::UNSKINNED_COUNT).storage_buffers() > bound {
            return Err(MorphError::InvalidDesc {
                member: "layout.strides_bytes",
                given: u64::from(stream_count),
                right: "fewer streams: this device's maxPerStageDescriptorStorageBuffers binds no more",
            });
        }
        if skins && needed(bindings::COUNT).storage_buffers() > bound {
            return Err(MorphError::InvalidDesc {
                member: "bone_capacity",
                given: u64::from(self.capacities.bone_capacity),
                right: "zero on this device: skinning binds five storage buffers and one for each stream of vertices, \
                        which is more than its maxPerStageDescriptorStorageBuffers",
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn desc(capacities: Capacities) -> MorphPassDesc {
        let limits = vk::PhysicalDeviceLimits {
            max_storage_buffer_range: 1 << 27,
            ..Default::default()
        };
        let device = DeviceFacts {
            limits,
            synchronization2: true,
            rounding_mode_rte_float32: false,
            timestamp_valid_bits: 64,
        };
        MorphPassDesc::new(VertexLayout::PACKED, capacities, device)
    }

    #[test]
    fn silly_capacities_are_refused_and_never_wrap() {
        for (instances, targets) in [(u32::MAX, u32::MAX), (1 << 31, 1 << 31), (1 << 20, u32::MAX)] {
            let refused = desc(Capacities::new(1, instances, targets)).validate();
            assert!(
                matches!(refused, Err(MorphError::InvalidDesc { .. })),
                "{refused:?}"
            );
        }
        let mut capacities = Capacities::new(1 << 20, 16, 52);
        assert_eq!(desc(capacities).validate(), Ok(()));
        capacities.staging_bytes_per_frame = u64::MAX;
        assert!(desc(capacities).validate().is_err());
        capacities = Capacities::new(1 << 20, 16, 52);
        for frame_slot_count in [0, 17, u32::MAX] {
            assert!(
                desc(Capacities {
                    frame_slot_count,
                    ..capacities
                })
                .validate()
                .is_err()
            );
        }
    }

    #[test]
    fn skinning_where_it_cannot_be_is_refused() {
        let mut skinned = desc(Capacities::new(1 << 20, 16, 52).with_bones(100));
        let refusal = |desc: &MorphPassDesc| desc.validate().map_err(|error| error.to_string());
        // Four storage buffers a stage are what Vulkan promises.
        skinned.device.limits.max_per_stage_descriptor_storage_buffers = 4;
        assert!(refusal(&skinned).is_err_and(|text| text.contains("maxPerStageDescriptorStorageBuffers")));
        skinned.device.limits.max_per_stage_descriptor_storage_buffers = bindings::COUNT;
        assert_eq!(refusal(&skinned), Ok(()));
        skinned.method = Method::Scatter;
        assert!(refusal(&skinned).is_err_and(|text| text.contains("`bone_capacity` is 100")));
        let bones = Capacities::new(1, 1, 1).with_bones(u32::MAX);
        assert_eq!(bones.frame_bytes, 64 + 48 * u64::from(u32::MAX));
    }

    #[test]
    fn scatter_refuses_what_it_cannot_add_to() {
        let layouts = [
            (
                VertexLayout::SEPARATE_SNORM10,
                "the normal as 10-bit signed integers",
            ),
            (
                VertexLayout::interleaved(20).with_texcoord(0, 0, 12),
                "texture coordinates and colors",
            ),
            (
                VertexLayout::interleaved(28).with_color(1, 0, 12),
                "texture coordinates and colors",
            ),
        ];
        for (layout, expected) in layouts {
            let mut desc = desc(Capacities::new(1 << 20, 16, 52));
            desc.device.limits.max_per_stage_descriptor_storage_buffers = 8;
            desc.layout = layout;
            assert_eq!(desc.validate(), Ok(()));
            desc.method = Method::Scatter;
            let what = expected.to_owned();
            assert_eq!(desc.validate(), Err(MorphError::GatherOnly { what }));
        }
    }

    #[test]
    fn more_streams_than_the_device_binds_are_refused() {
        let mut desc = desc(Capacities::new(1 << 20, 16, 52));
        desc.layout = VertexLayout::SEPARATE;
        desc.device.limits.max_per_stage_descriptor_storage_buffers = 5;
        assert!(matches!(
            desc.validate(),
            Err(MorphError::InvalidDesc {
                member: "layout.strides_bytes",
                given: 3,
                ..
            })
        ));
        desc.device.limits.max_per_stage_descriptor_storage_buffers = 6;
        assert_eq!(desc.validate(), Ok(()));
    }

    #[test]
    fn a_device_without_synchronization2_is_refused_by_the_features_name() {
        let mut desc = desc(Capacities::new(1 << 20, 16, 52));
        desc.device.synchronization2 = false;
        let error = desc.validate().map_err(|error| error.to_string());
        assert!(error.is_err_and(|text| text.contains("`synchronization2`")));
    }
}
