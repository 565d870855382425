//! The binary container: a header of 12 bytes, a JSON chunk, and a chunk of bytes for the first buffer.

use std::ops::Range;

use super::fault::{At, Fault};
use crate::error::GltfError;
use crate::glb::{CHUNK_BINARY, CHUNK_HEADER_BYTES, CHUNK_JSON, HEADER_BYTES, MAGIC};
use crate::warning::{ImportWarning, WarningKind};

/// Where the parts of a container lie in its bytes.
#[derive(Debug)]
pub(crate) struct Glb {
    pub(crate) json: Range<usize>,
    pub(crate) binary: Option<Range<usize>>,
}

/// Finds the chunks. Chunks of unknown types are passed over, as the specification prescribes.
pub(crate) fn parse(bytes: &[u8], warnings: &mut Vec<ImportWarning>) -> Result<Glb, Fault> {
    let length = header(bytes).at(|| "GLB header".to_owned())?;
    if length < bytes.len() {
        let kind = WarningKind::TrailingBytes {
            bytes: (bytes.len() - length) as u64,
        };
        warnings.push(ImportWarning {
            place: "GLB header".to_owned(),
            kind,
        });
    }

    let mut json = None;
    let mut binary = None;
    let mut offset = HEADER_BYTES;
    let mut index = 0;
    // A file needs a JSON chunk, so the first turn is taken even where the header says that nothing follows.
    while offset < length || json.is_none() {
        let place = || format!("GLB chunk {index}");
        let (kind, range) = chunk(&bytes[..length], offset).at(place)?;
        offset = range.end;
        let chunk_length = range.len() as u32;
        if !chunk_length.is_multiple_of(4) {
            if offset < length {
                return Err(GltfError::ChunkLength { length: chunk_length }).at(place);
            }
            warnings.push(ImportWarning {
                place: place(),
                kind: WarningKind::ChunkLength { length: chunk_length },
            });
        }
        match kind {
            CHUNK_JSON if json.is_none() => json = Some(range),
            _ if json.is_none() => return Err(GltfError::FirstChunk { found: kind }).at(place),
            // Only the second chunk is the first buffer; a later one of this type has no meaning.
            CHUNK_BINARY if index == 1 => binary = Some(range),
            _ => {}
        }
        index += 1;
    }
    Ok(Glb {
        json: json.unwrap_or(0..0),
        binary,
    })
}

/// Checks the header and returns the length of the container, which is at most that of the bytes.
fn header(bytes: &[u8]) -> Result<usize, GltfError> {
    let truncated = |what, needed: u64| GltfError::Truncated {
        what,
        needed,
        found: bytes.len() as u64,
    };
    let magic: [u8; 4] = word(bytes, 0).ok_or_else(|| truncated("the header", HEADER_BYTES as u64))?;
    if magic != MAGIC {
        return Err(GltfError::NotGlb { found: magic });
    }
    let short = || truncated("the header", HEADER_BYTES as u64);
    let version = u32::from_le_bytes(word(bytes, 4).ok_or_else(short)?);
    if version != 2 {
        return Err(GltfError::ContainerVersion { found: version });
    }
    let length = u32::from_le_bytes(word(bytes, 8).ok_or_else(short)?);
    if (length as usize) < HEADER_BYTES {
        return Err(GltfError::Truncated {
            what: "the header, by the length that it states itself,",
            needed: HEADER_BYTES as u64,
            found: u64::from(length),
        });
    }
    if length as usize > bytes.len() {
        return Err(truncated("the length in the header", u64::from(length)));
    }
    Ok(length as usize)
}

/// The type and the content of the chunk at an offset.
fn chunk(bytes: &[u8], offset: usize) -> Result<(u32, Range<usize>), GltfError> {
    let left = bytes.len().saturating_sub(offset);
    let short = || GltfError::Truncated {
        what: "a chunk's header",
        needed: CHUNK_HEADER_BYTES as u64,
        found: left as u64,
    };
    let length = u32::from_le_bytes(word(bytes, offset).ok_or_else(short)?);
    let kind = u32::from_le_bytes(word(bytes, offset + 4).ok_or_else(short)?);
    let start = offset + CHUNK_HEADER_BYTES;
    let found = (bytes.len() - start) as u64;
    if u64::from(length) > found {
        return Err(GltfError::Truncated {
            what: "the chunk's length",
            needed: u64::from(length),
            found,
        });
    }
    Ok((kind, start..start + length as usize))
}

fn word(bytes: &[u8], offset: usize) -> Option<[u8; 4]> {
    bytes.get(offset..)?.first_chunk().copied()
}
