//! The sum of several clips, and how a layer puts it over what lies below.
//!
//! Sums are kept in double precision and rounded once; what would pass the largest `f32` is that number.

use glam::{DQuat, DVec3, Quat, Vec3};

use crate::bind::Value;
use crate::number::{bounded, to_finite};
use crate::pose::{Pose, Slot};
use crate::rotation::{slerp, unit_else};
use crate::trs::Trs;

/// How a layer goes over what lies below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LayerMode {
    /// Replaces, by the layer's weight, what lies below: `below + weight · (value - below)`.
    ///
    /// A weight of one gives the layer's value to the last bit. Rotations turn along the shorter way at a constant
    /// speed (slerp).
    Override,
    /// Adds to what lies below: `below + weight · value` for weights of targets.
    ///
    /// Of a transform the difference to the rest pose is added, so that an ordinary clip can be laid over another:
    /// `below + weight · (value - rest)` for translation and scale, and for a rotation, on the side of the node, that
    /// part of the turn from rest to value.
    /// What adds zero changes no bit.
    Additive,
}

/// A weighted sum of one part of a transform, or of a weight.
#[derive(Clone, Debug)]
struct Sum<T> {
    value: T,
    /// The sum of the weights.
    share: f64,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Absent,
    /// Driven, with a weight of zero.
    Zero,
    /// Exactly one value has been added.
    Once,
    Several,
}

/// What the clips of a layer amount to.
#[derive(Clone, Debug)]
pub(crate) struct Mix {
    translations: Vec<Sum<DVec3>>,
    rotations: Vec<Sum<DQuat>>,
    scales: Vec<Sum<DVec3>>,
    weights: Vec<Sum<f64>>,
}

trait Summand: Copy + std::ops::Add<Output = Self> + std::ops::Mul<f64, Output = Self> {
    const ZERO: Self;
    /// The value, or what means the same, from which the way to `sum` is shorter.
    fn beside(self, sum: Self) -> Self;
}

impl Summand for f64 {
    const ZERO: Self = 0.0;
    fn beside(self, _: Self) -> Self {
        self
    }
}

impl Summand for DVec3 {
    const ZERO: Self = DVec3::ZERO;
    fn beside(self, _: Self) -> Self {
        self
    }
}

impl Summand for DQuat {
    const ZERO: Self = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    fn beside(self, sum: Self) -> Self {
        if self.dot(sum) < 0.0 { -self } else { self }
    }
}

impl<T: Summand> Sum<T> {
    const EMPTY: Self = Sum {
        value: T::ZERO,
        share: 0.0,
        state: State::Absent,
    };

    fn add(&mut self, value: T, weight: f64) {
        self.share += weight;
        if weight == 0.0 {
            if self.state == State::Absent {
                self.state = State::Zero;
            }
        } else if matches!(self.state, State::Absent | State::Zero) {
            // Not added to zero, which would make a zero of -0.
            self.value = value * weight;
            self.state = State::Once;
        } else {
            self.value = self.value + value.beside(self.value) * weight;
            self.state = State::Several;
        }
    }

    /// The sum, with what is missing to a sum of weights of one filled up by `rest`.
    fn filled_up(&self, rest: T) -> T {
        if self.share == 1.0 {
            self.value
        } else {
            self.value + rest.beside(self.value) * (1.0 - self.share)
        }
    }

    fn is_one_value(&self) -> bool {
        self.state == State::Once && self.share == 1.0
    }
}

impl Mix {
    pub(crate) fn new(node_count: usize, weight_count: usize) -> Self {
        Mix {
            translations: vec![Sum::EMPTY; node_count],
            rotations: vec![Sum::EMPTY; node_count],
            scales: vec![Sum::EMPTY; node_count],
            weights: vec![Sum::EMPTY; weight_count],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.translations.fill(Sum::EMPTY);
        self.rotations.fill(Sum::EMPTY);
        self.scales.fill(Sum::EMPTY);
        self.weights.fill(Sum::EMPTY);
    }

    /// Adds a value times a weight.
    pub(crate) fn add(&mut self, slot: Slot, value: Value, weight: f64) {
        match (slot, value) {
            (Slot::Translation(node), Value::Translation(value)) => {
                self.translations[node].add(value.as_dvec3(), weight);
            }
            (Slot::Rotation(node), Value::Rotation(value)) => {
                self.rotations[node].add(value.as_dquat(), weight);
            }
            (Slot::Scale(node), Value::Scale(value)) => self.scales[node].add(value.as_dvec3(), weight),
            (Slot::Weight(index), Value::Weight(value)) => self.weights[index].add(f64::from(value), weight),
            // A track is linked to a slot of its own kind.
            _ => {}
        }
    }

    /// Puts the sum over a pose, by a weight other than zero.
    pub(crate) fn put_over(&self, pose: &mut Pose, mode: LayerMode, weight: f64) {
        let layout = std::sync::Arc::clone(pose.layout());
        for (node, rest) in layout.rest().iter().enumerate() {
            let Trs {
                translation,
                rotation,
                scale,
            } = pose.locals[node];
            let moved = put_vector(
                &self.translations[node],
                rest.translation,
                translation,
                mode,
                weight,
            );
            if let Some(value) = moved {
                pose.put(Slot::Translation(node), Value::Translation(value));
            }
            if let Some(value) = put_rotation(&self.rotations[node], rest.rotation, rotation, mode, weight) {
                pose.put(Slot::Rotation(node), Value::Rotation(value));
            }
            if let Some(value) = put_vector(&self.scales[node], rest.scale, scale, mode, weight) {
                pose.put(Slot::Scale(node), Value::Scale(value));
            }
        }
        for (index, sum) in self.weights.iter().enumerate() {
            if sum.state != State::Absent {
                let value = put_number(sum.value, 0.0, pose.weights[index], mode, weight);
                pose.put(Slot::Weight(index), Value::Weight(value));
            }
        }
    }
}

/// A number over `below`, by `weight`; `neutral` is what an additive layer adds nothing for.
fn put_number(value: f64, neutral: f64, below: f32, mode: LayerMode, weight: f64) -> f32 {
    let over = f64::from(below);
    match mode {
        LayerMode::Override if weight == 1.0 => to_finite(value),
        LayerMode::Override => to_finite(over * (1.0 - weight) + bounded(value) * weight),
        LayerMode::Additive => {
            let added = (bounded(value) - neutral) * weight;
            if added == 0.0 {
                below
            } else {
                to_finite(over + added)
            }
        }
    }
}

fn put_vector(sum: &Sum<DVec3>, rest: Vec3, below: Vec3, mode: LayerMode, weight: f64) -> Option<Vec3> {
    if sum.state == State::Absent {
        return None;
    }
    let neutral = rest.as_dvec3();
    let value = sum.filled_up(neutral);
    let part = |axis: usize| put_number(value[axis], neutral[axis], below[axis], mode, weight);
    Some(Vec3::new(part(0), part(1), part(2)))
}

fn put_rotation(sum: &Sum<DQuat>, rest: Quat, below: Quat, mode: LayerMode, weight: f64) -> Option<Quat> {
    if sum.state == State::Absent {
        return None;
    }
    let rest = rest.as_dquat();
    let value = sum.filled_up(rest);
    let value = if sum.is_one_value() {
        value
    } else {
        // Rotations that cancel out say nothing about a direction.
        unit_else(value, rest)
    };
    Some(match mode {
        LayerMode::Override if weight == 1.0 => value.as_quat(),
        LayerMode::Override => slerp(below.as_dquat(), value, 1.0 - weight, weight).as_quat(),
        LayerMode::Additive => {
            if value == rest {
                return Some(below);
            }
            let turn = slerp(DQuat::IDENTITY, rest.conjugate() * value, 1.0 - weight, weight);
            let below = below.as_dquat();
            unit_else(below * turn, below).as_quat()
        }
    })
}
