//! Wavefront OBJ: text in the making, and a model as such.

use std::fmt::{self, Write as _};

use glam::{Mat3, Mat4, Vec3};

use super::ExportNote;
use crate::model::{Model, Primitive, Topology};

/// The normals that a primitive is written with.
#[derive(Debug, Clone, Copy)]
pub enum ObjNormals<'a> {
    /// None.
    Absent,
    /// One for each vertex.
    PerVertex(&'a [[f32; 3]]),
    /// One for each triangle.
    PerTriangle(&'a [[f32; 3]]),
}

/// The vertices of a primitive, each list with one for each vertex.
#[derive(Debug, Clone, Copy)]
pub struct ObjVertices<'a> {
    /// Where they lie.
    pub positions: &'a [[f32; 3]],
    /// Their normals.
    pub normals: ObjNormals<'a>,
    /// Texture coordinates with v pointing down, as in glTF; their v points up in OBJ.
    pub texcoords: Option<&'a [[f32; 2]]>,
    /// Colors, written behind the positions as three numbers, which OBJ itself does not know and many programs read.
    /// Opacity has no place.
    pub colors: Option<&'a [[f32; 4]]>,
}

impl<'a> ObjVertices<'a> {
    /// Positions alone.
    pub fn at(positions: &'a [[f32; 3]]) -> Self {
        ObjVertices {
            positions,
            normals: ObjNormals::Absent,
            texcoords: None,
            colors: None,
        }
    }
}

/// OBJ text in the making, of any number of primitives.
#[derive(Debug)]
pub struct ObjText {
    text: String,
    // OBJ numbers each kind over the whole file.
    position_count: usize,
    texcoord_count: usize,
    normal_count: usize,
}

impl ObjText {
    /// Begins with a comment of one line.
    pub fn new(comment: impl fmt::Display) -> Self {
        ObjText {
            text: format!("# {comment}\n"),
            position_count: 0,
            texcoord_count: 0,
            normal_count: 0,
        }
    }

    /// Begins an object. Names end at the end of the line, so control characters in this one become spaces.
    pub fn object(&mut self, name: &str) {
        let name: String = name
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        self.line(format_args!("o {name}"));
    }

    /// Writes a primitive with these vertices and its own faces.
    pub fn primitive(&mut self, primitive: &Primitive, vertices: &ObjVertices<'_>) {
        let (positions, normals) = (vertices.positions, vertices.normals);
        for (vertex, [x, y, z]) in positions.iter().enumerate() {
            match vertices.colors.and_then(|colors| colors.get(vertex)) {
                Some([r, g, b, _]) => self.line(format_args!("v {x} {y} {z} {r} {g} {b}")),
                None => self.line(format_args!("v {x} {y} {z}")),
            }
        }
        let texcoords = vertices.texcoords.unwrap_or_default();
        for [u, v] in texcoords {
            self.line(format_args!("vt {u} {}", 1.0 - v));
        }
        let vectors = match normals {
            ObjNormals::Absent => &[],
            ObjNormals::PerVertex(vectors) | ObjNormals::PerTriangle(vectors) => vectors,
        };
        for [x, y, z] in vectors {
            self.line(format_args!("vn {x} {y} {z}"));
        }
        self.faces(primitive, normals, !texcoords.is_empty());
        self.position_count += positions.len();
        self.texcoord_count += texcoords.len();
        self.normal_count += vectors.len();
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }

    fn faces(&mut self, primitive: &Primitive, normals: ObjNormals<'_>, has_texcoords: bool) {
        let (keyword, corner_count) = match primitive.topology {
            Topology::Points => ("p", 1),
            Topology::Lines => ("l", 2),
            Topology::Triangles => ("f", 3),
        };
        // Points and lines have neither normals nor, in most readers, texture coordinates.
        let is_face = primitive.topology == Topology::Triangles;
        let has_texcoords = is_face && has_texcoords;
        for (face, corners) in primitive.indices.chunks_exact(corner_count).enumerate() {
            self.text.push_str(keyword);
            for &corner in corners {
                // OBJ counts from one.
                let corner = corner as usize + 1;
                let (v, vt) = (self.position_count + corner, self.texcoord_count + corner);
                let vn = match normals {
                    ObjNormals::PerVertex(_) if is_face => Some(self.normal_count + corner),
                    ObjNormals::PerTriangle(_) if is_face => Some(self.normal_count + face + 1),
                    _ => None,
                };
                // Writing to a string cannot fail.
                let _ = match (has_texcoords, vn) {
                    (true, Some(vn)) => write!(self.text, " {v}/{vt}/{vn}"),
                    (true, None) => write!(self.text, " {v}/{vt}"),
                    (false, Some(vn)) => write!(self.text, " {v}//{vn}"),
                    (false, None) => write!(self.text, " {v}"),
                };
            }
            self.text.push('\n');
        }
    }

    fn line(&mut self, content: fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{content}");
    }
}

/// Writes the rest pose as OBJ: each node with a mesh becomes objects, placed by its transform. Skins are not applied.
pub fn to_obj(model: &Model) -> (String, Vec<ExportNote>) {
    let mut obj = ObjText::new("written by morph");
    // A model that was not read from a file may have loops, in which no node stands anywhere.
    let worlds = model.world_matrices(None);
    for (index, node) in model.nodes.iter().enumerate() {
        let Some(mesh) = node.mesh.and_then(|mesh| model.meshes.get(mesh)) else {
            continue;
        };
        // glTF: the transform of a node with a skin is not applied.
        let world = if node.skin.is_some() {
            Mat4::IDENTITY
        } else {
            worlds.as_ref().map_or(Mat4::IDENTITY, |worlds| worlds[index])
        };
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            obj.object(&format!("{}.{number}", node.id));
            write_placed(&mut obj, primitive, &world);
        }
    }
    (obj.finish(), notes(model))
}

fn write_placed(obj: &mut ObjText, primitive: &Primitive, world: &Mat4) {
    let place = |&position: &[f32; 3]| world.transform_point3(Vec3::from(position)).to_array();
    let positions: Vec<[f32; 3]> = primitive.positions.iter().map(place).collect();
    let cofactors = cofactors(&Mat3::from_mat4(*world));
    let turn = |&normal: &[f32; 3]| (cofactors * Vec3::from(normal)).normalize_or_zero().to_array();
    let normals: Option<Vec<[f32; 3]>> = primitive
        .normals
        .as_ref()
        .map(|normals| normals.iter().map(turn).collect());
    let normals = normals
        .as_deref()
        .map_or(ObjNormals::Absent, ObjNormals::PerVertex);
    let vertices = ObjVertices {
        normals,
        texcoords: primitive.texcoords.first().map(Vec::as_slice),
        ..ObjVertices::at(&positions)
    };
    obj.primitive(primitive, &vertices);
}

fn notes(model: &Model) -> Vec<ExportNote> {
    [
        (
            "morph targets",
            model.meshes.iter().any(|mesh| !mesh.target_names.is_empty()),
        ),
        ("clips", !model.clips.is_empty()),
        ("skins", !model.skins.is_empty()),
        ("expressions", !model.expressions.is_empty()),
    ]
    .into_iter()
    .filter(|&(_, there)| there)
    .map(|(what, _)| ExportNote::NotInObj { what })
    .collect()
}

/// What turns normals: the inverse transpose but for a factor, and without dividing by a determinant that may be zero.
fn cofactors(turn: &Mat3) -> Mat3 {
    Mat3::from_cols(
        turn.y_axis.cross(turn.z_axis),
        turn.z_axis.cross(turn.x_axis),
        turn.x_axis.cross(turn.y_axis),
    )
}
