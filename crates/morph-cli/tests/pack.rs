//! `morph pack`, and what the other commands make of a cooked file.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::{folder, morph, names_in, shared, square, two_meshes, vectors, write, write_makehuman};
use serde_json::json;

#[test]
fn a_cooked_file_evaluates_to_the_bits_of_its_source() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    for quantization in ["f32", "half", "snorm16"] {
        let pack = [
            "pack",
            "square.gltf",
            "--quantization",
            quantization,
            "-o",
            "x.morph",
        ];
        morph(folder.path(), &pack).ok();
        for preset in ["mixed", "rest", "last-2"] {
            let source = [
                "eval",
                "square.gltf",
                "--quantization",
                quantization,
                "--preset",
                preset,
                "--json",
            ];
            let source = morph(folder.path(), &source).ok().json();
            let cooked = morph(folder.path(), &["eval", "x.morph", "--preset", preset, "--json"])
                .ok()
                .json();
            for key in ["positions", "normals", "weights", "quantization", "tangents"] {
                assert_eq!(source[key], cooked[key], "{quantization} {preset} {key}");
            }
            assert_eq!(vectors(&cooked["positions"]).len(), 4);
        }
        // The file's own weights come with it.
        let own = morph(folder.path(), &["eval", "x.morph", "--json"]).ok().json();
        assert_eq!(own["weights"], json!([0.0, 0.25, 0.0]));
    }
}

#[test]
fn every_mesh_and_primitive_is_there() {
    let folder = folder();
    write(folder.path(), "two.gltf", two_meshes());
    write_makehuman(folder.path());
    morph(folder.path(), &["pack", "two.gltf", "--out", "two.morph"]).ok();
    morph(folder.path(), &["pack", "base.obj", "--out", "body.morph"]).ok();
    let eval = |file: &str| {
        let args = [
            "eval",
            file,
            "--mesh",
            "1",
            "--primitive",
            "1",
            "--weights",
            "only=0.5",
            "--json",
        ];
        morph(folder.path(), &args).ok().json()["positions"].clone()
    };
    assert_eq!(eval("two.gltf"), eval("two.morph"));
    let eval = |file: &str| {
        let args = ["eval", file, "--weights", "wide=0.7", "--json"];
        morph(folder.path(), &args).ok().json()["positions"].clone()
    };
    assert_eq!(eval("base.obj"), eval("body.morph"));
}

#[test]
fn inspect_says_what_is_in_a_cooked_file() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let packed = morph(
        folder.path(),
        &[
            "pack",
            "square.gltf",
            "--quantization",
            "half",
            "-o",
            "x.morph",
            "--json",
        ],
    )
    .ok()
    .json();
    let report = morph(folder.path(), &["inspect", "x.morph", "--json"])
        .ok()
        .json();
    let source = morph(folder.path(), &["inspect", "square.gltf", "--json"])
        .ok()
        .json();
    let cooked = &report["cooked"];
    assert_eq!(cooked["version"], 1);
    assert_eq!(cooked["bytes"], packed["bytes"]);
    let length = std::fs::metadata(folder.path().join("x.morph")).unwrap().len();
    assert_eq!(cooked["bytes"].as_u64(), Some(length));
    let sections = cooked["sections"].as_array().unwrap();
    assert_eq!(packed["sections"].as_u64(), Some(sections.len() as u64));
    let scatter = sections.iter().find(|section| section["kind"] == "SCAT").unwrap();
    // What the source says that half costs is what is stored, and nothing else is shown.
    let (found, expected) = (
        &report["meshes"][0]["primitives"][0],
        &source["meshes"][0]["primitives"][0],
    );
    assert_eq!(found["formats"], json!([expected["formats"][1]]));
    assert_eq!(scatter["bytes"], expected["formats"][1]["bytes"]["scatter"]);
    assert_eq!(
        (
            scatter["primitive"].as_u64(),
            scatter["offset"].as_u64().unwrap() % 16
        ),
        (Some(0), 0)
    );
    assert_eq!(source.get("cooked"), None);

    let text = morph(folder.path(), &["inspect", "x.morph"]).ok().out;
    assert!(text.contains("cooked file of version 1"), "{text}");
    assert!(text.contains("VMAJ") && text.contains("grow"), "{text}");
}

#[test]
fn the_same_model_gives_the_same_bytes() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let bytes = |name: &str| {
        morph(folder.path(), &["pack", "square.gltf", "-o", name]).ok();
        std::fs::read(folder.path().join(name)).unwrap()
    };
    assert_eq!(bytes("a.morph"), bytes("b.morph"));
    assert_eq!(names_in(folder.path()), ["a.morph", "b.morph", "square.gltf"]);
}

#[test]
fn what_was_settled_cannot_be_asked_for() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let pack = [
        "pack",
        "square.gltf",
        "--quantization",
        "half",
        "--position-threshold",
        "0.25",
        "-o",
        "x.morph",
    ];
    morph(folder.path(), &pack).ok();
    let eval = |more: &[&str]| {
        morph(
            folder.path(),
            &[&["eval", "x.morph", "--preset", "mixed"], more].concat(),
        )
    };
    eval(&["--quantization", "half", "--position-threshold", "0.25"]).ok();
    eval(&["--quantization", "f32"]).refused(&["--quantization", "x.morph", "stored as half"]);
    eval(&["--position-threshold", "0"]).refused(&["--position-threshold", "built with 0.25"]);
    eval(&["--direction-threshold", "0.5"]).refused(&["--direction-threshold", "built with 0"]);
    eval(&["--generate-normals"]).refused(&["--generate-normals", "cooked"]);
    morph(folder.path(), &["pack", "x.morph", "-o", "y.morph"]).refused(&["x.morph", "cooked already"]);
    assert_eq!(names_in(folder.path()), ["square.gltf", "x.morph"]);
}

#[test]
fn what_cannot_be_packed_leaves_no_file() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    morph(folder.path(), &["pack", "square.gltf", "-o", "x.bin"]).refused(&["x.bin", ".morph"]);
    morph(folder.path(), &["pack", "square.gltf", "-o", "no/x.morph"]).refused(&["no", "make it first"]);
    let negative = [
        "pack",
        "square.gltf",
        "--position-threshold",
        "-1",
        "-o",
        "x.morph",
    ];
    morph(folder.path(), &negative).refused(&["position threshold", "-1"]);
    assert_eq!(names_in(folder.path()), ["square.gltf"]);

    morph(folder.path(), &["pack", "square.gltf", "-o", "x.morph"]).ok();
    let mut bytes = std::fs::read(folder.path().join("x.morph")).unwrap();
    let last = bytes.len() - 20;
    bytes[last] ^= 1;
    write(folder.path(), "damaged.morph", &bytes);
    for command in ["eval", "inspect"] {
        morph(folder.path(), &[command, "damaged.morph"]).refused(&["damaged.morph", "section ", "checksum"]);
    }
    write(folder.path(), "cut.morph", &bytes[..100]);
    morph(folder.path(), &["inspect", "cut.morph"]).refused(&["cut.morph", "cut off"]);
}

#[test]
fn a_face_of_others_evaluates_to_the_same_bits() {
    let Some(shared) = shared() else {
        eprintln!("skipped: mh_body_face52 cooked and evaluated; MORPH_SHARED names no folder");
        return;
    };
    let source = shared.join("assets/mh_body_face52/mh_body_face52_skinned.glb");
    let source = source.to_str().unwrap();
    let folder = folder();
    for quantization in ["f32", "snorm16"] {
        morph(
            folder.path(),
            &["pack", source, "--quantization", quantization, "-o", "x.morph"],
        );
        let eval = |file: &str, name: &str| {
            let args = [
                "eval",
                file,
                "--quantization",
                quantization,
                "--preset",
                "mixed",
                "--out",
                name,
            ];
            assert_eq!(morph(folder.path(), &args).code, 0);
            std::fs::read(folder.path().join(name)).unwrap()
        };
        assert!(
            eval(source, "source.f32") == eval("x.morph", "cooked.f32"),
            "{quantization}"
        );
    }
}
