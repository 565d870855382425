//! The weights of one instance: as saved, as they are now, and whether they show.

use super::check::{check_finite, check_weights, slot_of};
use super::error::WeightError;
use crate::domain::to_domain;
use crate::names::NameTable;

/// Run-time weights, authored weights, zeros.
const ARRAY_COUNT: usize = 3;

/// The weights of one instance.
///
/// There are two arrays of one weight per target: the *authored* weights, which are saved with the scene, and
/// the *run-time* weights, which animation changes and which are shown.
/// Morphs can be switched off, which keeps both and shows the rest pose.
///
/// Values are canonical: finite, with the domain rule applied.
/// Setting what is set already costs a comparison, reports "not changed" and leaves the version alone.
/// Nothing here allocates after the state was made, errors excepted.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightState {
    /// Three arrays of one weight per target, one behind the other, so that a state is one piece of memory: the run-time
    /// weights, the authored ones, and the zeros that are shown while morphs are off.
    arrays: Box<[f32]>,
    enabled: bool,
    version: u64,
}

impl WeightState {
    /// All weights zero (the rest pose), authored and run-time; morphs on, version 0.
    pub fn new(target_count: usize) -> Self {
        WeightState {
            arrays: vec![0.0; target_count * ARRAY_COUNT].into_boxed_slice(),
            enabled: true,
            version: 0,
        }
    }

    /// Starts with authored weights; missing ones are zero.
    pub fn with_authored(authored: &[f32], names: &NameTable) -> Result<Self, WeightError> {
        let mut state = WeightState::new(names.len());
        state.set_authored(authored, names)?;
        let [values, authored] = state.arrays_mut();
        values.copy_from_slice(authored);
        Ok(state)
    }

    fn target_count(&self) -> usize {
        self.arrays.len() / ARRAY_COUNT
    }

    /// Array number `index` of the three.
    fn array(&self, index: usize) -> &[f32] {
        let count = self.target_count();
        &self.arrays[index * count..][..count]
    }

    /// The run-time weights and the authored ones.
    fn arrays_mut(&mut self) -> [&mut [f32]; 2] {
        let count = self.target_count();
        let (values, rest) = self.arrays.split_at_mut(count);
        [values, &mut rest[..count]]
    }

    /// The run-time weights, one per target, whether or not morphs are on.
    pub fn values(&self) -> &[f32] {
        self.array(0)
    }

    /// What is shown: the run-time weights, or zeros while morphs are off.
    pub fn effective(&self) -> &[f32] {
        self.array(if self.enabled { 0 } else { 2 })
    }

    /// The authored weights, one per target.
    pub fn authored(&self) -> &[f32] {
        self.array(1)
    }

    /// The run-time weight of one target, or `None` past the last one.
    pub fn get(&self, slot: usize) -> Option<f32> {
        self.values().get(slot).copied()
    }

    /// The run-time weight of the target with this name.
    pub fn get_named(&self, name: &str, names: &NameTable) -> Result<f32, WeightError> {
        let slot = slot_of(name, names)?;
        self.get(slot).ok_or(WeightError::SlotOutOfRange {
            slot,
            target_count: self.target_count(),
        })
    }

    /// Rises by one with every call that changed a run-time weight or switched morphs.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The targets with a run-time weight other than zero, ascending.
    pub fn active(&self) -> impl Iterator<Item = (usize, f32)> {
        self.values()
            .iter()
            .copied()
            .enumerate()
            .filter(|&(_, w)| w != 0.0)
    }

    /// Sets all run-time weights and says whether any changed.
    ///
    /// A shorter array reads as zero for the rest, so an empty one is the rest pose.
    /// Negative weights and weights past one are applied as they are.
    /// On an error nothing changes.
    pub fn set_all(&mut self, weights: &[f32], names: &NameTable) -> Result<bool, WeightError> {
        check_weights(weights, self.target_count(), names)?;
        let [values, _] = self.arrays_mut();
        let changed = copy(weights, values);
        self.version += u64::from(changed);
        Ok(changed)
    }

    /// Sets the run-time weight of one target and says whether it changed.
    pub fn set_slot(&mut self, slot: usize, weight: f32, names: &NameTable) -> Result<bool, WeightError> {
        let target_count = self.target_count();
        let [values, _] = self.arrays_mut();
        let value = values
            .get_mut(slot)
            .ok_or(WeightError::SlotOutOfRange { slot, target_count })?;
        check_finite(slot, weight, names)?;
        let w = to_domain(weight);
        let changed = *value != w;
        *value = w;
        self.version += u64::from(changed);
        Ok(changed)
    }

    /// Sets the run-time weight of the target with this name and says whether it changed.
    pub fn set_named(&mut self, name: &str, weight: f32, names: &NameTable) -> Result<bool, WeightError> {
        self.set_slot(slot_of(name, names)?, weight, names)
    }

    /// Sets all authored weights, as [`set_all`](Self::set_all) does the run-time ones, which stay.
    ///
    /// Says whether any changed; the version, which is about what is shown, does not.
    pub fn set_authored(&mut self, weights: &[f32], names: &NameTable) -> Result<bool, WeightError> {
        check_weights(weights, self.target_count(), names)?;
        let [_, authored] = self.arrays_mut();
        Ok(copy(weights, authored))
    }

    /// Makes the run-time weights the authored ones, as an editor does on saving, and says whether any changed.
    pub fn author(&mut self) -> bool {
        let [values, authored] = self.arrays_mut();
        copy(values, authored)
    }

    /// Makes the authored weights the run-time ones and says whether any changed.
    pub fn reset(&mut self) -> bool {
        let [values, authored] = self.arrays_mut();
        let changed = copy(authored, values);
        self.version += u64::from(changed);
        changed
    }

    /// Whether morphs are on.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Switches morphs on or off, and says whether that is a change. Weights are kept.
    pub fn set_enabled(&mut self, enabled: bool) -> bool {
        let changed = self.enabled != enabled;
        self.enabled = enabled;
        self.version += u64::from(changed);
        changed
    }
}

/// Copies weights that were checked, zero for those that are missing, and says whether any changed.
///
/// This runs for every instance in every frame, so it is written for vector instructions, without an early end: canonical
/// weights are neither -0 nor NaN, and equal exactly where their bits are.
fn copy(from: &[f32], to: &mut [f32]) -> bool {
    let (given, missing) = to.split_at_mut(from.len().min(to.len()));
    let mut difference = 0;
    for (value, &w) in given.iter_mut().zip(from) {
        let w = to_domain(w);
        difference |= value.to_bits() ^ w.to_bits();
        *value = w;
    }
    for value in missing {
        difference |= value.to_bits();
        *value = 0.0;
    }
    difference != 0
}
