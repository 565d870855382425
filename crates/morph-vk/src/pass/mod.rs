//! The pass that an engine holds: made once, recorded once a frame, destroyed explicitly.

mod meshes;
mod parts;
mod record;
mod skeletons;
mod weights;

use ash::vk;

use crate::buffer::Buffer;
use crate::debug::DebugNames;
use crate::desc::MorphPassDesc;
use crate::error::MorphError;
use crate::geometry_buffer::GeometryBuffer;
use crate::memory::MemoryProvider;
use crate::pipelines::Pipelines;
use crate::scene::{Constants, InstanceId, Scene, VertexRange};
use crate::sets::DescriptorSets;
use crate::stats::PassStats;

use parts::{Parts, pipeline_desc};

/// The morph pre-pass on an engine's device.
///
/// The engine owns device, queue, memory and command buffers; the pass records and never submits, waits or reads a
/// file. Creating, recording and destroying are unsafe, because the pass cannot see what the device is doing;
/// everything else is safe and touches no Vulkan object.
///
/// # A frame
///
/// ```text
/// set_weights · set_pose · set_visible  ->  record(cmd, slot)  ->  draws that bind `geometry_buffer` at `vertex_range`
/// ```
///
/// # Synchronization
///
/// All commands are meant for one queue. [`record`](Self::record) starts with a barrier behind the readers that
/// [`MorphPassDesc::readers`] names and its own last frame, and ends with one in front of those readers; a frame in
/// which nothing changed records nothing. Readers on another queue need the engine's own semaphores:
/// [`Readers::OTHER_QUEUE`](crate::Readers::OTHER_QUEUE).
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
        self.pipelines.ready(self.desc.kernels())
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
            skeleton_count: self.scene.skeletons.len() as u32,
            bone_count: self.scene.skeletons.bone_count(),
            bone_capacity: self.desc.capacities.bone_capacity,
            skin_bytes: self.scene.skin_bytes(),
            delta_bytes: self.scene.delta_bytes(),
            delta_budget_bytes: self.desc.capacities.delta_budget_bytes,
            geometry_bytes: self.scene.geometry.size_bytes(),
            geometry_free_bytes: self.scene.geometry.free_bytes(),
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
