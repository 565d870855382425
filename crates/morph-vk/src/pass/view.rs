//! What the engine's view of an instance decides: how large it is on the screen, where it is, whether it jumped.

use ash::vk;
use morph_core::{Aabb, Sphere};

use crate::error::MorphError;
use crate::pass::MorphPass;
use crate::scene::InstanceId;

impl MorphPass {
    /// Says how many pixels a model unit of an instance covers on the screen, so that changes too small to be seen are
    /// left out; returns whether that is new.
    ///
    /// `morph_core::pixels_per_unit` computes it from where the camera is. Until set it is infinite, and everything is
    /// written. See [`set_skip_below_pixels`](Self::set_skip_below_pixels) for what is left out.
    ///
    /// Errors: a negative number or NaN; a stale handle.
    pub fn set_pixels_per_unit(&mut self, instance: InstanceId, pixels: f32) -> Result<bool, MorphError> {
        self.scene.set_pixels_per_unit(instance, pixels)
    }

    /// Sets how many pixels a vertex must move at least for a change to be written; zero, the default, writes
    /// everything. At the start it is [`MorphPassDesc::skip_below_pixels`](crate::MorphPassDesc::skip_below_pixels).
    ///
    /// A visible instance whose weights or pose changed is not written while no vertex of it can have moved by this
    /// many pixels from where it was last written: Σ reach·|w − w written|, and for skinned instances what bones
    /// stretch it by and move beside it (`morph_core::SkinBounds::movement`), with what the kernels' roundings may add,
    /// times pixels per unit, stays below the threshold. Changes add up, so it never shows a vertex farther than that
    /// from where it should be. It costs no device work, and no work on the host until weights, pose, pixels, the
    /// threshold or whether its morphs are on change. [`SkippedInstances::far`](crate::SkippedInstances::far) counts it
    /// for as long as it lasts.
    ///
    /// The first write is never left out, nor the one that replaces a rest pose that stood in, nor the first one behind
    /// [`set_visible`](Self::set_visible) or a dropped frame.
    ///
    /// This is about positions. Normals and tangents lag behind with them, and a target that only turns normals moves
    /// nothing: below infinity pixels per unit its changes are left out. Give instances whose shading counts infinity.
    ///
    /// Errors: a negative number or NaN.
    pub fn set_skip_below_pixels(&mut self, pixels: f32) -> Result<(), MorphError> {
        self.scene.set_skip_below_pixels(pixels)
    }

    /// Says that an instance jumps: the next frame that is recorded leaves no motion for it, its previous vertices are
    /// its current ones. The frame after it moves from there.
    ///
    /// A change that comes with the jump is written in that frame, however small. Without history this does nothing
    /// else.
    pub fn teleport(&mut self, instance: InstanceId) -> Result<(), MorphError> {
        self.scene.teleport(instance)
    }

    /// A box, in model units, around what an instance shows: around the shape that its weights and its pose give, and,
    /// where what is drawn lags behind (before the frame that writes it, while a change is left out as too small, while
    /// the rest pose stands in), around what its range holds as well.
    ///
    /// Every vertex of the range lies in it, and asked before [`record`](Self::record) also every vertex that the frame
    /// will write, unless the frame is degraded and has to show the rest pose: ask again behind it then. Computed once for
    /// every change, then a look-up.
    pub fn bounds(&self, instance: InstanceId) -> Result<Aabb, MorphError> {
        self.scene.bounds(instance)
    }

    /// The boxes of all instances on the device, where [`MorphPassDesc::bounds_buffer`] asked for them: a storage buffer
    /// of one [`InstanceBounds`] for each index, 32 bytes.
    ///
    /// An entry is the box of what the instance's range holds, and is written within the frame that writes the range,
    /// before the publish barrier: name the culling shader among [`MorphPassDesc::readers`]. There is one table and no
    /// history: where the reader is on another queue, the next frame has to wait for it too. It is empty (least above
    /// greatest) from when the instance is attached to its first write, and once it is detached. Entries from
    /// [`bounds_entry_count`](Self::bounds_entry_count) on hold nothing that means anything.
    /// `shaders/include/morph_bounds.glsl` reads it.
    ///
    /// [`InstanceBounds`]: crate::shader_interface::InstanceBounds
    /// [`MorphPassDesc::bounds_buffer`]: crate::MorphPassDesc::bounds_buffer
    /// [`MorphPassDesc::readers`]: crate::MorphPassDesc::readers
    pub fn bounds_buffer(&self) -> Option<vk::Buffer> {
        self.bounds.as_ref().map(|buffer| buffer.handle)
    }

    /// The entry of an instance in [`bounds_buffer`](Self::bounds_buffer), the same from attach to detach; `None` for a
    /// stale handle and without the buffer.
    pub fn bounds_index(&self, instance: InstanceId) -> Option<u32> {
        self.scene.bounds_index(instance)
    }

    /// How many entries of [`bounds_buffer`](Self::bounds_buffer) mean something, as of the frame last recorded; zero
    /// without the buffer. It never falls.
    pub fn bounds_entry_count(&self) -> u32 {
        self.scene.bounds_entry_count()
    }

    /// The sphere around [`bounds`](Self::bounds).
    pub fn bounding_sphere(&self, instance: InstanceId) -> Result<Sphere, MorphError> {
        Ok(self.scene.bounds(instance)?.sphere())
    }
}
