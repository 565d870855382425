//! What the tests share: a builder of small glTF files, checks of a model, and the way to the shared data.

#![allow(dead_code, reason = "every test program uses a part of it")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may panic, and say what they skip"
)]

use std::collections::HashSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use morph_anim::Channel;
use morph_core::{MorphTarget, SetDeltas};
use morph_import::{GltfError, ImportError, ImportOptions, Model, OnDamage, Part, Topology, WarningKind};
use serde_json::{Value, json};

pub(crate) const QUAD: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
pub(crate) const QUAD_NORMALS: [[f32; 3]; 4] = [[0.0, 0.0, 1.0]; 4];
pub(crate) const QUAD_TANGENTS: [[f32; 4]; 4] = [[1.0, 0.0, 0.0, -1.0]; 4];
pub(crate) const QUAD_INDICES: [u16; 6] = [0, 1, 2, 0, 2, 3];

/// A glTF file in the making: JSON that tests may edit freely, and the bytes of its one buffer.
#[derive(Debug, Clone)]
pub(crate) struct Builder {
    pub(crate) json: Value,
    pub(crate) binary: Vec<u8>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        let json = json!({
            "asset": { "version": "2.0" },
            "bufferViews": [], "accessors": [], "meshes": [], "nodes": [],
        });
        Self {
            json,
            binary: Vec::new(),
        }
    }

    fn push(&mut self, list: &str, value: Value) -> usize {
        let list = self.json[list].as_array_mut().unwrap();
        list.push(value);
        list.len() - 1
    }

    /// Adds bytes as a buffer view that starts at a multiple of four.
    pub(crate) fn view(&mut self, bytes: &[u8]) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let offset = self.binary.len();
        self.binary.extend_from_slice(bytes);
        self.push(
            "bufferViews",
            json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }),
        )
    }

    pub(crate) fn strided_view(&mut self, bytes: &[u8], stride: usize) -> usize {
        let view = self.view(bytes);
        self.json["bufferViews"][view]["byteStride"] = json!(stride);
        view
    }

    pub(crate) fn accessor(&mut self, accessor: Value) -> usize {
        self.push("accessors", accessor)
    }

    /// Adds floats as a packed accessor of `N` components.
    pub(crate) fn floats<const N: usize>(&mut self, values: &[[f32; N]]) -> usize {
        let view = self.view(&float_bytes(values));
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][N - 1];
        self.accessor(
            json!({ "bufferView": view, "componentType": 5126, "count": values.len(), "type": kind }),
        )
    }

    pub(crate) fn indices(&mut self, indices: &[u16]) -> usize {
        let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        let view = self.view(&bytes);
        self.accessor(
            json!({ "bufferView": view, "componentType": 5123, "count": indices.len(), "type": "SCALAR" }),
        )
    }

    /// Adds an accessor of `count` VEC3 that is zero but for one element.
    pub(crate) fn sparse_vec3(&mut self, count: usize, index: u16, value: [f32; 3]) -> usize {
        let indices = self.view(&index.to_le_bytes());
        let values = self.view(&float_bytes(&[value]));
        self.accessor(json!({
            "componentType": 5126, "count": count, "type": "VEC3",
            "sparse": {
                "count": 1,
                "indices": { "bufferView": indices, "componentType": 5123 },
                "values": { "bufferView": values },
            },
        }))
    }

    pub(crate) fn mesh(&mut self, mesh: Value) -> usize {
        let mesh = self.push("meshes", mesh);
        self.push("nodes", json!({ "mesh": mesh }));
        mesh
    }

    /// A primitive that is a quad in the plane z = 0.
    pub(crate) fn quad(&mut self, targets: Value) -> Value {
        let position = self.floats(&QUAD);
        let indices = self.indices(&QUAD_INDICES);
        let mut primitive = json!({ "attributes": { "POSITION": position }, "indices": indices });
        if targets.as_array().is_some_and(|targets| !targets.is_empty()) {
            primitive["targets"] = targets;
        }
        primitive
    }

    /// The same with normals and tangents.
    pub(crate) fn full_quad(&mut self, targets: Value) -> Value {
        let mut quad = self.quad(targets);
        quad["attributes"]["NORMAL"] = json!(self.floats(&QUAD_NORMALS));
        quad["attributes"]["TANGENT"] = json!(self.floats(&QUAD_TANGENTS));
        quad
    }

    pub(crate) fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        if !self.binary.is_empty() && json.get("buffers").is_none() {
            json["buffers"] = json!([{ "byteLength": self.binary.len() }]);
        }
        pack_glb(&json, &self.binary)
    }

    pub(crate) fn load(&self) -> Result<Model, ImportError> {
        self.load_with(&ImportOptions::default())
    }

    pub(crate) fn load_with(&self, options: &ImportOptions) -> Result<Model, ImportError> {
        load_bytes("model.glb", &self.glb(), options)
    }

    /// Loads what has to be a valid file and checks what comes of it.
    pub(crate) fn model(&self) -> Model {
        let model = self.load().unwrap();
        check(&model);
        model
    }

    /// Loads what has to be refused where nothing is left out.
    pub(crate) fn refused(&self) -> GltfError {
        gltf_error(self.load_strictly())
    }

    pub(crate) fn load_strictly(&self) -> Result<Model, ImportError> {
        self.load_with(&strict())
    }
}

/// Options that leave out nothing.
pub(crate) fn strict() -> ImportOptions {
    ImportOptions {
        on_damage: OnDamage::Refuse,
        ..ImportOptions::default()
    }
}

pub(crate) fn float_bytes<const N: usize>(values: &[[f32; N]]) -> Vec<u8> {
    values
        .iter()
        .flatten()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

pub(crate) fn pack_glb(json: &Value, binary: &[u8]) -> Vec<u8> {
    let mut text = serde_json::to_vec(json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut padded = binary.to_vec();
    padded.resize(binary.len().next_multiple_of(4), 0);
    let binary_chunk = if binary.is_empty() { 0 } else { 8 + padded.len() };
    let mut glb = b"glTF".to_vec();
    for word in [
        2,
        (20 + text.len() + binary_chunk) as u32,
        text.len() as u32,
        0x4e4f_534a,
    ] {
        glb.extend_from_slice(&word.to_le_bytes());
    }
    glb.extend_from_slice(&text);
    if !binary.is_empty() {
        glb.extend_from_slice(&(padded.len() as u32).to_le_bytes());
        glb.extend_from_slice(&0x004e_4942_u32.to_le_bytes());
        glb.extend_from_slice(&padded);
    }
    glb
}

/// Splits a GLB that is known to be sound.
pub(crate) fn unpack_glb(glb: &[u8]) -> (Value, Vec<u8>) {
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let json_end = 20 + word(12);
    let json = serde_json::from_slice(&glb[20..json_end]).unwrap();
    let binary = if glb.len() > json_end {
        glb[json_end + 8..][..word(json_end)].to_vec()
    } else {
        Vec::new()
    };
    (json, binary)
}

/// Loads bytes as a file that needs no other.
pub(crate) fn load_bytes(name: &str, bytes: &[u8], options: &ImportOptions) -> Result<Model, ImportError> {
    morph_import::load_bytes(Path::new(name), bytes, options)
}

pub(crate) fn gltf_error(result: Result<Model, ImportError>) -> GltfError {
    match result {
        Err(ImportError::Gltf { reason, .. }) => *reason,
        Err(other) => panic!("expected an error of glTF, got {other:?}"),
        // A whole model would be hundreds of megabytes of text.
        Ok(_) => panic!("expected an error of glTF, got Ok(_)"),
    }
}

/// Checks what every model that was handed out has to keep.
pub(crate) fn check(model: &Model) {
    for mesh in &model.meshes {
        let target_count = mesh.target_names.len();
        assert_eq!(mesh.default_weights.len(), target_count);
        let mut names = mesh.target_names.clone();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), target_count, "names are distinct");
        for primitive in &mesh.primitives {
            let count = primitive.positions.len();
            assert!(
                primitive
                    .normals
                    .as_ref()
                    .is_none_or(|stream| stream.len() == count)
            );
            assert!(
                primitive
                    .tangents
                    .as_ref()
                    .is_none_or(|stream| stream.len() == count)
            );
            assert!(primitive.texcoords.iter().all(|stream| stream.len() == count));
            assert!(primitive.colors.iter().all(|stream| stream.len() == count));
            let skin_weights = primitive.skin_weights.as_ref();
            assert!(skin_weights.is_none_or(|weights| weights.vertex_count() == count));
            assert!(primitive.indices.iter().all(|&index| (index as usize) < count));
            let group = match primitive.topology {
                Topology::Points => 1,
                Topology::Lines => 2,
                Topology::Triangles => 3,
            };
            assert_eq!(primitive.indices.len() % group, 0);
            assert_eq!(primitive.targets.len(), target_count);
            for (target, name) in primitive.targets.iter().zip(&mesh.target_names) {
                assert_eq!(&target.name, name);
                assert!(target.vertices.iter().all(|&vertex| (vertex as usize) < count));
                assert!(target.vertices.windows(2).all(|pair| pair[0] < pair[1]));
                for stream in [&target.positions, &target.normals, &target.tangents]
                    .into_iter()
                    .flatten()
                {
                    assert_eq!(stream.len(), target.vertices.len());
                }
                check_sets(&target.texcoords, primitive.texcoords.len(), count);
                check_sets(&target.colors, primitive.colors.len(), count);
            }
        }
    }
    for (index, node) in model.nodes.iter().enumerate() {
        assert!(node.mesh.is_none_or(|mesh| mesh < model.meshes.len()));
        assert!(node.parent.is_none_or(|parent| parent < model.nodes.len()));
        let target_count = node.mesh.map_or(0, |mesh| model.meshes[mesh].target_names.len());
        assert_eq!(model.start_weights(index).len(), target_count);
        let _ = model.world(index);
        let Some(skin) = node.skin.map(|skin| &model.skins[skin]) else {
            continue;
        };
        let primitives = node.mesh.map(|mesh| &model.meshes[mesh].primitives);
        for weights in primitives
            .into_iter()
            .flatten()
            .filter_map(|primitive| primitive.skin_weights.as_ref())
        {
            for (&joint, &weight) in weights.joints().iter().zip(weights.weights()) {
                assert!(weight == 0.0 || usize::from(joint) < skin.joints.len());
            }
        }
    }
    for skin in &model.skins {
        assert_eq!(skin.joints.len(), skin.inverse_bind.len());
        assert!(skin.joints.iter().all(|&joint| joint < model.nodes.len()));
    }
    check_clips(model);
}

fn check_sets<const N: usize>(sets: &[SetDeltas<N>], set_count: usize, vertex_count: usize) {
    assert!(sets.windows(2).all(|pair| pair[0].set < pair[1].set));
    for set in sets {
        assert!((set.set as usize) < set_count);
        assert_eq!(set.vertices.len(), set.deltas.len());
        assert!(
            set.vertices
                .iter()
                .all(|&vertex| (vertex as usize) < vertex_count)
        );
        assert!(set.vertices.windows(2).all(|pair| pair[0] < pair[1]));
    }
}

/// Checks that every track calls a node of the model and a target of its mesh, and that none does twice.
fn check_clips(model: &Model) {
    for clip in &model.clips {
        let mut driven = HashSet::new();
        for track in &clip.tracks {
            let node = model.nodes.iter().find(|node| node.id == track.node).unwrap();
            let what = match &track.channel {
                Channel::Translation(_) => "translation",
                Channel::Rotation(_) => "rotation",
                Channel::Scale(_) => "scale",
                Channel::Weight { target, .. } => {
                    let mesh = &model.meshes[node.mesh.unwrap()];
                    assert!(mesh.target_names.contains(target));
                    target
                }
            };
            let is_weight = matches!(track.channel, Channel::Weight { .. });
            assert!(driven.insert((&track.node, is_weight, what)));
        }
    }
}

/// A stream of a target with one delta per vertex.
pub(crate) fn dense(
    target: &MorphTarget,
    stream: Option<&Vec<[f32; 3]>>,
    vertex_count: usize,
) -> Vec<[f32; 3]> {
    let mut deltas = vec![[0.0; 3]; vertex_count];
    for (&vertex, &delta) in target.vertices.iter().zip(stream.into_iter().flatten()) {
        deltas[vertex as usize] = delta;
    }
    deltas
}

/// The parts that were left out, and where.
pub(crate) fn left_out(model: &Model) -> Vec<(&str, Part)> {
    let each = model.warnings.iter();
    each.filter_map(|warning| match warning.kind {
        WarningKind::LeftOut { part, .. } => Some((warning.place.as_str(), part)),
        _ => None,
    })
    .collect()
}

pub(crate) fn warning_kinds(model: &Model) -> Vec<&WarningKind> {
    model.warnings.iter().map(|warning| &warning.kind).collect()
}

/// The folder of models and oracles that is not part of the project.
pub(crate) fn shared() -> Option<PathBuf> {
    let folder = match std::env::var_os("MORPH_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    folder.is_dir().then_some(folder)
}

/// Says what is skipped where the shared data is not there.
pub(crate) fn shared_or_skip(skipped: &[&str]) -> Option<PathBuf> {
    let folder = shared();
    if folder.is_none() {
        // Straight to the stream: what `println!` says in a test that passes is kept from whoever runs it.
        let mut stderr = std::io::stderr().lock();
        let count = skipped.len();
        let _ = writeln!(
            stderr,
            "skipped {count} cases: neither MORPH_SHARED nor ../shared is a folder"
        );
        for case in skipped {
            let _ = writeln!(stderr, "  skipped {case}");
        }
    }
    folder
}

/// All files below a folder, in sorted order.
pub(crate) fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files_below(&path, files);
        } else {
            files.push(path);
        }
    }
}
