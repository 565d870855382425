//! Scatter: a dispatch per active target, in rounds that share their barriers.

use morph_core::plan::Kernel;

use crate::scene::Scene;
use crate::scene::mesh::{DeltaLayout, Deltas};
use crate::shader_interface::{NO_STREAM, ScatterParams};

use super::{Scratch, spill};

impl Scene {
    /// Rounds of dispatches: in each the next active target of every instance, so that instances share barriers.
    pub(in crate::scene) fn plan_scatter(&mut self, scratch: &mut Scratch) {
        scratch
            .items
            .sort_unstable_by_key(|item| (item.block, item.place));
        loop {
            let before = scratch.dispatches.len();
            for item in &mut scratch.items {
                let instance = &self.instances[item.instance];
                let mesh = &self.meshes[instance.mesh];
                let Deltas::Held {
                    layout: DeltaLayout::Scatter { targets },
                    ..
                } = &mesh.deltas
                else {
                    continue;
                };
                let weights = instance.weights.values();
                let slots = item.next_slot..weights.len();
                let is_active = |slot: &usize| weights[*slot] != 0.0 && targets[*slot].entry_count > 0;
                let Some(slot) = slots.into_iter().find(is_active) else {
                    item.next_slot = weights.len();
                    continue;
                };
                item.next_slot = slot + 1;
                let target = &targets[slot];
                let layout = &self.constants.layout;
                let stream = |offset: Option<u32>, drawn: bool| {
                    if drawn {
                        offset.unwrap_or(NO_STREAM)
                    } else {
                        NO_STREAM
                    }
                };
                let params = ScatterParams {
                    entry_count: target.entry_count,
                    index_offset: target.index_offset,
                    position_offset: stream(target.position_offset, true),
                    normal_offset: stream(target.normal_offset, layout.normal.is_some()),
                    tangent_offset: stream(target.tangent_offset, layout.tangent.is_some()),
                    first_vertex: (item.first_vertex - self.blocks[item.block].vertices.first_vertex) as u32,
                    weight: weights[slot],
                    position_step: target.position_step,
                    normal_step: target.normal_step,
                    tangent_step: target.tangent_step,
                };
                let [local_x, _] = Kernel::Scatter.local_size();
                let groups = target.entry_count.div_ceil(local_x);
                let [x, z] = spill(groups, self.constants.max_group_count[0]);
                let target = Some(slot as u32);
                scratch.dispatches.extend(self.dispatch(
                    item.block,
                    Kernel::Scatter,
                    target,
                    1,
                    [x, 1, z],
                    bytemuck::bytes_of(&params),
                ));
            }
            if scratch.dispatches.len() == before {
                break;
            }
            // Where the round ends; `assemble` puts a barrier before the next one.
            scratch.round_ends.push(scratch.dispatches.len());
        }
    }
}
