//! Clips: what is driven, and by which curve.

use crate::curve::Curve;

/// An animation clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// The clip's name; empty where it has none.
    pub name: String,
    /// One track for each thing that the clip drives; no two have the same node and channel.
    pub tracks: Vec<Track>,
}

/// One thing that a clip drives.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// The node: the name by which clips call it, distinct within a model.
    pub node: String,
    /// What of the node is driven, and how.
    pub channel: Channel,
}

/// What of a node a track drives.
#[derive(Clone, Debug, PartialEq)]
pub enum Channel {
    /// The translation to the parent, in metres.
    Translation(Curve<3>),
    /// The rotation to the parent: a quaternion x, y, z, w.
    Rotation(Curve<4>),
    /// The scale along the node's axes.
    Scale(Curve<3>),
    /// The weight of one morph target of the node's mesh.
    Weight {
        /// The target's name.
        target: String,
        /// The weight over time; never clamped.
        curve: Curve<1>,
    },
}

impl Clip {
    /// The time of the last key of any track, in seconds; zero without tracks.
    pub fn duration(&self) -> f32 {
        let ends = self.tracks.iter().map(|track| match &track.channel {
            Channel::Translation(curve) | Channel::Scale(curve) => curve.end(),
            Channel::Rotation(curve) => curve.end(),
            Channel::Weight { curve, .. } => curve.end(),
        });
        ends.fold(0.0, f32::max)
    }
}
