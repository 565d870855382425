//! What of a damaged file is left out, and why.

use std::fmt;

use crate::error::{FbxError, GltfError};

/// A part of a file that can be damaged by itself: without it, all else means what it meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// A mesh. Its place in [`Model::meshes`](crate::Model::meshes) is kept by a mesh without primitives, and nodes that
    /// show it show nothing, with their names and transforms.
    Mesh,
    /// A primitive of a mesh whose others are sound. Its place is kept by a primitive without vertices.
    Primitive,
    /// A target of a primitive. It keeps its slot and name and moves nothing there.
    Target,
    /// The weights that a mesh or a node asks for at rest; those of a mesh are zero then, a node has those of its mesh.
    Weights,
    /// A material; the default one stands for it.
    Material,
    /// A skin. The meshes that it deforms are not skinned.
    Skin,
    /// A clip, which keeps its place and drives nothing.
    Animation,
    /// A channel of a clip; the others play.
    Channel,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Mesh => "the mesh is left out, and its nodes show nothing",
            Part::Primitive => "the primitive is left out",
            Part::Target => "the target is left out and moves nothing here",
            Part::Weights => "the weights at rest are left out",
            Part::Material => "the material is left out, and the default stands for it",
            Part::Skin => "the skin is left out, and what it deforms is not skinned",
            Part::Animation => "the animation is left out",
            Part::Channel => "the channel is left out",
        })
    }
}

/// What is wrong with a part that is left out: what refuses the file under [`OnDamage::Refuse`](crate::OnDamage::Refuse).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// Of a glTF or GLB file.
    #[error(transparent)]
    Gltf(Box<GltfError>),
    /// Of an FBX file.
    #[error(transparent)]
    Fbx(Box<FbxError>),
}

impl From<GltfError> for Damage {
    fn from(error: GltfError) -> Self {
        Damage::Gltf(Box::new(error))
    }
}

impl From<FbxError> for Damage {
    fn from(error: FbxError) -> Self {
        Damage::Fbx(Box::new(error))
    }
}
