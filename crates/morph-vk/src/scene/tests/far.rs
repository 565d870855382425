//! What is left out is too small to be seen; jumps leave no motion; boxes, versions and advice follow what is written.

use morph_core::{Aabb, BuildOptions, MorphMesh, MorphTarget, Quantization, RestPose, VertexLayout, morph};

use super::{Simulator, assert_shows, constants, strip};
use crate::desc::Method;
use crate::error::MorphError;
use crate::scene::{BuildAdvice, InstanceId, MeshState};

/// A strip with one instance whose unit covers two pixels, drawn with a threshold of one pixel.
fn far_face(method: Method, history: bool) -> (Simulator, std::sync::Arc<MorphMesh>, RestPose, InstanceId) {
    let targets = [
        MorphTarget::from_dense("x", Some(&[[1.0, 0.0, 0.0]; 4]), None, None),
        MorphTarget::from_dense("y", Some(&[[0.0, 1.0, 0.0]; 4]), None, None),
        MorphTarget::from_dense("bend", None, Some(&[[0.0, 0.0, 1.0]; 4]), None),
    ];
    let (mesh, _) = MorphMesh::build(4, &targets, &BuildOptions::new(Quantization::F32)).unwrap();
    let (_, rest) = strip(4, Quantization::F32);
    let mesh = std::sync::Arc::new(mesh);
    let (mut simulator, _, face) = Simulator::with_face(constants(method, history), &mesh, &rest);
    simulator.scene.set_skip_below_pixels(1.0).unwrap();
    simulator.scene.set_pixels_per_unit(face, 2.0).unwrap();
    simulator.advance(true);
    simulator.advance(true);
    (simulator, mesh, rest, face)
}

#[test]
fn small_changes_are_left_out_until_they_add_up() {
    for method in [Method::Gather, Method::Scatter] {
        let (mut simulator, mesh, rest, face) = far_face(method, true);
        for weights in [[0.25, 0.0], [0.25, 0.2], [-0.1, 0.3]] {
            simulator.set_weights(face, &weights);
            let stats = simulator.advance(true);
            assert!(stats.is_idle(), "{weights:?}");
            assert_eq!((stats.written_instances, stats.skipped.far), (0, 1));
            assert_shows(&simulator, face, &mesh, &rest, &[]);
            let still = simulator.advance(true);
            assert_eq!((still.is_idle(), still.skipped.far), (true, 1), "it stays behind");
            let range = simulator.scene.vertex_range(face).unwrap();
            assert_eq!(range.current_first_vertex, range.previous_first_vertex);
        }
        // 0.3 + 0.25 units are 1.1 pixels from what was written, though 0.6 units from what was last asked for.
        simulator.set_weights(face, &[0.3, 0.25]);
        assert_eq!(simulator.advance(true).written_instances, 1);
        assert_shows(&simulator, face, &mesh, &rest, &[0.3, 0.25]);
        // And from there anew.
        simulator.set_weights(face, &[0.3, 0.0]);
        assert_eq!(simulator.advance(true).written_instances, 0);
        // Back to rest is a change like another.
        simulator.set_weights(face, &[0.05, 0.0]);
        assert_eq!(simulator.advance(true).written_instances, 1);
        simulator.set_weights(face, &[]);
        assert_eq!(simulator.advance(true).written_instances, 0);
        assert_shows(&simulator, face, &mesh, &rest, &[0.05]);
    }
}

#[test]
fn a_change_of_pixels_or_threshold_is_judged_and_infinity_writes_all() {
    let (mut simulator, mesh, rest, face) = far_face(Method::Gather, false);
    simulator.set_weights(face, &[0.25]);
    assert!(simulator.advance(true).is_idle());
    assert!(simulator.scene.set_pixels_per_unit(face, 3.0).unwrap());
    let judged = simulator.advance(true);
    assert_eq!((judged.written_instances, judged.skipped.far), (0, 1));
    assert!(!simulator.scene.set_pixels_per_unit(face, 3.0).unwrap());
    assert_eq!(simulator.advance(true).skipped.far, 1);
    simulator.scene.set_pixels_per_unit(face, 5.0).unwrap();
    assert_eq!(simulator.advance(true).written_instances, 1);
    assert_shows(&simulator, face, &mesh, &rest, &[0.25]);
    simulator.set_weights(face, &[0.3]);
    assert_eq!(simulator.advance(true).skipped.far, 1);
    simulator.scene.set_skip_below_pixels(0.0).unwrap();
    assert_eq!(simulator.advance(true).written_instances, 1);
    assert_shows(&simulator, face, &mesh, &rest, &[0.3]);
    simulator.scene.set_skip_below_pixels(f32::INFINITY).unwrap();
    simulator.set_weights(face, &[1.0e9]);
    assert_eq!(simulator.advance(true).skipped.far, 1);
    simulator.scene.set_pixels_per_unit(face, f32::INFINITY).unwrap();
    assert_eq!(simulator.advance(true).written_instances, 1);
    for pixels in [-1.0, f32::NAN] {
        assert!(matches!(
            simulator.scene.set_pixels_per_unit(face, pixels),
            Err(MorphError::Pixels {
                what: "pixels_per_unit",
                ..
            })
        ));
        assert!(simulator.scene.set_skip_below_pixels(pixels).is_err());
    }
}

#[test]
fn normals_alone_are_left_out_below_infinity() {
    let (mut simulator, mesh, rest, face) = far_face(Method::Gather, false);
    simulator.scene.set_pixels_per_unit(face, 1.0e6).unwrap();
    simulator.set_weights(face, &[0.0, 0.0, 1.0]);
    assert!(simulator.advance(true).is_idle());
    simulator.scene.set_pixels_per_unit(face, f32::INFINITY).unwrap();
    simulator.advance(true);
    assert_shows(&simulator, face, &mesh, &rest, &[0.0, 0.0, 1.0]);
}

#[test]
fn what_returns_what_stood_in_and_what_was_dropped_is_written_however_small() {
    let (mut simulator, mesh, rest, face) = far_face(Method::Gather, true);
    let id = simulator.scene.meshes.keys().next().unwrap();
    // Left out, then hidden for a frame.
    simulator.set_weights(face, &[0.1]);
    simulator.advance(true);
    simulator.scene.set_visible(face, false).unwrap();
    simulator.advance(true);
    simulator.scene.set_visible(face, true).unwrap();
    assert_eq!(simulator.advance(true).written_instances, 1);
    assert_shows(&simulator, face, &mesh, &rest, &[0.1]);
    // Changed in the frame in which it returns.
    simulator.scene.set_visible(face, false).unwrap();
    simulator.advance(true);
    simulator.scene.set_visible(face, true).unwrap();
    simulator.set_weights(face, &[0.2]);
    assert_eq!(simulator.advance(true).written_instances, 1);
    assert_shows(&simulator, face, &mesh, &rest, &[0.2]);
    // Hidden and shown between two frames: it never was away.
    simulator.scene.set_visible(face, false).unwrap();
    simulator.scene.set_visible(face, true).unwrap();
    simulator.set_weights(face, &[0.25]);
    assert_eq!(simulator.advance(true).skipped.far, 1);
    // The rest pose stands in for deltas that arrive.
    simulator.scene.reupload(id).unwrap();
    while simulator.scene.mesh_state(id).unwrap() != MeshState::Resident {
        simulator.advance(true);
    }
    simulator.advance(true);
    assert_shows(&simulator, face, &mesh, &rest, &[0.25]);
    // A dropped frame.
    simulator.set_weights(face, &[1.0]);
    simulator.plan(true);
    let slot = simulator.last_slot();
    simulator.scene.discard_frame(slot);
    simulator.set_weights(face, &[0.26]);
    assert_eq!(simulator.advance(true).written_instances, 1);
    assert_shows(&simulator, face, &mesh, &rest, &[0.26]);
}

#[test]
fn a_teleport_leaves_no_motion_in_the_next_frame_alone() {
    let (mesh, rest) = strip(8, Quantization::F32);
    let (mut simulator, _, face) = Simulator::with_face(constants(Method::Gather, true), &mesh, &rest);
    simulator.advance(true);
    simulator.advance(true);
    let has_motion = |simulator: &Simulator| {
        let range = simulator.scene.vertex_range(face).unwrap();
        range.current_first_vertex != range.previous_first_vertex
    };
    for dropped in [false, true] {
        simulator.scene.teleport(face).unwrap();
        simulator.set_weights(face, &[1.0]);
        if dropped {
            simulator.plan(true);
            let slot = simulator.last_slot();
            simulator.scene.discard_frame(slot);
        }
        assert_eq!(simulator.advance(true).written_instances, 1);
        assert!(!has_motion(&simulator), "dropped: {dropped}");
        simulator.set_weights(face, &[2.0]);
        simulator.advance(true);
        assert!(has_motion(&simulator));
        let before = morph(&mesh, &rest.streams(), &[1.0]).unwrap();
        assert_eq!(simulator.previous(face).positions, before.positions);
    }
    simulator.scene.teleport(face).unwrap();
    assert!(simulator.advance(true).is_idle(), "a jump alone writes nothing");
}

#[test]
fn b130_b132_b138_bounds_of_an_instance_follow_its_weights() {
    let up = MorphTarget::from_dense("up", Some(&[[0.0, 0.0, 100.0], [-1.0; 3], [1.0; 3]]), None, None);
    let (mesh, _) = MorphMesh::build(3, &[up], &BuildOptions::new(Quantization::F32)).unwrap();
    let rest = RestPose::from_streams(
        VertexLayout::PACKED,
        &[[10.0; 3], [10.5; 3], [11.0; 3]],
        Some(&[[0.0, 1.0, 0.0]; 3]),
        None,
        morph_core::BaseNormals::AsGiven,
    )
    .unwrap();
    let mesh = std::sync::Arc::new(mesh);
    let (mut simulator, _, face) = Simulator::with_face(constants(Method::Gather, false), &mesh, &rest);
    let aabb = |min: [f32; 3], max: [f32; 3]| Aabb { min, max };
    assert_eq!(simulator.scene.bounds(face).unwrap(), aabb([10.0; 3], [11.0; 3]));
    for (weight, min, max) in [
        (1.0, [9.0, 9.0, 9.0], [12.0, 12.0, 111.0]),
        (3.0, [7.0, 7.0, 7.0], [14.0, 14.0, 311.0]),
        (0.0, [10.0; 3], [11.0; 3]),
    ] {
        simulator.set_weights(face, &[weight]);
        simulator.advance(true);
        simulator.advance(true);
        assert_eq!(simulator.scene.bounds(face).unwrap(), aabb(min, max), "{weight}");
    }
    simulator.set_weights(face, &[1.0]);
    simulator.scene.set_morphs_enabled(face, false).unwrap();
    simulator.advance(true);
    assert_eq!(simulator.scene.bounds(face).unwrap(), aabb([10.0; 3], [11.0; 3]));
}

#[test]
fn b134_bounds_of_an_instance_grow_by_one_target_and_by_fifty() {
    let targets: Vec<_> = (0..50)
        .map(|slot| MorphTarget::from_dense(format!("{slot}"), Some(&[[1.0, 0.0, 0.0]; 2]), None, None))
        .collect();
    let (mesh, _) = MorphMesh::build(2, &targets, &BuildOptions::new(Quantization::F32)).unwrap();
    let (_, rest) = strip(2, Quantization::F32);
    let (mut simulator, _, face) = Simulator::with_face(
        constants(Method::Gather, false),
        &std::sync::Arc::new(mesh),
        &rest,
    );
    for (weights, grown) in [(vec![1.0], 1.0), (vec![1.0; 50], 50.0)] {
        simulator.set_weights(face, &weights);
        simulator.advance(true);
        simulator.advance(true);
        assert_eq!(simulator.scene.bounds(face).unwrap().max[0], 1.0 + grown);
    }
}

#[test]
fn b141_versions_changes_and_advice_follow_what_is_written() {
    let (mut simulator, _, _, face) = far_face(Method::Gather, true);
    simulator.scene.set_skip_below_pixels(0.0).unwrap();
    let advice = |simulator: &Simulator| {
        simulator
            .scene
            .build_advice(face, BuildAdvice::DEFAULT_REBUILD_ABOVE)
            .unwrap()
    };
    let changed = |simulator: &Simulator| simulator.scene.changed_instances().collect::<Vec<_>>();
    assert_eq!(advice(&simulator), BuildAdvice::Rebuild, "never built");
    simulator.scene.built(face).unwrap();
    assert_eq!(advice(&simulator), BuildAdvice::Keep);
    let version = simulator.scene.shape_version(face).unwrap();
    // The strip is three units long: a tenth is 0.3.
    simulator.set_weights(face, &[0.2]);
    assert_eq!(advice(&simulator), BuildAdvice::Keep, "nothing was written yet");
    simulator.advance(true);
    assert!(simulator.scene.shape_version(face).unwrap() > version);
    assert_eq!(advice(&simulator), BuildAdvice::Refit);
    let [written] = changed(&simulator)[..] else {
        panic!("one instance changed");
    };
    assert_eq!(written.instance, face);
    assert_eq!(Some(written.range), simulator.scene.vertex_range(face));
    assert_eq!(
        (written.offset_bytes, written.size_bytes),
        (u64::from(written.range.current_first_vertex) * 40, 4 * 40)
    );
    simulator.scene.refitted(face).unwrap();
    assert_eq!(advice(&simulator), BuildAdvice::Keep);
    simulator.advance(true);
    assert!(changed(&simulator).is_empty());
    // Movement counts from the build, not from the refit.
    simulator.set_weights(face, &[0.2, 0.2]);
    simulator.plan(true);
    assert_eq!(advice(&simulator), BuildAdvice::Rebuild);
    let slot = simulator.last_slot();
    simulator.scene.discard_frame(slot);
    assert!(changed(&simulator).is_empty(), "nobody sees a dropped frame");
    assert_eq!(advice(&simulator), BuildAdvice::Keep);
    simulator.advance(true);
    assert_eq!(advice(&simulator), BuildAdvice::Rebuild);
    assert_eq!(
        simulator.scene.build_advice(face, 1.0).unwrap(),
        BuildAdvice::Refit
    );
    simulator.scene.built(face).unwrap();
    assert_eq!(advice(&simulator), BuildAdvice::Keep);
}
