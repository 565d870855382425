//! From transforms to the parents to transforms into the model's space.

use glam::Mat4;

use crate::trs::Trs;

/// Why parents are no hierarchy, or what does not fit one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HierarchyError {
    /// A parent that is not there.
    #[error("node {node} has the parent {parent}: there are {node_count} nodes, counted from 0")]
    NoParent {
        /// The node.
        node: usize,
        /// Its parent.
        parent: usize,
        /// How many nodes there are.
        node_count: usize,
    },
    /// A node is above itself.
    #[error("node {node} is its own parent, grandparent or further ancestor")]
    Loop {
        /// A node of the loop.
        node: usize,
    },
    /// As many are needed as there are nodes, or joints.
    #[error("{given} {what} were given: {needed} are needed")]
    Count {
        /// What was given.
        what: &'static str,
        /// How many.
        given: usize,
        /// How many it should have been.
        needed: usize,
    },
    /// A joint that is not there.
    #[error("joint {joint} of the skin is node {node}: there are {node_count} nodes, counted from 0")]
    NoJoint {
        /// The joint.
        joint: usize,
        /// The node that it is said to be.
        node: usize,
        /// How many nodes there are.
        node_count: usize,
    },
}

/// Which node hangs on which, ordered once so that every frame walks it without searching.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hierarchy {
    parents: Vec<Option<usize>>,
    /// Parents before their children.
    order: Vec<usize>,
}

impl Hierarchy {
    /// A hierarchy of the parent of each node; parents may come after their children.
    ///
    /// # Errors
    /// Where a parent is not there, and where a node is above itself.
    pub fn new(parents: Vec<Option<usize>>) -> Result<Self, HierarchyError> {
        let node_count = parents.len();
        let mut order = Vec::with_capacity(node_count);
        let mut placed = vec![false; node_count];
        let mut path = Vec::new();
        for start in 0..node_count {
            // Up to a node that is placed or a root; then down again.
            let mut next = Some(start);
            while let Some(node) = next.filter(|&node| !placed[node]) {
                path.push(node);
                if path.len() > node_count {
                    return Err(HierarchyError::Loop { node });
                }
                next = parents[node];
                if let Some(parent) = next
                    && parent >= node_count
                {
                    return Err(HierarchyError::NoParent {
                        node,
                        parent,
                        node_count,
                    });
                }
            }
            while let Some(node) = path.pop() {
                placed[node] = true;
                order.push(node);
            }
        }
        Ok(Hierarchy { parents, order })
    }

    /// The parent of each node.
    pub fn parents(&self) -> &[Option<usize>] {
        &self.parents
    }

    /// Writes for each node the transform into the model's space. Allocates nothing once `worlds` has the room.
    ///
    /// # Errors
    /// Where there are not as many locals as nodes; then `worlds` is left alone.
    pub fn world_matrices_into(&self, locals: &[Trs], worlds: &mut Vec<Mat4>) -> Result<(), HierarchyError> {
        self.multiply(locals.len(), |node| locals[node].matrix(), worlds)
    }

    /// As [`world_matrices_into`](Self::world_matrices_into), of local transforms that are matrices: not every matrix
    /// consists of translation, rotation and scale.
    ///
    /// # Errors
    /// Where there are not as many locals as nodes; then `worlds` is left alone.
    pub fn world_of_matrices_into(
        &self,
        locals: &[Mat4],
        worlds: &mut Vec<Mat4>,
    ) -> Result<(), HierarchyError> {
        self.multiply(locals.len(), |node| locals[node], worlds)
    }

    fn multiply(
        &self,
        local_count: usize,
        local: impl Fn(usize) -> Mat4,
        worlds: &mut Vec<Mat4>,
    ) -> Result<(), HierarchyError> {
        check_count("local transforms", local_count, self.parents.len())?;
        worlds.clear();
        worlds.resize(local_count, Mat4::IDENTITY);
        for &node in &self.order {
            worlds[node] = match self.parents[node] {
                Some(parent) => worlds[parent] * local(node),
                None => local(node),
            };
        }
        Ok(())
    }
}

/// For each node the transform into the model's space, from the parent of each and the transform to it.
///
/// Every frame, [`Hierarchy::world_matrices_into`] does it without ordering the nodes anew.
///
/// # Errors
/// As [`Hierarchy`]'s.
///
/// ```
/// use glam::Vec3;
/// use morph_anim::{Trs, world_matrices};
///
/// let up = Trs { translation: Vec3::Y, ..Trs::IDENTITY };
/// let worlds = world_matrices(&[None, Some(0)], &[up, up])?;
/// assert_eq!(worlds[1].transform_point3(Vec3::ZERO), Vec3::new(0.0, 2.0, 0.0));
/// # Ok::<(), morph_anim::HierarchyError>(())
/// ```
pub fn world_matrices(parents: &[Option<usize>], locals: &[Trs]) -> Result<Vec<Mat4>, HierarchyError> {
    let hierarchy = Hierarchy::new(parents.to_vec())?;
    let mut worlds = Vec::new();
    hierarchy.world_matrices_into(locals, &mut worlds)?;
    Ok(worlds)
}

/// Writes for each joint of a skin the matrix from a vertex at rest into the model's space:
/// `world(joint) · inverse_bind`, as glTF 2.0 defines it (section 3.7.3).
///
/// The node that carries the skinned mesh takes no part: neither its transform nor its parents' move the mesh.
/// Allocates nothing once `matrices` has the room.
///
/// # Errors
/// Where there are not as many inverse bind matrices as joints, and where a joint is no node; then `matrices` is left
/// alone.
pub fn joint_matrices_into(
    worlds: &[Mat4],
    joints: &[usize],
    inverse_bind: &[Mat4],
    matrices: &mut Vec<Mat4>,
) -> Result<(), HierarchyError> {
    check_count("inverse bind matrices", inverse_bind.len(), joints.len())?;
    let node_count = worlds.len();
    if let Some((joint, &node)) = joints.iter().enumerate().find(|&(_, &node)| node >= node_count) {
        return Err(HierarchyError::NoJoint {
            joint,
            node,
            node_count,
        });
    }
    matrices.clear();
    matrices.extend(
        joints
            .iter()
            .zip(inverse_bind)
            .map(|(&joint, &bind)| worlds[joint] * bind),
    );
    Ok(())
}

fn check_count(what: &'static str, given: usize, needed: usize) -> Result<(), HierarchyError> {
    if given == needed {
        Ok(())
    } else {
        Err(HierarchyError::Count { what, given, needed })
    }
}
