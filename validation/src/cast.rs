//! Instances that are morphed and read, frame after frame: the material of every scene.

use std::sync::Arc;

use ash::vk;
use glam::{Mat4, Vec3};
use morph_core::plan::BarrierKind;
use morph_core::skin::{DirectionTransform, InfluenceCount};
use morph_core::{Aabb, MorphMesh, Quantization, RestPose, VertexLayout};
use morph_render::{
    Background, Buffer, BufferDesc, Camera, DeformerDesc, DrawItem, Frame, HeadlessDevice, KeyLight,
    Material, MemoryPlace, PassSet, Renderer, RendererDesc, pass_desc,
};
use morph_vk::{Capacities, InstanceId, MeshDesc, MeshId, MeshSkin, Method, MorphPass, SkeletonId};

use crate::bare_draw::BareDraw;
use crate::expected::expected_posed_bytes;
use crate::rig::{Rig, RigError};
use crate::rng::Rng;
use crate::samples::{sample_bones, sample_mesh, sample_skin};

/// What reads the ranges in every frame; the pass is told of just these readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Nobody, though the pass is told of draws: what is left are its own hazards.
    Nobody,
    /// Draws without indices (layers do not check vertex reads through indices) and without a barrier behind them.
    Draws,
    /// A copy of every range into bytes that nothing else touches.
    Copies,
    /// Draws, copies, and all passes of `morph_render`, motion vectors with the previous range among them.
    Everything,
}

impl Reading {
    fn draws(self) -> bool {
        matches!(self, Reading::Draws | Reading::Everything)
    }

    fn copies(self) -> bool {
        matches!(self, Reading::Copies | Reading::Everything)
    }

    fn stages(self) -> morph_vk::Readers {
        match self {
            Reading::Nobody | Reading::Draws => morph_vk::Readers::VERTEX_INPUT,
            Reading::Copies => morph_vk::Readers::COPY,
            Reading::Everything => morph_vk::Readers::VERTEX_INPUT.and(morph_vk::Readers::COPY),
        }
    }
}

/// What a cast is made with.
#[derive(Debug, Clone, Copy)]
pub struct CastDesc {
    /// How targets are applied.
    pub method: Method,
    /// Whether instances keep their previous range.
    pub history: bool,
    /// Frames in flight.
    pub frame_slot_count: u32,
    /// Bytes of uploads a frame.
    pub upload_bytes_per_frame: u64,
    /// Whether the pipelines come later.
    pub defer_pipelines: bool,
    /// Whether there is room for skeletons.
    pub skins: bool,
    /// Who reads.
    pub reading: Reading,
    /// A barrier that every frame leaves out.
    pub removed: Option<BarrierKind>,
}

impl CastDesc {
    /// Two frames in flight, everything uploaded at once, draws and copies, all barriers.
    pub fn new(method: Method) -> CastDesc {
        CastDesc {
            method,
            history: false,
            frame_slot_count: 2,
            upload_bytes_per_frame: 4 << 20,
            defer_pipelines: false,
            skins: false,
            reading: Reading::Everything,
            removed: None,
        }
    }
}

/// A mesh with what the host needs to know what its instances should be.
#[derive(Debug, Clone)]
pub struct Prop {
    /// Its handle.
    pub id: MeshId,
    /// Its targets.
    pub morph: Arc<MorphMesh>,
    /// Its rest pose.
    pub rest: RestPose,
    /// Its skin.
    pub skin: Option<MeshSkin>,
}

/// An instance.
#[derive(Debug, Clone)]
pub struct Actor {
    /// Its handle.
    pub id: InstanceId,
    /// Number of its mesh.
    pub prop: usize,
    /// The skeleton that it follows.
    pub skeleton: Option<SkeletonId>,
    /// Whether it is read.
    pub visible: bool,
}

/// A pass with meshes, instances and readers.
#[derive(Debug)]
pub struct Cast {
    /// The pass.
    pub rig: Rig,
    /// Meshes.
    pub props: Vec<Prop>,
    /// Instances.
    pub actors: Vec<Actor>,
    /// Skeletons.
    pub skeletons: Vec<SkeletonId>,
    /// Frames so far.
    pub frame_count: u32,
    /// Barriers left out so far.
    pub removed_count: usize,
    /// Random numbers of the scene.
    pub rng: Rng,
    desc: CastDesc,
    readers: Readers,
}

#[derive(Debug)]
struct Readers {
    draw: Option<BareDraw>,
    renderer: Option<Renderer>,
    sink: Option<Buffer>,
    sink_used_bytes: u64,
}

const LAYOUT: VertexLayout = VertexLayout::PACKED;
const SINK_BYTES: u64 = 16 << 20;
const INSTANCE_CAPACITY: u32 = 32;
const MOST_TARGETS: u32 = 32;
/// Bones of every skeleton.
const BONE_COUNT: u32 = 7;
const SKELETON_CAPACITY: u32 = 4;

impl Cast {
    /// An empty pass with its readers.
    ///
    /// # Errors
    /// The device or the pass refused.
    pub fn new(device: &HeadlessDevice, desc: CastDesc) -> Result<Cast, RigError> {
        let mut capacities = Capacities::new(16 << 20, INSTANCE_CAPACITY, MOST_TARGETS);
        if desc.skins {
            capacities = capacities.with_bones(SKELETON_CAPACITY * BONE_COUNT);
        }
        capacities.frame_slot_count = desc.frame_slot_count;
        capacities.staging_bytes_per_frame = capacities.frame_bytes + desc.upload_bytes_per_frame;
        let mut pass = pass_desc(
            device,
            &DeformerDesc {
                layout: LAYOUT,
                method: desc.method,
                history: desc.history,
                capacities,
            },
        );
        pass.defer_pipelines = desc.defer_pipelines;
        pass.readers = desc.reading.stages();
        let draw = if desc.reading.draws() {
            Some(BareDraw::new(device, &LAYOUT)?)
        } else {
            None
        };
        let renderer = if desc.reading == Reading::Everything {
            let desc = RendererDesc {
                supersampling: 1,
                shadow_map_size: 64,
                ..RendererDesc::new((64, 64), LAYOUT)
            };
            Some(Renderer::new(device, &desc).map_err(|error| RigError::Scene(error.to_string()))?)
        } else {
            None
        };
        let sink = if desc.reading.copies() {
            let desc = BufferDesc {
                name: "reader's copies",
                size_bytes: SINK_BYTES,
                usage: vk::BufferUsageFlags::TRANSFER_DST,
                place: MemoryPlace::Device,
            };
            Some(Buffer::new(device, &desc)?)
        } else {
            None
        };
        Ok(Cast {
            rig: Rig::new(device, pass)?,
            props: Vec::new(),
            actors: Vec::new(),
            skeletons: Vec::new(),
            frame_count: 0,
            removed_count: 0,
            rng: Rng::new(0x5eed),
            desc,
            readers: Readers {
                draw,
                renderer,
                sink,
                sink_used_bytes: 0,
            },
        })
    }

    /// Adds a mesh whose targets all move all vertices.
    ///
    /// # Errors
    /// The pass refused.
    pub fn add_mesh(
        &mut self,
        vertex_count: u32,
        target_count: u32,
        quantization: Quantization,
    ) -> Result<usize, RigError> {
        let (morph, rest) = sample_mesh(&mut self.rng, vertex_count, target_count, quantization, LAYOUT)?;
        self.add_prop(morph, rest, None)
    }

    /// Adds a mesh that seven bones hold.
    ///
    /// # Errors
    /// The pass refused.
    pub fn add_skinned_mesh(
        &mut self,
        vertex_count: u32,
        target_count: u32,
        influence_count: InfluenceCount,
        directions: DirectionTransform,
    ) -> Result<usize, RigError> {
        let (morph, rest) = sample_mesh(
            &mut self.rng,
            vertex_count,
            target_count,
            Quantization::Half,
            LAYOUT,
        )?;
        let weights =
            sample_skin(&mut self.rng, vertex_count, BONE_COUNT, influence_count).map_err(RigError::scene)?;
        let weights = Arc::new(weights);
        self.add_prop(morph, rest, Some(MeshSkin { weights, directions }))
    }

    fn add_prop(
        &mut self,
        morph: Arc<MorphMesh>,
        rest: RestPose,
        skin: Option<MeshSkin>,
    ) -> Result<usize, RigError> {
        let desc = MeshDesc {
            skin: skin.clone(),
            ..MeshDesc::new(Arc::clone(&morph), rest.clone())
        };
        let id = self.rig.pass_mut().add_mesh(desc)?;
        self.props.push(Prop {
            id,
            morph,
            rest,
            skin,
        });
        Ok(self.props.len() - 1)
    }

    /// Adds a skeleton of seven bones.
    ///
    /// # Errors
    /// The pass refused.
    pub fn add_skeleton(&mut self) -> Result<SkeletonId, RigError> {
        let id = self.rig.pass_mut().add_skeleton(BONE_COUNT)?;
        self.skeletons.push(id);
        Ok(id)
    }

    /// Adds instances of a mesh.
    ///
    /// # Errors
    /// The pass refused.
    pub fn attach(&mut self, prop: usize, count: u32) -> Result<(), RigError> {
        for _ in 0..count {
            let id = self.rig.pass_mut().attach(self.props[prop].id)?;
            self.add_actor(id, prop, None);
        }
        Ok(())
    }

    /// Adds an instance that follows a skeleton.
    ///
    /// # Errors
    /// The pass refused.
    pub fn attach_skinned(&mut self, prop: usize, skeleton: SkeletonId) -> Result<(), RigError> {
        let id = self
            .rig
            .pass_mut()
            .attach_skinned(self.props[prop].id, skeleton)?;
        self.add_actor(id, prop, Some(skeleton));
        Ok(())
    }

    fn add_actor(&mut self, id: InstanceId, prop: usize, skeleton: Option<SkeletonId>) {
        self.actors.push(Actor {
            id,
            prop,
            skeleton,
            visible: true,
        });
    }

    /// Removes an instance.
    ///
    /// # Errors
    /// The pass refused.
    pub fn detach(&mut self, actor: usize) -> Result<(), RigError> {
        let actor = self.actors.remove(actor);
        self.rig.pass_mut().detach(actor.id)?;
        Ok(())
    }

    /// Hides or shows an instance.
    ///
    /// # Errors
    /// The pass refused.
    pub fn set_visible(&mut self, actor: usize, visible: bool) -> Result<(), RigError> {
        self.actors[actor].visible = visible;
        self.rig.pass_mut().set_visible(self.actors[actor].id, visible)?;
        Ok(())
    }

    /// Gives every skeleton a new pose.
    ///
    /// # Errors
    /// The pass refused.
    pub fn pose(&mut self) -> Result<(), RigError> {
        for skeleton in &self.skeletons {
            let bones = sample_bones(&mut self.rng, BONE_COUNT);
            self.rig.pass_mut().set_pose(*skeleton, &bones)?;
        }
        Ok(())
    }

    /// Gives every instance new weights.
    ///
    /// # Errors
    /// The pass refused.
    pub fn stir(&mut self) -> Result<(), RigError> {
        for actor in &self.actors {
            let count = self.props[actor.prop].morph.target_count();
            let weights: Vec<f32> = (0..count).map(|_| self.rng.signed() * 1.5).collect();
            self.rig.pass_mut().set_weights(actor.id, &weights)?;
        }
        Ok(())
    }

    /// A frame: the pass, then its readers, submitted and not waited for.
    ///
    /// # Errors
    /// The device failed, or the sink is full.
    pub fn frame(&mut self) -> Result<(), RigError> {
        let (removed, actors, readers) = (self.desc.removed, &self.actors, &mut self.readers);
        let mut taken = 0;
        let device = self.rig.device().clone();
        let mut outcome = Ok(());
        self.rig.submit(
            |plan| taken = removed.map_or(0, |kind| plan.remove_barriers(kind)),
            |commands, pass| outcome = readers.read(&device, commands, pass, actors),
        )?;
        outcome?;
        self.removed_count += taken;
        self.frame_count += 1;
        Ok(())
    }

    /// Two frames in one command buffer; the barrier is left out of the second only.
    ///
    /// # Errors
    /// As [`frame`](Self::frame).
    pub fn two_frames_at_once(&mut self) -> Result<(), RigError> {
        let new_weights: Vec<(InstanceId, Vec<f32>)> = self
            .actors
            .iter()
            .map(|actor| {
                let count = self.props[actor.prop].morph.target_count();
                (actor.id, (0..count).map(|_| self.rng.signed()).collect())
            })
            .collect();
        let removed = self.desc.removed;
        let (actors, readers) = (&self.actors, std::cell::RefCell::new(&mut self.readers));
        let device = self.rig.device().clone();
        let outcome = std::cell::RefCell::new(Ok(()));
        let read = |commands, pass: &MorphPass| {
            let read = readers.borrow_mut().read(&device, commands, pass, actors);
            let mut outcome = outcome.borrow_mut();
            if outcome.is_ok() {
                *outcome = read;
            }
        };
        let mut taken = 0;
        let mut refused = Ok(());
        self.rig.submit_two(
            |commands, pass| {
                read(commands, pass);
                for (id, weights) in &new_weights {
                    if let Err(error) = pass.set_weights(*id, weights) {
                        refused = Err(error);
                    }
                }
            },
            |plan| taken = removed.map_or(0, |kind| plan.remove_barriers(kind)),
            read,
        )?;
        refused?;
        outcome.into_inner()?;
        self.removed_count += taken;
        self.frame_count += 2;
        Ok(())
    }

    /// Compares every visible instance with the host, bit by bit.
    ///
    /// # Errors
    /// The device failed, or an instance is not what the host says.
    pub fn check(&mut self) -> Result<(), RigError> {
        for index in 0..self.actors.len() {
            let actor = self.actors[index].clone();
            let prop = &self.props[actor.prop];
            let Some(range) = self.rig.pass().vertex_range(actor.id) else {
                continue;
            };
            if !actor.visible {
                continue;
            }
            let pass = self.rig.pass();
            let pose = actor.skeleton.map(|it| pass.pose(it)).transpose()?;
            let (weights, posed) = (pass.weights(actor.id)?, prop.skin.as_ref().zip(pose));
            let expected = expected_posed_bytes(&prop.morph, &prop.rest, weights, posed)?;
            if self.rig.read_current(range)? != expected {
                return Err(RigError::Scene(format!(
                    "instance {index} is not what the host kernels give"
                )));
            }
        }
        Ok(())
    }
}

impl Readers {
    fn read(
        &mut self,
        device: &HeadlessDevice,
        commands: vk::CommandBuffer,
        pass: &MorphPass,
        actors: &[Actor],
    ) -> Result<(), RigError> {
        let geometry = pass.geometry_buffer().buffer();
        let stride = u64::from(pass.layout().vertex_bytes());
        let mut items = Vec::new();
        for actor in actors {
            let Some(range) = pass.vertex_range(actor.id) else {
                continue;
            };
            if !actor.visible || !range.written {
                continue;
            }
            items.push(DrawItem {
                vertex_buffer: geometry,
                current_first_vertex: range.current_first_vertex,
                previous_first_vertex: range.previous_first_vertex,
                vertex_count: range.vertex_count,
                index_buffer: vk::Buffer::null(),
                first_index: 0,
                index_count: 0,
                model: Mat4::IDENTITY,
                previous_model: Mat4::IDENTITY,
                material: Material {
                    double_sided: true,
                    ..Material::CLAY
                },
                placement: None,
            });
            if let Some(sink) = &self.sink {
                let size = u64::from(range.vertex_count) * stride;
                let src_offset = u64::from(range.current_first_vertex) * stride;
                if self.sink_used_bytes + size > SINK_BYTES {
                    return Err(RigError::Scene(
                        "the sink of the readers is full: make the scene shorter".to_owned(),
                    ));
                }
                let (functions, sink) = (device.device(), sink.handle());
                let region = [vk::BufferCopy {
                    src_offset,
                    dst_offset: self.sink_used_bytes,
                    size,
                }];
                // SAFETY: the command buffer is recording; both buffers live until the cast ends, which waits.
                unsafe { functions.cmd_copy_buffer(commands, geometry, sink, &region) };
                self.sink_used_bytes += size;
            }
        }
        if let Some(draw) = &self.draw {
            let ranges: Vec<(u32, u32)> = items
                .iter()
                .map(|item| (item.current_first_vertex, item.vertex_count))
                .collect();
            // SAFETY: the command buffer is recording; the ranges lie in the geometry buffer, which outlives the frame.
            unsafe { draw.record(commands, pass, &ranges) };
        }
        if let Some(renderer) = &mut self.renderer {
            // SAFETY: the command buffer is recording on the device; the geometry buffer outlives the frame, items name
            // ranges within it, and the pass published them to vertex input.
            unsafe { renderer.record(commands, &frame_of(&items)) };
        }
        Ok(())
    }
}

/// A frame around the origin.
fn frame_of(items: &[DrawItem]) -> Frame<'_> {
    let bounds = Aabb {
        min: [-4.0; 3],
        max: [4.0; 3],
    };
    Frame {
        view: Camera::framing(&bounds, Vec3::Z, 0.6, 1.0).matrices(1.0),
        light: KeyLight {
            direction: Vec3::new(-1.0, -1.0, -1.0),
            color: [1.0; 3],
            shadow_bounds: bounds,
        },
        background: Background::BLACK,
        items,
        passes: PassSet::ALL,
    }
}
