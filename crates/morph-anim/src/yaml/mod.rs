//! Clips as text that people write: a small, strict part of YAML.
//!
//! ```yaml
//! version: 2
//! name: "greeting"
//! tracks:
//! - node: "head"
//!   property: weight
//!   target: "mouthSmileLeft"
//!   interpolation: linear
//!   times: [0.0, 0.5]
//!   values: [0.0, 1.0]
//! - node: "head"
//!   property: rotation
//!   interpolation: cubicspline
//!   times: [0.0, 1.0]
//!   in_tangents: [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
//!   values: [[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]]
//!   out_tangents: [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
//! ```
//!
//! A track is told from all others by its node, its property, and for a weight the name of its target, without which a
//! weight track is an error.
//! Properties are `translation` (metres), `rotation` (a quaternion x, y, z, w), `scale` and `weight`; interpolations
//! are `step`, `linear` and `cubicspline`, which alone has tangents, per second.
//! Times are seconds and rise. There is a value, and for a spline a tangent of each kind, for every time.
//! `name` may be left out; every other field is needed, and no others are known.
//!
//! # Versions
//! | version | what it adds |
//! |---|---|
//! | 1 | `translation`, `rotation`, `scale` |
//! | 2 | `weight`, and with it `target` |
//!
//! A file says the version that it needs, and [`write()`] says the least: a clip without weights stays readable where
//! only version 1 is known.
//! A file that needs a later version than it says is refused, and so is one of a version that is not in the table.
//!
//! # Exactness
//! What was written is read back to the last bit: numbers have as many digits as tell them from all others of `f32`,
//! -0 keeps its sign, and names may have any characters.
//!
//! # What is refused
//! A file is read as data from anywhere: one of more than [`MAX_BYTES`] is refused, as are anchors and aliases (by
//! which a small file could grow beyond bounds), tags, a second document, anything nested deeper than a clip is, and maps of more fields than a clip has.
//! So is a list or map in brackets of more than 65,536 characters that does not begin on the line of its field, since
//! YAML would have it read to its end before anything is known of it.
//! Numbers are decimal and finite. Every error names file, line and column.

mod decode;
mod error;
mod tree;
mod write;

pub use decode::read;
pub use error::{YamlError, YamlErrorKind};
pub use write::write;

use crate::clip::{Clip, Property};

/// The largest file that is read, in bytes: about a million and a half keys of weights.
///
/// Reading takes some eight times the size of a file of numbers, and at most fifty times that of any of a megabyte or
/// more.
pub const MAX_BYTES: usize = 32 << 20;

/// The newest version that is read and written.
pub const NEWEST_VERSION: u32 = 2;

/// The version that a property needs.
fn version_of(property: Property) -> u32 {
    match property {
        Property::Translation | Property::Rotation | Property::Scale => 1,
        Property::Weight => 2,
    }
}

/// The least version that a clip needs.
pub fn needed_version(clip: &Clip) -> u32 {
    let versions = clip
        .tracks
        .iter()
        .map(|track| version_of(track.channel.property()));
    versions.max().unwrap_or(1)
}

/// The names of the fields and words of a file, spelled once for reading and writing.
mod word {
    pub(super) const VERSION: &str = "version";
    pub(super) const NAME: &str = "name";
    pub(super) const TRACKS: &str = "tracks";

    pub(super) const NODE: &str = "node";
    pub(super) const PROPERTY: &str = "property";
    pub(super) const TARGET: &str = "target";
    pub(super) const INTERPOLATION: &str = "interpolation";
    pub(super) const TIMES: &str = "times";
    pub(super) const VALUES: &str = "values";
    pub(super) const IN_TANGENTS: &str = "in_tangents";
    pub(super) const OUT_TANGENTS: &str = "out_tangents";

    pub(super) const STEP: &str = "step";
    pub(super) const LINEAR: &str = "linear";
    pub(super) const CUBIC_SPLINE: &str = "cubicspline";
}
