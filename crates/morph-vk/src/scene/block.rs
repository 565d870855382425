//! Blocks: several instances' ranges of one mesh, side by side in the geometry buffer.
//!
//! One dispatch writes the instances of one block, and its descriptors bind just that block, a part of each stream of
//! vertices. Dispatches of a frame therefore bind disjoint bytes, which is what lets them run without a barrier
//! between, and what lets synchronization validation see that they may. A mesh's blocks grow with the number of its
//! instances, so that many instances fall into few blocks; [`Scene::reserve_instances`] puts all that an engine expects
//! into one.

use crate::desc::Method;
use crate::error::MorphError;
use crate::geometry_buffer::VertexBlock;
use crate::scene::{BlockId, MeshId, Scene};
use crate::sets::SetRanges;

/// The most instances that a block grown by itself holds.
const MAX_GROWN_CAPACITY: u32 = 1024;
/// The most instances that any block holds: Y groups of one dispatch, for which every device offers 65,535.
const MAX_CAPACITY: u32 = 65_535;

#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) mesh: MeshId,
    pub(crate) vertices: VertexBlock,
    pub(crate) capacity: u32,
    /// Places that no instance has, the lowest last.
    free: Vec<u32>,
    /// Kept while empty, because the engine asked for it.
    reserved: bool,
    pub(crate) set: Option<BlockSet>,
}

/// The descriptor set of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockSet {
    pub(crate) number: u32,
    pub(crate) ranges: SetRanges,
    pub(crate) last_frame: u64,
}

impl Scene {
    /// A place for one more instance of a mesh that exists.
    pub(super) fn place_instance(&mut self, mesh: MeshId) -> Result<(BlockId, u32), MorphError> {
        let blocks = &self.meshes[mesh].blocks;
        let with_room = blocks
            .iter()
            .copied()
            .find(|id| !self.blocks[*id].free.is_empty());
        let block = match with_room {
            Some(block) => block,
            None => self.grow_blocks(mesh)?,
        };
        let place = self.blocks[block].free.pop().unwrap_or(0);
        Ok((block, place))
    }

    pub(super) fn release_place(&mut self, id: BlockId, place: u32) {
        let block = &mut self.blocks[id];
        let index = block.free.partition_point(|it| *it > place);
        block.free.insert(index, place);
        if (block.free.len() as u32) < block.capacity {
            return;
        }
        if block.reserved {
            // The room stays, the set does not: sets are counted by instances, and this block has none.
            if let Some(set) = block.set.take() {
                self.ledger.release(set.number, set.last_frame);
            }
        } else {
            self.remove_block(id);
        }
    }

    /// Makes room for `count` instances of a mesh, in as few blocks as the device's binding limit allows.
    pub(crate) fn reserve_instances(&mut self, mesh: MeshId, count: u32) -> Result<(), MorphError> {
        self.mesh(mesh)?;
        let capacity = self.constants.capacities.instance_capacity;
        let free: u32 = self.meshes[mesh]
            .blocks
            .iter()
            .map(|id| self.blocks[*id].free.len() as u32)
            .sum();
        if (self.instance_count() as u64) + u64::from(count) > u64::from(capacity) {
            return Err(MorphError::InstanceCapacity { capacity });
        }
        let mut missing = count.saturating_sub(free);
        let mut made = Vec::new();
        while missing > 0 {
            let taken = missing.min(self.largest_capacity(mesh));
            match self.add_block(mesh, taken, true) {
                Ok(block) => made.push(block),
                Err(error) => {
                    // Nothing is half done.
                    for block in made {
                        self.remove_block(block);
                    }
                    return Err(error);
                }
            }
            missing -= taken;
        }
        Ok(())
    }

    fn grow_blocks(&mut self, mesh: MeshId) -> Result<BlockId, MorphError> {
        let attached = self.meshes[mesh].instance_count;
        let left = self
            .constants
            .capacities
            .instance_capacity
            .saturating_sub(self.instance_count() as u32);
        let mut capacity = attached
            .min(MAX_GROWN_CAPACITY)
            .min(left)
            .min(self.largest_capacity(mesh))
            .max(1);
        loop {
            match self.add_block(mesh, capacity, false) {
                Ok(block) => return Ok(block),
                Err(error) if capacity == 1 => return Err(error),
                Err(_) => capacity /= 2,
            }
        }
    }

    /// The most instances of a mesh that one block may hold.
    fn largest_capacity(&self, mesh: MeshId) -> u32 {
        if self.constants.method == Method::Scatter {
            // Scatter dispatches one instance at a time, so each binds its own range.
            return 1;
        }
        let fit = self.constants.max_range_bytes / self.instance_bytes(mesh).max(1);
        fit.clamp(1, u64::from(MAX_CAPACITY)) as u32
    }

    /// Vertices that an instance of a mesh takes, both ranges where it has history.
    fn instance_vertices(&self, mesh: MeshId) -> u64 {
        self.meshes[mesh].range_vertices * self.constants.ranges_per_instance()
    }

    /// Bytes that an instance of a mesh takes of the stream with the longest vertices, which one descriptor binds.
    fn instance_bytes(&self, mesh: MeshId) -> u64 {
        self.instance_vertices(mesh) * self.constants.longest_stride_bytes()
    }

    fn add_block(&mut self, mesh: MeshId, capacity: u32, reserved: bool) -> Result<BlockId, MorphError> {
        let vertex_count = self.instance_vertices(mesh).saturating_mul(u64::from(capacity));
        let vertices = self
            .geometry
            .allocate_vertices("an instance's vertices", vertex_count)?;
        let block = self.blocks.insert(Block {
            mesh,
            vertices,
            capacity,
            free: (0..capacity).rev().collect(),
            reserved,
            set: None,
        });
        self.meshes[mesh].blocks.push(block);
        Ok(block)
    }

    pub(super) fn remove_block(&mut self, id: BlockId) {
        let Some(block) = self.blocks.remove(id) else {
            return;
        };
        self.geometry.release_vertices(block.vertices);
        if let Some(set) = block.set {
            self.ledger.release(set.number, set.last_frame);
        }
        if let Some(mesh) = self.meshes.get_mut(block.mesh) {
            mesh.blocks.retain(|it| *it != id);
        }
    }

    /// First vertex of a range of an instance: `which` is 0, or 1 for the second of an instance with history.
    pub(super) fn first_vertex(&self, block: BlockId, place: u32, which: u8) -> u64 {
        let block = &self.blocks[block];
        let number = u64::from(place) * self.constants.ranges_per_instance() + u64::from(which);
        block.vertices.first_vertex + number * self.meshes[block.mesh].range_vertices
    }
}
