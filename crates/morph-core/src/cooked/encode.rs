//! A primitive as sections of a file.

use crate::layout::{ScatterTarget, pack_scatter, pack_vertex_major};
use crate::mesh::{MorphMesh, StoredTarget};
use crate::report::{BuildReport, TargetReport};
use crate::rest::RestPose;
use crate::skin::SkinWeights;
use crate::streams::Stream;

use super::kind::{SectionId, SectionKind};
use super::records::{
    ABSENT, COLOR_DELTAS, HAS_DIRECTION_ERROR, PrimitiveRecord, TEXCOORD_DELTAS, TargetRecord,
    quantization_code, stream_bits,
};
use super::sets;
use super::writer::Writer;

/// All that is written of a primitive.
#[derive(Clone, Copy, Debug)]
pub struct PrimitiveParts<'a> {
    /// The built targets.
    pub mesh: &'a MorphMesh,
    /// What building them cost.
    pub report: &'a BuildReport,
    /// The thresholds of the build: position in model units, direction against a unit one.
    pub thresholds: [f32; 2],
    /// The rest pose of the mesh, in any layout of vertices. A file holds one stream of floats: what lies in several
    /// streams or is packed is written as [`RestPose::to_tight`] has it.
    pub rest: &'a RestPose,
    /// Vertex numbers.
    pub indices: &'a [u32],
    /// Texture coordinates by set, each one per vertex.
    pub texcoords: &'a [Vec<[f32; 2]>],
    /// Colors by set, each one per vertex.
    pub colors: &'a [Vec<[f32; 4]>],
    /// The bones that hold the vertices.
    pub skin_weights: Option<&'a SkinWeights>,
}

impl<'a> PrimitiveParts<'a> {
    /// What every primitive has; built with zero thresholds.
    pub fn new(mesh: &'a MorphMesh, report: &'a BuildReport, rest: &'a RestPose, indices: &'a [u32]) -> Self {
        PrimitiveParts {
            mesh,
            report,
            thresholds: [0.0; 2],
            rest,
            indices,
            texcoords: &[],
            colors: &[],
            skin_weights: None,
        }
    }
}

impl<'a> Writer<'a> {
    /// Adds the sections of a primitive. Primitives are numbered from 0 without a gap.
    ///
    /// The parts have to be of one primitive: a reader refuses the file where they are not.
    pub fn add_primitive(&mut self, index: u32, parts: &PrimitiveParts<'a>) {
        let id = |kind| SectionId::of_primitive(kind, index);
        let part = |kind, part: usize| SectionId {
            part: part as u32,
            ..id(kind)
        };
        let mesh = parts.mesh;
        let vertex_major = pack_vertex_major(mesh);
        let tight = (!parts.rest.layout().is_interleaved_floats()).then(|| parts.rest.to_tight());
        let layout = tight.as_ref().unwrap_or(parts.rest).layout();
        let head = PrimitiveRecord {
            entry_count: mesh.entry_count(),
            rest_zeroed_component_count: parts.rest.zeroed_component_count(),
            vertex_count: mesh.vertex_count(),
            target_count: mesh.target_count() as u32,
            index_count: parts.indices.len() as u32,
            quantization: quantization_code(mesh.quantization()),
            stride_bytes: layout.vertex_bytes(),
            attribute_offsets: Stream::ALL
                .map(|stream| layout.place(stream).map_or(ABSENT, |place| place.offset)),
            texcoord_set_count: parts.texcoords.len() as u32,
            color_set_count: parts.colors.len() as u32,
            influence_count: parts
                .skin_weights
                .map_or(0, |weights| weights.influence_count().get() as u32),
            vertex_major: [
                vertex_major.steps_offset,
                vertex_major.entries_offset,
                vertex_major.entry_words,
                stream_bits(vertex_major.streams),
            ],
            thresholds: parts.thresholds,
            set_deltas: set_deltas(mesh),
        };
        self.add_owned(id(SectionKind::PRIMITIVE), &[head]);
        match &tight {
            None => self.add(id(SectionKind::REST), parts.rest.bytes()),
            Some(tight) => self.add_owned(id(SectionKind::REST), tight.bytes()),
        }
        self.add(id(SectionKind::INDICES), parts.indices);
        for (set, texcoords) in parts.texcoords.iter().enumerate() {
            self.add(part(SectionKind::TEXCOORDS, set), texcoords);
        }
        for (set, colors) in parts.colors.iter().enumerate() {
            self.add(part(SectionKind::COLORS, set), colors);
        }
        if let Some(weights) = parts.skin_weights {
            self.add(id(SectionKind::SKIN_JOINTS), weights.joints());
            self.add(id(SectionKind::SKIN_WEIGHTS), weights.weights());
        }
        if mesh.target_count() == 0 {
            return;
        }
        let scatter = pack_scatter(mesh);
        let names: String = mesh.names().iter().collect();
        let records: Vec<TargetRecord> = mesh
            .targets
            .iter()
            .zip(&scatter.targets)
            .zip(&parts.report.targets)
            .zip(mesh.names().iter())
            .map(|(((target, place), report), name)| target_record(target, place, report, name))
            .collect();
        self.add_owned(id(SectionKind::TARGETS), &records);
        self.add_owned(id(SectionKind::TARGET_NAMES), names.as_bytes());
        self.add_owned(id(SectionKind::VERTEX_MAJOR), &vertex_major.words);
        self.add_owned(id(SectionKind::SCATTER), &scatter.words);
        let targets = || 0..mesh.target_count();
        let texcoords =
            targets().flat_map(|slot| mesh.texcoords.of_target(slot).map(move |view| (slot, view)));
        sets::add(self, (SectionKind::TEXCOORD_DELTAS, index), texcoords);
        let colors = targets().flat_map(|slot| mesh.colors.of_target(slot).map(move |view| (slot, view)));
        sets::add(self, (SectionKind::COLOR_DELTAS, index), colors);
    }
}

fn set_deltas(mesh: &MorphMesh) -> u32 {
    let texcoords = if mesh.texcoord_entry_count() > 0 {
        TEXCOORD_DELTAS
    } else {
        0
    };
    let colors = if mesh.color_entry_count() > 0 {
        COLOR_DELTAS
    } else {
        0
    };
    texcoords | colors
}

fn target_record(
    target: &StoredTarget,
    place: &ScatterTarget,
    report: &TargetReport,
    name: &str,
) -> TargetRecord {
    let offsets = [place.position_offset, place.normal_offset, place.tangent_offset];
    TargetRecord {
        dropped_entry_count: report.dropped_entry_count,
        zeroed_component_count: report.zeroed_component_count,
        name_bytes: name.len() as u32,
        entry_count: target.entry_count,
        index_offset: place.index_offset,
        stream_offsets: offsets.map(|offset| offset.unwrap_or(ABSENT)),
        steps: target.steps,
        reach: target.reach,
        minimum: target.minimum,
        maximum: target.maximum,
        worst_errors: [
            report.worst_position_error,
            report.worst_normal_error,
            report.worst_tangent_error,
        ],
        worst_direction_error_degrees: report.worst_direction_error_degrees.unwrap_or(0.0),
        uncounted_direction_vertices: report.uncounted_direction_vertices,
        flags: if report.worst_direction_error_degrees.is_some() {
            HAS_DIRECTION_ERROR
        } else {
            0
        },
    }
}
