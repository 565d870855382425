//! Files with damage that ends at a part: the part is left out and told, and the rest is as it would be without it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;
#[path = "common/fbx.rs"]
mod fbx_builder;

use common::{Builder, QUAD, QUAD_INDICES, check, left_out, strict};
use fbx_builder::{Fbx, Shape};
use morph_import::{
    Damage, FbxError, GltfError, ImportError, ImportOptions, Model, Part, Topology, WarningKind,
};
use serde_json::{Value, json};

/// A quad with one target, in a mesh of its own.
fn with_good_mesh() -> Builder {
    let mut builder = Builder::new();
    let up = builder.sparse_vec3(4, 2, [0.0, 0.0, 1.0]);
    let quad = builder.quad(json!([{ "POSITION": up }]));
    builder.mesh(json!({ "name": "good", "primitives": [quad], "extras": { "targetNames": ["up"] } }));
    builder
}

fn reason(model: &Model, part: Part) -> &GltfError {
    let of_part = model.warnings.iter().find_map(|warning| match &warning.kind {
        WarningKind::LeftOut {
            part: found,
            reason: Damage::Gltf(reason),
        } if *found == part => Some(&**reason),
        _ => None,
    });
    of_part.unwrap()
}

fn assert_good_mesh(model: &Model) {
    let mesh = &model.meshes[0];
    assert_eq!(mesh.primitives[0].positions, QUAD);
    assert_eq!(mesh.primitives[0].targets[0].vertices, [2]);
    assert_eq!(model.nodes[0].mesh, Some(0));
}

/// What the file is with this damage, and what a strict import says of it.
fn partly(builder: &Builder) -> (Model, GltfError) {
    let model = builder.model();
    let error = builder.refused();
    (model, error)
}

#[test]
fn a_mesh_keeps_its_place_and_its_node_its_name_and_transform() {
    let mut builder = with_good_mesh();
    let mut quad = builder.quad(json!([]));
    quad["indices"] = json!(builder.indices(&[0, 1, 9]));
    let bad = builder.mesh(json!({ "name": "bad", "primitives": [quad] }));
    builder.json["nodes"][bad]["name"] = json!("hat");
    builder.json["nodes"][bad]["translation"] = json!([1, 2, 3]);
    builder.json["nodes"][bad]["children"] = json!([0]);
    let (model, error) = partly(&builder);
    assert_good_mesh(&model);
    let [(place, Part::Mesh)] = left_out(&model)[..] else {
        panic!("{:?}", model.warnings)
    };
    assert_eq!(place, "mesh 1 \"bad\", primitive 0, indices (accessor 5)");
    assert_eq!(reason(&model, Part::Mesh), &error);
    assert!(matches!(error, GltfError::IndexRange { index: 9, .. }));
    assert_eq!(model.meshes[1].name.as_deref(), Some("bad"));
    assert!(model.meshes[1].primitives.is_empty());
    let node = &model.nodes[bad];
    assert_eq!((node.name.as_deref(), node.mesh), (Some("hat"), None));
    assert_eq!(node.trs.translation.to_array(), [1.0, 2.0, 3.0]);
    assert_eq!(model.world(0), model.nodes[bad].local);
}

#[test]
fn a_malformed_mesh_fails_by_itself() {
    for damage in [
        json!(7),
        json!(null),
        json!({}),
        json!({ "primitives": 1 }),
        json!({ "primitives": [7] }),
    ] {
        let mut builder = with_good_mesh();
        builder.mesh(damage.clone());
        let (model, error) = partly(&builder);
        assert_good_mesh(&model);
        assert_eq!(left_out(&model).len(), 1, "{damage}");
        assert!(matches!(error, GltfError::Malformed { .. }), "{error}");
    }
}

#[test]
fn a_primitive_keeps_its_place_among_sound_ones() {
    let mut builder = Builder::new();
    let up = builder.sparse_vec3(4, 2, [0.0, 0.0, 1.0]);
    let good = builder.quad(json!([{ "POSITION": up }]));
    for damage in [
        json!({ "mode": 9 }),
        json!({ "attributes": { "POSITION": 99 } }),
        json!({ "attributes": 3 }),
        json!({ "targets": { "POSITION": up } }),
    ] {
        let mut builder = builder.clone();
        let mut bad = good.clone();
        for (key, value) in damage.as_object().unwrap() {
            bad[key] = value.clone();
        }
        let other = json!({ "attributes": good["attributes"], "mode": 0 });
        builder.mesh(json!({ "primitives": [good, bad, other] }));
        let model = builder.model();
        let primitives = &model.meshes[0].primitives;
        assert_eq!(primitives[0].positions, QUAD);
        assert!(primitives[1].positions.is_empty() && primitives[1].indices.is_empty());
        assert_eq!(primitives[2].topology, Topology::Points);
        assert!(primitives.iter().all(|primitive| primitive.targets.len() == 1));
        let [(place, Part::Primitive)] = left_out(&model)[..] else {
            panic!("{damage}: {:?}", model.warnings)
        };
        assert!(place.starts_with("mesh 0, primitive 1"), "{place}");
        assert!(builder.load_strictly().is_err());
    }
}

#[test]
fn a_target_keeps_its_slot_and_name_and_moves_nothing() {
    let mut builder = Builder::new();
    let up = builder.sparse_vec3(4, 2, [0.0, 0.0, 1.0]);
    let short = builder.floats(&[[1.0; 3]; 3]);
    // The positions of the second are sound: a target is read whole or not at all.
    let targets = json!([
        { "POSITION": up }, { "POSITION": up, "NORMAL": short }, "no target", { "POSITION": up }
    ]);
    let quad = builder.full_quad(targets);
    let names = json!({ "targetNames": ["a", "b", "c", "d"] });
    builder.mesh(json!({ "primitives": [quad], "weights": [0, 1, 0, 1], "extras": names }));
    let (model, error) = partly(&builder);
    assert_eq!(
        error,
        GltfError::Count {
            found: 3,
            expected: 4
        }
    );
    let mesh = &model.meshes[0];
    assert_eq!(mesh.target_names, ["a", "b", "c", "d"]);
    assert_eq!(mesh.default_weights, [0.0, 1.0, 0.0, 1.0]);
    let moved: Vec<usize> = mesh.primitives[0]
        .targets
        .iter()
        .map(|target| target.vertices.len())
        .collect();
    assert_eq!(moved, [1, 0, 0, 1]);
    let found = left_out(&model);
    assert_eq!(
        found[0],
        (
            format!("mesh 0, primitive 0, target 1 \"b\", NORMAL (accessor {short})").as_str(),
            Part::Target
        )
    );
    assert_eq!(found[1], ("mesh 0, primitive 0, target 2 \"c\"", Part::Target));
}

#[test]
fn a_skin_leaves_its_mesh_unskinned_and_others_their_numbers() {
    let mut builder = with_good_mesh();
    builder.mesh(builder.json["meshes"][0].clone());
    builder.mesh(builder.json["meshes"][0].clone());
    builder.json["skins"] =
        json!([{ "name": "first", "joints": [0] }, { "joints": [7] }, { "name": "last", "joints": [2] }]);
    for (node, skin) in [(0, 0), (1, 1), (2, 2)] {
        builder.json["nodes"][node]["skin"] = json!(skin);
    }
    let (model, error) = partly(&builder);
    assert!(matches!(
        error,
        GltfError::NoSuchItem {
            kind: "node",
            index: 7,
            ..
        }
    ));
    assert_eq!(left_out(&model), [("skin 1", Part::Skin)]);
    let names: Vec<_> = model.skins.iter().map(|skin| skin.name.as_deref()).collect();
    assert_eq!(names, [Some("first"), Some("last")]);
    let skins: Vec<_> = model.nodes.iter().map(|node| node.skin).collect();
    assert_eq!(skins, [Some(0), None, Some(1)]);
    assert!(model.nodes.iter().all(|node| node.mesh.is_some()));
}

#[test]
fn joints_are_judged_by_sound_skins_alone() {
    let mut builder = Builder::new();
    let mut quad = builder.quad(json!([]));
    let joints = builder.view(&[3; 16]);
    let joints =
        builder.accessor(json!({ "bufferView": joints, "componentType": 5121, "count": 4, "type": "VEC4" }));
    quad["attributes"]["JOINTS_0"] = json!(joints);
    quad["attributes"]["WEIGHTS_0"] = json!(builder.floats(&[[1.0, 0.0, 0.0, 0.0]; 4]));
    builder.mesh(json!({ "primitives": [quad] }));
    builder.json["nodes"][0]["skin"] = json!(0);
    // Joint 3 is past both skins; a damaged skin has no say.
    builder.json["skins"] = json!([{ "joints": [] }]);
    let model = builder.model();
    assert_eq!(left_out(&model), [("skin 0", Part::Skin)]);
    assert!(model.meshes[0].primitives[0].skin_weights.is_some());
    builder.json["skins"] = json!([{ "joints": [0] }]);
    let Err(ImportError::Gltf { reason, .. }) = builder.load() else {
        panic!("the only primitive is damaged")
    };
    assert!(matches!(
        *reason,
        GltfError::JointRange {
            joint: 3,
            joints: 1,
            ..
        }
    ));
}

#[test]
fn weights_materials_and_what_nodes_point_to() {
    let mut builder = with_good_mesh();
    builder.json["meshes"][0]["weights"] = json!([1e300]);
    builder.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    builder.json["materials"] = json!([{ "pbrMetallicRoughness": { "metallicFactor": "all" } }]);
    builder.json["nodes"][0]["weights"] = json!([1e300]);
    builder.json["nodes"]
        .as_array_mut()
        .unwrap()
        .extend([json!({ "mesh": 9 }), json!({ "mesh": 0, "skin": 9 })]);
    let model = builder.model();
    assert_good_mesh(&model);
    assert_eq!(
        left_out(&model),
        [
            ("material 0", Part::Material),
            ("mesh 0 \"good\", weights", Part::Weights),
            ("node 0", Part::Weights),
            ("node 1", Part::Mesh),
            ("node 2", Part::Skin),
        ]
    );
    assert_eq!(model.meshes[0].default_weights, [0.0]);
    assert_eq!(model.start_weights(0), [0.0]);
    assert_eq!((model.nodes[1].mesh, model.nodes[2].skin), (None, None));
    builder.json["meshes"][0]["primitives"][0]["material"] = json!(1);
    let model = builder.model();
    assert!(left_out(&model).contains(&("mesh 0 \"good\", primitive 0", Part::Material)));
}

#[test]
fn a_malformed_clip_or_channel_leaves_the_others_playing() {
    let mut builder = with_good_mesh();
    let times = builder.floats(&[[0.0], [1.0]]);
    let sampler = json!({ "input": times, "output": times });
    let channel = json!({ "sampler": 0, "target": { "node": 0, "path": "weights" } });
    let broken = json!({ "sampler": 1, "target": { "node": 0, "path": "translation" } });
    builder.json["animations"] = json!([
        { "channels": 7 },
        { "name": "nod", "samplers": [sampler, { "input": -1 }], "channels": [{}, broken, channel] },
    ]);
    let model = builder.model();
    assert_eq!(
        left_out(&model),
        [
            ("animation 0", Part::Animation),
            ("animation 1 \"nod\", channel 0", Part::Channel),
            ("animation 1 \"nod\", channel 1", Part::Channel),
        ]
    );
    assert_eq!(model.clips[0].tracks.len(), 0);
    assert_eq!(
        (model.clips[1].name.as_str(), model.clips[1].tracks.len()),
        ("nod", 1)
    );
}

#[test]
fn a_file_without_a_mesh_left_is_refused_by_the_first_reason() {
    let mut builder = Builder::new();
    let mut quad = builder.quad(json!([]));
    quad["mode"] = json!(7);
    builder.mesh(json!({ "primitives": [quad] }));
    builder.mesh(json!({ "primitives": 1 }));
    // Empty primitives are nothing to see either.
    builder.mesh(json!({ "primitives": [{ "attributes": {} }] }));
    let Err(ImportError::Gltf { place, reason, .. }) = builder.load() else {
        panic!("nothing is left")
    };
    assert_eq!(place, "mesh 0, primitive 0");
    assert_eq!(*reason, GltfError::Mode { mode: 7 });
    // A file that has no meshes lost none.
    let mut builder = Builder::new();
    builder.json["skins"] = json!([7]);
    assert_eq!(left_out(&builder.model()), [("skin 0", Part::Skin)]);
}

/// Edits a file of two sound meshes and says what refuses it.
fn refused_whole(edit: impl FnOnce(&mut Value)) -> GltfError {
    let mut builder = with_good_mesh();
    let quad = builder.quad(json!([]));
    builder.mesh(json!({ "primitives": [quad] }));
    builder.json["buffers"] = json!([{ "byteLength": builder.binary.len() }, { "byteLength": 48 }]);
    builder.model();
    edit(&mut builder.json);
    common::gltf_error(builder.load())
}

#[test]
fn what_no_part_answers_for_refuses_the_file() {
    // The positions of the second mesh are asked of another buffer.
    let second = |json: &mut Value, buffer: Value| {
        json["bufferViews"][4] = json!({ "buffer": 1, "byteLength": 48 });
        json["buffers"][1] = buffer;
    };
    let uri = |uri: &str| json!({ "byteLength": 48, "uri": uri });
    let escape = refused_whole(|json| second(json, uri("../secret.bin")));
    assert!(matches!(escape, GltfError::Uri { buffer: 1, .. }), "{escape}");
    let missing = refused_whole(|json| second(json, uri("there-is-no-such-file.bin")));
    assert!(
        matches!(missing, GltfError::ExternalFile { buffer: 1, .. }),
        "{missing}"
    );
    let short = refused_whole(|json| second(json, uri("data:;base64,AAAA")));
    assert!(
        matches!(short, GltfError::BufferTooShort { buffer: 1, .. }),
        "{short}"
    );
    let nothing = refused_whole(|json| second(json, json!({ "byteLength": 48 })));
    assert!(matches!(nothing, GltfError::NoData { buffer: 1 }), "{nothing}");
    let zeros = refused_whole(|json| {
        json["accessors"][3] = json!({ "componentType": 5126, "count": 1_000_000, "type": "VEC3" });
    });
    assert!(matches!(zeros, GltfError::Unbacked { .. }), "{zeros}");
    let nodes = refused_whole(|json| json["nodes"][0]["children"] = json!([0]));
    assert!(matches!(nodes, GltfError::NodeLoop), "{nodes}");
    let nowhere = refused_whole(|json| json["nodes"][0]["translation"] = json!([1e300, 0, 0]));
    assert!(matches!(nowhere, GltfError::NotFinite { .. }), "{nowhere}");
    let node = refused_whole(|json| json["nodes"][0] = json!(7));
    assert!(matches!(node, GltfError::Json { .. }), "{node}");
}

#[test]
fn warnings_of_damage_are_bounded_by_the_file() {
    let mut builder = with_good_mesh();
    builder.json["skins"] = json!(vec![7; 1_200_000]);
    let Err(ImportError::Gltf { reason, .. }) = builder.load() else {
        panic!("1.2 million warnings would take more than 300 MB")
    };
    assert!(matches!(*reason, GltfError::TooMuch { .. }));
}

fn fbx_reason(model: &Model) -> (Part, &FbxError) {
    let [warning] = &model.warnings[..] else {
        panic!("{:?}", model.warnings)
    };
    match &warning.kind {
        WarningKind::LeftOut {
            part,
            reason: Damage::Fbx(reason),
        } => (*part, reason),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_fbx_mesh_is_left_out_and_its_node_stays() {
    let triangle = |height: f64| [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, height, 0.0]];
    let mut fbx = Fbx::new();
    fbx.mesh(&triangle(1e300), &[vec![0, 1, 2]], "");
    let alone = fbx.load_with(&ImportOptions::default()).unwrap_err();
    assert!(alone.to_string().contains("control point 2"), "{alone}");
    fbx.mesh(&triangle(1.0), &[vec![0, 1, 2]], "");
    let model = fbx.model();
    assert!(matches!(
        fbx_reason(&model),
        (Part::Mesh, FbxError::NotFinite { index: 2, .. })
    ));
    assert_eq!((model.meshes[0].primitives.len(), model.nodes[0].mesh), (0, None));
    assert_eq!(model.nodes[0].name.as_deref(), Some("Body"));
    assert_eq!(model.meshes[1].primitives[0].positions.len(), 3);
    assert_eq!(model.nodes[1].mesh, Some(1));
    assert!(fbx.load_with(&strict()).is_err());
}

#[test]
fn an_fbx_target_keeps_its_slot_and_its_channel() {
    let mut fbx = Fbx::new();
    let (cube, _) = fbx.hard_cube("");
    let face = fbx.deformer(cube, "face");
    fbx.channel(face, "bad", 0.0, &[Shape::new("bad", &[6], [0.0, 1e300, 0.0])]);
    fbx.channel(face, "good", 0.0, &[Shape::new("good", &[6], [0.0, 1.0, 0.0])]);
    let model = fbx.model();
    assert!(matches!(
        fbx_reason(&model),
        (Part::Target, FbxError::NotFinite { index: 6, .. })
    ));
    let mesh = &model.meshes[0];
    assert_eq!(mesh.target_names, ["bad", "good"]);
    assert!(mesh.primitives[0].targets[0].vertices.is_empty());
    assert_eq!(mesh.primitives[0].targets[1].vertices.len(), 3);
}

#[test]
fn whatever_loads_in_part_can_be_written() {
    let mut builder = with_good_mesh();
    let mut quad = builder.quad(json!([]));
    quad["indices"] = json!(builder.indices(&QUAD_INDICES.map(|index| index + 9)));
    builder.mesh(json!({ "primitives": [quad] }));
    builder.json["skins"] = json!([{ "joints": [] }, { "joints": [0] }]);
    builder.json["nodes"][0]["skin"] = json!(0);
    let model = builder.model();
    let (glb, _) = morph_import::export::to_glb(&model).unwrap();
    let again = common::load_bytes("again.glb", &glb, &strict()).unwrap();
    check(&again);
    assert_eq!(again.meshes.len(), 1);
    assert_eq!(again.skins.len(), 1);
}
