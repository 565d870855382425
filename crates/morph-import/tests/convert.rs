//! Another unit and another upward axis for a whole model.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Builder, check, float_bytes, load_bytes, shared_or_skip};
use glam::{Mat4, Quat, Vec3};
use morph_anim::{Channel, Keys};
use morph_core::Limit;
use morph_import::{ImportError, ImportOptions, Model, UpAxis, load};
use serde_json::json;

fn options(scale: f32, up: UpAxis) -> ImportOptions {
    ImportOptions {
        scale,
        up,
        ..ImportOptions::default()
    }
}

/// A skinned, animated quad with a target, whose nodes turn, move and scale.
fn rich() -> Builder {
    let mut builder = Builder::new();
    let delta = builder.floats(&[[0.0, 0.0, 1.0], [0.0, 2.0, 0.0], [3.0, 0.0, 0.0], [0.0; 3]]);
    let normal = builder.floats(&[[0.0, 0.5, -1.0], [0.0; 3], [0.0; 3], [0.0; 3]]);
    let mut quad = builder.full_quad(json!([{ "POSITION": delta, "NORMAL": normal, "TANGENT": normal }]));
    let joints = builder.view(&[0, 1, 0, 0].repeat(4));
    quad["attributes"]["JOINTS_0"] = json!(
        builder.accessor(json!({ "bufferView": joints, "componentType": 5121, "count": 4, "type": "VEC4" }))
    );
    quad["attributes"]["WEIGHTS_0"] = json!(builder.floats(&[[0.5, 0.5, 0.0, 0.0]; 4]));
    builder.mesh(json!({ "primitives": [quad] }));
    let turned = Quat::from_euler(glam::EulerRot::XYZ, 0.3, -0.7, 1.1);
    builder.json["nodes"] = json!([
        { "mesh": 0, "skin": 0 },
        { "translation": [1.0, 2.0, 3.0], "rotation": turned.to_array(), "scale": [1.0, 2.0, 0.5], "children": [2] },
        { "matrix": Mat4::from_rotation_translation(turned, Vec3::new(0.0, -1.0, 4.0)).to_cols_array() },
    ]);
    let bind = [
        Mat4::from_translation(Vec3::new(0.0, 1.0, 0.0)),
        Mat4::from_quat(turned.inverse()),
    ];
    let bytes: Vec<u8> = bind
        .iter()
        .flat_map(Mat4::to_cols_array)
        .flat_map(f32::to_le_bytes)
        .collect();
    let view = builder.view(&bytes);
    let bind =
        builder.accessor(json!({ "bufferView": view, "componentType": 5126, "count": 2, "type": "MAT4" }));
    builder.json["skins"] = json!([{ "joints": [1, 2], "inverseBindMatrices": bind }]);
    let times = builder.floats(&[[0.0], [1.0]]);
    let moves = builder.floats(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let turns = builder.floats(&[[0.0, 0.0, 0.0, 1.0], turned.to_array()]);
    builder.json["animations"] = json!([{
        "samplers": [{ "input": times, "output": moves }, { "input": times, "output": turns }],
        "channels": [
            { "sampler": 0, "target": { "node": 1, "path": "translation" } },
            { "sampler": 0, "target": { "node": 1, "path": "scale" } },
            { "sampler": 1, "target": { "node": 1, "path": "rotation" } },
        ],
    }]);
    builder
}

/// Where all vertices are in the scene, at rest or with the target, skinned.
fn world(model: &Model, weight: f32) -> Vec<Vec3> {
    let primitive = &model.meshes[0].primitives[0];
    let target = &primitive.targets[0];
    let skin = &model.skins[0];
    let weights = primitive.skin_weights.as_ref().unwrap();
    let place = |(vertex, &position): (usize, &[f32; 3])| {
        let entry = target.vertices.binary_search(&(vertex as u32)).ok();
        let delta = entry.map_or(Vec3::ZERO, |entry| {
            target.positions.as_ref().unwrap()[entry].into()
        });
        let position = Vec3::from_array(position) + weight * delta;
        let held = |(joint, weight): (u16, f32)| {
            let joint = usize::from(joint);
            let bone = model.world(skin.joints[joint]) * skin.inverse_bind[joint];
            weight * bone.transform_point3(position)
        };
        weights.of(vertex).map(held).sum()
    };
    primitive.positions.iter().enumerate().map(place).collect()
}

fn to_z_up(vector: Vec3) -> Vec3 {
    Vec3::new(vector.x, -vector.z, vector.y)
}

#[test]
fn b059_b061_everything_turns_and_grows_together() {
    let plain = rich().model();
    for scale in [1.0, 100.0, 0.125] {
        for up in [UpAxis::Y, UpAxis::Z] {
            let model = rich().load_with(&options(scale, up)).unwrap();
            check(&model);
            let converted = |vector: Vec3| scale * if up == UpAxis::Z { to_z_up(vector) } else { vector };
            for weight in [0.0, 1.0, -0.5] {
                for (ours, before) in world(&model, weight).into_iter().zip(world(&plain, weight)) {
                    let expected = converted(before);
                    assert!(ours.distance(expected) < 2e-6 * scale * 10.0, "{ours} {expected}");
                }
            }
            for (node, before) in model.nodes.iter().zip(&plain.nodes) {
                assert!(
                    node.trs.matrix().abs_diff_eq(node.local, 1e-5 * scale.max(1.0)),
                    "{node:?}"
                );
                assert!(before.trs.matrix().abs_diff_eq(before.local, 1e-5));
            }
        }
    }
}

#[test]
fn b059_deltas_of_directions_turn_and_do_not_grow() {
    let model = rich().load_with(&options(100.0, UpAxis::Z)).unwrap();
    let target = &model.meshes[0].primitives[0].targets[0];
    assert_eq!(target.positions.as_ref().unwrap()[0], [0.0, -100.0, 0.0]);
    assert_eq!(target.normals.as_ref().unwrap()[0], [0.0, 1.0, 0.5]);
    assert_eq!(target.tangents.as_ref().unwrap()[0], [0.0, 1.0, 0.5]);
    let primitive = &model.meshes[0].primitives[0];
    assert_eq!(primitive.normals.as_ref().unwrap()[0], [0.0, -1.0, 0.0]);
    assert_eq!(primitive.tangents.as_ref().unwrap()[0], [1.0, 0.0, 0.0, -1.0]);
    assert_eq!(primitive.indices, rich().model().meshes[0].primitives[0].indices);
}

#[test]
fn b061_thresholds_are_compared_after_scale_and_axes() {
    // The target moves vertices 0 to 2 by 1, 2 and 3, and turns vertex 0 by more than a threshold of 1.
    let load = |scale: f32, position: f32, direction: f32| {
        let options = ImportOptions {
            position_threshold: position,
            direction_threshold: direction,
            ..options(scale, UpAxis::Z)
        };
        let model = rich().load_with(&options).unwrap();
        check(&model);
        model.meshes[0].primitives[0].targets[0].clone()
    };
    let whole = load(100.0, 0.0, 0.0);
    assert_eq!(whole.vertices, [0, 1, 2]);
    for (scale, position, direction, kept) in [
        (1.0, 2.0, 10.0, &[2][..]),
        // In centimetres nothing moves by as little.
        (100.0, 2.0, 10.0, &[0, 1, 2]),
        (100.0, 200.0, 10.0, &[2]),
        (100.0, 300.0, 10.0, &[]),
        // Directions do not grow with the scale, and an entry stays for either stream.
        (100.0, 300.0, 1.0, &[0]),
        (100.0, 300.0, 2.0, &[]),
        (0.01, 0.025, 1.0, &[0, 2]),
    ] {
        let target = load(scale, position, direction);
        assert_eq!(target.vertices, kept, "{scale} {position} {direction}");
        assert_eq!(target.name, whole.name, "the target keeps its slot and name");
        assert_eq!(target.positions.unwrap().len(), kept.len());
    }
}

#[test]
fn thresholds_that_mean_nothing_are_refused() {
    for value in [-1.0, f32::NAN, f32::INFINITY] {
        for limit in [Limit::Position, Limit::Direction] {
            let mut options = ImportOptions::default();
            match limit {
                Limit::Position => options.position_threshold = value,
                Limit::Direction => options.direction_threshold = value,
            }
            let error = rich().load_with(&options).map(|_| ()).unwrap_err();
            let told = error.to_string();
            assert!(
                matches!(error, ImportError::Threshold { limit: told, .. } if told == limit),
                "{told}"
            );
            assert!(told.contains(&format!("{limit} threshold")), "{told}");
        }
    }
}

#[test]
fn clips_are_converted_with_their_nodes() {
    let model = rich().load_with(&options(10.0, UpAxis::Z)).unwrap();
    let plain = rich().model();
    let channels: Vec<&Channel> = model.clips[0].tracks.iter().map(|track| &track.channel).collect();
    let [
        Channel::Translation(moves),
        Channel::Scale(grows),
        Channel::Rotation(turns),
    ] = channels[..]
    else {
        panic!("{channels:?}")
    };
    assert_eq!(
        moves.keys(),
        &Keys::Linear(vec![[10.0, -30.0, 20.0], [40.0, -60.0, 50.0]])
    );
    assert_eq!(
        grows.keys(),
        &Keys::Linear(vec![[1.0, 3.0, 2.0], [4.0, 6.0, 5.0]])
    );
    let Channel::Rotation(before) = &plain.clips[0].tracks[2].channel else {
        panic!("another channel")
    };
    let (turn, before) = (turns.sample_rotation(1.0), before.sample_rotation(1.0));
    let vector = Vec3::new(0.2, -0.4, 0.9);
    let expected = to_z_up(Quat::from_array(before) * vector);
    assert!((Quat::from_array(turn) * to_z_up(vector)).distance(expected) < 1e-6);
}

#[test]
fn scales_that_cannot_be_used_are_refused() {
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY, 3e38] {
        let error = rich().load_with(&options(scale, UpAxis::Y)).unwrap_err();
        assert!(matches!(error, ImportError::Scale { .. }), "{error}");
    }
}

#[test]
fn nothing_asked_for_changes_nothing() {
    let model = rich().load_with(&options(1.0, UpAxis::Y)).unwrap();
    assert_eq!(model.nodes, rich().model().nodes);
    assert_eq!(model.skins, rich().model().skins);
}

#[test]
fn b059_a_model_of_many_targets_turns_with_all_of_them() {
    let Some(shared) = shared_or_skip(&["khronos_MorphStressTest with Z up"]) else {
        return;
    };
    let path = shared.join("assets/khronos_MorphStressTest/glTF/MorphStressTest.gltf");
    let plain = load(&path, &ImportOptions::default()).unwrap();
    let turned = load(&path, &options(1.0, UpAxis::Z)).unwrap();
    check(&turned);
    let pairs = plain.meshes.iter().zip(&turned.meshes);
    for (before, after) in pairs.flat_map(|(a, b)| a.primitives.iter().zip(&b.primitives)) {
        for (before, after) in before.targets.iter().zip(&after.targets) {
            for (before, after) in before
                .positions
                .iter()
                .flatten()
                .zip(after.positions.iter().flatten())
            {
                assert_eq!(*after, to_z_up((*before).into()).to_array());
            }
        }
    }
}

#[test]
fn a_makehuman_mesh_is_converted_too() {
    let obj = b"v 0 0 0\nv 10 0 0\nv 0 10 5\ng body\nf 1 2 3\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("base.obj");
    std::fs::write(&path, obj).unwrap();
    let model = load(&path, &options(100.0, UpAxis::Z)).unwrap();
    assert_eq!(model.meshes[0].primitives[0].positions[2], [0.0, -50.0, 100.0]);
    // The bytes alone say what they are by the name that they would have.
    assert!(load_bytes("base.obj", &float_bytes(&[[0.0; 3]]), &options(1.0, UpAxis::Z)).is_err());
}
