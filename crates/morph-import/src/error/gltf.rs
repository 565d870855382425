//! What can be wrong in a glTF or GLB file.

use std::io;

use morph_core::SkinError;

/// What is wrong at a place of a glTF or GLB file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
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
    /// The text is encoded as glTF does not allow.
    #[error("the text is {found}; glTF is UTF-8, so save it as UTF-8 without a byte order mark")]
    Encoding {
        /// The encoding that the first bytes are of.
        found: &'static str,
    },
    /// An item of one of the file's lists is not of the shape that it has to have.
    #[error("{kind} {index} is malformed: {message}")]
    Malformed {
        /// What it should be.
        kind: &'static str,
        /// Its index in its list.
        index: u64,
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
    #[error("the file {uri:?} of buffer {buffer} cannot be read: {message}")]
    ExternalFile {
        /// The buffer's index.
        buffer: u64,
        /// The URI.
        uri: String,
        /// What kind of failure it was.
        kind: io::ErrorKind,
        /// What the system said.
        message: String,
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
    /// A skin has no joints.
    #[error("the skin has no joints; it has to have one at least")]
    NoJoints,
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
