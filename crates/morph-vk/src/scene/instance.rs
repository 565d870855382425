//! Instances: their weights, where they lie, and what their ranges hold.

use std::sync::OnceLock;

use morph_core::{Aabb, WeightState};

use crate::desc::Capacities;
use crate::error::MorphError;
use crate::scene::bounds_table::BoundsTable;
use crate::scene::changes::Built;
use crate::scene::held::{HeldLog, HeldShape, LoggedShape};
use crate::scene::{BlockId, InstanceId, MeshId, Scene, SkeletonId};

/// Where the vertices of an instance lie: numbers of vertices from the start of each stream, the same in all of them.
///
/// The streams are [`GeometryBuffer::streams`](crate::GeometryBuffer::streams); interleaved vertices are one that starts
/// with the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VertexRange {
    /// First vertex of what the instance is in the frame last recorded.
    pub current_first_vertex: u32,
    /// First vertex of what it was in the frame before; the same where it did not change or has no history.
    pub previous_first_vertex: u32,
    /// Vertices of the mesh.
    pub vertex_count: u32,
    /// Whether anything was ever written there: until then the range holds what the allocator left.
    pub written: bool,
}

/// What a range of an instance holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Nothing,
    Rest,
    /// The rest shape, skinned by the pose of this version.
    Posed(u64),
    Morphed,
}

#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an independent fact, not a state of one machine"
)]
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) mesh: MeshId,
    pub(super) skeleton: Option<SkeletonId>,
    pub(super) block: BlockId,
    pub(super) place: u32,
    pub(super) weights: WeightState,
    pub(super) visible: bool,
    /// What the range holds is not what the weights say.
    pub(super) dirty: bool,
    /// Already in the scene's queue.
    pub(super) queued: bool,
    /// A change of what it shows was left out as too small to be seen.
    pub(super) is_behind: bool,
    /// Its next write may not be left out.
    pub(super) must_write: bool,
    /// How many pixels a model unit covers; infinite until the engine says.
    pub(super) pixels_per_unit: f32,
    pub(super) contents: [Content; 2],
    /// What the current range holds.
    pub(super) held: HeldShape,
    /// What an acceleration structure was made from, where the engine said so.
    pub(super) built: Option<Box<Built>>,
    /// A box around it, once somebody asked.
    pub(super) bounds: OnceLock<Aabb>,
    /// Its entry in the table of bounds, where there is one.
    pub(super) bounds_index: u32,
    /// Which of the two ranges is current; 0 without history.
    pub(super) current: u8,
    pub(super) written: bool,
    /// The frame in which the ranges last swapped with a previous shape worth a motion vector.
    pub(super) moved_frame: u64,
    /// The frame that last wrote it.
    pub(super) written_frame: u64,
    /// The first frame that shows it since it was attached or last hidden: what lies in the other range before that
    /// is too old to be a motion.
    pub(super) seen_from: u64,
    /// How many frames had been kept when it was hidden.
    pub(super) hidden_after: u64,
}

/// What an instance was before a frame wrote it, for frames that are dropped.
#[derive(Debug, Clone)]
pub(super) struct Before {
    held: LoggedShape,
    contents: [Content; 2],
    current: u8,
    written: bool,
    moved_frame: u64,
    written_frame: u64,
}

impl Instance {
    /// Has the next frame look at it.
    pub(super) fn mark_dirty(&mut self) {
        self.dirty = true;
        self.bounds = OnceLock::new();
    }

    /// What it is now; what its range holds goes into `log`.
    pub(super) fn before(&self, log: &mut HeldLog) -> Before {
        Before {
            held: log.push(&self.held),
            contents: self.contents,
            current: self.current,
            written: self.written,
            moved_frame: self.moved_frame,
            written_frame: self.written_frame,
        }
    }

    /// Undoes what `dropped_frame` did to it; the next frame is `next_frame`.
    pub(super) fn undo(&mut self, before: Before, log: &HeldLog, dropped_frame: u64, next_frame: u64) {
        self.mark_dirty();
        self.must_write = true;
        if self.written_frame == dropped_frame {
            log.restore(before.held, &mut self.held);
            self.contents = before.contents;
            self.current = before.current;
            self.written = before.written;
            self.moved_frame = before.moved_frame;
            self.written_frame = before.written_frame;
        } else {
            // A later frame wrote on top of it: what the ranges hold is unknown, so everything is written again.
            self.contents = [Content::Nothing; 2];
            self.held.is_known = false;
            self.written_frame = 0;
            self.moved_frame = 0;
            self.seen_from = next_frame;
        }
    }
}

impl Scene {
    pub(super) fn instance(&self, id: InstanceId) -> Result<&Instance, MorphError> {
        self.instances
            .get(id)
            .ok_or(MorphError::StaleHandle { kind: "instance" })
    }

    pub(super) fn instance_mut(&mut self, id: InstanceId) -> Result<&mut Instance, MorphError> {
        self.instances
            .get_mut(id)
            .ok_or(MorphError::StaleHandle { kind: "instance" })
    }

    pub(crate) fn attach(
        &mut self,
        mesh: MeshId,
        skeleton: Option<SkeletonId>,
    ) -> Result<InstanceId, MorphError> {
        let capacities = self.constants.capacities;
        let held = self.mesh(mesh)?;
        let target_count = held.morph.target_count();
        if let Some(skeleton) = skeleton {
            let bone_count = self.skeletons.get(skeleton)?.pose.bone_count();
            let skin = held.skin.as_ref().ok_or(MorphError::MeshWithoutSkin)?;
            let vertex_count = held.morph.vertex_count() as usize;
            skin.skin.weights.check(vertex_count, bone_count)?;
        }
        let asked_bytes = self.frame_bytes_of(mesh);
        if self.instances.len() as u64 >= u64::from(capacities.instance_capacity) {
            return Err(MorphError::InstanceCapacity {
                capacity: capacities.instance_capacity,
            });
        }
        self.reserve_frame_bytes("one more instance of this mesh", asked_bytes)?;
        let (block, place) = match self.place_instance(mesh) {
            Ok(place) => place,
            Err(error) => {
                self.reserved_frame_bytes -= asked_bytes;
                return Err(error);
            }
        };
        self.meshes[mesh].instance_count += 1;
        let id = self.instances.insert(Instance {
            mesh,
            skeleton,
            block,
            place,
            weights: WeightState::new(target_count),
            visible: true,
            // The first frame writes even with every weight at zero: until then the range holds what the allocator
            // left, and that does not look like a morph gone wrong, it looks like the geometry is missing.
            dirty: true,
            queued: false,
            is_behind: false,
            must_write: true,
            pixels_per_unit: f32::INFINITY,
            held: HeldShape::rest(target_count),
            built: None,
            bounds: OnceLock::new(),
            bounds_index: self.bounds_table.as_mut().map_or(0, BoundsTable::attach),
            contents: [Content::Nothing; 2],
            current: 0,
            written: false,
            moved_frame: 0,
            written_frame: 0,
            seen_from: self.frame + 1,
            hidden_after: 0,
        });
        if let Some(skeleton) = skeleton {
            self.skeletons.follow(skeleton, id);
        }
        self.enqueue(id);
        Ok(id)
    }

    pub(crate) fn detach(&mut self, id: InstanceId) -> Result<(), MorphError> {
        let instance = self
            .instances
            .remove(id)
            .ok_or(MorphError::StaleHandle { kind: "instance" })?;
        self.reserved_frame_bytes -= self.frame_bytes_of(instance.mesh);
        self.meshes[instance.mesh].instance_count -= 1;
        self.hidden_instance_count -= u32::from(!instance.visible);
        // Where it was queued its stale handle stays in the queue, and the next frame passes over it.
        self.release_place(instance.block, instance.place);
        self.far_instance_count -= u32::from(instance.visible && instance.is_behind);
        if let Some(table) = &mut self.bounds_table {
            table.detach(instance.bounds_index);
        }
        if let Some(skeleton) = instance.skeleton {
            self.skeletons.unfollow(skeleton, id);
        }
        Ok(())
    }

    pub(crate) fn skeleton_of(&self, id: InstanceId) -> Result<Option<SkeletonId>, MorphError> {
        Ok(self.instance(id)?.skeleton)
    }

    /// Bytes of the frame's data that an instance of a mesh may need; poses are their skeletons' own.
    fn frame_bytes_of(&self, mesh: MeshId) -> u64 {
        match self.constants.method {
            // Scatter carries weights in its push constants.
            crate::Method::Scatter => 0,
            crate::Method::Gather => Capacities::instance_frame_bytes(self.meshes[mesh].morph.target_count()),
        }
    }

    /// Runs `change` on the weights of an instance, and marks it where they changed.
    pub(crate) fn change_weights(
        &mut self,
        id: InstanceId,
        change: impl FnOnce(&mut WeightState, &morph_core::NameTable) -> Result<bool, morph_core::WeightError>,
    ) -> Result<bool, MorphError> {
        let instance = self
            .instances
            .get_mut(id)
            .ok_or(MorphError::StaleHandle { kind: "instance" })?;
        let names = self.meshes[instance.mesh].morph.names();
        let changed = change(&mut instance.weights, names)?;
        if changed && instance.weights.is_enabled() {
            instance.mark_dirty();
            self.enqueue(id);
        }
        Ok(changed)
    }

    /// Unlike other changes this one shows nothing new.
    pub(crate) fn set_authored_weights(
        &mut self,
        id: InstanceId,
        weights: &[f32],
    ) -> Result<bool, MorphError> {
        let instance = self
            .instances
            .get_mut(id)
            .ok_or(MorphError::StaleHandle { kind: "instance" })?;
        let names = self.meshes[instance.mesh].morph.names();
        Ok(instance.weights.set_authored(weights, names)?)
    }

    pub(crate) fn weights(&self, id: InstanceId) -> Result<&WeightState, MorphError> {
        Ok(&self.instance(id)?.weights)
    }

    pub(crate) fn set_morphs_enabled(&mut self, id: InstanceId, enabled: bool) -> Result<bool, MorphError> {
        let instance = self
            .instances
            .get_mut(id)
            .ok_or(MorphError::StaleHandle { kind: "instance" })?;
        let changed = instance.weights.set_enabled(enabled);
        if changed {
            instance.mark_dirty();
            self.enqueue(id);
        }
        Ok(changed)
    }

    pub(crate) fn set_visible(&mut self, id: InstanceId, visible: bool) -> Result<bool, MorphError> {
        let instance = self
            .instances
            .get_mut(id)
            .ok_or(MorphError::StaleHandle { kind: "instance" })?;
        let changed = instance.visible != visible;
        instance.visible = visible;
        if changed && !visible {
            self.hidden_instance_count += 1;
        } else if changed {
            self.hidden_instance_count -= 1;
        }
        if changed && instance.is_behind {
            // Hidden ones count as that alone.
            self.far_instance_count = if visible {
                self.far_instance_count + 1
            } else {
                self.far_instance_count - 1
            };
        }
        if changed && !visible {
            instance.hidden_after = self.kept_frames;
        } else if changed && self.kept_frames > instance.hidden_after {
            // At least one frame went by without it.
            instance.seen_from = self.frame + 1;
            // Right in the frame in which it returns.
            if instance.is_behind {
                instance.mark_dirty();
            }
        }
        self.enqueue(id);
        Ok(changed)
    }

    /// What lies in its ranges is no motion to the frame that comes next.
    pub(crate) fn teleport(&mut self, id: InstanceId) -> Result<(), MorphError> {
        let next_frame = self.frame + 1;
        self.instance_mut(id)?.seen_from = next_frame;
        Ok(())
    }

    pub(crate) fn vertex_range(&self, id: InstanceId) -> Option<VertexRange> {
        let instance = self.instances.get(id)?;
        let first = |which| self.first_vertex(instance.block, instance.place, which) as u32;
        let moved = self.constants.history && instance.moved_frame == self.frame && self.frame > 0;
        let previous = if moved {
            1 - instance.current
        } else {
            instance.current
        };
        Some(VertexRange {
            current_first_vertex: first(instance.current),
            previous_first_vertex: first(previous),
            vertex_count: self.meshes[instance.mesh].morph.vertex_count(),
            written: instance.written,
        })
    }

    /// Makes the next frames write every instance again, because the kernels changed.
    pub(crate) fn write_all_again(&mut self) {
        for instance in self.instances.values_mut() {
            for content in &mut instance.contents {
                // What the old kernels made of a pose is not what the new ones make of it.
                if let Content::Posed(_) = content {
                    *content = Content::Morphed;
                }
            }
        }
        self.write_again(|_| true);
    }

    pub(super) fn write_again(&mut self, which: impl Fn(&Instance) -> bool) {
        let chosen = self.instances.iter().filter(|(_, it)| which(it));
        let ids: Vec<_> = chosen.map(|(id, _)| id).collect();
        for id in ids {
            let instance = &mut self.instances[id];
            instance.mark_dirty();
            // The rest pose stands in, and what replaces it is written.
            instance.must_write = true;
            self.enqueue(id);
        }
    }

    /// Puts an instance into the queue where the next frame has to look at it.
    pub(super) fn enqueue(&mut self, id: InstanceId) {
        if let Some(instance) = self.instances.get_mut(id)
            && instance.dirty
            && instance.visible
            && !instance.queued
        {
            instance.queued = true;
            // Live instances are queued once, so at least half of a full queue is stale: it never grows, and emptying
            // it of them is paid for by those who left them there.
            if self.queue.len() == self.queue_capacity() {
                let instances = &self.instances;
                self.queue.retain(|it| instances.contains_key(*it));
            }
            self.queue.push(id);
        }
    }
}
