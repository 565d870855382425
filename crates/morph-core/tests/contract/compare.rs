//! Distances in units of the last place.

use morph_core::{max_ulp_difference, ulp_difference};
use proptest::prelude::*;

#[test]
fn neighbors_are_one_apart_on_both_sides_of_zero() {
    let smallest = f32::from_bits(1);
    assert_eq!(ulp_difference(1.0, 1.0_f32.next_up()), 1);
    assert_eq!(ulp_difference(-1.0, (-1.0_f32).next_down()), 1);
    assert_eq!(ulp_difference(0.0, smallest), 1);
    assert_eq!(ulp_difference(-0.0, 0.0), 1, "the contract is about bits");
    assert_eq!(ulp_difference(-smallest, smallest), 3);
    assert_eq!(ulp_difference(f32::MAX, f32::INFINITY), 1);
}

#[test]
fn nan_equals_itself_only() {
    assert_eq!(ulp_difference(f32::NAN, f32::NAN), 0);
    assert_eq!(ulp_difference(f32::NAN, -f32::NAN), u32::MAX);
    for x in [0.0, 1.0, f32::INFINITY] {
        assert_eq!(ulp_difference(f32::NAN, x), u32::MAX);
        assert_eq!(ulp_difference(x, f32::NAN), u32::MAX);
    }
    assert!(ulp_difference(f32::NEG_INFINITY, f32::INFINITY) < u32::MAX);
}

#[test]
fn the_worst_component_counts() {
    let a = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let mut b = a;
    assert_eq!(max_ulp_difference(&a, &b), 0);
    b[0][1] = b[0][1].next_up();
    b[1][2] = b[1][2].next_down().next_down();
    assert_eq!(max_ulp_difference(&a, &b), 2);
    b[1][0] = f32::NAN;
    assert_eq!(max_ulp_difference(&a, &b), u32::MAX);
    assert_eq!(max_ulp_difference(&a, &a[..1]), u32::MAX);
    assert_eq!(max_ulp_difference(&[], &[]), 0);
}

proptest! {
    #[test]
    fn is_symmetric_and_zero_only_for_equal_bits(a in any::<u32>(), b in any::<u32>()) {
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        prop_assert_eq!(ulp_difference(x, y), ulp_difference(y, x));
        prop_assert_eq!(ulp_difference(x, y) == 0, a == b);
    }
}
