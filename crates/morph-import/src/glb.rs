//! What every GLB is made of: a header, and chunks with headers of their own (glTF 2.0, section 4).

/// What a GLB begins with.
pub(crate) const MAGIC: [u8; 4] = *b"glTF";
/// The magic, the version and the length.
pub(crate) const HEADER_BYTES: usize = 12;
/// A length and a type.
pub(crate) const CHUNK_HEADER_BYTES: usize = 8;
/// The type of the chunk with the JSON, which is the first.
pub(crate) const CHUNK_JSON: u32 = 0x4e4f_534a;
/// The type of the chunk with the bytes of the first buffer, which is the second.
pub(crate) const CHUNK_BINARY: u32 = 0x004e_4942;
