//! What a curve is at a time.

mod common;

use common::{bound, cubic, face, linear, step, weight_track};
use glam::{DQuat, Quat};
use morph_anim::{Clip, Cursor, Curve, CurveError, Keys, Pose};
use proptest::prelude::*;

#[test]
fn b089_a_spline_follows_each_targets_own_tangents_scaled_by_the_key_interval() {
    let first = cubic(&[0.0, 1.0], &[[[0.0], [0.0], [0.0]], [[0.0], [1.0], [0.0]]]);
    let second = cubic(&[0.0, 1.0], &[[[9.0], [1.0], [2.0]], [[-3.0], [0.0], [9.0]]]);
    for t in [0.125_f32, 0.25, 0.5, 0.75] {
        let smoothstep = t * t * (3.0 - 2.0 * t);
        assert!((first.sample(t)[0] - smoothstep).abs() < 1.0e-6);
        let tangents = 2.0 * t * (1.0 - t) * (1.0 - t) + 3.0 * t * t * (1.0 - t);
        assert!((second.sample(t)[0] - (1.0 - smoothstep + tangents)).abs() < 1.0e-6);
    }
    // Twice the interval with half the slopes is the same curve, slower.
    let slower = cubic(&[0.0, 2.0], &[[[9.0], [1.0], [1.0]], [[-1.5], [0.0], [9.0]]]);
    for t in [0.125_f32, 0.25, 0.5, 0.75] {
        assert_eq!(slower.sample(2.0 * t), second.sample(t));
    }
}

#[test]
fn b090_a_spline_in_the_middle_of_two_seconds() {
    let (v0, v1, out_tangent, in_tangent) = (0.25, 0.75, 3.0, -1.0);
    let first = cubic(&[0.0, 2.0], &[[[0.0], [v0], [0.0]], [[0.0], [v1], [0.0]]]);
    let second = cubic(
        &[0.0, 2.0],
        &[[[0.0], [v0], [out_tangent]], [[in_tangent], [v1], [0.0]]],
    );
    assert_eq!(first.sample(1.0), [0.5 * (v0 + v1)]);
    assert_eq!(
        second.sample(1.0),
        [0.5 * (v0 + v1) + 2.0 * (out_tangent - in_tangent) / 8.0]
    );
}

#[test]
fn b091_two_targets_keep_three_keys_each() {
    let times: std::sync::Arc<[f32]> = [0.0, 1.0, 2.0].into();
    let outputs = [0.0, 1.0, 0.5, 0.5, 1.0, 0.0];
    let tracks = (0..2).map(|target| {
        let values = outputs.chunks_exact(2).map(|key| [key[target]]).collect();
        Curve::new(times.clone(), Keys::Linear(values)).expect("a curve")
    });
    let tracks: Vec<_> = tracks.collect();
    assert!(tracks.iter().all(|curve| curve.keys().len() == 3));
    assert_eq!(tracks[0].sample(1.5), [0.75]);
    assert_eq!(tracks[1].sample(1.5), [0.25]);
}

#[test]
fn b093_a_step_switches_exactly_at_its_key() {
    let curves = [
        step(&[0.0, 1.0], &[[0.0], [1.0]]),
        step(&[0.0, 1.0], &[[1.0], [0.0]]),
    ];
    let at = |t: f32| curves.each_ref().map(|curve| curve.sample(t)[0]);
    assert_eq!(at(0.999), [0.0, 1.0]);
    assert_eq!(at(1.0_f32.next_down()), [0.0, 1.0]);
    assert_eq!(at(1.0), [1.0, 0.0]);
}

#[test]
fn b095_end_values_hold_outside_the_keys_and_the_clip_lasts_to_its_last_key() {
    let curve = linear(&[1.5, 2.5], &[[0.25], [0.75]]);
    assert_eq!(curve.sample(0.0), [0.25]);
    assert_eq!(curve.sample(1.5), [0.25]);
    assert_eq!(curve.sample(2.0), [0.5]);
    assert_eq!(curve.sample(3.0), [0.75]);
    let clip = Clip {
        name: String::new(),
        tracks: vec![weight_track("face", "jaw", curve)],
    };
    assert_eq!(clip.duration(), 2.5);
}

#[test]
fn b097_two_tracks_of_one_clip_keep_their_distance_in_time() {
    let layout = face();
    let bound = bound(
        vec![
            weight_track("face", "jaw", linear(&[0.0, 1.0], &[[0.0], [1.0]])),
            weight_track("face", "smile", linear(&[2.0, 3.0], &[[0.0], [1.0]])),
        ],
        &layout,
    );
    let (mut pose, mut cursors) = (Pose::new(layout), bound.cursors());
    for (time, expected) in [
        (0.5, [0.5, 0.0, 0.0]),
        (1.5, [1.0, 0.0, 0.0]),
        (2.5, [1.0, 0.5, 0.0]),
    ] {
        bound
            .sample_into(time, &mut cursors, &mut pose)
            .expect("the same layout");
        assert_eq!(pose.weights(0), expected);
    }
    assert_eq!(bound.clip().duration(), 3.0);
}

#[test]
fn a_time_that_is_no_number_reads_as_the_first_key_and_infinite_ones_as_the_ends() {
    let curve = linear(&[1.0, 2.0], &[[3.0], [4.0]]);
    assert_eq!(curve.sample(f32::NAN), [3.0]);
    assert_eq!(curve.sample(f32::NEG_INFINITY), [3.0]);
    assert_eq!(curve.sample(f32::INFINITY), [4.0]);
}

#[test]
fn a_spline_that_swings_past_the_largest_number_stays_finite() {
    let curve = cubic(
        &[0.0, f32::MAX],
        &[[[0.0], [0.0], [f32::MAX]], [[f32::MIN], [0.0], [0.0]]],
    );
    assert_eq!(curve.sample(f32::MAX / 2.0), [f32::MAX]);
}

#[test]
fn opposite_quaternions_are_one_rotation_to_linear_keys() {
    let turn = Quat::from_rotation_y(1.0);
    let there = linear(&[0.0, 1.0], &[Quat::IDENTITY.to_array(), turn.to_array()]);
    let opposite = linear(&[0.0, 1.0], &[Quat::IDENTITY.to_array(), (-turn).to_array()]);
    assert_eq!(there.sample_rotation(0.25), opposite.sample_rotation(0.25));
    // The key is what it was authored as, all the same.
    assert_eq!(opposite.sample_rotation(1.0), (-turn).to_array());
}

#[test]
fn rotations_that_are_none_count_as_the_identity() {
    let identity = Quat::IDENTITY.to_array();
    let zero = [0.0; 4];
    assert_eq!(step(&[0.0], &[zero]).sample_rotation(0.0), identity);
    assert_eq!(linear(&[0.0, 1.0], &[zero, zero]).sample_rotation(0.5), identity);
    let through_zero = cubic(
        &[0.0, 1.0],
        &[
            [zero, [0.0, 0.0, 0.0, 1.0], zero],
            [zero, [0.0, 0.0, 0.0, -1.0], zero],
        ],
    );
    assert_eq!(through_zero.sample_rotation(0.5), identity);
}

#[test]
fn a_rotation_stored_coarsely_is_made_unit_at_its_key() {
    let coarse = [0.3, 0.3, 0.3, 0.3];
    assert_eq!(step(&[0.0], &[coarse]).sample_rotation(0.0), [0.5; 4]);
}

#[test]
fn what_is_no_curve_is_refused() {
    let refused = |times: &[f32], keys| Curve::<1>::new(times, keys).expect_err("refused");
    assert_eq!(
        refused(&[], Keys::Linear(vec![])),
        CurveError::TooFewKeys { least: 1, found: 0 }
    );
    assert_eq!(
        refused(&[0.0], Keys::Linear(vec![])),
        CurveError::Count { times: 1, values: 0 }
    );
    assert_eq!(
        refused(&[1.0, 1.0], Keys::Step(vec![[0.0]; 2])),
        CurveError::Time { key: 1, time: 1.0 }
    );
    assert_eq!(
        refused(&[0.0, 1.0], Keys::Step(vec![[0.0], [f32::NAN]])),
        CurveError::NotFinite { key: 1 }
    );
    assert!(matches!(
        refused(&[f32::NAN], Keys::Step(vec![[0.0]])),
        CurveError::Time { key: 0, .. }
    ));
}

/// Rising times and as many values, extremes among them.
fn keys() -> impl Strategy<Value = (Vec<f32>, Vec<[f32; 1]>)> {
    let finite = prop::num::f32::NORMAL | prop::num::f32::SUBNORMAL | prop::num::f32::ZERO;
    prop::collection::btree_map(any::<i32>(), finite, 1..12).prop_map(|keys| {
        // Floats are ordered as their bits are; the largest integers would be infinite or no numbers.
        let times = keys
            .keys()
            .map(|&bits| f32::from_bits(bits.unsigned_abs() % 0x7f80_0000).copysign(bits as f32));
        let mut times: Vec<f32> = times.collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        let values = keys.values().map(|&value| [value]).take(times.len()).collect();
        (times, values)
    })
}

fn unit_quaternion() -> impl Strategy<Value = Quat> {
    prop::array::uniform4(-1.0_f32..1.0).prop_filter_map("has a direction", |q| {
        let q = Quat::from_array(q);
        (q.length() > 0.1).then(|| q.normalize())
    })
}

proptest! {
    #[test]
    fn every_curve_is_its_keys_to_the_last_bit_and_finite_between_and_around(
        (times, values) in keys(),
        tangents in prop::array::uniform2(prop::num::f32::NORMAL),
        asked in prop::collection::vec(any::<f32>(), 8),
    ) {
        let cubic_keys = values.iter().map(|&value| [[tangents[0]], value, [tangents[1]]]);
        let mut curves = vec![step(&times, &values), linear(&times, &values)];
        if times.len() > 1 {
            curves.push(cubic(&times, &cubic_keys.collect::<Vec<_>>()));
        }
        for curve in curves {
            for (&time, value) in times.iter().zip(&values) {
                prop_assert_eq!(curve.sample(time)[0].to_bits(), value[0].to_bits());
            }
            let mut cursor = Cursor::default();
            let between = times.windows(2).map(|pair| pair[0] / 2.0 + pair[1] / 2.0);
            for time in asked.iter().copied().chain(between) {
                let value = curve.sample(time)[0];
                prop_assert!(value.is_finite());
                prop_assert_eq!(curve.sample_from(time, &mut cursor)[0].to_bits(), value.to_bits());
            }
        }
    }

    #[test]
    fn a_linear_curve_never_leaves_its_keys((times, values) in keys(), part in 0.0_f32..1.0) {
        let curve = linear(&times, &values);
        for (pair, ends) in times.windows(2).zip(values.windows(2)) {
            let time = pair[0] * (1.0 - part) + pair[1] * part;
            let value = curve.sample(time.clamp(pair[0], pair[1]))[0];
            let (low, high) = (ends[0][0].min(ends[1][0]), ends[0][0].max(ends[1][0]));
            prop_assert!((low..=high).contains(&value));
        }
    }

    #[test]
    fn linear_rotations_turn_the_shorter_way_at_a_constant_speed(
        from in unit_quaternion(),
        to in unit_quaternion(),
        part in 0.0_f32..1.0,
    ) {
        let curve = linear(&[0.0, 1.0], &[from.to_array(), to.to_array()]);
        let at = Quat::from_array(curve.sample_rotation(part)).as_dquat();
        prop_assert!((at.length() - 1.0).abs() < 1.0e-6);
        let angle = |a: DQuat, b: DQuat| {
            let (a, b) = (a.normalize(), b.normalize());
            let b = if a.dot(b) < 0.0 { -b } else { b };
            4.0 * (a - b).length().atan2((a + b).length())
        };
        let (from, to) = (from.as_dquat(), to.as_dquat());
        let whole = angle(from, to);
        prop_assert!((angle(from, at) - whole * f64::from(part)).abs() < 1.0e-6);
        prop_assert!((angle(at, to) - whole * (1.0 - f64::from(part))).abs() < 1.0e-6);
    }

    #[test]
    fn a_spline_of_rotations_is_unit(
        keys in prop::array::uniform2((unit_quaternion(), prop::array::uniform4(-9.0_f32..9.0))),
        part in 0.0_f32..1.0,
    ) {
        let keys = keys.map(|(value, tangent)| [tangent, value.to_array(), tangent]);
        let at = Quat::from_array(cubic(&[0.0, 2.0], &keys).sample_rotation(2.0 * part));
        prop_assert!((at.length() - 1.0).abs() < 1.0e-6);
    }
}
