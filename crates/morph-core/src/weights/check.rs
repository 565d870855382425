//! The checks that every weight passes where it enters.

use super::error::WeightError;
use crate::names::{NEAREST_NAME_COUNT, NameTable};

/// Refuses more weights than targets, and weights that are not finite.
pub(crate) fn check_weights(
    weights: &[f32],
    target_count: usize,
    names: &NameTable,
) -> Result<(), WeightError> {
    if weights.len() > target_count {
        return Err(WeightError::TooMany {
            given: weights.len(),
            target_count,
        });
    }
    // Without an early end, which would keep it from being done several weights at a time.
    if weights.iter().fold(true, |finite, w| finite & w.is_finite()) {
        return Ok(());
    }
    weights
        .iter()
        .enumerate()
        .try_for_each(|(slot, &w)| check_finite(slot, w, names))
}

pub(super) fn check_finite(slot: usize, value: f32, names: &NameTable) -> Result<(), WeightError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(WeightError::NotFinite {
        slot,
        name: names.name(slot).unwrap_or_default().to_owned(),
        value,
    })
}

/// The slot of a name, matched exactly.
pub(super) fn slot_of(name: &str, names: &NameTable) -> Result<usize, WeightError> {
    names.slot(name).ok_or_else(|| WeightError::UnknownName {
        name: name.to_owned(),
        nearest: names.nearest_owned(name, NEAREST_NAME_COUNT),
    })
}
