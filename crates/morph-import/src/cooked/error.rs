//! Why a cooked file cannot be read, and why a model cannot be cooked.

use std::io;
use std::path::PathBuf;

use morph_anim::CurveError;
use morph_core::cooked::CookedError;
use morph_core::rig::RigError;
use morph_core::{BuildError, RestError};

/// Why a cooked file cannot be read. Nothing of it is handed out then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CookedModelError {
    /// The file cannot be read or mapped.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// The file is damaged, or not as the format says.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong, and in which section.
        reason: Box<CookedError>,
    },
    /// The keys of a track are no curve.
    #[error("{}: clip {clip}, track {track}: {reason}", path.display())]
    Track {
        /// The file.
        path: PathBuf,
        /// The clip.
        clip: usize,
        /// The track of the clip.
        track: usize,
        /// What is wrong with its keys.
        reason: CurveError,
    },
    /// The channels of a mesh are no rig.
    #[error("{}: the rig of mesh {mesh}: {reason}", path.display())]
    Rig {
        /// The file.
        path: PathBuf,
        /// The mesh.
        mesh: usize,
        /// What is wrong with them.
        reason: RigError,
    },
}

/// What is wrong with a file, before its path is known.
#[derive(Debug)]
pub(super) enum Fault {
    File(CookedError),
    Track {
        clip: usize,
        track: usize,
        error: CurveError,
    },
    Rig {
        mesh: usize,
        error: RigError,
    },
}

impl From<CookedError> for Fault {
    fn from(error: CookedError) -> Self {
        Fault::File(error)
    }
}

impl Fault {
    pub(super) fn at(self, path: PathBuf) -> CookedModelError {
        match self {
            Fault::File(error) => CookedModelError::File {
                path,
                reason: Box::new(error),
            },
            Fault::Track { clip, track, error } => CookedModelError::Track {
                path,
                clip,
                track,
                reason: error,
            },
            Fault::Rig { mesh, error } => CookedModelError::Rig {
                path,
                mesh,
                reason: error,
            },
        }
    }
}

/// Why a model cannot be cooked. No file is left behind then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CookError {
    /// A rest pose is not usable.
    #[error("mesh {mesh}, primitive {primitive}: {reason}")]
    Rest {
        /// The mesh.
        mesh: usize,
        /// The primitive of the mesh.
        primitive: usize,
        /// What is wrong with it.
        reason: RestError,
    },
    /// Targets are not usable.
    #[error("mesh {mesh}, primitive {primitive}: {reason}")]
    Build {
        /// The mesh.
        mesh: usize,
        /// The primitive of the mesh.
        primitive: usize,
        /// What is wrong with them.
        reason: BuildError,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// A reader would refuse the file, so that it was not put in place.
    #[error("the model cannot be cooked, as no reader would take the file: {reason}")]
    Refused {
        /// Why not.
        reason: Box<CookedModelError>,
    },
}
