//! What recording costs the CPU: `cargo bench -p morph-vk`.
//!
//! The pass runs on a mock device, whose functions only count, so that no driver's time is measured. Each row is a
//! frame: what changes, then `record`. Printed are the median and the least of many frames, in microseconds.
#![allow(
    clippy::print_stdout,
    reason = "this is a program; its output is for a person to read"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::time::{Duration, Instant};

use common::{MockPass, pose, two_moods};

const TARGET_COUNT: usize = 52;
const WARM_UP_FRAMES: usize = 50;

struct Row {
    name: &'static str,
    median: Duration,
    least: Duration,
    allocations: u64,
}

/// Runs frames; each closure call is one, and gets its number.
fn measure(name: &'static str, frame_count: usize, mut frame: impl FnMut(usize)) -> Row {
    for number in 0..WARM_UP_FRAMES {
        frame(number);
    }
    let mut times = vec![Duration::ZERO; frame_count];
    let counted = allocation_counter::measure(|| {
        for (number, time) in times.iter_mut().enumerate() {
            let start = Instant::now();
            frame(WARM_UP_FRAMES + number);
            *time = start.elapsed();
        }
    });
    times.sort_unstable();
    let row = Row {
        name,
        median: times[frame_count / 2],
        least: times[0],
        allocations: counted.count_total,
    };
    let micros = |it: Duration| it.as_secs_f64() * 1e6;
    println!(
        "{:<28} {:>9.2}   least {:>9.2}   allocations {}",
        row.name,
        micros(row.median),
        micros(row.least),
        row.allocations
    );
    row
}

fn main() {
    let mut rows = Vec::new();
    many_instances(&mut rows);
    a_thousand_instances(&mut rows);
    a_hundred_meshes(&mut rows);
    skinned_instances(&mut rows);
    coming_and_going();
    let allocations: u64 = rows.iter().map(|row| row.allocations).sum();
    println!("allocations {allocations}");
}

/// Ten thousand instances of a mesh.
fn many_instances(rows: &mut Vec<Row>) {
    let moods = two_moods(TARGET_COUNT);
    let (mut pass, instances) = MockPass::settled(1, 10_000);
    rows.push(measure("idle_10000_us", 2000, |_| {
        black_box(pass.record());
    }));
    rows.push(measure("discard_idle_10000_us", 200, |_| {
        black_box(pass.record());
        pass.discard();
    }));
    for instance in &instances {
        pass.pass.set_weights(*instance, &moods[0]).expect("finite");
    }
    pass.settle();
    rows.push(measure("same_weights_10000_us", 200, |_| {
        for instance in &instances {
            pass.pass.set_weights(*instance, &moods[0]).expect("finite");
        }
        black_box(pass.record());
    }));
    rows.push(measure("changed_1000_of_10000_us", 500, |number| {
        for instance in instances.iter().step_by(10) {
            pass.pass
                .set_weights(*instance, &moods[(number + 1) % 2])
                .expect("finite");
        }
        black_box(pass.record());
    }));
    rows.push(measure("changed_10000_us", 100, |number| {
        for instance in &instances {
            pass.pass
                .set_weights(*instance, &moods[number % 2])
                .expect("finite");
        }
        black_box(pass.record());
    }));
}

/// A thousand instances of a mesh.
fn a_thousand_instances(rows: &mut Vec<Row>) {
    let moods = two_moods(TARGET_COUNT);
    let (mut pass, instances) = MockPass::settled(1, 1000);
    rows.push(measure("changed_1000_us", 1000, |number| {
        for instance in &instances {
            pass.pass
                .set_weights(*instance, &moods[(number + 1) % 2])
                .expect("finite");
        }
        black_box(pass.record());
    }));
    rows.push(measure("one_weight_1000_us", 1000, |number| {
        for instance in &instances {
            pass.pass
                .set_weight(*instance, number % TARGET_COUNT, number as f32)
                .expect("finite");
        }
        black_box(pass.record());
    }));
    rows.push(measure("hide_and_show_1000_us", 500, |number| {
        for instance in &instances {
            pass.pass
                .set_visible(*instance, number % 2 == 1)
                .expect("a live instance");
        }
        for instance in &instances {
            pass.pass.set_weight(*instance, 0, number as f32).expect("finite");
        }
        black_box(pass.record());
    }));
}

/// Ten instances of each of a hundred meshes: a dispatch each.
fn a_hundred_meshes(rows: &mut Vec<Row>) {
    let moods = two_moods(TARGET_COUNT);
    let (mut pass, instances) = MockPass::settled(100, 10);
    rows.push(measure("changed_1000_100_meshes_us", 1000, |number| {
        for instance in &instances {
            pass.pass
                .set_weights(*instance, &moods[(number + 1) % 2])
                .expect("finite");
        }
        black_box(pass.record());
    }));
}

/// A hundred skeletons with ten instances each.
fn skinned_instances(rows: &mut Vec<Row>) {
    let moods = two_moods(TARGET_COUNT);
    let (mut pass, skeletons, instances) = MockPass::skinned(100, 10);
    let poses = [pose(0), pose(1)];
    rows.push(measure("posed_1000_us", 1000, |number| {
        for skeleton in &skeletons {
            pass.pass.set_pose(*skeleton, &poses[number % 2]).expect("finite");
        }
        black_box(pass.record());
    }));
    rows.push(measure("posed_changed_1000_us", 1000, |number| {
        for skeleton in &skeletons {
            pass.pass.set_pose(*skeleton, &poses[number % 2]).expect("finite");
        }
        for instance in &instances {
            pass.pass
                .set_weights(*instance, &moods[number % 2])
                .expect("finite");
        }
        black_box(pass.record());
    }));
}

/// Instances replaced by new ones.
fn coming_and_going() {
    let (mut pass, mut instances) = MockPass::settled(1, 10_000);
    let mesh = pass.pass.add_mesh(common::mesh_desc(TARGET_COUNT)).expect("room");
    pass.settle();
    for instance in instances.drain(9000..) {
        pass.pass.detach(instance).expect("a live instance");
    }
    let mut churned = pass.attach(mesh, 1000);
    // Taking memory for a new instance is no steady state, so these allocations are only printed.
    measure("attach_detach_1000_us", 200, |_| {
        for instance in &mut churned {
            pass.pass.detach(*instance).expect("a live instance");
            *instance = pass.pass.attach(mesh).expect("room");
        }
        black_box(pass.record());
    });
}
