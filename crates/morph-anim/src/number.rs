//! Back from double precision.

/// The nearest number within the range of `f32`.
pub(crate) fn bounded(x: f64) -> f64 {
    x.clamp(f64::from(f32::MIN), f64::from(f32::MAX))
}

/// The nearest `f32` that is finite.
pub(crate) fn to_finite(x: f64) -> f32 {
    bounded(x) as f32
}
