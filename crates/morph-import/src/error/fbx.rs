//! What can be wrong in an FBX file.

/// What is wrong at a place of an FBX file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FbxError {
    /// The file ends before what it announces.
    #[error("the file is cut off")]
    Truncated,
    /// The bytes are not those of an FBX file, binary or text.
    #[error("this is not an FBX file")]
    NotFbx,
    /// The file is older or newer than what can be read.
    #[error("the file is of a version that cannot be read; versions 5.0 to 7.7 can")]
    Version,
    /// Lists of the file do not fit each other, or its structure is broken.
    #[error("the file is damaged: {message}")]
    Damaged {
        /// What the parser said.
        message: String,
    },
    /// Nodes are nested too deeply.
    #[error("nodes are nested more than {limit} deep")]
    TooDeep {
        /// The deepest nesting allowed.
        limit: u32,
    },
    /// The file takes far more memory than its size can justify.
    #[error(
        "reading the file would take more than {limit} bytes of memory: 256 MiB and 64 bytes for each byte of the file"
    )]
    TooMuch {
        /// The most that is allowed for this file.
        limit: u64,
    },
    /// A number is NaN, infinite, or too large for a 32-bit float.
    #[error("{what} {index} has the component {value}, which is no finite 32-bit float")]
    NotFinite {
        /// What has the number.
        what: &'static str,
        /// Which of them.
        index: usize,
        /// The number.
        value: f64,
    },
    /// The mesh has more corners, or its skin more bones, than indices can name.
    #[error("there are {count} {what}, and {limit} is the most that can be read")]
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// How many.
        count: usize,
        /// The most that can be read.
        limit: usize,
    },
}
