//! `cargo xtask bench-import`: how long import and build take, and how much memory.

use std::path::{Path, PathBuf};

use crate::run::{cargo, run};
use crate::setup::{self, Purpose};

/// Runs the measuring program of crate `morph-import`, which says what is too slow or too large by its exit status.
pub(crate) fn run_bench_import(root: &Path, files: &[PathBuf]) -> anyhow::Result<()> {
    setup::prepare(root, Purpose::Import, false)?;
    let mut command = cargo(root);
    command.args([
        "run",
        "--release",
        "--package",
        "morph-import",
        "--example",
        "bench_import",
    ]);
    command
        .arg("--manifest-path")
        .arg(root.join("Cargo.toml"))
        .arg("--");
    // The program runs in the folder of the caller, so relative paths mean what they say.
    command.args(files).current_dir(std::env::current_dir()?);
    run(&mut command)
}
