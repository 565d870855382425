//! `morph eval` on real models, against what three.js says of them and on every software driver.
//!
//! Models and oracles are not part of the project. They are found through `MORPH_SHARED` (default `../shared` from the
//! workspace root); without them the cases are skipped, and the test says how many.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use std::path::Path;

use common::{has_swiftshader, morph, shared, vectors};
use serde_json::Value;

/// Model, its oracle, and how many primitives of mesh 0 are compared.
const MODELS: [(&str, &str, usize); 6] = [
    ("mh_head/mh_head13_linear.glb", "mh_head~mh_head13_linear", 1),
    (
        "mh_head/mh_head52_dense_tangents.glb",
        "mh_head~mh_head52_dense_tangents",
        1,
    ),
    (
        "mh_body_face52/mh_body_face52_skinned.glb",
        "mh_body_face52~mh_body_face52_skinned",
        1,
    ),
    ("ict_facekit/ict_face57.glb", "ict_facekit~ict_face57", 1),
    (
        "khronos_AnimatedMorphCube/glTF-Binary/AnimatedMorphCube.glb",
        "khronos_AnimatedMorphCube~glTF-Binary~AnimatedMorphCube",
        1,
    ),
    (
        "khronos_MorphStressTest/glTF/MorphStressTest.gltf",
        "khronos_MorphStressTest~glTF~MorphStressTest",
        2,
    ),
];

/// The preset and the oracle's name for it.
const PRESETS: [(&str, &str); 5] = [
    ("rest", "all_zero"),
    ("mixed", "mixed"),
    ("all-half", "all_half"),
    ("first-minus-1", "first_minus_1"),
    ("last-2", "last_2"),
];

/// How many of the models, from the last, are compared with three.js: that the program shows what the library computes
/// needs few of them. What the library computes of all is in the conformance table of crate `morph-tests`.
const COMPARED_MODEL_COUNT: usize = 2;

/// The shared folder, or a word about what is skipped without it.
fn shared_or_say(cases: usize) -> Option<std::path::PathBuf> {
    let shared = shared();
    if shared.is_none() {
        eprintln!("skipped: {cases} cases on real models; MORPH_SHARED names no folder");
    }
    shared
}

fn oracle(shared: &Path, name: &str) -> Value {
    let text = std::fs::read(shared.join("oracle/three").join(format!("{name}.json"))).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn eval(shared: &Path, model: &str, args: &[&str]) -> Value {
    let path = shared.join("assets").join(model);
    let run = morph(
        shared,
        &[&["eval", path.to_str().unwrap(), "--json"], args].concat(),
    );
    assert_eq!(run.code, 0, "{model} {args:?}: {}", run.notes);
    run.json()
}

/// The largest distance on any axis between the result and the sampled vertices of the oracle.
fn distance(result: &Value, oracle: &Value, sampled: &Value) -> f64 {
    let (result, oracle) = (vectors(result), vectors(oracle));
    let mut worst = 0.0_f64;
    for (sample, expected) in oracle.iter().enumerate() {
        let vertex = sampled
            .as_array()
            .map_or(sample, |list| list[sample].as_u64().unwrap() as usize);
        for axis in 0..3 {
            worst = worst.max((f64::from(result[vertex][axis]) - f64::from(expected[axis])).abs());
        }
    }
    if !sampled.is_array() {
        assert_eq!(result.len(), oracle.len());
    }
    worst
}

/// The longest side of the rest pose, or 1 where that is longer: what tolerances are measured by.
fn size(rest: &Value) -> f64 {
    let positions = vectors(rest);
    let side = |axis: usize| {
        let all = || positions.iter().map(|position| f64::from(position[axis]));
        all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min)
    };
    (0..3).map(side).fold(1.0, f64::max)
}

#[test]
fn what_is_printed_agrees_with_three_js() {
    let Some(shared) = shared_or_say(15) else { return };
    let mut cases = 0;
    for (model, name, primitives) in MODELS.into_iter().rev().take(COMPARED_MODEL_COUNT) {
        let oracle = oracle(&shared, name);
        for primitive in 0..primitives {
            let rest = eval(
                &shared,
                model,
                &["--preset", "rest", "--primitive", &primitive.to_string()],
            );
            let tolerance = 2.0e-6 * size(&rest["positions"]);
            let about = &oracle["primitives"][primitive];
            assert_eq!(
                (about["mesh"].as_u64(), about["primitive"].as_u64()),
                (Some(0), Some(primitive as u64))
            );
            for (preset, label) in PRESETS {
                let result = eval(
                    &shared,
                    model,
                    &["--preset", preset, "--primitive", &primitive.to_string()],
                );
                let settings = oracle["settings"].as_array().unwrap();
                let setting =
                    &settings.iter().find(|it| it["label"] == label).unwrap()["primitives"][primitive];
                let weights: Vec<f32> = setting["weights"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|w| w.as_f64().unwrap() as f32)
                    .collect();
                let ours: Vec<f32> = result["weights"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|w| w.as_f64().unwrap() as f32)
                    .collect();
                assert_eq!(ours, weights, "{model} {preset}");
                let off = distance(
                    &result["positions"],
                    &setting["positions"],
                    &about["sampled_vertices"],
                );
                assert!(
                    off <= tolerance,
                    "{model} {primitive} {preset}: positions are {off:e} off"
                );
                if result["normals"].is_array() {
                    let off = distance(
                        &result["normals"],
                        &setting["normals"],
                        &about["sampled_vertices"],
                    );
                    assert!(
                        off <= 2.0e-6,
                        "{model} {primitive} {preset}: normals are {off:e} off"
                    );
                }
                let told = result["worst_error"]["position"].as_f64().unwrap();
                assert!(told <= tolerance, "{model} {preset}: {told:e}");
                // In the quantized modes, within what is reported of the result.
                for quantization in ["half", "snorm16"] {
                    let quantized = eval(
                        &shared,
                        model,
                        &[
                            "--preset",
                            preset,
                            "--primitive",
                            &primitive.to_string(),
                            "--quantization",
                            quantization,
                        ],
                    );
                    let told = quantized["worst_error"]["position"].as_f64().unwrap();
                    let off = distance(
                        &quantized["positions"],
                        &setting["positions"],
                        &about["sampled_vertices"],
                    );
                    assert!(
                        off <= told + tolerance,
                        "{model} {preset} {quantization}: {off:e}, {told:e} is reported"
                    );
                }
                cases += 1;
            }
        }
    }
    assert_eq!(cases, 15);
}

#[test]
fn devices_give_the_bits_of_the_host_on_real_models() {
    let drivers: &[&str] = if has_swiftshader() {
        &["lavapipe", "swiftshader"]
    } else {
        &["lavapipe"]
    };
    let Some(shared) = shared_or_say(MODELS.len() * drivers.len() * 5) else {
        return;
    };
    if drivers.len() == 1 {
        eprintln!(
            "skipped: {} cases on SwiftShader; it comes with Debian's package chromium",
            MODELS.len() * 5
        );
    }
    for driver in drivers {
        for (model, _, primitives) in MODELS {
            let primitive = (primitives - 1).to_string();
            for (backend, instances, preset, quantization) in [
                ("scatter", "1", "mixed", "f32"),
                ("gather", "1", "mixed", "f32"),
                ("gather", "5", "all-half", "snorm16"),
                ("gather", "1", "last-2", "half"),
                ("scatter", "1", "first-minus-1", "snorm16"),
            ] {
                let result = eval(
                    &shared,
                    model,
                    &[
                        "--primitive",
                        &primitive,
                        "--backend",
                        backend,
                        "--instances",
                        instances,
                        "--preset",
                        preset,
                        "--quantization",
                        quantization,
                        "--driver",
                        driver,
                    ],
                );
                assert_eq!(
                    result["max_ulp_vs_host"], 0,
                    "{model} {backend} {preset} on {driver}"
                );
            }
        }
    }
}

#[test]
fn makehuman_and_ghost_are_inspected() {
    let Some(shared) = shared_or_say(3) else { return };
    let path = |name: &str| shared.join("assets").join(name).to_str().unwrap().to_owned();
    let run = morph(&shared, &["inspect", &path("mh_source/base.obj"), "--json"]);
    assert_eq!(run.code, 0, "{}", run.notes);
    let report = run.json();
    let targets = report["meshes"][0]["target_names"].as_array().unwrap().len();
    assert!(targets > 800, "{targets}");
    let run = morph(&shared, &["inspect", &path("ict_facekit/ict_face57.glb")]);
    assert_eq!(run.code, 0, "{}", run.notes);
    assert!(
        run.out.lines().all(|line| line.chars().count() <= 130),
        "{}",
        run.out
    );
    let run = morph(
        &shared,
        &["inspect", &path("khronos_Ghost/ghost_v2.glb"), "--json"],
    );
    assert_eq!(run.code, 0, "{}", run.notes);
}
