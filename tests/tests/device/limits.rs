//! What passes a limit, is not there yet, or is asked for wrongly: refused with the place and the numbers, and drawn
//! at rest where it can be drawn.

use std::sync::{Arc, Mutex};

use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};
use morph_core::plan::Kernel;
use morph_core::{Layout, MorphTarget, Quantization, VertexFormat, VertexLayout, WeightError};
use morph_render::{DeformerDesc, HeadlessDevice, pass_desc, raw_memory};
use morph_tests::recipe::{MeshRecipe, TargetRecipe};
use morph_tests::say;
use morph_tests::scene::{Operation, WeightKind};
use morph_tests::world::World;
use morph_validation::Rig;
use morph_vk::{
    Capacities, GpuAllocatorMemory, MeshDesc, MeshState, Method, MorphError, MorphPass, MorphPassDesc,
    RefusalLimit,
};

use crate::support::{LAYOUT, METHODS, add, assert_shows, mesh, on_every_driver, settled, shown, small_pass};

fn refusal(device: &HeadlessDevice, desc: MorphPassDesc) -> MorphError {
    // SAFETY: the device outlives the call, facts and memory are its own, and nothing stays on an error.
    match unsafe { MorphPass::new(device.device(), desc, Box::new(raw_memory(device))) } {
        Err(error) => error,
        Ok(mut pass) => {
            // SAFETY: nothing was recorded.
            unsafe { pass.destroy() };
            panic!("the pass should have been refused");
        }
    }
}

#[test]
fn b160_z_carries_the_groups_that_x_cannot() {
    for method in METHODS {
        on_every_driver(|driver, device| {
            for most_x in [1, 2] {
                let mut desc = small_pass(device, method);
                desc.device.limits.max_compute_work_group_count[0] = most_x;
                let mut world = World::new(device, desc).unwrap();
                let mut seed = 0;
                for vertex_count in [1, 32, 33, 64, 65, 127, 300] {
                    for instance_count in [1, 5] {
                        seed += 1;
                        let recipe = MeshRecipe::plain(vertex_count, 3, Quantization::Snorm16, seed);
                        let mesh = world.add_mesh(recipe.cook(LAYOUT)).unwrap().unwrap();
                        for _ in 0..instance_count {
                            let actor = world.attach(mesh).unwrap().unwrap();
                            world.set_weights(actor, WeightKind::Ordinary, seed).unwrap();
                        }
                    }
                }
                world.settle().unwrap();
                world
                    .apply(Operation::AllWeights {
                        kind: WeightKind::Ordinary,
                        seed: 99,
                    })
                    .unwrap();
                world.frame().unwrap();
                let plan = world.rig().pass().plan();
                assert!(
                    plan.dispatches()
                        .all(|dispatch| dispatch.group_count[0] <= most_x)
                );
                let deepest = plan.dispatches().map(|dispatch| dispatch.group_count[2]).max();
                assert!(deepest > Some(1), "no dispatch of {} needed Z", driver.name());
            }
        });
    }
}

#[test]
fn b162_more_groups_than_a_device_dispatches_in_x_equal_the_host() {
    let layout = VertexLayout::POSITION;
    for (method, kernel, vertex_count) in [
        // Some of the random deltas are zero and make no entry: three in a hundred.
        (Method::Scatter, Kernel::Scatter, 65_535 * 67),
        (Method::Gather, Kernel::GatherX32Y1, 65_535 * 32 + 33),
    ] {
        let recipe = MeshRecipe {
            vertex_count,
            targets: vec![TargetRecipe {
                normals: false,
                tangents: false,
                ..TargetRecipe::all(100)
            }],
            quantization: Quantization::Snorm16,
            largest: 2.0,
            seed: 3,
        };
        let cooked = recipe.cook(layout);
        on_every_driver(|driver, device| {
            let most_x = device.limits().max_compute_work_group_count[0];
            if vertex_count / kernel.local_size()[0] <= most_x {
                say(format_args!(
                    "limits: {} dispatches {most_x} groups in X: nothing to spill",
                    driver.name()
                ));
                return;
            }
            let mut capacities = Capacities::new(u64::from(vertex_count) * 40, 1, 1);
            capacities.staging_bytes_per_frame = u64::from(vertex_count) * 30;
            capacities.frame_slot_count = 1;
            let desc = DeformerDesc {
                layout,
                method,
                history: false,
                capacities,
            };
            let mut rig = Rig::new(device, pass_desc(device, &desc)).unwrap();
            let (_, instances) = settled(&mut rig, &cooked, 1);
            rig.pass_mut().set_weights(instances[0], &[0.7]).unwrap();
            rig.frame().unwrap();
            let plan = rig.pass().plan();
            assert!(
                plan.dispatches()
                    .any(|it| it.kernel == kernel && it.group_count[2] == 2)
            );
            assert_shows(&mut rig, instances[0], &cooked, &[0.7]);
        });
    }
}

#[test]
fn b191_deltas_past_the_binding_limit_are_refused_and_drawn_at_rest() {
    for (method, layout) in [
        (Method::Gather, Layout::VertexMajor),
        (Method::Scatter, Layout::Scatter),
    ] {
        on_every_driver(|_, device| {
            let limit = 65_536_u64;
            let mut desc = small_pass(device, method);
            desc.device.limits.max_storage_buffer_range = limit as u32;
            let mut rig = Rig::new(device, desc).unwrap();
            let cooked = mesh(300, 40);
            let asked = cooked.morph.size_bytes(layout);
            assert!(asked > limit);
            let mesh = add(&mut rig, &cooked);
            let refused = MeshState::Refused {
                limit: RefusalLimit::Device,
                asked_bytes: asked,
                budget_bytes: limit,
            };
            assert_eq!(rig.pass().mesh_state(mesh).unwrap(), refused);
            let instance = rig.pass_mut().attach(mesh).unwrap();
            rig.pass_mut().set_weights(instance, &[1.0; 40]).unwrap();
            let refused_count: u32 = (0..3).map(|_| rig.frame().unwrap().refused_instances).sum();
            assert_eq!(
                refused_count, 1,
                "it is told in the frame in which it is drawn at rest"
            );
            assert_shows(&mut rig, instance, &cooked, &[]);
            assert_eq!(rig.pass().stats().refused_mesh_count, 1);
            // A refusal holds: new weights do not wake it, and sending it again judges it anew.
            rig.pass_mut().set_weights(instance, &[0.5; 40]).unwrap();
            rig.frame().unwrap();
            assert_shows(&mut rig, instance, &cooked, &[]);
            assert_eq!(rig.pass_mut().reupload(mesh).unwrap(), refused);
            rig.settle().unwrap();
            assert_shows(&mut rig, instance, &cooked, &[]);
        });
    }
}

#[test]
fn a_refused_mesh_is_morphed_once_the_budget_has_room_for_it() {
    for (method, layout) in [
        (Method::Gather, Layout::VertexMajor),
        (Method::Scatter, Layout::Scatter),
    ] {
        on_every_driver(|_, device| {
            let (first, second) = (mesh(100, 4), mesh(120, 4));
            let asked = second.morph.size_bytes(layout);
            let mut desc = small_pass(device, method);
            desc.capacities.delta_budget_bytes = asked + 4;
            let mut rig = Rig::new(device, desc).unwrap();
            let (first_mesh, first_instances) = settled(&mut rig, &first, 1);
            let (second_mesh, second_instances) = settled(&mut rig, &second, 2);
            let left = asked + 4 - first.morph.size_bytes(layout);
            assert_eq!(
                rig.pass().mesh_state(second_mesh).unwrap(),
                MeshState::Refused {
                    limit: RefusalLimit::Budget,
                    asked_bytes: asked,
                    budget_bytes: left
                }
            );
            rig.pass_mut()
                .set_weights(second_instances[0], &[1.0, 0.5])
                .unwrap();
            rig.settle().unwrap();
            assert_shows(&mut rig, second_instances[0], &second, &[]);
            // Room alone changes nothing until the mesh is sent again.
            rig.pass_mut().detach(first_instances[0]).unwrap();
            rig.pass_mut().remove_mesh(first_mesh).unwrap();
            rig.settle().unwrap();
            assert!(matches!(
                rig.pass().mesh_state(second_mesh).unwrap(),
                MeshState::Refused { .. }
            ));
            let state = rig.pass_mut().reupload(second_mesh).unwrap();
            assert!(
                matches!(state, MeshState::Uploading { done_bytes: 0, .. }),
                "{state:?}"
            );
            rig.settle().unwrap();
            assert_eq!(rig.pass().mesh_state(second_mesh).unwrap(), MeshState::Resident);
            assert_shows(&mut rig, second_instances[0], &second, &[1.0, 0.5]);
            assert_shows(&mut rig, second_instances[1], &second, &[]);
            assert_eq!(rig.pass().stats().delta_bytes, asked);
            assert_eq!(rig.pass().stats().refused_mesh_count, 0);
        });
    }
}

#[test]
fn vertices_past_the_binding_limit_are_an_error_with_both_numbers() {
    on_every_driver(|_, device| {
        let mut desc = small_pass(device, Method::Gather);
        desc.device.limits.max_storage_buffer_range = 65_536;
        let mut rig = Rig::new(device, desc).unwrap();
        let cooked = mesh(2000, 0);
        let error = rig
            .pass_mut()
            .add_mesh(MeshDesc::new(Arc::clone(&cooked.morph), cooked.rest.clone()))
            .unwrap_err();
        let MorphError::DeviceLimit {
            asked_bytes,
            limit_bytes: 65_536,
            ..
        } = error
        else {
            panic!("{error}")
        };
        assert!((80_000..82_000).contains(&asked_bytes), "{error}");
    });
}

#[test]
fn b190_a_geometry_buffer_that_is_too_small_refuses_in_bytes() {
    on_every_driver(|_, device| {
        let mut desc = small_pass(device, Method::Gather);
        // Room for one rest pose of 1,000 vertices and a bit, and for no instance.
        desc.capacities.geometry_bytes = 60_000;
        let mut rig = Rig::new(device, desc).unwrap();
        let cooked = mesh(1000, 0);
        let mesh = add(&mut rig, &cooked);
        let free = rig.pass().geometry_buffer().free_bytes();
        assert!(free <= 20_000 && free > 19_000, "40 bytes a vertex: {free} free");
        let error = rig.pass_mut().attach(mesh).unwrap_err();
        let MorphError::OutOfSpace {
            asked_bytes,
            free_bytes,
            largest_hole_bytes,
            ..
        } = error
        else {
            panic!("{error}");
        };
        assert!((40_000..41_500).contains(&asked_bytes), "{error}");
        assert_eq!(free_bytes, free);
        assert_eq!(
            largest_hole_bytes,
            rig.pass().geometry_buffer().largest_hole_bytes()
        );
        for number in [asked_bytes, free_bytes, largest_hole_bytes] {
            assert!(error.to_string().contains(&number.to_string()), "{error}");
        }
        // A mesh without room is an error, and leaves everything as it was.
        let error = rig
            .pass_mut()
            .add_mesh(MeshDesc::new(Arc::clone(&cooked.morph), cooked.rest.clone()))
            .unwrap_err();
        assert!(
            matches!(
                error,
                MorphError::OutOfSpace {
                    asked_bytes: 40_000,
                    ..
                }
            ),
            "{error}"
        );
        assert_eq!(rig.pass().geometry_buffer().free_bytes(), free);
        assert_eq!(rig.pass().stats().mesh_count, 1);
    });
}

#[test]
fn what_does_not_fit_beside_the_rest_pose_is_refused_and_comes_when_there_is_room() {
    on_every_driver(|_, device| {
        let cooked = mesh(100, 8);
        let mut desc = small_pass(device, Method::Gather);
        desc.capacities.geometry_bytes = 4096 + 2 * cooked.rest.bytes().len() as u64;
        let mut rig = Rig::new(device, desc).unwrap();
        let (mesh, instances) = settled(&mut rig, &cooked, 1);
        let state = rig.pass().mesh_state(mesh).unwrap();
        assert!(matches!(state, MeshState::Refused { .. }), "{state:?}");
        rig.pass_mut().set_weights(instances[0], &[1.0; 8]).unwrap();
        rig.settle().unwrap();
        assert_shows(&mut rig, instances[0], &cooked, &[]);
    });
}

#[test]
fn b108_a_thousand_targets_work_on_the_least_of_devices_and_are_refused_where_they_do_not_fit() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut desc = small_pass(device, method);
            // What Vulkan asks of every device.
            let limits = &mut desc.device.limits;
            limits.max_storage_buffer_range = 1 << 27;
            limits.max_per_stage_descriptor_storage_buffers = 4;
            limits.max_compute_work_group_count = [65_535; 3];
            limits.min_storage_buffer_offset_alignment = 256;
            desc.capacities.frame_bytes = 2 * 4 * 1002;
            let mut rig = Rig::new(device, desc).unwrap();
            let cooked = mesh(3, 1000);
            let weights: Vec<f32> = (0..1000).map(|target| (target % 7) as f32 * 0.125).collect();
            let (_, instances) = settled(&mut rig, &cooked, 1);
            rig.pass_mut().set_weights(instances[0], &weights).unwrap();
            rig.frame().unwrap();
            assert_shows(&mut rig, instances[0], &cooked, &weights);

            // Scatter carries weights in its push constants, one dispatch a target.
            if method == Method::Gather {
                let mut desc = small_pass(device, method);
                desc.capacities.frame_bytes = 1000;
                let mut rig = Rig::new(device, desc).unwrap();
                let mesh = add(&mut rig, &cooked);
                let error = rig.pass_mut().attach(mesh).unwrap_err();
                let full = matches!(
                    error,
                    MorphError::FrameDataFull {
                        capacity_bytes: 1000,
                        ..
                    }
                );
                assert!(full, "{error}");
            }
        });
    }
}

#[test]
fn instances_past_the_capacity_are_refused() {
    on_every_driver(|_, device| {
        let mut desc = small_pass(device, Method::Gather);
        desc.capacities.instance_capacity = 2;
        let mut rig = Rig::new(device, desc).unwrap();
        let cooked = mesh(3, 2);
        let (mesh, instances) = settled(&mut rig, &cooked, 2);
        let full = MorphError::InstanceCapacity { capacity: 2 };
        assert_eq!(rig.pass_mut().attach(mesh).unwrap_err(), full);
        assert_eq!(rig.pass_mut().reserve_instances(mesh, 1).unwrap_err(), full);
        rig.pass_mut().detach(instances[0]).unwrap();
        rig.pass_mut().attach(mesh).unwrap();
    });
}

#[test]
fn weights_past_the_frame_arena_are_refused_when_the_instance_is_attached() {
    on_every_driver(|_, device| {
        let mut desc = small_pass(device, Method::Gather);
        // A record of 12 bytes and 30 weights: 132 bytes an instance.
        desc.capacities.frame_bytes = 3 * 132 + 100;
        let mut rig = Rig::new(device, desc).unwrap();
        let cooked = mesh(9, 30);
        let (mesh, instances) = settled(&mut rig, &cooked, 3);
        let error = rig.pass_mut().attach(mesh).unwrap_err();
        assert_eq!(
            error,
            MorphError::FrameDataFull {
                what: "one more instance of this mesh",
                asked_bytes: 132,
                used_bytes: 396,
                capacity_bytes: 496
            }
        );
        // What fits may change all at once.
        for instance in &instances {
            rig.pass_mut().set_weights(*instance, &[0.25; 30]).unwrap();
        }
        rig.frame().unwrap();
        for instance in &instances {
            assert_shows(&mut rig, *instance, &cooked, &[0.25; 30]);
        }
        rig.pass_mut().detach(instances[0]).unwrap();
        rig.pass_mut().attach(mesh).unwrap();
    });
}

#[test]
fn stale_handles_are_errors_and_never_another_instance() {
    on_every_driver(|_, device| {
        let mut rig = Rig::new(device, small_pass(device, Method::Gather)).unwrap();
        let cooked = mesh(5, 2);
        let (mesh, instances) = settled(&mut rig, &cooked, 1);
        let stale = instances[0];
        assert_eq!(
            rig.pass_mut().remove_mesh(mesh).unwrap_err(),
            MorphError::MeshInUse { instance_count: 1 }
        );
        rig.pass_mut().detach(stale).unwrap();
        let fresh = rig.pass_mut().attach(mesh).unwrap();
        let error = MorphError::StaleHandle { kind: "instance" };
        let pass = rig.pass_mut();
        assert_eq!(pass.set_weights(stale, &[1.0]).unwrap_err(), error);
        assert_eq!(pass.set_weight(stale, 0, 1.0).unwrap_err(), error);
        assert_eq!(pass.set_weight_named(stale, "target 0", 1.0).unwrap_err(), error);
        assert_eq!(pass.weights(stale).unwrap_err(), error);
        assert_eq!(pass.weights_version(stale).unwrap_err(), error);
        assert_eq!(pass.set_visible(stale, false).unwrap_err(), error);
        assert_eq!(pass.set_morphs_enabled(stale, false).unwrap_err(), error);
        assert_eq!(pass.detach(stale).unwrap_err(), error);
        assert_eq!(pass.vertex_range(stale), None);
        assert_eq!(
            pass.weights(fresh).unwrap(),
            [0.0, 0.0],
            "the fresh instance is untouched"
        );
        pass.detach(fresh).unwrap();
        pass.remove_mesh(mesh).unwrap();
        let error = MorphError::StaleHandle { kind: "mesh" };
        assert_eq!(pass.attach(mesh).unwrap_err(), error);
        assert_eq!(pass.mesh_state(mesh).unwrap_err(), error);
        assert_eq!(pass.reupload(mesh).unwrap_err(), error);
        assert_eq!(pass.remove_mesh(mesh).unwrap_err(), error);
        assert_eq!(pass.reserve_instances(mesh, 1).unwrap_err(), error);
        assert!(pass.morph_mesh(mesh).is_err());
        assert!(rig.frame().unwrap().is_idle());
    });
}

#[test]
fn a_device_without_a_needed_feature_is_refused_by_the_features_name() {
    on_every_driver(|_, device| {
        let mut desc = small_pass(device, Method::Gather);
        desc.device.synchronization2 = false;
        let error = refusal(device, desc);
        assert!(
            matches!(
                error,
                MorphError::MissingFeature {
                    feature: "synchronization2",
                    ..
                }
            ),
            "{error}"
        );
        assert!(
            error.to_string().contains("synchronization2") && error.to_string().contains("enable"),
            "{error}"
        );
    });
}

#[test]
fn a_description_that_cannot_work_is_refused_by_its_member() {
    on_every_driver(|_, device| {
        type Change = fn(&mut MorphPassDesc);
        let changes: [(&str, Change); 6] = [
            ("geometry_bytes", |desc| desc.capacities.geometry_bytes = 0),
            ("instance_capacity", |desc| desc.capacities.instance_capacity = 0),
            ("frame_slot_count", |desc| desc.capacities.frame_slot_count = 0),
            ("frame_bytes", |desc| desc.capacities.frame_bytes = 4),
            ("staging_bytes_per_frame", |desc| {
                desc.capacities.staging_bytes_per_frame = 0;
            }),
            ("readers.stages", |desc| {
                desc.readers.stages = ash::vk::PipelineStageFlags2::empty();
            }),
        ];
        for (name, change) in changes {
            let mut desc = small_pass(device, Method::Gather);
            change(&mut desc);
            let error = refusal(device, desc);
            assert!(
                matches!(error, MorphError::InvalidDesc { member, .. } if member == name),
                "{name}: {error}"
            );
        }
        let mut desc = small_pass(device, Method::Gather);
        desc.layout = desc.layout.with_normal(0, 4, VertexFormat::Float32);
        assert!(matches!(refusal(device, desc), MorphError::Layout(_)));
    });
}

#[test]
fn meshes_that_do_not_match_the_pass_are_refused() {
    on_every_driver(|_, device| {
        let mut rig = Rig::new(device, small_pass(device, Method::Gather)).unwrap();
        let (three, four) = (mesh(3, 1), mesh(4, 1));
        let pass = rig.pass_mut();
        let error = pass
            .add_mesh(MeshDesc::new(Arc::clone(&three.morph), four.rest))
            .unwrap_err();
        assert_eq!(error, MorphError::VertexCountMismatch { rest: 4, targets: 3 });
        let other = MeshRecipe::plain(3, 1, Quantization::F32, 1).cook(VertexLayout::POSITION);
        let error = pass.add_mesh(MeshDesc::new(other.morph, other.rest)).unwrap_err();
        assert_eq!(
            error,
            MorphError::LayoutMismatch {
                given: Box::new(VertexLayout::POSITION),
                right: Box::new(LAYOUT)
            }
        );
        let (nothing, _) = morph_core::MorphMesh::build(
            0,
            &[MorphTarget::empty("none")],
            &morph_core::BuildOptions::new(Quantization::F32),
        )
        .unwrap();
        let rest = morph_core::RestPose::from_vertices(LAYOUT, Vec::new(), morph_core::BaseNormals::AsGiven)
            .unwrap();
        assert_eq!(
            pass.add_mesh(MeshDesc::new(Arc::new(nothing), rest)).unwrap_err(),
            MorphError::EmptyMesh
        );
        assert_eq!(pass.stats().mesh_count, 0);
    });
}

#[test]
fn b193_targets_that_move_nothing_need_no_dispatch() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, small_pass(device, method)).unwrap();
            assert!(rig.frame().unwrap().is_idle(), "no mesh, no work");
            let recipe = MeshRecipe {
                targets: vec![TargetRecipe::all(0); 3],
                ..MeshRecipe::plain(9, 0, Quantization::Half, 1)
            };
            for recipe in [recipe, MeshRecipe::plain(9, 0, Quantization::Half, 2)] {
                let cooked = recipe.cook(LAYOUT);
                let mesh = add(&mut rig, &cooked);
                rig.settle().unwrap();
                assert!(rig.frame().unwrap().is_idle(), "no instance, no work");
                let instance = rig.pass_mut().attach(mesh).unwrap();
                let weights = vec![1.0; cooked.morph.target_count()];
                rig.pass_mut().set_weights(instance, &weights).unwrap();
                let stats = rig.frame().unwrap();
                assert_eq!((stats.dispatches, stats.written_instances), (0, 1));
                assert_shows(&mut rig, instance, &cooked, &weights);
                rig.pass_mut().set_weights(instance, &[]).unwrap();
                assert!(rig.frame().unwrap().is_idle());
            }
        });
    }
}

#[test]
fn an_unchanged_frame_records_nothing() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, small_pass(device, method)).unwrap();
            let cooked = mesh(50, 4);
            let (_, instances) = settled(&mut rig, &cooked, 5);
            assert!(rig.pass_mut().set_weights(instances[0], &[0.5, 0.25]).unwrap());
            assert_eq!(rig.frame().unwrap().written_instances, 1);
            for _ in 0..3 {
                // Equal weights, by any way of setting them, are no change.
                let pass = rig.pass_mut();
                assert!(!pass.set_weights(instances[0], &[0.5, 0.25, 0.0]).unwrap());
                assert!(!pass.set_weight(instances[0], 1, 0.25).unwrap());
                assert!(!pass.set_weight_named(instances[0], "target 0", 0.5).unwrap());
                assert!(!pass.set_morphs_enabled(instances[0], true).unwrap());
                assert!(!pass.set_visible(instances[0], true).unwrap());
                let stats = rig.frame().unwrap();
                assert!(stats.is_idle() && rig.pass().plan().is_empty(), "{stats:?}");
            }
            // A hidden instance costs nothing, whatever its weights do.
            rig.pass_mut().set_visible(instances[1], false).unwrap();
            rig.pass_mut().set_weights(instances[1], &[1.0]).unwrap();
            assert!(rig.frame().unwrap().is_idle());
            rig.pass_mut().set_visible(instances[1], true).unwrap();
            assert_eq!(rig.frame().unwrap().written_instances, 1);
            assert_shows(&mut rig, instances[1], &cooked, &[1.0]);
        });
    }
}

#[test]
fn a_tiny_staging_ring_takes_many_frames_and_ends_right() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut desc = small_pass(device, method);
            desc.capacities.staging_bytes_per_frame = desc.capacities.frame_bytes + 1024;
            let mut rig = Rig::new(device, desc).unwrap();
            let cooked = mesh(300, 30);
            let mesh = add(&mut rig, &cooked);
            let instance = rig.pass_mut().attach(mesh).unwrap();
            rig.pass_mut().set_weights(instance, &[0.5; 30]).unwrap();
            let (mut waiting, mut degraded, mut last_done) = (0, 0, 0);
            for frame in 0.. {
                assert!(frame < 1000, "the upload never ends");
                match rig.pass().mesh_state(mesh).unwrap() {
                    MeshState::Uploading {
                        done_bytes,
                        total_bytes,
                    } => {
                        assert!(done_bytes >= last_done && done_bytes <= total_bytes);
                        last_done = done_bytes;
                    }
                    MeshState::Resident => break,
                    state @ MeshState::Refused { .. } => panic!("{state:?}"),
                }
                let stats = rig.frame().unwrap();
                waiting += stats.waiting_instances;
                degraded += stats.degraded_instances;
                let range = rig.pass().vertex_range(instance).unwrap();
                assert_eq!(stats.degraded(), stats.degraded_instances > 0);
                if range.written {
                    assert_eq!(
                        shown(&mut rig, instance),
                        cooked.rest.bytes(),
                        "at rest until the deltas are there"
                    );
                }
            }
            assert!(waiting > 0, "frames before the rest pose was there are counted");
            assert!(
                degraded > 5,
                "frames before the deltas were there are counted: {degraded}"
            );
            let stats = rig.frame().unwrap();
            assert_eq!((stats.morphed_instances, stats.degraded_instances), (1, 0));
            assert_shows(&mut rig, instance, &cooked, &[0.5; 30]);
        });
    }
}

#[test]
fn without_pipelines_the_rest_pose_is_drawn_and_counted_as_degraded() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let desc = MorphPassDesc {
                defer_pipelines: true,
                ..small_pass(device, method)
            };
            let mut rig = Rig::new(device, desc).unwrap();
            let cooked = mesh(50, 4);
            let mesh = add(&mut rig, &cooked);
            let instances: Vec<_> = (0..5).map(|_| rig.pass_mut().attach(mesh).unwrap()).collect();
            for instance in &instances[1..] {
                rig.pass_mut().set_weights(*instance, &[1.0, -0.5]).unwrap();
            }
            assert!(!rig.pass().pipelines_ready());
            rig.frame().unwrap();
            for _ in 0..3 {
                let stats = rig.frame().unwrap();
                assert_eq!((stats.degraded_instances, stats.dispatches), (4, 0));
                for instance in &instances {
                    assert_shows(&mut rig, *instance, &cooked, &[]);
                }
            }
            // SAFETY: the device is live and waited for; this thread alone uses the pass.
            unsafe { rig.pass_mut().build_pipelines() }.unwrap();
            assert!(rig.pass().pipelines_ready());
            let stats = rig.frame().unwrap();
            assert_eq!((stats.degraded_instances, stats.morphed_instances), (0, 4));
            for instance in &instances[1..] {
                assert_shows(&mut rig, *instance, &cooked, &[1.0, -0.5]);
            }
            assert!(rig.frame().unwrap().is_idle());
        });
    }
}

#[test]
fn a_dropped_frame_is_made_up_for() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, small_pass(device, method)).unwrap();
            let cooked = mesh(50, 4);
            let mesh = add(&mut rig, &cooked);
            let instance = rig.pass_mut().attach(mesh).unwrap();
            // The upload is dropped, then the first write.
            rig.drop_frame().unwrap();
            assert!(!rig.pass().vertex_range(instance).unwrap().written);
            rig.frame().unwrap();
            rig.pass_mut().set_weights(instance, &[1.0]).unwrap();
            rig.drop_frame().unwrap();
            assert!(
                !rig.pass().vertex_range(instance).unwrap().written,
                "the frame that wrote it was dropped"
            );
            rig.frame().unwrap();
            assert_shows(&mut rig, instance, &cooked, &[1.0]);
            // A change is dropped.
            rig.pass_mut().set_weights(instance, &[0.5, 2.0]).unwrap();
            rig.drop_frame().unwrap();
            let stats = rig.frame().unwrap();
            assert_eq!(stats.written_instances, 1);
            assert_shows(&mut rig, instance, &cooked, &[0.5, 2.0]);
            assert!(rig.frame().unwrap().is_idle());
        });
    }
}

#[test]
fn the_first_frame_at_zero_weights_writes_the_rest_pose() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, small_pass(device, method)).unwrap();
            rig.fill_geometry(0xffff_ffff).unwrap();
            let cooked = mesh(50, 4);
            let mesh = add(&mut rig, &cooked);
            rig.frame().unwrap();
            let instance = rig.pass_mut().attach(mesh).unwrap();
            assert!(!rig.pass().vertex_range(instance).unwrap().written);
            let stats = rig.frame().unwrap();
            assert_eq!((stats.written_instances, stats.dispatches), (1, 0));
            assert_shows(&mut rig, instance, &cooked, &[]);
        });
    }
}

#[test]
fn weights_that_cannot_be_are_refused_by_name_and_change_nothing() {
    on_every_driver(|_, device| {
        let mut rig = Rig::new(device, small_pass(device, Method::Gather)).unwrap();
        let cooked = mesh(9, 3);
        let (_, instances) = settled(&mut rig, &cooked, 1);
        let pass = rig.pass_mut();
        pass.set_weights(instances[0], &[1.0, 2.0, 3.0]).unwrap();
        let error = pass.set_weights(instances[0], &[0.0, f32::NAN]).unwrap_err();
        assert!(
            matches!(error, MorphError::Weight(WeightError::NotFinite { slot: 1, .. })),
            "{error}"
        );
        assert!(error.to_string().contains("target 1"), "{error}");
        assert!(pass.set_weight(instances[0], 0, f32::INFINITY).is_err());
        assert!(pass.set_weights(instances[0], &[0.0; 4]).is_err());
        assert!(pass.set_weight(instances[0], 3, 0.0).is_err());
        let error = pass.set_weight_named(instances[0], "targt 2", 0.0).unwrap_err();
        assert!(error.to_string().contains("`target 2`"), "{error}");
        assert_eq!(pass.weights(instances[0]).unwrap(), [1.0, 2.0, 3.0]);
        rig.settle().unwrap();
        assert_shows(&mut rig, instances[0], &cooked, &[1.0, 2.0, 3.0]);
    });
}

#[test]
fn memory_may_come_from_an_engines_gpu_allocator() {
    on_every_driver(|_, device| {
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: device.instance().clone(),
            device: device.device().clone(),
            physical_device: device.physical_device(),
            debug_settings: gpu_allocator::AllocatorDebugSettings::default(),
            buffer_device_address: false,
            allocation_sizes: gpu_allocator::AllocationSizes::default(),
        })
        .unwrap();
        let allocator = Arc::new(Mutex::new(allocator));
        let memory = Box::new(GpuAllocatorMemory::new(Arc::clone(&allocator)));
        let mut rig = Rig::with_memory(device, small_pass(device, Method::Gather), memory).unwrap();
        let cooked = mesh(300, 20);
        let (_, instances) = settled(&mut rig, &cooked, 5);
        for (number, instance) in instances.iter().enumerate() {
            rig.pass_mut()
                .set_weights(*instance, &[number as f32; 20])
                .unwrap();
        }
        rig.settle().unwrap();
        for (number, instance) in instances.iter().enumerate() {
            assert_shows(&mut rig, *instance, &cooked, &[number as f32; 20]);
        }
        drop(rig);
        let report = allocator.lock().unwrap().generate_report();
        assert_eq!(report.allocations.len(), 0, "everything was given back");
    });
}

#[test]
fn pipelines_come_out_of_an_engines_pipeline_cache() {
    on_every_driver(|_, device| {
        let functions = device.device();
        let info = ash::vk::PipelineCacheCreateInfo::default();
        // SAFETY: the device is alive.
        let cache = unsafe { functions.create_pipeline_cache(&info, None) }.unwrap();
        // SAFETY: as above.
        let empty = unsafe { functions.get_pipeline_cache_data(cache) }.unwrap();
        for method in METHODS {
            let desc = MorphPassDesc {
                pipeline_cache: cache,
                ..small_pass(device, method)
            };
            let mut rig = Rig::new(device, desc).unwrap();
            let cooked = mesh(50, 4);
            let (_, instances) = settled(&mut rig, &cooked, 1);
            rig.pass_mut().set_weights(instances[0], &[1.0, 0.5]).unwrap();
            rig.frame().unwrap();
            assert_shows(&mut rig, instances[0], &cooked, &[1.0, 0.5]);
        }
        // SAFETY: as above.
        let filled = unsafe { functions.get_pipeline_cache_data(cache) }.unwrap();
        assert!(filled.len() >= empty.len());
        // SAFETY: pipelines keep no hold on the cache that they were made with.
        unsafe { functions.destroy_pipeline_cache(cache, None) };
    });
}
