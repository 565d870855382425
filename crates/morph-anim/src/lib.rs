//! Curves, clips, layers, and a player for morph weights and nodes.
//!
//! A [`Clip`] holds one [`Track`] for each thing that it drives: the weight of a named morph target, or the
//! translation, rotation or scale of a node.
//! What it has no track for it does not touch: an absent weight is not a weight of zero.
//!
//! # From a clip to a frame
//! 1. A [`PoseLayout`] says what of a model can be driven: its nodes and the names of their targets. A model without a
//!    rig is one node.
//! 2. A [`BoundClip`] has a clip's names resolved for a layout, once, and lists those that resolve nowhere.
//! 3. A [`ClipPlayer`] plays bound clips in layers. Each frame [`ClipPlayer::update`] yields a [`Pose`]: the weights of
//!    every node, as they are set on an instance, and the transform of every node, each with a mark that says whether
//!    anything drives it. It allocates nothing.
//! 4. A [`Hierarchy`] makes matrices into the model's space of the transforms, and [`joint_matrices_into`] of those the
//!    matrices of a skin.
//!
//! [`ClipPlayer`] has an example of the first three.
//! For a single curve, or without layers, there are [`Curve::sample`] and [`BoundClip::sample_into`].
//!
//! # What is exact
//! - A curve at a key is the key's value, to the last bit; before its first and after its last key theirs.
//! - A layer of weight zero changes no bit of what lies below it, and drives nothing.
//! - An override layer of weight one gives its own values to the last bit, for what it drives, and leaves the rest.
//! - An additive layer that adds zero changes no bit.
//! - A [`BlendTree`] with one clip at weight one, and all others at zero, gives that clip's values to the last bit.
//! - A clip written by `yaml::write` is read back to the last bit.
//!
//! All else is computed in double precision and rounded once, and is finite: what would pass the largest `f32` is that
//! number. Nothing is clamped to a range otherwise, since weights below zero and past one are meant.
//! Turning rotations takes sines, whose last bits differ from platform to platform.
//!
//! # Features
//! `yaml`, on by default: clips as text, in the module of that name.

#![forbid(unsafe_code)]

#[cfg(feature = "yaml")]
pub mod yaml;

mod bind;
mod blend;
mod clip;
mod clock;
mod cursor;
mod curve;
mod layout;
mod mix;
mod number;
mod player;
mod pose;
mod rotation;
mod sample;
mod trs;
mod world;

pub use bind::{BoundClip, Cursors, OtherLayout, Reason, Unresolved, WeightBinding};
pub use blend::{BlendError, BlendNode, BlendTree, ClipId};
pub use clip::{Channel, Clip, ClipError, Property, Track};
pub use clock::{Clock, ClockError, LoopMode};
pub use cursor::Cursor;
pub use curve::{CubicKey, Curve, CurveError, Keys};
pub use layout::{LayoutError, PoseLayout, PoseNode};
pub use mix::LayerMode;
pub use player::{ClipPlayer, Layer, LayerId, PlayerError};
pub use pose::{DrivenParts, Pose, PoseError};
pub use trs::Trs;
pub use world::{Hierarchy, HierarchyError, joint_matrices_into, world_matrices};
