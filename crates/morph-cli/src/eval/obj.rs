//! The result as a Wavefront OBJ, for programs that read nothing else.

use std::io::{self, Write};

use morph_import::export::{ObjNormals, ObjText};

use super::output::Output;
use super::subject::Subject;
use crate::text::printable;

/// Writes morphed positions and normals, texture coordinates, and the faces of the file.
///
/// A mesh without normals gets one for each triangle, as it is shaded flat. Normals are sums and not made unit, like
/// everywhere in `eval`.
pub(super) fn write(file: &mut dyn Write, output: &Output<'_>, subject: &Subject<'_>) -> io::Result<()> {
    let normals = match (output.normals, &output.flat_normals) {
        (Some(normals), _) => ObjNormals::PerVertex(normals),
        (None, Some(flat)) => ObjNormals::PerTriangle(flat),
        (None, None) => ObjNormals::Absent,
    };
    let mut obj = ObjText::new(format_args!("written by morph: {}", printable(&subject.place)));
    obj.primitive(subject.primitive, output.positions, normals);
    file.write_all(obj.finish().as_bytes())
}
