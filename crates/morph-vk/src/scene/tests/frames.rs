//! What frames do and, as important, what they do not.

use morph_core::Quantization;
use morph_core::plan::{BarrierKind, CopyPurpose, Kernel};

use super::{Simulator, assert_shows, constants, strip};
use crate::desc::Method;
use crate::mesh_desc::MeshDesc;
use crate::scene::MeshState;

#[test]
fn the_first_frame_writes_the_rest_pose_even_at_zero_weights() {
    let (mesh, rest) = strip(33, Quantization::F32);
    let (mut simulator, _, face) = Simulator::with_face(constants(Method::Gather, false), &mesh, &rest);
    let upload = simulator.advance(true);
    assert_eq!((upload.waiting_instances, upload.written_instances), (1, 0));
    assert!(!simulator.scene.vertex_range(face).unwrap().written);
    let first = simulator.advance(true);
    assert_eq!(
        (first.written_instances, first.dispatches, first.copies),
        (1, 0, 1)
    );
    assert!(simulator.scene.vertex_range(face).unwrap().written);
    assert_shows(&simulator, face, &mesh, &rest, &[]);
}

#[test]
fn an_unchanged_frame_records_nothing() {
    let (mesh, rest) = strip(8, Quantization::Half);
    let (mut simulator, _, face) = Simulator::with_face(constants(Method::Gather, false), &mesh, &rest);
    simulator.set_weights(face, &[1.0, 0.5]);
    simulator.advance(true);
    simulator.advance(true);
    let changed = simulator.set_weights(face, &[1.0, 0.5, 0.0]);
    assert!(!changed, "an equal array is no change");
    let idle = simulator.advance(true);
    assert!(idle.is_idle() && simulator.scene.plan.is_empty());
}

#[test]
fn gather_batches_the_instances_that_need_writing_and_picks_the_shape_by_their_number() {
    let (mesh, rest) = strip(70, Quantization::Snorm16);
    let mut simulator = Simulator::new(constants(Method::Gather, false));
    let id = simulator
        .scene
        .add_mesh(MeshDesc::new(mesh.clone(), rest.clone()))
        .unwrap();
    simulator.scene.reserve_instances(id, 9).unwrap();
    let faces: Vec<_> = (0..9)
        .map(|_| simulator.scene.attach(id, None).unwrap())
        .collect();
    simulator.advance(true);
    simulator.advance(true);
    for (count, kernel) in [
        (3, Kernel::GatherX32Y1),
        (4, Kernel::GatherX8Y16),
        (9, Kernel::GatherX8Y16),
    ] {
        for (index, face) in faces[..count].iter().enumerate() {
            let weights = [index as f32 - 1.5 + count as f32, -0.25];
            simulator.set_weights(*face, &weights);
        }
        let stats = simulator.advance(true);
        assert_eq!((stats.dispatches, stats.morphed_instances), (1, count as u32));
        assert_eq!(simulator.scene.plan.dispatches().next().unwrap().kernel, kernel);
        for (index, face) in faces[..count].iter().enumerate() {
            let weights = [index as f32 - 1.5 + count as f32, -0.25];
            assert_shows(&simulator, *face, &mesh, &rest, &weights);
        }
    }
}

#[test]
fn gather_frames_have_the_barriers_of_the_table() {
    let (mesh, rest) = strip(8, Quantization::F32);
    let (mut simulator, _, face) = Simulator::with_face(constants(Method::Gather, false), &mesh, &rest);
    simulator.set_weights(face, &[1.0]);
    simulator.advance(true);
    simulator.advance(true);
    let kinds: Vec<_> = simulator
        .scene
        .plan
        .barriers()
        .map(|barrier| barrier.kind)
        .collect();
    assert_eq!(
        kinds,
        [
            BarrierKind::Reuse,
            BarrierKind::CopyToDispatch,
            BarrierKind::Publish
        ]
    );
}

#[test]
fn scatter_puts_a_barrier_between_targets_and_copies_the_rest_pose_every_time() {
    let (mesh, rest) = strip(8, Quantization::F32);
    let mut simulator = Simulator::new(constants(Method::Scatter, false));
    let id = simulator
        .scene
        .add_mesh(MeshDesc::new(mesh.clone(), rest.clone()))
        .unwrap();
    let faces = [
        simulator.scene.attach(id, None).unwrap(),
        simulator.scene.attach(id, None).unwrap(),
    ];
    for (round, weights) in [[1.0, 0.5, 1.0], [-2.0, 0.25, 0.0]].into_iter().enumerate() {
        for face in faces {
            simulator.set_weights(face, &weights);
        }
        let mut stats = simulator.advance(true);
        if round == 0 {
            stats = simulator.advance(true);
        }
        // Two targets that move something, two instances, which share the barrier between the targets.
        assert_eq!((stats.dispatches, stats.barriers), (4, 4));
        let rest_copies = simulator
            .scene
            .plan
            .copies()
            .filter(|copy| copy.purpose == CopyPurpose::RestPose)
            .count();
        assert_eq!(rest_copies, 2);
        for face in faces {
            assert_shows(&simulator, face, &mesh, &rest, &weights);
        }
    }
}

#[test]
fn a_frame_without_pipelines_shows_the_rest_pose_and_tries_again() {
    let (mesh, rest) = strip(8, Quantization::F32);
    for method in [Method::Gather, Method::Scatter] {
        let (mut simulator, _, face) = Simulator::with_face(constants(method, false), &mesh, &rest);
        simulator.set_weights(face, &[2.0]);
        simulator.advance(false);
        let degraded = simulator.advance(false);
        assert_eq!((degraded.degraded_instances, degraded.written_instances), (1, 1));
        assert_shows(&simulator, face, &mesh, &rest, &[]);
        let again = simulator.advance(false);
        assert!(
            again.degraded() && again.is_idle(),
            "the rest pose is there already"
        );
        assert_eq!(simulator.advance(true).morphed_instances, 1);
        assert_shows(&simulator, face, &mesh, &rest, &[2.0]);
    }
}

#[test]
fn a_mesh_larger_than_a_frame_of_staging_comes_in_pieces() {
    let (mesh, rest) = strip(500, Quantization::F32);
    let mut constants = constants(Method::Gather, false);
    constants.capacities.frame_bytes = 64;
    constants.capacities.staging_bytes_per_frame = 64 + 1024;
    let (mut simulator, id, face) = Simulator::with_face(constants, &mesh, &rest);
    simulator.set_weights(face, &[0.0, 3.0]);
    let (mut frames, mut degraded) = (0, 0);
    while simulator.scene.mesh_state(id).unwrap() != MeshState::Resident {
        let stats = simulator.advance(true);
        assert!(stats.uploaded_bytes > 0 && stats.uploaded_bytes <= 1088);
        degraded += stats.degraded_instances;
        frames += 1;
    }
    let bytes = rest.bytes().len() as u64 + mesh.size_bytes(morph_core::Layout::VertexMajor);
    assert!(frames as u64 >= bytes / 1088, "{frames} frames");
    assert!(
        degraded > 0,
        "it shows the rest pose while the deltas are on their way"
    );
    simulator.advance(true);
    assert_shows(&simulator, face, &mesh, &rest, &[0.0, 3.0]);
}

#[test]
fn a_hidden_instance_costs_nothing_and_is_right_when_it_returns() {
    let (mesh, rest) = strip(8, Quantization::F32);
    let (mut simulator, _, face) = Simulator::with_face(constants(Method::Gather, true), &mesh, &rest);
    simulator.advance(true);
    simulator.advance(true);
    simulator.scene.set_visible(face, false).unwrap();
    simulator.set_weights(face, &[1.0]);
    assert!(simulator.advance(true).is_idle());
    simulator.scene.set_visible(face, true).unwrap();
    assert_eq!(simulator.advance(true).morphed_instances, 1);
    assert_shows(&simulator, face, &mesh, &rest, &[1.0]);
    let range = simulator.scene.vertex_range(face).unwrap();
    assert_eq!(
        range.current_first_vertex, range.previous_first_vertex,
        "what it was long ago is no motion"
    );
}

#[test]
fn b147_previous_and_current_differ_in_the_frame_of_a_change_only() {
    let (mesh, rest) = strip(8, Quantization::F32);
    let (mut simulator, _, face) = Simulator::with_face(constants(Method::Gather, true), &mesh, &rest);
    simulator.set_weights(face, &[1.0]);
    simulator.advance(true);
    simulator.advance(true);
    let first = simulator.scene.vertex_range(face).unwrap();
    assert_eq!(
        first.current_first_vertex, first.previous_first_vertex,
        "B151: no motion in the first frame"
    );
    simulator.set_weights(face, &[2.0]);
    simulator.advance(true);
    let moved = simulator.scene.vertex_range(face).unwrap();
    assert_eq!(moved.previous_first_vertex, first.current_first_vertex);
    assert_ne!(moved.current_first_vertex, moved.previous_first_vertex);
    assert_shows(&simulator, face, &mesh, &rest, &[2.0]);
    simulator.advance(true);
    let still = simulator.scene.vertex_range(face).unwrap();
    assert_eq!(still.current_first_vertex, moved.current_first_vertex);
    assert_eq!(
        still.previous_first_vertex, still.current_first_vertex,
        "B145: a still morph has no motion"
    );
}

#[test]
fn morphs_switched_off_show_the_rest_pose_and_keep_their_weights() {
    let (mesh, rest) = strip(8, Quantization::F32);
    let (mut simulator, _, face) = Simulator::with_face(constants(Method::Gather, false), &mesh, &rest);
    simulator.set_weights(face, &[1.0]);
    simulator.advance(true);
    simulator.advance(true);
    simulator.scene.set_morphs_enabled(face, false).unwrap();
    let off = simulator.advance(true);
    assert_eq!((off.dispatches, off.written_instances), (0, 1));
    assert_shows(&simulator, face, &mesh, &rest, &[]);
    simulator.scene.set_morphs_enabled(face, true).unwrap();
    simulator.advance(true);
    assert_shows(&simulator, face, &mesh, &rest, &[1.0]);
}

#[test]
fn weights_go_back_to_the_authored_ones() {
    let (mesh, rest) = strip(8, Quantization::F32);
    let (mut simulator, _, face) = Simulator::with_face(constants(Method::Gather, false), &mesh, &rest);
    simulator.set_weights(face, &[1.0]);
    simulator.advance(true);
    simulator.advance(true);
    assert!(simulator.scene.set_authored_weights(face, &[0.5]).unwrap());
    let still = simulator.advance(true);
    assert_eq!(still.written_instances, 0, "authored weights are not shown");
    let reset =
        |simulator: &mut Simulator| simulator.scene.change_weights(face, |state, _| Ok(state.reset()));
    assert!(reset(&mut simulator).unwrap());
    simulator.advance(true);
    assert_shows(&simulator, face, &mesh, &rest, &[0.5]);
    assert!(!reset(&mut simulator).unwrap());
    assert!(simulator.scene.set_authored_weights(face, &[f32::NAN]).is_err());
}

#[test]
fn a_discarded_frame_is_made_up_for() {
    let (mesh, rest) = strip(300, Quantization::Half);
    for method in [Method::Gather, Method::Scatter] {
        let (mut simulator, id, face) = Simulator::with_face(constants(method, true), &mesh, &rest);
        // The upload itself is dropped.
        simulator.plan(true);
        let slot = simulator.last_slot();
        simulator.scene.discard_frame(slot);
        assert_ne!(simulator.scene.mesh_state(id).unwrap(), MeshState::Resident);
        simulator.advance(true);
        simulator.advance(true);
        simulator.set_weights(face, &[1.0]);
        simulator.plan(true);
        let slot = simulator.last_slot();
        simulator.scene.discard_frame(slot);
        assert_eq!(simulator.advance(true).morphed_instances, 1);
        assert_shows(&simulator, face, &mesh, &rest, &[1.0]);
    }
}

#[test]
fn groups_beyond_the_device_limit_go_into_z() {
    let (mesh, rest) = strip(300, Quantization::F32);
    for method in [Method::Gather, Method::Scatter] {
        let mut constants = constants(method, false);
        constants.max_group_count = [2, 65_535, 65_535];
        let (mut simulator, _, face) = Simulator::with_face(constants, &mesh, &rest);
        simulator.set_weights(face, &[1.0]);
        simulator.advance(true);
        simulator.advance(true);
        let dispatch = simulator.scene.plan.dispatches().next().unwrap();
        assert!(dispatch.group_count[0] <= 2 && dispatch.group_count[2] > 1);
        assert_shows(&simulator, face, &mesh, &rest, &[1.0]);
    }
}

#[test]
fn a_dropped_frame_says_nothing_about_pending_ones() {
    let (mesh, rest) = strip(8, Quantization::F32);
    let mut constants = constants(Method::Gather, false);
    constants.capacities.frame_slot_count = 3;
    let (mut simulator, id, face) = Simulator::with_face(constants, &mesh, &rest);
    simulator.set_weights(face, &[1.0]);
    for _ in 0..3 {
        simulator.advance(true);
    }
    // Frames 4 and 5 may be pending; frame 6 is dropped, so that its slot comes next without a wait.
    simulator.set_weights(face, &[2.0]);
    simulator.advance(true);
    simulator.advance(true);
    simulator.plan(true);
    let slot = simulator.last_slot();
    simulator.scene.discard_frame(slot);
    simulator.scene.discard_frame(slot);
    simulator.scene.detach(face).unwrap();
    let other = simulator.scene.attach(id, None).unwrap();
    simulator.set_weights(other, &[3.0]);
    let used = simulator.scene.plan_frame(slot, &mut vec![0; 1 << 17], true);
    assert_eq!(used.frame, 7);
    assert_eq!(
        simulator.scene.completed_frame, 3,
        "frame 6 was never submitted, so nobody waited for it"
    );
}

#[test]
fn replacing_every_instance_in_every_frame_never_runs_out_of_descriptor_sets() {
    let (mesh, rest) = strip(4, Quantization::F32);
    for method in [Method::Gather, Method::Scatter] {
        for frame_slot_count in 1..6 {
            let mut constants = constants(method, false);
            constants.capacities.frame_slot_count = frame_slot_count;
            constants.capacities.instance_capacity = 8;
            let mut simulator = Simulator::new(constants);
            let id = simulator
                .scene
                .add_mesh(MeshDesc::new(mesh.clone(), rest.clone()))
                .unwrap();
            simulator.advance(true);
            for _ in 0..20 {
                let faces: Vec<_> = (0..8)
                    .map(|_| simulator.scene.attach(id, None).unwrap())
                    .collect();
                for face in &faces {
                    simulator.set_weights(*face, &[1.0]);
                }
                let stats = simulator.advance(true);
                assert_eq!(
                    (stats.morphed_instances, stats.degraded_instances),
                    (8, 0),
                    "{frame_slot_count} slots"
                );
                for face in faces {
                    simulator.scene.detach(face).unwrap();
                }
            }
        }
    }
}

#[test]
fn reserved_room_without_instances_holds_no_descriptor_set() {
    let (mesh, rest) = strip(4, Quantization::F32);
    let mut constants = constants(Method::Gather, false);
    constants.capacities.instance_capacity = 1;
    let mut simulator = Simulator::new(constants);
    for _ in 0..50 {
        let id = simulator
            .scene
            .add_mesh(MeshDesc::new(mesh.clone(), rest.clone()))
            .unwrap();
        simulator.scene.reserve_instances(id, 1).unwrap();
        let face = simulator.scene.attach(id, None).unwrap();
        simulator.set_weights(face, &[1.0]);
        simulator.advance(true);
        let stats = simulator.advance(true);
        assert_eq!((stats.morphed_instances, stats.degraded_instances), (1, 0));
        assert_shows(&simulator, face, &mesh, &rest, &[1.0]);
        simulator.scene.detach(face).unwrap();
    }
}

#[test]
fn no_two_meshes_have_one_number_in_the_plan() {
    let (mesh, rest) = strip(8, Quantization::F32);
    let mut simulator = Simulator::new(constants(Method::Gather, false));
    let add = |simulator: &mut Simulator| {
        simulator
            .scene
            .add_mesh(MeshDesc::new(mesh.clone(), rest.clone()))
            .unwrap()
    };
    let removed = add(&mut simulator);
    let first = add(&mut simulator);
    simulator.scene.remove_mesh(removed).unwrap();
    let second = add(&mut simulator);
    for id in [first, second] {
        let face = simulator.scene.attach(id, None).unwrap();
        simulator.set_weights(face, &[1.0]);
    }
    simulator.advance(true);
    simulator.advance(true);
    let mut numbers: Vec<u32> = simulator.scene.plan.dispatches().map(|it| it.mesh).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2]);
}
