//! All problems at once, and statistics.

use morph_core::{
    BuildOptions, Layout, MorphMesh, MorphTarget, Quantization, RestStreams, SetDeltas, validate,
};
use proptest::prelude::*;

use crate::support::{build, positions, quantization, scene};

#[test]
fn every_problem_is_listed_in_the_order_of_options_names_and_slots() {
    let rest = RestStreams {
        positions: vec![[0.0; 3]],
        ..RestStreams::default()
    };
    let mut first = positions(
        "a",
        &[
            (0, [f32::NAN, 0.0, 0.0]),
            (9, [f32::INFINITY, 0.0, 0.0]),
            (0, [1.0; 3]),
        ],
    );
    first.normals = Some(vec![]);
    first.texcoords = vec![SetDeltas {
        set: 0,
        vertices: vec![1, 1, 5],
        deltas: vec![[0.0; 2]],
    }];
    let second = positions("a", &[(1, [1.0e6, 0.0, 0.0])]);
    let options = BuildOptions {
        position_threshold: -1.0,
        direction_threshold: f32::NAN,
        direction_tolerance_degrees: Some(1.0),
        rest: Some(&rest),
        ..BuildOptions::new(Quantization::Half)
    };
    let targets = [first, second];
    let problems: Vec<String> = validate(2, &targets, &options)
        .iter()
        .map(ToString::to_string)
        .collect();
    let begins = [
        "the position threshold is -1",
        "the direction threshold is NaN",
        "the rest pose has 1 position values",
        "target 0 `a` has normal deltas, and a direction tolerance needs rest normals",
        "targets 0 and 1 are both named `a`",
        "target 0 `a`: 0 normal deltas for 3 moved vertices",
        "target 0 `a`: entry 1 moves vertex 9",
        "target 0 `a` moves vertex 0 more than once",
        "target 0 `a`, vertex 0: a position delta is NaN",
        "target 0 `a`, TEXCOORD_0: 1 deltas for 3 changed vertices",
        "target 0 `a`, TEXCOORD_0: entry 2 changes vertex 5",
        "target 0 `a`, TEXCOORD_0: vertex 1 is changed more than once",
        "target 1 `a`, vertex 1: a position delta is 1000000, beyond",
    ];
    assert_eq!(problems.len(), begins.len(), "{problems:#?}");
    for (problem, begin) in problems.iter().zip(begins) {
        assert!(problem.starts_with(begin), "{problem}");
    }
    let build = MorphMesh::build(2, &targets, &options).unwrap_err();
    assert_eq!(build.to_string(), problems[0]);
}

#[test]
fn too_many_targets_and_each_name_that_comes_again_are_problems() {
    let many = vec![MorphTarget::empty("a"); MorphMesh::MAX_TARGET_COUNT + 1];
    let problems = validate(1, &many, &BuildOptions::new(Quantization::F32));
    assert_eq!(problems.len(), 1 + MorphMesh::MAX_TARGET_COUNT);
    assert!(problems[0].to_string().starts_with("the mesh has 65537 targets"));
    assert!(
        problems[65_536]
            .to_string()
            .starts_with("targets 0 and 65536 are both named")
    );
}

proptest! {
    #[test]
    fn nothing_is_wrong_exactly_where_a_build_goes_through(
        scene in scene(),
        quantization in quantization(),
        spoil in proptest::option::of((0_usize..6, prop_oneof![Just(f32::NAN), Just(1.0e5_f32)])),
    ) {
        let mut targets = scene.targets.clone();
        if let Some((slot, value)) = spoil
            && let Some(target) = targets.get_mut(slot)
            && let Some(delta) = target.positions.as_mut().and_then(|deltas| deltas.last_mut())
        {
            delta[1] = value;
        }
        let options = BuildOptions { rest: Some(&scene.rest), ..BuildOptions::new(quantization) };
        let problems = validate(scene.vertex_count, &targets, &options);
        match MorphMesh::build(scene.vertex_count, &targets, &options) {
            Ok(_) => prop_assert!(problems.is_empty(), "{problems:?}"),
            Err(error) => prop_assert_eq!(problems[0].to_string(), error.to_string()),
        }
    }

    #[test]
    fn statistics_agree_with_the_mesh(scene in scene(), quantization in quantization()) {
        let (mesh, report) = scene.build(quantization);
        let statistics = mesh.statistics();
        prop_assert_eq!(statistics.entry_count, report.entry_count);
        prop_assert_eq!(
            statistics.empty_target_count,
            report.targets.iter().filter(|target| target.entry_count == 0).count()
        );
        for (layout, bytes) in statistics.layout_bytes {
            prop_assert_eq!(bytes, mesh.size_bytes(layout));
        }
        prop_assert!((0.0..=1.0).contains(&statistics.density));
    }
}

#[test]
fn statistics_count_targets_entries_bytes_and_density() {
    let mut tint = MorphTarget::empty("tint");
    tint.colors = vec![SetDeltas {
        set: 0,
        vertices: vec![0, 1],
        deltas: vec![[0.5; 4]; 2],
    }];
    let targets = [
        positions("a", &[(0, [1.0; 3]), (1, [1.0; 3])]),
        MorphTarget::empty("still"),
        tint,
        positions("b", &[(3, [1.0; 3])]),
    ];
    let (mesh, _) = build(4, &targets, Quantization::F32);
    let statistics = mesh.statistics();
    assert_eq!((statistics.vertex_count, statistics.target_count), (4, 4));
    assert_eq!(statistics.empty_target_count, 1);
    assert_eq!(
        (
            statistics.entry_count,
            statistics.texcoord_entry_count,
            statistics.color_entry_count
        ),
        (3, 0, 2)
    );
    assert_eq!(statistics.density, 3.0 / 16.0);
    assert_eq!((statistics.set_bytes, statistics.dense_bytes), (40, 16 * 12));
    assert_eq!(statistics.layout_bytes[0], (Layout::Scatter, 3 * 16));
    assert_eq!(build(0, &[], Quantization::F32).0.statistics().density, 0.0);
}
