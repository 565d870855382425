//! With history, draws of current shapes may run beside the next frame's commands, on another queue: what a frame shows
//! as current, the next one does not touch.

use morph_core::Quantization;
use morph_core::plan::{BarrierKind, Stages};
use proptest::prelude::*;

use super::{Simulator, constants, strip};
use crate::desc::Method;
use crate::mesh_desc::MeshDesc;
use crate::scene::Constants;

#[derive(Debug, Clone)]
enum Operation {
    Attach,
    SetWeights(prop::sample::Index, [f32; 3]),
    Show(prop::sample::Index, bool),
    Enable(prop::sample::Index, bool),
    Reupload,
    Frame { pipelines_ready: bool, discard: bool },
}

fn operation() -> impl Strategy<Value = Operation> {
    let index = any::<prop::sample::Index>;
    let weight = || prop_oneof![Just(0.0_f32), -2.0_f32..2.0];
    prop_oneof![
        1 => Just(Operation::Attach),
        6 => (index(), [weight(), weight(), weight()]).prop_map(|(it, weights)| Operation::SetWeights(it, weights)),
        2 => (index(), any::<bool>()).prop_map(|(it, shown)| Operation::Show(it, shown)),
        1 => (index(), any::<bool>()).prop_map(|(it, on)| Operation::Enable(it, on)),
        1 => Just(Operation::Reupload),
        6 => (prop::bool::weighted(0.9), prop::bool::weighted(0.15))
            .prop_map(|(pipelines_ready, discard)| Operation::Frame { pipelines_ready, discard }),
    ]
}

fn readers_elsewhere(method: Method, history: bool) -> Constants {
    Constants {
        readers_here: false,
        ..constants(method, history)
    }
}

/// Every range that a frame shows as current, with its bytes.
fn current_ranges(simulator: &Simulator) -> Vec<(usize, Vec<u8>)> {
    let stream = simulator.scene.geometry.streams()[0];
    let ranges = simulator
        .scene
        .instances
        .keys()
        .filter_map(|id| simulator.scene.vertex_range(id));
    ranges
        .filter(|range| range.written)
        .map(|range| {
            let first = stream.offset_of(range.current_first_vertex) as usize;
            let length = range.vertex_count as usize * stream.stride_bytes as usize;
            let bytes = &simulator.geometry[first..first + length];
            (first, bytes.to_vec())
        })
        .collect()
}

proptest! {
    #[test]
    fn b153_a_frame_never_writes_what_the_frame_before_shows_as_current(
        method in prop_oneof![Just(Method::Gather), Just(Method::Scatter)],
        operations in prop::collection::vec(operation(), 1..60),
    ) {
        let (mesh, rest) = strip(9, Quantization::F32);
        let mut simulator = Simulator::new(readers_elsewhere(method, true));
        let id = simulator.scene.add_mesh(MeshDesc::new(mesh, rest)).unwrap();
        let mut instances = vec![simulator.scene.attach(id, None).unwrap()];
        let mut shown: Vec<(usize, Vec<u8>)> = Vec::new();
        for operation in operations {
            match operation {
                Operation::Attach => instances.extend(simulator.scene.attach(id, None)),
                Operation::SetWeights(index, weights) => {
                    simulator.set_weights(*index.get(&instances), &weights);
                }
                Operation::Show(index, visible) => {
                    simulator.scene.set_visible(*index.get(&instances), visible).unwrap();
                }
                Operation::Enable(index, on) => {
                    simulator.scene.set_morphs_enabled(*index.get(&instances), on).unwrap();
                }
                Operation::Reupload => {
                    simulator.scene.reupload(id).unwrap();
                }
                Operation::Frame { pipelines_ready, discard: true } => {
                    simulator.plan(pipelines_ready);
                    let slot = simulator.last_slot();
                    simulator.scene.discard_frame(slot);
                }
                Operation::Frame { pipelines_ready, discard: false } => {
                    simulator.advance(pipelines_ready);
                    for (first, bytes) in &shown {
                        prop_assert!(
                            simulator.geometry[*first..][..bytes.len()] == bytes[..],
                            "the range at byte {} was written while draws may still read it", first
                        );
                    }
                    shown = current_ranges(&simulator);
                }
            }
        }
    }
}

#[test]
fn where_all_readers_are_elsewhere_no_barrier_names_them_and_nothing_is_published() {
    for method in [Method::Gather, Method::Scatter] {
        let (mesh, rest) = strip(8, Quantization::F32);
        let (mut simulator, _, face) = Simulator::with_face(readers_elsewhere(method, false), &mesh, &rest);
        simulator.set_weights(face, &[1.0, 0.5]);
        simulator.advance(true);
        simulator.advance(true);
        let plan = &simulator.scene.plan;
        assert_eq!(plan.barriers().next().unwrap().kind, BarrierKind::Reuse);
        for barrier in plan.barriers() {
            assert_ne!(barrier.kind, BarrierKind::Publish);
            for scope in [barrier.from, barrier.to] {
                assert!(
                    (Stages::COPY | Stages::COMPUTE).contains(scope.stages),
                    "{barrier:?}"
                );
                assert!(
                    !scope.stages.is_empty() && !scope.access.is_empty(),
                    "{barrier:?}"
                );
            }
        }
    }
}
