//! Reads models with morph targets from files into the types of `morph-core`.
//!
//! What can be read: glTF 2.0 (`.gltf` with data URIs or files beside it, and `.glb`), and the MakeHuman pair of a
//! base mesh (`.obj`) and sparse targets (`.target`, `.target.gz`).
//!
//! A file is input from a stranger: every length and index in it is checked before use, an external buffer has to lie
//! in the model's folder, and whatever is wrong comes back as an [`ImportError`] that names the place.
//! What is odd but provably harmless is loaded and told as an [`ImportWarning`].
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

mod error;
mod model;
mod options;
mod warning;

use std::path::Path;

pub use error::{GltfError, ImportError, MakeHumanError};
pub use model::{ClipInfo, Format, Material, Mesh, Model, Node, Primitive, Topology};
pub use options::ImportOptions;
pub use warning::{ImportWarning, WarningKind};

/// Reads a model.
pub fn load(path: &Path, _options: &ImportOptions) -> Result<Model, ImportError> {
    Err(ImportError::UnknownFormat { path: path.to_owned() })
}
