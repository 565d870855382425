//! A model as Wavefront OBJ: the rest pose of every node's mesh in the scene.

use std::fmt::Write as _;

use glam::{Mat3, Mat4, Vec3};

use super::ExportNote;
use crate::model::{Model, Primitive, Topology};

/// Writes the rest pose as OBJ: each node with a mesh becomes objects, placed by its transform.
///
/// OBJ counts vertices from one over the whole file, and its v points up. Skins are not applied.
pub fn to_obj(model: &Model) -> (String, Vec<ExportNote>) {
    let mut text = String::from("# written by morph\n");
    let mut before = Counts::default();
    for (index, node) in model.nodes.iter().enumerate() {
        let Some(mesh) = node.mesh.and_then(|mesh| model.meshes.get(mesh)) else {
            continue;
        };
        // glTF: the transform of a node with a skin is not applied.
        let world = if node.skin.is_some() {
            Mat4::IDENTITY
        } else {
            model.world(index)
        };
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            // Names end at the end of the line, and must not begin another one.
            let id: String = node
                .id
                .chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect();
            line(&mut text, format_args!("o {id}.{number}"));
            write_primitive(&mut text, primitive, &world, &mut before);
        }
    }
    (text, notes(model))
}

fn notes(model: &Model) -> Vec<ExportNote> {
    [
        (
            "morph targets",
            model.meshes.iter().any(|mesh| !mesh.target_names.is_empty()),
        ),
        ("clips", !model.clips.is_empty()),
        ("skins", !model.skins.is_empty()),
    ]
    .into_iter()
    .filter(|&(_, there)| there)
    .map(|(what, _)| ExportNote::NotInObj { what })
    .collect()
}

/// Appends a line.
fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{content}");
}

/// How many of each kind were written so far.
#[derive(Debug, Default)]
struct Counts {
    positions: usize,
    texcoords: usize,
    normals: usize,
}

fn write_primitive(text: &mut String, primitive: &Primitive, world: &Mat4, before: &mut Counts) {
    for &position in &primitive.positions {
        let [x, y, z] = world.transform_point3(Vec3::from(position)).to_array();
        line(text, format_args!("v {x} {y} {z}"));
    }
    let texcoords = primitive.texcoords.first().map_or(&[][..], Vec::as_slice);
    for [u, v] in texcoords {
        line(text, format_args!("vt {u} {}", 1.0 - v));
    }
    let normals = primitive.normals.as_deref().unwrap_or_default();
    let cofactors = cofactors(&Mat3::from_mat4(*world));
    for &normal in normals {
        let [x, y, z] = (cofactors * Vec3::from(normal)).normalize_or_zero().to_array();
        line(text, format_args!("vn {x} {y} {z}"));
    }
    let (keyword, corner_count) = match primitive.topology {
        Topology::Points => ("p", 1),
        Topology::Lines => ("l", 2),
        Topology::Triangles => ("f", 3),
    };
    for corners in primitive.indices.chunks_exact(corner_count) {
        text.push_str(keyword);
        for &corner in corners {
            let corner = corner as usize + 1;
            let (v, vt, vn) = (
                before.positions + corner,
                before.texcoords + corner,
                before.normals + corner,
            );
            // Points and lines have no normals in this format. Writing to a string cannot fail.
            let _ = match (primitive.topology, texcoords.is_empty(), normals.is_empty()) {
                (Topology::Triangles, false, false) => write!(text, " {v}/{vt}/{vn}"),
                (Topology::Triangles, false, true) => write!(text, " {v}/{vt}"),
                (Topology::Triangles, true, false) => write!(text, " {v}//{vn}"),
                _ => write!(text, " {v}"),
            };
        }
        text.push('\n');
    }
    before.positions += primitive.positions.len();
    before.texcoords += texcoords.len();
    before.normals += normals.len();
}

/// What turns normals: the inverse transpose but for a factor, and without dividing by a determinant that may be zero.
fn cofactors(turn: &Mat3) -> Mat3 {
    Mat3::from_cols(
        turn.y_axis.cross(turn.z_axis),
        turn.z_axis.cross(turn.x_axis),
        turn.x_axis.cross(turn.y_axis),
    )
}
