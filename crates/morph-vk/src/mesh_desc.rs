//! What an engine hands over with a mesh.

use std::sync::Arc;

use morph_core::{MorphMesh, RestPose};

/// A mesh for [`MorphPass::add_mesh`](crate::MorphPass::add_mesh).
#[derive(Debug, Clone)]
pub struct MeshDesc {
    /// The targets.
    pub morph: Arc<MorphMesh>,
    /// The rest pose, interleaved as the engine draws it.
    pub rest: RestPose,
    /// For logs, labels and errors; may be empty, and need not be unique.
    pub name: String,
}

impl MeshDesc {
    /// A mesh without a name.
    pub fn new(morph: Arc<MorphMesh>, rest: RestPose) -> MeshDesc {
        MeshDesc {
            morph,
            rest,
            name: String::new(),
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
