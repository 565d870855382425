//! The result as a Wavefront OBJ, for programs that read nothing else.

use std::io::{self, Write};

use morph_import::export::{ObjNormals, ObjText, ObjVertices};

use super::output::Output;
use super::subject::Subject;
use crate::text::printable;

/// Writes morphed positions and normals, the first texture coordinates, morphed where targets change them, and the faces
/// of the file; colors only where targets change them, behind the positions, as many programs read them.
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
    let own_texcoords = subject.primitive.texcoords.first().map(Vec::as_slice);
    let vertices = ObjVertices {
        normals,
        texcoords: output.sets.first_texcoords().or(own_texcoords),
        colors: output.sets.first_colors(),
        ..ObjVertices::at(output.positions)
    };
    obj.primitive(subject.primitive, &vertices);
    file.write_all(obj.finish().as_bytes())
}
