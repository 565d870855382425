//! Expressions of VRM: the extension `VRMC_vrm` of VRM 1.0, and the blend shape groups of `VRM`, which is 0.x.
//!
//! Of both only expressions are read, and of expressions only what gives targets weights. What is damaged is left out
//! with a warning: an avatar without its smile is still an avatar.

mod version_0;
mod version_1;

use std::borrow::Cow;

use morph_core::expression::Override;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::accessor::Accessors;
use super::document::Whole;
use super::fault::{At, Fault, place};
use super::item::message;
use crate::expressions::{ExpressionBind, ModelExpression};
use crate::findings::{Account, WARNING_BYTES};
use crate::model::{Mesh, Node};
use crate::names::distinct;
use crate::problem::BindProblem;
use crate::text::shorten;
use crate::warning::{ImportWarning, WarningKind};

/// The name of the extension that is VRM 1.0.
pub(crate) const VRM_1: &str = "VRMC_vrm";
/// The name of the extension that is VRM 0.x.
pub(crate) const VRM_0: &str = "VRM";

/// What lists of borrowed texts take for each byte of JSON, at worst: a list of digits has 16 bytes of reference for
/// every 2 of text, in a vector that doubles, and a map of short names has as much again.
const BYTES_PER_TEXT_BYTE: u64 = 32;

/// What reading expressions needs to know.
pub(crate) struct Context<'a> {
    pub(crate) accessors: Accessors<'a>,
    pub(crate) meshes: &'a [Mesh],
    pub(crate) nodes: &'a [Node],
}

// Every part that may be damaged by itself is a text here, so that it fails by itself.

#[derive(Deserialize)]
struct Extensions<'a> {
    #[serde(borrow, rename = "VRMC_vrm")]
    vrm_1: Option<&'a RawValue>,
    #[serde(borrow, rename = "VRM")]
    vrm_0: Option<&'a RawValue>,
}

/// Reads the expressions of a file with these extensions. Where there are both versions, 1.0 is read.
pub(crate) fn expressions(
    context: &Context<'_>,
    extensions: &RawValue,
    warnings: &mut Vec<ImportWarning>,
) -> Result<Vec<ModelExpression>, Fault> {
    let before = context.accessors.spent();
    let mut reader = Reader {
        context,
        extension: VRM_1,
        first_warning: warnings.len(),
        warnings,
        names: Vec::new(),
        expressions: Vec::new(),
    };
    let Some(extensions) = reader.part::<Extensions<'_>>(extensions, "extensions".to_owned())? else {
        return Ok(Vec::new());
    };
    if let Some(vrm) = extensions.vrm_1 {
        reader.read_1(vrm)?;
    } else if let Some(vrm) = extensions.vrm_0 {
        reader.extension = VRM_0;
        reader.read_0(vrm)?;
    }
    reader.finish(before)
}

/// The expressions that were read so far.
struct Reader<'a> {
    context: &'a Context<'a>,
    extension: &'static str,
    /// How many warnings there were before.
    first_warning: usize,
    warnings: &'a mut Vec<ImportWarning>,
    /// The names that the file gives; they become distinct at the end.
    names: Vec<Option<String>>,
    expressions: Vec<ModelExpression>,
}

impl Reader<'_> {
    /// Reads the binds of one expression; `resolve` finds the mesh, the nodes that show it, the slot and the weight.
    fn binds<'t, 'n, B: Deserialize<'t>>(
        &mut self,
        place: &str,
        texts: &[&'t RawValue],
        resolve: impl Fn(B) -> Result<(usize, Cow<'n, [usize]>, Whole, f64), BindProblem>,
    ) -> Result<Vec<ExpressionBind>, Fault> {
        let mut binds = Vec::new();
        // One warning for all binds of an expression: a bind may be shorter than a warning by far.
        let (mut left_out, mut first_problem) = (0, None);
        for text in texts {
            let bind = serde_json::from_str(text.get()).map_err(|error| BindProblem::Malformed {
                message: message(&error),
            });
            let bound = bind.and_then(&resolve).and_then(|(mesh, nodes, index, weight)| {
                let targets = self.context.meshes[mesh].target_names.len();
                let slot = index_below(index, targets).ok_or(BindProblem::NoSuchTarget {
                    slot: index.0,
                    targets,
                })?;
                let narrow = weight as f32;
                if !narrow.is_finite() {
                    return Err(BindProblem::Weight { weight });
                }
                Ok((nodes, slot, narrow))
            });
            match bound {
                Ok((nodes, slot, weight)) => {
                    // Twice, as vectors double while they grow.
                    self.spend((2 * nodes.len() * size_of::<ExpressionBind>()) as u64)?;
                    binds.extend(nodes.iter().map(|&node| ExpressionBind { node, slot, weight }));
                }
                Err(problem) => {
                    left_out += 1;
                    first_problem.get_or_insert(problem);
                }
            }
        }
        if let Some(problem) = first_problem {
            self.warn(
                place.to_owned(),
                WarningKind::ExpressionBindsLeftOut {
                    binds: left_out,
                    problem,
                },
            )?;
        }
        binds.shrink_to_fit();
        Ok(binds)
    }

    fn hold(&mut self, place: &str, property: &'static str, found: Option<&str>) -> Result<Override, Fault> {
        match found {
            None | Some("none") => Ok(Override::None),
            Some("block") => Ok(Override::Block),
            Some("blend") => Ok(Override::Blend),
            Some(found) => {
                let found = shorten(found);
                self.warn(
                    place.to_owned(),
                    WarningKind::ExpressionOverride { property, found },
                )?;
                Ok(Override::None)
            }
        }
    }

    fn add(&mut self, name: Option<String>, expression: ModelExpression) -> Result<(), Fault> {
        // The name is there again while names are made distinct, which may end in a warning.
        let name_bytes = 4 * name.as_ref().map_or(0, String::len);
        self.spend((name_bytes + 2 * size_of::<ModelExpression>()) as u64 + WARNING_BYTES)?;
        self.names.push(name);
        self.expressions.push(expression);
        Ok(())
    }

    /// Gives every expression a name of its own, and ends the step that began when `before` bytes were counted.
    fn finish(self, before: u64) -> Result<Vec<ModelExpression>, Fault> {
        let Reader {
            context,
            extension,
            first_warning,
            warnings,
            names,
            mut expressions,
        } = self;
        let names = distinct("expression", names, |kind| {
            if let WarningKind::TargetNameRepeated { slot, name, renamed } = kind {
                warnings.push(ImportWarning {
                    place: format!("{extension}, {}", place("expression", slot, Some(&name))),
                    kind: WarningKind::ExpressionNameRepeated {
                        renamed: shorten(&renamed),
                    },
                });
            }
        });
        for (expression, name) in expressions.iter_mut().zip(names) {
            expression.name = name;
        }
        expressions.shrink_to_fit();
        let kept_by = |expression: &ModelExpression| {
            size_of::<ModelExpression>() + expression.name.len() + size_of_val(&*expression.binds)
        };
        let kept = expressions.iter().map(kept_by).sum::<usize>() as u64;
        let warnings_bytes = (warnings.len() - first_warning) as u64 * WARNING_BYTES;
        context
            .accessors
            .settle(before, kept + warnings_bytes)
            .at(|| extension.to_owned())?;
        Ok(expressions)
    }

    /// Parses a part; one that is damaged is left out with a warning.
    fn part<'t, T: Deserialize<'t>>(
        &mut self,
        text: &'t RawValue,
        place: String,
    ) -> Result<Option<T>, Fault> {
        match serde_json::from_str(text.get()) {
            Ok(part) => Ok(Some(part)),
            Err(error) => {
                let problem = message(&error);
                self.warn(place, WarningKind::ExpressionsLeftOut { problem })?;
                Ok(None)
            }
        }
    }

    fn warn(&mut self, place: String, kind: WarningKind) -> Result<(), Fault> {
        self.spend(WARNING_BYTES)?;
        self.warnings.push(ImportWarning { place, kind });
        Ok(())
    }

    fn spend(&self, bytes: u64) -> Result<(), Fault> {
        self.context
            .accessors
            .spend(bytes)
            .at(|| self.extension.to_owned())
    }

    fn place(&self, index: usize, name: Option<&str>) -> String {
        format!("{}, {}", self.extension, place("expression", index, name))
    }
}

fn index_below(index: Whole, count: usize) -> Option<usize> {
    usize::try_from(index.0).ok().filter(|&index| index < count)
}
