//! Descriptor sets: all made at the start, written only while no pending frame uses them.

use std::collections::VecDeque;

use ash::vk;
use morph_core::VertexLayout;

use crate::debug::DebugNames;
use crate::error::MorphError;
use crate::shader_interface::bindings;

/// How many bindings a set has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BindingCounts {
    /// Bindings, from 0 on.
    pub(crate) bindings: u32,
    /// Buffers of the one that is an array, a stream of vertices each.
    pub(crate) streams: u32,
}

impl BindingCounts {
    /// Storage buffers that a set binds.
    pub(crate) const fn storage_buffers(self) -> u32 {
        self.bindings - 1 + self.streams
    }
}

/// The byte ranges that a set binds in the geometry buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SetRanges {
    /// Rest pose: offset and size.
    pub(crate) rest: (u64, u64),
    /// Deltas: offset and size.
    pub(crate) deltas: (u64, u64),
    /// Ranges of the instances in each stream of vertices: offset and size; nothing behind the last stream.
    pub(crate) output: [(u64, u64); VertexLayout::MAX_STREAM_COUNT],
    /// Skin weights: offset and size.
    pub(crate) skin: (u64, u64),
}

/// Which sets may be written. Knows no Vulkan.
#[derive(Debug, Default)]
pub(crate) struct SetLedger {
    free: Vec<u32>,
    /// Given back, with the last frame that may use them, in the order given back.
    retired: VecDeque<(u32, u64)>,
}

impl SetLedger {
    pub(crate) fn new(count: u32) -> SetLedger {
        SetLedger {
            free: (0..count).rev().collect(),
            retired: VecDeque::with_capacity(count as usize),
        }
    }

    /// Takes a set that no frame behind `completed_frame` uses.
    pub(crate) fn acquire(&mut self, completed_frame: u64) -> Option<u32> {
        while let Some(&(set, last_frame)) = self.retired.front() {
            if last_frame > completed_frame {
                break;
            }
            self.retired.pop_front();
            self.free.push(set);
        }
        self.free.pop()
    }

    pub(crate) fn release(&mut self, set: u32, last_frame: u64) {
        self.retired.push_back((set, last_frame));
    }
}

/// The sets themselves.
#[derive(Debug)]
pub(crate) struct DescriptorSets {
    pool: vk::DescriptorPool,
    sets: Vec<vk::DescriptorSet>,
    binding_count: u32,
}

impl DescriptorSets {
    /// # Safety
    ///
    /// `device` and `layout` must be live and belong together; the layout has the first bindings of `counts`.
    pub(crate) unsafe fn new(
        device: &ash::Device,
        names: &DebugNames,
        layout: vk::DescriptorSetLayout,
        counts: BindingCounts,
        count: u32,
    ) -> Result<DescriptorSets, MorphError> {
        let sizes = [vk::DescriptorPoolSize {
            ty: vk::DescriptorType::STORAGE_BUFFER,
            descriptor_count: count.saturating_mul(counts.storage_buffers()),
        }];
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(count)
            .pool_sizes(&sizes);
        // SAFETY: the caller vouches for the device.
        let pool = unsafe { device.create_descriptor_pool(&info, None) }
            .map_err(MorphError::vulkan("vkCreateDescriptorPool"))?;
        names.name(pool, "morph descriptor pool");
        let layouts = vec![layout; count as usize];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&layouts);
        // SAFETY: the pool was made for just these sets.
        match unsafe { device.allocate_descriptor_sets(&info) } {
            Ok(sets) => Ok(DescriptorSets {
                pool,
                sets,
                binding_count: counts.bindings,
            }),
            Err(result) => {
                // SAFETY: nothing uses the pool.
                unsafe { device.destroy_descriptor_pool(pool, None) };
                Err(MorphError::Vulkan {
                    call: "vkAllocateDescriptorSets",
                    result,
                })
            }
        }
    }

    pub(crate) fn get(&self, set: u32) -> vk::DescriptorSet {
        self.sets[set as usize]
    }

    /// # Safety
    ///
    /// No pending command buffer may use the set; buffers and device must be live, ranges within the buffers.
    pub(crate) unsafe fn write(
        &self,
        device: &ash::Device,
        set: u32,
        geometry: vk::Buffer,
        frame: vk::Buffer,
        ranges: &SetRanges,
    ) {
        let of = |(offset, range): (u64, u64)| vk::DescriptorBufferInfo {
            buffer: geometry,
            offset,
            range,
        };
        let streams = ranges.output.map(of);
        let stream_count = ranges.output.iter().take_while(|(_, size)| *size > 0).count();
        let whole_frame = [vk::DescriptorBufferInfo {
            buffer: frame,
            offset: 0,
            range: vk::WHOLE_SIZE,
        }];
        let [rest, deltas, skin] = [ranges.rest, ranges.deltas, ranges.skin].map(|range| [of(range)]);
        // By rising binding.
        let infos: [&[_]; bindings::COUNT as usize] = [
            &rest,
            &deltas,
            &streams[..stream_count],
            &whole_frame,
            &skin,
            &whole_frame,
        ];
        let writes: [_; bindings::COUNT as usize] = std::array::from_fn(|binding| {
            vk::WriteDescriptorSet::default()
                .dst_set(self.sets[set as usize])
                .dst_binding(binding as u32)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(infos[binding])
        });
        // SAFETY: the caller vouches that no pending frame uses the set.
        unsafe { device.update_descriptor_sets(&writes[..self.binding_count as usize], &[]) };
    }

    /// # Safety
    ///
    /// The device must be done with every set, and this must not be called twice.
    pub(crate) unsafe fn destroy(&mut self, device: &ash::Device) {
        // SAFETY: the caller vouches that the device is done; the sets go with their pool.
        unsafe { device.destroy_descriptor_pool(self.pool, None) };
        self.sets.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_comes_back_only_when_the_frames_that_use_it_are_done() {
        let mut ledger = SetLedger::new(1);
        assert_eq!(ledger.acquire(0), Some(0));
        assert_eq!(ledger.acquire(0), None);
        ledger.release(0, 5);
        assert_eq!(ledger.acquire(4), None);
        assert_eq!(ledger.acquire(5), Some(0));
    }
}
