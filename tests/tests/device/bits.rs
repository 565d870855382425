//! Every device path equals the host kernel to the last bit, and touches no byte that is not its own.

use std::cell::Cell;

use morph_core::{Quantization, VertexFormat, VertexLayout};
use morph_render::{DeformerDesc, ValidationDesc, pass_desc};
use morph_tests::recipe::{LayoutRecipe, MeshRecipe, TargetRecipe, odd_layout};
use morph_tests::scene::{Operation, SceneRecipe, WeightKind, any_rich_scene, any_scene, any_story};
use morph_tests::world::{Tally, World};
use morph_tests::{say, test_drivers};
use morph_validation::{Driver, Rig, check_silent};
use morph_vk::{Capacities, Method};
use proptest::prelude::Strategy;

use crate::support::{check_random, on_every_driver};

/// SwiftShader compiles each pass's pipelines anew, which takes half a second: it plays a quarter of the scenes.
fn share(driver: &Driver, case_count: u32) -> u32 {
    if driver.info().is_swiftshader() {
        case_count / 4
    } else {
        case_count
    }
}

fn random<S: Strategy<Value = SceneRecipe>>(
    what: &str,
    method: Method,
    case_count: u32,
    scenes: impl Fn() -> S,
) {
    on_every_driver(|driver, device| {
        let case_count = share(driver, case_count);
        let tally = Cell::new(Tally::default());
        check_random(driver.name(), case_count, scenes(), |scene| {
            let mut sum = tally.get();
            sum += World::play(device, &scene, method)?;
            tally.set(sum);
            Ok(())
        });
        let name = driver.name();
        say(format_args!(
            "bits: {method:?} on {name}: {case_count} random {what}, {}",
            tally.get()
        ));
        assert!(
            tally.get().morphed_count > u64::from(case_count),
            "the {what} hardly morph anything"
        );
    });
}

#[test]
fn gather_equals_the_host_in_random_scenes() {
    random("scenes", Method::Gather, 80, any_scene);
}

#[test]
fn gather_equals_the_host_in_random_scenes_of_any_layout() {
    random("scenes of any layout", Method::Gather, 40, any_rich_scene);
}

#[test]
fn scatter_equals_the_host_in_random_scenes() {
    random("scenes", Method::Scatter, 60, any_scene);
}

#[test]
fn gather_equals_the_host_and_its_own_past_in_random_stories() {
    random("stories", Method::Gather, 200, any_story);
}

#[test]
fn scatter_equals_the_host_and_its_own_past_in_random_stories() {
    random("stories", Method::Scatter, 200, any_story);
}

/// The layer watches while nobody waits: what orders the frames is the pass's own barriers.
fn silent_in_flight<S: Strategy<Value = SceneRecipe>>(
    method: Method,
    case_count: u32,
    scenes: impl Fn() -> S,
) {
    for driver in test_drivers() {
        let device = driver.validated_device(ValidationDesc::SYNCHRONIZATION).unwrap();
        let log = device.message_log();
        let case_count = share(&driver, case_count);
        let frames = Cell::new(0);
        check_random(driver.name(), case_count, scenes(), |scene| {
            let tally = World::play_in_flight(&device, &scene, method)?;
            frames.set(frames.get() + tally.frame_count);
            check_silent("frames in flight", &log.take()).map_err(|error| error.to_string())
        });
        let (name, frames) = (driver.name(), frames.get());
        say(format_args!(
            "bits: {method:?} on {name}: {case_count} scenes in flight, {frames} frames, 0 messages"
        ));
    }
}

#[test]
fn gather_is_silent_under_the_layer_in_random_scenes_in_flight() {
    silent_in_flight(Method::Gather, 24, any_scene);
}

#[test]
fn gather_is_silent_under_the_layer_in_random_scenes_of_any_layout_in_flight() {
    silent_in_flight(Method::Gather, 24, any_rich_scene);
}

#[test]
fn scatter_is_silent_under_the_layer_in_random_scenes_in_flight() {
    silent_in_flight(Method::Scatter, 16, any_scene);
}

#[test]
fn gather_is_silent_under_the_layer_in_random_stories_in_flight() {
    silent_in_flight(Method::Gather, 40, any_story);
}

#[test]
fn scatter_is_silent_under_the_layer_in_random_stories_in_flight() {
    silent_in_flight(Method::Scatter, 40, any_story);
}

const QUANTIZATIONS: [Quantization; 3] = [Quantization::F32, Quantization::Half, Quantization::Snorm16];

/// Targets of every combination of streams.
fn all_streams() -> Vec<TargetRecipe> {
    (0..8_u32)
        .map(|bits| TargetRecipe {
            fill_percent: 70,
            positions: bits & 1 != 0,
            normals: bits & 2 != 0,
            tangents: bits & 4 != 0,
            texcoords: bits & 3 == 1,
            colors: bits & 3 == 2,
        })
        .collect()
}

/// A layout of all attributes, with packed tangents, in this many streams.
fn everything(seed: u64, normals: VertexFormat, most_streams: u32) -> VertexLayout {
    LayoutRecipe {
        seed,
        normals: Some(normals),
        tangents: Some(VertexFormat::Snorm10),
        texcoord: true,
        color: true,
        most_streams,
    }
    .layout()
}

/// Every edge of a workgroup, quantization and number of instances, in one world for each layout.
fn edges_of_workgroups(method: Method, layouts: &[VertexLayout]) {
    on_every_driver(|driver, device| {
        let mut tally = Tally::default();
        for layout in layouts {
            let mut capacities = Capacities::new(24 << 20, 1000, 16);
            capacities.staging_bytes_per_frame += 24 << 20;
            let desc = DeformerDesc {
                layout: *layout,
                method,
                history: false,
                capacities,
            };
            let mut world = World::new(device, pass_desc(device, &desc)).unwrap();
            let mut seed = 0;
            for vertex_count in [1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 300] {
                for quantization in QUANTIZATIONS {
                    seed += 1;
                    let recipe = MeshRecipe {
                        vertex_count,
                        targets: all_streams(),
                        quantization,
                        largest: 4.0,
                        seed,
                    };
                    let mesh = world
                        .add_mesh(recipe.cook(*layout))
                        .unwrap()
                        .expect("there is room");
                    // 1 to 3 instances take the shape X32Y1, 4, 16 and 17 the shape X8Y16.
                    for _ in 0..[1, 3, 4, 16, 17][seed as usize % 5] {
                        let actor = world.attach(mesh).unwrap().expect("there is room");
                        world.set_weights(actor, WeightKind::Edgy, seed).unwrap();
                    }
                }
            }
            world.settle().unwrap();
            for actor in 0..100 {
                let (kind, seed) = (WeightKind::Ordinary, u64::from(actor));
                world.apply(Operation::Weights { actor, kind, seed }).unwrap();
            }
            world.settle().unwrap();
            tally += world.tally();
        }
        say(format_args!(
            "bits: {method:?} at the edges of workgroups on {}: {tally}",
            driver.name()
        ));
    });
}

#[test]
fn gather_equals_the_host_at_the_edges_of_workgroups() {
    edges_of_workgroups(
        Method::Gather,
        &[
            VertexLayout::PACKED,
            VertexLayout::POSITION,
            odd_layout(1, true, true),
            odd_layout(2, false, true),
            VertexLayout::SEPARATE,
            everything(3, VertexFormat::Snorm10, 1),
            everything(4, VertexFormat::Snorm10, 5),
            everything(5, VertexFormat::Octahedral16, 2),
        ],
    );
}

#[test]
fn scatter_equals_the_host_at_the_edges_of_workgroups() {
    edges_of_workgroups(
        Method::Scatter,
        &[
            VertexLayout::PACKED,
            VertexLayout::POSITION_NORMAL,
            odd_layout(3, true, true),
            VertexLayout::SEPARATE,
        ],
    );
}

#[test]
fn b106_any_number_of_targets_equals_the_host() {
    for method in [Method::Gather, Method::Scatter] {
        on_every_driver(|_, device| {
            let capacities = Capacities::new(8 << 20, 64, 2000);
            let desc = DeformerDesc {
                layout: VertexLayout::PACKED,
                method,
                history: false,
                capacities,
            };
            let mut world = World::new(device, pass_desc(device, &desc)).unwrap();
            for (number, target_count) in [0, 1, 64, 65, 128, 256, 257, 1000].into_iter().enumerate() {
                let recipe = MeshRecipe::plain(3, target_count, QUANTIZATIONS[number % 3], number as u64);
                let mesh = world
                    .add_mesh(recipe.cook(VertexLayout::PACKED))
                    .unwrap()
                    .expect("there is room");
                for kind in [WeightKind::Ordinary, WeightKind::Edgy] {
                    let actor = world.attach(mesh).unwrap().expect("there is room");
                    world.set_weights(actor, kind, 7).unwrap();
                }
            }
            world.settle().unwrap();
        });
    }
}

/// Overwrites a word of the geometry buffer behind the pass's back.
fn poke(rig: &Rig, offset: u64) {
    let device = rig.device();
    let functions = device.device();
    let buffer = rig.pass().geometry_buffer().buffer();
    device
        .submit_once("poke", |commands| {
            // SAFETY: the command buffer is recording; the buffer is alive and may be copied into, and every frame was
            // waited for.
            unsafe { functions.cmd_fill_buffer(commands, buffer, offset, 4, 0x1234_5678) };
        })
        .unwrap();
}

/// A model that nothing can contradict proves nothing.
#[test]
fn the_model_reports_bytes_that_are_not_as_they_should_be() {
    on_every_driver(|_, device| {
        let world = || {
            let desc = DeformerDesc {
                layout: VertexLayout::PACKED,
                method: Method::Gather,
                history: true,
                capacities: Capacities::new(1 << 16, 4, 4),
            };
            let mut world = World::new(device, pass_desc(device, &desc)).unwrap();
            let cooked = MeshRecipe::plain(9, 3, Quantization::Half, 5).cook(VertexLayout::PACKED);
            let mesh = world.add_mesh(cooked).unwrap().unwrap();
            for seed in 0..2 {
                let actor = world.attach(mesh).unwrap().unwrap();
                world.set_weights(actor, WeightKind::Ordinary, seed).unwrap();
            }
            world.settle().unwrap();
            world
                .apply(Operation::Visible {
                    actor: 1,
                    visible: false,
                })
                .unwrap();
            world.frame().unwrap();
            world
        };
        let range_of = |world: &World, actor: usize| {
            let range = world.rig().pass().vertex_range(world.instance(actor)).unwrap();
            world
                .rig()
                .bytes_of(range.current_first_vertex, range.vertex_count)
                .0
        };
        assert!(world().frame().is_ok());

        let mut shown = world();
        poke(shown.rig(), range_of(&shown, 0) + 4);
        let error = shown.frame().unwrap_err();
        assert!(
            error.contains("instance 0") && error.contains("vertex 0, byte 4"),
            "{error}"
        );

        let mut hidden = world();
        poke(hidden.rig(), range_of(&hidden, 1) + 40);
        let error = hidden.frame().unwrap_err();
        assert!(error.contains("belongs to nobody who was written"), "{error}");

        let mut gap = world();
        poke(gap.rig(), (1 << 16) - 4);
        let error = gap.frame().unwrap_err();
        assert!(error.contains("byte 65532"), "{error}");

        // The previous range of a motion.
        let mut moved = world();
        let before = range_of(&moved, 0);
        moved
            .apply(Operation::Weights {
                actor: 0,
                kind: WeightKind::Ordinary,
                seed: 77,
            })
            .unwrap();
        poke(moved.rig(), before);
        let error = moved.frame().unwrap_err();
        assert!(error.contains("previous range"), "{error}");
    });
}
