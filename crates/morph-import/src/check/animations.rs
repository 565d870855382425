//! Animations: samplers, channels, and what they are put on.

use std::collections::HashMap;

use super::accessors::{AccessorUsage, note_uses};
use super::asset::Extensions;
use super::buffers::ViewUsage;
use super::format::{Format, Shape};
use super::json::child;
use super::lists::Lists;
use super::object::{Need, Object};
use super::report::{Findings, Severity};
use super::uses::Check;
use super::values::Checks;

/// An animation, as far as it could be read.
#[derive(Debug)]
pub(super) struct Animation<'j> {
    channels: Option<Vec<Channel<'j>>>,
    samplers: Option<Vec<Sampler<'j>>>,
}

#[derive(Debug)]
struct Channel<'j> {
    sampler: Option<u64>,
    target: Option<Target<'j>>,
}

#[derive(Debug)]
struct Target<'j> {
    node: Option<u64>,
    path: Option<&'j str>,
}

#[derive(Debug)]
struct Sampler<'j> {
    input: Option<u64>,
    output: Option<u64>,
    interpolation: Option<&'j str>,
}

const PATHS: [&str; 5] = ["translation", "rotation", "scale", "weights", "pointer"];

impl<'j> Animation<'j> {
    pub(super) fn read(object: &mut Object<'j, '_>, extensions: Extensions) -> Self {
        object.begin(&["channels", "samplers", "name"]);
        let paths = if extensions.animation_pointer {
            &PATHS[..]
        } else {
            &PATHS[..4]
        };
        let mut channels = None;
        if let Some(list) = object.objects("channels", Need::Required) {
            let read = |(index, members)| Channel::read(&mut object.item(members, "channels", index), paths);
            channels = Some(list.into_iter().enumerate().map(read).collect());
        }
        let mut samplers = None;
        if let Some(list) = object.objects("samplers", Need::Required) {
            let read = |(index, members)| Sampler::read(&mut object.item(members, "samplers", index));
            samplers = Some(list.into_iter().enumerate().map(read).collect());
        }
        Animation { channels, samplers }
    }
}

impl<'j> Channel<'j> {
    fn read(object: &mut Object<'j, '_>, paths: &[&str]) -> Self {
        object.begin(&["sampler", "target"]);
        let sampler = object.index("sampler", Need::Required);
        let target = object.object("target", Need::Required).map(|mut target| {
            target.begin(&["node", "path"]);
            Target {
                node: target.index("node", Need::Optional),
                path: target.word("path", Need::Required, paths),
            }
        });
        Channel { sampler, target }
    }
}

impl<'j> Sampler<'j> {
    fn read(object: &mut Object<'j, '_>) -> Self {
        object.begin(&["input", "interpolation", "output"]);
        let input = object.index("input", Need::Required);
        let interpolation = if object.has("interpolation") {
            object.word(
                "interpolation",
                Need::Optional,
                &["LINEAR", "STEP", "CUBICSPLINE"],
            )
        } else {
            Some("LINEAR")
        };
        Sampler {
            input,
            interpolation,
            output: object.index("output", Need::Required),
        }
    }

    fn is_cubic(&self) -> bool {
        self.interpolation == Some("CUBICSPLINE")
    }
}

/// Checks all animations.
pub(super) fn link(lists: &mut Lists<'_>, checks: &mut Checks, findings: &mut Findings) {
    let animations = std::mem::take(&mut lists.animations);
    for (index, animation) in animations.iter().enumerate() {
        let Some(Animation {
            channels: Some(channels),
            samplers: Some(samplers),
        }) = animation
        else {
            continue;
        };
        let place = child("/animations", index);
        for (index, sampler) in samplers.iter().enumerate() {
            let place = format!("{place}/samplers/{index}");
            link_input(lists, sampler, &place, checks, findings);
            link_output(lists, sampler, &place, findings);
        }
        for (index, channel) in channels.iter().enumerate() {
            let place = format!("{place}/channels/{index}");
            link_channel(lists, samplers, channel, &place, checks, findings);
        }
        repeated_targets(channels, &place, findings);
    }
    lists.animations = animations;
}

/// Notes the use of an accessor of keys, and checks that it is there and packed.
fn link_keys(
    lists: &mut Lists<'_>,
    index: u64,
    usage: AccessorUsage,
    pointer: &str,
    findings: &mut Findings,
) -> bool {
    if lists.accessor(index).is_none() {
        findings.unresolved(pointer, "accessor", index, lists.accessors.len());
        return false;
    }
    note_uses(lists, index, usage, ViewUsage::Other, pointer, findings);
    let view = lists.accessor(index).and_then(|accessor| lists.view_of(accessor));
    if view.is_some_and(|view| view.byte_stride.is_some()) {
        let message = "keys are packed: their buffer view has no stride";
        findings.error("ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", pointer, message);
    }
    true
}

fn link_input(
    lists: &mut Lists<'_>,
    sampler: &Sampler<'_>,
    place: &str,
    checks: &mut Checks,
    findings: &mut Findings,
) {
    let Some(index) = sampler.input else { return };
    let pointer = child(place, "input");
    if !link_keys(lists, index, AccessorUsage::AnimationInput, &pointer, findings) {
        return;
    }
    let Some(accessor) = lists.accessor(index) else {
        return;
    };
    let format = accessor.format();
    if format == Format::float(Shape::Scalar) {
        checks.add(index, Check::KeyTimes, &pointer);
    } else {
        let message = format!("the accessor is {format}, key times are SCALAR FLOAT");
        findings.error(
            "ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT",
            pointer.as_str(),
            message,
        );
    }
    if accessor.min.is_none() || accessor.max.is_none() {
        let message = "an accessor of key times needs `min` and `max`";
        findings.error(
            "ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS",
            pointer.as_str(),
            message,
        );
    }
    let count = accessor.count.unwrap_or(0);
    if sampler.is_cubic() && count < 2 {
        let message = format!("cubic splines need at least 2 keys, there are {count}");
        findings.error(
            "ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS",
            pointer,
            message,
        );
    }
}

fn link_output(lists: &mut Lists<'_>, sampler: &Sampler<'_>, place: &str, findings: &mut Findings) {
    if let Some(index) = sampler.output {
        let pointer = child(place, "output");
        link_keys(lists, index, AccessorUsage::AnimationOutput, &pointer, findings);
    }
}

fn link_channel(
    lists: &Lists<'_>,
    samplers: &[Sampler<'_>],
    channel: &Channel<'_>,
    place: &str,
    checks: &mut Checks,
    findings: &mut Findings,
) {
    if let Some(target) = &channel.target {
        link_target(lists, target, &child(place, "target"), findings);
    }
    let Some(index) = channel.sampler else { return };
    let pointer = child(place, "sampler");
    let sampler = usize::try_from(index).ok().and_then(|index| samplers.get(index));
    let Some(sampler) = sampler else {
        let count = samplers.len();
        findings.unresolved(pointer, "sampler of the animation", index, count);
        return;
    };
    let output = sampler
        .output
        .and_then(|index| Some((index, lists.accessor(index)?)));
    let (Some(target), Some((output_index, output))) = (&channel.target, output) else {
        return;
    };
    let format = output.format();
    if target.path == Some("rotation") && format.shape.components() == 4 {
        let is_cubic = sampler.is_cubic();
        checks.add(output_index, Check::Rotations { is_cubic }, &pointer);
    }
    if let Some((allowed, expected)) = target.path.and_then(|path| allowed_values(path, format))
        && !allowed
    {
        let message = format!("the values are {format}, they have to be {expected}");
        findings.error(
            "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT",
            pointer.as_str(),
            message,
        );
    }
    let keys = sampler
        .input
        .and_then(|index| lists.accessor(index))
        .and_then(|input| input.count);
    let (Some(keys), Some(found), true) = (keys, output.count, sampler.interpolation.is_some()) else {
        return;
    };
    if !target.path.is_some_and(|path| PATHS[..4].contains(&path)) {
        return;
    }
    let mut expected = keys;
    if sampler.is_cubic() {
        expected = expected.saturating_mul(3);
    }
    if target.path == Some("weights") {
        let mesh = target
            .node
            .and_then(|node| lists.node(node)?.mesh)
            .and_then(|mesh| lists.mesh(mesh));
        let targets = mesh.and_then(super::meshes::Mesh::target_count).unwrap_or(0);
        expected = expected.saturating_mul(targets as u64);
    }
    if expected != 0 && expected != found {
        let message = format!("{found} values, there have to be {expected} for {keys} keys");
        findings.error(
            "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT",
            pointer,
            message,
        );
    }
}

/// Whether values of a path may have a format, and what would be right.
fn allowed_values(path: &str, format: Format) -> Option<(bool, &'static str)> {
    let float = |shape| format == Format::float(shape);
    let fractions = format.normalized && format.component.bytes() <= 2;
    Some(match path {
        "translation" | "scale" => (float(Shape::Vec3), "VEC3 FLOAT"),
        "rotation" => (
            float(Shape::Vec4) || format.shape == Shape::Vec4 && fractions,
            "VEC4 of FLOAT or normalized integers of 8 or 16 bits",
        ),
        "weights" => (
            float(Shape::Scalar) || format.shape == Shape::Scalar && fractions,
            "SCALAR of FLOAT or normalized integers of 8 or 16 bits",
        ),
        _ => return None,
    })
}

fn link_target(lists: &Lists<'_>, target: &Target<'_>, place: &str, findings: &mut Findings) {
    let Some(index) = target.node else { return };
    let Some(node) = lists.node(index) else {
        findings.unresolved(child(place, "node"), "node", index, lists.nodes.len());
        return;
    };
    match target.path {
        Some("translation" | "rotation" | "scale") => {
            if node.has_matrix {
                let message = format!(
                    "node {index} has a matrix; only translation, rotation and scale can be animated"
                );
                findings.error("ANIMATION_CHANNEL_TARGET_NODE_MATRIX", place, message);
            }
            if node.skin.is_some_and(|skin| lists.skin(skin).is_some()) {
                let message =
                    format!("node {index} shows a skinned mesh, which the node's transform does not move");
                findings.warning(
                    "ANIMATION_CHANNEL_TARGET_NODE_SKIN",
                    child(place, "path"),
                    message,
                );
            }
        }
        Some("weights") => {
            let mesh = node.mesh.and_then(|mesh| lists.mesh(mesh));
            if mesh.and_then(super::meshes::Mesh::target_count).is_none() {
                let message = format!(
                    "the weights of node {index} are animated, and it shows no mesh with morph targets"
                );
                findings.error("ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", place, message);
            }
        }
        _ => {}
    }
}

/// Tells channels that a later one is put on the same property as.
fn repeated_targets(channels: &[Channel<'_>], place: &str, findings: &mut Findings) {
    let mut by_target: HashMap<(u64, Option<&str>), Vec<usize>> = HashMap::new();
    for (index, channel) in channels.iter().enumerate() {
        if let Some(target) = &channel.target
            && let Some(node) = target.node
        {
            by_target.entry((node, target.path)).or_default().push(index);
        }
    }
    let mut repeated: Vec<&Vec<usize>> = by_target.values().filter(|same| same.len() > 1).collect();
    repeated.sort();
    for same in repeated {
        for (position, &index) in same.iter().enumerate() {
            let Some(&later) = same.get(position + 1) else {
                continue;
            };
            if channels[index].sampler.is_none() {
                continue;
            }
            findings.add(
                Severity::Error,
                "ANIMATION_DUPLICATE_TARGETS",
                format!("{place}/channels/{index}/target"),
                (same.len() - position - 1) as u64,
                format!("channel {later} animates the same property"),
            );
        }
    }
}
