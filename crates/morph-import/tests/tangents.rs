//! Tangents that are made where a file has none, and the flat shading of files without normals.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may panic, and print what they measure"
)]

mod common;

use common::{Builder, QUAD_TANGENTS, check, dense, shared_or_skip, warning_kinds};
use glam::Vec3;
use morph_import::{ImportOptions, Model, Primitive, WarningKind, load};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Texture coordinates of a quad whose u runs along x and whose v runs down, along -y.
const UPRIGHT: [[f32; 2]; 4] = [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]];

fn options() -> ImportOptions {
    ImportOptions {
        generate_tangents: true,
        ..ImportOptions::default()
    }
}

fn generated(builder: &Builder) -> Model {
    let model = builder.load_with(&options()).unwrap();
    check(&model);
    model
}

/// A quad with normals and texture coordinates but no tangents.
fn quad_with(texcoords: &[[f32; 2]; 4], targets: impl FnOnce(&mut Builder) -> Value) -> Builder {
    let mut builder = Builder::new();
    let targets = targets(&mut builder);
    let mut quad = builder.full_quad(targets);
    quad["attributes"]["TEXCOORD_0"] = json!(builder.floats(texcoords));
    quad["attributes"].as_object_mut().unwrap().remove("TANGENT");
    builder.mesh(json!({ "primitives": [quad] }));
    builder
}

fn primitive(model: &Model) -> &Primitive {
    &model.meshes[0].primitives[0]
}

#[test]
fn tangents_run_along_u_and_bitangents_against_v() {
    let plain = quad_with(&UPRIGHT, |_| json!([]));
    assert_eq!(primitive(&plain.model()).tangents, None);
    assert_eq!(
        primitive(&generated(&plain)).tangents.as_deref(),
        Some(&[[1.0, 0.0, 0.0, 1.0]; 4][..])
    );
    let mirrored = quad_with(&UPRIGHT.map(|[u, v]| [-u, v]), |_| json!([]));
    assert_eq!(
        primitive(&generated(&mirrored)).tangents.as_deref(),
        Some(&[[-1.0, 0.0, 0.0, -1.0]; 4][..])
    );
}

#[test]
fn a_tangent_delta_is_the_morphed_tangent_minus_the_one_at_rest() {
    // Turned by a right angle about z: x becomes y, and the tangent with it.
    let builder = quad_with(&UPRIGHT, |builder| {
        let turn = builder.floats(&[[0.0; 3], [-1.0, 1.0, 0.0], [-2.0, 0.0, 0.0], [-1.0, -1.0, 0.0]]);
        let lift = builder.floats(&[[0.0, 0.0, 1.0]; 4]);
        json!([{ "POSITION": turn }, { "POSITION": lift }, {}])
    });
    let model = generated(&builder);
    let targets = &primitive(&model).targets;
    for delta in dense(&targets[0], targets[0].tangents.as_ref(), 4) {
        assert!(
            Vec3::from_array(delta).distance(Vec3::new(-1.0, 1.0, 0.0)) < 1e-6,
            "{delta:?}"
        );
    }
    assert_eq!(targets[1].tangents, None);
    assert_eq!(targets[2].tangents, None);
    assert!(targets[2].vertices.is_empty());
}

#[test]
fn what_the_file_gives_is_kept() {
    let mut builder = quad_with(&UPRIGHT, |builder| {
        let turn = builder.floats(&[[0.0; 3], [-1.0, 1.0, 0.0], [-2.0, 0.0, 0.0], [-1.0, -1.0, 0.0]]);
        let given = builder.floats(&[[0.25, 0.0, 0.0]; 4]);
        json!([{ "POSITION": turn }, { "POSITION": turn, "TANGENT": given }])
    });
    let tangents = builder.floats(&QUAD_TANGENTS);
    builder.json["meshes"][0]["primitives"][0]["attributes"]["TANGENT"] = json!(tangents);
    let model = generated(&builder);
    assert_eq!(primitive(&model).tangents.as_deref(), Some(&QUAD_TANGENTS[..]));
    let targets = &primitive(&model).targets;
    assert_eq!(targets[1].tangents.as_deref(), Some(&[[0.25, 0.0, 0.0]; 4][..]));
    assert!(targets[0].tangents.as_ref().unwrap()[0][1] > 0.9);
}

#[test]
fn without_normals_texture_coordinates_or_area_there_are_no_tangents_to_make() {
    for attribute in ["NORMAL", "TEXCOORD_0"] {
        let mut builder = quad_with(&UPRIGHT, |_| json!([]));
        let attributes = &mut builder.json["meshes"][0]["primitives"][0]["attributes"];
        attributes.as_object_mut().unwrap().remove(attribute);
        assert_eq!(primitive(&generated(&builder)).tangents, None);
    }
    let flat = quad_with(&[[0.5; 2]; 4], |_| json!([]));
    assert!(
        primitive(&generated(&flat))
            .tangents
            .as_ref()
            .unwrap()
            .iter()
            .flatten()
            .all(|x| x.is_finite())
    );
    let broken = quad_with(&[[f32::NAN; 2]; 4], |_| json!([]));
    assert_eq!(primitive(&generated(&broken)).tangents, None);
}

#[test]
fn without_normals_tangents_are_left_out_and_faces_are_flat_after_the_morph() {
    let mut builder = Builder::new();
    let tilt = builder.floats(&[[0.0; 3], [0.0; 3], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]);
    let mut quad = builder.full_quad(json!([{ "POSITION": tilt, "TANGENT": tilt }]));
    quad["attributes"].as_object_mut().unwrap().remove("NORMAL");
    builder.mesh(json!({ "primitives": [quad] }));
    let model = builder.model();
    let primitive = primitive(&model);
    assert_eq!((&primitive.normals, &primitive.tangents), (&None, &None));
    assert_eq!(primitive.targets[0].tangents, None);
    assert_eq!(
        warning_kinds(&model),
        [
            &WarningKind::TangentsWithoutNormals,
            &WarningKind::DeltasWithoutBase {
                attribute: "TANGENT".to_owned(),
                targets: 1
            },
        ]
    );
    assert_eq!(primitive.flat_normals(&primitive.positions), [[0.0, 0.0, 1.0]; 2]);
    let morphed: Vec<[f32; 3]> = primitive
        .positions
        .iter()
        .zip(dense(
            &primitive.targets[0],
            primitive.targets[0].positions.as_ref(),
            4,
        ))
        .map(|(rest, delta)| (Vec3::from_array(*rest) + Vec3::from_array(delta)).to_array())
        .collect();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    assert_eq!(primitive.flat_normals(&morphed), [[0.0, -half, half]; 2]);
    // Nothing to divide by, and corners that are not there.
    assert_eq!(primitive.flat_normals(&[[0.0; 3]; 4]), [[0.0, 1.0, 0.0]; 2]);
    assert_eq!(primitive.flat_normals(&[]), [[0.0, 1.0, 0.0]; 2]);
}

/// The tangents that are made for a head against those that Blender wrote into the file, at rest: Blender makes them of
/// polygons, and its exporter makes tangent deltas of normals alone.
#[test]
fn a_head_comes_close_to_blenders_tangents() {
    let Some(shared) = shared_or_skip(&["mh_head52_dense_tangents.glb with tangents made anew"]) else {
        return;
    };
    let path = shared.join("assets/mh_head/mh_head52_dense_tangents.glb");
    let given = load(&path, &ImportOptions::default()).unwrap();
    // The same file without its tangents.
    let (mut json, binary) = common::unpack_glb(&std::fs::read(path).unwrap());
    for mesh in json["meshes"].as_array_mut().unwrap() {
        for primitive in mesh["primitives"].as_array_mut().unwrap() {
            primitive["attributes"].as_object_mut().unwrap().remove("TANGENT");
            for target in primitive["targets"].as_array_mut().unwrap() {
                target.as_object_mut().unwrap().remove("TANGENT");
            }
        }
    }
    let made = common::load_bytes("head.glb", &common::pack_glb(&json, &binary), &options()).unwrap();
    check(&made);
    let (given, made) = (primitive(&given), primitive(&made));
    let (theirs, ours) = (given.tangents.as_ref().unwrap(), made.tangents.as_ref().unwrap());
    let direction = |tangent: &[f32; 4]| Vec3::new(tangent[0], tangent[1], tangent[2]);
    let mut angles = Vec::new();
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert_eq!(ours[3], theirs[3]);
        angles.push(direction(ours).angle_between(direction(theirs)).to_degrees());
    }
    angles.sort_by(f32::total_cmp);
    let quantile = |per_cent: usize| angles[(angles.len() - 1) * per_cent / 100];
    println!(
        "median {}, 99 % {}, all {} degrees",
        quantile(50),
        quantile(99),
        quantile(100)
    );
    assert!(quantile(50) < 0.5 && quantile(99) < 10.0);

    // A target at weight 1 has the tangents of a mesh that is that shape at rest.
    let slot = made
        .targets
        .iter()
        .position(|target| target.name == "jawOpen")
        .unwrap();
    let target = &made.targets[slot];
    let count = made.positions.len();
    let at_one = |rest: &[[f32; 3]], deltas: Option<&Vec<[f32; 3]>>| -> Vec<[f32; 3]> {
        let sum = |(a, b): (&[f32; 3], [f32; 3])| (Vec3::from_array(*a) + Vec3::from_array(b)).to_array();
        rest.iter().zip(dense(target, deltas, count)).map(sum).collect()
    };
    let mut builder = Builder::new();
    let indices: Vec<u16> = made.indices.iter().map(|&index| index as u16).collect();
    let shape = json!({
        "attributes": {
            "POSITION": builder.floats(&at_one(&made.positions, target.positions.as_ref())),
            "NORMAL": builder.floats(&at_one(made.normals.as_ref().unwrap(), target.normals.as_ref())),
            "TEXCOORD_0": builder.floats(&made.texcoords[0]),
        },
        "indices": builder.indices(&indices),
    });
    builder.mesh(json!({ "primitives": [shape] }));
    let shape = generated(&builder);
    let deltas = dense(target, target.tangents.as_ref(), count);
    let shaped = primitive(&shape).tangents.as_ref().unwrap();
    for ((rest, delta), shaped) in ours.iter().zip(deltas).zip(shaped) {
        let morphed = direction(rest) + Vec3::from_array(delta);
        assert!(morphed.distance(direction(shaped)) < 1e-5, "{morphed} {shaped:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_triangles_get_finite_tangents_or_none(
        corners in prop::collection::vec((-2_i8..3, -2_i8..3, -2_i8..3, 0_u8..3, 0_u8..3), 1..12),
        indices in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
        huge: bool,
    ) {
        let factor = if huge { 1e38 } else { 1.0 };
        let positions: Vec<[f32; 3]> =
            corners.iter().map(|&(x, y, z, ..)| [x, y, z].map(|x| f32::from(x) * factor)).collect();
        let texcoords: Vec<[f32; 2]> = corners.iter().map(|&(.., u, v)| [u, v].map(f32::from)).collect();
        let indices: Vec<u16> = indices.iter().map(|index| index.index(corners.len()) as u16).collect();
        let mut builder = Builder::new();
        let deltas: Vec<[f32; 3]> = positions.iter().rev().copied().collect();
        let primitive = json!({
            "attributes": {
                "POSITION": builder.floats(&positions),
                "NORMAL": builder.floats(&deltas),
                "TEXCOORD_0": builder.floats(&texcoords),
            },
            "indices": builder.indices(&indices),
            "targets": [{ "POSITION": builder.floats(&deltas) }],
        });
        builder.mesh(json!({ "primitives": [primitive] }));
        let model = generated(&builder);
        let primitive = &model.meshes[0].primitives[0];
        for tangent in primitive.tangents.iter().flatten() {
            prop_assert!(tangent.iter().all(|component| component.is_finite()));
        }
        for delta in primitive.targets[0].tangents.iter().flatten().flatten() {
            prop_assert!(delta.is_finite());
        }
    }
}
