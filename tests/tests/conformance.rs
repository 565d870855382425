//! The conformance table, and whether every case from the field has a test.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::BTreeSet;
use std::path::Path;

use morph_tests::conformance::{Oracle, document, measure, same_document};
use morph_tests::oracle::shared_folder;
use morph_tests::say;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

#[test]
fn every_model_agrees_with_every_answer_and_the_document_says_so() {
    let Some(shared) = shared_folder() else {
        say("skipped the conformance table, 147 rows: MORPH_SHARED does not name the folder with models");
        return;
    };
    let conformance = measure(&shared).unwrap_or_else(|error| panic!("{error}"));
    let failures: Vec<String> = conformance
        .failures()
        .iter()
        .map(|(oracle, row)| format!("{oracle:?}: {row:?}"))
        .collect();
    assert!(failures.is_empty(), "{failures:#?}");
    let row_counts: Vec<(Oracle, usize)> = conformance
        .tables
        .iter()
        .map(|table| (table.oracle, table.rows.len()))
        .collect();
    assert_eq!(
        row_counts,
        [
            (Oracle::Three, 71),
            (Oracle::Blender, 18),
            (Oracle::BlenderSkinned, 4),
            (Oracle::Ufbx, 35),
            (Oracle::AuthoringTools, 18),
            (Oracle::Arithmetic, 1)
        ]
    );
    let written = std::fs::read_to_string(root().join("docs/conformance.md")).unwrap();
    assert!(
        same_document(&written, &document(&conformance)),
        "docs/conformance.md is not what the models give: run `cargo xtask conformance`"
    );
}

/// The numbers of the cases in groups A to P, in a list with a heading for each group and an item for each case.
fn cases(list: &str) -> Vec<String> {
    let mut cases = Vec::new();
    let mut is_in_groups = false;
    for line in list.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let group = heading.split('.').next().unwrap_or_default();
            is_in_groups = group.len() == 1 && ("A"..="P").contains(&group);
        } else if let Some(item) = line.strip_prefix("- **B").filter(|_| is_in_groups) {
            cases.push(item.chars().take_while(char::is_ascii_digit).collect());
        }
    }
    cases
}

/// Adds the numbers in the names of tests in all Rust files below a folder, as in `b001_b002_what_is_right`.
fn add_tested(folder: &Path, tested: &mut BTreeSet<String>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_tested(&path, tested);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let names = text
                .lines()
                .filter_map(|line| line.trim_start().strip_prefix("fn b"));
            for name in names {
                let ids = name.split(['_', '(']).map(|part| part.trim_start_matches('b'));
                tested.extend(ids.take_while(|id| id.parse::<u32>().is_ok()).map(str::to_owned));
            }
        }
    }
}

#[test]
fn every_case_of_groups_a_to_p_has_a_test() {
    let Some(shared) = shared_folder() else {
        say("skipped the list of cases: MORPH_SHARED does not name the folder with it");
        return;
    };
    let cases = cases(&std::fs::read_to_string(shared.join("cases/cases.md")).unwrap());
    assert!(cases.len() > 70, "{}", cases.len());
    let mut tested = BTreeSet::new();
    for folder in ["crates", "tests"] {
        add_tested(&root().join(folder), &mut tested);
    }
    let missing: Vec<&String> = cases.iter().filter(|case| !tested.contains(*case)).collect();
    assert!(missing.is_empty(), "cases without a test: {missing:?}");
}
