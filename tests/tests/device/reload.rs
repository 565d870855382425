//! Shaders replaced while frames run, pipelines built on other threads.

use morph_render::ValidationDesc;
use morph_validation::{ObjectWatch, Rig, assert_silent, expected_bytes, with_validation};
use morph_vk::{Method, MorphError, MorphPassDesc, ShaderModules, ShaderProblem, modules};

use crate::support::{METHODS, assert_shows, mesh, on_every_driver, settled, shown, small_pass};

/// The crate's own modules with every sum of floats turned into a difference.
fn subtracting(method: Method) -> ShaderModules {
    let bytes = match method {
        Method::Gather => modules::GATHER,
        Method::Scatter => modules::SCATTER,
    };
    let mut words = ShaderModules::words(bytes).unwrap();
    let (add, subtract) = (129, 131);
    let (mut at, mut changed) = (5, 0);
    while at < words.len() {
        let (length, operation) = (words[at] >> 16, words[at] & 0xffff);
        if operation == add {
            words[at] = length << 16 | subtract;
            changed += 1;
        }
        at += length as usize;
    }
    assert!(changed > 0, "the kernel adds nothing");
    match method {
        Method::Gather => ShaderModules::built_in().with_gather(words),
        Method::Scatter => ShaderModules::built_in().with_scatter(words),
    }
    .unwrap()
}

fn pipelines(watch: &ObjectWatch) -> u32 {
    watch.live().get("pipeline").copied().unwrap_or(0)
}

#[test]
fn reloaded_shaders_are_used_at_once_and_the_old_ones_go_when_their_frames_are_done() {
    for driver in morph_tests::test_drivers() {
        let judged = with_validation(&driver, ValidationDesc::SYNCHRONIZATION, |device| {
            let watch = ObjectWatch::of(device).unwrap();
            for method in METHODS {
                let mut rig = Rig::new(device, small_pass(device, method)).unwrap();
                let one_set = pipelines(&watch);
                let cooked = mesh(64, 4);
                let (_, instances) = settled(&mut rig, &cooked, 2);
                let weights = [1.0, 0.5, -0.25];
                for instance in &instances {
                    rig.pass_mut().set_weights(*instance, &weights).unwrap();
                }
                rig.submit(|_| (), |_, _| ()).unwrap();
                let other = subtracting(method);
                // SAFETY: the device is live; the module is the crate's own with another operation of the same form.
                unsafe { rig.pass_mut().reload_shaders(&other) }.unwrap();
                assert_eq!(pipelines(&watch), 2 * one_set, "the old ones are pending");
                let stats = rig.submit(|_| (), |_, _| ()).unwrap();
                assert_eq!(
                    stats.morphed_instances, 2,
                    "everything is written with the new ones"
                );
                let expected = expected_bytes(&cooked.morph, &cooked.rest, &weights).unwrap();
                assert!(
                    shown(&mut rig, instances[0]) != expected,
                    "the old shaders still run"
                );
                // SAFETY: as above.
                unsafe { rig.pass_mut().reload_shaders(&ShaderModules::built_in()) }.unwrap();
                rig.settle().unwrap();
                rig.settle().unwrap();
                rig.frame().unwrap();
                assert_eq!(pipelines(&watch), one_set, "all retired ones are gone");
                for instance in &instances {
                    assert_shows(&mut rig, *instance, &cooked, &weights);
                }
                // Retired ones also go with the pass.
                // SAFETY: as above.
                unsafe { rig.pass_mut().reload_shaders(&other) }.unwrap();
                drop(rig);
                assert_eq!(pipelines(&watch), 0);
            }
        })
        .unwrap();
        assert_silent("shaders reloaded while frames run", &judged.messages);
    }
}

#[test]
fn what_is_not_the_kernels_spir_v_is_refused_before_the_driver_sees_it() {
    let words = ShaderModules::words(modules::GATHER).unwrap();
    let refused = |words: Vec<u32>| match ShaderModules::built_in().with_gather(words) {
        Err(MorphError::Shader {
            module: "gather",
            problem,
        }) => problem,
        other => panic!("{other:?}"),
    };
    let text = ShaderModules::words(b"#version 450\n\n\n\n").unwrap();
    assert!(matches!(refused(text), ShaderProblem::NotSpirv { .. }));
    assert!(matches!(
        refused(Vec::new()),
        ShaderProblem::NotSpirv { first_word: 0 }
    ));
    assert_eq!(refused(words[..words.len() - 1].to_vec()), ShaderProblem::CutOff);
    let scatter = ShaderModules::words(modules::SCATTER).unwrap();
    assert!(matches!(refused(scatter), ShaderProblem::NoConstant { .. }));
}

#[test]
fn pipelines_built_on_another_thread_are_installed_and_foreign_ones_are_not() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let watch = ObjectWatch::of(device).unwrap();
            let desc = MorphPassDesc {
                defer_pipelines: true,
                ..small_pass(device, method)
            };
            let mut rig = Rig::new(device, desc.clone()).unwrap();
            let mut other = Rig::new(device, desc).unwrap();
            let cooked = mesh(50, 4);
            let (_, instances) = {
                let mesh = crate::support::add(&mut rig, &cooked);
                (mesh, [rig.pass_mut().attach(mesh).unwrap()])
            };
            rig.pass_mut().set_weights(instances[0], &[1.0, 0.5]).unwrap();
            let builder = rig.pass().pipeline_builder();
            // SAFETY: the pass is not destroyed before the thread has ended.
            let thread = std::thread::spawn(move || unsafe { builder.build(&ShaderModules::built_in()) });
            // Frames go on meanwhile.
            for _ in 0..3 {
                assert_eq!(rig.frame().unwrap().dispatches, 0);
            }
            let built = thread.join().unwrap().unwrap();
            // SAFETY: the device is live.
            unsafe { rig.pass_mut().install_pipelines(built) }.unwrap();
            assert!(rig.pass().pipelines_ready());
            rig.settle().unwrap();
            assert_shows(&mut rig, instances[0], &cooked, &[1.0, 0.5]);

            let one_set = pipelines(&watch);
            // SAFETY: the pass is alive.
            let foreign = unsafe { rig.pass().pipeline_builder().build(&ShaderModules::built_in()) }.unwrap();
            assert_eq!(pipelines(&watch), 2 * one_set);
            // SAFETY: the device is live.
            let refused = unsafe { other.pass_mut().install_pipelines(foreign) };
            assert_eq!(refused, Err(MorphError::ForeignPipelines));
            assert_eq!(pipelines(&watch), one_set);
            // SAFETY: the pass is alive.
            let unused = unsafe { rig.pass().pipeline_builder().build(&ShaderModules::built_in()) }.unwrap();
            // SAFETY: the device is live.
            unsafe { unused.destroy() };
            assert_eq!(pipelines(&watch), one_set);

            rig.wait().unwrap();
            // SAFETY: the device is idle.
            unsafe { rig.pass_mut().destroy() };
            // SAFETY: the device is live.
            let refused = unsafe { rig.pass_mut().reload_shaders(&ShaderModules::built_in()) };
            assert_eq!(refused, Err(MorphError::Destroyed));
            // SAFETY: the device is live.
            let refused = unsafe { rig.pass_mut().build_pipelines() };
            assert_eq!(refused, Err(MorphError::Destroyed));
            assert_eq!(pipelines(&watch), 0);
        });
    }
}
