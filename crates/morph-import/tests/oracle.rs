//! Models that nobody here made, against what three.js says of them.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may panic, and print what they measure"
)]

mod common;

use std::path::{Path, PathBuf};
use std::time::Instant;

use common::{check, dense, gltf_error, shared_or_skip};
use morph_core::{BuildOptions, MorphMesh, Quantization};
use morph_import::{GltfError, ImportOptions, Model, Primitive, load};
use serde_json::Value;

/// Tells the error that is meant from others.
type Expected = fn(&GltfError) -> bool;

/// Files that are refused, and by what; every other glTF file has to load.
const REFUSED: [(&str, Expected); 4] = [
    ("RobotExpressive.corrupt.glb", |error| {
        matches!(error, GltfError::Truncated { .. })
    }),
    // Every skin of it is wrong in its own way.
    ("skin-invalid.gltf", |error| {
        matches!(error, GltfError::Json { .. })
    }),
    ("mesh-invalid-sparse-indices.gltf", |error| {
        matches!(error, GltfError::SparseOrder { .. })
    }),
    ("mesh-sparse.gltf", |error| {
        matches!(error, GltfError::SparseOrder { .. })
    }),
];

/// Models that this version promises to load.
const PROMISED: [&str; 7] = [
    "mh_source/base.obj",
    "mh_head",
    "mh_body_face52",
    "ict_facekit",
    "khronos_AnimatedMorphCube",
    "khronos_AnimatedMorphSphere and khronos_MorphPrimitivesTest",
    "khronos_MorphStressTest and khronos_SimpleMorph",
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn with_ending<'a>(files: &'a [PathBuf], endings: &'a [&str]) -> impl Iterator<Item = &'a PathBuf> {
    files.iter().filter(move |file| {
        file.extension()
            .is_some_and(|found| endings.iter().any(|ending| found.eq_ignore_ascii_case(ending)))
    })
}

/// What was loaded is what morph-core takes.
fn build(model: &Model, name: &str) {
    for primitive in model.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        let vertex_count = primitive.positions.len() as u32;
        let built = MorphMesh::build(
            vertex_count,
            &primitive.targets,
            &BuildOptions::new(Quantization::F32),
        );
        let (mesh, _) = built.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(mesh.target_count(), primitive.targets.len());
    }
}

#[test]
fn every_gltf_file_loads_but_those_that_should_not() {
    let Some(shared) = shared_or_skip(&PROMISED) else {
        return;
    };
    let mut found = Vec::new();
    files(&shared.join("assets"), &mut found);
    let mut loaded = 0;
    for file in with_ending(&found, &["gltf", "glb"]) {
        let name = file.file_name().unwrap().to_str().unwrap();
        let result = load(file, &ImportOptions::default());
        if let Some((_, expected)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
            let error = gltf_error(result);
            assert!(expected(&error), "{name}: {error}");
            continue;
        }
        check(&result.unwrap_or_else(|error| panic!("{error}")));
        // Normals can be made for any of them, and morphs left out.
        let generated = load(
            file,
            &ImportOptions {
                generate_normals: true,
                ..ImportOptions::default()
            },
        )
        .unwrap();
        check(&generated);
        build(&generated, name);
        check(
            &load(
                file,
                &ImportOptions {
                    morphs: false,
                    ..ImportOptions::default()
                },
            )
            .unwrap(),
        );
        loaded += 1;
    }
    println!(
        "{loaded} glTF files load, {} are refused as they should be",
        REFUSED.len()
    );
    assert!(loaded > 90);
}

/// The file that an oracle speaks of: `~` in its name stands for a folder, and it names the file itself.
fn asset_of(shared: &Path, oracle: &Path, content: &Value) -> PathBuf {
    let name = oracle.file_stem().unwrap().to_str().unwrap().replace('~', "/");
    shared
        .join("assets")
        .join(name)
        .with_file_name(content["file"].as_str().unwrap())
}

fn floats<const N: usize>(value: &Value) -> Vec<[f64; N]> {
    let element = |element: &Value| std::array::from_fn(|axis| element[axis].as_f64().unwrap());
    value.as_array().unwrap().iter().map(element).collect()
}

fn weights(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .map(|weights| weights.iter().map(|weight| weight.as_f64().unwrap()).collect())
        .unwrap_or_default()
}

/// Rest plus the weighted deltas of a stream, in f64.
fn morphed(primitive: &Primitive, normals: bool, weights: &[f64]) -> Vec<[f64; 3]> {
    let rest = if normals {
        primitive.normals.as_ref().unwrap()
    } else {
        &primitive.positions
    };
    let mut sum: Vec<[f64; 3]> = rest.iter().map(|value| value.map(f64::from)).collect();
    for (target, weight) in primitive.targets.iter().zip(weights) {
        let stream = if normals {
            &target.normals
        } else {
            &target.positions
        };
        for (sum, delta) in sum.iter_mut().zip(dense(target, stream.as_ref(), rest.len())) {
            for axis in 0..3 {
                sum[axis] += weight * f64::from(delta[axis]);
            }
        }
    }
    sum
}

fn size(positions: &[[f32; 3]]) -> f64 {
    let extent = |axis: usize| {
        let component =
            |fold: fn(f32, f32) -> f32, start| positions.iter().map(|p| p[axis]).fold(start, fold);
        f64::from(component(f32::max, f32::NEG_INFINITY) - component(f32::min, f32::INFINITY))
    };
    (0..3).map(|axis| extent(axis).powi(2)).sum::<f64>().sqrt()
}

/// Compares one primitive at every setting, and returns the number of values compared and the worst difference, in
/// units of what is allowed.
fn compare(
    primitive: &Primitive,
    vertices: &[usize],
    settings: &Value,
    number: usize,
    allowed_of_normals: f64,
) -> (usize, f64) {
    let allowed = 2e-6 * size(&primitive.positions).max(1.0);
    let (mut compared, mut worst) = (0, 0.0_f64);
    for setting in settings.as_array().into_iter().flatten() {
        let expected = &setting["primitives"][number];
        let weights = weights(&expected["weights"]);
        for (stream, normals, allowed) in [
            ("positions", false, allowed),
            ("normals", true, allowed_of_normals),
        ] {
            if !expected[stream].is_array() || (normals && primitive.normals.is_none()) {
                continue;
            }
            let ours = morphed(primitive, normals, &weights);
            let expected = floats::<3>(&expected[stream]);
            assert_eq!(expected.len(), vertices.len());
            // A sum of normals grows with the weights, and so does the rounding of the other program's floats.
            let scale = if normals {
                1.0 + weights.iter().map(|weight| weight.abs()).sum::<f64>()
            } else {
                1.0
            };
            for (&vertex, expected) in vertices.iter().zip(expected) {
                for (ours, expected) in ours[vertex].iter().zip(expected) {
                    worst = worst.max((ours - expected).abs() / (allowed * scale));
                    compared += 1;
                }
            }
        }
    }
    (compared, worst)
}

fn compare_model(model: &Model, oracle: &Value, name: &str) -> (usize, f64) {
    let (mut compared, mut worst) = (0, 0.0_f64);
    for (number, described) in oracle["primitives"].as_array().unwrap().iter().enumerate() {
        let index = |key: &str| described[key].as_u64().unwrap() as usize;
        let node = &model.nodes[index("node")];
        assert_eq!(node.mesh, Some(index("mesh")), "{name}");
        assert_eq!(
            node.skin.is_some(),
            described["skinned"].as_bool().unwrap(),
            "{name}"
        );
        let mesh = &model.meshes[index("mesh")];
        let primitive = &mesh.primitives[index("primitive")];
        assert_eq!(primitive.positions.len(), index("vertices"), "{name}");
        // Where primitives have unequal target counts, ours all have the largest; the ones added move nothing.
        let target_count = index("targets");
        let unequal = name.contains("unfixed");
        assert!(primitive.targets.len() == target_count || unequal, "{name}");
        assert!(
            primitive.targets[target_count..]
                .iter()
                .all(|target| target.vertices.is_empty()),
            "{name}"
        );
        if let Some(names) = described["target_names"].as_array() {
            let names: Vec<&str> = names.iter().map(|name| name.as_str().unwrap()).collect();
            assert_eq!(mesh.target_names[..names.len()], names[..], "{name}");
        }
        let default_weights = weights(&described["default_weights"]);
        if !default_weights.is_empty() {
            let ours: Vec<f64> = model
                .start_weights(index("node"))
                .iter()
                .map(|&weight| weight.into())
                .collect();
            assert_eq!(
                ours.len().min(default_weights.len()),
                target_count.min(ours.len()),
                "{name}"
            );
            for (ours, theirs) in ours.iter().zip(&default_weights) {
                assert!((ours - theirs).abs() < 1e-6, "{name}");
            }
        }
        let vertices: Vec<usize> = match &described["sampled_vertices"] {
            Value::Array(vertices) => vertices
                .iter()
                .map(|vertex| vertex.as_u64().unwrap() as usize)
                .collect(),
            _ => (0..primitive.positions.len()).collect(),
        };
        // The filter of compressed normals ends in a rounding to 8 bits, which programs may come to from either side.
        let allowed_of_normals = if name.contains("meshopt") {
            1.01 / 127.0
        } else {
            2e-6
        };
        let (count, difference) = compare(
            primitive,
            &vertices,
            &oracle["settings"],
            number,
            allowed_of_normals,
        );
        assert!(difference <= 1.0, "{name}: {difference} times what is allowed");
        compared += count;
        worst = worst.max(difference);
    }
    (compared, worst)
}

#[test]
fn morphed_shapes_equal_those_of_three_js() {
    let Some(shared) = shared_or_skip(&["71 files of three.js"]) else {
        return;
    };
    let mut oracles = Vec::new();
    files(&shared.join("oracle/three"), &mut oracles);
    oracles.sort();
    let (mut models, mut values, mut worst) = (0, 0, 0.0_f64);
    for oracle in &oracles {
        let content: Value = serde_json::from_slice(&std::fs::read(oracle).unwrap()).unwrap();
        let asset = asset_of(&shared, oracle, &content);
        let name = asset.display().to_string();
        let model = load(&asset, &ImportOptions::default()).unwrap();
        let (count, difference) = compare_model(&model, &content, &name);
        models += 1;
        values += count;
        worst = worst.max(difference);
    }
    println!("{models} models, {values} values, worst difference {worst:.3} of what is allowed");
    assert_eq!(models, 71);
    assert!(values > 100_000);
}

/// The body that Blender made of the MakeHuman data has the face targets of the data itself.
#[test]
fn makehuman_sources_equal_the_body_that_blender_made_of_them() {
    let Some(shared) = shared_or_skip(&["mh_source against mh_body_face52"]) else {
        return;
    };
    let source = shared.join("assets/mh_source");
    let started = Instant::now();
    let options = ImportOptions {
        targets: vec![source.join("targets/faceunits")],
        ..ImportOptions::default()
    };
    let model = load(&source.join("base.obj"), &options).unwrap();
    println!("base mesh with 52 targets: {:?}", started.elapsed());
    check(&model);
    assert!(model.warnings.is_empty());
    let body = load(
        &shared.join("assets/mh_body_face52/mh_body_face52_skinned.glb"),
        &ImportOptions::default(),
    )
    .unwrap();
    let (ours, theirs) = (&model.meshes[0], &body.meshes[0]);
    assert_eq!(ours.target_names.len(), 52);
    let (ours_body, theirs_body) = (&ours.primitives[0], &theirs.primitives[0]);
    assert_eq!(ours_body.positions.len(), theirs_body.positions.len());
    assert_eq!(ours_body.indices.len(), theirs_body.indices.len());
    // Vertices are in another order there: they are found by position, and copies at a seam have one delta anyway.
    let key = |position: &[f32; 3]| position.map(|component| (component * 1e5).round() as i64);
    let at: std::collections::HashMap<_, _> = theirs_body
        .positions
        .iter()
        .enumerate()
        .map(|(vertex, position)| (key(position), vertex))
        .collect();
    let nearest = |position: &[f32; 3]| {
        let [x, y, z] = key(position);
        let mut around = (-1..=1)
            .flat_map(|dx| (-1..=1).flat_map(move |dy| (-1..=1).map(move |dz| [x + dx, y + dy, z + dz])));
        around.find_map(|key| at.get(&key).copied()).unwrap()
    };
    let matched: Vec<usize> = ours_body.positions.iter().map(nearest).collect();
    for (slot, name) in ours.target_names.iter().enumerate() {
        let other = theirs
            .target_names
            .iter()
            .position(|other| other == name)
            .unwrap();
        let (target, other) = (&ours_body.targets[slot], &theirs_body.targets[other]);
        let deltas = dense(target, target.positions.as_ref(), matched.len());
        let others = dense(other, other.positions.as_ref(), matched.len());
        for (delta, &vertex) in deltas.iter().zip(&matched) {
            for axis in 0..3 {
                assert!((delta[axis] - others[vertex][axis]).abs() < 1e-6, "{name}");
            }
        }
    }
}

#[test]
fn all_targets_of_makehuman_load_with_helpers_too() {
    let Some(shared) = shared_or_skip(&["mh_source with all targets"]) else {
        return;
    };
    let groups = [
        "body",
        "helper-l-eye",
        "helper-r-eye",
        "helper-upper-teeth",
        "helper-lower-teeth",
        "helper-tongue",
        "helper-l-eyelashes-1",
    ];
    let options = ImportOptions {
        groups: groups.map(str::to_owned).to_vec(),
        ..ImportOptions::default()
    };
    let started = Instant::now();
    let model = load(&shared.join("assets/mh_source/base.obj"), &options).unwrap();
    let mesh = &model.meshes[0];
    println!(
        "{} targets in {} groups: {:?}",
        mesh.target_names.len(),
        groups.len(),
        started.elapsed()
    );
    check(&model);
    build(&model, "mh_source");
    assert_eq!(mesh.target_names.len(), 898);
    assert_eq!(mesh.primitives.len(), groups.len());
    assert!(mesh.target_names.iter().any(|name| name == "jawOpen"));
    // A jaw that opens takes the lower teeth with it and leaves the upper ones.
    let jaw = mesh
        .target_names
        .iter()
        .position(|name| name == "jawOpen")
        .unwrap();
    let moved = |primitive: usize| !mesh.primitives[primitive].targets[jaw].vertices.is_empty();
    assert!(moved(0) && moved(4) && !moved(3));
    // A person is between one and two and a half meters high, feet below zero as in the file.
    let height = mesh.primitives[0]
        .positions
        .iter()
        .map(|p| p[1])
        .fold(f32::MIN, f32::max)
        - mesh.primitives[0]
            .positions
            .iter()
            .map(|p| p[1])
            .fold(f32::MAX, f32::min);
    assert!((1.0..2.5).contains(&height), "{height}");
}
