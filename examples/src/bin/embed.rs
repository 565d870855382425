//! Runs the smallest engine and prints what it did; see `morph_examples::embed`, which is the part to read.

use std::process::ExitCode;

use clap::Parser;
use morph_examples::{describe, embed};

/// Morphs a tiny mesh on an engine's own Vulkan device and compares it with the host.
#[derive(Debug, Parser)]
#[command(name = "embed")]
struct Arguments {
    /// Device to use: part of its name, such as `llvmpipe`.
    #[arg(long, value_name = "SUBSTRING")]
    driver: Option<String>,
}

#[allow(clippy::print_stdout, reason = "a program that prints")]
fn main() -> ExitCode {
    match embed::run(Arguments::parse().driver.as_deref()) {
        Ok(summary) if summary.difference == 0 => {
            println!(
                "ok: {} frames ({} of them idle), {} dispatches, {} barriers on {}; {} vertices equal the host in every bit",
                summary.frames,
                summary.idle_frames,
                summary.dispatches,
                summary.barriers,
                summary.device,
                summary.vertices
            );
            ExitCode::SUCCESS
        }
        Ok(summary) => {
            eprintln!(
                "embed: device and host differ by up to {} units in the last place",
                summary.difference
            );
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("embed: {}", describe(&error));
            ExitCode::FAILURE
        }
    }
}
