//! Rigs against what ufbx says of real FBX files.
//!
//! The answers are not part of the project. They are found through `MORPH_SHARED`, and a test without it says what
//! it skipped.

use std::io::Write;
use std::path::{Path, PathBuf};

use morph_core::NameTable;
use morph_core::rig::{Channel, Rig};
use serde_json::Value;

/// Weights are written in nine digits.
const TOLERANCE: f64 = 1.0e-6;

/// The folder of ufbx's answers, or `None` after saying what is skipped without it.
fn ufbx_folder() -> Option<PathBuf> {
    let shared = std::env::var_os("MORPH_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    if shared.is_dir() {
        return Some(shared.join("oracle/ufbx"));
    }
    // Straight to the stream: what `println!` says in a test that passes is kept from whoever runs it.
    let skipped = "skipped in-betweens against ufbx: neither MORPH_SHARED nor ../shared is a folder";
    writeln!(std::io::stderr().lock(), "{skipped}").unwrap();
    None
}

fn ufbx_answers(folder: &Path) -> Vec<(PathBuf, Value)> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            (path, value)
        })
        .collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The full weights of every channel of a file, in the order of the settings.
fn full_weights(file: &Value) -> Vec<Vec<f32>> {
    list(&file["meshes"])
        .iter()
        .flat_map(|mesh| list(&mesh["blend_deformers"]))
        .flat_map(|deformer| list(&deformer["channels"]))
        .map(|channel| {
            list(&channel["keyframes"])
                .iter()
                .map(|key| key["target_weight"].as_f64().unwrap() as f32)
                .collect()
        })
        .collect()
}

#[test]
fn b069_effective_weights_equal_those_of_ufbx() {
    let Some(folder) = ufbx_folder() else { return };
    let mut compared = 0;
    let mut in_betweens = 0;
    for (path, file) in ufbx_answers(&folder) {
        let channels = full_weights(&file);
        let mut slot = 0;
        let rig_channels = channels
            .iter()
            .enumerate()
            .map(|(control, full_weights)| {
                let first = slot;
                slot += full_weights.len();
                Channel::in_between(control, full_weights.iter().copied().zip(first..slot))
            })
            .collect();
        let controls = NameTable::new(list(&file["channel_names"]).iter().filter_map(Value::as_str)).unwrap();
        let targets = NameTable::new((0..slot).map(|slot| slot.to_string())).unwrap();
        let rig = Rig::new(controls, &targets, rig_channels).unwrap();
        let mut weights = vec![0.0; slot];
        for setting in list(&file["settings"]) {
            let percents = list(&setting["deform_percent"]);
            let controls: Vec<f32> = percents
                .iter()
                .map(|percent| (percent.as_f64().unwrap() / 100.0) as f32)
                .collect();
            rig.evaluate(&controls, &mut weights).unwrap();
            let expected = list(&setting["effective_weights"]).iter().flat_map(list);
            let expected: Vec<f64> = expected.map(|weight| weight.as_f64().unwrap()).collect();
            assert_eq!(expected.len(), weights.len(), "{}", path.display());
            for (slot, (&ours, &theirs)) in weights.iter().zip(&expected).enumerate() {
                assert!(
                    (f64::from(ours) - theirs).abs() <= TOLERANCE,
                    "{}, {}, target {slot}: {ours} and {theirs}",
                    path.display(),
                    setting["label"]
                );
            }
            compared += weights.len();
        }
        in_betweens += channels.iter().filter(|it| it.len() > 1).count();
    }
    assert!(compared > 0 && in_betweens > 0, "nothing was compared");
}
