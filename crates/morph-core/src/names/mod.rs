//! Names of targets: their slots, how else they may be spelled, and ids that outlive the order of slots.

mod alias;
mod id;
mod slot_map;
mod spelling;
mod table;
pub mod vocabulary;

pub use alias::{Aliases, Match, ResolveError, Resolved};
pub use id::{IdError, IdTable, TargetId};
pub use slot_map::{SlotMap, SlotMapError};
pub use table::{NameError, NameTable};

pub(crate) use table::{NEAREST_NAME_COUNT, on_one_line, suggestion};
