//! Vertices in the world at the keys of clips: morphed, then held by the bones.

use std::path::Path;

use morph_import::Space;
use serde::Deserialize;

use super::{numbering, options_in, time_of};
use crate::conformance::measure::{ALLOWED, ALLOWED_IN_WORLD, Quantity, Row, size_of};
use crate::conformance::subject::Subject;
use crate::conformance::{ConformanceError, files};

#[derive(Deserialize)]
struct Answer {
    file: String,
    fps: f64,
    frames: Vec<Frame>,
}

#[derive(Deserialize)]
struct Frame {
    frame: f64,
    meshes: Vec<Placed>,
}

#[derive(Deserialize)]
struct Placed {
    vertices: Vec<usize>,
    positions: Vec<[f64; 3]>,
    /// Of the targets, by slot.
    weights: Vec<f64>,
}

/// One row for each answer.
pub(in crate::conformance) fn rows(shared: &Path) -> Result<Vec<Row>, ConformanceError> {
    files::rows(shared, "blender34_skin", row)
}

fn row(shared: &Path, path: &Path) -> Result<Row, ConformanceError> {
    let answer: Answer = files::read(path)?;
    let mut row = Row::new(files::model_of(path, &answer.file));
    let subject = Subject::load(
        &shared.join("assets").join(&row.model),
        &options_in(Space::Meters),
    )?;
    // Blender makes an action for each object; the file has one clip for all of them.
    row.expect_equal("clips", &subject.model.clips.len(), &1);
    let nodes = &subject.model.nodes;
    let Some(node) = nodes
        .iter()
        .position(|node| node.mesh.is_some() && node.skin.is_some())
    else {
        row.fault("there is no skinned mesh");
        return Ok(row);
    };
    for frame in &answer.frames {
        row.expect_equal("meshes", &1, &frame.meshes.len());
        let time = time_of(subject.model.format, frame.frame, answer.fps);
        for placed in &frame.meshes {
            compare(&subject, node, time, placed, &mut row);
        }
    }
    Ok(row)
}

fn compare(subject: &Subject, node: usize, time: f64, placed: &Placed, row: &mut Row) {
    let Some(mesh) = subject.model.nodes[node]
        .mesh
        .map(|mesh| &subject.model.meshes[mesh])
    else {
        return;
    };
    let mut pose = subject.rest();
    subject.play(0, time, &mut pose);
    let weights: Vec<f64> = pose.weights(node).iter().map(|&weight| weight.into()).collect();
    row.compare(
        Quantity::Weights,
        &weights,
        &placed.weights,
        ALLOWED * size_of(&placed.weights),
    );
    let worlds = subject.worlds(&pose);
    let positions: Vec<_> = (0..mesh.primitives.len())
        .map(|primitive| subject.in_world(&pose, &worlds, node, primitive))
        .collect();
    let numbering = numbering(mesh);
    let allowed = ALLOWED_IN_WORLD * size_of(placed.positions.as_flattened());
    for (&number, theirs) in placed.vertices.iter().zip(&placed.positions) {
        match numbering.get(number).copied().flatten() {
            Some((primitive, vertex)) => {
                row.compare_vectors(
                    Quantity::World,
                    &[positions[primitive][vertex]],
                    &[*theirs],
                    allowed,
                );
            }
            None => row.fault(format!("vertex {number} is not there")),
        }
    }
}
