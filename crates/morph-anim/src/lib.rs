//! Curves, clips, layers, and a player for morph weights and nodes.

#![forbid(unsafe_code)]

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
