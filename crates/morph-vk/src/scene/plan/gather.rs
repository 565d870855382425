//! The batched gather: poses, records and weights of this frame, and one dispatch a block.

use morph_core::Streams;
use morph_core::plan::{CopyPurpose, CopyStep, DispatchStep, Interval, Kernel, PlanBuffer};
use morph_core::skin::DirectionTransform;

use crate::scene::Scene;
use crate::scene::mesh::{DeltaLayout, Deltas, Mesh};
use crate::shader_interface::{GatherParams, InstanceRecord, NO_STREAM, NO_WEIGHTS, stream_bits};
use crate::stats::FrameStats;

use super::{Item, Scratch, spill};

impl Scene {
    /// One dispatch a block; returns the bytes of staging taken by this frame's data.
    ///
    /// Poses come first, so that their rows are aligned wherever the rest ends, then records, then weights.
    pub(in crate::scene) fn plan_gather(
        &mut self,
        scratch: &mut Scratch,
        slot: u32,
        staging: &mut [u8],
        stats: &mut FrameStats,
    ) -> u64 {
        if scratch.items.is_empty() {
            return 0;
        }
        scratch
            .items
            .sort_unstable_by_key(|item| (item.block, item.place));
        let mut pose_end = 0;
        for item in &mut scratch.items {
            let Some(skeleton) = item.skeleton else { continue };
            let before = pose_end;
            item.pose_offset = self.skeletons.send(skeleton, self.frame, staging, &mut pose_end);
            stats.sent_poses += u32::from(pose_end > before);
        }
        let record_bytes = size_of::<InstanceRecord>();
        let mut record_offset = pose_end;
        let mut weights_offset = pose_end + scratch.items.len() * record_bytes;
        for batch in scratch.items.chunk_by(|a, b| a.block == b.block) {
            let block_vertex = self.blocks[batch[0].block].vertices.first_vertex;
            let first_record = (record_offset / 4) as u32;
            for item in batch {
                let record = InstanceRecord {
                    first_vertex: (item.first_vertex - block_vertex) as u32,
                    weights_offset: if item.morphs {
                        (weights_offset / 4) as u32
                    } else {
                        NO_WEIGHTS
                    },
                    pose_offset: item.pose_offset,
                };
                staging[record_offset..record_offset + record_bytes]
                    .copy_from_slice(bytemuck::bytes_of(&record));
                record_offset += record_bytes;
                if item.morphs {
                    let weights = self.instances[item.instance].weights.values();
                    let weights: &[u8] = bytemuck::cast_slice(weights);
                    staging[weights_offset..weights_offset + weights.len()].copy_from_slice(weights);
                    weights_offset += weights.len();
                }
            }
            scratch
                .dispatches
                .extend(self.gather_dispatch(batch, first_record));
        }
        let size_bytes = weights_offset as u64;
        scratch.copies.push(CopyStep {
            purpose: CopyPurpose::FrameData,
            source: Interval {
                buffer: PlanBuffer::Staging,
                offset: self.staging_offset(slot),
                size_bytes,
            },
            destination: PlanBuffer::Frame,
            destination_offset: 0,
        });
        size_bytes
    }

    /// The dispatch that writes these instances, all of one block.
    fn gather_dispatch(&self, batch: &[Item], first_record: u32) -> Option<DispatchStep> {
        let id = batch[0].block;
        let mesh = &self.meshes[self.blocks[id].mesh];
        // One dispatch writes a block, so that dispatches stay disjoint: where any instance is skinned the kernel that
        // skins writes them all, and leaves alone those without a pose.
        let skins = batch.iter().any(|item| item.skeleton.is_some());
        let instance_count = batch.len() as u32;
        let plain = Kernel::gather_for(instance_count);
        let kernel = if skins { plain.skinned() } else { plain };
        let [local_x, local_y] = kernel.local_size();
        let params = GatherParams {
            instance_count,
            first_record,
            ..self.mesh_params(mesh, skins)
        };
        let groups = params.vertex_count.div_ceil(local_x);
        let [x, z] = spill(groups, self.constants.max_group_count[0]);
        let group_count = [x, instance_count.div_ceil(local_y), z];
        self.dispatch(
            id,
            kernel,
            None,
            instance_count,
            group_count,
            bytemuck::bytes_of(&params),
        )
    }

    /// What a mesh says of its parameters.
    fn mesh_params(&self, mesh: &Mesh, skins: bool) -> GatherParams {
        let layout = &self.constants.layout;
        let mut params = GatherParams {
            vertex_count: mesh.morph.vertex_count(),
            texcoord_table: NO_STREAM,
            color_table: NO_STREAM,
            ..GatherParams::default()
        };
        let mut output = Streams::default();
        if let Deltas::Held {
            layout:
                DeltaLayout::VertexMajor {
                    steps_offset,
                    entries_offset,
                    entry_words,
                    streams,
                    set_tables,
                },
            ..
        } = &mesh.deltas
        {
            params.steps_offset = *steps_offset;
            params.entries_offset = *entries_offset;
            params.entry_words = *entry_words;
            params.entry_streams = stream_bits(*streams);
            [params.texcoord_table, params.color_table] = set_tables.map(|it| it.unwrap_or(NO_STREAM));
            output = *streams;
        }
        if let (true, Some(held)) = (skins, &mesh.skin) {
            params.influence_count = held.skin.weights.influence_count().get() as u32;
            params.by_cofactors = u32::from(held.skin.directions == DirectionTransform::Cofactor);
            // Bones carry all directions, whatever the targets move.
            output = Streams {
                positions: true,
                normals: true,
                tangents: true,
            };
        }
        output.normals &= layout.normal.is_some();
        output.tangents &= layout.tangent.is_some();
        params.output_streams = stream_bits(output);
        params
    }
}
