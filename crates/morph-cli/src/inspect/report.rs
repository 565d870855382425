//! What `morph inspect` found, in the shape of its JSON.

use serde::Serialize;

/// A file.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) file: String,
    /// `gltf`, `glb` or `makehuman`.
    pub(super) format: &'static str,
    /// The file itself, where it is cooked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cooked: Option<CookedReport>,
    pub(super) meshes: Vec<MeshReport>,
    pub(super) nodes: Vec<NodeReport>,
    pub(super) clips: Vec<ClipReport>,
    pub(super) expressions: Vec<ExpressionReport>,
    pub(super) problems: Vec<Problem>,
}

/// A cooked file.
#[derive(Debug, Serialize)]
pub(super) struct CookedReport {
    pub(super) version: u32,
    pub(super) bytes: u64,
    /// In the order of the file.
    pub(super) sections: Vec<SectionReport>,
}

/// A section of a cooked file.
#[derive(Debug, Serialize)]
pub(super) struct SectionReport {
    /// Four letters; `docs/cooked.md` says what they stand for.
    pub(super) kind: String,
    /// The primitive over all meshes, where the section is of one.
    pub(super) primitive: Option<u32>,
    pub(super) part: u32,
    pub(super) offset: u64,
    pub(super) bytes: u64,
}

/// Something odd or wrong, and where.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) place: String,
    pub(super) problem: String,
}

/// A mesh.
#[derive(Debug, Serialize)]
pub(super) struct MeshReport {
    pub(super) mesh: usize,
    pub(super) name: Option<String>,
    pub(super) target_names: Vec<String>,
    /// One per target.
    pub(super) default_weights: Vec<f32>,
    pub(super) primitives: Vec<PrimitiveReport>,
}

/// A primitive.
#[derive(Debug, Serialize)]
pub(super) struct PrimitiveReport {
    pub(super) primitive: usize,
    pub(super) name: Option<String>,
    pub(super) material: Option<String>,
    /// `points`, `lines` or `triangles`.
    pub(super) topology: &'static str,
    pub(super) vertices: usize,
    pub(super) triangles: usize,
    pub(super) normals: bool,
    pub(super) tangents: bool,
    pub(super) texcoords: bool,
    /// Smallest and largest position on each axis; absent without vertices.
    pub(super) bounds: Option<Bounds>,
    /// One per quantization; of a cooked file the one that it is stored in.
    pub(super) formats: Vec<FormatReport>,
    /// One per target of the mesh; empty where the targets cannot be built at all.
    pub(super) targets: Vec<TargetInfo>,
}

/// A box in model units.
#[derive(Debug, Serialize)]
pub(super) struct Bounds {
    pub(super) min: [f32; 3],
    pub(super) max: [f32; 3],
}

/// The targets of a primitive in one quantization.
#[derive(Debug, Serialize)]
pub(super) struct FormatReport {
    pub(super) quantization: &'static str,
    /// Why the targets cannot be stored this way; the other members are absent then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refused: Option<String>,
    #[serde(flatten)]
    pub(super) cost: Option<Cost>,
    /// Entries in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) entries: Option<u64>,
}

/// What something takes in one quantization, and what that costs in exactness.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Cost {
    pub(super) bytes: Bytes,
    pub(super) worst_error: WorstError,
}

/// Bytes per layout.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Bytes {
    pub(super) scatter: u64,
    pub(super) vertex_major: u64,
}

/// The worst errors over all vertices.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct WorstError {
    /// In model units.
    pub(super) position: f32,
    /// With a single target at weight 1; `null` without base normals.
    pub(super) direction_degrees: Option<f32>,
}

/// A target in one primitive.
#[derive(Debug, Serialize)]
pub(super) struct TargetInfo {
    pub(super) slot: usize,
    pub(super) name: String,
    pub(super) default_weight: f32,
    /// Vertices that it moves.
    pub(super) entries: u32,
    /// The streams that it has: `position`, `normal`, `tangent`.
    pub(super) streams: Vec<&'static str>,
    /// The longest way of a vertex at weight 1, in model units.
    pub(super) reach: f32,
    /// One per quantization that can store it.
    pub(super) formats: Vec<TargetFormat>,
}

/// A target in one quantization.
#[derive(Debug, Serialize)]
pub(super) struct TargetFormat {
    pub(super) quantization: &'static str,
    #[serde(flatten)]
    pub(super) cost: Cost,
}

/// A node.
#[derive(Debug, Serialize)]
pub(super) struct NodeReport {
    pub(super) node: usize,
    pub(super) name: Option<String>,
    pub(super) parent: Option<usize>,
    pub(super) mesh: Option<usize>,
    /// Weights of its own, which stand before the mesh's.
    pub(super) weights: Option<Vec<f32>>,
    pub(super) skinned: bool,
}

/// An animation clip.
#[derive(Debug, Serialize)]
pub(super) struct ClipReport {
    pub(super) clip: usize,
    pub(super) name: Option<String>,
    pub(super) duration_seconds: f32,
    pub(super) channels: usize,
    pub(super) weight_channels: usize,
}

/// An expression of an avatar.
#[derive(Debug, Serialize)]
pub(super) struct ExpressionReport {
    pub(super) name: String,
    pub(super) preset: bool,
    /// What drives it by itself: `blink`, `look_at` or `mouth`.
    pub(super) kind: Option<&'static str>,
    pub(super) binary: bool,
    pub(super) overrides: OverridesReport,
    pub(super) binds: Vec<BindReport>,
}

/// How an expression holds each kind back: `none`, `block` or `blend`.
#[derive(Debug, Serialize)]
pub(super) struct OverridesReport {
    pub(super) blink: &'static str,
    pub(super) look_at: &'static str,
    pub(super) mouth: &'static str,
}

/// A weight that an expression gives.
#[derive(Debug, Serialize)]
pub(super) struct BindReport {
    pub(super) node: usize,
    pub(super) slot: usize,
    pub(super) target: String,
    pub(super) weight: f32,
}
