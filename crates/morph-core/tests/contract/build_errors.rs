//! Every way in which a build refuses, with the place and the advice in the message.

use morph_core::{
    BuildError, BuildOptions, Limit, MorphMesh, MorphTarget, Quantization, RestStreams, Stream,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{build, normals, positions, quantization, rest, stream_of, tangents};

const F32: Quantization = Quantization::F32;

fn refuse(vertex_count: u32, targets: &[MorphTarget], options: &BuildOptions<'_>) -> BuildError {
    MorphMesh::build(vertex_count, targets, options).unwrap_err()
}

#[test]
fn two_targets_of_one_name() {
    let targets = [
        MorphTarget::empty("a"),
        MorphTarget::empty("b"),
        MorphTarget::empty("a"),
    ];
    let error = refuse(1, &targets, &BuildOptions::new(F32));
    assert_eq!(
        error,
        BuildError::DuplicateName {
            name: "a".to_owned(),
            first: 0,
            second: 2
        }
    );
    assert_eq!(
        error.to_string(),
        "targets 0 and 2 are both named `a`: give each target its own name"
    );
}

#[test]
fn a_mesh_without_vertices_that_moves_some() {
    let targets = [MorphTarget::empty("still"), positions("a", &[(0, [1.0; 3])])];
    let error = refuse(0, &targets, &BuildOptions::new(F32));
    assert_eq!(
        error,
        BuildError::NoVertices {
            target: 1,
            name: "a".to_owned(),
            moved: 1
        }
    );
    assert_eq!(
        error.to_string(),
        "target 1 `a` moves 1 vertices of a mesh with zero vertices: give the mesh's vertex count, or targets that move nothing"
    );
    let (mesh, report) = build(0, &targets[..1], F32);
    assert_eq!(
        (mesh.vertex_count(), mesh.target_count(), report.entry_count),
        (0, 1, 0)
    );
}

#[test]
fn a_vertex_that_is_not_there() {
    let error = refuse(
        3,
        &[positions("a", &[(0, [1.0; 3]), (3, [1.0; 3])])],
        &BuildOptions::new(F32),
    );
    let expected = BuildError::VertexOutOfRange {
        target: 0,
        name: "a".to_owned(),
        entry: 1,
        vertex: 3,
        vertex_count: 3,
    };
    assert_eq!(error, expected);
    assert_eq!(
        error.to_string(),
        "target 0 `a`: entry 1 moves vertex 3, but the mesh has 3 vertices, counted from 0"
    );
}

#[test]
fn a_stream_that_is_not_as_long_as_the_vertices() {
    for stream in Stream::ALL {
        let mut target = positions("a", &[(0, [1.0; 3]), (1, [1.0; 3])]);
        target.normals = target.positions.clone();
        target.tangents = target.positions.clone();
        let short = match stream {
            Stream::Position => &mut target.positions,
            Stream::Normal => &mut target.normals,
            Stream::Tangent => &mut target.tangents,
        };
        *short = Some(vec![[1.0; 3]]);
        let error = refuse(2, &[target], &BuildOptions::new(F32));
        assert_eq!(
            error.to_string(),
            format!("target 0 `a`: 1 {stream} deltas for 2 moved vertices: give one for each")
        );
        assert!(matches!(
            error,
            BuildError::StreamLength {
                expected: 2,
                found: 1,
                ..
            }
        ));
    }
}

#[test]
fn a_delta_that_is_not_finite_is_refused_in_every_stream_and_quantization() {
    for quantization in Quantization::ALL {
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let entries = [(0, [1.0; 3]), (4, [0.0, value, 0.0])];
            let targets = [
                positions("a", &entries),
                normals("a", &entries),
                tangents("a", &entries),
            ];
            for (stream, target) in Stream::ALL.into_iter().zip(targets) {
                assert!(stream_of(&target, stream).is_some());
                let error = refuse(
                    5,
                    &[MorphTarget::empty("still"), target],
                    &BuildOptions::new(quantization),
                );
                let message =
                    format!("target 1 `a`, vertex 4: a {stream} delta is {value}; deltas must be finite");
                assert_eq!(error.to_string(), message);
            }
        }
    }
}

#[test]
fn halves_are_refused_past_their_range_and_not_before() {
    for value in [65_504.0, -65_504.0] {
        let (mesh, report) = build(1, &[positions("a", &[(0, [value; 3])])], Quantization::Half);
        assert_eq!(mesh.target(0).unwrap().position(0), [value; 3]);
        assert_eq!(report.worst_position_error, 0.0);
    }
    for value in [65_504.0_f32.next_up(), -65_520.0, 1.0e30] {
        let targets = [normals("a", &[(0, [0.0, 0.0, value])])];
        let error = refuse(1, &targets, &BuildOptions::new(Quantization::Half));
        let expected = BuildError::BeyondHalf {
            target: 0,
            name: "a".to_owned(),
            vertex: 0,
            stream: Stream::Normal,
            value,
        };
        assert_eq!(error, expected);
        assert_eq!(
            error.to_string(),
            format!(
                "target 0 `a`, vertex 0: a normal delta is {value}, beyond the ±65504 of a half float: use f32 or snorm16, or a larger unit"
            )
        );
        for quantization in [F32, Quantization::Snorm16] {
            build(1, &targets, quantization);
        }
    }
}

#[test]
fn thresholds_and_tolerances_that_are_no_lengths() {
    for value in [-1.0, f32::NAN, f32::INFINITY, -f32::MIN_POSITIVE] {
        let plain = BuildOptions::new(F32);
        let error = refuse(
            1,
            &[],
            &BuildOptions {
                position_threshold: value,
                ..plain
            },
        );
        assert!(matches!(
            error,
            BuildError::Threshold {
                limit: Limit::Position,
                ..
            }
        ));
        let message =
            format!("the position threshold is {value}: it must be a finite number that is zero or more");
        assert_eq!(error.to_string(), message);
        let error = refuse(
            1,
            &[],
            &BuildOptions {
                direction_threshold: value,
                ..plain
            },
        );
        assert!(matches!(
            error,
            BuildError::Threshold {
                limit: Limit::Direction,
                ..
            }
        ));
        let error = refuse(
            1,
            &[],
            &BuildOptions {
                position_tolerance: Some(value),
                ..plain
            },
        );
        assert!(matches!(
            error,
            BuildError::Tolerance {
                limit: Limit::Position,
                ..
            }
        ));
        let error = refuse(
            1,
            &[],
            &BuildOptions {
                direction_tolerance_degrees: Some(value),
                ..plain
            },
        );
        assert!(matches!(
            error,
            BuildError::Tolerance {
                limit: Limit::Direction,
                ..
            }
        ));
        let message =
            format!("the direction tolerance is {value}: it must be a finite number that is zero or more");
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn a_threshold_that_alone_would_break_the_tolerance() {
    let plain = BuildOptions::new(F32);
    let build = |options: BuildOptions<'_>| MorphMesh::build(1, &[], &options).map(|_| ());
    let with = |threshold, tolerance| {
        build(BuildOptions {
            position_threshold: threshold,
            position_tolerance: Some(tolerance),
            ..plain
        })
    };
    assert_eq!(with(0.5, 0.5), Ok(()));
    let error = with(0.5_f32.next_up(), 0.5).unwrap_err();
    assert!(matches!(
        error,
        BuildError::ThresholdAboveTolerance {
            limit: Limit::Position,
            tolerance: 0.5,
            ..
        }
    ));

    // Dropping a delta of length 0.5 can turn a unit normal by 30 degrees.
    let with = |threshold, tolerance| {
        build(BuildOptions {
            direction_threshold: threshold,
            direction_tolerance_degrees: Some(tolerance),
            ..plain
        })
    };
    assert_eq!(with(0.5, 30.001), Ok(()));
    let error = with(0.5, 29.5).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the direction threshold 0.5 may drop deltas worth 30, above the direction tolerance 29.5: lower the threshold or raise the tolerance"
    );
    assert!(
        with(2.0, 179.0).is_err(),
        "a delta longer than the normal can turn it around"
    );
}

#[test]
fn a_position_tolerance_that_is_not_met() {
    let targets = [
        positions("fine", &[(0, [1.0, 0.0, 0.0])]),
        positions("coarse", &[(0, [0.1, 0.0, 0.0])]),
    ];
    let options = BuildOptions {
        position_tolerance: Some(1.0e-6),
        ..BuildOptions::new(Quantization::Half)
    };
    let error = refuse(1, &targets, &options);
    let BuildError::ToleranceNotMet {
        target: 1,
        limit: Limit::Position,
        error: measured,
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert!(measured > 1.0e-6 && measured < 1.0e-4);
    assert_eq!(
        error.to_string(),
        format!(
            "target 1 `coarse`: the worst position error with half is {measured}, above the tolerance 0.000001: use a finer quantization, lower thresholds, or a tolerance of at least {measured}"
        )
    );
    // What the message says would be right is right.
    let advised = BuildOptions {
        position_tolerance: Some(measured),
        ..options
    };
    assert!(MorphMesh::build(1, &targets, &advised).is_ok());
    let finer = BuildOptions {
        quantization: F32,
        position_tolerance: Some(0.0),
        ..options
    };
    assert!(MorphMesh::build(1, &targets, &finer).is_ok());
}

#[test]
fn a_direction_tolerance_that_is_not_met() {
    let pose = rest(&[[0.0; 3]], Some(&[[0.0, 1.0, 0.0]]), None);
    let targets = [normals("bend", &[(0, [0.1, 0.0, 0.0])])];
    let options = BuildOptions {
        direction_tolerance_degrees: Some(1.0e-5),
        rest: Some(&pose),
        ..BuildOptions::new(Quantization::Half)
    };
    let error = refuse(1, &targets, &options);
    let BuildError::ToleranceNotMet {
        target: 0,
        limit: Limit::Direction,
        error: measured,
        ..
    } = error
    else {
        panic!("{error}");
    };
    let advised = BuildOptions {
        direction_tolerance_degrees: Some(measured),
        ..options
    };
    assert!(MorphMesh::build(1, &targets, &advised).is_ok());
}

#[test]
fn a_direction_tolerance_without_anything_to_measure_against() {
    let targets = [
        MorphTarget::empty("still"),
        normals("bend", &[(0, [0.1, 0.0, 0.0])]),
    ];
    let options = BuildOptions {
        direction_tolerance_degrees: Some(1.0),
        ..BuildOptions::new(F32)
    };
    let expected = BuildError::NoRestNormals {
        target: 1,
        name: "bend".to_owned(),
    };
    assert_eq!(refuse(1, &targets, &options), expected);
    let without_normals = rest(&[[0.0; 3]], None, None);
    let error = refuse(
        1,
        &targets,
        &BuildOptions {
            rest: Some(&without_normals),
            ..options
        },
    );
    assert_eq!(error, expected);
    assert_eq!(
        error.to_string(),
        "target 1 `bend` has normal deltas, and a direction tolerance needs rest normals to measure angles against: give a rest pose with normals in the options"
    );
    assert!(
        MorphMesh::build(1, &targets[..1], &options).is_ok(),
        "nothing turns, so there is nothing to measure"
    );
}

#[test]
fn a_rest_pose_of_another_mesh() {
    for stream in Stream::ALL {
        let length = |this: Stream| vec![[0.0, 1.0, 0.0]; if this == stream { 4 } else { 3 }];
        let pose = RestStreams {
            positions: length(Stream::Position),
            normals: Some(length(Stream::Normal)),
            tangents: Some(length(Stream::Tangent)),
        };
        let error = refuse(
            3,
            &[],
            &BuildOptions {
                rest: Some(&pose),
                ..BuildOptions::new(F32)
            },
        );
        assert_eq!(
            error,
            BuildError::RestLength {
                stream,
                found: 4,
                vertex_count: 3
            }
        );
        assert_eq!(
            error.to_string(),
            format!("the rest pose has 4 {stream} values, but the mesh has 3 vertices: give one for each")
        );
    }
}

#[test]
fn a_mesh_whose_words_a_32_bit_offset_cannot_reach() {
    let error = refuse(
        u32::MAX,
        &[positions("a", &[(9, [1.0; 3])])],
        &BuildOptions::new(F32),
    );
    let words = (1 << 32) + 4;
    let expected = BuildError::TooLarge {
        vertex_count: u32::MAX,
        entry_count: 1,
        words,
        limit: u32::MAX,
    };
    assert_eq!(error, expected);
    assert_eq!(
        error.to_string(),
        "4294967295 vertices and 1 entries take 4294967300 words, more than the 4294967295 that a 32-bit offset reaches: split the mesh, or raise the thresholds"
    );
    // The largest mesh that fits, with the four words of its entry.
    build(u32::MAX - 5, &[positions("a", &[(9, [1.0; 3])])], F32);
}

proptest! {
    /// Whatever is thrown at it, a build answers; and what it accepts can be laid out.
    #[test]
    fn no_input_makes_a_build_panic(
        vertex_count in prop_oneof![0_u32..6, Just(u32::MAX)],
        raw in vec((vec(prop_oneof![0_u32..8, Just(u32::MAX)], 0..5), vec(any::<[f32; 3]>(), 0..5), any::<[bool; 3]>()), 0..4),
        quantization in quantization(),
        position_threshold in any::<f32>(),
        direction_threshold in prop_oneof![Just(0.0_f32), any::<f32>()],
        tolerances in any::<[Option<f32>; 2]>(),
    ) {
        let targets: Vec<MorphTarget> = raw
            .into_iter()
            .enumerate()
            .map(|(slot, (vertices, deltas, present))| MorphTarget {
                // The first two may share a name.
                name: (slot / 2 * usize::from(present[0])).to_string(),
                vertices,
                positions: present[0].then(|| deltas.clone()),
                normals: present[1].then(|| deltas.clone()),
                tangents: present[2].then_some(deltas), ..MorphTarget::default() })
            .collect();
        let options = BuildOptions {
            position_threshold,
            direction_threshold,
            position_tolerance: tolerances[0],
            direction_tolerance_degrees: tolerances[1],
            ..BuildOptions::new(quantization)
        };
        if let Ok((mesh, _)) = MorphMesh::build(vertex_count, &targets, &options) && vertex_count < 6 {
            morph_core::pack_vertex_major(&mesh);
            morph_core::pack_scatter(&mesh);
        }
    }
}
