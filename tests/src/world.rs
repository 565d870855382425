//! A pass on a device beside a model of what every frame must show, byte by byte.
//!
//! After each frame the whole geometry buffer is read back and compared:
//! - every visible instance of a resident mesh equals the host kernel to the last bit, and the engine's own bytes of its
//!   vertices are those of the rest pose;
//! - its previous range holds what the frame before showed, where that frame showed it;
//! - every other byte is what it was: hidden instances, gaps, deltas, rest poses, ranges of nobody.

mod skeletons;
mod view;

use std::collections::HashMap;

use morph_core::RestPose;
use morph_core::plan::CopyPurpose;
use morph_render::{DeformerDesc, HeadlessDevice, pass_desc};
use morph_validation::{BareDraw, Rig, Rng, expected_posed_bytes};
use morph_vk::shader_interface::InstanceBounds;
use morph_vk::{
    Capacities, FrameStats, InstanceId, MeshDesc, MeshId, MeshSkin, MeshState, Method, MorphError, MorphPass,
    MorphPassDesc, Readers, SkeletonId, VertexRange,
};

use crate::recipe::Cooked;
use crate::scene::{Operation, SceneRecipe, WeightKind};

/// A mesh in the world.
#[derive(Debug)]
struct Mesh {
    id: MeshId,
    cooked: Cooked,
    skin: Option<MeshSkin>,
}

/// An instance in the world, and what is known of it.
#[derive(Debug)]
struct Actor {
    id: InstanceId,
    mesh: usize,
    skeleton: Option<SkeletonId>,
    weights: Vec<f32>,
    enabled: bool,
    visible: bool,
    /// It jumped since the last frame.
    teleported: bool,
    /// Pixels that a model unit covers.
    pixels: f32,
    /// What the last frame showed, where it showed the instance.
    shown: Option<Vec<u8>>,
}

/// What a world has seen so far, for the summary of a test.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Frames compared.
    pub frame_count: u64,
    /// Instances compared with the host.
    pub instance_count: u64,
    /// Of these, other than at rest.
    pub morphed_count: u64,
    /// Of all, skinned.
    pub skinned_count: u64,
    /// Dispatches.
    pub dispatch_count: u64,
    /// Of these, not written because what changed is too small to be seen.
    pub left_out_count: u64,
    /// Instances whose previous range was compared.
    pub motion_count: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.frame_count += other.frame_count;
        self.instance_count += other.instance_count;
        self.morphed_count += other.morphed_count;
        self.skinned_count += other.skinned_count;
        self.dispatch_count += other.dispatch_count;
        self.left_out_count += other.left_out_count;
        self.motion_count += other.motion_count;
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} frames, {} dispatches, {} instances equal to the host ({} of them not at rest, {} skinned, {} left out as too small to see), {} previous ranges",
            self.frame_count,
            self.dispatch_count,
            self.instance_count,
            self.morphed_count,
            self.skinned_count,
            self.left_out_count,
            self.motion_count
        )
    }
}

/// A pass with its model.
#[derive(Debug)]
pub struct World {
    rig: Rig,
    history: bool,
    compares_previous: bool,
    meshes: Vec<Mesh>,
    skeletons: Vec<skeletons::Skeleton>,
    actors: Vec<Actor>,
    snapshot: Vec<u8>,
    /// Pixels below which a change may be left out.
    skip_below_pixels: f32,
    /// Nothing was asked of the pass since the last frame.
    is_quiet: bool,
    last_stats: FrameStats,
    tally: Tally,
}

/// The word that the geometry buffer is filled with at the start: a NaN, so that reading it shows.
const GUARD: u32 = 0xffc0_dead;
/// Few enough that skeletons are refused for want of it.
const BONE_CAPACITY: u32 = 24;
/// Frames after which a scene must have come to rest.
const MOST_SETTLING_FRAMES: u32 = 2_000;

type Outcome = Result<(), String>;

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl World {
    /// An empty world.
    ///
    /// # Errors
    /// The device or the pass refused.
    pub fn new(device: &HeadlessDevice, desc: MorphPassDesc) -> Result<World, String> {
        let history = desc.history;
        let mut rig = Rig::new(device, desc).map_err(text)?;
        rig.fill_geometry(GUARD).map_err(text)?;
        let snapshot = rig.read_geometry().map_err(text)?;
        Ok(World {
            rig,
            history,
            compares_previous: history,
            meshes: Vec::new(),
            skeletons: Vec::new(),
            actors: Vec::new(),
            snapshot,
            skip_below_pixels: 0.0,
            is_quiet: false,
            last_stats: FrameStats::default(),
            tally: Tally::default(),
        })
    }

    /// Plays a scene to its end, comparing every frame.
    ///
    /// # Errors
    /// The first difference, or a refusal that should not be.
    pub fn play(device: &HeadlessDevice, recipe: &SceneRecipe, method: Method) -> Result<Tally, String> {
        let mut world = World::stage(device, recipe, method, Readers::VERTEX_INPUT.and(Readers::COPY))?;
        for operation in &recipe.operations {
            world.apply(*operation)?;
        }
        world.settle()?;
        Ok(world.tally)
    }

    /// Plays a scene while nobody waits: frames are submitted one after the other, and draws without a barrier of their
    /// own read what is visible. Only at the end everything is compared.
    ///
    /// Under a validation layer this asks whether the frames are in order by themselves.
    ///
    /// # Errors
    /// The first difference, or a refusal that should not be.
    pub fn play_in_flight(
        device: &HeadlessDevice,
        recipe: &SceneRecipe,
        method: Method,
    ) -> Result<Tally, String> {
        let mut world = World::stage(device, recipe, method, Readers::VERTEX_INPUT)?;
        let draw = BareDraw::new(device, &recipe.layout).map_err(text)?;
        for operation in &recipe.operations {
            if *operation == Operation::Frame {
                world.fly(&draw)?;
            } else {
                world.apply(*operation)?;
            }
        }
        world.fly(&draw)?;
        // Nobody kept what the frames in flight showed, so where motion starts is not compared.
        world.snapshot = world.rig.read_geometry().map_err(text)?;
        world.compares_previous = false;
        for actor in &mut world.actors {
            let range = world.rig.pass().vertex_range(actor.id);
            actor.shown = range.filter(|range| actor.visible && range.written).map(|range| {
                vertices_of(
                    &world.rig,
                    &world.snapshot,
                    range.current_first_vertex,
                    range.vertex_count,
                )
            });
        }
        world.settle()?;
        Ok(world.tally)
    }

    fn stage(
        device: &HeadlessDevice,
        recipe: &SceneRecipe,
        method: Method,
        readers: Readers,
    ) -> Result<World, String> {
        let mut capacities = Capacities::new(recipe.geometry_bytes, 64, 48);
        if method == Method::Gather {
            capacities = capacities.with_bones(BONE_CAPACITY);
        }
        let bounds_bytes = u64::from(capacities.instance_capacity) * size_of::<InstanceBounds>() as u64;
        capacities.staging_bytes_per_frame =
            capacities.frame_bytes + bounds_bytes + recipe.upload_bytes_per_frame;
        capacities.frame_slot_count = recipe.frame_slot_count;
        let desc = DeformerDesc {
            layout: recipe.layout,
            method,
            history: recipe.history,
            capacities,
        };
        let mut world = World::new(
            device,
            MorphPassDesc {
                readers,
                bounds_buffer: true,
                ..pass_desc(device, &desc)
            },
        )?;
        for bone_count in &recipe.skeletons {
            world.add_skeleton(*bone_count)?;
        }
        for (mesh, skin, instance_count) in &recipe.meshes {
            let skin = skin
                .filter(|_| world.skins())
                .map(|skin| skin.cook(mesh.vertex_count));
            let Some(number) = world.add_mesh_with(mesh.cook(recipe.layout), skin)? else {
                continue;
            };
            for instance in 0..*instance_count {
                let attached = match instance % 4 {
                    3 => world.attach(number)?,
                    skeleton => world.attach_skinned(number, skeleton)?,
                };
                if let Some(actor) = attached {
                    world.set_weights(actor, WeightKind::Ordinary, mesh.seed)?;
                }
            }
        }
        Ok(world)
    }

    /// A frame that is drawn and not waited for.
    fn fly(&mut self, draw: &BareDraw) -> Outcome {
        let actors = &self.actors;
        let readers = |commands, pass: &MorphPass| {
            let visible = actors.iter().filter(|actor| actor.visible);
            let ranges: Vec<(u32, u32)> = visible
                .filter_map(|actor| pass.vertex_range(actor.id))
                .filter(|range| range.written)
                .flat_map(|range| {
                    let first = [range.current_first_vertex, range.previous_first_vertex];
                    first.map(|first| (first, range.vertex_count))
                })
                .collect();
            // SAFETY: the command buffer is recording; the ranges lie in the geometry buffer, which outlives the frame.
            unsafe { draw.record(commands, pass, &ranges) };
        };
        self.rig.submit(|_| (), readers).map_err(text)?;
        for actor in &mut self.actors {
            actor.teleported = false;
        }
        self.is_quiet = false;
        self.tally.frame_count += 1;
        Ok(())
    }

    /// What was compared so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// The pass behind it.
    pub fn rig(&self) -> &Rig {
        &self.rig
    }

    /// The handle of an instance, by the order in which those that are left were attached.
    pub fn instance(&self, actor: usize) -> InstanceId {
        self.actors[actor].id
    }

    /// Adds a mesh; `None` where there is no room for it.
    ///
    /// # Errors
    /// Another refusal.
    pub fn add_mesh(&mut self, cooked: Cooked) -> Result<Option<usize>, String> {
        self.add_mesh_with(cooked, None)
    }

    /// Adds a mesh with the skin that it may have; `None` where there is no room for it.
    ///
    /// # Errors
    /// Another refusal.
    pub fn add_mesh_with(&mut self, cooked: Cooked, skin: Option<MeshSkin>) -> Result<Option<usize>, String> {
        self.is_quiet = false;
        let desc = MeshDesc::new(std::sync::Arc::clone(&cooked.morph), cooked.rest.clone());
        let desc = MeshDesc {
            skin: skin.clone(),
            ..desc
        };
        match self.rig.pass_mut().add_mesh(desc) {
            Ok(id) => {
                self.meshes.push(Mesh { id, cooked, skin });
                Ok(Some(self.meshes.len() - 1))
            }
            Err(error) => no_room(&error).map(|()| None),
        }
    }

    /// Adds an instance; `None` where there is no room for it.
    ///
    /// # Errors
    /// Another refusal.
    pub fn attach(&mut self, mesh: usize) -> Result<Option<usize>, String> {
        self.is_quiet = false;
        match self.rig.pass_mut().attach(self.meshes[mesh].id) {
            Ok(id) => Ok(Some(self.add_actor(id, mesh, None))),
            Err(error) => no_room(&error).map(|()| None),
        }
    }

    fn add_actor(&mut self, id: InstanceId, mesh: usize, skeleton: Option<SkeletonId>) -> usize {
        self.actors.push(Actor {
            id,
            mesh,
            skeleton,
            weights: vec![0.0; self.meshes[mesh].cooked.morph.target_count()],
            enabled: true,
            visible: true,
            teleported: false,
            pixels: f32::INFINITY,
            shown: None,
        });
        self.actors.len() - 1
    }

    /// Draws weights and sets them.
    ///
    /// # Errors
    /// The pass refused.
    pub fn set_weights(&mut self, actor: usize, kind: WeightKind, seed: u64) -> Outcome {
        let count = self.actors[actor].weights.len();
        let mut rng = Rng::new(seed);
        let hot = rng.below(count as u32) as usize;
        let given: Vec<f32> = match kind {
            WeightKind::Zero => Vec::new(),
            WeightKind::Ordinary => (0..count).map(|_| rng.signed() * 1.5 + 0.5).collect(),
            WeightKind::Edgy => (0..count).map(|_| rng.edgy(3.0)).collect(),
            WeightKind::OneHot => (0..count)
                .map(|slot| if slot == hot { 1.0 } else { 0.0 })
                .collect(),
            WeightKind::Short => (0..hot).map(|_| rng.signed()).collect(),
        };
        self.is_quiet = false;
        let actor = &mut self.actors[actor];
        self.rig.pass_mut().set_weights(actor.id, &given).map_err(text)?;
        actor.weights = given;
        actor.weights.resize(count, 0.0);
        Ok(())
    }

    /// One thing an engine does.
    ///
    /// # Errors
    /// A refusal that should not be, or, of a frame, the first difference.
    pub fn apply(&mut self, operation: Operation) -> Outcome {
        let actor_count = self.actors.len();
        let pick_actor = |number: u32| (actor_count > 0).then(|| number as usize % actor_count);
        let mesh_count = self.meshes.len();
        let pick_mesh = |number: u32| (mesh_count > 0).then(|| number as usize % mesh_count);
        match operation {
            Operation::Weights { actor, kind, seed } => {
                if let Some(actor) = pick_actor(actor) {
                    self.set_weights(actor, kind, seed)?;
                }
            }
            Operation::AllWeights { kind, seed } => {
                for actor in 0..actor_count {
                    self.set_weights(actor, kind, seed.wrapping_add(actor as u64))?;
                }
            }
            Operation::OneWeight { actor, slot, seed } => {
                if let Some(number) = pick_actor(actor) {
                    let actor = &mut self.actors[number];
                    let count = actor.weights.len();
                    if count > 0 {
                        let (slot, weight) = (slot as usize % count, Rng::new(seed).edgy(2.0));
                        self.rig
                            .pass_mut()
                            .set_weight(actor.id, slot, weight)
                            .map_err(text)?;
                        actor.weights[slot] = weight;
                        self.is_quiet = false;
                    }
                }
            }
            Operation::Visible { actor, visible } => {
                if let Some(number) = pick_actor(actor) {
                    self.actors[number].visible = visible;
                    self.rig
                        .pass_mut()
                        .set_visible(self.actors[number].id, visible)
                        .map_err(text)?;
                    self.is_quiet = false;
                }
            }
            Operation::Enabled { actor, enabled } => {
                if let Some(number) = pick_actor(actor) {
                    self.actors[number].enabled = enabled;
                    self.rig
                        .pass_mut()
                        .set_morphs_enabled(self.actors[number].id, enabled)
                        .map_err(text)?;
                    self.is_quiet = false;
                }
            }
            Operation::Teleport { .. } | Operation::Pixels { .. } | Operation::SkipBelow { .. } => {
                self.apply_view(operation)?;
            }
            Operation::Attach { mesh } => {
                if let Some(mesh) = pick_mesh(mesh) {
                    self.attach(mesh)?;
                }
            }
            Operation::AttachSkinned { mesh, skeleton } => {
                if let Some(mesh) = pick_mesh(mesh) {
                    self.attach_skinned(mesh, skeleton)?;
                }
            }
            Operation::AddSkeleton { bone_count } => self.add_skeleton(bone_count)?,
            Operation::RemoveSkeleton { skeleton } => self.remove_skeleton(skeleton)?,
            Operation::Pose { skeleton, seed } => self.set_pose(skeleton, seed)?,
            Operation::Detach { actor } => {
                if let Some(number) = pick_actor(actor) {
                    let actor = self.actors.remove(number);
                    self.rig.pass_mut().detach(actor.id).map_err(text)?;
                    self.is_quiet = false;
                }
            }
            Operation::Reupload { mesh } => {
                if let Some(mesh) = pick_mesh(mesh) {
                    self.rig.pass_mut().reupload(self.meshes[mesh].id).map_err(text)?;
                    self.is_quiet = false;
                }
            }
            Operation::Reserve { mesh, count } => {
                if let Some(mesh) = pick_mesh(mesh)
                    && let Err(error) = self.rig.pass_mut().reserve_instances(self.meshes[mesh].id, count)
                {
                    no_room(&error)?;
                }
            }
            Operation::DroppedFrame => self.dropped_frame()?,
            Operation::Frame => self.frame().map(|_| ())?,
        }
        Ok(())
    }

    fn dropped_frame(&mut self) -> Outcome {
        self.is_quiet = false;
        self.rig.drop_frame().map_err(text)?;
        Ok(())
    }

    /// Frames until nothing is left to do; then everything visible must be right.
    ///
    /// # Errors
    /// The first difference, or work that never ends.
    pub fn settle(&mut self) -> Outcome {
        for _ in 0..MOST_SETTLING_FRAMES {
            let stats = self.frame()?;
            if stats.is_idle() && stats.waiting_instances == 0 {
                if stats.degraded_instances > 0 {
                    return Err(format!("{} instances stay degraded", stats.degraded_instances));
                }
                return Ok(());
            }
        }
        Err(format!(
            "work was left after {MOST_SETTLING_FRAMES} frames: {:?}",
            self.last_stats
        ))
    }

    /// Records a frame, runs it, reads everything back and compares.
    ///
    /// # Errors
    /// The first difference.
    pub fn frame(&mut self) -> Result<FrameStats, String> {
        let states: HashMap<MeshId, MeshState> = self
            .meshes
            .iter()
            .map(|mesh| Ok((mesh.id, self.rig.pass().mesh_state(mesh.id)?)))
            .collect::<Result<_, MorphError>>()
            .map_err(text)?;
        let stats = self.rig.frame().map_err(text)?;
        self.check_stats(stats)?;
        let now = self.rig.read_geometry().map_err(text)?;
        let boxes = self.read_bounds()?;
        let mut free = self.uploaded_intervals();
        let is_complete = stats.waiting_instances == 0 && stats.degraded_instances == 0;
        for number in 0..self.actors.len() {
            let Some(range) = self.rig.pass().vertex_range(self.actors[number].id) else {
                return Err(format!("instance {number} has no range"));
            };
            if self.actors[number].visible {
                let state = states[&self.meshes[self.actors[number].mesh].id];
                self.check_current(number, range, (state, is_complete), &now)?;
                free.extend(intervals_of(
                    &self.rig,
                    range.current_first_vertex,
                    range.vertex_count,
                ));
            }
            self.check_previous(number, range, &now)?;
            self.check_bounds(number, range, &boxes, &now)?;
            let actor = &mut self.actors[number];
            let shown =
                |now: &[u8]| vertices_of(&self.rig, now, range.current_first_vertex, range.vertex_count);
            actor.shown = (actor.visible && range.written).then(|| shown(&now));
            actor.teleported = false;
        }
        self.check_untouched(free, &now)?;
        self.snapshot = now;
        self.tally.frame_count += 1;
        self.tally.dispatch_count += u64::from(stats.dispatches);
        self.last_stats = stats;
        self.is_quiet = true;
        Ok(stats)
    }

    fn check_stats(&self, stats: FrameStats) -> Outcome {
        let plan = self.rig.pass().plan();
        let (copies, dispatches, barriers) = (
            plan.copies().count(),
            plan.dispatches().count(),
            plan.barriers().count(),
        );
        if (stats.copies, stats.dispatches, stats.barriers)
            != (copies as u32, dispatches as u32, barriers as u32)
        {
            return Err(format!(
                "{stats:?} does not count the plan's {copies}, {dispatches}, {barriers}"
            ));
        }
        if stats.is_idle() != plan.is_empty() {
            return Err(format!(
                "{stats:?} and the plan disagree whether the frame is idle"
            ));
        }
        let hidden = self.actors.iter().filter(|actor| !actor.visible).count();
        if (stats.instance_count as usize, stats.skipped.hidden as usize) != (self.actors.len(), hidden)
            || stats.instance_count != stats.written_instances + stats.skipped.total()
        {
            return Err(format!(
                "{stats:?} does not count {} instances once each, {hidden} of them hidden",
                self.actors.len()
            ));
        }
        let last = &self.last_stats;
        let was_done =
            last.degraded_instances == 0 && last.waiting_instances == 0 && last.uploaded_bytes == 0;
        if self.is_quiet && was_done && !stats.is_idle() {
            return Err(format!("nothing changed, and yet: {stats:?}"));
        }
        Ok(())
    }

    /// The bytes that the frame uploaded meshes into: they are the pass's own affair.
    fn uploaded_intervals(&self) -> Vec<(usize, usize)> {
        let uploads = self
            .rig
            .pass()
            .plan()
            .copies()
            .filter(|copy| copy.purpose == CopyPurpose::Upload);
        uploads
            .map(morph_core::plan::CopyStep::written)
            .map(|it| (it.offset as usize, (it.offset + it.size_bytes) as usize))
            .collect()
    }

    /// Vertices out of a copy of the geometry buffer, stream after stream.
    fn vertices(&self, buffer: &[u8], first_vertex: u32, vertex_count: u32) -> Vec<u8> {
        vertices_of(&self.rig, buffer, first_vertex, vertex_count)
    }

    /// `is_complete`: no instance waits for anything.
    fn check_current(
        &mut self,
        number: usize,
        range: VertexRange,
        (state, is_complete): (MeshState, bool),
        now: &[u8],
    ) -> Outcome {
        let actor = &self.actors[number];
        let cooked = &self.meshes[actor.mesh].cooked;
        let bytes = self.vertices(now, range.current_first_vertex, range.vertex_count);
        let context = format!("frame {}, instance {number}, {state:?}", self.tally.frame_count);
        if range.written && bytes.chunks_exact(4).all(|word| word == GUARD.to_le_bytes()) {
            return Err(format!(
                "{context}: said to be written, and holds what the allocator left"
            ));
        }
        if state == MeshState::Resident {
            if !range.written {
                return Err(format!("{context}: visible, resident, and never written"));
            }
            let weights: &[f32] = if actor.enabled { &actor.weights } else { &[] };
            let posed = self.posed(actor);
            let is_posed = posed.is_some();
            let expected = expected_posed_bytes(&cooked.morph, &cooked.rest, weights, posed).map_err(text)?;
            if bytes != expected && !self.is_left_out(actor, &cooked.rest, &expected, &bytes, range) {
                return Err(format!(
                    "{context}: {}",
                    difference(&cooked.rest, &expected, &bytes)
                ));
            }
            self.tally.left_out_count += u64::from(bytes != expected);
            self.tally.instance_count += 1;
            self.tally.morphed_count += u64::from(expected != cooked.rest.vertices());
            self.tally.skinned_count += u64::from(is_posed);
        } else if range.written {
            let rest =
                expected_posed_bytes(&cooked.morph, &cooked.rest, &[], self.posed(actor)).map_err(text)?;
            // Before all of the mesh is there an instance shows the rest pose, skinned where the skin came before the
            // deltas, or still what it showed before a reupload.
            let is_refused = matches!(state, MeshState::Refused { .. });
            let may_lag = !(is_refused && is_complete);
            let before = self.vertices(&self.snapshot, range.current_first_vertex, range.vertex_count);
            let lags = bytes == cooked.rest.vertices() || bytes == before;
            if bytes != rest && !(may_lag && lags) {
                return Err(format!("{context}: neither at rest nor as before"));
            }
        }
        Ok(())
    }

    fn check_previous(&mut self, number: usize, range: VertexRange, now: &[u8]) -> Outcome {
        let actor = &self.actors[number];
        let context = format!("frame {}, instance {number}", self.tally.frame_count);
        let moved = range.previous_first_vertex != range.current_first_vertex;
        if moved && !self.history {
            return Err(format!("{context}: a previous range without history"));
        }
        if !self.compares_previous || !actor.visible {
            return Ok(());
        }
        if actor.teleported && moved {
            return Err(format!("{context}: motion across a jump"));
        }
        let previous = self.vertices(now, range.previous_first_vertex, range.vertex_count);
        match &actor.shown {
            _ if actor.teleported => {}
            // Dropped frames were seen by nobody: the frame before is the last that ran.
            Some(shown) if previous != *shown => {
                return Err(format!(
                    "{context}: the previous range is not what the frame before showed"
                ));
            }
            None if moved => return Err(format!("{context}: motion from a frame that did not show it")),
            _ => self.tally.motion_count += 1,
        }
        Ok(())
    }

    /// Nothing outside of the given intervals may differ from the snapshot.
    fn check_untouched(&self, mut free: Vec<(usize, usize)>, now: &[u8]) -> Outcome {
        free.sort_unstable();
        free.push((now.len(), now.len()));
        let mut cursor = 0;
        for (start, end) in free {
            if start > cursor && now[cursor..start] != self.snapshot[cursor..start] {
                let at = (cursor..start)
                    .find(|at| now[*at] != self.snapshot[*at])
                    .unwrap_or(cursor);
                return Err(format!(
                    "frame {}: byte {at}, which belongs to nobody who was written, changed from {:#x} to {:#x}",
                    self.tally.frame_count, self.snapshot[at], now[at]
                ));
            }
            cursor = cursor.max(end);
        }
        Ok(())
    }
}

/// First byte and the one behind the last of vertices in every stream.
fn intervals_of(rig: &Rig, first_vertex: u32, vertex_count: u32) -> Vec<(usize, usize)> {
    let intervals = rig.intervals_of(first_vertex, vertex_count).into_iter();
    intervals
        .map(|(offset, length)| (offset as usize, (offset + length) as usize))
        .collect()
}

fn vertices_of(rig: &Rig, buffer: &[u8], first_vertex: u32, vertex_count: u32) -> Vec<u8> {
    let intervals = intervals_of(rig, first_vertex, vertex_count).into_iter();
    intervals
        .flat_map(|(first, end)| buffer[first..end].iter().copied())
        .collect()
}

/// Refusals for want of room are part of a scene; others are not.
fn no_room(error: &MorphError) -> Outcome {
    match error {
        MorphError::OutOfSpace {
            asked_bytes,
            free_bytes,
            largest_hole_bytes,
            ..
        } => {
            let is_sane = largest_hole_bytes <= free_bytes && asked_bytes > &0;
            if is_sane {
                Ok(())
            } else {
                Err(format!("numbers that cannot be: {error}"))
            }
        }
        MorphError::InstanceCapacity { .. } | MorphError::FrameDataFull { .. } => Ok(()),
        other => Err(other.to_string()),
    }
}

/// The first difference, by vertex and byte.
pub fn difference(rest: &RestPose, expected: &[u8], found: &[u8]) -> String {
    if expected.len() != found.len() {
        return format!("{} bytes instead of {}", found.len(), expected.len());
    }
    let Some(at) = (0..expected.len()).find(|at| expected[*at] != found[*at]) else {
        return "no difference".to_owned();
    };
    let word = at / 4 * 4;
    let bits = |bytes: &[u8]| {
        let word: [u8; 4] = std::array::from_fn(|byte| bytes[word + byte]);
        (u32::from_le_bytes(word), f32::from_le_bytes(word))
    };
    let ((expected_bits, expected), (found_bits, found)) = (bits(expected), bits(found));
    let layout = rest.layout();
    let vertex_count = rest.vertex_count() as usize;
    let start_of = |stream: usize| layout.bytes_before(stream) as usize * vertex_count;
    let stream = (0..layout.stream_count())
        .rfind(|stream| start_of(*stream) <= at)
        .unwrap_or(0);
    let stride = layout.strides_bytes[stream] as usize;
    let within = word - start_of(stream);
    let name = if layout.stream_count() > 1 {
        format!(", stream {stream}")
    } else {
        String::new()
    };
    format!(
        "vertex {}{name}, byte {} of {stride}: the host has {expected_bits:#010x} ({expected}), the device {found_bits:#010x} ({found})",
        within / stride,
        within % stride
    )
}
