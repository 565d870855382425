//! Readers on another queue: how buffers are shared, and what the recorded barriers name.

mod common;

use ash::vk;
use common::{MockPass, desc, mesh_desc};
use morph_vk::{Method, MorphError, MorphPassDesc, Readers};

fn pass_with(readers: Readers, queue_families: &[u32], method: Method) -> Result<MockPass, MorphError> {
    MockPass::new(|device| MorphPassDesc {
        readers,
        queue_families: queue_families.to_vec(),
        method,
        ..desc(device, 4, 8)
    })
}

#[test]
fn buffers_are_shared_by_the_families_and_exclusive_with_fewer_than_two() {
    let exclusive: [&[u32]; 2] = [&[], &[1]];
    for families in exclusive {
        let pass = pass_with(Readers::VERTEX_INPUT, families, Method::Gather).expect("usable");
        let buffers = pass.device.buffers();
        assert_eq!(buffers.len(), 3);
        assert!(
            buffers
                .iter()
                .all(|it| it.sharing_mode == vk::SharingMode::EXCLUSIVE)
        );
    }
    let pass = pass_with(Readers::OTHER_QUEUE, &[2, 0], Method::Gather).expect("usable");
    for buffer in pass.device.buffers() {
        assert_eq!(buffer.sharing_mode, vk::SharingMode::CONCURRENT);
        assert_eq!(buffer.queue_families, [2, 0]);
    }
}

#[test]
fn barriers_for_another_queue_name_nothing_that_a_compute_queue_lacks() {
    let ours = vk::PipelineStageFlags2::COPY | vk::PipelineStageFlags2::COMPUTE_SHADER;
    let our_access = vk::AccessFlags2::TRANSFER_READ
        | vk::AccessFlags2::TRANSFER_WRITE
        | vk::AccessFlags2::SHADER_STORAGE_READ
        | vk::AccessFlags2::SHADER_STORAGE_WRITE;
    for method in [Method::Gather, Method::Scatter] {
        let mut pass = pass_with(Readers::OTHER_QUEUE, &[0, 1], method).expect("usable");
        let barriers = barriers_of_two_frames(&mut pass);
        assert!(!barriers.is_empty());
        for it in barriers {
            assert!(ours.contains(it.src_stage_mask | it.dst_stage_mask), "{it:?}");
            assert!(
                our_access.contains(it.src_access_mask | it.dst_access_mask),
                "{it:?}"
            );
            assert!(
                !it.src_stage_mask.is_empty() && !it.dst_stage_mask.is_empty(),
                "{it:?}"
            );
        }
    }
}

#[test]
fn readers_on_both_queues_are_published_to_on_this_one() {
    let readers = Readers::COPY.and(Readers::OTHER_QUEUE);
    let mut pass = pass_with(readers, &[0, 1], Method::Gather).expect("usable");
    let last = *barriers_of_two_frames(&mut pass).last().expect("barriers");
    assert_eq!(last.dst_stage_mask, vk::PipelineStageFlags2::COPY);
    assert_eq!(last.dst_access_mask, vk::AccessFlags2::TRANSFER_READ);
}

fn barriers_of_two_frames(pass: &mut MockPass) -> Vec<vk::MemoryBarrier2<'static>> {
    let mesh = pass.pass.add_mesh(mesh_desc(8)).expect("room");
    let face = pass.pass.attach(mesh).expect("room");
    pass.settle();
    pass.commands.take_barriers();
    for weight in [1.0, 2.0] {
        pass.pass.set_weight(face, 3, weight).expect("finite");
        pass.record();
    }
    pass.commands.take_barriers()
}

#[test]
fn refusals_say_what_would_be_right_and_leave_nothing_behind() {
    for (families, member) in [
        (&[][..], "queue_families.len()"),
        (&[0, 1, 0][..], "queue_families[..]"),
    ] {
        let refused = pass_with(Readers::OTHER_QUEUE, families, Method::Gather).expect_err("not usable");
        assert!(
            matches!(refused, MorphError::InvalidDesc { member: it, .. } if it == member),
            "{refused}"
        );
    }
}
