//! What the program `morph` does: inspects and checks models with morph targets, evaluates them on the host or on a Vulkan
//! device, draws them, and cooks them into files that load without work.
//!
//! The program hands its arguments to [`run`]; tests may do the same with streams of their own.
//!
//! ```
//! let (mut out, mut notes) = (Vec::new(), Vec::new());
//! let mut console = morph_cli::Console::to(&mut out, &mut notes);
//! let code = morph_cli::run(["morph", "inspect", "no-such-file.glb"], &mut console);
//! drop(console);
//! assert_eq!(code, 1);
//! assert!(String::from_utf8_lossy(&notes).starts_with("error: cannot read no-such-file.glb"));
//! ```

mod args;
mod check;
mod console;
mod convert;
mod device_room;
mod drivers;
mod error;
mod eval;
mod inspect;
mod model;
mod pack;
mod pose;
mod preset;
mod read;
mod render;
mod sample;
mod table;
mod text;
mod threshold;
mod weights;
mod world;
mod write;

use std::ffi::OsString;
use std::io::IsTerminal as _;

use clap::Parser as _;
use clap::error::ErrorKind;
use tracing_subscriber::EnvFilter;

pub use console::Console;
pub use drivers::{ADD_DRIVERS_VARIABLE, driver_to_add};

use args::{Cli, Command};
use error::CliError;

/// Done.
const DONE: u8 = 0;
/// Refused; the error says why.
const REFUSED: u8 = 1;
/// The command line itself is wrong.
const USAGE: u8 = 2;

/// Runs a command line, the program's name first, and returns the exit code.
///
/// 0: done. 1: refused, with the reason as `error: …` among the notes. 2: the command line itself is wrong. `morph check`
/// has two more: 3 where the file has warnings and no errors, 4 where it has errors.
/// Never panics on what it is given, and leaves no file half written.
pub fn run<A: Into<OsString> + Clone>(args: impl IntoIterator<Item = A>, console: &mut Console<'_>) -> u8 {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return explain(&error, console),
    };
    start_log(cli.verbose);
    let done = match &cli.command {
        Command::Inspect(args) => inspect::run(args, console).map(|()| DONE),
        Command::Check(args) => check::run(args, console),
        Command::Eval(args) => eval::run(args, console).map(|()| DONE),
        Command::Render(args) => render::run(args, console).map(|()| DONE),
        Command::Sample(args) => sample::run(args, console).map(|()| DONE),
        Command::Convert(args) => convert::run(args, console).map(|()| DONE),
        Command::Pack(args) => pack::run(args, console).map(|()| DONE),
    };
    match done {
        Ok(code) => code,
        Err(error) => refuse(&error, console),
    }
}

fn refuse(error: &CliError, console: &mut Console<'_>) -> u8 {
    console.note(format_args!(
        "error: {}",
        text::readable(&error::with_causes(error))
    ));
    REFUSED
}

/// Prints help where it was asked for, and otherwise what is wrong with the command line.
fn explain(error: &clap::Error, console: &mut Console<'_>) -> u8 {
    let text = if console.has_colors() {
        error.render().ansi().to_string()
    } else {
        error.render().to_string()
    };
    if !error.use_stderr() {
        return match console.print(&text) {
            Ok(()) => DONE,
            Err(error) => refuse(&error, console),
        };
    }
    // Whatever was typed stands in it; text with colors goes to a terminal, and was typed there.
    if console.has_colors() {
        console.note(text.trim_end());
    } else {
        console.note(text::readable(text.trim_end()));
    }
    match error.kind() {
        // The option was right, its value was not.
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => REFUSED,
        _ => USAGE,
    }
}

/// Sends the libraries' logs to standard error: warnings, or as many as `-v` asks for, or what `RUST_LOG` says.
fn start_log(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let started = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .try_init();
    // A second run in one process keeps the first one's log.
    drop(started);
}
