//! Movement: no vertex that the kernels show for one shape is farther from the next one than it says.

use morph_core::{
    Aabb, BoneRows, DirectionTransform, InfluenceCount, MorphMesh, Quantization, RestStreams, SkinBounds,
    SkinPose, SkinShape, SkinWeights, Sphere, morph, pixels_per_unit, skin,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::bounds::displacement;
use crate::skin::{bone, skin_weights};
use crate::support::{build, normals, positions, quantization, rest, scene, weight};

fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

/// A vertex after the morph, in double precision.
fn exact_morph(mesh: &MorphMesh, rest: &RestStreams, weights: &[f32], vertex: usize) -> [f64; 3] {
    let moved = displacement(mesh, weights, vertex as u32);
    std::array::from_fn(|axis| f64::from(rest.positions[vertex][axis]) + moved[axis])
}

/// A vertex after morph and skin, in double precision.
fn exact_skin(
    morphed: [f64; 3],
    influences: impl Iterator<Item = (u16, f32)>,
    bones: &[BoneRows],
) -> [f64; 3] {
    let mut sum = [0.0; 3];
    let mut held = false;
    for (joint, weight) in influences.filter(|&(_, weight)| weight != 0.0) {
        held = true;
        for (sum, row) in sum.iter_mut().zip(&bones[usize::from(joint)]) {
            let row = row.map(f64::from);
            let carried = row[0] * morphed[0] + row[1] * morphed[1] + row[2] * morphed[2] + row[3];
            *sum += f64::from(weight) * carried;
        }
    }
    if held { sum } else { morphed }
}

/// Double precision itself rounds, far below what is asked here.
fn within(distance: f64, bound: f32, size: f64) -> bool {
    distance <= f64::from(bound) + 1.0e-12 * size
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn no_morphed_vertex_moves_farther(scene in scene(), to in vec(weight(), 0..6), quantization in quantization()) {
        let (mesh, _) = scene.build(quantization);
        let to = &to[..to.len().min(mesh.target_count())];
        let aabb = Aabb::of(&scene.rest.positions);
        let movement = mesh.movement(&aabb, &scene.weights, to);
        let shown = morph(&mesh, &scene.rest, &scene.weights).unwrap().positions;
        let wanted = morph(&mesh, &scene.rest, to).unwrap().positions;
        for vertex in 0..shown.len() {
            let shown = shown[vertex].map(f64::from);
            let exact = exact_morph(&mesh, &scene.rest, to, vertex);
            let size = apart(exact, [0.0; 3]) + apart(shown, [0.0; 3]);
            prop_assert!(apart(shown, wanted[vertex].map(f64::from)) <= f64::from(movement));
            // Equal weights give equal bits, which still are the kernel's and not the exact sum's.
            if movement > 0.0 {
                prop_assert!(within(apart(shown, exact), movement, size), "{} {movement}", apart(shown, exact));
            }
        }
    }

    #[test]
    fn no_skinned_vertex_moves_farther(
        (scene, before, after, weights) in scene().prop_flat_map(|scene| {
            let vertex_count = scene.vertex_count as usize;
            (Just(scene), vec(bone(), 4), vec(bone(), 4), skin_weights(vertex_count, 4))
        }),
        near in any::<bool>(),
        to in vec(weight(), 0..6),
        quantization in quantization(),
    ) {
        // Half of the time the bones move by little.
        let after: Vec<BoneRows> = if near {
            let mixed = |b: f32, a: f32| b + (a - b) / 1024.0;
            before.iter().zip(&after).map(|(b, a)| {
                std::array::from_fn(|r| std::array::from_fn(|c| mixed(b[r][c], a[r][c])))
            }).collect()
        } else {
            after
        };
        let (mesh, _) = scene.build(quantization);
        let to = &to[..to.len().min(mesh.target_count())];
        let bounds = SkinBounds::new(&scene.rest, &weights).unwrap();
        let (before, after) = (SkinPose::new(&before).unwrap(), SkinPose::new(&after).unwrap());
        let movement = bounds
            .movement(
                &mesh,
                SkinShape { weights: &scene.weights, pose: &before },
                SkinShape { weights: to, pose: &after },
            )
            .unwrap();
        let show = |morph_weights: &[f32], pose: &SkinPose| {
            let morphed = morph(&mesh, &scene.rest, morph_weights).unwrap();
            skin(&morphed, &weights, pose, DirectionTransform::Linear).unwrap().positions
        };
        let (shown, wanted) = (show(&scene.weights, &before), show(to, &after));
        for vertex in 0..shown.len() {
            let shown = shown[vertex].map(f64::from);
            let wanted = wanted[vertex].map(f64::from);
            prop_assert!(apart(shown, wanted) <= f64::from(movement), "{} {movement}", apart(shown, wanted));
            let morphed = exact_morph(&mesh, &scene.rest, to, vertex);
            let exact = exact_skin(morphed, weights.of(vertex), after.rows());
            if movement > 0.0 {
                let size = 1.0e4 * (apart(morphed, [0.0; 3]) + apart(exact, [0.0; 3]) + apart(shown, [0.0; 3]));
                prop_assert!(within(apart(shown, exact), movement, size), "{} {movement}", apart(shown, exact));
            }
        }
    }
}

#[test]
fn nothing_that_moves_is_zero_and_what_is_not_finite_is_infinite() {
    let targets = [
        positions("a", &[(0, [3.0, 0.0, 4.0])]),
        normals("b", &[(0, [1.0; 3])]),
    ];
    let (mesh, _) = build(1, &targets, Quantization::F32);
    let aabb = Aabb::of(&[[1.0; 3]]);
    assert_eq!(mesh.movement(&aabb, &[0.5], &[0.5, 0.0]), 0.0);
    assert_eq!(
        mesh.movement(&aabb, &[0.5, 0.0], &[0.5, 1.0]),
        0.0,
        "normals do not move"
    );
    let moved = mesh.movement(&aabb, &[0.5], &[-0.5]);
    assert!((5.0..5.0001).contains(&moved), "{moved}");
    assert_eq!(mesh.movement(&aabb, &[0.5], &[f32::NAN]), f32::INFINITY);
    assert_eq!(mesh.movement(&Aabb::EMPTY, &[0.5], &[1.0]), 0.0);
}

fn one_bone(rows: BoneRows) -> SkinPose {
    SkinPose::new(&[rows]).unwrap()
}

/// A turn about Z that scales.
fn turn(angle: f32, scale: f32) -> BoneRows {
    let (sin, cos) = angle.sin_cos();
    [
        [cos * scale, -sin * scale, 0.0, 0.0],
        [sin * scale, cos * scale, 0.0, 0.0],
        [0.0, 0.0, scale, 0.0],
    ]
}

#[test]
fn pose_movement_is_no_looser_than_the_bones_that_moved() {
    let (mesh, _) = build(1, &[positions("a", &[(0, [1.0, 0.0, 0.0])])], Quantization::F32);
    let rest = rest(&[[2.0, 0.0, 0.0]], None, None);
    let weights = SkinWeights::new(InfluenceCount::Four, vec![0; 4], vec![1.0, 0.0, 0.0, 0.0]).unwrap();
    let bounds = SkinBounds::new(&rest, &weights).unwrap();
    let movement = |from: (f32, &SkinPose), to: (f32, &SkinPose)| {
        let shape = |(weight, pose)| (vec![weight], pose);
        let ((from, before), (to, after)) = (shape(from), shape(to));
        let from = SkinShape {
            weights: &from,
            pose: before,
        };
        let to = SkinShape {
            weights: &to,
            pose: after,
        };
        bounds.movement(&mesh, from, to).unwrap()
    };
    let (still, turned, large) = (
        one_bone(turn(0.3, 1.0)),
        one_bone(turn(0.3 + 0.01, 1.0)),
        one_bone(turn(0.3, 50.0)),
    );
    assert_eq!(movement((0.5, &still), (0.5, &still)), 0.0);
    // The point lies 2.5 from the joint.
    let by_turn = movement((0.5, &still), (0.5, &turned));
    assert!((0.025..0.036).contains(&by_turn), "{by_turn}");
    // A morph of half a unit under a bone that scales by 50 moves 25 units.
    let by_morph = movement((0.5, &large), (1.0, &large));
    assert!((25.0..25.01).contains(&by_morph), "{by_morph}");
    let both = movement((0.5, &still), (1.0, &turned));
    assert!((0.5..0.54).contains(&both), "{both}");
    assert!(
        bounds
            .movement(
                &mesh,
                SkinShape {
                    weights: &[],
                    pose: &SkinPose::default()
                },
                SkinShape {
                    weights: &[],
                    pose: &still
                },
            )
            .is_err()
    );
}

#[test]
fn the_sphere_of_a_box_holds_its_corners() {
    for aabb in [
        Aabb {
            min: [-1.0, 2.0, 0.1],
            max: [7.3, 2.0, 1.0e-3_f32.max(0.1)],
        },
        Aabb::of(&[[1.0e20, -3.0, 0.3], [1.0e-20, 1.0, 7.0]]),
        Aabb::of(&[[0.1, 0.2, 0.3]]),
    ] {
        let Sphere { center, radius } = aabb.sphere();
        for corner in [aabb.min, aabb.max, [aabb.min[0], aabb.max[1], aabb.min[2]]] {
            assert!(apart(corner.map(f64::from), center.map(f64::from)) <= f64::from(radius));
        }
        assert!(aabb.diagonal() <= 2.0 * radius.next_up());
    }
    assert_eq!(Aabb::EMPTY.sphere().radius, f32::NEG_INFINITY);
    assert_eq!(Aabb::EVERYTHING.sphere().radius, f32::INFINITY);
    assert_eq!(Aabb::EMPTY.diagonal(), 0.0);
}

#[test]
fn pixels_grow_toward_the_eye_and_are_infinite_where_nothing_may_be_left_out() {
    let sphere = Sphere {
        center: [0.0, 0.0, -20.0],
        radius: 2.0,
    };
    let far = pixels_per_unit(&sphere, [0.0; 3], 1.0, 720.0);
    assert!((far - 720.0 / (2.0 * 0.5_f32.tan() * 18.0)).abs() < 1.0e-3);
    assert!(pixels_per_unit(&sphere, [0.0, 0.0, -10.0], 1.0, 720.0) > far);
    assert_eq!(pixels_per_unit(&sphere, [0.0; 3], 1.0, 0.0), 0.0);
    for (eye, fov, height) in [
        ([0.0, 0.0, -18.0], 1.0, 720.0),
        ([0.0, 0.0, -19.0], 1.0, 720.0),
        ([f32::NAN, 0.0, 0.0], 1.0, 720.0),
        ([0.0; 3], 0.0, 720.0),
        ([0.0; 3], std::f32::consts::PI.next_up(), 720.0),
        ([0.0; 3], f32::NAN, 720.0),
        ([0.0; 3], 1.0, -1.0),
        ([0.0; 3], 1.0, f32::NAN),
    ] {
        assert_eq!(pixels_per_unit(&sphere, eye, fov, height), f32::INFINITY);
    }
}
