//! `cargo xtask test`: every check of the project, in steps that are announced, timed and summed up.
//!
//! One profile is built (the tests'), because two would double the time on a small machine.
//! Formatting, lints, documents and shaders that fail do not keep the tests from running; only a build that fails does.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::run::{cargo, command_line, run};
use crate::setup::{self, Purpose};
use crate::shaders;
use crate::vulkan::Environment;

/// What a person may choose.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Leave out lints and documents: formatting, shaders and tests only.
    #[arg(long)]
    quick: bool,
}

/// Tests counted from what cargo prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    passed: u64,
    failed: u64,
    ignored: u64,
    /// Names of the tests that failed.
    failures: Vec<String>,
}

impl Tally {
    /// Takes one line of a test program's output.
    fn read_line(&mut self, line: &str) {
        if let Some(name) = line
            .strip_prefix("test ")
            .and_then(|rest| rest.strip_suffix(" ... FAILED"))
        {
            self.failures.push(name.to_owned());
        }
        let Some(counts) = line.strip_prefix("test result: ") else {
            return;
        };
        // As in `ok. 22 passed; 0 failed; 1 ignored; 0 measured; …`.
        for part in counts.split(['.', ';']) {
            if let Some((count, what)) = part.trim().split_once(' ')
                && let Ok(count) = count.parse::<u64>()
            {
                match what {
                    "passed" => self.passed += count,
                    "failed" => self.failed += count,
                    "ignored" => self.ignored += count,
                    _ => {}
                }
            }
        }
    }
}

/// A step that was run.
#[derive(Debug)]
struct Done {
    name: &'static str,
    time: Duration,
    error: Option<String>,
}

/// The steps so far.
#[derive(Debug, Default)]
struct Steps(Vec<Done>);

impl Steps {
    /// Announces and runs a step; returns whether it passed.
    fn step(&mut self, name: &'static str, what: &str, action: impl FnOnce() -> anyhow::Result<()>) -> bool {
        println!("\n== step {}: {name}: {what}", self.0.len() + 1);
        let start = Instant::now();
        let error = action().err().map(|error| format!("{error:#}"));
        let time = start.elapsed();
        match &error {
            None => println!("== {name} passed after {:.1} s", time.as_secs_f64()),
            Some(error) => println!("== {name} FAILED after {:.1} s: {error}", time.as_secs_f64()),
        }
        let is_well = error.is_none();
        self.0.push(Done { name, time, error });
        is_well
    }

    /// Runs a cargo command as a step.
    fn cargo(&mut self, name: &'static str, mut command: Command) -> bool {
        let line = command_line(&command);
        self.step(name, &line, || run(&mut command))
    }

    /// Steps that failed.
    fn failed_count(&self) -> usize {
        self.0.iter().filter(|done| done.error.is_some()).count()
    }
}

/// Runs everything; returns whether all of it passed. The last line printed is `N passed, M failed`.
pub(crate) fn run_tests(root: &Path, arguments: &Arguments) -> bool {
    let mut steps = Steps::default();
    let mut tally = Tally::default();
    run_steps(root, arguments, &mut steps, &mut tally);
    print!("{}", summary(&steps, &tally));
    // The summary must be the last thing seen, whatever buffers lie between.
    let _ = std::io::stdout().flush();
    failed_count(&steps, &tally) == 0
}

/// Runs the steps up to the first without which the rest makes no sense.
fn run_steps(root: &Path, arguments: &Arguments, steps: &mut Steps, tally: &mut Tally) {
    let mut environment = Environment::default();
    let is_ready = steps.step("setup", "driver, validation layers, shader compiler", || {
        environment = setup::prepare(root, Purpose::Tests, false)?;
        setup::report(root)?;
        shaders::join_archives(root)
    });
    if !is_ready {
        return;
    }
    let with = |arguments: &[&str]| {
        let mut command = cargo(root);
        command.args(arguments);
        command
    };
    steps.cargo("format", with(&["fmt", "--all", "--check"]));
    if !arguments.quick {
        steps.cargo(
            "lints",
            with(&[
                "clippy",
                "--workspace",
                "--all-targets",
                "--",
                "--deny",
                "warnings",
            ]),
        );
        let mut documents = with(&["doc", "--workspace", "--no-deps"]);
        documents.env("RUSTDOCFLAGS", "--deny warnings");
        steps.cargo("documents", documents);
    }
    if !steps.cargo("build", with(&["test", "--workspace", "--no-run"])) {
        return;
    }
    steps.step("shaders", "committed modules against their sources", || {
        shaders::compile(root, true)
    });
    let mut tests = with(&["test", "--workspace", "--no-fail-fast"]);
    environment.apply(&mut tests);
    set_shared(root, &mut tests);
    steps.step("tests", "cargo test --workspace", || {
        run_counted(&mut tests, tally)
    });
}

/// Tells the tests where the models and oracle files are, unless the person did.
pub(crate) fn set_shared(root: &Path, command: &mut Command) {
    if std::env::var_os("MORPH_SHARED").is_none()
        && let Ok(shared) = root.join("../shared").canonicalize()
    {
        command.env("MORPH_SHARED", shared);
    }
}

/// Runs a test command with its output shown, and counts what it reports.
pub(crate) fn run_counted(command: &mut Command, tally: &mut Tally) -> anyhow::Result<()> {
    let line = command_line(command);
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{line}`"))?;
    let output = child.stdout.take().context("the tests' output cannot be read")?;
    for line in BufReader::new(output).split(b'\n') {
        let line = line.context("the tests' output cannot be read")?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        tally.read_line(&line);
    }
    let status = child.wait().with_context(|| format!("`{line}` did not end"))?;
    if !status.success() {
        bail!("{} tests failed ({status})", tally.failed);
    }
    if tally.passed == 0 {
        bail!("no test ran");
    }
    Ok(())
}

/// Failed tests, and failed steps that no failed test stands for.
fn failed_count(steps: &Steps, tally: &Tally) -> u64 {
    let is_told_by_tests = |done: &&Done| done.name == "tests" && tally.failed > 0;
    let untold = steps
        .0
        .iter()
        .filter(|done| done.error.is_some() && !is_told_by_tests(done))
        .count();
    tally.failed + untold as u64
}

/// What happened, and as its last line `N passed, M failed`.
fn summary(steps: &Steps, tally: &Tally) -> String {
    let mut lines = vec![String::new(), "== summary".to_owned()];
    for done in &steps.0 {
        let verdict = if done.error.is_some() { "FAILED" } else { "passed" };
        lines.push(format!(
            "  {:<10} {verdict} {:>7.1} s",
            done.name,
            done.time.as_secs_f64()
        ));
    }
    let total: Duration = steps.0.iter().map(|done| done.time).sum();
    lines.push(format!("  {:<10} {:>14.1} s", "in all", total.as_secs_f64()));
    for done in &steps.0 {
        lines.extend(
            done.error
                .as_ref()
                .map(|error| format!("  {}: {error}", done.name)),
        );
    }
    lines.extend(tally.failures.iter().map(|name| format!("  failed test: {name}")));
    if tally.ignored > 0 {
        lines.push(format!("  {} tests are marked as ignored", tally.ignored));
    }
    if steps.failed_count() > 0 {
        lines.push("  failed steps count as failed below".to_owned());
    }
    lines.push(format!(
        "{} passed, {} failed\n",
        tally.passed,
        failed_count(steps, tally)
    ));
    lines.join("\n")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    fn tally(text: &str) -> Tally {
        let mut tally = Tally::default();
        text.lines().for_each(|line| tally.read_line(line));
        tally
    }

    #[test]
    fn counts_over_all_test_programs() {
        let tally = tally(
            "running 2 tests\ntest a ... ok\ntest module::b ... FAILED\n\
             test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.10s\n\
             test result: ok. 20 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 1.00s\n",
        );
        let failures = vec!["module::b".to_owned()];
        assert_eq!(
            tally,
            Tally {
                passed: 21,
                failed: 1,
                ignored: 2,
                failures
            }
        );
    }

    #[test]
    fn the_last_line_counts_tests_and_steps_once() {
        let mut steps = Steps::default();
        assert!(steps.step("format", "x", || Ok(())));
        assert!(summary(&steps, &tally("")).ends_with("\n0 passed, 0 failed\n"));
        assert!(!steps.step("lints", "x", || bail!("bad")));
        let passed = "test result: ok. 5 passed; 0 failed;";
        assert!(summary(&steps, &tally(passed)).ends_with("\n5 passed, 1 failed\n"));
        assert!(!steps.step("tests", "x", || bail!("2 tests failed")));
        let failed = "test result: FAILED. 5 passed; 2 failed;";
        assert!(summary(&steps, &tally(failed)).ends_with("\n5 passed, 3 failed\n"));
        // A test program that crashes fails the step without counting a test.
        assert!(summary(&steps, &tally(passed)).ends_with("\n5 passed, 2 failed\n"));
    }

    #[test]
    fn a_run_without_tests_fails() {
        let mut tally = Tally::default();
        assert!(
            run_counted(&mut Command::new("true"), &mut tally)
                .unwrap_err()
                .to_string()
                .contains("no test ran")
        );
        let mut echo = Command::new("echo");
        run_counted(echo.arg("test result: ok. 3 passed; 0 failed;"), &mut tally).unwrap();
        assert_eq!(tally.passed, 3);
        assert!(run_counted(&mut Command::new("false"), &mut tally).is_err());
    }
}
