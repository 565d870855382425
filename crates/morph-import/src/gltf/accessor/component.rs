//! What the components of elements are.

use crate::error::GltfError;

/// The types of unsigned integers, as indices are, for errors.
pub(super) const INDEX_TYPES: &str = "5121, 5123 or 5125 (8, 16 and 32 bits, unsigned)";

/// Component types by their number in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComponentType {
    I8 = 5120,
    U8 = 5121,
    I16 = 5122,
    U16 = 5123,
    U32 = 5125,
    F32 = 5126,
}

impl ComponentType {
    pub(super) fn from_file(number: u64, expected: &'static str) -> Result<Self, GltfError> {
        Ok(match number {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            found => return Err(GltfError::ComponentType { found, expected }),
        })
    }

    pub(super) fn bytes(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}
