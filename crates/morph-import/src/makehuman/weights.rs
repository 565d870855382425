//! Weights of a rig: which bones hold each control point, and by how much.

use std::collections::HashMap;
use std::path::Path;

use morph_core::{InfluenceCount, SkinWeights};
use serde::Deserialize;

use super::json::{self, Entries};
use super::rig::Bone;
use super::target::fault;
use super::warning;
use crate::error::{ImportError, MakeHumanError};
use crate::text::shorten;
use crate::warning::{ImportWarning, WarningKind};

/// The most bones that a control point keeps.
const MOST: usize = 8;
/// How far weights may be from a sum of one without a word. The files have four digits.
const SUM_TOLERANCE: f64 = 1e-3;

#[derive(Debug, Deserialize)]
struct Document {
    /// For each bone the control points that it holds.
    weights: Entries<Vec<(u64, f64)>>,
}

#[derive(Debug, Clone, Copy)]
struct Influence {
    joint: u16,
    weight: f64,
}

/// The bones of each control point: at most eight, the largest first, with weights that sum to one, or none.
#[derive(Debug)]
pub(super) struct Influences(Vec<Vec<Influence>>);

/// Reads weights. The joints are the indices of the bones.
pub(super) fn read(
    path: &Path,
    bones: &[Bone],
    point_count: usize,
    warnings: &mut Vec<ImportWarning>,
) -> Result<Influences, ImportError> {
    let Document {
        weights: Entries(entries),
    } = json::read(path)?;
    // One joint more may be needed for what no bone holds.
    let limit = usize::from(u16::MAX);
    if bones.len() > limit {
        let count = bones.len();
        return Err(fault(path, None, MakeHumanError::TooManyBones { count, limit }));
    }
    let joints: HashMap<&str, u16> = bones.iter().map(|bone| bone.name.as_str()).zip(0..).collect();
    let mut points = vec![Vec::new(); point_count];
    let mut oddities = Oddities::default();
    for (bone, list) in &entries {
        let joint = joints.get(bone.as_str()).copied();
        for &(index, weight) in list {
            check(bone, index, weight, point_count).map_err(|error| fault(path, None, error))?;
            if let Some(joint) = joint {
                oddities.add(&mut points[index as usize], Influence { joint, weight });
            }
        }
        oddities.without_bone += usize::from(joint.is_none() && !list.is_empty());
    }
    for influences in &mut points {
        oddities.settle(influences);
    }
    oddities.tell(|kind| warnings.push(warning(path, kind)));
    Ok(Influences(points))
}

fn check(bone: &str, index: u64, weight: f64, point_count: usize) -> Result<(), MakeHumanError> {
    let bone = || shorten(bone);
    if index >= point_count as u64 {
        return Err(MakeHumanError::BoneVertex {
            bone: bone(),
            index,
            vertex_count: point_count,
        });
    }
    if !(weight as f32).is_finite() {
        return Err(MakeHumanError::BoneWeight {
            bone: bone(),
            vertex: index,
            weight,
        });
    }
    Ok(())
}

/// What is to be told of the weights, counted.
#[derive(Debug, Default)]
struct Oddities {
    without_bone: usize,
    repeated: usize,
    negative: usize,
    dropped: usize,
    rescaled: usize,
}

impl Oddities {
    /// Adds a bone to a control point. Bones come one after another, so one that is there already is the last.
    fn add(&mut self, influences: &mut Vec<Influence>, added: Influence) {
        match influences.last_mut() {
            Some(last) if last.joint == added.joint => {
                self.repeated += 1;
                *last = added;
            }
            _ => influences.push(added),
        }
    }

    /// Keeps the largest weights of a control point, and makes them sum to one.
    fn settle(&mut self, influences: &mut Vec<Influence>) {
        self.negative += influences
            .iter()
            .filter(|influence| influence.weight < 0.0)
            .count();
        influences.retain(|influence| influence.weight > 0.0);
        let sum = |influences: &[Influence]| influences.iter().map(|influence| influence.weight).sum::<f64>();
        self.rescaled += usize::from(!influences.is_empty() && (sum(influences) - 1.0).abs() > SUM_TOLERANCE);
        // The sort is stable: of equal weights the bone that the rig lists first stays.
        influences.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.joint.cmp(&b.joint)));
        self.dropped += usize::from(influences.len() > MOST);
        influences.truncate(MOST);
        let kept = sum(influences);
        for influence in influences {
            influence.weight /= kept;
        }
    }

    fn tell(&self, mut warn: impl FnMut(WarningKind)) {
        if self.without_bone > 0 {
            let bones = self.without_bone;
            warn(WarningKind::WeightsWithoutBone { bones });
        }
        if self.repeated > 0 {
            let entries = self.repeated;
            warn(WarningKind::BoneWeightsRepeated { entries });
        }
        if self.negative > 0 {
            let influences = self.negative;
            warn(WarningKind::SkinWeightsNegative { influences });
        }
        if self.dropped > 0 {
            let vertices = self.dropped;
            warn(WarningKind::InfluencesDropped { vertices, most: MOST });
        }
        if self.rescaled > 0 {
            let vertices = self.rescaled;
            warn(WarningKind::SkinWeightsRescaled { vertices });
        }
    }
}

impl Influences {
    /// Whether any bone holds the control point.
    pub(super) fn is_held(&self, point: u32) -> bool {
        !self.0[point as usize].is_empty()
    }

    /// The bones of vertices, by their control points; what no bone holds is held by the joint `rest`.
    pub(super) fn of_vertices(&self, points: &[u32], rest: u16) -> Result<SkinWeights, MakeHumanError> {
        let lists = || points.iter().map(|&point| &self.0[point as usize]);
        let influence_count = match lists().map(Vec::len).max() {
            Some(5..) => InfluenceCount::Eight,
            _ => InfluenceCount::Four,
        };
        let per_vertex = influence_count.get();
        let mut joints = Vec::with_capacity(points.len() * per_vertex);
        let mut weights = Vec::with_capacity(points.len() * per_vertex);
        for list in lists() {
            let held_by_none = Influence {
                joint: rest,
                weight: 1.0,
            };
            let used = if list.is_empty() {
                &[held_by_none]
            } else {
                list.as_slice()
            };
            let filled = |values: usize| per_vertex - values;
            joints.extend(used.iter().map(|influence| influence.joint));
            joints.extend(std::iter::repeat_n(0, filled(used.len())));
            weights.extend(used.iter().map(|influence| influence.weight as f32));
            weights.extend(std::iter::repeat_n(0.0, filled(used.len())));
        }
        SkinWeights::new(influence_count, joints, weights).map_err(MakeHumanError::SkinWeights)
    }
}
