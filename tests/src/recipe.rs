//! Meshes and vertex layouts as small recipes: what fails shrinks to a short one and is cooked again from its seed.

use std::sync::Arc;

use morph_core::{BaseNormals, BuildOptions, MorphMesh, MorphTarget, Quantization, RestPose, VertexLayout};
use morph_validation::Rng;
use proptest::prelude::*;

/// One target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetRecipe {
    /// How many of 100 vertices it moves.
    pub fill_percent: u32,
    /// Whether it has position deltas.
    pub positions: bool,
    /// Whether it has normal deltas.
    pub normals: bool,
    /// Whether it has tangent deltas.
    pub tangents: bool,
}

impl TargetRecipe {
    /// All streams on so many of 100 vertices.
    pub const fn all(fill_percent: u32) -> TargetRecipe {
        TargetRecipe {
            fill_percent,
            positions: true,
            normals: true,
            tangents: true,
        }
    }
}

/// A mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshRecipe {
    /// Vertices; at least one.
    pub vertex_count: u32,
    /// Targets.
    pub targets: Vec<TargetRecipe>,
    /// How deltas are stored.
    pub quantization: Quantization,
    /// The largest delta component.
    pub largest: f32,
    /// Where its numbers come from.
    pub seed: u64,
}

/// A cooked mesh.
#[derive(Debug, Clone)]
pub struct Cooked {
    /// Its targets.
    pub morph: Arc<MorphMesh>,
    /// Its rest pose.
    pub rest: RestPose,
}

impl MeshRecipe {
    /// A mesh whose targets have all streams on 60 of 100 vertices.
    pub fn plain(
        vertex_count: u32,
        target_count: usize,
        quantization: Quantization,
        seed: u64,
    ) -> MeshRecipe {
        MeshRecipe {
            vertex_count,
            targets: vec![TargetRecipe::all(60); target_count],
            quantization,
            largest: 2.0,
            seed,
        }
    }

    /// Cooks it for a layout. Every byte of the rest pose that no attribute covers is random.
    ///
    /// # Panics
    /// The build refused: the recipe is wrong.
    pub fn cook(&self, layout: VertexLayout) -> Cooked {
        let mut rng = Rng::new(self.seed);
        let targets: Vec<MorphTarget> = self
            .targets
            .iter()
            .enumerate()
            .map(|(slot, recipe)| cook_target(&mut rng, self, slot, *recipe))
            .collect();
        let (morph, _) = MorphMesh::build(self.vertex_count, &targets, &BuildOptions::new(self.quantization))
            .unwrap_or_else(|error| panic!("the recipe cannot be built: {error}: {self:?}"));
        Cooked {
            morph: Arc::new(morph),
            rest: cook_rest(&mut rng, layout, self.vertex_count),
        }
    }
}

fn cook_target(rng: &mut Rng, mesh: &MeshRecipe, slot: usize, recipe: TargetRecipe) -> MorphTarget {
    let vertices: Vec<u32> = (0..mesh.vertex_count)
        .filter(|_| rng.chance(recipe.fill_percent))
        .collect();
    let mut stream = |is_there: bool| {
        is_there.then(|| {
            vertices
                .iter()
                .map(|_| std::array::from_fn(|_| rng.edgy(mesh.largest)))
                .collect::<Vec<[f32; 3]>>()
        })
    };
    let (positions, normals, tangents) = (
        stream(recipe.positions),
        stream(recipe.normals),
        stream(recipe.tangents),
    );
    MorphTarget {
        name: format!("target {slot}"),
        vertices,
        positions,
        normals,
        tangents,
        ..MorphTarget::default()
    }
}

fn cook_rest(rng: &mut Rng, layout: VertexLayout, vertex_count: u32) -> RestPose {
    let mut bytes: Vec<u8> = (0..vertex_count * layout.stride_bytes)
        .map(|_| rng.next_u32().to_le_bytes()[0])
        .collect();
    for vertex in bytes.chunks_exact_mut(layout.stride_bytes as usize) {
        for offset in [
            Some(layout.position_offset),
            layout.normal_offset,
            layout.tangent_offset,
        ] {
            let Some(offset) = offset else { continue };
            for axis in 0..3 {
                let at = offset as usize + axis * 4;
                vertex[at..at + 4].copy_from_slice(&rng.edgy(3.0).to_le_bytes());
            }
        }
    }
    RestPose::from_vertices(layout, bytes, BaseNormals::AsGiven)
        .unwrap_or_else(|error| panic!("the rest pose is finite and whole: {error}"))
}

/// A layout with its attributes in any order and the engine's own bytes between, before and behind them.
pub fn odd_layout(seed: u64, normals: bool, tangents: bool) -> VertexLayout {
    let mut rng = Rng::new(seed);
    // 0: position, 1: normal, 2: tangent.
    let mut order: Vec<u32> = [(0, true), (1, normals), (2, tangents)]
        .into_iter()
        .filter(|(_, is_there)| *is_there)
        .map(|(attribute, _)| attribute)
        .collect();
    for last in (1..order.len()).rev() {
        order.swap(last, rng.below(last as u32 + 1) as usize);
    }
    let mut cursor = rng.below(4) * 4;
    let mut offsets = [None; 3];
    for attribute in order {
        offsets[attribute as usize] = Some(cursor);
        cursor += if attribute == 2 { 16 } else { 12 };
        cursor += rng.below(4) * 4;
    }
    let [position, normal_offset, tangent_offset] = offsets;
    VertexLayout {
        stride_bytes: cursor,
        position_offset: position.unwrap_or(0),
        normal_offset,
        tangent_offset,
    }
}

/// Layouts: the three named ones and odd ones.
pub fn any_layout() -> impl Strategy<Value = VertexLayout> {
    prop_oneof![
        Just(VertexLayout::POSITION),
        Just(VertexLayout::POSITION_NORMAL),
        Just(VertexLayout::PACKED),
        (any::<u64>(), any::<bool>(), any::<bool>())
            .prop_map(|(seed, normals, tangents)| odd_layout(seed, normals, tangents)),
    ]
}

/// Quantizations.
pub fn any_quantization() -> impl Strategy<Value = Quantization> {
    prop_oneof![
        Just(Quantization::F32),
        Just(Quantization::Half),
        Just(Quantization::Snorm16)
    ]
}

/// Targets, some of which move nothing or lack streams.
fn any_target() -> impl Strategy<Value = TargetRecipe> {
    let fill = prop_oneof![Just(0_u32), Just(3), 0..=100_u32, Just(100)];
    (fill, any::<bool>(), any::<bool>(), prop::bool::weighted(0.8)).prop_map(
        |(fill_percent, normals, tangents, positions)| TargetRecipe {
            fill_percent,
            positions,
            normals,
            tangents,
        },
    )
}

/// Meshes of 1 to 300 vertices, the edges of workgroups among them, with up to `most_targets` targets.
pub fn any_mesh(most_targets: usize) -> impl Strategy<Value = MeshRecipe> {
    let vertex_count = prop_oneof![
        2 => prop::sample::select(vec![1_u32, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127]),
        1 => 1..=300_u32,
    ];
    let largest = prop::sample::select(vec![2.0_f32, 1.0e-6, 65504.0, 3.0e-5]);
    (
        vertex_count,
        prop::collection::vec(any_target(), 0..=most_targets),
        any_quantization(),
        largest,
        any::<u64>(),
    )
        .prop_map(
            |(vertex_count, targets, quantization, largest, seed)| MeshRecipe {
                vertex_count,
                targets,
                quantization,
                largest,
                seed,
            },
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_layouts_are_valid() {
        for seed in 0..200 {
            odd_layout(seed, seed % 2 == 0, seed % 3 == 0)
                .validate()
                .unwrap_or_else(|error| panic!("{error}"));
        }
    }
}
