//! `--expression`: weights by the expressions of an avatar.

use crate::error::CliError;
use crate::model::Loaded;

/// The weights of a node's targets while expressions show by these values; targets that none of the model's
/// expressions moves start as the file has them.
pub(super) fn weights(
    loaded: &Loaded,
    mesh: usize,
    node: Option<usize>,
    asked: &[(String, f32)],
) -> Result<Vec<f32>, CliError> {
    let model = &loaded.model;
    if model.expressions.is_empty() {
        return Err(CliError::NoExpressions {
            path: loaded.path.clone(),
        });
    }
    let node = node.ok_or_else(|| CliError::NodeShowsNone {
        place: loaded.mesh_place(mesh),
    })?;
    let set = model.expression_set(node).map_err(CliError::playback)?;
    let names = set.names();
    let mut values = vec![0.0; names.len()];
    for (name, value) in asked {
        let index = names.slot(name).ok_or_else(|| CliError::NoSuchExpression {
            path: loaded.path.clone(),
            name: name.clone(),
            nearest: names.nearest(name, 3).into_iter().map(str::to_owned).collect(),
        })?;
        values[index] = *value;
    }
    let mut weights = model.start_weights(node).to_vec();
    set.evaluate(&values, &mut weights)
        .map_err(|source| CliError::Expression { source })?;
    Ok(weights)
}
