//! Ids of targets that survive a new order of slots.

use std::fmt;

use super::table::NameTable;

/// A target's name as a number of 64 bits, the same in every session, program and version.
///
/// It is the FNV-1a hash of the name's UTF-8 bytes (Fowler, Noll and Vo; RFC 9923): starting with
/// `0xcbf29ce484222325`, each byte is combined by exclusive or and the result multiplied by
/// `0x100000001b3`, modulo 2⁶⁴. Nothing is added to the name, so other programs can compute it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TargetId(u64);

impl TargetId {
    /// The id of a name.
    ///
    /// ```
    /// use morph_core::names::TargetId;
    /// assert_eq!(TargetId::new("a").get(), 0xaf63_dc4c_8601_ec8c);
    /// ```
    pub const fn new(name: &str) -> Self {
        let bytes = name.as_bytes();
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut at = 0;
        while at < bytes.len() {
            hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
            at += 1;
        }
        TargetId(hash)
    }

    /// An id that was stored as a number.
    pub const fn from_raw(id: u64) -> Self {
        TargetId(id)
    }

    /// The number, to store it.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for TargetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Why an [`IdTable`] was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdError {
    /// Two names have one id.
    #[error("targets `{first}` and `{second}` have one id, {id}: rename either")]
    Collision {
        /// The name in the lower slot.
        first: String,
        /// The name in the higher slot.
        second: String,
        /// The id of both.
        id: TargetId,
    },
}

/// The ids of a mesh's targets, both ways.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdTable {
    ids: Vec<TargetId>,
    /// Ids in ascending order, each with its slot.
    by_id: Vec<(TargetId, usize)>,
}

impl IdTable {
    /// The ids of the names of a table, if they are distinct.
    pub fn new(names: &NameTable) -> Result<Self, IdError> {
        let ids: Vec<TargetId> = names.iter().map(TargetId::new).collect();
        let mut by_id: Vec<(TargetId, usize)> = ids.iter().copied().zip(0..).collect();
        by_id.sort_unstable();
        let name = |slot: usize| names.name(slot).unwrap_or_default().to_owned();
        match by_id.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            None => Ok(IdTable { ids, by_id }),
            Some(pair) => Err(IdError::Collision {
                first: name(pair[0].1),
                second: name(pair[1].1),
                id: pair[0].0,
            }),
        }
    }

    /// The ids in slot order.
    pub fn ids(&self) -> &[TargetId] {
        &self.ids
    }

    /// The slot that has an id. Allocates nothing.
    pub fn slot(&self, id: TargetId) -> Option<usize> {
        let at = self.by_id.binary_search_by_key(&id, |&(id, _)| id).ok()?;
        Some(self.by_id[at].1)
    }
}
