//! The nodes of a cooked file.

use std::collections::HashMap;

use glam::{Mat4, Quat, Vec3};
use morph_anim::Trs;
use morph_core::cooked::{CookedError, Section, SectionError};

use super::read::MeshDescription;
use super::records::{ABSENT, NodeRecord};
use super::runs::{field, finite, next_run, optional_index};
use super::text::Texts;
use crate::model::{Node, Skin};

/// The weights, handed out in the order of the file.
pub(super) struct Weights<'a> {
    pub(super) values: &'a [f32],
    pub(super) next: usize,
}

/// What nodes are read with.
pub(super) struct NodeReader<'a> {
    pub(super) section: Section<'a>,
    pub(super) meshes: &'a [MeshDescription],
    pub(super) skins: &'a [Skin],
    pub(super) texts: &'a Texts<'a>,
    pub(super) count: usize,
}

impl NodeReader<'_> {
    /// Reads all nodes, and checks that they make a forest and have ids of their own.
    pub(super) fn read(
        &self,
        records: &[NodeRecord],
        weights: &mut Weights<'_>,
    ) -> Result<Vec<Node>, CookedError> {
        let mut nodes = Vec::with_capacity(records.len());
        for (at, record) in records.iter().enumerate() {
            nodes.push(self.node(at, record, weights)?);
        }
        check_forest(&nodes).map_err(|error| self.section.fault(error))?;
        check_ids(&nodes).map_err(|error| self.section.fault(error))?;
        Ok(nodes)
    }

    fn node(&self, at: usize, record: &NodeRecord, weights: &mut Weights<'_>) -> Result<Node, CookedError> {
        let fault = |error| self.section.fault(error);
        let index = |index, count, what| optional_index(index, count, what, at).map_err(fault);
        let mesh = index(record.mesh, self.meshes.len(), "the mesh of node")?;
        for (values, what) in [
            (record.local.as_slice(), "the matrix of node"),
            (&record.translation, "the translation of node"),
            (&record.rotation, "the rotation of node"),
            (&record.scale, "the scale of node"),
        ] {
            finite(values, what, at).map_err(fault)?;
        }
        let own = if record.weights.first == ABSENT {
            if record.weights.count != 0 {
                return Err(fault(field(
                    "the number of absent weights",
                    at,
                    record.weights.count,
                    "0",
                )));
            }
            None
        } else {
            let what = "the weights of node";
            let own = next_run(weights.values, record.weights, &mut weights.next, what, at).map_err(fault)?;
            let target_count = mesh.map_or(0, |mesh| self.meshes[mesh].default_weights.len());
            if own.len() != target_count {
                let right = target_count.to_string();
                return Err(fault(field(
                    "the number of weights",
                    at,
                    record.weights.count,
                    &right,
                )));
            }
            Some(own.to_vec())
        };
        Ok(Node {
            name: self
                .texts
                .optional(record.name, "the name of node", at, &self.section)?,
            parent: index(record.parent, self.count, "the parent of node")?,
            mesh,
            weights: own,
            local: Mat4::from_cols_array(&record.local),
            trs: Trs {
                translation: Vec3::from_array(record.translation),
                rotation: Quat::from_array(record.rotation),
                scale: Vec3::from_array(record.scale),
            },
            skin: index(record.skin, self.skins.len(), "the skin of node")?,
            id: self
                .texts
                .required(record.id, "the id of node", at, &self.section)?,
        })
    }
}

/// Checks that no node is above itself.
fn check_forest(nodes: &[Node]) -> Result<(), SectionError> {
    // For each node the walk that first came by it; a walk that meets itself goes round.
    let mut walks = vec![usize::MAX; nodes.len()];
    for start in 0..nodes.len() {
        let mut at = Some(start);
        while let Some(node) = at
            && walks[node] == usize::MAX
        {
            walks[node] = start;
            at = nodes[node].parent;
        }
        if let Some(node) = at.filter(|&node| walks[node] == start) {
            return Err(field(
                "the parent",
                node,
                nodes[node].parent.unwrap_or_default() as u32,
                "a node that is not below this one",
            ));
        }
    }
    Ok(())
}

fn check_ids(nodes: &[Node]) -> Result<(), SectionError> {
    let mut seen = HashMap::with_capacity(nodes.len());
    for (second, node) in nodes.iter().enumerate() {
        if let Some(first) = seen.insert(node.id.as_str(), second) {
            return Err(SectionError::DuplicateName {
                what: "nodes",
                name: node.id.clone(),
                first,
                second,
            });
        }
    }
    Ok(())
}
