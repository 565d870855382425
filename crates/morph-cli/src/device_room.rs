//! How large a geometry buffer has to be for what a command runs, and how many instances one frame can carry.

use morph_core::VertexLayout;
use morph_render::HeadlessDevice;

/// A mesh that has to fit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub(crate) vertex_count: u64,
    pub(crate) delta_bytes: u64,
    pub(crate) instance_count: u64,
}

/// Bytes of a geometry buffer that holds these meshes, of vertices in one stream.
///
/// `ranges_per_instance` is 2 where instances keep their previous vertices. Ranges of vertices start at multiples of
/// the stride and of the device's alignment, and instances lie side by side, so what they leave unused is what rounds
/// them up, and as much in front of each kind of range.
pub(crate) fn geometry_bytes(
    layout: VertexLayout,
    storage_alignment: u64,
    ranges_per_instance: u64,
    meshes: &[Room],
) -> u64 {
    let stride = u64::from(layout.vertex_bytes());
    let alignment = least_common_multiple(stride, storage_alignment.max(16));
    meshes.iter().fold(0_u64, |sum, mesh| {
        let range = mesh
            .vertex_count
            .saturating_mul(stride)
            .saturating_add(alignment - 1)
            / alignment
            * alignment;
        let ranges = mesh
            .instance_count
            .saturating_mul(ranges_per_instance)
            .saturating_add(1);
        let parts = [range.saturating_mul(ranges), mesh.delta_bytes, 4 * alignment];
        parts.into_iter().fold(sum, u64::saturating_add)
    })
}

/// The most instances with so many targets whose records and weights one frame can carry, in one binding.
pub(crate) fn most_instances(device: &HeadlessDevice, target_count: usize) -> u64 {
    u64::from(device.limits().max_storage_buffer_range)
        / morph_vk::Capacities::instance_frame_bytes(target_count)
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_every_range_and_its_alignment() {
        let mesh = Room {
            vertex_count: 100,
            delta_bytes: 1000,
            instance_count: 3,
        };
        // Vertices of 40 bytes at multiples of 64 start at multiples of 320, and 4,000 bytes take 4,160 of them.
        let exact = 4160 * (1 + 2 * 3) + 1000;
        let bytes = geometry_bytes(VertexLayout::PACKED, 64, 2, &[mesh]);
        assert!(bytes >= exact + 3 * 320 && bytes <= exact + 4 * 320, "{bytes}");
        let endless = Room {
            vertex_count: u64::MAX,
            ..mesh
        };
        assert!(geometry_bytes(VertexLayout::PACKED, 64, 2, &[endless, mesh]) > u64::MAX / 2);
    }
}
