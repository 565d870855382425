//! One function a reader.

use std::cell::OnceCell;
use std::path::Path;

use morph_anim::yaml;
use morph_core::{BuildOptions, MorphMesh, Quantization, RestStreams, morph};
use morph_import::check::check;
use morph_import::export::to_glb;
use morph_import::{ImportOptions, Model, Primitive, Space, UpAxis, load_bytes};
use tempfile::TempDir;

use crate::repair::repair_checksums;
use crate::seeds;

/// glTF as text.
pub fn gltf(bytes: &[u8]) {
    read("fuzz.gltf", bytes);
}

/// glTF in the binary container.
pub fn glb(bytes: &[u8]) {
    read("fuzz.glb", bytes);
}

/// FBX, binary or text.
pub fn fbx(bytes: &[u8]) {
    read("fuzz.fbx", bytes);
}

/// A cooked file: as it is, which a checksum refuses where anything is damaged, and with its checksums made right.
pub fn cooked(bytes: &[u8]) {
    read("fuzz.morph", bytes);
    let mut repaired = bytes.to_vec();
    repair_checksums(&mut repaired);
    read("fuzz.morph", &repaired);
}

/// A MakeHuman base mesh without targets.
pub fn makehuman_obj(bytes: &[u8]) {
    with_folder(|folder| {
        let options = ImportOptions {
            groups: Vec::new(),
            ..options()
        };
        if let Ok(model) = load_bytes(&folder.join("base.obj"), bytes, &options) {
            use_model(&model);
        }
    });
}

/// A MakeHuman target for a base mesh of four vertices.
pub fn makehuman_target(bytes: &[u8]) {
    const BASE: &[u8] = b"g body\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    with_folder(|folder| {
        // Compressed targets are told by their first bytes, and their name has to say so.
        let ending = if bytes.starts_with(&[0x1f, 0x8b]) {
            "target.gz"
        } else {
            "target"
        };
        let target = folder.join(format!("fuzz.{ending}"));
        if std::fs::write(&target, bytes).is_err() {
            return;
        }
        let options = ImportOptions {
            targets: vec![target.clone()],
            ..options()
        };
        if let Ok(model) = load_bytes(&folder.join("base.obj"), BASE, &options) {
            use_model(&model);
        }
        // The folder serves again; a file that cannot be removed is only written over.
        let _ = std::fs::remove_file(&target);
    });
}

/// A clip as text. What is read is written, and read back as the same.
///
/// # Panics
/// Where it is not.
pub fn clip_yaml(bytes: &[u8]) {
    if let Ok(clip) = yaml::read(bytes, "fuzz.yaml") {
        let text = yaml::write(&clip);
        let again = text.map(|text| yaml::read(text, "again.yaml"));
        assert_eq!(again, Ok(Ok(clip)));
    }
}

/// The bones for a MakeHuman base mesh.
pub fn makehuman_rig(bytes: &[u8]) {
    read_rigged(bytes, seeds::WEIGHTS.as_bytes());
}

/// The weights of a MakeHuman rig.
pub fn makehuman_weights(bytes: &[u8]) {
    read_rigged(seeds::RIG.as_bytes(), bytes);
}

fn read_rigged(rig: &[u8], weights: &[u8]) {
    with_folder(|folder| {
        let (rig_file, weights_file) = (folder.join("rig.fuzz.json"), folder.join("weights.fuzz.json"));
        if std::fs::write(&rig_file, rig).is_err() || std::fs::write(&weights_file, weights).is_err() {
            return;
        }
        let options = ImportOptions {
            rig: Some(rig_file),
            ..options()
        };
        if let Ok(model) = load_bytes(&folder.join("base.obj"), seeds::RIGGED_BASE, &options) {
            use_model(&model);
        }
    });
}

fn options() -> ImportOptions {
    ImportOptions {
        generate_normals: true,
        generate_tangents: true,
        scale: 100.0,
        up: UpAxis::Z,
        space: Space::File,
        start_at_file_weights: Some(true),
        ..ImportOptions::default()
    }
}

fn read(name: &str, bytes: &[u8]) {
    // Whatever is wrong, it is told in a report that does not outgrow the file, and the report never fails.
    let report = check(Path::new(name), bytes);
    assert!(report.problems.iter().all(|problem| problem.count > 0));
    for options in [ImportOptions::default(), options()] {
        if let Ok(model) = load_bytes(Path::new(name), bytes, &options) {
            use_model(&model);
        }
    }
}

/// Hands out one folder for all runs of a thread, because a new one for each would cost more than the reading.
fn with_folder(use_folder: impl FnOnce(&Path)) {
    thread_local!(static FOLDER: OnceCell<Option<TempDir>> = const { OnceCell::new() });
    FOLDER.with(|folder| {
        if let Some(folder) = folder.get_or_init(|| tempfile::tempdir().ok()) {
            use_folder(folder.path());
        }
    });
}

/// Uses what an import vouches for; whatever is not so is a fault of the reader and panics.
fn use_model(model: &Model) {
    for (index, node) in model.nodes.iter().enumerate() {
        assert!(
            node.mesh.is_none_or(|mesh| mesh < model.meshes.len()),
            "node {index}"
        );
        assert!(
            node.parent.is_none_or(|parent| parent < model.nodes.len()),
            "node {index}"
        );
        assert!(
            node.skin.is_none_or(|skin| skin < model.skins.len()),
            "node {index}"
        );
        let _ = model.world(index);
    }
    // What was read holds together, so it can be written, unless the file itself holds NaN or infinity.
    if let Err(error) = to_glb(model) {
        assert!(error.to_string().contains("NaN or infinite"), "{error}");
    }
    for mesh in &model.meshes {
        assert_eq!(mesh.default_weights.len(), mesh.target_names.len());
        for primitive in &mesh.primitives {
            assert_eq!(primitive.targets.len(), mesh.target_names.len());
            use_primitive(primitive);
        }
    }
}

fn use_primitive(primitive: &Primitive) {
    let count = primitive.positions.len();
    assert!(primitive.indices.iter().all(|&index| (index as usize) < count));
    let vertex_count = u32::try_from(count).expect("vertices are counted in 32 bits");
    let directions = |tangents: &Vec<[f32; 4]>| tangents.iter().map(|&[x, y, z, _]| [x, y, z]).collect();
    let tangents = primitive.tangents.as_ref().map(directions);
    let rest = RestStreams::new(primitive.positions.clone(), primitive.normals.clone(), tangents);
    let weights = vec![0.5; primitive.targets.len()];
    for quantization in [Quantization::F32, Quantization::Half, Quantization::Snorm16] {
        let built = MorphMesh::build(vertex_count, &primitive.targets, &BuildOptions::new(quantization));
        // Half floats and infinite values may be refused; what is built has to morph.
        if let (Ok((mesh, _)), Ok((rest, _))) = (built, &rest) {
            assert!(morph(&mesh, rest, &weights).is_ok());
        }
    }
}
