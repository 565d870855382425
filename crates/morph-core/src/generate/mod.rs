//! Normals and normal deltas for meshes whose file has none.
//!
//! A normal is the sum of the normals of the faces around a point, each [weighted](FaceWeight), made unit.
//! A normal delta is the normal of the mesh with that target at weight 1 minus the normal at rest, both unit and
//! both made this way.
//! [`generate_normals`] does it for a list of triangles; where a format has polygons or names the points that
//! vertices stand for, a [`Surface`] takes them as they are: on a face made of bent quads the cut into triangles
//! turns one normal in a hundred by more than ten degrees.
//!
//! What is given is never recomputed: base normals and normal deltas that are there stay as they are.

mod groups;
mod normal_deltas;
mod polygons;
mod surface;

pub use groups::Groups;
pub use normal_deltas::set_normal_deltas;
pub use polygons::Polygons;
pub use surface::{FaceWeight, Surface, SurfaceError};

use crate::build::check;
use crate::error::BuildError;
use crate::remap::weld::{Classes, float_bits};
use crate::streams::Stream;
use crate::target::MorphTarget;

/// Why normals cannot be generated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// Triangles need three indices each.
    #[error("{found} indices are no whole number of triangles: give three for each")]
    PartialTriangle {
        /// How many indices there are.
        found: usize,
    },
    /// A triangle names a vertex that the mesh does not have.
    #[error("index {at} is vertex {vertex}, but the mesh has {vertex_count} vertices, counted from 0")]
    VertexOutOfRange {
        /// Position in the index list.
        at: usize,
        /// The vertex.
        vertex: u32,
        /// How many vertices the mesh has.
        vertex_count: u32,
    },
    /// There is not one normal for each vertex.
    #[error("{found} normals for {expected} positions: give one for each vertex, or none at all")]
    NormalLength {
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// More vertices than a 32-bit index reaches.
    #[error(
        "{given} vertices are more than the {} that a 32-bit count reaches: split the mesh",
        u32::MAX
    )]
    TooManyVertices {
        /// How many were given.
        given: usize,
    },
    /// The faces do not fit the points.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// A target does not fit the mesh.
    #[error(transparent)]
    Target(#[from] BuildError),
}

/// Gives normal deltas to the targets that have none, and returns the base normals: those given, or generated ones.
///
/// Vertices with one position, at rest and in every target, and with one base normal where there are any, are one
/// point of the surface: it is smooth across texture seams, hard where the base normals say so, and lips that touch
/// at rest stay two.
/// A target that has normal deltas keeps them, and so do base normals.
/// A target whose positions move nothing gets none.
///
/// # Errors
/// Where triangles, normals or targets do not fit the positions; nothing has changed then.
pub fn generate_normals(
    positions: &[[f32; 3]],
    normals: Option<&[[f32; 3]]>,
    triangles: &[u32],
    targets: &mut [MorphTarget],
    weight: FaceWeight,
) -> Result<Vec<[f32; 3]>, GenerateError> {
    let vertex_count = check_mesh(positions, normals, triangles, targets)?;
    if let Some(normals) = normals
        && targets.iter().all(|target| target.normals.is_some())
    {
        return Ok(normals.to_vec());
    }
    let point_of = points(vertex_count, positions, normals, targets);
    let point_count = point_of.iter().max().map_or(0, |&greatest| greatest as usize + 1);
    let mut point_positions = vec![[0.0; 3]; point_count];
    for (position, &point) in positions.iter().zip(&point_of) {
        point_positions[point as usize] = *position;
    }
    let mut faces = Polygons::default();
    for triangle in triangles.as_chunks::<3>().0 {
        faces.push(triangle.map(|vertex| point_of[vertex as usize] as usize));
    }
    let vertices_of: Groups<u32> = Groups::new(
        point_count,
        point_of
            .iter()
            .zip(0..)
            .map(|(&point, vertex)| (point as usize, vertex)),
    );
    let mut surface = Surface::new(&point_positions, faces, weight)?;
    for target in targets.iter_mut().filter(|target| target.normals.is_none()) {
        let moved = target.vertices.iter().zip(target.positions.iter().flatten());
        let moved = moved.map(|(&vertex, &delta)| (point_of[vertex as usize] as usize, delta));
        let deltas = surface.normal_deltas(moved);
        let mut changed: Vec<(u32, [f32; 3])> = deltas
            .iter()
            .flat_map(|&(point, delta)| vertices_of.of(point).iter().map(move |&vertex| (vertex, delta)))
            .collect();
        changed.sort_unstable_by_key(|&(vertex, _)| vertex);
        set_normal_deltas(target, &changed);
    }
    if let Some(normals) = normals {
        return Ok(normals.to_vec());
    }
    let of_points: Vec<[f32; 3]> = surface.normals().collect();
    Ok(point_of.iter().map(|&point| of_points[point as usize]).collect())
}

/// For each vertex the point that it stands for.
fn points(
    vertex_count: u32,
    positions: &[[f32; 3]],
    normals: Option<&[[f32; 3]]>,
    targets: &[MorphTarget],
) -> Vec<u32> {
    let mut classes = Classes::new(vertex_count);
    for values in [Some(positions), normals].into_iter().flatten() {
        classes.split_by_attribute(3, values.as_flattened(), float_bits);
    }
    for target in targets {
        if let Some(deltas) = &target.positions {
            classes.split_by_deltas(&target.vertices, deltas);
        }
    }
    classes.compact()
}

fn check_mesh(
    positions: &[[f32; 3]],
    normals: Option<&[[f32; 3]]>,
    triangles: &[u32],
    targets: &[MorphTarget],
) -> Result<u32, GenerateError> {
    let vertex_count = u32::try_from(positions.len()).map_err(|_| GenerateError::TooManyVertices {
        given: positions.len(),
    })?;
    if let Some(normals) = normals.filter(|normals| normals.len() != positions.len()) {
        return Err(GenerateError::NormalLength {
            expected: positions.len(),
            found: normals.len(),
        });
    }
    if !triangles.len().is_multiple_of(3) {
        return Err(GenerateError::PartialTriangle {
            found: triangles.len(),
        });
    }
    if let Some((at, vertex)) = check::first_past(triangles, vertex_count) {
        return Err(GenerateError::VertexOutOfRange {
            at,
            vertex,
            vertex_count,
        });
    }
    for (slot, target) in targets.iter().enumerate() {
        for stream in Stream::ALL {
            check::length(slot, target, stream)?;
        }
        check::range(slot, target, vertex_count)?;
    }
    Ok(vertex_count)
}
