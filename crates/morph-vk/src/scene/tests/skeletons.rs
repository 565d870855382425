//! Skinning behind the morph: what is sent and what is written.

use std::sync::Arc;

use morph_core::plan::{CopyPurpose, Kernel};
use morph_core::skin::{BoneRows, DirectionTransform, InfluenceCount, SkinError, SkinPose, SkinWeights};
use morph_core::{BuildOptions, MorphMesh, Quantization, RestPose};

use super::{Simulator, assert_shows, assert_shows_posed, constants, strip};
use crate::desc::Method;
use crate::error::MorphError;
use crate::mesh_desc::{MeshDesc, MeshSkin};
use crate::scene::{Constants, InstanceId, MeshState, SkeletonId};

/// A strip whose vertices are held by two of three bones, every fifth by none.
pub(super) fn skinned_strip(vertex_count: u32) -> (Arc<MorphMesh>, RestPose, MeshSkin) {
    let (mesh, rest) = strip(vertex_count, Quantization::Half);
    (mesh, rest, skin_for(vertex_count))
}

pub(super) fn skin_for(vertex_count: u32) -> MeshSkin {
    let vertices = 0..vertex_count as u16;
    let joints = vertices.clone().flat_map(|it| [it % 3, (it + 1) % 3, 0, 0]);
    let weights = vertices.flat_map(|it| match it % 5 {
        4 => [0.0; 4],
        _ => [0.75, 0.25, 0.0, 0.0],
    });
    let weights = SkinWeights::new(InfluenceCount::Four, joints.collect(), weights.collect()).unwrap();
    MeshSkin {
        weights: Arc::new(weights),
        directions: DirectionTransform::Cofactor,
    }
}

pub(super) fn desc(mesh: &Arc<MorphMesh>, rest: &RestPose, skin: &MeshSkin) -> MeshDesc {
    MeshDesc::new(Arc::clone(mesh), rest.clone()).with_skin(Arc::clone(&skin.weights), skin.directions)
}

/// Three bones that stretch, lean and move.
pub(super) fn pose(x: f32) -> Vec<BoneRows> {
    (0..3_u8)
        .map(|bone| {
            let y = x + f32::from(bone);
            [[1.0, y, 0.0, x], [0.5, 2.0, 0.0, y], [0.0, x, -1.0, 0.25]]
        })
        .collect()
}

/// A scene with one resident mesh, one skeleton of three bones, and an instance that follows it.
struct Stage {
    simulator: Simulator,
    mesh: Arc<MorphMesh>,
    rest: RestPose,
    skin: MeshSkin,
    skeleton: SkeletonId,
    body: InstanceId,
}

impl Stage {
    fn new(constants: Constants) -> Stage {
        let (mesh, rest, skin) = skinned_strip(11);
        let mut simulator = Simulator::new(constants);
        let id = simulator.scene.add_mesh(desc(&mesh, &rest, &skin)).unwrap();
        let skeleton = simulator.scene.add_skeleton(3).unwrap();
        let body = simulator.scene.attach(id, Some(skeleton)).unwrap();
        simulator.advance(true);
        Stage {
            simulator,
            mesh,
            rest,
            skin,
            skeleton,
            body,
        }
    }

    fn set_pose(&mut self, x: f32) -> bool {
        self.simulator.scene.set_pose(self.skeleton, &pose(x)).unwrap()
    }

    #[track_caller]
    fn assert_shows(&self, weights: &[f32], bones: &[BoneRows]) {
        let pose = SkinPose::new(bones).unwrap();
        let posed = Some((&self.skin, &pose));
        assert_shows_posed(&self.simulator, self.body, &self.mesh, &self.rest, weights, posed);
    }
}

#[test]
fn a_kernel_writes_what_follows_a_skeleton_also_with_every_weight_at_zero() {
    let mut stage = Stage::new(constants(Method::Gather, false));
    stage.set_pose(0.5);
    let stats = stage.simulator.advance(true);
    let counts = (stats.morphed_instances, stats.skinned_instances, stats.dispatches);
    assert_eq!(counts, (0, 1, 1));
    let dispatch = stage.simulator.scene.plan.dispatches().next().unwrap();
    assert_eq!(dispatch.kernel, Kernel::SkinnedX32Y1);
    stage.assert_shows(&[], &pose(0.5));
    let body = stage.body;
    stage.simulator.set_weights(body, &[1.0, 0.5]);
    let stats = stage.simulator.advance(true);
    assert_eq!((stats.morphed_instances, stats.skinned_instances), (1, 1));
    stage.assert_shows(&[1.0, 0.5], &pose(0.5));
    stage.simulator.scene.set_morphs_enabled(body, false).unwrap();
    stage.simulator.advance(true);
    stage.assert_shows(&[], &pose(0.5));
}

#[test]
fn an_equal_pose_is_no_change_and_an_unchanged_frame_records_nothing() {
    let mut stage = Stage::new(constants(Method::Gather, false));
    assert!(stage.set_pose(0.5));
    stage.simulator.advance(true);
    let version = stage.simulator.scene.pose_version(stage.skeleton).unwrap();
    assert!(!stage.set_pose(0.5));
    let mut nearly = pose(0.5);
    nearly[2][0][2] = -1.0e-20;
    let changed = stage.simulator.scene.set_pose(stage.skeleton, &nearly);
    assert_eq!(changed, Ok(false), "the domain makes it the zero that is there");
    assert_eq!(stage.simulator.scene.pose_version(stage.skeleton), Ok(version));
    assert!(stage.simulator.advance(true).is_idle());
    assert!(stage.set_pose(0.75));
    assert_ne!(stage.simulator.scene.pose_version(stage.skeleton), Ok(version));
}

#[test]
fn a_pose_is_sent_once_a_frame_however_many_submeshes_follow_it() {
    let mut stage = Stage::new(constants(Method::Gather, false));
    let (mesh, rest, skin) = skinned_strip(20);
    let scene = &mut stage.simulator.scene;
    let other = scene.add_mesh(desc(&mesh, &rest, &skin)).unwrap();
    let skeleton = stage.skeleton;
    let parts: Vec<_> = (0..5)
        .map(|_| scene.attach(other, Some(skeleton)).unwrap())
        .collect();
    let idle = scene.add_skeleton(90).unwrap();
    stage.simulator.advance(true);
    stage.simulator.advance(true);
    stage.set_pose(-0.5);
    let stats = stage.simulator.advance(true);
    assert_eq!((stats.skinned_instances, stats.sent_poses), (6, 1));
    let plan = &stage.simulator.scene.plan;
    let sent = plan.copies().find(|it| it.purpose == CopyPurpose::FrameData);
    // Six records of three words and one pose of three bones; the idle skeleton sends nothing.
    assert_eq!(sent.unwrap().source.size_bytes, 3 * 48 + 6 * 12);
    stage.assert_shows(&[], &pose(-0.5));
    let posed = SkinPose::new(&pose(-0.5)).unwrap();
    for part in parts {
        assert_shows_posed(&stage.simulator, part, &mesh, &rest, &[], Some((&skin, &posed)));
    }
    stage.simulator.scene.remove_skeleton(idle).unwrap();
}

#[test]
fn instances_with_and_without_a_skeleton_share_a_dispatch() {
    let mut constants = constants(Method::Gather, false);
    constants.layout = morph_core::VertexLayout::PACKED;
    let (mesh, rest, skin) = skinned_strip(33);
    let mut simulator = Simulator::new(constants);
    let id = simulator.scene.add_mesh(desc(&mesh, &rest, &skin)).unwrap();
    simulator.scene.reserve_instances(id, 5).unwrap();
    let skeleton = simulator.scene.add_skeleton(3).unwrap();
    simulator.scene.set_pose(skeleton, &pose(2.0)).unwrap();
    let follows = [None, Some(skeleton), None, Some(skeleton), Some(skeleton)];
    let instances = follows.map(|it| simulator.scene.attach(id, it).unwrap());
    for instance in instances {
        simulator.set_weights(instance, &[0.5]);
    }
    simulator.advance(true);
    let stats = simulator.advance(true);
    assert_eq!(
        (stats.dispatches, stats.skinned_instances, stats.morphed_instances),
        (1, 3, 5)
    );
    let dispatch = simulator.scene.plan.dispatches().next().unwrap();
    assert_eq!(dispatch.kernel, Kernel::SkinnedX8Y16);
    let pose = SkinPose::new(&pose(2.0)).unwrap();
    for (instance, follows) in instances.into_iter().zip(follows) {
        let posed = follows.map(|_| (&skin, &pose));
        assert_shows_posed(&simulator, instance, &mesh, &rest, &[0.5], posed);
    }
}

#[test]
fn hidden_followers_cost_nothing_and_are_right_when_they_return() {
    let mut stage = Stage::new(constants(Method::Gather, true));
    stage.simulator.advance(true);
    stage.simulator.scene.set_visible(stage.body, false).unwrap();
    stage.set_pose(1.0);
    assert!(stage.simulator.advance(true).is_idle());
    stage.simulator.scene.set_visible(stage.body, true).unwrap();
    assert_eq!(stage.simulator.advance(true).skinned_instances, 1);
    stage.assert_shows(&[], &pose(1.0));
    let range = stage.simulator.scene.vertex_range(stage.body).unwrap();
    assert_eq!(range.current_first_vertex, range.previous_first_vertex);
}

#[test]
fn b149_the_previous_shape_is_the_previous_pose_on_the_previous_morph() {
    let mut stage = Stage::new(constants(Method::Gather, true));
    let body = stage.body;
    stage.simulator.set_weights(body, &[1.0]);
    stage.set_pose(0.5);
    stage.simulator.advance(true);
    let first = stage.simulator.morphed(body);
    // The joints turn while the weights stay, and then the other way round.
    stage.set_pose(0.75);
    stage.simulator.advance(true);
    stage.assert_shows(&[1.0], &pose(0.75));
    assert_eq!(stage.simulator.previous(body), first);
    let second = stage.simulator.morphed(body);
    stage.simulator.set_weights(body, &[-1.0]);
    stage.simulator.advance(true);
    stage.assert_shows(&[-1.0], &pose(0.75));
    assert_eq!(stage.simulator.previous(body), second);
    stage.simulator.advance(true);
    assert_eq!(stage.simulator.previous(body), stage.simulator.morphed(body));
}

#[test]
fn a_mesh_without_targets_is_skinned() {
    let (_, rest, skin) = skinned_strip(9);
    let (mesh, _) = MorphMesh::build(9, &[], &BuildOptions::new(Quantization::Half)).unwrap();
    let mesh = Arc::new(mesh);
    let mut simulator = Simulator::new(constants(Method::Gather, false));
    let id = simulator.scene.add_mesh(desc(&mesh, &rest, &skin)).unwrap();
    let skeleton = simulator.scene.add_skeleton(3).unwrap();
    simulator.scene.set_pose(skeleton, &pose(3.0)).unwrap();
    let body = simulator.scene.attach(id, Some(skeleton)).unwrap();
    simulator.advance(true);
    simulator.advance(true);
    let pose = SkinPose::new(&pose(3.0)).unwrap();
    assert_shows_posed(&simulator, body, &mesh, &rest, &[], Some((&skin, &pose)));
}

#[test]
fn refused_deltas_leave_the_rest_shape_to_the_bones() {
    let mut constants = constants(Method::Gather, false);
    constants.capacities.delta_budget_bytes = 8;
    let mut stage = Stage::new(constants);
    let body = stage.body;
    stage.simulator.set_weights(body, &[1.0]);
    stage.set_pose(0.5);
    let stats = stage.simulator.advance(true);
    let counts = (
        stats.refused_instances,
        stats.degraded_instances,
        stats.skinned_instances,
    );
    assert_eq!(counts, (1, 0, 1));
    stage.assert_shows(&[], &pose(0.5));
    assert!(stage.simulator.advance(true).is_idle());
    // Another weight changes nothing that shows.
    stage.simulator.set_weights(body, &[2.0]);
    let stats = stage.simulator.advance(true);
    assert!(stats.is_idle() && stats.refused_instances == 1);
}

#[test]
fn what_arrives_later_shows_later_and_is_counted_until_then() {
    let (mesh, rest, skin) = skinned_strip(100);
    let mut constants = constants(Method::Gather, false);
    constants.capacities.frame_bytes = 256;
    constants.capacities.staging_bytes_per_frame = 256 + 1024;
    let mut simulator = Simulator::new(constants);
    let id = simulator.scene.add_mesh(desc(&mesh, &rest, &skin)).unwrap();
    let skeleton = simulator.scene.add_skeleton(3).unwrap();
    simulator.scene.set_pose(skeleton, &pose(3.0)).unwrap();
    let pose = SkinPose::new(&pose(3.0)).unwrap();
    let body = simulator.scene.attach(id, Some(skeleton)).unwrap();
    simulator.set_weights(body, &[1.0, 1.0]);
    let (mut rested, mut posed) = (0, 0);
    while simulator.scene.mesh_state(id).unwrap() != MeshState::Resident {
        let stats = simulator.advance(true);
        if stats.waiting_instances == 1 {
            continue;
        }
        assert_eq!(stats.degraded_instances, 1);
        if stats.skinned_instances == 1 || posed > 0 {
            assert_eq!(stats.dispatches, u32::from(posed == 0), "it is skinned once");
            assert_shows_posed(&simulator, body, &mesh, &rest, &[], Some((&skin, &pose)));
            posed += 1;
        } else {
            assert_shows(&simulator, body, &mesh, &rest, &[]);
            rested += 1;
        }
    }
    assert!(
        rested > 0 && posed > 0,
        "{rested} frames at rest, {posed} skinned"
    );
    simulator.advance(true);
    assert_shows_posed(&simulator, body, &mesh, &rest, &[1.0, 1.0], Some((&skin, &pose)));
    assert_eq!(simulator.advance(true).degraded_instances, 0);

    // Sent again, it goes through the same.
    simulator.scene.reupload(id).unwrap();
    while simulator.scene.mesh_state(id).unwrap() != MeshState::Resident {
        simulator.advance(true);
    }
    simulator.advance(true);
    assert_shows_posed(&simulator, body, &mesh, &rest, &[1.0, 1.0], Some((&skin, &pose)));
}

#[test]
fn without_pipelines_the_rest_pose_is_shown_and_counted() {
    let mut stage = Stage::new(constants(Method::Gather, false));
    stage.set_pose(0.5);
    let stats = stage.simulator.advance(false);
    assert_eq!((stats.degraded_instances, stats.dispatches), (1, 0));
    assert_shows(&stage.simulator, stage.body, &stage.mesh, &stage.rest, &[]);
    stage.simulator.advance(true);
    stage.assert_shows(&[], &pose(0.5));
}

#[test]
fn a_dropped_frame_sends_its_pose_again() {
    let mut stage = Stage::new(constants(Method::Gather, true));
    stage.simulator.advance(true);
    stage.set_pose(0.5);
    stage.simulator.plan(true);
    let slot = stage.simulator.last_slot();
    stage.simulator.scene.discard_frame(slot);
    let stats = stage.simulator.advance(true);
    assert_eq!((stats.skinned_instances, stats.sent_poses), (1, 1));
    stage.assert_shows(&[], &pose(0.5));
}

#[test]
fn poses_that_cannot_be_are_refused_by_bone_row_and_column() {
    let mut stage = Stage::new(constants(Method::Gather, false));
    stage.set_pose(0.5);
    stage.simulator.advance(true);
    let scene = &mut stage.simulator.scene;
    let length = MorphError::PoseLength {
        given: 2,
        bone_count: 3,
    };
    assert_eq!(scene.set_pose(stage.skeleton, &pose(1.0)[..2]), Err(length));
    for value in [f32::NAN, f32::INFINITY] {
        let mut bones = pose(0.5);
        bones[1][2][3] = value;
        let refused = scene.set_pose(stage.skeleton, &bones);
        assert!(matches!(
            refused,
            Err(MorphError::Skin(SkinError::Bone {
                bone: 1,
                row: 2,
                column: 3,
                ..
            }))
        ));
    }
    assert_eq!(scene.pose(stage.skeleton).unwrap().rows(), pose(0.5));
    assert!(stage.simulator.advance(true).is_idle(), "nothing changed");
}
