//! Animation stacks as clips, at the times of the file.
//!
//! Weights take over the file's keys where they are steps, lines or cubics. Transforms, and weights that are made in
//! other ways, are followed by splines that are less than a part in five million off (see `fit`).

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};

use morph_anim::{Channel, Clip, CubicKey, Curve, CurveError, Keys, Track};

use super::budget::Budget;
use super::fit::{Fitted, Kind, fit};
use super::mesh::ReadMesh;
use super::{Fault, components, keys, name_of, scene, shapes};
use crate::fault::{At, place};
use crate::findings::Account;
use crate::model::Node;
use crate::problem::ChannelProblem;
use crate::warning::{ImportWarning, WarningKind};

const PERCENT: &str = "DeformPercent";
const TRANSLATION: &str = "Lcl Translation";
const ROTATION: &str = "Lcl Rotation";
const SCALING: &str = "Lcl Scaling";
/// The properties that a node's transform is made of.
const TRANSFORM: [&str; 10] = [
    TRANSLATION,
    ROTATION,
    SCALING,
    "PreRotation",
    "PostRotation",
    "RotationOffset",
    "RotationPivot",
    "ScalingOffset",
    "ScalingPivot",
    "RotationOrder",
];
/// Where a curve repeats or goes on past its keys, it is followed in steps of a frame, this many at most.
const MOST_FRAMES: usize = 10_000;
/// What such a frame counts as.
const FRAME_BYTES: u64 = 64;

/// Something that a clip may drive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Driven {
    /// The transform of a node, by its index.
    Node(usize),
    /// A blend channel, by its mesh and its number there.
    Channel(usize, usize),
}

/// Reads all stacks.
pub(super) fn read(
    scene: &ufbx::Scene,
    nodes: &[Node],
    meshes: &[ReadMesh],
    budget: &Budget,
    warnings: &mut Vec<ImportWarning>,
) -> Result<Vec<Clip>, Fault> {
    let driven = driven_by(scene, meshes);
    let ufbx_nodes: Vec<&ufbx::Node> = scene::real_nodes(scene).collect();
    let channels: Vec<Vec<&ufbx::BlendChannel>> = (&scene.meshes)
        .into_iter()
        .map(|mesh| shapes::channels(mesh).collect())
        .collect();
    let mut instances: Vec<Vec<&Node>> = vec![Vec::new(); meshes.len()];
    for node in nodes {
        if let Some(mesh) = node.mesh {
            instances[mesh].push(node);
        }
    }
    let mut clips = Vec::with_capacity(scene.anim_stacks.len());
    for (index, stack) in (&scene.anim_stacks).into_iter().enumerate() {
        let here = || place("animation stack", index, name_of(&stack.element));
        let frame_seconds = 1.0 / scene.settings.frames_per_second.clamp(1.0, 1000.0);
        let stack = StackReader {
            stack,
            frame_seconds,
            frames: Cell::new(0),
        };
        let touched: BTreeSet<Driven> = stack
            .animated_elements()
            .filter_map(|element| driven.get(&element))
            .flatten()
            .copied()
            .collect();
        let mut tracks = Vec::new();
        for item in touched {
            let (what, result) = match item {
                Driven::Node(node) => {
                    let id = &nodes[node].id;
                    (
                        format!("the transform of {id:?}"),
                        stack.node_tracks(ufbx_nodes[node], id),
                    )
                }
                Driven::Channel(mesh, channel) => {
                    let target = &meshes[mesh].channel_names[channel];
                    let result = stack.weight_tracks(channels[mesh][channel], target, &instances[mesh]);
                    (format!("the weight {target:?}"), result)
                }
            };
            // Following a curve past its keys takes work for which the file has no bytes.
            budget.spend(stack.frames.take() * FRAME_BYTES).at(here)?;
            match result {
                Ok(found) => {
                    budget.spend(found.iter().map(track_bytes).sum()).at(here)?;
                    tracks.extend(found);
                }
                Err(error) => warnings.push(ImportWarning {
                    place: format!("{}, {what}", here()),
                    kind: WarningKind::ChannelLeftOut {
                        problem: ChannelProblem::Curve(error),
                    },
                }),
            }
        }
        clips.push(Clip {
            name: stack.stack.element.name.to_string(),
            tracks,
        });
    }
    Ok(clips)
}

/// What each element drives when one of its properties is animated, by the element's number.
fn driven_by(scene: &ufbx::Scene, meshes: &[ReadMesh]) -> HashMap<u32, Vec<Driven>> {
    let mut driven: HashMap<u32, Vec<Driven>> = HashMap::new();
    for (index, node) in scene::real_nodes(scene).enumerate() {
        for element in elements_of(node) {
            for name in TRANSFORM {
                let (source, _) = source_of(element, name);
                let list = driven.entry(source.element_id).or_default();
                if list.last() != Some(&Driven::Node(index)) {
                    list.push(Driven::Node(index));
                }
            }
        }
    }
    for (number, (mesh, read)) in (&scene.meshes).into_iter().zip(meshes).enumerate() {
        // Without morphs there are no names, and a channel without shapes has no target.
        let named = shapes::channels(mesh).zip(&read.channel_names).enumerate();
        for (channel, (described, _)) in named {
            if !described.keyframes.is_empty() {
                let (source, _) = source_of(&described.element, PERCENT);
                let list = driven.entry(source.element_id).or_default();
                list.push(Driven::Channel(number, channel));
            }
        }
    }
    driven
}

/// The elements whose properties make the transform of a node: its own, and those that carry scales which it inherits.
fn elements_of(node: &ufbx::Node) -> Vec<&ufbx::Element> {
    let mut elements = vec![&node.element];
    let Some(parent) = node.parent.as_deref() else {
        return elements;
    };
    elements.extend(parent.scale_helper.as_deref().map(|helper| &helper.element));
    let mut inherited = parent.inherit_scale_node.as_deref();
    while let Some(ancestor) = inherited {
        let Some(helper) = ancestor.scale_helper.as_deref() else {
            break;
        };
        elements.push(&helper.element);
        inherited = ancestor.inherit_scale_node.as_deref();
    }
    elements
}

/// Where a property has its value from: itself, or the end of a chain of connected properties.
fn source_of<'a>(element: &'a ufbx::Element, name: &'a str) -> (&'a ufbx::Element, &'a str) {
    // Longer chains are loops, or as good as that.
    const MOST_LINKS: usize = 16;
    let (mut element, mut name) = (element, name);
    for _ in 0..MOST_LINKS {
        let mut connections = element.connections_dst.iter();
        match connections.find(|link| &*link.dst_prop == name && !link.src_prop.is_empty()) {
            Some(link) => (element, name) = (&link.src, &link.src_prop),
            None => break,
        }
    }
    (element, name)
}

/// An animation stack, and how long a frame of the file is.
struct StackReader<'a> {
    stack: &'a ufbx::AnimStack,
    frame_seconds: f64,
    /// How many frames curves were followed past their keys.
    frames: Cell<u64>,
}

impl<'a> StackReader<'a> {
    /// The numbers of the elements that any layer animates.
    fn animated_elements(&self) -> impl Iterator<Item = u32> {
        let layers = self.stack.layers.into_iter();
        layers.flat_map(|layer| layer.anim_props.iter().map(|prop| prop.element.element_id))
    }

    /// What animates a property, with the layer, on each layer that does.
    fn values_of(
        &self,
        element: &'a ufbx::Element,
        name: &'a str,
    ) -> impl Iterator<Item = (&'a ufbx::AnimLayer, &'a ufbx::AnimValue)> {
        let (element, name) = source_of(element, name);
        self.stack
            .layers
            .into_iter()
            .filter_map(move |layer| Some((layer, &*ufbx::find_anim_prop(layer, element, name)?.anim_value)))
    }

    /// The times at which a property may bend, in no order.
    fn bends(&self, element: &'a ufbx::Element, name: &'a str, bends: &mut Vec<f64>) {
        for (layer, value) in self.values_of(element, name) {
            let weight = layer
                .weight_is_animated
                .then(|| ufbx::find_anim_prop(layer, &layer.element, "Weight"))
                .flatten();
            let values = [Some(value), weight.map(|prop| &*prop.anim_value)];
            for curve in values
                .into_iter()
                .flatten()
                .flat_map(|value| value.curves.iter().flatten())
            {
                bends.extend(curve.keyframes.iter().map(|key| key.time));
                let holds = |side: &ufbx::Extrapolation| side.mode == ufbx::ExtrapolationMode::Constant;
                if !holds(&curve.pre_extrapolation) || !holds(&curve.post_extrapolation) {
                    let frames = (self.stack.time_end - self.stack.time_begin) / self.frame_seconds;
                    let frames = (frames.ceil().max(0.0) as usize).min(MOST_FRAMES);
                    let frame_time = |frame: usize| self.stack.time_begin + frame as f64 * self.frame_seconds;
                    bends.extend((0..=frames).map(frame_time));
                    self.frames.set(self.frames.get() + frames as u64);
                }
            }
            // A value without curves is constant.
            if bends.is_empty() {
                bends.push(self.stack.time_begin);
            }
        }
    }

    fn weight_tracks(
        &self,
        channel: &'a ufbx::BlendChannel,
        target: &str,
        instances: &[&Node],
    ) -> Result<Vec<Track>, CurveError> {
        let curve = if let Some(curve) = self.exact_weight(channel) {
            curve?
        } else {
            let mut bends = Vec::new();
            self.bends(&channel.element, PERCENT, &mut bends);
            sort(&mut bends);
            if bends.is_empty() {
                return Ok(Vec::new());
            }
            let weight = |time| [ufbx::evaluate_blend_weight(&self.stack.anim, channel, time)];
            curve(fit(Kind::Vector, &bends, weight))?
        };
        let track = |node: &&Node| Track {
            node: node.id.clone(),
            channel: Channel::Weight {
                target: target.to_owned(),
                curve: curve.clone(),
            },
        };
        Ok(instances.iter().map(track).collect())
    }

    /// The keys of a percent that is animated on one layer alone, at full strength, as keys of a weight.
    fn exact_weight(&self, channel: &'a ufbx::BlendChannel) -> Option<Result<Curve<1>, CurveError>> {
        let mut values = self.values_of(&channel.element, PERCENT);
        let (layer, value) = values.next()?;
        let is_alone = values.next().is_none();
        // The first layer is what others are blended with, whatever it says of itself.
        let is_first = self
            .stack
            .layers
            .first()
            .is_some_and(|first| first.element.element_id == layer.element.element_id);
        let is_full = is_first || !layer.blended;
        let curve = value.curves[0].as_deref().filter(|_| is_alone && is_full)?;
        keys::exact(curve, 0.01)
    }

    fn node_tracks(&self, node: &'a ufbx::Node, id: &str) -> Result<Vec<Track>, CurveError> {
        let mut bends = Vec::new();
        for element in elements_of(node) {
            for name in TRANSFORM {
                self.bends(element, name, &mut bends);
            }
        }
        sort(&mut bends);
        if bends.is_empty() {
            return Ok(Vec::new());
        }
        let transform = |time| ufbx::evaluate_transform(&self.stack.anim, node, time);
        let is_animated = |name| self.values_of(&node.element, name).next().is_some();
        let translations = fit(Kind::Vector, &bends, |time| {
            components(transform(time).translation)
        });
        let rotations = fit(Kind::Quaternion, &bends, |time| {
            let rotation = transform(time).rotation;
            [rotation.x, rotation.y, rotation.z, rotation.w]
        });
        let scales = fit(Kind::Vector, &bends, |time| components(transform(time).scale));
        let mut tracks = Vec::new();
        let mut push = |channel| {
            tracks.push(Track {
                node: id.to_owned(),
                channel,
            });
        };
        if is_animated(TRANSLATION) || !translations.is_constant() {
            push(Channel::Translation(curve(translations)?));
        }
        if is_animated(ROTATION) || !rotations.is_constant() {
            push(Channel::Rotation(curve(rotations)?));
        }
        if is_animated(SCALING) || !scales.is_constant() {
            push(Channel::Scale(curve(scales)?));
        }
        Ok(tracks)
    }
}

/// Sorts times and drops what is no time or there already.
fn sort(times: &mut Vec<f64>) {
    times.retain(|time| (*time as f32).is_finite());
    times.sort_unstable_by(f64::total_cmp);
    times.dedup();
}

/// A curve of fitted keys; one that stands still keeps only its ends.
fn curve<const N: usize>(fitted: Fitted<N>) -> Result<Curve<N>, CurveError> {
    if fitted.is_constant() {
        let last = fitted.times.len().saturating_sub(1);
        let ends = if last == 0 { vec![0] } else { vec![0, last] };
        let times: Vec<f32> = ends.iter().map(|&key| fitted.times[key]).collect();
        let values = ends.iter().map(|&key| fitted.keys[key].value).collect();
        return Curve::new(times, Keys::Step(values));
    }
    Curve::new(fitted.times, Keys::CubicSpline(fitted.keys))
}

/// The memory that a track takes.
fn track_bytes(track: &Track) -> u64 {
    fn of_curve<const N: usize>(curve: &Curve<N>) -> usize {
        curve.times().len() * (4 + size_of::<CubicKey<N>>())
    }
    let curve = match &track.channel {
        Channel::Translation(curve) | Channel::Scale(curve) => of_curve(curve),
        Channel::Rotation(curve) => of_curve(curve),
        Channel::Weight { curve, target } => of_curve(curve) + target.len(),
    };
    (curve + track.node.len() + size_of::<Track>()) as u64
}
