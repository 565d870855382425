//! Rounding toward a chosen side, for numbers that must contain and not merely approximate.

/// The smallest float that is at least `x`.
pub(crate) fn up(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) < x {
        nearest.next_up()
    } else {
        nearest
    }
}

/// The sum of two doubles and the error of that sum, exactly (Knuth's TwoSum).
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    (sum, (a - a_part) + (b - b_part))
}

/// The smallest float that is at least the exact sum of `a` and `b`.
pub(crate) fn sum_up(a: f64, b: f64) -> f32 {
    let (sum, error) = two_sum(a, b);
    up(if error > 0.0 { sum.next_up() } else { sum })
}

/// The length of a vector in double precision, where the square of any float is exact.
#[inline]
pub(crate) fn length(v: [f32; 3]) -> f64 {
    length64(v.map(f64::from))
}

/// The length of a vector of doubles that are sums or differences of floats.
#[inline]
pub(crate) fn length64([x, y, z]: [f64; 3]) -> f64 {
    (x * x + y * y + z * z).sqrt()
}

/// A float that is at least the exact length of `v`, and equal to it where that is a float.
pub(crate) fn length_up(v: [f32; 3]) -> f32 {
    // The squares of floats are exact in double precision; only the two sums and the root round.
    let [xx, yy, zz] = v.map(|x| f64::from(x) * f64::from(x));
    let (xy, error_xy) = two_sum(xx, yy);
    let (square, error) = two_sum(xy, zz);
    let exact = error_xy == 0.0 && error == 0.0;
    // Two roundings are below two units of 2⁻⁵³ each, so four units of 2⁻⁵² cover them.
    let square = if exact {
        square
    } else {
        square * (1.0 + 4.0 * f64::EPSILON)
    };
    let mut length = square.sqrt() as f32;
    while f64::from(length) * f64::from(length) < square {
        length = length.next_up();
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_is_the_next_float_and_keeps_floats() {
        assert_eq!(up(1.0), 1.0);
        assert_eq!(up(1.0 + 1.0e-12), 1.0_f32.next_up());
        assert_eq!(up(-1.0 - 1.0e-12), -1.0);
        assert_eq!(up(1.0e300), f32::INFINITY);
        assert_eq!(up(-1.0e300), f32::MIN);
        assert_eq!(up(1.0e-300), f32::from_bits(1));
    }

    #[test]
    fn sums_are_rounded_up_also_where_the_double_sum_loses_the_small_part() {
        assert_eq!(sum_up(1.0, 2.0), 3.0);
        assert_eq!(sum_up(1.0, 1.0e-30), 1.0_f32.next_up());
        assert_eq!(sum_up(1.0, -1.0e-30), 1.0);
        assert_eq!(sum_up(f64::INFINITY, -1.0), f32::INFINITY);
    }

    #[test]
    fn lengths_are_exact_where_they_can_be_and_above_otherwise() {
        assert_eq!(length_up([0.0; 3]), 0.0);
        assert_eq!(length_up([0.0, -7.5, 0.0]), 7.5);
        assert_eq!(length_up([3.0, 4.0, 12.0]), 13.0);
        let diagonal = length_up([1.0; 3]);
        assert!(f64::from(diagonal).powi(2) >= 3.0 && f64::from(diagonal.next_down()).powi(2) < 3.0);
        // The small part is lost in the double sum of squares, and still has to count.
        assert!(length_up([1.0, 1.0e-12, 0.0]) > 1.0);
        assert_eq!(length_up([f32::MAX; 3]), f32::INFINITY);
    }
}
