//! Vertex-major words against the mesh: they have to be, bit for bit, what packing it gives.

use crate::layout::vertex_major::{EntryWriter, word_count};
use crate::mesh::MorphMesh;
use crate::quantization::Quantization;

use super::container::Section;
use super::error::{CookedError, SectionError};
use super::primitive::CookedVertexMajor;
use super::values::equals;

/// Checks words of which the offsets are known to be those of the mesh.
///
/// Takes time linear in vertices, targets and entries, and 4 bytes of memory a vertex.
pub(super) fn check(
    mesh: &MorphMesh,
    layout: &CookedVertexMajor<'_>,
    section: &Section<'_>,
) -> Result<(), CookedError> {
    let expected = word_count(mesh);
    if layout.words.len() as u64 != expected {
        return Err(section.fault(SectionError::Length {
            found: 4 * layout.words.len() as u64,
            expected: 4 * expected,
        }));
    }
    check_words(mesh, layout).map_err(|error| section.fault(error))
}

fn check_words(mesh: &MorphMesh, layout: &CookedVertexMajor<'_>) -> Result<(), SectionError> {
    let (table, rest) = layout.words.split_at(layout.steps_offset as usize);
    let (steps, entries) = rest.split_at((layout.entries_offset - layout.steps_offset) as usize);
    check_table(table, mesh.entry_count())?;
    for (slot, (words, target)) in steps.chunks_exact(3).zip(&mesh.targets).enumerate() {
        if words != target.steps.map(f32::to_bits) {
            return Err(SectionError::Mismatch {
                what: "the step",
                at: slot,
            });
        }
    }
    let entry_words = layout.entry_words as usize;
    check_entries(mesh, table, entries, entry_words).map_err(|mismatch| {
        // The first difference is found where packing would have written; what is wrong may be told better.
        check_order(mesh, table, entries, entry_words)
            .err()
            .unwrap_or(mismatch)
    })
}

fn check_table(table: &[u32], entry_count: u64) -> Result<(), SectionError> {
    let first = table.first().copied().unwrap_or(0);
    equals("the first entry", 0, u64::from(first), 0)?;
    if let Some(before) = table.windows(2).position(|pair| pair[0] > pair[1]) {
        return Err(SectionError::NotRising {
            what: "the first entry of vertex",
            at: before + 1,
            value: table[before + 1],
            previous: table[before],
        });
    }
    let last = table.last().copied().unwrap_or(0);
    equals(
        "the end of the entries",
        table.len() - 1,
        u64::from(last),
        entry_count,
    )
}

/// Checks that entries name targets that are there, and that these rise within each vertex.
fn check_order(
    mesh: &MorphMesh,
    table: &[u32],
    entries: &[u32],
    entry_words: usize,
) -> Result<(), SectionError> {
    let target_of = |entry: usize| {
        let word = entries[entry * entry_words];
        match mesh.quantization() {
            Quantization::F32 => word,
            Quantization::Half | Quantization::Snorm16 => word & 0xffff,
        }
    };
    for range in table.windows(2) {
        let mut previous = None;
        for entry in range[0] as usize..range[1] as usize {
            let target = target_of(entry);
            if target as usize >= mesh.target_count() {
                return Err(SectionError::OutOfRange {
                    what: "the target of entry",
                    at: entry,
                    index: u64::from(target),
                    count: mesh.target_count() as u64,
                });
            }
            if let Some(previous) = previous.filter(|&previous| previous >= target) {
                return Err(SectionError::NotRising {
                    what: "the target of entry",
                    at: entry,
                    value: target,
                    previous,
                });
            }
            previous = Some(target);
        }
    }
    Ok(())
}

/// Checks every entry against the mesh, in the order in which packing writes them.
fn check_entries(
    mesh: &MorphMesh,
    table: &[u32],
    entries: &[u32],
    entry_words: usize,
) -> Result<(), SectionError> {
    let mut next = table.to_vec();
    let mut expected = [0; EntryWriter::MOST_WORDS];
    for (slot, target) in mesh.targets.iter().enumerate() {
        let writer = EntryWriter::new(mesh, slot, target);
        for (i, &vertex) in writer.vertices().iter().enumerate() {
            let entry = next[vertex as usize] as usize;
            next[vertex as usize] += 1;
            // One past the end of a vertex belongs to the next vertex or to none; neither can hold this entry.
            let words = entries.get(entry * entry_words..(entry + 1) * entry_words);
            writer.write(i, &mut expected[..entry_words]);
            if words != Some(&expected[..entry_words]) || entry >= table[vertex as usize + 1] as usize {
                return Err(SectionError::Mismatch {
                    what: "the entry",
                    at: entry,
                });
            }
        }
    }
    // As many entries as the mesh has were found, each at a place of its own: so there are no others.
    Ok(())
}
