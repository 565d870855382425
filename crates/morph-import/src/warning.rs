//! What was odd in a file, and what was made of it.

use std::fmt;

use crate::damage::{Damage, Part};
use crate::problem::{BindProblem, ChannelProblem};

/// Something odd that was read in the one safe way, or something damaged that was left out.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportWarning {
    /// Where, such as `mesh 0 "Head", primitive 1`, or a file's path.
    pub place: String,
    /// What.
    pub kind: WarningKind,
}

impl fmt::Display for ImportWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.kind)
    }
}

/// What was odd, and what was made of it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WarningKind {
    /// The file uses an extension that is not read, and says or implies that it can be read without.
    #[error("the extension {name} is not read")]
    ExtensionIgnored {
        /// The extension's name.
        name: String,
    },
    /// Targets have an attribute that is not read.
    #[error("{targets} targets have {attribute}, which is not read")]
    TargetAttributeIgnored {
        /// The attribute's name, such as `COLOR_0`.
        attribute: String,
        /// How many targets have it.
        targets: usize,
    },
    /// Targets have deltas of a stream that the base does not have.
    #[error("{targets} targets have {attribute}, the base has none")]
    DeltasWithoutBase {
        /// The attribute's name, such as `NORMAL` or `COLOR_0`.
        attribute: String,
        /// How many targets have it.
        targets: usize,
    },
    /// The primitives of a mesh have unequal numbers of targets; the missing ones move nothing.
    #[error("the primitives have unequal target counts {counts:?}; missing targets move nothing")]
    UnequalTargetCounts {
        /// The count of each primitive.
        counts: Vec<usize>,
    },
    /// The list of target names is longer or shorter than the list of targets.
    #[error("{names} target names for {targets} targets; the rest is left out or called target_N")]
    TargetNameCount {
        /// The names listed.
        names: usize,
        /// The targets.
        targets: usize,
    },
    /// A target's name is no text, or empty.
    #[error("the name of target {slot} is no text; it is called {renamed:?}")]
    TargetNameInvalid {
        /// The target's slot.
        slot: usize,
        /// The name that it got.
        renamed: String,
    },
    /// Two targets have one name.
    #[error("target {slot} has the name {name:?} of an earlier one; it is called {renamed:?}")]
    TargetNameRepeated {
        /// The later target's slot.
        slot: usize,
        /// The name in the file.
        name: String,
        /// The name that it got.
        renamed: String,
    },
    /// There are more or fewer default weights than targets.
    #[error("{weights} default weights for {targets} targets; missing ones are zero, others are left out")]
    WeightCount {
        /// The weights listed.
        weights: usize,
        /// The targets.
        targets: usize,
    },
    /// A primitive has no POSITION, so nothing of it is read.
    #[error("the primitive has no POSITION; it is left empty")]
    NoPositions,
    /// Indices are left over after the last whole line or triangle.
    #[error("{left_over} indices after the last whole line or triangle are left out")]
    IndicesLeftOver {
        /// How many.
        left_over: usize,
    },
    /// Bytes follow after the end of a GLB.
    #[error("{bytes} bytes after the end are left out")]
    TrailingBytes {
        /// How many.
        bytes: u64,
    },
    /// The last chunk of a GLB has a length that is no multiple of four.
    #[error("the last chunk has {length} bytes, which is no multiple of four")]
    ChunkLength {
        /// The length.
        length: u32,
    },
    /// The `.obj` has normals, which are not read.
    #[error("the normals are not read; ask for generated ones")]
    NormalsIgnored,
    /// Faces with fewer than three corners, or with a corner twice in one triangle.
    #[error("{faces} faces without area are left out")]
    FacesLeftOut {
        /// How many.
        faces: usize,
    },
    /// A target file has several lines for one vertex; the last one stands.
    #[error("{lines} lines are for a vertex of a later line and are left out")]
    TargetLinesRepeated {
        /// How many.
        lines: usize,
    },
    /// No target file was found.
    #[error("there are no targets")]
    NoTargets,
    /// Ends of bones of a MakeHuman rig lie at the rig's default positions, as the base mesh lacks what they are fitted to.
    #[error(
        "{ends} ends of bones are fitted to nothing in the base mesh; they lie at their default positions"
    )]
    BonesByDefault {
        /// How many heads and tails.
        ends: usize,
    },
    /// MakeHuman weights are for bones that the rig does not have.
    #[error("the weights of {bones} bones are left out: the rig does not have these bones")]
    WeightsWithoutBone {
        /// How many bones.
        bones: usize,
    },
    /// MakeHuman weights list a vertex several times for one bone; the last one stands.
    #[error("{entries} weights are for a vertex that their bone lists again later, and are left out")]
    BoneWeightsRepeated {
        /// How many weights.
        entries: usize,
    },
    /// A set's number does not follow on that of the one before, so a list of sets has no place for it.
    #[error("{attribute} is left out: sets are numbered from 0 without a gap")]
    SetAfterGap {
        /// The attribute's name.
        attribute: String,
    },
    /// A set of joints comes without weights, or weights without joints.
    #[error("JOINTS_{set} and WEIGHTS_{set} are not both there; the set is left out")]
    SkinSetIncomplete {
        /// The set's number.
        set: u32,
    },
    /// Joints that hold nothing, as their weights are zero, are past the last joint of the skin.
    #[error("{influences} joints of weight zero are past the last of the skin; they become joint 0")]
    UnusedJointsPastSkin {
        /// How many.
        influences: usize,
    },
    /// Skin weights are negative.
    #[error("{influences} skin weights are negative; they become zero")]
    SkinWeightsNegative {
        /// How many.
        influences: usize,
    },
    /// The parser of FBX files repaired something.
    #[error("{description}{}", if *count > 1 { format!(" ({count} times)") } else { String::new() })]
    Repaired {
        /// What.
        description: String,
        /// How often.
        count: usize,
    },
    /// The file does not say which way is up.
    #[error("the file does not name its axes; they are taken for right-handed with Y up")]
    AxesUnknown,
    /// A shape lists a control point several times.
    #[error("{points} control points are listed more than once; their offsets are added up")]
    OffsetsRepeated {
        /// How many of the entries were added to an earlier one.
        points: usize,
    },
    /// A shape lists control points that the mesh does not have.
    #[error("{points} offsets are for control points past the last of {point_count} and are left out")]
    OffsetsLeftOut {
        /// How many.
        points: usize,
        /// The control points of the mesh.
        point_count: usize,
    },
    /// Shapes list normal offsets, and all are zero although positions move: they are taken for missing.
    #[error(
        "{targets} targets have nothing but zeros for normal deltas; they are taken for targets without any"
    )]
    ZeroNormalDeltas {
        /// How many targets.
        targets: usize,
    },
    /// A channel's shape has a full weight of zero or that of another shape, so the channel cannot drive it.
    #[error("the full weight {full_weight} is zero or that of another shape; no channel drives the target")]
    FullWeightUnusable {
        /// The full weight.
        full_weight: f32,
    },
    /// Vertices are held by more joints than are kept.
    #[error("{vertices} vertices are held by more than {most} joints; those of the largest weights are kept")]
    InfluencesDropped {
        /// How many vertices.
        vertices: usize,
        /// How many joints are kept.
        most: usize,
    },
    /// The skin weights of vertices do not sum to one.
    #[error("the skin weights of {vertices} vertices do not sum to one; they are rescaled")]
    SkinWeightsRescaled {
        /// How many vertices.
        vertices: usize,
    },
    /// The skin is to be blended in a way that is not read.
    #[error("the skin asks for dual quaternions; it is blended linearly")]
    SkinningMethod,
    /// The mesh has several skins; the first one is read.
    #[error("the mesh has {skins} skins; only the first is read")]
    SeveralSkins {
        /// How many.
        skins: usize,
    },
    /// A primitive has tangents but no normals. It is shaded flat, with tangents of its own.
    #[error("the tangents are left out, as there are no normals")]
    TangentsWithoutNormals,
    /// A part of the file is damaged; the rest is read. Under [`OnDamage::Refuse`](crate::OnDamage::Refuse) the file is
    /// refused.
    #[error("{part}: {reason}")]
    LeftOut {
        /// What is left out.
        part: Part,
        /// What is wrong with it.
        reason: Damage,
    },
    /// The name of a file is that of the other form of glTF than the first bytes are of.
    #[error("the name ends in .{named}, the content is {content}; it is read as that")]
    ContentUnlikeName {
        /// What the name ends in.
        named: &'static str,
        /// What the content is.
        content: &'static str,
    },
    /// The text begins with a byte order mark. glTF forbids writing one and lets a reader pass over it.
    #[error("the text begins with a byte order mark, which glTF forbids; it is passed over")]
    ByteOrderMark,
    /// A blend channel has no shape. It becomes no target, as targets are made of shapes.
    #[error("the channel {channel:?} has no shape; it becomes no target")]
    ChannelWithoutShape {
        /// The channel's name.
        channel: String,
    },
    /// A channel of an animation drives nothing, or has no curve; the rest of the clip plays.
    #[error("the channel is left out: {problem}")]
    ChannelLeftOut {
        /// Why.
        problem: ChannelProblem,
    },
    /// An expression, or the list of all, is damaged; the rest is read.
    #[error("it is left out: {problem}")]
    ExpressionsLeftOut {
        /// What the parser said.
        problem: String,
    },
    /// Two expressions have one name.
    #[error("an earlier expression has this name; it is called {renamed:?}")]
    ExpressionNameRepeated {
        /// The name that it got.
        renamed: String,
    },
    /// An expression holds others back in a way that does not exist.
    #[error("{property} is {found:?}, which is none of none, block and blend; it is taken for none")]
    ExpressionOverride {
        /// The property.
        property: &'static str,
        /// What was found.
        found: String,
    },
    /// Binds of an expression give no target a weight; the others do.
    #[error("{binds} of its binds are left out, the first because {problem}")]
    ExpressionBindsLeftOut {
        /// How many.
        binds: usize,
        /// Why the first of them.
        problem: BindProblem,
    },
}
