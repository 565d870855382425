//! The same files through the crate `gltf`, which shares no code with our reader: both have to see the same numbers.
//!
//! The crate knows three attributes of a target and reads floats only, so the comparison stops where it does; files
//! that it refuses are counted and named.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may panic, and print what they compared"
)]

mod common;

use std::path::{Path, PathBuf};

use common::{Builder, dense, load_bytes, shared_or_skip};
use gltf::accessor::DataType;
use morph_core::MorphTarget;
use morph_import::{ImportOptions, Model};
use serde_json::json;

/// Compares every primitive of a GLB; returns how many targets were compared, or why the crate refused.
fn compare(name: &str, bytes: &[u8], document: Result<gltf::Gltf, gltf::Error>) -> Result<usize, String> {
    let document = document.map_err(|error| error.to_string())?;
    let Some(blob) = &document.blob else {
        return Err("its buffers lie outside".to_owned());
    };
    let model: Model = load_bytes(name, bytes, &ImportOptions::default()).unwrap();
    assert_eq!(document.meshes().len(), model.meshes.len(), "{name}: meshes");
    let mut compared = 0;
    for (mesh, ours) in document.meshes().zip(&model.meshes) {
        assert_eq!(
            mesh.primitives().len(),
            ours.primitives.len(),
            "{name}: primitives"
        );
        for (primitive, ours) in mesh.primitives().zip(&ours.primitives) {
            let is_float = |it: &gltf::Accessor<'_>| it.data_type() == DataType::F32;
            let reader = primitive.reader(|buffer| (buffer.index() == 0).then_some(&blob[..]));
            let base = primitive.get(&gltf::Semantic::Positions);
            if base.is_none_or(|it| !is_float(&it)) {
                continue;
            }
            let positions: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
            assert_eq!(positions, ours.positions, "{name}: positions");
            if let Some(normals) = reader.read_normals() {
                assert_eq!(Some(normals.collect::<Vec<_>>()), ours.normals, "{name}: normals");
            }
            let accessors = primitive.morph_targets();
            let streams = reader.read_morph_targets();
            for ((accessors, (position, normal, tangent)), target) in
                accessors.zip(streams).zip(&ours.targets)
            {
                let all = [accessors.positions(), accessors.normals(), accessors.tangents()]
                    .into_iter()
                    .flatten();
                if !{ all }.all(|it| is_float(&it)) {
                    continue;
                }
                let count = positions.len();
                let of = |stream: &Option<Vec<[f32; 3]>>, target: &MorphTarget| {
                    dense(target, stream.as_ref(), count)
                };
                for (theirs, ours) in [
                    (position.map(Iterator::collect::<Vec<_>>), &target.positions),
                    (normal.map(Iterator::collect), &target.normals),
                    (tangent.map(Iterator::collect), &target.tangents),
                ] {
                    let theirs = theirs.unwrap_or_else(|| vec![[0.0; 3]; count]);
                    assert_eq!(theirs, of(ours, target), "{name}: target {}", target.name);
                }
                compared += 1;
            }
        }
    }
    Ok(compared)
}

fn glbs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            glbs(&path, found);
        } else if path.extension().is_some_and(|it| it == "glb") {
            found.push(path);
        }
    }
}

#[test]
fn both_readers_see_the_same_in_a_dense_and_a_sparse_target() {
    let mut builder = Builder::new();
    let deltas: [[f32; 3]; 4] = [[0.5, 0.0, 0.0], [0.0; 3], [0.0, -1.5, 2.0], [0.0; 3]];
    let dense = builder.floats(&deltas);
    let sparse = builder.sparse_vec3(4, 2, [0.0, 0.25, 1.0]);
    let primitive =
        builder.full_quad(json!([{ "POSITION": dense, "NORMAL": sparse }, { "POSITION": sparse }]));
    builder.mesh(json!({ "primitives": [primitive] }));
    let glb = builder.glb();
    // The crate's validation asks for bounds, which do not matter here.
    let document = gltf::Gltf::from_slice_without_validation(&glb);
    assert_eq!(compare("built", &glb, document), Ok(2));
}

#[test]
fn both_readers_see_the_same_in_real_models() {
    let Some(shared) = shared_or_skip(&["every GLB of the models, read by a second reader"]) else {
        return;
    };
    let mut files = Vec::new();
    glbs(&shared.join("assets"), &mut files);
    files.sort();
    let (mut compared, mut refused) = (0, Vec::new());
    for file in &files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(file).unwrap();
        match compare(&name, &bytes, gltf::Gltf::from_slice(&bytes)) {
            Ok(count) => compared += count,
            Err(reason) => refused.push(format!("{name} ({reason})")),
        }
    }
    println!(
        "{compared} targets agree; refused by the crate: {}",
        refused.join(", ")
    );
    assert!(compared > 200, "only {compared} targets were compared");
}
