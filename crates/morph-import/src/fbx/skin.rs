//! Skins: which bones hold a control point, and from where.

use glam::Mat4;
use morph_core::{InfluenceCount, SkinError, SkinWeights};

use super::budget::Budget;
use super::mesh::ReadMesh;
use super::{Fault, Findings, name_of, narrow, scene};
use crate::damage::Part;
use crate::error::FbxError;
use crate::fault::{At, place};
use crate::findings::Account;
use crate::model::{Node, Skin};
use crate::warning::WarningKind;

/// The most bones that a control point keeps.
const MOST: usize = 8;
/// How far weights may be from a sum of one without a word. Exporters write few digits.
const SUM_TOLERANCE: f64 = 1e-3;

/// The bones of each control point of a mesh.
pub(super) struct Influences {
    count: InfluenceCount,
    /// As many as `count` for each control point.
    joints: Vec<u16>,
    weights: Vec<f32>,
}

/// Reads the bones of a mesh's control points, the strongest eight of each, with weights that sum to one.
///
/// A control point that no bone holds is held by the mesh's own node, which is the joint after the skin's bones.
pub(super) fn influences(
    mesh: &ufbx::Mesh,
    budget: &Budget,
    warn: &mut impl FnMut(WarningKind),
) -> Result<Option<Influences>, FbxError> {
    let Some(skin) = skin_of(mesh) else {
        return Ok(None);
    };
    if mesh.skin_deformers.len() > 1 {
        warn(WarningKind::SeveralSkins {
            skins: mesh.skin_deformers.len(),
        });
    }
    let method = skin.skinning_method;
    if method == ufbx::SkinningMethod::DualQuaternion || method == ufbx::SkinningMethod::BlendedDqLinear {
        warn(WarningKind::SkinningMethod);
    }
    let own_node = u16::try_from(skin.clusters.len()).map_err(|_| FbxError::TooMany {
        what: "bones in one skin",
        count: skin.clusters.len(),
        limit: usize::from(u16::MAX),
    })?;
    let count = if skin.max_weights_per_vertex <= 4 {
        InfluenceCount::Four
    } else {
        InfluenceCount::Eight
    };
    let places = mesh.num_vertices.saturating_mul(count.get());
    budget.spend(places as u64 * 6)?;
    let mut result = Influences {
        count,
        joints: vec![0; places],
        weights: vec![0.0; places],
    };
    let (mut dropped, mut rescaled) = (0, 0);
    let slots = result
        .joints
        .chunks_mut(count.get())
        .zip(result.weights.chunks_mut(count.get()));
    for (point, (joints, weights)) in slots.enumerate() {
        let held = skin.vertices.get(point).map_or(&[][..], |vertex| {
            let first = vertex.weight_begin as usize;
            let all: &[ufbx::SkinWeight] = &skin.weights;
            all.get(first..first + vertex.num_weights as usize)
                .unwrap_or_default()
        });
        dropped += usize::from(held.len() > MOST);
        // The parser puts the strongest first.
        let kept = &held[..held.len().min(count.get())];
        let all: f64 = held.iter().map(|influence| influence.weight).sum();
        rescaled += usize::from(!held.is_empty() && (all - 1.0).abs() > SUM_TOLERANCE);
        let sum: f64 = kept.iter().map(|influence| influence.weight).sum();
        narrow("the sum of the skin weights of control point", point, [sum])?;
        if sum <= 0.0 {
            joints[0] = own_node;
            weights[0] = 1.0;
            continue;
        }
        for (influence, (joint, weight)) in kept.iter().zip(joints.iter_mut().zip(weights)) {
            *joint = influence.cluster_index as u16;
            [*weight] = narrow("a skin weight of control point", point, [influence.weight / sum])?;
        }
    }
    if dropped > 0 {
        warn(WarningKind::InfluencesDropped {
            vertices: dropped,
            most: MOST,
        });
    }
    if rescaled > 0 {
        warn(WarningKind::SkinWeightsRescaled { vertices: rescaled });
    }
    Ok(Some(result))
}

impl Influences {
    /// The bones of vertices, by their control points.
    pub(super) fn of_vertices(&self, points: &[u32], budget: &Budget) -> Result<SkinWeights, FbxError> {
        let count = self.count.get();
        budget.spend(points.len() as u64 * count as u64 * 6)?;
        let range = |&point: &u32| point as usize * count..(point as usize + 1) * count;
        let joints = points.iter().flat_map(|point| &self.joints[range(point)]);
        let weights = points.iter().flat_map(|point| &self.weights[range(point)]);
        SkinWeights::new(self.count, joints.copied().collect(), weights.copied().collect()).map_err(
            |error: SkinError| FbxError::Damaged {
                message: error.to_string(),
            },
        )
    }
}

/// Makes a skin for each node with a skinned mesh, and tells the node. A node whose skin, or whose mesh's joints and
/// weights, are damaged has none.
pub(super) fn read(
    scene: &ufbx::Scene,
    meshes: &[ReadMesh],
    nodes: &mut [Node],
    budget: &Budget,
    findings: &mut Findings,
) -> Result<Vec<Skin>, Fault> {
    let mut skins = Vec::new();
    for (index, node) in scene::real_nodes(scene).enumerate() {
        let is_skinned = nodes[index].mesh.is_some_and(|mesh| meshes[mesh].is_skinned);
        let Some(skin) = node.mesh.as_deref().and_then(skin_of).filter(|_| is_skinned) else {
            continue;
        };
        let here = || place("skin", skins.len(), name_of(&skin.element));
        let read = findings.part(Part::Skin, budget, |_| read_skin(skin, index, budget).at(here))?;
        if let Ok(skin) = read {
            nodes[index].skin = Some(skins.len());
            skins.push(skin);
        }
    }
    Ok(skins)
}

/// The bones of a skin, and after them the node whose mesh it deforms.
fn read_skin(skin: &ufbx::SkinDeformer, node: usize, budget: &Budget) -> Result<Skin, FbxError> {
    budget.spend(skin.clusters.len() as u64 * 72)?;
    let mut joints = Vec::with_capacity(skin.clusters.len() + 1);
    let mut inverse_bind = Vec::with_capacity(skin.clusters.len() + 1);
    for (number, cluster) in (&skin.clusters).into_iter().enumerate() {
        // A bone that is no node of the scene holds its points where they are.
        let bone = cluster.bone_node.as_deref().and_then(scene::node_index);
        joints.push(bone.unwrap_or(node));
        inverse_bind.push(scene::matrix(&cluster.geometry_to_bone, number)?);
    }
    joints.push(node);
    inverse_bind.push(Mat4::IDENTITY);
    Ok(Skin {
        name: name_of(&skin.element).map(str::to_owned),
        joints,
        inverse_bind,
    })
}

/// The skin that deforms a mesh, if it has bones.
fn skin_of(mesh: &ufbx::Mesh) -> Option<&ufbx::SkinDeformer> {
    (&mesh.skin_deformers)
        .into_iter()
        .next()
        .filter(|skin| !skin.clusters.is_empty())
}
