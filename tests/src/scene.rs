//! Scenes as plain data: what is there, and what an engine does with it, frame by frame.

use morph_core::{Quantization, VertexLayout};
use proptest::prelude::*;

use crate::recipe::{MeshRecipe, any_layout, any_mesh};

/// How the weights of an instance are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WeightKind {
    /// All zero.
    Zero,
    /// Between -1 and 2.
    Ordinary,
    /// Zeros of both signs, numbers around 2^-40, subnormals, large ones.
    Edgy,
    /// One target at 1, the rest at zero.
    OneHot,
    /// A shorter array than there are targets.
    Short,
}

/// Something an engine does between two frames. Numbers are taken modulo what there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the members are what their names say")]
pub enum Operation {
    Weights {
        actor: u32,
        kind: WeightKind,
        seed: u64,
    },
    AllWeights {
        kind: WeightKind,
        seed: u64,
    },
    OneWeight {
        actor: u32,
        slot: u32,
        seed: u64,
    },
    Visible {
        actor: u32,
        visible: bool,
    },
    Enabled {
        actor: u32,
        enabled: bool,
    },
    Attach {
        mesh: u32,
    },
    Detach {
        actor: u32,
    },
    Reupload {
        mesh: u32,
    },
    Reserve {
        mesh: u32,
        count: u32,
    },
    /// A frame is recorded and dropped.
    DroppedFrame,
    /// A frame is recorded, run, and compared.
    Frame,
}

/// A scene as plain data.
#[derive(Debug, Clone)]
pub struct SceneRecipe {
    /// The vertex.
    pub layout: VertexLayout,
    /// Whether instances have history.
    pub history: bool,
    /// Bytes of uploads a frame.
    pub upload_bytes_per_frame: u64,
    /// Frames in flight.
    pub frame_slot_count: u32,
    /// Bytes of the geometry buffer; a small one makes the pass refuse.
    pub geometry_bytes: u64,
    /// Meshes, each with the number of instances attached from the start.
    pub meshes: Vec<(MeshRecipe, u32)>,
    /// What happens.
    pub operations: Vec<Operation>,
}

/// Random operations on instances and meshes whose numbers are drawn from `number`.
fn any_operation(number: BoxedStrategy<u32>) -> impl Strategy<Value = Operation> {
    let kind = prop::sample::select(vec![
        WeightKind::Zero,
        WeightKind::Ordinary,
        WeightKind::Ordinary,
        WeightKind::Edgy,
        WeightKind::OneHot,
        WeightKind::Short,
    ]);
    prop_oneof![
        6 => Just(Operation::Frame),
        3 => (number.clone(), kind.clone(), any::<u64>())
            .prop_map(|(actor, kind, seed)| Operation::Weights { actor, kind, seed }),
        2 => (kind, any::<u64>()).prop_map(|(kind, seed)| Operation::AllWeights { kind, seed }),
        2 => (number.clone(), number.clone(), any::<u64>())
            .prop_map(|(actor, slot, seed)| Operation::OneWeight { actor, slot, seed }),
        3 => (number.clone(), any::<bool>()).prop_map(|(actor, visible)| Operation::Visible { actor, visible }),
        1 => (number.clone(), any::<bool>()).prop_map(|(actor, enabled)| Operation::Enabled { actor, enabled }),
        1 => number.clone().prop_map(|mesh| Operation::Attach { mesh }),
        1 => number.clone().prop_map(|actor| Operation::Detach { actor }),
        1 => number.clone().prop_map(|mesh| Operation::Reupload { mesh }),
        1 => (number, 0..20_u32).prop_map(|(mesh, count)| Operation::Reserve { mesh, count }),
        1 => Just(Operation::DroppedFrame),
    ]
}

/// Random scenes: any meshes and layouts, tight buffers, slow uploads.
pub fn any_scene() -> impl Strategy<Value = SceneRecipe> {
    let number = prop_oneof![3 => 0..4_u32, 1 => 0..64_u32].boxed();
    let meshes = prop::collection::vec((any_mesh(40), prop_oneof![0..=4_u32, 1..=20_u32]), 1..=3);
    (
        any_layout(),
        any::<bool>(),
        prop::sample::select(vec![1024_u64, 5000, 1 << 20, 1 << 20]),
        1..=3_u32,
        prop::sample::select(vec![40_000_u64, 200_000, 1 << 20, 1 << 20]),
        meshes,
        prop::collection::vec(any_operation(number), 1..=40),
    )
        .prop_map(
            |(
                layout,
                history,
                upload_bytes_per_frame,
                frame_slot_count,
                geometry_bytes,
                meshes,
                operations,
            )| {
                SceneRecipe {
                    layout,
                    history,
                    upload_bytes_per_frame,
                    frame_slot_count,
                    geometry_bytes,
                    meshes,
                    operations,
                }
            },
        )
}

/// Random stories: one tiny mesh, few instances with history, and much that happens to each of them.
pub fn any_story() -> impl Strategy<Value = SceneRecipe> {
    (
        1..=3_u32,
        1..=3_u32,
        any::<u64>(),
        prop::collection::vec(any_operation((0..2_u32).boxed()), 1..=80),
    )
        .prop_map(
            |(frame_slot_count, instance_count, seed, operations)| SceneRecipe {
                layout: VertexLayout::POSITION,
                history: true,
                upload_bytes_per_frame: 1 << 16,
                frame_slot_count,
                geometry_bytes: 1 << 16,
                meshes: vec![(MeshRecipe::plain(5, 2, Quantization::F32, seed), instance_count)],
                operations,
            },
        )
}
