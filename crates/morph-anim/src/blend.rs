//! Blend trees: several clips weighed into one.

use crate::number::bounded;

/// A clip that a [`ClipPlayer`](crate::ClipPlayer) plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClipId(pub(crate) usize);

/// Clips weighed together.
///
/// A leaf plays a clip, a branch weighs what hangs below it, and the weight of a clip is the product of the weights on
/// the way from the root to it.
/// Of each thing that any of the clips drives, the tree's value is the sum of their values, each times its weight.
/// An absent child contributes nothing and nothing is renormalized: if only one of two children weighed by half drives
/// a weight, the tree gives half of its value.
/// Transforms are measured from the rest pose, so that what is missing to a sum of weights of one is filled up by it.
/// Rotations are summed as quaternions, each on the side of the sum before it, and the sum is made unit.
///
/// A clip that is weighed by zero contributes zero but drives what it drives all the same: if that ended at zero, a
/// face would jump when a weight reaches it.
/// A tree in which one clip is weighed by one, and all others by zero, gives the values of that clip to the last bit.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendTree {
    /// Parents come before their children; the first one is the root.
    nodes: Vec<Node>,
}

/// A node of a [`BlendTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlendNode(usize);

#[derive(Clone, Debug, PartialEq)]
struct Node {
    parent: usize,
    weight: f32,
    /// The product of the weights from the root to here.
    total: f64,
    clip: Option<ClipId>,
}

/// Why a blend tree cannot be changed so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlendError {
    /// A weight is NaN or infinite.
    #[error("a weight in a blend tree must be a finite number")]
    NotFinite,
    /// The tree has no such node.
    #[error("the blend tree has no such node: it belongs to another tree")]
    NoNode,
    /// Something would hang below a clip.
    #[error("a clip has no children: hang them below a branch")]
    Leaf,
}

impl BlendTree {
    /// The root.
    pub const ROOT: BlendNode = BlendNode(0);

    /// A tree in which nothing hangs yet below the root, whose weight is one.
    pub fn new() -> Self {
        BlendTree {
            nodes: vec![Node {
                parent: 0,
                weight: 1.0,
                total: 1.0,
                clip: None,
            }],
        }
    }

    /// A tree of one clip.
    pub fn of_clip(clip: ClipId) -> Self {
        let mut tree = BlendTree::new();
        tree.nodes[0].clip = Some(clip);
        tree
    }

    /// Hangs a branch below another.
    ///
    /// # Errors
    /// Where the parent is not in the tree or is a clip, and where the weight is not finite.
    pub fn add_branch(&mut self, parent: BlendNode, weight: f32) -> Result<BlendNode, BlendError> {
        self.add(parent, weight, None)
    }

    /// Hangs a clip below a branch.
    ///
    /// # Errors
    /// As [`add_branch`](Self::add_branch).
    pub fn add_clip(
        &mut self,
        parent: BlendNode,
        weight: f32,
        clip: ClipId,
    ) -> Result<BlendNode, BlendError> {
        self.add(parent, weight, Some(clip))
    }

    fn add(&mut self, parent: BlendNode, weight: f32, clip: Option<ClipId>) -> Result<BlendNode, BlendError> {
        let above = self.nodes.get(parent.0).ok_or(BlendError::NoNode)?;
        if above.clip.is_some() {
            return Err(BlendError::Leaf);
        }
        if !weight.is_finite() {
            return Err(BlendError::NotFinite);
        }
        let total = bounded(above.total * f64::from(weight));
        self.nodes.push(Node {
            parent: parent.0,
            weight,
            total,
            clip,
        });
        Ok(BlendNode(self.nodes.len() - 1))
    }

    /// Weighs a node. Allocates nothing.
    ///
    /// # Errors
    /// Where the node is not in the tree, and where the weight is not finite.
    pub fn set_weight(&mut self, node: BlendNode, weight: f32) -> Result<(), BlendError> {
        if !weight.is_finite() {
            return Err(BlendError::NotFinite);
        }
        self.nodes.get_mut(node.0).ok_or(BlendError::NoNode)?.weight = weight;
        self.nodes[0].total = f64::from(self.nodes[0].weight);
        for index in 1..self.nodes.len() {
            let above = self.nodes[self.nodes[index].parent].total;
            self.nodes[index].total = bounded(above * f64::from(self.nodes[index].weight));
        }
        Ok(())
    }

    /// The weight of a node, or `None` where it is not in the tree.
    pub fn weight(&self, node: BlendNode) -> Option<f32> {
        self.nodes.get(node.0).map(|node| node.weight)
    }

    /// The clip, where the tree is nothing but one clip weighed by one.
    pub(crate) fn whole_clip(&self) -> Option<ClipId> {
        let mut clips = self.clips();
        let (clip, weight) = clips.next()?;
        (weight == 1.0 && clips.next().is_none()).then_some(clip)
    }

    /// The clips with the product of the weights on the way to each.
    pub(crate) fn clips(&self) -> impl Iterator<Item = (ClipId, f64)> {
        self.nodes
            .iter()
            .filter_map(|node| node.clip.map(|clip| (clip, node.total)))
    }
}

impl Default for BlendTree {
    fn default() -> Self {
        Self::new()
    }
}
