//! Curves, clips, layers, and a player for morph weights and nodes.
//!
//! A [`Clip`] holds one [`Track`] for each thing that it drives: the weight of a named morph target, or the
//! translation, rotation or scale of a node.
//! What it has no track for it does not touch: an absent weight is not a weight of zero.

#![forbid(unsafe_code)]

mod clip;
mod cursor;
mod curve;
mod sample;
mod trs;

pub use clip::{Channel, Clip, Track};
pub use cursor::Cursor;
pub use curve::{CubicKey, Curve, CurveError, Keys};
pub use trs::Trs;
