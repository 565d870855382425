//! Small files to begin with: one of each kind of thing that a reader knows.

use std::path::Path;

use morph_core::Quantization;
use morph_import::cooked::{CookOptions, cook};
use morph_import::{ImportOptions, load_bytes};

/// glTF texts, with their data inside.
pub fn gltf() -> Vec<Vec<u8>> {
    vec![document(&quad().0, Some(&data_uri(&quad().1)), "").into_bytes()]
}

/// The same in the binary container: plain, and with the expressions of VRM 1.0 and of 0.x.
pub fn glb() -> Vec<Vec<u8>> {
    let (parts, binary) = quad();
    let with = |extensions: &str| pack(document(&parts, None, extensions).as_bytes(), &binary);
    ["", VRM_1, VRM_0].map(with).into()
}

const VRM_1: &str = r#""VRMC_vrm":{"specVersion":"1.0","expressions":{
"preset":{"blink":{"isBinary":true,"morphTargetBinds":[{"node":0,"index":0,"weight":1}]}},
"custom":{"lift":{"overrideBlink":"blend","overrideMouth":"block","morphTargetBinds":[{"node":0,"index":1,"weight":0.5}]}}}}"#;

const VRM_0: &str = r#""VRM":{"blendShapeMaster":{"blendShapeGroups":[
{"presetName":"blink_l","binds":[{"mesh":0,"index":0,"weight":100}]},
{"name":"lift","isBinary":true,"binds":[{"mesh":0,"index":1,"weight":50}]}]}}"#;

/// A quad whose right side a channel lifts, by way of an in-between.
pub fn fbx() -> Vec<Vec<u8>> {
    vec![FBX.as_bytes().to_vec()]
}

const FBX: &str = r#"; FBX 7.4.0 project file
FBXHeaderExtension:  {
    FBXHeaderVersion: 1003
    FBXVersion: 7400
}
Objects:  {
    Geometry: 1, "Geometry::", "Mesh" {
        Vertices: *12 { a: 0,0,0,1,0,0,1,1,0,0,1,0 }
        PolygonVertexIndex: *4 { a: 0,1,2,-4 }
    }
    Model: 2, "Model::quad", "Mesh" { }
    Geometry: 3, "Geometry::half", "Shape" { Indexes: *1 { a: 1 } Vertices: *3 { a: 0,0,1 } }
    Geometry: 4, "Geometry::full", "Shape" { Indexes: *2 { a: 1,2 } Vertices: *6 { a: 0,0,2,0,0,2 } }
    Deformer: 5, "Deformer::face", "BlendShape" { }
    Deformer: 6, "SubDeformer::lift", "BlendShapeChannel" { DeformPercent: 25 FullWeights: *2 { a: 50,100 } }
}
Connections:  {
    C: "OO",2,0
    C: "OO",1,2
    C: "OO",5,1
    C: "OO",6,5
    C: "OO",3,6
    C: "OO",4,6
}
"#;

/// The glTF seed and the FBX seed, cooked.
pub fn cooked() -> Vec<Vec<u8>> {
    [("x.glb", glb()), ("x.fbx", fbx())]
        .into_iter()
        .filter_map(|(name, seeds)| cook_seed(name, seeds.first()?))
        .collect()
}

/// Nothing where the seed cannot be read, which a test would say.
fn cook_seed(name: &str, seed: &[u8]) -> Option<Vec<u8>> {
    let model = load_bytes(Path::new(name), seed, &ImportOptions::default()).ok()?;
    let options = CookOptions::new(Quantization::Snorm16);
    let mut bytes = Vec::new();
    cook(&model, &options).ok()?.write_to(&mut bytes).ok()?;
    Some(bytes)
}

/// Base meshes with several groups and kinds of faces.
pub fn makehuman_obj() -> Vec<Vec<u8>> {
    vec![
        b"# base\ng body\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\ng helper\nv 2 0 0\nf 1 2 5\n".to_vec(),
        b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf -3//1 -2//1 -1//1\n".to_vec(),
    ]
}

/// Two bones: one at a joint cube, one at vertices.
pub fn makehuman_rig() -> Vec<Vec<u8>> {
    vec![RIG.as_bytes().to_vec()]
}

/// Their weights.
pub fn makehuman_weights() -> Vec<Vec<u8>> {
    vec![WEIGHTS.as_bytes().to_vec()]
}

/// The base mesh of the rig: a triangle, and a joint cube.
pub const RIGGED_BASE: &[u8] =
    b"v 0 0 0\nv 10 0 0\nv 0 9 0\nv -1 4 -1\nv 1 6 1\ng body\nf 1 2 3\ng joint-low\nf 3 4 5\n";

/// The rig that damaged weights are read with.
pub(crate) const RIG: &str = r#"{
"low": {"head": {"strategy": "CUBE", "cube_name": "joint-low", "default_position": [0, 0, 0.5]},
"tail": {"strategy": "MEAN", "vertex_indices": [0, 2], "default_position": [0, 0, 1]}, "parent": "", "roll": 0.5},
"high": {"head": {"strategy": "VERTEX", "vertex_index": 2, "default_position": [0, 0, 1]},
"tail": {"strategy": "VERTEX", "vertex_index": 1, "default_position": [1, 0, 1]}, "parent": "low", "roll": -1.5}
}"#;

/// The weights that a damaged rig is read with.
pub(crate) const WEIGHTS: &str =
    r#"{"name": "w", "weights": {"low": [[0, 0.5], [1, 1]], "high": [[0, 0.5], [2, 1.0]]}}"#;

/// Targets for four vertices, plain and compressed.
pub fn makehuman_target() -> Vec<Vec<u8>> {
    let text = b"# a target\n0 .1 0 0\n2 0 -1.5e-3 .25\n3 0 0 1\n".to_vec();
    vec![text, COMPRESSED_TARGET.to_vec()]
}

/// Clips with every property and interpolation, in block and in flow style.
pub fn clip_yaml() -> Vec<Vec<u8>> {
    let block = b"version: 2\nname: \"a\\u2028\"\ntracks:\n- node: head\n  property: weight\n  target: 'jaw open'\n  interpolation: linear\n  times: [0.0, 1.5e+1]\n  values: [-0.0, 1.0]\n- node: head\n  property: translation\n  interpolation: step\n  times:\n  - 0\n  values:\n  - [1, 2, 3]\n";
    let flow = b"{version: 1, tracks: [{node: a, property: rotation, interpolation: cubicspline, times: [0, 1], in_tangents: [[0, 0, 0, 0], [0, 0, 0, 0]], values: [[0, 0, 0, 1], [0, 1, 0, 0]], out_tangents: [[0, 0, 0, 0], [0, 0, 0, 0]]}, {node: a, property: scale, interpolation: step, times: [0], values: [[1, 1, 1]]}]}";
    vec![block.to_vec(), flow.to_vec()]
}

/// `0 1 0 0\n`, by gzip.
const COMPRESSED_TARGET: &[u8] = &[
    0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0x00, 0x03, 0x01, 0x08, 0x00, 0xf7, 0xff, b'0', b' ', b'1', b' ', b'0',
    b' ', b'0', b'\n', 0x00, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00,
];

/// Views, accessors and bytes of a quad with a dense and a sparse target, a skin and a clip.
fn quad() -> (String, Vec<u8>) {
    let mut binary: Vec<u8> = Vec::new();
    let mut views = Vec::new();
    let mut view = |bytes: &[u8]| {
        binary.resize(binary.len().next_multiple_of(4), 0);
        views.push(format!(
            r#"{{"buffer":0,"byteOffset":{},"byteLength":{}}}"#,
            binary.len(),
            bytes.len()
        ));
        binary.extend_from_slice(bytes);
    };
    let floats = |values: &[f32]| {
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    view(&floats(&[0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.]));
    view(&floats(&[0., 0., 1., 0., 0., 1., 0., 0., 1., 0., 0., 1.]));
    view(&[0, 0, 1, 0, 2, 0, 0, 0, 2, 0, 3, 0]);
    view(&floats(&[0., 0., 1., 0., 0., 0., 0., 0., 0., 0., 0.5, 0.]));
    view(&[2]);
    view(&floats(&[0., 1., 0.]));
    view(&[0; 16]);
    view(&[255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0]);
    view(&floats(&[0., 1.]));
    view(&[0, 255, 255, 0]);
    view(&floats(&[0., 1., 0., 0., 0., 1.]));
    let accessors = [
        r#"{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}"#,
        r#"{"bufferView":1,"componentType":5126,"count":4,"type":"VEC3"}"#,
        r#"{"bufferView":2,"componentType":5123,"count":6,"type":"SCALAR"}"#,
        r#"{"bufferView":3,"componentType":5126,"count":4,"type":"VEC3"}"#,
        r#"{"componentType":5126,"count":4,"type":"VEC3","sparse":{"count":1,"indices":{"bufferView":4,"componentType":5121},"values":{"bufferView":5}}}"#,
        r#"{"bufferView":6,"componentType":5121,"count":4,"type":"VEC4"}"#,
        r#"{"bufferView":7,"componentType":5121,"normalized":true,"count":4,"type":"VEC4"}"#,
        r#"{"bufferView":8,"componentType":5126,"count":2,"type":"SCALAR"}"#,
        r#"{"bufferView":9,"componentType":5121,"normalized":true,"count":4,"type":"SCALAR"}"#,
        r#"{"bufferView":10,"componentType":5126,"count":2,"type":"VEC3"}"#,
    ];
    let parts = format!(
        r#""bufferViews":[{}],"accessors":[{}],"#,
        views.join(","),
        accessors.join(",")
    );
    (parts, binary)
}

fn document(parts: &str, uri: Option<&str>, extensions: &str) -> String {
    let uri = uri.map(|uri| format!(r#","uri":"{uri}""#)).unwrap_or_default();
    let length = quad().1.len();
    format!(
        r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["KHR_mesh_quantization"],{parts}
"meshes":[{{"name":"quad","weights":[0.25,0],"extras":{{"targetNames":["up","down"]}},"primitives":[{{"attributes":{{"POSITION":0,"NORMAL":1,"JOINTS_0":5,"WEIGHTS_0":6,"COLOR_0":6}},"indices":2,"material":0,"targets":[{{"POSITION":3,"NORMAL":3}},{{"POSITION":4}}]}}]}}],
"materials":[{{"pbrMetallicRoughness":{{"baseColorFactor":[1,0.5,0.25,1]}}}}],
"nodes":[{{"mesh":0,"skin":0,"weights":[0,1]}},{{"name":"bone","children":[0],"rotation":[0,0,0,1]}}],
"skins":[{{"joints":[1]}}],"scenes":[{{"nodes":[1]}}],"scene":0,
"animations":[{{"samplers":[{{"input":7,"output":8,"interpolation":"LINEAR"}},{{"input":7,"output":9,"interpolation":"STEP"}}],"channels":[{{"sampler":0,"target":{{"node":0,"path":"weights"}}}},{{"sampler":1,"target":{{"node":1,"path":"translation"}}}}]}}],
"extensions":{{{extensions}}},"buffers":[{{"byteLength":{length}{uri}}}]}}"#
    )
}

fn pack(json: &[u8], binary: &[u8]) -> Vec<u8> {
    let padded = |bytes: &[u8], with: u8| {
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len().next_multiple_of(4), with);
        bytes
    };
    let (json, binary) = (padded(json, b' '), padded(binary, 0));
    let mut glb = b"glTF".to_vec();
    let total = 28 + json.len() + binary.len();
    for word in [2, total as u32, json.len() as u32, 0x4e4f_534a] {
        glb.extend_from_slice(&word.to_le_bytes());
    }
    glb.extend_from_slice(&json);
    for word in [binary.len() as u32, 0x004e_4942] {
        glb.extend_from_slice(&word.to_le_bytes());
    }
    glb.extend_from_slice(&binary);
    glb
}

fn data_uri(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = "data:application/octet-stream;base64,".to_owned();
    for chunk in bytes.chunks(3) {
        let word = chunk
            .iter()
            .fold(0_u32, |word, &byte| word << 8 | u32::from(byte))
            << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            text.push(if digit <= chunk.len() {
                char::from(DIGITS[(word >> (18 - 6 * digit)) as usize & 63])
            } else {
                '='
            });
        }
    }
    text
}
