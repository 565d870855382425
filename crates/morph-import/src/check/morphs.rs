//! What is odd about morph targets though the format allows it: names, and targets that move nothing.

use std::collections::HashMap;

use super::data::Data;
use super::json::Json;
use super::lists::{Lists, present};
use super::meshes::{Mesh, Primitive};
use super::report::Findings;
use super::values::walk;
use super::work::Work;
use crate::text::shorten;

/// Checks the names of targets.
pub(super) fn check_names(lists: &Lists<'_>, findings: &mut Findings) {
    for (index, mesh) in present(&lists.meshes) {
        let target_count = mesh
            .primitives
            .iter()
            .flatten()
            .map(Primitive::target_count)
            .max()
            .unwrap_or(0);
        check_mesh_names(index, mesh, target_count, findings);
    }
}

/// The list of names that counts, and where it is: that of the mesh, else that of the first primitive that has one.
fn names_of<'m>(index: usize, mesh: &'m Mesh<'_>) -> Option<(String, &'m [Json], bool)> {
    let list = |extras: Option<&'m Json>| extras?.object()?.get("targetNames")?.list();
    if let Some(names) = list(mesh.extras) {
        return Some((format!("/meshes/{index}/extras/targetNames"), names, true));
    }
    mesh.primitives
        .iter()
        .flatten()
        .enumerate()
        .find_map(|(position, primitive)| {
            let place = format!("/meshes/{index}/primitives/{position}/extras/targetNames");
            Some((place, list(primitive.extras)?, false))
        })
}

fn check_mesh_names(index: usize, mesh: &Mesh<'_>, target_count: usize, findings: &mut Findings) {
    let Some((place, names, is_of_mesh)) = names_of(index, mesh) else {
        if target_count > 0 {
            let message = format!(
                "the {target_count} morph targets have no names, which `extras.targetNames` would give"
            );
            findings.info("MORPH_TARGET_NAMES_MISSING", format!("/meshes/{index}"), message);
        }
        return;
    };
    if !is_of_mesh {
        let message = "the names are on a primitive; most programs look for them on the mesh";
        findings.info("MORPH_TARGET_NAMES_ON_PRIMITIVE", place.as_str(), message);
    }
    if names.len() != target_count {
        let message = format!("{} names for {target_count} morph targets", names.len());
        findings.warning("MORPH_TARGET_NAME_COUNT", place.as_str(), message);
    }
    let mut slots: HashMap<&str, usize> = HashMap::new();
    for (slot, name) in names.iter().enumerate().take(target_count) {
        let pointer = format!("{place}/{slot}");
        match name {
            Json::Text(name) if !name.is_empty() => {
                if let Some(&earlier) = slots.get(name.as_str()) {
                    let message = format!("{:?} is the name of target {earlier} already", shorten(name));
                    findings.warning("MORPH_TARGET_NAME_REPEATED", pointer, message);
                } else {
                    slots.insert(name, slot);
                }
            }
            Json::Text(_) => findings.warning("MORPH_TARGET_NAME_INVALID", pointer, "the name is empty"),
            other => {
                let message = format!("the name is {}, it has to be text", other.kind());
                findings.warning("MORPH_TARGET_NAME_INVALID", pointer, message);
            }
        }
    }
}

/// Finds targets that move nothing in any primitive of their mesh.
pub(super) fn check_deltas(lists: &Lists<'_>, data: &Data<'_>, work: &mut Work, findings: &mut Findings) {
    // Targets share accessors, and one is looked at once.
    let mut known: HashMap<u64, bool> = HashMap::new();
    let mut moves = |index: u64, work: &mut Work| {
        *known
            .entry(index)
            .or_insert_with(|| accessor_moves(index, lists, data, work))
    };
    for (index, mesh) in present(&lists.meshes) {
        let primitives = mesh.primitives.as_deref().unwrap_or_default();
        let slot_count = primitives.iter().map(Primitive::target_count).max().unwrap_or(0);
        for slot in 0..slot_count {
            let mut targets = primitives
                .iter()
                .filter_map(|primitive| primitive.targets.as_ref()?.get(slot));
            let is_idle = targets.all(|target| {
                let mut accessors = target.iter().map(|(_, index)| *index);
                accessors.all(|index| index.is_some_and(|index| !moves(index, work)))
            });
            if is_idle {
                let place = primitives
                    .iter()
                    .position(|primitive| primitive.target_count() > slot)
                    .unwrap_or(0);
                let name = names_of(index, mesh)
                    .and_then(|(_, names, _)| names.get(slot)?.text())
                    .map(|name| format!(" ({:?})", shorten(name)))
                    .unwrap_or_default();
                findings.info(
                    "MORPH_TARGET_MOVES_NOTHING",
                    format!("/meshes/{index}/primitives/{place}/targets/{slot}"),
                    format!("morph target {slot}{name} moves nothing in any primitive of the mesh"),
                );
            }
        }
    }
}

/// Whether an accessor holds anything but zeros; also where that cannot be known.
fn accessor_moves(index: u64, lists: &Lists<'_>, data: &Data<'_>, work: &mut Work) -> bool {
    let Some(accessor) = lists.accessor(index) else {
        return true;
    };
    if accessor.view.is_none() && accessor.sparse.is_none() {
        return false;
    }
    let mut any = false;
    let was_walked = walk(accessor, lists, data, work, |_, values| {
        any |= values.iter().any(|&value| value != 0.0);
    });
    any || !was_walked
}
