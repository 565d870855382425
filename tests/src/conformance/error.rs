//! Why the table cannot be made.

use std::path::PathBuf;

use morph_import::ImportError;

/// Why the comparison cannot be made. A difference is no error: it is what the table shows.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConformanceError {
    /// A file or a folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// An answer is not written as such answers are.
    #[error("{} is not an answer of the expected form: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
    /// A model that another program reads cannot be read.
    #[error("{} cannot be read, though another program has an answer for it: {source}", path.display())]
    Import {
        /// The model.
        path: PathBuf,
        /// Why.
        source: ImportError,
    },
    /// A model cannot be prepared for play.
    #[error("{} cannot be played: {reason}", path.display())]
    Prepare {
        /// The model.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}
