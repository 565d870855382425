//! What the build report says: drops, thresholds, directions.

use morph_core::{BuildOptions, BuildReport, MorphMesh, MorphTarget, Quantization, morph};
use proptest::prelude::*;

use crate::support::{build, normals, positions, quantization, rest, scene, tangents};

fn build_with(
    vertex_count: u32,
    targets: &[MorphTarget],
    options: &BuildOptions<'_>,
) -> (MorphMesh, BuildReport) {
    MorphMesh::build(vertex_count, targets, options).unwrap()
}

#[test]
fn an_entry_stays_only_if_it_is_longer_than_its_threshold() {
    let options = BuildOptions {
        position_threshold: 5.0,
        direction_threshold: 0.5,
        ..BuildOptions::new(Quantization::F32)
    };
    let targets = [
        positions(
            "positions",
            &[(0, [3.0, 4.0, 0.0]), (1, [3.0, 4.0, 0.1]), (2, [0.0, 0.0, -5.1])],
        ),
        normals("normals", &[(0, [0.5, 0.0, 0.0]), (1, [0.0, -0.6, 0.0])]),
        tangents("tangents", &[(0, [0.0, 0.5, 0.0]), (2, [0.4, 0.3, 0.01])]),
    ];
    let (mesh, report) = build_with(3, &targets, &options);
    let kept: Vec<&[u32]> = mesh.targets().map(|target| target.vertices()).collect();
    assert_eq!(kept, [&[1_u32, 2][..], &[1], &[2]]);
    let dropped: Vec<u64> = report
        .targets
        .iter()
        .map(|target| target.dropped_entry_count)
        .collect();
    assert_eq!(dropped, [1, 1, 1]);
    assert_eq!((report.entry_count, report.dropped_entry_count), (4, 3));
    // What was dropped counts with its whole length.
    assert_eq!(report.worst_position_error, 5.0);
    assert_eq!(
        (report.worst_normal_error, report.worst_tangent_error),
        (0.5, 0.5)
    );
    assert_eq!(report.worst_direction_error_degrees, None);
}

#[test]
fn lengths_of_tiny_deltas_do_not_vanish() {
    // The square of this delta is zero in 32-bit floats.
    let delta = [1.0e-30_f32.max(morph_core::DOMAIN_MIN), 0.0, 0.0];
    let options = BuildOptions {
        position_threshold: delta[0].next_down(),
        ..BuildOptions::new(Quantization::F32)
    };
    let (mesh, _) = build_with(1, &[positions("a", &[(0, delta)])], &options);
    assert_eq!(mesh.entry_count(), 1);
}

#[test]
fn authored_zeros_are_neither_kept_nor_counted_as_dropped() {
    let (mesh, report) = build(
        2,
        &[positions("a", &[(0, [0.0; 3]), (1, [-0.0; 3])])],
        Quantization::Snorm16,
    );
    assert_eq!(
        (
            mesh.entry_count(),
            report.dropped_entry_count,
            report.zeroed_component_count
        ),
        (0, 0, 0)
    );
}

#[test]
fn the_direction_error_is_the_angle_between_exact_and_stored_morphed_normals() {
    let pose = rest(&[[0.0; 3]; 3], Some(&[[0.0, 1.0, 0.0]; 3]), None);
    // Dropped, so that the stored normal stays at rest, at 45 degrees to the exact one.
    let targets = [
        normals("bend", &[(1, [1.0, 0.0, 0.0])]),
        positions("move", &[(0, [2.0; 3])]),
    ];
    let options = BuildOptions {
        direction_threshold: 1.0,
        rest: Some(&pose),
        ..BuildOptions::new(Quantization::F32)
    };
    let (_, report) = build_with(3, &targets, &options);
    let [bend, moved] = &report.targets[..] else {
        panic!("two targets")
    };
    assert!((bend.worst_direction_error_degrees.unwrap() - 45.0).abs() < 1.0e-5);
    assert_eq!(moved.worst_direction_error_degrees, Some(0.0), "no normal moves");
    assert_eq!(
        report.worst_direction_error_degrees,
        bend.worst_direction_error_degrees
    );
}

#[test]
fn normals_without_a_direction_are_left_out_and_counted() {
    let up = [0.0, 1.0, 0.0];
    let pose = rest(
        &[[0.0; 3]; 4],
        Some(&[up, up, [0.0; 3], [0.0, 0.9e-4, 0.0]]),
        None,
    );
    let targets = [
        // Vertex 0 turns around through zero; vertex 2 gets a direction; vertex 3 keeps having none.
        normals("cancel", &[(0, [0.0, -1.0, 0.0]), (2, [1.0, 0.0, 0.0])]),
        positions("move", &[(0, [1.0; 3])]),
    ];
    for quantization in Quantization::ALL {
        let options = BuildOptions {
            rest: Some(&pose),
            ..BuildOptions::new(quantization)
        };
        let (_, report) = build_with(4, &targets, &options);
        assert_eq!(
            report.targets[0].uncounted_direction_vertices, 2,
            "vertices 0 and 3"
        );
        assert_eq!(
            report.targets[1].uncounted_direction_vertices, 2,
            "vertices 2 and 3"
        );
    }
}

#[test]
fn a_stored_normal_that_vanishes_is_as_wrong_as_can_be() {
    let pose = rest(&[[0.0; 3]], Some(&[[0.0, 1.0, 0.0]]), None);
    // The nearest half to -0.9998 is -1 at this spacing of 2^-11, so that the stored normal is zero and the
    // exact is not.
    let targets = [normals("a", &[(0, [0.0, -0.999_8, 0.0])])];
    let options = BuildOptions {
        rest: Some(&pose),
        ..BuildOptions::new(Quantization::Half)
    };
    let (mesh, report) = build_with(1, &targets, &options);
    assert_eq!(mesh.target(0).unwrap().normal(0), [0.0, -1.0, 0.0]);
    assert_eq!(report.worst_direction_error_degrees, Some(180.0_f32));
}

#[test]
fn a_build_without_targets_reports_nothing() {
    let (mesh, report) = build(7, &[], Quantization::Snorm16);
    assert_eq!(
        (mesh.vertex_count(), mesh.target_count(), mesh.entry_count()),
        (7, 0, 0)
    );
    assert_eq!((report.entry_count, report.targets.len()), (0, 0));
    assert!(mesh.target(0).is_none());
}

#[test]
fn entries_past_the_end_and_streams_that_are_not_there_read_as_zero() {
    let (mesh, _) = build(1, &[positions("a", &[(0, [1.0; 3])])], Quantization::Half);
    let view = mesh.target(0).unwrap();
    assert_eq!(
        (view.position(1), view.normal(0), view.tangent(0)),
        ([0.0; 3], [0.0; 3], [0.0; 3])
    );
}

proptest! {
    /// The promise for a single target: its angle at weight 1, from what the kernel gives.
    #[test]
    fn the_kernel_turns_normals_by_no_more_than_the_reported_angle(scene in scene(), quantization in quantization()) {
        let Some(rest_normals) = &scene.rest.normals else { return Ok(()) };
        let (mesh, report) = scene.build(quantization);
        for (slot, (target, report)) in scene.targets.iter().zip(&report.targets).enumerate() {
            let mut weights = vec![0.0; slot + 1];
            weights[slot] = 1.0;
            let morphed = morph(&mesh, &scene.rest, &weights).unwrap().normals.unwrap();
            let reported = f64::from(report.worst_direction_error_degrees.unwrap());
            let mut uncounted = 0;
            for (vertex, (rest, morphed)) in rest_normals.iter().zip(&morphed).enumerate() {
                let at = target.vertices.iter().position(|&v| v as usize == vertex);
                let delta = target.normals.as_ref().zip(at).map_or([0.0; 3], |(deltas, at)| deltas[at]);
                let exact: [f64; 3] = std::array::from_fn(|axis| f64::from(rest[axis]) + f64::from(delta[axis]));
                let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
                if length(exact) < 1.0e-4 {
                    uncounted += 1;
                    continue;
                }
                let stored = morphed.map(f64::from);
                // The chord between the unit vectors; the kernel's own rounding of the sum is relative to the
                // terms.
                let chord = length(std::array::from_fn(|a| exact[a] / length(exact) - stored[a] / length(stored).max(1.0e-300)));
                let rounding = 1.0e-6 * (length(rest.map(f64::from)) + length(delta.map(f64::from))) / length(exact);
                let allowed = 2.0 * (reported.to_radians() / 2.0).sin() + rounding;
                prop_assert!(chord <= allowed + 1.0e-6 || reported >= 180.0, "{chord} {allowed}");
            }
            prop_assert_eq!(report.uncounted_direction_vertices, uncounted);
        }
    }

    #[test]
    fn the_overall_report_is_the_worst_and_the_sum_of_the_targets(scene in scene(), quantization in quantization()) {
        let (mesh, report) = scene.build(quantization);
        prop_assert_eq!(report.entry_count, mesh.entry_count());
        prop_assert_eq!(report.entry_count, report.targets.iter().map(|t| u64::from(t.entry_count)).sum::<u64>());
        prop_assert_eq!(report.dropped_entry_count, report.targets.iter().map(|t| t.dropped_entry_count).sum::<u64>());
        prop_assert_eq!(report.zeroed_component_count, report.targets.iter().map(|t| t.zeroed_component_count).sum::<u64>());
        prop_assert_eq!(report.worst_position_error, report.targets.iter().map(|t| t.worst_position_error).fold(0.0, f32::max));
        let reaches: Vec<f32> = mesh.targets().map(|target| target.reach()).collect();
        prop_assert_eq!(reaches, report.targets.iter().map(|t| t.reach).collect::<Vec<_>>());
    }
}
