//! Any clip that is written as text is read back to the last bit.
#![cfg(feature = "yaml")]

use std::sync::Arc;

use morph_anim::{Channel, Clip, CubicKey, Curve, Keys, Track, yaml};
use proptest::prelude::*;

fn finite() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => any::<f32>().prop_filter("is finite", |x| x.is_finite()),
        1 => prop::sample::select(vec![
            0.0, -0.0, f32::MAX, f32::MIN, f32::MIN_POSITIVE, f32::from_bits(1), -f32::from_bits(0x7f_ffff), 0.1,
            f32::EPSILON, 16_777_216.0, 1.0e16, 1.0e-5,
        ]),
    ]
}

fn times() -> impl Strategy<Value = Arc<[f32]>> {
    prop::collection::vec(finite(), 2..6).prop_filter_map("has two times that differ", |mut times| {
        times.sort_by(f32::total_cmp);
        times.dedup_by(|later, earlier| later == earlier);
        (times.len() > 1).then(|| times.into())
    })
}

fn curve<const N: usize>() -> impl Strategy<Value = Curve<N>> {
    let row = || {
        prop::collection::vec(finite(), N).prop_map(|row| {
            let mut numbers = [0.0; N];
            numbers.copy_from_slice(&row);
            numbers
        })
    };
    let key = (row(), row(), row()).prop_map(|(in_tangent, value, out_tangent)| CubicKey {
        in_tangent,
        value,
        out_tangent,
    });
    (times(), prop::collection::vec(key, 5), 0..3).prop_map(|(times, keys, kind)| {
        let keys = keys[..times.len()].to_vec();
        let values = || keys.iter().map(|key| key.value).collect();
        let keys = match kind {
            0 => Keys::Step(values()),
            1 => Keys::Linear(values()),
            _ => Keys::CubicSpline(keys),
        };
        Curve::new(times, keys).expect("a curve")
    })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::collection::vec(any::<char>(), 0..8).prop_map(String::from_iter),
        "[ -~\\n\\r\\t\\x00\u{85}\u{2028}\u{feff}\u{ffff}]{0,12}",
        prop::sample::select(vec![
            "", "~", "null", "yes", "- a", "a: b", "#", "'", "\"", "1.0", " a ", "%", "\\x41"
        ])
        .prop_map(str::to_owned),
    ]
}

fn any_clip() -> impl Strategy<Value = Clip> {
    let channel = prop_oneof![
        curve().prop_map(Channel::Translation),
        curve().prop_map(Channel::Rotation),
        curve().prop_map(Channel::Scale),
        (name(), curve()).prop_map(|(target, curve)| Channel::Weight { target, curve }),
    ];
    let tracks = prop::collection::vec((name(), channel), 0..6);
    (name(), tracks).prop_map(|(name, tracks)| {
        let tracks = tracks.into_iter().map(|(node, channel)| Track { node, channel });
        let mut clip = Clip {
            name,
            tracks: Vec::new(),
        };
        for track in tracks {
            if clip
                .tracks
                .iter()
                .all(|other| other.identity() != track.identity())
            {
                clip.tracks.push(track);
            }
        }
        clip
    })
}

/// All numbers of a curve as bits.
fn bits<const N: usize>(curve: &Curve<N>) -> Vec<u32> {
    let keys: Vec<f32> = match curve.keys() {
        Keys::Step(values) | Keys::Linear(values) => values.concat(),
        Keys::CubicSpline(keys) => keys
            .iter()
            .flat_map(|key| [key.in_tangent, key.value, key.out_tangent].concat())
            .collect(),
    };
    curve.times().iter().chain(&keys).map(|x| x.to_bits()).collect()
}

proptest! {
    #[test]
    fn what_was_written_is_read_back_to_the_last_bit(clip in any_clip()) {
        let text = yaml::write(&clip).expect("nothing comes twice");
        let read = yaml::read(&text, "clip.yaml");
        prop_assert_eq!(read.as_ref(), Ok(&clip), "{}", text);
        for (read, track) in read.iter().flat_map(|read| &read.tracks).zip(&clip.tracks) {
            let same = match (&read.channel, &track.channel) {
                (Channel::Rotation(a), Channel::Rotation(b)) => bits(a) == bits(b),
                (Channel::Weight { curve: a, .. }, Channel::Weight { curve: b, .. }) => bits(a) == bits(b),
                (Channel::Translation(a) | Channel::Scale(a), Channel::Translation(b) | Channel::Scale(b)) => {
                    bits(a) == bits(b)
                }
                _ => false,
            };
            prop_assert!(same, "{}", text);
        }
        prop_assert!(text.lines().all(|line| line.len() < 500));
    }
}
