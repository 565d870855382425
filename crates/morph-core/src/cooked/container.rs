//! The container: header, section table, and the bytes of the sections.

use std::collections::BTreeMap;

use bytemuck::{Pod, Zeroable};

use super::error::{CookedError, SectionError};
use super::kind::{NEWEST_VERSION, SectionId, SectionKind};

/// The first bytes of a cooked file.
///
/// The first is no text, and the line break at the end shows where a transfer as text damaged the file.
pub const MAGIC: [u8; 8] = *b"\x8aMORPH\r\n";

/// Where sections may start: multiples of this many bytes, in the file and in memory.
pub const ALIGNMENT: usize = 16;

/// The start of the file, as it lies there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct FileHeader {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// The least version of the format that has all that is in the file.
    pub version: u32,
    /// How many sections there are.
    pub section_count: u32,
    /// How long the file is.
    pub file_bytes: u64,
    /// CRC-32 of the section table.
    pub table_checksum: u32,
    /// CRC-32 of the header up to here.
    pub header_checksum: u32,
}

/// A section in the table, as it lies there.
///
/// Sections lie in the order of the table, each at the first multiple of 16 behind the one before, and zeros lie
/// between: so there is nothing in a file that no checksum covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SectionEntry {
    /// What it holds: see [`SectionKind`].
    pub kind: [u8; 4],
    /// See [`SectionId::index`].
    pub index: u32,
    /// See [`SectionId::part`].
    pub part: u32,
    /// CRC-32 of its bytes.
    pub checksum: u32,
    /// Where it starts in the file.
    pub offset: u64,
    /// How many bytes it has, without the zeros behind it.
    pub length: u64,
}

impl SectionEntry {
    /// The name of the section.
    pub fn id(&self) -> SectionId {
        SectionId {
            index: self.index,
            kind: SectionKind(self.kind),
            part: self.part,
        }
    }

    fn fault(&self, source: SectionError) -> CookedError {
        CookedError::Section {
            section: self.id(),
            offset: self.offset,
            source: Box::new(source),
        }
    }
}

/// The bytes of the header and how many of them its own checksum covers.
pub(super) const HEADER_BYTES: usize = size_of::<FileHeader>();
pub(super) const CHECKED_HEADER_BYTES: usize = HEADER_BYTES - size_of::<u32>();

/// The least version of the format that has all these kinds; kinds that are not known count for nothing.
pub(super) fn least_version(kinds: impl IntoIterator<Item = SectionKind>) -> u32 {
    kinds
        .into_iter()
        .filter_map(SectionKind::since)
        .max()
        .unwrap_or(1)
}

/// A section of a file: its name, its place, and its bytes as they lie in the file.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    id: SectionId,
    offset: u64,
    bytes: &'a [u8],
}

impl<'a> Section<'a> {
    /// The name.
    pub fn id(&self) -> SectionId {
        self.id
    }

    /// Where it starts in the file.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The bytes as records, without a copy.
    ///
    /// # Errors
    /// Where they are no whole number of records.
    pub fn records<T: Pod>(&self) -> Result<&'a [T], CookedError> {
        bytemuck::try_cast_slice(self.bytes).map_err(|_| {
            self.fault(SectionError::PartialRecord {
                length: self.bytes.len() as u64,
                record_bytes: size_of::<T>(),
            })
        })
    }

    /// The bytes as exactly `count` records, without a copy.
    ///
    /// # Errors
    /// Where there are more or fewer bytes.
    pub fn exactly<T: Pod>(&self, count: u64) -> Result<&'a [T], CookedError> {
        let found = self.bytes.len() as u64;
        let expected = count.saturating_mul(size_of::<T>() as u64);
        if found != expected {
            return Err(self.fault(SectionError::Length { found, expected }));
        }
        self.records()
    }

    /// The bytes as text.
    ///
    /// # Errors
    /// Where they are not UTF-8.
    pub fn text(&self) -> Result<&'a str, CookedError> {
        std::str::from_utf8(self.bytes).map_err(|error| {
            self.fault(SectionError::NotUtf8 {
                at: error.valid_up_to(),
            })
        })
    }

    /// The same without its bytes.
    pub(super) fn without_bytes(self) -> Self {
        Section {
            // Not a slice of its own, which would lie anywhere.
            bytes: &self.bytes[..0],
            ..self
        }
    }

    /// The error that something is wrong with this section.
    pub fn fault(&self, source: impl Into<SectionError>) -> CookedError {
        CookedError::Section {
            section: self.id,
            offset: self.offset,
            source: Box::new(source.into()),
        }
    }
}

/// The sections of a file whose header, table and checksums are right.
#[derive(Clone, Debug)]
pub struct Container<'a> {
    version: u32,
    /// In the order of the file.
    sections: Vec<Section<'a>>,
    by_id: BTreeMap<SectionId, usize>,
}

impl<'a> Container<'a> {
    /// Finds the sections, and checks everything about them but what they hold.
    ///
    /// # Errors
    /// Where the file is damaged or cut off, of a later version, or not as the format says. The bytes have to start
    /// at a multiple of 16 in memory, as those of a map do.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, CookedError> {
        let (header, table) = header_and_table(bytes)?;
        let file_bytes = bytes.len() as u64;
        let mut end = (HEADER_BYTES + size_of_val(table)) as u64;
        let mut sections = Vec::with_capacity(table.len());
        let mut by_id = BTreeMap::new();
        for entry in table {
            let (section, section_end) = section(bytes, entry, end)?;
            end = section_end;
            if by_id.insert(entry.id(), sections.len()).is_some() {
                return Err(entry.fault(SectionError::Duplicate));
            }
            sections.push(section);
        }
        if end != file_bytes {
            return Err(CookedError::AfterLastSection { end, file_bytes });
        }
        let needed = least_version(table.iter().map(|entry| SectionKind(entry.kind)));
        if header.version != needed {
            return Err(CookedError::Version {
                found: header.version,
                needed,
            });
        }
        Ok(Container {
            version: header.version,
            sections,
            by_id,
        })
    }

    /// The version of the file: the least that has all that is in it.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// All sections in the order of the file, those of optional kinds that are not known among them.
    pub fn sections(&self) -> &[Section<'a>] {
        &self.sections
    }

    /// A section, where there is such.
    pub fn get(&self, id: SectionId) -> Option<Section<'a>> {
        self.by_id.get(&id).map(|&at| self.sections[at])
    }

    /// A section that has to be there.
    ///
    /// # Errors
    /// Where it is not.
    pub fn require(&self, id: SectionId) -> Result<Section<'a>, CookedError> {
        self.get(id).ok_or(CookedError::Missing { section: id })
    }
}

fn header_and_table(bytes: &[u8]) -> Result<(FileHeader, &[SectionEntry]), CookedError> {
    if cfg!(target_endian = "big") {
        return Err(CookedError::BigEndian);
    }
    let no_header = CookedError::NoHeader {
        found: bytes.len(),
        needed: HEADER_BYTES,
    };
    let Some((header_bytes, rest)) = bytes.split_at_checked(HEADER_BYTES) else {
        return Err(no_header);
    };
    let excess = bytes.as_ptr().addr() % ALIGNMENT;
    if excess != 0 {
        return Err(CookedError::Unaligned { excess });
    }
    let header: FileHeader = bytemuck::try_pod_read_unaligned(header_bytes).map_err(|_| no_header)?;
    if header.magic != MAGIC {
        return Err(CookedError::Magic { found: header.magic });
    }
    let computed = crc32fast::hash(&header_bytes[..CHECKED_HEADER_BYTES]);
    if computed != header.header_checksum {
        return Err(CookedError::HeaderChecksum {
            stored: header.header_checksum,
            computed,
        });
    }
    if header.version > NEWEST_VERSION {
        return Err(CookedError::NewerVersion {
            found: header.version,
        });
    }
    let file_bytes = bytes.len() as u64;
    if header.file_bytes != file_bytes {
        return Err(CookedError::FileBytes {
            stated: header.file_bytes,
            found: file_bytes,
        });
    }
    let too_long = CookedError::TableLength {
        section_count: header.section_count,
        file_bytes,
    };
    let table_bytes = u64::from(header.section_count) * size_of::<SectionEntry>() as u64;
    let table = usize::try_from(table_bytes)
        .ok()
        .and_then(|table_bytes| rest.get(..table_bytes));
    let Some(table) = table else { return Err(too_long) };
    let computed = crc32fast::hash(table);
    if computed != header.table_checksum {
        return Err(CookedError::TableChecksum {
            stored: header.table_checksum,
            computed,
        });
    }
    let entries = bytemuck::try_cast_slice(table).map_err(|_| too_long)?;
    Ok((header, entries))
}

/// The section of a table entry, and where the next one starts.
fn section<'a>(
    bytes: &'a [u8],
    entry: &SectionEntry,
    previous_end: u64,
) -> Result<(Section<'a>, u64), CookedError> {
    let file_bytes = bytes.len() as u64;
    let SectionEntry { offset, length, .. } = *entry;
    if !offset.is_multiple_of(ALIGNMENT as u64) {
        return Err(entry.fault(SectionError::Alignment));
    }
    if offset < previous_end {
        return Err(entry.fault(SectionError::Overlap { previous_end }));
    }
    if offset > previous_end {
        return Err(entry.fault(SectionError::Gap {
            expected: previous_end,
        }));
    }
    let past_end = || entry.fault(SectionError::PastEnd { length, file_bytes });
    let end = offset
        .checked_add(length)
        .and_then(|end| end.checked_next_multiple_of(ALIGNMENT as u64))
        .filter(|&end| end <= file_bytes)
        .ok_or_else(past_end)?;
    // All three are at most the length of the slice, so they fit.
    let (section_bytes, padding) = bytes[offset as usize..end as usize].split_at(length as usize);
    if padding.iter().any(|&byte| byte != 0) {
        return Err(entry.fault(SectionError::Padding));
    }
    let id = entry.id();
    if id.kind.since().is_none() && !id.kind.is_optional() {
        return Err(entry.fault(SectionError::Unknown));
    }
    let computed = crc32fast::hash(section_bytes);
    if computed != entry.checksum {
        return Err(entry.fault(SectionError::Checksum {
            stored: entry.checksum,
            computed,
        }));
    }
    let section = Section {
        id,
        offset,
        bytes: section_bytes,
    };
    Ok((section, end))
}
