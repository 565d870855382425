//! Nodes and skins.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::ExportError;
use super::binary::{Binary, Use};
use crate::model::{Model, Node};

/// Describes the nodes; `meshes` gives the index in the file of each mesh that was written.
pub(super) fn nodes(model: &Model, meshes: &[Option<usize>]) -> Result<Vec<Value>, ExportError> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); model.nodes.len()];
    for (index, node) in model.nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            let of_parent = children.get_mut(parent).ok_or_else(|| {
                ExportError::inconsistent(format!("node {index}"), format!("there is no node {parent}"))
            })?;
            of_parent.push(index);
        }
    }
    let each = model.nodes.iter().zip(children).enumerate();
    each.map(|(index, (node, children))| {
        let mut value = describe(node);
        if !children.is_empty() {
            value["children"] = json!(children);
        }
        if let Some(mesh) = node.mesh {
            let written = meshes.get(mesh).ok_or_else(|| {
                ExportError::inconsistent(format!("node {index}"), format!("there is no mesh {mesh}"))
            })?;
            if let Some(mesh) = written {
                value["mesh"] = json!(mesh);
                if let Some(weights) = node.weights.as_ref().filter(|weights| !weights.is_empty()) {
                    value["weights"] = json!(weights);
                }
                if let Some(skin) = node.skin {
                    if skin >= model.skins.len() {
                        let problem = format!("there is no skin {skin}");
                        return Err(ExportError::inconsistent(format!("node {index}"), problem));
                    }
                    value["skin"] = json!(skin);
                }
            }
        }
        Ok(value)
    })
    .collect()
}

fn describe(node: &Node) -> Value {
    let mut value = json!({});
    if let Some(name) = &node.name {
        value["name"] = json!(name);
    }
    let trs = &node.trs;
    if trs.matrix() != node.local {
        value["matrix"] = json!(node.local.to_cols_array());
        return value;
    }
    if trs.translation.to_array() != [0.0; 3] {
        value["translation"] = json!(trs.translation.to_array());
    }
    if trs.rotation.to_array() != [0.0, 0.0, 0.0, 1.0] {
        value["rotation"] = json!(trs.rotation.to_array());
    }
    if trs.scale.to_array() != [1.0; 3] {
        value["scale"] = json!(trs.scale.to_array());
    }
    value
}

/// The first skin whose joints have no node above them in common, and the topmost nodes above the joints of all skins.
pub(super) fn skin_without_root(model: &Model) -> Option<(usize, BTreeSet<usize>)> {
    let root_of = |joint: usize| {
        let mut node = joint;
        // An import yields no loops; the count keeps one from hanging.
        for _ in 0..model.nodes.len() {
            match model.nodes.get(node).and_then(|node| node.parent) {
                Some(parent) => node = parent,
                None => break,
            }
        }
        node
    };
    let roots_of =
        |joints: &[usize]| -> BTreeSet<usize> { joints.iter().map(|&joint| root_of(joint)).collect() };
    let skin = model
        .skins
        .iter()
        .position(|skin| roots_of(&skin.joints).len() > 1)?;
    let all = model
        .skins
        .iter()
        .flat_map(|skin| roots_of(&skin.joints))
        .collect();
    Some((skin, all))
}

/// The nodes without a parent.
pub(super) fn roots(model: &Model) -> Vec<usize> {
    let is_root = |&index: &usize| model.nodes[index].parent.is_none();
    (0..model.nodes.len()).filter(is_root).collect()
}

/// Describes the skins.
pub(super) fn skins(model: &Model, binary: &mut Binary) -> Result<Vec<Value>, ExportError> {
    let each = model.skins.iter().enumerate();
    each.map(|(index, skin)| {
        let is_sound = !skin.joints.is_empty()
            && skin.joints.len() == skin.inverse_bind.len()
            && skin.joints.iter().all(|&joint| joint < model.nodes.len());
        if !is_sound {
            let (joints, matrices) = (skin.joints.len(), skin.inverse_bind.len());
            let problem = format!(
                "{joints} joints and {matrices} matrices: there has to be one at least, a matrix for each, and a node"
            );
            return Err(ExportError::inconsistent(format!("skin {index}"), problem));
        }
        let matrices: Vec<[f32; 16]> = skin.inverse_bind.iter().map(glam::Mat4::to_cols_array).collect();
        let mut value = json!({
            "joints": skin.joints,
            "inverseBindMatrices": binary.floats(&matrices, Use::Data, false),
        });
        if let Some(name) = &skin.name {
            value["name"] = json!(name);
        }
        Ok(value)
    })
    .collect()
}
