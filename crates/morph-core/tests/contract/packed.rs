//! Packed directions: within the stated tolerance of the unit direction, and stable.

use morph_core::{
    VertexFormat, angle_between, decode_octahedral16, decode_snorm10, encode_octahedral16, encode_snorm10,
};
use proptest::array::uniform3;
use proptest::prelude::*;

use crate::support::component;

/// Directions of every length that a morph may give, axes and edges among them.
fn direction() -> impl Strategy<Value = [f32; 3]> {
    let one = prop_oneof![
        Just(0.0_f32),
        Just(-0.0),
        Just(1.0),
        Just(-1.0),
        -1.0_f32..1.0,
        component()
    ];
    let scale = prop_oneof![
        Just(1.0_f32),
        Just(1.0e-12),
        Just(1.0e30),
        (-90_i32..120).prop_map(|exponent| 2.0_f32.powi(exponent)),
    ];
    (uniform3(one), scale).prop_map(|(direction, scale)| direction.map(|it| it * scale))
}

/// In 64-bit floats, or `None` for what has no direction.
fn unit(direction: [f32; 3]) -> Option<[f64; 3]> {
    let largest = direction
        .iter()
        .fold(0.0_f32, |largest, it| largest.max(it.abs()));
    let has_direction = largest >= f32::MIN_POSITIVE && direction.iter().all(|it| it.is_finite());
    let scaled = direction.map(|it| f64::from(it) / f64::from(largest));
    let length = scaled.iter().map(|it| it * it).sum::<f64>().sqrt();
    has_direction.then(|| scaled.map(|it| it / length))
}

fn degrees(a: [f64; 3], b: [f64; 3]) -> f64 {
    angle_between(a, b).to_degrees()
}

#[test]
fn words_have_the_bits_that_vulkan_reads() {
    // A2B10G10R10: x in the lowest bits, w in the highest.
    assert_eq!(encode_snorm10([5.0, 0.0, 0.0], None), 511);
    assert_eq!(
        encode_snorm10([0.0, -2.0, 0.0], Some(0.5)),
        (0x400 - 511) << 10 | 1 << 30
    );
    assert_eq!(
        encode_snorm10([0.0, 0.0, 1.0e-9], Some(-1.0)),
        511 << 20 | 3 << 30
    );
    assert_eq!(
        decode_snorm10(0x200 | 0x201 << 10 | 1 << 20 | 2 << 30),
        [-1.0, -1.0, 1.0 / 511.0, -1.0]
    );
    // R16G16: the first component in the low half. The lower half of the sphere is folded over the edges.
    assert_eq!(encode_octahedral16([0.0, 0.0, 1.0]), 0);
    assert_eq!(encode_octahedral16([0.0, 0.0, -1.0]), 32767 | 32767 << 16);
    assert_eq!(encode_octahedral16([-3.0, 0.0, 0.0]), 0x1_0000 - 32767);
    assert_eq!(encode_octahedral16([0.0, 1.0, 0.0]), 32767 << 16);
}

#[test]
fn what_has_no_direction_is_packed_as_zeros() {
    for direction in [
        [0.0; 3],
        [-0.0; 3],
        [f32::NAN, 1.0, 0.0],
        [0.0, f32::INFINITY, 0.0],
        [f32::from_bits(1), 0.0, 0.0],
    ] {
        assert_eq!(encode_snorm10(direction, None), 0, "{direction:?}");
        assert_eq!(encode_snorm10(direction, Some(-0.0)), 3 << 30, "{direction:?}");
        assert_eq!(encode_octahedral16(direction), 0, "{direction:?}");
        assert_eq!(VertexFormat::Octahedral16.encode(direction, None), 0);
    }
}

#[test]
fn the_largest_and_the_smallest_directions_are_packed_like_others() {
    for exponent in -126..=127 {
        let size = 2.0_f32.powi(exponent);
        assert_eq!(
            encode_snorm10([size, -size, size], None),
            encode_snorm10([1.0, -1.0, 1.0], None)
        );
        assert_eq!(
            encode_octahedral16([size, -size, -size]),
            encode_octahedral16([1.0, -1.0, -1.0])
        );
    }
    assert_eq!(encode_snorm10([f32::MAX, 0.0, 0.0], None), 511);
    assert_eq!(encode_octahedral16([f32::MAX; 3]), encode_octahedral16([1.0; 3]));
}

#[test]
fn angles_stay_within_what_is_promised_all_over_the_sphere() {
    let (mut worst_snorm10, mut worst_octahedral16) = (0.0_f64, 0.0_f64);
    for ring in 0..=400 {
        for step in 0..400 {
            let (polar, around) = (f64::from(ring) * 0.007_854, f64::from(step) * 0.015_708);
            let direction = [
                polar.sin() * around.cos(),
                polar.cos(),
                polar.sin() * around.sin(),
            ];
            let given = direction.map(|it| (it * 3.7) as f32);
            let Some(true_direction) = unit(given) else {
                continue;
            };
            let [x, y, z, _] = decode_snorm10(encode_snorm10(given, None));
            worst_snorm10 = worst_snorm10.max(degrees([x, y, z].map(f64::from), true_direction));
            let unfolded = decode_octahedral16(encode_octahedral16(given));
            worst_octahedral16 = worst_octahedral16.max(degrees(unfolded.map(f64::from), true_direction));
        }
    }
    assert!((0.05..0.1).contains(&worst_snorm10), "{worst_snorm10}");
    assert!(
        (0.001..0.004).contains(&worst_octahedral16),
        "{worst_octahedral16}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn every_direction_is_within_half_a_step(given in direction()) {
        let Some(expected) = unit(given) else { return Ok(()) };
        let found = decode_snorm10(encode_snorm10(given, None));
        for (found, expected) in found.into_iter().zip(expected) {
            prop_assert!((f64::from(found) - expected).abs() <= 0.501 / 511.0, "{given:?}: {found} for {expected}");
        }
        let unfolded = decode_octahedral16(encode_octahedral16(given));
        let angle = degrees(unfolded.map(f64::from), expected);
        prop_assert!(angle <= 0.004, "{given:?}: {angle} degrees");
    }

    #[test]
    fn length_does_not_matter(given in direction(), exponent in -20_i32..20) {
        let other = given.map(|it| it * 2.0_f32.powi(exponent));
        // A power of two changes no bit of the arithmetic, as long as nothing is lost.
        let is_exact = |v: &[f32; 3]| v.iter().all(|it| *it == 0.0 || it.is_normal());
        prop_assume!(is_exact(&given) && is_exact(&other));
        prop_assert_eq!(encode_snorm10(given, Some(1.0)), encode_snorm10(other, Some(2.0)));
        prop_assert_eq!(encode_octahedral16(given), encode_octahedral16(other));
    }

    #[test]
    fn an_unfolded_octahedral_map_is_folded_to_the_same_word(u in -32767_i16..=32767, v in -32767_i16..=32767) {
        let word = u32::from(u.cast_unsigned()) | u32::from(v.cast_unsigned()) << 16;
        let again = decode_octahedral16(encode_octahedral16(decode_octahedral16(word)));
        let angle = degrees(again.map(f64::from), decode_octahedral16(word).map(f64::from));
        prop_assert!(angle < 0.004, "{u} {v}: {angle}");
    }
}
