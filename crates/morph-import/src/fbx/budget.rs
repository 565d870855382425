//! How much memory a file may take.

use std::cell::Cell;

use crate::error::FbxError;
use crate::findings::Account;

/// Memory that any file may take, whatever its size.
const FLOOR_BYTES: u64 = 256 << 20;
/// Memory that a file may take for each byte of its own. Its lists may be deflated, and numbers get wider.
const BYTES_PER_BYTE: u64 = 64;

/// Counts the memory that is taken on a file's account.
///
/// The parser has the same limit for what it keeps, and once more for what it needs meanwhile.
#[derive(Debug)]
pub(super) struct Budget {
    limit: u64,
    spent: Cell<u64>,
}

impl Budget {
    pub(super) fn new(file_bytes: usize) -> Self {
        Self {
            limit: (file_bytes as u64)
                .saturating_mul(BYTES_PER_BYTE)
                .saturating_add(FLOOR_BYTES),
            spent: Cell::new(0),
        }
    }

    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// Takes back what was counted for something that is freed again.
    pub(super) fn release(&self, bytes: u64) {
        self.spent.set(self.spent.get().saturating_sub(bytes));
    }
}

impl Account<FbxError> for Budget {
    fn spend(&self, bytes: u64) -> Result<(), FbxError> {
        let spent = self.spent.get().saturating_add(bytes);
        if spent > self.limit {
            return Err(FbxError::TooMuch { limit: self.limit });
        }
        self.spent.set(spent);
        Ok(())
    }
}
