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
    convert(&[]).refused(&["name another"]);
    convert(&["--out", "x.obj"]).refused(&[".glb"]);
    assert_eq!(names_in(folder.path()), before);
}
