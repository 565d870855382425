//! Against the programs that wrote FBX files: frames of their clips that they wrote as OBJ files too.

use std::path::Path;

use morph_import::{ImportOptions, Space};
use serde::Deserialize;

use super::measure::{ALLOWED_IN_WORLD, Quantity, Row, size_of};
use super::points::corners;
use super::subject::Subject;
use super::{ConformanceError, files};

/// OBJ files are written with six digits behind the point.
const ALLOWED_OF_TEXT: f64 = 0.5e-6;

#[derive(Deserialize)]
struct Frames {
    rows: Vec<Frame>,
}

/// A frame that somebody has found to be that of an FBX file, and the unit and axes to be the same.
#[derive(Deserialize)]
struct Frame {
    fbx: String,
    obj: String,
    time: f64,
    /// The clip; the only one where there is none.
    anim_stack: Option<String>,
}

pub(super) fn rows(shared: &Path) -> Result<Vec<Row>, ConformanceError> {
    let folder = shared.join("assets/ufbx_fbx");
    let Frames { rows: frames } = files::read(&folder.join("verified_reference_frames.json"))?;
    let options = ImportOptions {
        space: Space::File,
        ..ImportOptions::default()
    };
    let mut rows = Vec::new();
    for frames in frames.chunk_by(|a, b| a.fbx == b.fbx) {
        let fbx = &frames[0].fbx;
        let mut row = Row::new(format!("ufbx_fbx/{fbx}"));
        let subject = Subject::load(&folder.join(fbx), &options)?;
        let has_choice = subject.model.clips.len() > 1;
        let (of_a_clip, of_any): (Vec<_>, Vec<_>) = frames
            .iter()
            .partition(|frame| frame.anim_stack.is_some() || !has_choice);
        if !of_any.is_empty() {
            row.left_out.push(format!(
                "{} frames that are listed a second time without the name of their clip",
                of_any.len()
            ));
        }
        for frame in of_a_clip {
            let path = folder.join(&frame.obj);
            let text =
                std::fs::read_to_string(&path).map_err(|source| ConformanceError::Read { path, source })?;
            compare(&subject, frame, &positions(&text), &mut row);
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The `v` lines of an OBJ file.
fn positions(text: &str) -> Vec<[f64; 3]> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("v "));
    lines
        .filter_map(|line| {
            let mut numbers = line.split_whitespace().map_while(|number| number.parse().ok());
            Some([numbers.next()?, numbers.next()?, numbers.next()?])
        })
        .collect()
}

/// Some programs put the name of the object before that of the clip, as in `Armature|Walk`.
fn is_called(clip: &str, name: &str) -> bool {
    clip.rsplit('|').next() == Some(name)
}

fn compare(subject: &Subject, frame: &Frame, theirs: &[[f64; 3]], row: &mut Row) {
    let model = &subject.model;
    let clip = match &frame.anim_stack {
        None => (!model.clips.is_empty()).then_some(0),
        Some(name) => model.clips.iter().position(|clip| is_called(&clip.name, name)),
    };
    let node = model.nodes.iter().position(|node| node.mesh == Some(0));
    let (Some(clip), Some(node)) = (clip, node) else {
        row.fault(format!("{}: there is no such clip, or no mesh", frame.obj));
        return;
    };
    let mut pose = subject.rest();
    subject.play(clip, frame.time, &mut pose);
    let worlds = subject.worlds(&pose);
    let mesh = &model.meshes[0];
    let ours: Vec<_> = (0..mesh.primitives.len())
        .map(|primitive| subject.in_world(&pose, &worlds, node, primitive))
        .collect();
    let allowed = ALLOWED_OF_TEXT + ALLOWED_IN_WORLD * size_of(theirs.as_flattened());
    for (corner, theirs) in corners(mesh, theirs.len()).into_iter().zip(theirs) {
        match corner {
            Some((primitive, vertex)) => {
                row.compare_vectors(Quantity::World, &[ours[primitive][vertex]], &[*theirs], allowed);
            }
            None => row.fault(format!("{}: a point is the corner of no face", frame.obj)),
        }
    }
}
