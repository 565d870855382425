//! Expressions of avatars in `morph inspect` and `morph eval`.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::{avatar, folder, morph, square, write};
use serde_json::{Value, json};

#[test]
fn packing_keeps_expressions_and_converting_says_what_does() {
    let folder = folder();
    write(folder.path(), "avatar.gltf", avatar());
    let packed = ["pack", "avatar.gltf", "-o", "avatar.morph", "--json"];
    assert_eq!(morph(folder.path(), &packed).ok().json()["version"], 4);
    let expressions =
        |file: &str| morph(folder.path(), &["inspect", file, "--json"]).ok().json()["expressions"].clone();
    assert_eq!(expressions("avatar.morph"), expressions("avatar.gltf"));
    let eval = |file: &str| {
        let list = "blink=1,happy=0.25";
        morph(folder.path(), &["eval", file, "--json", "--expression", list])
            .ok()
            .json()["weights"]
            .clone()
    };
    assert_eq!(eval("avatar.morph"), eval("avatar.gltf"));
    let run = morph(folder.path(), &["convert", "avatar.gltf", "--to", "glb"]);
    assert_eq!(run.code, 0);
    assert!(
        run.notes.contains("3 of the avatar expressions are left out") && run.notes.contains("`morph pack`"),
        "{}",
        run.notes
    );
}

fn weights(folder: &std::path::Path, list: &str) -> Value {
    let args = ["eval", "avatar.gltf", "--json", "--expression", list];
    morph(folder, &args).ok().json()["weights"].clone()
}

#[test]
fn eval_sets_weights_by_expressions_and_their_overrides() {
    let folder = folder();
    write(folder.path(), "avatar.gltf", avatar());
    let weights = |list| weights(folder.path(), list);
    // No expression moves the target in the middle, which the file sets to 0.25.
    assert_eq!(weights("blink=1"), json!([1.0, 0.25, 0.0]));
    assert_eq!(weights("blink=1,happy=0.25"), json!([0.75, 0.25, 0.125]));
    assert_eq!(weights("happy=9, blink=1"), json!([0.0, 0.25, 0.5]));
    assert_eq!(weights(""), json!([0.0, 0.25, 0.0]));
}

#[test]
fn eval_refuses_what_is_no_expression() {
    let folder = folder();
    write(folder.path(), "avatar.gltf", avatar());
    write(folder.path(), "square.gltf", square());
    let run = |file: &str, list: &str| morph(folder.path(), &["eval", file, "--expression", list]);
    run("avatar.gltf", "blin=1").refused(&["has no expression `blin`", "`blink`"]);
    run("avatar.gltf", "blink=NaN").refused(&["--expression", "`blink` is NaN"]);
    run("avatar.gltf", "blink").refused(&["`blink` in --expression: it has no weight"]);
    run("avatar.gltf", "blink=1,blink=0").refused(&["`blink` is in --expression more than once"]);
    run("square.gltf", "blink=1").refused(&["square.gltf has no expressions"]);
    let both = [
        "eval",
        "avatar.gltf",
        "--expression",
        "blink=1",
        "--weights",
        "grow=1",
    ];
    assert_eq!(morph(folder.path(), &both).code, 2);
}

#[test]
fn inspect_lists_expressions() {
    let folder = folder();
    write(folder.path(), "avatar.gltf", avatar());
    let run = morph(folder.path(), &["inspect", "avatar.gltf"]).ok();
    for part in [
        "expression \"blink\": preset, gives grow of node 0 1",
        "expression \"happy\": preset, weakens blinking, gives idle of node 0 0.5",
        "expression \"wink\": custom, moves nothing",
    ] {
        assert!(run.out.contains(part), "no {part:?} in\n{}", run.out);
    }
    let report = morph(folder.path(), &["inspect", "avatar.gltf", "--json"])
        .ok()
        .json();
    assert_eq!(report["expressions"].as_array().unwrap().len(), 3);
    assert_eq!(
        report["expressions"][1],
        json!({
            "name": "happy", "preset": true, "kind": null, "binary": false,
            "overrides": { "blink": "blend", "look_at": "none", "mouth": "none" },
            "binds": [{ "node": 0, "slot": 2, "target": "idle", "weight": 0.5 }],
        })
    );
    assert_eq!(report["expressions"][0]["kind"], "blink");
    // The extension is read, so it is no problem.
    assert!(!report["problems"].to_string().contains("VRMC_vrm"), "{report}");
}

#[test]
fn what_is_read_can_be_scaled_turned_and_freed_of_targets() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let run = |more: &[&str]| {
        let rest = ["eval", "square.gltf", "--preset", "rest", "--json"];
        morph(folder.path(), &[&rest, more].concat())
    };
    let plain = run(&[]).ok().json();
    assert_eq!(plain["positions"][2], json!([1.0, 1.0, 0.0]));
    let turned = run(&["--scale", "100", "--up", "z"]).ok().json();
    assert_eq!(turned["positions"][2], json!([100.0, 0.0, 100.0]));
    assert_eq!(run(&["--no-morphs"]).ok().json()["weights"], json!([]));
    run(&["--scale", "-1"]).refused(&["the scale -1 cannot be used"]);
    run(&["--up", "x"]).refused(&["--up"]);
}
