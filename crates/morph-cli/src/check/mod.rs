//! `morph check`: all problems of a file at once.

mod collect;
mod print;
mod report;

use morph_import::check::Severity;

use crate::args::CheckArgs;
use crate::console::Console;
use crate::error::CliError;

/// There are warnings, and no errors.
const WARNINGS: u8 = 3;
/// There are errors.
const ERRORS: u8 = 4;

/// Runs the command, and returns the exit code that tells the worst problem.
pub(crate) fn run(args: &CheckArgs, console: &mut Console<'_>) -> Result<u8, CliError> {
    let report = collect::collect(&args.model, console)?;
    let text = if args.json {
        // No map of the report has other keys than texts.
        serde_json::to_string_pretty(&report).map_err(|error| CliError::Print { source: error.into() })?
            + "\n"
    } else {
        print::text(&report, args.all)
    };
    console.print(&text)?;
    Ok(match report.worst() {
        Some(Severity::Error) => ERRORS,
        Some(Severity::Warning) => WARNINGS,
        Some(Severity::Info) | None => crate::DONE,
    })
}
