//! The host kernel for texture coordinates and colors.
//!
//! The arithmetic is that of [`morph`](crate::morph): in 32-bit floats, over the targets in rising order with a
//! weight other than zero, `acc = acc + weight * delta`, the product rounded, then the sum rounded.
//! Colors are clamped to 0..=1 once, after the last target.

use crate::domain::to_domain;
use crate::kernel::KernelError;
use crate::mesh::MorphMesh;
use crate::rest::RestError;
use crate::sets::{SetPool, VertexSet};
use crate::weights::check_weights;

/// The rest values of one set of texture coordinates (`N` = 2) or colors (`N` = 4): finite, and in the domain
/// of the arithmetic.
#[derive(Clone, Debug, PartialEq)]
pub struct RestSet<const N: usize> {
    set: u32,
    values: Vec<[f32; N]>,
}

impl RestSet<2> {
    /// Takes one texture coordinate per vertex, applies the domain rule, and says how many components it made
    /// zero.
    ///
    /// # Errors
    /// [`RestError::SetNotFinite`] and [`RestError::TooManyVertices`].
    pub fn texcoords(set: u32, values: Vec<[f32; 2]>) -> Result<(Self, u64), RestError> {
        Self::admit(VertexSet::Texcoord(set), values)
    }
}

impl RestSet<4> {
    /// Takes one linear color with opacity per vertex, applies the domain rule, and says how many components it
    /// made zero.
    ///
    /// # Errors
    /// [`RestError::SetNotFinite`] and [`RestError::TooManyVertices`].
    pub fn colors(set: u32, values: Vec<[f32; 4]>) -> Result<(Self, u64), RestError> {
        Self::admit(VertexSet::Color(set), values)
    }
}

impl<const N: usize> RestSet<N> {
    /// Values that are finite and in the domain.
    pub(crate) fn from_admitted(set: u32, values: Vec<[f32; N]>) -> Self {
        RestSet { set, values }
    }

    pub(crate) fn admit(attribute: VertexSet, mut values: Vec<[f32; N]>) -> Result<(Self, u64), RestError> {
        let (VertexSet::Texcoord(set) | VertexSet::Color(set)) = attribute;
        let given = values.len();
        u32::try_from(given).map_err(|_| RestError::TooManyVertices { given })?;
        let mut zeroed = 0;
        for (vertex, value) in values.iter_mut().enumerate() {
            for x in value {
                if !x.is_finite() {
                    return Err(RestError::SetNotFinite {
                        set: attribute,
                        vertex: vertex as u32,
                        value: *x,
                    });
                }
                let admitted = to_domain(*x);
                zeroed += u64::from(admitted != *x);
                *x = admitted;
            }
        }
        Ok((RestSet { set, values }, zeroed))
    }

    /// Which set this is.
    pub fn set(&self) -> u32 {
        self.set
    }

    pub(crate) fn into_values(self) -> Vec<[f32; N]> {
        self.values
    }

    /// A value for each vertex.
    pub fn values(&self) -> &[[f32; N]] {
        &self.values
    }
}

/// Morphs one set of texture coordinates; see [`morph_texcoords_into`].
pub fn morph_texcoords(
    mesh: &MorphMesh,
    rest: &RestSet<2>,
    weights: &[f32],
) -> Result<Vec<[f32; 2]>, KernelError> {
    let mut out = Vec::new();
    morph_texcoords_into(mesh, rest, weights, &mut out)?;
    Ok(out)
}

/// Morphs one set of texture coordinates into a buffer that is reused: once it has the right size, nothing is
/// allocated.
///
/// `weights` are read as by [`morph_into`](crate::morph_into).
/// A set that no target changes stays at rest.
/// On an error `out` is unchanged.
pub fn morph_texcoords_into(
    mesh: &MorphMesh,
    rest: &RestSet<2>,
    weights: &[f32],
    out: &mut Vec<[f32; 2]>,
) -> Result<(), KernelError> {
    let attribute = VertexSet::Texcoord(rest.set);
    morph_set(mesh, &mesh.texcoords, attribute, rest, weights, out)
}

/// Morphs one set of colors; see [`morph_colors_into`].
pub fn morph_colors(
    mesh: &MorphMesh,
    rest: &RestSet<4>,
    weights: &[f32],
) -> Result<Vec<[f32; 4]>, KernelError> {
    let mut out = Vec::new();
    morph_colors_into(mesh, rest, weights, &mut out)?;
    Ok(out)
}

/// Morphs one set of colors into a buffer that is reused, and clamps every component of every vertex to 0..=1
/// afterwards; otherwise as [`morph_texcoords_into`].
///
/// Clamping comes after the last target, so that one target may go past one and another come back.
pub fn morph_colors_into(
    mesh: &MorphMesh,
    rest: &RestSet<4>,
    weights: &[f32],
    out: &mut Vec<[f32; 4]>,
) -> Result<(), KernelError> {
    let attribute = VertexSet::Color(rest.set);
    morph_set(mesh, &mesh.colors, attribute, rest, weights, out)?;
    for x in out.as_flattened_mut() {
        *x = x.clamp(0.0, 1.0);
    }
    Ok(())
}

fn morph_set<const N: usize>(
    mesh: &MorphMesh,
    pool: &SetPool<N>,
    attribute: VertexSet,
    rest: &RestSet<N>,
    weights: &[f32],
    out: &mut Vec<[f32; N]>,
) -> Result<(), KernelError> {
    if rest.values.len() != mesh.vertex_count() as usize {
        return Err(KernelError::RestSetLength {
            set: attribute,
            found: rest.values.len(),
            vertex_count: mesh.vertex_count(),
        });
    }
    check_weights(weights, mesh.target_count(), mesh.names())?;
    out.clone_from(&rest.values);
    for (slot, view) in pool.of_set(rest.set) {
        let weight = to_domain(weights.get(slot).copied().unwrap_or(0.0));
        if weight == 0.0 {
            continue;
        }
        for (&vertex, delta) in view.vertices.iter().zip(view.deltas) {
            for (sum, delta) in out[vertex as usize].iter_mut().zip(delta) {
                *sum += weight * delta;
            }
        }
    }
    Ok(())
}
