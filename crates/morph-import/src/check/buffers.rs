//! Buffers and buffer views: what the JSON says of them.

use super::json::child;
use super::lists::Lists;
use super::object::{Need, Object};
use super::report::Findings;

/// A buffer, as far as it could be read.
#[derive(Debug)]
pub(super) struct Buffer<'j> {
    pub(super) byte_length: Option<u64>,
    pub(super) has_uri: bool,
    pub(super) uri: Option<&'j str>,
}

/// A buffer view, as far as it could be read.
#[derive(Debug)]
pub(super) struct View {
    pub(super) buffer: Option<u64>,
    pub(super) byte_offset: Option<u64>,
    pub(super) byte_length: Option<u64>,
    pub(super) byte_stride: Option<u64>,
    /// What it holds by its `target`, or by who used it first.
    pub(super) usage: Option<ViewUsage>,
}

/// What a buffer view holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ViewUsage {
    Indices,
    Vertices,
    InverseBindMatrices,
    Image,
    Other,
}

impl ViewUsage {
    fn name(self) -> &'static str {
        match self {
            Self::Indices => "vertex indices",
            Self::Vertices => "vertex attributes",
            Self::InverseBindMatrices => "inverse bind matrices",
            Self::Image => "an image",
            Self::Other => "other data",
        }
    }
}

const ARRAY_BUFFER: u64 = 34962;
const ELEMENT_ARRAY_BUFFER: u64 = 34963;

impl<'j> Buffer<'j> {
    pub(super) fn read(object: &mut Object<'j, '_>) -> Self {
        object.begin(&["uri", "byteLength", "name"]);
        Buffer {
            byte_length: object.number("byteLength", Need::Required, 1, u64::MAX),
            has_uri: object.has("uri"),
            uri: object.text("uri", Need::Optional),
        }
    }
}

impl View {
    pub(super) fn read(object: &mut Object<'_, '_>) -> Self {
        object.begin(&[
            "buffer",
            "byteOffset",
            "byteLength",
            "byteStride",
            "target",
            "name",
        ]);
        let byte_length = object.number("byteLength", Need::Required, 1, u64::MAX);
        let byte_stride = object.number("byteStride", Need::Optional, 4, 252);
        let target = object.one_of("target", Need::Optional, &[ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER]);
        if let Some(stride) = byte_stride {
            if byte_length.is_some_and(|length| stride > length) {
                let message = format!("the stride of {stride} bytes is longer than the whole view");
                object.error("BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", "byteStride", message);
            }
            if !stride.is_multiple_of(4) {
                let message = format!("the stride is {stride} bytes, it has to be a multiple of 4");
                object.error("VALUE_MULTIPLE_OF", "byteStride", message);
            }
            if target == Some(ELEMENT_ARRAY_BUFFER) {
                let message = "indices are packed: a view of them has no stride";
                object.error("BUFFER_VIEW_INVALID_BYTE_STRIDE", "byteStride", message);
            }
        }
        View {
            buffer: object.index("buffer", Need::Required),
            byte_offset: offset(object),
            byte_length,
            byte_stride,
            usage: match target {
                Some(ARRAY_BUFFER) => Some(ViewUsage::Vertices),
                Some(_) => Some(ViewUsage::Indices),
                None => None,
            },
        }
    }
}

/// A `byteOffset`: zero where there is none, `None` where it is unusable.
pub(super) fn offset(object: &mut Object<'_, '_>) -> Option<u64> {
    if object.has("byteOffset") {
        object.number("byteOffset", Need::Optional, 0, u64::MAX)
    } else {
        Some(0)
    }
}

/// Checks that views lie in their buffers.
pub(super) fn link(lists: &Lists<'_>, findings: &mut Findings) {
    for (index, view) in lists.views() {
        let place = child("/bufferViews", index);
        let Some(buffer_index) = view.buffer else { continue };
        let Some(buffer) = lists.buffer(buffer_index) else {
            findings.unresolved(
                child(&place, "buffer"),
                "buffer",
                buffer_index,
                lists.buffers.len(),
            );
            continue;
        };
        let (Some(available), Some(offset)) = (buffer.byte_length, view.byte_offset) else {
            continue;
        };
        let length = view.byte_length.unwrap_or(0);
        if offset >= available {
            let message = format!("the view begins at byte {offset}; buffer {buffer_index} has {available}");
            findings.error("BUFFER_VIEW_TOO_LONG", child(&place, "byteOffset"), message);
        } else if offset.saturating_add(length) > available {
            let message = format!(
                "the view ends at byte {}; buffer {buffer_index} has {available}",
                offset.saturating_add(length)
            );
            findings.error("BUFFER_VIEW_TOO_LONG", child(&place, "byteLength"), message);
        }
    }
}

/// Notes what a view is used for, and tells where it is used for two things.
pub(super) fn note_usage(view: &mut View, usage: ViewUsage, pointer: &str, findings: &mut Findings) {
    match view.usage {
        None => view.usage = Some(usage),
        Some(before) if before != usage => {
            let message = format!(
                "the buffer view holds {} by its target or an earlier use, here it holds {}",
                before.name(),
                usage.name()
            );
            findings.error("BUFFER_VIEW_TARGET_OVERRIDE", pointer, message);
        }
        Some(_) => {}
    }
}
