//! Frame slots that come too early, are not there, or were dropped: found, told, and harmless.

use ash::vk;
use morph_render::{Feature, HeadlessDesc, HeadlessDevice, ValidationDesc};
use morph_validation::{ObjectWatch, Rig, assert_silent};
use morph_vk::{FrameStats, Method, MorphPassDesc, RecordRefusal};

use crate::by_hand::ByHand;
use crate::support::{METHODS, assert_shows, mesh, on_every_driver, settled, small_pass};

fn on_validated_devices_with_timelines(mut run: impl FnMut(&HeadlessDevice)) {
    for driver in morph_tests::test_drivers() {
        let desc = HeadlessDesc {
            validation: Some(ValidationDesc::CORE),
            required: vec![Feature::TimelineSemaphore],
            ..HeadlessDesc::default()
        };
        let device = driver.open(desc).unwrap();
        let log = device.message_log();
        run(&device);
        drop(device);
        assert_silent("frame slots", &log.messages());
    }
}

/// Without timestamps: lavapipe waits for the whole device before it answers for a query, however it is asked, and these
/// tests keep it waiting.
fn checked(device: &HeadlessDevice, method: Method) -> MorphPassDesc {
    MorphPassDesc {
        check_slots: true,
        ..small_pass(device, method)
    }
}

#[track_caller]
fn assert_refused(rig: &Rig, stats: FrameStats, refusal: RecordRefusal, last_frame: u64) {
    let nothing = FrameStats {
        frame: last_frame,
        refusal: Some(refusal),
        ..FrameStats::default()
    };
    assert_eq!(stats, nothing);
    assert!(stats.is_idle() && rig.pass().plan().is_empty());
}

#[test]
fn a_slot_that_is_used_while_its_last_frame_waits_is_refused_and_nothing_is_lost() {
    for method in METHODS {
        on_validated_devices_with_timelines(|device| {
            let mut rig = Rig::new(device, checked(device, method)).unwrap();
            let cooked = mesh(50, 4);
            let (_, instances) = settled(&mut rig, &cooked, 2);
            let hand = ByHand::new(device);
            rig.pass_mut().set_weights(instances[0], &[1.0]).unwrap();
            let (first, stats) = hand.record(&mut rig, 0);
            assert_eq!((stats.refusal, stats.written_instances), (None, 1));
            hand.submit(first, Some(1));
            rig.pass_mut().set_weights(instances[1], &[0.5]).unwrap();
            let (second, stats) = hand.record(&mut rig, 1);
            assert_eq!((stats.refusal, stats.written_instances), (None, 1));
            hand.submit(second, Some(1));
            let last_frame = stats.frame;

            rig.pass_mut().set_weights(instances[0], &[0.25, -1.0]).unwrap();
            let before = rig.pass().vertex_range(instances[0]);
            for slot in [0, 1, 0] {
                let (_, stats) = hand.record(&mut rig, slot);
                assert_refused(&rig, stats, RecordRefusal::SlotInUse, last_frame);
                assert_eq!(rig.pass().vertex_range(instances[0]), before);
            }
            hand.release(1);
            let (third, stats) = hand.record(&mut rig, 0);
            assert_eq!(
                (stats.refusal, stats.frame, stats.written_instances),
                (None, last_frame + 1, 1)
            );
            hand.submit(third, None);
            device.wait_idle().unwrap();
            assert_shows(&mut rig, instances[0], &cooked, &[0.25, -1.0]);
            assert_shows(&mut rig, instances[1], &cooked, &[0.5]);
            assert!(rig.frame().unwrap().is_idle());
        });
    }
}

#[test]
fn a_frame_without_commands_still_vouches_for_those_before_it() {
    on_validated_devices_with_timelines(|device| {
        let mut rig = Rig::new(device, checked(device, Method::Gather)).unwrap();
        let cooked = mesh(50, 4);
        let (_, instances) = settled(&mut rig, &cooked, 1);
        let hand = ByHand::new(device);
        rig.pass_mut().set_weights(instances[0], &[1.0]).unwrap();
        let (first, _) = hand.record(&mut rig, 0);
        hand.submit(first, Some(1));
        let (second, stats) = hand.record(&mut rig, 1);
        assert!(stats.is_idle() && stats.refusal.is_none());
        hand.submit(second, None);
        // Slot 1 holds nothing, but asking for it says that the frame in slot 0 is done as well, which it is not.
        let (_, refused) = hand.record(&mut rig, 1);
        assert_refused(&rig, refused, RecordRefusal::SlotInUse, stats.frame);
        hand.release(1);
        let (_, stats) = hand.record(&mut rig, 1);
        assert_eq!(stats.refusal, None);
    });
}

#[test]
fn a_frame_that_was_never_submitted_holds_its_slot_until_it_is_discarded() {
    for method in METHODS {
        on_validated_devices_with_timelines(|device| {
            let desc = MorphPassDesc {
                timestamps: true,
                ..checked(device, method)
            };
            let mut rig = Rig::new(device, desc).unwrap();
            let cooked = mesh(50, 4);
            let (_, instances) = settled(&mut rig, &cooked, 1);
            let hand = ByHand::new(device);
            rig.pass_mut().set_weights(instances[0], &[1.0, 0.5]).unwrap();
            let (_, stats) = hand.record(&mut rig, 1);
            for _ in 0..2 {
                let (_, refused) = hand.record(&mut rig, 1);
                assert_refused(&rig, refused, RecordRefusal::SlotInUse, stats.frame);
            }
            rig.pass_mut().discard_frame(1);
            let dropped_frame = stats.frame;
            for _ in 0..2 {
                let (commands, stats) = hand.record(&mut rig, 1);
                assert_eq!(stats.refusal, None);
                assert!(stats.device_time.is_none_or(|time| time.frame > dropped_frame));
                hand.submit(commands, None);
                device.wait_idle().unwrap();
            }
            assert_shows(&mut rig, instances[0], &cooked, &[1.0, 0.5]);
        });
    }
}

#[test]
fn a_slot_that_does_not_exist_and_a_destroyed_pass_record_nothing() {
    on_every_driver(|_, device| {
        let mut desc = small_pass(device, Method::Gather);
        // Whether or not slots are checked.
        desc.check_slots = false;
        let mut rig = Rig::new(device, desc).unwrap();
        let cooked = mesh(50, 4);
        let (_, instances) = settled(&mut rig, &cooked, 1);
        rig.pass_mut().set_weights(instances[0], &[1.0]).unwrap();
        let last_frame = rig.frame().unwrap().frame;
        rig.pass_mut().set_weights(instances[0], &[0.5]).unwrap();
        for slot in [2, 3, u32::MAX] {
            // SAFETY: nothing is recorded, so no command buffer is needed.
            let stats = unsafe { rig.pass_mut().record(vk::CommandBuffer::null(), slot) };
            assert_refused(&rig, stats, RecordRefusal::SlotOutOfRange, last_frame);
            rig.pass_mut().discard_frame(slot);
        }
        assert_eq!(rig.frame().unwrap().written_instances, 1);
        assert_shows(&mut rig, instances[0], &cooked, &[0.5]);
        rig.wait().unwrap();
        // SAFETY: the device is idle.
        unsafe { rig.pass_mut().destroy() };
        // SAFETY: nothing is recorded, so no command buffer is needed.
        let stats = unsafe { rig.pass_mut().record(vk::CommandBuffer::null(), 0) };
        assert_refused(&rig, stats, RecordRefusal::Destroyed, last_frame + 1);
    });
}

#[test]
fn slots_that_are_not_checked_and_times_that_are_not_asked_for_make_no_objects() {
    on_every_driver(|_, device| {
        let watch = ObjectWatch::of(device).unwrap();
        for (check_slots, timestamps) in [(false, false), (true, false), (false, true)] {
            let desc = MorphPassDesc {
                check_slots,
                timestamps,
                ..small_pass(device, Method::Gather)
            };
            let has_timestamps = timestamps && desc.device.timestamp_valid_bits > 0;
            let rig = Rig::new(device, desc).unwrap();
            let live = watch.live();
            let of = |kind| live.get(kind).copied().unwrap_or(0);
            assert_eq!(of("event"), if check_slots { 2 } else { 0 });
            assert_eq!(of("query pool"), u32::from(has_timestamps));
            drop(rig);
        }
    });
}
