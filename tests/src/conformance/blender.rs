//! Against Blender: shapes at given weights with the weights of clips, and skinned vertices at the keys of clips.

mod shapes;
mod skinned;

pub(super) use shapes::rows;
pub(super) use skinned::rows as skinned_rows;

use morph_import::{Format, ImportOptions, Mesh, Primitive, Space};

/// How Blender counts the vertices of a mesh: control points of an FBX file; of a glTF file the vertices that faces
/// use, in rising order, one primitive after another.
///
/// For each, the primitive and the vertex that it is; `None` for a control point that is the corner of no face.
fn numbering(mesh: &Mesh) -> Vec<Option<(usize, usize)>> {
    let mut numbering = Vec::new();
    for (number, primitive) in mesh.primitives.iter().enumerate() {
        match &primitive.source_points {
            Some(points) => {
                for (vertex, &point) in points.iter().enumerate() {
                    let point = point as usize;
                    if numbering.len() <= point {
                        numbering.resize(point + 1, None);
                    }
                    numbering[point] = Some((number, vertex));
                }
            }
            None => numbering.extend(used_vertices(primitive).map(|vertex| Some((number, vertex)))),
        }
    }
    numbering
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
