//! Writes models: as GLB with sparse deltas, or as OBJ without any.
//!
//! What a format cannot say is not left out in silence: it comes back as an [`ExportNote`].

mod animation;
mod bake;
mod binary;
mod glb;
mod mesh;
mod obj;
mod scene;

pub use glb::to_glb;
pub use obj::{ObjNormals, ObjText, ObjVertices, to_obj};

/// What was written otherwise than the model has it, because the format has no way to say it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportNote {
    /// A primitive without vertices cannot be written.
    #[error("{place} has no vertices and is left out")]
    EmptyPrimitive {
        /// Which one.
        place: String,
    },
    /// A track drives a node or target that the model does not have.
    #[error("clip {clip} drives {what}, which the model does not have; the track is left out")]
    LostTrack {
        /// The clip's index.
        clip: usize,
        /// The node, and the target where there is one.
        what: String,
    },
    /// Clips without tracks cannot be written, as glTF has no animation without channels; those behind them get other
    /// numbers.
    #[error(
        "{} and {} left out, as glTF has no clip without channels{}",
        clips_that_drive_nothing(clips),
        if clips.len() == 1 { "is" } else { "are" },
        renumbered_clips(renumbered)
    )]
    EmptyClips {
        /// Their indices.
        clips: Vec<usize>,
        /// The index in the model and the index in the file of each clip where these differ.
        renumbered: Vec<(usize, usize)>,
    },
    /// Expressions cannot be written: the extension that has them asks for what a model does not hold.
    #[error(
        "{count} of the avatar {} left out: VRMC_vrm has expressions only with the avatar's meta data, license and          humanoid bones, which are not read; a cooked file (`morph pack`) keeps expressions",
        if *count == 1 { "expression is" } else { "expressions are" }
    )]
    ExpressionsLost {
        /// How many there are.
        count: usize,
    },
    /// A mesh has more targets than can be built: it can be written, and neither cooked nor brought to a device.
    #[error(
        "mesh {mesh} has {count} targets; they are all written, and no more than {limit} can be evaluated, cooked or          brought to a device"
    )]
    ManyTargets {
        /// The mesh's index.
        mesh: usize,
        /// Its targets.
        count: usize,
        /// The most that can be built.
        limit: usize,
    },
    /// glTF has no in-betweens, so what they do over time is written as keys of the targets.
    #[error(
        "clip {clip} drives node {node:?} through in-betweens or combinations, which glTF does not have; what they do \
         is written as keys, {keys_per_second} a second, and straight between them"
    )]
    RigBaked {
        /// The clip's index.
        clip: usize,
        /// The node's id.
        node: String,
        /// Keys a second.
        keys_per_second: u32,
    },
    /// The joints of a skin hang on no common node, which glTF demands.
    #[error(
        "the joints of skin {skin} hang on no common node; the nodes above them are hung on a new one, behind the others"
    )]
    RootAdded {
        /// The skin's index.
        skin: usize,
    },
    /// OBJ has neither targets nor nodes nor clips.
    #[error("OBJ has no {what}; they are left out")]
    NotInObj {
        /// What is left out.
        what: &'static str,
    },
}

/// The most clips that a note names.
const SHOWN_CLIPS: usize = 8;

fn clips_that_drive_nothing(clips: &[usize]) -> String {
    let (word, verb) = if clips.len() == 1 {
        ("clip", "drives")
    } else {
        ("clips", "drive")
    };
    let shown = clips.iter().take(SHOWN_CLIPS).map(usize::to_string);
    let shown = shown.collect::<Vec<_>>().join(", ");
    format!("{word} {shown}{} {verb} nothing", more(clips.len()))
}

fn renumbered_clips(renumbered: &[(usize, usize)]) -> String {
    if renumbered.is_empty() {
        return String::new();
    }
    let shown = renumbered.iter().take(SHOWN_CLIPS);
    let shown: Vec<String> = shown.map(|(was, is)| format!("{was} becomes {is}")).collect();
    format!(
        "; of those behind, clip {}{}",
        shown.join(", "),
        more(renumbered.len())
    )
}

fn more(count: usize) -> String {
    match count.saturating_sub(SHOWN_CLIPS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}

/// Why a model cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A GLB counts its bytes in 32 bits.
    #[error("the file would have {bytes} bytes; a GLB can have {} at most", u32::MAX)]
    TooLarge {
        /// The bytes.
        bytes: u64,
    },
    /// The model does not hold together: an index points past the end of its list, or lists differ in length.
    #[error("{place}: {problem}")]
    Inconsistent {
        /// Where.
        place: String,
        /// What is wrong there.
        problem: String,
    },
}

impl ExportError {
    fn inconsistent(place: impl Into<String>, problem: impl Into<String>) -> Self {
        ExportError::Inconsistent {
            place: place.into(),
            problem: problem.into(),
        }
    }
}
