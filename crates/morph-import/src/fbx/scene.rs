//! Nodes and materials.

use glam::{DMat4, DVec3, Mat4, Quat, Vec3};
use morph_anim::Trs;

use super::budget::Budget;
use super::mesh::ReadMesh;
use super::{Fault, Findings, components, name_of, narrow};
use crate::damage::Part;
use crate::error::FbxError;
use crate::fault::{At, place};
use crate::model::{Material, Node};
use crate::names;

/// The material of faces that the file gives none.
pub(super) fn default_material() -> Material {
    Material {
        metallic: 0.0,
        roughness: 0.5,
        ..Material::default()
    }
}

/// Reads the factors of all materials; the default stands for one that is damaged.
pub(super) fn materials(
    scene: &ufbx::Scene,
    budget: &Budget,
    findings: &mut Findings,
) -> Result<Vec<Material>, Fault> {
    let each = (&scene.materials).into_iter().enumerate();
    each.map(|(index, material)| {
        let read = findings.part(Part::Material, budget, |_| {
            factors(material).at(|| place("material", index, name_of(&material.element)))
        })?;
        Ok(read.unwrap_or_else(|_| default_material()))
    })
    .collect()
}

fn factors(material: &ufbx::Material) -> Result<Material, FbxError> {
    let default = default_material();
    let maps = &material.pbr;
    let factor = |what, map: &ufbx::MaterialMap, default: f32| -> Result<f32, FbxError> {
        if map.has_value {
            let [value] = narrow(what, 0, [map.value_vec4.x])?;
            Ok(value)
        } else {
            Ok(default)
        }
    };
    let strength = factor("base factor", &maps.base_factor, 1.0)?;
    let color = maps.base_color.value_vec4;
    let [red, green, blue] = if maps.base_color.has_value {
        narrow("base color", 0, [color.x, color.y, color.z])?.map(|component| component * strength)
    } else {
        [1.0; 3]
    };
    let opacity = factor("opacity", &maps.opacity, 1.0)?;
    Ok(Material {
        name: name_of(&material.element).map(str::to_owned),
        base_color: [red, green, blue, opacity],
        metallic: factor("metalness", &maps.metalness, default.metallic)?,
        roughness: factor("roughness", &maps.roughness, default.roughness)?,
        double_sided: material.features.double_sided.enabled,
    })
}

/// Reads all nodes but the root, which moves nothing. None shows a mesh that was left out.
pub(super) fn nodes(scene: &ufbx::Scene, meshes: &[ReadMesh]) -> Result<Vec<Node>, Fault> {
    let mut nodes = Vec::with_capacity(scene.nodes.len());
    for (index, node) in real_nodes(scene).enumerate() {
        let trs = trs(&node.local_transform, index).at(|| place("node", index, name_of(&node.element)))?;
        let mesh = node.mesh.as_ref().map(|mesh| mesh.element.typed_id as usize);
        nodes.push(Node {
            name: name_of(&node.element).map(str::to_owned),
            parent: node.parent.as_deref().and_then(node_index),
            mesh: mesh.filter(|&mesh| meshes.get(mesh).is_some_and(|mesh| !mesh.is_left_out)),
            weights: None,
            local: trs.matrix(),
            trs,
            skin: None,
            id: String::new(),
        });
    }
    let ids = names::node_ids(nodes.iter().map(|node: &Node| node.name.clone()).collect());
    for (node, id) in nodes.iter_mut().zip(ids) {
        node.id = id;
    }
    Ok(nodes)
}

/// The nodes of the file, in the order that [`node_index`] counts in.
pub(super) fn real_nodes(scene: &ufbx::Scene) -> impl Iterator<Item = &ufbx::Node> {
    (&scene.nodes).into_iter().filter(|node| !node.is_root)
}

/// The index of a node among all but the root, which the parser puts first.
pub(super) fn node_index(node: &ufbx::Node) -> Option<usize> {
    (node.element.typed_id as usize).checked_sub(1)
}

/// The parts of a transform.
pub(super) fn trs(transform: &ufbx::Transform, index: usize) -> Result<Trs, FbxError> {
    let translation = narrow(
        "the translation of node",
        index,
        components(transform.translation),
    )?;
    let scale = narrow("the scale of node", index, components(transform.scale))?;
    let rotation = transform.rotation;
    let rotation = [rotation.x, rotation.y, rotation.z, rotation.w];
    let rotation = Quat::from_array(narrow("the rotation of node", index, rotation)?);
    Ok(Trs {
        translation: Vec3::from(translation),
        rotation: if rotation.length() > 0.0 {
            rotation.normalize()
        } else {
            Quat::IDENTITY
        },
        scale: Vec3::from(scale),
    })
}

/// A matrix with its last row.
pub(super) fn matrix(matrix: &ufbx::Matrix, index: usize) -> Result<Mat4, FbxError> {
    let m = matrix;
    let columns = DMat4::from_cols(
        DVec3::new(m.m00, m.m10, m.m20).extend(0.0),
        DVec3::new(m.m01, m.m11, m.m21).extend(0.0),
        DVec3::new(m.m02, m.m12, m.m22).extend(0.0),
        DVec3::new(m.m03, m.m13, m.m23).extend(1.0),
    );
    let columns = narrow("the bind matrix of bone", index, columns.to_cols_array())?;
    Ok(Mat4::from_cols_array(&columns))
}
