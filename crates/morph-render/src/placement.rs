//! Draws whose submeshes are placed by a table: what they bind, and where their vertices end up.
//!
//! The table is `morph_core::placement`'s, and the vertex stages apply it to what the vertex buffer holds, so to the
//! morphed vertex, before the model matrix.
//! Its words, those of this frame and those of the last one, may share one buffer with the tables of other draws.

use std::fmt;
use std::sync::Arc;

use ash::vk;
use morph_core::placement::{Placement, PlacementTable};

use crate::device::Context;
use crate::error::{DeviceError, Named};
use crate::interface::PLACEMENT_WORDS_BINDING;
use crate::memory::Buffer;

/// A buffer of placement tables, ready to be bound; made by [`Renderer::placement_tables`](crate::Renderer::placement_tables).
///
/// Writing rows between frames needs no new one: the words are read when the frame runs.
/// Dropping it waits until the device is idle.
pub struct PlacementTables {
    context: Arc<Context>,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
}

impl PlacementTables {
    pub(crate) fn new(
        context: &Arc<Context>,
        layout: vk::DescriptorSetLayout,
        words: &Buffer,
    ) -> Result<Self, DeviceError> {
        let device = &context.device.0;
        let sizes = [vk::DescriptorPoolSize {
            ty: vk::DescriptorType::STORAGE_BUFFER,
            descriptor_count: 1,
        }];
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(1)
            .pool_sizes(&sizes);
        // SAFETY: the device is alive.
        let pool = unsafe { device.create_descriptor_pool(&info, None) }.named("vkCreateDescriptorPool")?;
        // From here on `Drop` cleans up after a failure.
        let mut tables = Self {
            context: Arc::clone(context),
            pool,
            set: vk::DescriptorSet::null(),
        };
        let layouts = [layout];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&layouts);
        // SAFETY: pool and layout are alive.
        let sets = unsafe { device.allocate_descriptor_sets(&info) }.named("vkAllocateDescriptorSets")?;
        tables.set = sets[0];
        // SAFETY: the set was just allocated.
        unsafe { context.name_object(tables.set, "placement tables") };
        let buffers = [vk::DescriptorBufferInfo::default()
            .buffer(words.handle())
            .range(words.size_bytes())];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(tables.set)
            .dst_binding(PLACEMENT_WORDS_BINDING)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .buffer_info(&buffers);
        // SAFETY: the set is not in use yet, and the buffer is alive.
        unsafe { device.update_descriptor_sets(&[write], &[]) };
        Ok(tables)
    }

    /// The descriptor set, as [`DrawPlacement::tables`] wants it.
    pub fn set(&self) -> vk::DescriptorSet {
        self.set
    }
}

impl Drop for PlacementTables {
    fn drop(&mut self) {
        // A lost device is idle too.
        let _ = self.context.wait_idle();
        // SAFETY: the device is idle, and the pool is this value's own; the set goes with it.
        unsafe { self.context.device.0.destroy_descriptor_pool(self.pool, None) };
    }
}

impl fmt::Debug for PlacementTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlacementTables")
            .field("set", &self.set)
            .finish_non_exhaustive()
    }
}

/// Where one table stands in a buffer of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableRange {
    /// Its first word.
    pub first_word: u32,
    /// Submeshes that have a row; all others stay where they are.
    pub row_count: u32,
    /// Words from one row to the next; at least `morph_core::placement::ROW_WORDS`.
    pub stride: u32,
}

impl TableRange {
    /// A table whose words were written from `first_word` on.
    pub fn of(table: &PlacementTable, first_word: u32) -> Self {
        Self {
            first_word,
            row_count: table.row_count(),
            stride: table.layout().stride(),
        }
    }
}

/// How the submeshes of a draw are placed.
///
/// The model matrix may mirror; a placement cannot, because its scales are positive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawPlacement {
    /// The submesh of each vertex, 32-bit numbers close together (semantic `transform-id`); usage `VERTEX_BUFFER`.
    ///
    /// Instances of one mesh share it: it does not change with shape or pose.
    pub id_buffer: vk::Buffer,
    /// The number of the range's first vertex, in numbers from the start of the buffer.
    pub first_id: u32,
    /// The buffer of tables: [`PlacementTables::set`].
    pub tables: vk::DescriptorSet,
    /// The table of this frame.
    pub current: TableRange,
    /// The table of the last frame, for motion vectors; the same as the current one where nothing was moved.
    pub previous: TableRange,
}

/// Where the vertex stages put positions, to the bit: what cameras and shadow maps are to be fitted to.
///
/// `ids` holds the submesh of each vertex; a vertex beyond its end stays where it is.
///
/// ```
/// use morph_core::Aabb;
/// use morph_core::placement::{Placement, TableLayout};
/// use morph_render::placed_positions;
///
/// let up = Placement::IDENTITY.with_translation([0.0, 2.0, 0.0])?;
/// let table = TableLayout::new(64, 11)?.pack_table([None, Some(&up)])?;
/// let placed = placed_positions(&[[0.0; 3], [1.0; 3]], &[0, 1], &table);
/// assert_eq!(Aabb::of(&placed).max, [1.0, 3.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn placed_positions(positions: &[[f32; 3]], ids: &[u32], table: &PlacementTable) -> Vec<[f32; 3]> {
    let placements: Vec<Placement> = (0..table.row_count()).map(|it| table.lookup(it)).collect();
    let placement_of = |vertex: usize| placements.get(*ids.get(vertex)? as usize);
    positions
        .iter()
        .enumerate()
        .map(|(vertex, position)| placement_of(vertex).map_or(*position, |it| it.apply(*position)))
        .collect()
}
