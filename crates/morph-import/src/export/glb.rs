//! A model as GLB.

use morph_core::MorphMesh;
use serde_json::{Map, Value, json};

use super::animation::{self, POINTER};
use super::binary::Binary;
use super::mesh::{self, Materials};
use super::{ExportError, ExportNote, scene};
use crate::glb::{CHUNK_BINARY, CHUNK_HEADER_BYTES, CHUNK_JSON, HEADER_BYTES, MAGIC};
use crate::model::Model;

/// Writes a model as GLB.
///
/// Deltas stay sparse where that is smaller; names, weights, nodes, skins, clips and the factors of materials are kept,
/// and reading the file gives the same values to the last bit. The same model gives the same bytes.
///
/// # Errors
/// Where the model does not hold together, which none from an import does, or would pass 4 GiB.
pub fn to_glb(model: &Model) -> Result<(Vec<u8>, Vec<ExportNote>), ExportError> {
    let mut notes = Vec::new();
    let mut binary = Binary::default();
    let mut materials = Materials::default();
    let meshes = mesh::meshes(model, &mut binary, &mut materials, &mut notes)?;
    let mut written = 0;
    let numbers: Vec<Option<usize>> = meshes
        .iter()
        .map(|mesh| {
            mesh.as_ref().map(|_| {
                written += 1;
                written - 1
            })
        })
        .collect();
    let mut nodes = scene::nodes(model, &numbers)?;
    let mut roots = scene::roots(model);
    if let Some((skin, above_joints)) = scene::skin_without_root(model) {
        notes.push(ExportNote::RootAdded { skin });
        roots.retain(|root| !above_joints.contains(root));
        roots.push(nodes.len());
        nodes.push(json!({ "name": "root", "children": above_joints }));
    }
    let skins = scene::skins(model, &mut binary)?;
    let (clips, uses_pointers) = animation::clips(model, &mut binary, &mut notes);

    notes.extend(expressions_lost(model));
    notes.extend(many_targets(model));

    let mut document = Map::new();
    let generator = concat!("morph ", env!("CARGO_PKG_VERSION"));
    document.insert(
        "asset".to_owned(),
        json!({ "version": "2.0", "generator": generator }),
    );
    if uses_pointers {
        document.insert("extensionsUsed".to_owned(), json!([POINTER]));
    }
    if !nodes.is_empty() {
        document.insert("scene".to_owned(), json!(0));
        document.insert("scenes".to_owned(), json!([{ "nodes": roots }]));
    }
    for (name, list) in [
        ("nodes", nodes),
        ("meshes", meshes.into_iter().flatten().collect()),
        ("materials", materials.describe()),
        ("skins", skins),
        ("animations", clips),
    ] {
        if !list.is_empty() {
            document.insert(name.to_owned(), Value::Array(list));
        }
    }
    let bytes = binary.describe(&mut document);
    Ok((pack(&Value::Object(document), &bytes)?, notes))
}

/// `VRMC_vrm` asks for `meta` and `humanoid` beside expressions, and a file without them would be no avatar to any reader.
fn expressions_lost(model: &Model) -> Option<ExportNote> {
    let count = model.expressions.len();
    (count > 0).then_some(ExportNote::ExpressionsLost { count })
}

fn many_targets(model: &Model) -> impl Iterator<Item = ExportNote> {
    let meshes = model.meshes.iter().enumerate();
    meshes.filter_map(|(mesh, described)| {
        let (count, limit) = (described.target_names.len(), MorphMesh::MAX_TARGET_COUNT);
        (count > limit).then_some(ExportNote::ManyTargets { mesh, count, limit })
    })
}

/// Puts the container around JSON and bytes.
fn pack(document: &Value, binary: &[u8]) -> Result<Vec<u8>, ExportError> {
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let binary_length = binary.len().next_multiple_of(4);
    let chunk = if binary.is_empty() {
        0
    } else {
        CHUNK_HEADER_BYTES + binary_length
    };
    let total = HEADER_BYTES + CHUNK_HEADER_BYTES + json.len() + chunk;
    let length = u32::try_from(total).map_err(|_| ExportError::TooLarge { bytes: total as u64 })?;
    let mut glb = Vec::with_capacity(total);
    glb.extend_from_slice(&MAGIC);
    for word in [2, length, json.len() as u32, CHUNK_JSON] {
        glb.extend_from_slice(&word.to_le_bytes());
    }
    glb.extend_from_slice(&json);
    if !binary.is_empty() {
        for word in [binary_length as u32, CHUNK_BINARY] {
            glb.extend_from_slice(&word.to_le_bytes());
        }
        glb.extend_from_slice(binary);
        glb.resize(total, 0);
    }
    Ok(glb)
}
