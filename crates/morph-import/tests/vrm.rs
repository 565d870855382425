//! Expressions of VRM avatars, of both versions, sound and damaged.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Builder, check, load_bytes, shared_or_skip};
use morph_core::expression::{Override, Overrides, Procedural};
use morph_import::{
    BindProblem, ExpressionBind, GltfError, ImportOptions, Model, ModelExpression, PlaybackError,
    WarningKind, load,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A face of three targets that nodes 0 and 2 show, an eyelid of one target under node 1, and node 3 without a mesh.
fn avatar(extensions: Value) -> Builder {
    let mut builder = Builder::new();
    let delta = builder.floats(&[[0.0, 0.0, 1.0], [0.0; 3], [0.0; 3], [0.0; 3]]);
    let target = json!({ "POSITION": delta });
    let face = builder.quad(json!([target, target, target]));
    builder.mesh(json!({ "primitives": [face], "extras": { "targetNames": ["close", "smile", "open"] } }));
    let lid = builder.quad(json!([target]));
    builder.mesh(json!({ "primitives": [lid] }));
    builder.json["nodes"] = json!([{ "mesh": 0 }, { "mesh": 1 }, { "mesh": 0 }, {}]);
    builder.json["extensionsUsed"] = extensions.as_object().unwrap().keys().cloned().collect();
    builder.json["extensions"] = extensions;
    builder
}

fn vrm_1(expressions: &Value) -> Builder {
    avatar(json!({ "VRMC_vrm": { "specVersion": "1.0", "expressions": expressions } }))
}

fn vrm_0(groups: &Value) -> Builder {
    avatar(json!({ "VRM": { "blendShapeMaster": { "blendShapeGroups": groups } } }))
}

fn bind(node: usize, slot: usize, weight: f32) -> ExpressionBind {
    ExpressionBind { node, slot, weight }
}

fn only_warning(model: &Model) -> (&str, &WarningKind) {
    let [warning] = &model.warnings[..] else {
        panic!("{:?}", model.warnings)
    };
    (&warning.place, &warning.kind)
}

#[test]
fn vrm_1_presets_and_custom_ones() {
    let builder = vrm_1(&json!({
        "preset": {
            "blink": {
                "isBinary": true,
                "morphTargetBinds": [{ "node": 0, "index": 0, "weight": 1.0 }, { "node": 1, "index": 0, "weight": 0.5 }],
            },
            "happy": {
                "overrideBlink": "block", "overrideLookAt": "none", "overrideMouth": "blend",
                "morphTargetBinds": [{ "node": 2, "index": 1, "weight": 0.75 }],
            },
            "neutral": {},
        },
        "custom": { "aa": { "morphTargetBinds": [{ "node": 0, "index": 2, "weight": 1 }] } },
    }));
    let model = builder.model();
    assert_eq!(model.warnings, []);
    let preset = |name: &str| ModelExpression {
        name: name.to_owned(),
        is_preset: true,
        ..ModelExpression::default()
    };
    assert_eq!(
        model.expressions,
        [
            ModelExpression {
                kind: Some(Procedural::Blink),
                is_binary: true,
                binds: vec![bind(0, 0, 1.0), bind(1, 0, 0.5)],
                ..preset("blink")
            },
            ModelExpression {
                overrides: Overrides {
                    blink: Override::Block,
                    look_at: Override::None,
                    mouth: Override::Blend,
                },
                binds: vec![bind(2, 1, 0.75)],
                ..preset("happy")
            },
            preset("neutral"),
            // Called like a preset, but made by the avatar's maker: nothing drives it by itself.
            ModelExpression {
                name: "aa".to_owned(),
                binds: vec![bind(0, 2, 1.0)],
                ..ModelExpression::default()
            },
        ]
    );
}

#[test]
fn a_set_for_each_node_holds_back_across_nodes() {
    let model = vrm_1(&json!({ "preset": {
        "blink": { "morphTargetBinds": [{ "node": 0, "index": 0, "weight": 1 }] },
        "happy": {
            "overrideBlink": "blend",
            "morphTargetBinds": [{ "node": 2, "index": 1, "weight": 0.5 }],
        },
    } }))
    .model();
    let weights = |node: usize, values: &[f32]| {
        let set = model.expression_set(node).unwrap();
        assert_eq!(set.names().iter().collect::<Vec<_>>(), ["blink", "happy"]);
        let mut weights = vec![0.0; model.start_weights(node).len()];
        set.evaluate(values, &mut weights).unwrap();
        weights
    };
    // The smile shows on node 2 and holds the eyes of node 0 back.
    assert_eq!(weights(0, &[1.0, 0.25]), [0.75, 0.0, 0.0]);
    assert_eq!(weights(2, &[1.0, 0.25]), [0.0, 0.125, 0.0]);
    assert_eq!(weights(1, &[1.0, 0.25]), [0.0]);
    assert_eq!(weights(3, &[1.0, 1.0]), [0.0; 0]);
    assert_eq!(
        model.expression_set(4).unwrap_err(),
        PlaybackError::NoNode { node: 4, count: 4 }
    );
}

#[test]
fn vrm_0_groups_are_spread_over_the_nodes_of_their_mesh() {
    let model = vrm_0(&json!([
        {
            "name": "Blink_L", "presetName": "Blink_L", "isBinary": true,
            "binds": [{ "mesh": 0, "index": 0, "weight": 100 }, { "mesh": 1, "index": 0, "weight": 25.0 }],
        },
        { "name": "Cheeks", "presetName": "unknown", "binds": [{ "mesh": 1, "index": 0, "weight": 50 }] },
        { "presetName": "unknown", "binds": null },
        { "name": "Joy", "presetName": "joy" },
    ]))
    .model();
    assert_eq!(model.warnings, []);
    let told: Vec<_> = model
        .expressions
        .iter()
        .map(|it| (it.name.as_str(), it.is_preset, it.kind, it.is_binary))
        .collect();
    assert_eq!(
        told,
        [
            ("blinkLeft", true, Some(Procedural::Blink), true),
            ("Cheeks", false, None, false),
            ("expression_2", false, None, false),
            ("happy", true, None, false),
        ]
    );
    assert_eq!(
        model.expressions[0].binds,
        [bind(0, 0, 1.0), bind(2, 0, 1.0), bind(1, 0, 0.25)]
    );
    assert_eq!(model.expressions[1].binds, [bind(1, 0, 0.5)]);
}

#[test]
fn version_1_goes_before_0() {
    let model = avatar(json!({
        "VRM": { "blendShapeMaster": { "blendShapeGroups": [{ "name": "old" }] } },
        "VRMC_vrm": { "expressions": { "custom": { "new": {} } } },
    }))
    .model();
    assert_eq!(model.warnings, []);
    let names: Vec<&str> = model.expressions.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["new"]);
}

#[test]
fn bad_binds_are_told_and_left_out() {
    let good = json!({ "node": 0, "index": 1, "weight": 0.5 });
    let of =
        |node: Value, index: Value, weight: Value| json!({ "node": node, "index": index, "weight": weight });
    for (bad, problem) in [
        (
            of(json!(4), json!(0), json!(1)),
            BindProblem::NoSuchNode { node: 4, count: 4 },
        ),
        (of(json!(3), json!(0), json!(1)), BindProblem::NoMesh { node: 3 }),
        (
            of(json!(0), json!(3), json!(1)),
            BindProblem::NoSuchTarget { slot: 3, targets: 3 },
        ),
        (
            of(json!(0), json!(u64::MAX), json!(1)),
            BindProblem::NoSuchTarget {
                slot: u64::MAX,
                targets: 3,
            },
        ),
        (
            of(json!(0), json!(0), json!(1e39)),
            BindProblem::Weight { weight: 1e39 },
        ),
    ] {
        let model = vrm_1(&json!({ "custom": { "a": { "morphTargetBinds": [bad, good, bad] } } })).model();
        assert_eq!(model.expressions[0].binds, [bind(0, 1, 0.5)]);
        let (place, kind) = only_warning(&model);
        assert_eq!(place, "VRMC_vrm, expression 0 \"a\"");
        assert_eq!(kind, &WarningKind::ExpressionBindsLeftOut { binds: 2, problem });
    }
    for bad in [
        json!(null),
        json!(3),
        json!({}),
        of(json!(-1), json!(0), json!(1)),
        of(json!(0), json!(0.5), json!(1)),
        of(json!("x".repeat(1000)), json!(0), json!(1)),
        json!({ "node": 0, "index": 0 }),
    ] {
        let model = vrm_1(&json!({ "custom": { "a": { "morphTargetBinds": [good, bad] } } })).model();
        assert_eq!(model.expressions[0].binds, [bind(0, 1, 0.5)]);
        let problem = model.warnings[0].to_string();
        assert!(
            problem.contains("the first because it is malformed: "),
            "{problem}"
        );
        assert!(problem.len() < 200, "{problem}");
    }
}

#[test]
fn bad_binds_of_version_0_are_told_and_left_out() {
    for (bad, problem) in [
        (
            json!({ "mesh": 3, "index": 0, "weight": 1 }),
            BindProblem::NoSuchMesh { mesh: 3, count: 3 },
        ),
        (
            json!({ "mesh": 2, "index": 0, "weight": 1 }),
            BindProblem::NotShown { mesh: 2 },
        ),
        (
            json!({ "mesh": 1, "index": 1, "weight": 1 }),
            BindProblem::NoSuchTarget { slot: 1, targets: 1 },
        ),
    ] {
        let good = json!({ "mesh": 1, "index": 0, "weight": 100 });
        let mut builder = vrm_0(&json!([{ "name": "a", "binds": [bad, good] }]));
        let quad = builder.quad(json!([]));
        builder.json["meshes"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "primitives": [quad] }));
        let model = builder.model();
        assert_eq!(model.expressions[0].binds, [bind(1, 0, 1.0)]);
        let (place, kind) = only_warning(&model);
        assert_eq!(place, "VRM, expression 0 \"a\"");
        assert_eq!(kind, &WarningKind::ExpressionBindsLeftOut { binds: 1, problem });
    }
}

#[test]
fn damage_reaches_no_further_than_it_has_to() {
    let model = vrm_1(&json!({
        "preset": { "happy": { "isBinary": 3 }, "sad": { "overrideMouth": "sometimes" } },
        "custom": { "sad": {} },
    }))
    .model();
    let told: Vec<String> = model.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(
        told[0].starts_with("VRMC_vrm, expression 0 \"happy\": it is left out: invalid type: integer"),
        "{told:?}"
    );
    assert_eq!(
        told[1],
        "VRMC_vrm, expression 0 \"sad\": overrideMouth is \"sometimes\", which is none of none, block and blend; it is \
         taken for none"
    );
    assert_eq!(
        told[2],
        "VRMC_vrm, expression 1 \"sad\": an earlier expression has this name; it is called \"sad_2\""
    );
    let names: Vec<&str> = model.expressions.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["sad", "sad_2"]);

    for extensions in [
        json!({ "VRMC_vrm": 3 }),
        json!({ "VRMC_vrm": { "expressions": "none" } }),
        json!({ "VRMC_vrm": { "expressions": { "custom": [1] } } }),
        json!({ "VRM": [] }),
        json!({ "VRM": { "blendShapeMaster": 1 } }),
        json!({ "VRM": { "blendShapeMaster": { "blendShapeGroups": {} } } }),
        json!({ "VRM": { "blendShapeMaster": { "blendShapeGroups": [1] } } }),
    ] {
        let model = avatar(extensions).model();
        assert_eq!(model.expressions, []);
        let (_, kind) = only_warning(&model);
        assert!(matches!(kind, WarningKind::ExpressionsLeftOut { .. }), "{kind:?}");
    }
    // An avatar without any is no damage.
    for extensions in [
        json!({ "VRMC_vrm": {} }),
        json!({ "VRM": { "blendShapeMaster": {} } }),
    ] {
        assert_eq!(avatar(extensions).model().warnings, []);
    }
    let mut builder = avatar(json!({}));
    builder.json["extensions"] = json!(7);
    assert_eq!(builder.model().warnings.len(), 1);
}

#[test]
fn without_morphs_there_are_no_expressions() {
    let builder = vrm_1(
        &json!({ "custom": { "a": { "morphTargetBinds": [{ "node": 0, "index": 0, "weight": 1 }] } } }),
    );
    let options = ImportOptions {
        morphs: false,
        ..ImportOptions::default()
    };
    let model = builder.load_with(&options).unwrap();
    assert_eq!((model.expressions.len(), model.warnings.len()), (0, 0));
}

#[test]
fn a_vrm_file_is_a_glb() {
    let builder = vrm_1(&json!({ "custom": { "a": {} } }));
    let model = load_bytes("avatar.VRM", &builder.glb(), &ImportOptions::default()).unwrap();
    assert_eq!(model.expressions.len(), 1);
    let error = load_bytes("avatar.vrm", b"{}", &ImportOptions::default()).map(|_| ());
    assert!(error.unwrap_err().to_string().contains("missing field `asset`"));
}

#[test]
fn binds_that_multiply_past_all_measure_are_refused() {
    // 2,000 nodes times 5,000 binds would be ten million entries of 24 bytes.
    let one = json!({ "mesh": 0, "index": 0, "weight": 1 });
    let mut builder = vrm_0(&json!([{ "name": "a", "binds": vec![one; 5000] }]));
    builder.json["nodes"] = json!(vec![json!({ "mesh": 0 }); 2000]);
    assert!(matches!(builder.refused(), GltfError::TooMuch { .. }));
}

#[test]
fn an_avatar_that_others_made_has_all_its_binds() {
    let Some(shared) = shared_or_skip(&["the expressions of an avatar, against its JSON"]) else {
        return;
    };
    let path = shared.join("assets/threevrm_cube/cube.gltf");
    let model = load(&path, &ImportOptions::default()).unwrap();
    let document: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let presets = document["extensions"]["VRMC_vrm"]["expressions"]["preset"]
        .as_object()
        .unwrap();
    assert_eq!(model.expressions.len(), presets.len());
    for expression in &model.expressions {
        let described = presets[&expression.name]["morphTargetBinds"].as_array();
        let binds: Vec<Value> = expression
            .binds
            .iter()
            .map(|bind| json!({ "node": bind.node, "index": bind.slot, "weight": f64::from(bind.weight) }))
            .collect();
        let described = described.cloned().unwrap_or_default();
        let numbers = |binds: &[Value]| -> Vec<[Option<f64>; 3]> {
            let of = |bind: &Value| ["node", "index", "weight"].map(|name| bind[name].as_f64());
            binds.iter().map(of).collect()
        };
        assert_eq!(numbers(&binds), numbers(&described), "{}", expression.name);
    }
    let told = |kind: &WarningKind| kind.to_string().contains("VRMC_vrm");
    assert!(!model.warnings.iter().any(|warning| told(&warning.kind)));
}

/// Any JSON, three levels deep.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-2_i64..200).prop_map(Value::from),
        any::<f32>().prop_map(|x| json!(f64::from(x))),
        "[a-z]{0,5}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// A name that a reader knows, or another.
fn name() -> impl Strategy<Value = String> {
    let known = vec![
        "preset",
        "custom",
        "blink",
        "happy",
        "isBinary",
        "overrideMouth",
        "morphTargetBinds",
        "binds",
        "node",
        "mesh",
        "index",
        "weight",
        "name",
        "presetName",
    ];
    prop_oneof![prop::sample::select(known).prop_map(str::to_owned), "[a-z]{0,4}"]
}

/// Adds a field that no version knows to every object.
fn with_unknown(value: &mut Value, unknown: &Value, is_map_of_names: bool) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                with_unknown(field, unknown, name == "preset" || name == "custom");
            }
            // There the fields are the expressions themselves.
            if !is_map_of_names {
                fields.insert("vendorData".to_owned(), unknown.clone());
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| with_unknown(item, unknown, false)),
        _ => {}
    }
}

proptest! {
    #[test]
    fn unknown_fields_do_not_matter(unknown in any_json()) {
        let one = json!({
            "preset": { "blink": { "morphTargetBinds": [{ "node": 0, "index": 0, "weight": 1.0 }] } },
            "custom": { "b": { "overrideBlink": "block", "morphTargetBinds": [{ "node": 9, "index": 0, "weight": 1 }] } },
        });
        let groups = json!([{ "name": "a", "presetName": "o", "binds": [{ "mesh": 0, "index": 2, "weight": 50 }] }]);
        for builder in [vrm_1(&one), vrm_0(&groups)] {
            let plain = builder.model();
            let mut more = builder.clone();
            with_unknown(&mut more.json["extensions"], &unknown, false);
            let model = more.model();
            prop_assert_eq!(&model.expressions, &plain.expressions);
            prop_assert_eq!(&model.warnings, &plain.warnings);
        }
    }

    /// What is handed out fits the model, whatever the extension says.
    #[test]
    fn no_extension_fails_a_file(inside in any_json(), list in any_json()) {
        for extensions in [
            json!({ "VRMC_vrm": inside }),
            json!({ "VRMC_vrm": { "expressions": { "preset": inside, "custom": { "a": list } } } }),
            json!({ "VRMC_vrm": { "expressions": { "custom": { "a": { "morphTargetBinds": list } } } } }),
            json!({ "VRM": { "blendShapeMaster": inside } }),
            json!({ "VRM": { "blendShapeMaster": { "blendShapeGroups": [inside, list] } } }),
            json!({ "VRM": { "blendShapeMaster": { "blendShapeGroups": [{ "binds": list }] } } }),
        ] {
            let model = avatar(extensions).load().unwrap();
            check(&model);
            for bind in model.expressions.iter().flat_map(|it| &it.binds) {
                let mesh = model.nodes[bind.node].mesh.unwrap();
                prop_assert!(bind.slot < model.meshes[mesh].target_names.len());
                prop_assert!(bind.weight.is_finite());
            }
        }
    }
}
