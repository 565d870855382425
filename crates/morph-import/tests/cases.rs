//! Cases from the field, named by their numbers in the list of cases: odd but right files that have to load as meant.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Builder, QUAD, QUAD_NORMALS, QUAD_TANGENTS, dense, float_bytes, warning_kinds};
use morph_core::{
    BuildOptions, MorphMesh, MorphTarget, Quantization, RestStreams, SetDeltas, morph, pack_vertex_major,
};
use morph_import::{GltfError, WarningKind};
use serde_json::{Value, json};

/// A quad with the given targets, loaded.
fn targets_of(builder: &mut Builder, targets: Value) -> Vec<MorphTarget> {
    let quad = builder.full_quad(targets);
    builder.mesh(json!({ "primitives": [quad] }));
    builder.model().meshes.remove(0).primitives.remove(0).targets
}

fn positions(target: &MorphTarget) -> Vec<[f32; 3]> {
    dense(target, target.positions.as_ref(), 4)
}

#[test]
fn b001_sparse_without_a_base_view_stores_one_delta() {
    let mut builder = Builder::new();
    let delta = builder.sparse_vec3(4, 2, [0.0, 0.0, 1.0]);
    let targets = targets_of(&mut builder, json!([{ "POSITION": delta }]));
    assert_eq!(targets[0].vertices, [2]);
    assert_eq!(targets[0].positions.as_deref(), Some(&[[0.0, 0.0, 1.0]][..]));
    assert_eq!(targets[0].normals, None);
}

#[test]
fn b003_neither_view_nor_sparse_is_an_empty_target_that_keeps_its_slot() {
    let mut builder = Builder::new();
    let nothing = builder.accessor(json!({ "componentType": 5126, "count": 4, "type": "VEC3" }));
    let other = builder.sparse_vec3(4, 0, [1.0, 0.0, 0.0]);
    let quad = builder.quad(json!([{ "POSITION": nothing }, { "POSITION": other }]));
    builder.mesh(json!({ "primitives": [quad], "extras": { "targetNames": ["still", "moves"] } }));
    let model = builder.model();
    assert_eq!(model.meshes[0].target_names, ["still", "moves"]);
    let targets = &model.meshes[0].primitives[0].targets;
    assert!(targets[0].vertices.is_empty());
    assert_eq!(targets[1].vertices, [0]);
    assert!(model.warnings.is_empty());
}

#[test]
fn b005_what_a_view_says_it_is_for_does_not_matter() {
    let read = |target: Option<u32>| {
        let mut builder = Builder::new();
        let delta = builder.sparse_vec3(4, 2, [0.0, 0.5, 1.0]);
        if let Some(target) = target {
            for view in builder.json["bufferViews"].as_array_mut().unwrap() {
                view["target"] = json!(target);
            }
        }
        targets_of(&mut builder, json!([{ "POSITION": delta }]))
    };
    assert_eq!(read(None), read(Some(34962)));
    assert_eq!(read(None), read(Some(34963)));
}

#[test]
fn b007_dense_and_sparse_with_one_content_become_one() {
    let mut builder = Builder::new();
    let mut deltas = [[0.0; 3]; 4];
    deltas[2] = [0.1, -0.2, 0.3];
    let dense = builder.floats(&deltas);
    let sparse = builder.sparse_vec3(4, 2, deltas[2]);
    let targets = targets_of(
        &mut builder,
        json!([{ "POSITION": dense }, { "POSITION": sparse }]),
    );
    assert_eq!(targets[0].vertices, targets[1].vertices);
    assert_eq!(targets[0].positions, targets[1].positions);
    let packed = |target: &MorphTarget| {
        let options = BuildOptions::new(Quantization::Snorm16);
        pack_vertex_major(
            &MorphMesh::build(4, std::slice::from_ref(target), &options)
                .unwrap()
                .0,
        )
        .words
    };
    assert_eq!(packed(&targets[0]), packed(&targets[1]));
}

#[test]
fn b009_sparse_replaces_and_does_not_add() {
    let mut builder = Builder::new();
    let mut base = [[0.0; 3]; 4];
    base[1] = [0.0, 0.0, 7.0];
    base[2] = [1.0, 0.0, 0.0];
    let dense = builder.floats(&base);
    let sparse = builder.sparse_vec3(4, 2, [0.0, 2.0, 0.0]);
    builder.json["accessors"][sparse]["bufferView"] = builder.json["accessors"][dense]["bufferView"].clone();
    let targets = targets_of(&mut builder, json!([{ "POSITION": sparse }]));
    assert_eq!(
        positions(&targets[0]),
        [[0.0; 3], [0.0, 0.0, 7.0], [0.0, 2.0, 0.0], [0.0; 3]]
    );
}

#[test]
fn b011_each_target_is_decoded_by_its_own_component_type() {
    let mut builder = Builder::new();
    let deltas = [
        [0.0, 0.0, 0.0],
        [1.0, -2.0, 3.0],
        [-128.0, 100.0, 0.0],
        [0.0, 0.0, 5.0],
    ];
    let float = builder.floats(&deltas);
    let mut words = Vec::new();
    for delta in deltas {
        // The fourth word is padding, and no zero, so that reading it would show.
        for component in [delta[0], delta[1], delta[2], 99.0] {
            words.extend_from_slice(&(component as i16).to_le_bytes());
        }
    }
    let view = builder.strided_view(&words, 8);
    let short =
        builder.accessor(json!({ "bufferView": view, "componentType": 5122, "count": 4, "type": "VEC3" }));
    builder.json["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
    builder.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    let targets = targets_of(
        &mut builder,
        json!([{ "POSITION": float }, { "POSITION": short }]),
    );
    assert_eq!(targets[0].vertices, targets[1].vertices);
    assert_eq!(targets[0].positions, targets[1].positions);
}

#[test]
fn b012_a_delta_of_another_shape_is_refused_by_its_accessor() {
    for kind in ["MAT4", "VEC2", "SCALAR", "VEC4", "NONSENSE"] {
        for stream in ["POSITION", "NORMAL", "TANGENT"] {
            let mut builder = Builder::new();
            let delta = builder.floats(&[[0.0; 3]; 4]);
            builder.json["accessors"][delta]["type"] = json!(kind);
            let quad = builder.full_quad(json!([{ stream: delta }]));
            builder.mesh(json!({ "primitives": [quad] }));
            let error = builder.load_strictly().unwrap_err();
            let text = error.to_string();
            assert!(
                text.contains(&format!("target 0 \"target_0\", {stream} (accessor {delta})")),
                "{text}"
            );
            let refused = common::gltf_error(Err(error));
            assert!(matches!(&refused, GltfError::AccessorType { found, expected: "VEC3" } if found == kind));
        }
    }
}

#[test]
fn b013_interleaved_targets_equal_packed_ones() {
    let position = [[0.0, 0.0, 1.0], [0.0; 3], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0]];
    let normal = [[0.5, 0.0, 0.0], [0.0; 3], [0.0, 0.25, 0.0], [0.0; 3]];
    let mut builder = Builder::new();
    let packed = json!({ "POSITION": builder.floats(&position), "NORMAL": builder.floats(&normal) });
    let pairs: Vec<[f32; 3]> = position
        .into_iter()
        .zip(normal)
        .flat_map(|(a, b)| [a, b])
        .collect();
    let view = builder.strided_view(&float_bytes(&pairs), 24);
    let accessor = |offset: usize| json!({ "bufferView": view, "byteOffset": offset, "componentType": 5126, "count": 4, "type": "VEC3" });
    let interleaved =
        json!({ "POSITION": builder.accessor(accessor(0)), "NORMAL": builder.accessor(accessor(12)) });
    let targets = targets_of(&mut builder, json!([packed, interleaved]));
    assert_eq!(targets[0].vertices, targets[1].vertices);
    assert_eq!(targets[0].positions, targets[1].positions);
    assert_eq!(targets[0].normals, targets[1].normals);
}

#[test]
fn b014_normalized_integers_are_fractions_and_padding_is_passed_over() {
    let position: [[i16; 3]; 4] = [[0, 0, 0], [32767, -32767, -32768], [16384, 1, -1], [0, 0, 100]];
    let normal: [[i8; 3]; 4] = [[0, 0, 0], [127, -127, -128], [64, 1, -1], [0, 0, 100]];
    let mut builder = Builder::new();
    let mut words = Vec::new();
    let mut bytes = Vec::new();
    for (position, normal) in position.iter().zip(&normal) {
        words.extend(
            position
                .iter()
                .chain(&[77])
                .flat_map(|component| component.to_le_bytes()),
        );
        bytes.extend(normal.iter().chain(&[77]).map(|&component| component as u8));
    }
    let words = builder.strided_view(&words, 8);
    let bytes = builder.strided_view(&bytes, 4);
    let accessor = |view: usize, kind: u32| json!({ "bufferView": view, "componentType": kind, "normalized": true, "count": 4, "type": "VEC3" });
    let target = json!({
        "POSITION": builder.accessor(accessor(words, 5122)),
        "NORMAL": builder.accessor(accessor(bytes, 5120)),
    });
    let targets = targets_of(&mut builder, json!([target]));
    let normals = dense(&targets[0], targets[0].normals.as_ref(), 4);
    for (v, (position, normal)) in position.iter().zip(&normal).enumerate() {
        for axis in 0..3 {
            let exact = (f64::from(position[axis]) / 32767.0).max(-1.0);
            assert!((f64::from(positions(&targets[0])[v][axis]) - exact).abs() < 1e-7);
            let exact = (f64::from(normal[axis]) / 127.0).max(-1.0);
            assert!((f64::from(normals[v][axis]) - exact).abs() < 1e-7);
        }
    }
    assert_eq!(positions(&targets[0])[1], [1.0, -1.0, -1.0]);
    assert_eq!(normals[1], [1.0, -1.0, -1.0]);
}

#[test]
fn b014_unsigned_and_plain_integers_are_read_too() {
    let mut builder = Builder::new();
    let bytes: Vec<u8> = vec![0, 255, 51, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let view = builder.strided_view(&bytes, 4);
    let mut accessor = json!({ "bufferView": view, "componentType": 5121, "count": 4, "type": "VEC3" });
    let plain = builder.accessor(accessor.clone());
    accessor["normalized"] = json!(true);
    let normalized = builder.accessor(accessor);
    let targets = targets_of(
        &mut builder,
        json!([{ "POSITION": plain }, { "POSITION": normalized }]),
    );
    assert_eq!(positions(&targets[0])[..2], [[0.0, 255.0, 51.0], [1.0, 2.0, 3.0]]);
    assert_eq!(positions(&targets[1])[0], [0.0, 1.0, 0.2]);
}

#[test]
fn b019_a_target_with_another_count_than_its_base_is_refused() {
    for count in [3, 5] {
        for stream in ["POSITION", "NORMAL"] {
            let mut builder = Builder::new();
            let right = builder.floats(&[[1.0, 0.0, 0.0]; 4]);
            let wrong = builder.floats(&vec![[1.0, 0.0, 0.0]; count]);
            let mut target = json!({ "POSITION": right, "NORMAL": right });
            target[stream] = json!(wrong);
            let quad = builder.full_quad(json!([target]));
            builder.mesh(json!({ "primitives": [quad] }));
            let refused = builder.refused();
            assert!(
                matches!(refused, GltfError::Count { found, expected: 4 } if found == count as u64),
                "{refused}"
            );
        }
    }
}

#[test]
fn b020_targets_with_differing_attributes_keep_their_slots() {
    let mut builder = Builder::new();
    let a = builder.sparse_vec3(4, 0, [1.0, 0.0, 0.0]);
    let b = builder.sparse_vec3(4, 1, [2.0, 0.0, 0.0]);
    let c = builder.sparse_vec3(4, 2, [3.0, 0.0, 0.0]);
    let d = builder.sparse_vec3(4, 3, [4.0, 0.0, 0.0]);
    let targets = targets_of(
        &mut builder,
        json!([{ "POSITION": a }, { "POSITION": b, "TANGENT": c }, { "NORMAL": d }]),
    );
    assert_eq!(targets.len(), 3);
    assert_eq!(targets[0].vertices, [0]);
    assert_eq!((&targets[0].normals, &targets[0].tangents), (&None, &None));
    assert_eq!(targets[1].vertices, [1, 2]);
    assert_eq!(
        targets[1].positions.as_deref(),
        Some(&[[2.0, 0.0, 0.0], [0.0; 3]][..])
    );
    assert_eq!(
        targets[1].tangents.as_deref(),
        Some(&[[0.0; 3], [3.0, 0.0, 0.0]][..])
    );
    assert_eq!(targets[1].normals, None);
    assert_eq!(targets[2].vertices, [3]);
    assert_eq!(targets[2].normals.as_deref(), Some(&[[4.0, 0.0, 0.0]][..]));
    assert_eq!(targets[2].positions, None);
}

#[test]
fn b022_an_empty_target_object_keeps_its_slot() {
    let mut builder = Builder::new();
    let a = builder.sparse_vec3(4, 0, [1.0, 0.0, 0.0]);
    let b = builder.sparse_vec3(4, 1, [0.0, 1.0, 0.0]);
    let targets = targets_of(&mut builder, json!([{ "POSITION": a }, { "NORMAL": b }, {}]));
    assert_eq!(targets.len(), 3);
    assert_eq!(targets[2], MorphTarget::empty("target_2"));
    assert_eq!(targets[0].positions.as_deref(), Some(&[[1.0, 0.0, 0.0]][..]));
    assert_eq!(targets[1].normals.as_deref(), Some(&[[0.0, 1.0, 0.0]][..]));
}

#[test]
fn b024_colors_and_texture_coordinates_of_targets_load_and_shift_nothing() {
    let mut builder = Builder::new();
    let position = builder.sparse_vec3(4, 1, [0.0, 0.0, 1.0]);
    let mut colors = [[0.0; 4]; 4];
    colors[2] = [0.5, 0.0, -0.25, 1.0];
    let color = builder.floats(&colors);
    let other_color = builder.floats(&[[0.0; 3], [0.0; 3], [0.0; 3], [1.0, 0.5, 0.0]]);
    let texcoord = builder.floats(&[[0.0; 2], [0.0; 2], [0.25, 0.0], [0.0, 0.125]]);
    let still = builder.floats(&[[0.0; 2]; 4]);
    let mut quad = builder.quad(json!([{
        "COLOR_0": color, "COLOR_1": other_color, "POSITION": position,
        "TEXCOORD_0": still, "TEXCOORD_1": texcoord, "TEXCOORD_2": texcoord, "_HEAT": texcoord,
    }]));
    let base = &mut quad["attributes"];
    base["COLOR_0"] = json!(builder.floats(&[[1.0; 4]; 4]));
    base["COLOR_1"] = json!(builder.floats(&[[0.5; 3]; 4]));
    base["TEXCOORD_0"] = json!(builder.floats(&[[0.5; 2]; 4]));
    base["TEXCOORD_1"] = json!(builder.floats(&[[0.75; 2]; 4]));
    builder.mesh(json!({ "primitives": [quad] }));
    let model = builder.model();
    let primitive = &model.meshes[0].primitives[0];
    assert_eq!(primitive.texcoords, [vec![[0.5; 2]; 4], vec![[0.75; 2]; 4]]);
    assert_eq!(
        primitive.colors,
        [vec![[1.0; 4]; 4], vec![[0.5, 0.5, 0.5, 1.0]; 4]]
    );
    let target = &primitive.targets[0];
    assert_eq!(target.vertices, [1]);
    assert_eq!(target.positions.as_deref(), Some(&[[0.0, 0.0, 1.0]][..]));
    let set = |set, vertices: &[u32], deltas: &[[f32; 4]]| SetDeltas {
        set,
        vertices: vertices.to_vec(),
        deltas: deltas.to_vec(),
    };
    assert_eq!(
        target.colors,
        [set(0, &[2], &[colors[2]]), set(1, &[3], &[[1.0, 0.5, 0.0, 0.0]])]
    );
    assert_eq!(
        target.texcoords,
        [SetDeltas {
            set: 1,
            vertices: vec![2, 3],
            deltas: vec![[0.25, 0.0], [0.0, 0.125]],
        }]
    );
    // What the base lacks has nothing to be added to, and what nobody knows is told.
    assert_eq!(
        warning_kinds(&model),
        [
            &WarningKind::DeltasWithoutBase {
                attribute: "TEXCOORD_2".to_owned(),
                targets: 1
            },
            &WarningKind::TargetAttributeIgnored {
                attribute: "_HEAT".to_owned(),
                targets: 1
            },
        ]
    );
}

#[test]
fn b024_sets_are_numbered_without_a_gap_and_have_their_own_shapes() {
    let mut builder = Builder::new();
    let mut quad = builder.quad(json!([]));
    let bytes = builder.strided_view(&[255, 0, 51, 9].repeat(4), 4);
    quad["attributes"]["COLOR_0"] = json!(builder.accessor(
        json!({ "bufferView": bytes, "componentType": 5121, "normalized": true, "count": 4, "type": "VEC3" }),
    ));
    quad["attributes"]["COLOR_2"] = json!(builder.floats(&[[1.0; 4]; 4]));
    quad["attributes"]["TEXCOORD_1"] = json!(builder.floats(&[[1.0; 2]; 4]));
    quad["attributes"]["TEXCOORD_01"] = quad["attributes"]["TEXCOORD_1"].clone();
    builder.mesh(json!({ "primitives": [quad] }));
    let model = builder.model();
    let primitive = &model.meshes[0].primitives[0];
    assert_eq!(primitive.colors, [vec![[1.0, 0.0, 0.2, 1.0]; 4]]);
    assert!(primitive.texcoords.is_empty());
    let gap = |attribute: &str| WarningKind::SetAfterGap {
        attribute: attribute.to_owned(),
    };
    assert_eq!(warning_kinds(&model), [&gap("TEXCOORD_1"), &gap("COLOR_2")]);

    let wrong = builder.floats(&[[1.0; 2]; 4]);
    builder.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = json!(wrong);
    let refused = builder.refused();
    assert!(
        matches!(
            refused,
            GltfError::AccessorType {
                expected: "VEC3 or VEC4",
                ..
            }
        ),
        "{refused}"
    );
}

#[test]
fn b026_a_base_with_tangents_and_a_target_without_loads() {
    let mut builder = Builder::new();
    let position = builder.sparse_vec3(4, 1, [0.0, 0.0, 1.0]);
    let quad = builder.full_quad(json!([{ "POSITION": position }]));
    builder.mesh(json!({ "primitives": [quad] }));
    let model = builder.model();
    let primitive = &model.meshes[0].primitives[0];
    assert_eq!(primitive.tangents.as_deref(), Some(&QUAD_TANGENTS[..]));
    assert_eq!(primitive.targets[0].tangents, None);
    assert!(model.warnings.is_empty());
}

#[test]
fn b027_targets_on_a_later_primitive_only() {
    let mut builder = Builder::new();
    let a = builder.sparse_vec3(4, 0, [1.0, 0.0, 0.0]);
    let b = builder.sparse_vec3(4, 1, [2.0, 0.0, 0.0]);
    let plain = builder.quad(json!([]));
    let mut morphed = builder.quad(json!([{ "POSITION": a }, { "POSITION": b }]));
    morphed["extras"] = json!({ "targetNames": ["smile", "frown"] });
    builder.mesh(json!({ "primitives": [plain, morphed] }));
    let model = builder.model();
    let mesh = &model.meshes[0];
    assert_eq!(mesh.target_names, ["smile", "frown"]);
    assert!(
        mesh.primitives[0]
            .targets
            .iter()
            .all(|target| target.vertices.is_empty())
    );
    assert_eq!(
        mesh.primitives[1].targets[1].positions.as_deref(),
        Some(&[[2.0, 0.0, 0.0]][..])
    );
    assert_eq!(
        warning_kinds(&model),
        [&WarningKind::UnequalTargetCounts { counts: vec![0, 2] }]
    );
}

#[test]
fn b029_a_target_of_the_second_primitive_moves_only_it() {
    let mut builder = Builder::new();
    let still = builder.accessor(json!({ "componentType": 5126, "count": 4, "type": "VEC3" }));
    let moves = builder.sparse_vec3(4, 0, [0.0, 0.0, 1.0]);
    let first = builder.quad(json!([{ "POSITION": still }]));
    let second = builder.quad(json!([{ "POSITION": moves }]));
    builder.mesh(json!({ "primitives": [first, second] }));
    let model = builder.model();
    let primitives = &model.meshes[0].primitives;
    assert!(primitives[0].targets[0].vertices.is_empty());
    assert_eq!(primitives[1].targets[0].vertices, [0]);
    assert_eq!(primitives[1].indices, [0, 1, 2, 0, 2, 3]);

    // A delta past the last vertex is an error.
    builder.binary.clear();
    let mut builder = Builder::new();
    let outside = builder.sparse_vec3(4, 4, [0.0, 0.0, 1.0]);
    let quad = builder.quad(json!([{ "POSITION": outside }]));
    builder.mesh(json!({ "primitives": [quad] }));
    assert!(matches!(
        builder.refused(),
        GltfError::SparseRange {
            position: 0,
            index: 4,
            count: 4
        }
    ));
}

#[test]
fn b031_primitives_over_the_same_accessors_are_one_set_of_vertices() {
    let mut builder = Builder::new();
    let delta = builder.sparse_vec3(4, 2, [0.0, 0.0, 1.0]);
    let first = builder.quad(json!([{ "POSITION": delta }]));
    let mut second = first.clone();
    second["indices"] = json!(builder.indices(&[2, 3, 0]));
    let elsewhere = builder.sparse_vec3(4, 1, [0.0, 0.0, 1.0]);
    let other = builder.quad(json!([{ "POSITION": elsewhere }]));
    builder.mesh(json!({ "primitives": [first, second, other] }));
    let mesh = &builder.model().meshes[0];
    assert_eq!(mesh.shared_vertices(), [0, 0, 2]);
    assert_eq!(mesh.primitives[0].indices, [0, 1, 2, 0, 2, 3]);
    assert_eq!(mesh.primitives[1].indices, [2, 3, 0]);
}

#[test]
fn b033_plain_and_morphed_primitives_in_either_order() {
    for morphed_first in [false, true] {
        let mut builder = Builder::new();
        let delta = builder.sparse_vec3(4, 3, [0.0, 0.0, 1.0]);
        let plain = builder.quad(json!([]));
        let morphed = builder.quad(json!([{ "POSITION": delta }]));
        let primitives = if morphed_first {
            [morphed, plain]
        } else {
            [plain, morphed]
        };
        builder.mesh(json!({ "primitives": primitives }));
        let model = builder.model();
        let at = usize::from(!morphed_first);
        let primitives = &model.meshes[0].primitives;
        assert_eq!(primitives[at].targets[0].vertices, [3]);
        assert!(primitives[1 - at].targets[0].vertices.is_empty());
        assert_eq!(model.warnings.len(), 1);
        assert!(matches!(
            model.warnings[0].kind,
            WarningKind::UnequalTargetCounts { .. }
        ));
    }
}

#[test]
fn b040_a_target_that_moves_nothing_shifts_no_weight() {
    let mut builder = Builder::new();
    let a = builder.sparse_vec3(4, 0, [1.0, 0.0, 0.0]);
    let zero = builder.sparse_vec3(4, 1, [0.0; 3]);
    let c = builder.sparse_vec3(4, 3, [0.0, 0.0, 1.0]);
    let quad = builder.quad(json!([{ "POSITION": a }, { "POSITION": zero }, { "POSITION": c }]));
    builder.mesh(json!({ "primitives": [quad], "extras": { "targetNames": ["A", "zero", "C"] } }));
    let model = builder.model();
    let primitive = &model.meshes[0].primitives[0];
    let (mesh, report) =
        MorphMesh::build(4, &primitive.targets, &BuildOptions::new(Quantization::Snorm16)).unwrap();
    assert_eq!(report.targets[1].entry_count, 0);
    assert_eq!(model.meshes[0].target_names, ["A", "zero", "C"]);
    let (rest, _) = RestStreams::new(primitive.positions.clone(), None, None).unwrap();
    let morphed = morph(&mesh, &rest, &[0.0, 0.0, 1.0]).unwrap().positions;
    assert_eq!(morphed, [QUAD[0], QUAD[1], QUAD[2], [0.0, 1.0, 1.0]]);
}

#[test]
fn b118_the_three_streams_keep_their_identity() {
    let mut builder = Builder::new();
    let position = [[1.0, 0.0, 0.0], [0.0; 3], [0.0; 3], [0.5, 0.0, 0.0]];
    let normal = [[0.0, 2.0, 0.0], [0.0, 0.5, 0.0], [0.0; 3], [0.0; 3]];
    let tangent = [[0.0, 0.0, 3.0], [0.0; 3], [0.0, 0.0, 0.5], [0.0; 3]];
    let target = json!({
        "POSITION": builder.floats(&position),
        "NORMAL": builder.floats(&normal),
        "TANGENT": builder.floats(&tangent),
    });
    let targets = targets_of(&mut builder, json!([target]));
    let stream = |stream: &Option<Vec<[f32; 3]>>| dense(&targets[0], stream.as_ref(), 4);
    assert_eq!(stream(&targets[0].positions), position);
    assert_eq!(stream(&targets[0].normals), normal);
    assert_eq!(stream(&targets[0].tangents), tangent);
}

#[test]
fn b125_a_flat_mesh_and_a_flat_delta_stay_exactly_flat() {
    let mut builder = Builder::new();
    let up = builder.floats(&[[0.0, 0.0, 0.125]; 4]);
    let aside = builder.sparse_vec3(4, 1, [0.3, 0.1, 0.0]);
    let quad = builder.full_quad(json!([{ "POSITION": up }, { "POSITION": aside }]));
    builder.mesh(json!({ "primitives": [quad] }));
    let model = builder.model();
    let primitive = &model.meshes[0].primitives[0];
    assert_eq!(primitive.positions, QUAD);
    assert_eq!(primitive.normals.as_deref(), Some(&QUAD_NORMALS[..]));
    assert!(
        primitive.targets[0]
            .positions
            .as_ref()
            .unwrap()
            .iter()
            .all(|&delta| delta == [0.0, 0.0, 0.125])
    );
    assert_eq!(
        primitive.targets[1].positions.as_deref(),
        Some(&[[0.3, 0.1, 0.0]][..])
    );
}
