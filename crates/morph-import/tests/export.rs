//! What is written is read again as it was, to the last bit.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may panic, and say what they skip"
)]

mod common;

use common::{Builder, load_bytes};
use morph_anim::{self as animation, Clip, Curve, Keys, Track};
use morph_core::rig::{Channel, Rig};
use morph_core::{MorphMesh, MorphTarget, NameTable, SetDeltas};
use morph_import::export::{ExportNote, to_glb, to_obj};
use morph_import::{ImportOptions, Mesh, Model, ModelExpression, load};
use proptest::prelude::*;
use serde_json::json;

/// Writes a model, reads it, and compares the two.
#[track_caller]
fn assert_round_trip(model: &Model, place: &str) -> Vec<ExportNote> {
    let (bytes, notes) = to_glb(model).unwrap();
    let again = load_bytes("again.glb", &bytes, &ImportOptions::default()).unwrap();
    let empty = |mesh: &&Mesh| mesh.primitives.iter().all(|it| it.positions.is_empty());
    let meshes: Vec<&Mesh> = model.meshes.iter().filter(|mesh| !empty(mesh)).collect();
    assert_eq!(again.meshes.len(), meshes.len(), "{place}");
    for (was, is) in meshes.iter().zip(&again.meshes) {
        assert_eq!(
            (&was.name, &was.target_names),
            (&is.name, &is.target_names),
            "{place}"
        );
        assert_eq!(was.default_weights, is.default_weights, "{place}");
        let written = was.primitives.iter().filter(|it| !it.positions.is_empty());
        for (was, is) in written.zip(&is.primitives) {
            assert_eq!(
                (&was.positions, &was.normals, &was.tangents),
                (&is.positions, &is.normals, &is.tangents),
                "{place}"
            );
            assert_eq!(
                (&was.texcoords, &was.colors),
                (&is.texcoords, &is.colors),
                "{place}"
            );
            assert_eq!(
                (&was.indices, was.topology),
                (&is.indices, is.topology),
                "{place}"
            );
            assert_eq!(was.material, is.material, "{place}");
            for (slot, (was, is)) in was.targets.iter().zip(&is.targets).enumerate() {
                assert_eq!(canonical(was), canonical(is), "{place}, target {slot}");
            }
        }
    }
    let added = notes
        .iter()
        .filter(|note| matches!(note, ExportNote::RootAdded { .. }))
        .count();
    assert_eq!(again.nodes.len(), model.nodes.len() + added, "{place}");
    for (was, is) in model.nodes.iter().zip(&again.nodes) {
        assert_eq!(
            (&was.name, &was.id, was.parent.or(is.parent), was.skin),
            (&is.name, &is.id, is.parent, is.skin),
            "{place}"
        );
        assert!(
            was.parent.is_some() || is.parent.is_none() || added == 1,
            "{place}"
        );
        assert_eq!(was.weights, is.weights, "{place}");
        assert!(
            was.local
                .abs_diff_eq(is.local, 1e-6 * (1.0 + was.local.x_axis.length())),
            "{place}: {was:?} {is:?}"
        );
    }
    assert_eq!(again.skins, model.skins, "{place}");
    if notes.is_empty() {
        assert_eq!(again.clips.len(), model.clips.len(), "{place}");
        for (was, is) in model.clips.iter().zip(&again.clips) {
            assert_eq!(was.name, is.name, "{place}");
            assert_eq!(was.tracks.len(), is.tracks.len(), "{place}, clip {:?}", was.name);
            for track in &was.tracks {
                assert!(
                    is.tracks.contains(track),
                    "{place}, clip {:?}: {track:?}",
                    was.name
                );
            }
        }
    }
    assert_eq!(
        to_glb(model).unwrap().0,
        bytes,
        "{place}: another run gave other bytes"
    );
    notes
}

/// A target in the one form that equal targets have: rising vertices, no streams or sets without a delta.
fn canonical(target: &MorphTarget) -> MorphTarget {
    let mut order: Vec<usize> = (0..target.vertices.len()).collect();
    order.sort_by_key(|&entry| target.vertices[entry]);
    let sorted = |stream: &Option<Vec<[f32; 3]>>| {
        let stream = stream.as_ref()?;
        let moves = stream.iter().any(|delta| *delta != [0.0; 3]);
        moves.then(|| order.iter().map(|&entry| stream[entry]).collect())
    };
    MorphTarget {
        name: target.name.clone(),
        positions: sorted(&target.positions),
        normals: sorted(&target.normals),
        tangents: sorted(&target.tangents),
        vertices: order.iter().map(|&entry| target.vertices[entry]).collect(),
        texcoords: canonical_sets(&target.texcoords),
        colors: canonical_sets(&target.colors),
    }
}

fn canonical_sets<const N: usize>(sets: &[SetDeltas<N>]) -> Vec<SetDeltas<N>> {
    let mut sets: Vec<SetDeltas<N>> = sets
        .iter()
        .filter(|set| !set.vertices.is_empty())
        .cloned()
        .collect();
    sets.sort_by_key(|set| set.set);
    sets
}

#[test]
fn real_models_come_back_as_they_were() {
    let Some(shared) = common::shared_or_skip(&["every real glTF file, written and read again"]) else {
        return;
    };
    let mut files = Vec::new();
    common::files_below(&shared.join("assets"), &mut files);
    let (mut compared, mut refused) = (0, 0);
    for file in files {
        let ending = file.extension().unwrap_or_default();
        if ending != "glb" && ending != "gltf" {
            continue;
        }
        match load(&file, &ImportOptions::default()) {
            Ok(model) => {
                let notes = assert_round_trip(&model, &file.display().to_string());
                for note in notes {
                    println!("{}: {note}", file.display());
                }
                compared += 1;
            }
            Err(_) => refused += 1,
        }
    }
    println!("{compared} models came back as they were; {refused} cannot be read");
    assert!(compared > 100);
}

#[test]
fn deltas_stay_sparse_where_that_is_smaller() {
    let mut builder = Builder::new();
    let count = 200;
    let positions: Vec<[f32; 3]> = (0..count).map(|i| [i as f32, 0.0, 0.0]).collect();
    let mut one = vec![[0.0; 3]; count];
    one[7] = [0.0, 1.0, 0.0];
    let position = builder.floats(&positions);
    let (few, all) = (builder.floats(&one), builder.floats(&positions));
    builder.mesh(json!({ "primitives": [{
        "attributes": { "POSITION": position }, "mode": 0,
        "targets": [{ "POSITION": few }, { "POSITION": all }],
    }] }));
    let model = builder.model();
    assert!(assert_round_trip(&model, "points").is_empty());
    let (glb, _) = to_glb(&model).unwrap();
    let (document, _) = common::unpack_glb(&glb);
    let target = |slot: usize| {
        let at = document["meshes"][0]["primitives"][0]["targets"][slot]["POSITION"]
            .as_u64()
            .unwrap();
        &document["accessors"][at as usize]
    };
    assert_eq!(target(0)["sparse"]["count"], 1);
    assert_eq!(target(0)["max"], json!([0.0, 1.0, 0.0]));
    assert!(target(1).get("sparse").is_none());
}

#[test]
fn a_clip_that_leaves_a_target_alone_still_does() {
    let mut builder = Builder::new();
    let deltas = [[0.0, 0.0, 1.0]; 4];
    let (a, b) = (builder.floats(&deltas), builder.floats(&deltas));
    let quad = builder.quad(json!([{ "POSITION": a }, { "POSITION": b }]));
    builder.mesh(json!({ "primitives": [quad], "extras": { "targetNames": ["a", "b"] } }));
    let mut model = builder.model();
    let curve = morph_anim::Curve::new(vec![0.0, 1.0], morph_anim::Keys::Linear(vec![[0.0], [2.0]])).unwrap();
    model.clips.push(morph_anim::Clip {
        name: "half".to_owned(),
        tracks: vec![morph_anim::Track {
            node: model.nodes[0].id.clone(),
            channel: morph_anim::Channel::Weight {
                target: "b".to_owned(),
                curve,
            },
        }],
    });
    assert!(assert_round_trip(&model, "half a clip").is_empty());
}

#[test]
fn what_cannot_be_written_is_told() {
    let mut builder = Builder::new();
    let quad = builder.quad(json!([]));
    builder.mesh(json!({ "primitives": [quad] }));
    let mut model = builder.model();
    let curve = morph_anim::Curve::new(vec![0.0], morph_anim::Keys::Step(vec![[1.0]])).unwrap();
    model.clips.push(morph_anim::Clip {
        name: String::new(),
        tracks: vec![morph_anim::Track {
            node: "nobody".to_owned(),
            channel: morph_anim::Channel::Weight {
                target: "b".to_owned(),
                curve,
            },
        }],
    });
    let (_, notes) = to_glb(&model).unwrap();
    assert_eq!(
        notes,
        [
            ExportNote::LostTrack {
                clip: 0,
                what: "node \"nobody\"".to_owned()
            },
            ExportNote::EmptyClips {
                clips: vec![0],
                renumbered: Vec::new()
            },
        ]
    );
    model.meshes[0].primitives[0].indices[0] = 4;
    let error = to_glb(&model).unwrap_err();
    assert_eq!(
        error.to_string(),
        "mesh 0, primitive 0: there is no vertex 4, only 4"
    );
}

/// A clip of one track for a node, or of none.
fn clip(name: &str, node: Option<&str>) -> Clip {
    let curve = Curve::new(vec![0.0], Keys::Step(vec![[1.0; 3]])).unwrap();
    let track = |node: &str| Track {
        node: node.to_owned(),
        channel: animation::Channel::Translation(curve.clone()),
    };
    Clip {
        name: name.to_owned(),
        tracks: node.map(track).into_iter().collect(),
    }
}

#[test]
fn clips_that_get_other_numbers_are_told_with_both() {
    let mut builder = Builder::new();
    let quad = builder.quad(json!([]));
    builder.mesh(json!({ "primitives": [quad] }));
    let mut model = builder.model();
    let node = model.nodes[0].id.clone();
    let moves = |name| clip(name, Some(&node));
    model.clips = vec![
        moves("a"),
        clip("b", None),
        moves("c"),
        clip("d", None),
        moves("e"),
    ];
    let (glb, notes) = to_glb(&model).unwrap();
    let texts: Vec<String> = notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "clips 1, 3 drive nothing and are left out, as glTF has no clip without channels; of those behind, clip 2 \
             becomes 1, 4 becomes 2"
        ]
    );
    let read = load_bytes("x.glb", &glb, &ImportOptions::default()).unwrap();
    let names: Vec<&str> = read.clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!(names, ["a", "c", "e"]);
    model.clips = vec![clip("z", None)];
    assert_eq!(
        to_glb(&model).unwrap().1[0].to_string(),
        "clip 0 drives nothing and is left out, as glTF has no clip without channels"
    );
}

#[test]
fn expressions_point_to_the_format_that_keeps_them() {
    let mut builder = Builder::new();
    let quad = builder.quad(json!([]));
    builder.mesh(json!({ "primitives": [quad] }));
    let mut model = builder.model();
    model.expressions.push(ModelExpression::default());
    let (glb, notes) = to_glb(&model).unwrap();
    assert_eq!(notes, [ExportNote::ExpressionsLost { count: 1 }]);
    assert!(notes[0].to_string().contains("`morph pack`"), "{}", notes[0]);
    // What only an avatar's own program could write is not there in part either.
    assert!(!String::from_utf8_lossy(&glb).contains("VRM"));
    assert_eq!(to_obj(&model).1, [ExportNote::NotInObj { what: "expressions" }]);
}

#[test]
fn more_targets_than_can_be_built_are_told() {
    let mut builder = Builder::new();
    let quad = builder.quad(json!([]));
    builder.mesh(json!({ "primitives": [quad] }));
    let mut model = builder.model();
    let limit = MorphMesh::MAX_TARGET_COUNT;
    let mut set = |count: usize| {
        let mesh = &mut model.meshes[0];
        mesh.target_names = (0..count).map(|slot| format!("t{slot}")).collect();
        mesh.default_weights = vec![0.0; count];
        let targets = mesh.target_names.iter().map(MorphTarget::empty);
        mesh.primitives[0].targets = targets.collect();
        to_glb(&model).unwrap().1
    };
    assert_eq!(set(limit), []);
    let (mesh, count) = (0, limit + 1);
    assert_eq!(set(count), [ExportNote::ManyTargets { mesh, count, limit }]);
}

#[test]
fn obj_counts_each_list_over_the_whole_file() {
    let mut builder = Builder::new();
    let plain = builder.quad(json!([]));
    let mut full = builder.full_quad(json!([]));
    let texcoord = builder.floats(&[[0.0, 0.25]; 4]);
    full["attributes"]["TEXCOORD_0"] = json!(texcoord);
    builder.mesh(json!({ "primitives": [plain, full] }));
    builder.json["nodes"][0]["translation"] = json!([1.0, 0.0, 0.0]);
    let (text, notes) = to_obj(&builder.model());
    assert!(notes.is_empty());
    let lines = |start: &str| {
        text.lines()
            .filter(|line| line.starts_with(start))
            .collect::<Vec<_>>()
    };
    assert_eq!(lines("v ")[0], "v 1 0 0");
    assert_eq!(lines("vt ")[0], "vt 0 0.75");
    assert_eq!(
        lines("f "),
        ["f 1 2 3", "f 1 3 4", "f 5/1/1 6/2/2 7/3/3", "f 5/1/1 7/3/3 8/4/4"]
    );
}

proptest! {
    #[test]
    fn any_target_comes_back(
        deltas in prop::collection::vec(prop::array::uniform3(-2.0f32..2.0), 1..40),
        keep in prop::collection::vec(any::<bool>(), 40),
        weight in -3.0f32..3.0,
    ) {
        let mut builder = Builder::new();
        let sparse: Vec<[f32; 3]> = deltas.iter().zip(&keep).map(|(&it, &keep)| if keep { it } else { [0.0; 3] }).collect();
        let (position, target) = (builder.floats(&deltas), builder.floats(&sparse));
        builder.mesh(json!({ "weights": [weight], "primitives": [{
            "attributes": { "POSITION": position }, "mode": 0, "targets": [{ "POSITION": target }],
        }] }));
        assert_round_trip(&builder.model(), "random");
    }
}

#[test]
fn in_betweens_are_written_as_what_they_do_over_time() {
    let mut builder = Builder::new();
    let deltas = [[0.0, 0.0, 1.0]; 4];
    let (half, full) = (builder.floats(&deltas), builder.floats(&deltas));
    let quad = builder.quad(json!([{ "POSITION": half }, { "POSITION": full }]));
    builder.mesh(json!({ "primitives": [quad], "extras": { "targetNames": ["lift@50", "lift"] } }));
    let mut model = builder.model();
    let targets = NameTable::new(["lift@50", "lift"]).unwrap();
    let controls = NameTable::new(["lift"]).unwrap();
    let channel = Channel::in_between(0, [(0.5, 0), (1.0, 1)]);
    model.meshes[0].rig = Some(Rig::new(controls, &targets, vec![channel]).unwrap());
    let curve = morph_anim::Curve::new(vec![0.0, 1.0], morph_anim::Keys::Linear(vec![[0.0], [1.0]])).unwrap();
    model.clips.push(morph_anim::Clip {
        name: "lift".to_owned(),
        tracks: vec![morph_anim::Track {
            node: model.nodes[0].id.clone(),
            channel: morph_anim::Channel::Weight {
                target: "lift".to_owned(),
                curve,
            },
        }],
    });
    let (bytes, notes) = to_glb(&model).unwrap();
    assert!(
        matches!(notes[..], [ExportNote::RigBaked { clip: 0, .. }]),
        "{notes:?}"
    );
    let again = load_bytes("again.glb", &bytes, &ImportOptions::default()).unwrap();
    let at = |slot: usize, time: f32| match &again.clips[0].tracks[slot].channel {
        morph_anim::Channel::Weight { curve, .. } => curve.sample(time)[0],
        other => panic!("{other:?}"),
    };
    for (time, half, full) in [
        (0.25, 0.5, 0.0),
        (0.5, 1.0, 0.0),
        (0.75, 0.5, 0.5),
        (1.0, 0.0, 1.0),
    ] {
        assert!((at(0, time) - half).abs() < 1e-5, "{time}: {}", at(0, time));
        assert!((at(1, time) - full).abs() < 1e-5, "{time}: {}", at(1, time));
    }
}

#[test]
fn what_is_not_finite_is_refused() {
    let mut builder = Builder::new();
    let quad = builder.quad(json!([]));
    builder.mesh(json!({ "primitives": [quad] }));
    let mut model = builder.model();
    model.meshes[0].primitives[0].positions[1][2] = f32::NAN;
    let error = to_glb(&model).unwrap_err().to_string();
    assert!(
        error.contains("mesh 0, primitive 0") && error.contains("finite"),
        "{error}"
    );
}

#[test]
fn the_first_bytes_tell_the_format_whatever_the_name() {
    let mut builder = Builder::new();
    let quad = builder.quad(json!([]));
    builder.mesh(json!({ "primitives": [quad] }));
    for name in ["x.glb", "x.fbx", "x.morph", "x.obj", "x.gltf", "x"] {
        assert!(
            load_bytes(name, &builder.glb(), &ImportOptions::default()).is_ok(),
            "{name}"
        );
    }
}
