//! The blend shape groups of VRM 0.x: a list, with binds of meshes in percent.

use std::borrow::Cow;

use morph_core::expression::{Overrides, Procedural, preset_of_vrm0};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{BYTES_PER_TEXT_BYTE, Reader, index_below};
use crate::expressions::ModelExpression;
use crate::gltf::document::Whole;
use crate::gltf::fault::Fault;
use crate::problem::BindProblem;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vrm0<'a> {
    #[serde(borrow)]
    blend_shape_master: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BlendShapeMaster<'a> {
    #[serde(borrow)]
    blend_shape_groups: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BlendShapeGroup<'a> {
    name: Option<String>,
    preset_name: Option<String>,
    is_binary: Option<bool>,
    #[serde(borrow)]
    binds: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct MeshBind {
    mesh: Whole,
    index: Whole,
    /// In percent.
    weight: f64,
}

impl Reader<'_> {
    pub(super) fn read_0(&mut self, vrm: &RawValue) -> Result<(), Fault> {
        let Some(Vrm0 {
            blend_shape_master: Some(text),
        }) = self.part(vrm, self.extension.to_owned())?
        else {
            return Ok(());
        };
        self.spend(text.get().len() as u64 * BYTES_PER_TEXT_BYTE)?;
        let Some(master) =
            self.part::<BlendShapeMaster<'_>>(text, format!("{}, blendShapeMaster", self.extension))?
        else {
            return Ok(());
        };
        let (meshes, nodes) = (self.context.meshes, self.context.nodes);
        // Binds are of meshes, and each is for every node that shows its mesh.
        self.spend((meshes.len() * size_of::<Vec<usize>>() + 2 * size_of_val(nodes)) as u64)?;
        let mut showing: Vec<Vec<usize>> = vec![Vec::new(); meshes.len()];
        for (index, node) in nodes.iter().enumerate() {
            if let Some(mesh) = node.mesh {
                showing[mesh].push(index);
            }
        }
        for text in master.blend_shape_groups.unwrap_or_default() {
            self.group_0(text, &showing)?;
        }
        Ok(())
    }

    fn group_0(&mut self, text: &RawValue, showing: &[Vec<usize>]) -> Result<(), Fault> {
        let index = self.names.len();
        let Some(group) = self.part::<BlendShapeGroup<'_>>(text, self.place(index, None))? else {
            return Ok(());
        };
        let preset = group.preset_name.as_deref().and_then(preset_of_vrm0);
        let name = preset
            .map(str::to_owned)
            .or(group.name.filter(|name| !name.is_empty()));
        let place = self.place(index, name.as_deref());
        let texts = group.binds.unwrap_or_default();
        let binds = self.binds(&place, &texts, |bind: MeshBind| {
            let count = showing.len();
            let mesh = index_below(bind.mesh, count).ok_or(BindProblem::NoSuchMesh {
                mesh: bind.mesh.0,
                count,
            })?;
            if showing[mesh].is_empty() {
                return Err(BindProblem::NotShown { mesh });
            }
            Ok((
                mesh,
                Cow::Borrowed(&showing[mesh][..]),
                bind.index,
                bind.weight / 100.0,
            ))
        })?;
        self.add(
            name,
            ModelExpression {
                name: String::new(),
                is_preset: preset.is_some(),
                kind: preset.and_then(Procedural::of_preset),
                is_binary: group.is_binary.unwrap_or_default(),
                overrides: Overrides::default(),
                binds,
            },
        )
    }
}
