//! Blend channels: their names, and the shapes with full weights that each has.

use std::collections::HashMap;

use morph_core::rig::{Channel, ChannelShape, Driver, EvaluateError, Rig};
use morph_core::{NameTable, to_domain};

use super::{budget::Budget, components, name_of, narrow};
use crate::error::FbxError;
use crate::findings::Account;
use crate::names::distinct;
use crate::text::shorten;
use crate::warning::WarningKind;

/// The channels of one mesh, and the targets that their shapes become.
pub(super) struct Shapes<'a> {
    /// A target for each shape of each channel, by slot.
    pub(super) targets: Vec<Shape<'a>>,
    /// The targets' names.
    pub(super) names: Vec<String>,
    /// The name by which clips call each channel, in the order of [`channels`].
    pub(super) channel_names: Vec<String>,
    /// How the channels' weights become those of the targets, where they are not simply those of one target each.
    pub(super) rig: Option<Rig>,
    /// The weights of all targets at the percents that the file saves.
    pub(super) default_weights: Vec<f32>,
}

/// A shape of a channel.
pub(super) struct Shape<'a> {
    shape: &'a ufbx::BlendShape,
}

/// The channels of all blend deformers of a mesh, in the order of the file.
pub(super) fn channels(mesh: &ufbx::Mesh) -> impl Iterator<Item = &ufbx::BlendChannel> {
    mesh.blend_deformers
        .into_iter()
        .flat_map(|deformer| &deformer.channels)
}

/// Reads the channels of a mesh.
///
/// A channel is called by its name, else by that of its last shape; where exporters put the deformer's name and a dot
/// before it, as in `Squish.TopH`, it is called `TopH`, unless another channel of the mesh is called that.
/// A channel's shapes are slots of their own, rising by full weight: the last has the channel's name, the others add
/// `@` and their full weight in percent, as in `TopH@50`. A channel without shapes moves nothing and has no slot.
pub(super) fn read<'a>(
    mesh: &'a ufbx::Mesh,
    warn: &mut impl FnMut(WarningKind),
) -> Result<Shapes<'a>, FbxError> {
    let wanted = wanted_names(mesh);
    let channel_names = distinct("target", wanted, &mut *warn);
    let mut targets = Vec::new();
    let mut names = Vec::new();
    let (mut control_names, mut control_weights, mut rules) = (Vec::new(), Vec::new(), Vec::new());
    for (channel, name) in channels(mesh).zip(&channel_names) {
        if channel.keyframes.is_empty() {
            let channel = shorten(name);
            warn(WarningKind::ChannelWithoutShape { channel });
        }
        let last = channel.keyframes.len().saturating_sub(1);
        let mut shapes: Vec<ChannelShape> = Vec::new();
        for (number, key) in channel.keyframes.iter().enumerate() {
            let [full_weight] = narrow("full weight", number, [key.target_weight])?;
            let slot = targets.len();
            let known = shapes
                .last()
                .is_some_and(|shape| shape.full_weight == full_weight);
            if known || to_domain(full_weight) == 0.0 {
                warn(WarningKind::FullWeightUnusable { full_weight });
            } else {
                shapes.push(ChannelShape { full_weight, slot });
            }
            names.push(Some(if number == last {
                name.clone()
            } else {
                format!("{name}@{}", percent(full_weight))
            }));
            targets.push(Shape { shape: &key.shape });
        }
        if !shapes.is_empty() {
            rules.push(Channel {
                driver: Driver::Control(control_names.len()),
                shapes,
            });
            control_weights.extend(narrow("the percent of channel", rules.len(), [channel.weight])?);
            control_names.push(name.clone());
        }
    }
    let names = distinct("target", names, warn);
    let is_plain = |(rule, control): (&Channel, &String)| matches!(rule.shapes[..], [ChannelShape { slot, full_weight: 1.0 }] if names[slot] == *control);
    let is_plain = rules.iter().zip(&control_names).all(is_plain);
    let damaged = |message: String| FbxError::Damaged { message };
    let table =
        |names: &[String]| NameTable::new(names.iter().cloned()).map_err(|error| damaged(error.to_string()));
    let rig = Rig::new(table(&control_names)?, &table(&names)?, rules)
        .map_err(|error| damaged(error.to_string()))?;
    let mut default_weights = vec![0.0; targets.len()];
    rig.evaluate(&control_weights, &mut default_weights)
        .map_err(|error| match error {
            EvaluateError::Overflow { slot, value } => FbxError::NotFinite {
                what: "the weight of target",
                index: slot,
                value,
            },
            error => damaged(error.to_string()),
        })?;
    Ok(Shapes {
        targets,
        names,
        channel_names,
        rig: (!is_plain).then_some(rig),
        default_weights,
    })
}

/// The names that channels have by themselves, without the names of their deformers where that leaves no doubt.
fn wanted_names(mesh: &ufbx::Mesh) -> Vec<Option<String>> {
    let mut full_names = Vec::new();
    let mut short_names = Vec::new();
    for deformer in &mesh.blend_deformers {
        for channel in &deformer.channels {
            let shape_name = || {
                channel
                    .target_shape
                    .as_ref()
                    .and_then(|shape| name_of(&shape.element))
            };
            let full = name_of(&channel.element).or_else(shape_name);
            let short = full
                .zip(name_of(&deformer.element))
                .and_then(|(full, deformer)| full.strip_prefix(deformer)?.strip_prefix('.'))
                .filter(|short| !short.is_empty());
            full_names.push(full);
            short_names.push(short);
        }
    }
    // How many channels could be meant by a name, short or full.
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for name in full_names.iter().chain(&short_names).flatten() {
        *uses.entry(name).or_default() += 1;
    }
    let unambiguous = |short: &&str| uses.get(short) == Some(&1);
    full_names
        .iter()
        .zip(short_names)
        .map(|(full, short)| short.filter(unambiguous).or(*full).map(str::to_owned))
        .collect()
}

/// A full weight in percent, with the digits that it was written with.
fn percent(full_weight: f32) -> f64 {
    (f64::from(full_weight) * 100.0 * 1e4).round() / 1e4
}

/// What a shape moves one control point by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Offset {
    pub(super) point: u32,
    pub(super) position: [f32; 3],
    /// Zero where the shape has no normals.
    pub(super) normal: [f32; 3],
}

/// The offsets of a shape, one per control point, rising.
pub(super) struct Offsets {
    pub(super) entries: Vec<Offset>,
    /// The shape tells how normals turn, and not by zeros alone.
    pub(super) has_normals: bool,
    /// The shape lists normals, and all are zero although positions move.
    pub(super) zero_normals: bool,
}

impl Shape<'_> {
    /// Reads the offsets; those that are listed for one control point are added up.
    pub(super) fn offsets(
        &self,
        point_count: usize,
        budget: &Budget,
        warn: &mut impl FnMut(WarningKind),
    ) -> Result<Offsets, FbxError> {
        let shape = self.shape;
        let normals =
            Some(&*shape.normal_offsets).filter(|normals| normals.len() == shape.position_offsets.len());
        let bytes = shape.offset_vertices.len() as u64 * size_of::<(u32, [f64; 6])>() as u64;
        budget.spend(bytes)?;
        let mut sums: Vec<(u32, [f64; 3], [f64; 3])> = Vec::with_capacity(shape.offset_vertices.len());
        let (mut repeated, mut past_the_end) = (0, 0);
        for (index, (&point, &position)) in shape
            .offset_vertices
            .iter()
            .zip(&shape.position_offsets)
            .enumerate()
        {
            if point as usize >= point_count {
                past_the_end += 1;
                continue;
            }
            // Old exporters of Blender save how much each point takes part in the shape.
            let share = shape.offset_weights.get(index).copied().unwrap_or(1.0);
            let position = components(position).map(|component| component * share);
            let normal = normals.map_or([0.0; 3], |normals| components(normals[index]));
            match sums.last_mut() {
                Some((last, positions, normals)) if *last == point => {
                    repeated += 1;
                    for axis in 0..3 {
                        positions[axis] += position[axis];
                        normals[axis] += normal[axis];
                    }
                }
                _ => sums.push((point, position, normal)),
            }
        }
        if repeated > 0 {
            warn(WarningKind::OffsetsRepeated { points: repeated });
        }
        if past_the_end > 0 {
            warn(WarningKind::OffsetsLeftOut {
                points: past_the_end,
                point_count,
            });
        }
        let mut offsets = Vec::with_capacity(sums.len());
        for &(point, position, normal) in &sums {
            let offset = Offset {
                point,
                position: narrow("the position offset of control point", point as usize, position)?,
                normal: narrow("the normal offset of control point", point as usize, normal)?,
            };
            if offset.position != [0.0; 3] || offset.normal != [0.0; 3] {
                offsets.push(offset);
            }
        }
        budget.release(bytes);
        let turns = offsets.iter().any(|offset| offset.normal != [0.0; 3]);
        let moves = offsets.iter().any(|offset| offset.position != [0.0; 3]);
        Ok(Offsets {
            // Zeros are right where nothing moves.
            has_normals: normals.is_some() && (turns || !moves),
            zero_normals: normals.is_some() && !turns && moves,
            entries: offsets,
        })
    }
}
