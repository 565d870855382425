//! Expressions baked into plain rest poses.

use morph_core::{
    BakeError, BakedDirections, KernelError, MorphTarget, Quantization, RestError, WeightError, WeightState,
    bake, morph,
};
use proptest::prelude::*;

use crate::support::{bits, build, normals, positions, quantization, rest, scene};

const PLAIN: BakedDirections = BakedDirections::AsSummed;

#[test]
fn b104_baking_the_rest_pose_ignores_the_weights_of_an_instance() {
    let (mesh, _) = build(1, &[positions("a", &[(0, [1.0, 0.0, 0.0])])], Quantization::F32);
    let rest = rest(&[[0.5; 3]], None, None);
    let mut instance = WeightState::new(1);
    instance.set_all(&[0.8], mesh.names()).unwrap();
    let (baked, zeroed) = bake(&mesh, &rest, &[], PLAIN).unwrap();
    assert_eq!((&baked, zeroed), (&rest, 0));
    assert_eq!(morph(&mesh, &baked, &[1.0]).unwrap().positions, [[1.5, 0.5, 0.5]]);
    assert_eq!(instance.values(), [0.8]);
}

proptest! {
    #[test]
    fn a_baked_expression_is_what_the_morph_gives(scene in scene(), quantization in quantization()) {
        let (mesh, _) = scene.build(quantization);
        let (baked, _) = bake(&mesh, &scene.rest, &scene.weights, PLAIN).unwrap();
        let morphed = morph(&mesh, &scene.rest, &scene.weights).unwrap();
        // Sums that all but cancel are below the domain, and a rest pose is not.
        let domain = |values: &[[f32; 3]]| bits(&values.iter().map(|v| v.map(morph_core::to_domain)).collect::<Vec<_>>());
        prop_assert_eq!(bits(&baked.positions), domain(&morphed.positions));
        prop_assert_eq!(baked.normals.as_deref().map(bits), morphed.normals.as_deref().map(domain));
        prop_assert_eq!(baked.tangents.as_deref().map(bits), morphed.tangents.as_deref().map(domain));
    }

    #[test]
    fn baked_directions_are_unit_or_zero_where_asked(scene in scene()) {
        let (mesh, _) = scene.build(Quantization::F32);
        let (baked, _) = bake(&mesh, &scene.rest, &scene.weights, BakedDirections::MakeUnit).unwrap();
        let morphed = morph(&mesh, &scene.rest, &scene.weights).unwrap();
        prop_assert_eq!(baked.positions.len(), morphed.positions.len());
        for direction in [baked.normals, baked.tangents].into_iter().flatten().flatten() {
            let length = direction.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
            prop_assert!(length == 0.0 || (length - 1.0).abs() < 1.0e-6, "{direction:?}");
        }
    }
}

#[test]
fn b116_normals_that_are_zero_or_cancel_bake_to_finite_vectors() {
    // The apex of a cone has no normal of its own; the other one is canceled.
    let rest = rest(&[[0.0; 3]; 2], Some(&[[0.0; 3], [0.0, 0.0, 1.0]]), None);
    let (mesh, _) = build(
        2,
        &[normals("cancel", &[(1, [0.0, 0.0, -1.0])])],
        Quantization::F32,
    );
    for weight in [0.0, 1.0, 0.999_999, 1.0e6] {
        let (baked, _) = bake(&mesh, &rest, &[weight], BakedDirections::MakeUnit).unwrap();
        let baked = baked.normals.unwrap();
        assert_eq!(baked[0], [0.0; 3]);
        assert!(baked[1].iter().all(|x| x.is_finite()));
        let morphed = morph(&mesh, &rest, &[weight]).unwrap().normals.unwrap();
        assert!(morphed.as_flattened().iter().all(|x| x.is_finite()));
    }
}

#[test]
fn what_cannot_be_a_rest_pose_is_refused() {
    let (mesh, _) = build(
        1,
        &[positions("a", &[(0, [2.0e38, 0.0, 0.0])])],
        Quantization::F32,
    );
    let rest = rest(&[[2.0e38, 0.0, 0.0]], None, None);
    let error = bake(&mesh, &rest, &[1.0], PLAIN).unwrap_err();
    assert!(matches!(
        error,
        BakeError::Rest(RestError::NotFinite { vertex: 0, .. })
    ));
    assert_eq!(
        error.to_string(),
        "the morphed mesh cannot be a rest pose: the position of vertex 0 has the component inf; rest poses must be finite"
    );
    let error = bake(&mesh, &rest, &[1.0, 1.0], PLAIN).unwrap_err();
    assert!(matches!(
        error,
        BakeError::Kernel(KernelError::Weights(WeightError::TooMany { .. }))
    ));
}

#[test]
fn b112_a_mesh_with_targets_rests_as_one_without() {
    let rest = rest(
        &[[0.1; 3]; 2],
        Some(&[[0.6, 0.8, 0.0]; 2]),
        Some(&[[0.8, -0.6, 0.0]; 2]),
    );
    let moves = MorphTarget {
        normals: Some(vec![[0.5; 3]]),
        ..positions("a", &[(1, [1.0; 3])])
    };
    for quantization in Quantization::ALL {
        let with = build(2, std::slice::from_ref(&moves), quantization).0;
        let without = build(2, &[], quantization).0;
        let [with, without] = [with, without].map(|mesh| morph(&mesh, &rest, &[]).unwrap());
        assert_eq!(bits(&with.positions), bits(&without.positions));
        assert_eq!(
            with.normals.as_deref().map(bits),
            without.normals.as_deref().map(bits)
        );
        assert_eq!(
            with.tangents.as_deref().map(bits),
            without.tangents.as_deref().map(bits)
        );
    }
}
