//! The report as a person reads it: the worst first, and what is alike together.

use std::fmt::Write as _;

use super::report::{Problem, Report};
use crate::model::format_title;
use crate::text::{brief, count, counted, printable, readable};

/// How many places of one kind of problem are shown, unless all are asked for.
const SHOWN_PLACES: usize = 4;

/// The whole report.
pub(super) fn text(report: &Report, all: bool) -> String {
    let mut text = String::new();
    let format = format_title(report.format);
    let counts = [
        ("error", report.errors, "error", "errors"),
        ("warning", report.warnings, "warning", "warnings"),
        ("info", report.infos, "note", "notes"),
    ];
    let found: Vec<String> = counts
        .iter()
        .filter(|(_, number, ..)| *number > 0)
        .map(|&(_, number, one, many)| counted(number, one, many))
        .collect();
    let verdict = if found.is_empty() {
        "no problems found".to_owned()
    } else {
        found.join(", ")
    };
    line(
        &mut text,
        format_args!("{}: {format}: {verdict}", printable(&report.file)),
    );
    for (severity, number, one, many) in counts {
        if number > 0 {
            line(&mut text, format_args!("\n{}", counted(number, one, many)));
            print_kinds(&mut text, report, severity, all);
        }
    }
    if report.left_out > 0 {
        let more = count(report.left_out);
        line(
            &mut text,
            format_args!("\nand {more} more problems, which are not listed"),
        );
    }
    text
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{arguments}");
}

/// The problems of one severity, each code with its places.
fn print_kinds(text: &mut String, report: &Report, severity: &str, all: bool) {
    // Codes in the order in which they were first found.
    let mut kinds: Vec<(&str, Vec<&Problem>)> = Vec::new();
    for problem in report
        .problems
        .iter()
        .filter(|problem| problem.severity == severity)
    {
        match kinds.iter_mut().find(|(code, _)| *code == problem.code) {
            Some((_, places)) => places.push(problem),
            None => kinds.push((problem.code, vec![problem])),
        }
    }
    for (code, places) in kinds {
        line(text, format_args!("  {code}"));
        let shown = if all { places.len() } else { SHOWN_PLACES };
        for problem in places.iter().take(shown) {
            line(text, format_args!("    {}", place_and_message(problem)));
        }
        if places.len() > shown {
            let more = counted(places.len() - shown, "more place", "more places");
            line(text, format_args!("    … and {more} (--all lists them)"));
        }
    }
}

/// `/meshes/0/primitives/1/indices "Head": what is wrong (and 41 more)`.
fn place_and_message(problem: &Problem) -> String {
    let place = match (&problem.pointer, problem.offset) {
        (_, Some(offset)) => format!("byte {}", count(offset)),
        (Some(pointer), None) if pointer.is_empty() => "the file".to_owned(),
        (Some(pointer), None) => match &problem.name {
            Some(name) => format!("{} \"{}\"", readable(pointer), brief(name)),
            None => readable(pointer),
        },
        (None, None) => problem.name.as_deref().map_or("the file".to_owned(), readable),
    };
    let more = if problem.count > 1 {
        format!(" (and {} more)", count(problem.count - 1))
    } else {
        String::new()
    };
    format!("{place}: {}{more}", readable(&problem.message))
}
