//! Against three.js: shapes at given weights, and clips with the vertices in the world.

use std::collections::BTreeMap;
use std::path::Path;

use glam::Mat4;
use morph_anim::Pose;
use morph_import::ImportOptions;
use serde::Deserialize;

use super::measure::{ALLOWED, ALLOWED_IN_WORLD, Quantity, Row, extent, size_of, weight_of};
use super::subject::Subject;
use super::{ConformanceError, files};
use crate::oracle::{Morphed, PrimitiveHead, Setting};

/// The filter of compressed normals ends in a rounding to 8 bits, which programs may come to from either side.
const ALLOWED_OF_COMPRESSED_NORMALS: f64 = 1.01 / 127.0;
/// The same of compressed rotations and 16 bits.
const ALLOWED_OF_COMPRESSED_ROTATIONS: f64 = 1.01 / 32767.0;

#[derive(Deserialize)]
struct Answer {
    file: String,
    #[serde(flatten)]
    morphed: Morphed,
    animations: Vec<Animation>,
}

#[derive(Deserialize)]
struct Animation {
    index: usize,
    name: String,
    samples: Vec<Sample>,
}

#[derive(Deserialize)]
struct Sample {
    time: f64,
    /// By `node` and its number, as are [`Sample::nodes`].
    weights: BTreeMap<String, Vec<f64>>,
    nodes: BTreeMap<String, Parts>,
    #[serde(default)]
    skinned_world: Vec<Placed>,
}

#[derive(Deserialize)]
struct Parts {
    t: [f64; 3],
    r: [f64; 4],
    s: [f64; 3],
}

#[derive(Deserialize)]
struct Placed {
    node: usize,
    primitive: usize,
    vertices: Vec<usize>,
    positions: Vec<[f64; 3]>,
}

pub(super) fn rows(shared: &Path) -> Result<Vec<Row>, ConformanceError> {
    files::rows(shared, "three", row)
}

fn row(shared: &Path, path: &Path) -> Result<Row, ConformanceError> {
    let answer: Answer = files::read(path)?;
    let mut row = Row::new(files::model_of(path, &answer.file));
    let subject = Subject::load(&shared.join("assets").join(&row.model), &ImportOptions::default())?;
    for (number, head) in answer.morphed.primitives.iter().enumerate() {
        if check_head(&subject, head, &mut row) {
            compare_shapes(&subject, head, number, &answer.morphed.settings, &mut row);
        }
    }
    for animation in &answer.animations {
        compare_clip(&subject, animation, &mut row);
    }
    Ok(row)
}

/// Compares what is exact; whether the numbers can be compared at all.
fn check_head(subject: &Subject, head: &PrimitiveHead, row: &mut Row) -> bool {
    let model = &subject.model;
    let place = format!("mesh {}, primitive {}", head.mesh, head.primitive);
    let Some(node) = model
        .nodes
        .get(head.node)
        .filter(|node| node.mesh == Some(head.mesh))
    else {
        row.fault(format!("{place}: node {} does not show it", head.node));
        return false;
    };
    row.expect_equal(&format!("{place}, skinned"), &node.skin.is_some(), &head.skinned);
    let mesh = &model.meshes[head.mesh];
    let Some(primitive) = mesh.primitives.get(head.primitive) else {
        row.fault(format!("{place} is not there"));
        return false;
    };
    row.expect_equal(
        &format!("{place}, vertices"),
        &primitive.positions.len(),
        &head.vertices,
    );
    if primitive.positions.len() != head.vertices {
        return false;
    }
    // Where primitives have unequal target counts, ours all have the largest; those added move nothing.
    let added = primitive.targets.get(head.targets..);
    if !added.is_some_and(|added| added.iter().all(|target| target.vertices.is_empty())) {
        row.fault(format!(
            "{place}: {} targets, and {} by the other program",
            primitive.targets.len(),
            head.targets
        ));
        return false;
    }
    if let Some(names) = &head.target_names {
        let ours: Vec<&String> = mesh.target_names.iter().take(names.len()).collect();
        row.expect_equal(&format!("{place}, names"), &ours, &names.iter().collect());
    }
    let starts = model.start_weights(head.node).iter().zip(&head.default_weights);
    if starts
        .into_iter()
        .any(|(&ours, &theirs)| (f64::from(ours) - theirs).abs() > ALLOWED)
    {
        row.fault(format!("{place}: it starts with other weights"));
    }
    true
}

fn compare_shapes(
    subject: &Subject,
    head: &PrimitiveHead,
    number: usize,
    settings: &[Setting],
    row: &mut Row,
) {
    let primitive = &subject.model.meshes[head.mesh].primitives[head.primitive];
    let sampled = head.sampled_vertices.numbers(head.vertices);
    let allowed = ALLOWED * extent(&primitive.positions);
    let of_normals = if row.model.contains("meshopt") {
        ALLOWED_OF_COMPRESSED_NORMALS
    } else {
        ALLOWED
    };
    for setting in settings {
        let result = &setting.primitives[number];
        let morphed = subject.morphed(head.mesh, head.primitive, &result.weights);
        row.compare_vectors(
            Quantity::Positions,
            &at(&morphed.positions, &sampled),
            &result.positions,
            allowed,
        );
        if let (Some(normals), Some(theirs)) = (&morphed.normals, &result.normals) {
            let allowed = of_normals * weight_of(&result.weights);
            row.compare_vectors(Quantity::Normals, &at(normals, &sampled), theirs, allowed);
        }
    }
}

fn at(values: &[[f32; 3]], numbers: &[usize]) -> Vec<[f32; 3]> {
    numbers.iter().map(|&number| values[number]).collect()
}

fn compare_clip(subject: &Subject, animation: &Animation, row: &mut Row) {
    let Some(clip) = subject.model.clips.get(animation.index) else {
        row.fault(format!("clip {} is not there", animation.index));
        return;
    };
    // The other program makes names up where the file has none.
    if !clip.name.is_empty() {
        row.expect_equal(
            &format!("clip {}, name", animation.index),
            &clip.name,
            &animation.name,
        );
    }
    for sample in &animation.samples {
        let mut pose = subject.rest();
        subject.play(animation.index, sample.time, &mut pose);
        compare_sample(subject, &pose, sample, row);
    }
}

fn compare_sample(subject: &Subject, pose: &Pose, sample: &Sample, row: &mut Row) {
    let is_compressed = row.model.contains("meshopt");
    let allowed = if is_compressed {
        ALLOWED_OF_COMPRESSED_ROTATIONS
    } else {
        ALLOWED
    };
    let number = |key: &str| {
        key.strip_prefix("node")
            .and_then(|number| number.parse::<usize>().ok())
    };
    for (key, theirs) in &sample.weights {
        let ours: Vec<f64> = pose
            .weights(number(key).unwrap_or(usize::MAX))
            .iter()
            .map(|&weight| weight.into())
            .collect();
        row.compare(Quantity::Weights, &ours, theirs, allowed * size_of(theirs));
    }
    // The other program plays rotation keys of any length, which stretch what hangs from the node; ours are made unit,
    // and turn evenly between keys.
    let mut stretch = 0.0_f64;
    for (key, theirs) in &sample.nodes {
        let Some(ours) = number(key).and_then(|node| pose.locals().get(node)) else {
            row.fault(format!("{key} is not there"));
            continue;
        };
        let of_rotation = (theirs.r.iter().map(|x| x * x).sum::<f64>() - 1.0).abs();
        stretch = stretch.max(of_rotation);
        let (rotation, translation, scale) = (ours.rotation, ours.translation, ours.scale);
        let near = nearest_unit(theirs.r, rotation.to_array().map(f64::from));
        row.compare(
            Quantity::Nodes,
            &rotation.to_array().map(f64::from),
            &near,
            allowed + 2.0 * of_rotation,
        );
        for (ours, theirs) in [(translation, theirs.t), (scale, theirs.s)] {
            let ours = ours.to_array().map(f64::from);
            row.compare(Quantity::Nodes, &ours, &theirs, allowed * size_of(&theirs));
        }
    }
    if !sample.skinned_world.is_empty() {
        let in_world = if is_compressed {
            4.0 * allowed
        } else {
            ALLOWED_IN_WORLD
        } + 2.0 * stretch;
        compare_world(subject, pose, &subject.worlds(pose), sample, in_world, row);
    }
}

fn compare_world(
    subject: &Subject,
    pose: &Pose,
    worlds: &[Mat4],
    sample: &Sample,
    allowed: f64,
    row: &mut Row,
) {
    for placed in &sample.skinned_world {
        let positions = subject.in_world(pose, worlds, placed.node, placed.primitive);
        let allowed = allowed * size_of(placed.positions.as_flattened());
        row.compare_vectors(
            Quantity::World,
            &at(&positions, &placed.vertices),
            &placed.positions,
            allowed,
        );
    }
}

/// A rotation of length one with the sign that is nearer to another: both signs turn alike.
fn nearest_unit(rotation: [f64; 4], other: [f64; 4]) -> [f64; 4] {
    let dot: f64 = rotation.iter().zip(other).map(|(a, b)| a * b).sum();
    let length = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
    rotation.map(|x| x / length * if dot < 0.0 { -1.0 } else { 1.0 })
}
