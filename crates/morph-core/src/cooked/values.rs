//! Checks of single values: finite, and in the domain of the arithmetic.

use crate::domain::DOMAIN_MIN;

use super::error::SectionError;

/// Whether the domain rule would keep a number as it is: +0, or large enough.
pub(super) fn is_in_domain(x: f32) -> bool {
    x.to_bits() == 0 || x.abs() >= DOMAIN_MIN
}

/// Checks that vectors are finite.
pub(super) fn finite<const N: usize>(what: &'static str, values: &[[f32; N]]) -> Result<(), SectionError> {
    match values
        .iter()
        .position(|value| !value.iter().all(|x| x.is_finite()))
    {
        Some(at) => Err(SectionError::NotFinite { what, at }),
        None => Ok(()),
    }
}

/// Checks that vectors are finite and in the domain.
pub(super) fn in_domain(
    what: &'static str,
    values: impl IntoIterator<Item = [f32; 3]>,
) -> Result<(), SectionError> {
    for (at, value) in values.into_iter().enumerate() {
        for x in value {
            if !x.is_finite() {
                return Err(SectionError::NotFinite { what, at });
            }
            if !is_in_domain(x) {
                return Err(SectionError::Domain { what, at, value: x });
            }
        }
    }
    Ok(())
}

/// Checks that vertex numbers and the like are below a count.
pub(super) fn below(what: &'static str, values: &[u32], count: u32) -> Result<(), SectionError> {
    match values.iter().position(|&value| value >= count) {
        Some(at) => Err(SectionError::OutOfRange {
            what,
            at,
            index: u64::from(values[at]),
            count: u64::from(count),
        }),
        None => Ok(()),
    }
}

/// Checks that numbers rise strictly.
pub(super) fn rising(what: &'static str, values: &[u32]) -> Result<(), SectionError> {
    match values.windows(2).position(|pair| pair[0] >= pair[1]) {
        Some(before) => Err(SectionError::NotRising {
            what,
            at: before + 1,
            value: values[before + 1],
            previous: values[before],
        }),
        None => Ok(()),
    }
}

/// Checks that a number of a record is the only right one.
pub(super) fn equals(field: &'static str, record: usize, found: u64, right: u64) -> Result<(), SectionError> {
    if found == right {
        return Ok(());
    }
    Err(SectionError::Field {
        field,
        record,
        found,
        right: right.to_string(),
    })
}
