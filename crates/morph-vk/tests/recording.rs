//! What a frame costs the CPU: no memory in steady state, nothing for what is idle, one copy and few dispatches for
//! whatever changes. The figures themselves are `cargo bench -p morph-vk`'s.

mod common;

use std::time::{Duration, Instant};

use allocation_counter::measure;
use common::{MockPass, desc, mesh_desc, pose, two_moods};
use morph_core::plan::{CopyPurpose, Kernel};
use morph_mock_device::CommandCounts;
use morph_vk::{InstanceId, Method, MorphPassDesc};

const TARGET_COUNT: usize = 52;

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        // Knuth's multiplier for a linear congruential generator of 64 bits; the low bits are weak, so they go.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }
}

fn pass_of(method: Method, history: bool) -> (MockPass, Vec<InstanceId>) {
    let mut pass = MockPass::new(|device| MorphPassDesc {
        method,
        history,
        ..desc(device, 120, TARGET_COUNT as u32)
    })
    .expect("a usable description");
    let mut instances = Vec::new();
    for _ in 0..3 {
        let mesh = pass.pass.add_mesh(mesh_desc(TARGET_COUNT)).expect("room");
        instances.extend((0..40).map(|_| pass.pass.attach(mesh).expect("room")));
    }
    pass.settle();
    (pass, instances)
}

#[test]
fn steady_frames_of_any_changes_allocate_nothing() {
    // The counter has to see what there is to see.
    assert!(measure(|| drop(std::hint::black_box(vec![0_u8; 16]))).count_total > 0);
    for (method, history) in [
        (Method::Gather, false),
        (Method::Gather, true),
        (Method::Scatter, false),
        (Method::Scatter, true),
    ] {
        let (mut pass, instances) = pass_of(method, history);
        let moods = two_moods(TARGET_COUNT);
        // Lists grow to what the largest frame needs, for every frame slot; then they are kept.
        for frame in 0..4 {
            for instance in &instances {
                pass.pass
                    .set_weights(*instance, &moods[frame % 2])
                    .expect("finite");
            }
            pass.record();
        }
        let mut numbers = Numbers(7);
        let mut morphed = 0;
        let mut frame = || {
            for _ in 0..numbers.below(200) {
                let instance = instances[numbers.below(instances.len())];
                let pass = &mut pass.pass;
                match numbers.below(7) {
                    0 => pass.set_weights(instance, &moods[numbers.below(2)]),
                    1 => pass.set_weights(instance, &moods[0][..numbers.below(TARGET_COUNT)]),
                    2 => pass.set_weight(
                        instance,
                        numbers.below(TARGET_COUNT),
                        numbers.below(9) as f32 / 8.0,
                    ),
                    3 => pass.set_weight_named(instance, "target17", numbers.below(9) as f32),
                    4 => pass.set_visible(instance, numbers.below(2) == 0),
                    5 => pass.set_morphs_enabled(instance, numbers.below(4) > 0),
                    _ => pass.reset_weights(instance),
                }
                .expect("usable weights of a live instance");
            }
            morphed += u64::from(pass.record().morphed_instances);
            if numbers.below(10) == 0 {
                pass.discard();
            }
        };
        let counted = measure(|| (0..300).for_each(|_| frame()));
        assert!(morphed > 1000, "{method:?}: only {morphed} were morphed");
        assert_eq!(
            (counted.count_total, counted.bytes_total),
            (0, 0),
            "{method:?}, history {history}"
        );
    }
}

#[test]
fn steady_frames_of_poses_and_weights_allocate_nothing_and_are_one_dispatch() {
    let (mut pass, skeletons, instances) = MockPass::skinned(10, 5);
    let (poses, moods) = ([pose(0), pose(1)], two_moods(TARGET_COUNT));
    let mut frame = |number: usize| {
        // The first frame moves all, later ones those of every first to seventh that are not there yet.
        let step = number % 7 + 1;
        for skeleton in skeletons.iter().step_by(step) {
            pass.pass.set_pose(*skeleton, &poses[number % 2]).expect("finite");
        }
        for instance in instances.iter().step_by(step * 2) {
            pass.pass
                .set_weights(*instance, &moods[number % 2])
                .expect("finite");
        }
        pass.record()
    };
    (0..14).for_each(|number| {
        frame(number);
    });
    let mut most = 0;
    let counted = measure(|| {
        for number in 0..100 {
            let stats = frame(number);
            assert_eq!(stats.dispatches, u32::from(stats.morphed_instances > 0));
            most = most.max(stats.morphed_instances);
        }
    });
    assert!(most > 10, "at most {most} were written");
    assert_eq!((counted.count_total, counted.bytes_total), (0, 0));
}

/// The least time of many runs.
fn least(runs: usize, mut run: impl FnMut(usize)) -> Duration {
    (0..runs)
        .map(|number| {
            let start = Instant::now();
            run(number);
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

#[test]
fn ten_thousand_idle_instances_cost_no_more_than_a_hundred() {
    let idle = |instance_count| {
        let (mut pass, _) = MockPass::settled(1, instance_count);
        let time = least(500, |_| {
            assert!(pass.record().is_idle());
        });
        assert_eq!(pass.commands.take(), CommandCounts::default());
        time
    };
    let (few, many) = (idle(100), idle(10_000));
    // A clock may tick in microseconds; work for each instance would take a hundred times as long.
    assert!(
        many <= few * 10 + Duration::from_micros(5),
        "100 instances: {few:?}, 10,000: {many:?}"
    );
    assert!(many < Duration::from_micros(200), "{many:?}");
}

#[test]
fn a_thousand_changed_instances_are_recorded_within_ten_times_the_limit_without_optimization() {
    let (mut pass, instances) = MockPass::settled(1, 1000);
    let moods = two_moods(TARGET_COUNT);
    let time = least(30, |number| {
        for instance in &instances {
            pass.pass
                .set_weights(*instance, &moods[number % 2])
                .expect("finite");
        }
        assert_eq!(pass.record().morphed_instances, 1000);
    });
    assert!(time < Duration::from_millis(10), "{time:?}");
}

#[test]
fn changed_instances_of_a_mesh_are_one_copy_and_one_dispatch() {
    for count in [1, 3, 4, 100, 1000] {
        let (mut pass, instances) = MockPass::settled(1, 1000);
        let moods = two_moods(TARGET_COUNT);
        for mood in &moods {
            for instance in &instances[..count] {
                pass.pass.set_weights(*instance, mood).expect("finite");
            }
            let stats = pass.record();
            assert_eq!(stats.morphed_instances as usize, count);
            assert_eq!((stats.copies, stats.dispatches, stats.barriers), (1, 1, 3));
            let plan = pass.pass.plan();
            let copy = plan.copies().next().expect("a copy");
            assert_eq!(copy.purpose, CopyPurpose::FrameData);
            let dispatch = plan.dispatches().next().expect("a dispatch");
            assert_eq!(dispatch.instance_count as usize, count);
            assert_eq!(dispatch.kernel, Kernel::gather_for(count as u32));
            let commands = pass.commands.take();
            assert_eq!(
                (commands.copies, commands.copied_regions, commands.dispatches),
                (1, 1, 1)
            );
        }
    }
}

#[test]
fn instances_that_were_attached_one_by_one_still_fall_into_few_dispatches() {
    let mut pass =
        MockPass::new(|device| desc(device, 1000, TARGET_COUNT as u32)).expect("a usable description");
    let mesh = pass.pass.add_mesh(mesh_desc(TARGET_COUNT)).expect("room");
    let instances: Vec<_> = (0..1000).map(|_| pass.pass.attach(mesh).expect("room")).collect();
    pass.settle();
    for instance in &instances {
        pass.pass.set_weight(*instance, 0, 1.0).expect("finite");
    }
    let stats = pass.record();
    assert_eq!((stats.morphed_instances, stats.copies), (1000, 1));
    assert!(stats.dispatches <= 12, "{} dispatches", stats.dispatches);
}

#[test]
fn meshes_share_the_copy_and_take_a_dispatch_each() {
    let (mut pass, instances) = MockPass::settled(20, 10);
    for instance in &instances {
        pass.pass.set_weight(*instance, 3, 0.5).expect("finite");
    }
    let stats = pass.record();
    assert_eq!(
        (
            stats.morphed_instances,
            stats.copies,
            stats.dispatches,
            stats.barriers
        ),
        (200, 1, 20, 3)
    );
}

#[test]
fn instances_that_come_and_go_between_frames_leave_nothing_behind() {
    let (mut pass, mut instances) = MockPass::settled(1, 50);
    let mesh = pass.pass.add_mesh(mesh_desc(TARGET_COUNT)).expect("room");
    pass.settle();
    for instance in instances.drain(25..) {
        pass.pass.detach(instance).expect("a live instance");
    }
    // Many more than the pass has room for at once, none of which a frame ever sees.
    for _ in 0..1000 {
        let fleeting = pass.pass.attach(mesh).expect("room");
        pass.pass.detach(fleeting).expect("a live instance");
    }
    let kept = pass.pass.attach(mesh).expect("room");
    let stats = pass.record();
    assert_eq!((stats.written_instances, stats.copies), (1, 1));
    assert!(pass.pass.vertex_range(kept).is_some_and(|range| range.written));
}

#[test]
fn what_a_pass_makes_goes_when_it_is_destroyed() {
    let (mut pass, _) = MockPass::settled(1, 10);
    assert_eq!((pass.device.live().buffers, pass.device.live().memories), (3, 3));
    // SAFETY: nothing runs on a mock device.
    unsafe { pass.pass.destroy() };
    assert_eq!(pass.device.live().total(), 0);
}
