//! Normals and normal deltas for meshes whose file has none.
//!
//! The arithmetic is `morph-core`'s, weighted by angle; here is which vertices are one point of the surface, and which
//! of a mesh's primitives lack what.
//!
//! Where a format has polygons they are the faces, not the triangles that they were cut into: on a face made of bent
//! quads, such as MakeHuman's, the cut turns one normal in a hundred by more than ten degrees.
//!
//! What the file gives is never recomputed: base normals and normal deltas that are there stay as they are.

use std::collections::HashMap;

use morph_core::FaceWeight;
use morph_core::generate::{Groups, Polygons, Surface, set_normal_deltas};

use crate::model::{Mesh, Primitive, Topology};

/// The surface that a mesh's vertices stand for.
///
/// Vertices of one control point are one point of the surface that the file had to split, such as at a texture seam.
#[derive(Debug)]
pub(crate) struct ControlMesh {
    /// For every primitive the control point of each of its vertices.
    of_vertices: Vec<Vec<usize>>,
    point_count: usize,
    faces: Polygons,
}

impl ControlMesh {
    /// Control points and faces that the format names itself; all points are below `point_count`.
    pub(crate) fn new(of_vertices: Vec<Vec<usize>>, point_count: usize, faces: Polygons) -> Self {
        Self {
            of_vertices,
            point_count,
            faces,
        }
    }
}

/// Finds the vertices that have one position at rest and in every target, in all primitives together, and one normal
/// where the file has normals, so that its hard edges stay hard.
///
/// Lips that touch at rest and open in a target are two sides of a seam, not one surface; comparing the targets too
/// keeps them apart.
pub(crate) fn coinciding_vertices(mesh: &Mesh) -> ControlMesh {
    let mut count = 0;
    let mut next = || {
        count += 1;
        count - 1
    };
    let mut classes: HashMap<([u32; 3], Option<[u32; 3]>), usize> = HashMap::new();
    let mut of_vertices: Vec<Vec<usize>> = Vec::with_capacity(mesh.primitives.len());
    for primitive in &mesh.primitives {
        let normals = primitive.normals.as_deref();
        let class = |(vertex, &position): (usize, &[f32; 3])| {
            let key = (bits(position), normals.map(|normals| bits(normals[vertex])));
            *classes.entry(key).or_insert_with(&mut next)
        };
        of_vertices.push(primitive.positions.iter().enumerate().map(class).collect());
    }
    // Every target splits the classes further. Vertices that it leaves alone stay together in their old class.
    let mut split: HashMap<(usize, [u32; 3]), usize> = HashMap::new();
    for slot in 0..mesh.target_names.len() {
        split.clear();
        for (primitive, of_vertices) in mesh.primitives.iter().zip(&mut of_vertices) {
            let target = &primitive.targets[slot];
            for (&vertex, &delta) in target.vertices.iter().zip(target.positions.iter().flatten()) {
                if delta != [0.0; 3] {
                    let class = &mut of_vertices[vertex as usize];
                    *class = *split.entry((*class, bits(delta))).or_insert_with(&mut next);
                }
            }
        }
    }
    // Splitting leaves numbers that no vertex has any more.
    let mut compact: HashMap<usize, usize> = HashMap::new();
    for class in of_vertices.iter_mut().flatten() {
        let fresh = compact.len();
        *class = *compact.entry(*class).or_insert(fresh);
    }
    let mut faces = Polygons::default();
    for (primitive, of_vertices) in mesh.primitives.iter().zip(&of_vertices) {
        if primitive.topology == Topology::Triangles {
            for face in primitive.indices.as_chunks::<3>().0 {
                faces.push(face.map(|vertex| of_vertices[vertex as usize]));
            }
        }
    }
    ControlMesh::new(of_vertices, compact.len(), faces)
}

/// The bits of a vector, with -0 as +0, for comparing exactly.
fn bits(vector: [f32; 3]) -> [u32; 3] {
    vector.map(|component| (component + 0.0).to_bits())
}

/// Makes base normals for the primitives that have none, and normal deltas for the targets that have none.
///
/// Points and lines have no normals and get none.
///
/// `spend` is told of all memory that is added to the mesh before it is taken, in bytes, and may refuse it.
pub(crate) fn generate<E>(
    mesh: &mut Mesh,
    control: ControlMesh,
    mut spend: impl FnMut(u64) -> Result<(), E>,
) -> Result<(), E> {
    let lacking = |primitive: &Primitive| {
        primitive.topology == Topology::Triangles
            && (primitive.normals.is_none()
                || primitive.targets.iter().any(|target| target.normals.is_none()))
    };
    if !mesh.primitives.iter().any(lacking) {
        return Ok(());
    }
    let mut positions = vec![[0.0; 3]; control.point_count];
    for (primitive, of_vertices) in mesh.primitives.iter().zip(&control.of_vertices) {
        for (position, &point) in primitive.positions.iter().zip(of_vertices) {
            positions[point] = *position;
        }
    }
    let Ok(mut surface) = Surface::new(&positions, control.faces, FaceWeight::Angle) else {
        unreachable!("the points of a control mesh are below their count");
    };
    let vertices_of = vertices_of(&control.of_vertices, control.point_count);

    for slot in 0..mesh.target_names.len() {
        // All vertices of a point have one delta, so the first of them stands for the others.
        let deltas = surface.normal_deltas(mesh.primitives.iter().zip(&control.of_vertices).flat_map(
            |(primitive, of_vertices)| {
                let target = &primitive.targets[slot];
                let moved = target.vertices.iter().zip(target.positions.iter().flatten());
                moved.map(|(&vertex, &delta)| (of_vertices[vertex as usize], delta))
            },
        ));
        if deltas.is_empty() {
            continue;
        }
        for (number, primitive) in mesh.primitives.iter_mut().enumerate() {
            let target = &mut primitive.targets[slot];
            if primitive.topology != Topology::Triangles || target.normals.is_some() {
                continue;
            }
            let mut changed: Vec<(u32, [f32; 3])> = Vec::new();
            for &(point, delta) in &deltas {
                let copies = vertices_of
                    .of(point)
                    .iter()
                    .filter(|&&(primitive, _)| primitive == number);
                changed.extend(copies.map(|&(_, vertex)| (vertex, delta)));
            }
            changed.sort_unstable_by_key(|&(vertex, _)| vertex);
            if !changed.is_empty() {
                // Old entries get a normal, and new ones an index and at most three vectors.
                spend(target.vertices.len() as u64 * 12 + changed.len() as u64 * (4 + 3 * 12))?;
            }
            set_normal_deltas(target, &changed);
        }
    }

    let rest: Vec<[f32; 3]> = surface.normals().collect();
    for (primitive, of_vertices) in mesh.primitives.iter_mut().zip(&control.of_vertices) {
        if primitive.topology == Topology::Triangles && primitive.normals.is_none() {
            spend(of_vertices.len() as u64 * 12)?;
            primitive.normals = Some(of_vertices.iter().map(|&point| rest[point]).collect());
        }
    }
    Ok(())
}

/// Primitives and vertices of each point.
fn vertices_of(of_vertices: &[Vec<usize>], point_count: usize) -> Groups<(usize, u32)> {
    let pairs = of_vertices
        .iter()
        .enumerate()
        .flat_map(|(primitive, of_vertices)| {
            let vertices = of_vertices.iter().zip(0_u32..);
            vertices.map(move |(&point, vertex)| (point, (primitive, vertex)))
        });
    Groups::new(point_count, pairs)
}
