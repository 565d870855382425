//! Flat normals, which glTF prescribes for meshes without normals.

use glam::DVec3;

use crate::model::{Primitive, Topology};

impl Primitive {
    /// The unit normal of each triangle, in the order of [`Primitive::indices`], where the vertices are at `positions`.
    ///
    /// A glTF primitive without normals is shaded flat, with the normals that its triangles have after the morph: they
    /// are no sum of a rest normal and deltas, so they are computed of morphed positions. A renderer has the same from
    /// the derivatives of the position across the screen.
    ///
    /// A triangle without area, or with a corner past the end of `positions`, has the normal 0, 1, 0. Points and lines
    /// have no normals.
    pub fn flat_normals(&self, positions: &[[f32; 3]]) -> Vec<[f32; 3]> {
        if self.topology != Topology::Triangles {
            return Vec::new();
        }
        let corner = |&vertex: &u32| {
            let position = positions.get(vertex as usize)?;
            Some(DVec3::from_array(position.map(f64::from)))
        };
        let normal = |[a, b, c]: &[u32; 3]| {
            let (a, b, c) = (corner(a)?, corner(b)?, corner(c)?);
            (b - a).cross(c - a).try_normalize()
        };
        let triangles = self.indices.as_chunks::<3>().0.iter();
        triangles
            .map(|triangle| normal(triangle).unwrap_or(DVec3::Y).as_vec3().to_array())
            .collect()
    }
}
