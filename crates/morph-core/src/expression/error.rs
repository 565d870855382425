//! What a set of expressions refuses.

use crate::names::{NameError, ResolveError};

/// Why [`ExpressionSet::new`](super::ExpressionSet::new) refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionError {
    /// Two expressions have one name.
    #[error("expressions: {0}")]
    Name(#[from] NameError),
    /// A target's name fits none or several.
    #[error("expression `{expression}`: {source}")]
    Target {
        /// The expression's name.
        expression: String,
        /// What is wrong with the target's name.
        source: ResolveError,
    },
    /// A weight is NaN or infinite.
    #[error(
        "expression `{expression}`: the weight of target `{target}` is {value}: weights must be finite numbers"
    )]
    NotFinite {
        /// The expression's name.
        expression: String,
        /// The target's name, as the expression has it.
        target: String,
        /// What was given.
        value: f32,
    },
    /// All expressions together could take a target past what a 32-bit float holds.
    #[error(
        "the weights that expressions give target `{target}` add up to more than a 32-bit float holds: give smaller weights"
    )]
    Overflow {
        /// The target's name.
        target: String,
    },
}

/// Why [`ExpressionSet::evaluate`](super::ExpressionSet::evaluate) refused; nothing was written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionValueError {
    /// More values than expressions.
    #[error("{given} values were given for {expression_count} expressions: give at most {expression_count}")]
    TooMany {
        /// How many values were given.
        given: usize,
        /// How many expressions there are.
        expression_count: usize,
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
    /// A value is NaN.
    #[error("the value of expression {expression} `{name}` is NaN: give a number, which is clamped to 0..=1")]
    NotANumber {
        /// Which expression.
        expression: usize,
        /// Its name.
        name: String,
    },
}
