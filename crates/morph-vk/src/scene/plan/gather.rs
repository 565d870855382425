//! The batched gather: records and weights of this frame, and one dispatch a block.

use morph_core::Streams;
use morph_core::plan::{CopyPurpose, CopyStep, DispatchStep, Interval, Kernel, PlanBuffer};

use crate::scene::mesh::{DeltaLayout, Deltas};
use crate::scene::{BlockId, Scene};
use crate::shader_interface::{GatherParams, InstanceRecord, stream_bits};

use super::{Scratch, spill};

impl Scene {
    /// One dispatch a block; returns the bytes of staging taken by records and weights.
    pub(in crate::scene) fn plan_gather(
        &mut self,
        scratch: &mut Scratch,
        slot: u32,
        staging: &mut [u8],
    ) -> u64 {
        if scratch.items.is_empty() {
            return 0;
        }
        scratch
            .items
            .sort_unstable_by_key(|item| (item.block, item.place));
        let record_bytes = size_of::<InstanceRecord>();
        let mut record_offset = 0;
        let mut weights_offset = scratch.items.len() * record_bytes;
        for batch in scratch.items.chunk_by(|a, b| a.block == b.block) {
            let block_offset = self.blocks[batch[0].block].range.offset;
            let first_record = (record_offset / 4) as u32;
            for item in batch {
                let record = InstanceRecord {
                    output_offset: ((item.range_offset - block_offset) / 4) as u32,
                    weights_offset: (weights_offset / 4) as u32,
                };
                staging[record_offset..record_offset + record_bytes]
                    .copy_from_slice(bytemuck::bytes_of(&record));
                record_offset += record_bytes;
                let weights: &[u8] = bytemuck::cast_slice(self.instances[item.instance].weights.values());
                staging[weights_offset..weights_offset + weights.len()].copy_from_slice(weights);
                weights_offset += weights.len();
            }
            scratch
                .dispatches
                .extend(self.gather_dispatch(batch[0].block, batch.len() as u32, first_record));
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

    fn gather_dispatch(&self, id: BlockId, instance_count: u32, first_record: u32) -> Option<DispatchStep> {
        let mesh = &self.meshes[self.blocks[id].mesh];
        let Deltas::Held {
            layout:
                DeltaLayout::VertexMajor {
                    steps_offset,
                    entries_offset,
                    entry_words,
                    streams,
                },
            ..
        } = &mesh.deltas
        else {
            return None;
        };
        let layout = &self.constants.layout;
        let kernel = Kernel::gather_for(instance_count);
        let [local_x, local_y] = kernel.local_size();
        let output = Streams {
            positions: true,
            normals: streams.normals && layout.normal_offset.is_some(),
            tangents: streams.tangents && layout.tangent_offset.is_some(),
        };
        let vertex_count = mesh.morph.vertex_count();
        let params = GatherParams {
            vertex_count,
            instance_count,
            first_record,
            steps_offset: *steps_offset,
            entries_offset: *entries_offset,
            entry_words: *entry_words,
            entry_streams: stream_bits(*streams),
            output_streams: stream_bits(output),
        };
        let [x, z] = spill(vertex_count.div_ceil(local_x), self.constants.max_group_count[0]);
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
}
