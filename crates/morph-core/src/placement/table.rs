//! The table itself: the words that are uploaded, and single rows written later.

use std::ops::Range;

use super::error::TableError;
use super::format::ROW_WORDS;
use super::layout::TableLayout;
use super::row::{pack_row, unpack_row};
use super::value::Placement;

/// The words of a table, whole rows of texels, ready to be uploaded as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacementTable {
    layout: TableLayout,
    row_count: u32,
    words: Vec<u32>,
}

impl PlacementTable {
    /// The shape of the table.
    pub fn layout(&self) -> TableLayout {
        self.layout
    }

    /// How many submeshes have a row; the shader takes any other for unmoved.
    pub fn row_count(&self) -> u32 {
        self.row_count
    }

    /// Rows of texels: the height of the texture.
    pub fn height(&self) -> u32 {
        // As many as fit into `MAX_TABLE_WORDS` were laid out.
        (self.words.len() / self.layout.width() as usize) as u32
    }

    /// All words, padding included: texel x, y is word y × width + x.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Places a submesh, or lets it stay (`None`), and returns the words that were written, which are to be uploaded.
    ///
    /// Words between a row and the next, where the stride leaves some, are not touched.
    ///
    /// # Errors
    /// A submesh without a row.
    ///
    /// ```
    /// use morph_core::placement::{Placement, TableLayout};
    /// let mut table = TableLayout::new(64, 11)?.pack_table([None, None])?;
    /// let up = Placement::IDENTITY.with_translation([0.0, 1.0, 0.0])?;
    /// assert_eq!(table.set_row(1, Some(&up))?, 11..22);
    /// assert_eq!(table.lookup(1), up);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_row(
        &mut self,
        submesh: u32,
        placement: Option<&Placement>,
    ) -> Result<Range<usize>, TableError> {
        let range = self.row_range(submesh).ok_or(TableError::NoRow {
            submesh,
            row_count: self.row_count,
        })?;
        let row = pack_row(placement.unwrap_or(&Placement::IDENTITY));
        self.words[range.clone()].copy_from_slice(&row);
        Ok(range)
    }

    /// What the shader finds for a submesh: the identity where there is no row.
    pub fn lookup(&self, submesh: u32) -> Placement {
        self.row_range(submesh)
            .and_then(|range| self.words[range].first_chunk())
            // Only `pack_row` writes rows, so each of them is a placement.
            .and_then(|row| unpack_row(row).ok())
            .unwrap_or_default()
    }

    fn row_range(&self, submesh: u32) -> Option<Range<usize>> {
        (submesh < self.row_count).then(|| {
            let first = submesh as usize * self.layout.stride() as usize;
            first..first + ROW_WORDS as usize
        })
    }
}

impl TableLayout {
    /// Lays out the rows of all submeshes, `None` for those that stay, and pads the last row of texels with zeros.
    ///
    /// # Errors
    /// A table of more than [`MAX_TABLE_WORDS`](super::MAX_TABLE_WORDS), or one that memory does not hold.
    pub fn pack_table<'a>(
        self,
        rows: impl IntoIterator<Item = Option<&'a Placement>>,
    ) -> Result<PlacementTable, TableError> {
        let mut words = Vec::new();
        let mut row_count = 0;
        for placement in rows {
            let (first, end) = (words.len(), (u64::from(row_count) + 1) * u64::from(self.stride()));
            self.padded_words(u64::from(row_count) + 1)?;
            row_count += 1;
            grow(&mut words, end)?;
            if let Some(placement) = placement {
                words[first..first + ROW_WORDS as usize].copy_from_slice(&pack_row(placement));
            }
        }
        let padded = self.padded_words(u64::from(row_count))?;
        grow(&mut words, u64::from(padded))?;
        Ok(PlacementTable {
            layout: self,
            row_count,
            words,
        })
    }
}

/// Appends zeros up to this length.
fn grow(words: &mut Vec<u32>, length: u64) -> Result<(), TableError> {
    let out_of_memory = TableError::OutOfMemory { words: length };
    let Ok(length) = usize::try_from(length) else {
        return Err(out_of_memory);
    };
    let missing = length.saturating_sub(words.len());
    words.try_reserve(missing).map_err(|_| out_of_memory)?;
    words.resize(length, 0);
    Ok(())
}
