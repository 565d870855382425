//! The sets of texture coordinates and colors that targets change, morphed on the host: no device path has them.

use std::collections::BTreeMap;

use morph_core::{KernelError, MorphMesh, RestError, RestSet, VertexSet, morph_colors, morph_texcoords};
use morph_import::Primitive;
use serde::Serialize;

use crate::error::CliError;

/// The morphed sets, by their names in glTF: `TEXCOORD_0`, `COLOR_0`. Sets that no target changes are not in it.
#[derive(Debug, Default, Serialize)]
pub(super) struct MorphedSets {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) texcoords: BTreeMap<String, Vec<[f32; 2]>>,
    /// Linear, with opacity, each clamped to 0..=1 after the last target.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) colors: BTreeMap<String, Vec<[f32; 4]>>,
    /// How far each of them is from rest.
    #[serde(skip)]
    pub(super) changes: Vec<SetChange>,
}

/// How far a set is from rest.
#[derive(Debug)]
pub(super) struct SetChange {
    pub(super) set: VertexSet,
    /// Vertices with a component that is not as it was.
    pub(super) vertex_count: usize,
    /// The largest change of a component.
    pub(super) most: f32,
}

impl SetChange {
    fn new<const N: usize>(set: VertexSet, rest: &[[f32; N]], morphed: &[[f32; N]]) -> Self {
        let distance = |(rest, morphed): (&[f32; N], &[f32; N])| {
            let parts = rest
                .iter()
                .zip(morphed)
                .map(|(rest, morphed)| (morphed - rest).abs());
            parts.fold(0.0, f32::max)
        };
        let distances = rest.iter().zip(morphed).map(distance);
        SetChange {
            set,
            vertex_count: distances.clone().filter(|&distance| distance > 0.0).count(),
            most: distances.fold(0.0, f32::max),
        }
    }
}

impl MorphedSets {
    /// Morphs every set that a target changes; `place` names the primitive in errors.
    pub(super) fn new(
        place: &str,
        mesh: &MorphMesh,
        primitive: &Primitive,
        weights: &[f32],
    ) -> Result<Self, CliError> {
        let mut sets = MorphedSets::default();
        let rest_error = |source: RestError| CliError::Rest {
            place: place.to_owned(),
            source,
        };
        let kernel_error = |source: KernelError| CliError::Kernel {
            place: place.to_owned(),
            source,
        };
        for set in mesh.texcoord_sets() {
            let Some(rest) = primitive.texcoords.get(set as usize) else {
                continue;
            };
            let (rest, _) = RestSet::texcoords(set, rest.clone()).map_err(rest_error)?;
            let values = morph_texcoords(mesh, &rest, weights).map_err(kernel_error)?;
            let set = VertexSet::Texcoord(set);
            check_overflow(set, &values)?;
            sets.changes.push(SetChange::new(set, rest.values(), &values));
            sets.texcoords.insert(set.to_string(), values);
        }
        for set in mesh.color_sets() {
            let Some(rest) = primitive.colors.get(set as usize) else {
                continue;
            };
            let (rest, _) = RestSet::colors(set, rest.clone()).map_err(rest_error)?;
            let values = morph_colors(mesh, &rest, weights).map_err(kernel_error)?;
            let set = VertexSet::Color(set);
            check_overflow(set, &values)?;
            sets.changes.push(SetChange::new(set, rest.values(), &values));
            sets.colors.insert(set.to_string(), values);
        }
        Ok(sets)
    }

    /// The set that is the first of the primitive, where targets change it.
    pub(super) fn first_texcoords(&self) -> Option<&[[f32; 2]]> {
        self.texcoords
            .get(&VertexSet::Texcoord(0).to_string())
            .map(Vec::as_slice)
    }

    /// The same for colors.
    pub(super) fn first_colors(&self) -> Option<&[[f32; 4]]> {
        self.colors
            .get(&VertexSet::Color(0).to_string())
            .map(Vec::as_slice)
    }
}

fn check_overflow<const N: usize>(set: VertexSet, values: &[[f32; N]]) -> Result<(), CliError> {
    let is_odd = |value: &[f32; N]| value.iter().any(|x| !x.is_finite());
    match values.iter().position(is_odd) {
        Some(vertex) => Err(CliError::SetOverflow { set, vertex }),
        None => Ok(()),
    }
}
