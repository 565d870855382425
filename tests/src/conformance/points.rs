//! From control points to vertices.

use morph_import::Mesh;

/// A primitive, and a vertex of it.
pub(super) type Corner = (usize, usize);

/// For each control point a primitive and a vertex that is a corner at it; `None` for one that no face uses.
pub(super) fn corners(mesh: &Mesh, point_count: usize) -> Vec<Option<Corner>> {
    let mut corners = vec![None; point_count];
    for (number, primitive) in mesh.primitives.iter().enumerate() {
        for (vertex, &point) in primitive.source_points.iter().flatten().enumerate() {
            if let Some(corner) = corners.get_mut(point as usize) {
                *corner = Some((number, vertex));
            }
        }
    }
    corners
}
