//! Weights that are refused.

use crate::names::{on_one_line, suggestion};

/// A weight that cannot be set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WeightError {
    /// NaN or infinity.
    #[error(
        "the weight of target {slot} `{}` is {value}: weights must be finite numbers",
        on_one_line(name)
    )]
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
    #[error("no target is named `{}`{}", on_one_line(name), suggestion(nearest))]
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
