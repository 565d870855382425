//! `morph inspect`: what a file holds, and what its targets cost in every format.

mod collect;
mod expressions;
mod print;
mod problems;
mod report;

use crate::args::InspectArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;

/// Runs the command.
pub(crate) fn run(args: &InspectArgs, console: &mut Console<'_>) -> Result<(), CliError> {
    let loaded = Loaded::read(&args.model.file, &args.model.import_options(), console)?;
    let report = console.step("building every target in every format", || {
        collect::collect(&loaded)
    });
    let text = if args.json {
        // Every number in the report is finite, and no map has other keys than texts.
        serde_json::to_string_pretty(&report).map_err(|error| CliError::Print { source: error.into() })?
            + "\n"
    } else {
        print::text(&report, args.full)
    };
    console.print(&text)
}
