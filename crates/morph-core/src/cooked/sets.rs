//! Deltas of texture coordinates and colors: three sections for each of both, where a mesh has some.

use bytemuck::{Pod, Zeroable};

use crate::sets::{SetPool, SetView};

use super::container::{Container, Section};
use super::error::{CookedError, SectionError};
use super::kind::{SectionId, SectionKind};
use super::values::{below, equals, is_in_domain, rising};
use super::writer::Writer;

/// What one target changes in one set: a run of the changed vertices, and of their deltas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SetRecord {
    /// The target. Records rise by target, then by set.
    pub slot: u32,
    /// The set.
    pub set: u32,
    /// How many vertices change, at least one; runs follow each other in the order of the records.
    pub entry_count: u32,
}

/// The parts of a kind: records, vertices, deltas.
pub(super) const PART_COUNT: u32 = 3;

fn id(kind: SectionKind, index: u32, part: u32) -> SectionId {
    SectionId { index, kind, part }
}

/// Adds the sections of a kind; nothing where there are no deltas.
pub(super) fn add<'a, const N: usize>(
    writer: &mut Writer<'_>,
    (kind, index): (SectionKind, u32),
    views: impl Iterator<Item = (usize, SetView<'a, N>)>,
) where
    [f32; N]: Pod,
{
    let (mut records, mut vertices, mut deltas) = (Vec::new(), Vec::new(), Vec::new());
    for (slot, view) in views {
        records.push(SetRecord {
            slot: slot as u32,
            set: view.set,
            entry_count: view.vertices.len() as u32,
        });
        vertices.extend_from_slice(view.vertices);
        deltas.extend_from_slice(view.deltas);
    }
    if records.is_empty() {
        return;
    }
    writer.add_owned(id(kind, index, 0), &records);
    writer.add_owned(id(kind, index, 1), &vertices);
    writer.add_owned(id(kind, index, 2), &deltas);
}

/// Reads the sections of a kind, which have to be there.
pub(super) fn read<const N: usize>(
    container: &Container<'_>,
    (kind, index): (SectionKind, u32),
    vertex_count: u32,
    target_count: u32,
) -> Result<SetPool<N>, CookedError>
where
    [f32; N]: Pod,
{
    let record_section = container.require(id(kind, index, 0))?;
    let vertex_section = container.require(id(kind, index, 1))?;
    let delta_section = container.require(id(kind, index, 2))?;
    let records: &[SetRecord] = record_section.records()?;
    let entry_count = records
        .iter()
        .map(|record| u64::from(record.entry_count))
        .sum::<u64>();
    let vertices: &[u32] = vertex_section.exactly(entry_count)?;
    let deltas: &[[f32; N]] = delta_section.exactly(entry_count)?;
    check_records(records, target_count).map_err(|error| record_section.fault(error))?;
    below("changed vertex", vertices, vertex_count).map_err(|error| vertex_section.fault(error))?;
    check_deltas(deltas, &delta_section)?;
    let mut pool = SetPool::default();
    let mut first = 0;
    for record in records {
        let run = first..first + record.entry_count as usize;
        rising("changed vertex", &vertices[run.clone()]).map_err(|error| vertex_section.fault(error))?;
        for (&vertex, &delta) in vertices[run.clone()].iter().zip(&deltas[run.clone()]) {
            pool.push(record.slot as usize, record.set, vertex, delta);
        }
        first = run.end;
    }
    pool.shrink_to_fit();
    Ok(pool)
}

fn check_records(records: &[SetRecord], target_count: u32) -> Result<(), SectionError> {
    // The record of the primitive says that there are some.
    if records.is_empty() {
        return Err(SectionError::Length {
            found: 0,
            expected: size_of::<SetRecord>() as u64,
        });
    }
    let mut previous: Option<&SetRecord> = None;
    for (at, record) in records.iter().enumerate() {
        if record.slot >= target_count {
            return Err(SectionError::OutOfRange {
                what: "the target of record",
                at,
                index: u64::from(record.slot),
                count: u64::from(target_count),
            });
        }
        if record.entry_count == 0 {
            return equals("the number of changed vertices", at, 0, 1);
        }
        if let Some(previous) = previous.filter(|it| (it.slot, it.set) >= (record.slot, record.set)) {
            return Err(SectionError::NotRising {
                what: "the target or set of record",
                at,
                value: record.set,
                previous: previous.set,
            });
        }
        previous = Some(record);
    }
    Ok(())
}

fn check_deltas<const N: usize>(deltas: &[[f32; N]], section: &Section<'_>) -> Result<(), CookedError> {
    for (at, delta) in deltas.iter().enumerate() {
        if !delta.iter().all(|x| x.is_finite()) {
            return Err(section.fault(SectionError::NotFinite { what: "delta", at }));
        }
        // A delta of nothing but zeros is none.
        let outside = delta.iter().find(|&&x| !is_in_domain(x));
        let none = (*delta == [0.0; N]).then_some(&0.0);
        if let Some(&value) = outside.or(none) {
            return Err(section.fault(SectionError::Domain {
                what: "delta",
                at,
                value,
            }));
        }
    }
    Ok(())
}
