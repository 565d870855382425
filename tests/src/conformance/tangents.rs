//! Against plain arithmetic in double precision: tangents of the head whose tangent targets are dense.

use std::path::Path;

use morph_import::ImportOptions;

use super::measure::{ALLOWED, Quantity, Row, weight_of};
use super::subject::Subject;
use super::{ConformanceError, files};
use crate::oracle::Tangents;

const MODEL: &str = "mh_head/mh_head52_dense_tangents.glb";

pub(super) fn rows(shared: &Path) -> Result<Vec<Row>, ConformanceError> {
    let answer: Tangents = files::read(&shared.join("oracle/tangents_mh_head52.json"))?;
    let mut row = Row::new(MODEL.to_owned());
    let subject = Subject::load(&shared.join("assets").join(MODEL), &ImportOptions::default())?;
    let handedness = subject.model.meshes[0].primitives[0]
        .tangents
        .as_deref()
        .unwrap_or_default();
    for setting in answer.settings.values() {
        let Some(tangents) = subject.morphed(0, 0, &setting.weights).tangents else {
            row.fault("no tangents");
            break;
        };
        let ours: Vec<f64> = answer
            .vertices
            .iter()
            .flat_map(|&vertex| {
                let [x, y, z] = tangents[vertex];
                [x, y, z, handedness[vertex][3]]
            })
            .map(f64::from)
            .collect();
        let allowed = ALLOWED * weight_of(&setting.weights);
        row.compare(
            Quantity::Tangents,
            &ours,
            setting.tangents.as_flattened(),
            allowed,
        );
    }
    Ok(vec![row])
}
