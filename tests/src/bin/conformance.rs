//! Writes `docs/conformance.md`, or with `--check` says whether it is what the models give.

#![allow(
    clippy::print_stdout,
    reason = "this is a program; its output is for a person to read"
)]

use std::path::Path;
use std::process::ExitCode;

use morph_tests::conformance::{document, measure, same_document};
use morph_tests::oracle::shared_folder;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => run(false),
        ["--check"] => run(true),
        _ => Err("usage: conformance [--check]".into()),
    }
    .unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

fn run(is_checked: bool) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let shared = shared_folder().ok_or("MORPH_SHARED does not name the folder with models and answers")?;
    let conformance = measure(&shared)?;
    let text = document(&conformance);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/conformance.md");
    let failures = conformance.failures();
    for (oracle, row) in &failures {
        eprintln!("{oracle:?}: {} fails: {}", row.model, row.faults.join("; "));
    }
    if !is_checked {
        std::fs::write(&path, &text)?;
        println!("docs/conformance.md was written");
    } else if !same_document(&std::fs::read_to_string(&path)?, &text) {
        eprintln!("docs/conformance.md is not what the models give: run `cargo xtask conformance`");
        return Ok(ExitCode::FAILURE);
    }
    Ok(if failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
