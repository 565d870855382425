//! Bounds hold every morphed vertex for any weights, and are no looser than they have to be.

use morph_core::{Aabb, MorphMesh, MorphTarget, Quantization, Sphere, morph};
use proptest::prelude::*;

use crate::support::{Scene, build, padded, positions, quantization, rest, scene};

/// Σ weight·delta of one vertex in double precision, where it is all but exact.
pub(crate) fn displacement(mesh: &MorphMesh, weights: &[f32], vertex: u32) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (target, weight) in mesh.targets().zip(padded(weights, mesh.target_count())) {
        if let Ok(entry) = target.vertices().binary_search(&vertex) {
            for (sum, delta) in sum.iter_mut().zip(target.position(entry)) {
                *sum += f64::from(weight) * f64::from(delta);
            }
        }
    }
    sum
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f64 {
    (0..3)
        .map(|axis| (f64::from(a[axis]) - f64::from(b[axis])).powi(2))
        .sum::<f64>()
        .sqrt()
}

fn built(scene: &Scene, quantization: Quantization) -> (MorphMesh, Aabb) {
    (scene.build(quantization).0, Aabb::of(&scene.rest.positions))
}

proptest! {
    #[test]
    fn the_box_holds_every_morphed_vertex(scene in scene(), quantization in quantization()) {
        let (mesh, rest_box) = built(&scene, quantization);
        let aabb = mesh.bounds(&rest_box, &scene.weights);
        for point in morph(&mesh, &scene.rest, &scene.weights).unwrap().positions {
            prop_assert!(aabb.contains(point), "{aabb:?} {point:?}");
        }
    }

    #[test]
    fn the_box_holds_the_exact_sums_too(scene in scene(), quantization in quantization()) {
        let (mesh, rest_box) = built(&scene, quantization);
        let aabb = mesh.bounds(&rest_box, &scene.weights);
        for (vertex, rest) in scene.rest.positions.iter().enumerate() {
            let moved = displacement(&mesh, &scene.weights, vertex as u32);
            for axis in 0..3 {
                let exact = f64::from(rest[axis]) + moved[axis];
                // The double sum itself rounds, far below a float's last place.
                let slack = 1.0e-13 * (exact.abs() + 1.0);
                prop_assert!(f64::from(aabb.min[axis]) <= exact + slack && exact - slack <= f64::from(aabb.max[axis]));
            }
        }
    }

    #[test]
    fn no_vertex_moves_farther_than_the_inflation(scene in scene(), quantization in quantization()) {
        let (mesh, _) = built(&scene, quantization);
        let inflation = f64::from(mesh.inflation(&scene.weights));
        for vertex in 0..scene.vertex_count {
            let [x, y, z] = displacement(&mesh, &scene.weights, vertex);
            let moved = (x * x + y * y + z * z).sqrt();
            prop_assert!(moved <= inflation * (1.0 + 1.0e-12), "{moved} {inflation}");
        }
    }

    #[test]
    fn the_sphere_holds_every_morphed_vertex(scene in scene(), quantization in quantization()) {
        let (mesh, _) = built(&scene, quantization);
        let center = scene.rest.positions[0];
        let farthest = scene.rest.positions.iter().map(|&point| distance(point, center)).fold(0.0, f64::max);
        let rest_sphere = Sphere { center, radius: (farthest as f32).next_up() };
        let sphere = mesh.bounding_sphere(&rest_sphere, &scene.weights);
        prop_assert_eq!(sphere.center, center);
        for point in morph(&mesh, &scene.rest, &scene.weights).unwrap().positions {
            prop_assert!(distance(point, center) <= f64::from(sphere.radius), "{sphere:?} {point:?}");
        }
    }

    #[test]
    fn extremes_and_reach_are_those_of_the_decoded_deltas(scene in scene(), quantization in quantization()) {
        let (mesh, _) = built(&scene, quantization);
        for target in mesh.targets() {
            let still = (target.entry_count() < scene.vertex_count).then_some([0.0; 3]);
            let deltas: Vec<[f32; 3]> =
                (0..target.entry_count() as usize).map(|entry| target.position(entry)).chain(still).collect();
            let expected = Aabb::of(&deltas);
            prop_assert_eq!((target.minimum(), target.maximum()), (expected.min, expected.max));
            let longest = deltas.iter().map(|&delta| distance(delta, [0.0; 3])).fold(0.0, f64::max);
            let reach = f64::from(target.reach());
            prop_assert!(longest <= reach * (1.0 + 1.0e-15) && reach <= longest * (1.0 + 2.0e-7), "{longest} {reach}");
        }
    }
}

#[test]
fn without_weights_the_bounds_are_those_of_the_rest_pose() {
    let (mesh, _) = build(1, &[positions("a", &[(0, [1.0; 3])])], Quantization::F32);
    let rest = Aabb {
        min: [-1.0; 3],
        max: [2.0; 3],
    };
    for weights in [&[][..], &[0.0], &[1.0e-13]] {
        assert_eq!(mesh.bounds(&rest, weights), rest);
        assert_eq!(mesh.inflation(weights), 0.0);
        let sphere = Sphere {
            center: [1.0; 3],
            radius: 2.0,
        };
        assert_eq!(mesh.bounding_sphere(&sphere, weights), sphere);
    }
}

#[test]
fn a_target_that_moves_every_vertex_alike_moves_the_box_and_does_not_grow_it() {
    let (mesh, _) = build(
        2,
        &[positions("up", &[(0, [0.0, 8.0, 0.0]), (1, [0.0, 8.0, 0.0])])],
        Quantization::F32,
    );
    let moved = mesh.bounds(
        &Aabb {
            min: [0.0; 3],
            max: [1.0; 3],
        },
        &[0.5],
    );
    assert_eq!(
        moved,
        Aabb {
            min: [0.0, 4.0, 0.0],
            max: [1.0, 5.0, 1.0]
        }
    );
}

#[test]
fn weights_that_are_not_finite_give_bounds_that_nothing_is_culled_by() {
    let (mesh, _) = build(2, &[positions("a", &[(0, [1.0; 3])])], Quantization::F32);
    let rest = Aabb {
        min: [0.0; 3],
        max: [1.0; 3],
    };
    for weight in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(mesh.bounds(&rest, &[weight]), Aabb::EVERYTHING);
        assert_eq!(
            mesh.bounds(
                &Aabb {
                    min: [f32::NAN; 3],
                    max: [f32::NAN; 3]
                },
                &[1.0]
            ),
            Aabb::EVERYTHING
        );
        assert_eq!(mesh.inflation(&[weight]), f32::INFINITY);
        assert_eq!(
            mesh.bounding_sphere(
                &Sphere {
                    center: [0.0; 3],
                    radius: 1.0
                },
                &[weight]
            )
            .radius,
            f32::INFINITY
        );
    }
}

#[test]
fn sums_past_the_float_range_give_infinite_bounds() {
    let targets = [
        positions("a", &[(0, [f32::MAX; 3])]),
        positions("b", &[(0, [-f32::MAX; 3])]),
    ];
    let (mesh, _) = build(2, &targets, Quantization::F32);
    let aabb = mesh.bounds(
        &Aabb {
            min: [0.0; 3],
            max: [1.0; 3],
        },
        &[4.0, 4.0],
    );
    assert_eq!(aabb, Aabb::EVERYTHING);
    assert_eq!(mesh.inflation(&[4.0, 4.0]), f32::INFINITY);
}

/// A product that cancels but for its rounding: the kernel's sum is zero, and the exact one is a float that
/// is not.
#[test]
fn the_box_holds_the_rounded_sum_where_it_leaves_the_exact_one() {
    let (weight, delta) = (1.0 + 3.0 * f32::EPSILON, 1.0 + 5.0 * f32::EPSILON);
    let product = weight * delta;
    let exact = f64::from(weight) * f64::from(delta);
    assert!(f64::from(product) < exact, "the values have to show the case");
    for sign in [1.0, -1.0] {
        let (mesh, _) = build(1, &[positions("a", &[(0, [sign * delta; 3])])], Quantization::F32);
        let rest = rest(&[[-sign * product; 3]], None, None);
        let morphed = morph(&mesh, &rest, &[weight]).unwrap().positions[0];
        assert_eq!(morphed, [0.0; 3]);
        let aabb = mesh.bounds(&Aabb::of(&rest.positions), &[weight]);
        assert!(aabb.contains(morphed), "{aabb:?}");
        let exact = (f64::from(weight) * f64::from(delta) - f64::from(product)) * f64::from(sign);
        assert!(
            f64::from(aabb.min[0]) <= exact && exact <= f64::from(aabb.max[0]),
            "{aabb:?} {exact:e}"
        );
    }
}

/// Fifty deltas that each round up by almost a last place: the vertex ends farther out than the exact sum.
#[test]
fn the_sphere_holds_what_the_roundings_of_the_kernel_add() {
    let targets: Vec<MorphTarget> = (0..50)
        .map(|i| positions(&format!("t{i}"), &[(0, [0.6 * f32::EPSILON, 0.0, 0.0])]))
        .collect();
    let (mesh, _) = build(1, &targets, Quantization::F32);
    let weights = [1.0; 50];
    let morphed = morph(&mesh, &rest(&[[1.0, 0.0, 0.0]], None, None), &weights)
        .unwrap()
        .positions[0];
    assert!(
        morphed[0] > 1.0 + mesh.inflation(&weights),
        "the values have to show the case"
    );
    let sphere = mesh.bounding_sphere(
        &Sphere {
            center: [0.0; 3],
            radius: 1.0,
        },
        &weights,
    );
    assert!(morphed[0] <= sphere.radius && sphere.radius < 1.0001);
}

#[test]
fn an_empty_box_stays_empty() {
    assert!(Aabb::of(&[]).is_empty());
    let (mesh, _) = build(0, &[], Quantization::F32);
    assert!(mesh.bounds(&Aabb::EMPTY, &[]).is_empty());
    assert!(!Aabb::EVERYTHING.is_empty());
    assert!(!Aabb::EMPTY.contains([0.0; 3]));
}
