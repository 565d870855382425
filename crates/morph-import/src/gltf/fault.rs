//! Errors of glTF with their places, and which of them refuse the whole file.

use crate::error::GltfError;
use crate::findings::PartError;

pub(crate) use crate::fault::{At, place};

/// What is wrong in a glTF file, and where.
pub(crate) type Fault = crate::fault::Fault<GltfError>;

/// What was found in a glTF file.
pub(crate) type Findings = crate::findings::Findings<GltfError>;

impl PartError for GltfError {
    fn refuses_the_file(&self) -> bool {
        let asks_for_too_much = matches!(self, GltfError::TooMuch { .. } | GltfError::Unbacked { .. });
        let asks_for_what_is_not_its_own = matches!(self, GltfError::Uri { .. });
        let is_not_all_there = matches!(
            self,
            GltfError::Truncated { .. }
                | GltfError::NoData { .. }
                | GltfError::ExternalFile { .. }
                | GltfError::BufferTooShort { .. }
        );
        asks_for_too_much || asks_for_what_is_not_its_own || is_not_all_there
    }
}
