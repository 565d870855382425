//! The weights of one instance, checked where they enter.

mod check;
mod error;
mod state;

pub use error::WeightError;
pub use state::WeightState;

pub(crate) use check::check_weights;

use crate::names::NameTable;

use check::{check_finite, slot_of};

/// Weights in slot order from (name, weight) pairs; targets that are not named get zero.
///
/// Where a name is given twice, the last one counts.
pub fn weights_from_names(pairs: &[(&str, f32)], names: &NameTable) -> Result<Vec<f32>, WeightError> {
    let mut weights = vec![0.0; names.len()];
    for &(name, weight) in pairs {
        let slot = slot_of(name, names)?;
        check_finite(slot, weight, names)?;
        weights[slot] = weight;
    }
    Ok(weights)
}
