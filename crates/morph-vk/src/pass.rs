//! The pass that an engine holds: made once, recorded once a frame, destroyed explicitly.

use std::sync::Arc;

use ash::vk;
use morph_core::MorphMesh;
use morph_core::plan::FramePlan;

use crate::buffer::{Buffer, BufferDesc};
use crate::debug::DebugNames;
use crate::desc::MorphPassDesc;
use crate::error::MorphError;
use crate::geometry_buffer::GeometryBuffer;
use crate::memory::{MemoryLocation, MemoryProvider};
use crate::mesh_desc::MeshDesc;
use crate::pipelines::{PipelineDesc, Pipelines};
use crate::recorder::Recorder;
use crate::scene::{Constants, InstanceId, MeshId, MeshState, Scene, VertexRange, set_count};
use crate::sets::DescriptorSets;
use crate::stats::{FrameStats, PassStats};

/// The morph pre-pass on an engine's device.
///
/// The engine owns device, queue, memory and command buffers; the pass records and never submits, waits or reads a
/// file. Creating, recording and destroying are unsafe, because the pass cannot see what the device is doing;
/// everything else is safe and touches no Vulkan object.
///
/// # A frame
///
/// ```text
/// set_weights · set_visible  ->  record(cmd, slot)  ->  draws that bind `geometry_buffer` at `vertex_range`
/// ```
///
/// # Synchronization
///
/// All commands are meant for one queue. [`record`](Self::record) starts with a barrier behind the readers that
/// [`MorphPassDesc::readers`] names and its own last frame, and ends with one in front of those readers; a frame in
/// which nothing changed records nothing. Another queue needs the engine's own semaphore.
#[derive(Debug)]
pub struct MorphPass {
    device: DeviceHandle,
    desc: MorphPassDesc,
    names: DebugNames,
    memory: Box<dyn MemoryProvider>,
    scene: Scene,
    frame_buffer: Buffer,
    staging: Buffer,
    pipelines: Pipelines,
    sets: DescriptorSets,
    regions: Vec<vk::BufferCopy>,
    destroyed: bool,
}

/// `ash::Device` prints nothing of itself.
struct DeviceHandle(ash::Device);

impl std::fmt::Debug for DeviceHandle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?}", self.0.handle())
    }
}

impl MorphPass {
    /// Creates everything the pass will ever hold: three buffers, its descriptor sets, and, unless
    /// [`MorphPassDesc::defer_pipelines`] says otherwise, its pipelines.
    ///
    /// On an error nothing stays behind.
    ///
    /// # Safety
    ///
    /// - `device` must be live and stay so until [`destroy`](Self::destroy).
    /// - `desc.device`, `desc.pipeline_cache`, `desc.debug_utils`, `desc.synchronization2_khr` and `memory` must
    ///   belong to that device and say what is true of it.
    pub unsafe fn new(
        device: &ash::Device,
        desc: MorphPassDesc,
        mut memory: Box<dyn MemoryProvider>,
    ) -> Result<MorphPass, MorphError> {
        desc.validate()?;
        let constants = Constants::new(&desc);
        let names = DebugNames::new(desc.debug_utils.clone());
        let mut parts = Parts::default();
        // SAFETY: handed on.
        let made = unsafe { parts.make(device, memory.as_mut(), &names, &desc, &constants) };
        let objects = match made.and_then(|()| parts.whole()) {
            Ok(objects) => objects,
            Err(error) => {
                // SAFETY: nothing was recorded yet, so the device uses none of it.
                unsafe { parts.destroy(device, memory.as_mut()) };
                return Err(error);
            }
        };
        let scene = Scene::new(constants, objects.geometry);
        Ok(MorphPass {
            device: DeviceHandle(device.clone()),
            desc,
            names,
            memory,
            scene,
            frame_buffer: objects.frame_buffer,
            staging: objects.staging,
            pipelines: objects.pipelines,
            sets: objects.sets,
            regions: Vec::new(),
            destroyed: false,
        })
    }

    /// Builds the pipelines that [`MorphPassDesc::defer_pipelines`] left out; does nothing where all are there.
    ///
    /// On an error the pass goes on as before: frames stay degraded and this may be called again.
    ///
    /// # Safety
    ///
    /// The device must be live; no other thread may be recording with this pass (it is borrowed mutably).
    pub unsafe fn build_pipelines(&mut self) -> Result<(), MorphError> {
        let desc = pipeline_desc(&self.desc);
        // SAFETY: handed on.
        unsafe { self.pipelines.build(&self.device.0, &self.names, &desc) }
    }

    /// Whether kernels can run; until then frames are degraded.
    pub fn pipelines_ready(&self) -> bool {
        self.pipelines.ready(self.desc.method.kernels())
    }

    /// Takes a mesh: targets and the rest pose, interleaved as the engine draws it.
    ///
    /// Nothing is sent yet; [`record`](Self::record) streams the bytes through the staging ring, a bounded number a
    /// frame. Deltas that pass the budget or the device's binding limit leave the mesh
    /// [`Refused`](MeshState::Refused), which draws at rest. Errors: a rest pose in another layout or of another
    /// size than the targets, one without vertices, one without room.
    pub fn add_mesh(&mut self, desc: MeshDesc) -> Result<MeshId, MorphError> {
        self.scene.add_mesh(desc)
    }

    /// Where a mesh stands.
    pub fn mesh_state(&self, mesh: MeshId) -> Result<MeshState, MorphError> {
        self.scene.mesh_state(mesh)
    }

    /// The mesh behind a handle, for its names and bounds.
    pub fn morph_mesh(&self, mesh: MeshId) -> Result<&Arc<MorphMesh>, MorphError> {
        self.scene.morph_mesh(mesh)
    }

    /// Sends a mesh again and judges a refusal anew. Its instances show the rest pose until the deltas are there.
    pub fn reupload(&mut self, mesh: MeshId) -> Result<MeshState, MorphError> {
        self.scene.reupload(mesh)
    }

    /// Forgets a mesh that has no instances.
    pub fn remove_mesh(&mut self, mesh: MeshId) -> Result<(), MorphError> {
        self.scene.remove_mesh(mesh)
    }

    /// Makes room for `count` more instances of a mesh side by side, so that one dispatch writes them all.
    ///
    /// Without it the room grows with the number of instances, and they fall into a few dispatches.
    pub fn reserve_instances(&mut self, mesh: MeshId, count: u32) -> Result<(), MorphError> {
        self.scene.reserve_instances(mesh, count)
    }

    /// Adds an instance of a mesh, with every weight at zero and a range of its own.
    pub fn attach(&mut self, mesh: MeshId) -> Result<InstanceId, MorphError> {
        self.scene.attach(mesh)
    }

    /// Removes an instance. Frames already recorded may still draw it; those to come must not.
    pub fn detach(&mut self, instance: InstanceId) -> Result<(), MorphError> {
        self.scene.detach(instance)
    }

    /// Sets all weights: one per target in slot order, zero for those that are missing.
    ///
    /// Returns whether any changed; equal weights cost a comparison and nothing else. Negative weights and weights
    /// past one are applied. Errors, with nothing changed: NaN or infinity (the target is named), more weights than
    /// targets.
    pub fn set_weights(&mut self, instance: InstanceId, weights: &[f32]) -> Result<bool, MorphError> {
        self.scene
            .change_weights(instance, |state, names| state.set_all(weights, names))
    }

    /// Sets the weight of one slot; as [`set_weights`](Self::set_weights).
    pub fn set_weight(&mut self, instance: InstanceId, slot: usize, weight: f32) -> Result<bool, MorphError> {
        self.scene
            .change_weights(instance, |state, names| state.set_slot(slot, weight, names))
    }

    /// Sets the weight of one target by name; an unknown name is an error that lists the nearest.
    pub fn set_weight_named(
        &mut self,
        instance: InstanceId,
        name: &str,
        weight: f32,
    ) -> Result<bool, MorphError> {
        self.scene
            .change_weights(instance, |state, names| state.set_named(name, weight, names))
    }

    /// Sets the weights that [`reset_weights`](Self::reset_weights) goes back to: those saved with the scene, zero
    /// until set. What is shown stays.
    ///
    /// Returns whether any changed; errors as [`set_weights`](Self::set_weights).
    pub fn set_authored_weights(
        &mut self,
        instance: InstanceId,
        weights: &[f32],
    ) -> Result<bool, MorphError> {
        self.scene.set_authored_weights(instance, weights)
    }

    /// Sets all weights to the authored ones, and returns whether any changed.
    pub fn reset_weights(&mut self, instance: InstanceId) -> Result<bool, MorphError> {
        self.scene.change_weights(instance, |state, _| Ok(state.reset()))
    }

    /// The authored weights of an instance, one per target.
    pub fn authored_weights(&self, instance: InstanceId) -> Result<&[f32], MorphError> {
        Ok(self.scene.weights(instance)?.authored())
    }

    /// The weights of an instance, one per target, whether or not its morphs are on.
    pub fn weights(&self, instance: InstanceId) -> Result<&[f32], MorphError> {
        Ok(self.scene.weights(instance)?.values())
    }

    /// A number that changes whenever a weight of the instance does or its morphs are switched, for caches of shadows or
    /// bounds.
    pub fn weights_version(&self, instance: InstanceId) -> Result<u64, MorphError> {
        Ok(self.scene.weights(instance)?.version())
    }

    /// Shows the morphed or the rest shape; weights are kept.
    pub fn set_morphs_enabled(&mut self, instance: InstanceId, enabled: bool) -> Result<bool, MorphError> {
        self.scene.set_morphs_enabled(instance, enabled)
    }

    /// Whether the morphed shape of an instance is shown, rather than its rest shape.
    pub fn morphs_enabled(&self, instance: InstanceId) -> Result<bool, MorphError> {
        Ok(self.scene.weights(instance)?.is_enabled())
    }

    /// A hidden instance is not written; it is right again in the first frame that is recorded with it visible.
    pub fn set_visible(&mut self, instance: InstanceId, visible: bool) -> Result<bool, MorphError> {
        self.scene.set_visible(instance, visible)
    }

    /// Where the vertices of an instance lie, as of the frame last recorded; `None` for a stale handle.
    pub fn vertex_range(&self, instance: InstanceId) -> Option<VertexRange> {
        self.scene.vertex_range(instance)
    }

    /// The vertex that ranges hold.
    pub fn layout(&self) -> morph_core::VertexLayout {
        self.desc.layout
    }

    /// The buffer that all ranges lie in.
    pub fn geometry_buffer(&self) -> &GeometryBuffer {
        &self.scene.geometry
    }

    /// What the pass holds.
    pub fn stats(&self) -> PassStats {
        PassStats {
            mesh_count: self.scene.mesh_count() as u32,
            refused_mesh_count: self.scene.refused_mesh_count(),
            instance_count: self.scene.instance_count() as u32,
            delta_bytes: self.scene.delta_bytes(),
            delta_budget_bytes: self.desc.capacities.delta_budget_bytes,
            geometry_bytes: self.scene.geometry.size_bytes(),
            geometry_free_bytes: self.scene.geometry.free_bytes(),
        }
    }

    /// Records one frame: uploads, rest poses, weights, kernels, and the barriers around them.
    ///
    /// Cannot fail: what can be refused was refused earlier. A frame in which nothing changed records no command.
    ///
    /// # Safety
    ///
    /// - `cmd` must be recording, outside a render pass, for a queue with compute on the pass's device.
    /// - `frame_slot` must be below `frame_slot_count`, and the device must be done with the frame last recorded with
    ///   this slot, or that frame was given to [`discard_frame`](Self::discard_frame).
    /// - Frames must be submitted to one queue in the order in which they are recorded, each once.
    /// - [`destroy`](Self::destroy) must not have been called.
    /// - Readers of the ranges that are not among [`MorphPassDesc::readers`] need barriers of the engine's own.
    pub unsafe fn record(&mut self, cmd: vk::CommandBuffer, frame_slot: u32) -> FrameStats {
        // SAFETY: handed on; the plan is recorded as it is.
        unsafe { self.record_edited(cmd, frame_slot, |_| ()) }
    }

    /// As [`record`](Self::record), with a look at the plan, or a change to it, before it becomes commands.
    ///
    /// For controls (a barrier left out must be reported), for logs and for an engine's own checks.
    ///
    /// # Safety
    ///
    /// As for `record`; and a plan that was changed must still be valid, or the outcome must be of no concern.
    pub unsafe fn record_edited(
        &mut self,
        cmd: vk::CommandBuffer,
        frame_slot: u32,
        edit: impl FnOnce(&mut FramePlan),
    ) -> FrameStats {
        let _span = tracing::trace_span!("morph_record", frame_slot).entered();
        let slot_bytes = self.scene.constants.staging_slot_bytes() as usize;
        let ready = self.pipelines_ready();
        let Some(mapped) = self.staging.mapped() else {
            // A provider broke its promise; `new` refuses such a block.
            tracing::error!("the staging ring is not mapped");
            return FrameStats::default();
        };
        // SAFETY: the slot is below the count, so its part lies within the staging buffer.
        let start = unsafe { mapped.as_ptr().add(frame_slot as usize * slot_bytes) };
        // SAFETY: the device is done with the frame that last used this part, and nobody else writes it.
        let staging = unsafe { std::slice::from_raw_parts_mut(start, slot_bytes) };
        let stats = self.scene.plan_frame(frame_slot, staging, ready);
        let (geometry, frame) = (self.scene.geometry.buffer(), self.frame_buffer.handle);
        for (set, ranges) in &self.scene.set_writes {
            // SAFETY: the ledger hands out only sets that no pending frame uses.
            unsafe { self.sets.write(&self.device.0, *set, geometry, frame, ranges) };
        }
        edit(&mut self.scene.plan);
        let mut recorder = Recorder {
            device: &self.device.0,
            synchronization2_khr: self.desc.synchronization2_khr.as_ref(),
            names: &self.names,
            pipelines: &self.pipelines,
            sets: &self.sets,
            readers: self.desc.readers,
            geometry,
            frame,
            staging: self.staging.handle,
            regions: &mut self.regions,
        };
        // SAFETY: the caller vouches for the command buffer; the plan comes from the scene.
        unsafe { recorder.record(cmd, &self.scene.plan) };
        stats
    }

    /// The plan that was last recorded.
    pub fn plan(&self) -> &FramePlan {
        &self.scene.plan
    }

    /// Takes back the frame last recorded with a slot, because the engine dropped it instead of submitting it.
    ///
    /// What was marked clean is dirty again, ranges are what they were before, and uploads go on from where they were.
    /// Frames build on each other: call this before another frame is recorded, and for several frames the newest
    /// first. Nothing happens for a slot past the last one, or one that recorded nothing since.
    pub fn discard_frame(&mut self, frame_slot: u32) {
        if frame_slot < self.desc.capacities.frame_slot_count {
            self.scene.discard_frame(frame_slot);
        }
    }

    /// Gives everything back that lies on the device. A second call does nothing.
    ///
    /// What the pass knows of meshes and instances can still be asked and changed, but no frame recorded any more.
    ///
    /// # Safety
    ///
    /// The device must be live and done with every frame that was recorded, and nothing may use the ranges any more.
    pub unsafe fn destroy(&mut self) {
        if std::mem::replace(&mut self.destroyed, true) {
            return;
        }
        let device = &self.device.0;
        let memory = self.memory.as_mut();
        // SAFETY: the caller vouches that the device is done, here and below.
        unsafe { self.sets.destroy(device) };
        // SAFETY: as above.
        unsafe { self.pipelines.destroy(device) };
        // SAFETY: as above.
        unsafe { self.staging.destroy(device, memory) };
        // SAFETY: as above.
        unsafe { self.frame_buffer.destroy(device, memory) };
        // SAFETY: as above.
        unsafe { self.scene.geometry.destroy(device, memory) };
    }
}

impl Drop for MorphPass {
    fn drop(&mut self) {
        // Only logged: nobody here knows whether the device is done.
        if !self.destroyed {
            tracing::error!("a MorphPass was dropped without `destroy`: its Vulkan objects leak");
        }
    }
}

/// What `new` makes, as far as it got.
#[derive(Debug, Default)]
struct Parts {
    geometry: Option<GeometryBuffer>,
    frame_buffer: Option<Buffer>,
    staging: Option<Buffer>,
    pipelines: Option<Pipelines>,
    sets: Option<DescriptorSets>,
}

/// All of it.
#[derive(Debug)]
struct Objects {
    geometry: GeometryBuffer,
    frame_buffer: Buffer,
    staging: Buffer,
    pipelines: Pipelines,
    sets: DescriptorSets,
}

impl Parts {
    /// # Safety
    ///
    /// As for [`MorphPass::new`].
    unsafe fn make(
        &mut self,
        device: &ash::Device,
        memory: &mut dyn MemoryProvider,
        names: &DebugNames,
        desc: &MorphPassDesc,
        constants: &Constants,
    ) -> Result<(), MorphError> {
        let capacities = &desc.capacities;
        let (size, usage) = (capacities.geometry_bytes, desc.extra_buffer_usage);
        // SAFETY: the caller vouches for device and memory, here and below.
        self.geometry = Some(unsafe { GeometryBuffer::new(device, memory, names, size, usage) }?);
        let frame = BufferDesc {
            name: "morph frame data",
            size_bytes: capacities.frame_bytes,
            usage: vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST,
            location: MemoryLocation::DeviceLocal,
        };
        // SAFETY: as above.
        self.frame_buffer = Some(unsafe { Buffer::new(device, memory, names, &frame) }?);
        let staging = BufferDesc {
            name: "morph staging ring",
            size_bytes: constants.staging_slot_bytes() * u64::from(capacities.frame_slot_count),
            usage: vk::BufferUsageFlags::TRANSFER_SRC,
            location: MemoryLocation::HostToDevice,
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
        // SAFETY: as above.
        let pipelines = self.pipelines.insert(unsafe { Pipelines::new(device, names) }?);
        let count = set_count(capacities);
        // SAFETY: as above; the layout was made just now.
        self.sets = Some(unsafe { DescriptorSets::new(device, names, pipelines.set_layout, count) }?);
        if !desc.defer_pipelines {
            // SAFETY: as above.
            unsafe { pipelines.build(device, names, &pipeline_desc(desc)) }?;
        }
        Ok(())
    }

    /// Everything, where everything is there; otherwise it stays.
    fn whole(&mut self) -> Result<Objects, MorphError> {
        match std::mem::take(self) {
            Parts {
                geometry: Some(geometry),
                frame_buffer: Some(frame_buffer),
                staging: Some(staging),
                pipelines: Some(pipelines),
                sets: Some(sets),
            } => Ok(Objects {
                geometry,
                frame_buffer,
                staging,
                pipelines,
                sets,
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
    unsafe fn destroy(mut self, device: &ash::Device, memory: &mut dyn MemoryProvider) {
        if let Some(sets) = &mut self.sets {
            // SAFETY: handed on, here and below.
            unsafe { sets.destroy(device) };
        }
        if let Some(pipelines) = &mut self.pipelines {
            // SAFETY: as above.
            unsafe { pipelines.destroy(device) };
        }
        for buffer in [&mut self.staging, &mut self.frame_buffer].into_iter().flatten() {
            // SAFETY: as above.
            unsafe { buffer.destroy(device, memory) };
        }
        if let Some(geometry) = &mut self.geometry {
            // SAFETY: as above.
            unsafe { geometry.destroy(device, memory) };
        }
    }
}

fn pipeline_desc(desc: &MorphPassDesc) -> PipelineDesc<'_> {
    PipelineDesc {
        layout: &desc.layout,
        round_to_nearest_even: desc.device.rounding_mode_rte_float32,
        cache: desc.pipeline_cache,
        kernels: desc.method.kernels(),
    }
}
