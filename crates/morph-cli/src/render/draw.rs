//! The picture: pre-pass and renderer on one device.

use std::sync::Arc;

use image::RgbaImage;
use morph_core::Layout;
use morph_render::{
    Background, Camera, DeformError, Deformer, DeformerDesc, DrawItem, Frame, HeadlessDesc, HeadlessDevice,
    Pass, PassSet, Renderer, RendererDesc, upload_indices,
};
use morph_vk::{Capacities, FrameStats, InstanceId, MeshDesc, MeshId, MeshState, Method};

use super::camera::{Sight, View, view};
use super::parts::{LAYOUT, Part, Parts};
use super::skinned::{Skinned, Vertices};
use crate::args::RenderArgs;
use crate::console::Console;
use crate::device_room::{Room, geometry_bytes};
use crate::error::CliError;
use crate::world::Undrawable;

/// A picture and how it came about.
#[derive(Debug)]
pub(super) struct Drawing {
    pub(super) picture: RgbaImage,
    /// Device and driver, for people.
    pub(super) device: String,
    /// What the pre-pass did for the last frame.
    pub(super) stats: FrameStats,
    /// A motion was asked for and nothing moves.
    pub(super) stands_still: bool,
}

/// Draws the parts.
pub(super) fn draw(parts: &Parts, args: &RenderArgs, console: &Console<'_>) -> Result<Drawing, CliError> {
    let world = parts.world_positions()?;
    let aspect_ratio = Camera::aspect_ratio((args.size.width, args.size.height));
    let sight = Sight {
        rest: &world.rest,
        bounds: world.bounds,
        movable: world.movable,
    };
    let view = view(args.camera, &sight, aspect_ratio);
    if !view.is_finite(aspect_ratio) {
        return Err(CliError::Undrawable {
            place: "all that was asked for".to_owned(),
            source: Undrawable::Camera { bounds: world.bounds },
        });
    }

    let desc = HeadlessDesc {
        driver: args.driver.clone(),
        ..HeadlessDesc::default()
    };
    let device = console.step("opening the device", || HeadlessDevice::new(&desc))?;
    let info = device.driver_info().to_string();
    tracing::info!(driver = %info, "device opened");

    let moves = args.pass == Pass::Motion;
    let morphed = console.step("morphing on the device", || Morphed::new(&device, parts, moves))?;
    let skinned = console.step("skinning", || {
        Skinned::new(&device, &morphed.deformer, &morphed.instances, parts, moves)
    })?;
    let vertices = morphed.vertices(skinned.as_ref());
    let picture = console.step("drawing", || render(&device, &vertices, parts, &view, args))?;
    Ok(Drawing {
        picture,
        device: info,
        stats: morphed.stats,
        stands_still: moves && morphed.stats.is_idle() && parts.stand_still(),
    })
}

/// The parts on the device, morphed.
#[derive(Debug)]
struct Morphed {
    deformer: Deformer,
    /// One per part.
    meshes: Vec<MeshId>,
    /// One for each time that a part is shown, in order of the parts.
    instances: Vec<InstanceId>,
    stats: FrameStats,
}

impl Morphed {
    /// Runs the pre-pass; with `moves`, once for where the motion starts and once for where it ends.
    fn new(device: &HeadlessDevice, parts: &Parts, moves: bool) -> Result<Self, CliError> {
        let room: Vec<Room> = parts
            .parts
            .iter()
            .map(|part| Room {
                vertex_count: u64::from(part.rest.vertex_count()),
                delta_bytes: part.mesh.size_bytes(Layout::VertexMajor),
                instance_count: part.shown.len() as u64,
            })
            .collect();
        let alignment = device.limits().min_storage_buffer_offset_alignment;
        let geometry = geometry_bytes(LAYOUT, alignment, if moves { 2 } else { 1 }, &room);
        let most_targets = parts
            .parts
            .iter()
            .map(|part| part.mesh.target_count())
            .max()
            .unwrap_or(0);
        let capacities = Capacities::new(geometry, parts.instance_count() as u32, most_targets as u32);
        let desc = DeformerDesc {
            layout: LAYOUT,
            method: Method::Gather,
            history: moves,
            capacities,
        };
        let deformer = Deformer::new(device, &desc).map_err(CliError::deform("the pre-pass"))?;

        let mut morphed = Morphed {
            deformer,
            meshes: Vec::new(),
            instances: Vec::new(),
            stats: FrameStats::default(),
        };
        for part in &parts.parts {
            morphed
                .add(part, moves)
                .map_err(CliError::deform(part.place.clone()))?;
        }
        morphed.stats = morphed
            .deformer
            .settle()
            .map_err(CliError::deform("the pre-pass"))?;
        morphed.check_refused(device, parts)?;
        if moves {
            morphed.stats = morphed
                .finish_motion(parts)
                .map_err(CliError::deform("the pre-pass"))?;
        }
        Ok(morphed)
    }

    /// What is drawn of each instance, in their order.
    fn vertices(&self, skinned: Option<&Skinned>) -> Vec<Option<Vertices>> {
        let of_instance = |(index, &instance): (usize, &InstanceId)| {
            let morphed = || {
                let range = self.deformer.pass().vertex_range(instance)?;
                Some(Vertices {
                    buffer: self.deformer.buffer(),
                    range,
                })
            };
            skinned
                .and_then(|skinned| skinned.vertices(index))
                .or_else(morphed)
        };
        self.instances.iter().enumerate().map(of_instance).collect()
    }

    fn add(&mut self, part: &Part, moves: bool) -> Result<(), DeformError> {
        let pass = self.deformer.pass_mut();
        let mesh = pass.add_mesh(MeshDesc::new(Arc::clone(&part.mesh), part.rest.clone()))?;
        pass.reserve_instances(mesh, part.shown.len() as u32)?;
        self.meshes.push(mesh);
        for shown in &part.shown {
            let instance = pass.attach(mesh)?;
            pass.set_weights(
                instance,
                if moves {
                    &shown.start.weights
                } else {
                    &shown.now.weights
                },
            )?;
            self.instances.push(instance);
        }
        Ok(())
    }

    /// A refused mesh would be drawn at rest, which is not what was asked for.
    fn check_refused(&self, device: &HeadlessDevice, parts: &Parts) -> Result<(), CliError> {
        for (part, &mesh) in parts.parts.iter().zip(&self.meshes) {
            let state = self.deformer.pass().mesh_state(mesh);
            let state = state.map_err(|error| CliError::deform(part.place.clone())(error.into()))?;
            if let MeshState::Refused {
                limit,
                asked_bytes,
                budget_bytes,
            } = state
            {
                let (place, device) = (part.place.clone(), device.device_name().to_owned());
                return Err(CliError::Refused {
                    limit,
                    place,
                    device,
                    asked_bytes,
                    budget_bytes,
                });
            }
        }
        Ok(())
    }

    /// One frame with the weights asked for; after a second one, what was before would be what is now.
    fn finish_motion(&mut self, parts: &Parts) -> Result<FrameStats, DeformError> {
        let shown = parts.parts.iter().flat_map(|part| &part.shown);
        for (&instance, shown) in self.instances.iter().zip(shown) {
            self.deformer
                .pass_mut()
                .set_weights(instance, &shown.now.weights)?;
        }
        self.deformer.advance()
    }
}

fn render(
    device: &HeadlessDevice,
    vertices: &[Option<Vertices>],
    parts: &Parts,
    view: &View,
    args: &RenderArgs,
) -> Result<RgbaImage, CliError> {
    // Index buffers have to live until the frame has run.
    let mut indices = Vec::new();
    let mut items = Vec::new();
    let mut vertices = vertices.iter();
    for part in &parts.parts {
        let buffer = upload_indices(device, &part.place, &part.indices)?;
        let shown = part.shown.iter().zip(vertices.by_ref());
        items.extend(shown.filter_map(|(shown, &vertices)| {
            let Vertices {
                buffer: vertex_buffer,
                range,
            } = vertices?;
            Some(DrawItem {
                vertex_buffer,
                current_first_vertex: range.current_first_vertex,
                previous_first_vertex: range.previous_first_vertex,
                vertex_count: range.vertex_count,
                index_buffer: buffer.handle(),
                first_index: 0,
                index_count: part.indices.len() as u32,
                model: shown.now.placement.world,
                previous_model: shown.start.placement.world,
                material: part.material,
                placement: None,
            })
        }));
        indices.push(buffer);
    }

    let extent = (args.size.width, args.size.height);
    let desc = RendererDesc {
        occlusion_radius: view.extent * 0.03,
        ..RendererDesc::new(extent, LAYOUT)
    };
    let mut renderer = Renderer::new(device, &desc)?;
    let frame = Frame {
        view: view.camera.matrices(Camera::aspect_ratio(extent)),
        light: view.light,
        background: Background::STUDIO,
        items: &items,
        passes: PassSet::only(args.pass),
    };
    device.submit_once("morph render", |commands| {
        // SAFETY: the command buffer is recording on the device's one queue; vertex and index buffers outlive the
        // submit, which is waited for; the pre-pass ended with a barrier for vertex input, and `upload_indices` with
        // one for everything.
        unsafe { renderer.record(commands, &frame) };
    })?;
    Ok(renderer.read(args.pass)?)
}
