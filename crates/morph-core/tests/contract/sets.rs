//! Deltas of texture coordinates and colors: stored, refused, and morphed as the contract says.

use morph_core::{
    BuildError, BuildOptions, DOMAIN_MIN, KernelError, Layout, MorphMesh, MorphTarget, Quantization,
    RestError, RestSet, SetDeltas, VertexSet, WeightError, morph, morph_colors, morph_colors_into,
    morph_texcoords, morph_texcoords_into, to_domain,
};
use proptest::array::{uniform2, uniform4};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::subsequence;

use crate::support::{build, component, padded, positions, quantization, rest, weight};

const F32: Quantization = Quantization::F32;

fn texcoords(name: &str, set: u32, entries: &[(u32, [f32; 2])]) -> MorphTarget {
    MorphTarget {
        texcoords: vec![set_deltas(set, entries)],
        ..MorphTarget::empty(name)
    }
}

fn colors(name: &str, set: u32, entries: &[(u32, [f32; 4])]) -> MorphTarget {
    MorphTarget {
        colors: vec![set_deltas(set, entries)],
        ..MorphTarget::empty(name)
    }
}

fn set_deltas<const N: usize>(set: u32, entries: &[(u32, [f32; N])]) -> SetDeltas<N> {
    let (vertices, deltas) = entries.iter().copied().unzip();
    SetDeltas {
        set,
        vertices,
        deltas,
    }
}

fn bits<const N: usize>(values: &[[f32; N]]) -> Vec<[u32; N]> {
    values.iter().map(|value| value.map(f32::to_bits)).collect()
}

/// The contract read a second time: every vertex, every target, nothing skipped.
fn reference<const N: usize>(
    rest: &[[f32; N]],
    sets: &[Option<&SetDeltas<N>>],
    weights: &[f32],
) -> Vec<[f32; N]> {
    let mut sums = rest.to_vec();
    for (vertex, sum) in sums.iter_mut().enumerate() {
        for (deltas, &weight) in sets.iter().zip(weights) {
            let entry = deltas.and_then(|deltas| {
                deltas
                    .vertices
                    .iter()
                    .position(|&changed| changed as usize == vertex)
            });
            let delta = deltas
                .zip(entry)
                .map_or([0.0; N], |(deltas, entry)| deltas.deltas[entry]);
            for (sum, delta) in sum.iter_mut().zip(delta) {
                let product = weight * to_domain(delta);
                *sum += product;
            }
        }
    }
    sums
}

/// Targets that change sets 0 and 2 of both kinds here and there, with rest values and weights.
#[derive(Clone, Debug)]
struct Scene {
    targets: Vec<MorphTarget>,
    texcoords: Vec<[f32; 2]>,
    colors: Vec<[f32; 4]>,
    weights: Vec<f32>,
}

fn scene() -> impl Strategy<Value = Scene> {
    (1_u32..12, 0_usize..5).prop_flat_map(|(vertex_count, target_count)| {
        let count = vertex_count as usize;
        let moved = move || subsequence((0..vertex_count).collect::<Vec<_>>(), 0..=count).prop_shuffle();
        let texcoord_set = move |set| {
            (moved(), vec(uniform2(component()), count)).prop_map(move |(vertices, mut deltas)| {
                deltas.truncate(vertices.len());
                SetDeltas {
                    set,
                    vertices,
                    deltas,
                }
            })
        };
        let color_set = move |set| {
            (moved(), vec(uniform4(component()), count)).prop_map(move |(vertices, mut deltas)| {
                deltas.truncate(vertices.len());
                SetDeltas {
                    set,
                    vertices,
                    deltas,
                }
            })
        };
        // Authored with the greater set first, because the order is the file's.
        let target = (
            texcoord_set(2),
            texcoord_set(0),
            color_set(2),
            color_set(0),
            any::<[bool; 4]>(),
        );
        let target = target.prop_map(|(t2, t0, c2, c0, present)| {
            let mut target = MorphTarget::empty("");
            target.texcoords.extend(present[0].then_some(t2));
            target.texcoords.extend(present[1].then_some(t0));
            target.colors.extend(present[2].then_some(c2));
            target.colors.extend(present[3].then_some(c0));
            target
        });
        (
            vec(target, target_count),
            vec(uniform2(component()), count),
            vec(uniform4(component()), count),
            vec(weight(), 0..=target_count),
        )
            .prop_map(|(mut targets, texcoords, colors, weights)| {
                for (slot, target) in targets.iter_mut().enumerate() {
                    target.name = format!("target {slot}");
                }
                Scene {
                    targets,
                    texcoords,
                    colors,
                    weights,
                }
            })
    })
}

proptest! {
    #[test]
    fn equals_the_contract_that_skips_nothing(scene in scene(), quantization in quantization()) {
        let vertex_count = scene.texcoords.len() as u32;
        let (mesh, _) = build(vertex_count, &scene.targets, quantization);
        let weights = padded(&scene.weights, scene.targets.len());
        for set in [0, 1, 2] {
            let (rest, _) = RestSet::texcoords(set, scene.texcoords.clone()).unwrap();
            let deltas: Vec<_> = scene.targets.iter()
                .map(|target| target.texcoords.iter().find(|deltas| deltas.set == set)).collect();
            let expected = reference(rest.values(), &deltas, &weights);
            prop_assert_eq!(bits(&morph_texcoords(&mesh, &rest, &scene.weights).unwrap()), bits(&expected));

            let (rest, _) = RestSet::colors(set, scene.colors.clone()).unwrap();
            let deltas: Vec<_> = scene.targets.iter()
                .map(|target| target.colors.iter().find(|deltas| deltas.set == set)).collect();
            let mut expected = reference(rest.values(), &deltas, &weights);
            for x in expected.as_flattened_mut() {
                *x = x.clamp(0.0, 1.0);
            }
            prop_assert_eq!(bits(&morph_colors(&mesh, &rest, &scene.weights).unwrap()), bits(&expected));
        }
    }

    #[test]
    fn counts_and_bytes_are_those_of_the_views_and_no_layout_grows(scene in scene(), quantization in quantization()) {
        let vertex_count = scene.texcoords.len() as u32;
        let (mesh, report) = build(vertex_count, &scene.targets, quantization);
        let mut totals = [0_u64; 2];
        for (view, report) in mesh.targets().zip(&report.targets) {
            let texcoords: u64 = view.texcoords().map(|set| set.vertices.len() as u64).sum();
            let colors: u64 = view.colors().map(|set| set.vertices.len() as u64).sum();
            prop_assert_eq!([report.texcoord_entry_count, report.color_entry_count], [texcoords, colors]);
            prop_assert_eq!(mesh.target_set_size_bytes(view.slot()), 12 * texcoords + 20 * colors);
            totals = [totals[0] + texcoords, totals[1] + colors];
            for set in view.texcoords() {
                prop_assert!(set.vertices.windows(2).all(|pair| pair[0] < pair[1]));
                prop_assert!(set.deltas.iter().all(|delta| *delta != [0.0; 2]));
                prop_assert!(set.deltas.as_flattened().iter().all(|&x| x == 0.0 || x.abs() >= DOMAIN_MIN));
            }
        }
        prop_assert_eq!([mesh.texcoord_entry_count(), mesh.color_entry_count()], totals);
        prop_assert_eq!([report.texcoord_entry_count, report.color_entry_count], totals);
        prop_assert_eq!(mesh.set_size_bytes(), 12 * totals[0] + 20 * totals[1]);
        let plain: Vec<MorphTarget> =
            scene.targets.iter().map(|target| MorphTarget::empty(target.name.clone())).collect();
        let (plain, _) = build(vertex_count, &plain, quantization);
        for layout in [Layout::Scatter, Layout::VertexMajor] {
            prop_assert_eq!(mesh.size_bytes(layout), plain.size_bytes(layout));
        }
    }
}

#[test]
fn b024_all_attributes_of_a_target_are_stored_and_none_shifts_another() {
    let target = MorphTarget {
        texcoords: vec![set_deltas(0, &[(2, [0.25, -0.5])])],
        colors: vec![set_deltas(0, &[(0, [0.1, 0.2, 0.3, 0.0])])],
        ..positions("all", &[(1, [1.0, 2.0, 3.0])])
    };
    for quantization in Quantization::ALL {
        let (mesh, report) = build(3, std::slice::from_ref(&target), quantization);
        let view = mesh.target(0).unwrap();
        assert_eq!(view.vertices(), [1]);
        let position = view.position(0);
        assert!((0..3).all(|axis| (position[axis] - [1.0, 2.0, 3.0][axis]).abs() < 1.0e-4));
        let texcoords: Vec<_> = view.texcoords().collect();
        assert_eq!(
            (texcoords[0].set, texcoords[0].vertices, texcoords[0].deltas),
            (0, &[2][..], &[[0.25, -0.5]][..])
        );
        let colors: Vec<_> = view.colors().collect();
        assert_eq!(
            (colors[0].set, colors[0].vertices, colors[0].deltas),
            (0, &[0][..], &[[0.1, 0.2, 0.3, 0.0]][..])
        );
        assert_eq!((mesh.texcoord_sets(), mesh.color_sets()), (vec![0], vec![0]));
        assert_eq!(
            (
                report.entry_count,
                report.texcoord_entry_count,
                report.color_entry_count
            ),
            (1, 1, 1)
        );
        assert_eq!((texcoords.len(), colors.len(), mesh.set_size_bytes()), (1, 1, 32));
        let plain = build(3, &[positions("all", &[(1, [1.0, 2.0, 3.0])])], quantization).0;
        for layout in [Layout::Scatter, Layout::VertexMajor] {
            assert_eq!(mesh.size_bytes(layout), plain.size_bytes(layout));
        }
    }
}

#[test]
fn b118_streams_and_sets_keep_their_identity() {
    let target = MorphTarget {
        normals: Some(vec![[0.0, 2.0, 0.0]]),
        tangents: Some(vec![[0.0, 0.0, 4.0]]),
        texcoords: vec![
            set_deltas(1, &[(0, [0.5, 0.0])]),
            set_deltas(0, &[(0, [0.0, 0.25])]),
        ],
        colors: vec![
            set_deltas(0, &[(0, [0.0, 0.0, 0.5, 0.0])]),
            set_deltas(1, &[(0, [0.5, 0.0, 0.0, 0.0])]),
        ],
        ..positions("a", &[(0, [1.0, 0.0, 0.0])])
    };
    for quantization in Quantization::ALL {
        let (mesh, _) = build(1, std::slice::from_ref(&target), quantization);
        let rest = rest(&[[0.0; 3]], Some(&[[0.0; 3]]), Some(&[[0.0; 3]]));
        let morphed = morph(&mesh, &rest, &[1.0]).unwrap();
        assert_eq!(morphed.positions, [[1.0, 0.0, 0.0]]);
        assert_eq!(morphed.normals.unwrap(), [[0.0, 2.0, 0.0]]);
        assert_eq!(morphed.tangents.unwrap(), [[0.0, 0.0, 4.0]]);
        let texcoord = |set| {
            let rest = RestSet::texcoords(set, vec![[0.0; 2]]).unwrap().0;
            morph_texcoords(&mesh, &rest, &[1.0]).unwrap()[0]
        };
        assert_eq!(
            [texcoord(0), texcoord(1), texcoord(2)],
            [[0.0, 0.25], [0.5, 0.0], [0.0; 2]]
        );
        let color = |set| {
            let rest = RestSet::colors(set, vec![[0.0; 4]]).unwrap().0;
            morph_colors(&mesh, &rest, &[1.0]).unwrap()[0]
        };
        assert_eq!(color(0), [0.0, 0.0, 0.5, 0.0]);
        assert_eq!(color(1), [0.5, 0.0, 0.0, 0.0]);
    }
}

#[test]
fn b122_small_deltas_are_kept_whatever_the_thresholds_and_zeros_are_not() {
    let target = texcoords(
        "a",
        0,
        &[(3, [1.0e-5, -1.0e-5]), (0, [0.0, -0.0]), (1, [1.0e-20, 0.0])],
    );
    let options = BuildOptions {
        position_threshold: 10.0,
        direction_threshold: 10.0,
        ..BuildOptions::new(Quantization::Snorm16)
    };
    let (mesh, report) = MorphMesh::build(4, &[target], &options).unwrap();
    let set = mesh.target(0).unwrap().texcoords().next().unwrap();
    assert_eq!((set.vertices, set.deltas), (&[3][..], &[[1.0e-5, -1.0e-5]][..]));
    assert_eq!(
        (report.dropped_entry_count, report.zeroed_component_count),
        (1, 1),
        "the entry that the domain makes zero, and not the one that was zero"
    );
}

#[test]
fn colors_are_clamped_after_the_last_target_and_only_then() {
    let targets = [
        colors("up", 0, &[(0, [2.0, 0.0, 0.0, 0.0])]),
        colors("down", 0, &[(0, [-2.0, -2.0, 0.0, 0.5])]),
    ];
    let (mesh, _) = build(2, &targets, F32);
    let rest = RestSet::colors(0, vec![[0.5, 0.5, 0.5, 0.75], [1.5, -0.5, 0.5, 1.0]])
        .unwrap()
        .0;
    let morphed = morph_colors(&mesh, &rest, &[1.0, 1.0]).unwrap();
    assert_eq!(morphed, [[0.5, 0.0, 0.5, 1.0], [1.0, 0.0, 0.5, 1.0]]);
}

#[test]
fn a_target_of_empty_sets_keeps_its_slot() {
    let targets = [
        texcoords("still", 0, &[(0, [0.0; 2])]),
        texcoords("moves", 0, &[(0, [0.5, 0.0])]),
    ];
    let (mesh, _) = build(1, &targets, F32);
    assert_eq!(mesh.target(0).unwrap().texcoords().len(), 0);
    let rest = RestSet::texcoords(0, vec![[0.0; 2]]).unwrap().0;
    assert_eq!(morph_texcoords(&mesh, &rest, &[1.0]).unwrap(), [[0.0; 2]]);
    assert_eq!(morph_texcoords(&mesh, &rest, &[0.0, 1.0]).unwrap(), [[0.5, 0.0]]);
}

#[test]
fn buffers_are_used_again_and_left_alone_on_an_error() {
    let (mesh, _) = build(2, &[texcoords("a", 0, &[(1, [1.0; 2])])], F32);
    let rest = RestSet::texcoords(0, vec![[0.0; 2]; 2]).unwrap().0;
    let mut out = morph_texcoords(&mesh, &rest, &[1.0]).unwrap();
    let address = out.as_ptr();
    morph_texcoords_into(&mesh, &rest, &[0.5], &mut out).unwrap();
    assert_eq!((out.as_ptr(), &out[..]), (address, &[[0.0; 2], [0.5; 2]][..]));
    let error = morph_texcoords_into(&mesh, &rest, &[f32::NAN], &mut out).unwrap_err();
    assert!(matches!(
        error,
        KernelError::Weights(WeightError::NotFinite { slot: 0, .. })
    ));
    let short = RestSet::texcoords(0, vec![[0.0; 2]]).unwrap().0;
    let error = morph_texcoords_into(&mesh, &short, &[], &mut out).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the rest pose has 1 values of TEXCOORD_0, but the mesh has 2 vertices: give one for each"
    );
    assert_eq!(out, [[0.0; 2], [0.5; 2]]);
    let mut out = vec![[7.0; 4]];
    let short = RestSet::colors(3, vec![]).unwrap().0;
    let error = morph_colors_into(&mesh, &short, &[], &mut out).unwrap_err();
    assert!(matches!(
        error,
        KernelError::RestSetLength {
            set: VertexSet::Color(3),
            found: 0,
            vertex_count: 2
        }
    ));
    assert_eq!(out, [[7.0; 4]]);
}

#[test]
fn rest_sets_are_finite_and_in_the_domain() {
    let (rest, zeroed) = RestSet::texcoords(4, vec![[1.0e-20, -0.0], [0.5, 1.0]]).unwrap();
    assert_eq!((rest.set(), zeroed), (4, 1));
    assert_eq!(bits(rest.values()), bits(&[[0.0, 0.0], [0.5, 1.0]]));
    let error = RestSet::colors(1, vec![[0.0; 4], [0.0, 0.0, f32::INFINITY, 0.0]]).unwrap_err();
    assert!(matches!(
        error,
        RestError::SetNotFinite {
            set: VertexSet::Color(1),
            vertex: 1,
            ..
        }
    ));
    assert_eq!(
        error.to_string(),
        "COLOR_1 of vertex 1 has the component inf; rest poses must be finite"
    );
}

#[test]
fn every_fault_of_a_set_is_named() {
    let refuse = |target: MorphTarget| {
        let targets = [MorphTarget::empty("still"), target];
        let error = MorphMesh::build(4, &targets, &BuildOptions::new(Quantization::Half)).unwrap_err();
        // Compared as text, because NaN is unlike itself.
        let problems = morph_core::validate(4, &targets, &BuildOptions::new(Quantization::Half));
        assert_eq!(format!("{problems:?}"), format!("[{error:?}]"));
        error
    };
    let error = refuse(texcoords("a", 1, &[(0, [1.0; 2]), (4, [1.0; 2])]));
    assert!(matches!(
        error,
        BuildError::SetVertexOutOfRange {
            entry: 1,
            vertex: 4,
            ..
        }
    ));
    assert_eq!(
        error.to_string(),
        "target 1 `a`, TEXCOORD_1: entry 1 changes vertex 4, but the mesh has 4 vertices, counted from 0"
    );
    let error = refuse(colors("a", 0, &[(2, [1.0; 4]), (1, [1.0; 4]), (2, [1.0; 4])]));
    assert!(matches!(error, BuildError::SetDuplicateVertex { vertex: 2, .. }));
    assert_eq!(
        error.to_string(),
        "target 1 `a`, COLOR_0: vertex 2 is changed more than once: give each vertex one delta"
    );
    let error = refuse(colors("a", 0, &[(3, [0.0, 0.0, 0.0, f32::NAN])]));
    assert_eq!(
        error.to_string(),
        "target 1 `a`, COLOR_0 of vertex 3: a delta is NaN; deltas must be finite"
    );
    let mut short = texcoords("a", 0, &[(0, [1.0; 2]), (1, [1.0; 2])]);
    short.texcoords[0].deltas.pop();
    assert_eq!(
        refuse(short).to_string(),
        "target 1 `a`, TEXCOORD_0: 1 deltas for 2 changed vertices: give one for each"
    );
    let mut twice = texcoords("a", 7, &[(0, [1.0; 2])]);
    twice.texcoords.push(set_deltas(0, &[]));
    twice.texcoords.push(set_deltas(7, &[(1, [1.0; 2])]));
    let error = refuse(twice);
    assert!(matches!(
        error,
        BuildError::DuplicateSet {
            set: VertexSet::Texcoord(7),
            ..
        }
    ));
    assert_eq!(
        error.to_string(),
        "target 1 `a` lists TEXCOORD_7 more than once: give each set one list of deltas"
    );
}
