//! Curves: keys over time, kept exactly as they were authored.

use std::sync::Arc;

/// Values over time, of `N` components.
///
/// The times may be shared with other curves: all weights of one mesh usually have keys at the same times.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve<const N: usize> {
    times: Arc<[f32]>,
    keys: Keys<N>,
}

/// The values at the keys, and what lies between them.
#[derive(Clone, Debug, PartialEq)]
pub enum Keys<const N: usize> {
    /// A value holds until the next key.
    Step(Vec<[f32; N]>),
    /// Straight between keys; rotations turn at a constant speed along the shorter way.
    Linear(Vec<[f32; N]>),
    /// A cubic Hermite spline through the values, with the tangents that are given.
    CubicSpline(Vec<CubicKey<N>>),
}

/// A key of a cubic spline. Tangents are per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubicKey<const N: usize> {
    /// The slope with which the curve arrives.
    pub in_tangent: [f32; N],
    /// The value at the key.
    pub value: [f32; N],
    /// The slope with which the curve leaves.
    pub out_tangent: [f32; N],
}

/// Why keys are no curve.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CurveError {
    /// There are too few keys.
    #[error("a curve of this kind needs {least} keys at least, and has {found}")]
    TooFewKeys {
        /// How many there have to be: two for a cubic spline, else one.
        least: usize,
        /// How many there are.
        found: usize,
    },
    /// There are not as many values as times.
    #[error("there are {values} values for {times} times: give one for each")]
    Count {
        /// How many times there are.
        times: usize,
        /// How many values there are.
        values: usize,
    },
    /// A time does not come after the one before, or is not finite.
    #[error("the time of key {key} is {time}: times must be finite and rise from key to key")]
    Time {
        /// The key.
        key: usize,
        /// Its time in seconds.
        time: f32,
    },
    /// A value or tangent is NaN or infinite.
    #[error("the value of key {key} is not finite")]
    NotFinite {
        /// The key.
        key: usize,
    },
}

impl<const N: usize> Keys<N> {
    /// How many keys there are.
    pub fn len(&self) -> usize {
        match self {
            Keys::Step(values) | Keys::Linear(values) => values.len(),
            Keys::CubicSpline(keys) => keys.len(),
        }
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn is_finite(&self, key: usize) -> bool {
        let finite = |values: &[f32; N]| values.iter().all(|x| x.is_finite());
        match self {
            Keys::Step(values) | Keys::Linear(values) => finite(&values[key]),
            Keys::CubicSpline(keys) => {
                let CubicKey {
                    in_tangent,
                    value,
                    out_tangent,
                } = &keys[key];
                finite(in_tangent) && finite(value) && finite(out_tangent)
            }
        }
    }
}

impl<const N: usize> Curve<N> {
    /// Makes a curve of keys at times in seconds.
    ///
    /// # Errors
    /// Where there is no key, or only one for a spline; where counts differ; where times do not rise; where anything
    /// is not finite.
    pub fn new(times: impl Into<Arc<[f32]>>, keys: Keys<N>) -> Result<Self, CurveError> {
        let times = times.into();
        let least = if matches!(keys, Keys::CubicSpline(_)) {
            2
        } else {
            1
        };
        if times.len() != keys.len() {
            return Err(CurveError::Count {
                times: times.len(),
                values: keys.len(),
            });
        }
        if times.len() < least {
            return Err(CurveError::TooFewKeys {
                least,
                found: times.len(),
            });
        }
        for (key, &time) in times.iter().enumerate() {
            if !time.is_finite() || (key > 0 && time <= times[key - 1]) {
                return Err(CurveError::Time { key, time });
            }
        }
        match (0..keys.len()).find(|&key| !keys.is_finite(key)) {
            Some(key) => Err(CurveError::NotFinite { key }),
            None => Ok(Curve { times, keys }),
        }
    }

    /// The curve with the same times whose every value and tangent went through a linear function, such as another
    /// choice of axes and units.
    ///
    /// # Errors
    /// Where what comes out is not finite.
    pub fn map_linear(&self, f: impl Fn([f32; N]) -> [f32; N]) -> Result<Self, CurveError> {
        let map = |values: &[[f32; N]]| values.iter().map(|&value| f(value)).collect();
        let keys = match &self.keys {
            Keys::Step(values) => Keys::Step(map(values)),
            Keys::Linear(values) => Keys::Linear(map(values)),
            Keys::CubicSpline(keys) => {
                let map = |key: &CubicKey<N>| CubicKey {
                    in_tangent: f(key.in_tangent),
                    value: f(key.value),
                    out_tangent: f(key.out_tangent),
                };
                Keys::CubicSpline(keys.iter().map(map).collect())
            }
        };
        Self::new(Arc::clone(&self.times), keys)
    }

    /// The times of the keys in seconds: rising.
    pub fn times(&self) -> &[f32] {
        &self.times
    }

    /// The values at the keys.
    pub fn keys(&self) -> &Keys<N> {
        &self.keys
    }

    /// The time of the first key in seconds.
    pub fn start(&self) -> f32 {
        self.times[0]
    }

    /// The time of the last key in seconds.
    pub fn end(&self) -> f32 {
        self.times[self.times.len() - 1]
    }
}
