//! Clips played frame by frame.

mod common;

use std::sync::Arc;

use common::{bound, clip, face, layout, linear, names, node, track, weight_track};
use glam::Vec3;
use morph_anim::{
    BlendTree, BoundClip, Channel, Clip, ClipPlayer, Clock, Layer, LayerMode, LoopMode, PlayerError, Pose,
    Trs, WeightBinding,
};
use morph_core::WeightState;
use proptest::prelude::*;

#[test]
fn a_clip_drives_instances_of_a_model_without_a_rig() {
    let layout = face();
    let open = bound(
        vec![weight_track("face", "jaw", linear(&[0.0, 1.0], &[[0.0], [1.0]]))],
        &layout,
    );
    let mut players = [0.0, 0.5].map(|start| {
        let mut player = ClipPlayer::of_clip(Arc::clone(&open), LoopMode::Loop);
        let id = player.clips().next().expect("one clip").0;
        player
            .clock_mut(id)
            .expect("the clip")
            .seek(start)
            .expect("finite");
        player
    });
    let mut instances = [WeightState::new(3), WeightState::new(3)];
    let names = names(&["jaw", "smile", "blink"]);
    for frame in 1..8 {
        for (player, instance) in players.iter_mut().zip(&mut instances) {
            let pose = player.update(0.125).expect("finite");
            assert_eq!(
                instance.set_all(pose.weights(0), &names),
                Ok(true),
                "frame {frame}"
            );
        }
    }
    assert_eq!(instances[0].values(), [0.875, 0.0, 0.0]);
    assert_eq!(instances[1].values(), [0.375, 0.0, 0.0]);
}

#[test]
fn a_clip_drives_nodes_and_weights_of_a_model_with_a_rig() {
    let layout = layout(vec![node("hip", &[]), node("head", &["jaw"])]);
    let nod = bound(
        vec![
            track(
                "hip",
                Channel::Translation(linear(&[0.0, 2.0], &[[0.0; 3], [4.0, 0.0, 0.0]])),
            ),
            weight_track("head", "jaw", linear(&[0.0, 1.0], &[[0.0], [1.0]])),
        ],
        &layout,
    );
    let mut player = ClipPlayer::of_clip(nod, LoopMode::Once);
    let pose = player.update(0.5).expect("finite");
    assert_eq!(pose.locals()[0].translation, Vec3::X);
    assert!(pose.driven_parts(0).translation && !pose.driven_parts(0).rotation);
    assert!(!pose.driven_parts(1).any());
    assert_eq!(pose.weights(1), [0.5]);
    // A clip that stops stays where it stops.
    let pose = player.update(9.0).expect("finite");
    assert_eq!((pose.locals()[0].translation.x, pose.weights(1)[0]), (4.0, 1.0));
    assert!(player.clips().next().expect("one clip").2.is_finished());
}

#[test]
fn b099_without_a_clip_or_without_weight_tracks_weights_stay_at_rest() {
    let mut head = node("head", &["jaw"]);
    head.start_weights = vec![0.25];
    let layout = layout(vec![head]);
    let mut still = ClipPlayer::new(Arc::clone(&layout));
    assert_eq!(still.update(1.0), Ok(&Pose::new(Arc::clone(&layout))));

    let empty =
        BoundClip::new(&Arc::new(Clip::default()), &layout, WeightBinding::ByNode).expect("nothing twice");
    let mut empty = ClipPlayer::of_clip(Arc::new(empty), LoopMode::Loop);
    assert_eq!(empty.update(1.0), Ok(&Pose::new(Arc::clone(&layout))));

    let moves = track("head", Channel::Translation(linear(&[0.0], &[[1.0; 3]])));
    let mut moving = ClipPlayer::of_clip(bound(vec![moves], &layout), LoopMode::Loop);
    let pose = moving.update(1.0).expect("finite");
    assert_eq!(pose.weights(0), [0.25]);
    assert_eq!(pose.driven_weights(0), [false]);
    assert_eq!(pose.locals()[0].translation, Vec3::ONE);
}

#[test]
fn a_clip_begins_at_zero_also_where_its_first_key_comes_later() {
    let layout = face();
    let late = bound(
        vec![weight_track(
            "face",
            "jaw",
            linear(&[1.5, 2.5], &[[0.25], [0.75]]),
        )],
        &layout,
    );
    let mut player = ClipPlayer::of_clip(late, LoopMode::Loop);
    assert_eq!(player.evaluate().weights(0)[0], 0.25);
    assert_eq!(player.update(2.0).expect("finite").weights(0)[0], 0.5);
    // 2.75 s are 0.25 s into the second round.
    assert_eq!(player.update(0.75).expect("finite").weights(0)[0], 0.25);
}

#[test]
fn what_is_set_in_the_base_shows_where_no_layer_drives() {
    let layout = face();
    let open = bound(
        vec![weight_track("face", "jaw", linear(&[0.0], &[[1.0]]))],
        &layout,
    );
    let mut player = ClipPlayer::of_clip(open, LoopMode::Loop);
    for slot in 0..2 {
        player.base_mut().set_weight(0, slot, 0.5).expect("there");
    }
    assert_eq!(player.evaluate().weights(0), [1.0, 0.5, 0.0]);
}

#[test]
fn a_player_refuses_what_is_not_its_own() {
    let open = || weight_track("face", "jaw", linear(&[0.0, 1.0], &[[0.0], [1.0]]));
    let here = bound(vec![open()], &face());
    let elsewhere = bound(vec![open()], &layout(vec![node("face", &["jaw"])]));
    let mut player = ClipPlayer::of_clip(Arc::clone(&here), LoopMode::Loop);
    let first = player.clips().next().expect("one clip").0;
    assert!(matches!(
        player.add_clip(Arc::clone(&elsewhere), LoopMode::Loop),
        Err(PlayerError::OtherLayout(_))
    ));
    assert!(player.replace_clip(first, elsewhere, LoopMode::Loop).is_err());

    let second = player
        .add_clip(Arc::clone(&here), LoopMode::Loop)
        .expect("the same layout");
    let layer = |weight| Layer {
        mode: LayerMode::Additive,
        weight,
        tree: BlendTree::of_clip(second),
    };
    let mut other = ClipPlayer::of_clip(here, LoopMode::Loop);
    assert!(matches!(
        other.add_layer(layer(1.0)),
        Err(PlayerError::NoClip { clip_count: 1, .. })
    ));
    assert!(other.clock_mut(second).is_err());
    assert!(matches!(
        player.add_layer(layer(f32::NAN)),
        Err(PlayerError::LayerWeight { .. })
    ));
    let id = player.add_layer(layer(1.0)).expect("a clip of the player");
    assert!(player.set_layer_weight(id, f32::INFINITY).is_err());
    assert!(matches!(
        other.set_layer_weight(id, 0.5),
        Err(PlayerError::NoLayer { layer_count: 1, .. })
    ));

    // A tree of another player's clips can be put in place of one's own; of what is not there it plays nothing.
    let only = other.layers().next().expect("one layer").0;
    *other.tree_mut(only).expect("the layer") = BlendTree::of_clip(second);
    assert_eq!(other.update(1.0), Ok(&Pose::new(face())));
    let before = player.pose().clone();
    assert!(player.update(f64::NAN).is_err());
    assert_eq!(player.pose(), &before);
}

#[test]
fn a_step_too_large_for_one_clip_moves_none() {
    let open = bound(
        vec![weight_track("face", "jaw", linear(&[0.0, 1.0], &[[0.0], [1.0]]))],
        &face(),
    );
    let mut player = ClipPlayer::of_clip(Arc::clone(&open), LoopMode::Loop);
    let fast = player.add_clip(open, LoopMode::Loop).expect("the same layout");
    player
        .clock_mut(fast)
        .expect("the clip")
        .set_speed(f64::MAX)
        .expect("finite");
    assert!(player.update(1.25).is_err());
    assert!(player.clips().all(|(_, _, clock)| clock.time() == 0.0));
}

/// The times that a clock shows while it is advanced by steps.
fn times(mut clock: Clock, steps: &[f64]) -> Vec<f32> {
    let advance = |&step: &f64| {
        clock.advance(step).expect("finite");
        clock.time()
    };
    steps.iter().map(advance).collect()
}

#[test]
fn clocks_stop_begin_anew_or_turn_back() {
    let steps = [0.5, 0.75, 0.5, 1.0];
    let at = |mode, speed| {
        let mut clock = Clock::new(1.0, mode);
        clock.set_speed(speed).expect("finite");
        times(clock, &steps)
    };
    assert_eq!(at(LoopMode::Once, 1.0), [0.5, 1.0, 1.0, 1.0]);
    assert_eq!(at(LoopMode::Loop, 1.0), [0.5, 0.25, 0.75, 0.75]);
    assert_eq!(at(LoopMode::PingPong, 1.0), [0.5, 0.75, 0.25, 0.75]);
    assert_eq!(at(LoopMode::Once, -1.0), [0.0; 4]);
    assert_eq!(at(LoopMode::Loop, -1.0), [0.5, 0.75, 0.25, 0.25]);
    assert_eq!(at(LoopMode::PingPong, -1.0), [0.5, 0.75, 0.25, 0.75]);
    assert_eq!(at(LoopMode::Loop, 0.0), [0.0; 4]);
}

#[test]
fn a_clip_played_once_is_finished_at_the_end_that_it_runs_to() {
    let mut clock = Clock::new(1.0, LoopMode::Once);
    assert!(!clock.is_finished());
    clock.advance(2.0).expect("finite");
    assert!(clock.is_finished());
    clock.set_speed(-1.0).expect("finite");
    assert!(!clock.is_finished());
    clock.advance(2.0).expect("finite");
    assert!(clock.is_finished());
}

#[test]
fn clocks_refuse_what_is_not_finite_and_stand_without_a_duration() {
    let mut clock = Clock::new(1.0, LoopMode::Loop);
    clock.seek(0.25).expect("finite");
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(
            clock.seek(value).is_err() && clock.set_speed(value).is_err() && clock.advance(value).is_err()
        );
    }
    assert_eq!((clock.time(), clock.speed()), (0.25, 1.0));
    for duration in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert_eq!(times(Clock::new(duration, LoopMode::PingPong), &[1.0]), [0.0]);
    }
    clock.set_loop_mode(LoopMode::PingPong);
    assert_eq!(clock.time(), 0.25);
}

#[test]
fn unresolved_tracks_do_not_keep_the_rest_from_playing() {
    let layout = face();
    let clip = clip(vec![
        weight_track("face", "nose", linear(&[0.0], &[[1.0]])),
        weight_track("face", "smile", linear(&[0.0], &[[1.0]])),
        track("tail", Channel::Scale(linear(&[0.0], &[[2.0; 3]]))),
    ]);
    let bound = BoundClip::new(&clip, &layout, WeightBinding::ByNode).expect("nothing comes twice");
    let mut player = ClipPlayer::of_clip(Arc::new(bound), LoopMode::Loop);
    let pose = player.evaluate();
    assert_eq!(pose.weights(0), [0.0, 1.0, 0.0]);
    assert_eq!(pose.locals(), [Trs::IDENTITY]);
}

proptest! {
    #[test]
    fn a_clock_is_always_in_its_clip(
        duration in 0.0_f32..1.0e6,
        speed in any::<f64>(),
        steps in prop::collection::vec(any::<f64>(), 1..20),
        mode in prop_oneof![Just(LoopMode::Once), Just(LoopMode::Loop), Just(LoopMode::PingPong)],
    ) {
        let mut clock = Clock::new(duration, mode);
        prop_assert_eq!(clock.set_speed(speed).is_ok(), speed.is_finite());
        for step in steps {
            let before = clock;
            if clock.advance(step).is_err() {
                prop_assert_eq!(clock, before);
            }
            prop_assert!((0.0..=duration).contains(&clock.time()), "{:?}", clock);
        }
    }
}
