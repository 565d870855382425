//! Names, weights, nodes, materials, modes and extensions of small glTF files.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Builder, load_bytes, warning_kinds};
use glam::{Mat4, Quat, Vec3};
use morph_core::NameTable;
use morph_import::{Format, GltfError, ImportError, ImportOptions, Topology, WarningKind};
use serde_json::{Value, json};

/// A mesh of one quad with `count` targets; the caller may edit the mesh's JSON.
fn with_targets(count: usize, edit: impl FnOnce(&mut Value)) -> Builder {
    let mut builder = Builder::new();
    let delta = builder.sparse_vec3(4, 0, [1.0, 0.0, 0.0]);
    let quad = builder.quad(json!(vec![json!({ "POSITION": delta }); count]));
    let mut mesh = json!({ "primitives": [quad] });
    edit(&mut mesh);
    builder.mesh(mesh);
    builder
}

#[test]
fn b036_names_come_from_the_mesh_then_from_a_primitive() {
    let on_primitive = json!({ "targetNames": ["c", "d"] });
    let builder = with_targets(2, |mesh| mesh["extras"] = json!({ "targetNames": ["a", "b"] }));
    assert_eq!(builder.model().meshes[0].target_names, ["a", "b"]);
    let builder = with_targets(2, |mesh| mesh["primitives"][0]["extras"] = on_primitive.clone());
    assert_eq!(builder.model().meshes[0].target_names, ["c", "d"]);
    let builder = with_targets(2, |mesh| {
        mesh["extras"] = json!({ "targetNames": ["a", "b"] });
        mesh["primitives"][0]["extras"] = on_primitive;
    });
    assert_eq!(builder.model().meshes[0].target_names, ["a", "b"]);
    assert_eq!(
        with_targets(2, |_| {}).model().meshes[0].target_names,
        ["target_0", "target_1"]
    );
}

#[test]
fn b038_names_belong_to_their_mesh_alone() {
    let mut builder = Builder::new();
    let delta = builder.sparse_vec3(4, 0, [1.0, 0.0, 0.0]);
    for names in [["smile", "frown"], ["frown", "smile"]] {
        let quad = builder.quad(json!([{ "POSITION": delta }, { "POSITION": delta }]));
        builder.mesh(json!({ "primitives": [quad], "extras": { "targetNames": names } }));
    }
    let model = builder.model();
    let slots = |mesh: usize| {
        let names = NameTable::new(&model.meshes[mesh].target_names).unwrap();
        [names.slot("smile"), names.slot("frown")]
    };
    assert_eq!(slots(0), [Some(0), Some(1)]);
    assert_eq!(slots(1), [Some(1), Some(0)]);
}

#[test]
fn b044_odd_lists_of_names_are_tolerated_and_told() {
    let names = |names: Value| {
        let builder = with_targets(2, |mesh| mesh["extras"] = json!({ "targetNames": names }));
        let mut model = builder.model();
        let warnings: Vec<WarningKind> = model.warnings.drain(..).map(|warning| warning.kind).collect();
        (model.meshes.remove(0).target_names, warnings)
    };
    assert_eq!(
        names(json!(["a"])),
        (
            vec!["a".to_owned(), "target_1".to_owned()],
            vec![WarningKind::TargetNameCount { names: 1, targets: 2 }]
        )
    );
    assert_eq!(
        names(json!(["a", "b", "a", "b"])),
        (
            vec!["a".to_owned(), "b".to_owned()],
            vec![WarningKind::TargetNameCount { names: 4, targets: 2 }]
        )
    );
    let repeated = WarningKind::TargetNameRepeated {
        slot: 1,
        name: "a".to_owned(),
        renamed: "a_2".to_owned(),
    };
    assert_eq!(
        names(json!(["a", "a"])),
        (vec!["a".to_owned(), "a_2".to_owned()], vec![repeated])
    );
    let invalid = |slot: usize| WarningKind::TargetNameInvalid {
        slot,
        renamed: format!("target_{slot}"),
    };
    assert_eq!(
        names(json!([7, ""])),
        (
            vec!["target_0".to_owned(), "target_1".to_owned()],
            vec![invalid(0), invalid(1)]
        )
    );
    // A list that is no list is no list.
    assert_eq!(names(json!("a")).0, ["target_0", "target_1"]);
}

#[test]
fn b048_b049_b051_weights_of_nodes_stand_before_those_of_the_mesh() {
    let mut builder = with_targets(2, |mesh| mesh["weights"] = json!([0.25, 0.5]));
    builder.json["nodes"] =
        json!([{ "mesh": 0, "weights": [1, 0] }, { "mesh": 0, "weights": [0, -1.5] }, { "mesh": 0 }, {}]);
    let model = builder.model();
    assert_eq!(model.meshes[0].default_weights, [0.25, 0.5]);
    assert_eq!(model.start_weights(0), [1.0, 0.0]);
    assert_eq!(model.start_weights(1), [0.0, -1.5]);
    assert_eq!(model.start_weights(2), [0.25, 0.5]);
    assert_eq!(model.start_weights(3), [0.0; 0]);
    assert_eq!(model.start_weights(99), [0.0; 0]);
}

#[test]
fn weights_of_another_length_are_fitted_and_told() {
    let model = with_targets(2, |mesh| mesh["weights"] = json!([0.5])).model();
    assert_eq!(model.meshes[0].default_weights, [0.5, 0.0]);
    assert_eq!(
        warning_kinds(&model),
        [&WarningKind::WeightCount {
            weights: 1,
            targets: 2
        }]
    );
    let model = with_targets(1, |mesh| mesh["weights"] = json!([0.5, 1])).model();
    assert_eq!(model.meshes[0].default_weights, [0.5]);
    assert_eq!(
        warning_kinds(&model),
        [&WarningKind::WeightCount {
            weights: 2,
            targets: 1
        }]
    );
    let refused = with_targets(1, |mesh| mesh["weights"] = json!([1e60])).refused();
    assert!(matches!(refused, GltfError::NotFinite { .. }));
}

#[test]
fn morphs_can_be_left_out() {
    let mut builder = with_targets(2, |mesh| mesh["weights"] = json!([0.5, 0.5]));
    builder.json["nodes"][0]["weights"] = json!([1, 1]);
    let model = builder
        .load_with(&ImportOptions {
            morphs: false,
            ..ImportOptions::default()
        })
        .unwrap();
    common::check(&model);
    assert_eq!(model.meshes[0].target_names, [""; 0]);
    assert!(model.meshes[0].primitives[0].targets.is_empty());
    assert!(model.warnings.is_empty());
}

#[test]
fn nodes_form_trees_and_carry_transforms() {
    let mut builder = with_targets(0, |_| {});
    builder.json["skins"] = json!([{ "joints": [1] }]);
    builder.json["nodes"] = json!([
        { "name": "hand", "mesh": 0, "translation": [1, 2, 3], "rotation": [0, 0, 2, 2], "scale": [2, 3, 4], "skin": 0 },
        { "name": "arm", "children": [0], "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1] },
    ]);
    let model = builder.model();
    assert_eq!(model.nodes[0].parent, Some(1));
    assert_eq!(model.nodes[1].parent, None);
    assert!(model.nodes[0].skin.is_some() && model.nodes[1].skin.is_none());
    let turned = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let hand =
        Mat4::from_scale_rotation_translation(Vec3::new(2.0, 3.0, 4.0), turned, Vec3::new(1.0, 2.0, 3.0));
    assert!(model.nodes[0].local.abs_diff_eq(hand, 1e-6));
    let world = Mat4::from_translation(Vec3::new(5.0, 6.0, 7.0)) * hand;
    assert!(model.world(0).abs_diff_eq(world, 1e-6));
    assert_eq!(model.world(1), model.nodes[1].local);
}

#[test]
fn nodes_in_circles_are_refused() {
    let nodes = |nodes: Value| {
        let mut builder = Builder::new();
        builder.json["nodes"] = nodes;
        builder.refused()
    };
    assert!(matches!(nodes(json!([{ "children": [0] }])), GltfError::NodeLoop));
    assert!(matches!(
        nodes(json!([{ "children": [1] }, { "children": [2] }, { "children": [1] }])),
        GltfError::TwoParents {
            child: 1,
            first: 0,
            second: 2
        }
    ));
    assert!(matches!(
        nodes(json!([{}, { "children": [2] }, { "children": [1] }])),
        GltfError::NodeLoop
    ));
    assert!(matches!(
        nodes(json!([{ "children": [1] }])),
        GltfError::NoSuchItem {
            kind: "node",
            index: 1,
            count: 1
        }
    ));
    assert!(matches!(
        nodes(json!([{ "mesh": 0 }])),
        GltfError::NoSuchItem { kind: "mesh", .. }
    ));
    assert!(matches!(
        nodes(json!([{ "skin": 0 }])),
        GltfError::NoSuchItem { kind: "skin", .. }
    ));
    assert!(matches!(
        nodes(json!([{ "scale": [1, 1] }])),
        GltfError::ListLength {
            what: "scale",
            found: 2,
            expected: 3
        }
    ));
    assert!(matches!(
        nodes(json!([{ "matrix": [1] }])),
        GltfError::ListLength { what: "matrix", .. }
    ));
}

#[test]
fn a_rotation_of_length_zero_turns_nothing() {
    let mut builder = Builder::new();
    builder.json["nodes"] = json!([{ "rotation": [0, 0, 0, 0] }]);
    assert_eq!(builder.model().nodes[0].local, Mat4::IDENTITY);
}

#[test]
fn materials_carry_their_factors() {
    let mut builder = with_targets(0, |mesh| mesh["primitives"][0]["material"] = json!(1));
    builder.json["materials"] = json!([
        {},
        {
            "name": "skin", "doubleSided": true,
            "pbrMetallicRoughness": { "baseColorFactor": [0.5, 0.25, 0.125, 1], "metallicFactor": 0, "roughnessFactor": 0.75 },
        },
    ]);
    let model = builder.model();
    let material = &model.meshes[0].primitives[0].material;
    assert_eq!(material.name.as_deref(), Some("skin"));
    assert_eq!(material.base_color, [0.5, 0.25, 0.125, 1.0]);
    assert_eq!(
        (material.metallic, material.roughness, material.double_sided),
        (0.0, 0.75, true)
    );
    builder.json["meshes"][0]["primitives"][0]["material"] = json!(2);
    assert!(matches!(
        builder.refused(),
        GltfError::NoSuchItem {
            kind: "material",
            index: 2,
            count: 2
        }
    ));
}

#[test]
fn indices_of_every_width_and_none_read_alike() {
    for (component, width) in [(5121, 1), (5123, 2), (5125, 4)] {
        let mut builder = with_targets(0, |_| {});
        let bytes: Vec<u8> = [0_u32, 1, 2, 0, 2, 3]
            .iter()
            .flat_map(|index| index.to_le_bytes()[..width].to_vec())
            .collect();
        let view = builder.view(&bytes);
        let accessor = builder.accessor(
            json!({ "bufferView": view, "componentType": component, "count": 6, "type": "SCALAR" }),
        );
        builder.json["meshes"][0]["primitives"][0]["indices"] = json!(accessor);
        assert_eq!(
            builder.model().meshes[0].primitives[0].indices,
            [0, 1, 2, 0, 2, 3]
        );
    }
    let mut builder = with_targets(0, |_| {});
    builder.json["meshes"][0]["primitives"][0]
        .as_object_mut()
        .unwrap()
        .remove("indices");
    let model = builder.model();
    assert_eq!(model.meshes[0].primitives[0].indices, [0, 1, 2]);
    assert_eq!(
        warning_kinds(&model),
        [&WarningKind::IndicesLeftOver { left_over: 1 }]
    );
}

#[test]
fn every_mode_becomes_a_list() {
    let expected: [(Topology, &[u32]); 7] = [
        (Topology::Points, &[0, 1, 2, 3]),
        (Topology::Lines, &[0, 1, 2, 3]),
        (Topology::Lines, &[0, 1, 1, 2, 2, 3, 3, 0]),
        (Topology::Lines, &[0, 1, 1, 2, 2, 3]),
        (Topology::Triangles, &[0, 1, 2]),
        (Topology::Triangles, &[0, 1, 2, 1, 3, 2]),
        (Topology::Triangles, &[1, 2, 0, 2, 3, 0]),
    ];
    for (mode, (topology, indices)) in expected.into_iter().enumerate() {
        let mut builder = with_targets(0, |_| {});
        let primitive = builder.json["meshes"][0]["primitives"][0]
            .as_object_mut()
            .unwrap();
        primitive.remove("indices");
        primitive.insert("mode".to_owned(), json!(mode));
        let model = builder.model();
        assert_eq!(model.meshes[0].primitives[0].topology, topology, "mode {mode}");
        assert_eq!(model.meshes[0].primitives[0].indices, indices, "mode {mode}");
    }
    let builder = with_targets(0, |mesh| mesh["primitives"][0]["mode"] = json!(7));
    assert!(matches!(builder.refused(), GltfError::Mode { mode: 7 }));
}

#[test]
fn an_index_past_the_last_vertex_is_refused() {
    let mut builder = with_targets(0, |_| {});
    let indices = builder.indices(&[0, 1, 4]);
    builder.json["meshes"][0]["primitives"][0]["indices"] = json!(indices);
    assert!(matches!(
        builder.refused(),
        GltfError::IndexRange {
            position: 2,
            index: 4,
            vertex_count: 4
        }
    ));
}

#[test]
fn a_primitive_without_positions_keeps_its_place() {
    let mut builder = Builder::new();
    let delta = builder.sparse_vec3(4, 0, [1.0, 0.0, 0.0]);
    let quad = builder.quad(json!([{ "POSITION": delta }]));
    let mut nameless = quad.clone();
    nameless["attributes"] = json!({});
    builder.mesh(json!({ "primitives": [nameless, quad] }));
    let model = builder.model();
    assert_eq!(model.meshes[0].primitives[0].positions, [[0.0; 3]; 0]);
    assert_eq!(model.meshes[0].primitives[1].positions.len(), 4);
    assert_eq!(warning_kinds(&model), [&WarningKind::NoPositions]);
}

#[test]
fn deltas_that_belong_to_nothing_are_told() {
    let mut builder = Builder::new();
    let delta = builder.sparse_vec3(4, 0, [1.0, 0.0, 0.0]);
    let quad = builder.quad(json!([{ "POSITION": delta, "NORMAL": delta }]));
    builder.mesh(json!({ "primitives": [quad] }));
    let model = builder.model();
    assert_eq!(
        warning_kinds(&model),
        [&WarningKind::DeltasWithoutBase {
            attribute: "NORMAL".to_owned(),
            targets: 1
        }]
    );
}

#[test]
fn required_extensions_that_change_the_data_are_refused_by_name() {
    let mut builder = with_targets(1, |_| {});
    builder.json["extensionsRequired"] = json!([
        "EXT_mesh_gpu_instancing",
        "KHR_draco_mesh_compression",
        "KHR_mesh_quantization"
    ]);
    let GltfError::RequiredExtensions { names } = builder.refused() else {
        panic!("another error")
    };
    assert_eq!(names, ["EXT_mesh_gpu_instancing", "KHR_draco_mesh_compression"]);
    let text = builder.load().unwrap_err().to_string();
    assert!(
        text.contains("EXT_mesh_gpu_instancing, KHR_draco_mesh_compression"),
        "{text}"
    );
}

#[test]
fn other_extensions_are_told() {
    let mut builder = with_targets(1, |_| {});
    builder.json["extensionsUsed"] = json!([
        "VRMC_springBone",
        "VRMC_vrm",
        "KHR_mesh_quantization",
        "KHR_materials_unlit"
    ]);
    builder.json["extensionsRequired"] = json!(["KHR_materials_unlit"]);
    let model = builder.model();
    let ignored = |name: &str| WarningKind::ExtensionIgnored {
        name: name.to_owned(),
    };
    assert_eq!(
        warning_kinds(&model),
        [&ignored("KHR_materials_unlit"), &ignored("VRMC_springBone")]
    );
}

#[test]
fn the_same_file_as_text_with_a_data_uri_and_whole_numbers_written_as_fractions() {
    let builder = with_targets(1, |_| {});
    let mut json = builder.json.clone();
    json["buffers"] =
        json!([{ "byteLength": builder.binary.len() as f64, "uri": common_base64(&builder.binary) }]);
    let text = serde_json::to_string(&json)
        .unwrap()
        .replace("\"count\":4", "\"count\":4.0");
    assert!(text.contains("4.0"));
    let mut with_mark = b"\xef\xbb\xbf".to_vec();
    with_mark.extend_from_slice(text.as_bytes());
    for bytes in [text.into_bytes(), with_mark] {
        let model = load_bytes("model.GLTF", &bytes, &ImportOptions::default()).unwrap();
        assert_eq!(model.format, Format::Gltf);
        assert_eq!(
            model.meshes[0].primitives[0].positions,
            builder.model().meshes[0].primitives[0].positions
        );
        assert_eq!(
            model.meshes[0].primitives[0].targets,
            builder.model().meshes[0].primitives[0].targets
        );
    }
}

/// A data URI, encoded apart from the code under test.
fn common_base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = "data:application/octet-stream;base64,".to_owned();
    for group in bytes.chunks(3) {
        let bits = group
            .iter()
            .fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte))
            << (8 * (3 - group.len()));
        for letter in 0..4 {
            let sextet = bits >> (18 - 6 * letter) & 63;
            text.push(if letter <= group.len() {
                char::from(LETTERS[sextet as usize])
            } else {
                '='
            });
        }
    }
    text
}

#[test]
fn the_format_is_told_by_the_bytes_before_the_name() {
    let builder = with_targets(1, |_| {});
    let model = load_bytes("model.vrm", &builder.glb(), &ImportOptions::default()).unwrap();
    assert_eq!(model.format, Format::Glb);
    let load = |name: &str, bytes: &[u8]| load_bytes(name, bytes, &ImportOptions::default()).unwrap_err();
    assert!(matches!(
        load("model.FBX", b"; FBX 7.3.0 project file"),
        ImportError::Fbx { .. }
    ));
    assert!(matches!(
        load("model.bin", b"Kaydara FBX Binary  \0"),
        ImportError::Fbx { .. }
    ));
    assert!(matches!(load("model.fbx", b""), ImportError::Empty { .. }));
    assert!(matches!(
        load("smile.target", b"0 0 0 0"),
        ImportError::LoneTarget { .. }
    ));
    assert!(matches!(
        load("smile.target.gz", b""),
        ImportError::LoneTarget { .. }
    ));
    assert!(load("smile.target", b"").to_string().contains(".obj"));
    assert!(matches!(
        load("model.txt", b"hello"),
        ImportError::UnknownFormat { .. }
    ));
    assert!(matches!(
        load("model", b"hello"),
        ImportError::UnknownFormat { .. }
    ));
}

#[test]
fn other_versions_are_refused() {
    for (asset, found) in [
        (json!({ "version": "1.0" }), "1.0"),
        (json!({ "version": "2.1", "minVersion": "2.1" }), "2.1"),
        (json!({ "version": "two" }), "two"),
    ] {
        let mut builder = with_targets(1, |_| {});
        builder.json["asset"] = asset;
        let refused = builder.refused();
        assert!(
            matches!(&refused, GltfError::Version { found: version } if version == found),
            "{refused}"
        );
    }
    let mut builder = with_targets(1, |_| {});
    builder.json["asset"] = json!({ "version": "2.1", "minVersion": "2.0" });
    builder.model();
}
