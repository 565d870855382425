//! What an engine hands over with a mesh.

use std::sync::Arc;

use morph_core::skin::{DirectionTransform, SkinWeights};
use morph_core::{MorphMesh, RestPose};

/// Which bones hold the vertices of a mesh.
#[derive(Debug, Clone)]
pub struct MeshSkin {
    /// The bones of each vertex with their weights.
    pub weights: Arc<SkinWeights>,
    /// How bones carry normals: by cofactors where any of them scales its axes differently or shears, now or later
    /// (`SkinPose::direction_transform` judges a pose).
    pub directions: DirectionTransform,
}

/// A mesh for [`MorphPass::add_mesh`](crate::MorphPass::add_mesh).
#[derive(Debug, Clone)]
pub struct MeshDesc {
    /// The targets.
    pub morph: Arc<MorphMesh>,
    /// The rest pose, as the engine draws it.
    pub rest: RestPose,
    /// For logs, labels and errors; may be empty, and need not be unique.
    pub name: String,
    /// For meshes that bones carry; instances with a skeleton are skinned behind the morph.
    pub skin: Option<MeshSkin>,
}

impl MeshDesc {
    /// A mesh without a name and without a skin.
    pub fn new(morph: Arc<MorphMesh>, rest: RestPose) -> MeshDesc {
        MeshDesc {
            morph,
            rest,
            name: String::new(),
            skin: None,
        }
    }

    /// The same with a skin.
    #[must_use]
    pub fn with_skin(self, weights: Arc<SkinWeights>, directions: DirectionTransform) -> MeshDesc {
        MeshDesc {
            skin: Some(MeshSkin { weights, directions }),
            ..self
        }
    }

    /// The same with a name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> MeshDesc {
        MeshDesc {
            name: name.into(),
            ..self
        }
    }
}
