//! What is refused says what was asked and what there is, and leaves everything as it was.

use std::sync::Arc;

use morph_core::{BaseNormals, BuildOptions, MorphMesh, Quantization, RestPose, VertexLayout};

use super::{Simulator, assert_shows, constants, strip, with_layout};
use crate::desc::Method;
use crate::error::MorphError;
use crate::mesh_desc::MeshDesc;
use crate::scene::{MeshState, RefusalLimit};

#[test]
fn a_rest_pose_without_room_is_an_error_that_says_how_much_there_is() {
    let (mesh, rest) = strip(100, Quantization::F32);
    let constants = with_layout(constants(Method::Gather, false), VertexLayout::PACKED, 3000);
    let mut simulator = Simulator::new(constants);
    let error = simulator.scene.add_mesh(MeshDesc::new(mesh, rest)).unwrap_err();
    let MorphError::OutOfSpace {
        asked_bytes,
        free_bytes,
        largest_hole_bytes,
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((asked_bytes, free_bytes, largest_hole_bytes), (4000, 3000, 3000));
    assert_eq!(simulator.scene.mesh_count(), 0);
}

#[test]
fn an_instance_without_room_is_an_error_and_nothing_is_half_done() {
    let (mesh, rest) = strip(100, Quantization::F32);
    let geometry_bytes = 4000 + mesh.size_bytes(morph_core::Layout::VertexMajor) + 16 + 80 + 8500;
    let constants = with_layout(
        constants(Method::Gather, false),
        VertexLayout::PACKED,
        geometry_bytes,
    );
    let mut simulator = Simulator::new(constants);
    let id = simulator.scene.add_mesh(MeshDesc::new(mesh, rest)).unwrap();
    simulator.scene.attach(id, None).unwrap();
    simulator.scene.attach(id, None).unwrap();
    let free = simulator.scene.geometry.free_bytes();
    assert!(matches!(
        simulator.scene.attach(id, None),
        Err(MorphError::OutOfSpace { .. })
    ));
    assert!(matches!(
        simulator.scene.reserve_instances(id, 3),
        Err(MorphError::OutOfSpace { .. })
    ));
    assert_eq!(
        (
            simulator.scene.geometry.free_bytes(),
            simulator.scene.instance_count()
        ),
        (free, 2)
    );
}

#[test]
fn b191_deltas_past_the_budget_are_refused_drawn_at_rest_and_judged_anew() {
    let (mesh, rest) = strip(64, Quantization::F32);
    let asked = mesh.size_bytes(morph_core::Layout::VertexMajor);
    for limit_of_device in [false, true] {
        let mut constants = constants(Method::Gather, false);
        if limit_of_device {
            // Room for the vertices of an instance, not for the deltas.
            constants.max_range_bytes = asked - 4;
            assert!(constants.max_range_bytes > 64 * 40);
        } else {
            constants.capacities.delta_budget_bytes = asked + 100;
        }
        let mut simulator = Simulator::new(constants);
        let blocker = simulator
            .scene
            .add_mesh(MeshDesc::new(mesh.clone(), rest.clone()))
            .unwrap();
        let id = simulator
            .scene
            .add_mesh(MeshDesc::new(mesh.clone(), rest.clone()))
            .unwrap();
        let budget_bytes = if limit_of_device { asked - 4 } else { 100 };
        let refused = MeshState::Refused {
            limit: if limit_of_device {
                RefusalLimit::Device
            } else {
                RefusalLimit::Budget
            },
            asked_bytes: asked,
            budget_bytes,
        };
        assert_eq!(simulator.scene.mesh_state(id).unwrap(), refused);
        let face = simulator.scene.attach(id, None).unwrap();
        simulator.set_weights(face, &[1.0]);
        simulator.advance(true);
        let stats = simulator.advance(true);
        assert_eq!(
            (
                stats.refused_instances,
                stats.degraded_instances,
                stats.dispatches
            ),
            (1, 0, 0)
        );
        assert_shows(&simulator, face, &mesh, &rest, &[]);
        assert!(
            simulator.advance(true).is_idle(),
            "a refusal does not try again by itself"
        );
        simulator.scene.remove_mesh(blocker).unwrap();
        assert_eq!(
            simulator.scene.mesh_state(id).unwrap(),
            refused,
            "it holds until the mesh is sent again"
        );
        if !limit_of_device {
            simulator.scene.reupload(id).unwrap();
            simulator.advance(true);
            simulator.advance(true);
            assert_eq!(simulator.scene.mesh_state(id).unwrap(), MeshState::Resident);
            assert_shows(&simulator, face, &mesh, &rest, &[1.0]);
        }
    }
}

#[test]
fn stale_handles_are_errors_and_never_something_else() {
    let (mesh, rest) = strip(4, Quantization::F32);
    let (mut simulator, id, face) = Simulator::with_face(constants(Method::Gather, false), &mesh, &rest);
    assert_eq!(
        simulator.scene.remove_mesh(id),
        Err(MorphError::MeshInUse { instance_count: 1 })
    );
    simulator.scene.detach(face).unwrap();
    let other = simulator.scene.attach(id, None).unwrap();
    assert_ne!(face, other);
    let stale = MorphError::StaleHandle { kind: "instance" };
    assert_eq!(simulator.scene.detach(face), Err(stale.clone()));
    assert_eq!(simulator.scene.set_visible(face, true), Err(stale));
    assert_eq!(simulator.scene.vertex_range(face), None);
    simulator.scene.detach(other).unwrap();
    simulator.scene.remove_mesh(id).unwrap();
    assert_eq!(
        simulator.scene.attach(id, None),
        Err(MorphError::StaleHandle { kind: "mesh" })
    );
    assert_eq!(
        simulator.scene.geometry.free_bytes(),
        1 << 20,
        "everything came back"
    );
}

#[test]
fn capacities_of_instances_and_frame_data_are_kept_at_attach() {
    let (mesh, rest) = strip(4, Quantization::F32);
    let mut constants = constants(Method::Gather, false);
    constants.capacities.instance_capacity = 3;
    constants.capacities.frame_bytes = 2 * (3 + 3) * 4;
    let mut simulator = Simulator::new(constants);
    let id = simulator.scene.add_mesh(MeshDesc::new(mesh, rest)).unwrap();
    assert_eq!(
        simulator.scene.reserve_instances(id, 4),
        Err(MorphError::InstanceCapacity { capacity: 3 })
    );
    simulator.scene.attach(id, None).unwrap();
    simulator.scene.attach(id, None).unwrap();
    let full = MorphError::FrameDataFull {
        what: "one more instance of this mesh",
        asked_bytes: 24,
        used_bytes: 48,
        capacity_bytes: 48,
    };
    assert_eq!(simulator.scene.attach(id, None), Err(full));
    simulator.scene.constants.capacities.frame_bytes = 100;
    simulator.scene.attach(id, None).unwrap();
    assert_eq!(
        simulator.scene.attach(id, None),
        Err(MorphError::InstanceCapacity { capacity: 3 })
    );
}

#[test]
fn meshes_that_cannot_be_right_are_refused_by_what_is_wrong() {
    let (mesh, rest) = strip(4, Quantization::F32);
    let mut simulator = Simulator::new(constants(Method::Gather, false));
    let (other, _) = strip(5, Quantization::F32);
    assert_eq!(
        simulator.scene.add_mesh(MeshDesc::new(other, rest)),
        Err(MorphError::VertexCountMismatch { rest: 4, targets: 5 })
    );
    let narrow = RestPose::from_streams(
        VertexLayout::POSITION,
        &[[0.0; 3]; 4],
        None,
        None,
        BaseNormals::AsGiven,
    )
    .unwrap();
    assert!(matches!(
        simulator.scene.add_mesh(MeshDesc::new(mesh, narrow)),
        Err(MorphError::LayoutMismatch { .. })
    ));
    let (nothing, _) = MorphMesh::build(0, &[], &BuildOptions::new(Quantization::F32)).unwrap();
    let empty = RestPose::from_streams(VertexLayout::PACKED, &[], None, None, BaseNormals::AsGiven).unwrap();
    assert_eq!(
        simulator.scene.add_mesh(MeshDesc::new(Arc::new(nothing), empty)),
        Err(MorphError::EmptyMesh)
    );
}

#[test]
fn b193_a_mesh_whose_targets_move_nothing_needs_no_dispatch() {
    let targets = [
        morph_core::MorphTarget::empty("a"),
        morph_core::MorphTarget::empty("b"),
    ];
    let (mesh, _) = MorphMesh::build(3, &targets, &BuildOptions::new(Quantization::Half)).unwrap();
    let mesh = Arc::new(mesh);
    let rest = RestPose::from_streams(
        VertexLayout::PACKED,
        &[[1.0; 3]; 3],
        None,
        None,
        BaseNormals::MakeUnit,
    )
    .unwrap();
    let (mut simulator, _, face) = Simulator::with_face(constants(Method::Gather, false), &mesh, &rest);
    simulator.set_weights(face, &[1.0, 1.0]);
    simulator.advance(true);
    let stats = simulator.advance(true);
    assert_eq!(
        (
            stats.dispatches,
            stats.written_instances,
            stats.degraded_instances
        ),
        (0, 1, 0)
    );
    assert_shows(&simulator, face, &mesh, &rest, &[1.0, 1.0]);
}
