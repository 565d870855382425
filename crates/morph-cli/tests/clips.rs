//! `morph sample`, and `morph eval` with a clip and a skin.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use std::path::Path;

use common::{arm, folder, morph, write};
use serde_json::{Value, json};

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

/// A clip for other models than the one that it is played on: it names the mesh's node otherwise, one bone and one target
/// that nothing has, and twice a joint that is not there.
const AUTHORED: &str = "\
version: 2
name: nod
tracks:
- {node: face, property: weight, target: still, interpolation: linear, times: [0, 1], values: [0, 2]}
- {node: face, property: weight, target: smile, interpolation: step, times: [0], values: [1]}
- {node: bone, property: rotation, interpolation: step, times: [0], values: [[0, 0, 1, 0]]}
- {node: tail, property: rotation, interpolation: step, times: [0], values: [[0, 0, 0, 1]]}
- {node: tail, property: translation, interpolation: step, times: [0], values: [[0, 0, 0]]}
";

#[test]
fn an_authored_clip_is_bound_by_names() {
    let folder = folder();
    write(folder.path(), "arm.gltf", arm());
    write(folder.path(), "nod.yaml", AUTHORED);
    let warning = "the clip drives what the model does not have: 1 joint, such as node `tail`; 1 weight, such as target \
                   `smile` of node `face`";
    let command = [
        "eval",
        "arm.gltf",
        "--clip-file",
        "nod.yaml",
        "--time",
        "0.5",
        "--json",
    ];
    let run = morph(folder.path(), &command);
    assert!(run.code == 0 && run.notes.contains(warning), "{}", run.notes);
    let result = run.json();
    // The weight found its target by name alone; the model's own clip plays no part.
    assert_eq!(result["weights"], json!([0.0, 1.0]));
    assert_eq!(
        (&result["clip"], &result["clip_file"], &result["time"]),
        (&json!(0), &json!("nod.yaml"), &json!(0.5))
    );
    let run = morph(folder.path(), &[&command[..], &["--skin"]].concat());
    let position = &run.json()["positions"][0];
    assert_eq!(position, &json!([-1.0, 0.0, 0.0]), "half a turn of the bone");

    let command = [
        "sample",
        "arm.gltf",
        "--clip-file",
        "nod.yaml",
        "--times",
        "1",
        "--json",
    ];
    let run = morph(folder.path(), &command);
    assert!(run.notes.contains(warning), "{}", run.notes);
    let sampled = run.json();
    assert_eq!(sampled["unresolved"], json!({ "joints": 1, "weights": 1 }));
    assert_eq!(
        sampled["clip"],
        json!({ "index": 0, "name": "nod", "duration": 1.0, "file": "nod.yaml" })
    );
    assert_eq!(
        sampled["samples"][0]["weights"],
        json!({ "arm": { "still": 2.0 } })
    );
    let by_name = [&command[..], &["--clip", "nod"]].concat();
    assert_eq!(morph(folder.path(), &by_name).json(), sampled);
}

#[test]
fn a_clip_of_another_model_drives_what_is_called_alike() {
    let folder = folder();
    write(folder.path(), "arm.gltf", arm());
    let other = arm().replace("\"wave\"", "\"hello\"");
    write(folder.path(), "other.gltf", other);
    let eval = |more: &[&str]| {
        let command = [&["eval", "arm.gltf", "--time", "0.5", "--skin", "--json"], more].concat();
        morph(folder.path(), &command).ok().json()
    };
    let (own, others) = (
        eval(&["--clip", "wave"]),
        eval(&["--clip-file", "other.gltf", "--clip", "hello"]),
    );
    assert_eq!(own["positions"], others["positions"]);
    assert_eq!(
        (&own["clip_file"], &others["clip_file"]),
        (&json!(null), &json!("other.gltf"))
    );
    // Nothing of another model is there.
    write(folder.path(), "square.gltf", common::square());
    let command = ["eval", "square.gltf", "--clip-file", "other.gltf"];
    let run = morph(folder.path(), &command);
    assert_eq!(run.code, 0);
    assert!(
        run.notes.contains("nothing that it drives is there"),
        "{}",
        run.notes
    );
}

#[test]
fn clip_files_that_are_none_are_refused() {
    let folder = folder();
    write(folder.path(), "arm.gltf", arm());
    write(folder.path(), "square.gltf", common::square());
    write(folder.path(), "nod.yaml", AUTHORED);
    write(
        folder.path(),
        "version.yaml",
        AUTHORED.replace("version: 2", "version: 2.0"),
    );
    let refuse = |file: &str, more: &[&str], parts: &[&str]| {
        let command = [&["eval", "arm.gltf", "--clip-file", file], more].concat();
        morph(folder.path(), &command).refused(parts);
    };
    refuse("none.yaml", &[], &["none.yaml", "No such file"]);
    refuse("none.glb", &[], &["none.glb", "No such file"]);
    refuse("version.yaml", &[], &["version.yaml:1:10", "write 2, not 2.0"]);
    refuse(
        "nod.yaml",
        &["--clip", "yes"],
        &["nod.yaml has no clip `yes`", "0 `nod`"],
    );
    refuse(
        "square.gltf",
        &[],
        &["square.gltf has no clip `0`", "it has none"],
    );
    let alone = ["eval", "arm.gltf", "--time", "1"];
    assert_eq!(morph(folder.path(), &alone).code, 2, "a time needs a clip");
}
