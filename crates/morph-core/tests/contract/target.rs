//! Sparse targets from dense streams.

use morph_core::{
    BuildError, BuildOptions, MorphMesh, MorphTarget, Quantization, Stream, Streams, Thresholds, pack_scatter,
};
use proptest::collection::vec;
use proptest::prelude::*;

#[test]
fn only_vertices_that_move_in_some_stream_are_kept() {
    let positions = [[0.0; 3], [1.0, 0.0, 0.0], [0.0; 3], [-0.0; 3]];
    let normals = [[0.0; 3], [0.0; 3], [0.0, 0.0, -0.25], [0.0; 3]];
    let target = MorphTarget::from_dense("a", Some(&positions), Some(&normals), None);
    assert_eq!(target.vertices, [1, 2]);
    assert_eq!(target.positions, Some(vec![[1.0, 0.0, 0.0], [0.0; 3]]));
    assert_eq!(target.normals, Some(vec![[0.0; 3], [0.0, 0.0, -0.25]]));
    assert_eq!(target.tangents, None);
    assert_eq!(
        target.streams(),
        Streams {
            positions: true,
            normals: true,
            tangents: false
        }
    );
}

#[test]
fn a_target_without_streams_is_empty() {
    assert_eq!(
        MorphTarget::from_dense("a", None, None, None),
        MorphTarget::empty("a")
    );
}

#[test]
fn nan_is_kept_so_that_the_build_can_refuse_it() {
    let target = MorphTarget::from_dense("a", Some(&[[0.0; 3], [0.0, f32::NAN, 0.0]]), None, None);
    let error = MorphMesh::build(2, &[target], &BuildOptions::new(Quantization::F32)).unwrap_err();
    assert!(
        matches!(
            error,
            BuildError::NotFinite {
                target: 0,
                vertex: 1,
                stream: Stream::Position,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn streams_of_different_lengths_are_refused_by_the_build() {
    let long = [[0.0; 3]; 3];
    for (positions, normals) in [(&long[..], &long[..1]), (&long[..2], &long[..])] {
        let target = MorphTarget::from_dense("a", Some(positions), Some(normals), None);
        let error = MorphMesh::build(3, &[target], &BuildOptions::new(Quantization::F32)).unwrap_err();
        assert!(
            matches!(error, BuildError::StreamLength { target: 0, .. }),
            "{error}"
        );
    }
}

proptest! {
    /// Thinning a target first and building it with thresholds are one rule.
    #[test]
    fn what_thinning_leaves_is_what_a_build_with_thresholds_keeps(
        deltas in vec(prop_oneof![Just(0.0_f32), -2.0_f32..2.0, Just(1e-14), Just(1.0)], 27),
        position in prop_oneof![Just(0.0_f32), 0.0_f32..3.0, Just(1.0)],
        direction in prop_oneof![Just(0.0_f32), 0.0_f32..3.0, Just(1.0)],
    ) {
        let vectors = deltas.as_chunks::<3>().0;
        let target = MorphTarget {
            vertices: vec![4, 0, 2],
            positions: Some(vectors[..3].to_vec()),
            normals: Some(vectors[3..6].to_vec()),
            tangents: Some(vectors[6..].to_vec()),
            ..MorphTarget::empty("a")
        };
        let options = BuildOptions {
            position_threshold: position,
            direction_threshold: direction,
            ..BuildOptions::new(Quantization::F32)
        };
        let mut thinned = target.clone();
        let dropped = Thresholds { position, direction }.thin(&mut thinned);
        prop_assert_eq!(thinned.vertices.len() + dropped, 3);
        if position == 0.0 && direction == 0.0 {
            prop_assert_eq!(&thinned, &target);
        } else {
            let (plain, _) = MorphMesh::build(5, std::slice::from_ref(&thinned), &BuildOptions::new(Quantization::F32)).unwrap();
            prop_assert_eq!(plain.entry_count(), 3 - dropped as u64);
        }
        let (thinned, _) = MorphMesh::build(5, &[thinned], &options).unwrap();
        let (whole, _) = MorphMesh::build(5, &[target], &options).unwrap();
        prop_assert_eq!(pack_scatter(&thinned), pack_scatter(&whole));
    }
}

#[test]
fn thinning_leaves_what_a_build_has_to_refuse() {
    let thresholds = Thresholds {
        position: 1.0,
        direction: 1.0,
    };
    let mut target = MorphTarget::from_dense("a", Some(&[[f32::NAN, 0.0, 0.0], [0.5; 3]]), None, None);
    assert_eq!(thresholds.thin(&mut target), 1);
    assert_eq!(target.vertices, [0]);
    let mut crooked = MorphTarget {
        vertices: vec![0, 1],
        positions: Some(vec![[0.0; 3]]),
        ..MorphTarget::empty("b")
    };
    assert_eq!(thresholds.thin(&mut crooked), 0);
    assert_eq!(crooked.vertices, [0, 1]);
}
