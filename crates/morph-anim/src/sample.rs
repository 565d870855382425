//! The value of a curve at a time.
//!
//! What lies between keys is computed in double precision and rounded once.
//! A curve of finite keys therefore has finite values everywhere; only where a spline swings past the largest `f32` is
//! its value that number.

use glam::DQuat;

use crate::cursor::{Cursor, Place, Segment, find};
use crate::curve::{CubicKey, Curve, Keys};
use crate::number::to_finite;
use crate::rotation::{from_key, slerp, to_key, unit_else, unit_key};

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
                    let (from, to) = (from_key(values[segment.key]), from_key(values[segment.key + 1]));
                    to_key(slerp(from, to, segment.ahead, segment.passed))
                }
                Keys::CubicSpline(keys) => {
                    // A spline through the middle of the sphere says nothing about where it comes out.
                    let before = from_key(keys[segment.key].value);
                    to_key(unit_else(DQuat::from_array(hermite(keys, &segment)), before))
                }
            },
        }
    }
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
