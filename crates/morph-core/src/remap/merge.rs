//! Several old vertices that become one.

use std::collections::HashMap;

use crate::remap::{Remap, RemapError};

/// For each old vertex its new one, and how many old ones each new vertex has.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Merge {
    old_to_new: Vec<u32>,
    member_counts: Vec<u32>,
}

impl Merge {
    /// Counts members, and finds the first old vertex of each new one.
    pub(super) fn new(old_to_new: Vec<u32>) -> Result<(Self, Vec<u32>), RemapError> {
        let kept = || {
            old_to_new
                .iter()
                .enumerate()
                .filter(|&(_, &new)| new != Remap::DROPPED)
        };
        let new_vertex_count = kept().map(|(_, &new)| new as usize + 1).max().unwrap_or(0);
        // A number past the old vertices leaves one below it free, and must not make anything large.
        if new_vertex_count > old_to_new.len() {
            return Err(RemapError::Unfilled {
                new: first_unfilled(&old_to_new),
            });
        }
        let mut new_to_old = vec![Remap::DROPPED; new_vertex_count];
        let mut member_counts = vec![0; new_vertex_count];
        for (old, &new) in kept() {
            let first = &mut new_to_old[new as usize];
            *first = (*first).min(old as u32);
            member_counts[new as usize] += 1;
        }
        match member_counts.iter().position(|&count| count == 0) {
            Some(new) => Err(RemapError::Unfilled { new: new as u32 }),
            None => Ok((
                Merge {
                    old_to_new,
                    member_counts,
                },
                new_to_old,
            )),
        }
    }

    /// The new vertex of an old one that is in range; `None` where it was left out.
    pub(super) fn new_of(&self, old: u32) -> Option<u32> {
        Some(self.old_to_new[old as usize]).filter(|&new| new != Remap::DROPPED)
    }

    /// Checks that vertices which become one are moved alike; vertices are in range, and an absent entry moves
    /// nothing. `row` gives what an entry does, and `rest` is that of one which does nothing.
    pub(super) fn check<R: PartialEq>(
        &self,
        name: &str,
        vertices: &[u32],
        rest: &R,
        row: impl Fn(usize) -> R,
    ) -> Result<(), RemapError> {
        // For each new vertex an entry that moves it, and how many of its members have entries that move them.
        let mut moved: HashMap<u32, (usize, u32)> = HashMap::new();
        let apart = |vertex, other| {
            Err(RemapError::MovesApart {
                name: name.to_owned(),
                vertex,
                other,
            })
        };
        for (entry, &vertex) in vertices.iter().enumerate() {
            let Some(new) = self.new_of(vertex) else { continue };
            let own = row(entry);
            if own == *rest {
                continue;
            }
            let (first, count) = moved.entry(new).or_insert((entry, 0));
            *count += 1;
            if own != row(*first) {
                return apart(vertices[*first], vertex);
            }
        }
        let mut fewer = moved
            .iter()
            .filter(|&(&new, &(_, count))| count < self.member_counts[new as usize]);
        let Some((&new, &(first, _))) = fewer.by_ref().min() else {
            return Ok(());
        };
        // Some member rests, and which one is worth a search, because it is worth telling.
        let moves = |old: u32| {
            let mut entries = vertices.iter().enumerate();
            entries.any(|(entry, &vertex)| vertex == old && row(entry) != *rest)
        };
        let members = (0..self.old_to_new.len() as u32).filter(|&old| self.new_of(old) == Some(new));
        let resting = members.into_iter().find(|&old| !moves(old));
        apart(vertices[first], resting.unwrap_or(vertices[first]))
    }
}

/// The least number that no old vertex has.
fn first_unfilled(old_to_new: &[u32]) -> u32 {
    let mut filled = vec![false; old_to_new.len()];
    for &new in old_to_new {
        if let Some(filled) = filled.get_mut(new as usize) {
            *filled = true;
        }
    }
    let first = filled.iter().position(|&filled| !filled);
    first.unwrap_or(filled.len()) as u32
}
