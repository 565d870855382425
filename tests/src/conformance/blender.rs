//! Against Blender: shapes at given weights with the weights of clips, and skinned vertices at the keys of clips.

mod shapes;
mod skinned;

pub(super) use shapes::rows;
pub(super) use skinned::rows as skinned_rows;

use morph_import::{Format, ImportOptions, Mesh, Primitive, Space};

use super::points::{Corner, corners};

/// How Blender counts the vertices of a mesh: control points of an FBX file; of a glTF file the vertices that faces
/// use, in rising order, one primitive after another.
///
/// For each, the primitive and the vertex that it is; `None` for a control point that is the corner of no face.
fn numbering(mesh: &Mesh) -> Vec<Option<Corner>> {
    let points = mesh
        .primitives
        .iter()
        .flat_map(|primitive| &primitive.source_points);
    if let Some(&greatest) = points.flatten().max() {
        return corners(mesh, greatest as usize + 1);
    }
    let primitives = mesh.primitives.iter().enumerate();
    primitives
        .flat_map(|(number, primitive)| used_vertices(primitive).map(move |vertex| Some((number, vertex))))
        .collect()
}

fn used_vertices(primitive: &Primitive) -> impl Iterator<Item = usize> {
    let mut used: Vec<usize> = primitive.indices.iter().map(|&vertex| vertex as usize).collect();
    used.sort_unstable();
    used.dedup();
    used.into_iter()
}

/// The time of a frame in the file: on the way in, Blender puts FBX keys one frame later.
fn time_of(format: Format, frame: f64, frames_per_second: f64) -> f64 {
    let late = if format == Format::Fbx { 1.0 } else { 0.0 };
    (frame - late) / frames_per_second
}

fn options_in(space: Space) -> ImportOptions {
    ImportOptions {
        space,
        ..ImportOptions::default()
    }
}
