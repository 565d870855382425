//! Weights from the command line: read before the model is, checked against its names after.

mod file;
mod list;
mod scope;

use morph_core::{NameTable, WeightError, weights_from_names};

use crate::args::WeightArgs;
use crate::error::CliError;
use crate::preset::Preset;
use file::{FileWeights, WeightsFile};

pub(crate) use list::parse as parse_list;
pub(crate) use scope::{Asking, check};

/// What weights were asked for.
#[derive(Debug)]
pub(crate) enum WeightRequest {
    /// Nothing was said: the file's own.
    FileDefault,
    /// Pairs of name and weight, from the command line or a file.
    Named(Vec<(String, f32)>),
    /// An array from a file.
    Listed(WeightsFile),
    /// A preset.
    Preset(Preset),
}

impl WeightRequest {
    /// Reads what the options say, the weights file included.
    pub(crate) fn read(args: &WeightArgs) -> Result<Self, CliError> {
        Ok(if let Some(list) = &args.weights {
            WeightRequest::Named(parse_list(list, "--weights")?)
        } else if let Some(path) = &args.weights_file {
            match file::read(path)? {
                FileWeights::Listed(file) => WeightRequest::Listed(file),
                FileWeights::Named(pairs) => WeightRequest::Named(pairs),
            }
        } else if let Some(preset) = args.preset {
            WeightRequest::Preset(preset)
        } else {
            WeightRequest::FileDefault
        })
    }

    /// Whether nothing was said about weights.
    pub(crate) fn asks_for_file_default(&self) -> bool {
        matches!(self, WeightRequest::FileDefault)
    }

    /// Whether the rest pose was asked for in so many words, which a mesh without targets can give too.
    pub(crate) fn asks_for_rest(&self) -> bool {
        match self {
            WeightRequest::FileDefault => false,
            WeightRequest::Named(pairs) => pairs.is_empty(),
            WeightRequest::Listed(file) => file.is_empty(),
            WeightRequest::Preset(preset) => *preset == Preset::Rest,
        }
    }

    /// One weight per name of a mesh, and what to warn of.
    ///
    /// Names and targets that the mesh lacks are left out: those that no mesh has were refused by [`check`].
    /// `place` names the mesh in errors; `own` are the weights that it has where none were asked for.
    fn for_mesh(
        &self,
        names: &NameTable,
        own: &[f32],
        place: &str,
    ) -> Result<(Vec<f32>, Option<String>), CliError> {
        let target_count = names.len();
        let mut warning = None;
        let mut weights = match self {
            WeightRequest::FileDefault => own.to_vec(),
            WeightRequest::Named(pairs) => {
                let known = pairs.iter().filter(|(name, _)| names.slot(name).is_some());
                let known: Vec<(&str, f32)> = known.map(|(name, w)| (name.as_str(), *w)).collect();
                weights_from_names(&known, names).map_err(CliError::weight(place))?
            }
            WeightRequest::Listed(file) => {
                let (weights, left_out) = file.for_targets(names)?;
                if left_out > 0 {
                    warning = Some(format!(
                        "{} has {} weights for the {target_count} targets of {place}; the last {left_out} are ignored",
                        file.path().display(),
                        target_count + left_out,
                    ));
                }
                weights
            }
            WeightRequest::Preset(preset) => preset.weights(target_count).unwrap_or_default(),
        };
        weights.resize(target_count, 0.0);
        check_finite(&weights, names).map_err(CliError::weight(place))?;
        Ok((weights, warning))
    }
}

/// Refuses what is not finite, wherever it came from.
fn check_finite(weights: &[f32], names: &NameTable) -> Result<(), WeightError> {
    match weights.iter().enumerate().find(|(_, w)| !w.is_finite()) {
        Some((slot, &value)) => Err(not_finite(slot, value, names)),
        None => Ok(()),
    }
}

fn not_finite(slot: usize, value: f32, names: &NameTable) -> WeightError {
    WeightError::NotFinite {
        slot,
        name: names.name(slot).unwrap_or_default().to_owned(),
        value,
    }
}
