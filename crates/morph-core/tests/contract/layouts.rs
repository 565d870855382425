//! The packed words, read by a decoder that is written from the shaders' side and shares nothing with the
//! packers.

use morph_core::{
    BuildError, BuildOptions, Layout, MorphMesh, MorphTarget, Quantization, RestStreams, Scatter, Stream,
    Streams, VertexMajor, morph, pack_scatter, pack_vertex_major,
};
use proptest::prelude::*;

use crate::support::{bits, build, padded, positions, quantization, rest_stream, scene};

/// The value of a half float by the definition of the format, in double precision.
fn half_value(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 31);
    let mantissa = f64::from(bits & 1023);
    let magnitude = if exponent == 0 {
        mantissa * 2.0_f64.powi(-24)
    } else {
        (1024.0 + mantissa) * 2.0_f64.powi(exponent - 25)
    };
    (sign * magnitude) as f32
}

/// Reads the `i`-th 16 bits from `first_word` on, low half first.
fn half_at(words: &[u32], first_word: usize, i: usize) -> u16 {
    let word = words[first_word + i / 2];
    (word >> (i % 2 * 16) & 0xffff) as u16
}

fn value_at(quantization: Quantization, words: &[u32], first_word: usize, i: usize, step: f32) -> f32 {
    match quantization {
        Quantization::F32 => f32::from_bits(words[first_word + i]),
        Quantization::Half => half_value(half_at(words, first_word, i)),
        Quantization::Snorm16 => f32::from(half_at(words, first_word, i) as i16) * step,
        other => panic!("the test does not know {other}"),
    }
}

/// Sums in the order of the contract, reading vertex-major words the way the gather shader does.
fn gather(
    mesh: &MorphMesh,
    packed: &VertexMajor,
    rest: &RestStreams,
    weights: &[f32],
    stream: Stream,
) -> Option<Vec<[f32; 3]>> {
    let words = &packed.words;
    let mut sums = rest_stream(rest, stream)?.to_vec();
    if !packed.streams.contains(stream) {
        return Some(sums);
    }
    let before = Stream::ALL
        .into_iter()
        .take_while(|&s| s != stream)
        .filter(|&s| packed.streams.contains(s))
        .count();
    for (vertex, sum) in sums.iter_mut().enumerate() {
        let mut previous = None;
        for entry in words[vertex]..words[vertex + 1] {
            let at = (packed.entries_offset + entry * packed.entry_words) as usize;
            let target = match mesh.quantization() {
                Quantization::F32 => words[at],
                _ => u32::from(half_at(words, at, 0)),
            };
            assert!(
                previous.is_none_or(|previous| previous < target),
                "targets must rise within a vertex"
            );
            previous = Some(target);
            let step = if mesh.quantization() == Quantization::Snorm16 {
                f32::from_bits(words[packed.steps_offset as usize + 3 * target as usize + stream as usize])
            } else {
                assert_eq!(packed.steps_offset, packed.entries_offset);
                1.0
            };
            let weight = weights[target as usize];
            if weight == 0.0 {
                continue;
            }
            for (axis, sum) in sum.iter_mut().enumerate() {
                let delta = value_at(mesh.quantization(), words, at, 1 + 3 * before + axis, step);
                let product = weight * delta;
                *sum += product;
            }
        }
    }
    Some(sums)
}

/// Sums in the order of the contract, reading scatter words the way one dispatch per active target does.
fn scatter(
    mesh: &MorphMesh,
    packed: &Scatter,
    rest: &RestStreams,
    weights: &[f32],
    stream: Stream,
) -> Option<Vec<[f32; 3]>> {
    let mut sums = rest_stream(rest, stream)?.to_vec();
    for (target, &weight) in packed.targets.iter().zip(weights) {
        let (offset, step) = match stream {
            Stream::Position => (target.position_offset, target.position_step),
            Stream::Normal => (target.normal_offset, target.normal_step),
            Stream::Tangent => (target.tangent_offset, target.tangent_step),
        };
        let Some(offset) = offset.filter(|_| weight != 0.0) else {
            continue;
        };
        for entry in 0..target.entry_count as usize {
            let vertex = packed.words[target.index_offset as usize + entry] as usize;
            for (axis, sum) in sums[vertex].iter_mut().enumerate() {
                let delta = value_at(
                    mesh.quantization(),
                    &packed.words,
                    offset as usize,
                    3 * entry + axis,
                    step,
                );
                let product = weight * delta;
                *sum += product;
            }
        }
    }
    Some(sums)
}

proptest! {
    #[test]
    fn packed_words_sum_to_the_bits_of_the_kernel(scene in scene(), quantization in quantization()) {
        let (mesh, _) = scene.build(quantization);
        let weights = padded(&scene.weights, mesh.target_count());
        let morphed = morph(&mesh, &scene.rest, &scene.weights).unwrap();
        let vertex_major = pack_vertex_major(&mesh);
        let scattered = pack_scatter(&mesh);
        for stream in Stream::ALL {
            let expected = match stream {
                Stream::Position => Some(bits(&morphed.positions)),
                Stream::Normal => morphed.normals.as_deref().map(bits),
                Stream::Tangent => morphed.tangents.as_deref().map(bits),
            };
            let gathered = gather(&mesh, &vertex_major, &scene.rest, &weights, stream);
            prop_assert_eq!(gathered.as_deref().map(bits), expected.clone(), "gather, {}", stream);
            let added = scatter(&mesh, &scattered, &scene.rest, &weights, stream);
            prop_assert_eq!(added.as_deref().map(bits), expected, "scatter, {}", stream);
        }
    }

    #[test]
    fn sizes_are_those_of_the_packed_words(scene in scene(), quantization in quantization()) {
        let (mesh, _) = scene.build(quantization);
        let of_targets = |layout| -> u64 {
            (0..mesh.target_count()).map(|slot| mesh.target_size_bytes(slot, layout)).sum()
        };
        let vertex_major = pack_vertex_major(&mesh).words.len() as u64 * 4;
        prop_assert_eq!(mesh.size_bytes(Layout::VertexMajor), vertex_major);
        prop_assert_eq!(of_targets(Layout::VertexMajor) + 4 * (u64::from(scene.vertex_count) + 1), vertex_major);
        let scattered = pack_scatter(&mesh).words.len() as u64 * 4;
        prop_assert_eq!(mesh.size_bytes(Layout::Scatter), scattered);
        prop_assert_eq!(of_targets(Layout::Scatter), scattered);
        prop_assert_eq!(mesh.target_size_bytes(mesh.target_count(), Layout::Scatter), 0);
    }

    #[test]
    fn padding_is_zero_and_streams_start_on_words(scene in scene(), quantization in quantization()) {
        let (mesh, _) = scene.build(quantization);
        let packed = pack_scatter(&mesh);
        let mut expected_start = 0;
        for (target, view) in packed.targets.iter().zip(mesh.targets()) {
            prop_assert_eq!(target.index_offset, expected_start);
            expected_start += target.entry_count;
            for (offset, stream) in
                [(target.position_offset, Stream::Position), (target.normal_offset, Stream::Normal), (target.tangent_offset, Stream::Tangent)]
            {
                prop_assert_eq!(offset.is_some(), view.streams().contains(stream));
                let Some(offset) = offset else { continue };
                prop_assert_eq!(offset, expected_start);
                let components = 3 * target.entry_count;
                expected_start += if quantization == Quantization::F32 { components } else { components.div_ceil(2) };
                if quantization != Quantization::F32 && components % 2 == 1 {
                    prop_assert_eq!(packed.words[expected_start as usize - 1] >> 16, 0);
                }
            }
        }
        prop_assert_eq!(expected_start as usize, packed.words.len());
    }
}

/// Two targets on three vertices, with every stream between them.
fn example() -> [MorphTarget; 2] {
    let first = positions("first", &[(2, [1.0, -2.0, 0.5]), (0, [0.0, 4.0, 0.0])]);
    let second = MorphTarget {
        name: "second".to_owned(),
        vertices: vec![2],
        positions: None,
        normals: Some(vec![[0.0, -1.0, 1.0]]),
        tangents: None,
        ..MorphTarget::default()
    };
    [first, second]
}

#[test]
fn vertex_major_words_of_halves_are_these() {
    let (mesh, _) = build(3, &example(), Quantization::Half);
    let packed = pack_vertex_major(&mesh);
    assert_eq!(
        packed.streams,
        Streams {
            positions: true,
            normals: true,
            tangents: false
        }
    );
    assert_eq!(
        (packed.steps_offset, packed.entries_offset, packed.entry_words),
        (4, 4, 4)
    );
    #[rustfmt::skip]
    let expected = [
        0, 1, 1, 3,
        // Vertex 0: target 0, (0, 4, 0), no normal, padding.
        0x0000_0000, 0x0000_4400, 0, 0,
        // Vertex 2: target 0, (1, -2, 0.5), no normal.
        0x3c00_0000, 0x3800_c000, 0, 0,
        // Vertex 2: target 1, no position, (0, -1, 1).
        0x0000_0001, 0x0000_0000, 0xbc00_0000, 0x0000_3c00,
    ];
    assert_eq!(packed.words, expected);
}

#[test]
fn vertex_major_words_of_steps_are_these() {
    let targets = [positions("a", &[(0, [32_767.0, -1.0, 2.0])])];
    let (mesh, _) = build(1, &targets, Quantization::Snorm16);
    let packed = pack_vertex_major(&mesh);
    assert_eq!(
        (packed.steps_offset, packed.entries_offset, packed.entry_words),
        (2, 5, 2)
    );
    assert_eq!(
        packed.words,
        [0, 1, 1.0_f32.to_bits(), 0, 0, 0x7fff_0000, 0x0002_ffff]
    );
}

#[test]
fn vertex_major_words_of_floats_are_these() {
    let (mesh, _) = build(3, &example(), Quantization::F32);
    let packed = pack_vertex_major(&mesh);
    assert_eq!(
        (packed.steps_offset, packed.entries_offset, packed.entry_words),
        (4, 4, 7)
    );
    let entry = |target: u32, values: [f32; 6]| std::iter::once(target).chain(values.map(f32::to_bits));
    let expected: Vec<u32> = [0, 1, 1, 3]
        .into_iter()
        .chain(entry(0, [0.0, 4.0, 0.0, 0.0, 0.0, 0.0]))
        .chain(entry(0, [1.0, -2.0, 0.5, 0.0, 0.0, 0.0]))
        .chain(entry(1, [0.0, 0.0, 0.0, 0.0, -1.0, 1.0]))
        .collect();
    assert_eq!(packed.words, expected);
}

#[test]
fn scatter_words_of_halves_are_these() {
    let (mesh, _) = build(3, &example(), Quantization::Half);
    let packed = pack_scatter(&mesh);
    #[rustfmt::skip]
    let expected = [
        // Target 0: vertices 0 and 2, then (0, 4, 0), (1, -2, 0.5).
        0, 2, 0x4400_0000, 0x3c00_0000, 0x3800_c000,
        // Target 1: vertex 2, then (0, -1, 1) and a padding half.
        2, 0xbc00_0000, 0x0000_3c00,
    ];
    assert_eq!(packed.words, expected);
    let [first, second] = &packed.targets[..] else {
        panic!("two targets")
    };
    assert_eq!((first.index_offset, first.entry_count), (0, 2));
    assert_eq!(
        (first.position_offset, first.normal_offset, first.tangent_offset),
        (Some(2), None, None)
    );
    assert_eq!((second.index_offset, second.entry_count), (5, 1));
    assert_eq!(
        (
            second.position_offset,
            second.normal_offset,
            second.tangent_offset
        ),
        (None, Some(6), None)
    );
    assert_eq!(
        (second.position_step, second.normal_step, second.tangent_step),
        (1.0, 1.0, 1.0)
    );
}

#[test]
fn entries_have_the_sizes_of_the_contract() {
    let all = |normals: bool, tangents: bool| MorphTarget {
        name: "a".to_owned(),
        vertices: vec![0],
        positions: Some(vec![[1.0; 3]]),
        normals: normals.then(|| vec![[1.0; 3]]),
        tangents: tangents.then(|| vec![[1.0; 3]]),
        ..MorphTarget::default()
    };
    for (target, halves, floats) in [
        (all(false, false), 2, 4),
        (all(true, false), 4, 7),
        (all(true, true), 5, 10),
    ] {
        for (quantization, words) in [
            (Quantization::Half, halves),
            (Quantization::Snorm16, halves),
            (Quantization::F32, floats),
        ] {
            let (mesh, _) = build(1, std::slice::from_ref(&target), quantization);
            assert_eq!(pack_vertex_major(&mesh).entry_words, words, "{quantization}");
        }
    }
}

/// The number of the last possible target still fits the 16 bits that an entry has for it.
#[test]
fn the_last_possible_target_is_told_apart() {
    let mut targets: Vec<MorphTarget> = (0..MorphMesh::MAX_TARGET_COUNT)
        .map(|i| MorphTarget::empty(i.to_string()))
        .collect();
    targets[65_535] = positions("last", &[(0, [1.0, 0.0, 0.0])]);
    let (mesh, _) = build(1, &targets, Quantization::Half);
    let packed = pack_vertex_major(&mesh);
    assert_eq!(packed.words[packed.entries_offset as usize], 0x3c00_ffff);
    targets.push(MorphTarget::empty("one more"));
    let error = MorphMesh::build(1, &targets, &BuildOptions::new(Quantization::Half)).unwrap_err();
    assert_eq!(
        error,
        BuildError::TooManyTargets {
            given: 65_537,
            limit: 65_536
        }
    );
}
