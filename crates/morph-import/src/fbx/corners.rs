//! Polygon corners, what they have, and how they become vertices and triangles.

use super::budget::Budget;
use super::{components, narrow};
use crate::error::FbxError;
use crate::findings::Account;
use crate::model::{Primitive, Topology};

/// What a mesh has for each polygon corner, as 32-bit floats side by side.
pub(super) struct Attributes {
    positions: Vec<[f32; 3]>,
    pub(super) has_normals: bool,
    has_tangents: bool,
    uv_count: usize,
    color_count: usize,
    /// Floats for each corner: normal, tangent, texture coordinates, colors, as far as there are any.
    stride: usize,
    values: Vec<f32>,
    /// What was counted for it.
    pub(super) bytes: u64,
}

impl Attributes {
    pub(super) fn read(mesh: &ufbx::Mesh, budget: &Budget) -> Result<Self, FbxError> {
        let tangents = mesh.uv_sets.first().filter(|set| {
            mesh.vertex_normal.exists && set.vertex_tangent.exists && set.vertex_bitangent.exists
        });
        let (has_normals, has_tangents) = (mesh.vertex_normal.exists, tangents.is_some());
        let (uv_count, color_count) = (mesh.uv_sets.len(), mesh.color_sets.len());
        let stride =
            3 * usize::from(has_normals) + 4 * usize::from(has_tangents) + 2 * uv_count + 4 * color_count;
        let bytes =
            (mesh.num_indices as u64).saturating_mul(stride as u64 * 4) + mesh.num_vertices as u64 * 12;
        budget.spend(bytes)?;

        let positions = mesh.vertices.iter().enumerate();
        let positions = positions
            .map(|(point, &position)| narrow("the position of control point", point, components(position)))
            .collect::<Result<_, _>>()?;
        let mut values = Vec::with_capacity(mesh.num_indices * stride);
        for corner in 0..mesh.num_indices {
            let normal = vector(&mesh.vertex_normal, corner);
            if has_normals {
                values.extend(narrow("the normal of corner", corner, normal)?);
            }
            if let Some(set) = tangents {
                let tangent = vector(&set.vertex_tangent, corner);
                let sign = handedness(normal, tangent, vector(&set.vertex_bitangent, corner));
                values.extend(narrow("the tangent of corner", corner, tangent)?);
                values.push(sign);
            }
            for set in &mesh.uv_sets {
                let uv = of_corner(&set.vertex_uv.values, &set.vertex_uv.indices, corner);
                let uv = uv.map_or([0.0; 2], |uv| [uv.x, 1.0 - uv.y]);
                values.extend(narrow("the texture coordinate of corner", corner, uv)?);
            }
            for set in &mesh.color_sets {
                let color = of_corner(&set.vertex_color.values, &set.vertex_color.indices, corner);
                let color = color.map_or([1.0; 4], |color| [color.x, color.y, color.z, color.w]);
                values.extend(narrow("the color of corner", corner, color)?);
            }
        }
        // -0 and 0 are equal and have to compare so bit by bit.
        for value in &mut values {
            *value += 0.0;
        }
        Ok(Self {
            positions,
            has_normals,
            has_tangents,
            uv_count,
            color_count,
            stride,
            values,
            bytes,
        })
    }

    pub(super) fn of(&self, corner: u32) -> &[f32] {
        let start = corner as usize * self.stride;
        &self.values[start..start + self.stride]
    }

    fn bits(&self, corner: u32) -> impl Iterator<Item = u32> {
        self.of(corner).iter().map(|value| value.to_bits())
    }

    /// One attribute of the given corners; `first` is where it starts among the floats of a corner.
    fn column<const N: usize>(&self, first: usize, corners: &[u32]) -> Vec<[f32; N]> {
        let read = |&corner: &u32| std::array::from_fn(|component| self.of(corner)[first + component]);
        corners.iter().map(read).collect()
    }
}

/// Makes primitives of faces.
pub(super) struct Builder<'a> {
    mesh: &'a ufbx::Mesh,
    attributes: &'a Attributes,
    budget: &'a Budget,
    /// The vertex of each corner of the primitive at hand; others are stale.
    vertex_of_corner: Vec<u32>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        mesh: &'a ufbx::Mesh,
        attributes: &'a Attributes,
        budget: &'a Budget,
    ) -> Result<Self, FbxError> {
        let (count, limit) = (mesh.num_indices, u32::MAX as usize);
        if count > limit {
            return Err(FbxError::TooMany {
                what: "corners",
                count,
                limit,
            });
        }
        budget.spend(count as u64 * 4)?;
        Ok(Self {
            mesh,
            attributes,
            budget,
            vertex_of_corner: vec![0; count],
        })
    }

    pub(super) fn primitive(&mut self, faces: &[u32]) -> Result<Primitive, FbxError> {
        let mut corners = self.triangles(faces)?;
        let mut used = corners.clone();
        let point = |corner: u32| self.mesh.vertex_indices[corner as usize];
        used.sort_unstable_by(|&a, &b| {
            point(a)
                .cmp(&point(b))
                .then_with(|| self.attributes.bits(a).cmp(self.attributes.bits(b)))
                .then(a.cmp(&b))
        });
        used.dedup();
        let mut vertices: Vec<u32> = Vec::with_capacity(used.len());
        for corner in used {
            let is_new = vertices.last().is_none_or(|&last| {
                point(last) != point(corner) || !self.attributes.bits(last).eq(self.attributes.bits(corner))
            });
            if is_new {
                vertices.push(corner);
            }
            self.vertex_of_corner[corner as usize] = vertices.len() as u32 - 1;
        }
        for corner in &mut corners {
            *corner = self.vertex_of_corner[*corner as usize];
        }
        self.budget
            .spend(vertices.len() as u64 * (16 + 4 * self.attributes.stride as u64))?;
        Ok(self.with_vertices(&vertices, corners))
    }

    /// The corners of the triangles that faces are cut into.
    fn triangles(&self, faces: &[u32]) -> Result<Vec<u32>, FbxError> {
        let mut corners = Vec::new();
        let mut cut = vec![0; self.mesh.max_face_triangles * 3];
        for &face in faces {
            let face = self.mesh.faces[face as usize];
            if face.num_indices < 3 {
                continue;
            }
            let triangles = ufbx::triangulate_face(&mut cut, self.mesh, face) as usize;
            self.budget.spend(triangles as u64 * 12)?;
            corners.extend_from_slice(&cut[..triangles * 3]);
        }
        Ok(corners)
    }

    /// A primitive whose vertices have the attributes of the given corners.
    fn with_vertices(&self, vertices: &[u32], indices: Vec<u32>) -> Primitive {
        let attributes = self.attributes;
        let points: Vec<u32> = vertices
            .iter()
            .map(|&corner| self.mesh.vertex_indices[corner as usize])
            .collect();
        let mut first = 0;
        let mut next = |floats: usize| {
            first += floats;
            first - floats
        };
        let normals = attributes
            .has_normals
            .then(|| attributes.column(next(3), vertices));
        let tangents = attributes
            .has_tangents
            .then(|| attributes.column(next(4), vertices));
        let texcoords = (0..attributes.uv_count)
            .map(|_| attributes.column(next(2), vertices))
            .collect();
        let colors = (0..attributes.color_count)
            .map(|_| attributes.column(next(4), vertices))
            .collect();
        Primitive {
            name: None,
            positions: points
                .iter()
                .map(|&point| attributes.positions[point as usize])
                .collect(),
            source_points: Some(points),
            normals,
            tangents,
            texcoords,
            colors,
            skin_weights: None,
            indices,
            topology: Topology::Triangles,
            targets: Vec::new(),
            material: super::scene::default_material(),
        }
    }
}

/// The value that a corner has of an attribute.
fn of_corner<T: Copy>(values: &[T], indices: &[u32], corner: usize) -> Option<T> {
    values.get(*indices.get(corner)? as usize).copied()
}

fn vector(attribute: &ufbx::VertexVec3, corner: usize) -> [f64; 3] {
    of_corner(&attribute.values, &attribute.indices, corner).map_or([0.0; 3], components)
}

/// On which side of normal and tangent the bitangent lies. Texture coordinates are turned over from pointing up to
/// pointing down, which turns the bitangent too.
fn handedness(normal: [f64; 3], tangent: [f64; 3], bitangent: [f64; 3]) -> f32 {
    let cross = |i: usize, j: usize| normal[i] * tangent[j] - normal[j] * tangent[i];
    let along = cross(1, 2) * bitangent[0] + cross(2, 0) * bitangent[1] + cross(0, 1) * bitangent[2];
    if along < 0.0 { 1.0 } else { -1.0 }
}
