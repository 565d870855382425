//! Faults that users of other engines, importers and validators met: each the input described, and the right result.
//!
//! The ids are those of the project's collection of cases.

use std::sync::Arc;

use ash::vk;
use morph_core::{
    BaseNormals, BuildOptions, MorphMesh, MorphTarget, Quantization, RestPose, VertexFormat, VertexLayout,
    morph,
};
use morph_render::{Buffer, BufferDesc, MemoryPlace, ValidationDesc};
use morph_tests::recipe::{Cooked, MeshRecipe};
use morph_validation::{Rig, assert_silent, expected_bytes, with_validation};
use morph_vk::{InstanceId, Method, MorphPass, MorphPassDesc, VertexRange};

use crate::support::{
    LAYOUT, METHODS, add, assert_shows, history_pass, mesh, on_every_driver, settled, shown, small_pass,
};

fn range(rig: &Rig, id: InstanceId) -> VertexRange {
    rig.pass().vertex_range(id).unwrap()
}

fn has_motion(rig: &Rig, id: InstanceId) -> bool {
    let range = range(rig, id);
    range.current_first_vertex != range.previous_first_vertex
}

/// What lies where motion vectors look for the frame before.
fn previous(rig: &mut Rig, id: InstanceId) -> Vec<u8> {
    let range = range(rig, id);
    let (offset, length) = rig.bytes_of(range.previous_first_vertex, range.vertex_count);
    rig.read(offset, length).unwrap()
}

/// Builds a mesh with full streams out of dense targets.
fn cook(rest: &[([f32; 3], [f32; 3], [f32; 4])], targets: &[MorphTarget]) -> Cooked {
    let positions: Vec<_> = rest.iter().map(|it| it.0).collect();
    let normals: Vec<_> = rest.iter().map(|it| it.1).collect();
    let tangents: Vec<_> = rest.iter().map(|it| it.2).collect();
    let options = BuildOptions::new(Quantization::F32);
    let (morph, _) = MorphMesh::build(rest.len() as u32, targets, &options).unwrap();
    let rest = RestPose::from_streams(
        LAYOUT,
        &positions,
        Some(&normals),
        Some(&tangents),
        BaseNormals::AsGiven,
    )
    .unwrap();
    Cooked {
        morph: Arc::new(morph),
        rest,
    }
}

/// Position, normal and tangent of a vertex, each three floats.
fn vertex(bytes: &[u8], number: usize) -> [[f32; 3]; 3] {
    let at =
        |offset: usize| f32::from_le_bytes(std::array::from_fn(|byte| bytes[number * 40 + offset + byte]));
    [0, 12, 24].map(|stream| [0, 4, 8].map(|axis| at(stream + axis)))
}

#[test]
fn b110_no_normal_deltas_leave_normals_and_opposite_ones_equal_the_host() {
    let rest = [([0.0; 3], [0.1, 0.7, -0.3], [1.0, 0.0, 0.0, 1.0]); 4];
    let moved = MorphTarget::from_dense("moved", Some(&[[1.0, 2.0, 3.0]; 4]), Some(&[[0.0; 3]; 4]), None);
    let normals = |value: f32| [[value / 3.0, value * 0.7, value / 7.0]; 4];
    let one = MorphTarget::from_dense("one", None, Some(&normals(1.0)), None);
    let other = MorphTarget::from_dense("other", None, Some(&normals(-1.0)), None);
    let cooked = cook(&rest, &[moved, one, other]);
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, small_pass(device, method)).unwrap();
            let (_, instances) = settled(&mut rig, &cooked, 2);
            rig.pass_mut().set_weights(instances[0], &[1.0]).unwrap();
            rig.pass_mut()
                .set_weights(instances[1], &[0.0, 0.9, 0.9])
                .unwrap();
            rig.frame().unwrap();
            let bytes = shown(&mut rig, instances[0]);
            assert_eq!(
                vertex(&bytes, 2)[1].map(f32::to_bits),
                rest[2].1.map(f32::to_bits)
            );
            assert_shows(&mut rig, instances[0], &cooked, &[1.0]);
            assert_shows(&mut rig, instances[1], &cooked, &[0.0, 0.9, 0.9]);
        });
    }
}

#[test]
fn b112_a_mesh_with_targets_rests_like_one_without() {
    let with = MeshRecipe::plain(77, 5, Quantization::Half, 4).cook(LAYOUT);
    let without = Cooked {
        morph: Arc::new(
            MorphMesh::build(77, &[], &BuildOptions::new(Quantization::Half))
                .unwrap()
                .0,
        ),
        rest: with.rest.clone(),
    };
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, small_pass(device, method)).unwrap();
            let (_, first) = settled(&mut rig, &with, 1);
            let (_, second) = settled(&mut rig, &without, 1);
            rig.pass_mut().set_weights(first[0], &[1.0; 5]).unwrap();
            rig.frame().unwrap();
            rig.pass_mut().set_weights(first[0], &[]).unwrap();
            rig.frame().unwrap();
            assert!(shown(&mut rig, first[0]) == shown(&mut rig, second[0]));
        });
    }
}

#[test]
fn b115_a_normal_that_cancels_is_stored_as_zero_and_never_nan() {
    let rest = [([0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]); 3];
    let cancel = MorphTarget::from_dense("cancel", None, Some(&[[0.0, 0.0, -1.0]; 3]), None);
    let cooked = cook(&rest, &[cancel]);
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, small_pass(device, method)).unwrap();
            let (_, instances) = settled(&mut rig, &cooked, 1);
            rig.pass_mut().set_weights(instances[0], &[1.0]).unwrap();
            rig.frame().unwrap();
            let bytes = shown(&mut rig, instances[0]);
            assert_eq!(
                vertex(&bytes, 0)[1].map(f32::to_bits),
                [0; 3],
                "plus zero, to the bit"
            );
            rig.pass_mut().set_weights(instances[0], &[0.999_999]).unwrap();
            rig.frame().unwrap();
            assert_shows(&mut rig, instances[0], &cooked, &[0.999_999]);
        });
    }
}

#[test]
fn b118_three_streams_keep_their_identity_and_b120_tangents_add_up_with_w_kept() {
    let rest = [([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0, -1.0]); 2];
    let axes = [
        [4.0, 0.0, 0.0],
        [0.0, 8.0, 0.0],
        [0.0, 0.0, 12.0],
        [1.0, 1.0, 1.0],
    ];
    let targets: Vec<MorphTarget> = axes
        .iter()
        .enumerate()
        .map(|(slot, axis)| {
            let (positions, normals) = ([[0.5, 0.0, 0.0]; 2], [[0.0, 0.25, 0.0]; 2]);
            MorphTarget::from_dense(
                format!("axis {slot}"),
                Some(&positions),
                Some(&normals),
                Some(&[*axis; 2]),
            )
        })
        .collect();
    let cooked = cook(&rest, &targets);
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, small_pass(device, method)).unwrap();
            let (_, instances) = settled(&mut rig, &cooked, 1);
            rig.pass_mut().set_weights(instances[0], &[0.25; 4]).unwrap();
            rig.frame().unwrap();
            let bytes = shown(&mut rig, instances[0]);
            assert_eq!(
                vertex(&bytes, 1),
                [[1.5, 0.0, 0.0], [0.0, 1.25, 0.0], [1.25, 2.25, 4.25]]
            );
            assert_eq!(
                bytes[36..40],
                (-1.0_f32).to_le_bytes(),
                "the handedness is never morphed"
            );
        });
    }
}

#[test]
fn b139_a_changed_weight_bumps_the_version_and_is_shown() {
    on_every_driver(|_, device| {
        let mut rig = Rig::new(device, small_pass(device, Method::Gather)).unwrap();
        let cooked = mesh(30, 2);
        let (_, instances) = settled(&mut rig, &cooked, 1);
        let before = rig.pass().weights_version(instances[0]).unwrap();
        assert!(rig.pass_mut().set_weight(instances[0], 1, 0.5).unwrap());
        let after = rig.pass().weights_version(instances[0]).unwrap();
        assert_ne!(before, after);
        assert!(!rig.pass_mut().set_weight(instances[0], 1, 0.5).unwrap());
        assert_eq!(rig.pass().weights_version(instances[0]).unwrap(), after);
        assert_eq!(rig.frame().unwrap().written_instances, 1);
        assert_shows(&mut rig, instances[0], &cooked, &[0.0, 0.5]);
    });
}

#[test]
fn b143_picking_on_the_host_sees_what_the_device_draws() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, small_pass(device, method)).unwrap();
            let cooked = mesh(120, 6);
            let (_, instances) = settled(&mut rig, &cooked, 1);
            let weights = [0.3, -0.2, 1.4, 0.0, 1.0e-3, 0.7];
            rig.pass_mut().set_weights(instances[0], &weights).unwrap();
            rig.frame().unwrap();
            let host = morph(&cooked.morph, &cooked.rest.streams(), &weights).unwrap();
            let bytes = shown(&mut rig, instances[0]);
            for (number, position) in host.positions.iter().enumerate() {
                assert_eq!(
                    vertex(&bytes, number)[0].map(f32::to_bits),
                    position.map(f32::to_bits)
                );
            }
        });
    }
}

#[test]
fn b145_a_still_morph_has_no_motion_from_its_first_frame_on() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, history_pass(device, method)).unwrap();
            let cooked = mesh(30, 2);
            let mesh = add(&mut rig, &cooked);
            rig.settle().unwrap();
            let instance = rig.pass_mut().attach(mesh).unwrap();
            for _ in 0..3 {
                rig.pass_mut().set_weights(instance, &[0.5, 1.0]).unwrap();
                rig.frame().unwrap();
                assert!(!has_motion(&rig, instance));
                assert_shows(&mut rig, instance, &cooked, &[0.5, 1.0]);
            }
        });
    }
}

#[test]
fn b147_motion_is_in_the_frame_of_the_change_and_in_no_other() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, history_pass(device, method)).unwrap();
            let cooked = mesh(30, 2);
            let (_, instances) = settled(&mut rig, &cooked, 1);
            let instance = instances[0];
            let (before, after) = ([0.25, 0.0], [0.25, 1.0]);
            rig.pass_mut().set_weights(instance, &before).unwrap();
            rig.frame().unwrap();
            rig.frame().unwrap();
            assert!(!has_motion(&rig, instance));
            for frame in 0..4 {
                rig.pass_mut().set_weights(instance, &after).unwrap();
                rig.frame().unwrap();
                assert_eq!(
                    has_motion(&rig, instance),
                    frame == 0,
                    "frame {frame} behind the change"
                );
                assert_shows(&mut rig, instance, &cooked, &after);
                let expected = if frame == 0 { &before } else { &after };
                let expected = expected_bytes(&cooked.morph, &cooked.rest, expected).unwrap();
                assert!(
                    previous(&mut rig, instance) == expected,
                    "frame {frame} behind the change"
                );
            }
        });
    }
}

#[test]
fn b151_a_new_instance_has_no_motion_in_its_first_frame() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, history_pass(device, method)).unwrap();
            rig.fill_geometry(0xffff_ffff).unwrap();
            let cooked = mesh(30, 2);
            let mesh = add(&mut rig, &cooked);
            rig.settle().unwrap();
            let instance = rig.pass_mut().attach(mesh).unwrap();
            rig.pass_mut().set_weights(instance, &[1.0]).unwrap();
            rig.frame().unwrap();
            assert!(!has_motion(&rig, instance));
            // And the second frame moves from what the first one showed.
            rig.pass_mut().set_weights(instance, &[0.5]).unwrap();
            rig.frame().unwrap();
            assert!(has_motion(&rig, instance));
            let first = expected_bytes(&cooked.morph, &cooked.rest, &[1.0]).unwrap();
            assert!(previous(&mut rig, instance) == first);
        });
    }
}

#[test]
fn v12_an_instance_that_returns_has_motion_only_from_a_frame_that_showed_it() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, history_pass(device, method)).unwrap();
            let cooked = mesh(30, 2);
            let (_, instances) = settled(&mut rig, &cooked, 1);
            let instance = instances[0];
            rig.pass_mut().set_weights(instance, &[1.0]).unwrap();
            rig.frame().unwrap();
            // Hidden for a frame, changed meanwhile: nobody saw where it came from.
            rig.pass_mut().set_visible(instance, false).unwrap();
            rig.frame().unwrap();
            rig.pass_mut().set_weights(instance, &[0.5]).unwrap();
            rig.pass_mut().set_visible(instance, true).unwrap();
            rig.frame().unwrap();
            assert!(!has_motion(&rig, instance));
            // Hidden and shown again between two frames: it was seen in both.
            rig.pass_mut().set_visible(instance, false).unwrap();
            rig.pass_mut().set_visible(instance, true).unwrap();
            rig.pass_mut().set_weights(instance, &[0.25]).unwrap();
            rig.frame().unwrap();
            assert!(has_motion(&rig, instance), "it was shown in the frame before");
            // Hidden for a frame, shown unchanged for a frame, then changed.
            rig.pass_mut().set_visible(instance, false).unwrap();
            rig.frame().unwrap();
            rig.pass_mut().set_visible(instance, true).unwrap();
            rig.frame().unwrap();
            rig.pass_mut().set_weights(instance, &[2.0]).unwrap();
            rig.frame().unwrap();
            assert!(has_motion(&rig, instance), "it was shown in the frame before");
            let before = expected_bytes(&cooked.morph, &cooked.rest, &[0.25]).unwrap();
            assert!(previous(&mut rig, instance) == before);
        });
    }
}

#[test]
fn b154_a_mesh_that_lies_further_back_gives_the_same_bits() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let cooked = mesh(100, 5);
            let weights = [0.5, -1.0, 0.25, 2.0, 0.1];
            let shape = |filler_vertices: u32| {
                let mut rig = Rig::new(device, small_pass(device, method)).unwrap();
                if filler_vertices > 0 {
                    settled(&mut rig, &mesh(filler_vertices, 1), 2);
                }
                let (_, instances) = settled(&mut rig, &cooked, 1);
                rig.pass_mut().set_weights(instances[0], &weights).unwrap();
                rig.frame().unwrap();
                assert!(
                    filler_vertices == 0
                        || range(&rig, instances[0]).current_first_vertex >= 3 * filler_vertices
                );
                shown(&mut rig, instances[0])
            };
            assert!(shape(0) == shape(1000));
            assert!(shape(0) == shape(77));
        });
    }
}

#[test]
fn b156_instances_of_one_mesh_keep_their_own_weights_in_either_order() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, small_pass(device, method)).unwrap();
            let cooked = mesh(40, 1);
            let (_, instances) = settled(&mut rig, &cooked, 2);
            for (first, second) in [(0.0, 1.0), (1.0, 0.0), (0.25, -0.25)] {
                rig.pass_mut().set_weights(instances[1], &[second]).unwrap();
                rig.pass_mut().set_weights(instances[0], &[first]).unwrap();
                rig.frame().unwrap();
                assert_shows(&mut rig, instances[0], &cooked, &[first]);
                assert_shows(&mut rig, instances[1], &cooked, &[second]);
            }
        });
    }
}

#[test]
fn b158_weights_of_one_mesh_do_not_leak_into_the_next() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, small_pass(device, method)).unwrap();
            let (eight, four) = (mesh(40, 8), mesh(41, 4));
            let (_, many) = settled(&mut rig, &eight, 1);
            let (_, few) = settled(&mut rig, &four, 1);
            rig.pass_mut().set_weights(many[0], &[1.0; 8]).unwrap();
            rig.frame().unwrap();
            rig.pass_mut().set_weights(few[0], &[0.5]).unwrap();
            rig.frame().unwrap();
            assert_shows(&mut rig, many[0], &eight, &[1.0; 8]);
            assert_shows(&mut rig, few[0], &four, &[0.5]);
        });
    }
}

#[test]
fn b159_a_dispatch_writes_its_own_range_and_nothing_beside_it() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, small_pass(device, method)).unwrap();
            rig.fill_geometry(0x7fc0_1234).unwrap();
            let cooked = mesh(33, 3);
            let mesh = add(&mut rig, &cooked);
            rig.pass_mut().reserve_instances(mesh, 3).unwrap();
            let instances: Vec<_> = (0..3).map(|_| rig.pass_mut().attach(mesh).unwrap()).collect();
            rig.settle().unwrap();
            let before = rig.read_geometry().unwrap();
            rig.pass_mut()
                .set_weights(instances[1], &[1.0, 1.0, 1.0])
                .unwrap();
            rig.frame().unwrap();
            let after = rig.read_geometry().unwrap();
            let (offset, length) = rig.bytes_of(range(&rig, instances[1]).current_first_vertex, 33);
            let (start, end) = (offset as usize, (offset + length) as usize);
            assert!(before[start..end] != after[start..end]);
            assert!(before[..start] == after[..start] && before[end..] == after[end..]);
        });
    }
}

#[test]
fn b164_vertex_counts_around_a_workgroup_touch_no_byte_behind_their_end() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, small_pass(device, method)).unwrap();
            rig.fill_geometry(0x7fc0_1234).unwrap();
            for vertex_count in [1, 63, 64, 65, 127] {
                let cooked = mesh(vertex_count, 3);
                let (_, instances) = settled(&mut rig, &cooked, 5);
                for instance in &instances {
                    rig.pass_mut().set_weights(*instance, &[1.0, -1.0, 0.5]).unwrap();
                }
                let before = rig.read_geometry().unwrap();
                rig.frame().unwrap();
                let mut after = rig.read_geometry().unwrap();
                for instance in &instances {
                    assert_shows(&mut rig, *instance, &cooked, &[1.0, -1.0, 0.5]);
                    let (offset, length) =
                        rig.bytes_of(range(&rig, *instance).current_first_vertex, vertex_count);
                    let own = offset as usize..(offset + length) as usize;
                    after[own.clone()].copy_from_slice(&before[own]);
                }
                assert!(before == after, "{vertex_count} vertices");
            }
        });
    }
}

#[test]
fn b179_every_frame_in_flight_shows_its_own_weights() {
    const SLOTS: u32 = 3;
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut desc = small_pass(device, method);
            desc.capacities.frame_slot_count = SLOTS;
            // Large enough that frames overlap with what the host does next.
            let cooked = MeshRecipe::plain(5000, 24, Quantization::Half, 1).cook(LAYOUT);
            let mut rig = Rig::new(device, desc).unwrap();
            let (_, instances) = settled(&mut rig, &cooked, 1);
            let size = cooked.rest.bytes().len() as u64;
            let target = Buffer::new(
                device,
                &BufferDesc {
                    name: "one shape a frame",
                    size_bytes: size * u64::from(SLOTS),
                    usage: vk::BufferUsageFlags::TRANSFER_DST,
                    place: MemoryPlace::Readback,
                },
            )
            .unwrap();
            let weights =
                |frame: u32| -> Vec<f32> { (0..24).map(|slot| (frame * 24 + slot) as f32 * 0.01).collect() };
            let copy_out = |frame: u32, commands: vk::CommandBuffer, pass: &MorphPass| {
                let range = pass.vertex_range(instances[0]).unwrap();
                let region = [vk::BufferCopy {
                    src_offset: u64::from(range.current_first_vertex) * 40,
                    dst_offset: u64::from(frame) * size,
                    size,
                }];
                let (source, target) = (pass.geometry_buffer().buffer(), target.handle());
                // SAFETY: the command buffer is recording; the pass publishes to copies, and both buffers are alive.
                unsafe { device.device().cmd_copy_buffer(commands, source, target, &region) };
            };
            let check = |rig: &mut Rig| {
                rig.wait().unwrap();
                for frame in 0..SLOTS {
                    let expected = expected_bytes(&cooked.morph, &cooked.rest, &weights(frame)).unwrap();
                    let start = (u64::from(frame) * size) as usize;
                    assert!(
                        target.bytes().unwrap()[start..start + size as usize] == expected,
                        "frame {frame}"
                    );
                }
            };
            // Submitted one by one, nobody waits.
            for frame in 0..SLOTS {
                rig.pass_mut().set_weights(instances[0], &weights(frame)).unwrap();
                rig.submit(|_| (), |commands, pass| copy_out(frame, commands, pass))
                    .unwrap();
            }
            check(&mut rig);
            // Recorded ahead, submitted together.
            rig.record_all_then_submit(
                |frame, pass| {
                    pass.set_weights(instances[0], &weights(frame)).unwrap();
                },
                copy_out,
            )
            .unwrap();
            check(&mut rig);
        });
    }
}

#[test]
fn b181_attach_record_detach_submit_is_valid() {
    for driver in morph_tests::test_drivers() {
        let judged = with_validation(&driver, ValidationDesc::SYNCHRONIZATION, |device| {
            for method in METHODS {
                let mut rig = Rig::new(device, history_pass(device, method)).unwrap();
                let cooked = mesh(64, 4);
                let mesh = add(&mut rig, &cooked);
                rig.settle().unwrap();
                for _ in 0..6 {
                    let instance = rig.pass_mut().attach(mesh).unwrap();
                    rig.pass_mut().set_weights(instance, &[1.0, 0.5]).unwrap();
                    // Recorded, then detached in front of the submit of all slots.
                    rig.record_all_then_submit(
                        |frame, pass| {
                            if frame == 1 {
                                pass.detach(instance).unwrap();
                            }
                        },
                        |_, _, _| (),
                    )
                    .unwrap();
                }
                rig.wait().unwrap();
                rig.pass_mut().remove_mesh(mesh).unwrap();
                assert!(rig.frame().unwrap().is_idle());
            }
        })
        .unwrap();
        assert_silent("attach, record, detach, submit", &judged.messages);
    }
}

#[test]
fn b183_descriptor_sets_of_pending_frames_are_left_alone() {
    for driver in morph_tests::test_drivers() {
        let judged = with_validation(&driver, ValidationDesc::CORE, |device| {
            for method in METHODS {
                let mut desc = small_pass(device, method);
                desc.capacities.frame_slot_count = 3;
                let mut rig = Rig::new(device, desc).unwrap();
                let cooked = mesh(64, 4);
                let (mut mesh, mut instances) = settled(&mut rig, &cooked, 2);
                for round in 0..6 {
                    for instance in &instances {
                        rig.pass_mut()
                            .set_weights(*instance, &[round as f32, 0.5])
                            .unwrap();
                    }
                    // Pending while a frame is dropped, a mesh leaves, and another one takes its place.
                    rig.submit(|_| (), |_, _| ()).unwrap();
                    rig.drop_frame().unwrap();
                    for instance in instances.drain(..) {
                        rig.pass_mut().detach(instance).unwrap();
                    }
                    rig.pass_mut().remove_mesh(mesh).unwrap();
                    mesh = add(&mut rig, &cooked);
                    instances = (0..2).map(|_| rig.pass_mut().attach(mesh).unwrap()).collect();
                    for instance in &instances {
                        rig.pass_mut().set_weights(*instance, &[1.0]).unwrap();
                    }
                    rig.submit(|_| (), |_, _| ()).unwrap();
                    rig.drop_frame().unwrap();
                    rig.submit(|_| (), |_, _| ()).unwrap();
                }
                rig.settle().unwrap();
                for instance in instances {
                    assert_shows(&mut rig, instance, &cooked, &[1.0]);
                }
            }
        })
        .unwrap();
        assert_silent(
            "meshes and instances change while frames are pending",
            &judged.messages,
        );
    }
}

#[test]
fn b188_ranges_start_where_stride_and_device_allow() {
    on_every_driver(|_, device| {
        for alignment in [16, 64, 256] {
            let real = device.limits().min_storage_buffer_offset_alignment;
            let desc = small_pass(device, Method::Gather);
            let mut desc = MorphPassDesc {
                history: true,
                ..desc
            };
            desc.device.limits.min_storage_buffer_offset_alignment = alignment.max(real);
            let mut rig = Rig::new(device, desc).unwrap();
            let mut all = Vec::new();
            for vertex_count in [1, 3, 5, 1, 3] {
                let cooked = mesh(vertex_count, 2);
                let (_, instances) = settled(&mut rig, &cooked, 3);
                for instance in instances {
                    rig.pass_mut().set_weights(instance, &[1.0, 1.0]).unwrap();
                    all.push((instance, cooked.clone()));
                }
            }
            rig.settle().unwrap();
            let mut taken = Vec::new();
            for (instance, cooked) in all {
                assert_shows(&mut rig, instance, &cooked, &[1.0, 1.0]);
                let range = range(&rig, instance);
                let (offset, length) = rig.bytes_of(range.current_first_vertex, range.vertex_count);
                assert_eq!(offset % alignment, 0, "alignment {alignment}");
                assert_eq!(offset % 40, 0, "stride");
                taken.push((offset, offset + length));
            }
            taken.sort_unstable();
            assert!(
                taken.windows(2).all(|pair| pair[0].1 <= pair[1].0),
                "ranges overlap"
            );
        }
    });
}

#[test]
fn b188_ranges_of_several_streams_start_where_each_stride_and_the_device_allow() {
    let layout = VertexLayout::SEPARATE_SNORM10;
    on_every_driver(|_, device| {
        for alignment in [16, 64, 256] {
            let real = device.limits().min_storage_buffer_offset_alignment;
            let mut desc = MorphPassDesc {
                layout,
                history: true,
                ..small_pass(device, Method::Gather)
            };
            desc.device.limits.min_storage_buffer_offset_alignment = alignment.max(real);
            let mut rig = Rig::new(device, desc).unwrap();
            let mut taken = Vec::new();
            for vertex_count in [1, 3, 5, 1, 300] {
                let cooked = MeshRecipe::plain(vertex_count, 2, Quantization::Half, u64::from(vertex_count))
                    .cook(layout);
                let (_, instances) = settled(&mut rig, &cooked, 3);
                for instance in instances {
                    rig.pass_mut().set_weights(instance, &[1.0, -0.5]).unwrap();
                    rig.frame().unwrap();
                    assert_shows(&mut rig, instance, &cooked, &[1.0, -0.5]);
                    let range = range(&rig, instance);
                    for first in [range.current_first_vertex, range.previous_first_vertex] {
                        for (offset, length) in rig.intervals_of(first, vertex_count) {
                            assert_eq!(offset % alignment, 0, "alignment {alignment}");
                            taken.push((offset, offset + length));
                        }
                    }
                }
            }
            taken.sort_unstable();
            assert!(
                taken.windows(2).all(|pair| pair[0].1 <= pair[1].0),
                "ranges overlap"
            );
            assert!(taken.last().unwrap().1 <= rig.pass().geometry_buffer().size_bytes());
        }
    });
}

#[test]
fn b190_every_size_is_in_bytes() {
    on_every_driver(|_, device| {
        let mut rig = Rig::new(device, small_pass(device, Method::Scatter)).unwrap();
        assert_eq!(rig.pass().geometry_buffer().size_bytes(), 4 << 20);
        let before = rig.pass().geometry_buffer().free_bytes();
        let cooked = mesh(160, 3);
        let (_, instances) = settled(&mut rig, &cooked, 1);
        let stats = rig.pass().stats();
        let deltas = cooked.morph.size_bytes(morph_core::Layout::Scatter);
        assert_eq!(stats.delta_bytes, deltas);
        // Rest pose and range of 160 vertices of 40 bytes are multiples of every alignment used.
        let padded = deltas.next_multiple_of(4);
        let used = before - stats.geometry_free_bytes;
        assert!(
            (2 * 6400 + padded..2 * 6400 + padded + 4096).contains(&used),
            "{used}"
        );
        rig.pass_mut().set_weights(instances[0], &[1.0]).unwrap();
        let stats = rig.frame().unwrap();
        let copied: u64 = rig
            .pass()
            .plan()
            .copies()
            .map(|copy| copy.source.size_bytes)
            .sum();
        assert_eq!(stats.copied_bytes, copied);
    });
}

#[test]
fn every_vertex_layout_keeps_the_engines_own_bytes() {
    let layout = VertexLayout::interleaved(60)
        .with_position(0, 44)
        .with_normal(0, 4, VertexFormat::Float32)
        .with_tangent(0, 20, VertexFormat::Float32);
    for method in METHODS {
        on_every_driver(|_, device| {
            let desc = MorphPassDesc {
                layout,
                ..small_pass(device, method)
            };
            let mut rig = Rig::new(device, desc).unwrap();
            let cooked = MeshRecipe::plain(70, 4, Quantization::Snorm16, 9).cook(layout);
            let (_, instances) = settled(&mut rig, &cooked, 5);
            for instance in &instances {
                rig.pass_mut()
                    .set_weights(*instance, &[1.0, 0.5, -0.5, 2.0])
                    .unwrap();
            }
            rig.frame().unwrap();
            let rest = cooked.rest.bytes();
            for instance in instances {
                let bytes = shown(&mut rig, instance);
                assert_shows(&mut rig, instance, &cooked, &[1.0, 0.5, -0.5, 2.0]);
                for vertex in 0..70 {
                    for own in [0..4, 16..20, 32..44, 56..60] {
                        let own = vertex * 60 + own.start..vertex * 60 + own.end;
                        assert_eq!(bytes[own.clone()], rest[own]);
                    }
                }
            }
        });
    }
}
