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
    /// Make base normals for primitives that have none, and normal deltas for targets that have none.
    ///
    /// A normal is the sum of the unit normals of the faces around a point, weighted by their angles there (Thürmer and
    /// Wüthrich, 1998). The faces are the file's polygons, all of one mesh are one surface, and vertices that have one
    /// position at rest and in every target are one point of it, unless the file gives them different normals.
    /// A normal delta is the unit normal of the mesh with that target at weight 1 minus that of the mesh at rest.
    /// What the file gives is never recomputed.
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
