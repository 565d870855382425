//! Binding a clip to a model: from names to places in a pose, once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::{Quat, Vec3};
use morph_core::NameTable;

use crate::clip::{Channel, Clip, ClipError};
use crate::cursor::Cursor;
use crate::layout::PoseLayout;
use crate::pose::{Pose, Slot};

/// How weight tracks find their targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WeightBinding {
    /// By the node's id and the target's name.
    #[default]
    ByNode,
    /// As [`ByNode`](Self::ByNode); a track whose node the model does not have drives every target of its name in the
    /// model that no other track drives. This is how one clip works across models whose meshes are called differently.
    ByNodeElseTarget,
}

/// A clip with its names resolved for one layout.
///
/// It is not changed by playing, so any number of players can share one; each keeps its [`Cursors`].
#[derive(Clone, Debug)]
pub struct BoundClip {
    clip: Arc<Clip>,
    layout: Arc<PoseLayout>,
    /// What is driven, by which track; a track may drive several weights, nothing is driven twice.
    links: Vec<Link>,
    unresolved: Vec<Unresolved>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    track: usize,
    slot: Slot,
}

/// Where each track of a playing clip was read last.
#[derive(Clone, Debug)]
pub struct Cursors(Vec<Cursor>);

/// A track that drives nothing in the model that its clip was bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// The track's index in [`Clip::tracks`].
    pub track: usize,
    /// The node that the track names.
    pub node: String,
    /// For a weight track the target that it names; none for a track of a transform.
    pub target: Option<String>,
    /// Why it drives nothing.
    pub reason: Reason,
}

/// Why a track drives nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The model has no node of this id, nor, where targets are looked for by name alone, such a target.
    NoNode,
    /// The model has the node, but its mesh has no such target.
    NoTarget,
    /// All targets of this name are driven by other tracks of the clip.
    Taken,
}

/// The value that a track gives at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Translation(Vec3),
    Rotation(Quat),
    Scale(Vec3),
    Weight(f32),
}

impl BoundClip {
    /// Resolves the names of a clip. What names nothing in the model is no error: see
    /// [`unresolved`](Self::unresolved).
    ///
    /// # Errors
    /// Where two tracks of the clip drive the same thing.
    pub fn new(
        clip: &Arc<Clip>,
        layout: &Arc<PoseLayout>,
        binding: WeightBinding,
    ) -> Result<Self, ClipError> {
        clip.check()?;
        let mut bound = BoundClip {
            clip: Arc::clone(clip),
            layout: Arc::clone(layout),
            links: Vec::with_capacity(clip.tracks.len()),
            unresolved: Vec::new(),
        };
        let mut homeless = Vec::new();
        for (index, track) in clip.tracks.iter().enumerate() {
            let Some(node) = layout.ids().slot(&track.node) else {
                homeless.push(index);
                continue;
            };
            let slot = match &track.channel {
                Channel::Translation(_) => Some(Slot::Translation(node)),
                Channel::Rotation(_) => Some(Slot::Rotation(node)),
                Channel::Scale(_) => Some(Slot::Scale(node)),
                Channel::Weight { target, .. } => weight_slot(layout, node, target),
            };
            match slot {
                Some(slot) => bound.links.push(Link { track: index, slot }),
                None => bound.give_up(index, Reason::NoTarget),
            }
        }
        // After all others, because a track that names its node goes before one that does not.
        match binding {
            WeightBinding::ByNode => homeless
                .into_iter()
                .for_each(|track| bound.give_up(track, Reason::NoNode)),
            WeightBinding::ByNodeElseTarget => bound.find_by_target(homeless),
        }
        bound.unresolved.sort_by_key(|unresolved| unresolved.track);
        Ok(bound)
    }

    fn find_by_target(&mut self, tracks: Vec<usize>) {
        let layout = Arc::clone(&self.layout);
        let clip = Arc::clone(&self.clip);
        let mut places: BTreeMap<&str, Vec<Slot>> = BTreeMap::new();
        for node in 0..layout.node_count() {
            for target in layout.targets(node).into_iter().flat_map(NameTable::iter) {
                places
                    .entry(target)
                    .or_default()
                    .extend(weight_slot(&layout, node, target));
            }
        }
        let mut taken: BTreeSet<Slot> = self.links.iter().map(|link| link.slot).collect();
        for track in tracks {
            let named = match &clip.tracks[track].channel {
                Channel::Weight { target, .. } => places.get(target.as_str()),
                _ => None,
            };
            let Some(named) = named else {
                self.give_up(track, Reason::NoNode);
                continue;
            };
            let before = self.links.len();
            for &slot in named {
                if taken.insert(slot) {
                    self.links.push(Link { track, slot });
                }
            }
            if self.links.len() == before {
                self.give_up(track, Reason::Taken);
            }
        }
    }

    fn give_up(&mut self, index: usize, reason: Reason) {
        let track = &self.clip.tracks[index];
        self.unresolved.push(Unresolved {
            track: index,
            node: track.node.clone(),
            target: match &track.channel {
                Channel::Weight { target, .. } => Some(target.clone()),
                _ => None,
            },
            reason,
        });
    }

    /// The clip.
    pub fn clip(&self) -> &Arc<Clip> {
        &self.clip
    }

    /// The layout that the clip is bound to.
    pub fn layout(&self) -> &Arc<PoseLayout> {
        &self.layout
    }

    /// The tracks that drive nothing in this model, in the clip's order.
    pub fn unresolved(&self) -> &[Unresolved] {
        &self.unresolved
    }

    /// How many joints the clip names with tracks of transforms that the model does not have.
    ///
    /// A joint counts once, however many tracks name it.
    pub fn unresolved_joint_count(&self) -> usize {
        let joints = self.unresolved.iter().filter(|track| track.target.is_none());
        joints.map(|track| &track.node).collect::<BTreeSet<_>>().len()
    }

    /// How many weight tracks drive nothing in the model.
    pub fn unresolved_weight_count(&self) -> usize {
        let weights = self.unresolved.iter().filter(|track| track.target.is_some());
        weights.count()
    }

    /// Cursors for playing the clip.
    pub fn cursors(&self) -> Cursors {
        Cursors(vec![Cursor::default(); self.links.len()])
    }

    /// Writes what the clip drives at a time in seconds into a pose, marks it driven, and leaves all else alone.
    /// Allocates nothing.
    ///
    /// # Errors
    /// Where the pose has another layout than the clip was bound to; then nothing is written.
    pub fn sample_into(&self, time: f32, cursors: &mut Cursors, pose: &mut Pose) -> Result<(), OtherLayout> {
        if !same_layout(&self.layout, pose.layout()) {
            return Err(OtherLayout);
        }
        self.for_each(time, cursors, |slot, value| pose.put(slot, value));
        Ok(())
    }

    /// Calls `put` with everything that the clip drives and its value at a time.
    pub(crate) fn for_each(&self, time: f32, cursors: &mut Cursors, mut put: impl FnMut(Slot, Value)) {
        // Cursors of another clip are of another number, and then as good as none.
        cursors.0.resize(self.links.len(), Cursor::default());
        for (link, cursor) in self.links.iter().zip(&mut cursors.0) {
            let value = match &self.clip.tracks[link.track].channel {
                Channel::Translation(curve) => {
                    Value::Translation(Vec3::from_array(curve.sample_from(time, cursor)))
                }
                Channel::Rotation(curve) => {
                    Value::Rotation(Quat::from_array(curve.sample_rotation_from(time, cursor)))
                }
                Channel::Scale(curve) => Value::Scale(Vec3::from_array(curve.sample_from(time, cursor))),
                Channel::Weight { curve, .. } => Value::Weight(curve.sample_from(time, cursor)[0]),
            };
            put(link.slot, value);
        }
    }
}

/// A clip, or a pose, belongs to another layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the clip was bound to another layout than this one: bind it to the layout of what it is to drive")]
pub struct OtherLayout;

/// Whether two layouts are the same; told by address first, which it is as a rule.
pub(crate) fn same_layout(a: &Arc<PoseLayout>, b: &Arc<PoseLayout>) -> bool {
    Arc::ptr_eq(a, b) || a == b
}

fn weight_slot(layout: &PoseLayout, node: usize, target: &str) -> Option<Slot> {
    let slot = layout.targets(node)?.slot(target)?;
    layout.weight_index(node, slot).map(Slot::Weight)
}

impl Pose {
    /// Writes a value and marks it driven.
    pub(crate) fn put(&mut self, slot: Slot, value: Value) {
        match (slot, value) {
            (Slot::Translation(node), Value::Translation(value)) => {
                self.locals[node].translation = value;
                self.driven_parts[node].translation = true;
            }
            (Slot::Rotation(node), Value::Rotation(value)) => {
                self.locals[node].rotation = value;
                self.driven_parts[node].rotation = true;
            }
            (Slot::Scale(node), Value::Scale(value)) => {
                self.locals[node].scale = value;
                self.driven_parts[node].scale = true;
            }
            (Slot::Weight(index), Value::Weight(value)) => {
                self.weights[index] = value;
                self.driven_weights[index] = true;
            }
            // A track is linked to a slot of its own kind.
            _ => {}
        }
    }
}
