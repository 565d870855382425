//! The result as a Wavefront OBJ, for programs that read nothing else.

use std::io::{self, Write};

use morph_import::Topology;

use super::output::Output;
use super::subject::Subject;
use crate::text::printable;

/// Writes morphed positions and normals, texture coordinates, and the faces of the file.
///
/// Normals are sums and not made unit, like everywhere in `eval`. OBJ counts from one, and its v points up.
pub(super) fn write(file: &mut dyn Write, output: &Output<'_>, subject: &Subject<'_>) -> io::Result<()> {
    let primitive = subject.primitive;
    writeln!(file, "# written by morph: {}", printable(&subject.place))?;
    for [x, y, z] in output.positions {
        writeln!(file, "v {x} {y} {z}")?;
    }
    for [u, v] in primitive.texcoords.iter().take(1).flatten() {
        writeln!(file, "vt {u} {}", 1.0 - v)?;
    }
    for [x, y, z] in output.normals.unwrap_or_default() {
        writeln!(file, "vn {x} {y} {z}")?;
    }
    let (keyword, corner_count) = match primitive.topology {
        Topology::Points => ("p", 1),
        Topology::Lines => ("l", 2),
        Topology::Triangles => ("f", 3),
    };
    // Lines and points have no normals in this format.
    let has_texcoords = !primitive.texcoords.is_empty() && primitive.topology == Topology::Triangles;
    let has_normals = output.normals.is_some() && primitive.topology == Topology::Triangles;
    for corners in primitive.indices.chunks_exact(corner_count) {
        write!(file, "{keyword}")?;
        for &corner in corners {
            let n = u64::from(corner) + 1;
            match (has_texcoords, has_normals) {
                (true, true) => write!(file, " {n}/{n}/{n}")?,
                (true, false) => write!(file, " {n}/{n}")?,
                (false, true) => write!(file, " {n}//{n}")?,
                (false, false) => write!(file, " {n}")?,
            }
        }
        writeln!(file)?;
    }
    Ok(())
}
