//! Skins as small recipes, as meshes are.

use std::sync::Arc;

use morph_core::skin::{BoneRows, DirectionTransform, InfluenceCount};
use morph_validation::{Rng, sample_bones, sample_skin};
use morph_vk::MeshSkin;
use proptest::prelude::*;

/// A skin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkinRecipe {
    /// How many bones may hold a vertex.
    pub influence_count: InfluenceCount,
    /// How bones carry normals.
    pub directions: DirectionTransform,
    /// Joints are below it.
    pub bone_count: u32,
    /// Where its numbers come from.
    pub seed: u64,
}

impl SkinRecipe {
    /// Cooks it for a mesh.
    ///
    /// # Panics
    /// The weights are refused: the recipe is wrong.
    pub fn cook(&self, vertex_count: u32) -> MeshSkin {
        let mut rng = Rng::new(self.seed);
        let weights = sample_skin(&mut rng, vertex_count, self.bone_count, self.influence_count)
            .unwrap_or_else(|error| panic!("{error}: {self:?}"));
        MeshSkin {
            weights: Arc::new(weights),
            directions: self.directions,
        }
    }
}

/// The bones of a pose: zeros of both signs, numbers around 2^-40, subnormals and ordinary ones.
pub fn cook_bones(bone_count: u32, seed: u64) -> Vec<BoneRows> {
    sample_bones(&mut Rng::new(seed), bone_count)
}

/// Skins of four and eight influences, one to six bones, and both ways of carrying normals.
pub fn any_skin() -> impl Strategy<Value = SkinRecipe> {
    let influences = prop_oneof![Just(InfluenceCount::Four), Just(InfluenceCount::Eight)];
    let directions = prop_oneof![
        Just(DirectionTransform::Linear),
        Just(DirectionTransform::Cofactor)
    ];
    (influences, directions, 1..=6_u32, any::<u64>()).prop_map(
        |(influence_count, directions, bone_count, seed)| SkinRecipe {
            influence_count,
            directions,
            bone_count,
            seed,
        },
    )
}
