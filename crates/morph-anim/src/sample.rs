//! The value of a curve at a time.
//!
//! What lies between keys is computed in double precision and rounded once.
//! A curve of finite keys therefore has finite values everywhere; only where a spline swings past the largest `f32` is
//! its value that number.

use glam::DQuat;

use crate::cursor::{Cursor, Place, Segment, find};
use crate::curve::{CubicKey, Curve, Keys};

/// How far the squared length of a rotation key may be from one for the key to count as a unit quaternion.
///
/// Rotations stored as 16-bit integers pass, 8-bit ones do not: they are made unit.
const UNIT_TOLERANCE: f64 = 2.0e-4;

/// The cosine of half the angle above which turning at a constant speed and straight interpolation agree to f32: the
/// sine that the first divides by is too small to be divided by.
const NEARLY_PARALLEL: f64 = 1.0 - 1.0e-9;

impl<const N: usize> Curve<N> {
    /// The value at a time in seconds.
    ///
    /// At a key it is the key's value to the last bit, and before the first and after the last key it is theirs.
    /// A step switches exactly at its key.
    /// A cubic spline is the Hermite spline of glTF 2.0, appendix C: tangents count per second, so they are scaled by
    /// the time between the keys.
    /// Nothing is clamped; NaN as a time reads as a time before the first key.
    ///
    /// Rotations have [`sample_rotation`](Curve::sample_rotation).
    ///
    /// ```
    /// use morph_anim::{Curve, Keys};
    ///
    /// let blink = Curve::new([0.0, 1.0, 2.0], Keys::Linear(vec![[0.0], [1.0], [0.0]]))?;
    /// assert_eq!(blink.sample(0.25), [0.25]);
    /// assert_eq!(blink.sample(9.0), [0.0]);
    /// # Ok::<(), morph_anim::CurveError>(())
    /// ```
    pub fn sample(&self, time: f32) -> [f32; N] {
        self.sample_from(time, &mut Cursor::default())
    }

    /// [`sample`](Curve::sample), with the search begun where the last one ended.
    pub fn sample_from(&self, time: f32, cursor: &mut Cursor) -> [f32; N] {
        match find(self.times(), time, cursor) {
            Place::At(key) => self.value(key),
            Place::Between(segment) => match self.keys() {
                Keys::Step(values) => values[segment.key],
                Keys::Linear(values) => {
                    let (from, to) = (values[segment.key], values[segment.key + 1]);
                    std::array::from_fn(|i| {
                        to_finite(f64::from(from[i]) * segment.ahead + f64::from(to[i]) * segment.passed)
                    })
                }
                Keys::CubicSpline(keys) => hermite(keys, &segment).map(to_finite),
            },
        }
    }

    /// The value of a key.
    ///
    /// # Panics
    /// Where there is no such key.
    fn value(&self, key: usize) -> [f32; N] {
        match self.keys() {
            Keys::Step(values) | Keys::Linear(values) => values[key],
            Keys::CubicSpline(keys) => keys[key].value,
        }
    }
}

impl Curve<4> {
    /// The rotation at a time in seconds: a unit quaternion x, y, z, w.
    ///
    /// Linear keys turn at a constant speed along the shorter way (Shoemake, *Animating Rotation with Quaternion
    /// Curves*, 1985; glTF 2.0, appendix C), and a cubic spline is made unit after it was evaluated.
    /// Which of the two quaternions of a rotation a key has makes no difference to linear keys, but does to a spline.
    ///
    /// At a key it is the key's value to the last bit where that is a unit quaternion, and made unit where it is not.
    /// A quaternion of length zero, which is no rotation, counts as the identity.
    /// Times outside the keys are as for [`sample`](Curve::sample).
    ///
    /// ```
    /// use morph_anim::{Curve, Keys};
    /// use std::f32::consts::FRAC_1_SQRT_2;
    ///
    /// let half_turn = Curve::new([0.0, 1.0], Keys::Linear(vec![[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]]))?;
    /// assert_eq!(half_turn.sample_rotation(0.5), [0.0, FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2]);
    /// # Ok::<(), morph_anim::CurveError>(())
    /// ```
    pub fn sample_rotation(&self, time: f32) -> [f32; 4] {
        self.sample_rotation_from(time, &mut Cursor::default())
    }

    /// [`sample_rotation`](Curve::sample_rotation), with the search begun where the last one ended.
    pub fn sample_rotation_from(&self, time: f32, cursor: &mut Cursor) -> [f32; 4] {
        match find(self.times(), time, cursor) {
            Place::At(key) => unit_key(self.value(key)),
            Place::Between(segment) => match self.keys() {
                Keys::Step(values) => unit_key(values[segment.key]),
                Keys::Linear(values) => {
                    let (from, to) = (unit(values[segment.key]), unit(values[segment.key + 1]));
                    slerp(from, to, segment.ahead, segment.passed)
                }
                Keys::CubicSpline(keys) => {
                    let swung = DQuat::from_array(hermite(keys, &segment));
                    let length = swung.length();
                    if length > 0.0 {
                        to_f32(swung / length)
                    } else {
                        // A spline through the middle of the sphere says nothing about where it comes out.
                        unit_key(keys[segment.key].value)
                    }
                }
            },
        }
    }
}

/// The nearest finite number.
pub(crate) fn to_finite(x: f64) -> f32 {
    (x as f32).clamp(f32::MIN, f32::MAX)
}

/// The cubic Hermite spline of glTF 2.0, appendix C.
fn hermite<const N: usize>(keys: &[CubicKey<N>], segment: &Segment) -> [f64; N] {
    let (from, to) = (&keys[segment.key], &keys[segment.key + 1]);
    let (u, v) = (segment.passed, segment.ahead);
    let from_weight = (1.0 + 2.0 * u) * v * v;
    let to_weight = (1.0 + 2.0 * v) * u * u;
    let leave_weight = segment.seconds * u * v * v;
    let arrive_weight = -segment.seconds * u * u * v;
    std::array::from_fn(|i| {
        from_weight * f64::from(from.value[i])
            + leave_weight * f64::from(from.out_tangent[i])
            + to_weight * f64::from(to.value[i])
            + arrive_weight * f64::from(to.in_tangent[i])
    })
}

/// Turns from `from` by the part `passed` of the way to `to`, both unit, along the shorter way.
fn slerp(from: DQuat, to: DQuat, ahead: f64, passed: f64) -> [f32; 4] {
    let cosine = from.dot(to);
    let to = if cosine < 0.0 { -to } else { to };
    let cosine = cosine.abs();
    let mixed = if cosine > NEARLY_PARALLEL {
        from * ahead + to * passed
    } else {
        let angle = cosine.acos();
        from * (ahead * angle).sin() + to * (passed * angle).sin()
    };
    // Of unit quaternions at most a right angle apart no mixture is shorter than half the square root of two.
    to_f32(mixed.normalize())
}

/// A key's rotation: as it is, where it is a unit quaternion.
fn unit_key(key: [f32; 4]) -> [f32; 4] {
    let length_squared = to_f64(key).length_squared();
    if (length_squared - 1.0).abs() <= UNIT_TOLERANCE {
        key
    } else {
        to_f32(unit(key))
    }
}

fn unit(key: [f32; 4]) -> DQuat {
    let key = to_f64(key);
    let length = key.length();
    if length > 0.0 {
        key / length
    } else {
        DQuat::IDENTITY
    }
}

fn to_f64(quaternion: [f32; 4]) -> DQuat {
    DQuat::from_array(quaternion.map(f64::from))
}

fn to_f32(quaternion: DQuat) -> [f32; 4] {
    quaternion.to_array().map(|x| x as f32)
}
