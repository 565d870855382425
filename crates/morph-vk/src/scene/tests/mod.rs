//! Tests of the scene without a device: plans run on byte arrays and are compared with the host kernel.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot set up its scene should fail there"
)]

mod budget;
mod far;
mod far_random;
mod frames;
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
    BaseNormals, BuildOptions, MorphMesh, MorphTarget, Quantization, RestPose, VertexLayout, morph,
};

use crate::desc::{Capacities, Method};
use crate::mesh_desc::MeshSkin;
use crate::scene::{Constants, InstanceId};
use simulator::Simulator;

fn constants(method: Method, history: bool) -> Constants {
    Constants {
        layout: VertexLayout::PACKED,
        method,
        history,
        readers_here: true,
        bounds_buffer: false,
        capacities: Capacities {
            geometry_bytes: 1 << 20,
            delta_budget_bytes: 1 << 20,
            instance_capacity: 40,
            bone_capacity: if method == Method::Gather { 100 } else { 0 },
            frame_bytes: 1 << 16,
            staging_bytes_per_frame: 1 << 17,
            frame_slot_count: 2,
        },
        max_range_bytes: 1 << 27,
        vertex_alignment: 80,
        delta_alignment: 16,
        max_group_count: [65_535; 3],
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

/// Asserts that an instance's current range is what the host kernel says of these weights, to the bit.
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
    let shown = simulator.morphed(id);
    let bits = |stream: &[[f32; 3]]| stream.iter().flatten().map(|it| it.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&shown.positions), bits(&expected.positions), "positions");
    for (name, shown, expected) in [
        ("normals", shown.normals, expected.normals),
        ("tangents", shown.tangents, expected.tangents),
    ] {
        if let (Some(shown), Some(expected)) = (shown, expected) {
            assert_eq!(bits(&shown), bits(&expected), "{name}");
        }
    }
}
