//! Sparse targets from dense streams.

use morph_core::{BuildError, BuildOptions, MorphMesh, MorphTarget, Quantization, Stream, Streams};

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
