//! One primitive of a cooked file: what the engine uploads, as it lies in the file, and the mesh.

use std::sync::Arc;

use crate::layout::ScatterTarget;
use crate::mesh::MorphMesh;
use crate::report::BuildReport;
use crate::rest::{RestPose, RestStreams};
use crate::skin::SkinWeights;
use crate::streams::Streams;
use crate::vertex_layout::VertexLayout;

use super::records::{ABSENT, PrimitiveRecord, TargetRecord};

/// A primitive of a cooked file. All of it has been checked.
///
/// Slices are the bytes of the file, not copies: each starts at a multiple of 16 there, and can be uploaded as it is.
#[derive(Clone, Debug)]
pub struct CookedPrimitive<'a> {
    pub(super) record: PrimitiveRecord,
    pub(super) targets: &'a [TargetRecord],
    pub(super) mesh: Arc<MorphMesh>,
    pub(super) report: BuildReport,
    pub(super) layout: VertexLayout,
    pub(super) rest: &'a [u8],
    pub(super) indices: &'a [u32],
    pub(super) vertex_major: CookedVertexMajor<'a>,
    pub(super) scatter: &'a [u32],
    pub(super) texcoords: Vec<&'a [[f32; 2]]>,
    pub(super) colors: Vec<&'a [[f32; 4]]>,
    pub(super) skin_weights: Option<SkinWeights>,
}

/// The words of [`VertexMajor`](crate::VertexMajor) as they lie in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CookedVertexMajor<'a> {
    /// The words. A primitive without targets has none, also no table.
    pub words: &'a [u32],
    /// Word at which the steps start.
    pub steps_offset: u32,
    /// Word at which the entries start.
    pub entries_offset: u32,
    /// Words per entry.
    pub entry_words: u32,
    /// The streams of an entry.
    pub streams: Streams,
}

impl<'a> CookedPrimitive<'a> {
    /// The mesh, equal in every field and bit to the one that was written.
    pub fn mesh(&self) -> &Arc<MorphMesh> {
        &self.mesh
    }

    /// What building the mesh cost.
    pub fn report(&self) -> &BuildReport {
        &self.report
    }

    /// The thresholds of the build: position in model units, direction against a unit one.
    pub fn thresholds(&self) -> [f32; 2] {
        self.record.thresholds
    }

    /// Where the attributes lie in a vertex of [`rest_bytes`](Self::rest_bytes).
    pub fn vertex_layout(&self) -> VertexLayout {
        self.layout
    }

    /// The rest pose: interleaved vertices, finite and in the domain.
    pub fn rest_bytes(&self) -> &'a [u8] {
        self.rest
    }

    /// The rest pose, copied.
    pub fn rest_pose(&self) -> RestPose {
        RestPose::from_admitted(
            self.layout,
            self.rest.to_vec(),
            self.record.rest_zeroed_component_count,
        )
    }

    /// The rest pose as streams, for the host kernel.
    pub fn rest_streams(&self) -> RestStreams {
        self.rest_pose().streams()
    }

    /// The signs of the bitangents, one per vertex, where vertices have tangents.
    pub fn tangent_signs(&self) -> Option<Vec<f32>> {
        let sign = self.layout.tangent?.offset as usize + 12;
        let vertices = self.rest.chunks_exact(self.layout.vertex_bytes() as usize);
        Some(
            vertices
                .map(|vertex| bytemuck::pod_read_unaligned(&vertex[sign..sign + 4]))
                .collect(),
        )
    }

    /// Vertex numbers, all below the vertex count.
    pub fn indices(&self) -> &'a [u32] {
        self.indices
    }

    /// The deltas by vertex, for the gather kernel.
    pub fn vertex_major(&self) -> CookedVertexMajor<'a> {
        self.vertex_major
    }

    /// The deltas by target, for the scatter kernel.
    pub fn scatter_words(&self) -> &'a [u32] {
        self.scatter
    }

    /// Where each target lies in [`scatter_words`](Self::scatter_words), in slot order.
    pub fn scatter_targets(&self) -> impl ExactSizeIterator<Item = ScatterTarget> {
        let present = |offset: u32| (offset != ABSENT).then_some(offset);
        self.targets.iter().map(move |record| {
            let [position_offset, normal_offset, tangent_offset] = record.stream_offsets.map(present);
            let [position_step, normal_step, tangent_step] = record.steps;
            ScatterTarget {
                entry_count: record.entry_count,
                index_offset: record.index_offset,
                position_offset,
                normal_offset,
                tangent_offset,
                position_step,
                normal_step,
                tangent_step,
            }
        })
    }

    /// Texture coordinates by set, each one per vertex, finite.
    pub fn texcoords(&self) -> &[&'a [[f32; 2]]] {
        &self.texcoords
    }

    /// Colors by set, each one per vertex, finite.
    pub fn colors(&self) -> &[&'a [[f32; 4]]] {
        &self.colors
    }

    /// The bones that hold the vertices.
    pub fn skin_weights(&self) -> Option<&SkinWeights> {
        self.skin_weights.as_ref()
    }
}
