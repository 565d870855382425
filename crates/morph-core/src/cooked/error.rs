//! Why a cooked file is refused: what, where, and what would be right.

use super::kind::{NEWEST_VERSION, SectionId};

/// Why a cooked file cannot be read. Nothing of it is handed out then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CookedError {
    /// The processor stores numbers in the other order.
    #[error(
        "cooked files are little endian and this machine is big endian, so that nothing can be used as it lies"
    )]
    BigEndian,
    /// The bytes do not start at a multiple of 16 in memory.
    #[error(
        "the bytes start {excess} bytes after a multiple of 16 in memory: map the file, or read it into AlignedBytes"
    )]
    Unaligned {
        /// How many bytes after such an address.
        excess: usize,
    },
    /// There are fewer bytes than the header has.
    #[error("the file is cut off: {found} bytes are there, and the header alone has {needed}")]
    NoHeader {
        /// The bytes that are there.
        found: usize,
        /// The bytes of the header.
        needed: usize,
    },
    /// The file does not start as a cooked file does.
    #[error("it starts with \"{}\" and is no cooked file, which starts with \"{}\"", found.escape_ascii(), super::MAGIC.escape_ascii())]
    Magic {
        /// The first bytes.
        found: [u8; 8],
    },
    /// The header is damaged.
    #[error("the header is damaged: its checksum is {computed:#010x}, and {stored:#010x} is stored")]
    HeaderChecksum {
        /// What the file says.
        stored: u32,
        /// What its bytes give.
        computed: u32,
    },
    /// The file is of a later version.
    #[error(
        "it is of version {found} and this reader knows up to {NEWEST_VERSION}: cook it again, or take a later reader"
    )]
    NewerVersion {
        /// The version of the file.
        found: u32,
    },
    /// The version is not the least that the sections need.
    #[error("it says that it is of version {found}, but its sections need {needed}, neither more nor less")]
    Version {
        /// The version of the file.
        found: u32,
        /// The least version that has all kinds of sections in the file.
        needed: u32,
    },
    /// The file is longer or shorter than it says.
    #[error(
        "the file says that it has {stated} bytes and has {found}: it is cut off, or something was added"
    )]
    FileBytes {
        /// What the file says.
        stated: u64,
        /// The bytes that are there.
        found: u64,
    },
    /// The section table is longer than the file.
    #[error("a table of {section_count} sections does not fit into {file_bytes} bytes")]
    TableLength {
        /// How many sections the file says that it has.
        section_count: u32,
        /// The bytes that are there.
        file_bytes: u64,
    },
    /// The section table is damaged.
    #[error("the section table is damaged: its checksum is {computed:#010x}, and {stored:#010x} is stored")]
    TableChecksum {
        /// What the file says.
        stored: u32,
        /// What its bytes give.
        computed: u32,
    },
    /// Bytes follow the last section.
    #[error("the last section ends at byte {end} and the file at byte {file_bytes}: nothing may follow")]
    AfterLastSection {
        /// Where the last section ends, filled up to a multiple of 16.
        end: u64,
        /// The bytes that are there.
        file_bytes: u64,
    },
    /// A section that has to be there is not.
    #[error("{section} is missing")]
    Missing {
        /// The section.
        section: SectionId,
    },
    /// Something is wrong with a section.
    #[error("{section} at byte {offset}: {source}")]
    Section {
        /// The section.
        section: SectionId,
        /// Where it starts in the file.
        offset: u64,
        /// What is wrong with it.
        source: Box<SectionError>,
    },
}

/// What is wrong with a section.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SectionError {
    /// The bytes are not those that were written.
    #[error("it is damaged: its checksum is {computed:#010x}, and {stored:#010x} is stored")]
    Checksum {
        /// What the table says.
        stored: u32,
        /// What the bytes give.
        computed: u32,
    },
    /// It starts where no section may.
    #[error("sections start at multiples of 16")]
    Alignment,
    /// It starts inside the section before, or inside the table.
    #[error("it overlaps what ends at byte {previous_end}")]
    Overlap {
        /// Where what lies before ends.
        previous_end: u64,
    },
    /// Bytes that belong to no section lie before it.
    #[error("it should start at byte {expected}: nothing may lie between sections")]
    Gap {
        /// Where the section before ends, filled up to a multiple of 16.
        expected: u64,
    },
    /// It is longer than the file.
    #[error("its {length} bytes go past the end of the file at byte {file_bytes}")]
    PastEnd {
        /// How long the table says that it is.
        length: u64,
        /// The bytes that are there.
        file_bytes: u64,
    },
    /// The bytes between its end and the next multiple of 16 are not zero.
    #[error("it is not filled up with zeros to a multiple of 16")]
    Padding,
    /// Another section has the same name.
    #[error("there are two of it")]
    Duplicate,
    /// The reader has to know it and does not.
    #[error("the kind is unknown and may not be skipped: cook the file again, or take a later reader")]
    Unknown,
    /// Nothing in the file asks for it.
    #[error("nothing in the file says that it is there")]
    Unexpected,
    /// It is not as long as the counts say.
    #[error("it has {found} bytes and the counts of the file make {expected}")]
    Length {
        /// Its bytes.
        found: u64,
        /// The bytes that it should have.
        expected: u64,
    },
    /// It is no whole number of records.
    #[error("its {length} bytes are no whole number of records of {record_bytes} bytes")]
    PartialRecord {
        /// Its bytes.
        length: u64,
        /// The bytes of a record.
        record_bytes: usize,
    },
    /// A number that stands for one of few things, or is fixed by others, is none of those.
    #[error("{field} of record {record} is {found}: it has to be {right}")]
    Field {
        /// What the number means.
        field: &'static str,
        /// The record, counted from 0.
        record: usize,
        /// The number.
        found: u64,
        /// What it may be.
        right: String,
    },
    /// A number names something that is not there.
    #[error("{what} {at} is {index}, and there are {count}, counted from 0")]
    OutOfRange {
        /// What the number means.
        what: &'static str,
        /// Which of these numbers.
        at: usize,
        /// The number.
        index: u64,
        /// How many things there are.
        count: u64,
    },
    /// Numbers that have to rise do not.
    #[error("{what} {at} is {value}, after {previous}: they have to rise")]
    NotRising {
        /// What the number means.
        what: &'static str,
        /// Which of these numbers.
        at: usize,
        /// The number.
        value: u32,
        /// The number before it.
        previous: u32,
    },
    /// A number is NaN or infinite.
    #[error("{what} {at} is not finite")]
    NotFinite {
        /// What the number means.
        what: &'static str,
        /// Which of these.
        at: usize,
    },
    /// A number is too small for the arithmetic, or -0.
    #[error("{what} {at} has the component {value:e}: it has to be +0 or at least 2^-40 in magnitude")]
    Domain {
        /// What the number means.
        what: &'static str,
        /// Which of these.
        at: usize,
        /// The number.
        value: f32,
    },
    /// Text is not UTF-8.
    #[error("the text is not UTF-8 at byte {at} of the section")]
    NotUtf8 {
        /// The first byte of it that is not.
        at: usize,
    },
    /// A piece of text reaches past the text, or starts or ends inside a character.
    #[error("{what} {at} takes bytes {first} to {end} of the text, which are no piece of it")]
    TextRange {
        /// Whose text it is.
        what: &'static str,
        /// Which of these.
        at: usize,
        /// First byte.
        first: u64,
        /// One past the last byte.
        end: u64,
    },
    /// Names that have to differ do not.
    #[error("{what} {first} and {second} are both named `{name}`")]
    DuplicateName {
        /// What has the name.
        what: &'static str,
        /// The name.
        name: String,
        /// The first that has it.
        first: usize,
        /// The next that has it.
        second: usize,
    },
    /// What is stored is not what the rest of the file gives.
    #[error("{what} of record {at} is not what the deltas of the file give")]
    Mismatch {
        /// What is stored.
        what: &'static str,
        /// Which of these.
        at: usize,
    },
    /// The layout of vertices is wrong.
    #[error(transparent)]
    VertexLayout(#[from] crate::LayoutError),
    /// Skin weights are wrong.
    #[error(transparent)]
    Skin(#[from] crate::SkinError),
}
