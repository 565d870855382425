//! Device times.

use morph_tests::say;
use morph_validation::Rig;
use morph_vk::{Method, MorphPassDesc};

use crate::support::{METHODS, mesh, on_every_driver, settled, small_pass};

#[test]
fn the_device_time_of_a_frame_is_told_when_its_slot_comes_round() {
    for method in METHODS {
        on_every_driver(|driver, device| {
            let desc = MorphPassDesc {
                timestamps: true,
                ..small_pass(device, method)
            };
            let can_tell = desc.device.timestamp_valid_bits > 0;
            let mut rig = Rig::new(device, desc).unwrap();
            let cooked = mesh(5000, 16);
            let (_, instances) = settled(&mut rig, &cooked, 4);
            let mut measured = Vec::new();
            for frame in 0..8_u16 {
                // The last four change nothing.
                let weight = f32::from(frame.min(4));
                for instance in &instances {
                    rig.pass_mut().set_weights(*instance, &[weight; 16]).unwrap();
                }
                let stats = rig.frame().unwrap();
                // The first two tell of frames before these.
                if let (Some(time), 2..) = (stats.device_time, frame) {
                    assert_eq!(
                        time.frame,
                        stats.frame - 2,
                        "that of the frame before in its slot"
                    );
                    assert!(time.nanoseconds < 60_000_000_000, "{time:?}");
                    measured.push((frame, time.nanoseconds));
                }
            }
            let frames: Vec<_> = measured.iter().map(|it| it.0).collect();
            // Frames 1 to 4 had commands; frame 0 had none, as the weights were zero already.
            let expected: &[u16] = if can_tell { &[3, 4, 5, 6] } else { &[] };
            assert_eq!(frames, expected, "{}", driver.name());
            if can_tell {
                assert!(
                    measured.iter().any(|it| it.1 > 0),
                    "{}: no frame took any time: {measured:?}",
                    driver.name()
                );
                say(format_args!(
                    "statistics: {method:?} of 4 × 5,000 vertices, 16 targets on {}: {:?} ns",
                    driver.name(),
                    measured.iter().map(|it| it.1).collect::<Vec<_>>()
                ));
            }
        });
    }
}

#[test]
fn a_queue_without_timestamps_and_a_pass_that_did_not_ask_tell_no_time() {
    on_every_driver(|_, device| {
        for (timestamps, valid_bits) in [(true, 0), (false, 64)] {
            let mut desc = MorphPassDesc {
                timestamps,
                ..small_pass(device, Method::Gather)
            };
            desc.device.timestamp_valid_bits = valid_bits;
            let mut rig = Rig::new(device, desc).unwrap();
            let cooked = mesh(50, 2);
            let (_, instances) = settled(&mut rig, &cooked, 1);
            for weight in [1.0, 2.0, 3.0, 4.0] {
                rig.pass_mut().set_weights(instances[0], &[weight]).unwrap();
                assert_eq!(rig.frame().unwrap().device_time, None);
            }
        }
    });
}
