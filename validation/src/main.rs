//! `morph-validation`: drivers, layer, scenes and controls of this machine, as a table.
//!
//! Ends with 1 where a scene is not silent or a control is not reported, and with the line that installs a driver where
//! there is none.

#![allow(clippy::print_stdout, reason = "a program that prints a report")]

use std::process::ExitCode;

use morph_validation::{drivers, judge_driver, missing_drivers};

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, Box<dyn std::error::Error>> {
    let drivers = drivers()?;
    for name in missing_drivers(&drivers) {
        println!("{name} is not here: nothing was checked on it");
    }
    let mut is_good = true;
    for driver in &drivers {
        let verdict = judge_driver(driver)?;
        print!("{verdict}");
        is_good &= verdict.is_good();
    }
    Ok(is_good)
}
