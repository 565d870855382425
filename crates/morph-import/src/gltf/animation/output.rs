//! The outputs of samplers, as curves.

use std::sync::Arc;

use morph_anim::{Channel, CubicKey, Curve, CurveError, Keys};

use super::{Property, Stop};
use crate::findings::Account;
use crate::gltf::accessor::Accessors;
use crate::gltf::fault::{At, Fault};
use crate::problem::ChannelProblem;
use crate::text::shorten;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interpolation {
    Step,
    Linear,
    CubicSpline,
}

impl Interpolation {
    pub(super) fn from_file(name: Option<&str>) -> Result<Self, ChannelProblem> {
        match name {
            Some("STEP") => Ok(Self::Step),
            Some("LINEAR") | None => Ok(Self::Linear),
            Some("CUBICSPLINE") => Ok(Self::CubicSpline),
            Some(found) => Err(ChannelProblem::Interpolation {
                found: shorten(found),
            }),
        }
    }

    /// How many values stand for each key: a spline has a tangent before and after each.
    fn values_per_key(self) -> usize {
        match self {
            Self::Step | Self::Linear => 1,
            Self::CubicSpline => 3,
        }
    }
}

/// The output of a sampler, with what tells how to read it.
pub(super) struct Output<'a> {
    pub(super) accessors: Accessors<'a>,
    pub(super) accessor: u64,
    pub(super) place: String,
    pub(super) interpolation: Interpolation,
    pub(super) times: Arc<[f32]>,
}

impl Output<'_> {
    pub(super) fn channels(&self, property: Property, target_names: &[String]) -> Result<Vec<Channel>, Stop> {
        Ok(match property {
            Property::Translation => vec![Channel::Translation(self.curve()?)],
            Property::Rotation => vec![Channel::Rotation(self.curve()?)],
            Property::Scale => vec![Channel::Scale(self.curve()?)],
            Property::Weight(slot) => self.weights(&target_names[slot..=slot])?,
            Property::Weights => self.weights(target_names)?,
        })
    }

    fn curve<const N: usize>(&self) -> Result<Curve<N>, Stop> {
        let before = self.accessors.spent();
        let values = self.values::<N>(1)?;
        let parts = self.interpolation.values_per_key();
        let curve = self.curve_of(|key, part| values[key * parts + part])?;
        self.keep_as_many(before, &values)?;
        Ok(curve)
    }

    /// Curves of weights: a key has one number for each target; in a spline one tangent for each, then one value for
    /// each, then one more tangent for each.
    fn weights(&self, target_names: &[String]) -> Result<Vec<Channel>, Stop> {
        let target_count = target_names.len();
        let before = self.accessors.spent();
        let values = self.values::<1>(target_count)?;
        let parts = self.interpolation.values_per_key();
        let channel = |(slot, name): (usize, &String)| {
            let curve = self.curve_of(|key, part| values[(key * parts + part) * target_count + slot])?;
            Ok(Channel::Weight {
                target: name.clone(),
                curve,
            })
        };
        let channels: Result<_, Stop> = target_names.iter().enumerate().map(channel).collect();
        self.keep_as_many(before, &values)?;
        channels
    }

    /// Reads the values, of which there have to be `per_key` in each part of each key.
    ///
    /// What curves take of them is as much again, and counted too.
    fn values<const N: usize>(&self, per_key: usize) -> Result<Vec<[f32; N]>, Stop> {
        let here = || self.place.clone();
        let values = self.accessors.floats::<N>(self.accessor, None).at(here)?;
        let per_key = per_key * self.interpolation.values_per_key();
        if Some(values.len()) != self.times.len().checked_mul(per_key) {
            return Err(ChannelProblem::ValueCount {
                found: values.len(),
                keys: self.times.len(),
                per_key,
            }
            .into());
        }
        self.accessors.spend(size_of_val(&*values) as u64).at(here)?;
        Ok(values)
    }

    /// Ends a step in which curves were made of all values.
    fn keep_as_many<const N: usize>(&self, before: u64, values: &[[f32; N]]) -> Result<(), Fault> {
        let kept = size_of_val(values) as u64;
        self.accessors.settle(before, kept).at(|| self.place.clone())
    }

    /// Makes a curve of values by key and by part: one for each key, or a tangent, the value and a tangent.
    fn curve_of<const N: usize>(
        &self,
        value: impl Fn(usize, usize) -> [f32; N],
    ) -> Result<Curve<N>, CurveError> {
        let keys = 0..self.times.len();
        let keys = match self.interpolation {
            Interpolation::Step => Keys::Step(keys.map(|key| value(key, 0)).collect()),
            Interpolation::Linear => Keys::Linear(keys.map(|key| value(key, 0)).collect()),
            Interpolation::CubicSpline => Keys::CubicSpline(
                keys.map(|key| CubicKey {
                    in_tangent: value(key, 0),
                    value: value(key, 1),
                    out_tangent: value(key, 2),
                })
                .collect(),
            ),
        };
        Curve::new(Arc::clone(&self.times), keys)
    }
}
