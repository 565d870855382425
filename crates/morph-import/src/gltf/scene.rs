//! Nodes and materials.

use glam::{Mat4, Quat, Vec3};
use morph_anim::Trs;

use super::accessor::Accessors;
use super::document::{self, Document};
use super::fault::{At, Fault, Findings, place};
use super::item::{Item, item};
use super::mesh::read_weights;
use super::numbers::{finite, list};
use crate::damage::Part;
use crate::error::GltfError;
use crate::findings::Account;
use crate::model::{Material, Mesh, Node, Skin};
use crate::names;

/// Reads the factors of all materials; the default stands for one that is damaged.
pub(crate) fn materials(
    document: &Document,
    accessors: Accessors<'_>,
    findings: &mut Findings,
) -> Result<Vec<Material>, Fault> {
    let read = |(index, material): (usize, &Item<document::Material>)| {
        let name = material.sound().and_then(|material| material.name.as_deref());
        let factors = material.get("material", index as u64).and_then(material_factors);
        factors.at(|| place("material", index, name))
    };
    let each = document.materials.iter().enumerate();
    each.map(|material| {
        let read = findings.part(Part::Material, &accessors, |_| read(material))?;
        Ok(read.unwrap_or_default())
    })
    .collect()
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
/// Of `meshes` and `skins` those that were left out are `None`, and no node has them.
pub(crate) fn nodes(
    document: &Document,
    meshes: &[Option<Mesh>],
    skins: &[Option<Skin>],
    accessors: Accessors<'_>,
    morphs: bool,
    findings: &mut Findings,
) -> Result<Vec<Node>, Fault> {
    let skin_numbers = numbers_of_kept(skins);
    let mut nodes = Vec::with_capacity(document.nodes.len());
    for (index, node) in document.nodes.iter().enumerate() {
        let here = || place("node", index, node.name.as_deref());
        let mesh = match node.mesh {
            Some(mesh) => findings
                .part(Part::Mesh, &accessors, |_| item(meshes, mesh.0, "mesh").at(here))?
                .ok()
                .and_then(|found| Some((mesh.0 as usize, found.as_ref()?.target_names.len()))),
            None => None,
        };
        let skin = match node.skin {
            Some(skin) => findings
                .part(Part::Skin, &accessors, |_| {
                    item(&skin_numbers, skin.0, "skin").at(here)
                })?
                .ok()
                .and_then(|&number| number),
            None => None,
        };
        let weights = match (&node.weights, mesh) {
            (Some(weights), Some((_, target_count))) if morphs => {
                accessors.spend(target_count as u64 * 4).at(here)?;
                let read = findings.part(Part::Weights, &accessors, |findings| {
                    read_weights(weights, target_count, |kind| findings.warn(here(), kind)).at(here)
                });
                read?.ok()
            }
            _ => None,
        };
        let (local, trs) = local_transform(node).at(here)?;
        nodes.push(Node {
            name: node.name.clone(),
            parent: None,
            mesh: mesh.map(|(mesh, _)| mesh),
            weights,
            local,
            trs,
            skin,
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

/// The number of each skin among those that are kept.
fn numbers_of_kept(skins: &[Option<Skin>]) -> Vec<Option<usize>> {
    let mut kept = 0..;
    let number = |skin: &Option<Skin>| skin.as_ref().and_then(|_| kept.next());
    skins.iter().map(number).collect()
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
