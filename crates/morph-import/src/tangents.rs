//! Tangents and tangent deltas for meshes whose file has none, in MikkTSpace.
//!
//! M. S. Mikkelsen, "Simulation of Wrinkled Surfaces Revisited" (2008): the tangents that glTF 2.0 prescribes where a
//! file has none, and that tools bake normal maps for.
//! A tangent delta is the tangent of the mesh with that target at weight 1 minus the tangent at rest, both made this
//! way, of positions and normals with the target's deltas; texture coordinates stay at rest.
//!
//! What the file gives is never recomputed.

use bevy_mikktspace::{Geometry, TangentSpace, generate_tangents};
use glam::Vec3;
use morph_core::MorphTarget;
use morph_core::generate::set_normal_deltas;

use crate::model::{Mesh, Primitive, Topology};

/// What making the tangents of a mesh takes for a moment, about, in bytes.
pub(crate) fn working_bytes(mesh: &Mesh) -> u64 {
    const BYTES_PER_VERTEX: u64 = 128;
    const BYTES_PER_INDEX: u64 = 512;
    let of_primitive = |primitive: &Primitive| {
        primitive.positions.len() as u64 * BYTES_PER_VERTEX + primitive.indices.len() as u64 * BYTES_PER_INDEX
    };
    mesh.primitives.iter().map(of_primitive).sum()
}

/// Deltas whose every component is smaller than this are rounding, not movement: 2^-30, a hundredth of what the last
/// bit of a unit vector is worth in f32.
const LEAST_DELTA: f64 = 1.0 / (1 << 30) as f64;

/// The tangent of a vertex that is in no triangle from which it could have one.
const UNSET: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

/// Makes tangents for the primitives that have none, and tangent deltas for the targets that have none.
///
/// Primitives without triangles, normals or texture coordinates get none.
/// `spend` is told of all memory that is added to the mesh before it is taken, in bytes, and may refuse it.
pub(crate) fn generate<E>(mesh: &mut Mesh, mut spend: impl FnMut(u64) -> Result<(), E>) -> Result<(), E> {
    for primitive in &mut mesh.primitives {
        of_primitive(primitive, &mut spend)?;
    }
    Ok(())
}

fn of_primitive<E>(primitive: &mut Primitive, spend: &mut impl FnMut(u64) -> Result<(), E>) -> Result<(), E> {
    let lacks = |target: &MorphTarget| target.tangents.is_none() && !target.vertices.is_empty();
    let nothing_lacks = primitive.tangents.is_some() && !primitive.targets.iter().any(lacks);
    if primitive.topology != Topology::Triangles || nothing_lacks {
        return Ok(());
    }
    let (Some(normals), Some(texcoords)) = (&primitive.normals, primitive.texcoords.first()) else {
        return Ok(());
    };
    let surface = Surface {
        positions: primitive.positions.clone(),
        normals: normals.clone(),
        texcoords,
        indices: &primitive.indices,
    };
    let Some(rest) = surface.tangents() else {
        return Ok(());
    };
    let mut deltas = Vec::new();
    for (slot, target) in primitive.targets.iter().enumerate() {
        let Some(morphed) = lacks(target)
            .then(|| surface.morphed(target).tangents())
            .flatten()
        else {
            continue;
        };
        let changed: Vec<(u32, [f32; 3])> = rest
            .iter()
            .zip(&morphed)
            .enumerate()
            .filter_map(|(vertex, (rest, morphed))| Some((vertex as u32, (*rest).zip(*morphed)?)))
            .map(|(vertex, (rest, morphed))| (vertex, std::array::from_fn(|axis| morphed[axis] - rest[axis])))
            .filter(|(_, delta): &(u32, [f32; 3])| delta.iter().any(|&x| f64::from(x).abs() >= LEAST_DELTA))
            .collect();
        if !changed.is_empty() {
            // Old entries get a tangent, and new ones an index and at most three vectors.
            spend(target.vertices.len() as u64 * 12 + changed.len() as u64 * (4 + 4 * 12))?;
            deltas.push((slot, changed));
        }
    }
    for (slot, changed) in deltas {
        let target = &mut primitive.targets[slot];
        set_tangent_deltas(target, &changed);
    }
    if primitive.tangents.is_none() {
        spend(rest.len() as u64 * 16)?;
        primitive.tangents = Some(rest.into_iter().map(|tangent| tangent.unwrap_or(UNSET)).collect());
    }
    Ok(())
}

/// Gives a target tangent deltas, with the vertices that it did not list before.
fn set_tangent_deltas(target: &mut MorphTarget, changed: &[(u32, [f32; 3])]) {
    // To vertices and the other streams the same happens as where normals are set, so the two change places for it.
    std::mem::swap(&mut target.normals, &mut target.tangents);
    set_normal_deltas(target, changed);
    std::mem::swap(&mut target.normals, &mut target.tangents);
}

/// Triangles in one pose.
struct Surface<'a> {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    texcoords: &'a [[f32; 2]],
    indices: &'a [u32],
}

impl<'a> Surface<'a> {
    /// The same triangles with a target at weight 1.
    fn morphed(&self, target: &MorphTarget) -> Surface<'a> {
        let add = |values: &mut [[f32; 3]], deltas: &Option<Vec<[f32; 3]>>| {
            for (&vertex, delta) in target.vertices.iter().zip(deltas.iter().flatten()) {
                let value = &mut values[vertex as usize];
                *value = (Vec3::from_array(*value) + Vec3::from_array(*delta)).to_array();
            }
        };
        let (mut positions, mut normals) = (self.positions.clone(), self.normals.clone());
        add(&mut positions, &target.positions);
        add(&mut normals, &target.normals);
        Surface {
            positions,
            normals,
            texcoords: self.texcoords,
            indices: self.indices,
        }
    }

    /// A tangent for each vertex that has one; nothing where a number is not finite.
    ///
    /// Corners of one vertex may have different tangents, and the vertex keeps its place in the file's order instead of
    /// being split: it gets the direction of their sum, of those that have the handedness of the first.
    fn tangents(&self) -> Option<Vec<Option<[f32; 4]>>> {
        let unit = |&normal: &[f32; 3]| Vec3::from_array(normal).normalize_or_zero().to_array();
        let normals: Vec<[f32; 3]> = self.normals.iter().map(unit).collect();
        let vectors = self.positions.iter().chain(&normals).flatten();
        if !vectors
            .chain(self.texcoords.as_flattened())
            .all(|number| number.is_finite())
        {
            return None;
        }
        let mut summing = Summing {
            sums: vec![(Vec3::ZERO, 0.0); self.positions.len()],
            normals,
            surface: self,
        };
        generate_tangents(&mut summing).ok()?;
        let unit = |(sum, sign): (Vec3, f32)| Some(sum.try_normalize()?.extend(sign).to_array());
        Some(summing.sums.into_iter().map(unit).collect())
    }
}

/// Adds up the tangents of each vertex's corners.
struct Summing<'a> {
    surface: &'a Surface<'a>,
    /// The normals made unit.
    normals: Vec<[f32; 3]>,
    /// For each vertex the sum, and the handedness: 1 or -1, or 0 before the first corner.
    sums: Vec<(Vec3, f32)>,
}

impl Summing<'_> {
    fn vertex(&self, face: usize, corner: usize) -> usize {
        self.surface.indices[3 * face + corner] as usize
    }
}

impl Geometry for Summing<'_> {
    fn num_faces(&self) -> usize {
        self.surface.indices.len() / 3
    }

    fn num_vertices_of_face(&self, _face: usize) -> usize {
        3
    }

    fn position(&self, face: usize, corner: usize) -> [f32; 3] {
        self.surface.positions[self.vertex(face, corner)]
    }

    fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
        self.normals[self.vertex(face, corner)]
    }

    fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
        // glTF has its origin at the top, where MikkTSpace has it at the bottom.
        let [u, v] = self.surface.texcoords[self.vertex(face, corner)];
        [u, 1.0 - v]
    }

    fn set_tangent(&mut self, tangent: Option<TangentSpace>, face: usize, corner: usize) {
        let Some(tangent) = tangent else { return };
        let [x, y, z, sign] = tangent.tangent_encoded();
        let vertex = self.vertex(face, corner);
        let (sum, handedness) = &mut self.sums[vertex];
        if *handedness == 0.0 {
            *handedness = sign;
        }
        if *handedness == sign {
            *sum += Vec3::new(x, y, z);
        }
    }
}
