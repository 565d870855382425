//! A pass and a renderer together: instances are morphed and drawn, and the passes read back.

use ash::vk;
use glam::Mat4;
use morph_core::{BaseNormals, BuildOptions, MorphMesh, MorphTarget, Quantization, RestPose, VertexLayout};
use morph_render::{
    Background, Buffer, DeformerDesc, DrawItem, DrawPlacement, Frame, HeadlessDevice, KeyLight, Material,
    PassSet, Renderer, RendererDesc, ViewMatrices, pass_desc, upload_indices,
};
use morph_tests::recipe::Cooked;
use morph_validation::Rig;
use morph_vk::{Capacities, FrameStats, InstanceId, MeshDesc, MeshId, Method, MorphPass, SkeletonId};

pub(crate) const LAYOUT: VertexLayout = VertexLayout::POSITION_NORMAL;

/// Builds a mesh of positions and normals.
pub(crate) fn cook(
    positions: &[[f32; 3]],
    normals: &[[f32; 3]],
    targets: &[MorphTarget],
    quantization: Quantization,
) -> Cooked {
    let (morph, _) =
        MorphMesh::build(positions.len() as u32, targets, &BuildOptions::new(quantization)).unwrap();
    let rest = RestPose::from_streams(LAYOUT, positions, Some(normals), None, BaseNormals::AsGiven).unwrap();
    Cooked {
        morph: std::sync::Arc::new(morph),
        rest,
    }
}

/// A mesh on the stage.
#[derive(Debug)]
struct Prop {
    id: MeshId,
    indices: Buffer,
    index_count: u32,
}

/// An instance on the stage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Actor {
    pub(crate) id: InstanceId,
    prop: usize,
    model: Mat4,
    material: Material,
    placement: Option<DrawPlacement>,
    is_drawn: bool,
}

/// How one frame is seen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shot {
    pub(crate) view: ViewMatrices,
    pub(crate) light: KeyLight,
}

/// The pass, the renderer, and what is on the stage.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) rig: Rig,
    pub(crate) renderer: Renderer,
    pub(crate) actors: Vec<Actor>,
    props: Vec<Prop>,
}

impl Stage {
    pub(crate) fn new(
        device: &HeadlessDevice,
        method: Method,
        history: bool,
        renderer: &RendererDesc,
    ) -> Stage {
        Self::with_bones(device, method, history, renderer, 0)
    }

    /// The same with room for skeletons of so many bones together.
    pub(crate) fn with_bones(
        device: &HeadlessDevice,
        method: Method,
        history: bool,
        renderer: &RendererDesc,
        bone_capacity: u32,
    ) -> Stage {
        let mut capacities = Capacities::new(32 << 20, 32, 8).with_bones(bone_capacity);
        capacities.staging_bytes_per_frame += 16 << 20;
        let desc = DeformerDesc {
            layout: LAYOUT,
            method,
            history,
            capacities,
        };
        Stage {
            rig: Rig::new(device, pass_desc(device, &desc)).unwrap(),
            renderer: Renderer::new(device, renderer).unwrap(),
            actors: Vec::new(),
            props: Vec::new(),
        }
    }

    pub(crate) fn add_mesh(&mut self, cooked: &Cooked, indices: &[u32]) -> usize {
        self.add(
            MeshDesc::new(std::sync::Arc::clone(&cooked.morph), cooked.rest.clone()),
            indices,
        )
    }

    pub(crate) fn add(&mut self, mesh: MeshDesc, indices: &[u32]) -> usize {
        let id = self.rig.pass_mut().add_mesh(mesh).unwrap();
        let indices_buffer = upload_indices(self.rig.device(), "indices", indices).unwrap();
        self.props.push(Prop {
            id,
            indices: indices_buffer,
            index_count: indices.len() as u32,
        });
        self.rig.settle().unwrap();
        self.props.len() - 1
    }

    /// Room for instances side by side, so that one dispatch writes them.
    pub(crate) fn reserve(&mut self, prop: usize, count: u32) {
        self.rig
            .pass_mut()
            .reserve_instances(self.props[prop].id, count)
            .unwrap();
    }

    pub(crate) fn attach(&mut self, prop: usize, model: Mat4, material: Material) -> usize {
        let id = self.rig.pass_mut().attach(self.props[prop].id).unwrap();
        self.cast(id, prop, model, material)
    }

    /// The same with bones that follow a skeleton.
    pub(crate) fn attach_skinned(
        &mut self,
        prop: usize,
        skeleton: SkeletonId,
        model: Mat4,
        material: Material,
    ) -> usize {
        let mesh = self.props[prop].id;
        let id = self.rig.pass_mut().attach_skinned(mesh, skeleton).unwrap();
        self.cast(id, prop, model, material)
    }

    fn cast(&mut self, id: InstanceId, prop: usize, model: Mat4, material: Material) -> usize {
        self.actors.push(Actor {
            id,
            prop,
            model,
            material,
            placement: None,
            is_drawn: true,
        });
        self.actors.len() - 1
    }

    pub(crate) fn set_weights(&mut self, actor: usize, weights: &[f32]) {
        self.rig
            .pass_mut()
            .set_weights(self.actors[actor].id, weights)
            .unwrap();
    }

    pub(crate) fn set_visible(&mut self, actor: usize, visible: bool) {
        self.actors[actor].is_drawn = visible;
        self.rig
            .pass_mut()
            .set_visible(self.actors[actor].id, visible)
            .unwrap();
    }

    /// Places the submeshes of an actor from the next frame on; the buffers are the caller's to keep.
    pub(crate) fn place(&mut self, actor: usize, placement: DrawPlacement) {
        self.actors[actor].placement = Some(placement);
    }

    /// Morphs and draws one frame with every pass.
    pub(crate) fn draw(&mut self, shot: Shot) -> FrameStats {
        let (actors, props, renderer) = (&self.actors, &self.props, &mut self.renderer);
        let record = |commands: vk::CommandBuffer, pass: &MorphPass| {
            let items: Vec<DrawItem> = actors
                .iter()
                .filter(|actor| actor.is_drawn)
                .map(|actor| {
                    let range = pass.vertex_range(actor.id).unwrap();
                    assert!(range.written, "what is drawn was written");
                    DrawItem {
                        vertex_buffer: pass.geometry_buffer().buffer(),
                        current_first_vertex: range.current_first_vertex,
                        previous_first_vertex: range.previous_first_vertex,
                        vertex_count: range.vertex_count,
                        index_buffer: props[actor.prop].indices.handle(),
                        first_index: 0,
                        index_count: props[actor.prop].index_count,
                        model: actor.model,
                        previous_model: actor.model,
                        material: actor.material,
                        placement: actor.placement,
                    }
                })
                .collect();
            let frame = Frame {
                view: shot.view,
                light: shot.light,
                background: Background::STUDIO,
                items: &items,
                passes: PassSet::ALL,
            };
            // SAFETY: the command buffer is recording on the device; geometry and indices outlive the frame, ranges lie in
            // the geometry buffer, and the pass published them to vertex input.
            unsafe { renderer.record(commands, &frame) };
        };
        let stats = self.rig.submit(|_| (), record).unwrap();
        self.rig.wait().unwrap();
        stats
    }
}
