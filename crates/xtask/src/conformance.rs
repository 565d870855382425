//! `cargo xtask conformance`: every model against every answer of other programs, as a document.

use std::path::Path;

use crate::run::{cargo, run};
use crate::test::set_shared;

/// Runs the program of crate `morph-tests` that writes or checks `docs/conformance.md`.
pub(crate) fn run_conformance(root: &Path, is_checked: bool) -> anyhow::Result<()> {
    let mut command = cargo(root);
    command.args(["run", "--package", "morph-tests", "--bin", "conformance", "--"]);
    if is_checked {
        command.arg("--check");
    }
    set_shared(root, &mut command);
    run(&mut command)
}
