//! From names to places, and what a clip leaves alone.

mod common;

use std::sync::Arc;

use common::{bound, clip, face, hold, layout, linear, node, track, weight_track};
use morph_anim::{
    BoundClip, Channel, ClipError, LayoutError, OtherLayout, Pose, PoseError, PoseLayout, Reason, Trs,
    WeightBinding,
};
use morph_core::WeightState;

#[test]
fn sampling_writes_only_what_the_clip_names() {
    let layout = face();
    let flat = bound(vec![weight_track("face", "smile", hold([0.0]))], &layout);
    let mut pose = Pose::new(layout);
    for slot in 0..3 {
        pose.set_weight(0, slot, 0.5).expect("there");
    }
    flat.sample_into(0.0, &mut flat.cursors(), &mut pose)
        .expect("the same layout");
    // A curve of zeros holds the target at zero; what has no curve stays.
    assert_eq!(pose.weights(0), [0.5, 0.0, 0.5]);
    assert_eq!(pose.driven_weights(0), [false, true, false]);
    assert_eq!(pose.driven_weight(0, 1), Some(0.0));
    assert_eq!(pose.driven_weight(0, 0), None);
    assert_eq!(pose.driven_weight(0, 3), None);
    assert_eq!(pose.driven_weight(1, 0), None);
}

#[test]
fn b102_a_clip_of_zeros_gives_no_active_target() {
    let layout = face();
    let zeros = linear(&[0.0, 1.0, 2.0], &[[0.0], [-0.0], [0.0]]);
    let tracks = ["jaw", "smile", "blink"].map(|target| weight_track("face", target, zeros.clone()));
    let flat = bound(tracks.to_vec(), &layout);
    let (mut pose, mut cursors) = (Pose::new(Arc::clone(&layout)), flat.cursors());
    let mut state = WeightState::new(3);
    let names = layout.targets(0).expect("a mesh");
    for frame in -1..30 {
        let time = frame as f32 / 10.0;
        flat.sample_into(time, &mut cursors, &mut pose)
            .expect("the same layout");
        assert_eq!(pose.weights(0), [0.0; 3]);
        assert_eq!(pose.driven_weights(0), [true; 3]);
        assert_eq!(state.set_all(pose.weights(0), names), Ok(false));
    }
    assert_eq!((state.active().count(), state.version()), (0, 0));
}

#[test]
fn a_node_with_weight_curves_only_yields_no_transform() {
    let layout = layout(vec![node("hip", &[]), node("face", &["jaw"])]);
    let talk = bound(vec![weight_track("face", "jaw", hold([1.0]))], &layout);
    let mut pose = Pose::new(layout);
    talk.sample_into(0.0, &mut talk.cursors(), &mut pose)
        .expect("the same layout");
    assert!(!pose.driven_parts(0).any() && !pose.driven_parts(1).any());
    assert_eq!(pose.locals(), [Trs::IDENTITY; 2]);
}

#[test]
fn names_that_resolve_nowhere_are_returned_and_joints_and_weights_counted_apart() {
    let layout = layout(vec![node("hip", &[]), node("face", &["jaw"])]);
    let clip = clip(vec![
        track("tail", Channel::Translation(hold([0.0; 3]))),
        weight_track("face", "jaw", hold([1.0])),
        track("tail", Channel::Scale(hold([1.0; 3]))),
        weight_track("face", "tongue", hold([1.0])),
        track("hip", Channel::Rotation(hold([0.0, 0.0, 0.0, 1.0]))),
        weight_track("visor", "jaw", hold([1.0])),
    ]);
    let bound = BoundClip::new(&clip, &layout, WeightBinding::ByNode).expect("nothing comes twice");
    let lost: Vec<_> = bound
        .unresolved()
        .iter()
        .map(|lost| {
            (
                lost.track,
                lost.node.as_str(),
                lost.target.as_deref(),
                lost.reason,
            )
        })
        .collect();
    assert_eq!(
        lost,
        [
            (0, "tail", None, Reason::NoNode),
            (2, "tail", None, Reason::NoNode),
            (3, "face", Some("tongue"), Reason::NoTarget),
            (5, "visor", Some("jaw"), Reason::NoNode),
        ]
    );
    assert_eq!(
        (bound.unresolved_joint_count(), bound.unresolved_weight_count()),
        (1, 2)
    );
}

#[test]
fn one_clip_drives_another_model_by_the_names_of_targets() {
    let clip = clip(vec![
        weight_track("source", "smile", hold([0.25])),
        weight_track("head", "jaw", hold([0.75])),
        weight_track("source", "jaw", hold([0.5])),
        weight_track("source", "wink", hold([0.5])),
        weight_track("other", "smile", hold([0.5])),
    ]);
    let layout = layout(vec![
        node("head", &["jaw", "smile"]),
        node("hip", &[]),
        node("beard", &["smile", "jaw"]),
    ]);
    let bound = BoundClip::new(&clip, &layout, WeightBinding::ByNodeElseTarget).expect("nothing comes twice");
    let mut pose = Pose::new(layout);
    bound
        .sample_into(0.0, &mut bound.cursors(), &mut pose)
        .expect("the same layout");
    // The track that names the node goes before the one that does not.
    assert_eq!(pose.weights(0), [0.75, 0.25]);
    assert_eq!(pose.weights(2), [0.25, 0.5]);
    let lost: Vec<_> = bound
        .unresolved()
        .iter()
        .map(|lost| (lost.track, lost.reason))
        .collect();
    assert_eq!(lost, [(3, Reason::NoNode), (4, Reason::Taken)]);
}

#[test]
fn a_clip_that_drives_a_thing_twice_is_refused() {
    let twice = clip(vec![
        weight_track("face", "jaw", hold([0.0])),
        weight_track("face", "smile", hold([0.0])),
        weight_track("face", "jaw", hold([1.0])),
    ]);
    let refused = BoundClip::new(&twice, &face(), WeightBinding::ByNode).expect_err("refused");
    assert_eq!(
        refused,
        ClipError::DuplicateTrack {
            first: 0,
            second: 2,
            driven: "the weight of target `jaw` of node `face`".to_owned()
        }
    );
}

#[test]
fn a_pose_of_another_model_is_refused_and_left_alone() {
    let talk = bound(vec![weight_track("face", "jaw", hold([1.0]))], &face());
    let mut pose = Pose::new(layout(vec![node("face", &["smile", "jaw", "blink"])]));
    assert_eq!(
        talk.sample_into(0.0, &mut talk.cursors(), &mut pose),
        Err(OtherLayout)
    );
    assert_eq!(pose.weights(0), [0.0; 3]);
    // An equal layout is as good as the same one.
    let mut pose = Pose::new(face());
    assert_eq!(talk.sample_into(0.0, &mut talk.cursors(), &mut pose), Ok(()));
}

#[test]
fn a_pose_starts_at_rest_with_the_weights_that_nodes_start_with() {
    let mut head = node("head", &["jaw", "smile"]);
    head.start_weights = vec![0.5];
    head.rest.translation.y = 2.0;
    let rest = head.rest;
    let mut pose = Pose::new(layout(vec![node("hip", &["bulge"]), head]));
    assert_eq!(pose.weights(0), [0.0]);
    assert_eq!(pose.weights(1), [0.5, 0.0]);
    assert_eq!(pose.weights(2), [0.0; 0]);
    assert_eq!(pose.locals(), [Trs::IDENTITY, rest]);

    let no_target = PoseError::NoTarget {
        node: 1,
        slot: 2,
        target_count: 2,
    };
    assert_eq!(pose.set_weight(1, 2, 0.0), Err(no_target));
    assert_eq!(
        pose.set_weight(1, 0, f32::NAN),
        Err(PoseError::NotFinite { node: 1 })
    );
    assert_eq!(
        pose.set_local(2, Trs::IDENTITY),
        Err(PoseError::NoNode {
            node: 2,
            node_count: 2
        })
    );
    let mut askew = Trs::IDENTITY;
    askew.rotation.x = 1.0;
    assert_eq!(pose.set_local(0, askew), Err(PoseError::Rotation { node: 0 }));
}

#[test]
fn nodes_that_are_no_layout_are_refused() {
    let refused = |nodes| PoseLayout::new(nodes).expect_err("refused");
    let twice = refused(vec![node("a", &[]), node("b", &[]), node("a", &["x"])]);
    assert_eq!(
        twice.to_string(),
        "ids of nodes must be distinct within a model: names 0 and 2 are both `a`: give each its own"
    );
    let mut many = node("a", &["x"]);
    many.start_weights = vec![0.0; 2];
    assert!(matches!(
        refused(vec![many]),
        LayoutError::TooManyWeights {
            given: 2,
            target_count: 1,
            ..
        }
    ));
    let mut infinite = node("a", &["x"]);
    infinite.start_weights = vec![f32::INFINITY];
    assert!(matches!(refused(vec![infinite]), LayoutError::NotFinite { .. }));
    let mut askew = node("a", &[]);
    askew.rest.rotation.x = 1.0;
    assert!(matches!(refused(vec![askew]), LayoutError::Rotation { .. }));
}
