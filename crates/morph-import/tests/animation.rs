//! Animations: what becomes a track, with which keys, and what is left out.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Builder, warning_kinds};
use morph_anim::{Channel, Clip, CubicKey, Curve, CurveError, Keys};
use morph_import::{ChannelProblem, GltfError, ImportOptions, Part, WarningKind};
use serde_json::{Value, json};

/// Node 0 has a quad with targets that move one vertex each, called `a`, `b` and so on.
fn quad_with_targets(count: u8) -> Builder {
    let mut builder = Builder::new();
    let delta = builder.sparse_vec3(4, 0, [1.0, 0.0, 0.0]);
    let targets: Vec<Value> = (0..count).map(|_| json!({ "POSITION": delta })).collect();
    let quad = builder.quad(json!(targets));
    let names: Vec<String> = (0..count)
        .map(|slot| char::from(b'a' + slot).to_string())
        .collect();
    builder.mesh(json!({ "primitives": [quad], "extras": { "targetNames": names } }));
    builder
}

/// An animation of one sampler for every channel.
fn animate(builder: &mut Builder, sampler: &Value, targets: &[Value]) {
    let channels: Vec<Value> = targets
        .iter()
        .map(|target| json!({ "sampler": 0, "target": target }))
        .collect();
    builder.json["animations"] = json!([{ "name": "clip", "samplers": [sampler], "channels": channels }]);
}

fn scalars(builder: &mut Builder, values: &[f32]) -> usize {
    builder.floats(&values.iter().map(|&value| [value]).collect::<Vec<_>>())
}

/// A quad whose weights are driven by these times and values.
fn weights(count: u8, interpolation: &str, times: &[f32], values: &[f32]) -> Builder {
    let mut builder = quad_with_targets(count);
    let sampler = json!({
        "input": scalars(&mut builder, times),
        "output": scalars(&mut builder, values),
        "interpolation": interpolation,
    });
    animate(&mut builder, &sampler, &[json!({ "node": 0, "path": "weights" })]);
    builder
}

/// The curve of a target's weight.
fn weight<'a>(clip: &'a Clip, name: &str) -> &'a Curve<1> {
    let curve = clip.tracks.iter().find_map(|track| match &track.channel {
        Channel::Weight { target, curve } if target == name => Some(curve),
        _ => None,
    });
    curve.unwrap()
}

fn left_out(problem: ChannelProblem) -> WarningKind {
    WarningKind::ChannelLeftOut { problem }
}

#[test]
fn b087_weights_that_drive_nothing_are_told_and_the_rest_plays() {
    let mut builder = quad_with_targets(0);
    builder.json["nodes"].as_array_mut().unwrap().push(json!({}));
    let times = builder.floats(&[[0.0], [1.0]]);
    let values = builder.floats(&[[0.0; 3], [1.0; 3]]);
    animate(
        &mut builder,
        &json!({ "input": times, "output": values }),
        &[
            json!({ "node": 0, "path": "weights" }),
            json!({ "node": 1, "path": "weights" }),
            json!({ "path": "translation" }),
            json!({ "node": 1, "path": "color" }),
            json!({ "node": 1, "path": "translation" }),
        ],
    );
    let model = builder.model();
    assert_eq!(model.clips.len(), 1);
    assert_eq!(model.clips[0].tracks.len(), 1);
    assert_eq!(model.clips[0].tracks[0].node, "node_1");
    assert!(matches!(
        model.clips[0].tracks[0].channel,
        Channel::Translation(_)
    ));
    assert_eq!(
        warning_kinds(&model),
        [
            &left_out(ChannelProblem::NoTargets),
            &left_out(ChannelProblem::NoMesh),
            &left_out(ChannelProblem::NoNode),
            &left_out(ChannelProblem::Path {
                path: "color".to_owned()
            }),
        ]
    );
    assert_eq!(model.warnings[1].place, "animation 0 \"clip\", channel 1");
}

#[test]
fn b089_b090_a_spline_has_all_tangents_of_a_key_then_all_values() {
    #[rustfmt::skip]
    let values = [
        // Key 0: tangents before, values and tangents behind of targets a and b; then the same of key 1.
        0.0, 0.5, 0.0, 1.0, 0.0, 7.0,
        0.0, 9.0, 1.0, 0.0, 0.0, 0.25,
    ];
    let model = weights(2, "CUBICSPLINE", &[0.0, 2.0], &values).model();
    let key = |in_tangent: f32, value: f32, out_tangent: f32| CubicKey {
        in_tangent: [in_tangent],
        value: [value],
        out_tangent: [out_tangent],
    };
    let clip = &model.clips[0];
    assert_eq!(
        weight(clip, "a").keys(),
        &Keys::CubicSpline(vec![key(0.0, 0.0, 0.0), key(0.0, 1.0, 0.0)])
    );
    assert_eq!(
        weight(clip, "b").keys(),
        &Keys::CubicSpline(vec![key(0.5, 1.0, 7.0), key(9.0, 0.0, 0.25)])
    );
    assert!(model.warnings.is_empty());
}

#[test]
fn b091_two_targets_have_every_key_each() {
    let model = weights(2, "LINEAR", &[0.0, 1.0, 2.0], &[0.0, 10.0, 1.0, 11.0, 2.0, 12.0]).model();
    let clip = &model.clips[0];
    assert_eq!(clip.tracks.len(), 2);
    assert_eq!(weight(clip, "a").keys(), &Keys::Linear(vec![[0.0], [1.0], [2.0]]));
    assert_eq!(
        weight(clip, "b").keys(),
        &Keys::Linear(vec![[10.0], [11.0], [12.0]])
    );
    // One list of times stands for both.
    assert!(std::ptr::eq(weight(clip, "a").times(), weight(clip, "b").times()));
}

#[test]
fn b093_step_stays_step() {
    let model = weights(2, "STEP", &[0.0, 1.0], &[0.0, 1.0, 1.0, 0.0]).model();
    assert_eq!(
        weight(&model.clips[0], "a").keys(),
        &Keys::Step(vec![[0.0], [1.0]])
    );
    assert_eq!(
        weight(&model.clips[0], "b").keys(),
        &Keys::Step(vec![[1.0], [0.0]])
    );
}

#[test]
fn b095_b097_times_stay_as_the_file_has_them() {
    let model = weights(1, "LINEAR", &[1.5, 2.5], &[0.0, 1.0]).model();
    assert_eq!(weight(&model.clips[0], "a").times(), [1.5, 2.5]);
    assert_eq!(model.clips[0].duration(), 2.5);

    let mut builder = quad_with_targets(1);
    let early = scalars(&mut builder, &[0.0, 1.0]);
    let late = scalars(&mut builder, &[2.0, 3.0]);
    let moves = builder.floats(&[[0.0; 3]; 2]);
    // The third sampler is used by nothing, so its times do not count and it need not be there.
    builder.json["animations"] = json!([{
        "samplers": [
            { "input": early, "output": early },
            { "input": late, "output": moves },
            { "input": 999, "output": 999 },
        ],
        "channels": [
            { "sampler": 0, "target": { "node": 0, "path": "weights" } },
            { "sampler": 1, "target": { "node": 0, "path": "scale" } },
        ],
    }]);
    let model = builder.model();
    let clip = &model.clips[0];
    assert_eq!(weight(clip, "a").times(), [0.0, 1.0]);
    assert!(matches!(&clip.tracks[1].channel, Channel::Scale(curve) if curve.times() == [2.0, 3.0]));
    assert_eq!(clip.duration(), 3.0);
    builder.json["animations"][0]["channels"][0]["sampler"] = json!(3);
    assert!(matches!(
        builder.refused(),
        GltfError::NoSuchItem {
            kind: "sampler",
            index: 3,
            count: 3
        }
    ));
}

#[test]
fn b099_no_animation_or_none_of_weights_leaves_the_weights_at_rest() {
    let mut builder = quad_with_targets(2);
    let model = builder.model();
    assert!(model.clips.is_empty());
    assert_eq!(model.start_weights(0), [0.0, 0.0]);

    let times = builder.floats(&[[0.5], [2.5]]);
    let values = builder.floats(&[[0.0; 3]; 2]);
    animate(
        &mut builder,
        &json!({ "input": times, "output": values }),
        &[json!({ "node": 0, "path": "translation" })],
    );
    let model = builder.model();
    assert_eq!(model.clips[0].name, "clip");
    assert_eq!(model.clips[0].duration(), 2.5);
    assert!(
        matches!(model.clips[0].tracks[..], [ref track] if matches!(track.channel, Channel::Translation(_)))
    );
    assert_eq!(model.start_weights(0), [0.0, 0.0]);
}

#[test]
fn b014_outputs_may_be_normalized_integers_and_sparse() {
    let mut builder = quad_with_targets(2);
    let times = scalars(&mut builder, &[0.0, 1.0]);
    let bytes = builder.view(&[0, 255, 51, 0]);
    let mut output = json!({
        "bufferView": bytes, "componentType": 5121, "normalized": true, "count": 4, "type": "SCALAR",
    });
    let plain = builder.accessor(output.clone());
    let (at, value) = (builder.view(&[2]), builder.view(&[204]));
    output["sparse"] = json!({
        "count": 1,
        "indices": { "bufferView": at, "componentType": 5121 },
        "values": { "bufferView": value },
    });
    let sparse = builder.accessor(output);
    for (output, third) in [(plain, 0.2), (sparse, 0.8)] {
        let sampler = json!({ "input": times, "output": output });
        animate(&mut builder, &sampler, &[json!({ "node": 0, "path": "weights" })]);
        let model = builder.model();
        assert_eq!(
            weight(&model.clips[0], "a").keys(),
            &Keys::Linear(vec![[0.0], [third]])
        );
        assert_eq!(
            weight(&model.clips[0], "b").keys(),
            &Keys::Linear(vec![[1.0], [0.0]])
        );
    }

    // A rotation of 16-bit integers, as quantizing exporters write it.
    let words: Vec<u8> = [0_i16, 0, 0, 32767, -32768, 0, 0, 0]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let view = builder.view(&words);
    let rotation = builder.accessor(json!({
        "bufferView": view, "componentType": 5122, "normalized": true, "count": 2, "type": "VEC4",
    }));
    let sampler = json!({ "input": times, "output": rotation });
    animate(
        &mut builder,
        &sampler,
        &[json!({ "node": 0, "path": "rotation" })],
    );
    let model = builder.model();
    let Channel::Rotation(curve) = &model.clips[0].tracks[0].channel else {
        panic!("another channel")
    };
    assert_eq!(
        curve.keys(),
        &Keys::Linear(vec![[0.0, 0.0, 0.0, 1.0], [-1.0, 0.0, 0.0, 0.0]])
    );
}

#[test]
fn pointers_lead_to_what_nodes_have() {
    let mut builder = quad_with_targets(2);
    builder.json["nodes"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "name": "other", "mesh": 0 }));
    let times = scalars(&mut builder, &[0.0, 3.0]);
    let one_each = scalars(&mut builder, &[0.5, 0.75]);
    let two_each = scalars(&mut builder, &[0.0, 0.1, 0.2, 0.3]);
    let vectors = builder.floats(&[[1.0; 3], [2.0; 3]]);
    let turns = builder.floats(&[[0.0, 0.0, 0.0, 1.0]; 2]);
    let samplers: Vec<Value> = [one_each, two_each, vectors, turns]
        .iter()
        .map(|output| json!({ "input": times, "output": output }))
        .collect();
    let channel = |sampler: usize, pointer: Value| {
        json!({
            "sampler": sampler,
            "target": { "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": pointer } } },
        })
    };
    let elsewhere = [
        "/meshes/0/weights/0",
        "/materials/0/weights",
        "/nodes/0/matrix",
        "/nodes/00/scale",
        "/nodes/+1/scale",
        "/nodes/0/weights/1/",
        "nodes/0/scale",
        "",
    ];
    let mut channels = vec![
        channel(1, json!("/nodes/0/weights")),
        channel(0, json!("/nodes/1/weights/1")),
        channel(2, json!("/nodes/0/translation")),
        channel(3, json!("/nodes/0/rotation")),
        channel(2, json!("/nodes/1/scale")),
        // Driven already, and a target that is not there.
        channel(0, json!("/nodes/0/weights/0")),
        channel(0, json!("/nodes/0/weights/2")),
    ];
    channels.extend(elsewhere.map(|pointer| channel(0, json!(pointer))));
    channels.push(channel(0, Value::Null));
    builder.json["animations"] = json!([{ "samplers": samplers, "channels": channels }]);
    builder.json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
    builder.json["extensionsRequired"] = json!(["KHR_animation_pointer"]);

    let model = builder.model();
    let tracks: Vec<(&str, &str)> = model.clips[0]
        .tracks
        .iter()
        .map(|track| {
            let what = match &track.channel {
                Channel::Translation(_) => "translation",
                Channel::Rotation(_) => "rotation",
                Channel::Scale(_) => "scale",
                Channel::Weight { target, .. } => target,
            };
            (track.node.as_str(), what)
        })
        .collect();
    assert_eq!(
        tracks,
        [
            ("node_0", "a"),
            ("node_0", "b"),
            ("other", "b"),
            ("node_0", "translation"),
            ("node_0", "rotation"),
            ("other", "scale")
        ]
    );
    let mut expected = vec![
        left_out(ChannelProblem::Repeated),
        left_out(ChannelProblem::NoSuchTarget { slot: 2, targets: 2 }),
    ];
    let pointer = |pointer: &str| {
        left_out(ChannelProblem::Pointer {
            pointer: pointer.to_owned(),
        })
    };
    expected.extend(elsewhere.iter().map(|text| pointer(text)));
    expected.push(pointer(""));
    assert_eq!(warning_kinds(&model), expected.iter().collect::<Vec<_>>());

    builder.json["animations"][0]["channels"][0] = channel(0, json!("/nodes/2/scale"));
    assert!(matches!(
        builder.refused(),
        GltfError::NoSuchItem {
            kind: "node",
            index: 2,
            count: 2
        }
    ));
}

#[test]
fn keys_that_are_no_curve_are_left_out_and_told() {
    let problem = |interpolation: &str, times: &[f32], values: &[f32]| {
        let model = weights(2, interpolation, times, values).model();
        assert!(model.clips[0].tracks.is_empty());
        match &model.warnings[..] {
            [warning] => warning.kind.clone(),
            others => panic!("{others:?}"),
        }
    };
    let count = |found, keys, per_key| left_out(ChannelProblem::ValueCount { found, keys, per_key });
    assert_eq!(problem("LINEAR", &[0.0, 1.0], &[0.0; 3]), count(3, 2, 2));
    assert_eq!(problem("CUBICSPLINE", &[0.0, 1.0], &[0.0; 4]), count(4, 2, 6));
    let curve = |error| left_out(ChannelProblem::Curve(error));
    assert_eq!(
        problem("LINEAR", &[1.0, 1.0], &[0.0; 4]),
        curve(CurveError::Time { key: 1, time: 1.0 })
    );
    assert_eq!(
        problem("STEP", &[0.0, f32::INFINITY], &[0.0; 4]),
        curve(CurveError::Time {
            key: 1,
            time: f32::INFINITY
        })
    );
    assert_eq!(
        problem("STEP", &[0.0], &[0.0, f32::NAN]),
        curve(CurveError::NotFinite { key: 0 })
    );
    assert_eq!(
        problem("CUBICSPLINE", &[0.0], &[0.0; 6]),
        curve(CurveError::TooFewKeys { least: 2, found: 1 })
    );
    assert_eq!(
        problem("BEZIER", &[0.0], &[0.0; 2]),
        left_out(ChannelProblem::Interpolation {
            found: "BEZIER".to_owned()
        })
    );
}

#[test]
fn a_channel_whose_data_cannot_be_read_is_a_damaged_part() {
    let mut builder = weights(1, "LINEAR", &[0.0, 1.0], &[0.0, 1.0]);
    let output = builder.json["animations"][0]["samplers"][0]["output"]
        .as_u64()
        .unwrap() as usize;
    builder.json["accessors"][output]["count"] = json!(200);
    assert!(matches!(builder.refused(), GltfError::OutOfRange { .. }));
    let text = builder.load_strictly().unwrap_err().to_string();
    let place = format!("animation 0 \"clip\", channel 0, sampler 0, output (accessor {output})");
    assert!(text.contains(&place), "{text}");
    let model = builder.model();
    assert!(model.clips[0].tracks.is_empty());
    assert_eq!(common::left_out(&model), [(place.as_str(), Part::Channel)]);
}

#[test]
fn curves_of_weights_that_are_left_out_are_left_out_in_silence() {
    let builder = weights(1, "LINEAR", &[0.0, 1.0], &[0.0, 1.0]);
    let options = ImportOptions {
        morphs: false,
        ..ImportOptions::default()
    };
    let model = builder.load_with(&options).unwrap();
    assert!(model.clips[0].tracks.is_empty());
    assert!(model.warnings.is_empty());
}

#[test]
fn channels_that_multiply_are_bounded_by_the_file() {
    let mut builder = quad_with_targets(1);
    let times: Vec<f32> = (0..50_000).map(|key| key as f32).collect();
    let times = scalars(&mut builder, &times);
    let sampler = json!({ "input": times, "output": times });
    let nodes: Vec<Value> = (0..3_000).map(|_| json!({ "mesh": 0 })).collect();
    let channels: Vec<Value> = (0..nodes.len())
        .map(|node| json!({ "node": node, "path": "weights" }))
        .collect();
    builder.json["nodes"] = json!(nodes);
    animate(&mut builder, &sampler, &channels);
    assert!(matches!(builder.refused(), GltfError::TooMuch { .. }));
}
