//! Skinning behind the morph, on devices: equal to the host kernels, once a skeleton, and refused where it cannot be.

use std::sync::Arc;

use morph_core::skin::{BoneRows, DirectionTransform, InfluenceCount, SkinPose, SkinWeights};
use morph_core::{BaseNormals, BuildOptions, MorphMesh, MorphTarget, Quantization, RestPose, VertexLayout};
use morph_render::{DeformerDesc, HeadlessDevice, pass_desc};
use morph_tests::recipe::{Cooked, MeshRecipe, odd_layout};
use morph_tests::say;
use morph_tests::scene::WeightKind;
use morph_tests::skin::{SkinRecipe, cook_bones};
use morph_tests::world::{Tally, World, difference};
use morph_validation::{Rig, expected_posed_bytes};
use morph_vk::{
    Capacities, InstanceId, MeshDesc, MeshId, MeshSkin, MeshState, Method, MorphError, MorphPassDesc,
};

use crate::support::{LAYOUT, add, history_pass, mesh, on_every_driver, shown, small_pass};

const IDENTITY: BoneRows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
/// A quarter turn about z.
const QUARTER_TURN: BoneRows = [[0.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

fn with_bones(desc: MorphPassDesc) -> MorphPassDesc {
    MorphPassDesc {
        capacities: desc.capacities.with_bones(200),
        ..desc
    }
}

fn skin(vertex_count: u32, bone_count: u32, directions: DirectionTransform) -> MeshSkin {
    let recipe = SkinRecipe {
        influence_count: InfluenceCount::Four,
        directions,
        bone_count,
        seed: 3,
    };
    recipe.cook(vertex_count)
}

fn add_skinned(rig: &mut Rig, cooked: &Cooked, skin: &MeshSkin) -> MeshId {
    let desc = MeshDesc::new(Arc::clone(&cooked.morph), cooked.rest.clone());
    rig.pass_mut()
        .add_mesh(desc.with_skin(Arc::clone(&skin.weights), skin.directions))
        .unwrap()
}

/// An instance must show what the host kernels give for these weights and bones.
#[track_caller]
fn assert_posed(
    rig: &mut Rig,
    id: InstanceId,
    (cooked, skin): (&Cooked, &MeshSkin),
    weights: &[f32],
    bones: &[BoneRows],
) {
    let found = shown(rig, id);
    let expected = posed_bytes((cooked, skin), weights, bones);
    assert!(
        found == expected,
        "{}",
        difference(&cooked.rest, &expected, &found)
    );
}

fn posed_bytes((cooked, skin): (&Cooked, &MeshSkin), weights: &[f32], bones: &[BoneRows]) -> Vec<u8> {
    let pose = SkinPose::new(bones).unwrap();
    expected_posed_bytes(&cooked.morph, &cooked.rest, weights, Some((skin, &pose))).unwrap()
}

#[test]
fn both_numbers_of_influences_and_both_ways_of_normals_equal_the_host_at_the_edges_of_workgroups() {
    let layouts = [
        VertexLayout::PACKED,
        VertexLayout::POSITION,
        odd_layout(1, true, true),
        odd_layout(2, false, true),
    ];
    on_every_driver(|driver, device| {
        let mut tally = Tally::default();
        for layout in layouts {
            let mut capacities = Capacities::new(24 << 20, 1000, 16).with_bones(1000);
            capacities.staging_bytes_per_frame += 24 << 20;
            let desc = DeformerDesc {
                layout,
                method: Method::Gather,
                history: false,
                capacities,
            };
            let mut world = World::new(device, pass_desc(device, &desc)).unwrap();
            for bone_count in [1, 6, 255] {
                world.add_skeleton(bone_count).unwrap();
            }
            let mut seed = 0;
            for vertex_count in [1, 7, 8, 9, 31, 32, 33, 65, 300] {
                for influence_count in [InfluenceCount::Four, InfluenceCount::Eight] {
                    for directions in [DirectionTransform::Linear, DirectionTransform::Cofactor] {
                        seed += 1;
                        let quantization =
                            [Quantization::F32, Quantization::Half, Quantization::Snorm16][seed as usize % 3];
                        let recipe = MeshRecipe::plain(vertex_count, seed as usize % 4, quantization, seed);
                        let skin = SkinRecipe {
                            influence_count,
                            directions,
                            bone_count: [1, 6, 255][seed as usize % 3],
                            seed,
                        };
                        let mesh = world
                            .add_mesh_with(recipe.cook(layout), Some(skin.cook(vertex_count)))
                            .unwrap()
                            .expect("there is room");
                        // Below and from four instances on, mixed with one that is morphed only.
                        for instance in 0..[1, 3, 4, 16, 17][seed as usize % 5] {
                            let actor = match instance {
                                2 => world.attach(mesh),
                                _ => world.attach_skinned(mesh, seed as u32 % 3),
                            };
                            let actor = actor.unwrap().expect("there is room");
                            world.set_weights(actor, WeightKind::Edgy, seed).unwrap();
                        }
                    }
                }
            }
            world.settle().unwrap();
            for round in 0..3 {
                for skeleton in 0..3 {
                    world.set_pose(skeleton, round * 3 + u64::from(skeleton)).unwrap();
                }
                world.frame().unwrap();
            }
            world.settle().unwrap();
            tally += world.tally();
        }
        let name = driver.name();
        say(format_args!(
            "skinning: at the edges of workgroups on {name}: {tally}"
        ));
        assert!(tally.skinned_count > 1000, "{tally}");
    });
}

/// One vertex at the origin, held whole by bone 0, with a target that moves it along x.
fn point() -> (Cooked, MeshSkin) {
    let target = MorphTarget::from_dense("out", Some(&[[1.0, 0.0, 0.0]]), None, None);
    let (morph, _) = MorphMesh::build(1, &[target], &BuildOptions::new(Quantization::F32)).unwrap();
    let rest = RestPose::from_streams(
        LAYOUT,
        &[[0.0; 3]],
        Some(&[[1.0, 0.0, 0.0]]),
        Some(&[[0.0, 1.0, 0.0, -1.0]]),
        BaseNormals::AsGiven,
    );
    let weights = SkinWeights::new(InfluenceCount::Four, vec![0; 4], vec![1.0, 0.0, 0.0, 0.0]).unwrap();
    let skin = MeshSkin {
        weights: Arc::new(weights),
        directions: DirectionTransform::Linear,
    };
    let morph = Arc::new(morph);
    let rest = rest.unwrap();
    (Cooked { morph, rest }, skin)
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let words = bytes.as_chunks::<4>().0.iter();
    words.map(|word| f32::from_le_bytes(*word)).collect()
}

#[test]
fn b129_the_device_morphs_before_it_skins() {
    on_every_driver(|_, device| {
        let mut rig = Rig::new(device, with_bones(small_pass(device, Method::Gather))).unwrap();
        let (cooked, skin) = point();
        let mesh = add_skinned(&mut rig, &cooked, &skin);
        let skeleton = rig.pass_mut().add_skeleton(1).unwrap();
        rig.pass_mut().set_pose(skeleton, &[QUARTER_TURN]).unwrap();
        let body = rig.pass_mut().attach_skinned(mesh, skeleton).unwrap();
        rig.pass_mut().set_weights(body, &[1.0]).unwrap();
        rig.settle().unwrap();
        let expected = [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0, -1.0];
        assert_eq!(floats(&shown(&mut rig, body)), expected);
        assert_eq!(rig.pass().skeleton(body), Ok(Some(skeleton)));
    });
}

#[test]
fn b127_a_vertex_that_no_bone_holds_stays_where_the_morph_put_it() {
    on_every_driver(|_, device| {
        let mut rig = Rig::new(device, with_bones(small_pass(device, Method::Gather))).unwrap();
        let (cooked, mut skin) = point();
        skin.weights = Arc::new(SkinWeights::new(InfluenceCount::Eight, vec![9; 8], vec![0.0; 8]).unwrap());
        let mesh = add_skinned(&mut rig, &cooked, &skin);
        let skeleton = rig.pass_mut().add_skeleton(1).unwrap();
        rig.pass_mut().set_pose(skeleton, &[QUARTER_TURN]).unwrap();
        let body = rig.pass_mut().attach_skinned(mesh, skeleton).unwrap();
        rig.pass_mut().set_weights(body, &[1.0]).unwrap();
        rig.settle().unwrap();
        let expected = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0];
        assert_eq!(floats(&shown(&mut rig, body)), expected);
    });
}

#[test]
fn b149_motion_starts_from_the_previous_pose_on_the_previous_morph() {
    on_every_driver(|_, device| {
        let mut rig = Rig::new(device, with_bones(history_pass(device, Method::Gather))).unwrap();
        let cooked = mesh(70, 3);
        let skin = skin(70, 4, DirectionTransform::Cofactor);
        let both = (&cooked, &skin);
        let id = add_skinned(&mut rig, &cooked, &skin);
        let skeleton = rig.pass_mut().add_skeleton(4).unwrap();
        let body = rig.pass_mut().attach_skinned(id, skeleton).unwrap();
        rig.settle().unwrap();
        // Only the pose, only the weights, both, nothing.
        let steps: [(u64, [f32; 3]); 5] = [
            (1, [0.5, 0.0, 0.0]),
            (2, [0.5, 0.0, 0.0]),
            (2, [0.0, 1.5, 0.0]),
            (3, [0.0, 0.0, -1.0]),
            (3, [0.0, 0.0, -1.0]),
        ];
        let mut before = posed_bytes(both, &[], &[IDENTITY; 4]);
        for (number, (seed, weights)) in steps.into_iter().enumerate() {
            let bones = cook_bones(4, seed);
            rig.pass_mut().set_pose(skeleton, &bones).unwrap();
            rig.pass_mut().set_weights(body, &weights).unwrap();
            let stats = rig.frame().unwrap();
            assert_posed(&mut rig, body, both, &weights, &bones);
            let range = rig.pass().vertex_range(body).unwrap();
            let (offset, length) = rig.bytes_of(range.previous_first_vertex, range.vertex_count);
            let previous = rig.read_geometry().unwrap()[offset as usize..][..length as usize].to_vec();
            assert!(previous == before, "step {number}");
            let has_motion = range.previous_first_vertex != range.current_first_vertex;
            assert_eq!(has_motion, number < 4, "step {number}");
            assert_eq!(stats.is_idle(), number == 4, "step {number}");
            before = shown(&mut rig, body);
        }
    });
}

#[test]
fn submeshes_of_a_skeleton_send_its_pose_once_and_only_when_one_is_written() {
    on_every_driver(|_, device| {
        let mut rig = Rig::new(device, with_bones(small_pass(device, Method::Gather))).unwrap();
        let parts: Vec<(Cooked, MeshSkin)> = [9, 40, 65]
            .map(|count| (mesh(count, 2), skin(count, 5, DirectionTransform::Linear)))
            .into();
        let skeleton = rig.pass_mut().add_skeleton(5).unwrap();
        let instances: Vec<InstanceId> = parts
            .iter()
            .map(|(cooked, skin)| {
                let id = add_skinned(&mut rig, cooked, skin);
                rig.pass_mut().attach_skinned(id, skeleton).unwrap()
            })
            .collect();
        rig.settle().unwrap();
        let bones = cook_bones(5, 77);
        assert_eq!(rig.pass_mut().set_pose(skeleton, &bones), Ok(true));
        assert_eq!(rig.pass_mut().set_pose(skeleton, &bones), Ok(false));
        let stats = rig.frame().unwrap();
        assert_eq!((stats.skinned_instances, stats.sent_poses), (3, 1));
        // One region: the pose, and a record for each part.
        assert_eq!((stats.copies, stats.copied_bytes), (1, 5 * 48 + 3 * 12));
        for (instance, (cooked, skin)) in instances.iter().zip(&parts) {
            assert_posed(&mut rig, *instance, (cooked, skin), &[], &bones);
            rig.pass_mut().set_visible(*instance, false).unwrap();
        }
        rig.pass_mut().set_pose(skeleton, &cook_bones(5, 78)).unwrap();
        assert!(rig.frame().unwrap().is_idle(), "nobody who is seen follows it");
        for instance in instances {
            rig.pass_mut().detach(instance).unwrap();
        }
        rig.pass_mut().remove_skeleton(skeleton).unwrap();
        assert_eq!(rig.pass().stats().bone_count, 0);
    });
}

#[test]
fn refused_deltas_leave_the_rest_shape_to_the_bones() {
    on_every_driver(|_, device| {
        let mut desc = with_bones(small_pass(device, Method::Gather));
        desc.capacities.delta_budget_bytes = 16;
        let mut rig = Rig::new(device, desc).unwrap();
        let cooked = mesh(33, 4);
        let skin = skin(33, 3, DirectionTransform::Cofactor);
        let id = add_skinned(&mut rig, &cooked, &skin);
        let skeleton = rig.pass_mut().add_skeleton(3).unwrap();
        let body = rig.pass_mut().attach_skinned(id, skeleton).unwrap();
        rig.pass_mut().set_weights(body, &[1.0; 4]).unwrap();
        rig.settle().unwrap();
        let bones = cook_bones(3, 5);
        rig.pass_mut().set_pose(skeleton, &bones).unwrap();
        let stats = rig.frame().unwrap();
        assert_eq!((stats.refused_instances, stats.skinned_instances), (1, 1));
        assert!(matches!(rig.pass().mesh_state(id), Ok(MeshState::Refused { .. })));
        assert_posed(&mut rig, body, (&cooked, &skin), &[], &bones);
    });
}

fn refusal(device: &HeadlessDevice, desc: MorphPassDesc) -> String {
    match Rig::new(device, desc) {
        Ok(_) => panic!("the pass was made"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_pass_that_cannot_skin_says_so_when_it_is_made_and_when_a_skin_comes() {
    on_every_driver(|_, device| {
        let scatter = refusal(device, with_bones(small_pass(device, Method::Scatter)));
        assert!(scatter.contains("`bone_capacity` is 200"), "{scatter}");
        let mut poor = with_bones(small_pass(device, Method::Gather));
        poor.device.limits.max_per_stage_descriptor_storage_buffers = 4;
        let poor = refusal(device, poor);
        assert!(poor.contains("maxPerStageDescriptorStorageBuffers"), "{poor}");
        for method in [Method::Gather, Method::Scatter] {
            let mut rig = Rig::new(device, small_pass(device, method)).unwrap();
            let cooked = mesh(9, 1);
            let skin = skin(9, 2, DirectionTransform::Linear);
            let desc = MeshDesc::new(Arc::clone(&cooked.morph), cooked.rest.clone());
            let desc = desc.with_skin(skin.weights, skin.directions);
            assert_eq!(rig.pass_mut().add_mesh(desc), Err(MorphError::SkinningOff));
            let none = MorphError::BoneCapacity {
                asked: 1,
                used: 0,
                capacity: 0,
            };
            assert_eq!(rig.pass_mut().add_skeleton(1), Err(none));
            add(&mut rig, &cooked);
        }
    });
}
