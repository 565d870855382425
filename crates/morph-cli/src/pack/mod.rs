//! `morph pack`: a model with its targets built, written as a cooked file.

use std::fmt::Write as _;

use morph_core::cooked::CookedPrimitive;
use morph_import::cooked::{CookOptions, CookedModel, cook};
use serde::Serialize;

use crate::args::PackArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;
use crate::text::{bytes, counted, small};
use crate::threshold::targets_of;
use crate::write::check_out;

/// What was written, in the shape of its JSON.
#[derive(Debug, Serialize)]
struct Report {
    file: String,
    out: String,
    quantization: &'static str,
    version: u32,
    bytes: u64,
    sections: usize,
    primitives: usize,
    entries: u64,
    dropped_entries: u64,
    worst_error: WorstError,
}

/// The worst errors over all targets.
#[derive(Debug, Serialize)]
struct WorstError {
    /// In model units.
    position: f32,
    /// With a single target at weight 1; absent without base normals.
    direction_degrees: Option<f32>,
}

/// Runs the command.
pub(crate) fn run(args: &PackArgs, console: &mut Console<'_>) -> Result<(), CliError> {
    check_out(&args.out, &["morph"], ".morph")?;
    let loaded = Loaded::read(&args.model.file, &args.model.import_options(), console)?;
    if loaded.cooked.is_some() {
        return Err(CliError::CookedTwice { path: loaded.path });
    }
    loaded.warn(console);
    args.thresholds.advise(targets_of(&loaded.model), console);
    let options = CookOptions {
        quantization: args.quantization,
        position_threshold: args.thresholds.thresholds().position,
        direction_threshold: args.thresholds.thresholds().direction,
    };
    let built = console.step("building the targets", || cook(&loaded.model, &options))?;
    let cooked = console.step("writing and reading back", || built.save(&args.out))?;
    tracing::info!(path = %args.out.display(), "written");
    let report = report(&loaded, args, &cooked);
    let text = if args.json {
        // Every number in the report is finite or told as absent, and no map has other keys than texts.
        serde_json::to_string(&report).map_err(|error| CliError::Print { source: error.into() })? + "\n"
    } else {
        text(&report)
    };
    console.print(&text)
}

fn report(loaded: &Loaded, args: &PackArgs, cooked: &CookedModel) -> Report {
    let primitives = cooked.cooked().primitives();
    let reports = || primitives.iter().map(CookedPrimitive::report);
    Report {
        file: loaded.path.display().to_string(),
        out: args.out.display().to_string(),
        quantization: args.quantization.as_str(),
        version: cooked.cooked().container().version(),
        bytes: cooked.file_bytes(),
        sections: cooked.cooked().container().sections().len(),
        primitives: primitives.len(),
        entries: reports().map(|report| report.entry_count).sum(),
        dropped_entries: reports().map(|report| report.dropped_entry_count).sum(),
        worst_error: WorstError {
            position: reports()
                .map(|report| report.worst_position_error)
                .fold(0.0, f32::max),
            direction_degrees: reports()
                .filter_map(|report| report.worst_direction_error_degrees)
                .reduce(f32::max),
        },
    }
}

fn text(report: &Report) -> String {
    let mut text = format!(
        "{}: {} in {}, {} with {} as {}",
        report.out,
        bytes(report.bytes),
        counted(report.sections, "section", "sections"),
        counted(report.primitives, "primitive", "primitives"),
        counted(report.entries as usize, "entry", "entries"),
        report.quantization,
    );
    // Writing to a string cannot fail.
    if report.dropped_entries > 0 {
        let _ = write!(
            text,
            " ({} dropped as too small)",
            counted(report.dropped_entries as usize, "entry", "entries")
        );
    }
    let _ = write!(
        text,
        "\nworst error: position {}",
        small(f64::from(report.worst_error.position))
    );
    if let Some(degrees) = report.worst_error.direction_degrees {
        let _ = write!(text, ", direction {}°", small(f64::from(degrees)));
    }
    text + "\n"
}
