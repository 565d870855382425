//! Meshes, skins, poses and what an engine does with them, as random recipes.

use std::sync::Arc;

use morph_core::skin::{BoneRows, DirectionTransform, InfluenceCount, SkinWeights};
use morph_core::{
    BaseNormals, BuildOptions, MorphMesh, MorphTarget, Quantization, RestPose, VertexFormat, VertexLayout,
};
use proptest::prelude::*;

use crate::desc::Method;
use crate::mesh_desc::MeshSkin;

#[derive(Debug, Clone)]
pub(super) struct MeshRecipe {
    pub(super) vertex_count: u32,
    pub(super) quantization: Quantization,
    pub(super) targets: Vec<(Vec<u32>, bool, bool)>,
    pub(super) skin: Option<(InfluenceCount, DirectionTransform)>,
    pub(super) seed: u32,
}

#[derive(Debug, Clone)]
pub(super) enum Operation {
    Attach(prop::sample::Index),
    AttachSkinned(prop::sample::Index, prop::sample::Index),
    AddSkeleton(u32),
    RemoveSkeleton(prop::sample::Index),
    SetPose(prop::sample::Index, u32),
    Detach(prop::sample::Index),
    SetWeights(prop::sample::Index, Vec<f32>),
    Show(prop::sample::Index, bool),
    Enable(prop::sample::Index, bool),
    Reupload(prop::sample::Index),
    Reserve(prop::sample::Index, u32),
    Frame { pipelines_ready: bool, discard: bool },
}

pub(super) fn mesh_recipe() -> impl Strategy<Value = MeshRecipe> {
    let quantization = prop_oneof![
        Just(Quantization::F32),
        Just(Quantization::Half),
        Just(Quantization::Snorm16)
    ];
    (1u32..40, quantization, any::<u32>()).prop_flat_map(|(vertex_count, quantization, seed)| {
        let moved = prop::collection::btree_set(0..vertex_count, 0..=vertex_count as usize);
        let target = (moved, any::<bool>(), any::<bool>())
            .prop_map(|(moved, normals, tangents)| (moved.into_iter().collect(), normals, tangents));
        (prop::collection::vec(target, 0..6), skin_recipe()).prop_map(move |(targets, skin)| MeshRecipe {
            vertex_count,
            quantization,
            targets,
            skin,
            seed,
        })
    })
}

fn skin_recipe() -> impl Strategy<Value = Option<(InfluenceCount, DirectionTransform)>> {
    let influences = prop_oneof![Just(InfluenceCount::Four), Just(InfluenceCount::Eight)];
    let directions = prop_oneof![
        Just(DirectionTransform::Linear),
        Just(DirectionTransform::Cofactor)
    ];
    prop::option::weighted(0.7, (influences, directions))
}

pub(super) fn operation() -> impl Strategy<Value = Operation> {
    let index = any::<prop::sample::Index>;
    let weight = prop_oneof![Just(0.0f32), Just(1.0), -3.0f32..3.0];
    prop_oneof![
        2 => index().prop_map(Operation::Attach),
        3 => (index(), index()).prop_map(|(mesh, skeleton)| Operation::AttachSkinned(mesh, skeleton)),
        1 => (MESH_BONES..6).prop_map(Operation::AddSkeleton),
        1 => index().prop_map(Operation::RemoveSkeleton),
        3 => (index(), 0..20_u32).prop_map(|(skeleton, seed)| Operation::SetPose(skeleton, seed)),
        1 => index().prop_map(Operation::Detach),
        4 => (index(), prop::collection::vec(weight, 0..6)).prop_map(|(i, w)| Operation::SetWeights(i, w)),
        1 => (index(), any::<bool>()).prop_map(|(i, on)| Operation::Show(i, on)),
        1 => (index(), any::<bool>()).prop_map(|(i, on)| Operation::Enable(i, on)),
        1 => index().prop_map(Operation::Reupload),
        1 => (index(), 1u32..6).prop_map(|(i, n)| Operation::Reserve(i, n)),
        5 => (prop::bool::weighted(0.9), prop::bool::weighted(0.1))
            .prop_map(|(pipelines_ready, discard)| Operation::Frame { pipelines_ready, discard }),
    ]
}

/// Bones that the vertices of meshes are held by.
const MESH_BONES: u32 = 3;

/// A small generator of numbers between -2 and 2: they only have to differ from each other.
fn numbers(seed: u32) -> impl FnMut() -> f32 {
    let mut state = seed | 1;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 22) as f32 - 2.0
    }
}

/// The bones of a pose; seed 0 is the pose of a new skeleton.
pub(super) fn bones(bone_count: u32, seed: u32) -> Vec<BoneRows> {
    let mut next = numbers(seed);
    let identity = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    (0..bone_count)
        .map(|_| match seed {
            0 => identity,
            _ => std::array::from_fn(|_| std::array::from_fn(|_| next())),
        })
        .collect()
}

/// Some vertices are held by nothing.
fn cook_skin(recipe: &MeshRecipe) -> Option<MeshSkin> {
    let (influence_count, directions) = recipe.skin?;
    let mut next = numbers(recipe.seed.wrapping_add(7));
    let count = recipe.vertex_count as usize * influence_count.get();
    let joints = (0..count).map(|_| (next().abs() * 1.49) as u16).collect();
    let weights = (0..count)
        .map(|at| match at / influence_count.get() % 4 {
            3 => 0.0,
            _ => (next() - 0.5).max(0.0),
        })
        .collect();
    let weights = Arc::new(SkinWeights::new(influence_count, joints, weights).unwrap());
    Some(MeshSkin { weights, directions })
}

pub(super) struct Cooked {
    pub(super) mesh: Arc<MorphMesh>,
    pub(super) rest: RestPose,
    pub(super) skin: Option<MeshSkin>,
}

/// Layouts of one stream and of several, floats and packed; scatter takes floats alone.
fn layout(method: Method) -> impl Strategy<Value = VertexLayout> {
    let floats = vec![
        VertexLayout::PACKED,
        VertexLayout::SEPARATE,
        VertexLayout::in_streams([28, 16])
            .with_position(1, 4)
            .with_normal(0, 0, VertexFormat::Float32)
            .with_tangent(0, 12, VertexFormat::Float32),
    ];
    let packed = vec![
        VertexLayout::SEPARATE_SNORM10,
        VertexLayout::interleaved(20)
            .with_normal(0, 16, VertexFormat::Octahedral16)
            .with_tangent(0, 12, VertexFormat::Snorm10),
        VertexLayout::in_streams([12, 8]).with_normal(1, 4, VertexFormat::Snorm10),
    ];
    let all = if method == Method::Scatter {
        floats
    } else {
        [floats, packed].concat()
    };
    prop::sample::select(all)
}

/// A method with a layout that it writes.
pub(super) fn method_and_layout() -> impl Strategy<Value = (Method, VertexLayout)> {
    let method = prop_oneof![Just(Method::Gather), Just(Method::Scatter)];
    method.prop_flat_map(|method| (Just(method), layout(method)))
}

pub(super) fn cook(recipe: &MeshRecipe, layout: VertexLayout) -> Cooked {
    let mut next = numbers(recipe.seed);
    let mut triple = || [next(), next(), next()];
    let positions: Vec<_> = (0..recipe.vertex_count).map(|_| triple()).collect();
    let normals: Vec<_> = (0..recipe.vertex_count).map(|_| triple()).collect();
    let tangents: Vec<[f32; 4]> = (0..recipe.vertex_count)
        .map(|_| triple())
        .map(|[x, y, z]| [x, y, z, -1.0])
        .collect();
    let targets: Vec<_> = recipe
        .targets
        .iter()
        .enumerate()
        .map(|(slot, (vertices, normals, tangents))| MorphTarget {
            name: format!("target {slot}"),
            vertices: vertices.clone(),
            positions: Some(vertices.iter().map(|_| triple()).collect()),
            normals: normals.then(|| vertices.iter().map(|_| triple()).collect()),
            tangents: tangents.then(|| vertices.iter().map(|_| triple()).collect()),
            ..MorphTarget::default()
        })
        .collect();
    let options = BuildOptions::new(recipe.quantization);
    let (mesh, _) = MorphMesh::build(recipe.vertex_count, &targets, &options).unwrap();
    let rest = RestPose::from_streams(
        layout,
        &positions,
        Some(&normals),
        Some(&tangents),
        BaseNormals::AsGiven,
    );
    Cooked {
        mesh: Arc::new(mesh),
        rest: rest.unwrap(),
        skin: cook_skin(recipe),
    }
}
