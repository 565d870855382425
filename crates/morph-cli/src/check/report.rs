//! What `morph check` found, in the shape of its JSON.

use morph_import::check::Severity;
use serde::Serialize;

/// A file and its problems.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) file: String,
    /// `gltf`, `glb`, `fbx` or `makehuman`.
    pub(super) format: &'static str,
    pub(super) errors: usize,
    pub(super) warnings: usize,
    pub(super) infos: usize,
    /// Problems that a report has no room for.
    pub(super) left_out: u64,
    pub(super) problems: Vec<Problem>,
}

/// A problem.
#[derive(Debug, Serialize)]
pub(super) struct Problem {
    /// `error`, `warning` or `info`.
    pub(super) severity: &'static str,
    pub(super) code: &'static str,
    /// A JSON pointer; empty for the file as a whole, `null` where the format is not glTF.
    pub(super) pointer: Option<String>,
    /// Where in a GLB, in bytes, instead of a pointer.
    pub(super) offset: Option<u64>,
    /// What the place is called: the name that the file gives it, or how the importer names the place.
    pub(super) name: Option<String>,
    /// How often at this place.
    pub(super) count: u64,
    pub(super) message: String,
}

/// The word for a severity.
pub(super) fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

impl Report {
    pub(super) fn new(file: String, format: &'static str, problems: Vec<Problem>, left_out: u64) -> Self {
        let count = |severity| {
            let word = word(severity);
            problems.iter().filter(|problem| problem.severity == word).count()
        };
        Report {
            file,
            format,
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            infos: count(Severity::Info),
            left_out,
            problems,
        }
    }

    pub(super) fn worst(&self) -> Option<Severity> {
        [
            (self.errors, Severity::Error),
            (self.warnings, Severity::Warning),
            (self.infos, Severity::Info),
        ]
        .into_iter()
        .find_map(|(count, severity)| (count > 0).then_some(severity))
    }
}
