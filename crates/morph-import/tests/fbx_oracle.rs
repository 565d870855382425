//! Every FBX file of the shared data, compared with what `ufbx` and Blender say of it.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod common;
#[path = "common/play.rs"]
mod play;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use common::{check, shared_or_skip};
use glam::DVec3;
use morph_import::{ImportOptions, Model, Space, load};
use play::{Pose, by_control_point, control_names, target_weights};
use serde_json::Value;

/// How far results may be off, as a part of the largest coordinate: the files are written with 9 digits, and models
/// hold 32-bit floats.
const TOLERANCE: f64 = 1.5e-6;

fn say(text: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn in_file_space(path: &Path) -> Model {
    let options = ImportOptions {
        space: Space::File,
        ..ImportOptions::default()
    };
    let model = load(path, &options).unwrap();
    check(&model);
    model
}

fn vector(value: &Value) -> DVec3 {
    DVec3::from_slice(
        &value
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_f64().unwrap())
            .collect::<Vec<_>>(),
    )
}

fn floats(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

/// The worst error over points, as a part of the largest coordinate.
fn worst(found: &[Option<DVec3>], expected: &Value, step: usize) -> f64 {
    let expected: Vec<DVec3> = expected.as_array().unwrap().iter().map(vector).collect();
    let size = expected
        .iter()
        .fold(1e-9, |size: f64, p| size.max(p.abs().max_element()));
    let compared = expected.iter().enumerate();
    let error = compared.fold(0.0, |worst: f64, (number, &expected)| {
        // A control point that is the corner of no face is no vertex.
        let error = found[number * step].map_or(0.0, |found| (found - expected).abs().max_element());
        worst.max(error)
    });
    error / size
}

/// The positions of the only mesh, as the oracle gives them.
fn positions(pose: &Pose<'_>, model: &Model, node: usize, local: bool, count: usize) -> Vec<Option<DVec3>> {
    let primitives = &model.meshes[model.nodes[node].mesh.unwrap()].primitives;
    let values: Vec<Vec<DVec3>> = primitives
        .iter()
        .map(|primitive| {
            if local {
                pose.morphed(node, primitive)
            } else {
                pose.in_world(node, primitive)
            }
        })
        .collect();
    by_control_point(primitives, &values, count)
}

fn node_of_mesh(model: &Model) -> usize {
    model.nodes.iter().position(|node| node.mesh == Some(0)).unwrap()
}

/// Compares one file with `ufbx`; what is compared, and the worst error of positions and weights.
fn compare_with_ufbx(model: &Model, oracle: &Value) -> (usize, f64, f64) {
    assert_eq!(
        oracle["meshes"].as_array().unwrap().len(),
        1,
        "every file has one mesh"
    );
    let described = &oracle["meshes"][0];
    let count = described["num_vertices"].as_u64().unwrap() as usize;
    let step = described["sample_step"].as_u64().unwrap() as usize;
    let local = described["skins"].as_array().unwrap().is_empty();
    let node = node_of_mesh(model);
    let mesh = &model.meshes[0];
    let triangles: usize = mesh
        .primitives
        .iter()
        .map(|primitive| primitive.indices.len() / 3)
        .sum();
    assert_eq!(triangles as u64, described["num_triangles"].as_u64().unwrap());
    let controls = control_names(mesh);
    let channels = oracle["channel_names"].as_array().unwrap();
    assert_eq!(controls.len(), channels.len());
    for (control, channel) in controls.iter().zip(channels) {
        let channel = channel.as_str().unwrap();
        assert_eq!(
            control,
            channel.rsplit_once('.').map_or(channel, |(_, short)| short)
        );
    }
    let (mut compared, mut position_error, mut weight_error) = (0, 0.0_f64, 0.0_f64);
    let mut pose = Pose::new(model);
    position_error = position_error.max(worst(
        &positions(&pose, model, node, true, count),
        &described["rest"],
        step,
    ));
    for setting in oracle["settings"].as_array().unwrap() {
        let weights: Vec<f32> = floats(&setting["deform_percent"])
            .iter()
            .map(|percent| (percent / 100.0) as f32)
            .collect();
        let effective: Vec<f64> = setting["effective_weights"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(floats)
            .collect();
        let found = target_weights(mesh, &weights);
        assert_eq!(found.len(), effective.len());
        for (found, expected) in found.iter().zip(effective) {
            weight_error = weight_error.max((f64::from(*found) - expected).abs() / expected.abs().max(1.0));
        }
        pose.set_weights(node, &weights);
        let found = positions(&pose, model, node, local, count);
        position_error = position_error.max(worst(&found, &setting["meshes"][0]["positions"], step));
        compared += 1;
    }
    let animations = oracle["animations"].as_array().unwrap();
    assert_eq!(model.clips.len(), animations.len());
    for (clip, animation) in model.clips.iter().zip(animations) {
        assert_eq!(clip.name, animation["stack"].as_str().unwrap());
        for sample in animation["samples"].as_array().unwrap() {
            let mut pose = Pose::new(model);
            // What a clip does not drive stays at what the file saves, for `ufbx`.
            let saved: Vec<f32> = described["blend_deformers"]
                .as_array()
                .unwrap()
                .iter()
                .flat_map(|deformer| deformer["channels"].as_array().unwrap())
                .map(|channel| channel["weight"].as_f64().unwrap() as f32)
                .collect();
            pose.set_weights(node, &saved);
            pose.play(clip, sample["time"].as_f64().unwrap() as f32);
            for (found, expected) in pose.weights(node).iter().zip(floats(&sample["weights"])) {
                weight_error =
                    weight_error.max((f64::from(*found) - expected).abs() / expected.abs().max(1.0));
            }
            // Some samples are of weights alone.
            if !sample["meshes"].is_null() {
                let found = positions(&pose, model, node, local, count);
                position_error = position_error.max(worst(&found, &sample["meshes"][0]["positions"], step));
            }
            compared += 1;
        }
    }
    (compared, position_error, weight_error)
}

/// How many control points are corners of no face, by both.
fn loose_points(model: &Model, oracle: &Value) -> usize {
    let described = &oracle["meshes"][0];
    let count = described["num_vertices"].as_u64().unwrap() as usize;
    let mut used = vec![false; count];
    for &point in model.meshes[0]
        .primitives
        .iter()
        .flat_map(|primitive| primitive.source_points.iter().flatten())
    {
        used[point as usize] = true;
    }
    if let Some(corners) = described["vertex_indices"].as_array() {
        let mut expected = vec![false; count];
        for corner in corners {
            expected[corner.as_u64().unwrap() as usize] = true;
        }
        assert_eq!(used, expected);
    }
    used.iter().filter(|used| !**used).count()
}

fn oracle_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

/// The file that an oracle is of.
fn source(shared: &Path, oracle: &Path) -> PathBuf {
    let stem = oracle.file_stem().unwrap().to_str().unwrap();
    if stem.contains('~') {
        shared.join("assets").join(stem.replace('~', "/"))
    } else {
        shared.join(format!("assets/ufbx_fbx/{stem}.fbx"))
    }
}

#[test]
fn all_settings_and_animations_agree_with_ufbx() {
    let Some(shared) = shared_or_skip(&["all FBX files against ufbx"]) else {
        return;
    };
    let mut far_off = Vec::new();
    for oracle in oracle_files(&shared.join("oracle/ufbx")) {
        let path = source(&shared, &oracle);
        let model = in_file_space(&path);
        let (compared, position_error, weight_error) = compare_with_ufbx(&model, &json(&oracle));
        let name = path.file_name().unwrap().to_str().unwrap();
        let loose = loose_points(&model, &json(&oracle));
        say(format_args!(
            "{name}: {compared} poses, positions {position_error:.1e}, weights {weight_error:.1e}, {loose} control \
             points of no face not compared"
        ));
        if position_error > TOLERANCE || weight_error > TOLERANCE {
            far_off.push(name.to_owned());
        }
    }
    assert!(far_off.is_empty(), "off: {far_off:?}");
}

#[test]
fn all_settings_and_weights_agree_with_blender() {
    let Some(shared) = shared_or_skip(&["FBX files against Blender"]) else {
        return;
    };
    let mut files = 0;
    for oracle in oracle_files(&shared.join("oracle/blender34")) {
        let path = source(&shared, &oracle);
        if path.extension().is_none_or(|ending| ending != "fbx") {
            continue;
        }
        files += 1;
        let (model, oracle) = (in_file_space(&path), json(&oracle));
        let described = &oracle["meshes"][0];
        let count = described["vertices"].as_u64().unwrap() as usize;
        let (node, names) = (node_of_mesh(&model), &model.meshes[0].target_names);
        assert_eq!(json_names(&described["target_names"]), *names);
        let mut pose = Pose::new(&model);
        let mut error = 0.0_f64;
        for setting in oracle["settings"].as_array().unwrap() {
            let weights = &setting["meshes"][0]["weights"];
            pose.set_weights(
                node,
                &floats(weights)
                    .iter()
                    .map(|&weight| weight as f32)
                    .collect::<Vec<_>>(),
            );
            let found = positions(&pose, &model, node, true, count);
            let sampled = &described["sampled_vertices"];
            error = error.max(worst(
                &sampled_of(&found, sampled),
                &setting["meshes"][0]["positions"],
                1,
            ));
        }
        assert!(error < TOLERANCE, "{}: {error:e}", path.display());

        // Blender moves keys by a frame on the way in.
        let [clip] = &model.clips[..] else {
            panic!("one clip");
        };
        let mut weight_error = 0.0_f64;
        for sample in oracle["animations"][0]["samples"].as_array().unwrap() {
            let frame = sample["frame"].as_f64().unwrap();
            let mut pose = Pose::new(&model);
            pose.play(clip, ((frame - 1.0) / 24.0) as f32);
            for (name, weight) in names.iter().zip(pose.weights(node)) {
                let expected = sample["weights"][name].as_f64().unwrap();
                weight_error = weight_error.max((f64::from(*weight) - expected).abs());
            }
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        say(format_args!(
            "{name} by Blender: positions {error:.1e}, weights {weight_error:.1e}"
        ));
        // Frames are not where keys are, and on the way in Blender puts keys on 32-bit frame numbers.
        assert!(weight_error < 1e-5, "{weight_error:e}");
    }
    assert_eq!(files, 2);
}

fn json_names(value: &Value) -> Vec<String> {
    serde_json::from_value(value.clone()).unwrap()
}

fn sampled_of(found: &[Option<DVec3>], sampled: &Value) -> Vec<Option<DVec3>> {
    let sampled = sampled.as_array().unwrap().iter();
    sampled
        .map(|vertex| found[vertex.as_u64().unwrap() as usize])
        .collect()
}

#[test]
fn a_skinned_face_in_metres_agrees_with_blender() {
    let Some(shared) = shared_or_skip(&["the skinned FBX face against Blender"]) else {
        return;
    };
    let oracle = json(&shared.join("oracle/blender34_skin/mh_body_face52~mh_body_face52_skinned.fbx.json"));
    let path = shared.join("assets/mh_body_face52/mh_body_face52_skinned.fbx");
    let model = load(&path, &ImportOptions::default()).unwrap();
    check(&model);
    let node = node_of_mesh(&model);
    let mut error = 0.0_f64;
    for frame in oracle["frames"].as_array().unwrap() {
        let mut pose = Pose::new(&model);
        pose.play(
            &model.clips[0],
            ((frame["frame"].as_f64().unwrap() - 1.0) / 24.0) as f32,
        );
        let described = &frame["meshes"][0];
        let found = positions(&pose, &model, node, false, 13380);
        error = error.max(worst(
            &sampled_of(&found, &described["vertices"]),
            &described["positions"],
            1,
        ));
    }
    say(format_args!(
        "mh_body_face52_skinned.fbx by Blender, skinned: {error:.1e}"
    ));
    assert!(error < 1e-5, "{error:e}");
}

#[test]
fn every_fbx_file_loads_in_metres() {
    let Some(shared) = shared_or_skip(&["all FBX files in metres"]) else {
        return;
    };
    let (mut loaded, mut turning) = (0, 0);
    for oracle in oracle_files(&shared.join("oracle/ufbx")) {
        let path = source(&shared, &oracle);
        let options = ImportOptions {
            generate_normals: true,
            ..ImportOptions::default()
        };
        let model = load(&path, &options).unwrap();
        check(&model);
        let described = json(&oracle);
        let (meters, file) = (described["unit_meters"].as_f64().unwrap(), in_file_space(&path));
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
