//! What is drawn: primitives with their targets built, and where and with which weights nodes show them.

use std::sync::Arc;

use glam::{Mat4, Vec3};
use morph_core::{
    Aabb, BaseNormals, BuildOptions, MorphMesh, RestPose, RestStreams, Stream, TargetView, VertexLayout,
    morph,
};
use morph_import::{Format, Primitive, Topology};
use morph_render::Material;

use super::weights::{self, Asking};
use crate::args::RenderArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;
use crate::text::quoted;
use crate::weights::WeightRequest;
use crate::world::{check_extent, check_matrix, check_positions, to_world};

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
    pub(super) indices: Vec<u32>,
    pub(super) material: Material,
    pub(super) shown: Vec<Shown>,
}

/// Once that a node shows a primitive.
#[derive(Debug)]
pub(super) struct Shown {
    /// The node that shows it, for messages; empty where none does.
    node: String,
    /// Model to world space.
    pub(super) world: Mat4,
    pub(super) weights: Vec<f32>,
    /// Where a motion starts.
    pub(super) start_weights: Vec<f32>,
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
        loaded: &Loaded,
        args: &RenderArgs,
        request: &WeightRequest,
        console: &mut Console<'_>,
    ) -> Result<Self, CliError> {
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
        place_instances(loaded, &mut parts, request, console)?;
        Ok(Parts {
            parts: parts.into_iter().map(|(_, part)| part).collect(),
        })
    }

    fn shown(&self) -> impl Iterator<Item = (&Part, &Shown)> {
        self.parts
            .iter()
            .flat_map(|part| part.shown.iter().map(move |shown| (part, shown)))
    }

    pub(super) fn instance_count(&self) -> usize {
        self.shown().count()
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
            // Normals would be morphed for nothing.
            let rest = RestStreams {
                normals: None,
                ..part.rest.streams()
            };
            let movable = movable_vertices(&part.mesh);
            for shown in &part.shown {
                let undrawable = |source| CliError::Undrawable {
                    place: format!("{}{}", part.place, shown.node),
                    source,
                };
                check_matrix(&shown.world).map_err(undrawable)?;
                let start = world.rest.len();
                world.rest.extend(
                    rest.positions
                        .iter()
                        .map(|&position| to_world(&shown.world, position)),
                );
                check_positions("vertex", &world.rest[start..]).map_err(undrawable)?;
                let kernel_error = |source| CliError::Kernel {
                    place: part.place.clone(),
                    source,
                };
                let morphed = morph(&part.mesh, &rest, &shown.weights).map_err(kernel_error)?;
                let overflow = morphed
                    .positions
                    .iter()
                    .position(|position| position.iter().any(|x| !x.is_finite()));
                if let Some(vertex) = overflow {
                    return Err(CliError::Overflow {
                        stream: Stream::Position,
                        vertex,
                    });
                }
                let morphed: Vec<_> = morphed
                    .positions
                    .iter()
                    .map(|&position| to_world(&shown.world, position))
                    .collect();
                check_positions("with these weights, vertex", &morphed).map_err(undrawable)?;
                world.bounds = union(
                    union(world.bounds, Aabb::of(&world.rest[start..])),
                    Aabb::of(&morphed),
                );
                let moved: Vec<_> = movable
                    .iter()
                    .map(|&vertex| world.rest[start + vertex as usize])
                    .collect();
                if !moved.is_empty() {
                    let moved = Aabb::of(&moved);
                    world.movable = Some(world.movable.map_or(moved, |movable| union(movable, moved)));
                }
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
        indices: primitive.indices.clone(),
        material: surface(primitive, loaded.model.format),
        shown: Vec::new(),
    })
}

/// Finds out where nodes show each part, and with which weights.
fn place_instances(
    loaded: &Loaded,
    parts: &mut [(usize, Part)],
    request: &WeightRequest,
    console: &mut Console<'_>,
) -> Result<(), CliError> {
    // The primitives of a mesh share names and weights, so the first of them speaks for all.
    let mut meshes: Vec<(usize, Arc<MorphMesh>)> = Vec::new();
    for (mesh, part) in parts.iter() {
        if meshes.last().is_none_or(|(last, _)| last != mesh) {
            meshes.push((*mesh, Arc::clone(&part.mesh)));
        }
    }
    let all: Vec<Asking<'_>> = meshes
        .iter()
        .map(|(mesh, built)| Asking {
            place: loaded.mesh_place(*mesh),
            names: built.names(),
            file_default: &loaded.model.meshes[*mesh].default_weights,
        })
        .collect();
    weights::check(request, &all)?;

    for ((mesh, _), asking) in meshes.iter().zip(&all) {
        for (node, world, file_default) in placements(loaded, *mesh) {
            let asking = Asking {
                place: asking.place.clone(),
                file_default,
                ..*asking
            };
            let weights = weights::resolve(request, &asking, console)?;
            let start_weights = match request {
                WeightRequest::FileDefault => Vec::new(),
                _ => file_default[..file_default.len().min(asking.names.len())].to_vec(),
            };
            for (_, part) in parts.iter_mut().filter(|(it, _)| it == mesh) {
                part.shown.push(Shown {
                    node: node.clone(),
                    world,
                    weights: weights.clone(),
                    start_weights: start_weights.clone(),
                });
            }
        }
    }
    Ok(())
}

/// Where nodes show a mesh, and the weights that the file gives it there; once at the origin where none does.
fn placements(loaded: &Loaded, mesh: usize) -> Vec<(String, Mat4, &[f32])> {
    let model = &loaded.model;
    let placed: Vec<(String, Mat4, &[f32])> = model
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.mesh == Some(mesh))
        .map(|(index, node)| {
            // A skin's joints place its mesh, not its node; in the bind pose they leave it where it is.
            let world = if node.skin.is_some() {
                Mat4::IDENTITY
            } else {
                model.world(index)
            };
            let place = format!(", shown by node {index}{}", quoted(node.name.as_deref()));
            (place, world, model.start_weights(index))
        })
        .collect();
    if placed.is_empty() {
        let default_weights = model.meshes.get(mesh).map(|mesh| mesh.default_weights.as_slice());
        let weights = default_weights.unwrap_or_default();
        return vec![(String::new(), Mat4::IDENTITY, weights)];
    }
    placed
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
