//! Skins, and the joints and weights of skinned vertices.

use glam::Mat4;
use morph_core::{InfluenceCount, SkinWeights};

use super::accessor::Accessors;
use super::attributes::{attribute, set_number};
use super::document::{self, Attributes, Document};
use super::fault::{At, Fault, Findings, place};
use super::item::{Item, item};
use crate::damage::Part;
use crate::error::GltfError;
use crate::findings::Account;
use crate::model::Skin;
use crate::warning::{ImportWarning, WarningKind};

const JOINTS: &str = "JOINTS_";
const WEIGHTS: &str = "WEIGHTS_";

/// The most influences of a vertex that are kept.
const MOST_INFLUENCES: usize = 8;

/// How far a sum of weights may be from one for each of them that is not zero, as the specification's validator has it.
const SUM_TOLERANCE: f64 = 2e-7;

/// Reads all skins; one that is damaged is `None`.
pub(crate) fn skins(
    document: &Document,
    accessors: Accessors<'_>,
    findings: &mut Findings,
) -> Result<Vec<Option<Skin>>, Fault> {
    let read = |(index, skin): (usize, &Item<document::Skin>)| {
        let name = skin.sound().and_then(|skin| skin.name.as_deref());
        let here = || place("skin", index, name);
        let skin = skin.get("skin", index as u64).at(here)?;
        if skin.joints.is_empty() {
            return Err(GltfError::NoJoints).at(here);
        }
        let mut joints = Vec::with_capacity(skin.joints.len());
        for joint in &skin.joints {
            item(&document.nodes, joint.0, "node").at(here)?;
            joints.push(joint.0 as usize);
        }
        let inverse_bind = if let Some(accessor) = skin.inverse_bind_matrices {
            accessors
                .matrices(accessor.0, joints.len())
                .at(|| format!("{}, inverseBindMatrices (accessor {})", here(), accessor.0))?
        } else {
            let bytes = joints.len() * size_of::<Mat4>();
            accessors.spend(bytes as u64).at(here)?;
            vec![Mat4::IDENTITY; joints.len()]
        };
        Ok(Skin {
            name: skin.name.clone(),
            joints,
            inverse_bind,
        })
    };
    let each = document.skins.iter().enumerate();
    each.map(|skin| Ok(findings.part(Part::Skin, &accessors, |_| read(skin))?.ok()))
        .collect()
}

/// For each mesh how many joints the smallest sound skin has that a node deforms it with.
pub(crate) fn joint_counts(document: &Document, skins: &[Option<Skin>]) -> Vec<Option<usize>> {
    let mut counts: Vec<Option<usize>> = vec![None; document.meshes.len()];
    for node in &document.nodes {
        let (Some(mesh), Some(skin)) = (node.mesh, node.skin) else {
            continue;
        };
        // What does not exist is told where nodes are read.
        let skin = usize::try_from(skin.0)
            .ok()
            .and_then(|skin| skins.get(skin)?.as_ref());
        let count = usize::try_from(mesh.0).ok().and_then(|mesh| counts.get_mut(mesh));
        if let (Some(skin), Some(count)) = (skin, count) {
            let joints = skin.joints.len();
            *count = Some(count.map_or(joints, |least| least.min(joints)));
        }
    }
    counts
}

/// One joint that holds a vertex.
#[derive(Debug, Clone, Copy, Default)]
struct Influence {
    joint: u16,
    weight: f32,
}

/// Reads the joints and weights of a primitive from all of its sets.
///
/// A joint that holds a vertex has to be below `joint_count`, where the mesh has a skin.
pub(crate) fn weights(
    accessors: Accessors<'_>,
    place: &str,
    attributes: &Attributes,
    vertex_count: u32,
    joint_count: Option<usize>,
    warnings: &mut Vec<ImportWarning>,
) -> Result<Option<SkinWeights>, Fault> {
    let mut warn = |kind| {
        warnings.push(ImportWarning {
            place: place.to_owned(),
            kind,
        });
    };
    let before = accessors.spent();
    let sets = read_sets(accessors, place, attributes, vertex_count, &mut warn)?;
    let influence_count = match sets.len() {
        0 => return Ok(None),
        1 => InfluenceCount::Four,
        _ => InfluenceCount::Eight,
    };
    let vertices = vertex_count as usize;
    let kept = vertices as u64 * influence_count.get() as u64 * (size_of::<u16>() + size_of::<f32>()) as u64;
    accessors.spend(kept).at(|| place.to_owned())?;

    let mut joints = Vec::with_capacity(vertices * influence_count.get());
    let mut weights = Vec::with_capacity(vertices * influence_count.get());
    let mut counts = Oddities::default();
    let mut influences = Vec::with_capacity(4 * sets.len());
    for vertex in 0..vertices {
        influences.clear();
        for set in &sets {
            let pairs = set.joints[vertex].into_iter().zip(set.weights[vertex]);
            influences.extend(pairs.map(|(joint, weight)| Influence { joint, weight }));
        }
        let checked = check(vertex, &mut influences, joint_count, &mut counts);
        checked.at(|| format!("{place}, JOINTS_n and WEIGHTS_n"))?;
        keep_largest(&mut influences, influence_count.get(), &mut counts);
        make_sum_one(&mut influences, &mut counts);
        joints.extend(influences.iter().map(|influence| influence.joint));
        weights.extend(influences.iter().map(|influence| influence.weight));
    }
    drop(sets);
    accessors.settle(before, kept).at(|| place.to_owned())?;
    counts.tell(warn);
    let weights = SkinWeights::new(influence_count, joints, weights).map_err(GltfError::SkinWeights);
    weights.map(Some).at(|| place.to_owned())
}

/// The joints and weights of one set, vertex by vertex.
struct Set {
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
}

/// Reads the sets that have joints and weights both.
fn read_sets(
    accessors: Accessors<'_>,
    place: &str,
    attributes: &Attributes,
    vertex_count: u32,
    warn: &mut impl FnMut(WarningKind),
) -> Result<Vec<Set>, Fault> {
    let mut numbers: Vec<u32> = attributes
        .keys()
        .filter_map(|name| set_number(name, JOINTS).or_else(|| set_number(name, WEIGHTS)))
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut sets = Vec::new();
    for set in numbers {
        let (joints, weights) = (format!("{JOINTS}{set}"), format!("{WEIGHTS}{set}"));
        let Some(accessor) = attributes
            .get(&joints)
            .filter(|_| attributes.contains_key(&weights))
        else {
            warn(WarningKind::SkinSetIncomplete { set });
            continue;
        };
        let joints = accessors
            .joints(accessor.0, u64::from(vertex_count))
            .at(|| format!("{place}, {joints} (accessor {})", accessor.0))?;
        if let Some(weights) = attribute(accessors, place, attributes, &weights, vertex_count)? {
            sets.push(Set { joints, weights });
        }
    }
    Ok(sets)
}

/// What was odd about the influences of a primitive's vertices, counted.
#[derive(Debug, Default)]
struct Oddities {
    unused_joints: usize,
    negative: usize,
    dropped: usize,
    rescaled: usize,
}

impl Oddities {
    fn tell(&self, mut warn: impl FnMut(WarningKind)) {
        let mut tell = |count: usize, kind: WarningKind| {
            if count > 0 {
                warn(kind);
            }
        };
        tell(
            self.unused_joints,
            WarningKind::UnusedJointsPastSkin {
                influences: self.unused_joints,
            },
        );
        tell(
            self.negative,
            WarningKind::SkinWeightsNegative {
                influences: self.negative,
            },
        );
        tell(
            self.dropped,
            WarningKind::InfluencesDropped {
                vertices: self.dropped,
                most: MOST_INFLUENCES,
            },
        );
        tell(
            self.rescaled,
            WarningKind::SkinWeightsRescaled {
                vertices: self.rescaled,
            },
        );
    }
}

/// Makes sure that every weight is a number and every joint that holds the vertex is in the skin.
fn check(
    vertex: usize,
    influences: &mut [Influence],
    joint_count: Option<usize>,
    counts: &mut Oddities,
) -> Result<(), GltfError> {
    for influence in influences {
        if !influence.weight.is_finite() {
            return Err(GltfError::SkinWeight {
                vertex,
                weight: influence.weight,
            });
        }
        if influence.weight < 0.0 {
            influence.weight = 0.0;
            counts.negative += 1;
        }
        // Adding turns a negative zero into zero.
        influence.weight += 0.0;
        let Some(joints) = joint_count.filter(|&joints| usize::from(influence.joint) >= joints) else {
            continue;
        };
        if influence.weight > 0.0 {
            return Err(GltfError::JointRange {
                vertex,
                joint: influence.joint,
                joints,
            });
        }
        influence.joint = 0;
        counts.unused_joints += 1;
    }
    Ok(())
}

/// Leaves the largest influences, in their order; of equal ones the first.
fn keep_largest(influences: &mut Vec<Influence>, count: usize, counts: &mut Oddities) {
    if influences.len() <= count {
        return;
    }
    let mut order: Vec<usize> = (0..influences.len()).collect();
    order.sort_by(|&a, &b| influences[b].weight.total_cmp(&influences[a].weight));
    if influences[order[count]].weight > 0.0 {
        counts.dropped += 1;
    }
    order.truncate(count);
    order.sort_unstable();
    *influences = order.into_iter().map(|index| influences[index]).collect();
}

/// Scales the weights so that they sum to one. Those that are all zero stay: such a vertex is held by nothing.
fn make_sum_one(influences: &mut [Influence], counts: &mut Oddities) {
    let sum: f64 = influences
        .iter()
        .map(|influence| f64::from(influence.weight))
        .sum();
    let used = influences
        .iter()
        .filter(|influence| influence.weight > 0.0)
        .count();
    if used == 0 || (sum - 1.0).abs() <= SUM_TOLERANCE * used as f64 {
        return;
    }
    for influence in influences {
        influence.weight = (f64::from(influence.weight) / sum) as f32;
    }
    counts.rescaled += 1;
}
