//! What a rig refuses, when it is made and when it is evaluated.

/// Why [`Rig::new`](super::Rig::new) refused.
///
/// Channels are counted from 0 in the order given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RigError {
    /// A channel drives nothing.
    #[error("channel {channel} has no shapes: give it one or leave it out")]
    NoShapes {
        /// The channel.
        channel: usize,
    },
    /// A combination multiplies nothing.
    #[error("channel {channel} is a combination of nothing: give it one or more parents")]
    NoParents {
        /// The channel.
        channel: usize,
    },
    /// A control that does not exist.
    #[error("channel {channel} reads control {control}, but there are {control_count}, counted from 0")]
    ControlOutOfRange {
        /// The channel.
        channel: usize,
        /// The control given.
        control: usize,
        /// How many controls there are.
        control_count: usize,
    },
    /// A target that does not exist.
    #[error("channel {channel} names target {slot}, but the mesh has {target_count}, counted from 0")]
    SlotOutOfRange {
        /// The channel.
        channel: usize,
        /// The slot given.
        slot: usize,
        /// How many targets the mesh has.
        target_count: usize,
    },
    /// A full weight is NaN, infinite, or zero as the domain rule sees it.
    #[error(
        "channel {channel}: target {slot} `{name}` is fully on at weight {full_weight}: give a finite number other than zero, where the rest pose stands"
    )]
    FullWeight {
        /// The channel.
        channel: usize,
        /// The target's slot.
        slot: usize,
        /// The target's name.
        name: String,
        /// The full weight given.
        full_weight: f32,
    },
    /// Two targets of one channel are fully on at one weight.
    #[error(
        "channel {channel}: targets `{first}` and `{second}` are both fully on at weight {full_weight}: give each shape of a channel a full weight of its own"
    )]
    DuplicateFullWeight {
        /// The channel.
        channel: usize,
        /// The name of one of them.
        first: String,
        /// The name of the other.
        second: String,
        /// The full weight of both.
        full_weight: f32,
    },
    /// A target would get its weight from two places.
    #[error("target {slot} `{name}` is driven by channels {first} and {second}: let one drive it")]
    DrivenTwice {
        /// The target's slot.
        slot: usize,
        /// The target's name.
        name: String,
        /// The first channel that drives it.
        first: usize,
        /// The next one; the same channel where it lists the target twice.
        second: usize,
    },
    /// Combinations depend on themselves.
    #[error(
        "the weights of targets `{}` depend on one another in a loop: take one of them out of the other's parents",
        .names.join("`, `")
    )]
    Loop {
        /// One target for each combination of the loop, each a parent of the next and the last of the first.
        names: Vec<String>,
    },
}

/// Why [`Rig::evaluate`](super::Rig::evaluate) refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// More weights than controls.
    #[error("{given} weights were given for {control_count} controls: give at most {control_count}")]
    TooManyControls {
        /// How many weights were given.
        given: usize,
        /// How many controls the rig has.
        control_count: usize,
    },
    /// The output does not have a place for each target.
    #[error(
        "there are places for {given} weights, but the mesh has {target_count} targets: give one for each"
    )]
    TargetCount {
        /// How many places were given.
        given: usize,
        /// How many targets the mesh has.
        target_count: usize,
    },
    /// A control's weight is NaN or infinite.
    #[error("the weight of control {control} `{name}` is {value}: weights must be finite numbers")]
    ControlNotFinite {
        /// The control.
        control: usize,
        /// Its name.
        name: String,
        /// What was given.
        value: f32,
    },
    /// A parent that no channel drives holds NaN or infinity.
    #[error(
        "the weight of target {slot}, which a combination reads, is {value}: weights must be finite numbers"
    )]
    ParentNotFinite {
        /// The target's slot.
        slot: usize,
        /// What it held.
        value: f32,
    },
    /// A product or a continued segment went past what a 32-bit float holds.
    #[error(
        "the weight of target {slot} would be {value}, past what a 32-bit float holds: give smaller weights"
    )]
    Overflow {
        /// The target's slot.
        slot: usize,
        /// What the weight would have been.
        value: f64,
    },
}
