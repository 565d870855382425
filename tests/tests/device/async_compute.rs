//! The pass on one queue, its readers on another, ordered by timeline semaphores alone.
//!
//! The engine of these tests keeps to the rules of `docs/async-compute.md`. Where a device has a queue that computes
//! beside the first one, the two really run side by side (the test says which); where it has one queue, that queue
//! plays both parts, so that values, waits and the missing barriers are checked all the same.

use ash::vk;
use morph_render::{FamilyQueue, Feature, HeadlessDesc, HeadlessDevice, ValidationDesc, raw_memory};
use morph_tests::recipe::Cooked;
use morph_tests::say;
use morph_validation::{BareDraw, Driver, assert_silent, expected_bytes, judge_device};
use morph_vk::{
    InstanceId, MemoryBlock, MemoryLocation, MemoryProvider, MemoryRequest, MeshDesc, Method, MorphPass,
    MorphPassDesc, Readers, VertexRange,
};

use crate::support::{LAYOUT, METHODS, mesh, small_pass};

const VERTEX_COUNT: u32 = 800;
const TARGET_COUNT: usize = 6;
const INSTANCE_COUNT: usize = 5;
const FRAME_COUNT: u64 = 10;
const SLOT_COUNT: u64 = 2;

/// What the next frame's commands wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// All draws of the frame before.
    Draws,
    /// With history: what reads previous positions, and all draws of the frame before that one.
    Motion,
}

fn open(driver: &Driver, order: Order) -> HeadlessDevice {
    let validation = match order {
        Order::Draws => ValidationDesc::SYNCHRONIZATION,
        // With this heuristic a layer takes the whole descriptor as written, both ranges of an instance among it, and
        // reports an overlap in which no byte is shared. The bytes themselves are the proof here.
        Order::Motion => ValidationDesc {
            shader_access_heuristic: false,
            ..ValidationDesc::SYNCHRONIZATION
        },
    };
    driver
        .open(HeadlessDesc {
            validation: Some(validation),
            required: vec![Feature::TimelineSemaphore],
            second_queue: true,
            ..HeadlessDesc::default()
        })
        .unwrap()
}

/// A queue with a command buffer for every frame, and the value that its last submit signals.
struct Lane {
    device: ash::Device,
    queue: FamilyQueue,
    pool: vk::CommandPool,
    timeline: vk::Semaphore,
}

impl Lane {
    fn new(device: &HeadlessDevice, queue: FamilyQueue) -> Lane {
        let functions = device.device().clone();
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(queue.family);
        // SAFETY: the device is alive.
        let pool = unsafe { functions.create_command_pool(&info, None) }.unwrap();
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: the feature is on.
        let timeline = unsafe { functions.create_semaphore(&info, None) }.unwrap();
        Lane {
            device: functions,
            queue,
            pool,
            timeline,
        }
    }

    /// Records, and submits behind values of other timelines; signals `value` of this one.
    fn submit(
        &self,
        waits: &[(vk::Semaphore, u64, vk::PipelineStageFlags2)],
        value: u64,
        record: impl FnOnce(vk::CommandBuffer),
    ) {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: the pool is alive and used by this thread alone. Command buffers go with it.
        let commands = unsafe { self.device.allocate_command_buffers(&info) }.unwrap()[0];
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is fresh.
        unsafe { self.device.begin_command_buffer(commands, &begin) }.unwrap();
        record(commands);
        // SAFETY: the command buffer is recording.
        unsafe { self.device.end_command_buffer(commands) }.unwrap();
        let waits: Vec<_> = waits
            .iter()
            .map(|&(semaphore, value, stages)| {
                vk::SemaphoreSubmitInfo::default()
                    .semaphore(semaphore)
                    .value(value)
                    .stage_mask(stages)
            })
            .collect();
        let signals = [vk::SemaphoreSubmitInfo::default()
            .semaphore(self.timeline)
            .value(value)
            .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)];
        let commands = [vk::CommandBufferSubmitInfo::default().command_buffer(commands)];
        let submit = [vk::SubmitInfo2::default()
            .wait_semaphore_infos(&waits)
            .command_buffer_infos(&commands)
            .signal_semaphore_infos(&signals)];
        // SAFETY: the command buffer is complete; the values waited for are signaled by submits made before.
        unsafe {
            self.device
                .queue_submit2(self.queue.queue, &submit, vk::Fence::null())
        }
        .unwrap();
    }

    fn wait_on_host(&self, value: u64) {
        let (semaphores, values) = ([self.timeline], [value]);
        let info = vk::SemaphoreWaitInfo::default()
            .semaphores(&semaphores)
            .values(&values);
        // SAFETY: the semaphore is alive and the value was submitted.
        unsafe { self.device.wait_semaphores(&info, u64::MAX) }.unwrap();
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        // SAFETY: tests end by waiting for all that they submitted.
        unsafe { self.device.destroy_semaphore(self.timeline, None) };
        // SAFETY: as above.
        unsafe { self.device.destroy_command_pool(self.pool, None) };
    }
}

/// A mapped buffer that copies end in.
struct Sink {
    device: ash::Device,
    memory: Box<dyn MemoryProvider>,
    buffer: vk::Buffer,
    block: MemoryBlock,
    size_bytes: u64,
}

impl Sink {
    fn new(device: &HeadlessDevice, size_bytes: u64) -> Sink {
        let functions = device.device().clone();
        let info = vk::BufferCreateInfo::default()
            .size(size_bytes)
            .usage(vk::BufferUsageFlags::TRANSFER_DST);
        // SAFETY: the device is alive.
        let buffer = unsafe { functions.create_buffer(&info, None) }.unwrap();
        let mut memory = Box::new(raw_memory(device));
        let request = MemoryRequest {
            name: "sink",
            // SAFETY: the buffer is alive.
            requirements: unsafe { functions.get_buffer_memory_requirements(buffer) },
            location: MemoryLocation::HostToDevice,
            device_address: false,
        };
        // SAFETY: the memory is the device's own.
        let block = unsafe { memory.allocate(&functions, &request) }.unwrap();
        // SAFETY: the block was made for the buffer.
        unsafe { functions.bind_buffer_memory(buffer, block.memory, block.offset) }.unwrap();
        Sink {
            device: functions,
            memory,
            buffer,
            block,
            size_bytes,
        }
    }

    /// Only when the device is done with it.
    fn bytes(&self) -> &[u8] {
        let first = self.block.mapped.expect("a mapped block").as_ptr();
        // SAFETY: the block is mapped and coherent, and nothing writes it any more.
        unsafe { std::slice::from_raw_parts(first, self.size_bytes as usize) }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        // SAFETY: tests end by waiting for all that they submitted.
        unsafe { self.device.destroy_buffer(self.buffer, None) };
        // SAFETY: the block is the buffer's own.
        unsafe { self.memory.free(&self.device, self.block) };
    }
}

/// The pass on its lane and the readers on theirs.
struct Engine {
    pass: MorphPass,
    instances: Vec<InstanceId>,
    cooked: Cooked,
    compute: Lane,
    /// Signals a frame's number when its draws are done.
    graphics: Lane,
    /// Signals a frame's number when what reads previous positions is done; the same queue as `graphics`.
    motion: Lane,
    draw: BareDraw,
    device: HeadlessDevice,
    frame: u64,
}

impl Engine {
    fn new(device: &HeadlessDevice, method: Method, history: bool) -> Engine {
        let first = FamilyQueue {
            queue: device.queue(),
            family: device.queue_family(),
        };
        let second = device.second_queue().unwrap_or(first);
        let mut queue_families = vec![first.family, second.family];
        queue_families.dedup();
        let desc = MorphPassDesc {
            history,
            readers: Readers::OTHER_QUEUE,
            queue_families,
            ..small_pass(device, method)
        };
        assert_eq!(u64::from(desc.capacities.frame_slot_count), SLOT_COUNT);
        let memory = Box::new(raw_memory(device));
        // SAFETY: the device outlives the pass; description and memory are its own.
        let mut pass = unsafe { MorphPass::new(device.device(), desc, memory) }.unwrap();
        let cooked = mesh(VERTEX_COUNT, TARGET_COUNT);
        let id = pass
            .add_mesh(MeshDesc::new(cooked.morph.clone(), cooked.rest.clone()))
            .unwrap();
        let instances = (0..INSTANCE_COUNT).map(|_| pass.attach(id).unwrap()).collect();
        Engine {
            pass,
            instances,
            cooked,
            compute: Lane::new(device, second),
            graphics: Lane::new(device, first),
            motion: Lane::new(device, first),
            draw: BareDraw::new(device, &LAYOUT).unwrap(),
            device: device.clone(),
            frame: 0,
        }
    }

    /// The pass's half of a frame, behind what the rules say: values of `graphics` and `motion` to wait for.
    fn record(&mut self, drawn: u64, motion: u64) {
        self.frame += 1;
        let frame = self.frame;
        // The slot's last frame, and with it its part of the staging ring, has to be done.
        self.compute.wait_on_host(frame.saturating_sub(SLOT_COUNT));
        let all = vk::PipelineStageFlags2::ALL_COMMANDS;
        let waits = [
            (self.graphics.timeline, drawn, all),
            (self.motion.timeline, motion, all),
        ];
        let pass = &mut self.pass;
        self.compute.submit(&waits, frame, |commands| {
            // SAFETY: the command buffer is recording on a queue that computes, and the slot was waited for.
            unsafe { pass.record(commands, (frame % SLOT_COUNT) as u32) };
        });
    }

    fn ranges(&self) -> Vec<VertexRange> {
        let range = |id| self.pass.vertex_range(id).expect("a live instance");
        self.instances.iter().copied().map(range).collect()
    }

    /// The readers' half: previous positions first, then what is drawn as it is now.
    fn read(&self, sink: &Sink, first_byte: u64) {
        let frame = self.frame;
        let stages = vk::PipelineStageFlags2::COPY | vk::PipelineStageFlags2::VERTEX_ATTRIBUTE_INPUT;
        let waits = [(self.compute.timeline, frame, stages)];
        let stride = u64::from(LAYOUT.vertex_bytes());
        let bytes = u64::from(VERTEX_COUNT) * stride;
        let geometry = self.pass.geometry_buffer().buffer();
        let functions = self.device.device();
        let read = |commands, firsts: &[u32], to: u64| {
            let offsets = firsts.iter().map(|first| u64::from(*first) * stride);
            let draws: Vec<_> = firsts.iter().map(|first| (*first, VERTEX_COUNT)).collect();
            // SAFETY: the command buffer is recording; the ranges lie in the buffer.
            unsafe { self.draw.record(commands, &self.pass, &draws) };
            let regions: Vec<_> = offsets
                .zip(0..)
                .map(|(offset, index)| {
                    vk::BufferCopy::default()
                        .src_offset(offset)
                        .dst_offset(to + index * bytes)
                        .size(bytes)
                })
                .collect();
            // SAFETY: as above; the sink has room.
            unsafe { functions.cmd_copy_buffer(commands, geometry, sink.buffer, &regions) };
        };
        let ranges = self.ranges();
        let previous: Vec<_> = ranges.iter().map(|it| it.previous_first_vertex).collect();
        let current: Vec<_> = ranges.iter().map(|it| it.current_first_vertex).collect();
        self.motion
            .submit(&waits, frame, |commands| read(commands, &previous, first_byte));
        let behind = first_byte + bytes * ranges.len() as u64;
        self.graphics
            .submit(&waits, frame, |commands| read(commands, &current, behind));
    }

    /// Everything is uploaded and written once, and nothing runs any more.
    fn settle(&mut self, sink: &Sink) {
        while self.frame == 0 || self.ranges().iter().any(|range| !range.written) {
            self.record(self.frame, self.frame);
            self.read(sink, 0);
        }
        self.graphics.wait_on_host(self.frame);
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: nothing else submits; a lost device is idle too.
        let _ = unsafe { self.device.device().device_wait_idle() };
        // SAFETY: the device is idle.
        unsafe { self.pass.destroy() };
    }
}

fn weights(frame: u64, instance: usize) -> Vec<f32> {
    let weight = |target: usize| ((frame as usize * 7 + instance * 3 + target) % 11) as f32 / 8.0 - 0.5;
    (0..TARGET_COUNT).map(weight).collect()
}

/// Runs frames without waiting on the host but for slots, and compares all that readers saw.
fn check_frames(device: &HeadlessDevice, method: Method, history: bool, order: Order) {
    let mut engine = Engine::new(device, method, history);
    let bytes = u64::from(VERTEX_COUNT) * u64::from(LAYOUT.vertex_bytes());
    let frame_bytes = bytes * 2 * INSTANCE_COUNT as u64;
    let sink = Sink::new(device, frame_bytes * FRAME_COUNT);
    engine.settle(&sink);
    let mut shown = vec![vec![0.0; TARGET_COUNT]; INSTANCE_COUNT];
    let mut expected: Vec<Vec<f32>> = Vec::new();
    for number in 0..FRAME_COUNT {
        let before = shown.clone();
        for (index, instance) in engine.instances.iter().enumerate() {
            // Some stay as they are for a frame, and swap nothing.
            if !(index as u64 + number).is_multiple_of(4) {
                shown[index] = weights(number, index);
                engine.pass.set_weights(*instance, &shown[index]).unwrap();
            }
        }
        let last = engine.frame;
        match order {
            Order::Draws => engine.record(last, last),
            Order::Motion => engine.record(last - 1, last),
        }
        engine.read(&sink, number * frame_bytes);
        expected.extend(if history { before } else { shown.clone() });
        expected.extend(shown.iter().cloned());
    }
    engine.graphics.wait_on_host(engine.frame);
    engine.motion.wait_on_host(engine.frame);
    for (place, (found, weights)) in sink.bytes().chunks(bytes as usize).zip(&expected).enumerate() {
        let right = expected_bytes(&engine.cooked.morph, &engine.cooked.rest, weights).unwrap();
        let (frame, index) = (place / (2 * INSTANCE_COUNT), place % (2 * INSTANCE_COUNT));
        assert!(
            found == right,
            "{method:?}, history {history}, {order:?}, frame {frame}, reading {index} (previous ones first)"
        );
    }
}

#[test]
fn b153_readers_on_another_queue_see_current_and_previous_shapes_of_their_own_frame() {
    let orders = [(false, Order::Draws), (true, Order::Draws), (true, Order::Motion)];
    for driver in morph_tests::test_drivers() {
        for (method, (history, order)) in METHODS.into_iter().flat_map(|it| orders.map(|order| (it, order))) {
            let device = open(&driver, order);
            let queues = match device.second_queue() {
                Some(second) => format!("families {} and {}", device.queue_family(), second.family),
                None => "one queue, which plays both parts".to_owned(),
            };
            let name = format!(
                "async compute on {} ({queues}), {method:?}, history {history}, {order:?}",
                driver.name()
            );
            say(&name);
            let judged = judge_device(device, |device| check_frames(device, method, history, order)).unwrap();
            assert_silent(&name, &judged.messages);
        }
    }
}
