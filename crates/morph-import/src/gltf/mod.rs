//! glTF 2.0, as JSON text and in the binary container.
//!
//! The way of a file: `content` tells the form by the first bytes, `glb` finds the JSON, `document` parses it, `extensions` refuses what cannot be read, `buffers`,
//! `uri` and `compression` fetch bytes, `accessor` turns them into numbers, and `mesh`, `skin`, `scene`, `animation` and `vrm` make the
//! model of them. Parts that are damaged by themselves are left out by `crate::findings`; `fault` says what cannot be.

mod accessor;
mod animation;
mod attributes;
mod buffers;
mod compression;
mod content;
mod document;
mod extensions;
mod fault;
mod glb;
mod item;
mod mesh;
mod numbers;
mod scene;
mod skin;
mod targets;
mod topology;
pub(crate) mod uri;
mod vrm;

use std::path::Path;

use accessor::Accessors;
use buffers::Buffers;
use document::Document;
use fault::{At, Fault, Findings};

use crate::damage::Part;
use crate::error::{GltfError, ImportError};
use crate::findings::Account;
use crate::model::{Format, Mesh, Model, Primitive};
use crate::options::ImportOptions;
use crate::{normals, tangents};

/// Reads the bytes of a `.gltf` or `.glb`; buffers in files of their own have to lie in the folder of `path`. `named` is
/// what the name ends in, where that is of glTF, for bytes that do not tell their form.
pub(crate) fn load(
    path: &Path,
    bytes: &[u8],
    named: Option<&'static str>,
    options: &ImportOptions,
) -> Result<Model, ImportError> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    read(folder, bytes, named, options).map_err(|fault| ImportError::Gltf {
        path: path.to_owned(),
        place: fault.place,
        reason: Box::new(fault.error),
    })
}

fn read(
    folder: &Path,
    bytes: &[u8],
    named: Option<&'static str>,
    options: &ImportOptions,
) -> Result<Model, Fault> {
    let mut findings = Findings::new(options.on_damage);
    let format = content::format(bytes, named, &mut findings.warnings);
    let (json, binary) = if format == Format::Glb {
        let glb = glb::parse(bytes, &mut findings.warnings)?;
        (&bytes[glb.json], glb.binary)
    } else {
        (bytes, None)
    };
    let json_place = || "JSON".to_owned();
    let json = content::json(json, |kind| findings.warn(json_place(), kind)).at(json_place)?;
    let document = parse(json).at(json_place)?;
    let place = || "extensions".to_owned();
    extensions::check(&document, |kind| findings.warn(place(), kind)).at(place)?;

    let buffers = Buffers::new(&document, folder, bytes, binary);
    let accessors = Accessors::new(&document, &buffers);
    accessors
        .spend(
            document.attribute_bytes() + document.extensions.as_ref().map_or(0, |it| it.get().len() as u64),
        )
        .at(|| "JSON".to_owned())?;
    let materials = scene::materials(&document, accessors, &mut findings)?;
    let skins = skin::skins(&document, accessors, &mut findings)?;
    let context = mesh::Context {
        accessors,
        materials: &materials,
        joint_counts: &skin::joint_counts(&document, &skins),
        morphs: options.morphs,
    };
    let mut meshes = Vec::with_capacity(document.meshes.len());
    for (index, described) in document.meshes.iter().enumerate() {
        let mesh = findings.part(Part::Mesh, &accessors, |findings| {
            let here = || fault::place("mesh", index, described.sound().and_then(|it| it.name.as_deref()));
            let described = described.get("mesh", index as u64).at(here)?;
            let mut mesh = mesh::read(&context, index, described, findings)?;
            generate(&mut mesh, accessors, options).at(here)?;
            Ok(mesh)
        })?;
        meshes.push(mesh.ok());
    }
    let morphs = options.morphs;
    let nodes = scene::nodes(&document, &meshes, &skins, accessors, morphs, &mut findings)?;
    let skins = skins.into_iter().flatten().collect();
    let meshes = mesh::with_left_out(meshes, &document);
    findings.refuse_if_none_is_left(&meshes)?;
    let context = animation::Context {
        document: &document,
        accessors,
        meshes: &meshes,
        nodes: &nodes,
        morphs: options.morphs,
    };
    let clips = animation::clips(&context, &mut findings)?;
    let expressions = match &document.extensions {
        Some(extensions) if options.morphs => {
            let context = vrm::Context {
                accessors,
                meshes: &meshes,
                nodes: &nodes,
            };
            vrm::expressions(&context, extensions, &mut findings.warnings)?
        }
        _ => Vec::new(),
    };
    Ok(Model {
        format,
        meshes,
        nodes,
        skins,
        clips,
        expressions,
        warnings: findings.warnings,
    })
}

/// Makes the normals and tangents that a mesh lacks, within the memory that the file may take.
fn generate(mesh: &mut Mesh, accessors: Accessors<'_>, options: &ImportOptions) -> Result<(), GltfError> {
    // What the surface of the mesh takes while normals are made, all its lists together.
    const BYTES_PER_VERTEX: u64 = 256;
    const BYTES_PER_INDEX: u64 = 64;
    let before = accessors.spent();
    let mut kept = 0;
    let mut keep = |bytes| {
        kept += bytes;
        accessors.spend(bytes)
    };
    if options.generate_normals {
        let of_primitive = |primitive: &Primitive| {
            primitive.positions.len() as u64 * BYTES_PER_VERTEX
                + primitive.indices.len() as u64 * BYTES_PER_INDEX
        };
        accessors.spend(mesh.primitives.iter().map(of_primitive).sum())?;
        let control = normals::coinciding_vertices(mesh);
        normals::generate(mesh, control, &mut keep)?;
    }
    if options.generate_tangents {
        accessors.spend(tangents::working_bytes(mesh))?;
        tangents::generate(mesh, &mut keep)?;
    }
    accessors.settle(before, kept)
}

/// Parses the JSON and checks the version.
fn parse(json: &[u8]) -> Result<Document, GltfError> {
    let document: Document = serde_json::from_slice(json).map_err(|error| GltfError::Json {
        line: error.line(),
        column: error.column(),
        message: error.to_string(),
    })?;
    let found = document
        .asset
        .min_version
        .as_ref()
        .unwrap_or(&document.asset.version);
    if found.split('.').next() != Some("2")
        || document
            .asset
            .min_version
            .as_ref()
            .is_some_and(|least| least != "2.0")
    {
        return Err(GltfError::Version {
            found: crate::text::shorten(found),
        });
    }
    Ok(document)
}
