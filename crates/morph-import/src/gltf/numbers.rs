//! Numbers of the JSON as 32-bit floats, and lists of a fixed length.

use crate::error::GltfError;

/// A number that has to stay finite as a 32-bit float.
pub(crate) fn finite(what: &'static str, value: f64) -> Result<f32, GltfError> {
    let narrow = value as f32;
    if narrow.is_finite() {
        Ok(narrow)
    } else {
        Err(GltfError::NotFinite { what, value })
    }
}

/// A list that, where it is there, has to have `N` finite numbers.
pub(crate) fn list<const N: usize>(
    what: &'static str,
    values: Option<&[f64]>,
    absent: [f32; N],
) -> Result<[f32; N], GltfError> {
    let Some(values) = values else { return Ok(absent) };
    if values.len() != N {
        return Err(GltfError::ListLength {
            what,
            found: values.len(),
            expected: N,
        });
    }
    let mut result = [0.0; N];
    for (result, &value) in result.iter_mut().zip(values) {
        *result = finite(what, value)?;
    }
    Ok(result)
}
