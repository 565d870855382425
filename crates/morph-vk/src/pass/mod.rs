//! The pass that an engine holds: made once, recorded once a frame, destroyed explicitly.

mod changes;
mod meshes;
mod parts;
mod record;
mod shaders;
mod skeletons;
mod view;
mod weights;

use ash::vk;

use crate::buffer::Buffer;
use crate::debug::DebugNames;
use crate::desc::MorphPassDesc;
use crate::device_handle::DeviceHandle;
use crate::error::MorphError;
use crate::geometry_buffer::GeometryBuffer;
use crate::memory::MemoryProvider;
use crate::pipelines::Pipelines;
use crate::scene::{Constants, InstanceId, Scene, VertexRange};
use crate::sets::DescriptorSets;
use crate::slot_guard::SlotGuard;
use crate::stats::PassStats;
use crate::timestamps::Timestamps;
use crate::vertex_space::VertexStream;

use parts::Parts;

/// The morph pre-pass on an engine's device.
///
/// The engine owns device, queue, memory and command buffers; the pass records and never submits, waits or reads a
/// file. Creating, recording and destroying are unsafe, because the pass cannot see what the device is doing;
/// everything else is safe and touches no Vulkan object.
///
/// # A frame
///
/// ```text
/// set_weights · set_pose · set_visible  ->  record(cmd, slot)  ->  draws that bind `vertex_streams` and start at `vertex_range`
/// ```
///
/// # Synchronization
///
/// All commands are meant for one queue. [`record`](Self::record) starts with a barrier behind the readers that
/// [`MorphPassDesc::readers`] names and its own last frame, and ends with one in front of those readers; a frame in
/// which nothing changed records nothing. Readers on another queue need the engine's own semaphores:
/// [`Readers::OTHER_QUEUE`](crate::Readers::OTHER_QUEUE).
///
/// # Threads
///
/// A pass is `Send` and `Sync`: it may be moved to another thread, and several may ask it things at once; whatever
/// changes it or records takes `&mut self`, so one does that at a time. [`MeshId`](crate::MeshId) and [`InstanceId`]
/// are plain numbers. A [`PipelineBuilder`](crate::PipelineBuilder) is `Send` and `Sync` too, and builds while another
/// thread records. Vulkan's own rules for the engine's command buffer and queue are the engine's to keep.
///
/// # What goes wrong on the device
///
/// Creating and building return typed errors, leave nothing behind and leave the pass as it was. Recording allocates
/// nothing on the device, so it cannot run out of memory. A lost device ends the pass: [`destroy`](Self::destroy) it.
#[derive(Debug)]
pub struct MorphPass {
    device: DeviceHandle,
    desc: MorphPassDesc,
    names: DebugNames,
    memory: Box<dyn MemoryProvider>,
    scene: Scene,
    frame_buffer: Buffer,
    staging: Buffer,
    bounds: Option<Buffer>,
    pipelines: Pipelines,
    sets: DescriptorSets,
    slot_guard: Option<SlotGuard>,
    timestamps: Option<Timestamps>,
    regions: Vec<vk::BufferCopy>,
    destroyed: bool,
    device_lost: bool,
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
        let mut scene = Scene::new(constants, objects.geometry);
        scene.skip_below_pixels = desc.skip_below_pixels;
        Ok(MorphPass {
            device: DeviceHandle(device.clone()),
            desc,
            names,
            memory,
            scene,
            frame_buffer: objects.frame_buffer,
            staging: objects.staging,
            bounds: objects.bounds,
            pipelines: objects.pipelines,
            sets: objects.sets,
            slot_guard: objects.slot_guard,
            timestamps: objects.timestamps,
            regions: Vec::new(),
            destroyed: false,
            device_lost: false,
        })
    }

    /// Where the vertices of an instance lie, as of the frame last recorded; `None` for a stale handle.
    pub fn vertex_range(&self, instance: InstanceId) -> Option<VertexRange> {
        self.scene.vertex_range(instance)
    }

    /// The vertex that ranges hold.
    pub fn layout(&self) -> morph_core::VertexLayout {
        self.desc.layout
    }

    /// The streams of vertices in the geometry buffer, in the order of the layout: bind each at its offset, and draw
    /// any instance with its first vertex.
    pub fn vertex_streams(&self) -> &[VertexStream] {
        self.scene.geometry.streams()
    }

    /// The buffer that all ranges lie in.
    pub fn geometry_buffer(&self) -> &GeometryBuffer {
        &self.scene.geometry
    }

    /// What the pass holds. Walks over its meshes: for once a frame or a panel, not for every instance.
    pub fn stats(&self) -> PassStats {
        self.scene.stats()
    }

    /// Whether the pass has seen that the device is lost: it then records nothing any more and can only be destroyed.
    ///
    /// It sees so only where it asks the device something, which is with [`MorphPassDesc::check_slots`] and
    /// [`MorphPassDesc::timestamps`]; the engine's own submit tells it sooner.
    pub fn is_device_lost(&self) -> bool {
        self.device_lost
    }

    /// Gives everything back that lies on the device, which may be lost. A second call does nothing.
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
        if let Some(timestamps) = &mut self.timestamps {
            // SAFETY: the caller vouches that the device is done, here and below.
            unsafe { timestamps.destroy(device) };
        }
        if let Some(guard) = &mut self.slot_guard {
            // SAFETY: as above.
            unsafe { guard.destroy(device) };
        }
        // SAFETY: as above.
        unsafe { self.sets.destroy(device) };
        // SAFETY: as above.
        unsafe { self.pipelines.destroy(device) };
        // SAFETY: as above.
        unsafe { self.staging.destroy(device, memory) };
        if let Some(bounds) = &mut self.bounds {
            // SAFETY: as above.
            unsafe { bounds.destroy(device, memory) };
        }
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
