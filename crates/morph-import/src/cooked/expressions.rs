//! The expressions of an avatar: which targets of which nodes each gives weights, and how they hold one another back.

use bytemuck::{Pod, Zeroable};
use morph_core::cooked::{Container, CookedError, Section, SectionError, SectionId, SectionKind, Writer};
use morph_core::expression::{Override, Overrides, Procedural};

use super::read::MeshDescription;
use super::records::{RunRecord, TextRecord};
use super::runs::{check_end, field, finite, next_run, run};
use super::text::{TextWriter, Texts};
use crate::expressions::{ExpressionBind, ModelExpression};
use crate::model::Node;

/// Part 0: an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ExpressionRecord {
    /// Its name; no two have one.
    name: TextRecord,
    /// 1 for one of the presets that all avatars agree on, 0 for one of this avatar's own.
    preset: u32,
    /// What drives it by itself: 0 nothing, 1 blinking, 2 the gaze, 3 lip sync.
    kind: u32,
    /// 1 where it shows wholly or not at all, else 0.
    binary: u32,
    /// What it does to blinking, to the gaze and to lip sync: 0 nothing, 1 switches them off, 2 weakens them.
    overrides: [u32; 3],
    /// What it gives weights to, in part 1.
    binds: RunRecord,
}

/// Part 1: the weight of one target of one node.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct BindRecord {
    node: u32,
    slot: u32,
    weight: f32,
}

fn id(part: u32) -> SectionId {
    SectionId {
        part,
        ..SectionId::of_model(SectionKind::EXPRESSIONS)
    }
}

/// Adds the sections of expressions, where there are any.
pub(super) fn add(writer: &mut Writer<'_>, text: &mut TextWriter, expressions: &[ModelExpression]) {
    if expressions.is_empty() {
        return;
    }
    let (mut records, mut binds) = (Vec::with_capacity(expressions.len()), Vec::new());
    for expression in expressions {
        let Overrides {
            blink,
            look_at,
            mouth,
        } = expression.overrides;
        records.push(ExpressionRecord {
            name: text.add(&expression.name),
            preset: u32::from(expression.is_preset),
            kind: number_of(&KINDS, &expression.kind),
            binary: u32::from(expression.is_binary),
            overrides: [blink, look_at, mouth].map(|how| number_of(&OVERRIDES, &how)),
            binds: run(binds.len(), expression.binds.len()),
        });
        binds.extend(expression.binds.iter().map(|bind| BindRecord {
            node: bind.node as u32,
            slot: bind.slot as u32,
            weight: bind.weight,
        }));
    }
    writer.add_owned(id(0), &records);
    writer.add_owned(id(1), &binds);
}

/// Reads the expressions, whose binds are of these nodes and meshes.
pub(super) fn read(
    container: &Container<'_>,
    texts: &Texts<'_>,
    nodes: &[Node],
    meshes: &[MeshDescription],
) -> Result<Vec<ModelExpression>, CookedError> {
    let Some(section) = container.get(id(0)) else {
        return match container.get(id(1)) {
            Some(section) => Err(section.fault(SectionError::Unexpected)),
            None => Ok(Vec::new()),
        };
    };
    let bind_section = container.require(id(1))?;
    let binds = read_binds(&bind_section, nodes, meshes)?;
    let records: &[ExpressionRecord] = section.records()?;
    if records.is_empty() {
        // A writer leaves the sections out then.
        return Err(section.fault(SectionError::Unexpected));
    }
    let fault = |error| section.fault(error);
    let mut expressions: Vec<ModelExpression> = Vec::with_capacity(records.len());
    let mut names = std::collections::HashMap::with_capacity(records.len());
    let mut next = 0;
    for (at, record) in records.iter().enumerate() {
        let name = texts.required(record.name, "the name of expression", at, &section)?;
        if let Some(first) = names.insert(name.clone(), at) {
            return Err(fault(SectionError::DuplicateName {
                what: "expressions",
                name,
                first,
                second: at,
            }));
        }
        let flag = |value, what| match value {
            0 | 1 => Ok(value == 1),
            found => Err(fault(field(what, at, found, "0 or 1"))),
        };
        let [blink, look_at, mouth] = record.overrides.map(|code| {
            let how = OVERRIDES.get(code as usize).copied();
            how.ok_or_else(|| fault(field("an override", at, code, OVERRIDE_NUMBERS)))
        });
        let kind = KINDS.get(record.kind as usize).copied();
        let kind = kind.ok_or_else(|| fault(field("the kind of expression", at, record.kind, KIND_NUMBERS)));
        let own = next_run(&binds, record.binds, &mut next, "the binds of expression", at).map_err(fault)?;
        expressions.push(ModelExpression {
            name,
            is_preset: flag(record.preset, "preset")?,
            kind: kind?,
            is_binary: flag(record.binary, "binary")?,
            overrides: Overrides {
                blink: blink?,
                look_at: look_at?,
                mouth: mouth?,
            },
            binds: own.to_vec(),
        });
    }
    check_end(next, binds.len(), "the binds of all expressions")
        .map_err(|error| bind_section.fault(error))?;
    Ok(expressions)
}

fn read_binds(
    section: &Section<'_>,
    nodes: &[Node],
    meshes: &[MeshDescription],
) -> Result<Vec<ExpressionBind>, CookedError> {
    let records: &[BindRecord] = section.records()?;
    let bind = |(at, record): (usize, &BindRecord)| {
        let out_of_range = |what, index: u32, count: usize| SectionError::OutOfRange {
            what,
            at,
            index: u64::from(index),
            count: count as u64,
        };
        let node = nodes
            .get(record.node as usize)
            .ok_or_else(|| out_of_range("the node of bind", record.node, nodes.len()))?;
        let target_count = node.mesh.map_or(0, |mesh| meshes[mesh].default_weights.len());
        if record.slot as usize >= target_count {
            return Err(out_of_range("the target of bind", record.slot, target_count));
        }
        finite(&[record.weight], "the weight of bind", at)?;
        Ok(ExpressionBind {
            node: record.node as usize,
            slot: record.slot as usize,
            weight: record.weight,
        })
    };
    let binds = records.iter().enumerate().map(bind);
    binds
        .collect::<Result<_, _>>()
        .map_err(|error| section.fault(error))
}

/// What drives expressions by themselves, by the number that stands for it.
const KINDS: [Option<Procedural>; 4] = [
    None,
    Some(Procedural::Blink),
    Some(Procedural::LookAt),
    Some(Procedural::Mouth),
];
/// What the number of a kind may be.
const KIND_NUMBERS: &str = "0 (nothing), 1 (blinking), 2 (the gaze) or 3 (lip sync)";

/// What expressions do to a kind, by the number that stands for it.
const OVERRIDES: [Override; 3] = [Override::None, Override::Block, Override::Blend];
/// What the number of an override may be.
const OVERRIDE_NUMBERS: &str = "0 (nothing), 1 (block) or 2 (blend)";

/// The number that stands for a value of a list that has all of them.
fn number_of<T: PartialEq>(all: &[T], value: &T) -> u32 {
    all.iter().position(|it| it == value).unwrap_or_default() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cooked::records::tests::assert_described;

    #[test]
    fn the_document_describes_the_records() {
        assert_described(&[
            ("ExpressionRecord", size_of::<ExpressionRecord>(), 40),
            ("BindRecord", size_of::<BindRecord>(), 12),
        ]);
    }
}
