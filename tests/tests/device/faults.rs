//! Every call that makes something, failing in turn; and a device that is lost.

use ash::vk;
use morph_render::{HeadlessDevice, raw_memory};
use morph_validation::{ObjectWatch, Rig};
use morph_vk::{Method, MorphError, MorphPass, MorphPassDesc, RecordRefusal, ShaderModules};

use crate::support::{METHODS, assert_shows, mesh, on_every_driver, settled, small_pass};

const FAILURES: [vk::Result; 3] = [
    vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
    vk::Result::ERROR_OUT_OF_HOST_MEMORY,
    vk::Result::ERROR_DEVICE_LOST,
];

/// Everything switched on that makes objects. With a cache, as the same pipelines are built again and again.
fn full(device: &HeadlessDevice, method: Method, cache: vk::PipelineCache) -> MorphPassDesc {
    MorphPassDesc {
        check_slots: true,
        timestamps: true,
        pipeline_cache: cache,
        ..small_pass(device, method)
    }
}

/// Runs something with a pipeline cache.
fn with_cache(device: &HeadlessDevice, run: impl FnOnce(vk::PipelineCache)) {
    let functions = device.device();
    let info = vk::PipelineCacheCreateInfo::default();
    // SAFETY: the device is live.
    let cache = unsafe { functions.create_pipeline_cache(&info, None) }.unwrap();
    run(cache);
    // SAFETY: nothing builds any more.
    unsafe { functions.destroy_pipeline_cache(cache, None) };
}

#[track_caller]
fn assert_typed(error: &MorphError, failure: vk::Result) {
    let says = match error {
        MorphError::Vulkan { call, result } => call.starts_with("vk") && *result == failure,
        MorphError::Memory { reason, .. } => reason.contains(&failure.to_string()),
        _ => false,
    };
    assert!(says, "{error:?} does not say {failure}");
}

/// Runs `attempt` with its first, second, third … creating call failing, until none is left; returns how many failed.
#[track_caller]
fn fail_each(watch: &ObjectWatch, mut attempt: impl FnMut() -> Result<(), MorphError>) -> u64 {
    for number in 1.. {
        let failure = FAILURES[number as usize % FAILURES.len()];
        let before = watch.live();
        watch.fail_creation(number, failure);
        let outcome = attempt();
        watch.fail_creation(0, failure);
        match outcome {
            Ok(()) => return number - 1,
            Err(error) => assert_typed(&error, failure),
        }
        assert_eq!(
            watch.live(),
            before,
            "call {number} failed with {failure} and something leaked"
        );
    }
    unreachable!("a finite attempt ends")
}

#[test]
fn creating_a_pass_leaves_nothing_behind_whichever_call_fails() {
    for method in METHODS {
        on_every_driver(|driver, device| {
            let watch = ObjectWatch::of(device).unwrap();
            with_cache(device, |cache| {
                let before = watch.live();
                let failed = fail_each(&watch, || {
                    let desc = full(device, method, cache);
                    // SAFETY: the device is live; facts, cache and memory are its own.
                    let made = unsafe { MorphPass::new(device.device(), desc, Box::new(raw_memory(device))) };
                    // SAFETY: nothing was recorded.
                    made.map(|mut pass| unsafe { pass.destroy() })
                });
                // Three buffers with memory and binding, layouts, sets, events, queries, modules, pipelines.
                let least = if method == Method::Gather { 24 } else { 20 };
                assert!(failed >= least, "{}: only {failed} calls failed", driver.name());
                assert_eq!(watch.live(), before);
            });
        });
    }
}

#[test]
fn building_later_and_reloading_leave_the_pass_as_it_was_whichever_call_fails() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let watch = ObjectWatch::of(device).unwrap();
            with_cache(device, |cache| {
                let desc = MorphPassDesc {
                    defer_pipelines: true,
                    ..full(device, method, cache)
                };
                let mut rig = Rig::new(device, desc).unwrap();
                let cooked = mesh(50, 4);
                let mesh = crate::support::add(&mut rig, &cooked);
                let instance = rig.pass_mut().attach(mesh).unwrap();
                rig.pass_mut().set_weights(instance, &[1.0, 0.5]).unwrap();
                let failed = fail_each(&watch, || {
                    // Degraded, not stopped.
                    assert!(!rig.pass().pipelines_ready());
                    rig.frame().unwrap();
                    // SAFETY: the device is live.
                    unsafe { rig.pass_mut().build_pipelines() }
                });
                assert!(failed >= 4, "{failed}");
                rig.settle().unwrap();
                assert_shows(&mut rig, instance, &cooked, &[1.0, 0.5]);
                let mut weight = 0.0;
                let failed = fail_each(&watch, || {
                    // The old pipelines go on.
                    weight += 1.0;
                    rig.pass_mut().set_weights(instance, &[weight]).unwrap();
                    assert_eq!(rig.frame().unwrap().morphed_instances, 1);
                    // SAFETY: the device is live; the crate's own modules are valid.
                    unsafe { rig.pass_mut().reload_shaders(&ShaderModules::built_in()) }
                });
                assert!(failed >= 4, "{failed}");
                rig.settle().unwrap();
                assert_shows(&mut rig, instance, &cooked, &[weight]);
            });
        });
    }
}

#[test]
fn a_lost_device_ends_the_pass_and_nothing_leaks() {
    for method in METHODS {
        for (check_slots, timestamps) in [(true, false), (false, true)] {
            on_every_driver(|_, device| {
                let watch = ObjectWatch::of(device).unwrap();
                let desc = MorphPassDesc {
                    check_slots,
                    timestamps,
                    ..small_pass(device, method)
                };
                if timestamps && desc.device.timestamp_valid_bits == 0 {
                    // Nothing asks the device anything.
                    return;
                }
                let mut rig = Rig::new(device, desc).unwrap();
                let cooked = mesh(50, 4);
                let (_, instances) = settled(&mut rig, &cooked, 1);
                let mut last_frame = 0;
                for weight in [1.0, 2.0] {
                    rig.pass_mut().set_weights(instances[0], &[weight]).unwrap();
                    last_frame = rig.frame().unwrap().frame;
                }
                assert!(!rig.pass().is_device_lost());
                watch.lose_device();
                for _ in 0..2 {
                    let stats = rig.frame().unwrap();
                    assert_eq!(
                        (stats.refusal, stats.frame),
                        (Some(RecordRefusal::DeviceLost), last_frame)
                    );
                    assert!(rig.pass().is_device_lost());
                }
                // SAFETY: the device is not really lost; the module is the crate's own.
                let error = unsafe { rig.pass_mut().reload_shaders(&ShaderModules::built_in()) }.unwrap_err();
                assert_typed(&error, vk::Result::ERROR_DEVICE_LOST);
                // What the host knows can still be asked and changed.
                rig.pass_mut().set_weights(instances[0], &[0.5]).unwrap();
                assert_eq!(rig.pass().stats().instance_count, 1);
            });
        }
    }
}
