//! Joints and weights of skinned vertices.

use std::collections::HashSet;

use super::data::Data;
use super::elements::{Elements, MOST_COMPONENTS};
use super::format::{Component, Shape};
use super::lists::{Lists, present};
use super::meshes::Primitive;
use super::report::{Findings, Severity};
use super::skins::smallest_skins;
use super::values::may_walk;
use super::work::Work;

/// What the sum of weights may differ from 1 by, for each weight of the vertex.
const SUM_TOLERANCE_PER_WEIGHT: f64 = 2e-7;

/// Checks the primitives of all meshes that nodes show with a skin.
pub(super) fn check(lists: &Lists<'_>, data: &Data<'_>, work: &mut Work, findings: &mut Findings) {
    let skins = smallest_skins(lists);
    for (mesh_index, mesh) in present(&lists.meshes) {
        let Some((joint_count, skin)) = skins[mesh_index].filter(|&(count, _)| count > 0) else {
            continue;
        };
        for (index, primitive) in mesh.primitives.iter().flatten().enumerate() {
            let Some(mut sets) = sets_of(primitive, lists, data) else {
                continue;
            };
            let may_check = sets
                .iter()
                .all(|set| may_walk(&set.joints, work) && may_walk(&set.weights, work));
            if may_check && !sets.is_empty() {
                check_sets(&mut sets, joint_count as u64, skin);
                let place = format!("/meshes/{mesh_index}/primitives/{index}/attributes");
                for (index, set) in sets.iter().enumerate() {
                    set.tell(&place, index, findings);
                }
            }
        }
    }
}

/// Joints and weights of the same number, and what is wrong with them.
struct Set<'a> {
    joints: Elements<'a>,
    weights: Elements<'a>,
    /// Integers stand for fractions here, normalized or not.
    weight_component: Component,
    faults: [Fault; 5],
}

/// How often a fault occurs, and what the first one is.
#[derive(Default)]
struct Fault {
    count: u64,
    message: String,
}

impl Fault {
    fn count(&mut self, message: impl FnOnce() -> String) {
        if self.count == 0 {
            self.message = message();
        }
        self.count += 1;
    }
}

/// The faults of a set by their place in it, and the attribute that each is told of.
const FAULTS: [(&str, &str, Severity); 5] = [
    ("ACCESSOR_JOINTS_INDEX_OOB", "JOINTS", Severity::Error),
    ("ACCESSOR_JOINTS_INDEX_DUPLICATE", "JOINTS", Severity::Error),
    ("ACCESSOR_WEIGHTS_NEGATIVE", "WEIGHTS", Severity::Error),
    ("ACCESSOR_JOINTS_USED_ZERO_WEIGHT", "JOINTS", Severity::Warning),
    ("ACCESSOR_WEIGHTS_NON_NORMALIZED", "WEIGHTS", Severity::Error),
];
const OUT_OF_RANGE: usize = 0;
const DUPLICATE: usize = 1;
const NEGATIVE: usize = 2;
const ZERO_WEIGHT: usize = 3;
const NOT_NORMALIZED: usize = 4;

impl Set<'_> {
    fn tell(&self, place: &str, index: usize, findings: &mut Findings) {
        for ((code, attribute, severity), fault) in FAULTS.into_iter().zip(&self.faults) {
            if fault.count > 0 {
                let pointer = format!("{place}/{attribute}_{index}");
                findings.add(severity, code, pointer, fault.count, fault.message.as_str());
            }
        }
    }
}

/// The sets of a primitive; `None` where one of them is unusable, which is told elsewhere.
fn sets_of<'a>(primitive: &Primitive<'_>, lists: &Lists<'_>, data: &'a Data<'_>) -> Option<Vec<Set<'a>>> {
    let attributes = primitive.attributes.as_ref()?;
    let mut counts = attributes
        .iter()
        .filter_map(|(_, index)| lists.accessor((*index)?)?.count);
    let vertex_count = counts.next();
    let find = |name: String| {
        let (_, index) = attributes.iter().find(|(attribute, _)| *attribute == name)?;
        let accessor = lists.accessor((*index)?)?;
        (accessor.count == vertex_count && accessor.shape == Some(Shape::Vec4)).then_some(accessor)
    };
    let set = |index: usize| {
        let joints = find(format!("JOINTS_{index}")).filter(|joints| !joints.component.is_float())?;
        let weights = find(format!("WEIGHTS_{index}"))?;
        Some(Set {
            joints: Elements::of(joints, lists, data)?,
            weights: Elements::of(weights, lists, data)?,
            weight_component: weights.component,
            faults: Default::default(),
        })
    };
    (0..primitive.joint_sets).map(set).collect()
}

fn check_sets(sets: &mut [Set<'_>], joint_count: u64, skin: u64) {
    let mut joints = vec![[0.0; MOST_COMPONENTS]; sets.len()];
    let mut weights = joints.clone();
    let mut used = HashSet::new();
    let mut vertex = 0_u64;
    loop {
        for ((set, joints), weights) in sets.iter_mut().zip(&mut joints).zip(&mut weights) {
            if !set.joints.next(joints) || !set.weights.next(weights) {
                return;
            }
        }
        used.clear();
        // The sum is kept in 32 bits, as a program that skins in them would find it.
        let mut sum = 0.0_f32;
        let mut tolerance = 0.0;
        for component in 0..4 {
            for ((set, joints), weights) in sets.iter_mut().zip(&joints).zip(&weights) {
                let joint = joints[component] as u64;
                let weight = set.weight_component.fraction(weights[component]);
                if joint >= joint_count {
                    set.faults[OUT_OF_RANGE].count(|| {
                        format!("vertex {vertex} is bound to joint {joint}; skin {skin} has {joint_count}")
                    });
                } else if weight == 0.0 {
                    if joint != 0 {
                        set.faults[ZERO_WEIGHT].count(|| {
                            format!("vertex {vertex} is bound to joint {joint} by a weight of zero; name joint 0 then")
                        });
                    }
                } else {
                    let is_new = used.insert(joint);
                    if !is_new {
                        set.faults[DUPLICATE]
                            .count(|| format!("vertex {vertex} is bound to joint {joint} more than once"));
                    }
                    if weight < 0.0 {
                        set.faults[NEGATIVE].count(|| {
                            format!("vertex {vertex} has a weight of {weight}; weights are not negative")
                        });
                    } else if is_new {
                        sum = (f64::from(sum) + weight) as f32;
                        tolerance += SUM_TOLERANCE_PER_WEIGHT;
                    }
                }
            }
        }
        if (f64::from(sum) - 1.0).abs() > tolerance {
            for set in &mut *sets {
                set.faults[NOT_NORMALIZED]
                    .count(|| format!("the weights of vertex {vertex} sum to {sum}, they have to sum to 1"));
            }
        }
        vertex += 1;
    }
}
