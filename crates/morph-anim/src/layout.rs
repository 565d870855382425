//! What of a model clips can drive: nodes by their ids, and the targets of each by name.

use morph_core::{NameError, NameTable};

use crate::trs::Trs;

/// A node of a model as clips see it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseNode {
    /// The name by which clips call the node, distinct within the model.
    pub id: String,
    /// The transform that the node has where nothing drives it.
    pub rest: Trs,
    /// The targets of the node's mesh; empty without a mesh, and where the mesh has none.
    pub targets: NameTable,
    /// The weights that the targets have where nothing drives them; zero for those past its end.
    pub start_weights: Vec<f32>,
}

/// Why nodes are no layout.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// Two nodes have the same id, so that a clip could not say which it means.
    #[error("ids of nodes must be distinct within a model: {0}")]
    Ids(NameError),
    /// More weights than targets.
    #[error("node `{id}` starts with {given} weights, and its mesh has {target_count} targets")]
    TooManyWeights {
        /// The node.
        id: String,
        /// How many weights were given.
        given: usize,
        /// How many targets the node's mesh has.
        target_count: usize,
    },
    /// A start weight or a part of the rest transform is NaN or infinite.
    #[error("node `{id}` has a start weight or a rest transform that is not finite")]
    NotFinite {
        /// The node.
        id: String,
    },
    /// A rest rotation is no unit quaternion.
    #[error("the rest rotation of node `{id}` is no unit quaternion")]
    Rotation {
        /// The node.
        id: String,
    },
}

/// The nodes and targets of a model: the shape that every [`Pose`](crate::Pose) of it has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseLayout {
    ids: NameTable,
    rest: Vec<Trs>,
    targets: Vec<NameTable>,
    /// Where the weights of each node begin among those of all nodes; and where the last ones end.
    first_weights: Vec<usize>,
    start_weights: Vec<f32>,
}

impl PoseLayout {
    /// The layout of a model's nodes, in the model's order.
    ///
    /// # Errors
    /// Where ids are not distinct, where a node starts with more weights than targets, or with what is not finite.
    pub fn new(nodes: Vec<PoseNode>) -> Result<Self, LayoutError> {
        let mut layout = PoseLayout::default();
        let mut ids = Vec::with_capacity(nodes.len());
        layout.first_weights.push(0);
        for node in nodes {
            check(&node)?;
            let count = layout.start_weights.len() + node.targets.len();
            layout.start_weights.extend(node.start_weights);
            layout.start_weights.resize(count, 0.0);
            layout.first_weights.push(count);
            layout.targets.push(node.targets);
            layout.rest.push(node.rest);
            ids.push(node.id);
        }
        layout.ids = NameTable::new(ids).map_err(LayoutError::Ids)?;
        Ok(layout)
    }

    /// A model without a rig: one node, its mesh.
    pub fn of_mesh(id: impl Into<String>, targets: NameTable) -> Self {
        let first_weights = vec![0, targets.len()];
        PoseLayout {
            // One name cannot come twice.
            ids: NameTable::new([id]).unwrap_or_default(),
            rest: vec![Trs::IDENTITY],
            start_weights: vec![0.0; targets.len()],
            targets: vec![targets],
            first_weights,
        }
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.rest.len()
    }

    /// The ids of the nodes, in their order.
    pub fn ids(&self) -> &NameTable {
        &self.ids
    }

    /// The transforms that the nodes have where nothing drives them.
    pub fn rest(&self) -> &[Trs] {
        &self.rest
    }

    /// The targets of a node's mesh, or `None` past the last node.
    pub fn targets(&self, node: usize) -> Option<&NameTable> {
        self.targets.get(node)
    }

    /// The weights that the targets have where nothing drives them: those of the first node, then of the next.
    pub(crate) fn start_weights(&self) -> &[f32] {
        &self.start_weights
    }

    /// Where the weights of a node stand among those of all nodes.
    pub(crate) fn weight_range(&self, node: usize) -> Option<std::ops::Range<usize>> {
        Some(*self.first_weights.get(node)?..*self.first_weights.get(node + 1)?)
    }

    /// Where a weight stands among those of all nodes.
    pub(crate) fn weight_index(&self, node: usize, slot: usize) -> Option<usize> {
        self.weight_range(node)?.nth(slot)
    }
}

fn check(node: &PoseNode) -> Result<(), LayoutError> {
    let id = || node.id.clone();
    if node.start_weights.len() > node.targets.len() {
        return Err(LayoutError::TooManyWeights {
            id: id(),
            given: node.start_weights.len(),
            target_count: node.targets.len(),
        });
    }
    if !node.rest.is_finite() || !node.start_weights.iter().all(|weight| weight.is_finite()) {
        return Err(LayoutError::NotFinite { id: id() });
    }
    if !node.rest.rotation.is_normalized() {
        return Err(LayoutError::Rotation { id: id() });
    }
    Ok(())
}
