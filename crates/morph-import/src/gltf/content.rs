//! What the first bytes say of a file: which form of glTF it is of, and how its text is encoded.

use crate::error::GltfError;
use crate::glb::MAGIC;
use crate::model::Format;
use crate::warning::{ImportWarning, WarningKind};

const MARK: &[u8] = b"\xef\xbb\xbf";

/// The form that the first bytes are of; where they are of neither, the one that the name ends in. Where both tell and
/// differ, the bytes are right.
pub(crate) fn format(bytes: &[u8], named: Option<&'static str>, warnings: &mut Vec<ImportWarning>) -> Format {
    let by_name = match named {
        Some("gltf") | None => Format::Gltf,
        Some(_) => Format::Glb,
    };
    let (format, content) = if bytes.starts_with(&MAGIC) {
        (Format::Glb, "a binary glTF")
    } else if is_json(bytes) || foreign_encoding(bytes).is_some() {
        (Format::Gltf, "glTF as JSON text")
    } else {
        return by_name;
    };
    if let Some(named) = named.filter(|_| format != by_name) {
        warnings.push(ImportWarning {
            place: "file".to_owned(),
            kind: WarningKind::ContentUnlikeName { named, content },
        });
    }
    format
}

/// The JSON without a byte order mark, which glTF forbids to write and lets a reader pass over (glTF 2.0, JSON encoding).
pub(crate) fn json(bytes: &[u8], mut warn: impl FnMut(WarningKind)) -> Result<&[u8], GltfError> {
    if let Some(found) = foreign_encoding(bytes) {
        return Err(GltfError::Encoding { found });
    }
    Ok(match bytes.strip_prefix(MARK) {
        Some(rest) => {
            warn(WarningKind::ByteOrderMark);
            rest
        }
        None => bytes,
    })
}

/// Whether bytes begin as a JSON object in UTF-8.
fn is_json(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(MARK).unwrap_or(bytes);
    text.trim_ascii_start().starts_with(b"{")
}

/// The encoding of a text that is not UTF-8: by its byte order mark, or by the zeros around its first letter.
fn foreign_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] | [b'{', 0, 0, 0, ..] | [0, 0, 0, b'{', ..] => {
            Some("UTF-32")
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [b'{', 0, ..] | [0, b'{', ..] => Some("UTF-16"),
        _ => None,
    }
}
