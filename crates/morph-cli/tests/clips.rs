//! `morph sample`, and `morph eval` with a clip and a skin.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use std::path::Path;

use common::{folder, morph, write};
use serde_json::{Value, json};

/// A bone that turns by a quarter, and a vertex that a target moves along x; both over one second.
///
/// The target `out` goes from 0 to 1, `still` has no track.
fn arm() -> String {
    let mut bytes: Vec<u8> = Vec::new();
    let (mut views, mut accessors) = (Vec::new(), Vec::new());
    let mut add = |values: &[f32], kind: &str, width: usize| {
        views.push(json!({ "buffer": 0, "byteOffset": bytes.len(), "byteLength": 4 * values.len() }));
        bytes.extend(values.iter().flat_map(|x| x.to_le_bytes()));
        let (low, high) = values
            .iter()
            .fold((f32::MAX, f32::MIN), |(low, high), &x| (low.min(x), high.max(x)));
        let mut accessor = json!({
            "bufferView": views.len() - 1, "componentType": 5126, "count": values.len() / width, "type": kind,
        });
        if kind == "SCALAR" {
            (accessor["min"], accessor["max"]) = (json!([low]), json!([high]));
        }
        accessors.push(accessor);
    };
    let half = std::f32::consts::FRAC_1_SQRT_2;
    add(&[0.0; 9], "VEC3", 3);
    add(&[1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0], "VEC3", 3);
    add(
        &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        "VEC4",
        4,
    );
    add(&[0.0, 1.0], "SCALAR", 1);
    add(&[0.0, 1.0], "SCALAR", 1);
    add(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half], "VEC4", 4);
    // All joints are 0, which is what zero bytes say.
    views.push(json!({ "buffer": 0, "byteOffset": bytes.len(), "byteLength": 12 }));
    bytes.extend([0; 12]);
    accessors
        .push(json!({ "bufferView": views.len() - 1, "componentType": 5121, "count": 3, "type": "VEC4" }));
    (accessors[0]["min"], accessors[0]["max"]) = (json!([0, 0, 0]), json!([0, 0, 0]));
    let pointer = json!({ "KHR_animation_pointer": { "pointer": "/nodes/0/weights/0" } });
    json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["KHR_animation_pointer"],
        "buffers": [{ "byteLength": bytes.len(), "uri": common::data_uri(&bytes) }],
        "bufferViews": views,
        "accessors": accessors,
        "meshes": [{
            "extras": { "targetNames": ["out", "still"] },
            "primitives": [{
                "attributes": { "POSITION": 0, "WEIGHTS_0": 2, "JOINTS_0": 6 },
                "targets": [{ "POSITION": 1 }, { "POSITION": 1 }],
            }],
        }],
        "skins": [{ "joints": [1] }],
        "nodes": [{ "name": "arm", "mesh": 0, "skin": 0, "translation": [5, 5, 5] }, { "name": "bone" }],
        "scenes": [{ "nodes": [0, 1] }],
        "animations": [{
            "name": "wave",
            "samplers": [{ "input": 3, "output": 4 }, { "input": 3, "output": 5 }],
            "channels": [
                { "sampler": 0, "target": { "path": "pointer", "extensions": pointer } },
                { "sampler": 1, "target": { "node": 1, "path": "rotation" } },
            ],
        }],
    })
    .to_string()
}

fn sample(folder: &Path, more: &[&str]) -> Value {
    morph(folder, &[&["sample", "arm.gltf", "--json"], more].concat())
        .ok()
        .json()
}

#[test]
fn what_a_clip_leaves_alone_is_not_in_the_samples() {
    let folder = folder();
    write(folder.path(), "arm.gltf", arm());
    let sampled = sample(folder.path(), &["--clip", "wave", "--times", "-1,0.25,9"]);
    assert_eq!(
        sampled["clip"],
        json!({ "index": 0, "name": "wave", "duration": 1.0 })
    );
    let weights: Vec<&Value> = (0..3).map(|at| &sampled["samples"][at]["weights"]).collect();
    let expected = [0.0, 0.25, 1.0].map(|weight| json!({ "arm": { "out": weight } }));
    assert_eq!(weights, expected.iter().collect::<Vec<_>>());
    let nodes = sampled["samples"][0]["nodes"].as_object().unwrap();
    assert_eq!(nodes.keys().collect::<Vec<_>>(), ["bone"]);
    assert_eq!(
        nodes["bone"].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["rotation"]
    );
}

#[test]
fn frames_a_second_cover_the_whole_clip() {
    let folder = folder();
    write(folder.path(), "arm.gltf", arm());
    let sampled = sample(folder.path(), &["--fps", "3"]);
    let samples = sampled["samples"].as_array().unwrap();
    let times: Vec<f64> = samples.iter().map(|it| it["time"].as_f64().unwrap()).collect();
    assert_eq!(times.len(), 4);
    assert_eq!((times[0], times[3]), (0.0, 1.0));
    let text = morph(folder.path(), &["sample", "arm.gltf", "--fps", "3"])
        .ok()
        .out;
    assert!(
        text.contains("clip 0 \"wave\"") && text.contains("1 node moves"),
        "{text}"
    );
}

#[test]
fn b129_the_skin_comes_after_the_morph_and_the_node_of_the_mesh_takes_no_part() {
    let folder = folder();
    write(folder.path(), "arm.gltf", arm());
    let eval = |more: &[&str]| {
        let command = [
            &["eval", "arm.gltf", "--clip", "0", "--time", "1", "--json"],
            more,
        ]
        .concat();
        morph(folder.path(), &command).ok().json()
    };
    let morphed = eval(&[]);
    assert_eq!(
        (&morphed["space"], &morphed["positions"][0]),
        (&json!(null), &json!([1.0, 0.0, 0.0]))
    );
    let skinned = eval(&["--skin"]);
    assert_eq!(skinned["space"], "model");
    let at: Vec<f64> = (0..3)
        .map(|axis| skinned["positions"][0][axis].as_f64().unwrap())
        .collect();
    assert!(
        (at[0].abs() < 1e-6) && (at[1] - 1.0).abs() < 1e-6 && at[2] == 0.0,
        "{at:?}"
    );
}

#[test]
fn weights_that_the_clip_leaves_alone_stay_as_they_were_asked_for() {
    let folder = folder();
    write(folder.path(), "arm.gltf", arm());
    let command = [
        "eval",
        "arm.gltf",
        "--clip",
        "0",
        "--time",
        "0.5",
        "--weights",
        "out=9,still=2",
        "--json",
    ];
    let result = morph(folder.path(), &command).ok().json();
    assert_eq!(result["weights"], json!([0.5, 2.0]));
}

#[test]
fn what_cannot_be_played_is_refused() {
    let folder = folder();
    write(folder.path(), "arm.gltf", arm());
    let refuse = |args: &[&str], parts: &[&str]| {
        morph(folder.path(), args).refused(parts);
    };
    refuse(
        &["sample", "arm.gltf", "--clip", "walk", "--fps", "1"],
        &["no clip `walk`", "0 `wave`"],
    );
    refuse(&["sample", "arm.gltf", "--fps", "0"], &["--fps 0"]);
    refuse(&["sample", "arm.gltf", "--fps", "1e30"], &["--times"]);
    refuse(&["sample", "arm.gltf", "--times", "nan"], &["finite"]);
    refuse(&["eval", "arm.gltf", "--clip", "0", "--time", "inf"], &["finite"]);
    refuse(
        &["eval", "arm.gltf", "--node", "1"],
        &["node 1 does not show mesh 0", "nodes that do: 0"],
    );
    refuse(
        &["eval", "arm.gltf", "--skin", "--backend", "gather"],
        &["--skin is computed on the host"],
    );
    refuse(
        &["eval", "arm.gltf", "--order", "control-point"],
        &["no control points"],
    );
    write(folder.path(), "square.gltf", common::square());
    refuse(&["eval", "square.gltf", "--skin"], &["has no skin"]);
    refuse(&["sample", "square.gltf", "--fps", "1"], &["it has none"]);
}
