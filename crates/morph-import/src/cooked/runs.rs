//! Runs of records, and the checks that records share.

use morph_core::cooked::SectionError;

use super::records::{ABSENT, RunRecord};

pub(super) fn run(first: usize, count: usize) -> RunRecord {
    RunRecord {
        first: first as u32,
        count: count as u32,
    }
}

/// The records of a run anywhere.
pub(super) fn slice_of<'a, T>(
    all: &'a [T],
    run: RunRecord,
    what: &'static str,
    at: usize,
) -> Result<&'a [T], SectionError> {
    let end = u64::from(run.first) + u64::from(run.count);
    all.get(run.first as usize..end as usize)
        .ok_or(SectionError::OutOfRange {
            what,
            at,
            index: end,
            count: all.len() as u64 + 1,
        })
}

/// The records of a run that has to start where the one before ended.
pub(super) fn next_run<'a, T>(
    all: &'a [T],
    run: RunRecord,
    next: &mut usize,
    what: &'static str,
    at: usize,
) -> Result<&'a [T], SectionError> {
    let found = slice_of(all, run, what, at)?;
    if run.first as usize != *next {
        return Err(field(what, at, run.first, &next.to_string()));
    }
    *next += found.len();
    Ok(found)
}

/// Checks that runs have used up all records.
pub(super) fn check_end(next: usize, count: usize, what: &'static str) -> Result<(), SectionError> {
    if next == count {
        return Ok(());
    }
    Err(field(what, 0, next as u32, &count.to_string()))
}

/// The error that a number of a record is not one of those that it may be.
pub(super) fn field(field: &'static str, record: usize, found: u32, right: &str) -> SectionError {
    SectionError::Field {
        field,
        record,
        found: u64::from(found),
        right: right.to_owned(),
    }
}

/// An index that may be absent, below a count.
pub(super) fn optional_index(
    index: u32,
    count: usize,
    what: &'static str,
    at: usize,
) -> Result<Option<usize>, SectionError> {
    if index == ABSENT {
        return Ok(None);
    }
    if index as usize >= count {
        return Err(SectionError::OutOfRange {
            what,
            at,
            index: u64::from(index),
            count: count as u64,
        });
    }
    Ok(Some(index as usize))
}

pub(super) fn optional_index_record(index: Option<usize>) -> u32 {
    index.map_or(ABSENT, |index| index as u32)
}

/// Checks that all floats of a record are finite.
pub(super) fn finite(values: &[f32], what: &'static str, at: usize) -> Result<(), SectionError> {
    if values.iter().all(|x| x.is_finite()) {
        Ok(())
    } else {
        Err(SectionError::NotFinite { what, at })
    }
}
