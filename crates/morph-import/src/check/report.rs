//! What a check found.

use super::json::{Json, Members};
use crate::text::shorten;

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Info,
    /// Allowed or harmless, and seldom what the author meant.
    Warning,
    /// Against the specification, or more than can be read: programs may refuse the file or show it differently.
    Error,
}

/// One problem of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// How much it matters.
    pub severity: Severity,
    /// What kind of problem it is: a name of the Khronos glTF validator such as `ACCESSOR_INDEX_OOB`, or one of our own
    /// that begins with `MORPH_`.
    pub code: &'static str,
    /// The JSON pointer (RFC 6901) of the place, as the Khronos validator writes it: `/meshes/0/primitives/1`. Empty for
    /// a problem of the whole file or of the binary container.
    pub pointer: String,
    /// The place in the binary container, in bytes from the start of the file, where the problem is one of it.
    pub offset: Option<u64>,
    /// The name of what the pointer's first two parts lead to, such as the mesh's, shortened; none where it has none.
    pub name: Option<String>,
    /// How often it occurs at this place: the elements of an accessor that have it, for instance.
    pub count: u64,
    /// What is wrong, with numbers, and where it helps what would be right. Of many occurrences it tells the first.
    pub message: String,
}

/// All problems of a file, in the order in which they were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The problems.
    pub problems: Vec<Problem>,
    /// How many more there are than a report holds, all severities together.
    pub left_out: u64,
}

impl Report {
    /// The worst severity among the problems; none where there are none.
    pub fn worst(&self) -> Option<Severity> {
        self.problems.iter().map(|problem| problem.severity).max()
    }

    /// How many problems have this severity. Occurrences at one place count once.
    pub fn count(&self, severity: Severity) -> usize {
        let same = |problem: &&Problem| problem.severity == severity;
        self.problems.iter().filter(same).count()
    }
}

/// More problems than this are counted and not kept: a damaged file must not fill the memory with messages.
const MOST_PROBLEMS: usize = 100_000;

/// Collects problems.
#[derive(Debug, Default)]
pub(super) struct Findings {
    report: Report,
}

impl Findings {
    pub(super) fn error(
        &mut self,
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.add(Severity::Error, code, pointer, 1, message);
    }

    pub(super) fn warning(
        &mut self,
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.add(Severity::Warning, code, pointer, 1, message);
    }

    pub(super) fn info(
        &mut self,
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.add(Severity::Info, code, pointer, 1, message);
    }

    /// Tells that the file has no usable item of an index; it has `count` of them.
    pub(super) fn unresolved(&mut self, pointer: impl Into<String>, kind: &str, index: u64, count: usize) {
        let message = if index < count as u64 {
            format!("{kind} {index} is too damaged to be used")
        } else {
            format!("there is no {kind} {index}; there are {count}, counted from 0")
        };
        self.error("UNRESOLVED_REFERENCE", pointer, message);
    }

    /// Adds a problem that occurs `count` times at its place.
    pub(super) fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        pointer: impl Into<String>,
        count: u64,
        message: impl Into<String>,
    ) {
        self.push(Problem {
            severity,
            code,
            pointer: pointer.into(),
            offset: None,
            name: None,
            count,
            message: message.into(),
        });
    }

    /// Adds a problem of the binary container.
    pub(super) fn add_at_offset(
        &mut self,
        severity: Severity,
        code: &'static str,
        offset: usize,
        message: impl Into<String>,
    ) {
        self.push(Problem {
            severity,
            code,
            pointer: String::new(),
            offset: Some(offset as u64),
            name: None,
            count: 1,
            message: message.into(),
        });
    }

    fn push(&mut self, problem: Problem) {
        if self.report.problems.len() < MOST_PROBLEMS {
            self.report.problems.push(problem);
        } else {
            self.report.left_out += 1;
        }
    }

    /// Gives every problem the name of what it is in.
    pub(super) fn name_places(&mut self, root: &Members) {
        for problem in &mut self.report.problems {
            problem.name = name_of_place(root, &problem.pointer);
        }
    }

    pub(super) fn finish(self) -> Report {
        self.report
    }
}

/// The name of the item of one of the file's lists that a pointer leads to or into.
fn name_of_place(root: &Members, pointer: &str) -> Option<String> {
    let mut parts = pointer.strip_prefix('/')?.splitn(3, '/');
    let list = root.get(parts.next()?).and_then(Json::list)?;
    let item = list.get(parts.next()?.parse::<usize>().ok()?)?;
    item.object()?.get("name")?.text().map(shorten)
}
