//! What an instance should hold, by the host kernels.

use morph_core::skin::{SkinPose, skin};
use morph_core::{MorphMesh, RestPose, morph};
use morph_vk::MeshSkin;

use crate::rig::RigError;

/// The bytes that an instance should have: the engine's own where no attribute lies, the host kernel's where one does.
///
/// # Errors
/// The host kernel refused.
pub fn expected_bytes(mesh: &MorphMesh, rest: &RestPose, weights: &[f32]) -> Result<Vec<u8>, RigError> {
    expected_posed_bytes(mesh, rest, weights, None)
}

/// The same of an instance that follows a skeleton in this pose.
///
/// # Errors
/// A host kernel refused.
pub fn expected_posed_bytes(
    mesh: &MorphMesh,
    rest: &RestPose,
    weights: &[f32],
    posed: Option<(&MeshSkin, &SkinPose)>,
) -> Result<Vec<u8>, RigError> {
    let mut morphed = morph(mesh, &rest.streams(), weights).map_err(RigError::scene)?;
    if let Some((held, pose)) = posed {
        morphed = skin(&morphed, &held.weights, pose, held.directions).map_err(RigError::scene)?;
    }
    let layout = rest.layout();
    let mut bytes = rest.bytes().to_vec();
    let streams = [
        (Some(layout.position_offset), Some(&morphed.positions)),
        (layout.normal_offset, morphed.normals.as_ref()),
        (layout.tangent_offset, morphed.tangents.as_ref()),
    ];
    for (offset, values) in streams {
        let (Some(offset), Some(values)) = (offset, values) else {
            continue;
        };
        for (vertex, value) in bytes.chunks_exact_mut(layout.stride_bytes as usize).zip(values) {
            for (axis, component) in value.iter().enumerate() {
                let at = offset as usize + axis * 4;
                vertex[at..at + 4].copy_from_slice(&component.to_le_bytes());
            }
        }
    }
    Ok(bytes)
}
