//! What is drawn: primitives with their targets built, and where and with which weights nodes show them.

use std::sync::Arc;

use glam::Vec3;
use morph_core::{
    Aabb, BaseNormals, BuildOptions, MorphMesh, RestPose, SkinWeights, TargetView, VertexLayout,
};
use morph_import::{Format, Primitive, Topology};
use morph_render::Material;

use super::placing::{Shown, place_instances};
use crate::args::RenderArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;
use crate::pose::PosedModel;
use crate::world::{check_extent, check_matrix, check_positions};

/// The vertex of the renderer: it has no use for tangents.
pub(super) const LAYOUT: VertexLayout = VertexLayout::POSITION_NORMAL;

/// The largest channel of a surface that still shows its shape in the light of the renderer, which is made for skin.
const BRIGHTEST_COLOR: f32 = 0.5;

/// Everything that is drawn.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) parts: Vec<Part>,
}

/// A primitive.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) place: String,
    pub(super) mesh: Arc<MorphMesh>,
    pub(super) rest: RestPose,
    pub(super) skin_weights: Option<SkinWeights>,
    pub(super) indices: Vec<u32>,
    pub(super) material: Material,
    pub(super) shown: Vec<Shown>,
}

/// Where vertices lie in the world.
#[derive(Debug)]
pub(super) struct WorldPositions {
    /// Every vertex at rest.
    pub(super) rest: Vec<[f32; 3]>,
    /// Around every vertex, at rest and morphed.
    pub(super) bounds: Aabb,
    /// Around the vertices at rest that some target moves.
    pub(super) movable: Option<Aabb>,
}

impl Parts {
    pub(super) fn new(
        posed: &PosedModel<'_>,
        args: &RenderArgs,
        console: &mut Console<'_>,
    ) -> Result<Self, CliError> {
        let loaded = posed.loaded;
        let mut parts = Vec::new();
        for (mesh, primitive) in chosen(loaded, args)? {
            let file_primitive = loaded.primitive(mesh, primitive)?;
            if file_primitive.topology != Topology::Triangles || file_primitive.indices.len() < 3 {
                if args.primitive.is_some() {
                    return Err(CliError::NothingToDraw {
                        place: loaded.primitive_place(mesh, primitive),
                    });
                }
                continue;
            }
            let part = console.step("building the targets", || build(loaded, (mesh, primitive), args))?;
            parts.push((mesh, part));
        }
        if parts.is_empty() {
            let place = args.mesh.map_or_else(
                || loaded.path.display().to_string(),
                |mesh| loaded.mesh_place(mesh),
            );
            return Err(CliError::NothingToDraw { place });
        }
        place_instances(posed, &mut parts, console)?;
        let parts = Parts {
            parts: parts.into_iter().map(|(_, part)| part).collect(),
        };
        parts.check_bones(loaded, args, console)?;
        Ok(parts)
    }

    /// Refuses `--skin` where nothing has bones, and tells what a clip leaves where it was without it.
    fn check_bones(
        &self,
        loaded: &Loaded,
        args: &RenderArgs,
        console: &mut Console<'_>,
    ) -> Result<(), CliError> {
        if args.pose.skin && self.skinned_count() == 0 {
            return Err(CliError::NoSkin {
                place: args.mesh.map_or_else(
                    || loaded.path.display().to_string(),
                    |mesh| loaded.mesh_place(mesh),
                ),
            });
        }
        let plays = args.pose.clip.clip.is_some() || args.pose.clip.clip_file.is_some();
        let has_skins = || {
            let nodes = loaded.model.nodes.iter();
            nodes
                .filter(|node| node.skin.is_some())
                .any(|node| node.mesh.is_some())
        };
        if plays && !args.pose.skin && has_skins() {
            console.warn(
                "what is skinned is drawn in its bind pose, since the clip's joints move it only with --skin",
            );
        }
        Ok(())
    }

    /// Everything that is shown, in order of the parts.
    pub(super) fn shown(&self) -> impl Iterator<Item = (&Part, &Shown)> {
        self.parts
            .iter()
            .flat_map(|part| part.shown.iter().map(move |shown| (part, shown)))
    }

    pub(super) fn instance_count(&self) -> usize {
        self.shown().count()
    }

    /// Whether nothing is placed otherwise than where a motion starts.
    pub(super) fn stand_still(&self) -> bool {
        self.shown()
            .all(|(_, shown)| shown.now.placement == shown.start.placement)
    }

    pub(super) fn skinned_count(&self) -> usize {
        let shown = self.shown();
        shown
            .filter(|(_, shown)| shown.now.placement.bones.is_some())
            .count()
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.shown()
            .map(|(part, _)| part.rest.vertex_count() as usize)
            .sum()
    }

    pub(super) fn triangle_count(&self) -> usize {
        self.shown().map(|(part, _)| part.indices.len() / 3).sum()
    }

    /// Morphs on the host, to know where the camera has to look.
    pub(super) fn world_positions(&self) -> Result<WorldPositions, CliError> {
        let mut world = WorldPositions {
            rest: Vec::new(),
            bounds: Aabb::of(&[]),
            movable: None,
        };
        for part in &self.parts {
            let movable = movable_vertices(&part.mesh);
            for shown in &part.shown {
                let undrawable = |source| CliError::Undrawable {
                    place: format!("{}{}", part.place, shown.node),
                    source,
                };
                check_matrix(&shown.now.placement.world).map_err(undrawable)?;
                let [rest, morphed] = shown.now.world_positions(part)?;
                check_positions("vertex", &rest).map_err(undrawable)?;
                check_positions("with these weights, vertex", &morphed).map_err(undrawable)?;
                world.bounds = union(union(world.bounds, Aabb::of(&rest)), Aabb::of(&morphed));
                let moved: Vec<_> = movable.iter().map(|&vertex| rest[vertex as usize]).collect();
                if !moved.is_empty() {
                    let moved = Aabb::of(&moved);
                    world.movable = Some(world.movable.map_or(moved, |movable| union(movable, moved)));
                }
                world.rest.extend(rest);
            }
        }
        check_extent(&world.bounds).map_err(|source| CliError::Undrawable {
            place: "all that was asked for".to_owned(),
            source,
        })?;
        Ok(world)
    }
}

/// The primitives that the options ask for, as (mesh, primitive).
fn chosen(loaded: &Loaded, args: &RenderArgs) -> Result<Vec<(usize, usize)>, CliError> {
    let meshes = match args.mesh {
        Some(mesh) => {
            loaded.mesh(mesh)?;
            vec![mesh]
        }
        None if loaded.model.meshes.is_empty() => {
            return Err(CliError::NoMeshes {
                path: loaded.path.clone(),
            });
        }
        None => {
            let shown = |mesh: &usize| loaded.model.nodes.iter().any(|node| node.mesh == Some(*mesh));
            let all = 0..loaded.model.meshes.len();
            let in_scene: Vec<usize> = all.clone().filter(shown).collect();
            // A file without a scene still has something to look at.
            if in_scene.is_empty() {
                all.collect()
            } else {
                in_scene
            }
        }
    };
    let mut chosen = Vec::new();
    for mesh in meshes {
        match args.primitive {
            Some(primitive) => {
                loaded.primitive(mesh, primitive)?;
                chosen.push((mesh, primitive));
            }
            None => {
                chosen.extend((0..loaded.mesh(mesh)?.primitives.len()).map(|primitive| (mesh, primitive)));
            }
        }
    }
    Ok(chosen)
}

fn build(loaded: &Loaded, (mesh, index): (usize, usize), args: &RenderArgs) -> Result<Part, CliError> {
    let primitive = loaded.primitive(mesh, index)?;
    let place = loaded.primitive_place(mesh, index);
    let rest = RestPose::from_streams(
        LAYOUT,
        &primitive.positions,
        primitive.normals.as_deref(),
        None,
        BaseNormals::MakeUnit,
    )
    .map_err(|source| CliError::Rest {
        place: place.clone(),
        source,
    })?;
    let options = BuildOptions::new(args.quantization);
    let (built, _) =
        MorphMesh::build(rest.vertex_count(), &primitive.targets, &options).map_err(|source| {
            CliError::Build {
                place: place.clone(),
                source,
            }
        })?;
    Ok(Part {
        place,
        mesh: Arc::new(built),
        rest,
        skin_weights: primitive.skin_weights.clone(),
        indices: primitive.indices.clone(),
        material: surface(primitive, loaded.model.format),
        shown: Vec::new(),
    })
}

/// The vertices that some target moves by more than a twentieth of the farthest way that it moves any.
///
/// Targets that were sculpted move all of a body by tiny amounts, and yet are about its face alone.
fn movable_vertices(mesh: &MorphMesh) -> Vec<u32> {
    let moves = |target: &TargetView<'_>, entry: usize| {
        Vec3::from(target.position(entry)).length() > 0.05 * target.reach()
    };
    let of_target = |target: TargetView<'_>| -> Vec<u32> {
        let vertices = target.vertices().iter().enumerate();
        vertices
            .filter(|&(entry, _)| moves(&target, entry))
            .map(|(_, &vertex)| vertex)
            .collect()
    };
    mesh.targets().flat_map(of_target).collect()
}

/// How a primitive looks: its factors, since textures are not read.
fn surface(primitive: &Primitive, format: Format) -> Material {
    let material = &primitive.material;
    let [red, green, blue, _] = material.base_color;
    let color = [red, green, blue];
    let brightest = color.into_iter().fold(0.0, f32::max);
    let darkest = color.into_iter().fold(1.0, f32::min);
    let surface = if format == Format::MakeHuman {
        Material::SKIN
    } else if darkest > 0.6 && brightest - darkest < 0.1 {
        // White and light grey stand in front of a texture, or are what a modeler puts where nobody chose a color.
        Material::CLAY
    } else {
        let scale = (BRIGHTEST_COLOR / brightest.max(BRIGHTEST_COLOR)).min(1.0);
        let color = color.map(|channel| (channel * scale).clamp(0.0, 1.0));
        Material::plain(color, material.roughness.clamp(0.05, 1.0))
    };
    Material {
        double_sided: material.double_sided,
        ..surface
    }
}

fn union(a: Aabb, b: Aabb) -> Aabb {
    if a.is_empty() {
        return b;
    }
    if b.is_empty() {
        return a;
    }
    Aabb {
        min: std::array::from_fn(|axis| a.min[axis].min(b.min[axis])),
        max: std::array::from_fn(|axis| a.max[axis].max(b.max[axis])),
    }
}
