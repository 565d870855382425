//! A rig and its weights as nodes and a skin.

use std::path::{Path, PathBuf};

use glam::Mat4;
use morph_anim::{HierarchyError, Trs, world_matrices};

use super::Part;
use super::obj::Obj;
use super::rig::{self, Bone};
use super::target::fault;
use super::weights::{self, Influences};
use crate::error::{ImportError, MakeHumanError};
use crate::model::{Node, Skin};
use crate::names::node_ids;
use crate::options::ImportOptions;
use crate::text::shorten;
use crate::warning::ImportWarning;

/// The node of the mesh, whose joint holds what no bone holds.
const MESH_NODE: usize = 0;

/// Reads the rig that the options name, with its weights, if they name one.
///
/// The bones become nodes after that of the mesh, in the order of the file, and every part gets the weights of its
/// vertices.
pub(super) fn read(
    options: &ImportOptions,
    obj: &Obj,
    parts: &mut [Part<'_>],
    nodes: &mut Vec<Node>,
    warnings: &mut Vec<ImportWarning>,
) -> Result<Option<Skin>, ImportError> {
    let Some(path) = &options.rig else {
        return match &options.rig_weights {
            Some(weights) => Err(fault(weights, None, MakeHumanError::WeightsWithoutRig)),
            None => Ok(None),
        };
    };
    let weights_path = match &options.rig_weights {
        Some(weights) => weights.clone(),
        None => weights_beside(path).ok_or_else(|| fault(path, None, MakeHumanError::WeightsNotNamed))?,
    };
    let bones = rig::read(path, obj, warnings)?;
    let influences = weights::read(&weights_path, &bones, obj.positions.len(), warnings)?;
    for part in &mut *parts {
        let of_vertices = influences.of_vertices(&part.points, bones.len() as u16);
        part.primitive.skin_weights = Some(of_vertices.map_err(|error| fault(&weights_path, None, error))?);
    }
    let joints_needed = joints(&bones, parts, &influences);
    let skin = skin(&bones, nodes, joints_needed).map_err(|error| fault(path, None, error))?;
    Ok(Some(Skin {
        name: path.file_stem().map(|name| name.to_string_lossy().into_owned()),
        ..skin
    }))
}

/// `weights.NAME.json` beside `rig.NAME.json`.
fn weights_beside(rig: &Path) -> Option<PathBuf> {
    let name = rig.file_name()?.to_str()?;
    let rest = name.strip_prefix("rig.")?;
    Some(rig.with_file_name(format!("weights.{rest}")))
}

/// The nodes of the bones, and that of the mesh after them where any vertex is held by no bone.
fn joints(bones: &[Bone], parts: &[Part<'_>], influences: &Influences) -> Vec<usize> {
    let mut joints: Vec<usize> = (MESH_NODE + 1..).take(bones.len()).collect();
    let mut points = parts.iter().flat_map(|part| &part.points);
    if points.any(|&point| !influences.is_held(point)) {
        joints.push(MESH_NODE);
    }
    joints
}

/// Adds the bones to the nodes, and makes the skin.
fn skin(bones: &[Bone], nodes: &mut Vec<Node>, joints: Vec<usize>) -> Result<Skin, MakeHumanError> {
    let first_bone = nodes.len();
    nodes.extend(bones.iter().map(|bone| node(bone, bones, first_bone)));
    let ids = node_ids(nodes.iter().map(|node| node.name.clone()).collect());
    for (node, id) in nodes.iter_mut().zip(ids) {
        node.id = id;
    }

    let parents: Vec<Option<usize>> = nodes.iter().map(|node| node.parent).collect();
    let locals: Vec<Trs> = nodes.iter().map(|node| node.trs).collect();
    let worlds = world_matrices(&parents, &locals).map_err(|error| {
        // Parents are there, so what is wrong can only be a loop.
        let node = match error {
            HierarchyError::Loop { node } => nodes[node].name.as_deref(),
            _ => None,
        };
        MakeHumanError::BoneLoop {
            bone: shorten(node.unwrap_or_default()),
        }
    })?;
    // Inverted is what the nodes come to with all their roundings, so that the skin at rest moves nothing.
    let inverse_bind: Vec<Mat4> = joints
        .iter()
        .map(|&joint| worlds[joint].as_dmat4().inverse().as_mat4())
        .collect();
    for (bone, (node, inverse)) in bones.iter().zip(nodes[first_bone..].iter().zip(&inverse_bind)) {
        if !(node.local.is_finite() && inverse.is_finite()) {
            let bone = shorten(&bone.name);
            return Err(MakeHumanError::BoneTooFar { bone });
        }
    }
    Ok(Skin {
        name: None,
        joints,
        inverse_bind,
    })
}

fn node(bone: &Bone, bones: &[Bone], first_bone: usize) -> Node {
    let (translation, rotation) = match bone.parent.map(|parent| &bones[parent]) {
        Some(parent) => {
            let into_parent = parent.rotation.inverse();
            let translation = into_parent * (bone.head - parent.head);
            (translation, (into_parent * bone.rotation).normalize())
        }
        None => (bone.head, bone.rotation),
    };
    let trs = Trs {
        translation: translation.as_vec3(),
        rotation: rotation.as_quat().normalize(),
        ..Trs::IDENTITY
    };
    Node {
        name: Some(bone.name.clone()),
        parent: bone.parent.map(|parent| first_bone + parent),
        mesh: None,
        weights: None,
        local: trs.matrix(),
        trs,
        skin: None,
        id: String::new(),
    }
}
