//! Normals and normal deltas for meshes whose file has none.
//!
//! A normal is the sum of the unit normals of the faces around a control point, each weighted by the face's angle
//! there (G. Thürmer and C. A. Wüthrich, "Computing vertex normals from polygonal facets", Journal of Graphics Tools
//! 3(1), 1998), made unit. Unlike a sum weighted by area it does not depend on how flat faces are cut.
//!
//! Where a format has polygons they are the faces, not the triangles that they were cut into: on a face made of bent
//! quads, such as MakeHuman's, the cut turns one normal in a hundred by more than ten degrees.
//!
//! A normal delta is the normal of the mesh with that target at weight 1 minus the normal at rest, both unit and both
//! made this way. Sums are in f64 and in the order of the faces, so results do not depend on the machine.
//! Only the surroundings of what a target moves are computed again.
//!
//! What the file gives is never recomputed: base normals and normal deltas that are there stay as they are.

use std::collections::HashMap;
use std::ops::Range;

use crate::model::{Mesh, Primitive, Topology};

type Vector = [f64; 3];

/// Sums shorter than this have no direction: the faces around the point cancel, or have no area.
const LEAST_SUM: f64 = 1e-12;
/// Deltas whose every component is smaller than this are rounding, not movement: 2^-30, a hundredth of what the last
/// bit of a unit normal is worth in f32.
const LEAST_DELTA: f64 = 1.0 / (1 << 30) as f64;
/// The normal of a point without a direction of its own, as the rest pose prescribes it.
const UNSET: Vector = [0.0, 1.0, 0.0];

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

/// Faces of any number of corners.
#[derive(Debug, Default)]
pub(crate) struct Polygons {
    /// The end of each face in `points`.
    ends: Vec<usize>,
    points: Vec<usize>,
}

impl Polygons {
    /// Adds a face by its control points.
    pub(crate) fn push(&mut self, points: impl IntoIterator<Item = usize>) {
        self.points.extend(points);
        self.ends.push(self.points.len());
    }

    /// Adds all faces of other polygons.
    pub(crate) fn append(&mut self, other: &Self) {
        let start = self.points.len();
        self.points.extend_from_slice(&other.points);
        self.ends.extend(other.ends.iter().map(|end| start + end));
    }

    fn count(&self) -> usize {
        self.ends.len()
    }

    /// Where a face's corners lie among all corners.
    fn corners(&self, face: usize) -> Range<usize> {
        let start = if face == 0 { 0 } else { self.ends[face - 1] };
        start..self.ends[face]
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
    control: &ControlMesh,
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
    let mut surface = Surface::new(mesh, control);
    let rest = surface.rest_normals();

    for slot in 0..mesh.target_names.len() {
        let deltas = surface.normal_deltas(mesh, slot, &rest);
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
                let copies = surface
                    .vertices
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
            add_normals(target, &changed);
        }
    }

    for (primitive, of_vertices) in mesh.primitives.iter_mut().zip(&control.of_vertices) {
        if primitive.topology == Topology::Triangles && primitive.normals.is_none() {
            spend(of_vertices.len() as u64 * 12)?;
            primitive.normals = Some(of_vertices.iter().map(|&point| narrow(rest[point])).collect());
        }
    }
    Ok(())
}

/// Adds a stream of normal deltas to a target, with the vertices that it did not list before.
///
/// `changed` rises by vertex; so do the target's vertices afterwards.
fn add_normals(target: &mut morph_core::MorphTarget, changed: &[(u32, [f32; 3])]) {
    if changed.is_empty() {
        return;
    }
    let mut order: Vec<usize> = (0..target.vertices.len()).collect();
    order.sort_unstable_by_key(|&entry| target.vertices[entry]);
    let mut old = order.into_iter().peekable();
    let mut new = changed.iter().peekable();
    let mut vertices = Vec::with_capacity(target.vertices.len() + changed.len());
    let mut normals = Vec::with_capacity(vertices.capacity());
    let mut sources = Vec::with_capacity(vertices.capacity());
    loop {
        let old_vertex = old.peek().map(|&entry| target.vertices[entry]);
        let new_vertex = new.peek().map(|&&(vertex, _)| vertex);
        let Some(vertex) = old_vertex.into_iter().chain(new_vertex).min() else {
            break;
        };
        vertices.push(vertex);
        sources.push(if old_vertex == Some(vertex) {
            old.next()
        } else {
            None
        });
        let delta = if new_vertex == Some(vertex) {
            new.next()
        } else {
            None
        };
        normals.push(delta.map_or([0.0; 3], |&(_, delta)| delta));
    }
    let spread = |stream: &Vec<[f32; 3]>| -> Vec<[f32; 3]> {
        sources
            .iter()
            .map(|source| source.map_or([0.0; 3], |entry| stream[entry]))
            .collect()
    };
    target.positions = target.positions.as_ref().map(spread);
    target.tangents = target.tangents.as_ref().map(spread);
    target.vertices = vertices;
    target.normals = Some(normals);
}

/// Lists of items per control point, in one allocation.
struct Lists<T> {
    starts: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy + Default> Lists<T> {
    /// Sorts items by their points; the order of items of one point stays.
    fn new(point_count: usize, items: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        let mut starts = vec![0; point_count + 1];
        for (point, _) in items.clone() {
            starts[point + 1] += 1;
        }
        for point in 0..point_count {
            starts[point + 1] += starts[point];
        }
        let mut next = starts.clone();
        let mut sorted = vec![T::default(); starts[point_count]];
        for (point, item) in items {
            sorted[next[point]] = item;
            next[point] += 1;
        }
        Self {
            starts,
            items: sorted,
        }
    }

    fn of(&self, point: usize) -> &[T] {
        &self.items[self.starts[point]..self.starts[point + 1]]
    }
}

/// The faces over their control points, with what is computed of them at rest.
struct Surface<'a> {
    control: &'a ControlMesh,
    positions: Vec<Vector>,
    /// For each corner its face's unit normal times the angle there, at rest.
    corners: Vec<Vector>,
    /// Faces and corners around each point.
    around: Lists<(usize, usize)>,
    /// Primitives and vertices of each point.
    vertices: Lists<(usize, u32)>,
    /// The same as `corners` for the faces that the target at hand moves; others are stale.
    moved_corners: Vec<Vector>,
    /// What the target at hand moves points by; others are stale.
    deltas: Vec<Vector>,
    /// The slot, counted from one, that last moved a point, moved a face, or reached a point through one of its faces.
    moved_slot: Vec<usize>,
    face_slot: Vec<usize>,
    point_slot: Vec<usize>,
}

impl<'a> Surface<'a> {
    fn new(mesh: &Mesh, control: &'a ControlMesh) -> Self {
        let (faces, point_count) = (&control.faces, control.point_count);
        let mut positions = vec![[0.0; 3]; point_count];
        for (primitive, of_vertices) in mesh.primitives.iter().zip(&control.of_vertices) {
            for (position, &point) in primitive.positions.iter().zip(of_vertices) {
                positions[point] = position.map(f64::from);
            }
        }
        let mut corners = vec![[0.0; 3]; faces.points.len()];
        let mut outline = Vec::new();
        for face in 0..faces.count() {
            let range = faces.corners(face);
            outline.clear();
            outline.extend(faces.points[range.clone()].iter().map(|&point| positions[point]));
            corner_normals(&outline, &mut corners[range]);
        }
        let corners_of = |face| {
            faces
                .corners(face)
                .map(move |corner| (faces.points[corner], (face, corner)))
        };
        let around = Lists::new(point_count, (0..faces.count()).flat_map(corners_of));
        let vertices = Lists::new(
            point_count,
            control
                .of_vertices
                .iter()
                .enumerate()
                .flat_map(|(primitive, of_vertices)| {
                    of_vertices
                        .iter()
                        .enumerate()
                        .map(move |(vertex, &point)| (point, (primitive, vertex as u32)))
                }),
        );
        Self {
            control,
            moved_corners: corners.clone(),
            face_slot: vec![0; faces.count()],
            point_slot: vec![0; point_count],
            moved_slot: vec![0; point_count],
            deltas: vec![[0.0; 3]; point_count],
            positions,
            corners,
            around,
            vertices,
        }
    }

    fn rest_normals(&self) -> Vec<Vector> {
        let normal = |point| unit(self.sum(point, |_, corner| self.corners[corner])).unwrap_or(UNSET);
        (0..self.positions.len()).map(normal).collect()
    }

    /// Sums over the faces around a point; the function gets a face and one of its corners.
    fn sum(&self, point: usize, corner_normal: impl Fn(usize, usize) -> Vector) -> Vector {
        let add = |sum, &(face, corner): &(usize, usize)| zip(sum, corner_normal(face, corner), |a, b| a + b);
        self.around.of(point).iter().fold([0.0; 3], add)
    }

    /// The points whose normal a target turns, with by how much. A point that loses its direction keeps its normal.
    fn normal_deltas(&mut self, mesh: &Mesh, slot: usize, rest: &[Vector]) -> Vec<(usize, [f32; 3])> {
        let stamp = slot + 1;
        let mut moved = Vec::new();
        for (primitive, of_vertices) in mesh.primitives.iter().zip(&self.control.of_vertices) {
            let target = &primitive.targets[slot];
            for (&vertex, delta) in target.vertices.iter().zip(target.positions.iter().flatten()) {
                let point = of_vertices[vertex as usize];
                // All vertices of a point have one delta, so the first of them stands for the others.
                if *delta != [0.0; 3] && self.moved_slot[point] != stamp {
                    self.moved_slot[point] = stamp;
                    self.deltas[point] = delta.map(f64::from);
                    moved.push(point);
                }
            }
        }
        let moved_position = |&point: &usize| {
            let delta = if self.moved_slot[point] == stamp {
                self.deltas[point]
            } else {
                [0.0; 3]
            };
            zip(self.positions[point], delta, |a, b| a + b)
        };
        let faces = &self.control.faces;
        let mut reached = Vec::new();
        let mut outline = Vec::new();
        for point in moved {
            for &(face, _) in self.around.of(point) {
                if self.face_slot[face] == stamp {
                    continue;
                }
                self.face_slot[face] = stamp;
                let range = faces.corners(face);
                outline.clear();
                outline.extend(faces.points[range.clone()].iter().map(moved_position));
                corner_normals(&outline, &mut self.moved_corners[range.clone()]);
                for &corner in &faces.points[range] {
                    if self.point_slot[corner] != stamp {
                        self.point_slot[corner] = stamp;
                        reached.push(corner);
                    }
                }
            }
        }
        let delta = |point: usize| {
            let corner_normal = |face: usize, corner: usize| {
                let corners = if self.face_slot[face] == stamp {
                    &self.moved_corners
                } else {
                    &self.corners
                };
                corners[corner]
            };
            let normal = unit(self.sum(point, corner_normal))?;
            let delta = zip(normal, rest[point], |morphed, rest| morphed - rest);
            let turns = delta.iter().any(|component| component.abs() >= LEAST_DELTA);
            turns.then(|| (point, narrow(delta)))
        };
        reached.into_iter().filter_map(delta).collect()
    }
}

/// Writes, for each corner of a face, the face's unit normal times the angle at the corner; zero where it has no area.
///
/// The normal of a face that is not flat is that of the areas that its outline has in the three planes (Newell).
fn corner_normals(outline: &[Vector], corners: &mut [Vector]) {
    corners.fill([0.0; 3]);
    let Some((&origin, rest)) = outline.split_first() else {
        return;
    };
    let subtract = |a: Vector, b: Vector| zip(a, b, |a, b| a - b);
    // Areas are measured from the first corner, which loses fewer digits than from the origin.
    let area = rest.windows(2).fold([0.0; 3], |sum, edge| {
        let doubled = cross(subtract(edge[0], origin), subtract(edge[1], origin));
        zip(sum, doubled, |a, b| a + b)
    });
    // Unlike a sum of unit normals, an area may be tiny and have a direction.
    let length = norm(area);
    if !(length > 0.0 && length.is_finite()) {
        return;
    }
    let normal = area.map(|component| component / length);
    let count = outline.len();
    for (corner, result) in corners.iter_mut().enumerate() {
        let next = subtract(outline[(corner + 1) % count], outline[corner]);
        let previous = subtract(outline[(corner + count - 1) % count], outline[corner]);
        // The sine times the lengths of the edges, which in a triangle is one number for all corners.
        let turn = if count == 3 {
            length
        } else {
            norm(cross(next, previous))
        };
        // Never more than a half turn, on the inside of a concave corner too: a morph may fold a corner shut and over,
        // and its angle then goes through zero instead of jumping to a whole turn.
        let angle = turn.atan2(dot(next, previous));
        *result = normal.map(|component| component * angle);
    }
}

fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// The unit vector of a sum of unit normals, where it has a direction.
fn unit(vector: Vector) -> Option<Vector> {
    let length = norm(vector);
    (length > LEAST_SUM && length.is_finite()).then(|| vector.map(|component| component / length))
}

fn norm(vector: Vector) -> f64 {
    dot(vector, vector).sqrt()
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn zip(a: Vector, b: Vector, f: impl Fn(f64, f64) -> f64) -> Vector {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])]
}

fn narrow(vector: Vector) -> [f32; 3] {
    vector.map(|component| component as f32)
}
