//! Random lives of a scene: after every frame each visible instance shows what the host kernel says, and no two steps
//! that a barrier does not order touch the same bytes.

use std::sync::Arc;

use morph_core::plan::{FramePlan, Interval, PlanStep};
use morph_core::skin::{BoneRows, DirectionTransform, InfluenceCount, SkinPose, SkinWeights};
use morph_core::{
    BaseNormals, BuildOptions, MorphMesh, MorphTarget, MorphedStreams, Quantization, RestPose, VertexLayout,
};
use proptest::prelude::*;

use super::{Simulator, assert_shows_posed, constants};
use crate::desc::Method;
use crate::error::MorphError;
use crate::mesh_desc::{MeshDesc, MeshSkin};
use crate::scene::{InstanceId, MeshId, MeshState, SkeletonId};

#[derive(Debug, Clone)]
struct MeshRecipe {
    vertex_count: u32,
    quantization: Quantization,
    targets: Vec<(Vec<u32>, bool, bool)>,
    skin: Option<(InfluenceCount, DirectionTransform)>,
    seed: u32,
}

#[derive(Debug, Clone)]
enum Operation {
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

fn mesh_recipe() -> impl Strategy<Value = MeshRecipe> {
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

fn operation() -> impl Strategy<Value = Operation> {
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
fn bones(bone_count: u32, seed: u32) -> Vec<BoneRows> {
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

struct Cooked {
    mesh: Arc<MorphMesh>,
    rest: RestPose,
    skin: Option<MeshSkin>,
}

fn cook(recipe: &MeshRecipe) -> Cooked {
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
        VertexLayout::PACKED,
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

/// What the test knows of a skeleton.
struct Bones {
    id: SkeletonId,
    pose: SkinPose,
}

/// What the test knows of an instance.
struct Known {
    id: InstanceId,
    mesh: usize,
    skeleton: Option<SkeletonId>,
    weights: Vec<f32>,
    enabled: bool,
    visible: bool,
    /// What the frame before showed, where it was visible in it.
    shown: Option<MorphedStreams>,
}

/// No two steps between two barriers may touch the same bytes, unless both only read.
fn assert_unordered_steps_are_disjoint(plan: &FramePlan) {
    let mut written: Vec<Interval> = Vec::new();
    let mut read: Vec<Interval> = Vec::new();
    for step in &plan.steps {
        let (reads, writes) = match step {
            PlanStep::Barrier(_) => {
                written.clear();
                read.clear();
                continue;
            }
            PlanStep::Copy(copy) => (vec![copy.source], copy.written()),
            PlanStep::Dispatch(dispatch) => (dispatch.reads.to_vec(), dispatch.writes),
        };
        for earlier in written.iter().chain(&read) {
            assert!(
                !earlier.overlaps(&writes),
                "{step:?} writes what an unordered step touches"
            );
        }
        for earlier in &written {
            assert!(
                !reads.iter().any(|it| it.overlaps(earlier)),
                "{step:?} reads what an unordered step writes"
            );
        }
        written.push(writes);
        read.extend(reads);
    }
}

fn live(recipes: &[MeshRecipe], operations: Vec<Operation>, method: Method, history: bool) {
    let mut constants = constants(method, history);
    // Tight on purpose, so that blocks, refusals and the ring's end are met.
    constants.capacities.geometry_bytes = 60_000;
    constants.capacities.delta_budget_bytes = 5000;
    constants.capacities.frame_bytes = 1 << 10;
    constants.capacities.staging_bytes_per_frame = (1 << 10) + 1024;
    let mut simulator = Simulator::new(constants);
    let mut cooked: Vec<_> = recipes.iter().map(cook).collect();
    let meshes: Vec<MeshId> = cooked
        .iter_mut()
        .map(|cooked| {
            if method == Method::Scatter {
                cooked.skin = None;
            }
            let desc = MeshDesc {
                skin: cooked.skin.clone(),
                ..MeshDesc::new(Arc::clone(&cooked.mesh), cooked.rest.clone())
            };
            simulator.scene.add_mesh(desc).unwrap()
        })
        .collect();
    let mut skeletons: Vec<Bones> = Vec::new();
    let mut instances: Vec<Known> = Vec::new();
    for operation in operations {
        match operation {
            Operation::AddSkeleton(bone_count) => match simulator.scene.add_skeleton(bone_count) {
                Ok(id) => skeletons.push(Bones {
                    id,
                    pose: SkinPose::new(&bones(bone_count, 0)).unwrap(),
                }),
                Err(MorphError::BoneCapacity { .. } | MorphError::FrameDataFull { .. }) => {}
                Err(error) => panic!("{error}"),
            },
            Operation::RemoveSkeleton(_) | Operation::SetPose(..) if skeletons.is_empty() => {}
            Operation::RemoveSkeleton(index) => {
                let at = index.index(skeletons.len());
                let id = skeletons[at].id;
                let used = instances.iter().filter(|it| it.skeleton == Some(id)).count() as u32;
                match simulator.scene.remove_skeleton(id) {
                    Ok(()) if used == 0 => drop(skeletons.swap_remove(at)),
                    Err(MorphError::SkeletonInUse { instance_count }) if instance_count == used => {}
                    other => panic!("{other:?}"),
                }
            }
            Operation::SetPose(index, seed) => {
                let count = skeletons.len();
                let skeleton = &mut skeletons[index.index(count)];
                let given = bones(skeleton.pose.bone_count() as u32, seed);
                let pose = SkinPose::new(&given).unwrap();
                let changed = simulator.scene.set_pose(skeleton.id, &given).unwrap();
                assert_eq!(changed, pose != skeleton.pose);
                skeleton.pose = pose;
            }
            Operation::Attach(index) | Operation::AttachSkinned(index, _) => {
                let mesh = index.index(meshes.len());
                let skeleton = match operation {
                    Operation::AttachSkinned(_, skeleton) if !skeletons.is_empty() => {
                        Some(skeletons[skeleton.index(skeletons.len())].id)
                    }
                    _ => None,
                };
                match simulator.scene.attach(meshes[mesh], skeleton) {
                    Err(MorphError::MeshWithoutSkin) if cooked[mesh].skin.is_none() => {}
                    Ok(id) => {
                        instances.push(Known {
                            id,
                            mesh,
                            skeleton,
                            weights: Vec::new(),
                            enabled: true,
                            visible: true,
                            shown: None,
                        });
                    }
                    Err(
                        MorphError::OutOfSpace { .. }
                        | MorphError::InstanceCapacity { .. }
                        | MorphError::FrameDataFull { .. },
                    ) => {}
                    Err(error) => panic!("{error}"),
                }
            }
            Operation::Reserve(index, count) => {
                let mesh = meshes[index.index(meshes.len())];
                match simulator.scene.reserve_instances(mesh, count) {
                    Ok(()) | Err(MorphError::OutOfSpace { .. } | MorphError::InstanceCapacity { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
            }
            Operation::Reupload(index) => {
                simulator
                    .scene
                    .reupload(meshes[index.index(meshes.len())])
                    .unwrap();
            }
            Operation::Frame {
                pipelines_ready,
                discard,
            } => {
                if discard {
                    simulator.plan(pipelines_ready);
                    let slot = simulator.last_slot();
                    simulator.scene.discard_frame(slot);
                } else {
                    let world = (&cooked[..], &meshes[..], &skeletons[..]);
                    frame(&mut simulator, world, &mut instances, pipelines_ready);
                }
            }
            _ if instances.is_empty() => {}
            Operation::Detach(index) => {
                let known = instances.swap_remove(index.index(instances.len()));
                simulator.scene.detach(known.id).unwrap();
            }
            Operation::SetWeights(index, weights) => {
                let count = instances.len();
                let known = &mut instances[index.index(count)];
                let target_count = cooked[known.mesh].mesh.target_count();
                known.weights = weights.into_iter().take(target_count).collect();
                let weights = &known.weights;
                simulator
                    .scene
                    .change_weights(known.id, |state, names| state.set_all(weights, names))
                    .unwrap();
            }
            Operation::Show(index, visible) => {
                let count = instances.len();
                let known = &mut instances[index.index(count)];
                known.visible = visible;
                simulator.scene.set_visible(known.id, visible).unwrap();
            }
            Operation::Enable(index, enabled) => {
                let count = instances.len();
                let known = &mut instances[index.index(count)];
                known.enabled = enabled;
                simulator.scene.set_morphs_enabled(known.id, enabled).unwrap();
            }
        }
    }
    settle(&mut simulator, (&cooked, &meshes, &skeletons), &mut instances);
}

/// What instances are instances of.
type World<'a> = (&'a [Cooked], &'a [MeshId], &'a [Bones]);

/// In the end everything is right and nothing is left to do.
fn settle(simulator: &mut Simulator, world: World<'_>, instances: &mut [Known]) {
    for known in instances.iter_mut() {
        known.visible = true;
        simulator.scene.set_visible(known.id, true).unwrap();
    }
    for _ in 0..200 {
        frame(simulator, world, instances, true);
    }
    let stats = simulator.advance(true);
    assert!(
        stats.is_idle() && stats.waiting_instances == 0 && stats.degraded_instances == 0,
        "{stats:?}"
    );
}

/// Runs a frame and checks every instance that the frame promises to be right.
fn frame(
    simulator: &mut Simulator,
    (cooked, meshes, skeletons): World<'_>,
    instances: &mut [Known],
    pipelines_ready: bool,
) {
    let states: Vec<MeshState> = meshes
        .iter()
        .map(|id| simulator.scene.mesh_state(*id).unwrap())
        .collect();
    let stats = simulator.advance(pipelines_ready);
    assert_unordered_steps_are_disjoint(&simulator.scene.plan);
    for known in instances.iter().filter(|it| it.visible) {
        let Cooked { mesh, rest, skin } = &cooked[known.mesh];
        let off = vec![];
        let pose = skeletons.iter().find(|it| Some(it.id) == known.skeleton);
        let posed = skin.as_ref().zip(pose.map(|it| &it.pose));
        match states[known.mesh] {
            MeshState::Resident if pipelines_ready => {
                let weights = if known.enabled { &known.weights } else { &off };
                assert_shows_posed(simulator, known.id, mesh, rest, weights, posed);
            }
            // Whether the skin is there yet, its state does not say.
            MeshState::Refused { .. } if posed.is_some() && stats.degraded_instances > 0 => {}
            MeshState::Refused { .. } if simulator.scene.vertex_range(known.id).unwrap().written => {
                assert_shows_posed(simulator, known.id, mesh, rest, &[], posed);
            }
            _ => {}
        }
    }
    for known in instances.iter_mut() {
        let range = simulator.scene.vertex_range(known.id).unwrap();
        let has_motion = range.current_first_vertex != range.previous_first_vertex;
        if let (true, Some(shown)) = (has_motion, &known.shown) {
            assert_eq!(
                &simulator.previous(known.id),
                shown,
                "motion starts from what the frame before showed"
            );
        }
        assert!(
            !has_motion || known.shown.is_some(),
            "motion from a frame that nobody saw"
        );
        let now = (known.visible && range.written).then(|| simulator.morphed(known.id));
        let both = known.shown.is_some() && now.is_some();
        if simulator.scene.constants.history && both {
            assert!(has_motion || known.shown == now, "a change without motion");
        }
        known.shown = now;
    }
    if pipelines_ready && states.iter().all(|state| *state == MeshState::Resident) {
        assert_eq!((stats.degraded_instances, stats.waiting_instances), (0, 0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]
    #[test]
    fn random_scenes_show_what_the_host_kernel_says(
        recipes in prop::collection::vec(mesh_recipe(), 1..4),
        operations in prop::collection::vec(operation(), 1..60),
        scatter in any::<bool>(),
        history in any::<bool>(),
    ) {
        let method = if scatter { Method::Scatter } else { Method::Gather };
        live(&recipes, operations, method, history);
    }
}
