//! What can be refused, with what was asked, where, and what would be right.

use ash::vk;
use morph_core::skin::SkinError;
use morph_core::{LayoutError, VertexLayout, WeightError};

use crate::spirv_check::ShaderProblem;

/// An error of the pre-pass.
///
/// Everything that can be refused is refused here, before a frame is recorded: [`MorphPass::record`] cannot fail.
///
/// [`MorphPass::record`]: crate::MorphPass::record
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MorphError {
    /// The device was made without a feature that the pre-pass needs.
    #[error("the device was created without the feature `{feature}`: {remedy}")]
    MissingFeature {
        /// The feature's name in the Vulkan specification.
        feature: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A member of a description is not usable.
    #[error("`{member}` is {given}; it must be {right}")]
    InvalidDesc {
        /// The member.
        member: &'static str,
        /// What it was.
        given: u64,
        /// What would be right.
        right: &'static str,
    },
    /// The vertex layout is not usable.
    #[error("the vertex layout is not usable: {0}")]
    Layout(#[from] LayoutError),
    /// The method cannot write what the vertex layout asks for.
    #[error("scatter adds in place and cannot write {what}: use the gather, or leave them out of the layout")]
    GatherOnly {
        /// What.
        what: String,
    },
    /// The rest pose lies in another vertex layout than the pass draws.
    #[error("the rest pose has the vertex layout {given:?}; this pass draws {right:?}")]
    LayoutMismatch {
        /// The rest pose's layout.
        given: Box<VertexLayout>,
        /// The pass's layout.
        right: Box<VertexLayout>,
    },
    /// The rest pose has another number of vertices than the targets were built for.
    #[error("the rest pose has {rest} vertices; the morph targets were built for {targets}")]
    VertexCountMismatch {
        /// Vertices of the rest pose.
        rest: u32,
        /// Vertices of the mesh that the targets were built for.
        targets: u32,
    },
    /// A mesh without vertices.
    #[error("the mesh has no vertices: there is nothing to morph or to draw")]
    EmptyMesh,
    /// Something does not fit the one fixed geometry buffer.
    #[error(
        "no room for {what}: asked for {asked_bytes} bytes at a multiple of {alignment_bytes}, {free_bytes} are free \
         and the largest hole has {largest_hole_bytes}; create the pass with a larger `geometry_bytes` or remove what is not drawn"
    )]
    OutOfSpace {
        /// For what.
        what: &'static str,
        /// Bytes asked for.
        asked_bytes: u64,
        /// What the range's first byte has to be a multiple of: a hole may be large enough and yet not fit.
        alignment_bytes: u64,
        /// Bytes free in all.
        free_bytes: u64,
        /// Bytes of the largest hole.
        largest_hole_bytes: u64,
    },
    /// Something passes a limit of the device.
    #[error("{what} takes {asked_bytes} bytes; this device binds at most {limit_bytes} at once")]
    DeviceLimit {
        /// What.
        what: &'static str,
        /// Bytes asked for.
        asked_bytes: u64,
        /// The device's limit, `maxStorageBufferRange`.
        limit_bytes: u64,
    },
    /// More instances than the pass was created for.
    #[error("{capacity} instances are attached and no more were asked for; raise `instance_capacity`")]
    InstanceCapacity {
        /// The capacity.
        capacity: u32,
    },
    /// The poses of all skeletons and the weights of all attached instances would not fit one frame's data.
    #[error(
        "one frame's data holds {capacity_bytes} bytes and {used_bytes} are spoken for; {what} needs {asked_bytes}: \
         raise `frame_bytes`"
    )]
    FrameDataFull {
        /// For what.
        what: &'static str,
        /// Bytes that it needs.
        asked_bytes: u64,
        /// Bytes that skeletons and attached instances may need.
        used_bytes: u64,
        /// Bytes of the arena.
        capacity_bytes: u64,
    },
    /// More bones than the pass was created for.
    #[error(
        "a skeleton of {asked} bones beside the {used} there are passes the {capacity} that the pass was created for: \
         raise `bone_capacity`"
    )]
    BoneCapacity {
        /// Bones of the skeleton.
        asked: u32,
        /// Bones of all other skeletons.
        used: u32,
        /// The capacity.
        capacity: u32,
    },
    /// A mesh with a skin, in a pass that does not skin.
    #[error(
        "the mesh has a skin and the pass was created without room for skeletons: give it `bone_capacity`, with the \
         method gather, or leave the skin out"
    )]
    SkinningOff,
    /// A skeleton for a mesh that no bones hold.
    #[error(
        "the mesh was added without a skin: add it with one (`MeshDesc::with_skin`) or attach it without a skeleton"
    )]
    MeshWithoutSkin,
    /// Skin weights, or a pose, do not fit or are not usable.
    #[error(transparent)]
    Skin(#[from] SkinError),
    /// A pose of another length than its skeleton.
    #[error("the pose has {given} bones; the skeleton has {bone_count}")]
    PoseLength {
        /// Bones of the pose.
        given: usize,
        /// Bones of the skeleton.
        bone_count: u32,
    },
    /// A handle to something that was removed.
    #[error("this {kind} handle is stale: what it named was removed")]
    StaleHandle {
        /// `mesh`, `instance` or `skeleton`.
        kind: &'static str,
    },
    /// A mesh that still has instances.
    #[error("the mesh still has {instance_count} instances; detach them first")]
    MeshInUse {
        /// Instances.
        instance_count: u32,
    },
    /// A skeleton that instances follow.
    #[error("{instance_count} instances still follow the skeleton; detach them first")]
    SkeletonInUse {
        /// Instances.
        instance_count: u32,
    },
    /// A number of pixels that is none.
    #[error("`{what}` is {given}; it must be zero or more, or infinity")]
    Pixels {
        /// Of what.
        what: &'static str,
        /// What was given.
        given: f32,
    },
    /// A weight or its name is not usable.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// Memory could not be had.
    #[error("no {location} memory for {what} ({size_bytes} bytes): {reason}")]
    Memory {
        /// For what.
        what: &'static str,
        /// Where it was to lie.
        location: &'static str,
        /// How much.
        size_bytes: u64,
        /// Why not.
        reason: String,
    },
    /// A shader module that the pass cannot use.
    #[error("the SPIR-V given for {module} cannot be used: {problem}")]
    Shader {
        /// The kernel.
        module: &'static str,
        /// What is wrong with it.
        problem: ShaderProblem,
    },
    /// Pipelines that were built for another pass.
    #[error("these pipelines were built for another pass; they were destroyed")]
    ForeignPipelines,
    /// The pass was destroyed.
    #[error("the pass was destroyed: nothing can be built for it any more")]
    Destroyed,
    /// A Vulkan call failed.
    #[error("{call} failed: {result}")]
    Vulkan {
        /// The call.
        call: &'static str,
        /// What it returned.
        result: vk::Result,
    },
}

impl MorphError {
    /// For `map_err` behind a Vulkan call.
    pub(crate) fn vulkan(call: &'static str) -> impl Fn(vk::Result) -> MorphError {
        move |result| MorphError::Vulkan { call, result }
    }
}
