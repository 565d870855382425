//! What clips drive, frame after frame: the same with state as without, and without allocating.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;
#[path = "common/fbx.rs"]
mod fbx;

use std::sync::Arc;

use allocation_counter::measure;
use common::Builder;
use fbx::{Fbx, Shape};
use morph_anim::{BoundClip, ClipPlayer, LoopMode, Pose, WeightBinding};
use morph_core::SkinPose;
use morph_import::{Model, NodeMatrices, PlaybackError};
use serde_json::json;

/// A quad with two targets and two bones, and a clip that drives all of them.
fn skinned() -> Model {
    let mut builder = Builder::new();
    let (up, aside) = (
        builder.sparse_vec3(4, 2, [0.0, 0.0, 1.0]),
        builder.sparse_vec3(4, 1, [1.0, 0.0, 0.0]),
    );
    let mut quad = builder.quad(json!([{ "POSITION": up }, { "POSITION": aside }]));
    let joints = builder.view(&[0, 1, 0, 0].repeat(4));
    quad["attributes"]["JOINTS_0"] = json!(
        builder.accessor(json!({ "bufferView": joints, "componentType": 5121, "count": 4, "type": "VEC4" }))
    );
    quad["attributes"]["WEIGHTS_0"] = json!(builder.floats(&[[0.25, 0.75, 0.0, 0.0]; 4]));
    builder.mesh(json!({ "primitives": [quad], "weights": [0.5, 0.25] }));
    let times = builder.floats(&[[0.0], [1.0]]);
    let weights = builder.floats(&[[0.0], [1.0], [1.0], [0.0]]);
    let moves = builder.floats(&[[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]);
    builder.json["nodes"][0]["skin"] = json!(0);
    let nodes = builder.json["nodes"].as_array_mut().unwrap();
    nodes.extend([json!({ "children": [2] }), json!({ "translation": [0, 1, 0] })]);
    builder.json["skins"] = json!([{ "joints": [1, 2] }]);
    builder.json["animations"] = json!([{
        "samplers": [{ "input": times, "output": weights }, { "input": times, "output": moves }],
        "channels": [
            { "sampler": 0, "target": { "node": 0, "path": "weights" } },
            { "sampler": 1, "target": { "node": 1, "path": "translation" } },
        ],
    }]);
    builder.model()
}

/// A cube with an in-between, whose weights a rig makes of the channel's.
fn rigged() -> Model {
    let mut fbx = Fbx::new();
    let (cube, _) = fbx.hard_cube("");
    let face = fbx.deformer(cube, "face");
    let shapes = [
        Shape::new("half", &[6], [0.0, 1.0, 0.0]).at(50.0),
        Shape::new("full", &[6], [1.0, 0.0, 0.0]),
    ];
    let channel = fbx.channel(face, "lift", 0.0, &shapes);
    let layer = fbx.stack("lifting");
    fbx.animate(
        layer,
        channel,
        "DeformPercent",
        &[("d|DeformPercent", &[(0.0, 0.0), (1.0, 100.0)])],
    );
    fbx.model()
}

fn player(model: &Model) -> ClipPlayer {
    let layout = Arc::new(model.pose_layout().unwrap());
    let clip = Arc::new(model.clips[0].clone());
    let bound = BoundClip::new(&clip, &layout, WeightBinding::ByNode).unwrap();
    ClipPlayer::of_clip(Arc::new(bound), LoopMode::PingPong)
}

/// What an engine keeps from frame to frame.
#[derive(Default)]
struct Frame {
    matrices: NodeMatrices,
    bones: SkinPose,
    weights: Vec<f32>,
}

impl Frame {
    fn play(&mut self, model: &Model, pose: &Pose) {
        model.world_matrices_into(Some(pose), &mut self.matrices).unwrap();
        for skin in 0..model.skins.len() {
            model
                .skin_pose_into(skin, &mut self.matrices, &mut self.bones)
                .unwrap();
        }
        model.target_weights_into(0, pose, &mut self.weights).unwrap();
    }
}

#[test]
fn a_frame_with_state_is_the_frame_without() {
    let mut frame = Frame::default();
    // One state serves several models.
    for model in [skinned(), rigged(), skinned()] {
        let mut player = player(&model);
        for _ in 0..5 {
            let pose = player.update(0.3).unwrap();
            frame.play(&model, pose);
            let worlds = model.world_matrices(Some(pose)).unwrap();
            assert_eq!(frame.matrices.worlds(), worlds);
            assert_eq!(frame.weights, model.target_weights(0, pose).unwrap());
            assert_eq!(frame.weights.len(), 2);
            if !model.skins.is_empty() {
                assert_eq!(frame.bones, model.skin_pose(0, &worlds).unwrap());
            }
        }
        let worlds = model.world_matrices(None).unwrap();
        for (node, world) in worlds.iter().enumerate() {
            assert!(world.abs_diff_eq(model.world(node), 1e-6));
        }
    }
}

#[test]
fn a_frame_allocates_nothing() {
    // The counter has to see what there is to see.
    assert!(measure(|| drop(std::hint::black_box(vec![0_u8; 16]))).count_total > 0);
    for model in [skinned(), rigged()] {
        let mut player = player(&model);
        let mut frame = Frame::default();
        frame.play(&model, player.update(0.1).unwrap());
        let counted = measure(|| {
            for count in 0..1000 {
                let pose = player.update(f64::from(count % 7) * 0.13).unwrap();
                frame.play(&model, pose);
            }
        });
        assert_eq!((counted.count_total, counted.bytes_total), (0, 0));
    }
}

#[test]
fn what_does_not_fit_is_told_and_changes_nothing() {
    let (model, other) = (skinned(), rigged());
    let mut frame = Frame::default();
    frame.play(&model, player(&model).update(0.5).unwrap());
    let (worlds, bones) = (frame.matrices.worlds().to_vec(), frame.bones.clone());
    let mut player = player(&other);
    let pose = player.update(0.5).unwrap();
    let refused = model.world_matrices_into(Some(pose), &mut frame.matrices);
    assert_eq!(refused, Err(PlaybackError::OtherPose { posed: 1, nodes: 3 }));
    let refused = model.skin_pose_into(1, &mut frame.matrices, &mut frame.bones);
    assert_eq!(refused, Err(PlaybackError::NoSkin { skin: 1, count: 1 }));
    let mut looped = model.clone();
    looped.nodes[1].parent = Some(2);
    let refused = looped.world_matrices_into(None, &mut frame.matrices);
    assert!(matches!(refused, Err(PlaybackError::Hierarchy(_))));
    assert_eq!((frame.matrices.worlds(), &frame.bones), (&worlds[..], &bones));
}
