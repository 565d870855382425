//! The binary container: a header, a JSON chunk, and a chunk of bytes for the first buffer.
//!
//! The importer has a walk of its own: it ends at the first fault, and this one goes on past what it tells, in the order
//! and with the words of the Khronos validator.

use std::ops::Range;

use super::report::{Findings, Severity};
use crate::glb::{CHUNK_BINARY, CHUNK_HEADER_BYTES, CHUNK_JSON, HEADER_BYTES, MAGIC};

/// What of a container can be used.
#[derive(Debug, Default)]
pub(super) struct Container {
    pub(super) json: Option<Range<usize>>,
    pub(super) binary: Option<Range<usize>>,
    /// Whether the chunks can be followed to the end, so that it makes sense to look into the binary one.
    pub(super) is_whole: bool,
}

/// Finds the chunks, and all faults of the container.
pub(super) fn read(bytes: &[u8], findings: &mut Findings) -> Container {
    let mut walk = Walk {
        bytes,
        length: 0,
        chunk_count: 0,
        container: Container::default(),
        findings,
    };
    walk.container.is_whole = walk.header() && walk.chunks();
    walk.container
}

struct Walk<'a> {
    bytes: &'a [u8],
    /// The length that the header states.
    length: usize,
    chunk_count: usize,
    container: Container,
    findings: &'a mut Findings,
}

/// The header of a chunk.
struct Chunk {
    at: usize,
    length: usize,
    kind: u32,
}

impl Walk<'_> {
    fn error(&mut self, code: &'static str, offset: usize, message: impl Into<String>) {
        self.findings
            .add_at_offset(Severity::Error, code, offset, message);
    }

    fn word(&self, offset: usize) -> u32 {
        let word = self.bytes.get(offset..).and_then(<[u8]>::first_chunk);
        u32::from_le_bytes(word.copied().unwrap_or_default())
    }

    /// Checks the header; false where nothing behind it can be understood.
    fn header(&mut self) -> bool {
        let found = self.bytes.len();
        if found < HEADER_BYTES {
            let message = format!("the header takes {HEADER_BYTES} bytes, the file has {found}");
            self.error("GLB_UNEXPECTED_END_OF_HEADER", found, message);
            return false;
        }
        if !self.bytes.starts_with(&MAGIC) {
            self.error("GLB_INVALID_MAGIC", 0, "a GLB begins with the bytes `glTF`");
            return false;
        }
        let version = self.word(4);
        if version != 2 {
            let message = format!("the container has version {version}; there is version 2");
            self.error("GLB_INVALID_VERSION", 4, message);
            return false;
        }
        self.length = self.word(8) as usize;
        if self.length <= HEADER_BYTES {
            let message = format!("the header says that the file has {} bytes", self.length);
            self.error("GLB_LENGTH_TOO_SMALL", 8, message);
        }
        true
    }

    /// Follows the chunks; false where one is cut off.
    fn chunks(&mut self) -> bool {
        let found = self.bytes.len();
        let mut offset = HEADER_BYTES;
        while offset < found {
            if offset == self.length {
                let message = format!(
                    "{} bytes follow after the end that the header states",
                    found - offset
                );
                self.findings
                    .add_at_offset(Severity::Warning, "GLB_EXTRA_DATA", offset, message);
                return true;
            }
            if found - offset < CHUNK_HEADER_BYTES {
                let message = format!("a chunk begins at byte {offset}, and the file ends in its header");
                self.error("GLB_UNEXPECTED_END_OF_CHUNK_HEADER", found, message);
                return false;
            }
            let chunk = Chunk {
                at: offset,
                length: self.word(offset) as usize,
                kind: self.word(offset + 4),
            };
            let start = offset + CHUNK_HEADER_BYTES;
            let end = start.saturating_add(chunk.length);
            self.check_frame(&chunk, end);
            self.take(&chunk, start..end.min(found));
            if end > found {
                let message = format!(
                    "the chunk at byte {offset} has {} bytes, {} are there",
                    chunk.length,
                    found - start
                );
                self.error("GLB_UNEXPECTED_END_OF_CHUNK_DATA", found, message);
                // Half of a JSON text has no meaning, and no fault of its own.
                self.container.json.take_if(|json| json.start == start);
                return false;
            }
            offset = end;
        }
        if self.length != found {
            let message = format!("the header says {} bytes, the file has {found}", self.length);
            self.error("GLB_LENGTH_MISMATCH", found, message);
        }
        true
    }

    /// Checks a chunk's length and place.
    fn check_frame(&mut self, chunk: &Chunk, end: usize) {
        let (at, kind) = (chunk.at, chunk.kind);
        if !chunk.length.is_multiple_of(4) {
            let message = format!("the chunk has {} bytes; lengths are multiples of 4", chunk.length);
            self.error("GLB_CHUNK_LENGTH_UNALIGNED", at, message);
        }
        if end > self.length {
            let message = format!("the chunk ends at byte {end}, and the file at {}", self.length);
            self.error("GLB_CHUNK_TOO_BIG", at, message);
        }
        if self.chunk_count == 0 && kind != CHUNK_JSON {
            let message =
                format!("the first chunk has type {kind:#010x}; it has to be JSON, {CHUNK_JSON:#010x}");
            self.error("GLB_UNEXPECTED_FIRST_CHUNK", at, message);
        }
        if self.chunk_count > 1 && kind == CHUNK_BINARY && self.container.binary.is_none() {
            self.error(
                "GLB_UNEXPECTED_BIN_CHUNK",
                at,
                "the binary chunk has to be the second",
            );
        }
        self.chunk_count += 1;
    }

    /// Keeps the chunk's content if it is the first of its type.
    fn take(&mut self, chunk: &Chunk, content: Range<usize>) {
        let at = chunk.at;
        let slot = match chunk.kind {
            CHUNK_JSON => {
                if chunk.length == 0 {
                    self.error("GLB_EMPTY_CHUNK", at, "the JSON chunk is empty");
                }
                &mut self.container.json
            }
            CHUNK_BINARY => {
                if chunk.length == 0 {
                    let message = "the binary chunk is empty and better left out";
                    self.findings
                        .add_at_offset(Severity::Info, "GLB_EMPTY_BIN_CHUNK", at, message);
                }
                &mut self.container.binary
            }
            kind => {
                let message = format!("the chunk has the unknown type {kind:#010x} and is passed over");
                self.findings
                    .add_at_offset(Severity::Warning, "GLB_UNKNOWN_CHUNK_TYPE", at, message);
                return;
            }
        };
        if slot.is_some() {
            let message = format!("there is a chunk of type {:#010x} before this one", chunk.kind);
            self.error("GLB_DUPLICATE_CHUNK", at, message);
        } else {
            *slot = Some(content);
        }
    }
}
