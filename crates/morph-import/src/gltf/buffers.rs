//! The bytes of buffers and buffer views, fetched when first asked for.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::compression::Codec;
use super::document::{Buffer, Compression, Document};
use super::item::{item, sound_item};
use super::uri;
use crate::error::GltfError;
use crate::text::shorten;

/// Memory that reading any file may take, however small the file is: 256 MiB.
const BASE_LIMIT_BYTES: u64 = 256 << 20;
/// Memory that each byte of a file may take on top: 8-bit components become floats, and primitives share accessors.
const LIMIT_PER_BYTE: u64 = 16;

/// The buffers of one file.
#[derive(Debug)]
pub(crate) struct Buffers<'a> {
    document: &'a Document,
    folder: &'a Path,
    file: &'a [u8],
    binary: Option<Range<usize>>,
    loaded: Vec<OnceCell<Bytes>>,
    external: RefCell<HashMap<PathBuf, Rc<Vec<u8>>>>,
    /// The bytes of the file and of what was read beside it.
    bytes_read: Cell<u64>,
    /// The bytes that the parsed document and decoded data take now, temporaries included.
    spent: Cell<u64>,
    /// Compressed views, decompressed when first asked for and kept: several accessors lie in each.
    decompressed: Vec<OnceCell<Vec<u32>>>,
    /// The bytes that these take.
    decompressed_bytes: Cell<u64>,
}

#[derive(Debug)]
enum Bytes {
    Chunk(Range<usize>),
    Own(Rc<Vec<u8>>),
}

/// The bytes of a buffer view.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) stride: Option<u64>,
}

impl<'a> Buffers<'a> {
    /// `binary` is where the binary chunk lies in `file`; `folder` is where external buffers have to lie.
    pub(crate) fn new(
        document: &'a Document,
        folder: &'a Path,
        file: &'a [u8],
        binary: Option<Range<usize>>,
    ) -> Self {
        Self {
            document,
            folder,
            file,
            binary,
            loaded: document.buffers.iter().map(|_| OnceCell::new()).collect(),
            external: RefCell::default(),
            bytes_read: Cell::new(file.len() as u64),
            spent: Cell::new(0),
            decompressed: document.buffer_views.iter().map(|_| OnceCell::new()).collect(),
            decompressed_bytes: Cell::new(0),
        }
    }

    /// The bytes of the file and of what was read beside it.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.bytes_read.get()
    }

    /// Counts memory that decoded data is about to take, before it is taken.
    ///
    /// One accessor cannot take more than its bytes justify, but a file of a megabyte can name one accessor a hundred
    /// thousand times; the sum of all has a limit for that reason.
    pub(crate) fn spend(&self, bytes: u64) -> Result<(), GltfError> {
        let limit = self
            .bytes_read
            .get()
            .saturating_mul(LIMIT_PER_BYTE)
            .saturating_add(BASE_LIMIT_BYTES);
        let spent = self.spent.get().saturating_add(bytes);
        if spent.saturating_add(self.decompressed_bytes.get()) > limit {
            return Err(GltfError::TooMuch { limit });
        }
        self.spent.set(spent);
        Ok(())
    }

    /// The bytes that are counted now, for [`Buffers::settle`].
    pub(crate) fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// Ends a step that began when `before` bytes were counted: its temporaries are freed, and `kept` bytes stay.
    pub(crate) fn settle(&self, before: u64, kept: u64) -> Result<(), GltfError> {
        self.spent.set(before);
        self.spend(kept)
    }

    /// The bytes of a buffer view, decompressed where it is compressed.
    pub(crate) fn view(&self, view: u64) -> Result<View<'_>, GltfError> {
        let described = sound_item(&self.document.buffer_views, view, "buffer view")?;
        let (start, length) = (described.byte_offset.0, described.byte_length.0);
        let bytes = if let Some(compression) = described.compression() {
            self.decompressed(view, length, compression)?
        } else {
            self.range(view, described.buffer.0, start, length)?
        };
        Ok(View {
            bytes,
            // Zero is not a stride, but exporters write it for none.
            stride: described
                .byte_stride
                .map(|stride| stride.0)
                .filter(|&stride| stride != 0),
        })
    }

    /// Bytes of a buffer, all of which lie inside it.
    fn range(&self, view: u64, buffer: u64, start: u64, length: u64) -> Result<&[u8], GltfError> {
        let bytes = self.buffer(buffer)?;
        let available = bytes.len() as u64;
        let end = start.saturating_add(length);
        if end > available {
            return Err(GltfError::OutOfRange { view, end, available });
        }
        Ok(&bytes[start as usize..end as usize])
    }

    /// The bytes of a compressed view. The buffer that the view itself names need not exist.
    fn decompressed(&self, view: u64, length: u64, described: &Compression) -> Result<&[u8], GltfError> {
        let refuse = |reason| GltfError::Compression { view, reason };
        let codec = Codec::new(described).map_err(refuse)?;
        let available = codec.decoded_bytes() as u64;
        if length > available {
            return Err(GltfError::OutOfRange {
                view,
                end: length,
                available,
            });
        }
        let cell = &self.decompressed[view as usize];
        let words = if let Some(words) = cell.get() {
            words
        } else {
            let (start, length) = (described.byte_offset.0, described.byte_length.0);
            let compressed = self.range(view, described.buffer.0, start, length)?;
            // Short indices take half as much again for a moment.
            let before = self.spent();
            self.spend(available.saturating_mul(2))?;
            let words = codec.decode(compressed).map_err(refuse)?;
            self.settle(before, 0)?;
            let kept = self.decompressed_bytes.get() + size_of_val(&*words) as u64;
            self.decompressed_bytes.set(kept);
            cell.get_or_init(|| words)
        };
        Ok(&bytemuck::cast_slice(words)[..length as usize])
    }

    fn buffer(&self, index: u64) -> Result<&[u8], GltfError> {
        let described = item(&self.document.buffers, index, "buffer")?;
        let cell = &self.loaded[index as usize];
        let bytes = if let Some(bytes) = cell.get() {
            bytes
        } else {
            let bytes = self.load(index, described)?;
            cell.get_or_init(|| bytes)
        };
        let bytes = match bytes {
            Bytes::Chunk(range) => &self.file[range.clone()],
            Bytes::Own(bytes) => bytes.as_slice(),
        };
        let promised = described.byte_length.0;
        if promised > bytes.len() as u64 {
            return Err(GltfError::BufferTooShort {
                buffer: index,
                promised,
                found: bytes.len() as u64,
            });
        }
        Ok(&bytes[..promised as usize])
    }

    fn load(&self, index: u64, buffer: &Buffer) -> Result<Bytes, GltfError> {
        let Some(text) = &buffer.uri else {
            // Only the first buffer can be the binary chunk.
            return match &self.binary {
                Some(range) if index == 0 => Ok(Bytes::Chunk(range.clone())),
                _ => Err(GltfError::NoData { buffer: index }),
            };
        };
        let refuse = |reason| GltfError::Uri {
            buffer: index,
            uri: shorten(text),
            reason,
        };
        if text.starts_with("data:") {
            return uri::decode_data(text)
                .map(|bytes| Bytes::Own(Rc::new(bytes)))
                .map_err(refuse);
        }
        let relative = uri::relative_path(text).map_err(refuse)?;
        let failed = |error: std::io::Error| GltfError::ExternalFile {
            buffer: index,
            uri: shorten(text),
            kind: error.kind(),
            message: error.to_string(),
        };
        let path = uri::resolve(self.folder, &relative)
            .map_err(failed)?
            .map_err(refuse)?;
        // Several buffers may name one file, in several spellings: it is read once.
        if let Some(bytes) = self.external.borrow().get(&path) {
            return Ok(Bytes::Own(Rc::clone(bytes)));
        }
        let bytes = Rc::new(std::fs::read(&path).map_err(failed)?);
        self.bytes_read
            .set(self.bytes_read.get().saturating_add(bytes.len() as u64));
        self.external.borrow_mut().insert(path, Rc::clone(&bytes));
        Ok(Bytes::Own(bytes))
    }
}
