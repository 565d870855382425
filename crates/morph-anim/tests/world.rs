//! Transforms into the model's space.

use glam::{Mat4, Quat, Vec3};
use morph_anim::{Hierarchy, HierarchyError, Trs, joint_matrices_into, world_matrices};
use proptest::prelude::*;

fn moved(translation: Vec3) -> Trs {
    Trs {
        translation,
        ..Trs::IDENTITY
    }
}

#[test]
fn children_may_come_before_their_parents() {
    let locals = [moved(Vec3::X), moved(Vec3::Y), moved(Vec3::Z)];
    let worlds = world_matrices(&[Some(1), Some(2), None], &locals).expect("a hierarchy");
    assert_eq!(worlds[0].w_axis.truncate(), Vec3::ONE);
    assert_eq!(worlds[1].w_axis.truncate(), Vec3::new(0.0, 1.0, 1.0));
}

#[test]
fn what_is_no_hierarchy_is_refused() {
    let refused = |parents: &[Option<usize>]| Hierarchy::new(parents.to_vec()).expect_err("refused");
    assert_eq!(refused(&[Some(0)]), HierarchyError::Loop { node: 0 });
    assert!(matches!(
        refused(&[None, Some(2), Some(3), Some(1)]),
        HierarchyError::Loop { .. }
    ));
    assert_eq!(
        refused(&[None, Some(7)]),
        HierarchyError::NoParent {
            node: 1,
            parent: 7,
            node_count: 2
        }
    );
    assert!(matches!(
        world_matrices(&[None], &[]),
        Err(HierarchyError::Count {
            given: 0,
            needed: 1,
            ..
        })
    ));
}

#[test]
fn a_skin_at_rest_moves_nothing_wherever_the_node_of_its_mesh_is() {
    let locals = [
        moved(Vec3::new(5.0, 0.0, 0.0)),
        moved(Vec3::new(0.0, 1.0, 0.0)),
        moved(Vec3::new(0.0, 2.0, 0.0)),
    ];
    // Node 0 carries the mesh and stands apart from the joints 1 and 2.
    let parents = [None, None, Some(1)];
    let worlds = world_matrices(&parents, &locals).expect("a hierarchy");
    let inverse_bind = [worlds[2].inverse(), worlds[1].inverse()];
    let mut matrices = Vec::new();
    joint_matrices_into(&worlds, &[2, 1], &inverse_bind, &mut matrices).expect("fits");
    assert_eq!(matrices, [Mat4::IDENTITY; 2]);

    let mut turned = locals;
    turned[1].rotation = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let worlds = world_matrices(&parents, &turned).expect("a hierarchy");
    joint_matrices_into(&worlds, &[2, 1], &inverse_bind, &mut matrices).expect("fits");
    // The tip two above joint 1, which stands one above the ground, goes to its side.
    let tip = matrices[0].transform_point3(Vec3::new(0.0, 3.0, 0.0));
    assert!(tip.abs_diff_eq(Vec3::new(-2.0, 1.0, 0.0), 1.0e-6), "{tip}");
}

#[test]
fn a_skin_that_does_not_fit_is_refused() {
    let mut matrices = vec![Mat4::ZERO];
    let refused = joint_matrices_into(&[Mat4::IDENTITY], &[1], &[Mat4::IDENTITY], &mut matrices);
    assert_eq!(
        refused,
        Err(HierarchyError::NoJoint {
            joint: 0,
            node: 1,
            node_count: 1
        })
    );
    assert!(joint_matrices_into(&[Mat4::IDENTITY], &[0], &[], &mut matrices).is_err());
    assert_eq!(matrices, [Mat4::ZERO]);
}

proptest! {
    #[test]
    fn any_parents_are_ordered_or_refused(parents in prop::collection::vec(prop::option::of(0_usize..9), 0..9)) {
        let locals = vec![moved(Vec3::X); parents.len()];
        let depth = |mut node: usize| {
            let mut depth = 1;
            while let Some(&Some(parent)) = parents.get(node) {
                (node, depth) = (parent, depth + 1);
                if depth > parents.len() || parent >= parents.len() {
                    return None;
                }
            }
            Some(depth as f32)
        };
        let depths: Option<Vec<f32>> = (0..parents.len()).map(depth).collect();
        let worlds = world_matrices(&parents, &locals).ok();
        prop_assert_eq!(worlds.map(|worlds| worlds.iter().map(|world| world.w_axis.x).collect()), depths);
    }
}
