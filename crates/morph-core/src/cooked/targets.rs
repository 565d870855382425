//! Names and reports of targets, out of their records.

use crate::mesh::MorphMesh;
use crate::names::{NameError, NameTable};
use crate::report::{BuildReport, TargetReport};
use crate::sets::SetView;

use super::container::Section;
use super::error::{CookedError, SectionError};
use super::records::{HAS_DIRECTION_ERROR, TargetRecord};
use super::values::equals;

/// Cuts the text into names and checks that they differ.
pub(super) fn read_names(
    records: &[TargetRecord],
    record_section: &Section<'_>,
    name_section: &Section<'_>,
) -> Result<NameTable, CookedError> {
    let text = name_section.text()?;
    let mut names = Vec::with_capacity(records.len());
    let mut next = 0_usize;
    for (at, record) in records.iter().enumerate() {
        let end = next.saturating_add(record.name_bytes as usize);
        let name = text.get(next..end).ok_or_else(|| {
            record_section.fault(SectionError::TextRange {
                what: "the name of target",
                at,
                first: next as u64,
                end: end as u64,
            })
        })?;
        names.push(name);
        next = end;
    }
    if next != text.len() {
        return Err(name_section.fault(SectionError::Length {
            found: text.len() as u64,
            expected: next as u64,
        }));
    }
    NameTable::new(names).map_err(|error| match error {
        NameError::Duplicate { name, first, second } => record_section.fault(SectionError::DuplicateName {
            what: "targets",
            name,
            first,
            second,
        }),
    })
}

/// What the build measured; it cannot be computed again, and is only checked for being possible.
pub(super) fn read_report(records: &[TargetRecord], mesh: &MorphMesh) -> Result<BuildReport, SectionError> {
    // A target moves fewer than 2^32 vertices, of fewer than 64 components each; sums of such counts do not overflow.
    const MOST: u64 = 1 << 38;
    let mut reports = Vec::with_capacity(records.len());
    for (slot, (record, name)) in records.iter().zip(mesh.names().iter()).enumerate() {
        let [position, normal, tangent] = record.worst_errors;
        let degrees = record.worst_direction_error_degrees;
        let has_direction_error = record.flags == HAS_DIRECTION_ERROR;
        if !has_direction_error {
            equals("the flags", slot, u64::from(record.flags), 0)?;
            equals(
                "the direction error without the flag for it",
                slot,
                u64::from(degrees.to_bits()),
                0,
            )?;
        }
        // An error may be infinite, where the difference of two floats is no float.
        if let Some(error) = [position, normal, tangent, degrees]
            .into_iter()
            .find(|error| error.is_nan() || error.is_sign_negative())
        {
            return Err(SectionError::Field {
                field: "a worst error",
                record: slot,
                found: u64::from(error.to_bits()),
                right: "the bits of a float that is +0 or more".to_owned(),
            });
        }
        if let Some(count) = [record.dropped_entry_count, record.zeroed_component_count]
            .into_iter()
            .find(|&count| count >= MOST)
        {
            return Err(SectionError::OutOfRange {
                what: "the number of dropped entries or components in target",
                at: slot,
                index: count,
                count: MOST,
            });
        }
        if record.uncounted_direction_vertices > mesh.vertex_count() {
            return Err(SectionError::OutOfRange {
                what: "the number of vertices without a direction in target",
                at: slot,
                index: u64::from(record.uncounted_direction_vertices),
                count: u64::from(mesh.vertex_count()) + 1,
            });
        }
        reports.push(TargetReport {
            name: name.to_owned(),
            entry_count: record.entry_count,
            texcoord_entry_count: entry_count(mesh.texcoords.of_target(slot)),
            color_entry_count: entry_count(mesh.colors.of_target(slot)),
            dropped_entry_count: record.dropped_entry_count,
            zeroed_component_count: record.zeroed_component_count,
            worst_position_error: position,
            worst_normal_error: normal,
            worst_tangent_error: tangent,
            worst_direction_error_degrees: has_direction_error.then_some(degrees),
            uncounted_direction_vertices: record.uncounted_direction_vertices,
            reach: record.reach,
        });
    }
    Ok(BuildReport::new(reports))
}

/// How many vertices change in some sets.
fn entry_count<'a, const N: usize>(views: impl Iterator<Item = SetView<'a, N>>) -> u64 {
    views.map(|view| view.vertices.len() as u64).sum()
}
