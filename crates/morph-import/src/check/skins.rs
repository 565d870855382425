//! Skins: joints, their common root, and inverse bind matrices.

use super::accessors::{AccessorUsage, note_uses};
use super::buffers::ViewUsage;
use super::format::{Format, Shape};
use super::hierarchy::Hierarchy;
use super::json::child;
use super::lists::{Lists, present};
use super::object::{Need, Object};
use super::report::Findings;
use super::uses::Check;
use super::values::Checks;
use super::work::Work;

/// A skin, as far as it could be read.
#[derive(Debug)]
pub(super) struct Skin {
    pub(super) inverse_bind_matrices: Option<u64>,
    pub(super) skeleton: Option<u64>,
    pub(super) joints: Option<Vec<Option<u64>>>,
    /// The nodes above all joints, joints included, from the first joint up.
    pub(super) common_roots: Vec<usize>,
}

impl Skin {
    pub(super) fn read(object: &mut Object<'_, '_>) -> Self {
        object.begin(&["inverseBindMatrices", "skeleton", "joints", "name"]);
        Skin {
            inverse_bind_matrices: object.index("inverseBindMatrices", Need::Optional),
            skeleton: object.index("skeleton", Need::Optional),
            joints: object.indices("joints", Need::Required),
            common_roots: Vec::new(),
        }
    }
}

/// Checks all skins.
pub(super) fn link(
    lists: &mut Lists<'_>,
    hierarchy: &mut Hierarchy,
    work: &mut Work,
    checks: &mut Checks,
    findings: &mut Findings,
) {
    let mut skins = std::mem::take(&mut lists.skins);
    for (index, skin) in skins.iter_mut().enumerate() {
        let Some(skin) = skin else { continue };
        let place = child("/skins", index);
        let roots_are_known = link_joints(skin, lists, hierarchy, work, &place, findings);
        link_matrices(skin, lists, checks, &place, findings);
        let Some(skeleton) = skin.skeleton else { continue };
        let pointer = child(&place, "skeleton");
        if lists.node(skeleton).is_none() {
            findings.unresolved(pointer, "node", skeleton, lists.nodes.len());
        } else if roots_are_known && !skin.common_roots.contains(&(skeleton as usize)) {
            let message = format!("node {skeleton} is not above all joints");
            findings.error("SKIN_SKELETON_INVALID", pointer, message);
        }
    }
    lists.skins = skins;
}

/// Finds the common roots of the joints; false where that would take too long.
fn link_joints(
    skin: &mut Skin,
    lists: &Lists<'_>,
    hierarchy: &mut Hierarchy,
    work: &mut Work,
    place: &str,
    findings: &mut Findings,
) -> bool {
    let Some(joints) = &skin.joints else { return true };
    let place = child(place, "joints");
    let mut roots: Vec<usize> = Vec::new();
    let mut is_known = true;
    for (position, joint) in joints.iter().enumerate() {
        let Some(joint) = *joint else { continue };
        if lists.node(joint).is_none() {
            findings.unresolved(child(&place, position), "node", joint, lists.nodes.len());
            continue;
        }
        let joint = joint as usize;
        hierarchy.is_joint[joint] = true;
        match hierarchy.ancestors(joint, work) {
            // As soon as nothing is left, the next joint begins anew, as the Khronos validator has it.
            Some(above) if roots.is_empty() => roots.extend(above),
            Some(above) => roots.retain(|root| above.contains(root)),
            None => is_known = false,
        }
    }
    if roots.is_empty() && is_known {
        findings.error("SKIN_NO_COMMON_ROOT", place, "no node is above all joints");
    }
    skin.common_roots = roots;
    is_known
}

fn link_matrices(
    skin: &Skin,
    lists: &mut Lists<'_>,
    checks: &mut Checks,
    place: &str,
    findings: &mut Findings,
) {
    let Some(index) = skin.inverse_bind_matrices else {
        return;
    };
    let pointer = child(place, "inverseBindMatrices");
    if lists.accessor(index).is_none() {
        findings.unresolved(pointer, "accessor", index, lists.accessors.len());
        return;
    }
    let usage = AccessorUsage::InverseBindMatrices;
    note_uses(
        lists,
        index,
        usage,
        ViewUsage::InverseBindMatrices,
        &pointer,
        findings,
    );
    let Some(accessor) = lists.accessor(index) else {
        return;
    };
    if lists
        .view_of(accessor)
        .is_some_and(|view| view.byte_stride.is_some())
    {
        let message = "inverse bind matrices are packed: their buffer view has no stride";
        findings.error("SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE", pointer.as_str(), message);
    }
    let format = accessor.format();
    if format == Format::float(Shape::Mat4) {
        checks.add(index, Check::InverseBindMatrix, &pointer);
    } else {
        let message = format!("the accessor is {format}, inverse bind matrices are MAT4 FLOAT");
        findings.error("SKIN_IBM_INVALID_FORMAT", pointer.as_str(), message);
    }
    if let Some(joints) = &skin.joints
        && accessor.count.unwrap_or(0) < joints.len() as u64
    {
        let message = format!(
            "{} inverse bind matrices for {} joints",
            accessor.count.unwrap_or(0),
            joints.len()
        );
        findings.error("INVALID_IBM_ACCESSOR_COUNT", pointer, message);
    }
}

/// The skin with the fewest joints among those that nodes use for a mesh, with its index.
pub(super) fn smallest_skins(lists: &Lists<'_>) -> Vec<Option<(usize, u64)>> {
    let mut smallest = vec![None; lists.meshes.len()];
    for (_, node) in present(&lists.nodes) {
        let (Some(mesh), Some(skin_index)) = (node.mesh, node.skin) else {
            continue;
        };
        let joints = lists.skin(skin_index).and_then(|skin| skin.joints.as_ref());
        if let (Some(joints), Some(smallest)) = (joints, smallest.get_mut(mesh as usize)) {
            let better = smallest.is_none_or(|(count, _)| joints.len() < count);
            if better {
                *smallest = Some((joints.len(), skin_index));
            }
        }
    }
    smallest
}
