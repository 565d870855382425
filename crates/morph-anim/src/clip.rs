//! Clips: what is driven, and by which curve.

use std::collections::BTreeMap;

use crate::curve::Curve;

/// An animation clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// The clip's name; empty where it has none.
    pub name: String,
    /// One track for each thing that the clip drives; no two drive the same thing.
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

/// What of a node a track drives, without the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Property {
    /// The translation to the parent.
    Translation,
    /// The rotation to the parent.
    Rotation,
    /// The scale along the node's axes.
    Scale,
    /// The weight of a morph target.
    Weight,
}

/// A clip that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClipError {
    /// Two tracks drive the same thing.
    #[error("tracks {first} and {second} both drive {driven}: a clip may have one track for it")]
    DuplicateTrack {
        /// The index of the track that comes first.
        first: usize,
        /// The index of the other one.
        second: usize,
        /// What they drive.
        driven: String,
    },
}

impl Property {
    /// All of them, in the order of glTF.
    pub const ALL: [Self; 4] = [Self::Translation, Self::Rotation, Self::Scale, Self::Weight];

    /// The name in words and files: `translation`, `rotation`, `scale`, `weight`.
    pub const fn name(self) -> &'static str {
        match self {
            Property::Translation => "translation",
            Property::Rotation => "rotation",
            Property::Scale => "scale",
            Property::Weight => "weight",
        }
    }
}

impl Channel {
    /// What is driven.
    pub fn property(&self) -> Property {
        match self {
            Channel::Translation(_) => Property::Translation,
            Channel::Rotation(_) => Property::Rotation,
            Channel::Scale(_) => Property::Scale,
            Channel::Weight { .. } => Property::Weight,
        }
    }

    /// The name of the target that a weight is of; none for a transform.
    pub fn target(&self) -> Option<&str> {
        match self {
            Channel::Weight { target, .. } => Some(target),
            _ => None,
        }
    }

    /// The time of the last key, in seconds.
    fn end(&self) -> f32 {
        match self {
            Channel::Translation(curve) | Channel::Scale(curve) => curve.end(),
            Channel::Rotation(curve) => curve.end(),
            Channel::Weight { curve, .. } => curve.end(),
        }
    }
}

impl Track {
    /// What tells a track from all others of its clip: node, property, and target.
    pub fn identity(&self) -> (&str, Property, Option<&str>) {
        (&self.node, self.channel.property(), self.channel.target())
    }
}

impl Clip {
    /// The time of the last key of any track, in seconds; zero without tracks, and where all keys lie before zero.
    ///
    /// A clip begins at zero, also where its first key comes later: until then the first value holds.
    pub fn duration(&self) -> f32 {
        let ends = self.tracks.iter().map(|track| track.channel.end());
        ends.fold(0.0, f32::max)
    }

    /// Whether the clip can be played.
    ///
    /// # Errors
    /// Where two tracks have the same [`identity`](Track::identity).
    pub fn check(&self) -> Result<(), ClipError> {
        let mut tracks = BTreeMap::new();
        for (second, track) in self.tracks.iter().enumerate() {
            if let Some(first) = tracks.insert(track.identity(), second) {
                return Err(ClipError::DuplicateTrack {
                    first,
                    second,
                    driven: describe(track.identity()),
                });
            }
        }
        Ok(())
    }
}

/// What a track drives, in words.
pub(crate) fn describe((node, property, target): (&str, Property, Option<&str>)) -> String {
    match target {
        Some(target) => format!("the weight of target `{target}` of node `{node}`"),
        None => format!("the {} of node `{node}`", property.name()),
    }
}
