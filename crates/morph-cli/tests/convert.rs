//! `morph convert`: what is written is the model that was read.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::{folder, morph, names_in, square, write};

#[test]
fn a_converted_model_evaluates_to_the_same_values() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    morph(folder.path(), &["convert", "square.gltf", "--to", "glb"]).ok();
    for file in ["square.gltf", "square.glb"] {
        let out = format!("{file}.json");
        let command = ["eval", file, "--preset", "mixed", "--out", &out];
        morph(folder.path(), &command).ok();
    }
    let read = |name: &str| -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(folder.path().join(name)).unwrap()).unwrap()
    };
    let (was, is) = (read("square.gltf.json"), read("square.glb.json"));
    for part in ["positions", "normals", "weights"] {
        assert_eq!(was[part], is[part], "{part}");
    }
    assert!(was["positions"].as_array().is_some_and(|it| !it.is_empty()));
}

#[test]
fn obj_says_what_it_leaves_out() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let command = ["convert", "square.gltf", "--to", "obj", "--out", "x.obj"];
    let run = morph(folder.path(), &command);
    assert_eq!(run.code, 0);
    assert!(run.notes.contains("OBJ has no morph targets"), "{}", run.notes);
    let text = std::fs::read_to_string(folder.path().join("x.obj")).unwrap();
    assert!(text.contains("\nf 1"), "{text}");
}

#[test]
fn the_model_itself_is_never_written_over() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    morph(folder.path(), &["convert", "square.gltf", "--to", "glb"]).ok();
    let before = names_in(folder.path());
    let convert = |more: &[&str]| {
        morph(
            folder.path(),
            &[&["convert", "square.glb", "--to", "glb"], more].concat(),
        )
    };
    convert(&["--out", "./square.glb"]).refused(&["square.glb", "name another"]);
    convert(&[]).refused(&["name another", "as in --out square-converted.glb"]);
    convert(&["--out", "x.obj"]).refused(&[".glb"]);
    assert_eq!(names_in(folder.path()), before);
}

#[test]
fn the_name_that_is_proposed_is_free() {
    let folder = folder();
    write(folder.path(), "square.glb", "");
    write(folder.path(), "square-converted.glb", "");
    let run = morph(folder.path(), &["convert", "square.glb", "--to", "glb"]);
    run.refused(&["as in --out square-converted-2.glb"]);
}

#[test]
fn thresholds_thin_what_is_written() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let convert = |more: &[&str]| {
        let command = ["convert", "square.gltf", "--to", "glb"];
        morph(folder.path(), &[&command[..], more].concat())
    };
    let both = ["--position-threshold", "0.5", "--direction-threshold", "0.2"];
    let run = convert(&both).ok();
    assert!(
        run.out.contains("(4 entries dropped as too small)") || run.out.contains("dropped"),
        "{}",
        run.out
    );
    let thinned = morph(folder.path(), &["inspect", "square.glb", "--json"]).json();
    let reference = morph(
        folder.path(),
        &[&["inspect", "square.gltf", "--json"], &both[..]].concat(),
    )
    .json();
    let entries =
        |report: &serde_json::Value| report["meshes"][0]["primitives"][0]["formats"][0]["entries"].clone();
    assert_eq!(entries(&thinned), entries(&reference));
    convert(&["--position-threshold", "-1"]).refused(&["position threshold -1", "not negative"]);
}

#[test]
fn a_threshold_that_the_other_one_undoes_is_told() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    for command in [
        &["convert", "square.gltf", "--to", "glb"][..],
        &["pack", "square.gltf", "-o", "square.morph"],
        &["inspect", "square.gltf"],
        &["eval", "square.gltf", "--preset", "mixed"],
    ] {
        let run = |more: &[&str]| morph(folder.path(), &[command, more].concat());
        let told = run(&["--position-threshold", "0.5"]);
        assert_eq!(told.code, 0);
        let expected = "--position-threshold 0.5 drops 0 of 6 entries; 4 more stay only because their normals or tangents \
                        change by more than --direction-threshold, which is 0; give both, as in --position-threshold 0.5 \
                        --direction-threshold 1e-2";
        assert!(told.notes.contains(expected), "{command:?}: {}", told.notes);
        run(&["--position-threshold", "0.5", "--direction-threshold", "0.2"]).ok();
    }
    let packed = ["inspect", "square.morph", "--position-threshold", "1"];
    morph(folder.path(), &packed).refused(&["square.morph, which is cooked"]);
}
