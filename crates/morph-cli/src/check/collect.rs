//! Finds the problems: of glTF by the checker, of other formats by what the importer says.

use std::path::Path;

use morph_import::check::{self, Severity};
use morph_import::{ImportError, ImportOptions, ImportWarning, OnDamage, WarningKind};

use super::report::{Problem, Report, word};
use crate::args::ModelArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;

/// What a binary glTF file begins with.
const GLB_MAGIC: &[u8] = b"glTF";

/// All problems of a file.
pub(super) fn collect(args: &ModelArgs, console: &mut Console<'_>) -> Result<Report, CliError> {
    let path = &args.file;
    match gltf_format(path)? {
        Some((format, bytes)) => Ok(console.step(format!("checking {}", path.display()), || {
            collect_gltf(path, format, &bytes, &args.import_options())
        })),
        None => collect_imported(args, console),
    }
}

/// The bytes of a glTF file and its format; `None` where the file is of another format.
fn gltf_format(path: &Path) -> Result<Option<(&'static str, Vec<u8>)>, CliError> {
    let is_named = |ending: &str| {
        path.extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case(ending))
    };
    // What is not there, is a folder or is of another format is the importer's to tell.
    let may_be_gltf =
        is_named("gltf") || is_named("glb") || !["obj", "fbx", "morph"].into_iter().any(is_named);
    if !may_be_gltf || !path.is_file() {
        return Ok(None);
    }
    let bytes = std::fs::read(path).map_err(|reason| ImportError::Read {
        path: path.to_owned(),
        reason,
    })?;
    let format = if bytes.is_empty() || is_other(&bytes) {
        None
    } else if bytes.starts_with(GLB_MAGIC) || is_named("glb") || is_named("vrm") {
        Some("glb")
    } else {
        is_named("gltf").then_some("gltf")
    };
    Ok(format.map(|format| (format, bytes)))
}

/// Whether the first bytes are of a format that the importer reads whatever the name says.
fn is_other(bytes: &[u8]) -> bool {
    bytes.starts_with(b"Kaydara FBX Binary") || morph_import::cooked::is_cooked(bytes)
}

fn collect_gltf(path: &Path, format: &'static str, bytes: &[u8], options: &ImportOptions) -> Report {
    let report = check::check(path, bytes);
    let mut problems: Vec<Problem> = report
        .problems
        .into_iter()
        .map(|problem| Problem {
            severity: word(problem.severity),
            code: problem.code,
            pointer: problem.offset.is_none().then_some(problem.pointer),
            offset: problem.offset,
            name: problem.name,
            count: problem.count,
            message: problem.message,
        })
        .collect();
    problems.extend(import_problem(path, bytes, options));
    Report::new(path.display().to_string(), format, problems, report.left_out)
}

/// What keeps the other commands from reading all of it, first of all: not what the format says, but what people want to
/// know.
fn import_problem(path: &Path, bytes: &[u8], options: &ImportOptions) -> Option<Problem> {
    let (code, place, message) = match morph_import::load_bytes(path, bytes, options) {
        Ok(model) => {
            let is_left_out = |warning: &ImportWarning| matches!(warning.kind, WarningKind::LeftOut { .. });
            let mut left_out = model.warnings.into_iter().filter(is_left_out);
            let first = left_out.next()?;
            let more = match left_out.count() {
                0 => String::new(),
                count => format!("; and {count} more"),
            };
            let message = format!("to the other commands {}{more}", first.kind);
            ("MORPH_PART_NOT_IMPORTED", Some(first.place), message)
        }
        Err(error) => {
            let (place, message) = match error {
                ImportError::Gltf { place, reason, .. } => (Some(place), reason.to_string()),
                other => (None, other.to_string()),
            };
            let message = format!("the other commands refuse the file: {message}");
            ("MORPH_NOT_IMPORTED", place, message)
        }
    };
    Some(Problem {
        severity: word(Severity::Error),
        code,
        pointer: None,
        offset: None,
        name: place,
        count: 1,
        message,
    })
}

/// What the importer finds odd in a file that it can read.
fn collect_imported(args: &ModelArgs, console: &Console<'_>) -> Result<Report, CliError> {
    let options = ImportOptions {
        on_damage: OnDamage::Refuse,
        ..args.import_options()
    };
    let loaded = Loaded::read(&args.file, &options, console)?;
    let problems = loaded
        .model
        .warnings
        .iter()
        .map(|warning| Problem {
            severity: word(Severity::Warning),
            code: "MORPH_IMPORT_WARNING",
            pointer: None,
            offset: None,
            name: Some(warning.place.clone()),
            count: 1,
            message: warning.kind.to_string(),
        })
        .collect();
    let format = loaded.format_name();
    Ok(Report::new(
        loaded.path.display().to_string(),
        format,
        problems,
        0,
    ))
}
