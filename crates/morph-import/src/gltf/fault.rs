//! Errors of glTF with their places, and items that the file points to.

use crate::error::GltfError;

pub(crate) use crate::fault::{At, place};

/// What is wrong in a glTF file, and where.
pub(crate) type Fault = crate::fault::Fault<GltfError>;

/// The item of a list that the file points to.
pub(crate) fn item<'a, T>(list: &'a [T], index: u64, kind: &'static str) -> Result<&'a T, GltfError> {
    usize::try_from(index)
        .ok()
        .and_then(|index| list.get(index))
        .ok_or(GltfError::NoSuchItem {
            kind,
            index,
            count: list.len(),
        })
}
