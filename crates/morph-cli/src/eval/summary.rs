//! A result summed up for a person.

use std::fmt::Write as _;
use std::path::Path;

use morph_core::Aabb;

use super::Evaluation;
use super::output::Output;
use super::subject::Subject;
use crate::text::{brief, bytes, count, counted, number, point, printable, small};

/// How many active targets are named.
const SHOWN_WEIGHTS: usize = 6;

/// A few lines, each with a word in front.
pub(super) fn text(
    subject: &Subject<'_>,
    evaluation: &Evaluation,
    output: &Output<'_>,
    out: Option<&Path>,
) -> String {
    let mut lines = vec![
        ("model", model(subject, output)),
        ("weights", weights(subject)),
        ("stored as", stored(subject, output)),
        ("backend", backend(evaluation, output)),
        ("bounds", bounds(output)),
        ("moved", moved(subject, output)),
        ("worst error", worst_error(output)),
        ("against host", against_host(evaluation, output)),
    ];
    for change in &output.sets.changes {
        let vertices = counted(change.vertex_count, "vertex", "vertices");
        let most = number(f64::from(change.most));
        lines.push(("changed", format!("{}: {vertices}, by up to {most}", change.set)));
    }
    if let Some(out) = out {
        lines.push(("written", out.display().to_string()));
    }
    let mut text = String::new();
    for (word, line) in lines {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{word:<13} {line}");
    }
    text
}

fn model(subject: &Subject<'_>, output: &Output<'_>) -> String {
    format!(
        "{}: {}, {}",
        printable(&subject.place),
        counted(output.positions.len(), "vertex", "vertices"),
        counted(subject.mesh.target_count(), "target", "targets"),
    )
}

fn weights(subject: &Subject<'_>) -> String {
    let active: Vec<(usize, f32)> = subject
        .weights
        .iter()
        .copied()
        .enumerate()
        .filter(|&(_, weight)| weight != 0.0)
        .collect();
    if active.is_empty() {
        return "all zero: the rest pose".to_owned();
    }
    let named = active.iter().take(SHOWN_WEIGHTS).map(|&(slot, weight)| {
        let name = subject.mesh.names().name(slot).unwrap_or_default();
        format!("{}={weight}", brief(name))
    });
    let mut text = format!(
        "{} active: {}",
        active.len(),
        named.collect::<Vec<_>>().join(", ")
    );
    if active.len() > SHOWN_WEIGHTS {
        let _ = write!(text, ", and {} more", active.len() - SHOWN_WEIGHTS);
    }
    text
}

fn stored(subject: &Subject<'_>, output: &Output<'_>) -> String {
    let report = &subject.report;
    let mut text = format!(
        "{}, {}",
        output.what.quantization,
        counted(report.entry_count as usize, "entry", "entries")
    );
    if report.dropped_entry_count > 0 {
        let _ = write!(
            text,
            " ({} dropped as too small)",
            count(report.dropped_entry_count)
        );
    }
    text
}

fn backend(evaluation: &Evaluation, output: &Output<'_>) -> String {
    match &evaluation.device {
        None => output.what.backend.to_owned(),
        Some(run) => {
            format!(
                "{} on {}, {} of deltas",
                output.what.backend,
                run.driver,
                bytes(run.delta_bytes)
            )
        }
    }
}

fn bounds(output: &Output<'_>) -> String {
    let bounds = Aabb::of(output.positions);
    format!("from {} to {}", point(bounds.min), point(bounds.max))
}

fn moved(subject: &Subject<'_>, output: &Output<'_>) -> String {
    let distances = subject
        .rest
        .positions
        .iter()
        .zip(output.positions)
        .map(|(rest, morphed)| {
            let [x, y, z] = std::array::from_fn(|axis| f64::from(morphed[axis]) - f64::from(rest[axis]));
            (x * x + y * y + z * z).sqrt()
        });
    let (mut moved, mut farthest) = (0, (0, 0.0));
    for (vertex, distance) in distances.enumerate() {
        moved += usize::from(distance > 0.0);
        if distance > farthest.1 {
            farthest = (vertex, distance);
        }
    }
    match moved {
        0 => "nothing".to_owned(),
        _ => format!(
            "{}, the farthest (vertex {}) by {}",
            counted(moved, "vertex", "vertices"),
            farthest.0,
            number(farthest.1)
        ),
    }
}

fn worst_error(output: &Output<'_>) -> String {
    let error = output.check.worst_error;
    let mut text = format!("position {}", small(error.position));
    if let Some(degrees) = error.direction_degrees {
        let _ = write!(text, ", direction {}°", small(degrees));
    }
    text
}

fn against_host(evaluation: &Evaluation, output: &Output<'_>) -> String {
    match &evaluation.device {
        None => "this is the host".to_owned(),
        Some(run) => {
            let instances = counted(run.instance_count, "instance", "instances");
            match output.check.max_ulp_vs_host {
                0 => format!("{instances}, every bit the same"),
                ulp => format!("{instances}, up to {} floats away", count(u64::from(ulp))),
            }
        }
    }
}
