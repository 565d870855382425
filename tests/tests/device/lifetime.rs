//! Passes that go in ways they should not, room that grows while frames run, and who may be on which thread.

use std::panic::{AssertUnwindSafe, catch_unwind};

use morph_render::{ValidationDesc, raw_memory};
use morph_validation::{ObjectWatch, Rig, assert_silent, with_validation};
use morph_vk::{
    BuiltPipelines, FrameStats, InstanceId, MeshDesc, MeshId, Method, MorphError, MorphPass, MorphPassDesc,
    PassStats, PipelineBuilder, ShaderModules, VertexRange,
};

use crate::support::{METHODS, add, assert_shows, logged, mesh, on_every_driver, small_pass};

#[test]
fn b185_a_pass_dropped_without_destroy_is_told_and_its_objects_are_seen_to_leak() {
    for with_instance in [false, true] {
        for driver in morph_tests::test_drivers() {
            let device = driver.device().unwrap();
            let watch = ObjectWatch::of(&device).unwrap();
            let desc = small_pass(&device, Method::Gather);
            // SAFETY: the device is live; facts and memory are its own.
            let made = unsafe { MorphPass::new(device.device(), desc, Box::new(raw_memory(&device))) };
            let mut pass = made.unwrap();
            if with_instance {
                let cooked = mesh(9, 2);
                let mesh = pass.add_mesh(MeshDesc::new(cooked.morph, cooked.rest)).unwrap();
                pass.attach(mesh).unwrap();
            }
            let log = logged(|| drop(pass));
            assert_eq!(log.lines().count(), 1, "{log}");
            assert!(
                log.contains("ERROR") && log.contains("without `destroy`"),
                "{log}"
            );
            let live = watch.live();
            assert_eq!(
                (live["buffer"], live["memory"], live["pipeline"]),
                (3, 3, 6),
                "{live:?}"
            );
            // The control of every device test: what leaks is reported when the device ends.
            let ended = catch_unwind(AssertUnwindSafe(|| drop(device)));
            let message = *ended.unwrap_err().downcast::<String>().unwrap();
            for part in ["3 × buffer", "3 × memory", "6 × pipeline", "1 × descriptor pool"] {
                assert!(message.contains(part), "{message}");
            }
        }
    }
}

#[test]
fn a_second_destroy_does_nothing() {
    on_every_driver(|_, device| {
        let watch = ObjectWatch::of(device).unwrap();
        let before = watch.live();
        let desc = small_pass(device, Method::Scatter);
        // SAFETY: the device is live; facts and memory are its own.
        let made = unsafe { MorphPass::new(device.device(), desc, Box::new(raw_memory(device))) };
        let mut pass = made.unwrap();
        for _ in 0..2 {
            // SAFETY: nothing was recorded.
            unsafe { pass.destroy() };
            assert_eq!(watch.live(), before);
        }
        assert_eq!(logged(|| drop(pass)), "");
    });
}

#[test]
fn b183_room_grows_while_two_frames_are_pending() {
    for driver in morph_tests::test_drivers() {
        let judged = with_validation(&driver, ValidationDesc::SYNCHRONIZATION, |device| {
            for method in METHODS {
                let mut desc = small_pass(device, method);
                desc.capacities.frame_slot_count = 3;
                let mut rig = Rig::new(device, desc).unwrap();
                let cooked = mesh(40, 3);
                let mesh = add(&mut rig, &cooked);
                rig.settle().unwrap();
                let mut instances: Vec<InstanceId> = Vec::new();
                for frame in 0..20_u16 {
                    // Every frame adds one, so blocks grow; every third frame the oldest goes.
                    instances.push(rig.pass_mut().attach(mesh).unwrap());
                    if frame % 3 == 2 {
                        rig.pass_mut().detach(instances.remove(0)).unwrap();
                    }
                    for instance in &instances {
                        let weights = [f32::from(frame), 0.5];
                        rig.pass_mut().set_weights(*instance, &weights).unwrap();
                    }
                    rig.submit(|_| (), |_, _| ()).unwrap();
                }
                rig.settle().unwrap();
                for instance in instances {
                    assert_shows(&mut rig, instance, &cooked, &[19.0, 0.5]);
                }
            }
        })
        .unwrap();
        assert_silent("room grows while frames are pending", &judged.messages);
    }
}

#[test]
fn what_threads_may_do_is_as_documented() {
    fn both<T: Send + Sync>() {}
    fn plain<T: Copy + Send + Sync + 'static>() {}
    both::<MorphPass>();
    both::<MorphPassDesc>();
    both::<PipelineBuilder>();
    both::<BuiltPipelines>();
    both::<ShaderModules>();
    both::<MorphError>();
    plain::<MeshId>();
    plain::<InstanceId>();
    plain::<VertexRange>();
    plain::<FrameStats>();
    plain::<PassStats>();

    on_every_driver(|_, device| {
        let mut rig = Rig::new(device, small_pass(device, Method::Gather)).unwrap();
        let cooked = mesh(50, 4);
        let mesh = add(&mut rig, &cooked);
        let instance = rig.pass_mut().attach(mesh).unwrap();
        // Made here, fed and recorded there, read by several, ended here.
        let mut rig = std::thread::scope(|scope| {
            let moved = scope.spawn(move || {
                rig.pass_mut().set_weights(instance, &[1.0, 0.5]).unwrap();
                rig.settle().unwrap();
                rig
            });
            moved.join().unwrap()
        });
        let pass = rig.pass();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| assert!(pass.vertex_range(instance).unwrap().written));
            }
        });
        assert_shows(&mut rig, instance, &cooked, &[1.0, 0.5]);
    });
}
