//! What the tests of morph share: random meshes and scenes, a model of what a frame must show, oracle files, the
//! conformance table, compiled shader modules, and the comparison of pictures.
//!
//! The tests themselves are in `tests/device/`, one program, so that it links once, and in `tests/conformance.rs`,
//! which needs no device.

pub mod conformance;
pub mod gold;
pub mod head;
pub mod oracle;
pub mod recipe;
pub mod scene;
pub mod skin;
pub mod spirv;
pub mod world;

use std::io::Write as _;

use morph_validation::{Driver, drivers, missing_drivers};

/// Writes a line past the capture of the test harness: what a run could not check is part of its outcome.
pub fn say(text: impl std::fmt::Display) {
    // A closed stream must not fail a test.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// The drivers at hand; those that should be here and are not are named once a run.
///
/// # Panics
/// There is none: the message has the line that installs one.
pub fn test_drivers() -> Vec<Driver> {
    static SAID: std::sync::Once = std::sync::Once::new();
    let drivers = drivers().unwrap_or_else(|error| panic!("{error}"));
    SAID.call_once(|| {
        for name in missing_drivers(&drivers) {
            say(format_args!(
                "tests: {name} is not here (`cargo xtask env` says how to bring it in): everything runs on {} driver(s) only",
                drivers.len()
            ));
        }
    });
    drivers
}
