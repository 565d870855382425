//! In-betweens and combination shapes.

use morph_core::rig::{Channel, ChannelShape, Clamp, Driver, EvaluateError, Parent, Rig, RigError};
use morph_core::{NameTable, to_domain};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::weight;

fn table(prefix: &str, count: usize) -> NameTable {
    NameTable::new((0..count).map(|i| format!("{prefix}{i}"))).unwrap()
}

fn rig(control_count: usize, target_count: usize, channels: Vec<Channel>) -> Result<Rig, RigError> {
    Rig::new(table("c", control_count), &table("t", target_count), channels)
}

fn evaluated(rig: &Rig, controls: &[f32]) -> Vec<f32> {
    let mut weights = vec![0.0; rig.target_count()];
    rig.evaluate(controls, &mut weights).unwrap();
    weights
}

#[test]
fn b069_in_betweens_are_piecewise_linear_and_never_a_sum() {
    // Unsorted, as files may have them.
    let rig = rig(1, 2, vec![Channel::in_between(0, [(1.0, 1), (0.5, 0)])]).unwrap();
    for (percent, expected) in [
        (0.0, [0.0, 0.0]),
        (25.0, [0.5, 0.0]),
        (50.0, [1.0, 0.0]),
        (75.0, [0.5, 0.5]),
        (100.0, [0.0, 1.0]),
        (150.0, [-1.0, 2.0]),
        (-25.0, [-0.5, 0.0]),
    ] {
        assert_eq!(evaluated(&rig, &[percent / 100.0]), expected, "{percent} %");
    }
}

#[test]
fn b070_the_last_shape_is_fully_on_at_its_own_weight() {
    let rig = rig(1, 2, vec![Channel::in_between(0, [(0.5, 0), (1.0, 1)])]).unwrap();
    assert_eq!(evaluated(&rig, &[1.0]), [0.0, 1.0], "weight 1, not 2");
}

#[test]
fn full_weights_may_lie_below_zero_and_need_not_end_at_one() {
    let rig = rig(
        1,
        3,
        vec![Channel::in_between(0, [(2.0, 0), (-1.0, 1), (-0.5, 2)])],
    )
    .unwrap();
    assert_eq!(evaluated(&rig, &[1.0]), [0.5, 0.0, 0.0]);
    assert_eq!(evaluated(&rig, &[3.0]), [1.5, 0.0, 0.0]);
    assert_eq!(evaluated(&rig, &[-0.25]), [0.0, 0.0, 0.5]);
    assert_eq!(evaluated(&rig, &[-0.75]), [0.0, 0.5, 0.5]);
    assert_eq!(evaluated(&rig, &[-2.0]), [0.0, 3.0, -2.0]);
}

#[test]
fn a_side_of_zero_without_shapes_continues_the_nearest_one_of_the_other_side() {
    let positive = rig(1, 2, vec![Channel::in_between(0, [(0.5, 0), (1.0, 1)])]).unwrap();
    assert_eq!(evaluated(&positive, &[-1.0]), [-2.0, 0.0]);
    let negative = rig(1, 2, vec![Channel::in_between(0, [(-0.5, 0), (-1.0, 1)])]).unwrap();
    assert_eq!(evaluated(&negative, &[1.0]), [-2.0, 0.0]);
}

#[test]
fn a_combination_is_the_product_of_its_parents() {
    let parents = [Parent::Control(0), Parent::Control(1), Parent::Target(1)];
    let channels = |clamp| vec![Channel::combination(parents, clamp, 0), Channel::direct(2, 1)];
    let clamped = rig(3, 2, channels(Clamp::Parents)).unwrap();
    assert_eq!(evaluated(&clamped, &[0.5, 0.5, 0.5]), [0.125, 0.5]);
    assert_eq!(evaluated(&clamped, &[2.0, 0.5, 1.0]), [0.5, 1.0]);
    assert_eq!(evaluated(&clamped, &[-1.0, -1.0, 1.0]), [0.0, 1.0]);
    let free = rig(3, 2, channels(Clamp::None)).unwrap();
    assert_eq!(evaluated(&free, &[2.0, 0.5, 1.0]), [1.0, 1.0]);
    assert_eq!(evaluated(&free, &[-1.0, -1.0, 0.5]), [0.5, 0.5]);
}

#[test]
fn a_corrective_of_an_in_between_is_on_only_there() {
    let rig = rig(
        2,
        3,
        vec![
            Channel::combination([Parent::Target(0), Parent::Control(1)], Clamp::Parents, 2),
            Channel::in_between(0, [(0.5, 0), (1.0, 1)]),
        ],
    )
    .unwrap();
    for (control, corrective) in [
        (0.0, 0.0),
        (0.25, 0.5),
        (0.5, 1.0),
        (0.75, 0.5),
        (1.0, 0.0),
        (1.5, 0.0),
    ] {
        assert_eq!(evaluated(&rig, &[control, 1.0])[2], corrective, "at {control}");
    }
}

#[test]
fn a_combination_may_have_in_betweens_of_its_own() {
    let mut product = Channel::combination([Parent::Control(0), Parent::Control(1)], Clamp::Parents, 0);
    product.shapes = vec![
        ChannelShape {
            full_weight: 0.5,
            slot: 0,
        },
        ChannelShape {
            full_weight: 1.0,
            slot: 1,
        },
    ];
    let rig = rig(2, 2, vec![product]).unwrap();
    assert_eq!(evaluated(&rig, &[1.0, 0.75]), [0.5, 0.5]);
}

#[test]
fn what_no_channel_drives_keeps_its_weight_and_can_be_a_parent() {
    let product = Channel::combination([Parent::Target(0), Parent::Target(1)], Clamp::Parents, 2);
    let rig = rig(0, 4, vec![product]).unwrap();
    let mut weights = [0.5, 0.5, 9.0, -3.0];
    rig.evaluate(&[], &mut weights).unwrap();
    assert_eq!(weights, [0.5, 0.5, 0.25, -3.0]);
    let mut weights = [f32::NAN, 0.5, 9.0, -3.0];
    let error = rig.evaluate(&[], &mut weights).unwrap_err();
    assert!(
        matches!(error, EvaluateError::ParentNotFinite { slot: 0, .. }),
        "{error}"
    );
    assert_eq!(weights[2], 0.0);
}

#[test]
fn loops_are_refused_and_told_in_order() {
    let product = |from: usize, to| Channel::combination([Parent::Target(from)], Clamp::Parents, to);
    let error = rig(1, 1, vec![product(0, 0)]).unwrap_err();
    assert_eq!(
        error,
        RigError::Loop {
            names: vec!["t0".to_owned()]
        }
    );
    let error = rig(
        1,
        4,
        vec![product(2, 0), product(0, 1), product(1, 2), product(1, 3)],
    )
    .unwrap_err();
    let RigError::Loop { mut names } = error else {
        panic!("{error}");
    };
    let smallest = names.iter().position(|name| name == "t0").unwrap();
    names.rotate_left(smallest);
    assert_eq!(names, ["t0", "t1", "t2"]);
}

#[test]
fn what_is_not_right_is_refused_with_its_place() {
    let between = |shapes: &[(f32, usize)]| Channel::in_between(0, shapes.iter().copied());
    let refusals = [
        (between(&[]), "channel 0 has no shapes"),
        (
            Channel::combination([], Clamp::None, 0),
            "channel 0 is a combination of nothing",
        ),
        (
            Channel::direct(1, 0),
            "channel 0 reads control 1, but there are 1",
        ),
        (
            Channel::combination([Parent::Control(7)], Clamp::None, 0),
            "channel 0 reads control 7",
        ),
        (
            Channel::direct(0, 2),
            "channel 0 names target 2, but the mesh has 2",
        ),
        (
            Channel::combination([Parent::Target(usize::MAX)], Clamp::None, 0),
            "channel 0 names target",
        ),
        (
            between(&[(0.0, 1)]),
            "channel 0: target 1 `t1` is fully on at weight 0",
        ),
        (
            between(&[(-1.0e-20, 1)]),
            "channel 0: target 1 `t1` is fully on at",
        ),
        (
            between(&[(f32::NAN, 0)]),
            "channel 0: target 0 `t0` is fully on at weight NaN",
        ),
        (
            between(&[(f32::INFINITY, 0)]),
            "channel 0: target 0 `t0` is fully on at weight inf",
        ),
        (
            between(&[(1.0, 0), (1.0, 1)]),
            "channel 0: targets `t0` and `t1` are both fully on at weight 1",
        ),
        (
            between(&[(0.5, 1), (1.0, 1)]),
            "target 1 `t1` is driven by channels 0 and 0",
        ),
    ];
    for (channel, text) in refusals {
        let error = rig(1, 2, vec![channel.clone()]).unwrap_err().to_string();
        assert!(error.starts_with(text), "{channel:?}: {error}");
    }
    let error = rig(1, 2, vec![Channel::direct(0, 1), Channel::direct(0, 1)]).unwrap_err();
    assert!(matches!(
        error,
        RigError::DrivenTwice {
            slot: 1,
            first: 0,
            second: 1,
            ..
        }
    ));
}

#[test]
fn weights_that_cannot_be_evaluated_are_refused() {
    let rig = rig(2, 1, vec![Channel::in_between(0, [(0.25, 0)])]).unwrap();
    let mut weights = [0.5];
    let error = rig.evaluate(&[0.0; 3], &mut weights).unwrap_err();
    assert_eq!(
        error,
        EvaluateError::TooManyControls {
            given: 3,
            control_count: 2
        }
    );
    let error = rig.evaluate(&[0.0], &mut []).unwrap_err();
    assert_eq!(
        error,
        EvaluateError::TargetCount {
            given: 0,
            target_count: 1
        }
    );
    let error = rig.evaluate(&[0.0, f32::NAN], &mut weights).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the weight of control 1 `c1` is NaN: weights must be finite numbers"
    );
    assert_eq!(weights, [0.5], "nothing was written");
    let error = rig.evaluate(&[f32::MAX], &mut weights).unwrap_err();
    assert!(
        matches!(error, EvaluateError::Overflow { slot: 0, .. }),
        "{error}"
    );
    assert_eq!(weights, [0.0]);
}

#[test]
fn each_target_can_be_a_control_of_its_own() {
    let targets = table("t", 3);
    let direct = Rig::direct(&targets);
    assert_eq!(evaluated(&direct, &[0.5, -1.0]), [0.5, -1.0, 0.0]);
    let made = Rig::new(
        targets.clone(),
        &targets,
        (0..3).map(|i| Channel::direct(i, i)).collect(),
    );
    assert_eq!(made, Ok(direct));
}

/// Channels that drive slots in a row, each combination reading slots and controls before its own.
fn channels(control_count: usize) -> impl Strategy<Value = Vec<Channel>> {
    let one = (
        vec(
            (-8i8..=8).prop_filter("the rest pose stands at zero", |w| *w != 0),
            1..4,
        ),
        any::<bool>(),
        any::<bool>(),
        vec((any::<bool>(), any::<prop::sample::Index>()), 1..4),
    );
    vec(one, 1..8).prop_map(move |list| {
        let mut next_slot = 0;
        list.into_iter()
            .map(|(mut full_weights, combined, clamped, parents)| {
                full_weights.sort_unstable();
                full_weights.dedup();
                let driven = next_slot;
                let shapes = full_weights
                    .iter()
                    .map(|&w| {
                        next_slot += 1;
                        ChannelShape {
                            full_weight: f32::from(w) / 4.0,
                            slot: next_slot - 1,
                        }
                    })
                    .collect();
                let parents = parents.iter().map(|(control, index)| {
                    if *control || driven == 0 {
                        Parent::Control(index.index(control_count))
                    } else {
                        Parent::Target(index.index(driven))
                    }
                });
                let clamp = if clamped { Clamp::Parents } else { Clamp::None };
                let driver = if combined {
                    Channel::combination(parents, clamp, 0).driver
                } else {
                    Driver::Control(driven % control_count)
                };
                Channel { driver, shapes }
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn the_order_of_the_channels_does_not_matter(
        (channels, shuffled) in channels(3).prop_flat_map(|it| (Just(it.clone()), Just(it).prop_shuffle())),
        controls in vec(weight(), 0..=3),
    ) {
        let target_count = channels.iter().map(|channel| channel.shapes.len()).sum();
        let in_order = rig(3, target_count, channels).unwrap();
        let shuffled = rig(3, target_count, shuffled).unwrap();
        prop_assert_eq!(evaluated(&in_order, &controls), evaluated(&shuffled, &controls));
    }

    #[test]
    fn shares_put_the_channel_where_its_weight_is(
        full_weights in proptest::collection::btree_set((-40i16..40).prop_filter("rest", |w| *w != 0), 1..6),
        control in -20.0f32..20.0,
    ) {
        let full_weights: Vec<f32> = full_weights.iter().map(|&w| f32::from(w) / 8.0).collect();
        let count = full_weights.len();
        let shapes = full_weights.iter().copied().zip(0..count).rev();
        let rig = rig(1, count, vec![Channel::in_between(0, shapes)]).unwrap();
        let weights = evaluated(&rig, &[control]);
        prop_assert!(weights.iter().filter(|&&w| w != 0.0).count() <= 2, "at most two neighbors are on");
        // A shape that lies at its own full weight makes the channel the identity: interpolation is linear.
        let at: f64 = weights.iter().zip(&full_weights).map(|(&w, &full)| f64::from(w) * f64::from(full)).sum();
        prop_assert!((at - f64::from(to_domain(control))).abs() <= 1.0e-4, "{at} for {control}");
        for (slot, &full) in full_weights.iter().enumerate() {
            let expected: Vec<f32> = (0..count).map(|i| f32::from(u8::from(i == slot))).collect();
            prop_assert_eq!(evaluated(&rig, &[full]), expected);
        }
    }
}
