//! The seeds are what they are meant to be: files that are read without a complaint.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use morph_fuzz::seeds;
use morph_import::{ImportOptions, Model, load_bytes};

fn load(name: &str, seed: &[u8]) -> Model {
    load_bytes(Path::new(name), seed, &ImportOptions::default()).unwrap()
}

#[test]
fn seeds_are_models_with_targets_skins_and_clips() {
    for (name, seeds) in [("x.gltf", seeds::gltf()), ("x.glb", seeds::glb())] {
        let model = load(name, &seeds[0]);
        assert_eq!(model.meshes[0].target_names, ["up", "down"]);
        assert_eq!(model.meshes[0].primitives[0].targets[1].vertices, [2]);
        assert_eq!((model.skins.len(), model.clips[0].tracks.len()), (1, 3));
    }
    for (seed, blink) in [(1, "blink"), (2, "blinkLeft")] {
        let avatar = load("x.vrm", &seeds::glb()[seed]);
        assert_eq!(avatar.warnings, []);
        let names: Vec<&str> = avatar.expressions.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, [blink, "lift"]);
        assert!(avatar.expressions.iter().all(|it| it.binds.len() == 1));
    }
    let fbx = load("x.fbx", &seeds::fbx()[0]);
    assert_eq!(fbx.meshes[0].target_names, ["lift@50", "lift"]);
    assert!(fbx.meshes[0].rig.is_some());
    let folder = tempfile::tempdir().unwrap();
    let rig = folder.path().join("rig.x.json");
    std::fs::write(&rig, &seeds::makehuman_rig()[0]).unwrap();
    std::fs::write(
        folder.path().join("weights.x.json"),
        &seeds::makehuman_weights()[0],
    )
    .unwrap();
    let options = ImportOptions {
        rig: Some(rig),
        ..ImportOptions::default()
    };
    let rigged = load_bytes(&folder.path().join("base.obj"), seeds::RIGGED_BASE, &options).unwrap();
    assert_eq!((rigged.skins[0].joints.len(), rigged.nodes.len()), (2, 3));
    let cooked: Vec<Model> = seeds::cooked().iter().map(|seed| load("x.morph", seed)).collect();
    assert_eq!(cooked[0].meshes[0].target_names, ["up", "down"]);
    assert!(cooked[1].meshes[0].rig.is_some());
}
