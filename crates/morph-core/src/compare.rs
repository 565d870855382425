//! How far apart two results are: in units of the last place, and as angles.

use crate::rounding::length64;

/// Below this length a morphed normal has no direction to speak of, and consumers read it as unset.
pub const SHORTEST_NORMAL: f64 = 1.0e-4;

/// The angle between two vectors, in radians; half a turn where only the second is zero, as wrong as can be.
///
/// The arc tangent of sine and cosine is exact for small angles, where the arc cosine alone loses half the digits.
///
/// ```
/// use morph_core::angle_between;
/// assert_eq!(angle_between([1.0, 0.0, 0.0], [2.0, 0.0, 0.0]), 0.0);
/// assert_eq!(angle_between([1.0, 0.0, 0.0], [0.0; 3]), std::f64::consts::PI);
/// ```
pub fn angle_between(a: [f64; 3], b: [f64; 3]) -> f64 {
    if a == b {
        return 0.0;
    }
    if b == [0.0; 3] {
        return std::f64::consts::PI;
    }
    let cross = [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ];
    let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    length64(cross).atan2(dot)
}

/// The number of floats between `a` and `b`, one counted: 0 exactly where all bits are equal.
///
/// -0 and +0 are neighbours, not equal, because the contract is about bits.
/// Two NaNs with the same bits are equal; any other NaN is [`u32::MAX`] away from everything.
#[inline]
pub fn ulp_difference(a: f32, b: f32) -> u32 {
    if a.to_bits() == b.to_bits() {
        0
    } else if a.is_nan() || b.is_nan() {
        u32::MAX
    } else {
        ordinal(a).abs_diff(ordinal(b))
    }
}

/// The largest [`ulp_difference`] of any component.
///
/// Slices of different lengths are [`u32::MAX`] apart.
///
/// ```
/// use morph_core::max_ulp_difference;
/// assert_eq!(max_ulp_difference(&[[1.0, 2.0, 3.0]], &[[1.0, 2.0, 3.0_f32.next_up()]]), 1);
/// assert_eq!(max_ulp_difference(&[[1.0; 3]], &[]), u32::MAX);
/// ```
pub fn max_ulp_difference(a: &[[f32; 3]], b: &[[f32; 3]]) -> u32 {
    if a.len() != b.len() {
        return u32::MAX;
    }
    a.as_flattened()
        .iter()
        .zip(b.as_flattened())
        .map(|(&a, &b)| ulp_difference(a, b))
        .max()
        .unwrap_or(0)
}

/// Maps floats to integers in the same order, neighbours to neighbours.
fn ordinal(x: f32) -> u32 {
    let bits = x.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}
