//! The bytes of buffers: of the binary chunk, of data URIs, and of files beside the model.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::json::child;
use super::lists::{Lists, present};
use super::report::{Findings, Severity};
use crate::gltf::uri;
use crate::text::shorten;

/// What the first buffer of a binary file is, where it has no URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Binary {
    /// The chunk at this place of the file.
    Chunk(Range<usize>),
    /// There is no such chunk.
    Absent,
    /// The container is cut off, so that no data can be trusted to be what it is meant to be.
    CutOff,
}

/// The file that is checked, and where it lies.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) folder: &'a Path,
    pub(super) file: &'a [u8],
    pub(super) is_container: bool,
    pub(super) binary: Binary,
}

/// The bytes of each buffer; `None` where they could not be had or are too few.
#[derive(Debug)]
pub(super) struct Data<'a> {
    buffers: Vec<Option<Bytes<'a>>>,
    /// The bytes of the file and of those beside it.
    pub(super) bytes_read: u64,
}

#[derive(Debug, Clone)]
enum Bytes<'a> {
    Chunk(&'a [u8]),
    Own(Rc<Vec<u8>>),
}

impl Bytes<'_> {
    fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Chunk(bytes) => bytes,
            Bytes::Own(bytes) => bytes,
        }
    }
}

impl<'a> Data<'a> {
    /// Fetches all buffers and checks that they are as long as they promise.
    pub(super) fn fetch(lists: &Lists<'_>, source: &'a Source<'a>, findings: &mut Findings) -> Self {
        let mut fetch = Fetch {
            source,
            external: HashMap::new(),
            bytes_read: source.file.len() as u64,
        };
        let mut buffers: Vec<Option<Bytes<'a>>> = lists.buffers.iter().map(|_| None).collect();
        for (index, buffer) in present(&lists.buffers) {
            let place = child("/buffers", index);
            let is_data_uri = buffer.uri.is_some_and(|uri| uri.starts_with("data:"));
            let promised = match buffer.byte_length {
                Some(length) => length,
                None if is_data_uri => 0,
                None => continue,
            };
            let bytes = match buffer.uri {
                Some(uri) => fetch.uri(uri, &child(&place, "uri"), findings),
                None if source.is_container && index == 0 && !buffer.has_uri => fetch.chunk(&place, findings),
                None => None,
            };
            let Some(bytes) = bytes else { continue };
            let found = bytes.as_slice().len() as u64;
            if found < promised {
                let message = format!("the buffer promises {promised} bytes and has {found}");
                findings.error("BUFFER_BYTE_LENGTH_MISMATCH", place.as_str(), message);
                // What a data URI has is looked at all the same, as the Khronos validator does.
                if !is_data_uri {
                    continue;
                }
            }
            if matches!(bytes, Bytes::Chunk(_)) {
                let extra = found - promised.next_multiple_of(4).min(found);
                if extra > 0 {
                    let message =
                        format!("the binary chunk has {extra} bytes more than the buffer and its padding");
                    findings.warning("BUFFER_GLB_CHUNK_TOO_BIG", place, message);
                }
            }
            buffers[index] = Some(bytes);
        }
        Data {
            buffers,
            bytes_read: fetch.bytes_read,
        }
    }

    /// Bytes of a buffer; `None` where they are not all there.
    pub(super) fn bytes(&self, buffer: u64, start: u64, length: u64) -> Option<&[u8]> {
        let bytes = self
            .buffers
            .get(usize::try_from(buffer).ok()?)?
            .as_ref()?
            .as_slice();
        let start = usize::try_from(start).ok()?;
        let end = start.checked_add(usize::try_from(length).ok()?)?;
        bytes.get(start..end)
    }
}

struct Fetch<'a> {
    source: &'a Source<'a>,
    external: HashMap<PathBuf, Rc<Vec<u8>>>,
    bytes_read: u64,
}

impl<'a> Fetch<'a> {
    fn chunk(&self, place: &str, findings: &mut Findings) -> Option<Bytes<'a>> {
        if let Binary::Chunk(range) = &self.source.binary {
            return self.source.file.get(range.clone()).map(Bytes::Chunk);
        }
        let message = "the buffer has no URI, and the file has no binary chunk for it";
        findings.error("BUFFER_MISSING_GLB_DATA", place, message);
        None
    }

    fn uri(&mut self, text: &str, pointer: &str, findings: &mut Findings) -> Option<Bytes<'a>> {
        let refuse = |findings: &mut Findings, reason: &str| {
            let message = format!("{:?} is not followed: {reason}", shorten(text));
            findings.error("MORPH_URI_REFUSED", pointer, message);
        };
        if let Some(rest) = text.strip_prefix("data:") {
            if self.source.is_container {
                let message = "a binary file holds its data as text here, which takes a third more";
                findings.warning("DATA_URI_GLB", pointer, message);
            }
            let media_type = rest.split([',', ';']).next().unwrap_or_default();
            if !matches!(media_type, "application/octet-stream" | "application/gltf-buffer") {
                let message = format!(
                    "the media type is {:?}, it has to be application/octet-stream or application/gltf-buffer",
                    shorten(media_type)
                );
                findings.error("BUFFER_DATA_URI_MIME_TYPE_INVALID", pointer, message);
                return None;
            }
            return match uri::decode_data(text) {
                Ok(bytes) => Some(Bytes::Own(Rc::new(bytes))),
                Err(reason) => {
                    refuse(findings, reason);
                    None
                }
            };
        }
        if self.source.is_container {
            findings.info("URI_GLB", pointer, "the binary file needs a file beside it");
        }
        let is_relative =
            !text.starts_with('/') && !text.split('/').next().is_some_and(|part| part.contains(':'));
        if !is_relative {
            let message = format!("{:?} is not relative to the file", shorten(text));
            findings.warning("NON_RELATIVE_URI", pointer, message);
        }
        let relative = match uri::relative_path(text) {
            Ok(relative) => relative,
            Err(reason) => {
                refuse(findings, reason);
                return None;
            }
        };
        let failed = |findings: &mut Findings, error: std::io::Error| {
            let message = format!("the file {:?} cannot be read: {error}", shorten(text));
            findings.add(Severity::Error, "IO_ERROR", pointer, 1, message);
        };
        let path = match uri::resolve(self.source.folder, &relative) {
            Ok(Ok(path)) => path,
            Ok(Err(reason)) => {
                refuse(findings, reason);
                return None;
            }
            Err(error) => {
                failed(findings, error);
                return None;
            }
        };
        if let Some(bytes) = self.external.get(&path) {
            return Some(Bytes::Own(Rc::clone(bytes)));
        }
        match std::fs::read(&path) {
            Ok(bytes) => {
                self.bytes_read = self.bytes_read.saturating_add(bytes.len() as u64);
                let bytes = Rc::new(bytes);
                self.external.insert(path, Rc::clone(&bytes));
                Some(Bytes::Own(bytes))
            }
            Err(error) => {
                failed(findings, error);
                None
            }
        }
    }
}
