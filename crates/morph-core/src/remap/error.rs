//! Why vertices cannot be renumbered as asked.

use crate::sets::VertexSet;
use crate::streams::Stream;

/// Why a numbering is refused, or does not fit what it is applied to.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RemapError {
    /// More vertices than a 32-bit index reaches.
    #[error(
        "{given} vertices are more than the {} that a 32-bit count reaches: split the mesh",
        u32::MAX
    )]
    TooManyVertices {
        /// How many were given.
        given: usize,
    },
    /// A new vertex is a copy of one that the old mesh does not have.
    #[error(
        "new vertex {new} copies old vertex {old}, but there were {old_vertex_count} vertices, counted from 0"
    )]
    SourceOutOfRange {
        /// The new vertex.
        new: u32,
        /// What it copies.
        old: u32,
        /// How many vertices the old mesh had.
        old_vertex_count: u32,
    },
    /// No old vertex has a number that the new numbering counts past.
    #[error(
        "no old vertex becomes new vertex {new}, though some become vertices past it: number them without gaps"
    )]
    Unfilled {
        /// The new vertex.
        new: u32,
    },
    /// A list does not have one value for each old vertex.
    #[error("{found} values were given for {expected} old vertices: give one for each")]
    Length {
        /// How many there should be.
        expected: u32,
        /// How many there are.
        found: usize,
    },
    /// An index names a vertex that the old mesh does not have.
    #[error("index {at} is vertex {vertex}, but there were {old_vertex_count} vertices, counted from 0")]
    IndexOutOfRange {
        /// Position in the index list.
        at: usize,
        /// The vertex.
        vertex: u32,
        /// How many vertices the old mesh had.
        old_vertex_count: u32,
    },
    /// An index names a vertex that was left out.
    #[error("index {at} is vertex {vertex}, which has no new vertex: keep what faces use")]
    IndexDropped {
        /// Position in the index list.
        at: usize,
        /// The vertex.
        vertex: u32,
    },
    /// An index names a vertex that was split.
    #[error(
        "index {at} is vertex {vertex}, which became several: take the indices from what split the vertices"
    )]
    IndexSplit {
        /// Position in the index list.
        at: usize,
        /// The vertex.
        vertex: u32,
    },
    /// A target names a vertex that the old mesh does not have.
    #[error(
        "target `{name}` moves vertex {vertex}, but there were {old_vertex_count} vertices, counted from 0"
    )]
    TargetVertexOutOfRange {
        /// The target's name.
        name: String,
        /// The vertex.
        vertex: u32,
        /// How many vertices the old mesh had.
        old_vertex_count: u32,
    },
    /// A stream of a target does not run parallel to its vertices.
    #[error("target `{name}`: {found} {stream} deltas for {expected} moved vertices: give one for each")]
    TargetStreamLength {
        /// The target's name.
        name: String,
        /// The stream.
        stream: Stream,
        /// How many deltas there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The deltas of a set do not run parallel to its vertices.
    #[error("target `{name}`, {set}: {found} deltas for {expected} changed vertices: give one for each")]
    TargetSetLength {
        /// The target's name.
        name: String,
        /// The set.
        set: VertexSet,
        /// How many deltas there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A target gives different deltas to vertices that become one.
    #[error(
        "target `{name}` moves vertex {vertex} otherwise than vertex {other}, and both become one vertex: weld only what every target moves alike"
    )]
    MovesApart {
        /// The target's name.
        name: String,
        /// One vertex.
        vertex: u32,
        /// The other.
        other: u32,
    },
    /// An attribute has no whole number of values for each vertex.
    #[error(
        "attribute {attribute} has {found} components, which is no whole number for each of {vertex_count} vertices"
    )]
    AttributeLength {
        /// Position in the list of attributes.
        attribute: usize,
        /// How many components it has.
        found: usize,
        /// How many vertices there are.
        vertex_count: u32,
    },
}
