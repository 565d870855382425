//! What a buffer's URI may point to: data inside the URI, or a file inside the model's folder.

use std::path::{Component, Path, PathBuf};

/// Why a URI is not followed.
pub(crate) type Reason = &'static str;

/// Decodes `data:[<media type>];base64,<data>`.
pub(crate) fn decode_data(uri: &str) -> Result<Vec<u8>, Reason> {
    let (head, body) = uri
        .strip_prefix("data:")
        .and_then(|rest| rest.split_once(','))
        .ok_or("a data URI has a comma before its data")?;
    if !head.ends_with(";base64") {
        return Err("a data URI of a buffer has to be base64");
    }
    decode_base64(body).ok_or("the base64 text is damaged")
}

/// Decodes base64 (RFC 4648, section 4), with or without padding at the end.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for group in text.chunks(4) {
        let mut bits = 0_u32;
        for &letter in group {
            bits = bits << 6 | u32::from(sextet(letter)?);
        }
        // A group of n letters has n * 6 bits, of which whole bytes count; a single letter has none.
        let count = match group.len() {
            4 => 3,
            3 => 2,
            2 => 1,
            _ => return None,
        };
        bits <<= 6 * (4 - group.len());
        bytes.extend_from_slice(&bits.to_be_bytes()[1..=count]);
    }
    Some(bytes)
}

fn sextet(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// Turns a URI into a path relative to the model's folder, by its text alone.
///
/// Absolute paths, drive letters, other schemes than a plain relative path, and `..` are refused: a model must not
/// be able to name a file that its author did not put beside it.
pub(crate) fn relative_path(uri: &str) -> Result<PathBuf, Reason> {
    let text = percent_decode(uri)?;
    if text.is_empty() {
        return Err("it is empty");
    }
    if text.contains('\0') {
        return Err("it contains a zero byte");
    }
    // Backslashes would be folders on one system and part of a name on another.
    if text.contains('\\') {
        return Err("it contains a backslash; folders are separated by /");
    }
    // This takes schemes, such as http:, as well as drive letters.
    if text.split('/').next().is_some_and(|first| first.contains(':')) {
        return Err("only data: URIs and relative paths are followed");
    }
    let path = PathBuf::from(text);
    for component in path.components() {
        match component {
            Component::Normal(_) | Component::CurDir => {}
            Component::ParentDir => return Err("it leaves the model's folder"),
            Component::RootDir | Component::Prefix(_) => return Err("it is an absolute path"),
        }
    }
    Ok(path)
}

/// Follows a relative path on disk, and symbolic links with it, and makes sure that it still lies in the folder.
pub(crate) fn resolve(folder: &Path, relative: &Path) -> std::io::Result<Result<PathBuf, Reason>> {
    let folder = folder.canonicalize()?;
    let file = folder.join(relative).canonicalize()?;
    if !file.starts_with(&folder) {
        return Ok(Err("a symbolic link leads out of the model's folder"));
    }
    // A pipe or a device would block or never end.
    if !file.metadata()?.is_file() {
        return Ok(Err("it is not a file"));
    }
    Ok(Ok(file))
}

fn percent_decode(uri: &str) -> Result<String, Reason> {
    if !uri.contains('%') {
        return Ok(uri.to_owned());
    }
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |letter: Option<u8>| letter.and_then(|letter| char::from(letter).to_digit(16));
            let (high, low) = (digit(rest.next()), digit(rest.next()));
            let (Some(high), Some(low)) = (high, low) else {
                return Err("a % is not followed by two hexadecimal digits");
            };
            bytes.push((high << 4 | low) as u8);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 once decoded")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn base64_matches_the_vectors_of_rfc_4648() {
        for (text, bytes) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
            ("Zm9vYg", "foob"),
        ] {
            assert_eq!(decode_base64(text).unwrap(), bytes.as_bytes(), "{text}");
        }
        assert!(decode_base64("Z").is_none());
        assert!(decode_base64("Zm9v!mFy").is_none());
        assert!(decode_base64("Zm=v").is_none());
    }

    #[test]
    fn data_uris_need_base64() {
        assert_eq!(
            decode_data("data:application/octet-stream;base64,AQI=").unwrap(),
            [1, 2]
        );
        assert_eq!(decode_data("data:;base64,").unwrap(), [0; 0]);
        assert!(decode_data("data:text/plain,hello").is_err());
        assert!(decode_data("data:application/octet-stream;base64").is_err());
    }

    #[test]
    fn only_relative_paths_pass() {
        assert_eq!(
            relative_path("sub/my%20file.bin").unwrap(),
            Path::new("sub/my file.bin")
        );
        assert_eq!(relative_path("./a.bin").unwrap(), Path::new("./a.bin"));
        for uri in [
            "",
            "../a.bin",
            "sub/../../a.bin",
            "%2e%2e/a.bin",
            "/etc/passwd",
            "%2fetc/passwd",
            "..\\a.bin",
            "C:/a.bin",
            "file:///etc/passwd",
            "http://example.org/a.bin",
            "a%00.bin",
            "a%zz.bin",
            "a%ff.bin",
        ] {
            assert!(relative_path(uri).is_err(), "{uri}");
        }
    }
}
