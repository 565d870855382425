//! In-betweens and combination shapes: from the weights of controls to the weights of targets, on the host.
//!
//! An artist moves few controls; a mesh has a target for every shape that was sculpted.
//! A [`Channel`] stands between them: it spreads one weight over targets that are fully on at different
//! weights, and that weight is a control's or a product of others.
//!
//! ```
//! use morph_core::NameTable;
//! use morph_core::rig::{Channel, Clamp, Parent, Rig};
//!
//! let controls = NameTable::new(["jaw", "smile"])?;
//! let targets = NameTable::new(["jawHalf", "jawOpen", "smile", "jawOpenSmile"])?;
//! let channels = vec![
//!     Channel::combination([Parent::Target(1), Parent::Control(1)], Clamp::Parents, 3),
//!     Channel::in_between(0, [(1.0, 1), (0.5, 0)]),
//!     Channel::direct(1, 2),
//! ];
//! let rig = Rig::new(controls, &targets, channels)?;
//!
//! let mut weights = [0.0; 4];
//! rig.evaluate(&[0.75, 1.0], &mut weights)?;
//! assert_eq!(weights, [0.5, 0.5, 1.0, 0.5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod channel;
mod error;
mod order;
mod spread;

pub use channel::{Channel, ChannelShape, Clamp, Combination, Driver, Parent};
pub use error::{EvaluateError, RigError};

use crate::domain::to_domain;
use crate::names::NameTable;

/// Channels that were checked, in an order in which they can be evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Rig {
    controls: NameTable,
    target_count: usize,
    /// As given, but with the shapes of each ascending by full weight.
    channels: Vec<Channel>,
    /// Channels with parents before children.
    order: Vec<usize>,
}

impl Rig {
    /// Checks `channels` against the controls that they read and the targets that they drive.
    ///
    /// The order of the channels and of the shapes in them does not matter.
    /// A target is driven by at most one channel; one that none drives keeps the weight it is given.
    pub fn new(
        controls: NameTable,
        targets: &NameTable,
        mut channels: Vec<Channel>,
    ) -> Result<Self, RigError> {
        let mut driver_of = vec![None; targets.len()];
        for (index, channel) in channels.iter_mut().enumerate() {
            check_driver(index, &channel.driver, controls.len(), targets.len())?;
            check_shapes(index, &mut channel.shapes, targets)?;
            for shape in &channel.shapes {
                if let Some(first) = driver_of[shape.slot].replace(index) {
                    return Err(RigError::DrivenTwice {
                        slot: shape.slot,
                        name: name_of(shape.slot, targets),
                        first,
                        second: index,
                    });
                }
            }
        }
        let order = order::order(&channels, &driver_of).map_err(|looped| RigError::Loop {
            names: loop_names(&looped, &channels, &driver_of, targets),
        })?;
        Ok(Rig {
            controls,
            target_count: targets.len(),
            channels,
            order,
        })
    }

    /// A rig in which each target is a control of its own.
    pub fn direct(targets: &NameTable) -> Self {
        let channels: Vec<Channel> = (0..targets.len())
            .map(|slot| Channel::direct(slot, slot))
            .collect();
        Rig {
            controls: targets.clone(),
            target_count: targets.len(),
            order: (0..channels.len()).collect(),
            channels,
        }
    }

    /// The names of the controls.
    pub fn controls(&self) -> &NameTable {
        &self.controls
    }

    /// How many targets the mesh has.
    pub fn target_count(&self) -> usize {
        self.target_count
    }

    /// The channels in the order given, the shapes of each ascending by full weight.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// The slots that a channel drives, in no particular order.
    pub fn driven_slots(&self) -> impl Iterator<Item = usize> {
        self.channels
            .iter()
            .flat_map(|channel| channel.shapes.iter().map(|shape| shape.slot))
    }

    /// Writes the weight of every driven target into `target_weights` and leaves the others as they are.
    ///
    /// Controls past the end of `control_weights` are zero; `target_weights` has one place per target.
    /// Shares and products are computed in 64 bits and rounded once; what is written obeys the domain rule.
    /// Allocates nothing.
    ///
    /// After [`EvaluateError::ParentNotFinite`] and [`EvaluateError::Overflow`] the driven targets are zero;
    /// after any other error `target_weights` is as it was.
    pub fn evaluate(&self, control_weights: &[f32], target_weights: &mut [f32]) -> Result<(), EvaluateError> {
        self.check_input(control_weights, target_weights)?;
        let result = self
            .order
            .iter()
            .try_for_each(|&index| evaluate_channel(&self.channels[index], control_weights, target_weights));
        if result.is_err() {
            for slot in self.driven_slots() {
                target_weights[slot] = 0.0;
            }
        }
        result
    }

    fn check_input(&self, control_weights: &[f32], target_weights: &[f32]) -> Result<(), EvaluateError> {
        if control_weights.len() > self.controls.len() {
            return Err(EvaluateError::TooManyControls {
                given: control_weights.len(),
                control_count: self.controls.len(),
            });
        }
        if target_weights.len() != self.target_count {
            return Err(EvaluateError::TargetCount {
                given: target_weights.len(),
                target_count: self.target_count,
            });
        }
        match control_weights.iter().position(|weight| !weight.is_finite()) {
            None => Ok(()),
            Some(control) => Err(EvaluateError::ControlNotFinite {
                control,
                name: name_of(control, &self.controls),
                value: control_weights[control],
            }),
        }
    }
}

fn evaluate_channel(
    channel: &Channel,
    control_weights: &[f32],
    target_weights: &mut [f32],
) -> Result<(), EvaluateError> {
    let control = |control: usize| to_domain(control_weights.get(control).copied().unwrap_or(0.0));
    let weight = match &channel.driver {
        Driver::Control(number) => f64::from(control(*number)),
        Driver::Combination(combination) => {
            let mut product = 1.0;
            for parent in &combination.parents {
                let factor = match *parent {
                    Parent::Control(number) => control(number),
                    Parent::Target(slot) => parent_weight(slot, target_weights)?,
                };
                product *= f64::from(match combination.clamp {
                    Clamp::Parents => factor.clamp(0.0, 1.0),
                    Clamp::None => factor,
                });
            }
            product
        }
    };
    for shape in &channel.shapes {
        target_weights[shape.slot] = 0.0;
    }
    for (index, share) in spread::segment(&channel.shapes, weight) {
        let Some(index) = index else { continue };
        let slot = channel.shapes[index].slot;
        let rounded = share as f32;
        if !rounded.is_finite() {
            return Err(EvaluateError::Overflow { slot, value: share });
        }
        target_weights[slot] = to_domain(rounded);
    }
    Ok(())
}

fn parent_weight(slot: usize, target_weights: &[f32]) -> Result<f32, EvaluateError> {
    let value = target_weights[slot];
    if value.is_finite() {
        Ok(to_domain(value))
    } else {
        Err(EvaluateError::ParentNotFinite { slot, value })
    }
}

fn check_driver(
    channel: usize,
    driver: &Driver,
    control_count: usize,
    target_count: usize,
) -> Result<(), RigError> {
    if let Some(control) = driver.controls().find(|&control| control >= control_count) {
        return Err(RigError::ControlOutOfRange {
            channel,
            control,
            control_count,
        });
    }
    if let Some(slot) = driver.parent_slots().find(|&slot| slot >= target_count) {
        return Err(RigError::SlotOutOfRange {
            channel,
            slot,
            target_count,
        });
    }
    match driver {
        Driver::Combination(combination) if combination.parents.is_empty() => {
            Err(RigError::NoParents { channel })
        }
        _ => Ok(()),
    }
}

/// Checks the shapes of a channel and sorts them by full weight.
fn check_shapes(channel: usize, shapes: &mut [ChannelShape], targets: &NameTable) -> Result<(), RigError> {
    if shapes.is_empty() {
        return Err(RigError::NoShapes { channel });
    }
    for &ChannelShape { full_weight, slot } in shapes.iter() {
        if slot >= targets.len() {
            return Err(RigError::SlotOutOfRange {
                channel,
                slot,
                target_count: targets.len(),
            });
        }
        if !full_weight.is_finite() || to_domain(full_weight) == 0.0 {
            return Err(RigError::FullWeight {
                channel,
                slot,
                name: name_of(slot, targets),
                full_weight,
            });
        }
    }
    shapes.sort_by(|a, b| a.full_weight.total_cmp(&b.full_weight));
    match shapes
        .windows(2)
        .find(|pair| pair[0].full_weight == pair[1].full_weight)
    {
        None => Ok(()),
        Some(pair) => Err(RigError::DuplicateFullWeight {
            channel,
            first: name_of(pair[0].slot, targets),
            second: name_of(pair[1].slot, targets),
            full_weight: pair[0].full_weight,
        }),
    }
}

/// For each channel of a loop the target of it that the next one reads.
fn loop_names(
    looped: &[usize],
    channels: &[Channel],
    driver_of: &[Option<usize>],
    targets: &NameTable,
) -> Vec<String> {
    let next = looped.iter().cycle().skip(1);
    looped
        .iter()
        .zip(next)
        .filter_map(|(&channel, &next)| {
            channels[next]
                .driver
                .parent_slots()
                .find(|&slot| driver_of[slot] == Some(channel))
        })
        .map(|slot| name_of(slot, targets))
        .collect()
}

fn name_of(number: usize, names: &NameTable) -> String {
    names.name(number).unwrap_or_default().to_owned()
}
