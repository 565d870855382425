//! Vertices in several streams, and sets of texture coordinates and colors.

use std::sync::Arc;

use morph_core::plan::CopyPurpose;
use morph_core::{
    BaseNormals, BuildOptions, Layout, MorphMesh, MorphTarget, Quantization, RestAttributes, RestPose,
    SetDeltas, VertexFormat, VertexLayout, VertexSet, morph_colors, morph_texcoords,
};

use super::{Simulator, assert_shows, constants, strip, with_layout};
use crate::desc::Method;
use crate::mesh_desc::MeshDesc;
use crate::scene::{MeshState, RefusalLimit};

/// Position with the second set of colors, texture coordinates, and a packed normal, in three streams.
const LAYOUT: VertexLayout = VertexLayout::in_streams([28, 12, 4])
    .with_color(1, 0, 12)
    .with_texcoord(0, 1, 4)
    .with_normal(2, 0, VertexFormat::Octahedral16);
const VERTEX_COUNT: u32 = 11;

/// Targets that change a set alone, another set that is not drawn, two sets, and positions alone.
fn mesh_with_sets() -> (Arc<MorphMesh>, RestPose) {
    let texcoords = |set, vertices: Vec<u32>| SetDeltas {
        set,
        deltas: vertices.iter().map(|v| [*v as f32 * 0.125, -0.1]).collect(),
        vertices,
    };
    let colors = |set, vertices: Vec<u32>, size: f32| SetDeltas {
        set,
        deltas: vertices
            .iter()
            .map(|v| [size, 0.3, -size, 0.01 * *v as f32])
            .collect(),
        vertices,
    };
    let empty = MorphTarget::empty;
    let targets = [
        MorphTarget {
            texcoords: vec![texcoords(0, vec![0, 3, 10])],
            ..empty("texture")
        },
        MorphTarget {
            texcoords: vec![texcoords(1, vec![2, 3])],
            colors: vec![colors(0, vec![5], 0.5)],
            ..empty("other sets")
        },
        MorphTarget {
            texcoords: vec![texcoords(0, vec![3, 4])],
            colors: vec![colors(1, vec![3, 4, 9], 0.7)],
            ..empty("both")
        },
        MorphTarget {
            colors: vec![colors(1, vec![3, 4], -1.5)],
            vertices: vec![1],
            positions: Some(vec![[1.0, 2.0, 3.0]]),
            ..empty("colors and a position")
        },
    ];
    let options = BuildOptions::new(Quantization::Snorm16);
    let (mesh, _) = MorphMesh::build(VERTEX_COUNT, &targets, &options).unwrap();
    let count = VERTEX_COUNT as usize;
    let attributes = RestAttributes {
        positions: &vec![[1.0, 2.0, 3.0]; count],
        normals: Some(&vec![[0.0, 0.0, -2.0]; count]),
        texcoords: Some(&vec![[0.25, 0.75]; count]),
        colors: Some(&vec![[0.5, 0.9, 1.7, 1.0]; count]),
        ..RestAttributes::default()
    };
    let rest = RestPose::from_attributes(LAYOUT, &attributes, BaseNormals::MakeUnit).unwrap();
    (Arc::new(mesh), rest)
}

#[test]
fn sets_show_what_the_host_kernel_says() {
    let (mesh, rest) = mesh_with_sets();
    let constants = with_layout(constants(Method::Gather, true), LAYOUT, 1 << 20);
    let (mut simulator, id, face) = Simulator::with_face(constants, &mesh, &rest);
    let instances = [face, simulator.scene.attach(id, None).unwrap()];
    simulator.advance(true);
    let all = [
        [0.0; 4],
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.5, 0.4],
        [0.5, 1.0, -0.5, 1.0],
        [0.0; 4],
    ];
    for weights in all {
        simulator.set_weights(face, &weights);
        let stats = simulator.advance(true);
        for (instance, weights) in instances.into_iter().zip([weights, [0.0; 4]]) {
            assert_shows(&simulator, instance, &mesh, &rest, &weights);
            let texcoords = morph_texcoords(&mesh, &rest.texcoords().unwrap(), &weights).unwrap();
            let texcoords: Vec<_> = texcoords.into_iter().map(|it| it.map(f32::to_bits)).collect();
            assert_eq!(simulator.words::<2>(instance, 1, 4), texcoords, "{weights:?}");
            let colors = morph_colors(&mesh, &rest.colors().unwrap(), &weights).unwrap();
            let colors: Vec<_> = colors.into_iter().map(|it| it.map(f32::to_bits)).collect();
            assert_eq!(simulator.words::<4>(instance, 0, 12), colors, "{weights:?}");
        }
        // The second target changes nothing that is drawn.
        let dispatches = u32::from(
            weights
                .iter()
                .enumerate()
                .any(|(slot, it)| slot != 1 && *it != 0.0),
        );
        assert_eq!(stats.dispatches, dispatches, "{weights:?}");
    }
}

#[test]
fn deltas_of_drawn_sets_count_against_the_budget() {
    let (mesh, rest) = mesh_with_sets();
    let tables = [VertexSet::Texcoord(0), VertexSet::Color(1)].map(|set| mesh.set_table_size_bytes(set));
    assert_eq!(tables, [4 * (12 + 5 * 3), 4 * (12 + 5 * 5)]);
    assert_eq!(mesh.set_table_size_bytes(VertexSet::Color(7)), 0);
    let asked = mesh.size_bytes(Layout::VertexMajor) + tables[0] + tables[1];
    for (budget, fits) in [(asked, true), (asked - 1, false)] {
        let mut constants = with_layout(constants(Method::Gather, false), LAYOUT, 1 << 20);
        constants.capacities.delta_budget_bytes = budget;
        let (mut simulator, id, _) = Simulator::with_face(constants, &mesh, &rest);
        simulator.advance(true);
        let state = simulator.scene.mesh_state(id).unwrap();
        if fits {
            assert_eq!(state, MeshState::Resident);
            assert_eq!(simulator.scene.delta_bytes, asked);
        } else {
            let budget_bytes = budget;
            let asked_bytes = asked;
            assert_eq!(
                state,
                MeshState::Refused {
                    limit: RefusalLimit::Budget,
                    asked_bytes,
                    budget_bytes
                }
            );
        }
    }
}

#[test]
fn streams_that_are_not_drawn_cost_nothing() {
    let (mesh, _) = mesh_with_sets();
    let layout = VertexLayout::POSITION;
    let positions = vec![[0.0; 3]; VERTEX_COUNT as usize];
    let rest = RestPose::from_streams(layout, &positions, None, None, BaseNormals::AsGiven).unwrap();
    let constants = with_layout(constants(Method::Gather, false), layout, 1 << 20);
    let (mut simulator, _, face) = Simulator::with_face(constants, &mesh, &rest);
    simulator.advance(true);
    assert_eq!(simulator.scene.delta_bytes, mesh.size_bytes(Layout::VertexMajor));
    simulator.set_weights(face, &[1.0, 1.0, 1.0, 0.0]);
    assert_eq!(simulator.advance(true).dispatches, 0);
}

#[test]
fn every_stream_gets_its_part_of_the_rest_pose_at_the_same_vertex() {
    let (mesh, _) = strip(21, Quantization::Half);
    let positions: Vec<[f32; 3]> = (0..21).map(|v| [v as f32, 1.0, 2.0]).collect();
    let normals = vec![[0.0, 3.0, 0.0]; 21];
    let layout = VertexLayout::SEPARATE_SNORM10;
    let rest =
        RestPose::from_streams(layout, &positions, Some(&normals), None, BaseNormals::MakeUnit).unwrap();
    let constants = with_layout(constants(Method::Gather, false), layout, 1 << 16);
    let mut simulator = Simulator::new(constants);
    let free = simulator.scene.geometry.free_bytes();
    let id = simulator
        .scene
        .add_mesh(MeshDesc::new(Arc::clone(&mesh), rest.clone()))
        .unwrap();
    let instances = [(); 3].map(|()| simulator.scene.attach(id, None).unwrap());
    simulator.advance(true);
    let stats = simulator.advance(true);
    let rest_copies = simulator
        .scene
        .plan
        .copies()
        .filter(|copy| copy.purpose == CopyPurpose::RestPose);
    assert_eq!((rest_copies.count(), stats.written_instances), (9, 3));
    for instance in instances {
        let range = simulator.scene.vertex_range(instance).unwrap();
        assert!(
            range.current_first_vertex.is_multiple_of(4),
            "16 bytes of 4-byte vertices"
        );
        for (number, stream) in simulator.scene.geometry.streams().iter().enumerate() {
            let first = stream.offset_of(range.current_first_vertex) as usize;
            let expected = rest.stream_vertices(number);
            assert_eq!(
                &simulator.geometry[first..first + expected.len()],
                expected,
                "stream {number}"
            );
        }
        simulator.scene.detach(instance).unwrap();
    }
    simulator.scene.remove_mesh(id).unwrap();
    assert_eq!(simulator.scene.geometry.free_bytes(), free);
}
