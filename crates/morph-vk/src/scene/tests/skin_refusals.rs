//! Skeletons and skins that do not fit.

use std::sync::Arc;

use morph_core::VertexLayout;
use morph_core::skin::SkinError;

use super::skeletons::{desc, pose, skin_for, skinned_strip};
use super::{Simulator, constants, with_layout};
use crate::desc::{Capacities, Method};
use crate::error::MorphError;
use crate::mesh_desc::MeshDesc;

#[test]
fn skeletons_that_do_not_fit_are_refused_in_bones_and_bytes() {
    let mut constants = constants(Method::Gather, false);
    constants.capacities.bone_capacity = 10;
    constants.capacities.frame_bytes = 7 * Capacities::BONE_BYTES + 100;
    let (mesh, rest, skin) = skinned_strip(4);
    let mut simulator = Simulator::new(constants);
    let scene = &mut simulator.scene;
    assert!(matches!(
        scene.add_skeleton(0),
        Err(MorphError::InvalidDesc {
            member: "bone_count",
            ..
        })
    ));
    let skeleton = scene.add_skeleton(4).unwrap();
    let refused = MorphError::BoneCapacity {
        asked: 7,
        used: 4,
        capacity: 10,
    };
    assert_eq!(scene.add_skeleton(7), Err(refused));
    let refused = MorphError::FrameDataFull {
        what: "a skeleton's pose",
        asked_bytes: 6 * 48,
        used_bytes: 4 * 48,
        capacity_bytes: 7 * 48 + 100,
    };
    assert_eq!(scene.add_skeleton(6), Err(refused));
    let id = scene.add_mesh(desc(&mesh, &rest, &skin)).unwrap();
    let body = scene.attach(id, Some(skeleton)).unwrap();
    let in_use = MorphError::SkeletonInUse { instance_count: 1 };
    assert_eq!(scene.remove_skeleton(skeleton), Err(in_use));
    scene.detach(body).unwrap();
    scene.remove_skeleton(skeleton).unwrap();
    let stale = || MorphError::StaleHandle { kind: "skeleton" };
    assert_eq!(scene.remove_skeleton(skeleton), Err(stale()));
    assert_eq!(scene.attach(id, Some(skeleton)), Err(stale()));
    assert_eq!(scene.set_pose(skeleton, &pose(1.0)), Err(stale()));
    assert_ne!(scene.add_skeleton(7).unwrap(), skeleton);
    assert_eq!(scene.skeletons.bone_count(), 7);
}

#[test]
fn skins_that_do_not_fit_are_refused_and_leave_nothing_behind() {
    let (mesh, rest, skin) = skinned_strip(6);
    let mut simulator = Simulator::new(constants(Method::Gather, false));
    let scene = &mut simulator.scene;
    let other =
        MeshDesc::new(Arc::clone(&mesh), rest.clone()).with_skin(skin_for(5).weights, skin.directions);
    let count = SkinError::VertexCount {
        found: 5,
        vertex_count: 6,
    };
    assert_eq!(scene.add_mesh(other), Err(MorphError::Skin(count)));
    let plain = scene
        .add_mesh(MeshDesc::new(Arc::clone(&mesh), rest.clone()))
        .unwrap();
    let held = scene.add_mesh(desc(&mesh, &rest, &skin)).unwrap();
    assert_eq!(scene.skin_bytes(), 6 * 24);
    let (short, whole) = (scene.add_skeleton(2).unwrap(), scene.add_skeleton(3).unwrap());
    assert_eq!(scene.attach(plain, Some(whole)), Err(MorphError::MeshWithoutSkin));
    // Vertex 1 is the first that bone 2 holds.
    let joint = SkinError::JointOutOfRange {
        vertex: 1,
        influence: 1,
        joint: 2,
        bone_count: 2,
    };
    assert_eq!(scene.attach(held, Some(short)), Err(MorphError::Skin(joint)));
    assert_eq!(scene.instance_count(), 0);
    for mesh in [plain, held] {
        scene.remove_mesh(mesh).unwrap();
    }
    assert_eq!((scene.skin_bytes(), scene.geometry.free_bytes()), (0, 1 << 20));

    let tight = with_layout(constants(Method::Gather, false), VertexLayout::PACKED, 300);
    let mut simulator = Simulator::new(tight);
    assert!(matches!(
        simulator.scene.add_mesh(desc(&mesh, &rest, &skin)),
        Err(MorphError::OutOfSpace {
            what: "skin weights",
            asked_bytes: 144,
            ..
        })
    ));
    assert_eq!(simulator.scene.geometry.free_bytes(), 300);
    let mut without = constants(Method::Gather, false);
    without.capacities.bone_capacity = 0;
    for constants in [without, constants(Method::Scatter, false)] {
        let mut simulator = Simulator::new(constants);
        assert_eq!(
            simulator.scene.add_mesh(desc(&mesh, &rest, &skin)),
            Err(MorphError::SkinningOff)
        );
    }
}
