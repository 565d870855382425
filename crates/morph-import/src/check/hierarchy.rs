//! How nodes, scenes and skins hang together.

use std::collections::HashSet;

use super::json::child;
use super::lists::{Lists, present};
use super::nodes::Node;
use super::report::Findings;
use super::work::Work;

/// Who is whose parent.
#[derive(Debug)]
pub(super) struct Hierarchy {
    parents: Vec<Option<usize>>,
    pub(super) is_joint: Vec<bool>,
}

impl Hierarchy {
    /// Checks what nodes refer to, and finds their parents.
    pub(super) fn link(lists: &Lists<'_>, findings: &mut Findings) -> Self {
        let mut hierarchy = Hierarchy {
            parents: vec![None; lists.nodes.len()],
            is_joint: vec![false; lists.nodes.len()],
        };
        for (index, node) in present(&lists.nodes) {
            let place = child("/nodes", index);
            if let Some(camera) = node.camera
                && camera >= lists.camera_count
            {
                let count = lists.camera_count as usize;
                findings.unresolved(child(&place, "camera"), "camera", camera, count);
            }
            if let Some(skin) = node.skin
                && lists.skin(skin).is_none()
            {
                findings.unresolved(child(&place, "skin"), "skin", skin, lists.skins.len());
            }
            link_mesh(lists, node, &place, findings);
            hierarchy.link_children(lists, index, node, &place, findings);
        }
        hierarchy
    }

    fn link_children(
        &mut self,
        lists: &Lists<'_>,
        index: usize,
        node: &Node,
        place: &str,
        findings: &mut Findings,
    ) {
        let place = child(place, "children");
        for (position, child_index) in node.children.iter().flatten().enumerate() {
            let Some(child_index) = *child_index else { continue };
            let pointer = child(&place, position);
            if lists.node(child_index).is_none() {
                findings.unresolved(pointer, "node", child_index, lists.nodes.len());
                continue;
            }
            let parent = &mut self.parents[child_index as usize];
            if let Some(parent) = parent {
                let message = format!("node {child_index} is a child of node {parent} already");
                findings.error("NODE_PARENT_OVERRIDE", pointer, message);
            }
            *parent = Some(index);
        }
    }

    /// A node and all above it, from it upwards; `None` where that would take too long.
    pub(super) fn ancestors(&self, node: usize, work: &mut Work) -> Option<Vec<usize>> {
        let mut above = Vec::new();
        let mut seen = HashSet::new();
        let mut next = Some(node);
        while let Some(node) = next
            && seen.insert(node)
        {
            if !work.take(16) {
                return None;
            }
            above.push(node);
            next = self.parents[node];
        }
        Some(above)
    }

    /// Which nodes are their own ancestors.
    fn loops(&self) -> Vec<bool> {
        let mut in_loop = vec![false; self.parents.len()];
        // The walk that came by first, from one on.
        let mut walks = vec![0; self.parents.len()];
        for start in 0..self.parents.len() {
            let walk = start + 1;
            let mut next = Some(start);
            while let Some(node) = next
                && walks[node] == 0
            {
                walks[node] = walk;
                next = self.parents[node];
            }
            // A walk that meets itself has found a loop; one that meets another ends there.
            while let Some(node) = next
                && walks[node] == walk
                && !in_loop[node]
            {
                in_loop[node] = true;
                next = self.parents[node];
            }
        }
        in_loop
    }

    /// Checks scenes, loops, and whether skinned nodes are where they may be.
    pub(super) fn check(&self, lists: &Lists<'_>, work: &mut Work, findings: &mut Findings) {
        for (index, scene) in present(&lists.scenes) {
            let place = format!("/scenes/{index}/nodes");
            for (position, node) in scene.nodes.iter().flatten().enumerate() {
                let Some(node) = *node else { continue };
                let pointer = child(&place, position);
                if lists.node(node).is_none() {
                    findings.unresolved(pointer, "node", node, lists.nodes.len());
                } else if let Some(parent) = self.parents[node as usize] {
                    let message =
                        format!("node {node} is a child of node {parent}, a scene lists roots only");
                    findings.error("SCENE_NON_ROOT_NODE", pointer, message);
                }
            }
        }
        let loops = self.loops();
        let scenes = scenes_with_skins(lists, work);
        for (index, node) in present(&lists.nodes) {
            let place = child("/nodes", index);
            let is_empty = node.children.is_none() && node.mesh.is_none_or(|mesh| lists.mesh(mesh).is_none());
            let has_camera = node.camera.is_some_and(|camera| camera < lists.camera_count);
            if is_empty && !has_camera && !node.has_more && !self.is_joint[index] {
                findings.info("NODE_EMPTY", place.as_str(), "the node holds nothing");
            }
            if loops[index] {
                findings.error("NODE_LOOP", place.as_str(), "the node is its own ancestor");
            }
            let Some(skin) = node.skin.and_then(|skin| lists.skin(skin)) else {
                continue;
            };
            if self.parents[index].is_some() {
                let message =
                    "the node shows a skinned mesh and has a parent, whose transforms do not move the mesh";
                findings.warning("NODE_SKINNED_MESH_NON_ROOT", place.as_str(), message);
            }
            if node.has_transform {
                let message = "the node shows a skinned mesh, which its own transform does not move";
                findings.warning("NODE_SKINNED_MESH_LOCAL_TRANSFORMS", place.as_str(), message);
            }
            let top = skin
                .common_roots
                .iter()
                .find(|&&root| self.parents[root].is_none());
            if let (Some(&top), Some(scenes)) = (top, &scenes)
                && scenes
                    .iter()
                    .any(|scene| scene.contains(&index) && !scene.contains(&top))
            {
                let message =
                    format!("a scene shows the node without its joints, which are below node {top}");
                findings.error("NODE_SKIN_NO_SCENE", place, message);
            }
        }
    }
}

/// The nodes of each scene; `None` where that would take too long, or no node has a skin.
fn scenes_with_skins(lists: &Lists<'_>, work: &mut Work) -> Option<Vec<HashSet<usize>>> {
    present(&lists.nodes).find(|(_, node)| node.skin.is_some())?;
    let mut scenes = Vec::new();
    for (_, scene) in present(&lists.scenes) {
        let mut seen = HashSet::new();
        let mut open: Vec<u64> = scene.nodes.iter().flatten().copied().flatten().collect();
        while let Some(index) = open.pop() {
            let Some(node) = lists.node(index) else { continue };
            if !work.take(16) {
                return None;
            }
            if seen.insert(index as usize) {
                open.extend(node.children.iter().flatten().copied().flatten());
            }
        }
        scenes.push(seen);
    }
    Some(scenes)
}

/// Checks what a node shows.
fn link_mesh(lists: &Lists<'_>, node: &Node, place: &str, findings: &mut Findings) {
    let Some(index) = node.mesh else { return };
    let Some(mesh) = lists.mesh(index) else {
        findings.unresolved(child(place, "mesh"), "mesh", index, lists.meshes.len());
        return;
    };
    if mesh.primitives.is_none() {
        return;
    }
    if let Some(weights) = &node.weights
        && mesh.target_count() != Some(weights.len())
    {
        let targets = mesh.target_count().unwrap_or(0);
        let message = format!(
            "{} weights; mesh {index} has {targets} morph targets",
            weights.len()
        );
        findings.error("NODE_WEIGHTS_INVALID", child(place, "weights"), message);
    }
    let has_skin = node.skin.is_some_and(|skin| lists.skin(skin).is_some());
    if has_skin && !mesh.has_joints() {
        let message = format!("the node has a skin, and mesh {index} has no usable joints and weights");
        findings.error("NODE_SKIN_WITH_NON_SKINNED_MESH", place, message);
    }
    if !has_skin && mesh.has_joints() {
        let message = format!("mesh {index} has joints and weights, and the node has no skin for them");
        findings.warning("NODE_SKINNED_MESH_WITHOUT_SKIN", place, message);
    }
}

/// Checks whether weights of meshes are ever used.
pub(super) fn unused_weights(lists: &Lists<'_>, findings: &mut Findings) {
    let mut is_shown = vec![false; lists.meshes.len()];
    let mut is_used = vec![false; lists.meshes.len()];
    for (_, node) in present(&lists.nodes) {
        let Some(mesh) = node.mesh.filter(|&mesh| lists.mesh(mesh).is_some()) else {
            continue;
        };
        is_shown[mesh as usize] = true;
        is_used[mesh as usize] |= node.weights.is_none();
    }
    for (index, mesh) in present(&lists.meshes) {
        if mesh.weights.is_some() && is_shown[index] && !is_used[index] {
            let message = "every node that shows the mesh has weights of its own";
            findings.info("UNUSED_MESH_WEIGHTS", format!("/meshes/{index}/weights"), message);
        }
    }
}
