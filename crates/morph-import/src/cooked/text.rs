//! The text section: all names one after another.

use morph_core::cooked::{CookedError, Section, SectionError};

use super::records::{ABSENT, TextRecord};

/// Gathers names.
#[derive(Debug, Default)]
pub(super) struct TextWriter {
    text: String,
}

impl TextWriter {
    pub(super) fn add(&mut self, name: &str) -> TextRecord {
        let first = self.text.len() as u32;
        self.text.push_str(name);
        TextRecord {
            first,
            bytes: name.len() as u32,
        }
    }

    pub(super) fn add_optional(&mut self, name: Option<&str>) -> TextRecord {
        name.map_or(TextRecord::NONE, |name| self.add(name))
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

impl TextRecord {
    pub(super) const NONE: Self = TextRecord {
        first: ABSENT,
        bytes: 0,
    };
}

/// The names of a file.
#[derive(Debug)]
pub(super) struct Texts<'a>(pub(super) &'a str);

impl Texts<'_> {
    /// The name of a record of `section`, where it has one.
    pub(super) fn optional(
        &self,
        record: TextRecord,
        what: &'static str,
        at: usize,
        section: &Section<'_>,
    ) -> Result<Option<String>, CookedError> {
        if record == TextRecord::NONE {
            return Ok(None);
        }
        let (first, end) = (
            u64::from(record.first),
            u64::from(record.first) + u64::from(record.bytes),
        );
        match self.0.get(first as usize..end as usize) {
            Some(name) => Ok(Some(name.to_owned())),
            None => Err(section.fault(SectionError::TextRange { what, at, first, end })),
        }
    }

    /// The name of a record that has to have one.
    pub(super) fn required(
        &self,
        record: TextRecord,
        what: &'static str,
        at: usize,
        section: &Section<'_>,
    ) -> Result<String, CookedError> {
        self.optional(record, what, at, section)?.ok_or_else(|| {
            section.fault(SectionError::TextRange {
                what,
                at,
                first: u64::from(ABSENT),
                end: u64::from(ABSENT),
            })
        })
    }
}
