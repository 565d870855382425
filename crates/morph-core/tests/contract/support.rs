//! Random scenes, and the small builders that every module uses.

use morph_core::{
    BuildOptions, BuildReport, MorphMesh, MorphTarget, Quantization, RestStreams, Stream, to_domain,
};
use proptest::array::uniform3;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::subsequence;

/// A target that moves positions only.
pub(crate) fn positions(name: &str, entries: &[(u32, [f32; 3])]) -> MorphTarget {
    MorphTarget {
        name: name.to_owned(),
        vertices: entries.iter().map(|entry| entry.0).collect(),
        positions: Some(entries.iter().map(|entry| entry.1).collect()),
        normals: None,
        tangents: None,
        ..MorphTarget::default()
    }
}

/// A target that moves normals only.
pub(crate) fn normals(name: &str, entries: &[(u32, [f32; 3])]) -> MorphTarget {
    let target = positions(name, entries);
    MorphTarget {
        normals: target.positions,
        positions: None,
        ..target
    }
}

/// A target that moves tangents only.
pub(crate) fn tangents(name: &str, entries: &[(u32, [f32; 3])]) -> MorphTarget {
    let target = positions(name, entries);
    MorphTarget {
        tangents: target.positions,
        positions: None,
        ..target
    }
}

/// Builds with zero thresholds and no tolerance.
pub(crate) fn build(
    vertex_count: u32,
    targets: &[MorphTarget],
    quantization: Quantization,
) -> (MorphMesh, BuildReport) {
    MorphMesh::build(vertex_count, targets, &BuildOptions::new(quantization)).unwrap()
}

/// A rest pose that is expected to be right.
pub(crate) fn rest(
    positions: &[[f32; 3]],
    normals: Option<&[[f32; 3]]>,
    tangents: Option<&[[f32; 3]]>,
) -> RestStreams {
    let own = |stream: Option<&[[f32; 3]]>| stream.map(<[[f32; 3]]>::to_vec);
    RestStreams::new(positions.to_vec(), own(normals), own(tangents))
        .unwrap()
        .0
}

pub(crate) fn bits(values: &[[f32; 3]]) -> Vec<[u32; 3]> {
    values.iter().map(|value| value.map(f32::to_bits)).collect()
}

pub(crate) fn stream_of(target: &MorphTarget, stream: Stream) -> Option<&[[f32; 3]]> {
    match stream {
        Stream::Position => target.positions.as_deref(),
        Stream::Normal => target.normals.as_deref(),
        Stream::Tangent => target.tangents.as_deref(),
    }
}

/// What a rest pose or a result has for a stream.
pub(crate) fn rest_stream(rest: &RestStreams, stream: Stream) -> Option<&[[f32; 3]]> {
    match stream {
        Stream::Position => Some(&rest.positions),
        Stream::Normal => rest.normals.as_deref(),
        Stream::Tangent => rest.tangents.as_deref(),
    }
}

/// One weight per target, the domain rule applied.
pub(crate) fn padded(weights: &[f32], target_count: usize) -> Vec<f32> {
    (0..target_count)
        .map(|slot| to_domain(weights.get(slot).copied().unwrap_or(0.0)))
        .collect()
}

/// Everything that a build and a morph need.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) vertex_count: u32,
    pub(crate) targets: Vec<MorphTarget>,
    pub(crate) rest: RestStreams,
    pub(crate) weights: Vec<f32>,
}

impl Scene {
    pub(crate) fn build(&self, quantization: Quantization) -> (MorphMesh, BuildReport) {
        let options = BuildOptions {
            rest: Some(&self.rest),
            ..BuildOptions::new(quantization)
        };
        MorphMesh::build(self.vertex_count, &self.targets, &options).unwrap()
    }
}

/// Floats of any sign from the smallest subnormal to just above the domain's edge at 2^-40.
pub(crate) fn tiny() -> impl Strategy<Value = f32> {
    let exponents_to_2_pow_minus_35 = 0_u32..(127 - 35) << 23;
    (exponents_to_2_pow_minus_35, any::<bool>())
        .prop_map(|(bits, negative)| f32::from_bits(bits | u32::from(negative) << 31))
}

/// A component of a delta or a rest pose, the awkward ones among them.
pub(crate) fn component() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => -2.0..2.0_f32,
        2 => Just(0.0_f32),
        1 => Just(-0.0_f32),
        2 => tiny(),
        1 => -60_000.0..60_000.0_f32,
    ]
}

/// A weight: the usual ones, negative ones, ones past one, and ones that the domain rule makes zero.
pub(crate) fn weight() -> impl Strategy<Value = f32> {
    prop_oneof![
        3 => 0.0..1.0_f32,
        3 => -3.0..4.0_f32,
        2 => Just(0.0_f32),
        1 => Just(1.0_f32),
        1 => Just(-1.0_f32),
        1 => tiny(),
    ]
}

fn maybe(values: Vec<[f32; 3]>, present: bool) -> Option<Vec<[f32; 3]>> {
    present.then_some(values)
}

fn target(vertex_count: u32) -> impl Strategy<Value = MorphTarget> {
    let all: Vec<u32> = (0..vertex_count).collect();
    let stream = move || vec(uniform3(component()), vertex_count as usize);
    let moved = subsequence(all, 0..=vertex_count as usize).prop_shuffle();
    (moved, any::<[bool; 3]>(), stream(), stream(), stream()).prop_map(|(vertices, present, p, n, t)| {
        let cut = |mut values: Vec<[f32; 3]>, present| {
            values.truncate(vertices.len());
            maybe(values, present)
        };
        let [positions, normals, tangents] = [cut(p, present[0]), cut(n, present[1]), cut(t, present[2])];
        MorphTarget {
            name: String::new(),
            vertices,
            positions,
            normals,
            tangents,
            ..MorphTarget::default()
        }
    })
}

/// Scenes of up to 24 vertices and six targets, each target with streams of its own choice.
pub(crate) fn scene() -> impl Strategy<Value = Scene> {
    (1_u32..24, 0_usize..6).prop_flat_map(|(vertex_count, target_count)| {
        let stream = || vec(uniform3(component()), vertex_count as usize);
        (
            vec(target(vertex_count), target_count),
            (stream(), stream(), stream(), any::<[bool; 2]>()),
            vec(weight(), 0..=target_count),
        )
            .prop_map(move |(mut targets, (p, n, t, present), weights)| {
                for (slot, target) in targets.iter_mut().enumerate() {
                    target.name = format!("target {slot}");
                }
                let (rest, _) = RestStreams::new(p, maybe(n, present[0]), maybe(t, present[1])).unwrap();
                Scene {
                    vertex_count,
                    targets,
                    rest,
                    weights,
                }
            })
    })
}

pub(crate) fn quantization() -> impl Strategy<Value = Quantization> {
    prop_oneof![
        Just(Quantization::F32),
        Just(Quantization::Half),
        Just(Quantization::Snorm16)
    ]
}
