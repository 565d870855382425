//! The host kernel against a second, slow reading of the arithmetic contract.

use morph_core::{
    KernelError, MorphMesh, MorphTarget, MorphedStreams, Quantization, RestStreams, Stream, WeightError,
    morph, morph_into, pack_scatter, pack_vertex_major,
};
use proptest::prelude::*;

use crate::support::{
    Scene, bits, build, normals, padded, positions, quantization, rest, rest_stream, scene,
};

/// The contract, vertex by vertex and without skipping anything: `round` is applied to every product and
/// every sum.
fn reference(
    mesh: &MorphMesh,
    rest: &RestStreams,
    weights: &[f32],
    stream: Stream,
    round: fn(f32) -> f32,
) -> Option<Vec<[f32; 3]>> {
    let weights = padded(weights, mesh.target_count());
    let mut sums = rest_stream(rest, stream)?.to_vec();
    for (vertex, sum) in sums.iter_mut().enumerate() {
        for (target, weight) in mesh.targets().zip(&weights) {
            let entry = target
                .vertices()
                .iter()
                .position(|&moved| moved as usize == vertex);
            let delta = entry.map_or([0.0; 3], |entry| target.delta(stream, entry));
            for (sum, delta) in sum.iter_mut().zip(delta) {
                let product = round(weight * delta);
                *sum = round(*sum + product);
            }
        }
    }
    Some(sums)
}

fn result(morphed: &MorphedStreams, stream: Stream) -> Option<&[[f32; 3]]> {
    match stream {
        Stream::Position => Some(&morphed.positions),
        Stream::Normal => morphed.normals.as_deref(),
        Stream::Tangent => morphed.tangents.as_deref(),
    }
}

fn assert_same(morphed: &MorphedStreams, expected: impl Fn(Stream) -> Option<Vec<[f32; 3]>>) {
    for stream in Stream::ALL {
        assert_eq!(
            result(morphed, stream).map(bits),
            expected(stream).as_deref().map(bits),
            "{stream}"
        );
    }
}

fn flush(x: f32) -> f32 {
    if x.is_subnormal() { 0.0_f32.copysign(x) } else { x }
}

proptest! {
    #[test]
    fn equals_the_contract_that_skips_nothing(scene in scene(), quantization in quantization()) {
        let (mesh, _) = scene.build(quantization);
        let morphed = morph(&mesh, &scene.rest, &scene.weights).unwrap();
        assert_same(&morphed, |stream| reference(&mesh, &scene.rest, &scene.weights, stream, |x| x));
    }

    #[test]
    fn equals_a_machine_that_flushes_subnormals(scene in scene(), quantization in quantization()) {
        let (mesh, _) = scene.build(quantization);
        let morphed = morph(&mesh, &scene.rest, &scene.weights).unwrap();
        assert_same(&morphed, |stream| reference(&mesh, &scene.rest, &scene.weights, stream, flush));
    }

    #[test]
    fn yields_no_subnormal_and_no_negative_zero(scene in scene(), quantization in quantization()) {
        let (mesh, _) = scene.build(quantization);
        let morphed = morph(&mesh, &scene.rest, &scene.weights).unwrap();
        for stream in Stream::ALL {
            for &x in result(&morphed, stream).unwrap_or_default().as_flattened() {
                prop_assert!(x.is_finite() && !x.is_subnormal() && x.to_bits() != 1 << 31, "{x:e}");
            }
        }
    }

    #[test]
    fn the_order_in_which_vertices_were_authored_does_not_matter(scene in scene(), quantization in quantization()) {
        let mut sorted = scene.clone();
        for target in &mut sorted.targets {
            sort_by_vertex(target);
        }
        let (mesh, report) = scene.build(quantization);
        let (sorted_mesh, sorted_report) = sorted.build(quantization);
        prop_assert_eq!(pack_vertex_major(&mesh), pack_vertex_major(&sorted_mesh));
        prop_assert_eq!(pack_scatter(&mesh), pack_scatter(&sorted_mesh));
        prop_assert_eq!(report, sorted_report);
    }

    #[test]
    fn targets_at_weight_zero_might_as_well_not_be_there(scene in scene(), quantization in quantization()) {
        let weights = padded(&scene.weights, scene.targets.len());
        let active: Vec<usize> = (0..weights.len()).filter(|&slot| weights[slot] != 0.0).collect();
        let only_active = Scene {
            targets: active.iter().map(|&slot| scene.targets[slot].clone()).collect(),
            weights: active.iter().map(|&slot| weights[slot]).collect(),
            ..scene.clone()
        };
        let morphed = morph(&scene.build(quantization).0, &scene.rest, &scene.weights).unwrap();
        let expected =
            morph(&only_active.build(quantization).0, &scene.rest, &only_active.weights).unwrap();
        prop_assert_eq!(bits(&morphed.positions), bits(&expected.positions));
        prop_assert_eq!(morphed, expected);
    }

    #[test]
    fn all_weights_zero_gives_the_rest_pose_to_the_bit(scene in scene(), quantization in quantization()) {
        let (mesh, _) = scene.build(quantization);
        let zeros = vec![0.0; mesh.target_count()];
        for weights in [&zeros[..], &[]] {
            let morphed = morph(&mesh, &scene.rest, weights).unwrap();
            for stream in Stream::ALL {
                prop_assert_eq!(
                    result(&morphed, stream).map(bits),
                    rest_stream(&scene.rest, stream).map(bits)
                );
            }
        }
    }

    #[test]
    fn reused_buffers_hold_what_fresh_ones_would(first in scene(), second in scene()) {
        let mut out = MorphedStreams::default();
        for scene in [first, second] {
            let (mesh, _) = scene.build(Quantization::Snorm16);
            morph_into(&mesh, &scene.rest, &scene.weights, &mut out).unwrap();
            prop_assert_eq!(&out, &morph(&mesh, &scene.rest, &scene.weights).unwrap());
        }
    }
}

fn sort_by_vertex(target: &mut MorphTarget) {
    let mut order: Vec<usize> = (0..target.vertices.len()).collect();
    order.sort_by_key(|&i| target.vertices[i]);
    let sort = |values: &Vec<[f32; 3]>| order.iter().map(|&i| values[i]).collect();
    target.positions = target.positions.as_ref().map(sort);
    target.normals = target.normals.as_ref().map(sort);
    target.tangents = target.tangents.as_ref().map(sort);
    target.vertices = order.iter().map(|&i| target.vertices[i]).collect();
}

/// Values for which a fused multiply-add gives another result than the product rounded and the sum rounded.
#[test]
fn the_product_is_rounded_before_the_sum() {
    let delta = 1.0 + f32::EPSILON;
    let weight = 1.0 - f32::EPSILON;
    let product = weight * delta;
    assert_ne!(
        delta.mul_add(weight, -1.0),
        product - 1.0,
        "the values have to tell the two apart"
    );
    let (mesh, _) = build(1, &[positions("a", &[(0, [delta; 3])])], Quantization::F32);
    let morphed = morph(&mesh, &rest(&[[-1.0; 3]], None, None), &[weight]).unwrap();
    assert_eq!(morphed.positions, [[product - 1.0; 3]]);
}

/// Values whose sum depends on the order of the targets.
#[test]
fn targets_add_in_rising_order() {
    let targets = [
        positions("large", &[(0, [1.0e8, 0.0, 0.0])]),
        positions("small", &[(0, [1.0, 0.0, 0.0])]),
    ];
    let (mesh, _) = build(1, &targets, Quantization::F32);
    let rest = rest(&[[-1.0e8, 0.0, 0.0]], None, None);
    assert_eq!(
        morph(&mesh, &rest, &[1.0, 1.0]).unwrap().positions,
        [[1.0, 0.0, 0.0]]
    );
    let swapped = [targets[1].clone(), targets[0].clone()];
    let (mesh, _) = build(1, &swapped, Quantization::F32);
    assert_eq!(morph(&mesh, &rest, &[1.0, 1.0]).unwrap().positions, [[0.0; 3]]);
}

#[test]
fn negative_weights_and_weights_past_one_are_applied() {
    let (mesh, _) = build(1, &[positions("a", &[(0, [2.0, 0.0, -4.0])])], Quantization::Half);
    let rest = rest(&[[1.0; 3]], None, None);
    assert_eq!(morph(&mesh, &rest, &[-0.5]).unwrap().positions, [[0.0, 1.0, 3.0]]);
    assert_eq!(morph(&mesh, &rest, &[2.5]).unwrap().positions, [[6.0, 1.0, -9.0]]);
}

#[test]
fn a_stream_that_the_rest_pose_lacks_is_left_out() {
    let (mesh, _) = build(1, &[normals("a", &[(0, [0.0, 0.0, 1.0])])], Quantization::F32);
    let morphed = morph(&mesh, &rest(&[[1.0; 3]], None, None), &[1.0]).unwrap();
    assert_eq!(
        morphed,
        MorphedStreams {
            positions: vec![[1.0; 3]],
            normals: None,
            tangents: None
        }
    );
}

#[test]
fn buffers_of_the_right_size_are_used_again() {
    let (mesh, _) = build(2, &[positions("a", &[(0, [1.0; 3])])], Quantization::Half);
    let rest = rest(
        &[[1.0; 3]; 2],
        Some(&[[0.0, 1.0, 0.0]; 2]),
        Some(&[[1.0, 0.0, 0.0]; 2]),
    );
    let mut out = morph(&mesh, &rest, &[1.0]).unwrap();
    let addresses = |out: &MorphedStreams| Stream::ALL.map(|stream| result(out, stream).map(<[_]>::as_ptr));
    let before = addresses(&out);
    morph_into(&mesh, &rest, &[0.5], &mut out).unwrap();
    assert_eq!(addresses(&out), before);
}

#[test]
fn a_mesh_without_vertices_morphs_to_nothing() {
    let (mesh, _) = build(0, &[MorphTarget::empty("a")], Quantization::Snorm16);
    let morphed = morph(&mesh, &rest(&[], Some(&[]), None), &[1.0]).unwrap();
    assert_eq!(
        morphed,
        MorphedStreams {
            positions: vec![],
            normals: Some(vec![]),
            tangents: None
        }
    );
}

#[test]
fn a_rest_pose_of_another_mesh_is_refused_for_each_stream() {
    let (mesh, _) = build(2, &[], Quantization::F32);
    let two = vec![[0.0; 3]; 2];
    let three = vec![[0.0; 3]; 3];
    for stream in Stream::ALL {
        let pick = |this: Stream| {
            if this == stream {
                three.clone()
            } else {
                two.clone()
            }
        };
        // Assembled by hand, because the checked constructor would refuse it first.
        let rest = RestStreams {
            positions: pick(Stream::Position),
            normals: Some(pick(Stream::Normal)),
            tangents: Some(pick(Stream::Tangent)),
        };
        let error = morph(&mesh, &rest, &[]).unwrap_err();
        assert_eq!(
            error,
            KernelError::RestLength {
                stream,
                found: 3,
                vertex_count: 2
            }
        );
        assert_eq!(
            error.to_string(),
            format!("the rest pose has 3 {stream} values, but the mesh has 2 vertices: give one for each")
        );
    }
}

#[test]
fn wrong_weights_are_refused_and_leave_the_buffers_alone() {
    let (mesh, _) = build(1, &[positions("jawOpen", &[(0, [1.0; 3])])], Quantization::F32);
    let rest = rest(&[[0.0; 3]], None, None);
    let before = MorphedStreams {
        positions: vec![[7.0; 3]],
        normals: None,
        tangents: None,
    };
    let mut out = before.clone();
    let error = morph_into(&mesh, &rest, &[0.5, 0.5], &mut out).unwrap_err();
    assert_eq!(
        error,
        KernelError::Weights(WeightError::TooMany {
            given: 2,
            target_count: 1
        })
    );
    let error = morph_into(&mesh, &rest, &[f32::INFINITY], &mut out).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the weight of target 0 `jawOpen` is inf: weights must be finite numbers"
    );
    assert_eq!(out, before);
}
