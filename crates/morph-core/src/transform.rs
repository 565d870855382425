//! Carrying a mesh and its targets through an affine matrix: axis and unit conversion, baked node transforms.
//!
//! A delta is a difference of two positions, so it goes through the linear part of the matrix and is never
//! moved.
//! Normals go through the cofactor matrix with the sign of the determinant, the inverse transpose up to a factor;
//! a base normal is then made unit, and its deltas are scaled by the same factor, so that base and deltas still
//! add up to the right direction. Tangents do likewise, through the linear part.
//! A matrix that mirrors also turns triangles over and negates the handedness in a tangent's w.
//!
//! A target that is left out shows as a face that moves along the wrong axis, or a hundred times too far.

use crate::build::check;
use crate::error::BuildError;
use crate::rounding::length64;
use crate::streams::Stream;
use crate::target::MorphTarget;

type Vector = [f64; 3];
type Matrix3 = [Vector; 3];

/// Why a matrix, or a mesh for it, is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TransformError {
    /// A component is NaN or infinite.
    #[error("row {row}, column {column} of the matrix is {value}: matrices must be finite")]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
        /// The component.
        value: f32,
    },
    /// The last row is not that of an affine matrix.
    #[error(
        "the last row of the matrix is {row:?}: it must be 0, 0, 0, 1, as perspective cannot be baked into deltas"
    )]
    NotAffine {
        /// The row.
        row: [f32; 4],
    },
    /// The linear part flattens.
    #[error(
        "the matrix is singular (its rows span {spanned:e} of what rows of their lengths at right angles would): a mesh that it flattens has no normals any more"
    )]
    Singular {
        /// The magnitude of the determinant over the product of the lengths of the rows.
        spanned: f64,
    },
    /// A stream of the base mesh is not as long as its positions.
    #[error("{found} {stream} values for {expected} positions: give one for each vertex")]
    StreamLength {
        /// The stream.
        stream: Stream,
        /// How many values there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A target does not fit the mesh.
    #[error(transparent)]
    Target(#[from] BuildError),
    /// Triangles need three indices each.
    #[error(
        "{found} indices are no whole number of triangles: give three for each, or none for points and lines"
    )]
    PartialTriangle {
        /// How many indices there are.
        found: usize,
    },
}

/// Below this share of what rows of their lengths could span, a matrix counts as singular: 2⁻²³, what roundings of
/// 32-bit floats leave of a matrix that flattens exactly.
const LEAST_SPAN: f64 = 1.0 / (1_u32 << 23) as f64;

/// Everything of a mesh that a transform has to carry together.
#[derive(Debug)]
pub struct MeshParts<'a> {
    /// Positions, one per vertex.
    pub positions: &'a mut [[f32; 3]],
    /// Normals, where the mesh has them.
    pub normals: Option<&'a mut [[f32; 3]]>,
    /// Tangents with the sign of the bitangent in w, where the mesh has them.
    pub tangents: Option<&'a mut [[f32; 4]]>,
    /// The corners of the triangles; empty for points and lines, and where the caller turns them over itself.
    pub triangles: &'a mut [u32],
    /// All targets of the mesh.
    pub targets: &'a mut [MorphTarget],
}

/// An affine matrix that can be baked into a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AffineTransform {
    linear: Matrix3,
    translation: Vector,
    /// The cofactor matrix with the sign of the determinant.
    normal: Matrix3,
    mirrors: bool,
    /// By what normals and tangents are scaled where there is no base direction to say it: right for one scale on
    /// all axes.
    normal_scale: f64,
    tangent_scale: f64,
}

impl AffineTransform {
    /// From the first three rows of a 4×4 matrix; column 3 moves.
    ///
    /// # Errors
    /// [`TransformError::NotFinite`] and [`TransformError::Singular`].
    pub fn from_rows(rows: &[[f32; 4]; 3]) -> Result<Self, TransformError> {
        if let Some(at) = rows.as_flattened().iter().position(|x| !x.is_finite()) {
            return Err(TransformError::NotFinite {
                row: at / 4,
                column: at % 4,
                value: rows[at / 4][at % 4],
            });
        }
        let linear = rows.map(|[x, y, z, _]| [x, y, z].map(f64::from));
        let cofactors = cofactors(&linear);
        let determinant = dot(linear[0], cofactors[0]);
        let lengths: f64 = linear.into_iter().map(length64).product();
        let spanned = if lengths == 0.0 {
            0.0
        } else {
            determinant.abs() / lengths
        };
        if spanned < LEAST_SPAN {
            return Err(TransformError::Singular { spanned });
        }
        let scale = determinant.abs().cbrt();
        Ok(AffineTransform {
            linear,
            translation: rows.map(|row| f64::from(row[3])),
            normal: cofactors.map(|row| row.map(|x| x * determinant.signum())),
            mirrors: determinant < 0.0,
            normal_scale: 1.0 / (scale * scale),
            tangent_scale: 1.0 / scale,
        })
    }

    /// From a 4×4 matrix stored column by column, as glTF and glam store it.
    ///
    /// # Errors
    /// As [`from_rows`](Self::from_rows), and [`TransformError::NotAffine`].
    pub fn from_columns(columns: &[[f32; 4]; 4]) -> Result<Self, TransformError> {
        let last = columns.map(|column| column[3]);
        if last != [0.0, 0.0, 0.0, 1.0] {
            return Err(TransformError::NotAffine { row: last });
        }
        Self::from_rows(&crate::skin::rows_from_columns(columns))
    }

    /// Whether the matrix mirrors, so that triangles turn over and the handedness of tangents changes.
    pub fn mirrors(&self) -> bool {
        self.mirrors
    }

    /// Carries a mesh with all its targets.
    ///
    /// Base normals and tangents come out unit, zero ones zero.
    /// The deltas of a vertex without a base direction are scaled as for one scale on all axes.
    /// Texture coordinates and colors stay.
    /// Computed in double precision and rounded once; a result past the largest float becomes infinite, which the
    /// build refuses by name.
    ///
    /// # Errors
    /// Where the parts do not fit each other; nothing has changed then.
    pub fn apply(&self, mesh: &mut MeshParts<'_>) -> Result<(), TransformError> {
        check_parts(mesh)?;
        let tangent_of = |tangent: &[f32; 4]| [tangent[0], tangent[1], tangent[2]];
        for target in &mut *mesh.targets {
            for delta in target.positions.iter_mut().flatten() {
                *delta = narrow(apply(&self.linear, *delta));
            }
            for (&vertex, delta) in target.vertices.iter().zip(target.normals.iter_mut().flatten()) {
                let base = mesh.normals.as_deref().map(|normals| normals[vertex as usize]);
                let scale = unit_scale(&self.normal, base).unwrap_or(self.normal_scale);
                *delta = narrow(apply(&self.normal, *delta).map(|x| x * scale));
            }
            for (&vertex, delta) in target.vertices.iter().zip(target.tangents.iter_mut().flatten()) {
                let base = mesh
                    .tangents
                    .as_deref()
                    .map(|tangents| tangent_of(&tangents[vertex as usize]));
                let scale = unit_scale(&self.linear, base).unwrap_or(self.tangent_scale);
                *delta = narrow(apply(&self.linear, *delta).map(|x| x * scale));
            }
        }
        for position in &mut *mesh.positions {
            let [x, y, z] = apply(&self.linear, *position);
            let [right, up, back] = self.translation;
            *position = narrow([x + right, y + up, z + back]);
        }
        for normal in mesh.normals.iter_mut().flat_map(|normals| normals.iter_mut()) {
            let scale = unit_scale(&self.normal, Some(*normal)).unwrap_or(0.0);
            *normal = narrow(apply(&self.normal, *normal).map(|x| x * scale));
        }
        for tangent in mesh.tangents.iter_mut().flat_map(|tangents| tangents.iter_mut()) {
            let base = tangent_of(tangent);
            let scale = unit_scale(&self.linear, Some(base)).unwrap_or(0.0);
            let [x, y, z] = narrow(apply(&self.linear, base).map(|x| x * scale));
            let w = if self.mirrors { -tangent[3] } else { tangent[3] };
            *tangent = [x, y, z, w];
        }
        if self.mirrors {
            for triangle in mesh.triangles.as_chunks_mut::<3>().0 {
                triangle.swap(1, 2);
            }
        }
        Ok(())
    }
}

/// Checks that the parts belong to one mesh.
fn check_parts(mesh: &MeshParts<'_>) -> Result<(), TransformError> {
    let vertex_count = mesh.positions.len();
    let lengths = [
        (Stream::Normal, mesh.normals.as_deref().map(<[_]>::len)),
        (Stream::Tangent, mesh.tangents.as_deref().map(<[_]>::len)),
    ];
    for (stream, found) in lengths {
        if let Some(found) = found.filter(|&found| found != vertex_count) {
            return Err(TransformError::StreamLength {
                stream,
                expected: vertex_count,
                found,
            });
        }
    }
    if !mesh.triangles.len().is_multiple_of(3) {
        return Err(TransformError::PartialTriangle {
            found: mesh.triangles.len(),
        });
    }
    let vertex_count = u32::try_from(vertex_count).unwrap_or(u32::MAX);
    for (slot, target) in mesh.targets.iter().enumerate() {
        for stream in Stream::ALL {
            check::length(slot, target, stream)?;
        }
        check::range(slot, target, vertex_count)?;
    }
    Ok(())
}

/// By what a carried base direction has to be scaled to be unit; `None` without a base direction.
fn unit_scale(matrix: &Matrix3, base: Option<[f32; 3]>) -> Option<f64> {
    let length = length64(apply(matrix, base?));
    (length > 0.0 && length.is_finite()).then(|| 1.0 / length)
}

fn cofactors(m: &Matrix3) -> Matrix3 {
    [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn apply(matrix: &Matrix3, v: [f32; 3]) -> Vector {
    matrix.map(|row| dot(row, v.map(f64::from)))
}

fn narrow(v: Vector) -> [f32; 3] {
    v.map(|x| x as f32)
}
