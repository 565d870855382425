//! Vertex attributes of a primitive, and the numbered sets among them.

use super::accessor::Accessors;
use super::document::Attributes;
use super::fault::{At, Fault};
use crate::warning::{ImportWarning, WarningKind};

/// What the names of texture coordinates start with; the number of the set follows.
pub(crate) const TEXCOORD: &str = "TEXCOORD_";
/// What the names of colors start with.
pub(crate) const COLOR: &str = "COLOR_";

/// Reads an attribute where there is one; it has to have one element per vertex.
pub(crate) fn attribute<const N: usize>(
    accessors: Accessors<'_>,
    place: &str,
    attributes: &Attributes,
    name: &str,
    vertex_count: u32,
) -> Result<Option<Vec<[f32; N]>>, Fault> {
    let Some(accessor) = attributes.get(name) else {
        return Ok(None);
    };
    let values = accessors
        .floats(accessor.0, Some(u64::from(vertex_count)))
        .at(|| format!("{place}, {name} (accessor {})", accessor.0))?;
    Ok(Some(values))
}

/// Reads an attribute of colors where there is one, which may leave opacity out.
pub(crate) fn color(
    accessors: Accessors<'_>,
    place: &str,
    attributes: &Attributes,
    name: &str,
    vertex_count: u32,
    absent_opacity: f32,
) -> Result<Option<Vec<[f32; 4]>>, Fault> {
    let Some(accessor) = attributes.get(name) else {
        return Ok(None);
    };
    let values = accessors
        .colors(accessor.0, u64::from(vertex_count), absent_opacity)
        .at(|| format!("{place}, {name} (accessor {})", accessor.0))?;
    Ok(Some(values))
}

/// The number behind a prefix, as in `TEXCOORD_1`.
pub(crate) fn set_number(name: &str, prefix: &str) -> Option<u32> {
    let digits = name.strip_prefix(prefix)?;
    let plain = digits == "0" || !digits.starts_with(['0', '+']);
    digits.parse().ok().filter(|_| plain)
}

/// Reads all sets of texture coordinates.
pub(crate) fn texcoord_sets(
    accessors: Accessors<'_>,
    place: &str,
    attributes: &Attributes,
    vertex_count: u32,
    warnings: &mut Vec<ImportWarning>,
) -> Result<Vec<Vec<[f32; 2]>>, Fault> {
    warn_of_gaps(place, attributes, TEXCOORD, warnings);
    numbered(TEXCOORD, |name| {
        attribute(accessors, place, attributes, name, vertex_count)
    })
}

/// Reads all sets of colors.
pub(crate) fn color_sets(
    accessors: Accessors<'_>,
    place: &str,
    attributes: &Attributes,
    vertex_count: u32,
    warnings: &mut Vec<ImportWarning>,
) -> Result<Vec<Vec<[f32; 4]>>, Fault> {
    warn_of_gaps(place, attributes, COLOR, warnings);
    numbered(COLOR, |name| {
        color(accessors, place, attributes, name, vertex_count, 1.0)
    })
}

/// Reads sets 0, 1 and so on up to the first that is not there.
fn numbered<T>(
    prefix: &str,
    mut read: impl FnMut(&str) -> Result<Option<T>, Fault>,
) -> Result<Vec<T>, Fault> {
    let mut sets = Vec::new();
    while let Some(set) = read(&format!("{prefix}{}", sets.len()))? {
        sets.push(set);
    }
    Ok(sets)
}

/// Tells of sets whose numbers do not follow on the one before, which a list of sets has no place for.
fn warn_of_gaps(place: &str, attributes: &Attributes, prefix: &str, warnings: &mut Vec<ImportWarning>) {
    let mut numbers: Vec<u32> = attributes
        .keys()
        .filter_map(|name| set_number(name, prefix))
        .collect();
    numbers.sort_unstable();
    let first_gap = numbers
        .iter()
        .zip(0..)
        .position(|(&number, expected)| number != expected);
    for number in &numbers[first_gap.unwrap_or(numbers.len())..] {
        warnings.push(ImportWarning {
            place: place.to_owned(),
            kind: WarningKind::SetAfterGap {
                attribute: format!("{prefix}{number}"),
            },
        });
    }
}
