//! What a build refuses, each with the place and what would be right.

use std::fmt;

use crate::quantization::Quantization;
use crate::sets::VertexSet;
use crate::streams::Stream;

/// Which of the two limits an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Positions, in model units.
    Position,
    /// Normals and tangents: thresholds are lengths against a unit direction, tolerances are degrees.
    Direction,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Position => "position",
            Limit::Direction => "direction",
        })
    }
}

/// Why [`MorphMesh::build`](crate::MorphMesh::build) refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// More targets than a 16-bit target number can tell apart.
    #[error("the mesh has {given} targets and an entry can name {limit}: split the mesh or drop targets")]
    TooManyTargets {
        /// How many were given.
        given: usize,
        /// How many fit.
        limit: usize,
    },
    /// Two targets have one name.
    #[error("targets {first} and {second} are both named `{name}`: give each target its own name")]
    DuplicateName {
        /// The name.
        name: String,
        /// The first slot that has it.
        first: usize,
        /// The next slot that has it.
        second: usize,
    },
    /// A target moves vertices of a mesh that has none.
    #[error(
        "target {target} `{name}` moves {moved} vertices of a mesh with zero vertices: give the mesh's vertex count, or targets that move nothing"
    )]
    NoVertices {
        /// The target's slot.
        target: usize,
        /// The target's name.
        name: String,
        /// How many vertices it lists.
        moved: usize,
    },
    /// A target moves a vertex that the mesh does not have.
    #[error(
        "target {target} `{name}`: entry {entry} moves vertex {vertex}, but the mesh has {vertex_count} vertices, counted from 0"
    )]
    VertexOutOfRange {
        /// The target's slot.
        target: usize,
        /// The target's name.
        name: String,
        /// Position in the target's vertex list.
        entry: usize,
        /// The vertex given.
        vertex: u32,
        /// How many vertices the mesh has.
        vertex_count: u32,
    },
    /// A target moves a vertex twice.
    #[error("target {target} `{name}` moves vertex {vertex} more than once: give each vertex one delta")]
    DuplicateVertex {
        /// The target's slot.
        target: usize,
        /// The target's name.
        name: String,
        /// The vertex.
        vertex: u32,
    },
    /// A stream does not run parallel to the target's vertices.
    #[error(
        "target {target} `{name}`: {found} {stream} deltas for {expected} moved vertices: give one for each"
    )]
    StreamLength {
        /// The target's slot.
        target: usize,
        /// The target's name.
        name: String,
        /// The stream.
        stream: Stream,
        /// How many deltas there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A delta is NaN or infinite.
    #[error("target {target} `{name}`, vertex {vertex}: a {stream} delta is {value}; deltas must be finite")]
    NotFinite {
        /// The target's slot.
        target: usize,
        /// The target's name.
        name: String,
        /// The vertex.
        vertex: u32,
        /// The stream.
        stream: Stream,
        /// The offending component.
        value: f32,
    },
    /// A delta does not fit a half float.
    #[error(
        "target {target} `{name}`, vertex {vertex}: a {stream} delta is {value}, beyond the ±65504 of a half float: use f32 or snorm16, or a larger unit"
    )]
    BeyondHalf {
        /// The target's slot.
        target: usize,
        /// The target's name.
        name: String,
        /// The vertex.
        vertex: u32,
        /// The stream.
        stream: Stream,
        /// The offending component.
        value: f32,
    },
    /// A target lists one set of texture coordinates or colors twice.
    #[error("target {target} `{name}` lists {set} more than once: give each set one list of deltas")]
    DuplicateSet {
        /// The target's slot.
        target: usize,
        /// The target's name.
        name: String,
        /// The set.
        set: VertexSet,
    },
    /// The deltas of a set do not run parallel to its vertices.
    #[error(
        "target {target} `{name}`, {set}: {found} deltas for {expected} changed vertices: give one for each"
    )]
    SetLength {
        /// The target's slot.
        target: usize,
        /// The target's name.
        name: String,
        /// The set.
        set: VertexSet,
        /// How many deltas there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A set names a vertex that the mesh does not have.
    #[error(
        "target {target} `{name}`, {set}: entry {entry} changes vertex {vertex}, but the mesh has {vertex_count} vertices, counted from 0"
    )]
    SetVertexOutOfRange {
        /// The target's slot.
        target: usize,
        /// The target's name.
        name: String,
        /// The set.
        set: VertexSet,
        /// Position in the set's vertex list.
        entry: usize,
        /// The vertex given.
        vertex: u32,
        /// How many vertices the mesh has.
        vertex_count: u32,
    },
    /// A set names a vertex twice.
    #[error(
        "target {target} `{name}`, {set}: vertex {vertex} is changed more than once: give each vertex one delta"
    )]
    SetDuplicateVertex {
        /// The target's slot.
        target: usize,
        /// The target's name.
        name: String,
        /// The set.
        set: VertexSet,
        /// The vertex.
        vertex: u32,
    },
    /// A delta of a set is NaN or infinite.
    #[error("target {target} `{name}`, {set} of vertex {vertex}: a delta is {value}; deltas must be finite")]
    SetNotFinite {
        /// The target's slot.
        target: usize,
        /// The target's name.
        name: String,
        /// The set.
        set: VertexSet,
        /// The vertex.
        vertex: u32,
        /// The offending component.
        value: f32,
    },
    /// A threshold is negative or not finite.
    #[error("the {limit} threshold is {value}: it must be a finite number that is zero or more")]
    Threshold {
        /// Which threshold.
        limit: Limit,
        /// What was given.
        value: f32,
    },
    /// A tolerance is negative or not finite.
    #[error("the {limit} tolerance is {value}: it must be a finite number that is zero or more")]
    Tolerance {
        /// Which tolerance.
        limit: Limit,
        /// What was given.
        value: f32,
    },
    /// A threshold alone may cost more than the tolerance allows.
    #[error(
        "the {limit} threshold {threshold} may drop deltas worth {worst}, above the {limit} tolerance {tolerance}: lower the threshold or raise the tolerance"
    )]
    ThresholdAboveTolerance {
        /// Which pair.
        limit: Limit,
        /// The threshold, as a length.
        threshold: f32,
        /// The most that dropping can cost, in the tolerance's unit (for directions degrees).
        worst: f32,
        /// The tolerance.
        tolerance: f32,
    },
    /// A tolerance was asked for and not met.
    #[error(
        "target {target} `{name}`: the worst {limit} error with {quantization} is {error}, above the tolerance {tolerance}: use a finer quantization, lower thresholds, or a tolerance of at least {error}"
    )]
    ToleranceNotMet {
        /// The target's slot.
        target: usize,
        /// The target's name.
        name: String,
        /// Which tolerance.
        limit: Limit,
        /// The measured error, in model units or degrees.
        error: f32,
        /// The tolerance, in the same unit.
        tolerance: f32,
        /// The quantization of the build.
        quantization: Quantization,
    },
    /// A direction tolerance was asked for, but there are no rest normals to measure angles against.
    #[error(
        "target {target} `{name}` has normal deltas, and a direction tolerance needs rest normals to measure angles against: give a rest pose with normals in the options"
    )]
    NoRestNormals {
        /// The first target with normals.
        target: usize,
        /// Its name.
        name: String,
    },
    /// The rest pose in the options belongs to another mesh.
    #[error(
        "the rest pose has {found} {stream} values, but the mesh has {vertex_count} vertices: give one for each"
    )]
    RestLength {
        /// The stream.
        stream: Stream,
        /// How many values the rest pose has.
        found: usize,
        /// How many vertices the mesh has.
        vertex_count: u32,
    },
    /// A layout of the mesh would need more than 2³² - 1 words, which a 32-bit word offset cannot reach.
    #[error(
        "{vertex_count} vertices and {entry_count} entries take {words} words, more than the {limit} that a 32-bit offset reaches: split the mesh, or raise the thresholds"
    )]
    TooLarge {
        /// How many vertices the mesh has.
        vertex_count: u32,
        /// How many entries were kept.
        entry_count: u64,
        /// The words that the larger layout takes.
        words: u64,
        /// The most that fit.
        limit: u32,
    },
}
