//! Checking and storing the deltas of texture coordinates and colors.

use crate::build::check;
use crate::domain::to_domain;
use crate::error::BuildError;
use crate::sets::{SetPool, VertexSet};
use crate::target::{MorphTarget, SetDeltas};

/// All sets of one kind that an authored target has.
pub(super) struct TargetSets<'a, const N: usize> {
    slot: usize,
    name: &'a str,
    /// The sets in the order in which they were authored.
    sets: &'a [SetDeltas<N>],
    /// How a set of this kind is called.
    attribute: fn(u32) -> VertexSet,
}

/// What storing the sets of a target gave.
#[derive(Default)]
pub(super) struct Cost {
    pub(super) entries: u64,
    pub(super) dropped_entries: u64,
    pub(super) zeroed_components: u64,
}

impl<const N: usize> TargetSets<'_, N> {
    /// Checks the sets and appends what is not zero.
    pub(super) fn store(&self, vertex_count: u32, pool: &mut SetPool<N>) -> Result<Cost, BuildError> {
        let sorted = self.sorted();
        self.distinct(&sorted)?;
        let mut cost = Cost::default();
        for deltas in sorted {
            self.length(deltas)?;
            self.range(deltas, vertex_count)?;
            let order = self.order(deltas)?;
            self.finite(deltas)?;
            for k in 0..deltas.vertices.len() {
                let i = order.as_ref().map_or(k, |order| order[k]);
                let given = deltas.deltas[i];
                let delta = given.map(to_domain);
                // A component that the domain made zero differs; -0 does not.
                let zeroed = given.iter().zip(&delta).filter(|(given, kept)| given != kept);
                cost.zeroed_components += zeroed.count() as u64;
                if delta != [0.0; N] {
                    cost.entries += 1;
                    pool.push(self.slot, deltas.set, deltas.vertices[i], delta);
                } else if given != [0.0; N] {
                    cost.dropped_entries += 1;
                }
            }
        }
        Ok(cost)
    }

    /// What is wrong, the first place of each kind of fault in each set.
    pub(super) fn problems(&self, vertex_count: u32) -> Vec<BuildError> {
        let sorted = self.sorted();
        let mut problems: Vec<BuildError> = self.distinct(&sorted).err().into_iter().collect();
        for deltas in sorted {
            problems.extend(self.length(deltas).err());
            problems.extend(self.range(deltas, vertex_count).err());
            problems.extend(self.order(deltas).err());
            problems.extend(self.finite(deltas).err());
        }
        problems
    }

    fn sorted(&self) -> Vec<&SetDeltas<N>> {
        let mut sets: Vec<_> = self.sets.iter().collect();
        sets.sort_by_key(|deltas| deltas.set);
        sets
    }

    fn distinct(&self, sorted: &[&SetDeltas<N>]) -> Result<(), BuildError> {
        match sorted.windows(2).find(|pair| pair[0].set == pair[1].set) {
            Some(pair) => Err(BuildError::DuplicateSet {
                target: self.slot,
                name: self.name.to_owned(),
                set: (self.attribute)(pair[0].set),
            }),
            None => Ok(()),
        }
    }

    fn length(&self, deltas: &SetDeltas<N>) -> Result<(), BuildError> {
        if deltas.deltas.len() == deltas.vertices.len() {
            return Ok(());
        }
        Err(BuildError::SetLength {
            target: self.slot,
            name: self.name.to_owned(),
            set: (self.attribute)(deltas.set),
            expected: deltas.vertices.len(),
            found: deltas.deltas.len(),
        })
    }

    fn range(&self, deltas: &SetDeltas<N>, vertex_count: u32) -> Result<(), BuildError> {
        match check::first_past(&deltas.vertices, vertex_count) {
            Some((entry, vertex)) => Err(BuildError::SetVertexOutOfRange {
                target: self.slot,
                name: self.name.to_owned(),
                set: (self.attribute)(deltas.set),
                entry,
                vertex,
                vertex_count,
            }),
            None => Ok(()),
        }
    }

    fn order(&self, deltas: &SetDeltas<N>) -> Result<Option<Vec<usize>>, BuildError> {
        check::rising(&deltas.vertices).map_err(|vertex| BuildError::SetDuplicateVertex {
            target: self.slot,
            name: self.name.to_owned(),
            set: (self.attribute)(deltas.set),
            vertex,
        })
    }

    fn finite(&self, deltas: &SetDeltas<N>) -> Result<(), BuildError> {
        for (&vertex, delta) in deltas.vertices.iter().zip(&deltas.deltas) {
            if let Some(&value) = delta.iter().find(|x| !x.is_finite()) {
                return Err(BuildError::SetNotFinite {
                    target: self.slot,
                    name: self.name.to_owned(),
                    set: (self.attribute)(deltas.set),
                    vertex,
                    value,
                });
            }
        }
        Ok(())
    }
}

/// The sets of texture coordinates of a target.
pub(super) fn texcoords(slot: usize, target: &MorphTarget) -> TargetSets<'_, 2> {
    TargetSets {
        slot,
        name: &target.name,
        sets: &target.texcoords,
        attribute: VertexSet::Texcoord,
    }
}

/// The sets of colors of a target.
pub(super) fn colors(slot: usize, target: &MorphTarget) -> TargetSets<'_, 4> {
    TargetSets {
        slot,
        name: &target.name,
        sets: &target.colors,
        attribute: VertexSet::Color,
    }
}
