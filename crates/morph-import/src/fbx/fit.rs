//! Cubic splines through a function of time.
//!
//! FBX turns by Euler angles, offsets and pivots, its tangents have lengths, and layers are blended: what comes out is
//! no spline of the kind that clips hold. Between the times at which the function may bend, it is followed by cubics
//! with its own values and slopes at their ends, halved until they are near enough.

use morph_anim::CubicKey;

/// How far a cubic may be off at seven places inside it, as a part of the largest component there.
const TOLERANCE: f64 = 2e-7;
/// How often the time between two bends may be halved.
const MOST_HALVINGS: u32 = 6;
/// Slopes are measured with steps of this part of a piece: small enough for their error to vanish beside that of the
/// cubic, and wide enough for the rounding of the function to do so too.
const SLOPE_STEP: f64 = 1.0 / 32.0;
/// What happens within this part of the time between two bends, and is not continued, is a jump.
const JUMP_STEP: f64 = 1e-6;

/// Whether the sign of a value means nothing, as with a quaternion.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Vector,
    Quaternion,
}

/// A key in 64 bits: in slope, value, out slope.
#[derive(Clone, Copy)]
struct Key<const N: usize> {
    time: f64,
    slopes: [[f64; N]; 2],
    value: [f64; N],
}

/// Times that rise and keys with finite numbers, unless the function itself has others.
pub(super) struct Fitted<const N: usize> {
    pub(super) times: Vec<f32>,
    pub(super) keys: Vec<CubicKey<N>>,
}

impl<const N: usize> Fitted<N> {
    /// Whether the value never changes.
    pub(super) fn is_constant(&self) -> bool {
        let flat = |key: &CubicKey<N>| {
            [key.in_tangent, key.out_tangent]
                .as_flattened()
                .iter()
                .all(|&slope| slope == 0.0)
        };
        self.keys
            .iter()
            .all(|key| key.value == self.keys[0].value && flat(key))
    }
}

/// Follows `function` from the first to the last of `bends`, which rise and between which it is smooth.
pub(super) fn fit<const N: usize>(
    kind: Kind,
    bends: &[f64],
    function: impl Fn(f64) -> [f64; N],
) -> Fitted<N> {
    let mut fitter = Fitter {
        kind,
        function,
        keys: Vec::new(),
    };
    if let Some(&first) = bends.first() {
        let value = (fitter.function)(first);
        fitter.keys.push(Key {
            time: first,
            slopes: [[0.0; N]; 2],
            value,
        });
    }
    for ends in bends.windows(2) {
        fitter.smooth_part(ends[0], ends[1]);
    }
    narrow(&fitter.keys)
}

struct Fitter<const N: usize, F> {
    kind: Kind,
    function: F,
    keys: Vec<Key<N>>,
}

impl<const N: usize, F: Fn(f64) -> [f64; N]> Fitter<N, F> {
    /// Adds the keys of the time between two bends. The value at the start is there already.
    fn smooth_part(&mut self, start: f64, end: f64) {
        let step = (end - start) * JUMP_STEP;
        let Some(&Key { value: before, .. }) = self.keys.last() else {
            return;
        };
        // The function at the ends as it is from the inside: steps jump at one of them.
        let mut first = before;
        let after = self.near(first, start + step);
        if jumps(first, after, self.near(after, start + 2.0 * step)) {
            first = after;
            self.keys.push(Key {
                time: f64::from((start as f32).next_up()),
                slopes: [[0.0; N]; 2],
                value: first,
            });
        }
        let value_at_end = self.near(first, end);
        let inside = self.near(first, end - step);
        let value_at_end_aligned = self.aligned(inside, value_at_end);
        let jump = jumps(value_at_end_aligned, inside, self.near(inside, end - 2.0 * step));
        self.piece(start, first, end, jump.then_some(inside), MOST_HALVINGS);
        if jump {
            if let Some(key) = self.keys.last_mut() {
                key.time = f64::from((end as f32).next_down());
            }
            self.keys.push(Key {
                time: end,
                slopes: [[0.0; N]; 2],
                value: value_at_end_aligned,
            });
        }
    }

    /// Adds the end of a piece, and halves before it as needed. `last` is the value there if it is not the function's.
    fn piece(&mut self, start: f64, first: [f64; N], end: f64, last: Option<[f64; N]>, halvings: u32) {
        let length = end - start;
        // Samples in a row, each with the sign of the one before.
        let mut samples = [first; 9];
        for index in 1..9 {
            let sample = match last {
                Some(last) if index == 8 => self.aligned(samples[7], last),
                _ => self.near(samples[index - 1], start + length * index as f64 / 8.0),
            };
            samples[index] = sample;
        }
        let last_value = samples[8];
        let out_slope = self.slope(start, first, length * SLOPE_STEP);
        let in_slope = self.slope(end, last_value, -length * SLOPE_STEP);
        let size = samples
            .as_flattened()
            .iter()
            .fold(1e-9, |size: f64, value| size.max(value.abs()));
        let off = (1..8).any(|index| {
            let at = hermite(
                index as f64 / 8.0,
                length,
                [first, out_slope, last_value, in_slope],
            );
            let difference = |n: usize| (at[n] - samples[index][n]).abs();
            (0..N).any(|n| difference(n) > TOLERANCE * size)
        });
        if off && halvings > 0 {
            let middle = start + length / 2.0;
            self.piece(start, first, middle, None, halvings - 1);
            self.piece(middle, samples[4], end, Some(last_value), halvings - 1);
            return;
        }
        if let Some(key) = self.keys.last_mut() {
            key.slopes[1] = out_slope;
        }
        self.keys.push(Key {
            time: end,
            slopes: [in_slope, [0.0; N]],
            value: last_value,
        });
    }

    /// The one-sided slope, exact for cubics; `step` is negative where the function is to be looked at before `time`.
    fn slope(&self, time: f64, value: [f64; N], step: f64) -> [f64; N] {
        let [one, two, three] = [1.0, 2.0, 3.0].map(|steps| self.near(value, time + steps * step));
        std::array::from_fn(|n| {
            let slope = (18.0 * one[n] - 11.0 * value[n] - 9.0 * two[n] + 2.0 * three[n]) / (6.0 * step);
            // What rounding makes of a function that stands still.
            let noise = 1e-13 * value[n].abs().max(1e-9) / step.abs();
            if slope.abs() <= noise { 0.0 } else { slope }
        })
    }

    fn near(&self, reference: [f64; N], time: f64) -> [f64; N] {
        self.aligned(reference, (self.function)(time))
    }

    /// The value with the sign that brings it nearer to the reference, where the sign means nothing.
    fn aligned(&self, reference: [f64; N], value: [f64; N]) -> [f64; N] {
        let dot: f64 = reference.iter().zip(&value).map(|(a, b)| a * b).sum();
        if self.kind == Kind::Quaternion && dot < 0.0 {
            value.map(|component| -component)
        } else {
            value
        }
    }
}

/// Whether a function goes further in the first instant than in the second, by more than a bend could do.
fn jumps<const N: usize>(at: [f64; N], near: [f64; N], further: [f64; N]) -> bool {
    (0..N).any(|n| {
        let size = at[n].abs().max(near[n].abs());
        (near[n] - at[n]).abs() > 10.0 * (further[n] - near[n]).abs() + 1e-7 * size
    })
}

/// The cubic with values and slopes at the ends of a piece, at a part of its length.
fn hermite<const N: usize>(
    t: f64,
    length: f64,
    [first, out_slope, last, in_slope]: [[f64; N]; 4],
) -> [f64; N] {
    let (t2, t3) = (t * t, t * t * t);
    std::array::from_fn(|n| {
        (2.0 * t3 - 3.0 * t2 + 1.0) * first[n]
            + (t3 - 2.0 * t2 + t) * length * out_slope[n]
            + (3.0 * t2 - 2.0 * t3) * last[n]
            + (t3 - t2) * length * in_slope[n]
    })
}

/// Rounds keys to 32 bits, where times that have become equal move on by an instant, so that they rise.
fn narrow<const N: usize>(keys: &[Key<N>]) -> Fitted<N> {
    let mut fitted = Fitted {
        times: Vec::with_capacity(keys.len()),
        keys: Vec::with_capacity(keys.len()),
    };
    for key in keys {
        let mut time = key.time as f32;
        if let Some(&last) = fitted.times.last()
            && time <= last
        {
            time = last.next_up();
        }
        fitted.times.push(time);
        fitted.keys.push(CubicKey {
            in_tangent: key.slopes[0].map(|slope| slope as f32),
            value: key.value.map(|value| value as f32),
            out_tangent: key.slopes[1].map(|slope| slope as f32),
        });
    }
    fitted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_is_one_piece() {
        let fitted = fit(Kind::Vector, &[0.0, 2.0], |t| [t * t * t - t]);
        assert_eq!(fitted.times, [0.0, 2.0]);
        assert!((fitted.keys[0].out_tangent[0] + 1.0).abs() < 1e-6);
        assert!((fitted.keys[1].in_tangent[0] - 11.0).abs() < 1e-5);
    }

    #[test]
    fn steps_stay_steps() {
        let fitted = fit(Kind::Vector, &[0.0, 1.0, 2.0], |t| {
            [if t < 1.0 { 3.0 } else { 5.0 }]
        });
        let values: Vec<f32> = fitted.keys.iter().map(|key| key.value[0]).collect();
        assert_eq!(values, [3.0, 3.0, 5.0, 5.0]);
        assert_eq!(fitted.times, [0.0, 1.0_f32.next_down(), 1.0, 2.0]);
        assert!(
            fitted
                .keys
                .iter()
                .all(|key| key.in_tangent == [0.0] && key.out_tangent == [0.0])
        );
        assert!(!fitted.is_constant());
    }

    #[test]
    fn turning_quaternions_keep_their_sign() {
        let turn = |t: f64| [(4.0 * t).sin(), 0.0, 0.0, (4.0 * t).cos()];
        // The sign of the function flips; what is fitted goes on.
        let fitted = fit(Kind::Quaternion, &[0.0, 1.0], |t| {
            if t > 0.3 { turn(t).map(|x| -x) } else { turn(t) }
        });
        assert!(fitted.keys.len() > 4);
        for pair in fitted.keys.windows(2) {
            let dot: f32 = pair[0].value.iter().zip(&pair[1].value).map(|(a, b)| a * b).sum();
            assert!(dot > 0.5);
        }
    }
}
