//! The smallest engine: how to put `morph-vk` into a renderer of your own.
//!
//! Read this file from top to bottom.
//! Nothing in it comes from `morph-render`: `engine.rs` beside it is what every Vulkan program has anyway, made with
//! plain `ash`, and `memory.rs` is an allocator of the engine's own, from which the pass takes its buffers.
//!
//! | when | what |
//! |---|---|
//! | once an asset | build a [`MorphMesh`] from targets and a [`RestPose`] from vertices |
//! | once | make a [`MorphPass`] beside your own passes |
//! | once a mesh | `add_mesh`; `mesh_state` says whether its deltas are there or were refused |
//! | once an instance | `attach`: it has a range of vertices in one buffer from then on |
//! | each frame | `set_weights`, `set_visible`; then `record`, before your passes that draw |
//! | each draw | bind the geometry buffer at the instance's `vertex_range`, in every pass alike |
//! | a dropped frame | `discard_frame` |
//! | at the end | wait for the device, `destroy` |

mod engine;
mod memory;

use std::sync::Arc;

use anyhow::{Context as _, bail, ensure};
use ash::vk;
use morph_vk::morph_core::{
    BaseNormals, BuildOptions, MorphMesh, MorphTarget, Quantization, RestPose, VertexLayout,
    max_ulp_difference, morph,
};
use morph_vk::{Capacities, InstanceId, MeshDesc, MeshState, MorphPass, MorphPassDesc, Readers, VertexRange};

use engine::{Engine, FRAMES_IN_FLIGHT};

/// Frames of the whole program.
const FRAMES: usize = 30;
/// What the engine draws: position and normal, 24 bytes. Any other stride and offsets do as well.
const LAYOUT: VertexLayout = VertexLayout::POSITION_NORMAL;

/// What happened, for the program to print and for the test to check.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The device that did it.
    pub device: String,
    /// Frames submitted.
    pub frames: usize,
    /// Frames of these in which the pass recorded no command, because nothing had changed.
    pub idle_frames: usize,
    /// Dispatches over all frames.
    pub dispatches: u32,
    /// Barriers over all frames.
    pub barriers: u32,
    /// Vertices compared at the end.
    pub vertices: u32,
    /// The largest difference from the host kernel, in units in the last place; 0 is equal bits.
    pub difference: u32,
}

/// Runs the engine for a few frames and compares its last one with the host kernel.
///
/// `driver` is a part of the device's name; `None` takes the first device that can do it.
///
/// # Errors
/// No loader, no device, a failed Vulkan call, or whatever the pass refuses.
pub fn run(driver: Option<&str>) -> anyhow::Result<Summary> {
    let engine = Engine::new(driver)?;
    let mut pass = make_pass(&engine)?;
    let summary = frames(&engine, &mut pass);
    engine.wait_idle();
    // SAFETY: the device is idle, and nothing uses the ranges any more.
    unsafe { pass.destroy() };
    summary
}

/// Once: what the pass may hold, who reads its vertices, what the device can do, and where memory comes from.
fn make_pass(engine: &Engine) -> anyhow::Result<MorphPass> {
    let capacities = Capacities {
        frame_slot_count: FRAMES_IN_FLIGHT as u32,
        // Deltas beyond this budget are refused, and their mesh is drawn at rest.
        delta_budget_bytes: 256 << 10,
        // One megabyte of vertices and deltas, four instances, meshes with up to sixteen targets.
        ..Capacities::new(1 << 20, 4, 16)
    };
    let mut desc = MorphPassDesc::new(LAYOUT, capacities, engine.facts());
    // The far side of the pass's last barrier. This engine draws, and copies its vertices out at the end.
    desc.readers = Readers::VERTEX_INPUT.and(Readers::COPY);
    // Each instance keeps the vertices of the frame before, which motion vectors need.
    desc.history = true;
    // Any `MemoryProvider` will do; `RawMemory` takes the buffers straight from Vulkan.
    let memory = Box::new(engine.memory.clone());
    // SAFETY: the device is live, and `run` destroys the pass before the engine drops it; facts and memory are the
    // device's own.
    Ok(unsafe { MorphPass::new(&engine.device, desc, memory) }?)
}

/// The life of two instances of one mesh: one moves, the other is hidden for a while.
fn frames(engine: &Engine, pass: &mut MorphPass) -> anyhow::Result<Summary> {
    // The mesh goes to the device inside the coming `record` calls, a bounded number of bytes a frame; until it is there
    // its instances are drawn at rest. `attach` gives an instance its range now.
    let (mesh, rest) = tiny_mesh()?;
    let mesh_id = pass.add_mesh(MeshDesc::new(Arc::clone(&mesh), rest.clone()).with_name("strip"))?;
    let (mover, sleeper) = (pass.attach(mesh_id)?, pass.attach(mesh_id)?);

    let mut summary = Summary {
        device: engine.name.clone(),
        frames: 0,
        idle_frames: 0,
        dispatches: 0,
        barriers: 0,
        vertices: 2 * mesh.vertex_count(),
        difference: u32::MAX,
    };
    for frame in 0..FRAMES {
        // The slot is free once the frame before last is done: that is what the fence says.
        let slot = frame % FRAMES_IN_FLIGHT;
        let commands = engine.begin_frame(slot)?;

        // Weights may go past one and below zero. The animation stops for the last ten frames: a frame in which nothing
        // changed costs no device work.
        let time = frame.min(FRAMES - 10) as f32 / 10.0;
        pass.set_weights(mover, &[time.sin(), 1.5 * time])?;
        pass.set_weights(sleeper, &[-time, 0.5])?;
        // What nobody sees costs nothing either, and is right in the frame in which it returns.
        pass.set_visible(sleeper, !(5..15).contains(&frame))?;

        // SAFETY: the command buffer is recording outside of a rendering, its slot is free, and frames go to one
        // queue in this order.
        let stats = unsafe { pass.record(commands, slot as u32) };

        // A frame that is recorded and never submitted (the window changed its size) must be given back.
        if frame == 8 {
            pass.discard_frame(slot as u32);
            engine.drop_frame(slot)?;
            continue;
        }
        summary.frames += 1;
        summary.dispatches += stats.dispatches;
        summary.barriers += stats.barriers;
        summary.idle_frames += usize::from(stats.is_idle());

        for instance in [mover, sleeper] {
            draw(engine, commands, pass, instance);
        }
        if frame + 1 == FRAMES {
            for (number, instance) in (0..).zip([mover, sleeper]) {
                copy_out(engine, commands, pass, instance, number)?;
            }
        }
        engine.end_frame(slot)?;
    }

    // Why a morph does not show: its deltas are still on their way, or were refused. `pass.stats()` has the totals.
    match pass.mesh_state(mesh_id)? {
        MeshState::Resident => {}
        state => bail!("after {FRAMES} frames the mesh is {state:?}"),
    }
    // What the device wrote is what the host kernel says, bit for bit, so a tool or a server may use either.
    engine.wait_idle();
    let instance_bytes = mesh.vertex_count() as usize * LAYOUT.vertex_bytes() as usize;
    let found = engine.read_back(2 * instance_bytes)?;
    summary.difference = 0;
    for (vertices, instance) in found.chunks_exact(instance_bytes).zip([mover, sleeper]) {
        let expected = morph(&mesh, &rest.streams(), pass.weights(instance)?)?;
        let normals = expected.normals.unwrap_or_default();
        for (place, expected) in [
            (LAYOUT.position, expected.positions),
            (LAYOUT.normal.unwrap_or(LAYOUT.position), normals),
        ] {
            let difference = max_ulp_difference(&stream(vertices, place.offset), &expected);
            summary.difference = summary.difference.max(difference);
        }
    }
    Ok(summary)
}

/// What every pass of an engine does with an instance: depth, shadow, motion and color bind the same range, so none of
/// them can disagree. This engine has no pipeline to draw with and binds only.
fn draw(engine: &Engine, commands: vk::CommandBuffer, pass: &MorphPass, instance: InstanceId) {
    // Nothing was written yet, as in the first frames of a mesh: there is nothing to draw.
    let Some(range) = pass.vertex_range(instance).filter(|range| range.written) else {
        return;
    };
    let buffer = pass.geometry_buffer().buffer();
    // The second binding is for the motion pass alone. Where the instance stands still, both offsets are the same.
    let offsets = [range.current_first_vertex, range.previous_first_vertex].map(byte_offset);
    // SAFETY: the command buffer is recording, and the ranges lie within the buffer.
    unsafe {
        engine
            .device
            .cmd_bind_vertex_buffers(commands, 0, &[buffer; 2], &offsets);
    };
    // device.cmd_bind_index_buffer(commands, your_indices, ...);
    // device.cmd_draw_indexed(commands, your_index_count, 1, 0, 0, 0);
}

fn byte_offset(vertex: u32) -> u64 {
    u64::from(vertex) * u64::from(LAYOUT.vertex_bytes())
}

/// A strip of four triangles with two targets: one lifts its middle, one stretches it to the right.
fn tiny_mesh() -> anyhow::Result<(Arc<MorphMesh>, RestPose)> {
    let positions: Vec<[f32; 3]> = (0..6_u8)
        .map(|index| [f32::from(index / 2), f32::from(index % 2), 0.0])
        .collect();
    let normals = vec![[0.0, 0.0, 1.0]; positions.len()];
    // Targets are sparse: they list only the vertices that they move.
    let lift = MorphTarget {
        vertices: vec![2, 3],
        positions: Some(vec![[0.0, 0.0, 0.7], [0.0, 0.0, 0.7]]),
        normals: Some(vec![[0.3, 0.0, -0.1], [-0.3, 0.0, -0.1]]),
        ..MorphTarget::empty("lift")
    };
    let stretch = MorphTarget {
        vertices: vec![2, 3, 4, 5],
        positions: Some(
            [[0.25, 0.0, 0.0]; 2]
                .into_iter()
                .chain([[0.5, 0.0, 0.0]; 2])
                .collect(),
        ),
        ..MorphTarget::empty("stretch")
    };
    // `snorm16` stores 16 bits a component with a step per target; the report says what that costs at worst.
    let options = BuildOptions::new(Quantization::Snorm16);
    let (mesh, _report) = MorphMesh::build(positions.len() as u32, &[lift, stretch], &options)?;
    let rest = RestPose::from_streams(LAYOUT, &positions, Some(&normals), None, BaseNormals::MakeUnit)?;
    Ok((Arc::new(mesh), rest))
}

/// Copies the vertices of an instance to where the host reads them, behind those of the instances before it.
///
/// The pass named copies among its readers, so its last barrier lets this one see what was written.
fn copy_out(
    engine: &Engine,
    commands: vk::CommandBuffer,
    pass: &MorphPass,
    instance: InstanceId,
    number: u64,
) -> anyhow::Result<()> {
    let range: VertexRange = pass.vertex_range(instance).context("the instance is attached")?;
    ensure!(
        range.written,
        "after {FRAMES} frames the mesh is still on its way"
    );
    let size = byte_offset(range.vertex_count);
    let region = vk::BufferCopy::default()
        .src_offset(byte_offset(range.current_first_vertex))
        .dst_offset(number * size)
        .size(size);
    engine.copy_to_host(commands, pass.geometry_buffer().buffer(), region)
}

/// Three floats of each vertex.
fn stream(vertices: &[u8], offset: u32) -> Vec<[f32; 3]> {
    let float = |bytes: &[u8]| f32::from_le_bytes(std::array::from_fn(|byte| bytes[byte]));
    vertices
        .chunks_exact(LAYOUT.vertex_bytes() as usize)
        .map(|vertex| std::array::from_fn(|axis| float(&vertex[offset as usize + axis * 4..])))
        .collect()
}
