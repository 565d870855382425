//! What clips drive in a model: the layout that they are bound to, its hierarchy, and the matrices of its skins.

use glam::Mat4;
use morph_anim::{Hierarchy, HierarchyError, LayoutError, Pose, PoseLayout, PoseNode, joint_matrices_into};
use morph_core::expression::ExpressionError;
use morph_core::rig::EvaluateError;
use morph_core::skin::{BoneRows, rows_from_columns};
use morph_core::{NameError, NameTable, Rig, SkinError, SkinPose};

use crate::model::Model;

/// Why a model cannot be played. None that was read from a file is refused, but for expressions whose weights add up to
/// more than a float holds.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaybackError {
    /// Two targets of a mesh have one name.
    #[error("the target names of mesh {mesh} are not distinct: {reason}")]
    Names {
        /// The mesh.
        mesh: usize,
        /// The names.
        reason: NameError,
    },
    /// Nodes do not make a layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// Nodes do not make a tree, or joints are no nodes.
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    /// A rig does not fit what it is to evaluate.
    #[error(transparent)]
    Rig(#[from] EvaluateError),
    /// Matrices of joints cannot be used.
    #[error(transparent)]
    Skin(#[from] SkinError),
    /// Expressions do not fit the targets of a mesh.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// There is no node of this index.
    #[error("there is no node {node}: the model has {count}, counted from 0")]
    NoNode {
        /// The index.
        node: usize,
        /// How many nodes there are.
        count: usize,
    },
    /// The pose is of another model.
    #[error("the pose is of {posed} nodes, the model has {nodes}")]
    OtherPose {
        /// The nodes of the pose.
        posed: usize,
        /// The nodes of the model.
        nodes: usize,
    },
    /// There is no skin of this index.
    #[error("there is no skin {skin}: the model has {count}, counted from 0")]
    NoSkin {
        /// The index.
        skin: usize,
        /// How many skins there are.
        count: usize,
    },
}

impl Model {
    /// What clips can drive: every node with its transform at rest and the weights that it starts with.
    ///
    /// The weights of a node are those of its mesh's targets, or, where the mesh has a [`rig`](crate::Mesh::rig), of
    /// the rig's controls.
    ///
    /// # Errors
    /// Where names or ids are not distinct, or transforms are not finite.
    pub fn pose_layout(&self) -> Result<PoseLayout, PlaybackError> {
        let nodes = self.nodes.iter().enumerate().map(|(index, node)| {
            Ok(PoseNode {
                id: node.id.clone(),
                rest: node.trs,
                targets: self.driven_names(index)?,
                // A rig's controls cannot be told from the weights that they gave.
                start_weights: match self.rig_of(index) {
                    Some(_) => Vec::new(),
                    None => self.start_weights(index).to_vec(),
                },
            })
        });
        Ok(PoseLayout::new(nodes.collect::<Result<_, PlaybackError>>()?)?)
    }

    /// The weights of a node's targets in a pose that was made of [`pose_layout`](Self::pose_layout): what the pose
    /// drives, and the weights that the node starts with for the rest.
    ///
    /// # Errors
    /// Where the rig of the node's mesh does not fit the pose or its targets.
    pub fn target_weights(&self, node: usize, pose: &Pose) -> Result<Vec<f32>, PlaybackError> {
        let mut weights = Vec::new();
        self.target_weights_into(node, pose, &mut weights)?;
        Ok(weights)
    }

    /// As [`target_weights`](Self::target_weights), into a list that serves every frame: allocates nothing once `weights`
    /// has the room.
    ///
    /// # Errors
    /// Where the rig of the node's mesh does not fit the pose or its targets. What is in `weights` means nothing then.
    pub fn target_weights_into(
        &self,
        node: usize,
        pose: &Pose,
        weights: &mut Vec<f32>,
    ) -> Result<(), PlaybackError> {
        weights.clear();
        let Some(rig) = self.rig_of(node) else {
            weights.extend_from_slice(pose.weights(node));
            return Ok(());
        };
        weights.extend_from_slice(self.start_weights(node));
        weights.resize(rig.target_count(), 0.0);
        self.drive_weights(node, pose, weights)
    }

    /// Writes over the weights of a node's targets, one each, what a pose that was made of
    /// [`pose_layout`](Self::pose_layout) drives, and leaves the rest alone.
    ///
    /// # Errors
    /// Where the rig of the node's mesh does not fit the pose or the weights.
    pub fn drive_weights(&self, node: usize, pose: &Pose, weights: &mut [f32]) -> Result<(), PlaybackError> {
        if let Some(rig) = self.rig_of(node) {
            if pose.driven_weights(node).contains(&true) {
                rig.evaluate(pose.weights(node), weights)?;
            }
        } else {
            for (slot, weight) in weights.iter_mut().enumerate() {
                *weight = pose.driven_weight(node, slot).unwrap_or(*weight);
            }
        }
        Ok(())
    }

    fn rig_of(&self, node: usize) -> Option<&Rig> {
        let mesh = self.nodes.get(node)?.mesh?;
        self.meshes.get(mesh)?.rig.as_ref()
    }

    /// The names that clips drive weights of a node by.
    fn driven_names(&self, node: usize) -> Result<NameTable, PlaybackError> {
        let Some((index, mesh)) = self.nodes[node]
            .mesh
            .and_then(|index| Some((index, self.meshes.get(index)?)))
        else {
            return Ok(NameTable::default());
        };
        match &mesh.rig {
            Some(rig) => Ok(rig.controls().clone()),
            None => NameTable::new(mesh.target_names.iter().map(String::as_str))
                .map_err(|reason| PlaybackError::Names { mesh: index, reason }),
        }
    }

    /// Which node hangs on which.
    ///
    /// # Errors
    /// Where a parent is no node, or nodes are their own ancestors.
    pub fn hierarchy(&self) -> Result<Hierarchy, PlaybackError> {
        Ok(Hierarchy::new(
            self.nodes.iter().map(|node| node.parent).collect(),
        )?)
    }

    /// The matrices of all nodes into the model's space, in a pose that was made of [`pose_layout`](Self::pose_layout).
    ///
    /// A node that the pose does not drive keeps its matrix as the file gives it, which need not consist of
    /// translation, rotation and scale.
    ///
    /// # Errors
    /// Where a parent is no node, nodes are their own ancestors, or the pose is of another number of nodes.
    pub fn world_matrices(&self, pose: Option<&Pose>) -> Result<Vec<Mat4>, PlaybackError> {
        let mut matrices = NodeMatrices::default();
        self.world_matrices_into(pose, &mut matrices)?;
        Ok(matrices.worlds)
    }

    /// As [`world_matrices`](Self::world_matrices), into a state that serves every frame: allocates nothing while the
    /// nodes keep their number and their parents.
    ///
    /// # Errors
    /// As [`world_matrices`](Self::world_matrices); `matrices` are as they were then.
    pub fn world_matrices_into(
        &self,
        pose: Option<&Pose>,
        matrices: &mut NodeMatrices,
    ) -> Result<(), PlaybackError> {
        let nodes = self.nodes.len();
        if let Some(pose) = pose.filter(|pose| pose.locals().len() != nodes) {
            let posed = pose.locals().len();
            return Err(PlaybackError::OtherPose { posed, nodes });
        }
        let parents = self.nodes.iter().map(|node| node.parent);
        if !parents.eq(matrices.hierarchy.parents().iter().copied()) {
            matrices.hierarchy = self.hierarchy()?;
        }
        matrices.locals.clear();
        matrices.locals.extend((0..nodes).map(|index| match pose {
            Some(pose) if pose.driven_parts(index).any() => pose.locals()[index].matrix(),
            _ => self.nodes[index].local,
        }));
        matrices
            .hierarchy
            .world_of_matrices_into(&matrices.locals, &mut matrices.worlds)?;
        Ok(())
    }

    /// The bones of a skin, from the mesh at rest into the model's space.
    ///
    /// # Errors
    /// Where there is no such skin, it does not fit the matrices of the nodes, or a matrix is not finite.
    pub fn skin_pose(&self, skin: usize, worlds: &[Mat4]) -> Result<SkinPose, PlaybackError> {
        let mut bones = SkinPose::default();
        self.bones_into(skin, worlds, &mut Vec::new(), &mut Vec::new(), &mut bones)?;
        Ok(bones)
    }

    /// As [`skin_pose`](Self::skin_pose), of the nodes as [`world_matrices_into`](Self::world_matrices_into) left them,
    /// into bones that serve every frame: allocates nothing once both have the room.
    ///
    /// # Errors
    /// As [`skin_pose`](Self::skin_pose); `bones` are as they were then.
    pub fn skin_pose_into(
        &self,
        skin: usize,
        matrices: &mut NodeMatrices,
        bones: &mut SkinPose,
    ) -> Result<(), PlaybackError> {
        let NodeMatrices {
            worlds, joints, rows, ..
        } = matrices;
        self.bones_into(skin, worlds, joints, rows, bones)
    }

    fn bones_into(
        &self,
        skin: usize,
        worlds: &[Mat4],
        joints: &mut Vec<Mat4>,
        rows: &mut Vec<BoneRows>,
        bones: &mut SkinPose,
    ) -> Result<(), PlaybackError> {
        let count = self.skins.len();
        let skin = self
            .skins
            .get(skin)
            .ok_or(PlaybackError::NoSkin { skin, count })?;
        joint_matrices_into(worlds, &skin.joints, &skin.inverse_bind, joints)?;
        rows.clear();
        let matrices = joints.iter();
        rows.extend(matrices.map(|matrix| rows_from_columns(&matrix.to_cols_array_2d())));
        Ok(bones.set(rows)?)
    }
}

/// The matrices of a model's nodes, and room to work with them: made once, for every frame.
///
/// One that was made for another model serves too; it allocates once more.
#[derive(Debug, Clone, Default)]
pub struct NodeMatrices {
    hierarchy: Hierarchy,
    locals: Vec<Mat4>,
    worlds: Vec<Mat4>,
    joints: Vec<Mat4>,
    rows: Vec<BoneRows>,
}

impl NodeMatrices {
    /// For each node the transform into the model's space, as [`Model::world_matrices_into`] wrote it last.
    pub fn worlds(&self) -> &[Mat4] {
        &self.worlds
    }
}
