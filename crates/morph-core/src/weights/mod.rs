//! The weights of one instance, checked where they enter.

use crate::domain::to_domain;
use crate::names::NameTable;

/// A weight that cannot be set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WeightError {
    /// NaN or infinity.
    #[error("the weight of target {slot} `{name}` is {value}: weights must be finite numbers")]
    NotFinite {
        /// The target's slot.
        slot: usize,
        /// The target's name.
        name: String,
        /// What was given.
        value: f32,
    },
    /// More weights than targets.
    #[error("{given} weights were given for a mesh of {target_count} targets: give at most {target_count}")]
    TooMany {
        /// How many weights were given.
        given: usize,
        /// How many targets the mesh has.
        target_count: usize,
    },
    /// No target has this name.
    #[error("no target is named `{name}`{}", suggestion(nearest))]
    UnknownName {
        /// The name given.
        name: String,
        /// The nearest names that the mesh has, the likeliest first.
        nearest: Vec<String>,
    },
    /// No target has this slot.
    #[error("there is no target {slot}: the mesh has {target_count} targets, counted from 0")]
    SlotOutOfRange {
        /// The slot given.
        slot: usize,
        /// How many targets the mesh has.
        target_count: usize,
    },
}

fn suggestion(nearest: &[String]) -> String {
    if nearest.is_empty() {
        return ": the mesh has no targets".to_owned();
    }
    format!(": the nearest names are `{}`", nearest.join("`, `"))
}

/// How many names an unknown one is compared with in an error.
const NEAREST_NAME_COUNT: usize = 5;

/// The current weights of one instance.
///
/// Values are canonical: finite, with the domain rule applied, one per target.
/// Setting what is set already costs a comparison, reports "not changed" and leaves the version alone.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightState {
    values: Vec<f32>,
    version: u64,
}

impl WeightState {
    /// All weights zero (the rest pose), version 0.
    pub fn new(target_count: usize) -> Self {
        WeightState {
            values: vec![0.0; target_count],
            version: 0,
        }
    }

    /// One weight per target.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Rises by one with every call that changed a value.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The targets with a weight other than zero, ascending.
    pub fn active(&self) -> impl Iterator<Item = (usize, f32)> {
        self.values.iter().copied().enumerate().filter(|&(_, w)| w != 0.0)
    }

    /// Sets all weights and says whether any changed.
    ///
    /// A shorter array reads as zero for the rest, so an empty one is the rest pose.
    /// Negative weights and weights past one are applied as they are.
    /// On an error nothing changes.
    pub fn set_all(&mut self, weights: &[f32], names: &NameTable) -> Result<bool, WeightError> {
        check_weights(weights, self.values.len(), names)?;
        let canonical = weights
            .iter()
            .map(|&w| to_domain(w))
            .chain(std::iter::repeat(0.0));
        let mut changed = false;
        for (value, w) in self.values.iter_mut().zip(canonical) {
            changed |= *value != w;
            *value = w;
        }
        self.version += u64::from(changed);
        Ok(changed)
    }

    /// Sets the weight of one target and says whether it changed.
    pub fn set_slot(&mut self, slot: usize, weight: f32, names: &NameTable) -> Result<bool, WeightError> {
        let target_count = self.values.len();
        let value = self
            .values
            .get_mut(slot)
            .ok_or(WeightError::SlotOutOfRange { slot, target_count })?;
        check_finite(slot, weight, names)?;
        let w = to_domain(weight);
        let changed = *value != w;
        *value = w;
        self.version += u64::from(changed);
        Ok(changed)
    }

    /// Sets the weight of the target with this name and says whether it changed.
    pub fn set_named(&mut self, name: &str, weight: f32, names: &NameTable) -> Result<bool, WeightError> {
        self.set_slot(slot_of(name, names)?, weight, names)
    }
}

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
    weights
        .iter()
        .enumerate()
        .try_for_each(|(slot, &w)| check_finite(slot, w, names))
}

fn check_finite(slot: usize, value: f32, names: &NameTable) -> Result<(), WeightError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(WeightError::NotFinite {
        slot,
        name: names.name(slot).unwrap_or_default().to_owned(),
        value,
    })
}

fn slot_of(name: &str, names: &NameTable) -> Result<usize, WeightError> {
    names.slot(name).ok_or_else(|| WeightError::UnknownName {
        name: name.to_owned(),
        nearest: names
            .nearest(name, NEAREST_NAME_COUNT)
            .into_iter()
            .map(str::to_owned)
            .collect(),
    })
}
