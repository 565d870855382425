//! What other programs say of the models of the field: files under `MORPH_SHARED`.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The folder with models and oracle files: the variable `MORPH_SHARED`, or `../shared` beside the workspace.
pub fn shared_folder() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("MORPH_SHARED").map_or_else(beside, PathBuf::from);
    folder.join("oracle").is_dir().then_some(folder)
}

/// Reads an oracle file.
///
/// # Panics
/// It is not there, or is not what it should be.
pub fn read<T: DeserializeOwned>(path: &Path) -> T {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A model as three.js morphs it.
#[derive(Debug, Deserialize)]
pub struct Morphed {
    /// Which primitives.
    pub primitives: Vec<PrimitiveHead>,
    /// Weights and what comes of them.
    pub settings: Vec<Setting>,
}

/// A primitive.
#[derive(Debug, Deserialize)]
pub struct PrimitiveHead {
    /// Number of a node that shows it.
    pub node: usize,
    /// Number of its mesh in the file.
    pub mesh: usize,
    /// Its number in the mesh.
    pub primitive: usize,
    /// Vertices.
    pub vertices: usize,
    /// Targets.
    pub targets: usize,
    /// Names of the targets, where the file has any.
    pub target_names: Option<Vec<String>>,
    /// Whether the node has a skin.
    pub skinned: bool,
    /// Weights that the node starts with.
    pub default_weights: Vec<f64>,
    /// Vertices that the results are for.
    pub sampled_vertices: Sampled,
}

/// Vertices that results are for.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Sampled {
    /// The word `all`.
    All(String),
    /// These.
    Some(Vec<usize>),
}

impl Sampled {
    /// Their numbers.
    pub fn numbers(&self, vertex_count: usize) -> Vec<usize> {
        match self {
            Sampled::All(_) => (0..vertex_count).collect(),
            Sampled::Some(numbers) => numbers.clone(),
        }
    }
}

/// One set of weights.
#[derive(Debug, Deserialize)]
pub struct Setting {
    /// Its name, such as `mixed`.
    pub label: String,
    /// Results, parallel to [`Morphed::primitives`].
    pub primitives: Vec<PrimitiveResult>,
}

/// What comes of the weights.
#[derive(Debug, Deserialize)]
pub struct PrimitiveResult {
    /// One for each target.
    pub weights: Vec<f32>,
    /// Of the sampled vertices.
    pub positions: Vec<[f64; 3]>,
    /// Of the sampled vertices, where the primitive has normals; not normalized.
    pub normals: Option<Vec<[f64; 3]>>,
}

/// The tangents of the head with dense tangents, by plain arithmetic.
#[derive(Debug, Deserialize)]
pub struct Tangents {
    /// Vertices that the results are for.
    pub vertices: Vec<usize>,
    /// By name.
    pub settings: std::collections::BTreeMap<String, TangentSetting>,
}

/// One set of weights and its tangents.
#[derive(Debug, Deserialize)]
pub struct TangentSetting {
    /// One for each target.
    pub weights: Vec<f32>,
    /// Direction and handedness.
    pub tangents: Vec<[f64; 4]>,
}
