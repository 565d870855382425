//! What thresholds drop, and which of the two keeps the rest.

use morph_core::{MorphTarget, Thresholds, to_domain};
use morph_import::Model;

use crate::args::ThresholdArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::text::{count, counted};

const POSITION: &str = "--position-threshold";
const DIRECTION: &str = "--direction-threshold";

impl ThresholdArgs {
    /// Both, zero where none was given.
    pub(crate) fn thresholds(&self) -> Thresholds {
        Thresholds {
            position: self.position_threshold.unwrap_or(0.0),
            direction: self.direction_threshold.unwrap_or(0.0),
        }
    }

    /// Refuses what is no threshold.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        match self.thresholds().unusable() {
            Some((limit, value)) => Err(CliError::Threshold { limit, value }),
            None => Ok(()),
        }
    }

    /// Tells where a threshold does little because the other one keeps most of what it would drop.
    pub(crate) fn advise<'a>(
        &self,
        targets: impl IntoIterator<Item = &'a MorphTarget>,
        console: &mut Console<'_>,
    ) {
        if self.thresholds() == Thresholds::default() {
            return;
        }
        let mut survey = Survey::default();
        targets
            .into_iter()
            .for_each(|target| survey.add(target, self.thresholds()));
        for advice in survey.advice(self.thresholds()) {
            console.warn(advice);
        }
    }
}

/// Every target of a model, in each of its primitives.
pub(crate) fn targets_of(model: &Model) -> impl Iterator<Item = &MorphTarget> {
    let primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    primitives.flat_map(|primitive| &primitive.targets)
}

/// How many entries which threshold keeps.
#[derive(Debug, Default)]
struct Survey {
    entries: u64,
    dropped: u64,
    /// Kept only because a normal or tangent changes by more than its threshold.
    by_direction_alone: u64,
    /// Kept only because the vertex moves by more than its threshold.
    by_position_alone: u64,
}

impl Survey {
    fn add(&mut self, target: &MorphTarget, thresholds: Thresholds) {
        let position = Thresholds {
            direction: f32::INFINITY,
            ..thresholds
        };
        let direction = Thresholds {
            position: f32::INFINITY,
            ..thresholds
        };
        for entry in 0..target.vertices.len() {
            let deltas = [&target.positions, &target.normals, &target.tangents].map(|stream| {
                let delta = stream.as_ref().and_then(|deltas| deltas.get(entry));
                delta.copied().unwrap_or_default().map(to_domain)
            });
            if deltas.as_flattened().iter().all(|&x| x == 0.0) {
                continue;
            }
            self.entries += 1;
            match (position.keeps(deltas), direction.keeps(deltas)) {
                (false, false) => self.dropped += 1,
                (false, true) => self.by_direction_alone += 1,
                (true, false) => self.by_position_alone += 1,
                (true, true) => {}
            }
        }
    }

    /// A sentence for each threshold that would drop more than it does, were it not for the other.
    fn advice(&self, thresholds: Thresholds) -> Vec<String> {
        let drops = format!(
            "drops {} of {}",
            count(self.dropped),
            counted(self.entries as usize, "entry", "entries")
        );
        let advice =
            |(option, value): (&str, f32), (other, other_value): (&str, f32), kept: u64, why: &str| {
                if value == 0.0 || kept <= self.dropped {
                    return None;
                }
                let what = if other_value == 0.0 {
                    format!(
                        "which is 0; give both, as in {option} {value} {other} {}",
                        example(other)
                    )
                } else {
                    format!("which is {other_value}; raise it to drop them")
                };
                Some(format!(
                    "{option} {value} {drops}; {} only because {why} more than {other}, {what}",
                    counted(kept as usize, "more stays", "more stay"),
                ))
            };
        let position = (POSITION, thresholds.position);
        let direction = (DIRECTION, thresholds.direction);
        [
            advice(
                position,
                direction,
                self.by_direction_alone,
                "their normals or tangents change by",
            ),
            advice(
                direction,
                position,
                self.by_position_alone,
                "their vertices move by",
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// What most people would begin with.
fn example(option: &str) -> &'static str {
    if option == POSITION { "1e-5" } else { "1e-2" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(thresholds: Thresholds) -> Survey {
        let mut target = MorphTarget::empty("t");
        target.vertices = vec![0, 1, 2, 3];
        target.positions = Some(vec![[1.0, 0.0, 0.0], [0.01, 0.0, 0.0], [0.0; 3], [0.0; 3]]);
        target.normals = Some(vec![[0.0; 3], [0.0, 0.5, 0.0], [0.0, 0.25, 0.0], [0.0; 3]]);
        let mut survey = Survey::default();
        survey.add(&target, thresholds);
        survey
    }

    #[test]
    fn a_lone_threshold_that_does_little_is_told_with_figures() {
        let lone = Thresholds {
            position: 0.1,
            direction: 0.0,
        };
        assert_eq!(
            survey(lone).advice(lone),
            [
                "--position-threshold 0.1 drops 0 of 3 entries; 2 more stay only because their normals or tangents \
                 change by more than --direction-threshold, which is 0; give both, as in --position-threshold 0.1 \
                 --direction-threshold 1e-2"
            ]
        );
        let both = Thresholds {
            position: 0.1,
            direction: 0.4,
        };
        assert!(survey(both).advice(both).is_empty());
        let lone = Thresholds {
            position: 0.0,
            direction: 0.9,
        };
        assert!(
            survey(lone).advice(lone)[0].contains("their vertices move by more than --position-threshold"),
            "{:?}",
            survey(lone)
        );
    }
}
