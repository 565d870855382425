//! Clips and skins of models that nobody here made, against what three.js plays of them.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may panic, and print what they measure"
)]

mod common;

use std::path::{Path, PathBuf};

use common::shared_or_skip;
use glam::{DMat4, DQuat, DVec3};
use morph_anim::{Channel, Clip, Trs};
use morph_import::{ImportOptions, Model, load};
use serde_json::Value;

/// What may differ between two programs that compute with 32-bit floats.
const ALLOWED: f64 = 2e-6;
/// The filter of compressed rotations ends in a rounding to 16 bits, which programs may come to from either side.
const ALLOWED_COMPRESSED: f64 = 1.01 / 32767.0;

/// A model in the pose that a clip has at a time.
struct Pose {
    trs: Vec<Trs>,
    /// The local transform of each node: from its parts where a clip drives them, else the file's own.
    locals: Vec<DMat4>,
    weights: Vec<Vec<f32>>,
}

impl Pose {
    fn new(model: &Model, clip: &Clip, time: f32) -> Self {
        let mut trs: Vec<Trs> = model.nodes.iter().map(|node| node.trs).collect();
        let mut locals: Vec<DMat4> = model.nodes.iter().map(|node| node.local.as_dmat4()).collect();
        let mut weights: Vec<Vec<f32>> = (0..model.nodes.len())
            .map(|node| model.start_weights(node).to_vec())
            .collect();
        for track in &clip.tracks {
            let node = model.nodes.iter().position(|node| node.id == track.node).unwrap();
            match &track.channel {
                Channel::Translation(curve) => trs[node].translation = curve.sample(time).into(),
                Channel::Rotation(curve) => {
                    trs[node].rotation = glam::Quat::from_array(curve.sample_rotation(time));
                }
                Channel::Scale(curve) => trs[node].scale = curve.sample(time).into(),
                Channel::Weight { target, curve } => {
                    let mesh = &model.meshes[model.nodes[node].mesh.unwrap()];
                    let slot = mesh.target_names.iter().position(|name| name == target).unwrap();
                    weights[node][slot] = curve.sample(time)[0];
                    continue;
                }
            }
            let Trs {
                translation,
                rotation,
                scale,
            } = trs[node];
            locals[node] = DMat4::from_scale_rotation_translation(
                scale.as_dvec3(),
                DQuat::from_array(rotation.to_array().map(f64::from)),
                translation.as_dvec3(),
            );
        }
        Self { trs, locals, weights }
    }

    fn world(&self, model: &Model, node: usize) -> DMat4 {
        let local = self.locals[node];
        model.nodes[node]
            .parent
            .map_or(local, |parent| self.world(model, parent) * local)
    }

    /// Where a vertex is once it is morphed, skinned and placed.
    fn position(&self, model: &Model, node: usize, primitive: usize, vertex: usize) -> DVec3 {
        let described = &model.nodes[node];
        let primitive = &model.meshes[described.mesh.unwrap()].primitives[primitive];
        let vector = |vector: [f32; 3]| DVec3::from_array(vector.map(f64::from));
        let mut position = vector(primitive.positions[vertex]);
        for (target, &weight) in primitive.targets.iter().zip(&self.weights[node]) {
            if let (Ok(entry), Some(deltas)) =
                (target.vertices.binary_search(&(vertex as u32)), &target.positions)
            {
                position += f64::from(weight) * vector(deltas[entry]);
            }
        }
        match (&primitive.skin_weights, described.skin) {
            (Some(weights), Some(skin)) => {
                let skin = &model.skins[skin];
                let held = |(joint, weight): (u16, f32)| {
                    let joint = usize::from(joint);
                    let bone = self.world(model, skin.joints[joint]) * skin.inverse_bind[joint].as_dmat4();
                    f64::from(weight) * bone.transform_point3(position)
                };
                weights
                    .of(vertex)
                    .filter(|&(_, weight)| weight != 0.0)
                    .map(held)
                    .sum()
            }
            _ => self.world(model, node).transform_point3(position),
        }
    }
}

fn numbers(values: &Value) -> Vec<f64> {
    values
        .as_array()
        .unwrap()
        .iter()
        .map(|value| value.as_f64().unwrap())
        .collect()
}

/// The worst difference of numbers, relative to the largest of them where that is above one.
fn difference(ours: &[f64], theirs: &[f64]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    let size = theirs.iter().fold(1.0, |size: f64, value| size.max(value.abs()));
    let pairs = ours.iter().zip(theirs);
    pairs
        .map(|(ours, theirs)| (ours - theirs).abs() / size)
        .fold(0.0, f64::max)
}

/// The difference of the rotations that quaternions stand for: lengths and signs do not count.
fn rotation_difference(ours: &[f64], theirs: &[f64]) -> f64 {
    let length = length(theirs);
    let unit = |sign: f64| {
        theirs
            .iter()
            .map(|value| sign * value / length)
            .collect::<Vec<_>>()
    };
    difference(ours, &unit(1.0)).min(difference(ours, &unit(-1.0)))
}

fn length(quaternion: &[f64]) -> f64 {
    quaternion.iter().map(|value| value * value).sum::<f64>().sqrt()
}

#[derive(Default)]
struct Measured {
    clips: usize,
    samples: usize,
    weights: usize,
    nodes: usize,
    vertices: usize,
    worst: f64,
    worst_vertex: f64,
}

impl Measured {
    fn compare(&mut self, model: &Model, animation: &Value, name: &str) {
        let clip = &model.clips[animation["index"].as_u64().unwrap() as usize];
        // The other program makes names up where the file has none.
        assert!(
            clip.name.is_empty() || animation["name"] == clip.name.as_str(),
            "{name}"
        );
        let allowed = if name.contains("meshopt") {
            ALLOWED_COMPRESSED
        } else {
            ALLOWED
        };
        self.clips += 1;
        for sample in animation["samples"].as_array().unwrap() {
            let time = sample["time"].as_f64().unwrap();
            let place = format!("{name} at {time} s");
            let pose = Pose::new(model, clip, time as f32);
            self.samples += 1;
            let index = |key: &str| key.strip_prefix("node").unwrap().parse::<usize>().unwrap();
            for (node, theirs) in sample["weights"].as_object().unwrap() {
                let ours: Vec<f64> = pose.weights[index(node)]
                    .iter()
                    .map(|&weight| weight.into())
                    .collect();
                self.weights += ours.len();
                self.check(difference(&ours, &numbers(theirs)) / allowed, &place);
            }
            // The other program plays rotation keys of any length, which stretch what hangs from the node; ours are
            // made unit, and turn evenly between keys.
            let mut stretch = 0.0_f64;
            for (node, parts) in sample["nodes"].as_object().unwrap() {
                let trs = &pose.trs[index(node)];
                let rotation = numbers(&parts["r"]);
                let of_rotation = (length(&rotation).powi(2) - 1.0).abs();
                stretch = stretch.max(of_rotation);
                let turned = rotation_difference(&trs.rotation.to_array().map(f64::from), &rotation);
                self.check(turned / (allowed + 2.0 * of_rotation), &place);
                for (ours, theirs) in [(trs.translation, "t"), (trs.scale, "s")] {
                    let ours = ours.to_array().map(f64::from);
                    self.check(difference(&ours, &numbers(&parts[theirs])) / allowed, &place);
                }
                self.nodes += 1;
            }
            for described in sample["skinned_world"].as_array().into_iter().flatten() {
                // A chain of a dozen matrices in 32-bit floats is behind each of theirs.
                self.compare_vertices(model, &pose, described, 4.0 * allowed + 2.0 * stretch, &place);
            }
        }
    }

    fn check(&mut self, difference: f64, place: &str) {
        assert!(difference <= 1.0, "{place}: {difference} times what is allowed");
        self.worst = self.worst.max(difference);
    }

    fn compare_vertices(&mut self, model: &Model, pose: &Pose, described: &Value, allowed: f64, place: &str) {
        let index = |key: &str| described[key].as_u64().unwrap() as usize;
        let (node, primitive) = (index("node"), index("primitive"));
        let vertices = described["vertices"].as_array().unwrap();
        for (vertex, theirs) in vertices.iter().zip(described["positions"].as_array().unwrap()) {
            let vertex = vertex.as_u64().unwrap() as usize;
            let ours = pose.position(model, node, primitive, vertex).to_array();
            let difference = difference(&ours, &numbers(theirs)) / allowed;
            assert!(
                difference <= 1.0,
                "{place}, node {node}, vertex {vertex}: {difference} times what is allowed"
            );
            self.worst_vertex = self.worst_vertex.max(difference);
            self.vertices += 1;
        }
    }
}

/// The file that an oracle speaks of: `~` in its name stands for a folder, and it names the file itself.
fn asset_of(shared: &Path, oracle: &Path, content: &Value) -> PathBuf {
    let name = oracle.file_stem().unwrap().to_str().unwrap().replace('~', "/");
    shared
        .join("assets")
        .join(name)
        .with_file_name(content["file"].as_str().unwrap())
}

#[test]
fn clips_play_as_in_three_js() {
    let Some(shared) = shared_or_skip(&["the clips of 71 files of three.js"]) else {
        return;
    };
    let mut measured = Measured::default();
    let mut without = 0;
    for oracle in std::fs::read_dir(shared.join("oracle/three")).unwrap() {
        let oracle = oracle.unwrap().path();
        let content: Value = serde_json::from_slice(&std::fs::read(&oracle).unwrap()).unwrap();
        let asset = asset_of(&shared, &oracle, &content);
        let name = asset.display().to_string();
        let animations = content["animations"].as_array().unwrap();
        if animations.is_empty() {
            without += 1;
            continue;
        }
        let model = load(&asset, &ImportOptions::default()).unwrap();
        for animation in animations {
            measured.compare(&model, animation, &name);
        }
    }
    let Measured {
        clips,
        samples,
        weights,
        nodes,
        vertices,
        worst,
        worst_vertex,
    } = measured;
    println!(
        "{clips} clips, {samples} samples: {weights} weights and {nodes} nodes, worst {worst:.3} of what is allowed; \
         {vertices} vertices in the world, worst {worst_vertex:.3}; {without} files have no clips that they play"
    );
    assert!(clips == 70 && samples > 1_300 && weights > 4_000 && nodes > 1_700 && vertices > 40_000);
}
