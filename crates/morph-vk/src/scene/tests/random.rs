//! Random lives of a scene: after every frame each visible instance shows what the host kernel says, and no two steps
//! that a barrier does not order touch the same bytes.

use std::sync::Arc;

use morph_core::plan::{FramePlan, Interval, PlanStep};
use morph_core::skin::SkinPose;
use morph_core::{MorphedStreams, VertexLayout};
use proptest::prelude::*;

use super::recipes::{Cooked, MeshRecipe, Operation, bones, cook, mesh_recipe, method_and_layout, operation};
use super::{Simulator, assert_shows_posed, constants, with_layout};
use crate::desc::Method;
use crate::error::MorphError;
use crate::mesh_desc::MeshDesc;
use crate::scene::{InstanceId, MeshId, MeshState, SkeletonId};

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
            PlanStep::Copy(copy) => (vec![copy.source], vec![copy.written()]),
            PlanStep::Dispatch(dispatch) => (dispatch.reads.to_vec(), dispatch.written().copied().collect()),
        };
        for earlier in written.iter().chain(&read) {
            assert!(
                !writes.iter().any(|it| it.overlaps(earlier)),
                "{step:?} writes what an unordered step touches"
            );
        }
        for earlier in &written {
            assert!(
                !reads.iter().any(|it| it.overlaps(earlier)),
                "{step:?} reads what an unordered step writes"
            );
        }
        written.extend(writes);
        read.extend(reads);
    }
}

/// Skeletons come, go and move.
fn change_skeletons(
    simulator: &mut Simulator,
    operation: &Operation,
    skeletons: &mut Vec<Bones>,
    instances: &[Known],
) {
    match operation {
        Operation::AddSkeleton(bone_count) => match simulator.scene.add_skeleton(*bone_count) {
            Ok(id) => skeletons.push(Bones {
                id,
                pose: SkinPose::new(&bones(*bone_count, 0)).unwrap(),
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
            let given = bones(skeleton.pose.bone_count() as u32, *seed);
            let pose = SkinPose::new(&given).unwrap();
            let changed = simulator.scene.set_pose(skeleton.id, &given).unwrap();
            assert_eq!(changed, pose != skeleton.pose);
            skeleton.pose = pose;
        }
        _ => {}
    }
}

/// Adds meshes, with their skins where the method can skin.
fn add_meshes(simulator: &mut Simulator, cooked: &mut [Cooked]) -> Vec<MeshId> {
    let mut ids = Vec::new();
    for cooked in cooked {
        if simulator.scene.constants.method == Method::Scatter {
            cooked.skin = None;
        }
        let desc = MeshDesc {
            skin: cooked.skin.clone(),
            ..MeshDesc::new(Arc::clone(&cooked.mesh), cooked.rest.clone())
        };
        ids.push(simulator.scene.add_mesh(desc).unwrap());
    }
    ids
}

fn live(
    recipes: &[MeshRecipe],
    operations: Vec<Operation>,
    (method, layout): (Method, VertexLayout),
    history: bool,
) {
    // Tight on purpose, so that blocks, refusals and the ring's end are met.
    let mut constants = with_layout(constants(method, history), layout, 60_000);
    constants.capacities.delta_budget_bytes = 5000;
    constants.capacities.frame_bytes = 1 << 10;
    constants.capacities.staging_bytes_per_frame = (1 << 10) + 1024;
    let mut simulator = Simulator::new(constants);
    let mut cooked: Vec<_> = recipes.iter().map(|recipe| cook(recipe, layout)).collect();
    let meshes = add_meshes(&mut simulator, &mut cooked);
    let mut skeletons: Vec<Bones> = Vec::new();
    let mut instances: Vec<Known> = Vec::new();
    for operation in operations {
        match operation {
            Operation::AddSkeleton(_) | Operation::RemoveSkeleton(_) | Operation::SetPose(..) => {
                change_skeletons(&mut simulator, &operation, &mut skeletons, &instances);
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
                let mesh = meshes[index.index(meshes.len())];
                simulator.scene.reupload(mesh).unwrap();
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
        kind in method_and_layout(),
        history in any::<bool>(),
    ) {
        live(&recipes, operations, kind, history);
    }
}
