//! What can be wrong in the files of MakeHuman.

use morph_core::SkinError;

/// What is wrong in a MakeHuman base mesh, target, rig or weights.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MakeHumanError {
    /// The line has too few parts for what it starts with.
    #[error("the line needs {expected}, found {found:?}")]
    Line {
        /// What the line should look like.
        expected: &'static str,
        /// The line, shortened.
        found: String,
    },
    /// A part of the line is no number, or none that a 32-bit float can hold.
    #[error("{found:?} is not {expected}")]
    Number {
        /// What kind of number is needed.
        expected: &'static str,
        /// The text found, shortened.
        found: String,
    },
    /// A face names a vertex or texture coordinate that is not there.
    #[error("the face names {kind} {index}; {count} came before it")]
    FaceIndex {
        /// `vertex` or `texture coordinate`.
        kind: &'static str,
        /// The index as written.
        index: i64,
        /// How many there are.
        count: usize,
    },
    /// The base mesh has no `v` lines.
    #[error("the mesh has no vertices")]
    NoVertices,
    /// A group that was asked for has no faces.
    #[error("there is no group {group:?} with faces; the file has {}: name those to read as groups (--groups)", found.join(", "))]
    NoGroup {
        /// The group asked for.
        group: String,
        /// The groups that have faces.
        found: Vec<String>,
    },
    /// A target moves a vertex that the base mesh does not have.
    #[error("the target moves vertex {index}; the base mesh has {vertex_count}")]
    TargetIndex {
        /// The vertex.
        index: u64,
        /// The vertices of the base mesh.
        vertex_count: usize,
    },
    /// A target is longer than any target of this base mesh can be.
    #[error("the target has more than {limit} bytes, more than a base mesh of this size can justify")]
    TargetTooLong {
        /// The most bytes allowed, unpacked.
        limit: u64,
    },
    /// A target is not UTF-8 text.
    #[error("the file is not text")]
    NotText,
    /// A path given as targets is neither a folder nor a target file.
    #[error("targets are files that end in .target or .target.gz, or folders of them")]
    NotATarget,
    /// Folders are nested too deeply.
    #[error("folders are nested more than {limit} deep")]
    TooDeep {
        /// The deepest nesting allowed.
        limit: usize,
    },
    /// A rig or weights are not valid JSON, or not that of a rig or of weights.
    #[error("column {column}: {message}")]
    Json {
        /// The column, counted from one; the line is that of [`ImportError::MakeHuman`](crate::ImportError::MakeHuman).
        column: usize,
        /// What the parser said.
        message: String,
    },
    /// Weights are named, but no rig that has them.
    #[error("weights are named without their rig; name the rig too")]
    WeightsWithoutRig,
    /// A rig's name does not tell where its weights are.
    #[error("the weights of a rig that is not called rig.NAME.json have to be named")]
    WeightsNotNamed,
    /// The parent of a bone is no bone of the rig.
    #[error("bone {bone:?} has the parent {parent:?}, which the rig does not have")]
    BoneParent {
        /// The bone, shortened.
        bone: String,
        /// Its parent, shortened.
        parent: String,
    },
    /// A bone is its own ancestor.
    #[error("bone {bone:?} is its own ancestor")]
    BoneLoop {
        /// A bone of the loop, shortened.
        bone: String,
    },
    /// A rig has more bones than a vertex can name.
    #[error("the rig has {count} bones, and {limit} is the most that can be read")]
    TooManyBones {
        /// How many.
        count: usize,
        /// The most that can be read.
        limit: usize,
    },
    /// A bone is placed in a way that does not exist.
    #[error("bone {bone:?} has the strategy {found:?}; it has to be {expected}")]
    Strategy {
        /// The bone, shortened.
        bone: String,
        /// The strategy, shortened.
        found: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A bone lacks what its strategy needs.
    #[error("bone {bone:?} has no {what}, which its strategy needs")]
    BoneLacks {
        /// The bone, shortened.
        bone: String,
        /// What is needed.
        what: &'static str,
    },
    /// A bone is placed by, or holds, a vertex that the base mesh does not have.
    #[error("bone {bone:?} names vertex {index}; the base mesh has {vertex_count}")]
    BoneVertex {
        /// The bone, shortened.
        bone: String,
        /// The vertex.
        index: u64,
        /// The vertices of the base mesh.
        vertex_count: usize,
    },
    /// A number of a bone is too large for a 32-bit float.
    #[error("bone {bone:?} has the {what} {value}, which no 32-bit float can hold")]
    BoneNumber {
        /// The bone, shortened.
        bone: String,
        /// Which number.
        what: &'static str,
        /// The number.
        value: f64,
    },
    /// A weight is too large for a 32-bit float.
    #[error("bone {bone:?} holds vertex {vertex} with the weight {weight}, which no 32-bit float can hold")]
    BoneWeight {
        /// The bone, shortened.
        bone: String,
        /// The vertex.
        vertex: u64,
        /// The weight.
        weight: f64,
    },
    /// A bone lies so far from others that a 32-bit float cannot hold the distance.
    #[error("bone {bone:?} lies too far out for 32-bit floats")]
    BoneTooFar {
        /// The bone, shortened.
        bone: String,
    },
    /// Skin weights are refused by `morph-core`.
    #[error(transparent)]
    SkinWeights(SkinError),
}
