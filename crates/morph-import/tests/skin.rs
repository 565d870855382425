//! Skins, and what holds the vertices of skinned meshes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Builder, warning_kinds};
use glam::{Mat4, Vec3};
use morph_core::{InfluenceCount, SkinWeights};
use morph_import::{GltfError, Model, WarningKind};
use serde_json::json;

/// Four joints and weights for each vertex of a quad.
type Set = ([[u8; 4]; 4], [[f32; 4]; 4]);

/// A quad that node 0 skins with two joints.
fn skinned(sets: &[Set]) -> Builder {
    let mut builder = Builder::new();
    let mut quad = builder.quad(json!([]));
    for (number, (joints, weights)) in sets.iter().enumerate() {
        let view = builder.view(joints.as_flattened());
        let joints = builder
            .accessor(json!({ "bufferView": view, "componentType": 5121, "count": 4, "type": "VEC4" }));
        quad["attributes"][format!("JOINTS_{number}")] = json!(joints);
        quad["attributes"][format!("WEIGHTS_{number}")] = json!(builder.floats(weights));
    }
    builder.mesh(json!({ "primitives": [quad] }));
    builder.json["nodes"][0]["skin"] = json!(0);
    builder.json["nodes"]
        .as_array_mut()
        .unwrap()
        .extend([json!({}), json!({})]);
    builder.json["skins"] = json!([{ "name": "bones", "joints": [2, 1] }]);
    builder
}

fn weights_of(model: &Model) -> &SkinWeights {
    model.meshes[0].primitives[0].skin_weights.as_ref().unwrap()
}

fn influences(model: &Model, vertex: usize) -> Vec<(u16, f32)> {
    weights_of(model).of(vertex).collect()
}

const HALVES: Set = ([[0, 1, 0, 0]; 4], [[0.5, 0.5, 0.0, 0.0]; 4]);
const NOTHING: Set = ([[0; 4]; 4], [[0.0; 4]; 4]);

#[test]
fn a_skin_has_joints_and_inverse_bind_matrices() {
    let mut builder = skinned(&[HALVES]);
    let model = builder.model();
    assert_eq!(model.skins[0].name.as_deref(), Some("bones"));
    assert_eq!(model.skins[0].joints, [2, 1]);
    assert_eq!(model.skins[0].inverse_bind, [Mat4::IDENTITY; 2]);
    assert_eq!(weights_of(&model).influence_count(), InfluenceCount::Four);
    assert_eq!(influences(&model, 3), [(0, 0.5), (1, 0.5), (0, 0.0), (0, 0.0)]);
    assert!(model.warnings.is_empty());

    // There may be more matrices than joints.
    let matrices = [1.0, 2.0, 3.0].map(|x| Mat4::from_translation(Vec3::new(x, 0.0, -x)));
    let bytes: Vec<u8> = matrices
        .iter()
        .flat_map(Mat4::to_cols_array)
        .flat_map(f32::to_le_bytes)
        .collect();
    let view = builder.view(&bytes);
    let mut accessor = json!({ "bufferView": view, "componentType": 5126, "count": 3, "type": "MAT4" });
    let bind = builder.accessor(accessor.clone());
    builder.json["skins"][0]["inverseBindMatrices"] = json!(bind);
    assert_eq!(builder.model().skins[0].inverse_bind, matrices[..2]);

    accessor["count"] = json!(1);
    builder.json["accessors"][bind] = accessor.clone();
    assert!(matches!(
        builder.refused(),
        GltfError::Count {
            found: 1,
            expected: 2
        }
    ));
    accessor["type"] = json!("VEC4");
    accessor["count"] = json!(2);
    builder.json["accessors"][bind] = accessor.clone();
    assert!(matches!(
        builder.refused(),
        GltfError::AccessorType { expected: "MAT4", .. }
    ));
    accessor["type"] = json!("MAT4");
    accessor["componentType"] = json!(5123);
    builder.json["accessors"][bind] = accessor;
    assert!(matches!(
        builder.refused(),
        GltfError::ComponentType { found: 5123, .. }
    ));
    let text = builder.load_strictly().unwrap_err().to_string();
    assert!(
        text.contains(&format!(
            "skin 0 \"bones\", inverseBindMatrices (accessor {bind})"
        )),
        "{text}"
    );
}

#[test]
fn matrices_and_joints_that_are_not_there_are_refused() {
    let mut builder = skinned(&[HALVES]);
    let view = builder.view(&[0xff; 128]);
    let bind =
        builder.accessor(json!({ "bufferView": view, "componentType": 5126, "count": 2, "type": "MAT4" }));
    builder.json["skins"][0]["inverseBindMatrices"] = json!(bind);
    assert!(matches!(builder.refused(), GltfError::NotFinite { .. }));
    builder.json["skins"] = json!([{ "joints": [1, 3] }]);
    assert!(matches!(
        builder.refused(),
        GltfError::NoSuchItem {
            kind: "node",
            index: 3,
            count: 3
        }
    ));
}

#[test]
fn joints_and_weights_of_every_component_type() {
    for (joint_bytes, joint_type) in [(1, 5121), (2, 5123)] {
        for (largest, weight_type) in [(255_u16, 5121), (65535, 5123)] {
            let mut builder = skinned(&[HALVES]);
            let joints: Vec<u8> = [1_u16, 0, 0, 0]
                .repeat(4)
                .iter()
                .flat_map(|j| j.to_le_bytes()[..joint_bytes].to_vec())
                .collect();
            let weights: Vec<u8> = [largest / 5, largest / 5 * 4, 0, 0]
                .repeat(4)
                .iter()
                .flat_map(|w| w.to_le_bytes()[..if weight_type == 5121 { 1 } else { 2 }].to_vec())
                .collect();
            let (joints, weights) = (builder.view(&joints), builder.view(&weights));
            let attributes = json!({
                "POSITION": builder.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"],
                "JOINTS_0": builder.accessor(
                    json!({ "bufferView": joints, "componentType": joint_type, "count": 4, "type": "VEC4" })),
                "WEIGHTS_0": builder.accessor(json!({
                    "bufferView": weights, "componentType": weight_type, "normalized": true, "count": 4,
                    "type": "VEC4",
                })),
            });
            builder.json["meshes"][0]["primitives"][0]["attributes"] = attributes;
            let model = builder.model();
            assert_eq!(influences(&model, 2)[..2], [(1, 0.2), (0, 0.8)]);
            assert!(model.warnings.is_empty(), "{:?}", model.warnings);
        }
    }
    let mut builder = skinned(&[HALVES]);
    let joints = builder.json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"]
        .as_u64()
        .unwrap() as usize;
    builder.json["accessors"][joints]["componentType"] = json!(5120);
    assert!(matches!(
        builder.refused(),
        GltfError::ComponentType { found: 5120, .. }
    ));
    builder.json["accessors"][joints]["componentType"] = json!(5121);
    builder.json["accessors"][joints]["count"] = json!(3);
    assert!(matches!(
        builder.refused(),
        GltfError::Count {
            found: 3,
            expected: 4
        }
    ));
}

#[test]
fn weights_that_do_not_sum_to_one_are_rescaled_and_told_once() {
    let mut weights = [[0.5, 0.5, 0.0, 0.0]; 4];
    weights[0] = [0.25, 0.25, 0.0, 0.0];
    weights[1] = [3.0, 1.0, 0.0, 0.0];
    // Within what rounding explains, and left as it is.
    weights[2] = [0.5, 0.500_000_3, 0.0, 0.0];
    weights[3] = [1.0, -0.5, 0.0, 0.0];
    let model = skinned(&[([[0, 1, 0, 0]; 4], weights)]).model();
    assert_eq!(influences(&model, 0)[..2], [(0, 0.5), (1, 0.5)]);
    assert_eq!(influences(&model, 1)[..2], [(0, 0.75), (1, 0.25)]);
    assert_eq!(influences(&model, 2)[1], (1, 0.500_000_3));
    assert_eq!(influences(&model, 3)[..2], [(0, 1.0), (0, 0.0)]);
    assert_eq!(
        warning_kinds(&model),
        [
            &WarningKind::SkinWeightsNegative { influences: 1 },
            &WarningKind::SkinWeightsRescaled { vertices: 2 },
        ]
    );
}

#[test]
fn b127_weights_in_the_third_set_hold_and_a_sum_of_zero_stays() {
    let (mut third, mut first) = (NOTHING, NOTHING);
    third.0[0] = [0, 1, 0, 0];
    third.1[0] = [0.0, 1.0, 0.0, 0.0];
    first.1[1] = [1.0, 0.0, 0.0, 0.0];
    let model = skinned(&[first, NOTHING, third]).model();
    assert_eq!(weights_of(&model).influence_count(), InfluenceCount::Eight);
    let held: Vec<(u16, f32)> = influences(&model, 0)
        .into_iter()
        .filter(|&(_, weight)| weight > 0.0)
        .collect();
    assert_eq!(held, [(1, 1.0)]);
    assert_eq!(influences(&model, 1)[0], (0, 1.0));
    assert!(influences(&model, 2).iter().all(|&(_, weight)| weight == 0.0));
    assert!(model.warnings.is_empty());
}

#[test]
fn b127_of_more_than_eight_influences_the_largest_are_kept() {
    let joints = [[0, 1, 0, 1]; 4];
    let set = |weights: [f32; 4]| (joints, [weights; 4]);
    let sets = [
        set([0.05, 0.1, 0.1, 0.1]),
        set([0.1, 0.05, 0.1, 0.1]),
        set([0.1, 0.1, 0.05, 0.05]),
    ];
    let model = skinned(&sets).model();
    let kept = influences(&model, 0);
    assert_eq!(kept.len(), 8);
    assert!(kept.iter().all(|&(_, weight)| (weight - 0.125).abs() < 1e-7));
    assert_eq!(kept[0].0, 1);
    assert_eq!(
        warning_kinds(&model),
        [
            &WarningKind::InfluencesDropped { vertices: 4, most: 8 },
            &WarningKind::SkinWeightsRescaled { vertices: 4 },
        ]
    );
}

#[test]
fn two_sets_are_eight_influences_in_their_order() {
    let second = ([[1, 0, 1, 0]; 4], [[0.125, 0.125, 0.25, 0.0]; 4]);
    let first = ([[0, 1, 0, 0]; 4], [[0.25, 0.25, 0.0, 0.0]; 4]);
    let model = skinned(&[first, second]).model();
    assert_eq!(weights_of(&model).influence_count(), InfluenceCount::Eight);
    assert_eq!(
        influences(&model, 0)[3..7],
        [(0, 0.0), (1, 0.125), (0, 0.125), (1, 0.25)]
    );
    assert!(model.warnings.is_empty());
}

#[test]
fn joints_outside_the_skin_are_refused_where_they_hold_something() {
    let builder = skinned(&[([[0, 2, 0, 0]; 4], [[0.5, 0.5, 0.0, 0.0]; 4])]);
    assert!(matches!(
        builder.refused(),
        GltfError::JointRange {
            vertex: 0,
            joint: 2,
            joints: 2
        }
    ));
    let model = skinned(&[([[0, 1, 0, 200]; 4], HALVES.1)]).model();
    assert_eq!(influences(&model, 0)[3], (0, 0.0));
    assert_eq!(
        warning_kinds(&model),
        [&WarningKind::UnusedJointsPastSkin { influences: 4 }]
    );

    // The smallest skin of all nodes that show the mesh counts; without a skin there is nothing to be outside of.
    let mut builder = skinned(&[HALVES]);
    builder.json["skins"] = json!([{ "joints": [1, 2] }, { "joints": [1] }]);
    builder.json["nodes"][1] = json!({ "mesh": 0, "skin": 1 });
    assert!(matches!(
        builder.refused(),
        GltfError::JointRange { joints: 1, .. }
    ));
    builder.json["nodes"] = json!([{ "mesh": 0 }, {}, {}]);
    assert_eq!(influences(&builder.model(), 0)[1], (1, 0.5));
}

#[test]
fn sets_without_their_other_half_are_told() {
    let mut builder = skinned(&[HALVES, HALVES]);
    let attributes = &mut builder.json["meshes"][0]["primitives"][0]["attributes"];
    attributes.as_object_mut().unwrap().remove("WEIGHTS_1");
    let model = builder.model();
    assert_eq!(weights_of(&model).influence_count(), InfluenceCount::Four);
    assert_eq!(
        warning_kinds(&model),
        [&WarningKind::SkinSetIncomplete { set: 1 }]
    );
    let attributes = &mut builder.json["meshes"][0]["primitives"][0]["attributes"];
    attributes.as_object_mut().unwrap().remove("JOINTS_0");
    assert_eq!(builder.model().meshes[0].primitives[0].skin_weights, None);
}

#[test]
fn weights_that_are_no_numbers_are_refused() {
    for bad in [f32::NAN, f32::INFINITY] {
        let mut set = HALVES;
        set.1[2][1] = bad;
        assert!(matches!(
            skinned(&[set]).refused(),
            GltfError::SkinWeight { vertex: 2, .. }
        ));
    }
}
