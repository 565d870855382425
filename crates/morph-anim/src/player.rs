//! Plays clips in layers and yields a pose a frame.

use std::sync::Arc;

use crate::bind::{BoundClip, Cursors, OtherLayout, same_layout};
use crate::blend::{BlendTree, ClipId};
use crate::clock::{Clock, ClockError, LoopMode};
use crate::layout::PoseLayout;
use crate::mix::{LayerMode, Mix};
use crate::pose::Pose;

/// A layer of a [`ClipPlayer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LayerId(usize);

/// Clips with what they do to what lies below.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// How the layer goes over what lies below.
    pub mode: LayerMode,
    /// By how much. A layer of weight zero changes no bit and drives nothing.
    pub weight: f32,
    /// What is played.
    pub tree: BlendTree,
}

/// What a player cannot do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// The clip was bound to another layout than the player's.
    #[error(transparent)]
    OtherLayout(#[from] OtherLayout),
    /// A time, speed or step is not finite.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// There is no such clip.
    #[error("the player has no clip {clip:?}: it has {clip_count}")]
    NoClip {
        /// The clip asked for.
        clip: ClipId,
        /// How many clips the player has.
        clip_count: usize,
    },
    /// There is no such layer.
    #[error("the player has no layer {layer:?}: it has {layer_count}")]
    NoLayer {
        /// The layer asked for.
        layer: LayerId,
        /// How many layers the player has.
        layer_count: usize,
    },
    /// The weight of a layer is NaN or infinite.
    #[error("a layer's weight is {weight}: it must be a finite number")]
    LayerWeight {
        /// The weight.
        weight: f32,
    },
}

/// Plays clips on a model, frame by frame.
///
/// Layers lie over the base pose in the order in which they were added, the first one lowest.
/// A player serves one instance; what it reads, clips bound to the model, can be shared among all of them.
///
/// [`update`](Self::update) allocates nothing.
///
/// ```
/// use std::sync::Arc;
/// use morph_anim::{BoundClip, Channel, Clip, ClipPlayer, Curve, Keys, LoopMode, PoseLayout, Track, WeightBinding};
/// use morph_core::NameTable;
///
/// let names = NameTable::new(["blink", "smile"])?;
/// let layout = Arc::new(PoseLayout::of_mesh("face", names));
/// let clip = Arc::new(Clip {
///     name: "blinking".to_owned(),
///     tracks: vec![Track {
///         node: "face".to_owned(),
///         channel: Channel::Weight {
///             target: "blink".to_owned(),
///             curve: Curve::new([0.0, 1.0], Keys::Linear(vec![[0.0], [1.0]]))?,
///         },
///     }],
/// });
/// let bound = Arc::new(BoundClip::new(&clip, &layout, WeightBinding::ByNode)?);
/// assert!(bound.unresolved().is_empty());
///
/// let mut player = ClipPlayer::of_clip(bound, LoopMode::Loop);
/// let pose = player.update(0.25)?;
/// assert_eq!(pose.weights(0), [0.25, 0.0]);
/// assert_eq!(pose.driven_weights(0), [true, false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClipPlayer {
    clips: Vec<Playing>,
    layers: Vec<Layer>,
    base: Pose,
    pose: Pose,
    mix: Mix,
}

#[derive(Clone, Debug)]
struct Playing {
    clip: Arc<BoundClip>,
    cursors: Cursors,
    clock: Clock,
}

impl ClipPlayer {
    /// A player without clips, whose pose is the model's at rest.
    pub fn new(layout: Arc<PoseLayout>) -> Self {
        let base = Pose::new(layout);
        ClipPlayer {
            clips: Vec::new(),
            layers: Vec::new(),
            mix: Mix::new(base.locals.len(), base.weights.len()),
            pose: base.clone(),
            base,
        }
    }

    /// A player that plays one clip alone, in an override layer of weight one.
    pub fn of_clip(clip: Arc<BoundClip>, loop_mode: LoopMode) -> Self {
        let mut player = ClipPlayer::new(Arc::clone(clip.layout()));
        player.clips.push(Playing::new(clip, loop_mode));
        player.layers.push(Layer {
            mode: LayerMode::Override,
            weight: 1.0,
            tree: BlendTree::of_clip(ClipId(0)),
        });
        player
    }

    /// Adds a clip, at its beginning. It shows once a layer plays it.
    ///
    /// # Errors
    /// Where the clip was bound to another layout.
    pub fn add_clip(&mut self, clip: Arc<BoundClip>, loop_mode: LoopMode) -> Result<ClipId, PlayerError> {
        self.check_layout(&clip)?;
        self.clips.push(Playing::new(clip, loop_mode));
        Ok(ClipId(self.clips.len() - 1))
    }

    /// Puts a clip in the place of another, at its beginning; layers that played that play this.
    ///
    /// # Errors
    /// Where there is no such clip, and where the new one was bound to another layout.
    pub fn replace_clip(
        &mut self,
        id: ClipId,
        clip: Arc<BoundClip>,
        loop_mode: LoopMode,
    ) -> Result<(), PlayerError> {
        self.check_layout(&clip)?;
        *self.playing(id)? = Playing::new(clip, loop_mode);
        Ok(())
    }

    /// Adds a layer over all others.
    ///
    /// # Errors
    /// Where its weight is not finite, and where it plays a clip that the player does not have.
    pub fn add_layer(&mut self, layer: Layer) -> Result<LayerId, PlayerError> {
        self.check_layer(&layer)?;
        self.layers.push(layer);
        Ok(LayerId(self.layers.len() - 1))
    }

    /// Puts a layer in the place of another.
    ///
    /// # Errors
    /// As [`add_layer`](Self::add_layer), and where there is no such layer.
    pub fn replace_layer(&mut self, id: LayerId, layer: Layer) -> Result<(), PlayerError> {
        self.check_layer(&layer)?;
        *self.layer_mut(id)? = layer;
        Ok(())
    }

    /// Takes all layers away; the clips stay.
    pub fn clear_layers(&mut self) {
        self.layers.clear();
    }

    /// Sets the weight of a layer.
    ///
    /// # Errors
    /// Where there is no such layer, and where the weight is not finite.
    pub fn set_layer_weight(&mut self, id: LayerId, weight: f32) -> Result<(), PlayerError> {
        check_layer_weight(weight)?;
        self.layer_mut(id)?.weight = weight;
        Ok(())
    }

    /// The layers by id, the lowest first.
    pub fn layers(&self) -> impl ExactSizeIterator<Item = (LayerId, &Layer)> {
        self.layers
            .iter()
            .enumerate()
            .map(|(index, layer)| (LayerId(index), layer))
    }

    /// The tree of a layer, whose weights may be set.
    ///
    /// # Errors
    /// Where there is no such layer.
    pub fn tree_mut(&mut self, id: LayerId) -> Result<&mut BlendTree, PlayerError> {
        Ok(&mut self.layer_mut(id)?.tree)
    }

    /// The clock of a clip.
    ///
    /// # Errors
    /// Where there is no such clip.
    pub fn clock_mut(&mut self, id: ClipId) -> Result<&mut Clock, PlayerError> {
        Ok(&mut self.playing(id)?.clock)
    }

    /// The clips by id: each as it is bound, and its clock.
    pub fn clips(&self) -> impl ExactSizeIterator<Item = (ClipId, &Arc<BoundClip>, &Clock)> {
        self.clips
            .iter()
            .enumerate()
            .map(|(index, playing)| (ClipId(index), &playing.clip, &playing.clock))
    }

    /// The pose below all layers: at first the model's at rest. What is set here shows from the next update on.
    pub fn base_mut(&mut self) -> &mut Pose {
        &mut self.base
    }

    /// Lets some seconds pass and yields the new pose. Allocates nothing.
    ///
    /// # Errors
    /// Where the step is not finite; then no clip has moved.
    pub fn update(&mut self, seconds: f64) -> Result<&Pose, PlayerError> {
        // Tried on copies, so that a clip whose speed makes the step too large leaves the others where they are.
        for playing in &self.clips {
            let mut clock = playing.clock;
            clock.advance(seconds)?;
        }
        for playing in &mut self.clips {
            playing.clock.advance(seconds)?;
        }
        Ok(self.evaluate())
    }

    /// The pose of the present times, weights and base. Allocates nothing.
    pub fn evaluate(&mut self) -> &Pose {
        self.pose.start_from(&self.base);
        for layer in &self.layers {
            if layer.weight == 0.0 {
                continue;
            }
            if let (LayerMode::Override, 1.0, Some(id)) = (layer.mode, layer.weight, layer.tree.whole_clip())
            {
                // What the mix would come to, without mixing; most characters have no other layer.
                if let Some(Playing { clip, cursors, clock }) = self.clips.get_mut(id.0) {
                    clip.for_each(clock.time(), cursors, |slot, value| self.pose.put(slot, value));
                }
                continue;
            }
            self.mix.clear();
            for (id, weight) in layer.tree.clips() {
                // A tree may have been put in place of another since its layer was checked.
                if let Some(Playing { clip, cursors, clock }) = self.clips.get_mut(id.0) {
                    clip.for_each(clock.time(), cursors, |slot, value| {
                        self.mix.add(slot, value, weight);
                    });
                }
            }
            self.mix
                .put_over(&mut self.pose, layer.mode, f64::from(layer.weight));
        }
        &self.pose
    }

    /// The pose of the last update.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    fn playing(&mut self, id: ClipId) -> Result<&mut Playing, PlayerError> {
        let clip_count = self.clips.len();
        let none = PlayerError::NoClip { clip: id, clip_count };
        self.clips.get_mut(id.0).ok_or(none)
    }

    fn layer_mut(&mut self, id: LayerId) -> Result<&mut Layer, PlayerError> {
        let layer_count = self.layers.len();
        let none = PlayerError::NoLayer {
            layer: id,
            layer_count,
        };
        self.layers.get_mut(id.0).ok_or(none)
    }

    fn check_layout(&self, clip: &BoundClip) -> Result<(), PlayerError> {
        if same_layout(clip.layout(), self.base.layout()) {
            Ok(())
        } else {
            Err(OtherLayout.into())
        }
    }

    fn check_layer(&self, layer: &Layer) -> Result<(), PlayerError> {
        check_layer_weight(layer.weight)?;
        let clip_count = self.clips.len();
        match layer.tree.clips().find(|(clip, _)| clip.0 >= clip_count) {
            Some((clip, _)) => Err(PlayerError::NoClip { clip, clip_count }),
            None => Ok(()),
        }
    }
}

impl Playing {
    fn new(clip: Arc<BoundClip>, loop_mode: LoopMode) -> Self {
        Playing {
            cursors: clip.cursors(),
            clock: Clock::new(clip.clip().duration(), loop_mode),
            clip,
        }
    }
}

fn check_layer_weight(weight: f32) -> Result<(), PlayerError> {
    if weight.is_finite() {
        Ok(())
    } else {
        Err(PlayerError::LayerWeight { weight })
    }
}
