//! What the engine's view decides: changes too small to be seen, jumps, boxes for culling on the device.

use ash::vk;
use morph_render::{Buffer, BufferDesc, HeadlessDevice, MemoryPlace, ValidationDesc, readback};
use morph_tests::spirv::{Reflection, committed_module};
use morph_validation::{BareDraw, Rig, assert_silent, with_validation};
use morph_vk::shader_interface::{INSTANCE_BOUNDS, InstanceBounds};
use morph_vk::{InstanceId, Method, MorphPass, MorphPassDesc, Readers};

use crate::compute_kernel::ComputeKernel;
use crate::support::{
    LAYOUT, METHODS, add, assert_shows, history_pass, mesh, on_every_driver, settled, small_pass,
};

fn has_motion(rig: &Rig, id: InstanceId) -> bool {
    let range = rig.pass().vertex_range(id).unwrap();
    range.current_first_vertex != range.previous_first_vertex
}

#[test]
fn a_far_instance_keeps_what_it_shows_until_it_comes_near() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let desc = MorphPassDesc {
                skip_below_pixels: 1.0,
                ..history_pass(device, method)
            };
            let mut rig = Rig::new(device, desc).unwrap();
            let cooked = mesh(60, 3);
            let (_, instances) = settled(&mut rig, &cooked, 2);
            for instance in &instances {
                rig.pass_mut().set_weights(*instance, &[1.0, 0.5]).unwrap();
            }
            rig.frame().unwrap();
            rig.pass_mut().set_pixels_per_unit(instances[0], 1.0e-6).unwrap();
            for instance in &instances {
                rig.pass_mut().set_weights(*instance, &[0.5, 0.5, 2.0]).unwrap();
            }
            assert_eq!(rig.frame().unwrap().written_instances, 1);
            assert!(!has_motion(&rig, instances[0]), "what is left out does not move");
            assert_shows(&mut rig, instances[0], &cooked, &[1.0, 0.5]);
            assert_shows(&mut rig, instances[1], &cooked, &[0.5, 0.5, 2.0]);
            assert!(rig.frame().unwrap().is_idle());
            rig.pass_mut()
                .set_pixels_per_unit(instances[0], f32::INFINITY)
                .unwrap();
            assert_eq!(rig.frame().unwrap().written_instances, 1);
            assert_shows(&mut rig, instances[0], &cooked, &[0.5, 0.5, 2.0]);
        });
    }
}

#[test]
fn b151_a_jump_leaves_no_motion_and_the_frame_behind_it_does() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut rig = Rig::new(device, history_pass(device, method)).unwrap();
            let cooked = mesh(30, 2);
            let (_, instances) = settled(&mut rig, &cooked, 1);
            rig.pass_mut().teleport(instances[0]).unwrap();
            rig.pass_mut().set_weights(instances[0], &[1.0]).unwrap();
            rig.drop_frame().unwrap();
            rig.frame().unwrap();
            assert!(!has_motion(&rig, instances[0]));
            rig.pass_mut().set_weights(instances[0], &[0.5]).unwrap();
            rig.frame().unwrap();
            assert!(has_motion(&rig, instances[0]));
        });
    }
}

#[test]
fn b153_draws_of_both_ranges_are_in_order_with_the_frame_that_writes_them_next() {
    for driver in morph_tests::test_drivers() {
        let judged = with_validation(&driver, ValidationDesc::SYNCHRONIZATION, |device| {
            for method in METHODS {
                let mut rig = Rig::new(device, history_pass(device, method)).unwrap();
                let cooked = mesh(200, 3);
                let (_, instances) = settled(&mut rig, &cooked, 2);
                let draw = BareDraw::new(device, &LAYOUT).unwrap();
                for frame in 0..8 {
                    for instance in &instances {
                        let weights = [frame as f32 * 0.25, 1.0];
                        rig.pass_mut().set_weights(*instance, &weights).unwrap();
                    }
                    let readers = |commands, pass: &MorphPass| {
                        let ranges: Vec<(u32, u32)> = instances
                            .iter()
                            .filter_map(|instance| pass.vertex_range(*instance))
                            .flat_map(|it| {
                                let first = [it.current_first_vertex, it.previous_first_vertex];
                                first.map(|first| (first, it.vertex_count))
                            })
                            .collect();
                        // SAFETY: the command buffer is recording; the ranges lie in the pass's buffer.
                        unsafe { draw.record(commands, pass, &ranges) };
                    };
                    // Nobody waits: two frames are in flight.
                    rig.submit(|_| (), readers).unwrap();
                    assert!(frame == 0 || has_motion(&rig, instances[0]));
                }
                rig.wait().unwrap();
            }
        })
        .unwrap();
        assert_silent(
            "previous ranges are drawn while the next frame comes",
            &judged.messages,
        );
    }
}

#[test]
fn boxes_have_the_same_layout_on_both_sides() {
    let [module] = INSTANCE_BOUNDS.modules else {
        panic!("one module reads boxes");
    };
    let reflection = Reflection::of(&committed_module(module)).unwrap();
    let layout = reflection.layout_of(INSTANCE_BOUNDS.name).unwrap();
    let members: Vec<(&str, u32)> = layout
        .members
        .iter()
        .map(|(name, at)| (name.as_str(), *at))
        .collect();
    assert_eq!(members, INSTANCE_BOUNDS.members);
    assert_eq!(layout.size_bytes, INSTANCE_BOUNDS.size_bytes);
}

#[test]
fn b132_a_shader_culls_by_the_boxes_of_the_frame_without_a_barrier_of_its_own() {
    for driver in morph_tests::test_drivers() {
        let judged = with_validation(&driver, ValidationDesc::SYNCHRONIZATION, |device| {
            let desc = MorphPassDesc {
                bounds_buffer: true,
                readers: Readers::VERTEX_INPUT.and(Readers::COMPUTE),
                ..small_pass(device, Method::Gather)
            };
            let mut rig = Rig::new(device, desc).unwrap();
            let cooked = mesh(40, 2);
            let mesh = add(&mut rig, &cooked);
            let instances: Vec<_> = (0..3).map(|_| rig.pass_mut().attach(mesh).unwrap()).collect();
            assert_eq!(rig.pass().bounds_entry_count(), 0);
            rig.settle().unwrap();
            let kernel = Behind::new(device, rig.pass().bounds_buffer().unwrap());
            let reach = rig.pass().bounds(instances[0]).unwrap().max[0];
            rig.pass_mut().detach(instances[1]).unwrap();
            for weight in [1.0e3_f32, 0.0, -2.0e3] {
                rig.pass_mut()
                    .set_weights(instances[2], &[weight, weight])
                    .unwrap();
                // Everything right of what the rest shape reaches: only what moved out is to be seen.
                let plane = [1.0, 0.0, 0.0, -(reach + 1.0)];
                let count = rig.pass().bounds_entry_count();
                rig.submit(|_| (), |commands, _| kernel.record(commands, plane, count))
                    .unwrap();
                rig.wait().unwrap();
                let seen = kernel.visible();
                let right = rig.pass().bounds(instances[2]).unwrap().max[0] >= reach + 1.0;
                assert_eq!(right, weight != 0.0);
                let entry = |id| rig.pass().bounds_index(id).unwrap() as usize;
                assert_eq!([entry(instances[0]), entry(instances[2])], [0, 2]);
                assert_eq!(seen, [0, 0, u32::from(right)], "weight {weight}");
                // A plane in front of which everything lies that is there.
                rig.submit(
                    |_| (),
                    |commands, _| kernel.record(commands, [0.0, 0.0, 0.0, 1.0], count),
                )
                .unwrap();
                rig.wait().unwrap();
                assert_eq!(kernel.visible(), [1, 0, 1], "the detached one is empty");
            }
            let entries = {
                let buffer = rig.pass().bounds_buffer().unwrap();
                // SAFETY: the buffer is alive, may be copied from, and has three entries; no frame is pending.
                let bytes = unsafe { readback(device, buffer, 0, 96) }.unwrap();
                bytes
                    .chunks_exact(32)
                    .map(bytemuck::pod_read_unaligned::<InstanceBounds>)
                    .collect::<Vec<_>>()
            };
            assert_eq!(entries[0].aabb(), rig.pass().bounds(instances[0]).unwrap());
            assert_eq!(entries[1], InstanceBounds::EMPTY);
            assert_eq!(entries[2].aabb(), rig.pass().bounds(instances[2]).unwrap());
        })
        .unwrap();
        assert_silent("boxes are read by a compute shader", &judged.messages);
    }
}

/// The test kernel over a table of boxes.
struct Behind<'a> {
    device: &'a HeadlessDevice,
    kernel: ComputeKernel<'a>,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    visible: Buffer,
}

impl<'a> Behind<'a> {
    fn new(device: &'a HeadlessDevice, boxes: vk::Buffer) -> Behind<'a> {
        let kinds = [vk::DescriptorType::STORAGE_BUFFER; 2];
        let kernel = ComputeKernel::new(device, "bounds_behind", &kinds, 20);
        let (pool, set) = kernel.allocate_set();
        let visible = Buffer::new(
            device,
            &BufferDesc {
                name: "visible instances",
                size_bytes: 12,
                usage: vk::BufferUsageFlags::STORAGE_BUFFER,
                place: MemoryPlace::Readback,
            },
        )
        .unwrap();
        let whole = |buffer| {
            [vk::DescriptorBufferInfo::default()
                .buffer(buffer)
                .range(vk::WHOLE_SIZE)]
        };
        let buffers = [whole(boxes), whole(visible.handle())];
        let writes = [0, 1].map(|binding| {
            vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding as u32)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(&buffers[binding])
        });
        // SAFETY: set and buffers are alive, and nothing uses the set yet.
        unsafe { device.device().update_descriptor_sets(&writes, &[]) };
        Behind {
            device,
            kernel,
            pool,
            set,
            visible,
        }
    }

    /// Reads boxes right behind the pre-pass; the only barrier is behind it, to the host.
    fn record(&self, commands: vk::CommandBuffer, plane: [f32; 4], entry_count: u32) {
        let [x, y, z, w] = plane.map(f32::to_bits);
        let words = [x, y, z, w, entry_count];
        self.kernel
            .dispatch(commands, self.set, bytemuck::cast_slice(&words), 1);
        let barriers = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::COMPUTE_SHADER)
            .src_access_mask(vk::AccessFlags2::SHADER_STORAGE_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::HOST)
            .dst_access_mask(vk::AccessFlags2::HOST_READ)];
        let info = vk::DependencyInfo::default().memory_barriers(&barriers);
        // SAFETY: the command buffer is recording, outside of a rendering.
        unsafe { self.device.device().cmd_pipeline_barrier2(commands, &info) };
    }

    fn visible(&self) -> Vec<u32> {
        let bytes = self.visible.bytes().unwrap();
        bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect()
    }
}

impl Drop for Behind<'_> {
    fn drop(&mut self) {
        // SAFETY: every submit was waited for, and the pool is this value's own.
        unsafe { self.device.device().destroy_descriptor_pool(self.pool, None) };
    }
}
