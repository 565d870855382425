//! Skinning against a second, slow reading of the order of operations in the module's documentation.

use morph_core::skin::rows_from_columns;
use morph_core::{
    Aabb, BoneRows, DOMAIN_MIN, DirectionTransform, InfluenceCount, MorphMesh, MorphTarget, MorphedStreams,
    Quantization, SkinBounds, SkinError, SkinPose, SkinWeights, Stream, morph, skin, skin_into,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::{self, bits, build, component, positions, rest, scene, tiny};

const IDENTITY: BoneRows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
/// A quarter turn about Z: X becomes Y.
const QUARTER_TURN: BoneRows = [[0.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

fn scaled(scale: [f32; 3]) -> BoneRows {
    let mut rows = IDENTITY;
    for axis in 0..3 {
        rows[axis][axis] = scale[axis];
    }
    rows
}

fn pose(bones: &[BoneRows]) -> SkinPose {
    SkinPose::new(bones).unwrap()
}

/// All vertices held by bone 0 alone.
fn held_by_one(vertex_count: usize) -> SkinWeights {
    let weights = [1.0, 0.0, 0.0, 0.0].repeat(vertex_count);
    SkinWeights::new(InfluenceCount::Four, vec![0; 4 * vertex_count], weights).unwrap()
}

fn points(positions: &[[f32; 3]]) -> MorphedStreams {
    MorphedStreams {
        positions: positions.to_vec(),
        ..MorphedStreams::default()
    }
}

fn domain(x: f32) -> f32 {
    let bits = x.to_bits();
    if bits & 0x7fff_ffff < 0x2b80_0000 { 0.0 } else { x }
}

/// One vertex, as the pseudo code of the documentation has it; `round` is applied to every product and sum.
fn reference(
    [p, n, t]: [[f32; 3]; 3],
    influences: &[(u16, f32)],
    bones: &[BoneRows],
    directions: DirectionTransform,
    round: fn(f32) -> f32,
) -> [[f32; 3]; 3] {
    let times = |a: f32, b: f32| round(a * b);
    let plus = |a: f32, b: f32| round(a + b);
    let [p, n, t] = [p, n, t].map(|v| v.map(domain));
    if influences.iter().all(|&(_, weight)| weight == 0.0) {
        return [p, n, t];
    }
    let mut blended = [[0.0; 4]; 3];
    for r in 0..3 {
        for c in 0..4 {
            let product = |&(joint, weight): &(u16, f32)| times(weight, bones[usize::from(joint)][r][c]);
            let mut m = product(&influences[0]);
            for influence in &influences[1..] {
                m = plus(m, product(influence));
            }
            blended[r][c] = domain(m);
        }
    }
    let m = blended;
    let row3 = |row: [f32; 3], v: [f32; 3]| {
        plus(
            plus(times(row[0], v[0]), times(row[1], v[1])),
            times(row[2], v[2]),
        )
    };
    let linear = m.map(|[x, y, z, _]| [x, y, z]);
    let normal_matrix = match directions {
        DirectionTransform::Linear => linear,
        DirectionTransform::Cofactor => {
            let minor = |a: [usize; 2], b: [usize; 2]| {
                let first = times(m[a[0]][b[0]], m[a[1]][b[1]]);
                let second = times(m[a[0]][b[1]], m[a[1]][b[0]]);
                domain(plus(first, -second))
            };
            let after = [[1, 2], [2, 0], [0, 1]];
            let cofactors = after.map(|rows| after.map(|columns| minor(rows, columns)));
            let determinant = row3(linear[0], cofactors[0]);
            if determinant < 0.0 {
                cofactors.map(|row| row.map(|x| -x))
            } else {
                cofactors
            }
        }
    };
    [
        [0, 1, 2].map(|r| domain(plus(row3(linear[r], p), m[r][3]))),
        [0, 1, 2].map(|r| domain(row3(normal_matrix[r], n))),
        [0, 1, 2].map(|r| domain(row3(linear[r], t))),
    ]
}

fn flush(x: f32) -> f32 {
    if x.is_subnormal() { 0.0_f32.copysign(x) } else { x }
}

#[derive(Clone, Debug)]
struct SkinScene {
    streams: [Vec<[f32; 3]>; 3],
    weights: SkinWeights,
    bones: Vec<BoneRows>,
}

fn bone_component() -> impl Strategy<Value = f32> {
    prop_oneof![6 => -2.0..2.0_f32, 2 => Just(0.0_f32), 1 => Just(1.0_f32), 1 => tiny(), 1 => -100.0..100.0_f32]
}

pub(crate) fn bone() -> impl Strategy<Value = BoneRows> {
    vec(bone_component(), 12).prop_map(|x| {
        [
            [x[0], x[1], x[2], x[3]],
            [x[4], x[5], x[6], x[7]],
            [x[8], x[9], x[10], x[11]],
        ]
    })
}

fn skin_weight() -> impl Strategy<Value = f32> {
    prop_oneof![3 => 0.0..1.0_f32, 2 => Just(0.0_f32), 1 => Just(1.0_f32), 1 => tiny().prop_map(f32::abs)]
}

pub(crate) fn skin_weights(vertex_count: usize, bone_count: u16) -> impl Strategy<Value = SkinWeights> {
    select(vec![InfluenceCount::Four, InfluenceCount::Eight]).prop_flat_map(move |influences| {
        let count = vertex_count * influences.get();
        // Some vertices whole with no weight at all.
        (
            vec(0..bone_count, count),
            vec(skin_weight(), count),
            vec(0_u8..4, vertex_count),
        )
            .prop_map(move |(joints, mut weights, held)| {
                for (weights, held) in weights.chunks_mut(influences.get()).zip(held) {
                    if held == 0 {
                        weights.fill(0.0);
                    }
                }
                SkinWeights::new(influences, joints, weights).unwrap()
            })
    })
}

fn skin_scene() -> impl Strategy<Value = SkinScene> {
    (1_usize..10, 1_u16..6).prop_flat_map(|(vertex_count, bone_count)| {
        let stream = || vec(proptest::array::uniform3(component()), vertex_count);
        (
            [stream(), stream(), stream()],
            skin_weights(vertex_count, bone_count),
            vec(bone(), usize::from(bone_count)),
        )
            .prop_map(|(streams, weights, bones)| SkinScene {
                streams,
                weights,
                bones,
            })
    })
}

fn assert_equals_reference(scene: &SkinScene, round: fn(f32) -> f32) {
    let pose = pose(&scene.bones);
    let [p, n, t] = scene.streams.clone();
    let morphed = MorphedStreams {
        positions: p,
        normals: Some(n),
        tangents: Some(t),
    };
    for directions in [DirectionTransform::Linear, DirectionTransform::Cofactor] {
        let skinned = skin(&morphed, &scene.weights, &pose, directions).unwrap();
        let results = [
            &skinned.positions,
            skinned.normals.as_ref().unwrap(),
            skinned.tangents.as_ref().unwrap(),
        ];
        for vertex in 0..scene.streams[0].len() {
            let given = [0, 1, 2].map(|s| scene.streams[s][vertex]);
            let influences: Vec<_> = scene.weights.of(vertex).collect();
            let expected = reference(given, &influences, pose.rows(), directions, round);
            let found = results.map(|result| result[vertex]);
            assert_eq!(bits(&found), bits(&expected), "vertex {vertex}, {directions:?}");
        }
    }
}

proptest! {
    #[test]
    fn equals_the_order_of_operations_as_documented(scene in skin_scene()) {
        assert_equals_reference(&scene, |x| x);
    }

    #[test]
    fn equals_a_machine_that_flushes_subnormals(scene in skin_scene()) {
        assert_equals_reference(&scene, flush);
    }

    #[test]
    fn results_are_in_the_domain(scene in skin_scene()) {
        let morphed = points(&scene.streams[0]);
        let skinned = skin(&morphed, &scene.weights, &pose(&scene.bones), DirectionTransform::Cofactor).unwrap();
        for x in skinned.positions.as_flattened() {
            prop_assert!(x.to_bits() == 0 || x.abs() >= DOMAIN_MIN, "{x:e}");
        }
    }

    #[test]
    fn the_box_holds_every_skinned_vertex(
        (scene, bones, weights) in scene().prop_flat_map(|scene| {
            let vertex_count = scene.vertex_count as usize;
            (Just(scene), vec(bone(), 4), skin_weights(vertex_count, 4))
        }),
        quantization in support::quantization(),
    ) {
        let (mesh, _) = scene.build(quantization);
        let bounds = SkinBounds::new(&scene.rest, &weights).unwrap();
        let pose = pose(&bones);
        let aabb = bounds.bounds(&mesh, &scene.weights, &pose).unwrap();
        let morphed = morph(&mesh, &scene.rest, &scene.weights).unwrap();
        let skinned = skin(&morphed, &weights, &pose, DirectionTransform::Linear).unwrap();
        for point in skinned.positions {
            prop_assert!(aabb.contains(point), "{aabb:?} {point:?}");
        }
    }
}

#[test]
fn b127_a_vertex_without_weight_stays_where_the_morph_put_it() {
    let joints = vec![1, 0, 0, 0, 1, 0, 0, 0];
    let weights = vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let weights = SkinWeights::new(InfluenceCount::Four, joints, weights).unwrap();
    let far = [[1.0, 0.0, 0.0, 50.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    let (mesh, _) = build(2, &[positions("a", &[(0, [0.0, 2.0, 0.0])])], Quantization::F32);
    let rest = rest(&[[1.0; 3]; 2], None, None);
    let morphed = morph(&mesh, &rest, &[1.0]).unwrap();
    let pose = pose(&[scaled([9.0; 3]), far]);
    let skinned = skin(&morphed, &weights, &pose, DirectionTransform::Linear).unwrap();
    assert_eq!(skinned.positions, [[1.0, 3.0, 1.0], [51.0, 1.0, 1.0]]);
    let bounds = SkinBounds::new(&rest, &weights).unwrap();
    let aabb = bounds.bounds(&mesh, &[1.0], &pose).unwrap();
    assert!(skinned.positions.iter().all(|&point| aabb.contains(point)));
}

#[test]
fn b127_all_eight_influences_count() {
    let weights = vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let joints = vec![0, 0, 0, 0, 0, 0, 0, 1];
    let weights = SkinWeights::new(InfluenceCount::Eight, joints, weights).unwrap();
    let skinned = skin(
        &points(&[[1.0, 0.0, 0.0]]),
        &weights,
        &pose(&[IDENTITY, QUARTER_TURN]),
        DirectionTransform::Linear,
    );
    assert_eq!(skinned.unwrap().positions, [[0.0, 1.0, 0.0]]);
}

#[test]
fn b129_the_morph_comes_before_the_skin() {
    for quantization in Quantization::ALL {
        let (mesh, _) = build(1, &[positions("a", &[(0, [1.0, 0.0, 0.0])])], quantization);
        let morphed = morph(&mesh, &rest(&[[0.0; 3]], None, None), &[1.0]).unwrap();
        let skinned = skin(
            &morphed,
            &held_by_one(1),
            &pose(&[QUARTER_TURN]),
            DirectionTransform::Linear,
        );
        assert_eq!(skinned.unwrap().positions, [[0.0, 1.0, 0.0]]);
    }
}

#[test]
fn b136_bounds_grow_with_the_scale_of_a_joint() {
    let rest = rest(&[[-1.0; 3], [1.0; 3]], None, None);
    let (mesh, _) = build(2, &[positions("a", &[(1, [1.0, 0.0, 0.0])])], Quantization::F32);
    let weights = held_by_one(2);
    let pose = pose(&[scaled([50.0; 3])]);
    let aabb = SkinBounds::new(&rest, &weights)
        .unwrap()
        .bounds(&mesh, &[1.0], &pose)
        .unwrap();
    assert!(aabb.max[0] >= 50.0 * (1.0 + 1.0) && aabb.min[0] <= -50.0);
    assert!(aabb.max[0] <= 100.001 && aabb.max[1] <= 50.001, "{aabb:?}");
    let morphed = morph(&mesh, &rest, &[1.0]).unwrap();
    let skinned = skin(&morphed, &weights, &pose, DirectionTransform::Linear).unwrap();
    assert!(skinned.positions.iter().all(|&point| aabb.contains(point)));
}

#[test]
fn bounds_of_a_weight_that_is_not_finite_cull_nothing_and_of_no_vertices_hold_nothing() {
    let rest_pose = rest(&[[1.0; 3]], None, None);
    let (mesh, _) = build(1, &[positions("a", &[(0, [1.0; 3])])], Quantization::F32);
    let bounds = SkinBounds::new(&rest_pose, &held_by_one(1)).unwrap();
    let aabb = bounds.bounds(&mesh, &[f32::NAN], &pose(&[QUARTER_TURN])).unwrap();
    assert_eq!(aabb, Aabb::EVERYTHING);
    let (mesh, _) = build(0, &[], Quantization::F32);
    let bounds = SkinBounds::new(&rest(&[], None, None), &held_by_one(0)).unwrap();
    assert!(bounds.bounds(&mesh, &[], &pose(&[])).unwrap().is_empty());
}

#[test]
fn bounds_are_no_looser_than_the_bones_that_hold_something() {
    let joints = vec![0, 0, 0, 0, 1, 0, 0, 0];
    let weights = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let weights = SkinWeights::new(InfluenceCount::Four, joints, weights).unwrap();
    let rest = rest(&[[0.0; 3], [4.0, 0.0, 0.0]], None, None);
    let (mesh, _) = build(2, &[], Quantization::F32);
    let lifted = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 8.0], [0.0, 0.0, 1.0, 0.0]];
    let nowhere = scaled([1.0e6; 3]);
    let aabb = SkinBounds::new(&rest, &weights)
        .unwrap()
        .bounds(&mesh, &[], &pose(&[IDENTITY, lifted, nowhere]))
        .unwrap();
    let expected = Aabb {
        min: [0.0; 3],
        max: [4.0, 8.0, 0.0],
    };
    for axis in 0..3 {
        assert!((aabb.min[axis] - expected.min[axis]).abs() < 1.0e-4);
        assert!((aabb.max[axis] - expected.max[axis]).abs() < 1.0e-4);
    }
}

#[test]
fn normals_stay_at_right_angles_under_any_scale_and_outside_of_mirrors() {
    // The plane x + y = 0 with its normal, and a direction in the plane.
    let normal = [1.0, 1.0, 0.0];
    let tangent = [1.0, -1.0, 0.0];
    let morphed = MorphedStreams {
        positions: vec![[0.0; 3]],
        normals: Some(vec![normal]),
        tangents: Some(vec![tangent]),
    };
    for scale in [[3.0, 1.0, 1.0], [-3.0, 1.0, 1.0], [-2.0, -2.0, -2.0]] {
        let pose = pose(&[scaled(scale)]);
        let skinned = skin(&morphed, &held_by_one(1), &pose, DirectionTransform::Cofactor).unwrap();
        let [n, t] = [skinned.normals.unwrap()[0], skinned.tangents.unwrap()[0]];
        let dot: f32 = (0..3).map(|axis| n[axis] * t[axis]).sum();
        assert_eq!(dot, 0.0, "{scale:?}");
        // Outside stays outside: what was a step along the normal still leads away from the surface.
        let step: f32 = (0..3).map(|axis| n[axis] * scale[axis] * normal[axis]).sum();
        assert!(step > 0.0, "{scale:?}");
    }
}

#[test]
fn the_way_of_directions_is_chosen_by_the_scale_of_the_bones() {
    let turned_and_grown = QUARTER_TURN.map(|row| row.map(|x| x * 3.0));
    let choose = |bones: &[BoneRows]| pose(bones).direction_transform();
    assert_eq!(choose(&[]), DirectionTransform::Linear);
    assert_eq!(
        choose(&[IDENTITY, turned_and_grown, scaled([-1.0, 1.0, 1.0])]),
        DirectionTransform::Linear
    );
    assert_eq!(
        choose(&[IDENTITY, scaled([1.0, 1.01, 1.0])]),
        DirectionTransform::Cofactor
    );
    let sheared = [[1.0, 0.1, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    assert_eq!(choose(&[sheared]), DirectionTransform::Cofactor);
}

#[test]
fn a_pose_is_finite_and_in_the_domain_and_reuses_its_memory() {
    let mut pose = pose(&[IDENTITY; 3]);
    let address = pose.rows().as_ptr();
    let mut bone = IDENTITY;
    bone[1][2] = -1.0e-20;
    bone[2][0] = -0.0;
    pose.set(&[IDENTITY, bone]).unwrap();
    assert_eq!(pose.rows().as_ptr(), address);
    assert_eq!((pose.bone_count(), pose.zeroed_component_count()), (2, 1));
    assert!(
        pose.rows()[1]
            .as_flattened()
            .iter()
            .all(|x| x.to_bits() != 1 << 31)
    );
    bone[2][3] = f32::NEG_INFINITY;
    let error = pose.set(&[IDENTITY, bone]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 2, column 3 of bone 1 is -inf: bones must be finite"
    );
    assert_eq!(pose.rows()[0], IDENTITY);
    let columns = [
        [1.0, 2.0, 3.0, 0.0],
        [4.0, 5.0, 6.0, 0.0],
        [7.0, 8.0, 9.0, 0.0],
        [10.0, 11.0, 12.0, 1.0],
    ];
    let rows = rows_from_columns(&columns);
    assert_eq!(rows[0], [1.0, 4.0, 7.0, 10.0]);
    assert_eq!(rows[2], [3.0, 6.0, 9.0, 12.0]);
}

#[test]
fn skin_weights_are_in_the_domain_and_name_no_bone_that_holds_nothing() {
    let joints = vec![3, 900, 2, 1];
    let weights = SkinWeights::new(InfluenceCount::Four, joints, vec![0.5, 0.0, 1.0e-20, 0.5]).unwrap();
    assert_eq!(weights.joints(), [3, 0, 0, 1]);
    assert_eq!(weights.weights(), [0.5, 0.0, 0.0, 0.5]);
    assert_eq!(
        (weights.greatest_joint(), weights.zeroed_weight_count()),
        (Some(3), 1)
    );
    for (weight, message) in [
        (
            -0.5,
            "influence 1 of vertex 1 has the weight -0.5: weights must be finite and not negative",
        ),
        (
            f32::NAN,
            "influence 1 of vertex 1 has the weight NaN: weights must be finite and not negative",
        ),
    ] {
        let mut weights = vec![0.25; 8];
        weights[5] = weight;
        let error = SkinWeights::new(InfluenceCount::Four, vec![0; 8], weights).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    for count in [7, 12] {
        let error = SkinWeights::new(InfluenceCount::Four, vec![0; count], vec![0.0; 8]).unwrap_err();
        assert!(matches!(
            error,
            SkinError::Length {
                influence_count: 4,
                ..
            }
        ));
    }
    assert!(SkinWeights::new(InfluenceCount::Eight, vec![0; 12], vec![0.0; 12]).is_err());
}

#[test]
fn what_does_not_fit_is_refused_and_leaves_the_buffers_alone() {
    let joints = vec![0, 0, 0, 0, 0, 2, 0, 0];
    let weights = SkinWeights::new(InfluenceCount::Four, joints, [0.5, 0.5, 0.0, 0.0].repeat(2)).unwrap();
    let two = points(&[[1.0; 3]; 2]);
    let before = points(&[[7.0; 3]]);
    let mut out = before.clone();
    let mut refuse = |morphed: &MorphedStreams, bones: &[BoneRows]| {
        let error = skin_into(
            morphed,
            &weights,
            &pose(bones),
            DirectionTransform::Linear,
            &mut out,
        );
        assert_eq!(out, before);
        error.unwrap_err()
    };
    let error = refuse(&two, &[IDENTITY; 2]);
    assert_eq!(
        error,
        SkinError::JointOutOfRange {
            vertex: 1,
            influence: 1,
            joint: 2,
            bone_count: 2
        }
    );
    assert_eq!(
        error.to_string(),
        "influence 1 of vertex 1 is bone 2, but the pose has 2 bones, counted from 0"
    );
    let error = refuse(&points(&[[1.0; 3]; 3]), &[IDENTITY; 3]);
    assert_eq!(
        error,
        SkinError::VertexCount {
            found: 2,
            vertex_count: 3
        }
    );
    let crooked = MorphedStreams {
        normals: Some(vec![[0.0; 3]]),
        ..two.clone()
    };
    let error = refuse(&crooked, &[IDENTITY; 3]);
    assert_eq!(
        error,
        SkinError::StreamLength {
            stream: Stream::Normal,
            expected: 2,
            found: 1
        }
    );
    let rest = rest(&[[1.0; 3]; 2], None, None);
    let bounds = SkinBounds::new(&rest, &weights).unwrap();
    let (mesh, _) = build(2, &[], Quantization::F32);
    let error = bounds.bounds(&mesh, &[], &pose(&[IDENTITY; 2])).unwrap_err();
    assert_eq!(
        error,
        SkinError::MissingBone {
            bone: 2,
            bone_count: 2
        }
    );
    let short = support::rest(&[[1.0; 3]], None, None);
    assert!(matches!(
        SkinBounds::new(&short, &weights),
        Err(SkinError::VertexCount { .. })
    ));
}

#[test]
fn buffers_of_the_right_size_are_used_again() {
    let morphed = MorphedStreams {
        normals: Some(vec![[0.0, 1.0, 0.0]; 2]),
        ..points(&[[1.0; 3]; 2])
    };
    let weights = held_by_one(2);
    let mut out = skin(&morphed, &weights, &pose(&[IDENTITY]), DirectionTransform::Linear).unwrap();
    let addresses = |out: &MorphedStreams| (out.positions.as_ptr(), out.normals.as_ref().map(Vec::as_ptr));
    let before = addresses(&out);
    skin_into(
        &morphed,
        &weights,
        &pose(&[QUARTER_TURN]),
        DirectionTransform::Cofactor,
        &mut out,
    )
    .unwrap();
    assert_eq!(addresses(&out), before);
    assert_eq!(out.normals.unwrap(), [[-1.0, 0.0, 0.0]; 2]);
}

#[test]
fn a_mesh_without_targets_is_skinned_too() {
    let (mesh, _) = MorphMesh::build(
        1,
        &[] as &[MorphTarget],
        &morph_core::BuildOptions::new(Quantization::F32),
    )
    .unwrap();
    let morphed = morph(&mesh, &rest(&[[1.0, 0.0, 0.0]], None, None), &[]).unwrap();
    let skinned = skin(
        &morphed,
        &held_by_one(1),
        &pose(&[QUARTER_TURN]),
        DirectionTransform::Linear,
    );
    assert_eq!(skinned.unwrap().positions, [[0.0, 1.0, 0.0]]);
}
