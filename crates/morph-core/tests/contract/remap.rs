//! Renumbered vertices: targets follow, and welding never joins what a target moves apart.

use morph_core::{
    InfluenceCount, MorphTarget, Quantization, Remap, RemapError, RestStreams, SetDeltas, SkinWeights,
    Stream, WeldAttribute, morph, weld,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{bits, build, positions, quantization, rest, rest_stream, scene};

fn floats<const N: usize>(values: &[[f32; N]]) -> WeldAttribute<'_> {
    WeldAttribute::Floats(values.as_flattened())
}

fn weld_positions(base: &[[f32; 3]], targets: &[MorphTarget]) -> Remap {
    weld(base.len() as u32, &[floats(base)], targets).unwrap()
}

#[test]
fn b054_copies_that_move_alike_are_welded_and_every_target_follows() {
    // A quad of two triangles without indices: corners 0 and 3, and 2 and 4, coincide.
    let base = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
    ];
    let up = [0.0, 0.0, 1.0];
    let targets = [
        positions("corner", &[(4, up), (2, up)]),
        positions("other corner", &[(5, up)]),
    ];
    let remap = weld_positions(&base, &targets);
    assert_eq!(remap.new_to_old(), [0, 1, 2, 5]);
    let indices = remap.indices(&[0, 1, 2, 3, 4, 5]).unwrap();
    assert_eq!(indices, [0, 1, 2, 0, 2, 3]);
    let welded: Vec<MorphTarget> = targets
        .iter()
        .map(|target| remap.target(target).unwrap())
        .collect();
    assert_eq!(
        (&welded[0].vertices[..], &welded[1].vertices[..]),
        (&[2][..], &[3][..])
    );

    let morph_of = |base: &[[f32; 3]], targets: &[MorphTarget]| {
        let (mesh, _) = build(base.len() as u32, targets, Quantization::F32);
        morph(&mesh, &rest(base, None, None), &[0.75, 0.5])
            .unwrap()
            .positions
    };
    let unwelded = morph_of(&base, &targets);
    let result = morph_of(&remap.values(&base).unwrap(), &welded);
    let corners: Vec<[f32; 3]> = indices.iter().map(|&index| result[index as usize]).collect();
    assert_eq!(corners, unwelded);
}

#[test]
fn b054_copies_that_move_apart_are_not_welded() {
    let base = [[0.0; 3]; 3];
    let targets = [
        positions("a", &[(0, [1.0; 3]), (1, [1.0; 3]), (2, [1.0; 3])]),
        positions("b", &[(1, [0.0, 1.0, 0.0])]),
    ];
    assert_eq!(weld_positions(&base, &targets).new_to_old(), [0, 1]);
    assert_eq!(
        weld_positions(&base, &targets).indices(&[0, 1, 2]).unwrap(),
        [0, 1, 0]
    );
}

#[test]
fn b055_a_seam_that_opens_stays_two_vertices() {
    let base = [[0.0; 3]; 2];
    let opens = positions("open", &[(0, [1.0, 0.0, 0.0]), (1, [-1.0, 0.0, 0.0])]);
    assert_eq!(weld_positions(&base, &[opens]).new_vertex_count(), 2);
    let one_side = positions("open", &[(1, [1.0, 0.0, 0.0])]);
    assert_eq!(weld_positions(&base, &[one_side]).new_vertex_count(), 2);
    // Zeros, whatever their sign, move nothing.
    let still = positions("still", &[(1, [0.0, -0.0, 0.0])]);
    assert_eq!(weld_positions(&base, &[still]).new_vertex_count(), 1);
}

#[test]
fn any_stream_or_set_of_any_target_and_any_attribute_keeps_vertices_apart() {
    let base = [[0.0; 3]; 2];
    let delta = Some(vec![[0.0, 0.5, 0.0]]);
    let vertices = vec![1];
    let set = |set| SetDeltas {
        set,
        vertices: vec![1],
        deltas: vec![[0.0, 0.5]],
    };
    let apart = [
        MorphTarget {
            normals: delta.clone(),
            vertices: vertices.clone(),
            ..MorphTarget::empty("n")
        },
        MorphTarget {
            tangents: delta,
            vertices,
            ..MorphTarget::empty("t")
        },
        MorphTarget {
            texcoords: vec![set(3)],
            ..MorphTarget::empty("uv")
        },
        MorphTarget {
            colors: vec![SetDeltas {
                set: 0,
                vertices: vec![0],
                deltas: vec![[0.0, 0.0, 0.0, 1.0]],
            }],
            ..MorphTarget::empty("color")
        },
    ];
    for target in apart {
        let targets = [MorphTarget::empty("first"), target];
        assert_eq!(
            weld_positions(&base, &targets).new_vertex_count(),
            2,
            "{}",
            targets[1].name
        );
    }
    let texcoords = [[0.0, 0.0], [0.0, 1.0]];
    assert_eq!(
        weld(2, &[floats(&base), floats(&texcoords)], &[])
            .unwrap()
            .new_vertex_count(),
        2
    );
    let joints = [0, 0, 0, 0, 1, 0, 0, 0];
    assert_eq!(
        weld(2, &[floats(&base), WeldAttribute::Integers(&joints)], &[])
            .unwrap()
            .new_vertex_count(),
        2
    );
    let signs = [[0.0, -0.0], [-0.0, 0.0]];
    assert_eq!(
        weld(2, &[floats(&base), floats(&signs)], &[])
            .unwrap()
            .new_vertex_count(),
        1
    );
}

proptest! {
    /// Some copies of every vertex, in some order, and then welded again.
    #[test]
    fn targets_follow_a_split_and_a_weld_undoes_it(
        (scene, sources) in scene().prop_flat_map(|scene| {
            let sources = vec(0..scene.vertex_count, 1..40);
            (Just(scene), sources)
        }),
        quantization in quantization(),
    ) {
        let remap = Remap::new(scene.vertex_count, sources.clone()).unwrap();
        let targets: Vec<MorphTarget> =
            scene.targets.iter().map(|target| remap.target(target).unwrap()).collect();
        let new_rest = remap.rest(&scene.rest).unwrap();
        let morph_of = |targets: &[MorphTarget], rest: &RestStreams| {
            let (mesh, _) = build(rest.positions.len() as u32, targets, quantization);
            morph(&mesh, rest, &scene.weights).unwrap()
        };
        let morphed = morph_of(&scene.targets, &scene.rest);
        // What a quantization makes of a delta depends on the others of its target: same vertices, same bits,
        // only where all are there.
        let complete = (0..scene.vertex_count).all(|vertex| sources.contains(&vertex));
        if complete || quantization == Quantization::F32 {
            let split = morph_of(&targets, &new_rest);
            prop_assert_eq!(bits(&split.positions), bits(&remap.values(&morphed.positions).unwrap()));
        }

        let attributes: Vec<_> = Stream::ALL.iter()
            .filter_map(|&stream| rest_stream(&new_rest, stream)).map(floats).collect();
        let welded = weld(remap.new_vertex_count(), &attributes, &targets).unwrap();
        let back: Vec<MorphTarget> =
            targets.iter().map(|target| welded.target(target).unwrap()).collect();
        let indices: Vec<u32> = (0..remap.new_vertex_count()).collect();
        let indices = welded.indices(&indices).unwrap();
        let distinct: std::collections::HashSet<u32> = sources.iter().copied().collect();
        prop_assert!(welded.new_vertex_count() as usize <= distinct.len());
        let before = morph_of(&targets, &new_rest);
        let after = morph_of(&back, &welded.rest(&new_rest).unwrap());
        for (vertex, &index) in indices.iter().enumerate() {
            prop_assert_eq!(
                after.positions[index as usize].map(f32::to_bits),
                before.positions[vertex].map(f32::to_bits)
            );
        }
    }
}

#[test]
fn sets_and_skin_weights_follow() {
    let remap = Remap::new(3, vec![2, 0, 2]).unwrap();
    let target = MorphTarget {
        texcoords: vec![SetDeltas {
            set: 5,
            vertices: vec![1, 2],
            deltas: vec![[0.1, 0.2], [0.3, 0.4]],
        }],
        ..positions("a", &[(0, [1.0; 3])])
    };
    let followed = remap.target(&target).unwrap();
    assert_eq!(followed.vertices, [1]);
    assert_eq!(
        (followed.texcoords[0].set, &followed.texcoords[0].vertices[..]),
        (5, &[0, 2][..])
    );
    assert_eq!(followed.texcoords[0].deltas, [[0.3, 0.4]; 2]);

    let joints = [[7, 0, 0, 0], [9, 0, 0, 0], [1, 2, 0, 0]].concat();
    let weights = [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]].concat();
    let weights = SkinWeights::new(InfluenceCount::Four, joints, weights).unwrap();
    let followed = remap.skin_weights(&weights).unwrap();
    assert_eq!(
        followed.joints(),
        [[1, 2, 0, 0], [7, 0, 0, 0], [1, 2, 0, 0]].concat()
    );
    assert_eq!((followed.vertex_count(), followed.greatest_joint()), (3, Some(7)));
    assert!(remap.skin_weights(&followed).is_ok());
    assert_eq!((remap.old_vertex_count(), remap.new_vertex_count()), (3, 3));
}

#[test]
fn numberings_of_welding_tools_are_read_and_checked() {
    let remap = Remap::from_old_to_new(vec![1, Remap::DROPPED, 0, 1]).unwrap();
    assert_eq!(remap.new_to_old(), [2, 0]);
    assert_eq!(remap.indices(&[0, 2, 3]).unwrap(), [1, 0, 1]);
    assert_eq!(
        remap.indices(&[0, 1]).unwrap_err(),
        RemapError::IndexDropped { at: 1, vertex: 1 }
    );
    let alike = positions("alike", &[(3, [1.0; 3]), (0, [1.0; 3]), (1, [5.0; 3])]);
    assert_eq!(remap.target(&alike).unwrap().vertices, [1]);
    let apart = positions("apart", &[(0, [1.0; 3]), (3, [2.0; 3])]);
    assert_eq!(
        remap.target(&apart).unwrap_err().to_string(),
        "target `apart` moves vertex 0 otherwise than vertex 3, and both become one vertex: weld only what every target moves alike"
    );
    let half = MorphTarget {
        texcoords: vec![SetDeltas {
            set: 0,
            vertices: vec![3],
            deltas: vec![[1.0; 2]],
        }],
        ..MorphTarget::empty("half")
    };
    assert_eq!(
        remap.target(&half).unwrap_err(),
        RemapError::MovesApart {
            name: "half".to_owned(),
            vertex: 3,
            other: 0
        }
    );
    for gap in [vec![0, 2], vec![5, 6, 7], vec![0, 0, 4_000_000_000]] {
        assert!(matches!(
            Remap::from_old_to_new(gap),
            Err(RemapError::Unfilled { .. })
        ));
    }
    assert_eq!(Remap::from_old_to_new(vec![]).unwrap().new_vertex_count(), 0);
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    assert_eq!(
        Remap::new(2, vec![0, 2]).unwrap_err().to_string(),
        "new vertex 1 copies old vertex 2, but there were 2 vertices, counted from 0"
    );
    let split = Remap::new(2, vec![0, 0]).unwrap();
    assert_eq!(
        split.indices(&[0]).unwrap_err(),
        RemapError::IndexSplit { at: 0, vertex: 0 }
    );
    assert_eq!(
        split.indices(&[1]).unwrap_err(),
        RemapError::IndexDropped { at: 0, vertex: 1 }
    );
    assert!(matches!(
        split.indices(&[2]),
        Err(RemapError::IndexOutOfRange { vertex: 2, .. })
    ));
    assert_eq!(
        split.values(&[1, 2, 3]).unwrap_err(),
        RemapError::Length {
            expected: 2,
            found: 3
        }
    );
    let error = split.target(&positions("a", &[(2, [1.0; 3])])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "target `a` moves vertex 2, but there were 2 vertices, counted from 0"
    );
    let mut short = positions("a", &[(0, [1.0; 3])]);
    short.normals = Some(vec![]);
    assert!(matches!(
        split.target(&short),
        Err(RemapError::TargetStreamLength {
            stream: Stream::Normal,
            expected: 1,
            found: 0,
            ..
        })
    ));
    let mut set = MorphTarget::empty("a");
    set.colors = vec![SetDeltas {
        set: 1,
        vertices: vec![0],
        deltas: vec![],
    }];
    assert_eq!(
        weld(1, &[], &[set]).unwrap_err().to_string(),
        "target `a`, COLOR_1: 0 deltas for 1 changed vertices: give one for each"
    );
    assert_eq!(
        weld(2, &[floats(&[[0.0; 3]])], &[]).unwrap_err(),
        RemapError::AttributeLength {
            attribute: 0,
            found: 3,
            vertex_count: 2
        }
    );
    assert!(weld(2, &[WeldAttribute::Integers(&[])], &[]).is_err());
    assert!(weld(0, &[WeldAttribute::Integers(&[1])], &[]).is_err());
    assert_eq!(
        weld(0, &[WeldAttribute::Integers(&[])], &[])
            .unwrap()
            .new_vertex_count(),
        0
    );
}
