//! What a caller may choose about an import.

use std::path::PathBuf;

/// What to read, and what to make where the file has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOptions {
    /// Read morph targets (the default). Without them every mesh comes with an empty target list.
    pub morphs: bool,
    /// MakeHuman only: `.target` and `.target.gz` files, or folders that are searched for them in sorted order.
    /// Empty means the folder `targets` beside the `.obj`.
    pub targets: Vec<PathBuf>,
    /// MakeHuman only: the groups of the `.obj` to read, each of which becomes a primitive, in this order.
    /// Empty means the group `body`.
    pub groups: Vec<String>,
    /// Make base normals where the file has none, and normal deltas for the targets that have none.
    ///
    /// What the file gives is never recomputed. See the crate's module on normals for the method.
    pub generate_normals: bool,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            morphs: true,
            targets: Vec::new(),
            groups: Vec::new(),
            generate_normals: false,
        }
    }
}
