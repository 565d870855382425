//! Scenes as plain data: what is there, and what an engine does with it, frame by frame.

use morph_core::{Quantization, VertexLayout};
use proptest::prelude::*;

use crate::recipe::{MeshRecipe, any_layout, any_mesh, any_rich_layout};
use crate::skin::{SkinRecipe, any_skin};

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
    /// An instance jumps.
    Teleport {
        actor: u32,
    },
    /// Sixteenths of a pixel that a model unit covers; none where nothing may be left out.
    Pixels {
        actor: u32,
        sixteenths: Option<u32>,
    },
    /// Sixteenths of a pixel that a change must move a vertex by.
    SkipBelow {
        sixteenths: u32,
    },
    Attach {
        mesh: u32,
    },
    Detach {
        actor: u32,
    },
    /// An instance that follows a skeleton.
    AttachSkinned {
        mesh: u32,
        skeleton: u32,
    },
    AddSkeleton {
        bone_count: u32,
    },
    RemoveSkeleton {
        skeleton: u32,
    },
    Pose {
        skeleton: u32,
        seed: u64,
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
    /// Skeletons from the start, by their number of bones.
    pub skeletons: Vec<u32>,
    /// Meshes, each with the skin that it may have and the number of instances attached from the start.
    pub meshes: Vec<(MeshRecipe, Option<SkinRecipe>, u32)>,
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
        1 => number.clone().prop_map(|actor| Operation::Teleport { actor }),
        2 => (number.clone(), prop::option::weighted(0.8, 0..64_u32))
            .prop_map(|(actor, sixteenths)| Operation::Pixels { actor, sixteenths }),
        1 => (0..64_u32).prop_map(|sixteenths| Operation::SkipBelow { sixteenths }),
        1 => number.clone().prop_map(|mesh| Operation::Attach { mesh }),
        1 => (number.clone(), number.clone())
            .prop_map(|(mesh, skeleton)| Operation::AttachSkinned { mesh, skeleton }),
        1 => (1..=8_u32).prop_map(|bone_count| Operation::AddSkeleton { bone_count }),
        1 => number.clone().prop_map(|skeleton| Operation::RemoveSkeleton { skeleton }),
        3 => (number.clone(), prop_oneof![0..3_u64, any::<u64>()])
            .prop_map(|(skeleton, seed)| Operation::Pose { skeleton, seed }),
        1 => number.clone().prop_map(|actor| Operation::Detach { actor }),
        1 => number.clone().prop_map(|mesh| Operation::Reupload { mesh }),
        1 => (number, 0..20_u32).prop_map(|(mesh, count)| Operation::Reserve { mesh, count }),
        1 => Just(Operation::DroppedFrame),
    ]
}

/// Random scenes: any meshes, layouts that every method writes, tight buffers, slow uploads.
pub fn any_scene() -> impl Strategy<Value = SceneRecipe> {
    scene_of(any_layout().boxed())
}

/// The same with layouts that the gather alone writes: packed directions, texture coordinates and colors.
pub fn any_rich_scene() -> impl Strategy<Value = SceneRecipe> {
    scene_of(any_rich_layout().boxed())
}

fn scene_of(layout: BoxedStrategy<VertexLayout>) -> impl Strategy<Value = SceneRecipe> {
    let number = prop_oneof![3 => 0..4_u32, 1 => 0..64_u32].boxed();
    let instance_count = prop_oneof![0..=4_u32, 1..=20_u32];
    let skin = prop::option::of(any_skin());
    let meshes = prop::collection::vec((any_mesh(40), skin, instance_count), 1..=3);
    (
        prop::collection::vec(1..=8_u32, 0..=3),
        layout,
        any::<bool>(),
        prop::sample::select(vec![1024_u64, 5000, 1 << 20, 1 << 20]),
        1..=3_u32,
        prop::sample::select(vec![40_000_u64, 200_000, 1 << 20, 1 << 20]),
        meshes,
        prop::collection::vec(any_operation(number), 1..=40),
    )
        .prop_map(
            |(
                skeletons,
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
                    skeletons,
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
        prop::option::of(any_skin()),
        prop::collection::vec(any_operation((0..2_u32).boxed()), 1..=80),
    )
        .prop_map(
            |(frame_slot_count, instance_count, seed, skin, operations)| SceneRecipe {
                layout: VertexLayout::POSITION,
                history: true,
                upload_bytes_per_frame: 1 << 16,
                frame_slot_count,
                geometry_bytes: 1 << 16,
                skeletons: vec![6, 6],
                meshes: vec![(
                    MeshRecipe::plain(5, 2, Quantization::F32, seed),
                    skin,
                    instance_count,
                )],
                operations,
            },
        )
}
