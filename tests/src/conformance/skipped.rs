//! Models that no program has an answer for.

use std::collections::HashSet;
use std::path::Path;

use morph_import::{Format, ImportError, ImportOptions, ImportWarning, Model, WarningKind, load};

use super::{ConformanceError, Table, files};

/// A model that is in no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The model's path below the folder of models.
    pub model: String,
    /// Why there is nothing to compare.
    pub reason: String,
}

pub(super) fn skipped(shared: &Path, tables: &[Table]) -> Result<Vec<Skipped>, ConformanceError> {
    let compared: HashSet<&str> = tables
        .iter()
        .flat_map(|table| &table.rows)
        .map(|row| row.model.as_str())
        .collect();
    let models = files::models(shared)?;
    let rest = models
        .into_iter()
        .filter(|model| !compared.contains(model.as_str()));
    Ok(rest
        .map(|model| Skipped {
            reason: reason(&shared.join("assets").join(&model)),
            model,
        })
        .collect())
}

fn reason(path: &Path) -> String {
    match load(path, &ImportOptions::default()) {
        Ok(model) if model.format == Format::MakeHuman => {
            "no answer of another program; a test of the import compares it with mh_body_face52, which was made of it"
                .to_owned()
        }
        Ok(model) => {
            let why = if moves(&model) {
                "no answer of another program"
            } else {
                "nothing in it moves: no targets, no skins, no clips"
            };
            match left_out(&model)[..] {
                [] => format!("{why}; it loads"),
                [first] => format!("{why}; it loads in part: {first}"),
                [first, ref others @ ..] => {
                    format!("{why}; it loads in part: {first}; and {} more", others.len())
                }
            }
        }
        Err(ImportError::MakeHuman { .. }) => "a frame of an FBX file, no model of its own".to_owned(),
        Err(error) => format!("no answer of another program; refused: {}", without_path(&error.to_string(), path)),
    }
}

fn moves(model: &Model) -> bool {
    let has_targets = model.meshes.iter().any(|mesh| !mesh.target_names.is_empty());
    has_targets || !model.skins.is_empty() || !model.clips.is_empty()
}

/// What was left out because it is damaged.
fn left_out(model: &Model) -> Vec<&ImportWarning> {
    let is_left_out = |warning: &&ImportWarning| matches!(warning.kind, WarningKind::LeftOut { .. });
    model.warnings.iter().filter(is_left_out).collect()
}

/// A message without the place of the folder of models, which differs from machine to machine.
fn without_path(message: &str, path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    message.replace(&path.display().to_string(), &name)
}
