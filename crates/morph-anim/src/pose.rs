//! The values of everything in a model that clips can drive, and which of them are driven.

use std::sync::Arc;

use crate::layout::PoseLayout;
use crate::trs::Trs;

/// Which parts of a node's transform are driven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DrivenParts {
    /// The translation.
    pub translation: bool,
    /// The rotation.
    pub rotation: bool,
    /// The scale.
    pub scale: bool,
}

impl DrivenParts {
    /// Whether any part is driven.
    pub fn any(self) -> bool {
        self.translation || self.rotation || self.scale
    }
}

/// One thing that can be driven: what a track is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Slot {
    Translation(usize),
    Rotation(usize),
    Scale(usize),
    /// By its place among the weights of all nodes.
    Weight(usize),
}

/// A node's transform and weights for every node of a model, each with a mark that says whether it is driven.
///
/// A value that nothing drives is there all the same: it is what the pose was made with or was set to.
/// A driven zero and one that nothing drives differ in the mark alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    layout: Arc<PoseLayout>,
    pub(crate) locals: Vec<Trs>,
    pub(crate) weights: Vec<f32>,
    pub(crate) driven_parts: Vec<DrivenParts>,
    pub(crate) driven_weights: Vec<bool>,
}

/// A value that cannot be set in a pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PoseError {
    /// There is no such node.
    #[error("there is no node {node}: the model has {node_count} nodes, counted from 0")]
    NoNode {
        /// The node asked for.
        node: usize,
        /// How many nodes there are.
        node_count: usize,
    },
    /// The node's mesh has no such target.
    #[error("node {node} has no target {slot}: its mesh has {target_count} targets, counted from 0")]
    NoTarget {
        /// The node.
        node: usize,
        /// The slot asked for.
        slot: usize,
        /// How many targets the node's mesh has.
        target_count: usize,
    },
    /// A rotation that is no unit quaternion.
    #[error("the rotation for node {node} is no unit quaternion")]
    Rotation {
        /// The node.
        node: usize,
    },
    /// NaN or infinity.
    #[error("a value for node {node} is not finite")]
    NotFinite {
        /// The node.
        node: usize,
    },
}

impl Pose {
    /// The rest transforms and start weights of a layout, with nothing driven.
    pub fn new(layout: Arc<PoseLayout>) -> Self {
        Pose {
            locals: layout.rest().to_vec(),
            weights: layout.start_weights().to_vec(),
            driven_parts: vec![DrivenParts::default(); layout.node_count()],
            driven_weights: vec![false; layout.start_weights().len()],
            layout,
        }
    }

    /// The nodes and targets that the pose is of.
    pub fn layout(&self) -> &Arc<PoseLayout> {
        &self.layout
    }

    /// The transform of each node to its parent.
    pub fn locals(&self) -> &[Trs] {
        &self.locals
    }

    /// The weights of a node's targets by slot; none for a node without targets, and past the last node.
    pub fn weights(&self, node: usize) -> &[f32] {
        let range = self.layout.weight_range(node).unwrap_or_default();
        &self.weights[range]
    }

    /// Which parts of a node's transform are driven; none past the last node.
    pub fn driven_parts(&self, node: usize) -> DrivenParts {
        self.driven_parts.get(node).copied().unwrap_or_default()
    }

    /// For each target of a node by slot, whether its weight is driven.
    pub fn driven_weights(&self, node: usize) -> &[bool] {
        let range = self.layout.weight_range(node).unwrap_or_default();
        &self.driven_weights[range]
    }

    /// The weight of a target where it is driven.
    pub fn driven_weight(&self, node: usize, slot: usize) -> Option<f32> {
        let index = self.layout.weight_index(node, slot)?;
        self.driven_weights[index].then(|| self.weights[index])
    }

    /// Sets a weight and leaves its mark alone.
    ///
    /// # Errors
    /// Where there is no such target, and for NaN and infinity.
    pub fn set_weight(&mut self, node: usize, slot: usize, weight: f32) -> Result<(), PoseError> {
        self.check_node(node)?;
        let Some(index) = self.layout.weight_index(node, slot) else {
            let target_count = self.weights(node).len();
            return Err(PoseError::NoTarget {
                node,
                slot,
                target_count,
            });
        };
        if !weight.is_finite() {
            return Err(PoseError::NotFinite { node });
        }
        self.weights[index] = weight;
        Ok(())
    }

    /// Sets a node's transform to its parent and leaves its marks alone.
    ///
    /// # Errors
    /// Where there is no such node, for NaN and infinity, and where the rotation is no unit quaternion.
    pub fn set_local(&mut self, node: usize, local: Trs) -> Result<(), PoseError> {
        self.check_node(node)?;
        if !local.is_finite() {
            return Err(PoseError::NotFinite { node });
        }
        if !local.rotation.is_normalized() {
            return Err(PoseError::Rotation { node });
        }
        self.locals[node] = local;
        Ok(())
    }

    /// Takes all marks away and leaves the values as they are.
    pub fn clear_driven(&mut self) {
        self.driven_parts.fill(DrivenParts::default());
        self.driven_weights.fill(false);
    }

    /// Takes the values of a pose of the same layout, with nothing driven. Allocates nothing.
    pub(crate) fn start_from(&mut self, base: &Pose) {
        self.locals.copy_from_slice(&base.locals);
        self.weights.copy_from_slice(&base.weights);
        self.clear_driven();
    }

    fn check_node(&self, node: usize) -> Result<(), PoseError> {
        let node_count = self.locals.len();
        if node < node_count {
            Ok(())
        } else {
            Err(PoseError::NoNode { node, node_count })
        }
    }
}
