//! Expressions of avatars: named sets of weights, across the meshes of a model.

use morph_core::expression::{Expression, ExpressionSet, Overrides, Procedural};
use morph_core::{NameError, NameTable};

use crate::model::Model;
use crate::playback::PlaybackError;

/// A named set of target weights that may reach several nodes, as VRM has it.
///
/// [`Model::expression_set`] makes of all expressions what gives a node its weights.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelExpression {
    /// The name, distinct within the model. A preset of VRM 0.x has the name that it has in 1.0, such as `blinkLeft`
    /// for `blink_l`.
    pub name: String,
    /// Whether it is one of the presets that all avatars agree on; else the avatar's maker invented it.
    pub is_preset: bool,
    /// What drives it by itself, if anything.
    pub kind: Option<Procedural>,
    /// Whether it shows wholly or not at all.
    pub is_binary: bool,
    /// How it holds others back. VRM 0.x has no such thing.
    pub overrides: Overrides,
    /// What it gives weights to. Binds of materials and texture transforms are not read.
    pub binds: Vec<ExpressionBind>,
}

/// The weight that an expression gives one target of one node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpressionBind {
    /// The index of the node in [`Model::nodes`]; it shows a mesh.
    pub node: usize,
    /// The target's slot in that mesh.
    pub slot: usize,
    /// The weight at the expression's full value, 1 for the whole target.
    pub weight: f32,
}

impl Model {
    /// The expressions as they move one node: all of them, in the order of [`Model::expressions`], each with the
    /// targets that it moves there.
    ///
    /// Those that move nothing there are in it too, because they may hold others back. Where several nodes show what
    /// expressions move, each gets a set of its own and the same values.
    ///
    /// # Errors
    /// Where there is no such node, the names of its mesh's targets or of the expressions are not distinct, or weights
    /// are not finite or add up to what is not.
    pub fn expression_set(&self, node: usize) -> Result<ExpressionSet, PlaybackError> {
        let count = self.nodes.len();
        let shown = self
            .nodes
            .get(node)
            .ok_or(PlaybackError::NoNode { node, count })?;
        let mesh = shown
            .mesh
            .and_then(|index| Some((index, self.meshes.get(index)?)));
        let targets = match mesh {
            Some((index, mesh)) => NameTable::new(mesh.target_names.iter().map(String::as_str))
                .map_err(|reason: NameError| PlaybackError::Names { mesh: index, reason })?,
            None => NameTable::default(),
        };
        let bound = |expression: &ModelExpression| {
            let here = expression.binds.iter().filter(|bind| bind.node == node);
            let weights = here.filter_map(|bind| Some((targets.name(bind.slot)?.to_owned(), bind.weight)));
            Expression {
                name: expression.name.clone(),
                kind: expression.kind,
                is_binary: expression.is_binary,
                overrides: expression.overrides,
                weights: weights.collect(),
            }
        };
        let expressions = self.expressions.iter().map(bound).collect();
        Ok(ExpressionSet::new(expressions, &targets)?)
    }
}
