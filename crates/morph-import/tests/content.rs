//! What the first bytes of a glTF file tell, whatever it is called, and how its text may be encoded.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::error::Error;

use common::{Builder, gltf_error, load_bytes, warning_kinds};
use morph_import::{Format, GltfError, ImportError, ImportOptions, Model, WarningKind};
use serde_json::json;

fn load(name: &str, bytes: &[u8]) -> Result<Model, ImportError> {
    load_bytes(name, bytes, &ImportOptions::default())
}

fn quad() -> Builder {
    let mut builder = Builder::new();
    let quad = builder.quad(json!([]));
    builder.mesh(json!({ "primitives": [quad] }));
    builder
}

/// JSON text that needs no other file.
fn text() -> String {
    let json = json!({ "asset": { "version": "2.0" }, "nodes": [{ "name": "alone" }] });
    json.to_string()
}

#[test]
fn json_text_called_glb_is_read_and_told() {
    for (name, named) in [("model.glb", "glb"), ("model.VRM", "vrm")] {
        for text in [text(), format!("\n  {}", text())] {
            let model = load(name, text.as_bytes()).unwrap();
            assert_eq!(model.format, Format::Gltf);
            let content = "glTF as JSON text";
            assert_eq!(
                warning_kinds(&model),
                [&WarningKind::ContentUnlikeName { named, content }]
            );
            assert!(model.warnings[0].to_string().contains(named));
        }
    }
    assert_eq!(load("model.gltf", text().as_bytes()).unwrap().warnings, []);
}

#[test]
fn a_glb_called_gltf_is_read_and_told() {
    let model = load("model.gltf", &quad().glb()).unwrap();
    assert_eq!(model.format, Format::Glb);
    let (named, content) = ("gltf", "a binary glTF");
    assert_eq!(
        warning_kinds(&model),
        [&WarningKind::ContentUnlikeName { named, content }]
    );
    // A name that says nothing is no contradiction.
    for name in ["model.glb", "model.bin", "model"] {
        assert_eq!(load(name, &quad().glb()).unwrap().warnings, []);
    }
}

#[test]
fn what_is_neither_is_told_by_its_name() {
    assert!(matches!(
        gltf_error(load("model.glb", b"GIF89a, and more than a header")),
        GltfError::NotGlb { .. }
    ));
    assert!(matches!(
        gltf_error(load("model.gltf", b"GIF89a")),
        GltfError::Json { .. }
    ));
}

#[test]
fn a_byte_order_mark_of_utf_8_is_passed_over_and_told() {
    let marked = format!("\u{feff}{}", text());
    for name in ["model.gltf", "model.glb"] {
        let model = load(name, marked.as_bytes()).unwrap();
        assert!(
            warning_kinds(&model).contains(&&WarningKind::ByteOrderMark),
            "{name}"
        );
        assert_eq!(model.nodes.len(), 1);
    }
}

#[test]
fn other_encodings_are_named() {
    let wide = |mark: bool, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let text = text();
        let mark = mark.then_some(0xfeff);
        mark.into_iter()
            .chain(text.encode_utf16())
            .flat_map(bytes)
            .collect()
    };
    let utf_32: Vec<u8> = text()
        .chars()
        .flat_map(|letter| (letter as u32).to_le_bytes())
        .collect();
    for (bytes, expected) in [
        (wide(true, u16::to_le_bytes), "UTF-16"),
        (wide(true, u16::to_be_bytes), "UTF-16"),
        (wide(false, u16::to_le_bytes), "UTF-16"),
        (wide(false, u16::to_be_bytes), "UTF-16"),
        (utf_32, "UTF-32"),
    ] {
        for name in ["model.gltf", "model.glb"] {
            let error = gltf_error(load(name, &bytes));
            assert_eq!(error, GltfError::Encoding { found: expected });
            assert!(error.to_string().contains("save it as UTF-8"), "{error}");
        }
    }
}

/// A message and those of its causes, as programs print them.
fn chain(error: &dyn Error) -> Vec<String> {
    let mut messages = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        messages.push(error.to_string());
        cause = error.source();
    }
    messages
}

#[test]
fn no_error_says_its_cause_twice() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.glb");
    let target = ImportOptions {
        targets: vec!["missing.target".into()],
        ..ImportOptions::default()
    };
    let obj = b"g body\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    for error in [
        morph_import::load(&missing, &ImportOptions::default()).unwrap_err(),
        load("model.gltf", b"{}").unwrap_err(),
        load("model.fbx", b"Kaydara FBX Binary  \0").unwrap_err(),
        load("model.obj", b"v 1 2").unwrap_err(),
        load("model.morph", b"no cooked file").unwrap_err(),
        load_bytes("model.obj", obj, &target).unwrap_err(),
    ] {
        let messages = chain(&error);
        for (index, message) in messages.iter().enumerate() {
            let repeated = messages[..index]
                .iter()
                .any(|before| before.contains(message.as_str()));
            assert!(!repeated, "{messages:?}");
        }
    }
}
