//! Writing the container: sections are gathered, then written once, in the order in which they came.

use std::borrow::Cow;
use std::io::{self, Write};

use bytemuck::Pod;

use super::container::{
    ALIGNMENT, CHECKED_HEADER_BYTES, FileHeader, HEADER_BYTES, MAGIC, SectionEntry, least_version,
};
use super::kind::SectionId;

/// Gathers the sections of a cooked file.
///
/// The same sections give the same bytes, always.
/// Numbers are written as this machine stores them, so that a big-endian one cannot write files.
#[derive(Clone, Debug, Default)]
pub struct Writer<'a> {
    sections: Vec<(SectionId, Cow<'a, [u8]>)>,
}

impl<'a> Writer<'a> {
    /// A file without sections.
    pub fn new() -> Self {
        Writer::default()
    }

    /// Adds a section that is borrowed until the file is written.
    pub fn add<T: Pod>(&mut self, id: SectionId, records: &'a [T]) {
        self.sections
            .push((id, Cow::Borrowed(bytemuck::cast_slice(records))));
    }

    /// Adds a section that was made for the file.
    pub fn add_owned<T: Pod>(&mut self, id: SectionId, records: &[T]) {
        self.sections
            .push((id, Cow::Owned(bytemuck::cast_slice(records).to_vec())));
    }

    /// How long the file is.
    pub fn file_bytes(&self) -> u64 {
        let start = HEADER_BYTES + self.sections.len() * size_of::<SectionEntry>();
        let sections = self
            .sections
            .iter()
            .map(|(_, bytes)| bytes.len().next_multiple_of(ALIGNMENT) as u64);
        start as u64 + sections.sum::<u64>()
    }

    /// The names of the sections with their bytes, in the order of the file.
    pub fn sections(&self) -> impl ExactSizeIterator<Item = (SectionId, usize)> {
        self.sections.iter().map(|(id, bytes)| (*id, bytes.len()))
    }

    /// Writes the file. What was written is right only if a reader takes it: two sections of one name, or records
    /// that disagree, are found there.
    ///
    /// # Errors
    /// Where `out` fails, where there are more sections than 32 bits count, and on a big-endian machine.
    pub fn write_to(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let refused = |what| Err(io::Error::new(io::ErrorKind::Unsupported, what));
        if cfg!(target_endian = "big") {
            return refused("cooked files cannot be written on a big-endian machine");
        }
        let Ok(section_count) = u32::try_from(self.sections.len()) else {
            return refused("there are more sections than 32 bits count");
        };
        let table = self.table();
        let mut header = FileHeader {
            magic: MAGIC,
            version: least_version(self.sections.iter().map(|(id, _)| id.kind)),
            section_count,
            file_bytes: self.file_bytes(),
            table_checksum: crc32fast::hash(bytemuck::cast_slice(&table)),
            header_checksum: 0,
        };
        header.header_checksum = crc32fast::hash(&bytemuck::bytes_of(&header)[..CHECKED_HEADER_BYTES]);
        out.write_all(bytemuck::bytes_of(&header))?;
        out.write_all(bytemuck::cast_slice(&table))?;
        for (_, bytes) in &self.sections {
            out.write_all(bytes)?;
            let padding = bytes.len().next_multiple_of(ALIGNMENT) - bytes.len();
            out.write_all(&[0; ALIGNMENT][..padding])?;
        }
        Ok(())
    }

    fn table(&self) -> Vec<SectionEntry> {
        let mut offset = (HEADER_BYTES + self.sections.len() * size_of::<SectionEntry>()) as u64;
        let entry = |(id, bytes): &(SectionId, Cow<'_, [u8]>)| {
            let entry = SectionEntry {
                kind: id.kind.0,
                index: id.index,
                part: id.part,
                checksum: crc32fast::hash(bytes),
                offset,
                length: bytes.len() as u64,
            };
            offset += bytes.len().next_multiple_of(ALIGNMENT) as u64;
            entry
        };
        self.sections.iter().map(entry).collect()
    }
}
