//! Tiny models written by the tests, and the program run on them.

#![allow(dead_code, reason = "every test program takes what it needs")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// What a run of the program gave.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) notes: String,
}

impl Run {
    /// The output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in {}", self.out))
    }

    /// Checks that the run went well and had nothing to warn of.
    pub(crate) fn ok(self) -> Run {
        assert_eq!((self.code, self.notes.as_str()), (0, ""), "{}", self.out);
        self
    }

    /// Checks that the run was refused with an error that has all these parts.
    pub(crate) fn refused(self, parts: &[&str]) -> Run {
        assert_eq!(self.code, 1, "{self:?}");
        assert_eq!(self.out, "", "a refused run prints no result");
        assert!(self.notes.contains("error: "), "{}", self.notes);
        assert!(!self.notes.contains("panicked"), "{}", self.notes);
        for part in parts {
            assert!(self.notes.contains(part), "no {part:?} in {}", self.notes);
        }
        self
    }
}

/// Runs `morph` in a folder.
pub(crate) fn morph(folder: &Path, args: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_morph"))
        .args(args)
        .current_dir(folder)
        .env_remove("RUST_LOG")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        out: text(output.stdout),
        notes: text(output.stderr),
    }
}

/// A folder that is gone after the test.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// The names in a folder, sorted.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A glTF file under construction: every accessor is an array of floats or indices in one data URI.
#[derive(Debug, Default)]
pub(crate) struct Gltf {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Gltf {
    fn accessor(&mut self, bytes: &[u8], mut accessor: Value) -> usize {
        self.views
            .push(json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()}));
        accessor["bufferView"] = json!(self.views.len() - 1);
        self.accessors.push(accessor);
        self.bytes.extend_from_slice(bytes);
        self.accessors.len() - 1
    }

    /// An accessor of vectors.
    pub(crate) fn vectors<const N: usize>(&mut self, vectors: &[[f32; N]]) -> usize {
        let bytes: Vec<u8> = vectors
            .as_flattened()
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        let extreme = |pick: fn(f32, f32) -> f32| {
            let all = vectors.iter().copied();
            all.reduce(|a, b| std::array::from_fn(|axis| pick(a[axis], b[axis])))
                .unwrap_or([0.0; N])
                .to_vec()
        };
        let accessor = json!({
            "componentType": 5126, "count": vectors.len(), "type": format!("VEC{N}"),
            "min": extreme(f32::min), "max": extreme(f32::max),
        });
        self.accessor(&bytes, accessor)
    }

    /// An accessor of indices.
    pub(crate) fn indices(&mut self, indices: &[u32]) -> usize {
        let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        let accessor = json!({"componentType": 5125, "count": indices.len(), "type": "SCALAR"});
        self.accessor(&bytes, accessor)
    }

    /// The file, with these meshes, each shown by a node of its own.
    pub(crate) fn text(&self, meshes: &[Value]) -> String {
        let nodes: Vec<Value> = (0..meshes.len())
            .map(|mesh| json!({"mesh": mesh, "name": format!("n{mesh}")}))
            .collect();
        let document = json!({
            "asset": {"version": "2.0"},
            "buffers": [{"byteLength": self.bytes.len(), "uri": data_uri(&self.bytes)}],
            "bufferViews": self.views,
            "accessors": self.accessors,
            "meshes": meshes,
            "nodes": nodes,
            "scenes": [{"nodes": (0..meshes.len()).collect::<Vec<_>>()}],
            "scene": 0,
        });
        document.to_string()
    }
}

pub(crate) fn data_uri(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = "data:application/octet-stream;base64,".to_owned();
    for chunk in bytes.chunks(3) {
        let triple = chunk
            .iter()
            .fold(0_u32, |triple, byte| triple << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let index = triple >> (18 - 6 * digit) & 63;
            text.push(if digit <= chunk.len() {
                char::from(DIGITS[index as usize])
            } else {
                '='
            });
        }
    }
    text
}

/// Corners of a square in the plane z = 0, seen from the front.
pub(crate) const SQUARE: [[f32; 3]; 4] = [
    [-1.0, -1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
];
/// Its two triangles.
pub(crate) const SQUARE_INDICES: [u32; 6] = [0, 1, 2, 0, 2, 3];
/// Normals of the square.
pub(crate) const SQUARE_NORMALS: [[f32; 3]; 4] = [[0.0, 0.0, 1.0]; 4];

/// A square with three targets: `grow` (positions and normals), `liftTop` (positions), and `idle` (moves nothing).
/// The default weights are 0, 0.25, 0.
pub(crate) fn square() -> String {
    square_named(["grow", "liftTop", "idle"])
}

/// The same with other names.
pub(crate) fn square_named(names: [&str; 3]) -> String {
    let mut gltf = Gltf::default();
    let positions = gltf.vectors(&SQUARE);
    let normals = gltf.vectors(&SQUARE_NORMALS);
    let indices = gltf.indices(&SQUARE_INDICES);
    let grow = gltf.vectors(&SQUARE.map(|position| position.map(|x| x * 0.3)));
    let tilt = gltf.vectors(&[[0.1, 0.0, 0.0]; 4]);
    let lift = gltf.vectors(&[[0.0; 3], [0.0; 3], [0.0, 0.0, 0.7], [0.0, 0.0, 0.7]]);
    let idle = gltf.vectors(&[[0.0; 3]; 4]);
    gltf.text(&[json!({
        "name": "Square",
        "primitives": [{
            "attributes": {"POSITION": positions, "NORMAL": normals},
            "indices": indices,
            "targets": [{"POSITION": grow, "NORMAL": tilt}, {"POSITION": lift}, {"POSITION": idle}],
        }],
        "weights": [0.0, 0.25, 0.0],
        "extras": {"targetNames": names},
    })])
}

/// A square without targets.
pub(crate) fn plain_square() -> String {
    let mut gltf = Gltf::default();
    let positions = gltf.vectors(&SQUARE);
    let indices = gltf.indices(&SQUARE_INDICES);
    gltf.text(&[json!({"primitives": [{"attributes": {"POSITION": positions}, "indices": indices}]})])
}

/// A mesh without targets before a square whose one target is `only`, which has two primitives.
pub(crate) fn two_meshes() -> String {
    let mut gltf = Gltf::default();
    let positions = gltf.vectors(&SQUARE);
    let indices = gltf.indices(&SQUARE_INDICES);
    let lift = gltf.vectors(&[[0.0, 0.0, 1.0]; 4]);
    let with_target =
        json!({"attributes": {"POSITION": positions}, "indices": indices, "targets": [{"POSITION": lift}]});
    gltf.text(&[
        json!({"primitives": [{"attributes": {"POSITION": positions}, "indices": indices}]}),
        json!({"primitives": [with_target, with_target], "extras": {"targetNames": ["only"]}}),
    ])
}

/// A bone that turns by a quarter, and a vertex that a target moves along x; both over one second.
///
/// The target `out` goes from 0 to 1, `still` has no track.
pub(crate) fn arm() -> String {
    let mut bytes: Vec<u8> = Vec::new();
    let (mut views, mut accessors) = (Vec::new(), Vec::new());
    let mut add = |values: &[f32], kind: &str, width: usize| {
        views.push(json!({ "buffer": 0, "byteOffset": bytes.len(), "byteLength": 4 * values.len() }));
        bytes.extend(values.iter().flat_map(|x| x.to_le_bytes()));
        let (low, high) = values
            .iter()
            .fold((f32::MAX, f32::MIN), |(low, high), &x| (low.min(x), high.max(x)));
        let mut accessor = json!({
            "bufferView": views.len() - 1, "componentType": 5126, "count": values.len() / width, "type": kind,
        });
        if kind == "SCALAR" {
            (accessor["min"], accessor["max"]) = (json!([low]), json!([high]));
        }
        accessors.push(accessor);
    };
    let half = std::f32::consts::FRAC_1_SQRT_2;
    add(&[0.0; 9], "VEC3", 3);
    add(&[1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0], "VEC3", 3);
    add(
        &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        "VEC4",
        4,
    );
    add(&[0.0, 1.0], "SCALAR", 1);
    add(&[0.0, 1.0], "SCALAR", 1);
    add(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half], "VEC4", 4);
    // All joints are 0, which is what zero bytes say.
    views.push(json!({ "buffer": 0, "byteOffset": bytes.len(), "byteLength": 12 }));
    bytes.extend([0; 12]);
    accessors
        .push(json!({ "bufferView": views.len() - 1, "componentType": 5121, "count": 3, "type": "VEC4" }));
    (accessors[0]["min"], accessors[0]["max"]) = (json!([0, 0, 0]), json!([0, 0, 0]));
    let pointer = json!({ "KHR_animation_pointer": { "pointer": "/nodes/0/weights/0" } });
    json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["KHR_animation_pointer"],
        "buffers": [{ "byteLength": bytes.len(), "uri": data_uri(&bytes) }],
        "bufferViews": views,
        "accessors": accessors,
        "meshes": [{
            "extras": { "targetNames": ["out", "still"] },
            "primitives": [{
                "attributes": { "POSITION": 0, "WEIGHTS_0": 2, "JOINTS_0": 6 },
                "targets": [{ "POSITION": 1 }, { "POSITION": 1 }],
            }],
        }],
        "skins": [{ "joints": [1] }],
        "nodes": [{ "name": "arm", "mesh": 0, "skin": 0, "translation": [5, 5, 5] }, { "name": "bone" }],
        "scenes": [{ "nodes": [0, 1] }],
        "animations": [{
            "name": "wave",
            "samplers": [{ "input": 3, "output": 4 }, { "input": 3, "output": 5 }],
            "channels": [
                { "sampler": 0, "target": { "path": "pointer", "extensions": pointer } },
                { "sampler": 1, "target": { "node": 1, "path": "rotation" } },
            ],
        }],
    })
    .to_string()
}

/// The square with two expressions, of which the second holds the first back.
pub(crate) fn avatar() -> String {
    let mut document: Value = serde_json::from_str(&square()).unwrap();
    document["extensionsUsed"] = json!(["VRMC_vrm"]);
    document["extensions"] = json!({ "VRMC_vrm": { "expressions": {
        "preset": {
            "blink": { "morphTargetBinds": [{ "node": 0, "index": 0, "weight": 1.0 }] },
            "happy": {
                "isBinary": false, "overrideBlink": "blend",
                "morphTargetBinds": [{ "node": 0, "index": 2, "weight": 0.5 }],
            },
        },
        "custom": { "wink": {} },
    } } });
    document.to_string()
}

/// The square with all of it held by one bone, node 1.
pub(crate) fn boned_square() -> String {
    let mut gltf = Gltf::default();
    let positions = gltf.vectors(&SQUARE);
    let normals = gltf.vectors(&SQUARE_NORMALS);
    let indices = gltf.indices(&SQUARE_INDICES);
    let lift = gltf.vectors(&[[0.0; 3], [0.0; 3], [0.0, 0.0, 0.7], [0.0, 0.0, 0.7]]);
    let weights = gltf.vectors(&[[1.0, 0.0, 0.0, 0.0]; 4]);
    let joints = json!({"componentType": 5121, "count": 4, "type": "VEC4"});
    let joints = gltf.accessor(&[0; 16], joints);
    let text = gltf.text(&[json!({
        "primitives": [{
            "attributes": {"POSITION": positions, "NORMAL": normals, "JOINTS_0": joints, "WEIGHTS_0": weights},
            "indices": indices,
            "targets": [{"POSITION": lift}],
        }],
        "extras": {"targetNames": ["lift"]},
    })]);
    let mut document: Value = serde_json::from_str(&text).unwrap();
    document["skins"] = json!([{"joints": [1]}]);
    document["nodes"] = json!([{"mesh": 0, "skin": 0, "name": "n0"}, {"name": "bone"}]);
    document["scenes"] = json!([{"nodes": [0, 1]}]);
    document.to_string()
}

/// A MakeHuman base mesh of one square, and a target `wide` in `targets/`.
pub(crate) fn write_makehuman(folder: &Path) {
    let base = "g body\nv -1 0 0\nv 1 0 0\nv 1 2 0\nv -1 2 0\nf 1 2 3 4\ng helper\nf 4 3 2 1\n";
    std::fs::write(folder.join("base.obj"), base).unwrap();
    std::fs::create_dir(folder.join("targets")).unwrap();
    std::fs::write(
        folder.join("targets/wide.target"),
        "# a comment\n1 1 0 0\n2 1 0 0\n",
    )
    .unwrap();
}

/// Writes a file and returns its path as text.
pub(crate) fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The folder of models and oracles that are not part of the project, where it is there.
pub(crate) fn shared() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = std::env::var_os("MORPH_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    // Tests run in the folder of their crate, people type paths in the root.
    let path = if path.is_absolute() { path } else { root.join(path) };
    path.is_dir().then(|| path.canonicalize().unwrap())
}

/// An array of vectors out of JSON.
pub(crate) fn vectors(value: &Value) -> Vec<[f32; 3]> {
    let number = |value: &Value| value.as_f64().unwrap() as f32;
    let vector = |value: &Value| std::array::from_fn(|axis| number(&value[axis]));
    value.as_array().unwrap().iter().map(vector).collect()
}

/// Whether SwiftShader can be used here beside lavapipe.
pub(crate) fn has_swiftshader() -> bool {
    Path::new("/usr/lib/chromium/vk_swiftshader_icd.json").is_file()
}
