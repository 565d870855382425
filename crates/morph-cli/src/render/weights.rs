//! Weights for several meshes at once: a name counts for every mesh that has it.

use morph_core::{MorphMesh, MorphTarget, NameTable, WeightError, weights_from_names};

use crate::console::Console;
use crate::error::CliError;
use crate::preset::Preset;
use crate::weights::WeightRequest;

/// A mesh whose weights are asked for.
#[derive(Debug)]
pub(super) struct Asking<'a> {
    pub(super) place: String,
    pub(super) names: &'a NameTable,
    /// What the file gives it.
    pub(super) file_default: &'a [f32],
}

/// Refuses names that no mesh has, and a target number that none has.
pub(super) fn check(request: &WeightRequest, all: &[Asking<'_>]) -> Result<(), CliError> {
    match request {
        WeightRequest::Named(pairs) => {
            let unknown = pairs
                .iter()
                .find(|(name, _)| all.iter().all(|mesh| mesh.names.slot(name).is_none()));
            match unknown {
                Some((name, weight)) => Err(unknown_name(name, *weight, all)),
                None => Ok(()),
            }
        }
        WeightRequest::Preset(Preset::Only(given)) => {
            let count = all.iter().map(|mesh| mesh.names.len()).max().unwrap_or(0);
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
    let mut names: Vec<&str> = all.iter().flat_map(|mesh| mesh.names.iter()).collect();
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

/// One weight per target of one of the meshes, after [`check`].
pub(super) fn resolve(
    request: &WeightRequest,
    mesh: &Asking<'_>,
    console: &mut Console<'_>,
) -> Result<Vec<f32>, CliError> {
    if let WeightRequest::Preset(preset) = request {
        // Some other mesh has the target that this one lacks.
        return Ok(preset
            .weights(mesh.names.len())
            .unwrap_or_else(|| vec![0.0; mesh.names.len()]));
    }
    if let WeightRequest::Named(pairs) = request {
        let known: Vec<(&str, f32)> = pairs
            .iter()
            .filter(|(name, _)| mesh.names.slot(name).is_some())
            .map(|(name, weight)| (name.as_str(), *weight))
            .collect();
        return weights_from_names(&known, mesh.names).map_err(CliError::weight(&mesh.place));
    }
    let (weights, warning) = request.resolve(mesh.names, mesh.file_default, &mesh.place)?;
    if let Some(warning) = warning {
        console.warn(warning);
    }
    Ok(weights)
}
