//! The demo program; see `morph_examples::demo`.

use std::process::ExitCode;

use clap::Parser as _;
use morph_examples::demo::{Arguments, run};
use morph_examples::describe;

fn main() -> ExitCode {
    match run(&Arguments::parse(), &mut std::io::stdout()) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("demo: {}", describe(&error));
            ExitCode::FAILURE
        }
    }
}
