//! Tests of the scene without a device: plans run on byte arrays and are compared with the host kernel.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot set up its scene should fail there"
)]

mod budget;
mod far;
mod far_random;
mod frames;
mod kernels;
mod layouts;
mod overlap;
mod random;
mod recipes;
mod refusals;
mod simulator;
mod skeletons;
mod skin_kernel;
mod skin_refusals;
mod statistics;

use std::sync::Arc;

use morph_core::skin::{SkinPose, skin};
use morph_core::{
    BaseNormals, BuildOptions, MorphMesh, MorphTarget, Quantization, RestPose, Stream, VertexFormat,
    VertexLayout, morph,
};

use crate::desc::{Capacities, Method};
use crate::mesh_desc::MeshSkin;
use crate::scene::{Constants, InstanceId};
use simulator::Simulator;

fn constants(method: Method, history: bool) -> Constants {
    let capacities = Capacities {
        geometry_bytes: 1 << 20,
        range_bytes: 1 << 19,
        delta_budget_bytes: 1 << 20,
        instance_capacity: 40,
        bone_capacity: if method == Method::Gather { 100 } else { 0 },
        frame_bytes: 1 << 16,
        staging_bytes_per_frame: 1 << 17,
        frame_slot_count: 2,
    };
    Constants {
        layout: VertexLayout::PACKED,
        method,
        history,
        readers_here: true,
        bounds_buffer: false,
        capacities,
        max_range_bytes: 1 << 27,
        storage_alignment: 16,
        range_alignment: 16,
        max_group_count: [65_535; 3],
    }
}

/// The same with vertices of another layout, and with this much room.
fn with_layout(constants: Constants, layout: VertexLayout, geometry_bytes: u64) -> Constants {
    let capacities = Capacities {
        geometry_bytes,
        range_bytes: geometry_bytes / 2,
        ..constants.capacities
    };
    Constants {
        layout,
        capacities,
        ..constants
    }
}

/// A strip of vertices with targets that move every vertex, every second one, and none.
fn strip(vertex_count: u32, quantization: Quantization) -> (Arc<MorphMesh>, RestPose) {
    let positions: Vec<[f32; 3]> = (0..vertex_count).map(|i| [i as f32, 0.5, -1.0]).collect();
    let normals = vec![[0.0, 1.0, 0.0]; positions.len()];
    let all = MorphTarget::from_dense(
        "all",
        Some(
            &positions
                .iter()
                .map(|p| [0.25, p[0] + 1.0, 0.125])
                .collect::<Vec<_>>(),
        ),
        Some(&vec![[0.5, 0.0, 0.0]; positions.len()]),
        None,
    );
    let second = MorphTarget::from_dense(
        "second",
        Some(
            &(0..vertex_count)
                .map(|i| [0.0, 0.0, (i % 2) as f32])
                .collect::<Vec<_>>(),
        ),
        None,
        None,
    );
    let targets = [all, second, MorphTarget::empty("none")];
    let (mesh, _) = MorphMesh::build(vertex_count, &targets, &BuildOptions::new(quantization)).unwrap();
    let rest = RestPose::from_streams(
        VertexLayout::PACKED,
        &positions,
        Some(&normals),
        None,
        BaseNormals::AsGiven,
    );
    (Arc::new(mesh), rest.unwrap())
}

/// Asserts that an instance's current range is what the host kernel says of these weights, to the bit; what is packed,
/// as the host packs it.
#[track_caller]
fn assert_shows(simulator: &Simulator, id: InstanceId, mesh: &MorphMesh, rest: &RestPose, weights: &[f32]) {
    assert_shows_posed(simulator, id, mesh, rest, weights, None);
}

/// The same with what bones then make of it.
#[track_caller]
fn assert_shows_posed(
    simulator: &Simulator,
    id: InstanceId,
    mesh: &MorphMesh,
    rest: &RestPose,
    weights: &[f32],
    bones: Option<(&MeshSkin, &SkinPose)>,
) {
    let mut expected = morph(mesh, &rest.streams(), weights).unwrap();
    if let Some((held, pose)) = bones {
        expected = skin(&expected, &held.weights, pose, held.directions).unwrap();
    }
    let layout = rest.layout();
    for (stream, expected) in [
        (Stream::Position, Some(expected.positions)),
        (Stream::Normal, expected.normals),
        (Stream::Tangent, expected.tangents),
    ] {
        let (Some(place), Some(expected)) = (layout.place(stream), expected) else {
            continue;
        };
        if place.format == VertexFormat::Float32 {
            let shown = simulator.words::<3>(id, place.stream, place.offset);
            let expected: Vec<_> = expected.iter().map(|it| it.map(f32::to_bits)).collect();
            assert_eq!(shown, expected, "{stream}");
        } else {
            let shown = simulator.words::<1>(id, place.stream, place.offset);
            // Every tangent of these tests is left-handed.
            let w = (stream == Stream::Tangent).then_some(-1.0);
            let expected: Vec<_> = expected.iter().map(|it| [place.format.encode(*it, w)]).collect();
            assert_eq!(shown, expected, "{stream}");
        }
    }
}
