//! Names that are not spelled as the mesh spells them.

use std::collections::HashMap;

use super::spelling::{modern, plain, sided, split_deformer};
use super::table::{NEAREST_NAME_COUNT, NameTable};

/// How a name matched, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Match {
    /// Letter by letter.
    Exact,
    /// But for case and the separators between words: `JawOpen`, `jaw_open` and `jawOpen`.
    Spelling,
    /// But for how a side is marked: `eyeBlink_L`, `leftEyeBlink` and `eyeBlinkLeft`.
    Side,
    /// But for a deformer's name that one of the two has: `Squish.TopH` and `TopH`.
    Deformer,
    /// As the same expression preset of VRM 0.x and 1.0: `joy` and `happy`.
    Vrm,
    /// But for the deformer's name, which differs: `Squish.TopH` and `Squash.TopH`.
    OtherDeformer,
}

/// The slot that a name was resolved to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Resolved {
    /// The target's slot.
    pub slot: usize,
    /// How the name matched.
    pub how: Match,
}

/// Why a name was not resolved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// Nothing matches.
    #[error("no target is named `{name}` or like it{}", super::table::suggestion(nearest))]
    Unknown {
        /// The name given.
        name: String,
        /// The nearest names that there are, the likeliest first.
        nearest: Vec<String>,
    },
    /// Several names match equally well.
    #[error("`{name}` could be any of `{}`: give the whole name", .candidates.join("`, `"))]
    Ambiguous {
        /// The name given.
        name: String,
        /// The names that it could be, in slot order.
        candidates: Vec<String>,
        /// How they match.
        how: Match,
    },
}

impl NameTable {
    /// The slot of a name, spelled as in the table or nearly so; see [`Aliases`], which is faster for many names.
    pub fn resolve(&self, name: &str) -> Result<Resolved, ResolveError> {
        match self.slot(name) {
            Some(slot) => Ok(exact(slot)),
            None => Aliases::new(self).resolve(name),
        }
    }
}

/// Looks names up that may be spelled otherwise than a table spells them.
///
/// An exact name always wins. Otherwise the surest kind of [`Match`] that any name has decides, and where
/// two names match in that way the answer is an error that lists them: nothing is guessed.
///
/// Made once, when a source of weights is bound to a mesh; after that, slots are used.
#[derive(Clone, Debug)]
pub struct Aliases<'a> {
    names: &'a NameTable,
    steps: [Index; STEPS.len()],
}

/// From what is left of a name to the slots of the names that leave the same.
type Index = HashMap<String, Vec<usize>>;

struct Step {
    how: Match,
    key: fn(&str) -> String,
    scope: Scope,
}

/// What of a name is compared, and with which.
#[derive(PartialEq)]
enum Scope {
    /// All of it.
    Whole,
    /// What is behind the deformer's name, where at most one of the two has one.
    OneDeformer,
    /// What is behind the deformer's name, where both have one.
    TwoDeformers,
}

const STEPS: [Step; 7] = [
    Step::new(Match::Spelling, plain, Scope::Whole),
    Step::new(Match::Side, sided, Scope::Whole),
    Step::new(Match::Deformer, plain, Scope::OneDeformer),
    Step::new(Match::Deformer, sided, Scope::OneDeformer),
    Step::new(Match::Vrm, modern, Scope::OneDeformer),
    Step::new(Match::OtherDeformer, plain, Scope::TwoDeformers),
    Step::new(Match::OtherDeformer, sided, Scope::TwoDeformers),
];

impl Step {
    const fn new(how: Match, key: fn(&str) -> String, scope: Scope) -> Self {
        Step { how, key, scope }
    }

    fn key_of(&self, name: &str) -> String {
        match self.scope {
            Scope::Whole => (self.key)(name),
            Scope::OneDeformer | Scope::TwoDeformers => (self.key)(split_deformer(name).1),
        }
    }

    fn compares(&self, name: &str, candidate: &str) -> bool {
        let deformers = [name, candidate].map(|name| split_deformer(name).0.is_some());
        match self.scope {
            Scope::Whole => true,
            Scope::OneDeformer => deformers != [true, true],
            Scope::TwoDeformers => deformers == [true, true],
        }
    }
}

impl<'a> Aliases<'a> {
    /// Indexes the names of a table.
    pub fn new(names: &'a NameTable) -> Self {
        let steps = STEPS.map(|step| {
            let mut index = Index::new();
            for (slot, name) in names.iter().enumerate() {
                let key = step.key_of(name);
                // Names without a letter or digit have nothing to be like.
                if !key.is_empty() {
                    index.entry(key).or_default().push(slot);
                }
            }
            index
        });
        Aliases { names, steps }
    }

    /// The slot of a name, and how it matched.
    pub fn resolve(&self, name: &str) -> Result<Resolved, ResolveError> {
        if let Some(slot) = self.names.slot(name) {
            return Ok(exact(slot));
        }
        for (step, index) in STEPS.iter().zip(&self.steps) {
            let slots = index.get(&step.key_of(name)).map_or(&[][..], Vec::as_slice);
            let candidates: Vec<(usize, &str)> = slots
                .iter()
                .filter_map(|&slot| Some((slot, self.names.name(slot)?)))
                .filter(|(_, candidate)| step.compares(name, candidate))
                .collect();
            match candidates[..] {
                [] => {}
                [(slot, _)] => return Ok(Resolved { slot, how: step.how }),
                _ => {
                    return Err(ResolveError::Ambiguous {
                        name: name.to_owned(),
                        candidates: candidates.iter().map(|(_, name)| (*name).to_owned()).collect(),
                        how: step.how,
                    });
                }
            }
        }
        Err(ResolveError::Unknown {
            name: name.to_owned(),
            nearest: self.names.nearest_owned(name, NEAREST_NAME_COUNT),
        })
    }
}

fn exact(slot: usize) -> Resolved {
    Resolved {
        slot,
        how: Match::Exact,
    }
}
