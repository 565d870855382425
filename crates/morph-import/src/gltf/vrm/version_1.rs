//! The expressions of VRM 1.0: presets and custom ones by name, with binds of nodes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use morph_core::expression::{Overrides, Procedural};
use morph_core::names::vocabulary;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{BYTES_PER_TEXT_BYTE, Reader, index_below};
use crate::expressions::ModelExpression;
use crate::gltf::document::Whole;
use crate::gltf::fault::Fault;
use crate::problem::BindProblem;

#[derive(Deserialize)]
struct Vrm1<'a> {
    #[serde(borrow)]
    expressions: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Expressions<'a> {
    #[serde(borrow)]
    preset: Option<BTreeMap<String, &'a RawValue>>,
    #[serde(borrow)]
    custom: Option<BTreeMap<String, &'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Expression<'a> {
    is_binary: Option<bool>,
    override_blink: Option<String>,
    override_look_at: Option<String>,
    override_mouth: Option<String>,
    #[serde(borrow)]
    morph_target_binds: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct NodeBind {
    node: Whole,
    index: Whole,
    weight: f64,
}

impl Reader<'_> {
    pub(super) fn read_1(&mut self, vrm: &RawValue) -> Result<(), Fault> {
        let Some(Vrm1 {
            expressions: Some(text),
        }) = self.part(vrm, self.extension.to_owned())?
        else {
            return Ok(());
        };
        self.spend(text.get().len() as u64 * BYTES_PER_TEXT_BYTE)?;
        let Some(described) =
            self.part::<Expressions<'_>>(text, format!("{}, expressions", self.extension))?
        else {
            return Ok(());
        };
        for (name, text) in described.preset.unwrap_or_default() {
            let is_preset = vocabulary::VRM.iter().any(|&(preset, _)| preset == name);
            self.expression_1(name, is_preset, text)?;
        }
        for (name, text) in described.custom.unwrap_or_default() {
            self.expression_1(name, false, text)?;
        }
        Ok(())
    }

    fn expression_1(&mut self, name: String, is_preset: bool, text: &RawValue) -> Result<(), Fault> {
        let place = self.place(self.names.len(), Some(&name));
        let Some(described) = self.part::<Expression<'_>>(text, place.clone())? else {
            return Ok(());
        };
        let kind = Some(name.as_str()).filter(|_| is_preset);
        let kind = kind.and_then(Procedural::of_preset);
        let overrides = Overrides {
            blink: self.hold(&place, "overrideBlink", described.override_blink.as_deref())?,
            look_at: self.hold(&place, "overrideLookAt", described.override_look_at.as_deref())?,
            mouth: self.hold(&place, "overrideMouth", described.override_mouth.as_deref())?,
        };
        let nodes = self.context.nodes;
        let texts = described.morph_target_binds.unwrap_or_default();
        let binds = self.binds(&place, &texts, |bind: NodeBind| {
            let count = nodes.len();
            let node = index_below(bind.node, count).ok_or(BindProblem::NoSuchNode {
                node: bind.node.0,
                count,
            })?;
            let mesh = nodes[node].mesh.ok_or(BindProblem::NoMesh { node })?;
            Ok((mesh, Cow::Owned(vec![node]), bind.index, bind.weight))
        })?;
        self.add(
            Some(name),
            ModelExpression {
                name: String::new(),
                is_preset,
                kind,
                is_binary: described.is_binary.unwrap_or_default(),
                overrides,
                binds,
            },
        )
    }
}
