//! Models of the field, imported, built, morphed on the host and on devices, against what three.js says of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use morph_core::{
    BaseNormals, BuildOptions, BuildReport, Layout, MorphMesh, MorphTarget, Quantization, RestPose,
    RestStreams, VertexLayout, morph,
};
use morph_import::{ImportOptions, Primitive};
use morph_render::{DeformerDesc, pass_desc};
use morph_tests::oracle::{self, Morphed, PrimitiveResult, Tangents};
use morph_tests::recipe::Cooked;
use morph_tests::say;
use morph_validation::{Rig, expected_bytes};
use morph_vk::{Capacities, Method};

use crate::support::{on_every_driver, settled, shown};

/// Asset and oracle file of each model.
const MODELS: [(&str, &str); 6] = [
    ("mh_head/mh_head13_linear.glb", "mh_head~mh_head13_linear.json"),
    (
        "mh_head/mh_head52_dense_tangents.glb",
        "mh_head~mh_head52_dense_tangents.json",
    ),
    (
        "mh_body_face52/mh_body_face52_skinned.glb",
        "mh_body_face52~mh_body_face52_skinned.json",
    ),
    ("ict_facekit/ict_face57.glb", "ict_facekit~ict_face57.json"),
    (
        "khronos_AnimatedMorphCube/glTF-Binary/AnimatedMorphCube.glb",
        "khronos_AnimatedMorphCube~glTF-Binary~AnimatedMorphCube.json",
    ),
    (
        "khronos_MorphStressTest/embedded/MorphStressTest.gltf",
        "khronos_MorphStressTest~embedded~MorphStressTest.json",
    ),
];

/// The settings that every model must have.
const SETTINGS: [&str; 5] = ["all_zero", "mixed", "all_half", "first_minus_1", "last_2"];

/// The quantizations that lose something; 32-bit floats are in the table of [`morph_tests::conformance`].
const QUANTIZED: [Quantization; 2] = [Quantization::Half, Quantization::Snorm16];

/// Agreement of the oracle's own tools, in units of a model of size one.
const TOLERANCE: f64 = 2.0e-6;

/// The folder, or a line that says what was skipped.
fn shared(what: &str, case_count: usize) -> Option<PathBuf> {
    let folder = oracle::shared_folder();
    if folder.is_none() {
        say(format_args!(
            "oracles: {case_count} cases of {what} were skipped: MORPH_SHARED does not name the folder with models"
        ));
    }
    folder
}

fn primitives(folder: &Path, asset: &str) -> morph_import::Model {
    let path = folder.join("assets").join(asset);
    morph_import::load(&path, &ImportOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn rest_of(primitive: &Primitive) -> RestStreams {
    let tangents = primitive
        .tangents
        .as_ref()
        .map(|all| all.iter().map(|&[x, y, z, _]| [x, y, z]).collect());
    RestStreams::new(primitive.positions.clone(), primitive.normals.clone(), tangents)
        .unwrap()
        .0
}

fn build(primitive: &Primitive, quantization: Quantization) -> (MorphMesh, BuildReport) {
    let vertex_count = primitive.positions.len() as u32;
    MorphMesh::build(vertex_count, &primitive.targets, &BuildOptions::new(quantization)).unwrap()
}

/// The longest side of the model, where that is over one.
fn size(positions: &[[f32; 3]]) -> f64 {
    let side = |axis: usize| {
        let values = || positions.iter().map(|it| f64::from(it[axis]));
        values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
    };
    (0..3).map(side).fold(1.0, f64::max)
}

fn largest_difference(found: &[[f32; 3]], expected: &[[f64; 3]], numbers: &[usize]) -> f64 {
    assert_eq!(expected.len(), numbers.len());
    numbers
        .iter()
        .zip(expected)
        .flat_map(|(number, expected)| {
            (0..3).map(|axis| (f64::from(found[*number][axis]) - expected[axis]).abs())
        })
        .fold(0.0, f64::max)
}

/// The rounding of a weighted sum of so many floats.
fn float_sum_error(rest: &[[f32; 3]], weights: &[f32], reaches: impl Iterator<Item = f64>) -> f64 {
    let longest = rest
        .iter()
        .map(|it| it.map(|x| f64::from(x).powi(2)).iter().sum::<f64>().sqrt())
        .fold(0.0, f64::max);
    let moved: f64 = weights
        .iter()
        .zip(reaches)
        .map(|(weight, reach)| f64::from(weight.abs()) * reach)
        .sum();
    (weights.len() + 1) as f64 * 2.0_f64.powi(-24) * (longest + moved)
}

fn longest(deltas: Option<&Vec<[f32; 3]>>) -> f64 {
    let length = |it: &[f32; 3]| it.map(|x| f64::from(x).powi(2)).iter().sum::<f64>().sqrt();
    deltas.map_or(0.0, |all| all.iter().map(length).fold(0.0, f64::max))
}

/// What is allowed of positions and normals: the oracle's tolerance, the reported errors, and the rounding of sums.
fn bounds(primitive: &Primitive, result: &PrimitiveResult, report: &BuildReport) -> [f64; 2] {
    let size = size(&primitive.positions);
    let weighted = |error: fn(&morph_core::TargetReport) -> f32| -> f64 {
        report
            .targets
            .iter()
            .zip(&result.weights)
            .map(|(it, weight)| f64::from(error(it) * weight.abs()))
            .sum()
    };
    let reaches = |stream: fn(&MorphTarget) -> Option<&Vec<[f32; 3]>>| {
        primitive
            .targets
            .iter()
            .map(move |target| longest(stream(target)))
    };
    let sums = |rest: &[[f32; 3]], stream| float_sum_error(rest, &result.weights, reaches(stream));
    let normals = primitive.normals.as_deref().unwrap_or(&[]);
    [
        weighted(|it| it.worst_position_error)
            + sums(&primitive.positions, |it| it.positions.as_ref())
            + TOLERANCE * size,
        weighted(|it| it.worst_normal_error) + sums(normals, |it| it.normals.as_ref()) + TOLERANCE,
    ]
}

#[test]
fn quantized_results_agree_with_three_js_within_the_reported_error() {
    let Some(folder) = shared("three.js", MODELS.len() * SETTINGS.len() * QUANTIZED.len()) else {
        return;
    };
    for (asset, oracle_file) in MODELS {
        let model = primitives(&folder, asset);
        let oracle: Morphed = oracle::read(&folder.join("oracle/three").join(oracle_file));
        let mut settings = 0;
        let mut worst = [[0.0_f64; 2]; 2];
        for (number, head) in oracle.primitives.iter().enumerate() {
            let primitive = &model.meshes[head.mesh].primitives[head.primitive];
            assert_eq!(
                (primitive.positions.len(), primitive.targets.len()),
                (head.vertices, head.targets),
                "{asset}"
            );
            let sampled = head.sampled_vertices.numbers(head.vertices);
            let rest = rest_of(primitive);
            for (slot, quantization) in QUANTIZED.into_iter().enumerate() {
                let (mesh, report) = build(primitive, quantization);
                for setting in &oracle.settings {
                    let result = &setting.primitives[number];
                    let context = format!("{asset}, {}, {quantization}", setting.label);
                    let found = morph(&mesh, &rest, &result.weights).unwrap();
                    let [position_bound, normal_bound] = bounds(primitive, result, &report);
                    let difference = largest_difference(&found.positions, &result.positions, &sampled);
                    assert!(
                        difference <= position_bound,
                        "{context}: positions are {difference} off, {position_bound} allowed"
                    );
                    worst[slot][0] = worst[slot][0].max(difference);
                    if let (Some(found), Some(expected)) = (&found.normals, &result.normals) {
                        let difference = largest_difference(found, expected, &sampled);
                        assert!(
                            difference <= normal_bound,
                            "{context}: normals are {difference} off, {normal_bound} allowed"
                        );
                        worst[slot][1] = worst[slot][1].max(difference);
                    }
                    settings += 1;
                }
            }
        }
        for label in SETTINGS {
            assert!(
                oracle.settings.iter().any(|it| it.label == label),
                "{asset} has no setting {label}"
            );
        }
        let [halves, snorms] = worst.map(|[position, normal]| format!("{position:.1e}, {normal:.1e}"));
        say(format_args!(
            "oracles: {asset}: {settings} settings; largest difference of positions, normals: half {halves}; snorm16 {snorms}"
        ));
    }
}

#[test]
fn quantized_tangents_agree_with_plain_arithmetic_within_the_reported_error() {
    let Some(folder) = shared("tangents", 3 * QUANTIZED.len()) else {
        return;
    };
    let model = primitives(&folder, "mh_head/mh_head52_dense_tangents.glb");
    let oracle: Tangents = oracle::read(&folder.join("oracle/tangents_mh_head52.json"));
    let primitive = &model.meshes[0].primitives[0];
    let rest = rest_of(primitive);
    for quantization in QUANTIZED {
        let (mesh, report) = build(primitive, quantization);
        for (label, setting) in &oracle.settings {
            let found = morph(&mesh, &rest, &setting.weights).unwrap().tangents.unwrap();
            let expected: Vec<[f64; 3]> = setting.tangents.iter().map(|&[x, y, z, _]| [x, y, z]).collect();
            let reported: f64 = report
                .targets
                .iter()
                .zip(&setting.weights)
                .map(|(it, weight)| f64::from(it.worst_tangent_error * weight.abs()))
                .sum();
            let difference = largest_difference(&found, &expected, &oracle.vertices);
            assert!(
                difference <= TOLERANCE + reported,
                "{label}, {quantization}: {difference}"
            );
        }
    }
    assert_eq!(oracle.settings.len(), 3);
}

#[test]
fn devices_equal_the_host_on_every_model() {
    let Some(folder) = shared("models on devices", MODELS.len() * 2 * 3) else {
        return;
    };
    let layout = VertexLayout::PACKED;
    for (asset, oracle_file) in MODELS {
        let model = primitives(&folder, asset);
        let oracle: Morphed = oracle::read(&folder.join("oracle/three").join(oracle_file));
        let mixed = oracle.settings.iter().find(|it| it.label == "mixed").unwrap();
        for (number, head) in oracle.primitives.iter().enumerate() {
            let primitive = &model.meshes[head.mesh].primitives[head.primitive];
            let weights = &mixed.primitives[number].weights;
            let rest = RestPose::from_streams(
                layout,
                &primitive.positions,
                primitive.normals.as_deref(),
                primitive.tangents.as_deref(),
                BaseNormals::AsGiven,
            )
            .unwrap();
            for quantization in [Quantization::F32, Quantization::Half, Quantization::Snorm16] {
                let cooked = Cooked {
                    morph: Arc::new(build(primitive, quantization).0),
                    rest: rest.clone(),
                };
                let expected = expected_bytes(&cooked.morph, &cooked.rest, weights).unwrap();
                for (method, delta_layout) in [
                    (Method::Gather, Layout::VertexMajor),
                    (Method::Scatter, Layout::Scatter),
                ] {
                    on_every_driver(|_, device| {
                        // A rest pose, five instances, the deltas, and the padding between them.
                        let rest_bytes = cooked.rest.bytes().len() as u64;
                        let delta_bytes = cooked.morph.size_bytes(delta_layout);
                        let geometry_bytes = 6 * rest_bytes + delta_bytes + (1 << 16);
                        let mut capacities = Capacities::new(geometry_bytes, 8, head.targets as u32);
                        capacities.staging_bytes_per_frame += rest_bytes + delta_bytes;
                        capacities.frame_slot_count = 1;
                        let desc = DeformerDesc {
                            layout,
                            method,
                            history: false,
                            capacities,
                        };
                        let mut rig = Rig::new(device, pass_desc(device, &desc)).unwrap();
                        // Five instances take the shape X8Y16, one alone X32Y1.
                        let (_, instances) = settled(&mut rig, &cooked, 5);
                        rig.pass_mut().set_weights(instances[0], weights).unwrap();
                        rig.frame().unwrap();
                        assert!(
                            shown(&mut rig, instances[0]) == expected,
                            "{asset}, {quantization}, {method:?}"
                        );
                        for instance in &instances[1..] {
                            rig.pass_mut().set_weights(*instance, weights).unwrap();
                        }
                        rig.frame().unwrap();
                        for instance in &instances[1..] {
                            assert!(
                                shown(&mut rig, *instance) == expected,
                                "{asset}, {quantization}, {method:?}"
                            );
                        }
                    });
                }
            }
        }
    }
}
