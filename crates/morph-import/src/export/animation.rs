//! Clips.

use std::collections::HashMap;

use morph_anim::{Channel, Clip, Curve, Keys};
use serde_json::{Value, json};

use super::binary::{Binary, Use};
use super::{ExportNote, bake};
use crate::model::Model;

/// The extension that drives single weights.
pub(super) const POINTER: &str = "KHR_animation_pointer";

/// Describes the clips, and says whether any needs [`POINTER`].
///
/// A weights channel of glTF drives all targets of a node at common times. Where a clip does just that, it is written
/// so; other weight tracks are written one by one, by pointers, because filling in what is absent would drive it.
pub(super) fn clips(model: &Model, binary: &mut Binary, notes: &mut Vec<ExportNote>) -> (Vec<Value>, bool) {
    let ids: HashMap<&str, usize> = model
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| (&*node.id, index))
        .collect();
    let mut uses_pointers = false;
    let (mut empty, mut renumbered) = (Vec::new(), Vec::new());
    let each = model.clips.iter().enumerate();
    let described = each.filter_map(|(index, clip)| {
        let mut writer = Writer {
            model,
            binary,
            index,
            notes,
            samplers: Vec::new(),
            channels: Vec::new(),
        };
        uses_pointers |= writer.write(clip, &ids);
        let (samplers, channels) = (writer.samplers, writer.channels);
        // glTF has no clip without channels.
        if channels.is_empty() {
            empty.push(index);
            return None;
        }
        if !empty.is_empty() {
            renumbered.push((index, index - empty.len()));
        }
        let mut value = json!({ "samplers": samplers, "channels": channels });
        if !clip.name.is_empty() {
            value["name"] = json!(clip.name);
        }
        Some(value)
    });
    let described = described.collect();
    if !empty.is_empty() {
        notes.push(ExportNote::EmptyClips {
            clips: empty,
            renumbered,
        });
    }
    (described, uses_pointers)
}

struct Writer<'a> {
    model: &'a Model,
    binary: &'a mut Binary,
    index: usize,
    notes: &'a mut Vec<ExportNote>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Writer<'_> {
    fn write(&mut self, clip: &Clip, ids: &HashMap<&str, usize>) -> bool {
        // The weight tracks of each node, by slot, in the order in which nodes come first.
        let mut weights: Vec<(usize, Vec<Option<&Curve<1>>>)> = Vec::new();
        for track in &clip.tracks {
            let Some(&node) = ids.get(&*track.node) else {
                self.lost(format!("node {:?}", track.node));
                continue;
            };
            match &track.channel {
                Channel::Translation(curve) => self.node_channel(node, "translation", curve),
                Channel::Rotation(curve) => self.node_channel(node, "rotation", curve),
                Channel::Scale(curve) => self.node_channel(node, "scale", curve),
                Channel::Weight { target, curve } => {
                    let mesh = self.model.nodes[node]
                        .mesh
                        .and_then(|mesh| self.model.meshes.get(mesh));
                    // With a rig, clips drive its controls.
                    let rig = mesh.and_then(|mesh| mesh.rig.as_ref());
                    let targets = mesh.map_or(&[][..], |mesh| &mesh.target_names);
                    let (slot, count) = match rig {
                        Some(rig) => (rig.controls().slot(target), rig.controls().len()),
                        None => (targets.iter().position(|name| name == target), targets.len()),
                    };
                    let Some(slot) = slot else {
                        self.lost(format!("target {target:?} of node {:?}", track.node));
                        continue;
                    };
                    let known = weights.iter().position(|(other, _)| *other == node);
                    let at = known.unwrap_or_else(|| {
                        weights.push((node, vec![None; count]));
                        weights.len() - 1
                    });
                    weights[at].1[slot] = Some(curve);
                }
            }
        }
        let mut uses_pointers = false;
        for (node, curves) in weights {
            uses_pointers |= match self.baked(node, &curves) {
                Some(baked) => {
                    let curves: Vec<Option<&Curve<1>>> = baked.iter().map(Option::as_ref).collect();
                    self.weight_channels(node, &curves)
                }
                None => self.weight_channels(node, &curves),
            };
        }
        uses_pointers
    }

    /// The curves of a node's targets where its mesh has a rig, whose controls `curves` are for.
    fn baked(&mut self, node: usize, curves: &[Option<&Curve<1>>]) -> Option<Vec<Option<Curve<1>>>> {
        let mesh = self.model.nodes[node]
            .mesh
            .and_then(|mesh| self.model.meshes.get(mesh))?;
        let rig = mesh.rig.as_ref()?;
        let mut baked = vec![None; mesh.target_names.len()];
        for (slot, curve) in bake::bake(rig, curves, self.model.start_weights(node)) {
            if let Some(of_slot) = baked.get_mut(slot) {
                *of_slot = Some(curve);
            }
        }
        self.notes.push(ExportNote::RigBaked {
            clip: self.index,
            node: self.model.nodes[node].id.clone(),
            keys_per_second: bake::KEYS_PER_SECOND as u32,
        });
        Some(baked)
    }

    fn lost(&mut self, what: String) {
        let clip = self.index;
        self.notes.push(ExportNote::LostTrack { clip, what });
    }

    fn node_channel<const N: usize>(&mut self, node: usize, path: &str, curve: &Curve<N>) {
        let output = self.binary.floats(&flat(curve.keys()), Use::Data, false);
        let sampler = self.sampler(curve.times(), output, interpolation(curve.keys()));
        self.channels
            .push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    /// Writes the weight tracks of a node, and says whether by pointers.
    fn weight_channels(&mut self, node: usize, curves: &[Option<&Curve<1>>]) -> bool {
        if let Some(all) = curves.iter().copied().collect::<Option<Vec<_>>>()
            && all.iter().all(|curve| {
                curve.times() == all[0].times() && interpolation(curve.keys()) == interpolation(all[0].keys())
            })
        {
            let output = self.binary.floats(&woven(&all), Use::Data, false);
            let sampler = self.sampler(all[0].times(), output, interpolation(all[0].keys()));
            self.channels
                .push(json!({ "sampler": sampler, "target": { "node": node, "path": "weights" } }));
            return false;
        }
        for (slot, curve) in curves.iter().enumerate() {
            let Some(curve) = curve else { continue };
            let output = self.binary.floats(&flat(curve.keys()), Use::Data, false);
            let sampler = self.sampler(curve.times(), output, interpolation(curve.keys()));
            let pointer = format!("/nodes/{node}/weights/{slot}");
            self.channels.push(json!({
                "sampler": sampler,
                "target": { "path": "pointer", "extensions": { POINTER: { "pointer": pointer } } },
            }));
        }
        true
    }

    fn sampler(&mut self, times: &[f32], output: usize, interpolation: &str) -> usize {
        let times: Vec<[f32; 1]> = times.iter().map(|&time| [time]).collect();
        let input = self.binary.floats(&times, Use::Data, true);
        self.samplers
            .push(json!({ "input": input, "output": output, "interpolation": interpolation }));
        self.samplers.len() - 1
    }
}

fn interpolation<const N: usize>(keys: &Keys<N>) -> &'static str {
    match keys {
        Keys::Step(_) => "STEP",
        Keys::Linear(_) => "LINEAR",
        Keys::CubicSpline(_) => "CUBICSPLINE",
    }
}

/// The values in the order of the file: each key's arriving tangent, value and leaving tangent for splines.
fn flat<const N: usize>(keys: &Keys<N>) -> Vec<[f32; N]> {
    match keys {
        Keys::Step(values) | Keys::Linear(values) => values.clone(),
        Keys::CubicSpline(keys) => keys
            .iter()
            .flat_map(|key| [key.in_tangent, key.value, key.out_tangent])
            .collect(),
    }
}

/// The values of all targets, key by key: for splines all arriving tangents, then all values, then all leaving ones.
fn woven(curves: &[&Curve<1>]) -> Vec<[f32; 1]> {
    let values: Vec<Vec<[f32; 1]>> = curves.iter().map(|curve| flat(curve.keys())).collect();
    let count = values.first().map_or(0, Vec::len);
    (0..count)
        .flat_map(|at| values.iter().map(move |of| of[at]))
        .collect()
}
