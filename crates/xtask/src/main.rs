//! The project's own commands, run as `cargo xtask COMMAND`.
//!
//! Each command installs what it needs and says so, so that a fresh clone on a fresh machine needs nothing but Rust
//! and a C linker.

#![allow(
    clippy::print_stdout,
    reason = "this is a program; its output is for a person to read"
)]

mod apt;
mod bench_import;
mod conformance;
mod demo;
mod distribution;
mod gold;
mod model;
mod probe;
mod run;
mod setup;
mod shaders;
mod test;
mod vulkan;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::{Parser, Subcommand};

use crate::setup::Purpose;

/// The project's own commands.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show a real head changing its expression: pictures in target/demo.
    Demo(demo::Arguments),
    /// Run every check: format, lints, documents, shaders, tests.
    Test(test::Arguments),
    /// Install what the other commands need, and show the drivers and layers found.
    Setup {
        /// Install nothing: fail if something is missing.
        #[arg(long)]
        check: bool,
    },
    /// Print the variables for programs that use Vulkan: `eval "$(cargo xtask env)"`.
    Env,
    /// Compile the shaders named in shaders/shaders.toml into shaders/spv.
    Shaders {
        /// Write nothing: fail if a committed module is not what its sources give.
        #[arg(long)]
        check: bool,
    },
    /// Run the gold image tests.
    Gold {
        /// Write the images instead of comparing with them.
        #[arg(long)]
        renew: bool,
    },
    /// Compare all models with what other programs say of them, and write docs/conformance.md.
    Conformance {
        /// Write nothing: fail if the document is not what the models give.
        #[arg(long)]
        check: bool,
    },
    /// Measure import and build: seconds, peak memory, and its ratio to what the file decodes to.
    BenchImport {
        /// Files to measure; without any, two models of a million entries are made.
        files: Vec<PathBuf>,
    },
    /// Fetch the head of the demo into target/demo/model.
    Model,
    /// Describe the Vulkan loader, its layers and devices.
    #[command(hide = true)]
    ProbeLoader {
        /// Load the validation layer as well.
        #[arg(long)]
        validated: bool,
    },
    /// Describe the validation layer in a library.
    #[command(hide = true)]
    ProbeLayer {
        /// The library.
        library: PathBuf,
    },
}

fn main() -> ExitCode {
    match execute(&Arguments::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether all is well; `false` where the command has said what is not.
fn execute(command: &Command) -> anyhow::Result<bool> {
    let root = run::workspace_root()?;
    match command {
        Command::Demo(arguments) => demo::run_demo(&root, arguments)?,
        Command::Test(arguments) => return Ok(test::run_tests(&root, arguments)),
        Command::Setup { check } => {
            setup::prepare(&root, Purpose::Everything, *check)?;
            setup::report(&root)?;
            if !*check {
                shaders::join_archives(&root)?;
            }
        }
        Command::Env => println!("{}", vulkan::Found::look(&root)?.environment().export_lines()),
        Command::Shaders { check } => {
            setup::prepare(&root, Purpose::Shaders, false)?;
            shaders::compile(&root, *check)?;
        }
        Command::Gold { renew } => gold::run_gold(&root, *renew)?,
        Command::Conformance { check } => conformance::run_conformance(&root, *check)?,
        Command::BenchImport { files } => bench_import::run_bench_import(&root, files)?,
        Command::Model => {
            setup::prepare(&root, Purpose::Model, false)?;
            if let model::Model::NotAvailable(reason) = model::fetch(&root)? {
                bail!("the model is not available: {reason}");
            }
        }
        Command::ProbeLoader { validated } => print!("{}", probe::describe_loader(*validated)?),
        Command::ProbeLayer { library } => print!("{}", probe::describe_layer(library)?),
    }
    Ok(true)
}
