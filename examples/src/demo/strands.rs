//! Hair as it is: many thin ribbons, each of which ends in a point and moves with the skin at its root.

use glam::Vec3;

use super::figure::{Figure, Vertex};

/// Adds the triangles of one hair along its spine, root first; it tapers from `width` to a point.
///
/// The ribbon lies flat toward `facing`, so that somebody who looks from there sees its full width.
/// Both of its sides are triangles with the root's normals: hair is lit like the skin that it grows from, also where
/// one sees its other side, which a double-sided material would light from behind.
/// A spine of fewer than two vertices is no hair.
pub fn add(figure: &mut Figure, indices: &mut Vec<u32>, spine: &[Vertex], width: f32, facing: Vec3) {
    let Some(last) = spine.len().checked_sub(1).filter(|&last| last > 0) else {
        return;
    };
    let along = spine[last].position - spine[0].position;
    let side = along.cross(facing).normalize_or(Vec3::X) * (width * 0.5);
    let mut below: Option<[u32; 2]> = None;
    let mut add = |[a, b, c]: [u32; 3]| indices.extend([a, b, c, a, c, b]);
    for (index, vertex) in spine.iter().enumerate() {
        let taper = 1.0 - index as f32 / last as f32;
        if index == last {
            let tip = figure.push(vertex.clone());
            if let Some([left, right]) = below {
                add([left, right, tip]);
            }
        } else {
            let pair = [-taper, taper].map(|share| figure.push(vertex.moved(side * share)));
            if let Some([left, right]) = below {
                add([left, right, pair[1]]);
                add([left, pair[1], pair[0]]);
            }
            below = Some(pair);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hair_is_a_ribbon_that_ends_in_a_point() {
        let mut figure = Figure {
            name: String::new(),
            target_names: Vec::new(),
            start_weights: Vec::new(),
            vertices: Vec::new(),
            parts: Vec::new(),
            focus: None,
        };
        let mut indices = Vec::new();
        let spine = [0.0, 1.0, 2.0].map(|y| Vertex::still(Vec3::Y * y, Vec3::Z));
        add(&mut figure, &mut indices, &spine, 0.2, Vec3::Z);
        assert_eq!(figure.vertices.len(), 5);
        assert_eq!(indices.len(), 18);
        assert_eq!(figure.vertices[4].position, Vec3::Y * 2.0);
        assert!(
            (figure.vertices[0].position.x + 0.1).abs() < 1.0e-6
                || (figure.vertices[0].position.x - 0.1).abs() < 1.0e-6
        );
        add(&mut figure, &mut indices, &spine[..1], 0.2, Vec3::Z);
        assert_eq!(indices.len(), 18, "one vertex is no hair");
    }
}
