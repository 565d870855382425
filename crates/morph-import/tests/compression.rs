//! Buffer views compressed by meshoptimizer, made by its own encoder.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Builder, QUAD, QUAD_INDICES, float_bytes, load_bytes};
use morph_import::{GltfError, ImportOptions, Model};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Puts compressed bytes into the place of a view, whose own buffer is one that nobody has.
fn compress(builder: &mut Builder, view: usize, compressed: &[u8], how: &Value) {
    let packed = builder.view(compressed);
    let packed = builder.json["bufferViews"][packed].clone();
    let mut extension = how.clone();
    for key in ["buffer", "byteOffset", "byteLength"] {
        extension[key] = packed[key].clone();
    }
    let view = &mut builder.json["bufferViews"][view];
    view["buffer"] = json!(1);
    view["byteOffset"] = json!(0);
    view["extensions"] = json!({ "EXT_meshopt_compression": extension });
}

/// The view that an accessor reads.
fn view_of(builder: &Builder, accessor: &Value) -> usize {
    let accessor = accessor.as_u64().unwrap() as usize;
    builder.json["accessors"][accessor]["bufferView"]
        .as_u64()
        .unwrap() as usize
}

const DELTAS: [[f32; 3]; 4] = [[0.0; 3], [0.25, 0.0, -1.0], [0.5, 0.5, 0.0], [0.0; 3]];

/// A quad with one target, whose positions, deltas and indices are compressed as the modes say.
fn compressed_quad(index_mode: &str, index_stride: usize) -> Builder {
    let mut builder = Builder::new();
    let delta = builder.floats(&DELTAS);
    let mut quad = builder.quad(json!([{ "POSITION": delta }]));
    if index_stride == 4 {
        let bytes: Vec<u8> = QUAD_INDICES
            .iter()
            .flat_map(|&index| u32::from(index).to_le_bytes())
            .collect();
        let view = builder.view(&bytes);
        quad["indices"] = json!(builder.accessor(
            json!({ "bufferView": view, "componentType": 5125, "count": 6, "type": "SCALAR" }),
        ));
    }
    let attributes = json!({ "mode": "ATTRIBUTES", "count": 4, "byteStride": 12 });
    let positions = view_of(&builder, &quad["attributes"]["POSITION"]);
    compress(
        &mut builder,
        positions,
        &meshopt::encode_vertex_buffer(&QUAD).unwrap(),
        &attributes,
    );
    let deltas = view_of(&builder, &json!(delta));
    compress(
        &mut builder,
        deltas,
        &meshopt::encode_vertex_buffer(&DELTAS).unwrap(),
        &attributes,
    );
    let indices = QUAD_INDICES.map(u32::from);
    let encoded = match index_mode {
        "TRIANGLES" => meshopt::encode_index_buffer(&indices, 4).unwrap(),
        _ => meshopt::encode_index_sequence(&indices, 4).unwrap(),
    };
    let view = view_of(&builder, &quad["indices"]);
    let how = json!({ "mode": index_mode, "count": 6, "byteStride": index_stride });
    compress(&mut builder, view, &encoded, &how);
    builder.mesh(json!({ "primitives": [quad] }));
    builder.json["buffers"] = json!([
        { "byteLength": builder.binary.len() },
        { "byteLength": 1_000_000, "extensions": { "EXT_meshopt_compression": { "fallback": true } } },
    ]);
    builder.json["extensionsUsed"] = json!(["EXT_meshopt_compression"]);
    builder.json["extensionsRequired"] = json!(["EXT_meshopt_compression"]);
    builder
}

fn check_quad(model: &Model) {
    let primitive = &model.meshes[0].primitives[0];
    assert_eq!(primitive.positions, QUAD);
    let target = &primitive.targets[0];
    assert_eq!(target.vertices, [1, 2]);
    assert_eq!(target.positions.as_deref(), Some(&DELTAS[1..3]));
    // A codec may turn triangles, so that another corner is the first.
    let mut triangles: Vec<[u32; 3]> = primitive.indices.as_chunks::<3>().0.to_vec();
    for triangle in &mut triangles {
        let first = (0..3).min_by_key(|&corner| triangle[corner]).unwrap();
        triangle.rotate_left(first);
    }
    assert_eq!(triangles, [[0, 1, 2], [0, 2, 3]]);
    assert!(model.warnings.is_empty(), "{:?}", model.warnings);
}

#[test]
fn every_mode_and_both_names_are_read() {
    for mode in ["TRIANGLES", "INDICES"] {
        for stride in [2, 4] {
            let mut builder = compressed_quad(mode, stride);
            check_quad(&builder.model());
            let text = builder.json.to_string().replace("EXT_meshopt", "KHR_meshopt");
            builder.json = serde_json::from_str(&text).unwrap();
            check_quad(&builder.model());
        }
    }
}

/// Reads four VEC4 from a compressed view of the accessor's own component type, as colors, which are VEC4.
fn colors(compressed: &[u8], component_type: u32, stride: usize, filter: &str) -> Vec<[f32; 4]> {
    let mut builder = Builder::new();
    let mut quad = builder.quad(json!([]));
    let view = builder.view(&vec![0; 4 * stride]);
    let color = builder.accessor(json!({
        "bufferView": view, "componentType": component_type, "normalized": component_type != 5126, "count": 4,
        "type": "VEC4",
    }));
    quad["attributes"]["COLOR_0"] = json!(color);
    let how = json!({ "mode": "ATTRIBUTES", "count": 4, "byteStride": stride, "filter": filter });
    compress(&mut builder, view, compressed, &how);
    builder.mesh(json!({ "primitives": [quad] }));
    builder.json["buffers"] = json!([{ "byteLength": builder.binary.len() }, { "byteLength": 1_000_000 }]);
    builder
        .model()
        .meshes
        .remove(0)
        .primitives
        .remove(0)
        .colors
        .remove(0)
}

fn close(found: &[[f32; 4]], expected: &[[f32; 4]], allowed: f32) {
    let pairs = found.as_flattened().iter().zip(expected.as_flattened());
    assert!(
        pairs.clone().all(|(a, b)| (a - b).abs() <= allowed),
        "{found:?} {expected:?}"
    );
}

#[test]
fn every_filter_is_undone() {
    let unit = [
        [0.6, 0.0, 0.8, 1.0],
        [0.0, -1.0, 0.0, -1.0],
        [0.0, 0.6, -0.8, 1.0],
        [1.0, 0.0, 0.0, 1.0],
    ];
    let encoded = meshopt::encode_filter_oct::<i8>(&unit, 8);
    close(
        &colors(
            &meshopt::encode_vertex_buffer(&encoded).unwrap(),
            5120,
            4,
            "OCTAHEDRAL",
        ),
        &unit,
        0.02,
    );
    let encoded = meshopt::encode_filter_oct::<i16>(&unit, 16);
    close(
        &colors(
            &meshopt::encode_vertex_buffer(&encoded).unwrap(),
            5122,
            8,
            "OCTAHEDRAL",
        ),
        &unit,
        1e-4,
    );

    let turns = [
        [0.0, 0.0, 0.6, 0.8],
        [0.5; 4],
        [0.0, 0.0, 0.0, 1.0],
        [0.1, 0.7, 0.1, 0.7],
    ];
    let encoded = meshopt::encode_filter_quat(&turns, 16);
    close(
        &colors(
            &meshopt::encode_vertex_buffer(&encoded).unwrap(),
            5122,
            8,
            "QUATERNION",
        ),
        &turns,
        1e-4,
    );

    let paint = [
        [1.0, 0.0, 0.0, 1.0],
        [0.25, 0.5, 0.75, 0.5],
        [0.0, 1.0, 0.0, 0.0],
        [1.0; 4],
    ];
    let encoded = meshopt::encode_filter_color::<u8>(&paint, 8);
    close(
        &colors(
            &meshopt::encode_vertex_buffer(&encoded).unwrap(),
            5121,
            4,
            "COLOR",
        ),
        &paint,
        0.02,
    );
    let encoded = meshopt::encode_filter_color::<u16>(&paint, 16);
    close(
        &colors(
            &meshopt::encode_vertex_buffer(&encoded).unwrap(),
            5123,
            8,
            "COLOR",
        ),
        &paint,
        1e-3,
    );

    // Mantissa and exponent by hand: 3 times 2 to the power of -1, and so on.
    let word = |mantissa: i32, exponent: i32| (exponent << 24 | (mantissa & 0x00ff_ffff)) as u32;
    let words = [[word(3, -1), word(-1, 2), 0, word(1, 0)]; 4];
    let compressed = meshopt::encode_vertex_buffer(&words).unwrap();
    assert_eq!(
        colors(&compressed, 5126, 16, "EXPONENTIAL"),
        [[1.5, -4.0, 0.0, 1.0]; 4]
    );
    // No filter is one of the names too.
    let compressed = meshopt::encode_vertex_buffer(&turns).unwrap();
    assert_eq!(colors(&compressed, 5126, 16, "NONE"), turns);
}

/// Edits the description of the compressed positions, which are the first of all.
fn refused_with(key: &str, value: &Value) -> GltfError {
    let mut builder = compressed_quad("TRIANGLES", 2);
    let positions = builder.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
    let view = view_of(&builder, &positions);
    builder.json["bufferViews"][view]["extensions"]["EXT_meshopt_compression"][key] = value.clone();
    builder.refused()
}

#[test]
fn descriptions_that_the_decoder_must_not_see_are_refused() {
    for (key, value) in [
        ("mode", json!("NONSENSE")),
        ("filter", json!("NONSENSE")),
        ("byteStride", json!(0)),
        ("byteStride", json!(6)),
        ("byteStride", json!(260)),
        ("mode", json!("TRIANGLES")),
        ("filter", json!("OCTAHEDRAL")),
        ("filter", json!("QUATERNION")),
        ("filter", json!("COLOR")),
        ("count", json!(u64::MAX)),
        ("count", json!(5)),
    ] {
        let error = refused_with(key, &value);
        assert!(
            matches!(error, GltfError::Compression { .. }),
            "{key} {value}: {error}"
        );
    }
    // Fewer elements than the view has bytes for, more than memory is allowed, and bytes that are not there.
    assert!(matches!(
        refused_with("count", &json!(3)),
        GltfError::OutOfRange {
            end: 48,
            available: 36,
            ..
        }
    ));
    assert!(matches!(
        refused_with("count", &json!(1_000_000_000)),
        GltfError::TooMuch { .. }
    ));
    assert!(matches!(
        refused_with("byteLength", &json!(1_000_000)),
        GltfError::OutOfRange { .. }
    ));
    assert!(matches!(
        refused_with("byteLength", &json!(0)),
        GltfError::Compression { .. }
    ));
    assert!(matches!(
        refused_with("buffer", &json!(1)),
        GltfError::NoData { buffer: 1 }
    ));
    assert!(matches!(
        refused_with("buffer", &json!(9)),
        GltfError::NoSuchItem { kind: "buffer", .. }
    ));
}

#[test]
fn views_that_unpack_to_much_are_bounded_by_the_file() {
    // A megabyte of zeros takes some kilobytes; each view is unpacked on its own.
    let zeros = meshopt::encode_vertex_buffer(&vec![[0_u32; 64]; 4096]).unwrap();
    let mut builder = Builder::new();
    let packed = builder.view(&zeros);
    let packed = builder.json["bufferViews"][packed].clone();
    let mut primitives = Vec::new();
    for _ in 0..400 {
        let view = builder.view(&[]);
        builder.json["bufferViews"][view] = json!({
            "buffer": 1, "byteLength": 4096 * 256, "byteStride": 256,
            "extensions": { "EXT_meshopt_compression": {
                "buffer": 0, "byteOffset": packed["byteOffset"], "byteLength": packed["byteLength"],
                "mode": "ATTRIBUTES", "count": 4096, "byteStride": 256,
            } },
        });
        let position = builder
            .accessor(json!({ "bufferView": view, "componentType": 5126, "count": 1, "type": "VEC3" }));
        primitives.push(json!({ "attributes": { "POSITION": position }, "mode": 0 }));
    }
    builder.mesh(json!({ "primitives": primitives }));
    builder.json["buffers"] =
        json!([{ "byteLength": builder.binary.len() }, { "byteLength": 2_000_000_000 }]);
    assert!(matches!(builder.refused(), GltfError::TooMuch { .. }));
    let few = primitives_of(&builder, 200);
    builder.json["meshes"][0]["primitives"] = few;
    builder.model();
}

fn primitives_of(builder: &Builder, count: usize) -> Value {
    json!(builder.json["meshes"][0]["primitives"].as_array().unwrap()[..count])
}

#[test]
fn float_views_may_be_read_by_several_accessors() {
    let mut builder = Builder::new();
    let pairs: Vec<[[f32; 3]; 2]> = QUAD
        .iter()
        .zip(DELTAS)
        .map(|(&position, delta)| [position, delta])
        .collect();
    let view = builder.strided_view(&float_bytes(pairs.as_flattened()), 24);
    let accessor = |offset: usize| json!({ "bufferView": view, "byteOffset": offset, "componentType": 5126, "count": 4, "type": "VEC3" });
    let (position, delta) = (builder.accessor(accessor(0)), builder.accessor(accessor(12)));
    let how = json!({ "mode": "ATTRIBUTES", "count": 4, "byteStride": 24 });
    compress(
        &mut builder,
        view,
        &meshopt::encode_vertex_buffer(&pairs).unwrap(),
        &how,
    );
    builder.mesh(json!({
        "primitives": [{ "attributes": { "POSITION": position }, "targets": [{ "POSITION": delta }], "mode": 0 }],
    }));
    builder.json["buffers"] = json!([{ "byteLength": builder.binary.len() }, { "byteLength": 96 }]);
    let model = builder.model();
    assert_eq!(model.meshes[0].primitives[0].positions, QUAD);
    assert_eq!(model.meshes[0].primitives[0].targets[0].vertices, [1, 2]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_data_never_panics(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        triangles: bool,
        short: bool,
    ) {
        let builder = compressed_quad(
            if triangles { "TRIANGLES" } else { "INDICES" },
            if short { 2 } else { 4 },
        );
        let mut glb = builder.glb();
        // The binary is last; the JSON has tests of its own.
        let start = glb.len() - builder.binary.len();
        for (index, byte) in flips {
            let at = start + index.index(builder.binary.len());
            glb[at] = byte;
        }
        let _ = load_bytes("model.glb", &glb, &ImportOptions::default());
    }
}
