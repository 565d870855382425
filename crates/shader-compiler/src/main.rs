//! Compiles the GLSL under `shaders/` into the SPIR-V modules that are committed under `shaders/spv/`.
//!
//! An engine that depends on `morph-vk` reads the committed modules and needs no C++ compiler; only whoever changes
//! a shader needs this program, which is the one place in the workspace that links the C++ library shaderc.
//! `cargo xtask shaders` installs that library, builds this program and runs it.
//!
//! What is compiled stands in `shaders/shaders.toml` ([`list`]); what came out of it, and from which sources and
//! which compiler, is recorded in `shaders/spv/manifest.json` ([`record`]) so that [`check`] can tell a stale module
//! from a fresh one without compiling.

mod check;
mod compile;
mod identity;
mod list;
mod record;
mod sources;
mod update;
mod validate;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;

/// What to do when a module turns out to be stale; printed beside every such message.
const HOW_TO_RENEW: &str = "run `cargo xtask shaders` and commit shaders/spv";

/// Command line of the program.
#[derive(Debug, Parser)]
#[command(about, version)]
struct Arguments {
    /// Root of the workspace, the folder that holds `shaders/`.
    #[arg(long, default_value = ".")]
    root: PathBuf,
    /// Write nothing: fail if a committed module is not what its sources give.
    #[arg(long)]
    check: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether all modules are well; problems have been printed.
fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let root = arguments
        .root
        .canonicalize()
        .with_context(|| format!("cannot find the workspace root {}", arguments.root.display()))?;
    let modules = list::read(&root)?;
    let compiler = identity::compiler();
    if arguments.check {
        check::run(&root, &modules, &compiler)
    } else {
        update::run(&root, &modules, &compiler)
    }
}
