//! `morph inspect`: what a file holds, and what its targets cost in every format.

mod collect;
mod expressions;
mod print;
mod problems;
mod report;

use morph_core::Thresholds;

use crate::args::InspectArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;
use crate::threshold::targets_of;

/// Runs the command.
pub(crate) fn run(args: &InspectArgs, console: &mut Console<'_>) -> Result<(), CliError> {
    let loaded = Loaded::read(&args.model.file, &args.model.import_options(), console)?;
    args.thresholds.check()?;
    let thresholds = args.thresholds.thresholds();
    if loaded.cooked.is_some() && thresholds != Thresholds::default() {
        return Err(CliError::Settled {
            path: loaded.path,
            option: "a threshold",
            settled: "what was dropped then is gone".to_owned(),
        });
    }
    args.thresholds.advise(targets_of(&loaded.model), console);
    let report = console.step("building every target in every format", || {
        collect::collect(&loaded, thresholds)
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
