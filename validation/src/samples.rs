//! Random meshes, skins and poses.

use std::sync::Arc;

use morph_core::skin::{BoneRows, InfluenceCount, SkinError, SkinWeights};
use morph_core::{BaseNormals, BuildOptions, MorphMesh, MorphTarget, Quantization, RestPose, VertexLayout};

use crate::rig::RigError;
use crate::rng::Rng;

/// A random mesh whose targets all move all vertices.
pub(crate) fn sample_mesh(
    rng: &mut Rng,
    vertex_count: u32,
    target_count: u32,
    quantization: Quantization,
    layout: VertexLayout,
) -> Result<(Arc<MorphMesh>, RestPose), RigError> {
    let count = vertex_count as usize;
    let mut vectors = |scale: f32| -> Vec<[f32; 3]> { (0..count).map(|_| rng.vector(scale)).collect() };
    let targets: Vec<MorphTarget> = (0..target_count)
        .map(|slot| {
            let (positions, normals, tangents) = (vectors(0.5), vectors(0.3), vectors(0.3));
            MorphTarget::from_dense(
                format!("t{slot}"),
                Some(&positions),
                Some(&normals),
                Some(&tangents),
            )
        })
        .collect();
    let (positions, normals) = (vectors(2.0), vectors(1.0));
    let tangents: Vec<[f32; 4]> = vectors(1.0).iter().map(|&[x, y, z]| [x, y, z, 1.0]).collect();
    let (morph, _) = MorphMesh::build(vertex_count, &targets, &BuildOptions::new(quantization))
        .map_err(RigError::scene)?;
    let rest = RestPose::from_streams(
        layout,
        &positions,
        Some(&normals),
        Some(&tangents),
        BaseNormals::MakeUnit,
    )
    .map_err(RigError::scene)?;
    Ok((Arc::new(morph), rest))
}

/// Random skin weights; one vertex of eight is held by nothing.
///
/// # Errors
/// There is none: the weights are finite and not negative.
pub fn sample_skin(
    rng: &mut Rng,
    vertex_count: u32,
    bone_count: u32,
    influence_count: InfluenceCount,
) -> Result<SkinWeights, SkinError> {
    let per_vertex = influence_count.get();
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    for _ in 0..vertex_count {
        let is_held = !rng.chance(12);
        for _ in 0..per_vertex {
            joints.push(rng.below(bone_count) as u16);
            weights.push(if is_held { rng.edgy(0.75).abs() } else { 0.0 });
        }
    }
    SkinWeights::new(influence_count, joints, weights)
}

/// Random bones: any shear and scale, mirrors and flat ones among them.
pub fn sample_bones(rng: &mut Rng, bone_count: u32) -> Vec<BoneRows> {
    let mut component = || rng.edgy(1.5);
    (0..bone_count)
        .map(|_| std::array::from_fn(|_| std::array::from_fn(|_| component())))
        .collect()
}
