//! Weights for several meshes at once: a name counts for every mesh that has it.

use morph_core::rig::Rig;
use morph_core::{MorphMesh, MorphTarget, NameTable, WeightError, weights_from_names};

use super::WeightRequest;
use crate::console::Console;
use crate::error::CliError;
use crate::preset::Preset;

/// A mesh whose weights are asked for.
#[derive(Debug, Clone)]
pub(crate) struct Asking<'a> {
    pub(crate) place: String,
    /// The names of its targets.
    pub(crate) targets: &'a NameTable,
    /// Its rig, whose controls take the weights that are asked for.
    pub(crate) rig: Option<&'a Rig>,
    /// The weights of its targets where none were asked for.
    pub(crate) own: &'a [f32],
}

impl Asking<'_> {
    /// What weights are asked for by.
    fn names(&self) -> &NameTable {
        self.rig.map_or(self.targets, Rig::controls)
    }

    /// One weight per target, after [`check`].
    pub(crate) fn resolve(
        &self,
        request: &WeightRequest,
        console: &mut Console<'_>,
    ) -> Result<Vec<f32>, CliError> {
        let rig = self.rig.filter(|_| !request.asks_for_file_default());
        let (asked, warning) = match rig {
            Some(rig) => request.for_mesh(rig.controls(), &[], &self.place)?,
            None => request.for_mesh(self.targets, self.own, &self.place)?,
        };
        if let Some(warning) = warning {
            console.warn(warning);
        }
        let Some(rig) = rig else { return Ok(asked) };
        let mut weights = vec![0.0; self.targets.len()];
        rig.evaluate(&asked, &mut weights)
            .map_err(|source| CliError::playback(source.into()))?;
        Ok(weights)
    }
}

/// Refuses names that no mesh has, and a target number that none has.
pub(crate) fn check(request: &WeightRequest, all: &[Asking<'_>]) -> Result<(), CliError> {
    match request {
        WeightRequest::Named(pairs) => {
            let unknown = pairs
                .iter()
                .find(|(name, _)| all.iter().all(|mesh| mesh.names().slot(name).is_none()));
            match unknown {
                Some((name, weight)) => Err(unknown_name(name, *weight, all)),
                None => Ok(()),
            }
        }
        WeightRequest::Preset(Preset::Only(given)) => {
            let count = all.iter().map(|mesh| mesh.names().len()).max().unwrap_or(0);
            if *given < count {
                return Ok(());
            }
            let place = match all {
                [one] => one.place.clone(),
                _ => "the mesh with the most targets".to_owned(),
            };
            Err(CliError::PresetTarget {
                place,
                given: *given,
                count,
            })
        }
        _ => Ok(()),
    }
}

/// The error for a name that no mesh has, with the nearest of all names.
fn unknown_name(name: &str, weight: f32, all: &[Asking<'_>]) -> CliError {
    let mut names: Vec<&str> = all.iter().flat_map(|mesh| mesh.names().iter()).collect();
    names.sort_unstable();
    names.dedup();
    let targets: Vec<MorphTarget> = names.into_iter().map(MorphTarget::empty).collect();
    let options = morph_core::BuildOptions::new(morph_core::Quantization::F32);
    let source = match MorphMesh::build(0, &targets, &options) {
        Ok((mesh, _)) => weights_from_names(&[(name, weight)], mesh.names()).err(),
        // More names than one mesh may have.
        Err(_) => None,
    };
    let source = source.unwrap_or_else(|| WeightError::UnknownName {
        name: name.to_owned(),
        nearest: Vec::new(),
    });
    let place = match all {
        [one] => one.place.clone(),
        _ => "all drawn meshes".to_owned(),
    };
    CliError::Weight { place, source }
}
