//! Reading primitives: every check that a section of one has to pass.

use std::sync::Arc;

use crate::layout;
use crate::mesh::MorphMesh;
use crate::report::BuildReport;
use crate::sets::SetPool;
use crate::skin::{InfluenceCount, SkinWeights};
use crate::streams::Streams;

use super::container::{Container, Section};
use super::error::{CookedError, SectionError};
use super::kind::{SectionId, SectionKind};
use super::primitive::{CookedPrimitive, CookedVertexMajor};
use super::records::{
    COLOR_DELTAS, PrimitiveRecord, TEXCOORD_DELTAS, TargetRecord, quantization_of, stream_bits,
};
use super::scatter::{Source, Stored};
use super::sets;
use super::targets::{read_names, read_report};
use super::values::{below, equals, finite, in_domain};
use super::vertex_major;

/// The parts of the rigs of a model.
const RIG_PART_COUNT: u32 = 5;
/// Parts of the section of expressions: the expressions, and what they give weights.
const EXPRESSION_PART_COUNT: u32 = 2;

/// A cooked file of which every primitive has been checked.
///
/// What describes the model around them, nodes and clips, is `morph-import`'s to read, from the same
/// [`container`](Self::container).
#[derive(Clone, Debug)]
pub struct Cooked<'a> {
    container: Container<'a>,
    primitives: Vec<CookedPrimitive<'a>>,
}

impl<'a> Cooked<'a> {
    /// Reads a file and checks all of it before anything is handed out.
    ///
    /// Takes time linear in the bytes. Memory goes to the meshes, which are about as large as their scatter words.
    ///
    /// # Errors
    /// See [`CookedError`]; whatever is wrong is named with its section. The bytes have to start at a multiple of 16
    /// in memory: see [`AlignedBytes`](super::AlignedBytes).
    pub fn parse(bytes: &'a [u8]) -> Result<Self, CookedError> {
        let container = Container::parse(bytes)?;
        let mut primitives = Vec::new();
        while let Some(head) = container.get(SectionId::of_primitive(
            SectionKind::PRIMITIVE,
            primitives.len() as u32,
        )) {
            let reader = Reader {
                container: &container,
                index: primitives.len() as u32,
            };
            primitives.push(reader.read(&head)?);
        }
        let cooked = Cooked {
            container,
            primitives,
        };
        cooked.refuse_unexpected()?;
        Ok(cooked)
    }

    /// The sections of the file.
    pub fn container(&self) -> &Container<'a> {
        &self.container
    }

    /// All primitives, in the order of their numbers.
    pub fn primitives(&self) -> &[CookedPrimitive<'a>] {
        &self.primitives
    }

    /// Refuses sections of primitives that no primitive has read: nobody has looked at what they hold.
    fn refuse_unexpected(&self) -> Result<(), CookedError> {
        for section in self.container.sections() {
            let SectionId { index, kind, part } = section.id();
            let is_expected = match self.primitives.get(index as usize) {
                _ if kind.since().is_none() => true,
                _ if kind == SectionKind::RIGS => index == 0 && part < RIG_PART_COUNT,
                _ if kind == SectionKind::EXPRESSIONS => index == 0 && part < EXPRESSION_PART_COUNT,
                _ if !kind.is_of_primitive() => index == 0 && part == 0,
                None => false,
                Some(primitive) => part < primitive.part_count(kind),
            };
            if !is_expected {
                return Err(section.fault(SectionError::Unexpected));
            }
        }
        Ok(())
    }
}

impl CookedPrimitive<'_> {
    /// How many sections of a kind the primitive has.
    fn part_count(&self, kind: SectionKind) -> u32 {
        let has_targets = u32::from(self.record.target_count > 0);
        match kind {
            SectionKind::TEXCOORDS => self.record.texcoord_set_count,
            SectionKind::COLORS => self.record.color_set_count,
            SectionKind::SKIN_JOINTS | SectionKind::SKIN_WEIGHTS => {
                u32::from(self.record.influence_count > 0)
            }
            SectionKind::TARGETS
            | SectionKind::TARGET_NAMES
            | SectionKind::SCATTER
            | SectionKind::VERTEX_MAJOR => has_targets,
            SectionKind::TEXCOORD_DELTAS if self.mesh.texcoord_entry_count() > 0 => sets::PART_COUNT,
            SectionKind::COLOR_DELTAS if self.mesh.color_entry_count() > 0 => sets::PART_COUNT,
            SectionKind::TEXCOORD_DELTAS | SectionKind::COLOR_DELTAS => 0,
            _ => 1,
        }
    }
}

/// Reads the sections of one primitive.
struct Reader<'a, 'c> {
    container: &'c Container<'a>,
    index: u32,
}

impl<'a> Reader<'a, '_> {
    fn section(&self, kind: SectionKind) -> Result<Section<'a>, CookedError> {
        self.container.require(SectionId::of_primitive(kind, self.index))
    }

    fn read(&self, head: &Section<'a>) -> Result<CookedPrimitive<'a>, CookedError> {
        let [record] = *head.exactly::<PrimitiveRecord>(1)? else {
            return Err(CookedError::Missing { section: head.id() });
        };
        check_record(&record).map_err(|error| head.fault(error))?;
        let layout = record.vertex_layout();
        layout.validate().map_err(|error| head.fault(error))?;
        let vertex_count = record.vertex_count;

        let rest = self.section(SectionKind::REST)?;
        rest.exactly::<u8>(u64::from(vertex_count) * u64::from(record.stride_bytes))?;
        let index_section = self.section(SectionKind::INDICES)?;
        let indices = index_section.exactly(u64::from(record.index_count))?;
        below("index", indices, vertex_count).map_err(|error| index_section.fault(error))?;
        let texcoords = self.sets(SectionKind::TEXCOORDS, record.texcoord_set_count, vertex_count)?;
        let colors = self.sets(SectionKind::COLORS, record.color_set_count, vertex_count)?;
        let skin_weights = self.skin_weights(&record)?;

        let (mesh, report, targets, scatter) = self.targets(&record, head)?;
        let streams = Streams {
            positions: true,
            ..mesh.streams()
        };
        let vertex_major = self.vertex_major(&record, head, &mesh, streams)?;
        check_rest(&record, &rest)?;
        Ok(CookedPrimitive {
            record,
            targets,
            mesh: Arc::new(mesh),
            report,
            layout,
            rest: rest.bytes(),
            indices,
            vertex_major,
            scatter,
            texcoords,
            colors,
            skin_weights,
        })
    }

    /// The sets of an attribute that are not morphed.
    fn sets<const N: usize>(
        &self,
        kind: SectionKind,
        set_count: u32,
        vertex_count: u32,
    ) -> Result<Vec<&'a [[f32; N]]>, CookedError>
    where
        [f32; N]: bytemuck::Pod,
    {
        let mut sets = Vec::new();
        for part in 0..set_count {
            let section = self.container.require(SectionId {
                part,
                ..SectionId::of_primitive(kind, self.index)
            })?;
            let values = section.exactly::<[f32; N]>(u64::from(vertex_count))?;
            finite("value", values).map_err(|error| section.fault(error))?;
            sets.push(values);
        }
        Ok(sets)
    }

    fn skin_weights(&self, record: &PrimitiveRecord) -> Result<Option<SkinWeights>, CookedError> {
        let influence_count = match record.influence_count {
            4 => InfluenceCount::Four,
            8 => InfluenceCount::Eight,
            _ => return Ok(None),
        };
        let count = u64::from(record.vertex_count) * u64::from(record.influence_count);
        let joint_section = self.section(SectionKind::SKIN_JOINTS)?;
        let joints = joint_section.exactly::<u16>(count)?;
        let section = self.section(SectionKind::SKIN_WEIGHTS)?;
        let weights = section.exactly::<f32>(count)?;
        let read = SkinWeights::new(influence_count, joints.to_vec(), weights.to_vec())
            .map_err(|error| section.fault(error))?;
        // What the rules for skin weights would change was not written by them.
        if let Some(at) = (0..weights.len()).find(|&at| read.weights()[at].to_bits() != weights[at].to_bits())
        {
            return Err(section.fault(SectionError::Domain {
                what: "weight",
                at,
                value: weights[at],
            }));
        }
        if let Some(at) = (0..joints.len()).find(|&at| read.joints()[at] != joints[at]) {
            return Err(joint_section.fault(SectionError::OutOfRange {
                what: "the joint without a weight",
                at,
                index: u64::from(joints[at]),
                count: 1,
            }));
        }
        Ok(Some(read))
    }

    /// The mesh, its report, and the sections that they came from.
    #[expect(
        clippy::type_complexity,
        reason = "the four are taken apart at once, by the one caller"
    )]
    fn targets(
        &self,
        record: &PrimitiveRecord,
        head: &Section<'a>,
    ) -> Result<(MorphMesh, BuildReport, &'a [TargetRecord], &'a [u32]), CookedError> {
        let quantization = quantization_of(record.quantization).ok_or_else(|| {
            head.fault(SectionError::Field {
                field: "the quantization",
                record: 0,
                found: u64::from(record.quantization),
                right: "0 (f32), 1 (half) or 2 (snorm16)".to_owned(),
            })
        })?;
        let has_targets = record.target_count > 0;
        let sections = if has_targets {
            let target_section = self.section(SectionKind::TARGETS)?;
            [
                target_section,
                self.section(SectionKind::TARGET_NAMES)?,
                self.section(SectionKind::SCATTER)?,
            ]
        } else {
            // Without targets there is nothing in them to be at fault.
            [head.without_bytes(); 3]
        };
        let [target_section, name_section, word_section] = sections;
        let records = target_section.exactly::<TargetRecord>(u64::from(record.target_count))?;
        let names = read_names(records, &target_section, &name_section)?;
        let words = word_section.records::<u32>()?;
        let source = Source {
            vertex_count: record.vertex_count,
            quantization,
            entry_count: record.entry_count,
            records,
            record_section: target_section,
            words,
            word_section,
        };
        let Stored {
            targets,
            vertices,
            deltas,
        } = source.read()?;
        let texcoords = self.set_deltas(record, SectionKind::TEXCOORD_DELTAS, TEXCOORD_DELTAS)?;
        let colors = self.set_deltas(record, SectionKind::COLOR_DELTAS, COLOR_DELTAS)?;
        let streams = targets.iter().fold(Streams::default(), |streams, target| {
            streams.union(target.streams())
        });
        let mesh = MorphMesh {
            vertex_count: record.vertex_count,
            quantization,
            streams,
            names,
            targets,
            vertices,
            deltas,
            texcoords,
            colors,
        };
        let report = read_report(records, &mesh).map_err(|error| target_section.fault(error))?;
        let word_count = layout::vertex_major::word_count(&mesh).max(words.len() as u64);
        if word_count > u64::from(u32::MAX) {
            return Err(head.fault(SectionError::OutOfRange {
                what: "the word count of layout",
                at: 0,
                index: word_count,
                count: 1 << 32,
            }));
        }
        Ok((mesh, report, records, words))
    }

    /// The deltas of one kind of sets, which are there where the record has the bit.
    fn set_deltas<const N: usize>(
        &self,
        record: &PrimitiveRecord,
        kind: SectionKind,
        bit: u32,
    ) -> Result<SetPool<N>, CookedError>
    where
        [f32; N]: bytemuck::Pod,
    {
        if record.set_deltas & bit == 0 {
            return Ok(SetPool::default());
        }
        sets::read(
            self.container,
            (kind, self.index),
            record.vertex_count,
            record.target_count,
        )
    }

    fn vertex_major(
        &self,
        record: &PrimitiveRecord,
        head: &Section<'a>,
        mesh: &MorphMesh,
        streams: Streams,
    ) -> Result<CookedVertexMajor<'a>, CookedError> {
        let [steps_offset, entries_offset, entry_words] = layout::vertex_major::offsets(mesh);
        let expected = [
            steps_offset,
            entries_offset,
            entry_words,
            u64::from(stream_bits(streams)),
        ];
        for (found, expected) in record.vertex_major.into_iter().zip(expected) {
            equals("a number about vertex-major words", 0, u64::from(found), expected)
                .map_err(|error| head.fault(error))?;
        }
        let [steps_offset, entries_offset, entry_words, _] = record.vertex_major;
        let mut layout = CookedVertexMajor {
            words: &[],
            steps_offset,
            entries_offset,
            entry_words,
            streams,
        };
        if record.target_count > 0 {
            let section = self.section(SectionKind::VERTEX_MAJOR)?;
            layout.words = section.records()?;
            vertex_major::check(mesh, &layout, &section)?;
        }
        Ok(layout)
    }
}

/// Checks what a record says by itself.
fn check_record(record: &PrimitiveRecord) -> Result<(), SectionError> {
    if record.set_deltas > TEXCOORD_DELTAS | COLOR_DELTAS {
        return Err(SectionError::Field {
            field: "the deltas of sets",
            record: 0,
            found: u64::from(record.set_deltas),
            right: "0 to 3".to_owned(),
        });
    }
    if record.target_count as usize > MorphMesh::MAX_TARGET_COUNT {
        return Err(SectionError::OutOfRange {
            what: "the target count of primitive",
            at: 0,
            index: u64::from(record.target_count),
            count: MorphMesh::MAX_TARGET_COUNT as u64 + 1,
        });
    }
    if ![0, 4, 8].contains(&record.influence_count) {
        return Err(SectionError::Field {
            field: "the number of bones of a vertex",
            record: 0,
            found: u64::from(record.influence_count),
            right: "0, 4 or 8".to_owned(),
        });
    }
    match record
        .thresholds
        .iter()
        .find(|&&threshold| !(threshold >= 0.0 && threshold.is_finite()))
    {
        Some(threshold) => Err(SectionError::Field {
            field: "a threshold",
            record: 0,
            found: u64::from(threshold.to_bits()),
            right: "the bits of a finite float that is 0 or more".to_owned(),
        }),
        None => Ok(()),
    }
}

/// Checks that the rest pose is finite and in the domain.
fn check_rest(record: &PrimitiveRecord, rest: &Section<'_>) -> Result<(), CookedError> {
    let layout = record.vertex_layout();
    for (stream, what) in crate::Stream::ALL.into_iter().zip([
        "the position of vertex",
        "the normal of vertex",
        "the tangent of vertex",
    ]) {
        let Some(place) = layout.place(stream) else {
            continue;
        };
        let offset = place.offset as usize;
        let vertices = rest.bytes().chunks_exact(layout.vertex_bytes() as usize);
        let values = vertices.map(|vertex| bytemuck::pod_read_unaligned(&vertex[offset..offset + 12]));
        in_domain(what, values).map_err(|error| rest.fault(error))?;
    }
    Ok(())
}
