//! Why skinning refuses.

use crate::streams::Stream;

/// Why skin weights, a pose, or skinning with them is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkinError {
    /// The lists do not fit each other.
    #[error(
        "{joints} joints and {weights} weights were given for vertices of {influence_count} influences: give as many \
         joints as weights, {influence_count} for each vertex"
    )]
    Length {
        /// How many joint numbers were given.
        joints: usize,
        /// How many weights were given.
        weights: usize,
        /// How many a vertex has.
        influence_count: usize,
    },
    /// A weight is negative, NaN or infinite.
    #[error(
        "influence {influence} of vertex {vertex} has the weight {weight}: weights must be finite and not negative"
    )]
    Weight {
        /// The vertex.
        vertex: usize,
        /// Which of its influences.
        influence: usize,
        /// The weight.
        weight: f32,
    },
    /// A bone has a component that is NaN or infinite.
    #[error("row {row}, column {column} of bone {bone} is {value}: bones must be finite")]
    Bone {
        /// The bone.
        bone: usize,
        /// The row, 0 to 2.
        row: usize,
        /// The column, 0 to 3.
        column: usize,
        /// The component.
        value: f32,
    },
    /// A vertex is held by a bone that the pose does not have.
    #[error(
        "influence {influence} of vertex {vertex} is bone {joint}, but the pose has {bone_count} bones, counted from 0"
    )]
    JointOutOfRange {
        /// The vertex.
        vertex: usize,
        /// Which of its influences.
        influence: usize,
        /// The bone that it names.
        joint: u16,
        /// How many bones the pose has.
        bone_count: usize,
    },
    /// A mesh is held by a bone that the pose does not have.
    #[error("bone {bone} holds vertices of the mesh, but the pose has {bone_count} bones, counted from 0")]
    MissingBone {
        /// The bone.
        bone: u16,
        /// How many bones the pose has.
        bone_count: usize,
    },
    /// The skin weights belong to another mesh.
    #[error(
        "the skin weights are for {found} vertices and the mesh has {vertex_count}: give {vertex_count} vertices of weights"
    )]
    VertexCount {
        /// For how many vertices there are weights.
        found: usize,
        /// How many vertices there are.
        vertex_count: usize,
    },
    /// The morphed streams are not equally long.
    #[error("{found} {stream} values for {expected} positions: give one for each vertex")]
    StreamLength {
        /// The stream.
        stream: Stream,
        /// How many values there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
}
