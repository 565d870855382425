//! Reads models with morph targets from files into the types of `morph-core`.
//!
//! What can be read: glTF 2.0 (`.gltf` with data URIs or files beside it, `.glb`, and `.vrm` with its expressions), FBX 5.0 to 7.7 (binary and text),
//! and the MakeHuman pair of a base mesh (`.obj`) and sparse targets (`.target`, `.target.gz`).
//!
//! A file is input from a stranger: every length and index in it is checked before use, an external buffer has to lie
//! in the model's folder, and whatever is wrong comes back with its place.
//! What is odd but provably harmless is loaded and told as an [`ImportWarning`]; a [`Part`] that is damaged by itself, such
//! as one mesh of many, is left out and told likewise; all else is refused with an [`ImportError`].
//!
//! ```no_run
//! use morph_import::{ImportOptions, load};
//!
//! let model = load("face.glb".as_ref(), &ImportOptions::default())?;
//! for mesh in &model.meshes {
//!     println!("{:?}: targets {:?}", mesh.name, mesh.target_names);
//! }
//! # Ok::<(), morph_import::ImportError>(())
//! ```

pub mod check;
pub mod cooked;

mod convert;
mod damage;
mod error;
pub mod export;
mod expressions;
mod fault;
mod fbx;
mod findings;
mod flat;
mod glb;
mod gltf;
mod makehuman;
mod model;
mod names;
mod normals;
mod options;
mod playback;
mod problem;
mod tangents;
mod text;
mod warning;

use std::path::Path;

pub use damage::{Damage, Part};
pub use error::{FbxError, GltfError, ImportError, MakeHumanError};
pub use expressions::{ExpressionBind, ModelExpression};
pub use model::{Format, Material, Mesh, Model, Node, Primitive, Skin, Topology};
pub use options::{ImportOptions, OnDamage, Space, UpAxis};
pub use playback::{NodeMatrices, PlaybackError};
pub use problem::{BindProblem, ChannelProblem};
pub use warning::{ImportWarning, WarningKind};

/// Reads a model from a file.
///
/// The format is told by the first bytes, else by the name's ending: `.gltf`, `.glb`, `.vrm`, `.fbx`, or `.obj` for a MakeHuman
/// base mesh, whose targets are named in [`ImportOptions::targets`] or lie in the folder `targets` beside it.
///
/// # Errors
/// Where the file, or one that it needs, cannot be read, asks for what cannot be read, or is damaged beyond what can be
/// left out ([`OnDamage`] says what that is). The error names the place.
pub fn load(path: &Path, options: &ImportOptions) -> Result<Model, ImportError> {
    let read_error = |reason| ImportError::Read {
        path: path.to_owned(),
        reason,
    };
    // A pipe or a device would block or never end.
    if !path.metadata().map_err(read_error)?.is_file() {
        return Err(read_error(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "it is not a file",
        )));
    }
    load_bytes(path, &std::fs::read(path).map_err(read_error)?, options)
}

/// Reads a model from bytes that the caller has already, as if they were the content of the file `path`.
///
/// The path tells the format as in [`load`], stands in errors, and its folder is where files lie that the model needs.
/// It need not exist where the model needs none.
///
/// # Errors
/// As [`load`].
pub fn load_bytes(path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Model, ImportError> {
    options.check_thresholds()?;
    let mut model = read(path, bytes, options)?;
    // A cooked file was told when it was cooked.
    let by_default = model.format != Format::Fbx || cooked::is_cooked(bytes);
    if !options.start_at_file_weights.unwrap_or(by_default) {
        model.start_at_zero();
    }
    convert::convert(&mut model, options)?;
    // Last, so that thresholds are compared with what is handed out.
    model.thin(options.thresholds());
    Ok(model)
}

/// Reads the format that the path and the first bytes tell.
fn read(path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Model, ImportError> {
    let is_named = |ending: &str| {
        path.extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case(ending))
    };
    let gltf_ending = ["gltf", "glb", "vrm"].into_iter().find(|ending| is_named(ending));
    if makehuman::target_stem(path).is_some() {
        Err(ImportError::LoneTarget {
            path: path.to_owned(),
        })
    } else if bytes.is_empty() {
        Err(ImportError::Empty {
            path: path.to_owned(),
        })
    } else if fbx::is_fbx(bytes) {
        fbx::load(path, bytes, options)
    } else if cooked::is_cooked(bytes) {
        Ok(cooked::load(path, bytes, options)?)
    } else if bytes.starts_with(&glb::MAGIC) || gltf_ending.is_some() {
        gltf::load(path, bytes, gltf_ending, options)
    } else if is_named("fbx") {
        fbx::load(path, bytes, options)
    } else if is_named("morph") {
        Ok(cooked::load(path, bytes, options)?)
    } else if is_named("obj") {
        makehuman::load(path, bytes, options)
    } else {
        Err(ImportError::UnknownFormat {
            path: path.to_owned(),
        })
    }
}
