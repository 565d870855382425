//! Placements as words: one row of the table.

use super::error::PlacementError;
use super::format::ROW_WORDS;
use super::value::Placement;

/// A row of words, floats as their bits.
///
/// The presence word is derived: 0 for [the identity](Placement::is_identity), whose row is all zeros, 1 otherwise.
/// The shader reads the other words only where it is 1, so an unmoved submesh costs one fetch.
///
/// ```
/// use morph_core::placement::{Placement, pack_row};
/// assert_eq!(pack_row(&Placement::IDENTITY), [0; 11]);
/// ```
pub fn pack_row(placement: &Placement) -> [u32; ROW_WORDS as usize] {
    if placement.is_identity() {
        return [0; ROW_WORDS as usize];
    }
    let [tx, ty, tz] = placement.translation().map(f32::to_bits);
    let [rx, ry, rz, rw] = placement.rotation().map(f32::to_bits);
    let [sx, sy, sz] = placement.scale().map(f32::to_bits);
    [1, tx, ty, tz, rx, ry, rz, rw, sx, sy, sz]
}

/// The placement of a row, checked as [`Placement::new`] checks.
///
/// Where the presence word is 0 the row is the identity whatever its other words are: the shader does not read them.
/// What [`pack_row`] makes comes back with the same bits.
///
/// # Errors
/// A presence word other than 0 and 1, which is a row that something else wrote or that starts elsewhere; the shader
/// takes such a row for the identity.
/// Any value that a placement refuses.
pub fn unpack_row(row: &[u32; ROW_WORDS as usize]) -> Result<Placement, PlacementError> {
    let [presence, words @ ..] = *row;
    match presence {
        0 => Ok(Placement::IDENTITY),
        1 => {
            let [tx, ty, tz, rx, ry, rz, rw, sx, sy, sz] = words.map(|word| f64::from(f32::from_bits(word)));
            Placement::new([tx, ty, tz], [rx, ry, rz, rw], [sx, sy, sz])
        }
        found => Err(PlacementError::Presence { found }),
    }
}
