//! What a rig is made from, as an importer or an editor writes it down.

/// One weight that is spread over the shapes of a list, by their full weights.
///
/// The target whose full weight equals the channel's weight is fully on and all others are off; between two
/// neighbors the weight goes over linearly, and past either end the last segment is continued.
/// Full weight 0 is the rest pose, so no target can stand there.
#[doc(alias = "blend shape channel")]
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Where the weight comes from.
    pub driver: Driver,
    /// The targets it is spread over, in any order.
    pub shapes: Vec<ChannelShape>,
}

/// A target of a channel, and the weight of the channel at which it is fully on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChannelShape {
    /// The channel's weight at which the target has weight 1: a fraction, so 0.5 for 50 %.
    /// Not zero, and unlike the others of its channel; below zero and past one are allowed.
    pub full_weight: f32,
    /// The target's slot.
    pub slot: usize,
}

/// Where the weight of a channel comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Driver {
    /// The control with this number.
    Control(usize),
    /// The product of other weights, for a shape that corrects others where they meet.
    Combination(Combination),
}

/// A product of weights.
#[doc(alias = "corrective")]
#[derive(Clone, Debug, PartialEq)]
pub struct Combination {
    /// The factors, one or more.
    pub parents: Vec<Parent>,
    /// What is done with factors outside 0..=1.
    pub clamp: Clamp,
}

/// A factor of a combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parent {
    /// The weight of the control with this number.
    Control(usize),
    /// The weight of the target in this slot: an in-between, another combination, or a target that no channel
    /// drives and that keeps the weight which the caller gave it.
    Target(usize),
}

/// What a combination does with factors outside 0..=1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Clamp {
    /// Each factor is clamped to 0..=1, so that two negative ones do not switch a corrective on.
    #[default]
    Parents,
    /// Factors are multiplied as they are.
    None,
}

impl Channel {
    /// A channel in which one control is the weight of one target.
    pub fn direct(control: usize, slot: usize) -> Self {
        Channel {
            driver: Driver::Control(control),
            shapes: vec![ChannelShape {
                full_weight: 1.0,
                slot,
            }],
        }
    }

    /// A channel in which one control is spread over (full weight, slot) pairs.
    pub fn in_between(control: usize, shapes: impl IntoIterator<Item = (f32, usize)>) -> Self {
        Channel {
            driver: Driver::Control(control),
            shapes: shapes
                .into_iter()
                .map(|(full_weight, slot)| ChannelShape { full_weight, slot })
                .collect(),
        }
    }

    /// A channel in which one target has the product of the parents' weights.
    pub fn combination(parents: impl IntoIterator<Item = Parent>, clamp: Clamp, slot: usize) -> Self {
        Channel {
            driver: Driver::Combination(Combination {
                parents: parents.into_iter().collect(),
                clamp,
            }),
            shapes: vec![ChannelShape {
                full_weight: 1.0,
                slot,
            }],
        }
    }
}

impl Driver {
    /// The slots whose weights have to be known before this driver's is.
    pub(super) fn parent_slots(&self) -> impl Iterator<Item = usize> {
        let parents: &[Parent] = match self {
            Driver::Control(_) => &[],
            Driver::Combination(combination) => &combination.parents,
        };
        parents.iter().filter_map(|parent| match *parent {
            Parent::Control(_) => None,
            Parent::Target(slot) => Some(slot),
        })
    }

    /// The controls that this driver reads.
    pub(super) fn controls(&self) -> impl Iterator<Item = usize> {
        let (own, parents): (Option<usize>, &[Parent]) = match self {
            Driver::Control(control) => (Some(*control), &[]),
            Driver::Combination(combination) => (None, &combination.parents),
        };
        own.into_iter()
            .chain(parents.iter().filter_map(|parent| match *parent {
                Parent::Control(control) => Some(control),
                Parent::Target(_) => None,
            }))
    }
}
