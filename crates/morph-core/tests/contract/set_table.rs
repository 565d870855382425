//! Deltas of one set by vertex, as the gather reads them.

use morph_core::{BuildOptions, MorphMesh, MorphTarget, Quantization, SetDeltas, VertexSet, pack_set_table};

fn mesh() -> MorphMesh {
    let targets = [
        MorphTarget {
            texcoords: vec![SetDeltas {
                set: 1,
                vertices: vec![3, 0],
                deltas: vec![[3.0, -3.0], [0.5, 0.25]],
            }],
            ..MorphTarget::empty("first")
        },
        MorphTarget::empty("moves nothing"),
        MorphTarget {
            texcoords: vec![SetDeltas {
                set: 1,
                vertices: vec![3],
                deltas: vec![[1.0, 2.0]],
            }],
            colors: vec![SetDeltas {
                set: 0,
                vertices: vec![1],
                deltas: vec![[0.1, 0.2, 0.3, 0.4]],
            }],
            ..MorphTarget::empty("third")
        },
    ];
    MorphMesh::build(4, &targets, &BuildOptions::new(Quantization::Half))
        .unwrap()
        .0
}

#[test]
fn entries_lie_by_vertex_with_targets_rising() {
    let mesh = mesh();
    let float = f32::to_bits;
    let texcoords = pack_set_table(&mesh, VertexSet::Texcoord(1));
    let expected = [
        [0, 1, 1, 1, 3].as_slice(),
        &[0, float(0.5), float(0.25)],
        &[0, float(3.0), float(-3.0)],
        &[2, float(1.0), float(2.0)],
    ];
    assert_eq!(texcoords, expected.concat());
    let colors = pack_set_table(&mesh, VertexSet::Color(0));
    let expected = [
        [0, 0, 1, 1, 1].as_slice(),
        &[2, float(0.1), float(0.2), float(0.3), float(0.4)],
    ];
    assert_eq!(colors, expected.concat());
}

#[test]
fn sizes_are_those_of_the_words() {
    let mesh = mesh();
    for set in [
        VertexSet::Texcoord(0),
        VertexSet::Texcoord(1),
        VertexSet::Color(0),
        VertexSet::Color(1),
    ] {
        let words = pack_set_table(&mesh, set);
        assert_eq!(mesh.set_table_size_bytes(set), 4 * words.len() as u64, "{set}");
    }
    assert!(
        pack_set_table(&mesh, VertexSet::Texcoord(0)).is_empty(),
        "no target changes it"
    );
    let counts = |set| {
        mesh.targets()
            .map(|target| target.set_entry_count(set))
            .collect::<Vec<_>>()
    };
    assert_eq!(counts(VertexSet::Texcoord(1)), [2, 0, 1]);
    assert_eq!(counts(VertexSet::Color(0)), [0, 0, 1]);
    assert_eq!(counts(VertexSet::Color(1)), [0, 0, 0]);
}
