//! Target files: what they are called, where they are found, and their lines.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::error::{ImportError, MakeHumanError};
use crate::text::{float, shorten};
use crate::warning::{ImportWarning, WarningKind};

/// The deepest nesting of folders that is searched.
const DEEPEST: usize = 32;
/// Bytes of any target: room for a header of comments.
const HEADER_LIMIT_BYTES: u64 = 64 << 10;
/// Bytes of a target for each control point: a line has an index and three numbers, 30 letters as MakeHuman writes it.
const LINE_LIMIT_BYTES: u64 = 128;

const PLAIN: &str = ".target";
const PACKED: &str = ".target.gz";

/// The control points that a target moves, rising, with by how much, in the file's unit.
pub(super) type Deltas = Vec<(u32, [f64; 3])>;

/// The name of a target by its file's name, or nothing where it is no target.
pub(crate) fn stem(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    let cut = |suffix: &str| {
        let (stem, end) = name.split_at_checked(name.len().checked_sub(suffix.len())?)?;
        end.eq_ignore_ascii_case(suffix).then(|| stem.to_owned())
    };
    cut(PACKED).or_else(|| cut(PLAIN)).filter(|stem| !stem.is_empty())
}

/// Lists target files: files as they are given, folders searched to their bottom in sorted order.
///
/// Links to folders are not followed inside a folder: one that leads above it would make a circle.
pub(super) fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, ImportError> {
    let mut files = Vec::new();
    for path in paths {
        let metadata = std::fs::metadata(path).map_err(|reason| read_error(path, reason))?;
        if metadata.is_dir() {
            let mut found = Vec::new();
            search(path, 0, &mut found)?;
            found.sort();
            files.extend(found);
        } else if stem(path).is_some() {
            files.push(path.clone());
        } else {
            return Err(fault(path, None, MakeHumanError::NotATarget));
        }
    }
    Ok(files)
}

fn search(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), ImportError> {
    if depth > DEEPEST {
        return Err(fault(folder, None, MakeHumanError::TooDeep { limit: DEEPEST }));
    }
    for entry in std::fs::read_dir(folder).map_err(|reason| read_error(folder, reason))? {
        let entry = entry.map_err(|reason| read_error(folder, reason))?;
        let path = entry.path();
        // The entry's own type is that of the link where it is one.
        let kind = entry.file_type().map_err(|reason| read_error(&path, reason))?;
        if kind.is_dir() {
            search(&path, depth + 1, found)?;
        } else if stem(&path).is_some() {
            found.push(path);
        }
    }
    Ok(())
}

/// Names targets by their files' stems. Stems that several files share get the folder's name before them.
pub(super) fn names(files: &[PathBuf]) -> Vec<Option<String>> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for stem in files.iter().filter_map(|file| stem(file)) {
        *counts.entry(stem).or_default() += 1;
    }
    let name = |file: &PathBuf| {
        let stem = stem(file)?;
        match file.parent().and_then(Path::file_name) {
            Some(folder) if counts[&stem] > 1 => Some(format!("{}/{stem}", folder.to_string_lossy())),
            _ => Some(stem),
        }
    };
    files.iter().map(name).collect()
}

/// Reads a target file of a base mesh with `vertex_count` control points.
pub(super) fn read(
    path: &Path,
    vertex_count: usize,
    warnings: &mut Vec<ImportWarning>,
) -> Result<Deltas, ImportError> {
    let bytes = read_bytes(path, vertex_count)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| fault(path, None, MakeHumanError::NotText))?;
    let mut deltas = Deltas::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        let parsed = parse_line(line, vertex_count).map_err(|error| fault(path, Some(number), error))?;
        deltas.extend(parsed);
    }
    let lines = deltas.len();
    keep_last_lines(&mut deltas);
    if deltas.len() < lines {
        let kind = WarningKind::TargetLinesRepeated {
            lines: lines - deltas.len(),
        };
        warnings.push(ImportWarning {
            place: path.display().to_string(),
            kind,
        });
    }
    Ok(deltas)
}

/// Sorts by control point and keeps the last line for each, which is the one that stands in MakeHuman.
fn keep_last_lines(deltas: &mut Deltas) {
    let mut seen = HashSet::with_capacity(deltas.len());
    deltas.reverse();
    deltas.retain(|&(index, _)| seen.insert(index));
    deltas.sort_unstable_by_key(|&(index, _)| index);
}

fn parse_line(line: &str, vertex_count: usize) -> Result<Option<(u32, [f64; 3])>, MakeHumanError> {
    let content = line.split('#').next().unwrap_or_default();
    let mut parts = content.split_ascii_whitespace();
    let Some(index) = parts.next() else {
        return Ok(None);
    };
    let index: u64 = index.parse().map_err(|_| MakeHumanError::Number {
        expected: "a vertex number",
        found: shorten(index),
    })?;
    if index >= vertex_count as u64 {
        return Err(MakeHumanError::TargetIndex { index, vertex_count });
    }
    let wrong = || MakeHumanError::Line {
        expected: "index dx dy dz",
        found: shorten(line),
    };
    let mut delta = [0.0; 3];
    for component in &mut delta {
        *component = float(parts.next().ok_or_else(wrong)?)?;
    }
    match parts.next() {
        Some(_) => Err(wrong()),
        None => Ok(Some((index as u32, delta))),
    }
}

/// Reads and unpacks a file, but never more than a target of this base mesh can have.
fn read_bytes(path: &Path, vertex_count: usize) -> Result<Vec<u8>, ImportError> {
    let limit = HEADER_LIMIT_BYTES + LINE_LIMIT_BYTES * vertex_count as u64;
    let open = || {
        // A pipe would block or never end.
        if !path.metadata()?.is_file() {
            return Err(Error::new(ErrorKind::InvalidInput, "it is not a file"));
        }
        File::open(path)
    };
    let file = open().map_err(|reason| read_error(path, reason))?;
    let mut bytes = Vec::new();
    let packed = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    // One byte past the limit tells a file that is too long from one that just fits.
    let result = if packed {
        MultiGzDecoder::new(file).take(limit + 1).read_to_end(&mut bytes)
    } else {
        file.take(limit + 1).read_to_end(&mut bytes)
    };
    result.map_err(|reason| read_error(path, reason))?;
    if bytes.len() as u64 > limit {
        return Err(fault(path, None, MakeHumanError::TargetTooLong { limit }));
    }
    Ok(bytes)
}

pub(super) fn read_error(path: &Path, reason: Error) -> ImportError {
    ImportError::Read {
        path: path.to_owned(),
        reason,
    }
}

pub(super) fn fault(path: &Path, line: Option<u64>, error: MakeHumanError) -> ImportError {
    ImportError::MakeHuman {
        path: path.to_owned(),
        line,
        reason: Box::new(error),
    }
}
