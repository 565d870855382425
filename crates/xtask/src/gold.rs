//! `cargo xtask gold`: runs the gold image tests, or renews the images.

use std::path::Path;

use crate::run::cargo;
use crate::setup::{self, Purpose};
use crate::test::{Tally, run_counted, set_shared};

/// Variable that makes the gold image tests write their images instead of comparing.
const RENEW: &str = "MORPH_RENEW_GOLD";

/// Runs the integration tests of crate `morph-tests` whose names contain `gold`.
pub(crate) fn run_gold(root: &Path, is_renewed: bool) -> anyhow::Result<()> {
    let environment = setup::prepare(root, Purpose::Tests, false)?;
    let mut command = cargo(root);
    command.args(["test", "--package", "morph-tests", "--test", "*", "gold"]);
    environment.apply(&mut command);
    set_shared(root, &mut command);
    if is_renewed {
        command.env(RENEW, "1");
    } else {
        command.env_remove(RENEW);
    }
    // Counted, because a filter that fits no test would pass as well.
    run_counted(&mut command, &mut Tally::default())?;
    if is_renewed {
        println!(
            "gold images were written; look at each with `git diff --stat` and by eye before committing it"
        );
    }
    Ok(())
}
