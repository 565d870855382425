//! Damaged and hostile files: always a typed error or a valid model, never a panic and never a vast allocation.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::fs;

use common::{Builder, QUAD, check, float_bytes, gltf_error, load_bytes, pack_glb};
use morph_import::{GltfError, ImportError, ImportOptions, Model, Part, UpAxis, WarningKind, load};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A small file that uses most of what can be read.
fn rich() -> Builder {
    let mut builder = Builder::new();
    let dense = builder.floats(&[[0.0, 0.0, 1.0], [0.0; 3], [0.5, 0.0, 0.0], [0.0; 3]]);
    let sparse = builder.sparse_vec3(4, 2, [0.0, 0.0, 1.0]);
    let words: Vec<u8> = [1_i16, 2, 3, 0]
        .repeat(4)
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let words = builder.strided_view(&words, 8);
    let short = builder.accessor(
        json!({ "bufferView": words, "componentType": 5122, "normalized": true, "count": 4, "type": "VEC3" }),
    );
    let times = builder.floats(&[[0.0], [1.0]]);
    let full = builder
        .full_quad(json!([{ "POSITION": dense, "NORMAL": short, "TANGENT": short }, { "POSITION": sparse }]));
    let mut strip = builder.quad(json!([{ "POSITION": short }]));
    strip["mode"] = json!(5);
    builder.mesh(json!({
        "primitives": [full, strip], "weights": [0.5, 0.25], "extras": { "targetNames": ["a", "b"] },
    }));
    builder.json["nodes"] =
        json!([{ "children": [1], "translation": [1, 2, 3] }, { "mesh": 0, "weights": [1, 0] }]);
    builder.json["materials"] = json!([{ "pbrMetallicRoughness": { "baseColorFactor": [1, 0.5, 0.5, 1] } }]);
    builder.json["animations"] = json!([{
        "samplers": [{ "input": times, "output": times }],
        "channels": [{ "sampler": 0, "target": { "node": 1, "path": "weights" } }],
    }]);
    add_skin_and_sets(&mut builder);
    builder
}

/// Gives the first primitive a skin, colors and texture coordinates, and the clip a spline and a turn.
fn add_skin_and_sets(builder: &mut Builder) {
    let joints = builder.view(&[0, 1, 0, 0].repeat(4));
    let joints =
        builder.accessor(json!({ "bufferView": joints, "componentType": 5121, "count": 4, "type": "VEC4" }));
    let binds = [glam::Mat4::IDENTITY; 2].map(|matrix| matrix.to_cols_array());
    let binds = builder.view(&float_bytes(&binds));
    let binds =
        builder.accessor(json!({ "bufferView": binds, "componentType": 5126, "count": 2, "type": "MAT4" }));
    let weights = builder.floats(&[[0.5, 0.25, 0.25, 0.0]; 4]);
    let colors = builder.floats(&[[0.5, 0.25, 0.125]; 4]);
    let texcoords = builder.floats(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
    let spline = builder.floats(&[[0.5_f32]; 12]);
    let turns = builder.floats(&[[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]]);
    let primitive = &mut builder.json["meshes"][0]["primitives"][0];
    for (name, accessor) in [
        ("JOINTS_0", joints),
        ("WEIGHTS_0", weights),
        ("JOINTS_1", joints),
        ("WEIGHTS_1", weights),
        ("COLOR_0", colors),
        ("TEXCOORD_0", texcoords),
    ] {
        primitive["attributes"][name] = json!(accessor);
    }
    primitive["targets"][0]["COLOR_0"] = json!(colors);
    primitive["targets"][1]["TEXCOORD_0"] = json!(texcoords);
    builder.json["nodes"][1]["skin"] = json!(0);
    builder.json["skins"] = json!([{ "joints": [1, 0], "inverseBindMatrices": binds }]);
    let animation = &mut builder.json["animations"][0];
    let times = animation["samplers"][0]["input"].clone();
    let samplers = animation["samplers"].as_array_mut().unwrap();
    samplers.push(json!({ "input": times, "output": spline, "interpolation": "CUBICSPLINE" }));
    samplers.push(json!({ "input": times, "output": turns }));
    let channels = animation["channels"].as_array_mut().unwrap();
    let pointer = json!({ "KHR_animation_pointer": { "pointer": "/nodes/1/weights" } });
    channels.push(json!({ "sampler": 1, "target": { "path": "pointer", "extensions": pointer } }));
    channels.push(json!({ "sampler": 2, "target": { "node": 0, "path": "rotation" } }));
}

/// Loads, with normals and tangents made too, so that the generators meet odd geometry; checks what comes of it.
fn survive(name: &str, bytes: &[u8]) -> Result<(), ImportError> {
    let options = ImportOptions {
        generate_normals: true,
        generate_tangents: true,
        ..ImportOptions::default()
    };
    check(&load_bytes(name, bytes, &options)?);
    let converted = ImportOptions {
        scale: 1e10,
        up: UpAxis::Z,
        ..ImportOptions::default()
    };
    if let Ok(model) = load_bytes(name, bytes, &converted) {
        check(&model);
    }
    Ok(())
}

#[test]
fn every_prefix_of_a_glb_is_refused() {
    let glb = rich().glb();
    survive("model.glb", &glb).unwrap();
    for length in 0..glb.len() {
        let error = survive("model.glb", &glb[..length]).unwrap_err();
        match (length, error) {
            (0, ImportError::Empty { .. }) => {}
            (_, ImportError::Gltf { reason, .. }) => {
                assert!(
                    matches!(*reason, GltfError::Truncated { .. }),
                    "{length} bytes: {reason}"
                );
            }
            (_, error) => panic!("{length} bytes: {error}"),
        }
    }
}

#[test]
fn every_prefix_whose_header_agrees_is_refused_or_valid() {
    let glb = rich().glb();
    for length in 12..glb.len() {
        let mut prefix = glb[..length].to_vec();
        prefix[8..12].copy_from_slice(&(length as u32).to_le_bytes());
        assert!(survive("model.glb", &prefix).is_err(), "{length} bytes");
    }
}

#[test]
fn every_prefix_of_the_text_is_refused() {
    let text = serde_json::to_vec(&rich().json).unwrap();
    for length in 0..text.len() {
        assert!(survive("model.gltf", &text[..length]).is_err());
    }
}

#[test]
fn lies_of_the_container_are_named() {
    let glb = rich().glb();
    let edit = |at: usize, value: u32| {
        let mut bytes = glb.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        gltf_error(load_bytes("model.glb", &bytes, &ImportOptions::default()))
    };
    assert!(matches!(edit(0, 0), GltfError::NotGlb { found: [0, 0, 0, 0] }));
    assert!(matches!(edit(4, 1), GltfError::ContainerVersion { found: 1 }));
    assert!(matches!(edit(8, u32::MAX), GltfError::Truncated { .. }));
    assert!(matches!(edit(8, 0), GltfError::Truncated { .. }));
    assert!(matches!(edit(8, 12), GltfError::Truncated { .. }));
    assert!(matches!(edit(12, u32::MAX), GltfError::Truncated { .. }));
    assert!(matches!(edit(12, 1), GltfError::ChunkLength { length: 1 }));
    // What follows an empty chunk is read as the next one's header, and that is letters of the JSON.
    assert!(matches!(edit(12, 0), GltfError::Truncated { .. }));
    assert!(matches!(edit(16, 7), GltfError::FirstChunk { found: 7 }));

    let mut longer = glb.clone();
    longer.extend_from_slice(b"tail");
    let model = load_bytes("model.glb", &longer, &ImportOptions::default()).unwrap();
    assert!(
        model
            .warnings
            .iter()
            .any(|warning| warning.to_string().contains("4 bytes after the end"))
    );
}

/// What is changed in a sound file, to what, and how the error begins. HUGE is the largest 64-bit number.
const LIES: &str = r#"
/buffers/0/byteLength | HUGE | buffer 0 promises HUGE bytes and has 76
/bufferViews/2/byteLength | HUGE | buffer view 2 is read up to byte HUGE, 76 are there
/bufferViews/2/byteLength | 47 | buffer view 2 is read up to byte 48, 47 are there
/bufferViews/2/byteOffset | HUGE | buffer view 2 is read up to byte HUGE
/bufferViews/2/byteStride | HUGE | buffer view 2 is read up to byte HUGE
/bufferViews/2/byteStride | 11 | buffer view 2 has a stride of 11 bytes for elements of 12
/bufferViews/2/buffer | 1 | buffer 1 does not exist; the file has 1
/accessors/1/byteOffset | HUGE | buffer view 2 is read up to byte HUGE
/accessors/1/byteOffset | 4 | buffer view 2 is read up to byte 52, 48 are there
/accessors/1/count | 5 | buffer view 2 is read up to byte 60, 48 are there
/accessors/1/count | HUGE | buffer view 2 is read up to byte HUGE
/accessors/1/count | -4 | accessor 1 is malformed: invalid value: integer `-4`
/accessors/1/count | 4.5 | accessor 1 is malformed: invalid value: floating point
/accessors/1/count | "4" | accessor 1 is malformed: invalid type: string
/bufferViews/2/byteOffset | [] | buffer view 2 is malformed: invalid type: sequence
/meshes/0/primitives/0/indices | {} | primitive 0 is malformed: invalid type: map
/meshes/0/primitives | 7 | mesh 0 is malformed: invalid type: integer `7`
/meshes | 7 | this is not the JSON of a glTF 2.0 file: invalid type: integer `7`
/accessors/1/bufferView | 99 | buffer view 99 does not exist; the file has 4
/accessors/1/componentType | 5124 | the component type is 5124, it has to be 5120 to 5123
/accessors/1/componentType | 5125 | the component type is 5125, it has to be 5120 to 5123
/accessors/2/componentType | 5122 | the component type is 5122, it has to be 5121, 5123 or 5125
/accessors/2/type | "VEC2" | the accessor is VEC2, it has to be SCALAR
/accessors/0/sparse/count | 5 | the sparse part replaces 5 of 4 elements
/accessors/0/sparse/count | 2 | buffer view 0 is read up to byte 4, 2 are there
/accessors/0/sparse/indices/componentType | 5126 | the component type is 5126, it has to be 5121
/accessors/0/sparse/indices/bufferView | 4 | buffer view 4 does not exist; the file has 4
/accessors/0/sparse/values/bufferView | 0 | buffer view 0 is read up to byte 12, 2 are there
/meshes/0/primitives/0/attributes/POSITION | 99 | accessor 99 does not exist; the file has 3
"#;

#[test]
fn lies_about_ranges_are_named() {
    let mut builder = Builder::new();
    // Accessor 0 is the delta, with views 0 and 1; accessor 1 and view 2 are the positions, 2 and 3 the indices.
    let sparse = builder.sparse_vec3(4, 2, [0.0, 0.0, 1.0]);
    let quad = builder.quad(json!([{ "POSITION": sparse }]));
    builder.mesh(json!({ "primitives": [quad] }));
    builder.json["buffers"] = json!([{ "byteLength": builder.binary.len() }]);
    builder.json["bufferViews"][2]["byteStride"] = json!(12);
    builder.model();
    for line in LIES.replace("HUGE", &u64::MAX.to_string()).lines().skip(1) {
        let [pointer, value, expected] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let mut edited = builder.clone();
        let (list, key) = pointer.rsplit_once('/').unwrap();
        edited.json.pointer_mut(list).unwrap()[key] = serde_json::from_str(value).unwrap();
        let text = edited.refused().to_string();
        assert!(text.starts_with(expected), "{line}: {text}");
        // The mesh has nothing but this primitive; of what is wrong only the target can be left out.
        match edited.load() {
            Err(error) => assert!(error.to_string().ends_with(&text), "{line}: {error}"),
            Ok(model) => {
                check(&model);
                let [warning] = &model.warnings[..] else {
                    panic!("{line}: {:?}", model.warnings)
                };
                let is_target = matches!(
                    warning.kind,
                    WarningKind::LeftOut {
                        part: Part::Target,
                        ..
                    }
                );
                assert!(
                    is_target && warning.to_string().ends_with(&text),
                    "{line}: {warning}"
                );
                assert_eq!(model.meshes[0].primitives[0].positions, QUAD);
            }
        }
    }
}

#[test]
fn sparse_indices_have_to_rise() {
    for indices in [[2_u16, 2], [2, 1]] {
        let mut builder = Builder::new();
        let sparse = builder.sparse_vec3(4, 0, [0.0; 3]);
        let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        let (at, values) = (
            builder.view(&bytes),
            builder.view(&float_bytes(&[[1.0_f32; 3]; 2])),
        );
        builder.json["accessors"][sparse]["sparse"] = json!({
            "count": 2, "indices": { "bufferView": at, "componentType": 5123 }, "values": { "bufferView": values },
        });
        let quad = builder.quad(json!([{ "POSITION": sparse }]));
        builder.mesh(json!({ "primitives": [quad] }));
        let refused = builder.refused();
        assert!(
            matches!(
                refused,
                GltfError::SparseOrder {
                    position: 1,
                    previous: 2,
                    ..
                }
            ),
            "{refused}"
        );
    }
}

#[test]
fn zeros_that_no_byte_stands_for_are_bounded_by_the_file() {
    for count in [1_000_000_u64, 4_000_000_000, u64::MAX] {
        let mut builder = Builder::new();
        let nothing = builder.accessor(json!({ "componentType": 5126, "count": count, "type": "VEC3" }));
        builder.mesh(json!({ "primitives": [{ "attributes": { "POSITION": nothing } }] }));
        let refused = builder.refused();
        assert!(
            matches!(refused, GltfError::Unbacked { count: found, .. } if found == count),
            "{refused}"
        );
    }
    // Where the base says how many there are, any other number is refused before it is made.
    let mut builder = Builder::new();
    let nothing =
        builder.accessor(json!({ "componentType": 5126, "count": 4_000_000_000_u64, "type": "VEC3" }));
    let quad = builder.quad(json!([{ "POSITION": nothing }]));
    builder.mesh(json!({ "primitives": [quad] }));
    assert!(matches!(
        builder.refused(),
        GltfError::Count {
            found: 4_000_000_000,
            expected: 4
        }
    ));
}

#[test]
fn what_many_targets_make_of_one_accessor_is_bounded() {
    let with_targets = |streams: serde_json::Value, count: usize, primitive_count: usize| {
        let mut builder = Builder::new();
        let places = vec![[1.0, 2.0, 3.0]; 2000];
        let shared = builder.floats(&places);
        let streams: serde_json::Map<_, _> = streams
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|name| Some((name.as_str()?.to_owned(), json!(shared))))
            .collect();
        let primitive = json!({
            "attributes": { "POSITION": shared, "NORMAL": shared }, "targets": vec![json!(streams); count],
        });
        builder.mesh(json!({ "primitives": vec![primitive; primitive_count] }));
        builder
    };
    // 32 kB stay of each target with one stream, 80 kB of one with three: 256 MiB are 8192 of the first.
    let few = with_targets(json!(["POSITION"]), 1000, 4);
    assert_eq!(few.model().meshes[0].primitives.len(), 4);
    let many = with_targets(json!(["POSITION"]), 2000, 5);
    assert!(matches!(many.refused(), GltfError::TooMuch { .. }));
    let many = with_targets(json!(["POSITION", "NORMAL", "TANGENT"]), 1000, 4);
    let refused = many.refused();
    assert!(
        matches!(refused, GltfError::TooMuch { limit } if limit < 270 << 20),
        "{refused}"
    );
}

#[test]
fn normals_that_are_generated_are_bounded_by_the_file() {
    // A fan whose center moves in every target: each turns the normals of all vertices, from a file of 60 kB.
    let rim = 2000_u16;
    let mut places = vec![[0.0; 3]];
    places.extend((0..rim).map(|corner| {
        let angle = f32::from(corner) / f32::from(rim) * std::f32::consts::TAU;
        [angle.cos(), angle.sin(), 0.0]
    }));
    let corners: Vec<u16> = (0..rim)
        .flat_map(|corner| [0, 1 + corner, 1 + (corner + 1) % rim])
        .collect();
    let mut builder = Builder::new();
    let (positions, indices) = (builder.floats(&places), builder.indices(&corners));
    let moved = builder.sparse_vec3(places.len(), 0, [0.0, 0.0, 1.0]);
    let primitive = json!({
        "attributes": { "POSITION": positions }, "indices": indices,
        "targets": vec![json!({ "POSITION": moved }); 4500],
    });
    builder.mesh(json!({ "primitives": [primitive] }));
    let options = ImportOptions {
        generate_normals: true,
        ..ImportOptions::default()
    };
    assert!(matches!(
        common::gltf_error(builder.load_with(&options)),
        GltfError::TooMuch { .. }
    ));
    builder.model();
}

#[test]
fn targets_that_multiply_are_bounded_by_the_file() {
    let mut builder = Builder::new();
    let mut quad = builder.quad(json!([]));
    let plain = quad.clone();
    quad["targets"] = json!(vec![json!({}); 50_000]);
    let mut primitives = vec![plain; 100];
    primitives.push(quad);
    builder.mesh(json!({ "primitives": primitives }));
    assert!(matches!(builder.refused(), GltfError::TooMuch { .. }));
}

/// A file whose buffer has a URI.
fn with_uri(folder: &std::path::Path, uri: &str) -> Result<Model, ImportError> {
    let mut builder = Builder::new();
    let quad = builder.quad(json!([]));
    builder.mesh(json!({ "primitives": [quad] }));
    let mut json = builder.json.clone();
    json["buffers"] = json!([{ "byteLength": builder.binary.len(), "uri": uri }]);
    fs::create_dir_all(folder.join("model/sub")).unwrap();
    fs::write(folder.join("outside.bin"), &builder.binary).unwrap();
    fs::write(folder.join("model/sub/my data.bin"), &builder.binary).unwrap();
    fs::write(folder.join("model/short.bin"), &builder.binary[..10]).unwrap();
    let path = folder.join("model/model.gltf");
    fs::write(&path, serde_json::to_vec(&json).unwrap()).unwrap();
    load(&path, &ImportOptions::default())
}

#[test]
fn buffers_lie_in_the_folder_of_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let model = with_uri(folder, "sub/my%20data.bin").unwrap();
    assert_eq!(model.meshes[0].primitives[0].positions, QUAD);
    with_uri(folder, "./sub/my data.bin").unwrap();

    let absolute = folder.join("outside.bin").display().to_string();
    for uri in [
        "../outside.bin",
        "sub/../../outside.bin",
        "%2E%2E/outside.bin",
        "..\\outside.bin",
        &absolute,
        &format!("file://{absolute}"),
        "http://example.org/a.bin",
        "C:/outside.bin",
        "",
        "sub",
    ] {
        let refused = gltf_error(with_uri(folder, uri));
        assert!(
            matches!(refused, GltfError::Uri { buffer: 0, .. }),
            "{uri}: {refused}"
        );
    }
    assert!(matches!(
        gltf_error(with_uri(folder, "missing.bin")),
        GltfError::ExternalFile { buffer: 0, .. }
    ));
    assert!(matches!(
        gltf_error(with_uri(folder, "short.bin")),
        GltfError::BufferTooShort { found: 10, .. }
    ));
    assert!(matches!(
        gltf_error(with_uri(folder, "data:;base64,AAAA")),
        GltfError::BufferTooShort { found: 3, .. }
    ));
    assert!(matches!(
        gltf_error(with_uri(folder, "data:;base64,A*AA")),
        GltfError::Uri { .. }
    ));
    assert!(matches!(
        gltf_error(with_uri(folder, "data:text/plain,hello")),
        GltfError::Uri { .. }
    ));
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_out_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    with_uri(folder, "sub/my data.bin").unwrap();
    std::os::unix::fs::symlink(folder.join("outside.bin"), folder.join("model/link.bin")).unwrap();
    std::os::unix::fs::symlink(folder, folder.join("model/up")).unwrap();
    std::os::unix::fs::symlink("sub/my data.bin", folder.join("model/inside.bin")).unwrap();
    for uri in ["link.bin", "up/outside.bin"] {
        assert!(
            matches!(gltf_error(with_uri(folder, uri)), GltfError::Uri { .. }),
            "{uri}"
        );
    }
    with_uri(folder, "inside.bin").unwrap();
}

#[test]
fn a_buffer_without_uri_needs_a_chunk() {
    let mut builder = Builder::new();
    let quad = builder.quad(json!([]));
    builder.mesh(json!({ "primitives": [quad] }));
    builder.json["buffers"] = json!([{ "byteLength": builder.binary.len() }]);
    builder.binary.clear();
    assert!(matches!(builder.refused(), GltfError::NoData { buffer: 0 }));
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().to_owned(), folder.path().join("missing.glb")] {
        let error = load(&path, &ImportOptions::default()).unwrap_err();
        assert!(matches!(error, ImportError::Read { .. }), "{error}");
    }
}

/// Paths to all numbers of a JSON value.
fn numbers(value: &Value, path: &mut String, found: &mut Vec<String>) {
    let mut descend = |key: &str, value: &Value| {
        let length = path.len();
        path.push('/');
        path.push_str(key);
        numbers(value, path, found);
        path.truncate(length);
    };
    match value {
        Value::Number(_) => found.push(path.clone()),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(key, item)| descend(&key.to_string(), item)),
        Value::Object(items) => items.iter().for_each(|(key, item)| descend(key, item)),
        _ => {}
    }
}

const INTERESTING: [u64; 16] = [
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    12,
    255,
    5121,
    5123,
    5125,
    65_536,
    1 << 31,
    u32::MAX as u64,
    u64::MAX,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bytes_never_panic(flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut glb = rich().glb();
        for (at, byte) in flips {
            let at = at.index(glb.len());
            glb[at] = byte;
        }
        let _ = survive("model.glb", &glb);
    }

    #[test]
    fn changed_numbers_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(INTERESTING.to_vec())), 1..5),
    ) {
        let mut builder = rich();
        builder.json["buffers"] = json!([{ "byteLength": builder.binary.len() }]);
        let mut found = Vec::new();
        numbers(&builder.json, &mut String::new(), &mut found);
        for (at, number) in changes {
            *builder.json.pointer_mut(&found[at.index(found.len())]).unwrap() = json!(number);
        }
        let _ = survive("model.glb", &pack_glb(&builder.json, &builder.binary));
    }

    #[test]
    fn any_floats_never_panic(words in prop::collection::vec(any::<u32>(), 60)) {
        let mut builder = rich();
        for (bytes, word) in builder.binary.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let _ = survive("model.glb", &builder.glb());
    }

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for name in ["model.glb", "model.gltf", "model.obj"] {
            let _ = survive(name, &bytes);
        }
    }
}
