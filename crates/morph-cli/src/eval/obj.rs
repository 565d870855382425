//! The result as a Wavefront OBJ, for programs that read nothing else.

use std::io::{self, Write};

use morph_import::Topology;

use super::output::Output;
use super::subject::Subject;
use crate::text::printable;

/// Writes morphed positions and normals, texture coordinates, and the faces of the file.
///
/// A mesh without normals gets one for each triangle, as it is shaded flat. Normals are sums and not made unit, like everywhere in `eval`. OBJ counts from one, and its v points up.
pub(super) fn write(file: &mut dyn Write, output: &Output<'_>, subject: &Subject<'_>) -> io::Result<()> {
    let primitive = subject.primitive;
    writeln!(file, "# written by morph: {}", printable(&subject.place))?;
    for [x, y, z] in output.positions {
        writeln!(file, "v {x} {y} {z}")?;
    }
    for [u, v] in primitive.texcoords.iter().take(1).flatten() {
        writeln!(file, "vt {u} {}", 1.0 - v)?;
    }
    let flat = output.flat_normals.as_deref();
    for [x, y, z] in output.normals.or(flat).unwrap_or_default() {
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
    for (face, corners) in primitive.indices.chunks_exact(corner_count).enumerate() {
        write!(file, "{keyword}")?;
        for &corner in corners {
            let v = u64::from(corner) + 1;
            let normal = match (has_normals, flat) {
                (true, _) => Some(v),
                (false, Some(_)) => Some(face as u64 + 1),
                (false, None) => None,
            };
            match (has_texcoords, normal) {
                (true, Some(n)) => write!(file, " {v}/{v}/{n}")?,
                (true, None) => write!(file, " {v}/{v}")?,
                (false, Some(n)) => write!(file, " {v}//{n}")?,
                (false, None) => write!(file, " {v}")?,
            }
        }
        writeln!(file)?;
    }
    Ok(())
}
