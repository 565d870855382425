//! The table of names, slot to name and name to slot.

use std::cmp::Ordering;

/// How many names an error suggests for one that it does not know.
pub(crate) const NEAREST_NAME_COUNT: usize = 5;

/// The names of a mesh's targets, in slot order, or of a rig's controls.
///
/// Looking a name up allocates nothing, so it may be done every frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameTable {
    names: Vec<String>,
    /// Slots ordered by name, and by slot among equal names, for binary search.
    by_name: Vec<u32>,
}

/// Why [`NameTable::new`] refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// Two places have one name.
    #[error("names {first} and {second} are both `{name}`: give each its own")]
    Duplicate {
        /// The name.
        name: String,
        /// The first place that has it.
        first: usize,
        /// The next place that has it.
        second: usize,
    },
}

impl NameTable {
    /// The names in the order of their slots, each once.
    pub fn new(names: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, NameError> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let mut by_name: Vec<u32> = (0..names.len() as u32).collect();
        by_name.sort_by(|&a, &b| names[a as usize].cmp(&names[b as usize]).then(a.cmp(&b)));
        let duplicate = by_name
            .windows(2)
            .map(|pair| (pair[0] as usize, pair[1] as usize))
            .find(|&(a, b)| names[a] == names[b]);
        match duplicate {
            None => Ok(NameTable { names, by_name }),
            Some((first, second)) => Err(NameError::Duplicate {
                name: names[first].clone(),
                first,
                second,
            }),
        }
    }

    /// How many names there are, one per slot.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name of a slot, or `None` past the last one.
    pub fn name(&self, slot: usize) -> Option<&str> {
        self.names.get(slot).map(String::as_str)
    }

    /// The slot of a name, matched exactly. Allocates nothing.
    pub fn slot(&self, name: &str) -> Option<usize> {
        let at = self
            .by_name
            .binary_search_by(|&slot| self.names[slot as usize].as_str().cmp(name))
            .ok()?;
        Some(self.by_name[at] as usize)
    }

    /// All names in slot order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Up to `n` names that `name` could have been meant to be, the likeliest first.
    ///
    /// Likeness is the normalized Damerau-Levenshtein similarity without regard to case, and a name that
    /// contains the other (`smile` in `mouthSmileLeft`) counts as at least half alike.
    /// Meant for error messages: it compares with every name.
    pub fn nearest(&self, name: &str, n: usize) -> Vec<&str> {
        let wanted = name.to_lowercase();
        let mut scored: Vec<(f64, &str)> = self
            .names
            .iter()
            .map(|candidate| (likeness(&wanted, &candidate.to_lowercase()), candidate.as_str()))
            .collect();
        // A stable sort, so that equally near names stay in slot order.
        scored.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal));
        scored
            .into_iter()
            .take(n)
            .map(|(_, candidate)| candidate)
            .collect()
    }

    /// [`nearest`](Self::nearest) for an error, which outlives the table.
    pub(crate) fn nearest_owned(&self, name: &str, n: usize) -> Vec<String> {
        self.nearest(name, n).into_iter().map(str::to_owned).collect()
    }
}

/// The end of an error about an unknown name.
pub(crate) fn suggestion(nearest: &[String]) -> String {
    if nearest.is_empty() {
        return ": the mesh has no targets".to_owned();
    }
    let nearest: Vec<String> = nearest.iter().map(|name| on_one_line(name)).collect();
    format!(": the nearest names are `{}`", nearest.join("`, `"))
}

/// A name without the control characters that would break the line of a message.
pub(crate) fn on_one_line(name: &str) -> String {
    let shown = |c: char| {
        if c.is_control() {
            c.escape_default().to_string()
        } else {
            c.to_string()
        }
    };
    name.chars().map(shown).collect()
}

fn likeness(a: &str, b: &str) -> f64 {
    let edit = strsim::normalized_damerau_levenshtein(a, b);
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if !short.is_empty() && long.contains(short) {
        edit.max(0.5 + 0.5 * short.len() as f64 / long.len() as f64)
    } else {
        edit
    }
}
