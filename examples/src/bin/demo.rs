//! The demo program; see `morph_examples::demo`.

use std::process::ExitCode;

use clap::Parser as _;
use morph_examples::demo::{Arguments, run};

fn main() -> ExitCode {
    match run(&Arguments::parse(), &mut std::io::stdout()) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("demo: {error:#}");
            ExitCode::FAILURE
        }
    }
}
