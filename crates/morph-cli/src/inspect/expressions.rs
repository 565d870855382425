//! The expressions of an avatar, gathered and printed.

use morph_core::expression::{Override, Procedural};
use morph_import::{Model, ModelExpression};

use super::print::line;
use super::report::{BindReport, ExpressionReport, OverridesReport};
use crate::text::{brief, number};

/// More binds than this are told by their number.
const SHOWN_BINDS: usize = 4;

/// What the model's expressions are.
pub(super) fn collect(model: &Model) -> Vec<ExpressionReport> {
    let report = |expression: &ModelExpression| ExpressionReport {
        name: expression.name.clone(),
        preset: expression.is_preset,
        kind: expression.kind.map(|kind| match kind {
            Procedural::Blink => "blink",
            Procedural::LookAt => "look_at",
            Procedural::Mouth => "mouth",
        }),
        binary: expression.is_binary,
        overrides: OverridesReport {
            blink: word(expression.overrides.blink),
            look_at: word(expression.overrides.look_at),
            mouth: word(expression.overrides.mouth),
        },
        binds: expression
            .binds
            .iter()
            .map(|bind| BindReport {
                node: bind.node,
                slot: bind.slot,
                target: target_name(model, bind.node, bind.slot).to_owned(),
                weight: bind.weight,
            })
            .collect(),
    };
    model.expressions.iter().map(report).collect()
}

fn word(how: Override) -> &'static str {
    match how {
        Override::None => "none",
        Override::Block => "block",
        Override::Blend => "blend",
    }
}

fn target_name(model: &Model, node: usize, slot: usize) -> &str {
    let mesh = model.nodes.get(node).and_then(|node| node.mesh);
    let mesh = mesh.and_then(|mesh| model.meshes.get(mesh));
    mesh.and_then(|mesh| mesh.target_names.get(slot))
        .map_or("", String::as_str)
}

/// One line for each expression.
pub(super) fn print(text: &mut String, expressions: &[ExpressionReport]) {
    if !expressions.is_empty() {
        text.push('\n');
    }
    for expression in expressions {
        let origin = if expression.preset { "preset" } else { "custom" };
        let mut parts = vec![origin.to_owned()];
        if expression.binary {
            parts.push("binary".to_owned());
        }
        let overrides = &expression.overrides;
        for (kind, how) in [
            ("blinking", overrides.blink),
            ("the gaze", overrides.look_at),
            ("lip sync", overrides.mouth),
        ] {
            match how {
                "block" => parts.push(format!("blocks {kind}")),
                "blend" => parts.push(format!("weakens {kind}")),
                _ => {}
            }
        }
        let binds = &expression.binds;
        if binds.is_empty() {
            parts.push("moves nothing".to_owned());
        } else if binds.len() > SHOWN_BINDS {
            parts.push(format!("gives {} targets weights", binds.len()));
        } else {
            let bind = |bind: &BindReport| {
                let weight = number(f64::from(bind.weight));
                format!("{} of node {} {weight}", brief(&bind.target), bind.node)
            };
            let binds: Vec<String> = binds.iter().map(bind).collect();
            parts.push(format!("gives {}", binds.join(", ")));
        }
        line(
            text,
            format_args!("expression \"{}\": {}", brief(&expression.name), parts.join(", ")),
        );
    }
}
