//! From target records and scatter words back to the stored targets.
//!
//! Scatter order holds all that a mesh stores, and each target where its deltas are one run: so the mesh is made of
//! it, and the vertex-major words are then compared with the mesh.

use crate::build::set_extremes;
use crate::deltas::DeltaPool;
use crate::mesh::StoredTarget;
use crate::quantization::{Quantization, decode_snorm16};
use crate::streams::Stream;

use super::container::Section;
use super::error::{CookedError, SectionError};
use super::records::{ABSENT, TargetRecord};
use super::values::{below, equals, in_domain, is_in_domain, rising};

/// The targets of a mesh in their stored form.
pub(super) struct Stored {
    pub(super) targets: Vec<StoredTarget>,
    pub(super) vertices: Vec<u32>,
    pub(super) deltas: DeltaPool,
}

/// Where the deltas of a mesh are read from.
pub(super) struct Source<'a> {
    pub(super) vertex_count: u32,
    pub(super) quantization: Quantization,
    /// How many entries the targets have together.
    pub(super) entry_count: u64,
    pub(super) records: &'a [TargetRecord],
    /// The section of the records, which is at fault where they are wrong.
    pub(super) record_section: Section<'a>,
    pub(super) words: &'a [u32],
    /// The section of the words, which is at fault where they are wrong.
    pub(super) word_section: Section<'a>,
}

impl Source<'_> {
    /// Checks everything and copies the words into the pools of a mesh.
    pub(super) fn read(&self) -> Result<Stored, CookedError> {
        let mut stored = Stored {
            targets: Vec::with_capacity(self.records.len()),
            vertices: Vec::new(),
            deltas: DeltaPool::new(self.quantization),
        };
        let entry_count: u64 = self
            .records
            .iter()
            .map(|record| u64::from(record.entry_count))
            .sum();
        equals("the entry count of all targets", 0, entry_count, self.entry_count)
            .map_err(|error| self.record_section.fault(error))?;
        // Three components of a delta take a word and a half at least, and an entry a word for its vertex: counts that
        // the words bear are counts that they justify memory for.
        let delta_count: u64 = self.records.iter().map(delta_count).sum();
        let least_words = entry_count + delta_count.saturating_mul(3) / 2;
        if least_words > self.words.len() as u64 {
            return Err(self.word_section.fault(SectionError::Length {
                found: 4 * self.words.len() as u64,
                expected: 4 * least_words,
            }));
        }
        stored.vertices.reserve_exact(entry_count as usize);
        stored.deltas.reserve_exact(delta_count as usize);
        let mut next_word = 0;
        for (slot, record) in self.records.iter().enumerate() {
            next_word = self.add(&mut stored, slot, record, next_word)?;
        }
        if next_word != self.words.len() {
            return Err(self.word_section.fault(SectionError::Length {
                found: 4 * self.words.len() as u64,
                expected: 4 * next_word as u64,
            }));
        }
        Ok(stored)
    }

    /// Adds a target whose words start at `next_word`, and says where the next one's do.
    fn add(
        &self,
        stored: &mut Stored,
        slot: usize,
        record: &TargetRecord,
        mut next_word: usize,
    ) -> Result<usize, CookedError> {
        let in_record = |error| self.record_section.fault(error);
        let in_words = |error| self.word_section.fault(error);
        let expect_offset = |field, found: u32, next_word: usize| {
            equals(field, slot, u64::from(found), next_word as u64).map_err(in_record)
        };
        let entry_count = record.entry_count as usize;
        expect_offset("the offset of the vertex numbers", record.index_offset, next_word)?;
        let vertices = self.take(&mut next_word, entry_count)?;
        below("moved vertex", vertices, self.vertex_count).map_err(in_words)?;
        rising("moved vertex", vertices).map_err(in_words)?;
        let mut target = StoredTarget {
            first_entry: stored.vertices.len(),
            entry_count: record.entry_count,
            first_delta: [None; 3],
            steps: record.steps,
            reach: 0.0,
            minimum: [0.0; 3],
            maximum: [0.0; 3],
        };
        stored.vertices.extend_from_slice(vertices);
        for stream in Stream::ALL {
            let s = stream.index();
            let (offset, step) = (record.stream_offsets[s], record.steps[s]);
            let is_there = offset != ABSENT;
            self.check_step(slot, step, is_there).map_err(in_record)?;
            if !is_there {
                continue;
            }
            if entry_count == 0 {
                return expect_offset("the offset of deltas without entries", offset, ABSENT as usize)
                    .map(|()| next_word);
            }
            expect_offset("the offset of deltas", offset, next_word)?;
            let word_count = match self.quantization {
                Quantization::F32 => 3 * entry_count,
                Quantization::Half | Quantization::Snorm16 => (3 * entry_count).div_ceil(2),
            };
            let words = self.take(&mut next_word, word_count)?;
            target.first_delta[s] =
                Some(push(&mut stored.deltas, words, entry_count, step).map_err(in_words)?);
        }
        if entry_count > 0 && target.first_delta == [None; 3] {
            return Err(in_record(SectionError::Field {
                field: "the number of streams",
                record: slot,
                found: 0,
                right: "at least 1, as there are entries".to_owned(),
            }));
        }
        if let Some(first) = target.first_delta[Stream::Position.index()] {
            let deltas = stored.deltas.slice(first..first + entry_count, target.steps[0]);
            set_extremes(&mut target, deltas, self.vertex_count);
        }
        let extremes = [
            ("the reach", [record.reach; 3], [target.reach; 3]),
            ("the smallest delta", record.minimum, target.minimum),
            ("the largest delta", record.maximum, target.maximum),
        ];
        for (what, given, computed) in extremes {
            if given.map(f32::to_bits) != computed.map(f32::to_bits) {
                return Err(in_record(SectionError::Mismatch { what, at: slot }));
            }
        }
        stored.targets.push(target);
        Ok(next_word)
    }

    fn take(&self, next_word: &mut usize, count: usize) -> Result<&[u32], CookedError> {
        let start = *next_word;
        let end = start.saturating_add(count);
        let words = self.words.get(start..end).ok_or_else(|| {
            self.word_section.fault(SectionError::Length {
                found: 4 * self.words.len() as u64,
                expected: 4 * end as u64,
            })
        })?;
        *next_word = end;
        Ok(words)
    }

    fn check_step(&self, slot: usize, step: f32, is_there: bool) -> Result<(), SectionError> {
        let (is_right, right) = match self.quantization {
            Quantization::F32 | Quantization::Half => {
                (step.to_bits() == 1.0_f32.to_bits(), "the bits of 1.0")
            }
            Quantization::Snorm16 if is_there => (
                step.is_finite() && step.is_sign_positive(),
                "the bits of a finite float that is +0 or more",
            ),
            Quantization::Snorm16 => (step.to_bits() == 0, "0, as the stream is absent"),
        };
        if is_right {
            return Ok(());
        }
        Err(SectionError::Field {
            field: "the step",
            record: slot,
            found: u64::from(step.to_bits()),
            right: right.to_owned(),
        })
    }
}

/// The deltas of a target in all its streams.
fn delta_count(record: &TargetRecord) -> u64 {
    let streams = record.stream_offsets.iter().filter(|&&offset| offset != ABSENT);
    streams.count() as u64 * u64::from(record.entry_count)
}

/// Appends the words of a stream to the pool, and says where its first delta lies there.
fn push(pool: &mut DeltaPool, words: &[u32], entry_count: usize, step: f32) -> Result<usize, SectionError> {
    match pool {
        DeltaPool::F32(pool) => {
            let (deltas, _) = bytemuck::cast_slice::<u32, f32>(words).as_chunks::<3>();
            in_domain("delta", deltas.iter().copied())?;
            pool.extend_from_slice(deltas);
            Ok(pool.len() - entry_count)
        }
        DeltaPool::Half(pool) => {
            let deltas = halves(words, entry_count)?;
            check_halves(deltas)?;
            pool.extend_from_slice(deltas);
            Ok(pool.len() - entry_count)
        }
        DeltaPool::Snorm16(pool) => {
            let deltas = halves(words, entry_count)?;
            let first = pool.len();
            pool.extend(deltas.iter().map(|delta| delta.map(u16::cast_signed)));
            check_counts(&pool[first..], step)?;
            Ok(first)
        }
    }
}

/// The triples of 16-bit numbers in words; what an odd number of them leaves over has to be zero.
fn halves(words: &[u32], entry_count: usize) -> Result<&[[u16; 3]], SectionError> {
    let all = bytemuck::cast_slice::<u32, u16>(words);
    let (deltas, left_over) = all.split_at(3 * entry_count);
    if left_over.iter().any(|&half| half != 0) {
        return Err(SectionError::Padding);
    }
    Ok(deltas.as_chunks::<3>().0)
}

/// Checks that halves are finite and not -0; every other half lies in the domain.
fn check_halves(deltas: &[[u16; 3]]) -> Result<(), SectionError> {
    const INFINITE: u16 = 0x7c00;
    const NEGATIVE_ZERO: u16 = 0x8000;
    for (at, delta) in deltas.iter().enumerate() {
        for &half in delta {
            if half & INFINITE == INFINITE {
                return Err(SectionError::NotFinite { what: "delta", at });
            }
            if half == NEGATIVE_ZERO {
                return Err(SectionError::Domain {
                    what: "delta",
                    at,
                    value: -0.0,
                });
            }
        }
    }
    Ok(())
}

/// Checks that step counts are in range and worth something finite in the domain.
fn check_counts(deltas: &[[i16; 3]], step: f32) -> Result<(), SectionError> {
    // The worth of a count grows with it, so that the smallest and the largest count speak for all.
    let all = || deltas.as_flattened().iter().map(|count| count.unsigned_abs());
    let largest = all().max().unwrap_or(0);
    let smallest = all().filter(|&count| count != 0).min().unwrap_or(0);
    let is_right = |count: u16| {
        i16::try_from(count).is_ok_and(|count| {
            let value = decode_snorm16(count, step);
            value.is_finite() && is_in_domain(value) && (count == 0 || value != 0.0)
        })
    };
    if is_right(largest) && is_right(smallest) {
        return Ok(());
    }
    for (at, delta) in deltas.iter().enumerate() {
        for &count in delta {
            let value = decode_snorm16(count, step);
            if count == i16::MIN || !value.is_finite() {
                return Err(SectionError::NotFinite {
                    what: "delta (or its count is -32768, which is not used)",
                    at,
                });
            }
            if !is_right(count.unsigned_abs()) {
                return Err(SectionError::Domain {
                    what: "delta",
                    at,
                    value,
                });
            }
        }
    }
    Ok(())
}
