//! Faults seen in other systems, by the number of their case.

use morph_core::{
    Aabb, BaseNormals, BuildError, BuildOptions, Layout, MorphMesh, MorphTarget, Quantization, RestPose,
    RestStreams, VertexLayout, morph, pack_scatter, pack_vertex_major,
};

use crate::support::{bits, build, normals, positions, rest, tangents};

#[test]
fn b001_a_dense_target_that_moves_one_vertex_stores_one_delta() {
    let mut dense = [[0.0; 3]; 4];
    dense[2] = [0.0, 0.0, 1.0];
    let target = MorphTarget::from_dense("a", Some(&dense), None, None);
    for quantization in Quantization::ALL {
        let (mesh, _) = build(4, std::slice::from_ref(&target), quantization);
        let view = mesh.target(0).unwrap();
        assert_eq!((view.vertices(), view.position(0)), (&[2][..], [0.0, 0.0, 1.0]));
    }
}

#[test]
fn b003_an_empty_target_keeps_slot_and_name_and_moves_nothing() {
    let targets = [
        positions("first", &[(0, [1.0; 3])]),
        MorphTarget::from_dense("empty", Some(&[[0.0; 3]; 4]), None, None),
        positions("last", &[(3, [1.0; 3])]),
    ];
    let rest = rest(&[[0.5; 3]; 4], None, None);
    for quantization in Quantization::ALL {
        let (mesh, report) = build(4, &targets, quantization);
        assert_eq!(
            (mesh.names().name(1), mesh.names().slot("last")),
            (Some("empty"), Some(2))
        );
        assert_eq!((report.targets[1].entry_count, report.targets[1].reach), (0, 0.0));
        for weight in [-1.0, 0.0, 1.0, 1.0e6] {
            let morphed = morph(&mesh, &rest, &[0.0, weight]).unwrap();
            assert_eq!(bits(&morphed.positions), bits(&rest.positions));
        }
    }
}

#[test]
fn b017_the_step_comes_from_the_deltas_and_not_from_the_base() {
    let cube: Vec<[f32; 3]> = (0..8)
        .map(|i| [0, 1, 2].map(|axis| if i >> axis & 1 == 0 { -1.0 } else { 1.0 }))
        .collect();
    let rest = rest(&cube, None, None);
    let targets = [positions("far", &[(5, [10.0, 0.0, 0.0]), (6, [0.3, 0.0, 7.77])])];
    let (mesh, report) = build(8, &targets, Quantization::Snorm16);
    let step = mesh.target(0).unwrap().position_step();
    assert_eq!(step, 10.0 / 32_767.0);
    assert!(report.worst_position_error <= step * 0.5 * 2.0_f32.sqrt());
    let moved = morph(&mesh, &rest, &[1.0]).unwrap().positions[5];
    assert!((moved[0] - (cube[5][0] + 10.0)).abs() <= step / 2.0);
}

#[test]
fn b058_vertex_numbers_past_two_to_the_24_stay_exact() {
    // The first integer that a 32-bit float cannot hold.
    let vertex = 16_777_217;
    let (mesh, _) = build(
        vertex + 1,
        &[positions("a", &[(vertex, [1.0; 3])])],
        Quantization::Half,
    );
    assert_eq!(mesh.target(0).unwrap().vertices(), [vertex]);
    assert_eq!(pack_scatter(&mesh).words[0], vertex);
    let packed = pack_vertex_major(&mesh);
    assert_eq!(packed.words[vertex as usize - 1..=vertex as usize + 1], [0, 0, 1]);
}

#[test]
fn b072_a_vertex_that_a_target_moves_twice_is_refused() {
    let targets = [
        MorphTarget::empty("still"),
        positions("A", &[(3, [1.0; 3]), (5, [1.0; 3]), (3, [1.0; 3])]),
    ];
    let error = MorphMesh::build(6, &targets, &BuildOptions::new(Quantization::F32)).unwrap_err();
    assert_eq!(
        error,
        BuildError::DuplicateVertex {
            target: 1,
            name: "A".to_owned(),
            vertex: 3
        }
    );
    assert_eq!(
        error.to_string(),
        "target 1 `A` moves vertex 3 more than once: give each vertex one delta"
    );
}

#[test]
fn b102_zero_survives_every_quantization() {
    let entries = [(0, [0.0, -0.0, 0.7]), (1, [0.1, 0.0, 0.0])];
    let targets = [
        positions("a", &entries),
        normals("b", &entries),
        tangents("c", &entries),
    ];
    let rest = rest(&[[0.3; 3]; 2], Some(&[[0.3; 3]; 2]), Some(&[[0.3; 3]; 2]));
    for quantization in Quantization::ALL {
        let (mesh, _) = build(2, &targets, quantization);
        let zeros =
            [[0, 0], [1, 1]].map(|[entry, axis]| mesh.target(0).unwrap().position(entry)[axis].to_bits());
        assert_eq!(zeros, [0, 0]);
        let morphed = morph(&mesh, &rest, &[0.0, -0.0, 0.0]).unwrap();
        assert_eq!(bits(&morphed.positions), bits(&rest.positions));
        assert_eq!(morphed.normals, rest.normals);
        assert_eq!(morphed.tangents, rest.tangents);
    }
}

#[test]
fn b106_any_number_of_targets_is_built() {
    for count in [0, 1, 64, 65, 128, 256, 257, 1000] {
        let targets: Vec<MorphTarget> = (0..count)
            .map(|i| positions(&format!("t{i}"), &[(i % 3, [1.0, 0.0, 0.0])]))
            .collect();
        let rest = rest(&[[0.0; 3]; 3], None, None);
        for quantization in Quantization::ALL {
            let (mesh, report) = build(3, &targets, quantization);
            assert_eq!(
                (mesh.target_count(), report.targets.len()),
                (count as usize, count as usize)
            );
            let morphed = morph(&mesh, &rest, &vec![1.0; count as usize]).unwrap();
            let total: f32 = morphed.positions.iter().map(|position| position[0]).sum();
            assert!((total - count as f32).abs() < 1.0e-2 * count as f32 + 1.0e-6);
            assert_eq!(pack_scatter(&mesh).targets.len(), count as usize);
            assert_eq!(pack_vertex_major(&mesh).words[3], count);
        }
    }
}

#[test]
fn b110_zero_normal_deltas_leave_the_normals_alone() {
    let unit = [0.6, 0.48, 0.64];
    let rest = rest(&[[0.0; 3]; 2], Some(&[unit; 2]), None);
    let still = MorphTarget {
        normals: Some(vec![[0.0; 3]; 2]),
        ..positions("a", &[(0, [1.0; 3]), (1, [1.0; 3])])
    };
    for quantization in Quantization::ALL {
        let (mesh, _) = build(2, std::slice::from_ref(&still), quantization);
        assert_eq!(morph(&mesh, &rest, &[1.0]).unwrap().normals, rest.normals);
        // Opposite deltas: whatever the float sums leave, in the order of the contract.
        let delta = [0.1, -0.2, 0.3];
        let targets = [
            normals("there", &[(0, delta)]),
            normals("back", &[(0, delta.map(|x| -x))]),
        ];
        let (mesh, _) = build(2, &targets, quantization);
        let stored = mesh.target(0).unwrap().normal(0);
        let expected: [f32; 3] = std::array::from_fn(|axis| {
            let there = unit[axis] + 0.7 * stored[axis];
            there + 0.7 * -stored[axis]
        });
        assert_eq!(
            morph(&mesh, &rest, &[0.7, 0.7]).unwrap().normals.unwrap()[0],
            expected
        );
    }
}

#[test]
fn b115_a_normal_that_cancels_is_zero_and_finite() {
    let rest = rest(&[[0.0; 3]], Some(&[[0.0, 0.0, 1.0]]), None);
    for quantization in Quantization::ALL {
        let (mesh, _) = build(1, &[normals("cancel", &[(0, [0.0, 0.0, -1.0])])], quantization);
        let at = |weight: f32| morph(&mesh, &rest, &[weight]).unwrap().normals.unwrap()[0];
        if quantization == Quantization::Snorm16 {
            // -1 is 32767 rounded steps, off by less than half a step.
            assert!(at(1.0)[2].abs() <= 0.5 / 32_767.0);
        } else {
            assert_eq!(at(1.0).map(f32::to_bits), [0; 3]);
        }
        let nearly = at(0.999_999);
        assert!(nearly[2].is_finite() && nearly[2].abs() < 2.0e-5);
    }
}

#[test]
fn b120_tangents_add_over_targets_and_w_is_kept() {
    let base = [[1.0, 0.0, 0.0, -1.0]];
    let pose = RestPose::from_streams(
        VertexLayout::PACKED,
        &[[0.0; 3]],
        None,
        Some(&base),
        BaseNormals::AsGiven,
    )
    .unwrap();
    let axes = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [-1.0, -1.0, 0.0],
    ];
    let targets: Vec<MorphTarget> = axes
        .iter()
        .enumerate()
        .map(|(i, &axis)| tangents(&format!("t{i}"), &[(0, axis)]))
        .collect();
    let (mesh, _) = build(1, &targets, Quantization::Half);
    let morphed = morph(&mesh, &pose.streams(), &[0.25; 4]).unwrap();
    assert_eq!(morphed.tangents, Some(vec![[1.0, 0.0, 0.25]]));
    assert_eq!(pose.bytes()[36..40], (-1.0_f32).to_ne_bytes());
}

#[test]
fn b122_thresholds_are_per_attribute_and_keep_the_sign() {
    let delta = [-1.0e-5, 1.0e-5, 0.0];
    let both = MorphTarget {
        positions: Some(vec![[0.0; 3]]),
        ..normals("a", &[(0, delta)])
    };
    let plain = BuildOptions::new(Quantization::F32);
    let kept = |options: BuildOptions<'_>| {
        MorphMesh::build(1, std::slice::from_ref(&both), &options)
            .unwrap()
            .0
    };
    // A position threshold has no say about normals.
    let mesh = kept(BuildOptions {
        position_threshold: 1.0,
        ..plain
    });
    assert_eq!(mesh.target(0).unwrap().normal(0), delta);
    let mesh = kept(BuildOptions {
        direction_threshold: 1.0e-4,
        ..plain
    });
    assert_eq!(mesh.entry_count(), 0);
    for quantization in [Quantization::Half, Quantization::Snorm16] {
        let normal = kept(BuildOptions::new(quantization)).target(0).unwrap().normal(0);
        assert!(normal[0] < 0.0 && normal[1] > 0.0 && normal[2] == 0.0);
    }
}

#[test]
fn b125_deltas_without_extent_on_an_axis_divide_by_nothing() {
    let quad = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let rest = rest(&quad, None, None);
    let entries: Vec<(u32, [f32; 3])> = (0..4).map(|v| (v, [0.0, 0.0, 0.25])).collect();
    for quantization in Quantization::ALL {
        let (mesh, report) = build(
            4,
            &[positions("up", &entries), positions("still", &[])],
            quantization,
        );
        let morphed = morph(&mesh, &rest, &[1.0, 1.0]).unwrap();
        for (moved, base) in morphed.positions.iter().zip(quad) {
            assert_eq!([moved[0], moved[1]], [base[0], base[1]]);
            assert!((moved[2] - 0.25).abs() <= report.worst_position_error);
        }
        let back = morph(&mesh, &rest, &[0.0, 1.0]).unwrap();
        assert!(
            back.positions.iter().all(|position| position[2].to_bits() == 0),
            "z stays exact"
        );
    }
}

#[test]
fn b126_normal_only_entry_is_kept() {
    let target = MorphTarget {
        positions: Some(vec![[0.0; 3]]),
        ..normals("a", &[(1, [0.5, 0.0, 0.0])])
    };
    let options = BuildOptions {
        position_threshold: 0.1,
        ..BuildOptions::new(Quantization::Half)
    };
    let (mesh, report) = MorphMesh::build(2, &[target], &options).unwrap();
    let view = mesh.target(0).unwrap();
    assert_eq!(
        (view.vertices(), view.normal(0), view.position(0)),
        (&[1][..], [0.5, 0.0, 0.0], [0.0; 3])
    );
    assert_eq!(report.dropped_entry_count, 0);
}

#[test]
fn b130_bounds_are_the_base_grown_by_weight_times_delta() {
    let (mesh, _) = build(
        4,
        &[positions("a", &[(0, [1.0; 3]), (1, [-1.0; 3])])],
        Quantization::F32,
    );
    let base = Aabb {
        min: [10.0; 3],
        max: [11.0; 3],
    };
    assert_eq!(
        mesh.bounds(&base, &[1.0]),
        Aabb {
            min: [9.0; 3],
            max: [12.0; 3]
        }
    );
    assert_eq!(
        mesh.bounds(&base, &[0.5]),
        Aabb {
            min: [9.5; 3],
            max: [11.5; 3]
        }
    );
    assert_eq!(mesh.bounds(&base, &[0.0]), base);
    assert_eq!(
        (
            mesh.target(0).unwrap().minimum(),
            mesh.target(0).unwrap().maximum()
        ),
        ([-1.0; 3], [1.0; 3])
    );
}

#[test]
fn b132_bounds_hold_a_quad_that_moved_far_away() {
    let quad = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let entries: Vec<(u32, [f32; 3])> = (0..4).map(|v| (v, [0.0, 0.0, 100.0])).collect();
    for quantization in Quantization::ALL {
        let (mesh, _) = build(4, &[positions("far", &entries)], quantization);
        let aabb = mesh.bounds(&Aabb::of(&quad), &[1.0]);
        for point in morph(&mesh, &rest(&quad, None, None), &[1.0]).unwrap().positions {
            assert!(aabb.contains(point) && point[2] > 99.9);
        }
    }
}

#[test]
fn b134_inflation_is_one_for_one_target_and_fifty_for_all() {
    let targets: Vec<MorphTarget> = (0..50)
        .map(|i| positions(&format!("t{i}"), &[(i, [0.0, 1.0, 0.0])]))
        .collect();
    for quantization in [Quantization::F32, Quantization::Half] {
        let (mesh, report) = build(50, &targets, quantization);
        assert!(report.targets.iter().all(|target| target.reach == 1.0));
        let mut one = [0.0; 50];
        one[17] = 1.0;
        assert_eq!(mesh.inflation(&one), 1.0);
        assert_eq!(mesh.inflation(&[1.0; 50]), 50.0);
        assert_eq!(mesh.inflation(&[-1.0; 50]), 50.0);
        let base = Aabb {
            min: [0.0; 3],
            max: [1.0; 3],
        };
        assert_eq!(
            mesh.bounds(&base, &one),
            Aabb {
                min: [0.0; 3],
                max: [1.0, 2.0, 1.0]
            }
        );
    }
}

#[test]
fn b138_bounds_hold_a_weight_past_one() {
    let (mesh, _) = build(
        1,
        &[positions("a", &[(0, [0.1, -0.7, 0.3])])],
        Quantization::Snorm16,
    );
    let rest = rest(&[[0.2; 3]], None, None);
    for weight in [3.0, -3.0] {
        let aabb = mesh.bounds(&Aabb::of(&rest.positions), &[weight]);
        assert!(aabb.contains(morph(&mesh, &rest, &[weight]).unwrap().positions[0]));
    }
}

#[test]
fn b191_sizes_are_64_bit() {
    // More vertices than a device binds or a 32-bit byte offset reaches; nothing that size is allocated here.
    let vertex_count = 3_000_000_000;
    let (mesh, _) = build(
        vertex_count,
        &[positions("a", &[(vertex_count - 1, [1.0; 3])])],
        Quantization::F32,
    );
    assert_eq!(mesh.size_bytes(Layout::VertexMajor), 4 * (3_000_000_001 + 4));
    assert_eq!(mesh.size_bytes(Layout::Scatter), 16);
    assert_eq!(mesh.target_size_bytes(0, Layout::VertexMajor), 16);
    let far = VertexLayout::interleaved(u32::MAX - 3).with_position(0, u32::MAX - 3 - 12);
    assert_eq!(far.validate(), Ok(()));
}

#[test]
fn b193_targets_whose_entries_are_all_dropped_make_a_usable_mesh() {
    let options = BuildOptions {
        position_threshold: 1.0,
        ..BuildOptions::new(Quantization::Snorm16)
    };
    let targets = [
        positions("a", &[(0, [0.5, 0.0, 0.0])]),
        positions("b", &[(1, [0.0, 0.5, 0.0])]),
    ];
    let (mesh, report) = MorphMesh::build(2, &targets, &options).unwrap();
    assert_eq!(
        (
            mesh.entry_count(),
            report.dropped_entry_count,
            report.worst_position_error
        ),
        (0, 2, 0.5)
    );
    let rest = RestStreams::new(vec![[1.0; 3]; 2], None, None).unwrap().0;
    assert_eq!(
        morph(&mesh, &rest, &[1.0, 1.0]).unwrap().positions,
        rest.positions
    );
    assert_eq!(morph(&mesh, &rest, &[]).unwrap().positions, rest.positions);
    let packed = pack_vertex_major(&mesh);
    assert_eq!(
        packed.words, [0; 9],
        "the table of first entries and six steps: never nothing"
    );
    assert_eq!(
        pack_scatter(&mesh)
            .targets
            .iter()
            .map(|target| target.entry_count)
            .sum::<u32>(),
        0
    );
    let (nothing, _) = build(0, &[], Quantization::Half);
    assert_eq!(pack_vertex_major(&nothing).words, [0]);
    assert_eq!(nothing.size_bytes(Layout::Scatter), 0);
}

#[test]
fn b195_sparse_targets_take_what_they_move_and_not_what_the_mesh_has() {
    let vertex_count = 50_000;
    let targets: Vec<MorphTarget> = (0..200_u32)
        .map(|i| {
            let entries: Vec<(u32, [f32; 3])> = (0..50)
                .map(|k| ((i * 211 + k * 37) % vertex_count, [0.1, 0.2, 0.3]))
                .collect();
            let moved = positions(&format!("t{i}"), &entries);
            MorphTarget {
                normals: moved.positions.clone(),
                ..moved
            }
        })
        .collect();
    for quantization in Quantization::ALL {
        let (mesh, report) = build(vertex_count, &targets, quantization);
        assert_eq!(report.entry_count, 10_000);
        for layout in [Layout::Scatter, Layout::VertexMajor] {
            assert!(
                mesh.size_bytes(layout) < 1_000_000,
                "{quantization}, {layout:?}: {}",
                mesh.size_bytes(layout)
            );
        }
    }
}
