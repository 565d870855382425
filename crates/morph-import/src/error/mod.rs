//! Why a file was refused: what, where, and what would be right.
//!
//! A message says all of it, its cause included; an error that names a cause in its message has no
//! [`source`](std::error::Error::source), so that whoever prints the chain reads nothing twice.

mod fbx;
mod gltf;
mod makehuman;

use std::io;
use std::path::PathBuf;

use morph_core::Limit;

pub use fbx::FbxError;
pub use gltf::GltfError;
pub use makehuman::MakeHumanError;

use crate::cooked::CookedModelError;

/// Why an import failed. Nothing of the file is handed out then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file, or one that it needs, cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// The file has no content at all.
    #[error("{} is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Neither the name nor the first bytes are of a format that can be read.
    #[error("{} is of no format that can be read; there are .gltf, .glb, .vrm, .fbx, MakeHuman .obj and cooked .morph", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The scale of the options cannot be used.
    #[error("the scale {scale} cannot be used: it has to be above zero, and lengths have to stay finite")]
    Scale {
        /// The scale asked for.
        scale: f32,
    },
    /// A threshold of the options cannot be used.
    #[error(
        "the {limit} threshold {value} cannot be used: it has to be a finite number that is zero or more"
    )]
    Threshold {
        /// Which one.
        limit: Limit,
        /// The threshold asked for.
        value: f32,
    },
    /// A MakeHuman target was given where a model is needed.
    #[error(
        "{} holds only the offsets of a MakeHuman target; load the base .obj and name this file among the targets",
        path.display()
    )]
    LoneTarget {
        /// The file.
        path: PathBuf,
    },
    /// A glTF or GLB file is damaged, or asks for what cannot be read.
    #[error("{}: {place}: {reason}", path.display())]
    Gltf {
        /// The file.
        path: PathBuf,
        /// Where in the file, such as `mesh 0 "Head", primitive 1, target 3, NORMAL (accessor 17)`.
        place: String,
        /// What is wrong there.
        reason: Box<GltfError>,
    },
    /// An FBX file is damaged, or asks for what cannot be read.
    #[error("{}: {place}: {reason}", path.display())]
    Fbx {
        /// The file.
        path: PathBuf,
        /// Where in the file, such as `mesh 0 "Head", target 3 "smile"`.
        place: String,
        /// What is wrong there.
        reason: Box<FbxError>,
    },
    /// A MakeHuman base mesh, target, rig or weights file is damaged.
    #[error("{}{}: {reason}", path.display(), .line.map(|line| format!(", line {line}")).unwrap_or_default())]
    MakeHuman {
        /// The file.
        path: PathBuf,
        /// The line, counted from one, where a line is at fault.
        line: Option<u64>,
        /// What is wrong there.
        reason: Box<MakeHumanError>,
    },
    /// A cooked file is refused.
    #[error(transparent)]
    Cooked(#[from] CookedModelError),
}
