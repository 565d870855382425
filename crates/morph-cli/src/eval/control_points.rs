//! `--order control-point`: the positions of a whole mesh by control point, as files number them that tell control
//! points from vertices (FBX, MakeHuman).

use morph_core::Quantization;
use morph_import::Primitive;
use serde::Serialize;

use super::moment::Moment;
use super::output::{What, json};
use super::subject::Subject;
use crate::args::{Backend, EvalArgs};
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;
use crate::write::{check_out, write_whole};

/// The result; a control point that no face has is `null`.
#[derive(Debug, Serialize)]
struct ByPoint<'a> {
    #[serde(flatten)]
    what: What<'a>,
    order: &'static str,
    weights: &'a [f32],
    positions: &'a [Option<[f32; 3]>],
}

/// Evaluates all primitives of a mesh and prints or writes the positions.
pub(super) fn run(args: &EvalArgs, moment: &Moment<'_>, console: &mut Console<'_>) -> Result<(), CliError> {
    let loaded = moment.posed.loaded;
    if args.backend != Backend::Host {
        return Err(CliError::HostOnly {
            option: "--order control-point",
        });
    }
    let out = args.out.as_deref();
    if let Some(path) = out {
        check_out(path, &["json"], ".json with --order control-point")?;
    }
    let mut positions: Vec<Option<[f32; 3]>> = Vec::new();
    let mut weights = Vec::new();
    let mut quantization = args.quantization.unwrap_or(Quantization::F32);
    for (index, primitive) in loaded.mesh(args.mesh)?.primitives.iter().enumerate() {
        if primitive.positions.is_empty() {
            continue;
        }
        let points = points_of(loaded, args.mesh, index, primitive)?;
        let subject = Subject::new(args, index, moment, console)?;
        let result = subject.on_host(moment)?;
        for (&point, &position) in points.iter().zip(&result.positions) {
            let at = point as usize;
            if at >= positions.len() {
                positions.resize(at + 1, None);
            }
            positions[at] = Some(position);
        }
        quantization = subject.mesh.quantization();
        weights = subject.weights;
    }
    let text = json(&ByPoint {
        what: What::new(args, moment, quantization, None),
        order: "control-point",
        weights: &weights,
        positions: &positions,
    })?;
    match out {
        Some(path) => write_whole(path, |file| file.write_all(text.as_bytes())),
        None => console.print(&text),
    }
}

fn points_of<'a>(
    loaded: &Loaded,
    mesh: usize,
    index: usize,
    primitive: &'a Primitive,
) -> Result<&'a [u32], CliError> {
    primitive
        .source_points
        .as_deref()
        .ok_or_else(|| CliError::NoControlPoints {
            place: loaded.primitive_place(mesh, index),
        })
}
