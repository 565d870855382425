//! Animations: channels and samplers as clips of named tracks.
//!
//! A channel that drives nothing here, or whose keys are no curve, is left out with a warning, and the rest plays.
//! One whose data cannot be read at all is a damaged part like any other.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use morph_anim::{Channel, Clip, CubicKey, Curve, CurveError, Keys, Track};

use super::accessor::Accessors;
use super::document::{self, Document, Whole};
use super::fault::{At, Fault, Findings, place};
use super::item::{item, sound_item};
use crate::damage::Part;
use crate::error::GltfError;
use crate::findings::Account;
use crate::model::{Mesh, Node};
use crate::text::shorten;
use crate::warning::{ChannelProblem, WarningKind};

/// What reading animations needs to know.
pub(crate) struct Context<'a> {
    pub(crate) document: &'a Document,
    pub(crate) accessors: Accessors<'a>,
    pub(crate) meshes: &'a [Mesh],
    pub(crate) nodes: &'a [Node],
    pub(crate) morphs: bool,
}

/// Reads all animations; one that is malformed drives nothing.
pub(crate) fn clips(context: &Context<'_>, findings: &mut Findings) -> Result<Vec<Clip>, Fault> {
    let mut times = Times::default();
    let animations = context.document.animations.iter().enumerate();
    animations
        .map(|(index, animation)| {
            let clip = findings.part(Part::Animation, &context.accessors, |findings| {
                let animation = animation.get("animation", index as u64);
                let animation = animation.at(|| place("animation", index, None))?;
                clip(context, index, animation, &mut times, findings)
            })?;
            Ok(clip.unwrap_or_default())
        })
        .collect()
}

fn clip(
    context: &Context<'_>,
    index: usize,
    animation: &document::Animation,
    times: &mut Times,
    findings: &mut Findings,
) -> Result<Clip, Fault> {
    let clip_place = place("animation", index, animation.name.as_deref());
    let mut clip = Clip {
        name: animation.name.clone().unwrap_or_default(),
        tracks: Vec::new(),
    };
    let mut keyed = Keyed::new();
    for (number, channel) in animation.channels.iter().enumerate() {
        let channel_place = format!("{clip_place}, channel {number}");
        let read = findings.part(Part::Channel, &context.accessors, |findings| {
            let channel = channel.get("channel", number as u64);
            let channel = channel.at(|| channel_place.clone())?;
            match tracks(context, &channel_place, animation, channel, times, &mut keyed) {
                Ok(tracks) => return Ok(tracks),
                Err(Stop::Damage(fault)) => return Err(fault),
                Err(Stop::LeftOut(problem)) => {
                    findings.warn(channel_place.clone(), WarningKind::ChannelLeftOut { problem });
                }
                Err(Stop::Unasked) => {}
            }
            Ok(Vec::new())
        })?;
        clip.tracks.extend(read.unwrap_or_default());
    }
    Ok(clip)
}

/// Why a channel has no tracks.
enum Stop {
    /// Its data cannot be read.
    Damage(Fault),
    /// It drives nothing, or its keys are no curve.
    LeftOut(ChannelProblem),
    /// It drives weights, and the caller wants no morphs.
    Unasked,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Damage(fault)
    }
}

impl From<ChannelProblem> for Stop {
    fn from(problem: ChannelProblem) -> Self {
        Self::LeftOut(problem)
    }
}

impl From<CurveError> for Stop {
    fn from(error: CurveError) -> Self {
        Self::LeftOut(error.into())
    }
}

/// The key times of samplers by their accessors: curves with the same times share them.
#[derive(Default)]
struct Times(HashMap<u64, Arc<[f32]>>);

impl Times {
    fn read(&mut self, accessors: Accessors<'_>, accessor: u64) -> Result<Arc<[f32]>, GltfError> {
        if let Some(times) = self.0.get(&accessor) {
            return Ok(Arc::clone(times));
        }
        let before = accessors.spent();
        let times = accessors.floats::<1>(accessor, None)?;
        let times: Arc<[f32]> = times.as_flattened().into();
        accessors.settle(before, size_of_val(&*times) as u64)?;
        self.0.insert(accessor, Arc::clone(&times));
        Ok(times)
    }
}

/// What a channel drives: a property of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Driven {
    node: usize,
    property: Property,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Property {
    Translation,
    Rotation,
    Scale,
    /// All weights, one after another in each key.
    Weights,
    /// The weight of one target.
    Weight(usize),
}

/// Things that the tracks of a clip drive: the node, and the slot where it is a weight.
type Keyed = HashSet<(usize, Slot)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Slot {
    Translation,
    Rotation,
    Scale,
    Weight(usize),
}

fn tracks(
    context: &Context<'_>,
    channel_place: &str,
    animation: &document::Animation,
    channel: &document::Channel,
    times: &mut Times,
    keyed: &mut Keyed,
) -> Result<Vec<Track>, Stop> {
    let accessors = context.accessors;
    let here = || channel_place.to_owned();
    let sampler = sound_item(&animation.samplers, channel.sampler.0, "sampler").at(here)?;
    let driven = driven(context, channel_place, &channel.target)?;
    let node = &context.nodes[driven.node];
    let target_names = match node.mesh {
        Some(mesh) => context.meshes[mesh].target_names.as_slice(),
        None => &[],
    };
    let slots: Vec<Slot> = match driven.property {
        Property::Translation => vec![Slot::Translation],
        Property::Rotation => vec![Slot::Rotation],
        Property::Scale => vec![Slot::Scale],
        Property::Weight(slot) => vec![Slot::Weight(slot)],
        Property::Weights => (0..target_names.len()).map(Slot::Weight).collect(),
    };
    // Two curves for one thing have no order; the specification forbids them, and the first one stands.
    if slots.iter().any(|&slot| keyed.contains(&(driven.node, slot))) {
        return Err(ChannelProblem::Repeated.into());
    }

    let interpolation = Interpolation::from_file(sampler.interpolation.as_deref())?;
    let place = |which: &str, accessor: Whole| {
        let sampler = channel.sampler.0;
        format!(
            "{channel_place}, sampler {sampler}, {which} (accessor {})",
            accessor.0
        )
    };
    let key_times = times
        .read(accessors, sampler.input.0)
        .at(|| place("input", sampler.input))?;
    let before = accessors.spent();
    let names_bytes = slots.iter().map(|slot| match slot {
        Slot::Weight(slot) => target_names[*slot].len() + node.id.len(),
        _ => node.id.len(),
    });
    let tracks_bytes = names_bytes.sum::<usize>() + slots.len() * size_of::<Track>();
    accessors.spend(tracks_bytes as u64).at(here)?;
    let output = Output {
        accessors,
        accessor: sampler.output.0,
        place: place("output", sampler.output),
        interpolation,
        times: key_times,
    };
    let channels = output.channels(driven.property, target_names);
    if let Err(Stop::LeftOut(_)) = &channels {
        accessors.settle(before, 0).at(here)?;
    }
    let track = |channel| Track {
        node: node.id.clone(),
        channel,
    };
    let tracks = channels?.into_iter().map(track).collect();
    keyed.extend(slots.into_iter().map(|slot| (driven.node, slot)));
    Ok(tracks)
}

/// What a channel drives.
fn driven(
    context: &Context<'_>,
    channel_place: &str,
    target: &document::ChannelTarget,
) -> Result<Driven, Stop> {
    let by_path = |property| match target.node {
        Some(node) => Ok((node.0, property)),
        None => Err(ChannelProblem::NoNode),
    };
    let (node, property) = match target.path.as_str() {
        "translation" => by_path(Property::Translation)?,
        "rotation" => by_path(Property::Rotation)?,
        "scale" => by_path(Property::Scale)?,
        "weights" => by_path(Property::Weights)?,
        "pointer" => {
            let extension = target.extensions.as_ref();
            let pointer = extension.and_then(|all| all.pointer("/KHR_animation_pointer/pointer")?.as_str());
            pointer.and_then(pointed_to).ok_or_else(|| {
                let pointer = shorten(pointer.unwrap_or_default());
                ChannelProblem::Pointer { pointer }
            })?
        }
        path => return Err(ChannelProblem::Path { path: shorten(path) }.into()),
    };
    let described = item(context.nodes, node, "node").at(|| channel_place.to_owned())?;
    if matches!(property, Property::Weights | Property::Weight(_)) {
        let mesh = described.mesh.ok_or(ChannelProblem::NoMesh)?;
        if !context.morphs {
            return Err(Stop::Unasked);
        }
        let targets = context.meshes[mesh].target_names.len();
        match property {
            _ if targets == 0 => return Err(ChannelProblem::NoTargets.into()),
            Property::Weight(slot) if slot >= targets => {
                return Err(ChannelProblem::NoSuchTarget { slot, targets }.into());
            }
            _ => {}
        }
    }
    Ok(Driven {
        node: node as usize,
        property,
    })
}

/// What of which node a pointer of `KHR_animation_pointer` leads to, where that is something that clips drive.
fn pointed_to(pointer: &str) -> Option<(u64, Property)> {
    // An index has no sign and no leading zero (RFC 6901, section 4).
    let index = |text: &str| -> Option<u64> {
        let plain = text == "0" || !text.starts_with(['0', '+']);
        text.parse().ok().filter(|_| plain)
    };
    let parts: Vec<&str> = pointer.split('/').collect();
    match parts[..] {
        ["", "nodes", node, "translation"] => Some((index(node)?, Property::Translation)),
        ["", "nodes", node, "rotation"] => Some((index(node)?, Property::Rotation)),
        ["", "nodes", node, "scale"] => Some((index(node)?, Property::Scale)),
        ["", "nodes", node, "weights"] => Some((index(node)?, Property::Weights)),
        ["", "nodes", node, "weights", slot] => {
            let slot = usize::try_from(index(slot)?).ok()?;
            Some((index(node)?, Property::Weight(slot)))
        }
        _ => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interpolation {
    Step,
    Linear,
    CubicSpline,
}

impl Interpolation {
    fn from_file(name: Option<&str>) -> Result<Self, ChannelProblem> {
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
struct Output<'a> {
    accessors: Accessors<'a>,
    accessor: u64,
    place: String,
    interpolation: Interpolation,
    times: Arc<[f32]>,
}

impl Output<'_> {
    fn channels(&self, property: Property, target_names: &[String]) -> Result<Vec<Channel>, Stop> {
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
