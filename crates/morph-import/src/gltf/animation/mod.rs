//! Animations: channels and samplers as clips of named tracks.
//!
//! A channel that drives nothing here, or whose keys are no curve, is left out with a warning, and the rest plays.
//! One whose data cannot be read at all is a damaged part like any other.

mod output;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use morph_anim::{Clip, CurveError, Track};
use output::{Interpolation, Output};

use super::accessor::Accessors;
use super::document::{self, Document, Whole};
use super::fault::{At, Fault, Findings, place};
use super::item::{item, sound_item};
use crate::damage::Part;
use crate::error::GltfError;
use crate::findings::Account;
use crate::model::{Mesh, Node};
use crate::problem::ChannelProblem;
use crate::text::shorten;
use crate::warning::WarningKind;

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
