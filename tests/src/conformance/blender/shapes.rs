//! Shapes at given weights, and the weights that clips give.

use std::collections::BTreeMap;
use std::path::Path;

use morph_anim::{Channel, Clip, Keys};
use morph_import::{Format, Mesh, Space};
use serde::Deserialize;

use super::{numbering, options_in, time_of};
use crate::conformance::measure::{ALLOWED, Quantity, Row, extent, size_of};
use crate::conformance::subject::Subject;
use crate::conformance::{ConformanceError, files};
use crate::oracle::Sampled;

/// Blender keeps the times of keys as 32-bit numbers of frames: between keys a weight may be this much off.
const ALLOWED_BETWEEN_FRAMES: f64 = 1.0e-5;

#[derive(Deserialize)]
struct Answer {
    file: String,
    meshes: Vec<Head>,
    settings: Vec<Setting>,
    animations: Vec<Animation>,
}

#[derive(Deserialize)]
struct Head {
    mesh: String,
    vertices: usize,
    target_names: Vec<String>,
    sampled_vertices: Sampled,
}

#[derive(Deserialize)]
struct Setting {
    /// Parallel to [`Answer::meshes`].
    meshes: Vec<Shape>,
}

#[derive(Deserialize)]
struct Shape {
    weights: Vec<f32>,
    positions: Vec<[f64; 3]>,
}

#[derive(Deserialize)]
struct Animation {
    mesh: String,
    action: String,
    fps: f64,
    samples: Vec<Sample>,
}

#[derive(Deserialize)]
struct Sample {
    frame: f64,
    weights: BTreeMap<String, f64>,
}

/// One row for each answer.
pub(in crate::conformance) fn rows(shared: &Path) -> Result<Vec<Row>, ConformanceError> {
    files::rows(shared, "blender34", row)
}

fn row(shared: &Path, path: &Path) -> Result<Row, ConformanceError> {
    let answer: Answer = files::read(path)?;
    let mut row = Row::new(files::model_of(path, &answer.file));
    let subject = Subject::load(&shared.join("assets").join(&row.model), &options_in(Space::File))?;
    for (number, head) in answer.meshes.iter().enumerate() {
        let Some(mesh) = mesh_of(&subject.model.meshes, head) else {
            row.fault(format!("mesh `{}` is not there", head.mesh));
            continue;
        };
        check_names(&subject.model.meshes[mesh], head, &mut row);
        for setting in &answer.settings {
            compare_shape(&subject, mesh, head, &setting.meshes[number], &mut row);
        }
        for animation in answer.animations.iter().filter(|it| it.mesh == head.mesh) {
            compare_clip(&subject, mesh, head, animation, &mut row);
        }
    }
    Ok(row)
}

/// The mesh of a name; Blender calls a mesh without one after its number.
fn mesh_of(meshes: &[Mesh], head: &Head) -> Option<usize> {
    let named = |mesh: &Mesh| mesh.name.as_ref() == Some(&head.mesh);
    let made_up = head
        .mesh
        .strip_prefix("Mesh_")
        .and_then(|number| number.parse().ok());
    let only = (meshes.len() == 1).then_some(0);
    meshes
        .iter()
        .position(named)
        .or(made_up.filter(|&number: &usize| number < meshes.len()))
        .or(only)
}

/// Compares the names of targets as far as the file has them where names of targets belong.
///
/// Where it has none, Blender takes those of accessors, which glTF says nothing about; ours are made up then.
fn check_names(mesh: &Mesh, head: &Head, row: &mut Row) {
    let made_up = |(slot, name): (usize, &String)| *name == format!("target_{slot}");
    if mesh.target_names.iter().enumerate().all(made_up) {
        row.expect_equal("targets", &mesh.target_names.len(), &head.target_names.len());
    } else {
        row.expect_equal("names", &mesh.target_names, &head.target_names);
    }
}

fn compare_shape(subject: &Subject, mesh: usize, head: &Head, shape: &Shape, row: &mut Row) {
    let described = &subject.model.meshes[mesh];
    let numbering = numbering(described);
    let morphed: Vec<_> = (0..described.primitives.len())
        .map(|primitive| subject.morphed(mesh, primitive, &shape.weights).positions)
        .collect();
    let size = described
        .primitives
        .iter()
        .fold(1.0, |size: f64, primitive| size.max(extent(&primitive.positions)));
    for (number, theirs) in head
        .sampled_vertices
        .numbers(head.vertices)
        .into_iter()
        .zip(&shape.positions)
    {
        match numbering.get(number).copied().flatten() {
            Some((primitive, vertex)) => {
                let ours = morphed[primitive][vertex];
                row.compare_vectors(Quantity::Positions, &[ours], &[*theirs], ALLOWED * size);
            }
            None => row.fault(format!("vertex {number} is not there")),
        }
    }
}

fn compare_clip(subject: &Subject, mesh: usize, head: &Head, animation: &Animation, row: &mut Row) {
    let model = &subject.model;
    let is_of =
        |clip: &Clip| !clip.name.is_empty() && animation.action.starts_with(&format!("{}_", clip.name));
    let only = (model.clips.len() == 1).then_some(0);
    let (Some(clip), Some(node)) = (
        model.clips.iter().position(is_of).or(only),
        model.nodes.iter().position(|node| node.mesh == Some(mesh)),
    ) else {
        row.fault(format!("there is no clip for the action `{}`", animation.action));
        return;
    };
    if model.format == Format::Fbx || !has_cubic_weights(&model.clips[clip], &model.nodes[node].id) {
        for sample in &animation.samples {
            let mut pose = subject.rest();
            subject.play(
                clip,
                time_of(model.format, sample.frame, animation.fps),
                &mut pose,
            );
            compare_weights(pose.weights(node), &head.target_names, sample, row);
        }
    } else {
        row.left_out.push(format!(
            "weights of clip `{}`: Blender ignores the tangents of cubic splines",
            model.clips[clip].name
        ));
    }
}

fn compare_weights(ours: &[f32], names: &[String], sample: &Sample, row: &mut Row) {
    let theirs: Option<Vec<f64>> = names
        .iter()
        .map(|name| sample.weights.get(name).copied())
        .collect();
    match theirs {
        Some(theirs) => {
            let ours: Vec<f64> = ours.iter().map(|&weight| weight.into()).collect();
            row.compare(
                Quantity::Weights,
                &ours,
                &theirs,
                ALLOWED_BETWEEN_FRAMES * size_of(&theirs),
            );
        }
        None => row.fault(format!("a target has no weight at frame {}", sample.frame)),
    }
}

fn has_cubic_weights(clip: &Clip, node: &str) -> bool {
    clip.tracks.iter().any(|track| {
        track.node == node
            && matches!(&track.channel, Channel::Weight { curve, .. } if matches!(curve.keys(), Keys::CubicSpline(_)))
    })
}
