//! Cooked files: a model with its targets built, loaded without work.
//!
//! [`cook`] builds the targets of a model, and [`BuiltModel::save`] writes them; [`CookedModel`] opens the file again.
//! The container and what lies in it for each primitive are `morph-core`'s ([`morph_core::cooked`]); here are nodes,
//! materials, skins, clips and expressions, and files. The format is described in `docs/cooked.md`.
//!
//! ```no_run
//! use morph_core::Quantization;
//! use morph_import::cooked::{CookOptions, CookedModel, cook};
//! use morph_import::{ImportOptions, load};
//!
//! let model = load("face.glb".as_ref(), &ImportOptions::default())?;
//! cook(&model, &CookOptions::new(Quantization::Snorm16))?.save("face.morph".as_ref())?;
//!
//! let cooked = CookedModel::read("face.morph".as_ref())?;
//! let mesh = cooked.mesh(0).ok_or("there is no mesh")?;
//! for primitive in mesh.primitives() {
//!     let upload: &[u32] = primitive.vertex_major().words;
//!     println!("{} words for {:?}", upload.len(), primitive.mesh().names());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clips;
mod error;
mod expressions;
mod model;
mod nodes;
mod open;
mod read;
mod records;
mod rigs;
mod runs;
mod text;
mod write;

pub use error::{CookError, CookedModelError};
pub use open::{CookedMesh, CookedModel};
pub use write::{BuiltModel, CookOptions, cook};

use std::path::Path;

use morph_anim::Channel;
use morph_core::cooked::{AlignedBytes, MAGIC};

use crate::model::Model;
use crate::normals;
use crate::options::ImportOptions;
use crate::tangents;

/// Whether these are the first bytes of a cooked file.
pub fn is_cooked(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads bytes as every importer does: into a model whose targets are what the file stores.
pub(crate) fn load(path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Model, CookedModelError> {
    let mut model = CookedModel::from_bytes(path, AlignedBytes::from(bytes))?.to_model();
    for mesh in &mut model.meshes {
        if !options.morphs {
            mesh.target_names.clear();
            mesh.default_weights.clear();
            mesh.rig = None;
            for primitive in &mut mesh.primitives {
                primitive.targets.clear();
            }
        }
        // A cooked file holds what it stands for, so nothing needs a limit here.
        let unlimited = |_| Ok::<(), std::convert::Infallible>(());
        if options.generate_normals {
            let control = normals::coinciding_vertices(mesh);
            let Ok(()) = normals::generate(mesh, control, unlimited);
        }
        if options.generate_tangents {
            let Ok(()) = tangents::generate(mesh, unlimited);
        }
    }
    if !options.morphs {
        model.expressions.clear();
        for node in &mut model.nodes {
            node.weights = None;
        }
        for clip in &mut model.clips {
            clip.tracks
                .retain(|track| !matches!(track.channel, Channel::Weight { .. }));
        }
    }
    Ok(model)
}
