//! The smallest engine: how to put `morph-vk` into a renderer of your own.
//!
//! Nothing here comes from `morph-render`: instance, device, queue, command buffers and fences are the engine's, made
//! with plain `ash`, and the pass only records into what it is given.
//! Read this file from top to bottom; `engine.rs` beside it is what every Vulkan program has anyway.
//!
//! The story in short:
//!
//! 1. Build a [`MorphMesh`] from targets and a [`RestPose`] from vertices, once per asset.
//! 2. Create a [`MorphPass`] beside your own passes, once.
//! 3. `add_mesh`, `attach`: an instance has a range of vertices in one buffer from then on.
//! 4. Each frame: `set_weights`, then `record` into your command buffer before the passes that draw.
//! 5. Draw: bind `pass.geometry_buffer().buffer()` at `vertex_range(instance).current_first_vertex` with your own index
//!    buffer, in the depth, shadow, motion and color pass alike.

mod engine;

use std::sync::Arc;

use anyhow::{Context as _, ensure};
use ash::vk;
use morph_vk::morph_core::{
    BaseNormals, BuildOptions, MorphMesh, MorphTarget, Quantization, RestPose, VertexLayout,
    max_ulp_difference, morph,
};
use morph_vk::{Capacities, InstanceId, MeshDesc, MorphPass, MorphPassDesc, RawMemory, Readers};

use engine::{Engine, FRAMES_IN_FLIGHT, READBACK_BYTES};

/// Frames of the whole program.
const FRAMES: usize = 30;
/// What the engine draws: position and normal, 24 bytes. Any other stride and offsets do as well.
const LAYOUT: VertexLayout = VertexLayout::POSITION_NORMAL;

/// What happened, for the program to print and for the test to check.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The device that did it.
    pub device: String,
    /// Frames recorded.
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

    // 2. The pass: told once who reads its vertices (the far side of its last barrier), how much it may hold, and what
    //    the device can do. `RawMemory` takes its three buffers straight from Vulkan; implement `MemoryProvider` to
    //    give it memory of your own allocator.
    let capacities = Capacities {
        frame_slot_count: FRAMES_IN_FLIGHT as u32,
        // One megabyte of vertices and deltas, four instances, meshes with up to sixteen targets.
        ..Capacities::new(1 << 20, 4, 16)
    };
    let mut desc = MorphPassDesc::new(LAYOUT, capacities, engine.facts());
    // An engine with draws names `Readers::VERTEX_INPUT`; this one also copies its vertices out at the end.
    desc.readers = Readers::VERTEX_INPUT.and(Readers::COPY);
    let memory = Box::new(RawMemory::new(engine.memory_properties()));
    // SAFETY: the device is live, and the pass is destroyed below before the engine drops it; facts and memory are the
    // device's own.
    let mut pass = unsafe { MorphPass::new(&engine.device, desc, memory) }?;

    let summary = frames(&engine, &mut pass);

    engine.wait_idle();
    // SAFETY: the device is idle, and nothing uses the ranges any more.
    unsafe { pass.destroy() };
    summary
}

fn frames(engine: &Engine, pass: &mut MorphPass) -> anyhow::Result<Summary> {
    // 1. and 3. The mesh goes to the device inside the coming `record` calls; `attach` gives an instance its range now.
    let (mesh, rest) = tiny_mesh()?;
    let mesh_id = pass.add_mesh(MeshDesc::new(Arc::clone(&mesh), rest.clone()))?;
    let instance = pass.attach(mesh_id)?;

    let mut summary = Summary {
        device: engine.name.clone(),
        frames: FRAMES,
        idle_frames: 0,
        dispatches: 0,
        barriers: 0,
        vertices: mesh.vertex_count(),
        difference: u32::MAX,
    };
    let mut weights = [0.0; 2];
    for frame in 0..FRAMES {
        // The slot is free once the frame before last is done: that is what the fence says.
        let slot = frame % FRAMES_IN_FLIGHT;
        let commands = engine.begin_frame(slot)?;

        // 4. Weights may go past one and below zero. The animation stops for the last ten frames: a frame in which
        //    nothing changed costs no device work.
        let time = frame.min(FRAMES - 10) as f32 / 10.0;
        weights = [time.sin(), 1.5 * time];
        pass.set_weights(instance, &weights)?;
        // SAFETY: the command buffer is recording outside of a rendering, its slot is free, and frames go to one
        // queue in this order.
        let stats = unsafe { pass.record(commands, slot as u32) };
        summary.dispatches += stats.dispatches;
        summary.barriers += stats.barriers;
        summary.idle_frames += usize::from(stats.is_idle());

        // 5. Here an engine draws. Every pass binds the same range, so none of them can disagree:
        //
        //    let range = pass.vertex_range(instance).expect("attached");
        //    if range.written {
        //        let stride = u64::from(pass.layout().stride_bytes);
        //        let offset = u64::from(range.current_first_vertex) * stride;
        //        device.cmd_bind_vertex_buffers(commands, 0, &[pass.geometry_buffer().buffer()], &[offset]);
        //        device.cmd_draw_indexed(commands, ...);
        //    }
        if frame + 1 == FRAMES {
            copy_out(engine, commands, pass, instance)?;
        }
        engine.end_frame(slot)?;
    }

    // What the device wrote is what the host kernel says, bit for bit, so a tool or a server may use either.
    engine.wait_idle();
    let found = engine.read_back(mesh.vertex_count() as usize * LAYOUT.stride_bytes as usize)?;
    let expected = morph(&mesh, &rest.streams(), &weights)?;
    let [positions, normals] = [LAYOUT.position_offset, LAYOUT.normal_offset.unwrap_or(0)].map(|offset| {
        found
            .chunks_exact(LAYOUT.stride_bytes as usize)
            .map(|vertex| floats(vertex, offset))
            .collect::<Vec<_>>()
    });
    summary.difference = max_ulp_difference(&positions, &expected.positions).max(max_ulp_difference(
        &normals,
        &expected.normals.unwrap_or_default(),
    ));
    Ok(summary)
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
        positions: Some(vec![
            [0.25, 0.0, 0.0],
            [0.25, 0.0, 0.0],
            [0.5, 0.0, 0.0],
            [0.5, 0.0, 0.0],
        ]),
        ..MorphTarget::empty("stretch")
    };
    // `snorm16` stores 16 bits a component with a step per target; the report says what that costs at worst.
    let options = BuildOptions::new(Quantization::Snorm16);
    let (mesh, _report) = MorphMesh::build(positions.len() as u32, &[lift, stretch], &options)?;
    let rest = RestPose::from_streams(LAYOUT, &positions, Some(&normals), None, BaseNormals::MakeUnit)?;
    Ok((Arc::new(mesh), rest))
}

/// Copies the vertices of an instance to where the host reads them.
///
/// The pass named copies among its readers, so its last barrier lets this one see what was written.
fn copy_out(
    engine: &Engine,
    commands: vk::CommandBuffer,
    pass: &MorphPass,
    instance: InstanceId,
) -> anyhow::Result<()> {
    let range = pass.vertex_range(instance).context("the instance is attached")?;
    ensure!(
        range.written,
        "after {FRAMES} frames the mesh is still on its way"
    );
    let stride = u64::from(pass.layout().stride_bytes);
    let region = vk::BufferCopy::default()
        .src_offset(u64::from(range.current_first_vertex) * stride)
        .size(u64::from(range.vertex_count) * stride);
    ensure!(
        region.size <= READBACK_BYTES,
        "the mesh is larger than the buffer that it is copied to"
    );
    let source = pass.geometry_buffer().buffer();
    // SAFETY: the range lies within the geometry buffer, and the target has room, as was just checked.
    unsafe {
        engine
            .device
            .cmd_copy_buffer(commands, source, engine.readback, &[region]);
    };
    // What the host reads later must be made visible to it.
    let to_host = [vk::MemoryBarrier2::default()
        .src_stage_mask(vk::PipelineStageFlags2::COPY)
        .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
        .dst_stage_mask(vk::PipelineStageFlags2::HOST)
        .dst_access_mask(vk::AccessFlags2::HOST_READ)];
    let barrier = vk::DependencyInfo::default().memory_barriers(&to_host);
    // SAFETY: the command buffer is recording.
    unsafe { engine.device.cmd_pipeline_barrier2(commands, &barrier) };
    Ok(())
}

/// Three floats of a vertex.
fn floats(vertex: &[u8], offset: u32) -> [f32; 3] {
    std::array::from_fn(|axis| {
        let start = offset as usize + axis * 4;
        f32::from_le_bytes(std::array::from_fn(|byte| vertex[start + byte]))
    })
}
