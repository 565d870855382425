//! How much a check may do: a small file can name one accessor a hundred thousand times, and must not take hours.

use super::report::Findings;

/// Steps that any check may take, however small the file is.
const BASE_STEPS: u64 = 1 << 26;
/// Steps for each byte of the file and its buffers on top.
const STEPS_PER_BYTE: u64 = 64;

/// Steps that are left.
#[derive(Debug)]
pub(super) struct Work {
    left: u64,
    is_over: bool,
}

impl Work {
    pub(super) fn for_bytes(bytes: u64) -> Self {
        Work {
            left: BASE_STEPS.saturating_add(bytes.saturating_mul(STEPS_PER_BYTE)),
            is_over: false,
        }
    }

    /// Allows for more bytes than were known at first.
    pub(super) fn allow_bytes(&mut self, bytes: u64) {
        self.left = self.left.saturating_add(bytes.saturating_mul(STEPS_PER_BYTE));
    }

    /// Takes steps. Without enough of them nothing is taken: the caller leaves its check out.
    pub(super) fn take(&mut self, steps: u64) -> bool {
        let enough = steps <= self.left;
        if enough {
            self.left -= steps;
        } else {
            self.is_over = true;
        }
        enough
    }

    /// Tells where checks were left out.
    pub(super) fn tell(&self, findings: &mut Findings) {
        if self.is_over {
            findings.info(
                "MORPH_CHECK_INCOMPLETE",
                "",
                "the file refers to its data so often that some of it was not checked every time",
            );
        }
    }
}
