//! Meshes and vertex layouts as small recipes: what fails shrinks to a short one and is cooked again from its seed.

use std::sync::Arc;

use morph_core::{
    BaseNormals, BuildOptions, MorphMesh, MorphTarget, Quantization, RestPose, SetDeltas, VertexAttribute,
    VertexFormat, VertexLayout, VertexSet,
};
use morph_validation::Rng;
use proptest::prelude::*;

/// One target.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each says whether one attribute is there"
)]
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
    /// Whether it changes the texture coordinates of set [`TEXCOORD_SET`].
    pub texcoords: bool,
    /// Whether it changes the colors of set [`COLOR_SET`].
    pub colors: bool,
}

/// The set of texture coordinates that recipes change.
pub const TEXCOORD_SET: u32 = 1;
/// The set of colors that recipes change.
pub const COLOR_SET: u32 = 0;

impl TargetRecipe {
    /// All streams on so many of 100 vertices.
    pub const fn all(fill_percent: u32) -> TargetRecipe {
        TargetRecipe {
            fill_percent,
            positions: true,
            normals: true,
            tangents: true,
            texcoords: true,
            colors: true,
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
        positions,
        normals,
        tangents,
        texcoords: cook_set(rng, mesh, recipe.texcoords.then_some(TEXCOORD_SET), &vertices),
        colors: cook_set(rng, mesh, recipe.colors.then_some(COLOR_SET), &vertices),
        vertices,
    }
}

/// Deltas of a set for every second of the vertices that a target moves.
fn cook_set<const N: usize>(
    rng: &mut Rng,
    mesh: &MeshRecipe,
    set: Option<u32>,
    vertices: &[u32],
) -> Vec<SetDeltas<N>> {
    set.into_iter()
        .map(|set| {
            let vertices: Vec<u32> = vertices.iter().copied().step_by(2).collect();
            let deltas = vertices
                .iter()
                .map(|_| std::array::from_fn(|_| rng.edgy(mesh.largest)))
                .collect();
            SetDeltas {
                set,
                vertices,
                deltas,
            }
        })
        .collect()
}

fn cook_rest(rng: &mut Rng, layout: VertexLayout, vertex_count: u32) -> RestPose {
    let mut bytes: Vec<u8> = (0..vertex_count * layout.vertex_bytes())
        .map(|_| rng.next_u32().to_le_bytes()[0])
        .collect();
    for (attribute, place) in layout.attributes() {
        // Random words are directions of any kind where packed.
        if place.format != VertexFormat::Float32 {
            continue;
        }
        let component_count = match attribute {
            VertexAttribute::Stream(_) => 3,
            VertexAttribute::Set(VertexSet::Texcoord(_)) => 2,
            VertexAttribute::Set(VertexSet::Color(_)) => 4,
        };
        let stride = layout.strides_bytes[place.stream as usize] as usize;
        let first = layout.bytes_before(place.stream as usize) as usize * vertex_count as usize;
        for vertex in 0..vertex_count as usize {
            for component in 0..component_count {
                let at = first + vertex * stride + place.offset as usize + component * 4;
                bytes[at..at + 4].copy_from_slice(&rng.edgy(3.0).to_le_bytes());
            }
        }
    }
    RestPose::from_vertices(layout, bytes, BaseNormals::AsGiven)
        .unwrap_or_else(|error| panic!("the rest pose is finite and whole: {error}"))
}

/// Which attributes a layout has beside the position, in which formats, and in how many streams.
#[derive(Debug, Clone, Copy, Default)]
pub struct LayoutRecipe {
    /// Where its numbers come from.
    pub seed: u64,
    /// The format of normals.
    pub normals: Option<VertexFormat>,
    /// The format of tangents.
    pub tangents: Option<VertexFormat>,
    /// Whether it has the set of texture coordinates of [`TargetRecipe::texcoords`].
    pub texcoord: bool,
    /// Whether it has the set of colors of [`TargetRecipe::colors`].
    pub color: bool,
    /// The most streams, from 1 on; no stream is left without an attribute.
    pub most_streams: u32,
}

impl LayoutRecipe {
    /// The layout: attributes in any order, in any stream, with the engine's own bytes between, before and behind them.
    pub fn layout(self) -> VertexLayout {
        let mut rng = Rng::new(self.seed);
        let floats = VertexFormat::Float32;
        let mut attributes: Vec<(Slot, VertexFormat)> = [
            Some((Slot::Position, floats)),
            self.normals.map(|format| (Slot::Normal, format)),
            self.tangents.map(|format| (Slot::Tangent, format)),
            self.texcoord.then_some((Slot::Texcoord, floats)),
            self.color.then_some((Slot::Color, floats)),
        ]
        .into_iter()
        .flatten()
        .collect();
        for last in (1..attributes.len()).rev() {
            attributes.swap(last, rng.below(last as u32 + 1) as usize);
        }
        let stream_count = self.most_streams.clamp(1, attributes.len() as u32);
        let mut layout = VertexLayout::POSITION;
        let cursors = &mut layout.strides_bytes[..stream_count as usize];
        cursors.fill_with(|| rng.below(4) * 4);
        let mut places = Vec::new();
        for (number, (slot, format)) in (0..).zip(attributes) {
            // The first ones see to it that no stream stays empty.
            let stream = if number < stream_count {
                number
            } else {
                rng.below(stream_count)
            };
            let cursor = &mut cursors[stream as usize];
            places.push((slot, format, stream, *cursor));
            *cursor += match (slot, format) {
                (_, VertexFormat::Snorm10 | VertexFormat::Octahedral16) => 4,
                (Slot::Position | Slot::Normal, _) => 12,
                (Slot::Tangent | Slot::Color, _) => 16,
                (Slot::Texcoord, _) => 8,
            } + rng.below(4) * 4;
        }
        for (slot, format, stream, offset) in places {
            layout = match slot {
                Slot::Position => layout.with_position(stream, offset),
                Slot::Normal => layout.with_normal(stream, offset, format),
                Slot::Tangent => layout.with_tangent(stream, offset, format),
                Slot::Texcoord => layout.with_texcoord(TEXCOORD_SET, stream, offset),
                Slot::Color => layout.with_color(COLOR_SET, stream, offset),
            };
        }
        layout
    }
}

#[derive(Debug, Clone, Copy)]
enum Slot {
    Position,
    Normal,
    Tangent,
    Texcoord,
    Color,
}

/// An interleaved layout of floats, odd in every other way.
pub fn odd_layout(seed: u64, normals: bool, tangents: bool) -> VertexLayout {
    let floats = |is_there: bool| is_there.then_some(VertexFormat::Float32);
    LayoutRecipe {
        seed,
        normals: floats(normals),
        tangents: floats(tangents),
        most_streams: 1,
        ..LayoutRecipe::default()
    }
    .layout()
}

/// Layouts that every method writes: the named ones and odd ones, floats in one stream or several.
pub fn any_layout() -> impl Strategy<Value = VertexLayout> {
    let odd = (any::<u64>(), any::<bool>(), any::<bool>(), 1..=3_u32);
    prop_oneof![
        Just(VertexLayout::POSITION),
        Just(VertexLayout::POSITION_NORMAL),
        Just(VertexLayout::PACKED),
        Just(VertexLayout::SEPARATE),
        odd.prop_map(|(seed, normals, tangents, most_streams)| {
            let floats = |is_there: bool| is_there.then_some(VertexFormat::Float32);
            LayoutRecipe {
                seed,
                normals: floats(normals),
                tangents: floats(tangents),
                most_streams,
                ..LayoutRecipe::default()
            }
            .layout()
        }),
    ]
}

/// Layouts of any kind, for the gather: packed directions and sets of texture coordinates and colors too.
pub fn any_rich_layout() -> impl Strategy<Value = VertexLayout> {
    let direction =
        |formats: &[VertexFormat]| prop::option::weighted(0.8, prop::sample::select(formats.to_vec()));
    let packed = [
        VertexFormat::Float32,
        VertexFormat::Snorm10,
        VertexFormat::Octahedral16,
    ];
    (
        any::<u64>(),
        direction(&packed),
        direction(&packed[..2]),
        any::<bool>(),
        any::<bool>(),
        1..=5_u32,
    )
        .prop_map(|(seed, normals, tangents, texcoord, color, most_streams)| {
            LayoutRecipe {
                seed,
                normals,
                tangents,
                texcoord,
                color,
                most_streams,
            }
            .layout()
        })
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
    let sets = [prop::bool::weighted(0.3), prop::bool::weighted(0.3)];
    (
        fill,
        any::<bool>(),
        any::<bool>(),
        prop::bool::weighted(0.8),
        sets,
    )
        .prop_map(
            |(fill_percent, normals, tangents, positions, [texcoords, colors])| TargetRecipe {
                fill_percent,
                positions,
                normals,
                tangents,
                texcoords,
                colors,
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
    fn layouts_of_any_kind_are_valid() {
        let formats = [
            None,
            Some(VertexFormat::Float32),
            Some(VertexFormat::Snorm10),
            Some(VertexFormat::Octahedral16),
        ];
        for seed in 0..500_u64 {
            let layout = LayoutRecipe {
                seed,
                normals: formats[seed as usize % 4],
                tangents: formats[seed as usize % 3],
                texcoord: seed % 2 == 0,
                color: seed % 5 == 0,
                most_streams: seed as u32 % 6,
            }
            .layout();
            layout
                .validate()
                .unwrap_or_else(|error| panic!("{error}: {layout:?}"));
        }
    }

    #[test]
    fn odd_layouts_are_valid() {
        for seed in 0..200 {
            odd_layout(seed, seed % 2 == 0, seed % 3 == 0)
                .validate()
                .unwrap_or_else(|error| panic!("{error}"));
        }
    }
}
