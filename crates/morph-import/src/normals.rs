//! Normals and normal deltas for meshes whose file has none.
//!
//! A normal is the sum of the unit normals of the faces around a control point, each weighted by the face's angle
//! there (G. Thürmer and C. A. Wüthrich, "Computing vertex normals from polygonal facets", Journal of Graphics Tools
//! 3(1), 1998), made unit. Unlike a sum weighted by area it does not depend on how a surface is cut into triangles.
//!
//! A normal delta is the normal of the mesh with that target at weight 1 minus the normal at rest, both unit and both
//! made this way. Sums are in f64 and in the order of the faces, so results do not depend on the machine.
//! Only the surroundings of what a target moves are computed again.
//!
//! What the file gives is never recomputed: base normals and normal deltas that are there stay as they are.

use std::collections::HashMap;

use crate::model::{Mesh, Primitive, Topology};

type Vector = [f64; 3];

/// Sums shorter than this have no direction: the faces around the point cancel, or have no area.
const LEAST_SUM: f64 = 1e-12;
/// Deltas whose every component is smaller than this are rounding, not movement: 2^-30, a hundredth of what the last
/// bit of a unit normal is worth in f32.
const LEAST_DELTA: f64 = 1.0 / (1 << 30) as f64;
/// The normal of a point without a direction of its own, as the rest pose prescribes it.
const UNSET: Vector = [0.0, 1.0, 0.0];

/// For every primitive of a mesh the control point of each of its vertices.
///
/// Vertices of one control point are one point of the surface that the file had to split, such as at a texture seam.
#[derive(Debug)]
pub(crate) struct ControlPoints {
    of_vertices: Vec<Vec<usize>>,
    count: usize,
}

impl ControlPoints {
    /// Control points that the format names itself, all below `count`.
    pub(crate) fn new(of_vertices: Vec<Vec<usize>>, count: usize) -> Self {
        Self { of_vertices, count }
    }
}

/// Finds the vertices that have one position at rest and in every target, in all primitives together, and one normal
/// where the file has normals, so that its hard edges stay hard.
///
/// Lips that touch at rest and open in a target are two sides of a seam, not one surface; comparing the targets too
/// keeps them apart.
pub(crate) fn coinciding_vertices(mesh: &Mesh) -> ControlPoints {
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
    ControlPoints {
        of_vertices,
        count: compact.len(),
    }
}

/// The bits of a vector, with -0 as +0, for comparing exactly.
fn bits(vector: [f32; 3]) -> [u32; 3] {
    vector.map(|component| (component + 0.0).to_bits())
}

/// Makes base normals for the primitives that have none, and normal deltas for the targets that have none.
///
/// Points and lines have no normals and get none.
pub(crate) fn generate(mesh: &mut Mesh, control_points: &ControlPoints) {
    let lacking = |primitive: &Primitive| {
        primitive.topology == Topology::Triangles
            && (primitive.normals.is_none()
                || primitive.targets.iter().any(|target| target.normals.is_none()))
    };
    if !mesh.primitives.iter().any(lacking) {
        return;
    }
    let mut surface = Surface::new(mesh, control_points);
    let rest = surface.rest_normals();

    for slot in 0..mesh.target_names.len() {
        let deltas = surface.normal_deltas(mesh, control_points, slot, &rest);
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
            add_normals(target, &changed);
        }
    }

    for (primitive, of_vertices) in mesh.primitives.iter_mut().zip(&control_points.of_vertices) {
        if primitive.topology == Topology::Triangles && primitive.normals.is_none() {
            primitive.normals = Some(of_vertices.iter().map(|&point| narrow(rest[point])).collect());
        }
    }
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

/// The triangles of all primitives over their control points, with what is computed of them at rest.
struct Surface {
    positions: Vec<Vector>,
    faces: Vec<[usize; 3]>,
    /// For each face and corner the face's unit normal times the angle there, at rest.
    corners: Vec<[Vector; 3]>,
    /// Faces and corners around each point.
    around: Lists<(usize, usize)>,
    /// Primitives and vertices of each point.
    vertices: Lists<(usize, u32)>,
    /// The same as `corners` for the faces that the target at hand moves; others are stale.
    moved_corners: Vec<[Vector; 3]>,
    /// The slot, counted from one, that last moved a face or reached a point.
    face_slot: Vec<usize>,
    point_slot: Vec<usize>,
}

impl Surface {
    fn new(mesh: &Mesh, control_points: &ControlPoints) -> Self {
        let mut positions = vec![[0.0; 3]; control_points.count];
        let mut faces = Vec::new();
        for (primitive, of_vertices) in mesh.primitives.iter().zip(&control_points.of_vertices) {
            for (position, &point) in primitive.positions.iter().zip(of_vertices) {
                positions[point] = position.map(f64::from);
            }
            if primitive.topology == Topology::Triangles {
                faces.extend(
                    primitive
                        .indices
                        .as_chunks::<3>()
                        .0
                        .iter()
                        .map(|face| face.map(|v| of_vertices[v as usize])),
                );
            }
        }
        let corners: Vec<_> = faces
            .iter()
            .map(|face| corner_normals(face.map(|point| positions[point])))
            .collect();
        let around = Lists::new(
            control_points.count,
            faces.iter().enumerate().flat_map(|(face, points)| {
                points
                    .iter()
                    .enumerate()
                    .map(move |(corner, &point)| (point, (face, corner)))
            }),
        );
        let vertices = Lists::new(
            control_points.count,
            control_points
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
            moved_corners: corners.clone(),
            face_slot: vec![0; faces.len()],
            point_slot: vec![0; control_points.count],
            positions,
            faces,
            corners,
            around,
            vertices,
        }
    }

    fn rest_normals(&self) -> Vec<Vector> {
        (0..self.positions.len())
            .map(|point| unit(self.sum(point, |face, corner| self.corners[face][corner])).unwrap_or(UNSET))
            .collect()
    }

    fn sum(&self, point: usize, corner_normal: impl Fn(usize, usize) -> Vector) -> Vector {
        self.around
            .of(point)
            .iter()
            .fold([0.0; 3], |sum, &(face, corner)| {
                zip(sum, corner_normal(face, corner), |a, b| a + b)
            })
    }

    /// The points whose normal a target turns, with by how much. A point that loses its direction keeps its normal.
    fn normal_deltas(
        &mut self,
        mesh: &Mesh,
        control_points: &ControlPoints,
        slot: usize,
        rest: &[Vector],
    ) -> Vec<(usize, [f32; 3])> {
        let mut moved: HashMap<usize, Vector> = HashMap::new();
        for (primitive, of_vertices) in mesh.primitives.iter().zip(&control_points.of_vertices) {
            let target = &primitive.targets[slot];
            for (&vertex, delta) in target.vertices.iter().zip(target.positions.iter().flatten()) {
                if *delta != [0.0; 3] {
                    moved.insert(of_vertices[vertex as usize], delta.map(f64::from));
                }
            }
        }
        let moved_position = |point: usize| match moved.get(&point) {
            Some(&delta) => zip(self.positions[point], delta, |a, b| a + b),
            None => self.positions[point],
        };
        let stamp = slot + 1;
        let mut reached = Vec::new();
        for &point in moved.keys() {
            for &(face, _) in self.around.of(point) {
                if self.face_slot[face] == stamp {
                    continue;
                }
                self.face_slot[face] = stamp;
                self.moved_corners[face] = corner_normals(self.faces[face].map(moved_position));
                for corner in self.faces[face] {
                    if self.point_slot[corner] != stamp {
                        self.point_slot[corner] = stamp;
                        reached.push(corner);
                    }
                }
            }
        }
        // The map hands its keys out in an order of its own; results must not depend on it.
        reached.sort_unstable();
        let delta = |point: usize| {
            let corner_normal = |face: usize, corner: usize| {
                let corners = if self.face_slot[face] == stamp {
                    &self.moved_corners
                } else {
                    &self.corners
                };
                corners[face][corner]
            };
            let normal = unit(self.sum(point, corner_normal))?;
            let delta = zip(normal, rest[point], |morphed, rest| morphed - rest);
            let turns = delta.iter().any(|component| component.abs() >= LEAST_DELTA);
            turns.then(|| (point, narrow(delta)))
        };
        reached.into_iter().filter_map(delta).collect()
    }
}

/// For each corner of a triangle its unit normal times the angle at the corner; zero where it has no area.
fn corner_normals(points: [Vector; 3]) -> [Vector; 3] {
    let subtract = |a, b| zip(a, b, |a, b| a - b);
    let edges = [0, 1, 2].map(|corner| subtract(points[(corner + 1) % 3], points[corner]));
    let [ax, ay, az] = edges[0];
    // The edge from the first corner to the third, which is the last edge turned round.
    let [bx, by, bz] = edges[2].map(|component| -component);
    let cross = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
    // Twice the area is the sine of every corner's angle times the lengths of its two edges.
    let doubled_area = dot(cross, cross).sqrt();
    if !(doubled_area > 0.0 && doubled_area.is_finite()) {
        return [[0.0; 3]; 3];
    }
    [0, 1, 2].map(|corner| {
        let angle = doubled_area.atan2(-dot(edges[corner], edges[(corner + 2) % 3]));
        cross.map(|component| component / doubled_area * angle)
    })
}

fn unit(vector: Vector) -> Option<Vector> {
    let length = dot(vector, vector).sqrt();
    (length > LEAST_SUM && length.is_finite()).then(|| vector.map(|component| component / length))
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
