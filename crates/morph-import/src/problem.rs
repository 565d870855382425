//! Why a channel of a clip, or a bind of an expression, is left out.

use morph_anim::CurveError;

/// Why a bind of an expression gives no target a weight.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BindProblem {
    /// It is not of the shape of a bind.
    #[error("it is malformed: {message}")]
    Malformed {
        /// What the parser said.
        message: String,
    },
    /// There is no such node.
    #[error("there is no node {node}, the file has {count}")]
    NoSuchNode {
        /// The index.
        node: u64,
        /// How many nodes there are.
        count: usize,
    },
    /// There is no such mesh.
    #[error("there is no mesh {mesh}, the file has {count}")]
    NoSuchMesh {
        /// The index.
        mesh: u64,
        /// How many meshes there are.
        count: usize,
    },
    /// The node shows no mesh.
    #[error("node {node} shows no mesh")]
    NoMesh {
        /// The node.
        node: usize,
    },
    /// No node shows the mesh.
    #[error("no node shows mesh {mesh}")]
    NotShown {
        /// The mesh.
        mesh: usize,
    },
    /// The mesh has no such target.
    #[error("there is no target {slot}, the mesh has {targets}")]
    NoSuchTarget {
        /// The slot.
        slot: u64,
        /// The targets.
        targets: usize,
    },
    /// The weight is too large for a 32-bit float.
    #[error("its weight is {weight}, which a 32-bit float cannot hold")]
    Weight {
        /// The weight.
        weight: f64,
    },
}

/// Why a channel of an animation has no track.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ChannelProblem {
    /// The channel names no node.
    #[error("it names no node")]
    NoNode,
    /// The channel drives weights of a node without a mesh.
    #[error("it drives weights, and its node has no mesh")]
    NoMesh,
    /// The channel drives weights of a mesh without targets.
    #[error("it drives weights, and the mesh of its node has no targets")]
    NoTargets,
    /// The channel drives one weight, and there is no such target.
    #[error("it drives the weight of target {slot}, and the mesh of its node has {targets}")]
    NoSuchTarget {
        /// The target's slot.
        slot: usize,
        /// The targets.
        targets: usize,
    },
    /// The channel drives something that is none of a node's transform and weights.
    #[error("it drives {path:?}, which is none of translation, rotation, scale and weights")]
    Path {
        /// The `path`.
        path: String,
    },
    /// The channel's pointer leads to something that clips do not drive.
    #[error("its pointer {pointer:?} leads to no translation, rotation, scale or weights of a node")]
    Pointer {
        /// The pointer, empty where there is none.
        pointer: String,
    },
    /// An earlier channel drives the same.
    #[error("an earlier channel drives the same")]
    Repeated,
    /// The interpolation does not exist.
    #[error("the interpolation {found:?} is none of STEP, LINEAR and CUBICSPLINE")]
    Interpolation {
        /// The interpolation found.
        found: String,
    },
    /// There are more or fewer values than the keys need.
    #[error("there are {found} values for {keys} keys of {per_key} each")]
    ValueCount {
        /// The values.
        found: usize,
        /// The key times.
        keys: usize,
        /// The values that each key has.
        per_key: usize,
    },
    /// The keys are no curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
}
