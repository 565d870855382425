//! Why a file was refused: what, where, and what would be right.

use std::io;
use std::path::PathBuf;

use morph_core::{Limit, SkinError};

use crate::cooked::CookedModelError;

/// Why an import failed. Nothing of the file is handed out then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file, or one that it needs, cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file has no content at all.
    #[error("{} is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Neither the name nor the first bytes are of a format that can be read.
    #[error("{} is of no format that can be read; there are .gltf, .glb, .vrm, .fbx, MakeHuman .obj and cooked .morph", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The scale of the options cannot be used.
    #[error("the scale {scale} cannot be used: it has to be above zero, and lengths have to stay finite")]
    Scale {
        /// The scale asked for.
        scale: f32,
    },
    /// A threshold of the options cannot be used.
    #[error(
        "the {limit} threshold {value} cannot be used: it has to be a finite number that is zero or more"
    )]
    Threshold {
        /// Which one.
        limit: Limit,
        /// The threshold asked for.
        value: f32,
    },
    /// A MakeHuman target was given where a model is needed.
    #[error(
        "{} holds only the offsets of a MakeHuman target; load the base .obj and name this file among the targets",
        path.display()
    )]
    LoneTarget {
        /// The file.
        path: PathBuf,
    },
    /// A glTF or GLB file is damaged, or asks for what cannot be read.
    #[error("{}: {place}: {source}", path.display())]
    Gltf {
        /// The file.
        path: PathBuf,
        /// Where in the file, such as `mesh 0 "Head", primitive 1, target 3, NORMAL (accessor 17)`.
        place: String,
        /// What is wrong there.
        source: Box<GltfError>,
    },
    /// An FBX file is damaged, or asks for what cannot be read.
    #[error("{}: {place}: {source}", path.display())]
    Fbx {
        /// The file.
        path: PathBuf,
        /// Where in the file, such as `mesh 0 "Head", target 3 "smile"`.
        place: String,
        /// What is wrong there.
        source: Box<FbxError>,
    },
    /// A MakeHuman base mesh, target, rig or weights file is damaged.
    #[error("{}{}: {source}", path.display(), .line.map(|line| format!(", line {line}")).unwrap_or_default())]
    MakeHuman {
        /// The file.
        path: PathBuf,
        /// The line, counted from one, where a line is at fault.
        line: Option<u64>,
        /// What is wrong there.
        source: Box<MakeHumanError>,
    },
    /// A cooked file is refused.
    #[error(transparent)]
    Cooked(#[from] CookedModelError),
}

/// What is wrong at a place of a glTF or GLB file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GltfError {
    /// The container ends before what it announces.
    #[error("the file is cut off: {what} needs {needed} bytes, {found} are there")]
    Truncated {
        /// The part of the container.
        what: &'static str,
        /// The bytes that it needs.
        needed: u64,
        /// The bytes that are there.
        found: u64,
    },
    /// The first four bytes are not `glTF`.
    #[error("a GLB starts with the bytes `glTF`, this starts with {found:?}")]
    NotGlb {
        /// The bytes found.
        found: [u8; 4],
    },
    /// The container's version is not 2.
    #[error("the container has version {found}; version 2 can be read")]
    ContainerVersion {
        /// The version found.
        found: u32,
    },
    /// The first chunk is not the JSON chunk.
    #[error("the first chunk has type {found:#010x}; it has to be JSON, 0x4e4f534a")]
    FirstChunk {
        /// The type found.
        found: u32,
    },
    /// A chunk that others follow has a length that is no multiple of four.
    #[error("the chunk has {length} bytes; lengths are multiples of four, so what follows cannot be found")]
    ChunkLength {
        /// The length found.
        length: u32,
    },
    /// The JSON is not valid, or not that of a glTF file.
    #[error("this is not the JSON of a glTF 2.0 file: {message}")]
    Json {
        /// The line, counted from one.
        line: usize,
        /// The column, counted from one.
        column: usize,
        /// What the parser said.
        message: String,
    },
    /// The file is of another version of glTF.
    #[error("the file is glTF {found}; version 2.0 can be read")]
    Version {
        /// The version found.
        found: String,
    },
    /// The file requires extensions that cannot be read, and without them its data means something else.
    #[error("the file requires {}, which this version cannot read; export it without", names.join(", "))]
    RequiredExtensions {
        /// The extensions' names.
        names: Vec<String>,
    },
    /// An index points past the end of one of the file's lists.
    #[error("{kind} {index} does not exist; the file has {count}")]
    NoSuchItem {
        /// What is pointed to.
        kind: &'static str,
        /// The index.
        index: u64,
        /// How many there are.
        count: usize,
    },
    /// The buffer has neither a URI nor a binary chunk.
    #[error("buffer {buffer} has no URI, and the file has no binary chunk for it")]
    NoData {
        /// The buffer's index.
        buffer: u64,
    },
    /// A buffer's URI may not, or cannot, be followed.
    #[error("the URI {uri:?} of buffer {buffer} is refused: {reason}")]
    Uri {
        /// The buffer's index.
        buffer: u64,
        /// The URI, shortened.
        uri: String,
        /// Why.
        reason: &'static str,
    },
    /// The file of a buffer cannot be read.
    #[error("the file {uri:?} of buffer {buffer} cannot be read: {source}")]
    ExternalFile {
        /// The buffer's index.
        buffer: u64,
        /// The URI.
        uri: String,
        /// What the system said.
        source: io::Error,
    },
    /// A buffer has fewer bytes than its `byteLength`.
    #[error("buffer {buffer} promises {promised} bytes and has {found}")]
    BufferTooShort {
        /// The buffer's index.
        buffer: u64,
        /// Its `byteLength`.
        promised: u64,
        /// The bytes that are there.
        found: u64,
    },
    /// A buffer view, or what is read through it, ends past its buffer or view.
    #[error("buffer view {view} is read up to byte {end}, {available} are there")]
    OutOfRange {
        /// The view's index.
        view: u64,
        /// The end of the read, in bytes; `u64::MAX` where it does not fit.
        end: u64,
        /// The bytes that are there.
        available: u64,
    },
    /// A compressed buffer view cannot be decompressed.
    #[error("buffer view {view} cannot be decompressed: {reason}")]
    Compression {
        /// The view's index.
        view: u64,
        /// Why.
        reason: &'static str,
    },
    /// An accessor's elements have another shape than this use of it prescribes.
    #[error("the accessor is {found}, it has to be {expected}")]
    AccessorType {
        /// The accessor's `type`.
        found: String,
        /// The type, or types, that would be right.
        expected: &'static str,
    },
    /// An accessor's component type does not exist or is not allowed for this use of it.
    #[error("the component type is {found}, it has to be {expected}")]
    ComponentType {
        /// The `componentType` found.
        found: u64,
        /// What would be right.
        expected: &'static str,
    },
    /// An accessor has another number of elements than what it belongs to.
    #[error("the accessor has {found} elements, it has to have {expected}")]
    Count {
        /// The accessor's `count`.
        found: u64,
        /// The count of the base POSITION.
        expected: u64,
    },
    /// A stride is smaller than the elements that it separates.
    #[error("buffer view {view} has a stride of {stride} bytes for elements of {element_bytes}")]
    Stride {
        /// The view's index.
        view: u64,
        /// The `byteStride`.
        stride: u64,
        /// The bytes of one element.
        element_bytes: u64,
    },
    /// An accessor without data asks for more zeros than a file of this size can justify.
    #[error(
        "the accessor has no buffer view and {count} elements; a file of {limit} bytes cannot justify that many"
    )]
    Unbacked {
        /// The accessor's `count`.
        count: u64,
        /// The bytes of the file and its buffers, which is also the most elements allowed.
        limit: u64,
    },
    /// Accessors that share data would take far more memory than the file can justify.
    #[error(
        "reading the file would take more than {limit} bytes of memory: 256 MiB and 16 bytes for each byte of the \
         file; share accessors between fewer targets"
    )]
    TooMuch {
        /// The most that is allowed for this file.
        limit: u64,
    },
    /// A sparse accessor replaces more elements than there are.
    #[error("the sparse part replaces {sparse} of {count} elements")]
    SparseCount {
        /// The sparse part's `count`.
        sparse: u64,
        /// The accessor's `count`.
        count: u64,
    },
    /// The indices of a sparse accessor do not rise strictly.
    #[error("sparse index {index} at position {position} follows {previous}; indices have to rise")]
    SparseOrder {
        /// The position in the list of indices.
        position: u64,
        /// The index before it.
        previous: u32,
        /// The index.
        index: u32,
    },
    /// An index of a sparse accessor is past its last element.
    #[error("sparse index {index} at position {position} is past the last of {count} elements")]
    SparseRange {
        /// The position in the list of indices.
        position: u64,
        /// The index.
        index: u32,
        /// The accessor's `count`.
        count: u64,
    },
    /// A primitive has more vertices than a 32-bit index can name.
    #[error("the primitive has {count} vertices, more than 32-bit indices can name")]
    TooManyVertices {
        /// The vertex count.
        count: u64,
    },
    /// A vertex index is past the last vertex.
    #[error("index {index} at position {position} is past the last of {vertex_count} vertices")]
    IndexRange {
        /// The position in the index list.
        position: usize,
        /// The index.
        index: u32,
        /// The vertex count.
        vertex_count: usize,
    },
    /// The primitive's mode does not exist.
    #[error("the mode {mode} does not exist; modes are 0 (points) to 6 (triangle fan)")]
    Mode {
        /// The `mode` found.
        mode: u64,
    },
    /// A number is too large for a 32-bit float.
    #[error("{what} is {value}, which a 32-bit float cannot hold")]
    NotFinite {
        /// The property.
        what: &'static str,
        /// The value.
        value: f64,
    },
    /// A list has another length than its property prescribes.
    #[error("{what} has {found} numbers, it has to have {expected}")]
    ListLength {
        /// The property.
        what: &'static str,
        /// The length found.
        found: usize,
        /// The length that would be right.
        expected: usize,
    },
    /// A joint that holds a vertex is past the last joint of the skin.
    #[error("vertex {vertex} is held by joint {joint}, the skin has {joints}")]
    JointRange {
        /// The vertex.
        vertex: usize,
        /// The joint.
        joint: u16,
        /// The joints of the smallest skin that deforms the mesh.
        joints: usize,
    },
    /// A skin weight is NaN or infinite.
    #[error("vertex {vertex} has a skin weight of {weight}; weights have to be finite")]
    SkinWeight {
        /// The vertex.
        vertex: usize,
        /// The weight.
        weight: f32,
    },
    /// Skin weights are refused by `morph-core`.
    #[error(transparent)]
    SkinWeights(SkinError),
    /// A node is a child of two others.
    #[error("node {child} is a child of node {first} and of node {second}")]
    TwoParents {
        /// The child.
        child: usize,
        /// The first parent.
        first: usize,
        /// The second parent.
        second: usize,
    },
    /// A node is its own ancestor.
    #[error("the node is its own ancestor")]
    NodeLoop,
}

/// What is wrong at a place of an FBX file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FbxError {
    /// The file ends before what it announces.
    #[error("the file is cut off")]
    Truncated,
    /// The bytes are not those of an FBX file, binary or text.
    #[error("this is not an FBX file")]
    NotFbx,
    /// The file is older or newer than what can be read.
    #[error("the file is of a version that cannot be read; versions 5.0 to 7.7 can")]
    Version,
    /// Lists of the file do not fit each other, or its structure is broken.
    #[error("the file is damaged: {message}")]
    Damaged {
        /// What the parser said.
        message: String,
    },
    /// Nodes are nested too deeply.
    #[error("nodes are nested more than {limit} deep")]
    TooDeep {
        /// The deepest nesting allowed.
        limit: u32,
    },
    /// The file takes far more memory than its size can justify.
    #[error(
        "reading the file would take more than {limit} bytes of memory: 256 MiB and 64 bytes for each byte of the file"
    )]
    TooMuch {
        /// The most that is allowed for this file.
        limit: u64,
    },
    /// A number is NaN, infinite, or too large for a 32-bit float.
    #[error("{what} {index} has the component {value}, which is no finite 32-bit float")]
    NotFinite {
        /// What has the number.
        what: &'static str,
        /// Which of them.
        index: usize,
        /// The number.
        value: f64,
    },
    /// The mesh has more corners, or its skin more bones, than indices can name.
    #[error("there are {count} {what}, and {limit} is the most that can be read")]
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// How many.
        count: usize,
        /// The most that can be read.
        limit: usize,
    },
}

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
        /// The column, counted from one; the line is that of [`ImportError::MakeHuman`].
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
