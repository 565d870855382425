//! Every driver at hand under the validation layer: clean scenes are silent, controls are reported.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is how a test fails"
)]

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

use morph_validation::{Driver, Generation, drivers, judge_driver, missing_drivers};

/// Past the capture of the test harness: what a run proved, and what it could not, is part of its outcome.
fn say(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn judge(wanted: impl Fn(&Driver) -> bool, what: &str) {
    let all = drivers().unwrap_or_else(|error| panic!("{error}"));
    let drivers: Vec<&Driver> = all.iter().filter(|driver| wanted(driver)).collect();
    if drivers.is_empty() {
        say(format_args!(
            "validation: {what} is not here, nothing was checked on it"
        ));
    }
    for driver in drivers {
        let verdict = judge_driver(driver).unwrap_or_else(|error| panic!("{error}"));
        say(format_args!("validation: {verdict}"));
        if Generation::of(&verdict.layer) == Generation::Old {
            say(format_args!(
                "validation: {} is an old layer, which misses hazards (see validation/README.md); `cargo xtask setup` \
                 installs a newer one",
                verdict.layer
            ));
        }
        assert!(verdict.is_good(), "{verdict}");
    }
}

#[test]
fn lavapipe_is_silent_and_its_controls_are_reported() {
    judge(|driver| driver.info().is_lavapipe(), "lavapipe");
}

#[test]
fn swiftshader_is_silent_and_its_controls_are_reported() {
    judge(|driver| driver.info().is_swiftshader(), "SwiftShader");
}

#[test]
fn every_other_driver_is_silent_and_its_controls_are_reported() {
    judge(
        |driver| !driver.info().is_lavapipe() && !driver.info().is_swiftshader(),
        "a driver beside lavapipe and SwiftShader",
    );
}

/// The program, with the loader's variables as this test wants them.
fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_morph-validation"))
}

#[test]
fn the_distributions_layer_reports_what_the_table_says() {
    let Some(folder) = std::env::var_os("MORPH_LAYER_DEBIAN").map(PathBuf::from) else {
        say(
            "validation: MORPH_LAYER_DEBIAN is not set (`cargo xtask env` sets it): the older layer was not tried",
        );
        return;
    };
    let output = program()
        .env("VK_LAYER_PATH", &folder)
        .output()
        .expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    say(format_args!("validation, layer of {}:\n{text}", folder.display()));
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn without_a_driver_the_line_that_installs_one_is_printed() {
    let output = program()
        .env_remove("VK_ADD_DRIVER_FILES")
        .env("VK_DRIVER_FILES", "/nonexistent/no-driver.json")
        .env("VK_ICD_FILENAMES", "/nonexistent/no-driver.json")
        .output()
        .expect("the program starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(error.contains("cargo xtask setup"), "{error}");
    assert!(
        error.contains("apt-get install libvulkan1 mesa-vulkan-drivers"),
        "{error}"
    );
}

#[test]
fn missing_drivers_are_told_by_name() {
    let all = drivers().unwrap_or_else(|error| panic!("{error}"));
    for name in missing_drivers(&all) {
        assert!(["lavapipe", "SwiftShader"].contains(&name));
    }
    assert_eq!(missing_drivers(&[]), ["lavapipe", "SwiftShader"]);
}
