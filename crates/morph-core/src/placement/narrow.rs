//! Numbers on their way into a row: finite, and within a 32-bit float.

use super::error::{PlacementError, PlacementField};

/// The names of components, for errors.
pub(super) const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// Refuses NaN and infinities.
pub(super) fn check_finite(field: PlacementField, values: &[f64]) -> Result<(), PlacementError> {
    match values
        .iter()
        .zip(COMPONENTS)
        .find(|(value, _)| !value.is_finite())
    {
        Some((&value, component)) => Err(PlacementError::NotFinite {
            field,
            component,
            value,
        }),
        None => Ok(()),
    }
}

/// The nearest 32-bit floats to finite numbers within their range.
pub(super) fn narrow<const N: usize>(
    field: PlacementField,
    values: [f64; N],
) -> Result<[f32; N], PlacementError> {
    check_finite(field, &values)?;
    match values
        .iter()
        .zip(COMPONENTS)
        .find(|(value, _)| value.abs() > f64::from(f32::MAX))
    {
        Some((&value, component)) => Err(PlacementError::BeyondF32 {
            field,
            component,
            value,
        }),
        None => Ok(values.map(|value| value as f32)),
    }
}
