//! The result in the shape of its JSON, and as raw positions.

use std::io::{self, Write};
use std::path::Path;

use morph_core::Quantization;
use morph_import::{Primitive, Topology};
use serde::Serialize;

use super::Evaluation;
use super::measure::WorstError;
use super::moment::Moment;
use super::sets::MorphedSets;
use super::subject::Subject;
use crate::args::EvalArgs;
use crate::error::CliError;

/// All of a result.
///
/// Floats are written with the fewest digits that read back as the same 32-bit float.
#[derive(Debug, Serialize)]
pub(super) struct Output<'a> {
    #[serde(flatten)]
    pub(super) what: What<'a>,
    pub(super) weights: &'a [f32],
    pub(super) positions: &'a [[f32; 3]],
    pub(super) normals: Option<&'a [[f32; 3]]>,
    pub(super) tangents: Option<&'a [[f32; 3]]>,
    /// One unit normal a triangle, where the file has no normals: such a mesh is shaded flat, as it lies after the morph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) flat_normals: Option<Vec<[f32; 3]>>,
    /// The texture coordinates and colors that targets change.
    #[serde(flatten)]
    pub(super) sets: &'a MorphedSets,
    #[serde(flatten)]
    pub(super) check: Check,
}

/// A result without its vertices, for what goes to the screen while they go to a file.
#[derive(Debug, Serialize)]
pub(super) struct ShortOutput<'a> {
    #[serde(flatten)]
    what: &'a What<'a>,
    weights: &'a [f32],
    #[serde(flatten)]
    check: &'a Check,
    out: String,
}

/// What was evaluated, and where.
#[derive(Debug, Serialize)]
pub(super) struct What<'a> {
    file: String,
    mesh: usize,
    primitive: usize,
    pub(super) backend: &'static str,
    pub(super) quantization: &'static str,
    pub(super) device: Option<&'a str>,
    /// `model` where a skin took the positions there; else they are in the mesh's own space.
    #[serde(skip_serializing_if = "Option::is_none")]
    space: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clip: Option<usize>,
    /// Where the clip comes from, where that is not the model's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    clip_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<f32>,
}

impl<'a> What<'a> {
    pub(super) fn new(
        args: &EvalArgs,
        moment: &Moment<'_>,
        quantization: Quantization,
        device: Option<&'a str>,
    ) -> Self {
        let playing = moment.posed.moment.as_ref();
        let in_scene = playing.is_some() || moment.bones.is_some();
        What {
            file: moment.posed.loaded.path.display().to_string(),
            mesh: args.mesh,
            primitive: args.primitive,
            backend: args.backend.name(),
            quantization: quantization.as_str(),
            device,
            space: moment.bones.as_ref().map(|_| "model"),
            node: moment.node.filter(|_| in_scene),
            clip: playing.map(|playing| playing.clip),
            clip_file: playing
                .and_then(|playing| playing.clip_file.as_deref())
                .map(|file| file.display().to_string()),
            time: playing.map(|playing| playing.time),
        }
    }
}

/// How right it is.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    pub(super) max_ulp_vs_host: u32,
    pub(super) worst_error: WorstError,
}

impl<'a> Output<'a> {
    pub(super) fn new(
        subject: &'a Subject<'_>,
        evaluation: &'a Evaluation,
        args: &EvalArgs,
        moment: &Moment<'_>,
    ) -> Self {
        let device = evaluation.device.as_ref();
        Output {
            what: What::new(
                args,
                moment,
                subject.mesh.quantization(),
                device.map(|run| run.device.as_str()),
            ),
            weights: &subject.weights,
            positions: &evaluation.result.positions,
            normals: evaluation.result.normals.as_deref(),
            tangents: evaluation.result.tangents.as_deref(),
            flat_normals: flat_normals(subject.primitive, evaluation),
            sets: &evaluation.sets,
            check: Check {
                max_ulp_vs_host: device.map_or(0, |run| run.max_ulp_vs_host),
                worst_error: evaluation.worst_error,
            },
        }
    }

    /// The same without vertices, and with the file that has them.
    pub(super) fn without_vertices(&'a self, out: &Path) -> ShortOutput<'a> {
        ShortOutput {
            what: &self.what,
            weights: self.weights,
            check: &self.check,
            out: out.display().to_string(),
        }
    }
}

fn flat_normals(primitive: &Primitive, evaluation: &Evaluation) -> Option<Vec<[f32; 3]>> {
    let is_flat = evaluation.result.normals.is_none() && primitive.topology == Topology::Triangles;
    is_flat.then(|| primitive.flat_normals(&evaluation.result.positions))
}

/// One line of JSON.
pub(super) fn json(value: &impl Serialize) -> Result<String, CliError> {
    let json = serde_json::to_string(value).map_err(|error| CliError::Print { source: error.into() })?;
    Ok(json + "\n")
}

/// The result as one line of JSON.
pub(super) fn write_json(file: &mut dyn Write, output: &Output<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *file, output)?;
    writeln!(file)
}

/// The positions as raw little-endian triples of 32-bit floats.
pub(super) fn write_raw(file: &mut dyn Write, output: &Output<'_>) -> io::Result<()> {
    output
        .positions
        .as_flattened()
        .iter()
        .try_for_each(|x| file.write_all(&x.to_le_bytes()))
}
