//! Expressions: named sets of target weights, as avatars in VRM have them, evaluated into weights on the host.
//!
//! The rules are those of `VRMC_vrm` 1.0, chapter "expressions": values are clamped to 0..=1, binary ones
//! become 0 or 1, some hold back blinking, gaze or lip sync, and what is left is summed per target.
//!
//! ```
//! use morph_core::NameTable;
//! use morph_core::expression::{Expression, ExpressionSet, Override};
//!
//! let targets = NameTable::new(["eyes_close", "smile"])?;
//! let blink = Expression::new("blink", [("eyes_close", 1.0)]);
//! let mut happy = Expression::new("happy", [("smile", 1.0), ("eyes_close", 0.25)]);
//! happy.overrides.blink = Override::Blend;
//! let set = ExpressionSet::new(vec![blink, happy], &targets)?;
//!
//! let mut weights = [0.0; 2];
//! set.evaluate(&[1.0, 0.5], &mut weights)?;
//! assert_eq!(weights, [0.5 + 0.125, 0.5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod preset;

pub use error::{ExpressionError, ExpressionValueError};
pub use preset::{Procedural, preset_of_vrm0};

use crate::domain::to_domain;
use crate::names::{Aliases, NameTable};

/// What an expression does to those of a kind while it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Override {
    /// Nothing.
    #[default]
    None,
    /// Switches them off, however little it shows.
    Block,
    /// Weakens them by as much as it shows.
    Blend,
}

/// What an expression does to each kind. What it says of its own kind is ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Overrides {
    /// To blinking.
    pub blink: Override,
    /// To the gaze.
    pub look_at: Override,
    /// To lip sync.
    pub mouth: Override,
}

impl Overrides {
    fn of(self, kind: Procedural) -> Override {
        match kind {
            Procedural::Blink => self.blink,
            Procedural::LookAt => self.look_at,
            Procedural::Mouth => self.mouth,
        }
    }
}

/// A named set of target weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expression {
    /// The name, unique within a set.
    pub name: String,
    /// What drives it by itself, if anything: expressions that override this kind hold it back.
    pub kind: Option<Procedural>,
    /// Whether it shows wholly above the value 0.5, and else not at all.
    pub is_binary: bool,
    /// How it holds others back. VRM 0.x has no such thing.
    pub overrides: Overrides,
    /// Weights of targets, by name, at the value 1. One that is named twice gets the sum.
    pub weights: Vec<(String, f32)>,
}

impl Expression {
    /// An expression without overrides, of the kind that a preset of its name has.
    pub fn new<N: Into<String>>(
        name: impl Into<String>,
        weights: impl IntoIterator<Item = (N, f32)>,
    ) -> Self {
        let name = name.into();
        Expression {
            kind: Procedural::of_preset(&name),
            name,
            weights: weights
                .into_iter()
                .map(|(name, weight)| (name.into(), weight))
                .collect(),
            ..Expression::default()
        }
    }

    /// How much of it shows at a value, before others hold it back.
    fn output(&self, value: f32) -> f32 {
        let clamped = value.clamp(0.0, 1.0);
        if self.is_binary {
            f32::from(u8::from(clamped > 0.5))
        } else {
            clamped
        }
    }

    /// How much it holds back those of a kind while it shows by `output`.
    fn holds_back(&self, kind: Procedural, output: f32) -> f32 {
        match self.overrides.of(kind) {
            _ if self.kind == Some(kind) => 0.0,
            Override::None => 0.0,
            Override::Block => f32::from(u8::from(output > 0.0)),
            Override::Blend => output,
        }
    }
}

/// The expressions of an avatar, bound to the targets of one mesh.
///
/// For an avatar of several meshes there is one set for each, with all expressions in every one, because
/// expressions hold one another back whether or not they move this mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpressionSet {
    names: NameTable,
    expressions: Vec<Expression>,
    /// For each expression its weights by slot.
    bound: Vec<Vec<(usize, f32)>>,
    target_count: usize,
}

impl ExpressionSet {
    /// Binds expressions to targets.
    ///
    /// Names of targets may be spelled otherwise than the mesh has them, as [`Aliases`] allows.
    pub fn new(expressions: Vec<Expression>, targets: &NameTable) -> Result<Self, ExpressionError> {
        let names = NameTable::new(expressions.iter().map(|it| it.name.as_str()))?;
        let aliases = Aliases::new(targets);
        let mut largest = vec![0.0f32; targets.len()];
        let mut bound = Vec::with_capacity(expressions.len());
        for expression in &expressions {
            let mut weights = Vec::with_capacity(expression.weights.len());
            for (target, weight) in &expression.weights {
                let slot = bind(expression, target, *weight, &aliases)?;
                weights.push((slot, *weight));
                largest[slot] += weight.abs();
            }
            bound.push(weights);
        }
        match largest.iter().position(|sum| !sum.is_finite()) {
            None => Ok(ExpressionSet {
                names,
                expressions,
                bound,
                target_count: targets.len(),
            }),
            Some(slot) => Err(ExpressionError::Overflow {
                target: targets.name(slot).unwrap_or_default().to_owned(),
            }),
        }
    }

    /// The names of the expressions, in the order of their values.
    pub fn names(&self) -> &NameTable {
        &self.names
    }

    /// The expressions.
    pub fn expressions(&self) -> &[Expression] {
        &self.expressions
    }

    /// Writes the weight of every target that an expression names, and leaves the others as they are.
    ///
    /// Values past the end of `values` are zero; `target_weights` has one place per target.
    /// How much an expression holds others back follows from its own value, not from how much of it is left
    /// after others held it back, so the order of the expressions does not matter to that.
    /// Allocates nothing. On an error nothing is written.
    pub fn evaluate(&self, values: &[f32], target_weights: &mut [f32]) -> Result<(), ExpressionValueError> {
        self.check(values, target_weights)?;
        let outputs = self.expressions.iter().zip(values);
        let outputs = outputs.map(|(expression, &value)| (expression, expression.output(value)));
        let held_back = Procedural::ALL.map(|kind| {
            let total: f32 = outputs
                .clone()
                .map(|(it, output)| it.holds_back(kind, output))
                .sum();
            total.min(1.0)
        });
        for &(slot, _) in self.bound.iter().flatten() {
            target_weights[slot] = 0.0;
        }
        for ((expression, output), bound) in outputs.zip(&self.bound) {
            let back = expression.kind.map_or(0.0, |kind| held_back[kind as usize]);
            // What is binary never shows in part.
            let left = if expression.is_binary && back > 0.0 {
                0.0
            } else {
                output * (1.0 - back)
            };
            for &(slot, weight) in bound {
                target_weights[slot] = to_domain(target_weights[slot] + left * weight);
            }
        }
        Ok(())
    }

    fn check(&self, values: &[f32], target_weights: &[f32]) -> Result<(), ExpressionValueError> {
        if values.len() > self.expressions.len() {
            return Err(ExpressionValueError::TooMany {
                given: values.len(),
                expression_count: self.expressions.len(),
            });
        }
        if target_weights.len() != self.target_count {
            return Err(ExpressionValueError::TargetCount {
                given: target_weights.len(),
                target_count: self.target_count,
            });
        }
        match values.iter().position(|value| value.is_nan()) {
            None => Ok(()),
            Some(expression) => Err(ExpressionValueError::NotANumber {
                expression,
                name: self.expressions[expression].name.clone(),
            }),
        }
    }
}

fn bind(
    expression: &Expression,
    target: &str,
    weight: f32,
    aliases: &Aliases<'_>,
) -> Result<usize, ExpressionError> {
    if !weight.is_finite() {
        return Err(ExpressionError::NotFinite {
            expression: expression.name.clone(),
            target: target.to_owned(),
            value: weight,
        });
    }
    let resolved = aliases
        .resolve(target)
        .map_err(|source| ExpressionError::Target {
            expression: expression.name.clone(),
            source,
        })?;
    Ok(resolved.slot)
}
