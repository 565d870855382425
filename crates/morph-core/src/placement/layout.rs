//! Where the words of a table lie: rows one behind the other, wrapped at the width of a texture.

use super::error::TableError;
use super::format::{MAX_TABLE_WORDS, ROW_WORDS};

/// The shape of a table: its width in texels and its stride in words, both the caller's.
///
/// A texture is two-dimensional because one row of texels would limit the submeshes to a device's largest image.
/// Rows of words wrap over rows of texels, so the width need not be a multiple of the stride, nor even as large.
/// A stride above [`ROW_WORDS`] leaves words behind each row, which stay zero and are the caller's to use.
/// A storage buffer holds the same words, without the need for a width: any will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableLayout {
    width: u32,
    stride: u32,
}

impl TableLayout {
    /// Checks width and stride.
    ///
    /// # Errors
    /// A width that is not 1 to [`MAX_TABLE_WORDS`], and a stride that is not [`ROW_WORDS`] to [`MAX_TABLE_WORDS`].
    pub fn new(width: u32, stride: u32) -> Result<TableLayout, TableError> {
        if !(1..=MAX_TABLE_WORDS).contains(&width) {
            return Err(TableError::Width { width });
        }
        if !(ROW_WORDS..=MAX_TABLE_WORDS).contains(&stride) {
            return Err(TableError::Stride { stride });
        }
        Ok(TableLayout { width, stride })
    }

    /// Texels in a row of the texture.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Words from one submesh's row to the next.
    pub fn stride(&self) -> u32 {
        self.stride
    }

    /// The word of a submesh's slot, counted from the start of the table.
    ///
    /// # Errors
    /// A slot at or beyond the stride, and a submesh whose row no table reaches.
    ///
    /// ```
    /// use morph_core::placement::{SCALE_SLOT, TableLayout};
    /// let layout = TableLayout::new(2048, 11)?;
    /// let word = layout.address(1000, SCALE_SLOT)?;
    /// assert_eq!((word, layout.texel(word)), (11_008, [768, 5]));
    /// # Ok::<(), morph_core::placement::TableError>(())
    /// ```
    pub fn address(&self, submesh: u32, slot: u32) -> Result<u32, TableError> {
        let stride = self.stride;
        if slot >= stride {
            return Err(TableError::Slot { slot, stride });
        }
        // Every word of the row must be within reach, not only this one: a table has whole rows.
        let row_count = u64::from(submesh) + 1;
        self.padded_words(row_count)?;
        Ok(submesh * stride + slot)
    }

    /// The texel x, y that holds a word.
    pub fn texel(&self, word: u32) -> [u32; 2] {
        [word % self.width, word / self.width]
    }

    /// The rows of texels that this many submeshes take: the height of the texture.
    ///
    /// Zero for no submesh at all; a texture needs one, so bind one of any content and a row count of zero.
    ///
    /// # Errors
    /// A table of more than [`MAX_TABLE_WORDS`].
    ///
    /// ```
    /// use morph_core::placement::TableLayout;
    /// assert_eq!(TableLayout::new(2048, 11)?.rows_needed(5000)?, 27);
    /// # Ok::<(), morph_core::placement::TableError>(())
    /// ```
    pub fn rows_needed(&self, row_count: u32) -> Result<u32, TableError> {
        Ok(self.padded_words(u64::from(row_count))? / self.width)
    }

    /// The words of whole rows of texels that hold this many submeshes.
    pub(super) fn padded_words(self, row_count: u64) -> Result<u32, TableError> {
        let (stride, width) = (self.stride, self.width);
        // Both factors are below 2³³ and 2³¹, so neither the product nor the padding overflows.
        let words = (row_count * u64::from(stride)).next_multiple_of(u64::from(width));
        match u32::try_from(words) {
            Ok(words) if words <= MAX_TABLE_WORDS => Ok(words),
            _ => Err(TableError::TooLarge {
                row_count,
                stride,
                width,
                words,
            }),
        }
    }
}
