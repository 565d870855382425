//! Skin weights of a mesh: what lies of them on the device.

use morph_core::RestStreams;
use morph_core::skin::{SkinBounds, SkinWeights};

use crate::error::MorphError;
use crate::mesh_desc::MeshSkin;
use crate::range_allocator::Range;
use crate::scene::Scene;

/// The skin of a mesh in the geometry buffer.
#[derive(Debug)]
pub(super) struct HeldSkin {
    pub(super) skin: MeshSkin,
    pub(super) range: Range,
    /// Where the vertices of each bone lie at rest.
    pub(super) bounds: SkinBounds,
    /// Emptied once uploaded.
    pub(super) words: Vec<u32>,
}

impl HeldSkin {
    pub(super) fn pack_again(&mut self) {
        self.words = pack(&self.skin.weights);
    }
}

/// Words of each vertex, as `shaders/include/morph_skin.glsl` reads them: its joints, two a word with the first in the low
/// half, and then its weights.
fn pack(weights: &SkinWeights) -> Vec<u32> {
    let per_vertex = weights.influence_count().get();
    let joints = weights.joints().chunks_exact(per_vertex);
    let vertices = joints.zip(weights.weights().chunks_exact(per_vertex));
    let mut words = Vec::with_capacity(size_bytes(weights) as usize / 4);
    for (joints, weights) in vertices {
        let pairs = joints.as_chunks::<2>().0;
        words.extend(
            pairs
                .iter()
                .map(|[low, high]| u32::from(*low) | u32::from(*high) << 16),
        );
        words.extend(weights.iter().map(|weight| weight.to_bits()));
    }
    words
}

fn size_bytes(weights: &SkinWeights) -> u64 {
    weights.joints().len() as u64 * 2 + weights.weights().len() as u64 * 4
}

impl Scene {
    /// Finds room for skin weights, which are for the vertices of this rest pose.
    pub(super) fn hold_skin(&mut self, skin: MeshSkin, rest: &RestStreams) -> Result<HeldSkin, MorphError> {
        if !self.constants.capacities.skins() {
            return Err(MorphError::SkinningOff);
        }
        // Which bones there are is not known yet.
        let bounds = SkinBounds::new(rest, &skin.weights)?;
        let asked_bytes = size_bytes(&skin.weights);
        if asked_bytes > self.constants.max_range_bytes {
            return Err(MorphError::DeviceLimit {
                what: "a mesh's skin weights",
                asked_bytes,
                limit_bytes: self.constants.max_range_bytes,
            });
        }
        let alignment = self.constants.storage_alignment;
        let range = self.geometry.allocate("skin weights", asked_bytes, alignment)?;
        self.skin_bytes += range.size_bytes;
        let words = pack(&skin.weights);
        Ok(HeldSkin {
            skin,
            range,
            bounds,
            words,
        })
    }

    pub(super) fn release_skin(&mut self, skin: &HeldSkin) {
        self.geometry.release(skin.range);
        self.skin_bytes -= skin.range.size_bytes;
    }

    pub(crate) fn skin_bytes(&self) -> u64 {
        self.skin_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use morph_core::skin::InfluenceCount;

    #[test]
    fn joints_lie_two_a_word_before_the_weights() {
        let weights = SkinWeights::new(
            InfluenceCount::Four,
            vec![1, 2, 3, 4, 5, 0xffff, 7, 8],
            vec![0.5, 0.25, 0.125, 0.0625, 1.0, 2.0, 3.0, 4.0],
        )
        .unwrap_or_else(|error| panic!("{error}"));
        let bits = f32::to_bits;
        let expected = [
            [
                0x0002_0001,
                0x0004_0003,
                bits(0.5),
                bits(0.25),
                bits(0.125),
                bits(0.0625),
            ],
            [
                0xffff_0005,
                0x0008_0007,
                bits(1.0),
                bits(2.0),
                bits(3.0),
                bits(4.0),
            ],
        ];
        assert_eq!(pack(&weights), expected.as_flattened());
        assert_eq!(size_bytes(&weights), 48);
    }
}
