//! The rigs of meshes: how the weights of controls are spread over targets.
//!
//! One kind of section has five parts, of which each record names runs in the later ones.

use bytemuck::{Pod, Zeroable};
use morph_core::cooked::{
    Container, Cooked, CookedError, Section, SectionError, SectionId, SectionKind, Writer,
};
use morph_core::rig::{Channel, ChannelShape, Clamp, Combination, Driver, Parent, Rig};
use morph_core::{NameError, NameTable};

use super::error::Fault;
use super::read::MeshDescription;
use super::records::{ABSENT, RunRecord, TextRecord};
use super::runs::{check_end, field, next_run, run};
use super::text::{TextWriter, Texts};
use crate::model::Mesh;

/// Part 0: a rig.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct RigRecord {
    /// Its mesh; rigs rise by mesh.
    mesh: u32,
    /// The names of its controls, in part 1.
    controls: RunRecord,
    /// Its channels, in part 2.
    channels: RunRecord,
}

/// Part 2: a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ChannelRecord {
    /// The control; 2³² - 1 for a combination.
    control: u32,
    /// Of a combination: 0 clamps its factors, 1 does not. Otherwise 0.
    clamp: u32,
    /// The factors of a combination, in part 3; otherwise none.
    parents: RunRecord,
    /// The targets that it is spread over, in part 4.
    shapes: RunRecord,
}

/// Part 3: a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ParentRecord {
    /// 0 a control, 1 a target.
    kind: u32,
    index: u32,
}

/// Part 4: a target of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ShapeRecord {
    full_weight: f32,
    slot: u32,
}

fn id(part: u32) -> SectionId {
    SectionId {
        part,
        ..SectionId::of_model(SectionKind::RIGS)
    }
}

/// Adds the sections of rigs, where a mesh has one.
pub(super) fn add(writer: &mut Writer<'_>, text: &mut TextWriter, meshes: &[Mesh]) {
    let (mut rigs, mut controls, mut channels) = (Vec::new(), Vec::new(), Vec::new());
    let (mut parents, mut shapes) = (Vec::new(), Vec::new());
    for (mesh, described) in meshes.iter().enumerate() {
        let Some(rig) = &described.rig else { continue };
        rigs.push(RigRecord {
            mesh: mesh as u32,
            controls: run(controls.len(), rig.controls().len()),
            channels: run(channels.len(), rig.channels().len()),
        });
        controls.extend(rig.controls().iter().map(|name| text.add(name)));
        for channel in rig.channels() {
            let first_parent = parents.len();
            let (control, clamp) = match &channel.driver {
                Driver::Control(control) => (*control as u32, 0),
                Driver::Combination(combination) => {
                    parents.extend(combination.parents.iter().map(parent_record));
                    (ABSENT, u32::from(combination.clamp == Clamp::None))
                }
            };
            channels.push(ChannelRecord {
                control,
                clamp,
                parents: run(first_parent, parents.len() - first_parent),
                shapes: run(shapes.len(), channel.shapes.len()),
            });
            shapes.extend(channel.shapes.iter().map(|shape| ShapeRecord {
                full_weight: shape.full_weight,
                slot: shape.slot as u32,
            }));
        }
    }
    if rigs.is_empty() {
        return;
    }
    writer.add_owned(id(0), &rigs);
    writer.add_owned(id(1), &controls);
    writer.add_owned(id(2), &channels);
    writer.add_owned(id(3), &parents);
    writer.add_owned(id(4), &shapes);
}

fn parent_record(parent: &Parent) -> ParentRecord {
    let (kind, index) = match *parent {
        Parent::Control(control) => (0, control as u32),
        Parent::Target(slot) => (1, slot as u32),
    };
    ParentRecord { kind, index }
}

/// Reads the rigs into the meshes that they are of.
pub(super) fn read(
    cooked: &Cooked<'_>,
    texts: &Texts<'_>,
    meshes: &mut [MeshDescription],
) -> Result<(), Fault> {
    let container = cooked.container();
    if container.get(id(0)).is_none() {
        return match (1..PART_COUNT).find_map(|part| container.get(id(part))) {
            Some(section) => Err(section.fault(SectionError::Unexpected).into()),
            None => Ok(()),
        };
    }
    let mut reader = Reader {
        texts,
        rigs: Part::new(container, 0)?,
        controls: Part::new(container, 1)?,
        channels: Part::new(container, 2)?,
        parents: Part::new(container, 3)?,
        shapes: Part::new(container, 4)?,
    };
    let mut previous = None;
    for (at, record) in reader.rigs.records.iter().enumerate() {
        let mesh_count = meshes.len();
        let Some(mesh) = meshes.get_mut(record.mesh as usize) else {
            return Err(reader
                .rigs
                .fault(SectionError::OutOfRange {
                    what: "the mesh of rig",
                    at,
                    index: u64::from(record.mesh),
                    count: mesh_count as u64,
                })
                .into());
        };
        if let Some(previous) = previous.replace(record.mesh).filter(|&it| it >= record.mesh) {
            return Err(reader
                .rigs
                .fault(SectionError::NotRising {
                    what: "the mesh of rig",
                    at,
                    value: record.mesh,
                    previous,
                })
                .into());
        }
        let controls = reader.controls(record, at)?;
        let channels = reader.channels(record, at)?;
        let none = NameTable::default();
        let targets = cooked.primitives()[mesh.primitives.clone()]
            .first()
            .map_or(&none, |primitive| primitive.mesh().names());
        let rig = Rig::new(controls, targets, channels).map_err(|error| Fault::Rig {
            mesh: record.mesh as usize,
            error,
        })?;
        mesh.rig = Some(rig);
    }
    reader.controls.check_end("the controls of all rigs")?;
    reader.channels.check_end("the channels of all rigs")?;
    reader.parents.check_end("the factors of all channels")?;
    Ok(reader.shapes.check_end("the targets of all channels")?)
}

/// How many parts there are.
const PART_COUNT: u32 = 5;

/// The records of a part, handed out in their order.
struct Part<'a, T> {
    section: Section<'a>,
    records: &'a [T],
    next: usize,
}

impl<'a, T: Pod> Part<'a, T> {
    fn new(container: &Container<'a>, part: u32) -> Result<Self, CookedError> {
        let section = container.require(id(part))?;
        Ok(Part {
            section,
            records: section.records()?,
            next: 0,
        })
    }

    fn fault(&self, error: SectionError) -> CookedError {
        self.section.fault(error)
    }

    /// The next run, which a record of another part names.
    fn run(&mut self, run: RunRecord, what: &'static str, at: usize) -> Result<&'a [T], CookedError> {
        next_run(self.records, run, &mut self.next, what, at).map_err(|error| self.section.fault(error))
    }

    fn check_end(&self, what: &'static str) -> Result<(), CookedError> {
        check_end(self.next, self.records.len(), what).map_err(|error| self.fault(error))
    }
}

struct Reader<'a, 't> {
    texts: &'t Texts<'a>,
    rigs: Part<'a, RigRecord>,
    controls: Part<'a, TextRecord>,
    channels: Part<'a, ChannelRecord>,
    parents: Part<'a, ParentRecord>,
    shapes: Part<'a, ShapeRecord>,
}

impl Reader<'_, '_> {
    fn controls(&mut self, record: &RigRecord, at: usize) -> Result<NameTable, CookedError> {
        let what = "the controls of rig";
        let names = self.controls.run(record.controls, what, at)?;
        let names = names
            .iter()
            .map(|&name| self.texts.required(name, what, at, &self.controls.section))
            .collect::<Result<Vec<_>, _>>()?;
        NameTable::new(names.iter().map(String::as_str)).map_err(|error| {
            self.controls.fault(match error {
                NameError::Duplicate { name, first, second } => SectionError::DuplicateName {
                    what: "controls",
                    name,
                    first,
                    second,
                },
                _ => SectionError::Mismatch { what, at },
            })
        })
    }

    fn channels(&mut self, record: &RigRecord, at: usize) -> Result<Vec<Channel>, CookedError> {
        let own = self.channels.run(record.channels, "the channels of rig", at)?;
        let first = self.channels.next - own.len();
        own.iter()
            .enumerate()
            .map(|(number, record)| self.channel(record, first + number))
            .collect()
    }

    fn channel(&mut self, record: &ChannelRecord, at: usize) -> Result<Channel, CookedError> {
        let parents = self.parents.run(record.parents, "the factors of channel", at)?;
        let shapes = self.shapes.run(record.shapes, "the targets of channel", at)?;
        let is_combination = record.control == ABSENT;
        if !is_combination && !parents.is_empty() {
            let count = record.parents.count;
            return Err(self
                .channels
                .fault(field("the number of factors", at, count, "0")));
        }
        let clamp = match record.clamp {
            0 => Clamp::Parents,
            1 if is_combination => Clamp::None,
            found => {
                let right = "0, or 1 for a combination";
                return Err(self.channels.fault(field("the clamping", at, found, right)));
            }
        };
        let driver = if is_combination {
            let parents = parents
                .iter()
                .map(|parent| match parent.kind {
                    0 => Ok(Parent::Control(parent.index as usize)),
                    1 => Ok(Parent::Target(parent.index as usize)),
                    found => {
                        let right = "0 (control) or 1 (target)";
                        Err(self.parents.fault(field("the kind of factor", at, found, right)))
                    }
                })
                .collect::<Result<Vec<_>, _>>()?;
            Driver::Combination(Combination { parents, clamp })
        } else {
            Driver::Control(record.control as usize)
        };
        let shapes = shapes.iter().map(|shape| ChannelShape {
            full_weight: shape.full_weight,
            slot: shape.slot as usize,
        });
        Ok(Channel {
            driver,
            shapes: shapes.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cooked::records::tests::assert_described;

    #[test]
    fn the_document_describes_the_records() {
        assert_described(&[
            ("RigRecord", size_of::<RigRecord>(), 20),
            ("ChannelRecord", size_of::<ChannelRecord>(), 24),
            ("ParentRecord", size_of::<ParentRecord>(), 8),
            ("ShapeRecord", size_of::<ShapeRecord>(), 8),
        ]);
    }
}
