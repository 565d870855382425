//! Statistics against sums made by hand, and who was skipped and why.

use morph_core::{Layout, Quantization};

use super::{Simulator, constants, strip};
use crate::desc::Method;
use crate::mesh_desc::MeshDesc;
use crate::stats::SkippedInstances;

#[test]
fn every_instance_is_written_or_skipped_for_one_reason() {
    let (mesh, rest) = strip(8, Quantization::Half);
    let mut constants = constants(Method::Gather, false);
    constants.capacities.delta_budget_bytes = mesh.size_bytes(Layout::VertexMajor);
    let mut simulator = Simulator::new(constants);
    let desc = || MeshDesc::new(mesh.clone(), rest.clone());
    let held = simulator.scene.add_mesh(desc()).unwrap();
    let refused = simulator.scene.add_mesh(desc()).unwrap();
    let faces: Vec<_> = (0..4)
        .map(|_| simulator.scene.attach(held, None).unwrap())
        .collect();
    let stones: Vec<_> = (0..2)
        .map(|_| simulator.scene.attach(refused, None).unwrap())
        .collect();
    let stats = simulator.advance(true);
    let waiting = SkippedInstances {
        waiting: 6,
        ..SkippedInstances::default()
    };
    assert_eq!(
        (stats.instance_count, stats.skipped, stats.waiting_instances),
        (6, waiting, 6)
    );
    let stats = simulator.advance(true);
    assert_eq!((stats.written_instances, stats.skipped.total()), (6, 0));

    simulator.scene.set_visible(faces[0], false).unwrap();
    simulator.set_weights(faces[0], &[1.0]);
    simulator.set_weights(faces[1], &[1.0, 0.5]);
    simulator.set_weights(faces[2], &[0.5]);
    simulator.set_weights(stones[0], &[1.0]);
    let stats = simulator.advance(true);
    let skipped = SkippedInstances {
        unchanged: 2,
        hidden: 1,
        refused: 1,
        ..SkippedInstances::default()
    };
    assert_eq!(stats.skipped, skipped);
    assert_eq!(
        (
            stats.written_instances,
            stats.morphed_instances,
            stats.morphed_meshes
        ),
        (2, 2, 1)
    );
    // Blends: two targets and one; their entries are 8 + 4 and 8.
    assert_eq!((stats.active_targets, stats.active_entries), (3, 20));

    // Without pipelines: at rest already (1), morphed before (1).
    simulator.set_weights(faces[1], &[0.25]);
    simulator.set_weights(faces[3], &[0.25]);
    let stats = simulator.advance(false);
    assert_eq!(
        (
            stats.degraded_instances,
            stats.skipped.degraded,
            stats.written_instances
        ),
        (2, 1, 1)
    );
    assert_eq!(
        stats.instance_count,
        stats.written_instances + stats.skipped.total()
    );

    simulator.scene.detach(faces[0]).unwrap();
    let stats = simulator.advance(true);
    assert_eq!(
        (stats.instance_count, stats.skipped.hidden),
        (5, 0),
        "a hidden one went"
    );
}

#[test]
fn a_gathers_bytes_are_those_of_its_rows_of_workgroups() {
    let (mesh, rest) = strip(10, Quantization::F32);
    let deltas = mesh.size_bytes(Layout::VertexMajor);
    for (instance_count, rows) in [(1, 1), (3, 3), (17, 2)] {
        let mut simulator = Simulator::new(constants(Method::Gather, false));
        let id = simulator
            .scene
            .add_mesh(MeshDesc::new(mesh.clone(), rest.clone()))
            .unwrap();
        simulator.scene.reserve_instances(id, instance_count).unwrap();
        let faces: Vec<_> = (0..instance_count)
            .map(|_| simulator.scene.attach(id, None).unwrap())
            .collect();
        simulator.advance(true);
        simulator.advance(true);
        for face in faces {
            simulator.set_weights(face, &[1.0]);
        }
        let stats = simulator.advance(true);
        // Ten vertices with positions and normals: no target moves tangents.
        let vertices = 10 * 24;
        // A record of three words and three weights, copied and then read.
        let frame_data = u64::from(instance_count) * 24;
        assert_eq!(stats.dispatches, 1);
        assert_eq!(stats.read_bytes, 2 * frame_data + rows * (deltas + vertices));
        assert_eq!(
            stats.written_bytes,
            frame_data + u64::from(instance_count) * vertices
        );
    }
}

#[test]
fn scatters_bytes_are_those_of_the_entries_it_adds() {
    let (mesh, rest) = strip(10, Quantization::Half);
    let mut simulator = Simulator::new(constants(Method::Scatter, false));
    let id = simulator.scene.add_mesh(MeshDesc::new(mesh, rest)).unwrap();
    let face = simulator.scene.attach(id, None).unwrap();
    simulator.advance(true);
    simulator.advance(true);
    simulator.set_weights(face, &[1.0, 1.0, 1.0]);
    let stats = simulator.advance(true);
    // The range holds the rest pose. Target `all`: ten entries of position and normal; `second`: five of position.
    assert_eq!((stats.dispatches, stats.copies), (2, 0));
    assert_eq!(stats.read_bytes, 10 * (4 + 2 * 6 + 2 * 12) + 5 * (4 + 6 + 12));
    assert_eq!(stats.written_bytes, 10 * 24 + 5 * 12);
    simulator.set_weights(face, &[0.0, 1.0]);
    let stats = simulator.advance(true);
    assert_eq!(
        stats.read_bytes,
        400 + 5 * (4 + 6 + 12),
        "and the rest pose is copied first"
    );
}

#[test]
fn buffer_bytes_add_up_and_totals_are_those_of_all_meshes() {
    let (mesh, rest) = strip(10, Quantization::Half);
    let constants = constants(Method::Gather, true);
    let mut simulator = Simulator::new(constants);
    for count in 1..4 {
        let id = simulator
            .scene
            .add_mesh(MeshDesc::new(mesh.clone(), rest.clone()))
            .unwrap();
        simulator.scene.reserve_instances(id, count).unwrap();
        let face = simulator.scene.attach(id, None).unwrap();
        simulator.scene.set_visible(face, count == 1).unwrap();
    }
    let stats = simulator.scene.stats();
    let bytes = stats.buffer_bytes;
    assert_eq!(
        (
            stats.mesh_count,
            stats.instance_count,
            stats.hidden_instance_count
        ),
        (3, 3, 2)
    );
    assert_eq!((stats.target_count, stats.entry_count), (9, 45));
    assert_eq!((bytes.rest, bytes.ranges), (3 * 400, 6 * 2 * 400));
    assert_eq!(bytes.deltas, 3 * mesh.size_bytes(Layout::VertexMajor));
    assert_eq!(
        bytes.rest + bytes.deltas + bytes.ranges + bytes.free,
        stats.geometry_bytes
    );
    assert_eq!((bytes.frame, bytes.staging), (1 << 16, 2 << 17));
    assert_eq!(bytes.total(), stats.geometry_bytes + (1 << 16) + (2 << 17));
}
