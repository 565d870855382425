//! Morph targets of a primitive: the vertices that each attribute of a target changes, and by how much.

use std::collections::BTreeMap;

use morph_core::{MorphTarget, SetDeltas};

use super::accessor::Accessors;
use super::attributes::{COLOR, TEXCOORD, attribute, color, set_number};
use super::document::Attributes;
use super::fault::{At, Fault, Findings, place};
use super::item::Item;
use crate::damage::Part;
use crate::findings::Account;
use crate::model::Primitive;
use crate::warning::{ImportWarning, WarningKind};

/// What the base has besides positions: deltas of anything else have nothing to be added to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Base {
    normals: bool,
    tangents: bool,
    /// How many sets there are.
    texcoords: usize,
    colors: usize,
}

impl Base {
    pub(crate) fn of(base: &Primitive) -> Self {
        Self {
            normals: base.normals.is_some(),
            tangents: base.tangents.is_some(),
            texcoords: base.texcoords.len(),
            colors: base.colors.len(),
        }
    }

    /// Whether there is what an attribute of a target is added to; `None` where no such attribute is read.
    fn has(self, name: &str) -> Option<bool> {
        match name {
            "POSITION" => Some(true),
            "NORMAL" => Some(self.normals),
            "TANGENT" => Some(self.tangents),
            _ => {
                let texcoord = set_number(name, TEXCOORD).map(|set| (set as usize) < self.texcoords);
                texcoord.or_else(|| set_number(name, COLOR).map(|set| (set as usize) < self.colors))
            }
        }
    }
}

/// The targets of a primitive in the file.
pub(crate) struct Source<'a> {
    pub(crate) accessors: Accessors<'a>,
    /// The place of the primitive.
    pub(crate) place: &'a str,
    pub(crate) described: &'a [Item<Attributes>],
    pub(crate) vertex_count: u32,
    pub(crate) base: Base,
}

impl Source<'_> {
    /// Reads the targets; one that the primitive does not have, or that is damaged, moves nothing in it.
    pub(crate) fn read(
        &self,
        target_names: &[String],
        findings: &mut Findings,
    ) -> Result<Vec<MorphTarget>, Fault> {
        let each = target_names.iter().enumerate();
        each.map(|(slot, name)| {
            let Some(described) = self.described.get(slot) else {
                return Ok(MorphTarget::empty(name));
            };
            let read = findings.part(Part::Target, &self.accessors, |_| {
                self.read_target(slot, name, described)
            })?;
            Ok(read.unwrap_or_else(|_| MorphTarget::empty(name)))
        })
        .collect()
    }

    fn read_target(
        &self,
        slot: usize,
        name: &str,
        described: &Item<Attributes>,
    ) -> Result<MorphTarget, Fault> {
        let Source {
            accessors,
            vertex_count,
            base,
            ..
        } = *self;
        let target_place = format!("{}, {}", self.place, place("target", slot, Some(name)));
        let attributes = described.get("target", slot as u64).at(|| target_place.clone())?;
        let mut target = read_streams(accessors, &target_place, attributes, name, vertex_count, base)?;
        for set in 0..base.texcoords as u32 {
            let read = |name: &str| attribute(accessors, &target_place, attributes, name, vertex_count);
            target
                .texcoords
                .extend(set_deltas(accessors, &target_place, TEXCOORD, set, read)?);
        }
        for set in 0..base.colors as u32 {
            let read = |name: &str| color(accessors, &target_place, attributes, name, vertex_count, 0.0);
            target
                .colors
                .extend(set_deltas(accessors, &target_place, COLOR, set, read)?);
        }
        Ok(target)
    }

    /// Tells, once per attribute, what the targets have that is not read or that nothing belongs to.
    pub(crate) fn warn(&self, warnings: &mut Vec<ImportWarning>) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let targets = self.described.iter().filter_map(Item::sound);
        for name in targets.flat_map(Attributes::keys) {
            *counts.entry(name).or_default() += 1;
        }
        for (name, targets) in counts {
            let attribute = crate::text::shorten(name);
            let kind = match self.base.has(name) {
                Some(true) => continue,
                Some(false) => WarningKind::DeltasWithoutBase { attribute, targets },
                None => WarningKind::TargetAttributeIgnored { attribute, targets },
            };
            warnings.push(ImportWarning {
                place: self.place.to_owned(),
                kind,
            });
        }
    }
}

/// Reads the deltas of positions, normals and tangents.
fn read_streams(
    accessors: Accessors<'_>,
    target_place: &str,
    attributes: &Attributes,
    name: &str,
    vertex_count: u32,
    base: Base,
) -> Result<MorphTarget, Fault> {
    let here = || target_place.to_owned();
    let read = |stream| attribute::<3>(accessors, target_place, attributes, stream, vertex_count);
    let before = accessors.spent();
    let (positions, normals, tangents) = (read("POSITION")?, read("NORMAL")?, read("TANGENT")?);
    // Without normals a surface is shaded flat, and its tangents are its own. Normals that are missing may yet be made.
    let tangents = tangents.filter(|_| base.normals);
    let dense = [&positions, &normals, &tangents];
    let stream_count = dense.iter().filter(|stream| stream.is_some()).count();
    if stream_count > 0 {
        // At worst every vertex moves, in vectors that double as they grow.
        let most = 2 * u64::from(vertex_count) * entry_bytes(stream_count);
        accessors.spend(most).at(here)?;
    }
    let mut target = MorphTarget::from_dense(
        name,
        positions.as_deref(),
        normals.as_deref(),
        tangents.as_deref(),
    );
    drop((positions, normals, tangents));
    // Many small targets would keep twice of what they need.
    target.vertices.shrink_to_fit();
    for stream in [&mut target.positions, &mut target.normals, &mut target.tangents] {
        stream.iter_mut().for_each(Vec::shrink_to_fit);
    }
    let kept = target.vertices.len() as u64 * entry_bytes(stream_count);
    accessors.settle(before, kept).at(here)?;
    Ok(target)
}

/// The bytes that a target takes for each vertex that it moves: the index, and a vector in each stream.
fn entry_bytes(stream_count: usize) -> u64 {
    4 + 12 * stream_count as u64
}

/// Reads the deltas of one set, where the target has such that are not all zero.
fn set_deltas<const N: usize>(
    accessors: Accessors<'_>,
    target_place: &str,
    prefix: &str,
    set: u32,
    read: impl Fn(&str) -> Result<Option<Vec<[f32; N]>>, Fault>,
) -> Result<Option<SetDeltas<N>>, Fault> {
    let here = || target_place.to_owned();
    let before = accessors.spent();
    let Some(dense) = read(&format!("{prefix}{set}"))? else {
        return Ok(None);
    };
    let changed = || (0_u32..).zip(&dense).filter(|&(_, delta)| *delta != [0.0; N]);
    let entry_bytes = (size_of::<u32>() + size_of::<[f32; N]>()) as u64;
    let kept = changed().count() as u64 * entry_bytes;
    accessors.spend(2 * kept).at(here)?;
    let (vertices, deltas): (Vec<u32>, Vec<[f32; N]>) =
        changed().map(|(vertex, &delta)| (vertex, delta)).unzip();
    accessors.settle(before, kept).at(here)?;
    Ok((!vertices.is_empty()).then_some(SetDeltas {
        set,
        vertices,
        deltas,
    }))
}
