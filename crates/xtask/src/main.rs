//! The project's own commands, run as `cargo xtask COMMAND`.

#![allow(
    clippy::print_stdout,
    reason = "this is a program; its output is for a person to read"
)]

mod run;
mod shaders;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The project's own commands.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compile the shaders named in shaders/shaders.toml into shaders/spv.
    Shaders {
        /// Write nothing: fail if a committed module is not what its sources give.
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    match execute(&Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn execute(command: &Command) -> anyhow::Result<()> {
    let root = run::workspace_root()?;
    match command {
        Command::Shaders { check } => shaders::compile(&root, *check),
    }
}
