//! Carrying targets and rest poses over to another numbering of the vertices: after a split, a weld, a reorder,
//! or after vertices were left out.
//!
//! Cooking a mesh (splitting at seams, welding, ordering for the vertex cache) renumbers its vertices, and every
//! target has to follow.
//! A target that does not follow shows as spikes: other vertices move than those that were sculpted.

mod check;
mod error;
mod merge;
pub(crate) mod weld;

pub use error::RemapError;
pub use weld::{WeldAttribute, weld};

use crate::rest::RestStreams;
use crate::skin::SkinWeights;
use crate::streams::Stream;
use crate::target::{MorphTarget, SetDeltas};
use merge::Merge;

/// From one numbering of a mesh's vertices to another: each new vertex takes everything from one old vertex.
///
/// ```
/// use morph_core::{MorphTarget, Remap};
///
/// // Vertex 1 is split in two, and vertex 0 goes last.
/// let remap = Remap::new(2, vec![1, 1, 0])?;
/// assert_eq!(remap.values(&["a", "b"])?, ["b", "b", "a"]);
///
/// let mut raise = MorphTarget::empty("raise");
/// raise.vertices = vec![1];
/// raise.positions = Some(vec![[0.0, 2.0, 0.0]]);
/// assert_eq!(remap.target(&raise)?.vertices, [0, 1]);
/// # Ok::<(), morph_core::RemapError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Remap {
    new_to_old: Vec<u32>,
    /// For each old vertex where its new vertices start in `copies`, and the end of the last one's.
    first_copies: Vec<u32>,
    /// The new vertices that take from an old one, old vertex by old vertex.
    copies: Vec<u32>,
    /// Where several old vertices became one.
    merge: Option<Merge>,
}

impl Remap {
    /// In the numbering of [`from_old_to_new`](Self::from_old_to_new), an old vertex that has no new one.
    pub const DROPPED: u32 = u32::MAX;

    /// For each new vertex the old one that it is a copy of.
    ///
    /// An old vertex may have several copies (a split), one (a reorder), or none (it is left out).
    ///
    /// # Errors
    /// [`RemapError::SourceOutOfRange`], and [`RemapError::TooManyVertices`] past a 32-bit count.
    pub fn new(old_vertex_count: u32, new_to_old: Vec<u32>) -> Result<Self, RemapError> {
        if u32::try_from(new_to_old.len()).is_err() {
            return Err(RemapError::TooManyVertices {
                given: new_to_old.len(),
            });
        }
        if let Some(new) = new_to_old.iter().position(|&old| old >= old_vertex_count) {
            return Err(RemapError::SourceOutOfRange {
                new: new as u32,
                old: new_to_old[new],
                old_vertex_count,
            });
        }
        // A counting sort by old vertex.
        let mut first_copies = vec![0_u32; old_vertex_count as usize + 1];
        for &old in &new_to_old {
            first_copies[old as usize + 1] += 1;
        }
        for old in 1..first_copies.len() {
            first_copies[old] += first_copies[old - 1];
        }
        let mut next = first_copies.clone();
        let mut copies = vec![0; new_to_old.len()];
        for (new, &old) in new_to_old.iter().enumerate() {
            copies[next[old as usize] as usize] = new as u32;
            next[old as usize] += 1;
        }
        Ok(Remap {
            new_to_old,
            first_copies,
            copies,
            merge: None,
        })
    }

    /// For each old vertex its new one, or [`DROPPED`](Self::DROPPED): what welding tools give.
    ///
    /// Old vertices with one new vertex are merged, and the new one takes everything from the first of them.
    /// Their rest attributes are not compared, but [`target`](Self::target) refuses to merge what a target moves
    /// apart; [`weld`] never plans that.
    ///
    /// # Errors
    /// [`RemapError::Unfilled`] where a number below the greatest is nobody's, and
    /// [`RemapError::TooManyVertices`] past a 32-bit count.
    pub fn from_old_to_new(old_to_new: Vec<u32>) -> Result<Self, RemapError> {
        let old_vertex_count = u32::try_from(old_to_new.len()).map_err(|_| RemapError::TooManyVertices {
            given: old_to_new.len(),
        })?;
        let (merge, new_to_old) = Merge::new(old_to_new)?;
        Ok(Remap {
            merge: Some(merge),
            ..Remap::new(old_vertex_count, new_to_old)?
        })
    }

    /// How many vertices there were.
    pub fn old_vertex_count(&self) -> u32 {
        self.first_copies.len() as u32 - 1
    }

    /// How many vertices there are.
    pub fn new_vertex_count(&self) -> u32 {
        self.new_to_old.len() as u32
    }

    /// For each new vertex the old one that it takes from.
    pub fn new_to_old(&self) -> &[u32] {
        &self.new_to_old
    }

    /// One value for each new vertex, from one for each old vertex.
    ///
    /// # Errors
    /// [`RemapError::Length`].
    pub fn values<T: Copy>(&self, old: &[T]) -> Result<Vec<T>, RemapError> {
        self.check_length(old.len())?;
        Ok(self.new_to_old.iter().map(|&from| old[from as usize]).collect())
    }

    /// The rest pose in the new numbering.
    ///
    /// # Errors
    /// [`RemapError::Length`].
    pub fn rest(&self, old: &RestStreams) -> Result<RestStreams, RemapError> {
        let own =
            |values: &Option<Vec<[f32; 3]>>| values.as_ref().map(|values| self.values(values)).transpose();
        Ok(RestStreams {
            positions: self.values(&old.positions)?,
            normals: own(&old.normals)?,
            tangents: own(&old.tangents)?,
        })
    }

    /// The skin weights in the new numbering.
    ///
    /// # Errors
    /// [`RemapError::Length`].
    pub fn skin_weights(&self, old: &SkinWeights) -> Result<SkinWeights, RemapError> {
        self.check_length(old.vertex_count())?;
        Ok(old.gather(&self.new_to_old))
    }

    /// The indices of the same triangles (or lines, or points) in the new numbering.
    ///
    /// After a split the corner decides which copy it is, so the tool that split has the new indices, and here
    /// the split vertices are refused.
    ///
    /// # Errors
    /// [`RemapError::IndexOutOfRange`], [`RemapError::IndexDropped`], [`RemapError::IndexSplit`].
    pub fn indices(&self, old: &[u32]) -> Result<Vec<u32>, RemapError> {
        let old_vertex_count = self.old_vertex_count();
        let place = |(at, &vertex): (usize, &u32)| {
            if vertex >= old_vertex_count {
                return Err(RemapError::IndexOutOfRange {
                    at,
                    vertex,
                    old_vertex_count,
                });
            }
            if let Some(merge) = &self.merge {
                let new = merge.new_of(vertex);
                return new.ok_or(RemapError::IndexDropped { at, vertex });
            }
            match *self.copies_of(vertex) {
                [new] => Ok(new),
                [] => Err(RemapError::IndexDropped { at, vertex }),
                [..] => Err(RemapError::IndexSplit { at, vertex }),
            }
        };
        old.iter().enumerate().map(place).collect()
    }

    /// A target in the new numbering: every copy of a moved vertex gets its delta, and what was left out goes.
    ///
    /// # Errors
    /// Where the target is not one of the old mesh ([`RemapError::TargetVertexOutOfRange`],
    /// [`RemapError::TargetStreamLength`], [`RemapError::TargetSetLength`]), and where it moves vertices apart that
    /// become one ([`RemapError::MovesApart`]).
    pub fn target(&self, old: &MorphTarget) -> Result<MorphTarget, RemapError> {
        check::target(old, self.old_vertex_count())?;
        if let Some(merge) = &self.merge {
            let streams = Stream::ALL.map(|stream| old.stream(stream));
            merge.check(&old.name, &old.vertices, &[[0; 3]; 3], |entry| {
                streams.map(|stream| bits(stream.map_or([0.0; 3], |deltas| deltas[entry])))
            })?;
        }
        let (vertices, sources) = self.entries(&old.vertices);
        let spread = |deltas: &Vec<[f32; 3]>| sources.iter().map(|&entry| deltas[entry]).collect();
        Ok(MorphTarget {
            name: old.name.clone(),
            positions: old.positions.as_ref().map(spread),
            normals: old.normals.as_ref().map(spread),
            tangents: old.tangents.as_ref().map(spread),
            texcoords: self.sets(&old.name, &old.texcoords)?,
            colors: self.sets(&old.name, &old.colors)?,
            vertices,
        })
    }

    fn sets<const N: usize>(
        &self,
        name: &str,
        old: &[SetDeltas<N>],
    ) -> Result<Vec<SetDeltas<N>>, RemapError> {
        let follow = |old: &SetDeltas<N>| {
            if let Some(merge) = &self.merge {
                merge.check(name, &old.vertices, &[0; N], |entry| bits(old.deltas[entry]))?;
            }
            let (vertices, sources) = self.entries(&old.vertices);
            Ok(SetDeltas {
                set: old.set,
                vertices,
                deltas: sources.iter().map(|&entry| old.deltas[entry]).collect(),
            })
        };
        old.iter().map(follow).collect()
    }

    /// The new vertices of a list of old ones, and for each where it stood in the list.
    fn entries(&self, old: &[u32]) -> (Vec<u32>, Vec<usize>) {
        let pairs = old.iter().enumerate();
        pairs
            .flat_map(|(entry, &vertex)| self.copies_of(vertex).iter().map(move |&new| (new, entry)))
            .unzip()
    }

    /// The new vertices that take from an old one, which is in range.
    fn copies_of(&self, old: u32) -> &[u32] {
        let old = old as usize;
        &self.copies[self.first_copies[old] as usize..self.first_copies[old + 1] as usize]
    }

    fn check_length(&self, found: usize) -> Result<(), RemapError> {
        let expected = self.old_vertex_count();
        if found == expected as usize {
            Ok(())
        } else {
            Err(RemapError::Length { expected, found })
        }
    }
}

/// The bits of a value, with -0 as +0, for comparing exactly.
fn bits<const N: usize>(value: [f32; N]) -> [u32; N] {
    value.map(weld::float_bits)
}
