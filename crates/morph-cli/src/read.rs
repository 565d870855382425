//! Files that are read whole, none longer than it may be.

use std::io;
use std::path::Path;

/// The bytes of a file, where it is one and not longer than `most_bytes`; `what` says in the error what is read.
pub(crate) fn bounded(path: &Path, most_bytes: u64, what: &str) -> io::Result<Vec<u8>> {
    let metadata = path.metadata()?;
    let refuse = |problem: String| Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
    // A pipe or a device would block or never end.
    if !metadata.is_file() {
        return refuse("it is not a file".to_owned());
    }
    if metadata.len() > most_bytes {
        let bytes = metadata.len();
        return refuse(format!(
            "it has {bytes} bytes, and {what} has {most_bytes} at most"
        ));
    }
    std::fs::read(path)
}
