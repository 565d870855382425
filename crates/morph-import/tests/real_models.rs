//! Models that nobody here made: which load, which are refused, and MakeHuman's sources against what was made of them.
//!
//! What other programs say of the models is compared by the conformance table of crate `morph-tests`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may panic, and print what they measure"
)]

mod common;

use std::path::PathBuf;
use std::time::Instant;

use common::{check, dense, files_below, gltf_error, left_out, shared_or_skip, strict};
use morph_core::{BuildOptions, MorphMesh, Quantization};
use morph_import::{GltfError, ImportOptions, Model, Part, Space, load};
use serde_json::Value;

/// Tells the error that is meant from others.
type Expected = fn(&GltfError) -> bool;

/// Files that are refused, and by what; every other glTF file has to load.
const REFUSED: [(&str, Expected); 2] = [
    ("RobotExpressive.corrupt.glb", |error| {
        matches!(error, GltfError::Truncated { .. })
    }),
    // Its meshes are zeros, and more of them than a file of its size can ask for.
    ("mesh-invalid-sparse-indices.gltf", |error| {
        matches!(error, GltfError::Unbacked { .. })
    }),
];

/// Files of which parts are left out, how many, and by what a strict import refuses them.
const IN_PART: [(&str, Part, usize, Expected); 2] = [
    // Every skin of it is wrong in its own way, but for one whose matrices are more than its joints.
    ("skin-invalid.gltf", Part::Skin, 10, |error| {
        matches!(error, GltfError::NoJoints)
    }),
    ("mesh-sparse.gltf", Part::Mesh, 6, |error| {
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
    files_below(&shared.join("assets"), &mut found);
    let mut loaded = 0;
    for file in with_ending(&found, &["gltf", "glb"]) {
        let name = file.file_name().unwrap().to_str().unwrap();
        let result = load(file, &ImportOptions::default());
        if let Some((_, expected)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
            let error = gltf_error(result);
            assert!(expected(&error), "{name}: {error}");
            continue;
        }
        let model = result.unwrap_or_else(|error| panic!("{error}"));
        check(&model);
        let parts: Vec<Part> = left_out(&model).into_iter().map(|(_, part)| part).collect();
        match IN_PART.iter().find(|(in_part, ..)| *in_part == name) {
            Some(&(_, part, count, expected)) => {
                assert_eq!(parts, vec![part; count], "{name}: {:?}", model.warnings);
                let error = gltf_error(load(file, &strict()));
                assert!(expected(&error), "{name}: {error}");
            }
            None => assert_eq!(parts, [], "{name}"),
        }
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

#[test]
fn every_fbx_file_loads_in_metres() {
    let Some(shared) = shared_or_skip(&["all FBX files in metres"]) else {
        return;
    };
    let mut found = Vec::new();
    files_below(&shared.join("oracle/ufbx"), &mut found);
    let (mut loaded, mut turning) = (0, 0);
    for oracle in &found {
        let described: Value = serde_json::from_slice(&std::fs::read(oracle).unwrap()).unwrap();
        // `~` in its name stands for the folder of the file that it is about.
        let stem = oracle.file_stem().unwrap().to_str().unwrap();
        let folder = stem.split_once('~').map_or("ufbx_fbx", |(folder, _)| folder);
        let path = shared
            .join("assets")
            .join(folder)
            .join(described["file"].as_str().unwrap());
        let options = ImportOptions {
            generate_normals: true,
            ..ImportOptions::default()
        };
        let model = load(&path, &options).unwrap();
        check(&model);
        let meters = described["unit_meters"].as_f64().unwrap();
        let options = ImportOptions {
            space: Space::File,
            ..ImportOptions::default()
        };
        let file = load(&path, &options).unwrap();
        check(&file);
        let pairs = model.meshes.iter().zip(&file.meshes);
        for (ours, theirs) in pairs.flat_map(|(a, b)| a.primitives.iter().zip(&b.primitives)) {
            for (a, b) in ours.positions.iter().zip(&theirs.positions) {
                for axis in 0..3 {
                    let expected = f64::from(b[axis]) * meters;
                    assert!((f64::from(a[axis]) - expected).abs() <= 1e-6 * expected.abs().max(meters));
                }
            }
            turning += ours
                .targets
                .iter()
                .filter(|target| target.normals.is_some())
                .count();
        }
        loaded += 1;
    }
    assert!(loaded > 30);
    assert!(turning > 60, "{turning} targets got normal deltas");
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
