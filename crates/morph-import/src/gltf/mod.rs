//! glTF 2.0, as JSON text and in the binary container.
//!
//! The way of a file: `glb` finds the JSON, `document` parses it, `extensions` refuses what cannot be read, `buffers`
//! and `uri` fetch bytes, `accessor` turns them into numbers, and `mesh` and `scene` make the model of them.

mod accessor;
mod buffers;
mod document;
mod extensions;
mod fault;
mod glb;
mod mesh;
mod numbers;
mod scene;
mod topology;
mod uri;

use std::path::Path;

use accessor::Accessors;
use buffers::Buffers;
use document::Document;
use fault::{At, Fault};

pub(crate) use glb::MAGIC;

use crate::error::{GltfError, ImportError};
use crate::model::{Format, Model};
use crate::normals;
use crate::options::ImportOptions;
use crate::warning::ImportWarning;

/// Reads the bytes of a `.gltf` or `.glb`; buffers in files of their own have to lie in the folder of `path`.
pub(crate) fn load(
    path: &Path,
    bytes: &[u8],
    format: Format,
    options: &ImportOptions,
) -> Result<Model, ImportError> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    read(folder, bytes, format, options).map_err(|fault| ImportError::Gltf {
        path: path.to_owned(),
        place: fault.place,
        source: Box::new(fault.error),
    })
}

fn read(folder: &Path, bytes: &[u8], format: Format, options: &ImportOptions) -> Result<Model, Fault> {
    let mut warnings = Vec::new();
    let (json, binary) = if format == Format::Glb {
        let glb = glb::parse(bytes, &mut warnings)?;
        (&bytes[glb.json], glb.binary)
    } else {
        (bytes, None)
    };
    let document = parse(json).at(|| "JSON".to_owned())?;
    let place = || "extensions".to_owned();
    extensions::check(&document, |kind| {
        warnings.push(ImportWarning { place: place(), kind });
    })
    .at(place)?;

    let buffers = Buffers::new(&document, folder, bytes, binary);
    let accessors = Accessors::new(&document, &buffers);
    let materials = scene::materials(&document)?;
    let context = mesh::Context {
        accessors,
        materials: &materials,
        morphs: options.morphs,
    };
    let mut meshes = Vec::with_capacity(document.meshes.len());
    for (index, described) in document.meshes.iter().enumerate() {
        let mut mesh = mesh::read(&context, index, described, &mut warnings)?;
        if options.generate_normals {
            let control = normals::coinciding_vertices(&mesh);
            normals::generate(&mut mesh, &control);
        }
        meshes.push(mesh);
    }
    let nodes = scene::nodes(&document, &meshes, accessors, options.morphs, &mut warnings)?;
    let clips = scene::clips(&document, accessors)?;
    Ok(Model {
        format,
        meshes,
        nodes,
        clips,
        warnings,
    })
}

/// Parses the JSON and checks the version.
fn parse(json: &[u8]) -> Result<Document, GltfError> {
    // Some editors put a byte order mark before the text, which JSON does not allow and which means nothing.
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
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
