//! Budgets of deltas: which limit refused, and offsets past 32 bits.

use std::sync::Arc;

use morph_core::plan::PlanBuffer;
use morph_core::{
    BaseNormals, BuildOptions, Layout, MorphMesh, MorphTarget, Quantization, RestPose, VertexLayout,
};

use super::{Simulator, constants, strip, with_layout};
use crate::desc::Method;
use crate::geometry_buffer::GeometryBuffer;
use crate::mesh_desc::MeshDesc;
use crate::scene::{Constants, MeshState, RefusalLimit, Scene};

/// Lowers a limit to so many bytes.
type Lower = fn(&mut Constants, u64);

#[test]
fn each_limit_is_named() {
    let (mesh, rest) = strip(64, Quantization::F32);
    let asked_bytes = mesh.size_bytes(Layout::VertexMajor);
    let lower: [(RefusalLimit, Lower); 3] = [
        (RefusalLimit::Budget, |constants, bytes| {
            constants.capacities.delta_budget_bytes = bytes;
        }),
        (RefusalLimit::Device, |constants, bytes| {
            constants.max_range_bytes = bytes;
        }),
        (RefusalLimit::Room, |constants, bytes| {
            // Behind the rest pose, whose 2,560 bytes are a multiple of every alignment here.
            *constants = with_layout(*constants, constants.layout, 2560 + bytes);
        }),
    ];
    for (limit, lower) in lower {
        let mut constants = constants(Method::Gather, false);
        let budget_bytes = asked_bytes - 16;
        lower(&mut constants, budget_bytes);
        let mut simulator = Simulator::new(constants);
        let refused = MeshState::Refused {
            limit,
            asked_bytes,
            budget_bytes,
        };
        let desc = MeshDesc::new(mesh.clone(), rest.clone());
        let id = simulator.scene.add_mesh(desc).unwrap();
        for _ in 0..5 {
            assert_eq!(simulator.scene.mesh_state(id).unwrap(), refused);
            simulator.advance(true);
        }
        assert_eq!(simulator.scene.reupload(id).unwrap(), refused, "judged anew");
    }
}

#[test]
fn a_budget_changed_at_run_time_evicts_nothing_and_ends_no_refusal() {
    let (mesh, rest) = strip(64, Quantization::F32);
    let asked_bytes = mesh.size_bytes(Layout::VertexMajor);
    let mut constants = constants(Method::Gather, false);
    constants.capacities.delta_budget_bytes = asked_bytes;
    let mut simulator = Simulator::new(constants);
    let desc = || MeshDesc::new(mesh.clone(), rest.clone());
    let first = simulator.scene.add_mesh(desc()).unwrap();
    let second = simulator.scene.add_mesh(desc()).unwrap();
    let refused = MeshState::Refused {
        limit: RefusalLimit::Budget,
        asked_bytes,
        budget_bytes: 0,
    };
    for _ in 0..3 {
        simulator.scene.attach(second, None).unwrap();
    }
    let counts = |simulator: &Simulator| {
        let stats = simulator.scene.stats();
        (stats.refused_mesh_count, stats.refused_instance_count)
    };
    assert_eq!(counts(&simulator), (1, 3));
    simulator.scene.set_delta_budget(2 * asked_bytes);
    simulator.advance(true);
    assert_eq!(simulator.scene.mesh_state(second).unwrap(), refused, "it holds");
    assert!(matches!(
        simulator.scene.reupload(second).unwrap(),
        MeshState::Uploading { .. }
    ));
    assert_eq!(counts(&simulator), (0, 0));
    simulator.scene.set_delta_budget(0);
    simulator.advance(true);
    simulator.advance(true);
    for id in [first, second] {
        assert_eq!(
            simulator.scene.mesh_state(id).unwrap(),
            MeshState::Resident,
            "nothing is evicted"
        );
    }
    let stats = simulator.scene.stats();
    assert_eq!(
        (stats.delta_bytes, stats.delta_budget_bytes),
        (2 * asked_bytes, 0)
    );
    assert_eq!(simulator.scene.reupload(first).unwrap(), refused);
}

#[test]
fn b191_130_mib_of_deltas_do_not_pass_a_limit_of_128_mib() {
    let vertex_count = 100_000;
    let deltas = vec![[1.0, 2.0, 3.0]; vertex_count as usize];
    let all = Some(&deltas[..]);
    let targets: Vec<_> = (0..35)
        .map(|number| MorphTarget::from_dense(format!("target {number}"), all, all, all))
        .collect();
    let (mesh, _) = MorphMesh::build(vertex_count, &targets, &BuildOptions::new(Quantization::F32)).unwrap();
    let asked_bytes = mesh.size_bytes(Layout::VertexMajor);
    assert!(asked_bytes > 130 << 20, "{asked_bytes}");
    let layout = VertexLayout::PACKED;
    let rest = RestPose::from_streams(
        layout,
        &vec![[0.0; 3]; vertex_count as usize],
        None,
        None,
        BaseNormals::AsGiven,
    )
    .unwrap();
    let mut constants = with_layout(constants(Method::Gather, false), layout, 6 << 30);
    constants.max_range_bytes = 128 << 20;
    constants.capacities.delta_budget_bytes = 6 << 30;
    let mut scene = Scene::new(
        constants,
        GeometryBuffer::without_device(constants.vertex_space()),
    );
    let id = scene.add_mesh(MeshDesc::new(Arc::new(mesh), rest)).unwrap();
    let refused = MeshState::Refused {
        limit: RefusalLimit::Device,
        asked_bytes,
        budget_bytes: 128 << 20,
    };
    assert_eq!(scene.mesh_state(id).unwrap(), refused);
}

#[test]
fn b191_offsets_past_32_bits_are_computed_in_64() {
    let (mesh, rest) = strip(100, Quantization::F32);
    let (size, taken) = (12_u64 << 30, 9_u64 << 30);
    let constants = with_layout(constants(Method::Gather, true), VertexLayout::PACKED, size);
    let mut scene = Scene::new(
        constants,
        GeometryBuffer::without_device(constants.vertex_space()),
    );
    let filler = scene.geometry.allocate("filler", taken, 16).unwrap();
    let id = scene.add_mesh(MeshDesc::new(mesh, rest)).unwrap();
    let face = scene.attach(id, None).unwrap();
    let mut staging = vec![0; constants.staging_slot_bytes() as usize];
    for slot in [0, 1, 0] {
        scene
            .change_weights(face, |state, names| state.set_slot(0, slot as f32 + 1.0, names))
            .unwrap();
        scene.plan_frame(slot, &mut staging, true);
    }
    let range = scene.vertex_range(face).unwrap();
    let stream = scene.geometry.streams()[0];
    for first in [range.current_first_vertex, range.previous_first_vertex] {
        let offset = stream.offset_of(first);
        assert!(offset >= taken && offset + 4000 <= size, "{offset}");
    }
    assert_ne!(range.current_first_vertex, range.previous_first_vertex);
    let written = scene.plan.dispatches().next().unwrap();
    assert!(
        written.written().all(|it| it.offset >= taken)
            && written.reads.iter().take(2).all(|it| it.offset >= taken)
    );
    let into_geometry = scene
        .plan
        .copies()
        .filter(|copy| copy.destination == PlanBuffer::Geometry);
    assert!(
        into_geometry
            .into_iter()
            .all(|copy| copy.destination_offset >= taken)
    );
    scene.geometry.release(filler);
}
