//! The model of a command: read once, with its places named as every message names them.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use morph_core::cooked::{CookedPrimitive, MAGIC};
use morph_core::{RestError, RestStreams};
use morph_import::cooked::{CookedModel, is_cooked};
use morph_import::{Format, ImportOptions, Mesh, Model, Primitive};

use crate::console::Console;
use crate::error::CliError;
use crate::text::quoted;

/// A model and the file that it came from.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) path: PathBuf,
    pub(crate) model: Model,
    /// The file itself, where it is cooked.
    pub(crate) cooked: Option<CookedModel>,
}

impl Loaded {
    /// Reads a model; what is odd in it is the caller's to tell.
    pub(crate) fn read(
        path: &Path,
        options: &ImportOptions,
        console: &Console<'_>,
    ) -> Result<Self, CliError> {
        let _span = tracing::info_span!("read", path = %path.display()).entered();
        let (model, cooked) = console.step(format!("reading {}", path.display()), || {
            if is_cooked_file(path) {
                refuse_options(path, options)?;
                let cooked = CookedModel::read(path)?;
                Ok((cooked.to_model(), Some(cooked)))
            } else {
                Ok::<_, CliError>((morph_import::load(path, options)?, None))
            }
        })?;
        tracing::info!(meshes = model.meshes.len(), nodes = model.nodes.len(), "read");
        Ok(Loaded {
            path: path.to_owned(),
            model,
            cooked,
        })
    }

    /// The primitive as it lies in the file, where that is cooked.
    pub(crate) fn cooked_primitive(&self, mesh: usize, primitive: usize) -> Option<&CookedPrimitive<'_>> {
        self.cooked.as_ref()?.mesh(mesh)?.primitives().get(primitive)
    }

    /// Reads a model only to draw it: a cooked one takes every option, since nothing of it is written or measured.
    pub(crate) fn read_to_draw(
        path: &Path,
        options: &ImportOptions,
        console: &Console<'_>,
    ) -> Result<Self, CliError> {
        let model = console.step(format!("reading {}", path.display()), || {
            morph_import::load(path, options)
        })?;
        Ok(Loaded {
            path: path.to_owned(),
            model,
            cooked: None,
        })
    }

    /// Passes on what was odd in the file.
    pub(crate) fn warn(&self, console: &mut Console<'_>) {
        for warning in &self.model.warnings {
            console.warn(warning);
        }
    }

    /// The mesh with this index.
    pub(crate) fn mesh(&self, given: usize) -> Result<&Mesh, CliError> {
        let meshes = &self.model.meshes;
        if meshes.is_empty() {
            return Err(CliError::NoMeshes {
                path: self.path.clone(),
            });
        }
        let (path, count) = (self.path.clone(), meshes.len());
        meshes
            .get(given)
            .ok_or(CliError::NoSuchMesh { path, given, count })
    }

    /// The primitive with this index of a mesh.
    pub(crate) fn primitive(&self, mesh: usize, given: usize) -> Result<&Primitive, CliError> {
        let primitives = &self.mesh(mesh)?.primitives;
        let count = primitives.len();
        primitives
            .get(given)
            .ok_or(CliError::NoSuchPrimitive { mesh, given, count })
    }

    /// The short name of the file's format, as in JSON.
    pub(crate) fn format_name(&self) -> &'static str {
        match self.model.format {
            Format::Gltf => "gltf",
            Format::Glb => "glb",
            Format::Fbx => "fbx",
            Format::MakeHuman => "makehuman",
            _ => "other",
        }
    }

    /// How messages name a mesh: `mesh 0 "Head"`.
    pub(crate) fn mesh_place(&self, mesh: usize) -> String {
        let name = self.model.meshes.get(mesh).and_then(|mesh| mesh.name.as_deref());
        format!("mesh {mesh}{}", quoted(name))
    }

    /// How messages name a primitive: `mesh 0 "Head", primitive 1`.
    pub(crate) fn primitive_place(&self, mesh: usize, primitive: usize) -> String {
        let mesh_place = self.mesh_place(mesh);
        let name = self
            .primitive(mesh, primitive)
            .ok()
            .and_then(|primitive| primitive.name.as_deref());
        format!("{mesh_place}, primitive {primitive}{}", quoted(name))
    }

    /// The meshes that have targets.
    pub(crate) fn meshes_with_targets(&self) -> Vec<usize> {
        let meshes = self.model.meshes.iter().enumerate();
        meshes
            .filter(|(_, mesh)| !mesh.target_names.is_empty())
            .map(|(index, _)| index)
            .collect()
    }
}

/// What a person calls a format that [`Loaded::format_name`] names.
pub(crate) fn format_title(name: &str) -> &str {
    match name {
        "gltf" => "glTF 2.0",
        "glb" => "glTF 2.0, binary",
        "fbx" => "FBX",
        "makehuman" => "MakeHuman",
        other => other,
    }
}

/// Whether a file starts as cooked ones do; one that cannot be read does not, and the import says why.
fn is_cooked_file(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    // A pipe or a device would block or never end.
    path.is_file()
        && File::open(path)
            .and_then(|mut file| file.read_exact(&mut start))
            .is_ok_and(|()| is_cooked(&start))
}

/// A cooked file is as it was cooked.
fn refuse_options(path: &Path, options: &ImportOptions) -> Result<(), CliError> {
    let given = [
        (!options.targets.is_empty(), "--targets"),
        (!options.groups.is_empty(), "--groups"),
        (options.generate_normals, "--generate-normals"),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(CliError::Settled {
            path: path.to_owned(),
            option,
            settled: "it has the targets and normals that it has".to_owned(),
        }),
        None => Ok(()),
    }
}

/// The rest pose of a primitive as the host kernel reads it, normals as the file has them.
pub(crate) fn rest_streams(primitive: &Primitive) -> Result<(RestStreams, u64), RestError> {
    let tangents = primitive.tangents.as_deref().map(directions);
    RestStreams::new(primitive.positions.clone(), primitive.normals.clone(), tangents)
}

/// Tangents without the sign of the bitangent, which is never morphed.
pub(crate) fn directions(tangents: &[[f32; 4]]) -> Vec<[f32; 3]> {
    tangents.iter().map(|&[x, y, z, _]| [x, y, z]).collect()
}
