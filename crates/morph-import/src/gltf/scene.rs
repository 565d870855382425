//! Nodes and materials.

use glam::{Mat4, Quat, Vec3};
use morph_anim::Trs;

use super::accessor::Accessors;
use super::document::{self, Document};
use super::fault::{At, Fault, item, place};
use super::mesh::read_weights;
use super::numbers::{finite, list};
use crate::error::GltfError;
use crate::model::{Material, Mesh, Node};
use crate::names;
use crate::warning::ImportWarning;

/// Reads the factors of all materials.
pub(crate) fn materials(document: &Document) -> Result<Vec<Material>, Fault> {
    let read = |(index, material): (usize, &document::Material)| {
        material_factors(material).at(|| place("material", index, material.name.as_deref()))
    };
    document.materials.iter().enumerate().map(read).collect()
}

fn material_factors(material: &document::Material) -> Result<Material, GltfError> {
    let mut result = Material {
        name: material.name.clone(),
        double_sided: material.double_sided,
        ..Material::default()
    };
    if let Some(factors) = &material.pbr_metallic_roughness {
        result.base_color = list(
            "baseColorFactor",
            factors.base_color.as_deref(),
            result.base_color,
        )?;
        if let Some(metallic) = factors.metallic {
            result.metallic = finite("metallicFactor", metallic)?;
        }
        if let Some(roughness) = factors.roughness {
            result.roughness = finite("roughnessFactor", roughness)?;
        }
    }
    Ok(result)
}

/// Reads all nodes and makes sure that they form trees.
///
/// `spend` counts the memory of the nodes' own weights, one per target of the node's mesh.
pub(crate) fn nodes(
    document: &Document,
    meshes: &[Mesh],
    accessors: Accessors<'_>,
    morphs: bool,
    warnings: &mut Vec<ImportWarning>,
) -> Result<Vec<Node>, Fault> {
    let mut nodes = Vec::with_capacity(document.nodes.len());
    for (index, node) in document.nodes.iter().enumerate() {
        let here = || place("node", index, node.name.as_deref());
        let mesh = node.mesh.map(|mesh| mesh.0);
        let target_count = match mesh {
            Some(mesh) => item(meshes, mesh, "mesh").at(here)?.target_names.len(),
            None => 0,
        };
        if let Some(skin) = node.skin {
            item(&document.skins, skin.0, "skin").at(here)?;
        }
        let weights = match &node.weights {
            Some(weights) if morphs && mesh.is_some() => {
                accessors.spend(target_count as u64 * 4).at(here)?;
                let warn = |kind| warnings.push(ImportWarning { place: here(), kind });
                Some(read_weights(weights, target_count, warn).at(here)?)
            }
            _ => None,
        };
        let (local, trs) = local_transform(node).at(here)?;
        nodes.push(Node {
            name: node.name.clone(),
            parent: None,
            mesh: mesh.map(|mesh| mesh as usize),
            weights,
            local,
            trs,
            skin: node.skin.map(|skin| skin.0 as usize),
            id: String::new(),
        });
    }
    let ids = names::node_ids(nodes.iter().map(|node| node.name.clone()).collect());
    for (node, id) in nodes.iter_mut().zip(ids) {
        node.id = id;
    }
    set_parents(document, &mut nodes)?;
    Ok(nodes)
}

/// The transform of a node, as a matrix and in parts.
fn local_transform(node: &document::Node) -> Result<(Mat4, Trs), GltfError> {
    if let Some(matrix) = &node.matrix {
        let matrix = Mat4::from_cols_array(&list("matrix", Some(matrix), [0.0; 16])?);
        return Ok((matrix, Trs::nearest(&matrix)));
    }
    let translation = Vec3::from(list("translation", node.translation.as_deref(), [0.0; 3])?);
    let rotation = Quat::from_array(list("rotation", node.rotation.as_deref(), [0.0, 0.0, 0.0, 1.0])?);
    let scale = Vec3::from(list("scale", node.scale.as_deref(), [1.0; 3])?);
    // A rotation that is unit but for rounding is kept to the bit, so that what is written is read as it was. One of
    // length zero names no rotation and turns nothing.
    let length = rotation.length();
    let rotation = if (length - 1.0).abs() <= 4.0 * f32::EPSILON {
        rotation
    } else if length > 0.0 && length.is_finite() {
        rotation / length
    } else {
        Quat::IDENTITY
    };
    let trs = Trs {
        translation,
        rotation,
        scale,
    };
    Ok((trs.matrix(), trs))
}

fn set_parents(document: &Document, nodes: &mut [Node]) -> Result<(), Fault> {
    for (parent, node) in document.nodes.iter().enumerate() {
        let here = || place("node", parent, node.name.as_deref());
        for child in &node.children {
            item(&document.nodes, child.0, "node").at(here)?;
            let child = child.0 as usize;
            if let Some(first) = nodes[child].parent {
                return Err(GltfError::TwoParents {
                    child,
                    first,
                    second: parent,
                })
                .at(here);
            }
            nodes[child].parent = Some(parent);
        }
    }
    // With one parent each, a node is below a root or in a loop: walking down from the roots meets all but the loops.
    let mut reached = vec![false; nodes.len()];
    let mut open: Vec<usize> = (0..nodes.len())
        .filter(|&node| nodes[node].parent.is_none())
        .collect();
    while let Some(node) = open.pop() {
        reached[node] = true;
        open.extend(document.nodes[node].children.iter().map(|child| child.0 as usize));
    }
    match reached.iter().position(|reached| !reached) {
        Some(node) => Err(GltfError::NodeLoop).at(|| place("node", node, nodes[node].name.as_deref())),
        None => Ok(()),
    }
}
