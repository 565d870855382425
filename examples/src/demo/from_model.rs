//! From an imported model to a figure: every mesh where its node puts it, all targets in one list by name.

use std::collections::HashMap;

use anyhow::{bail, ensure};
use glam::{Mat3, Mat4, Vec3};
use morph_import::{Model, Primitive, Topology};
use morph_render::Material;

use super::figure::{Delta, Figure, Part, Vertex};

/// Puts the triangles of a model together.
///
/// Targets of one name in several meshes become one target.
/// Skinned meshes stay where their bind pose is.
pub fn figure(name: &str, model: &Model) -> anyhow::Result<Figure> {
    let mut placed: Vec<(usize, Mat4, &[f32])> = model
        .nodes
        .iter()
        .enumerate()
        .filter_map(|(index, node)| {
            let world = if node.skin.is_some() {
                Mat4::IDENTITY
            } else {
                model.world(index)
            };
            Some((node.mesh?, world, model.start_weights(index)))
        })
        .collect();
    if placed.is_empty() {
        placed = model
            .meshes
            .iter()
            .enumerate()
            .map(|(mesh, it)| (mesh, Mat4::IDENTITY, it.default_weights.as_slice()))
            .collect();
    }

    let mut figure = Figure {
        name: name.to_owned(),
        target_names: Vec::new(),
        start_weights: Vec::new(),
        vertices: Vec::new(),
        parts: Vec::new(),
        focus: None,
    };
    let mut slots: HashMap<&str, u32> = HashMap::new();
    for (mesh, world, start_weights) in placed {
        let Some(mesh) = model.meshes.get(mesh) else {
            bail!("a node names mesh {mesh}, which is not there")
        };
        let mut slot_of = Vec::new();
        for (index, name) in mesh.target_names.iter().enumerate() {
            let slot = *slots.entry(name).or_insert_with(|| {
                figure.target_names.push(name.clone());
                figure
                    .start_weights
                    .push(start_weights.get(index).copied().unwrap_or(0.0));
                figure.target_names.len() as u32 - 1
            });
            slot_of.push(slot);
        }
        for (index, primitive) in mesh.primitives.iter().enumerate() {
            if primitive.topology == Topology::Triangles && !primitive.indices.is_empty() {
                let mesh_name = mesh.name.as_deref().unwrap_or("mesh");
                let name = primitive
                    .name
                    .clone()
                    .unwrap_or_else(|| format!("{mesh_name} {index}"));
                add(&mut figure, name, primitive, &world, &slot_of);
            }
        }
    }
    ensure!(
        !figure.parts.is_empty(),
        "the model has no triangles, so there is nothing to draw"
    );
    ensure!(
        !figure.target_names.is_empty(),
        "the model has no morph targets, so there is nothing to show"
    );
    Ok(figure)
}

fn add(figure: &mut Figure, name: String, primitive: &Primitive, world: &Mat4, slot_of: &[u32]) {
    let linear = Mat3::from_mat4(*world);
    // The cofactor matrix carries normals right under any scale and needs no division.
    let cofactor = Mat3::from_cols(
        linear.y_axis.cross(linear.z_axis),
        linear.z_axis.cross(linear.x_axis),
        linear.x_axis.cross(linear.y_axis),
    );
    let first = figure.vertices.len() as u32;
    let mut lengths = Vec::with_capacity(primitive.positions.len());
    for (index, position) in primitive.positions.iter().enumerate() {
        let given = primitive
            .normals
            .as_ref()
            .and_then(|normals| normals.get(index))
            .copied()
            .unwrap_or_default();
        let normal = cofactor * Vec3::from(given).normalize_or_zero();
        lengths.push(normal.length().max(f32::MIN_POSITIVE));
        figure.vertices.push(Vertex::still(
            world.transform_point3((*position).into()),
            normal.normalize_or_zero(),
        ));
    }
    for (target, &slot) in primitive.targets.iter().zip(slot_of) {
        for (entry, &vertex) in target.vertices.iter().enumerate() {
            let value = |stream: &Option<Vec<[f32; 3]>>| {
                Vec3::from(
                    stream
                        .as_ref()
                        .and_then(|values| values.get(entry))
                        .copied()
                        .unwrap_or_default(),
                )
            };
            let delta = Delta {
                target: slot,
                position: linear * value(&target.positions),
                normal: cofactor * value(&target.normals) / lengths[vertex as usize],
            };
            figure.vertices[(first + vertex) as usize].deltas.push(delta);
        }
    }
    // Slots of a mesh may come in any order, where another mesh named some of them before.
    for vertex in &mut figure.vertices[first as usize..] {
        vertex.deltas.sort_by_key(|delta| delta.target);
    }
    let indices = if linear.determinant() < 0.0 {
        // A mirror turns the triangles inside out.
        primitive
            .indices
            .chunks_exact(3)
            .flat_map(|corners| [corners[0], corners[2], corners[1]])
            .collect()
    } else {
        primitive.indices.clone()
    };
    figure.parts.push(Part {
        name,
        material: material(&primitive.material),
        indices: indices.into_iter().map(|index| first + index).collect(),
    });
}

/// The surface as the file describes it, as far as plain factors go.
fn material(given: &morph_import::Material) -> Material {
    const WHITE: f32 = 0.75;
    let [red, green, blue, _] = given.base_color;
    // A white factor mostly stands for a texture, which is not read here; clay shows a shape better than glare does.
    if red.min(green).min(blue) > WHITE {
        return Material {
            double_sided: given.double_sided,
            ..Material::CLAY
        };
    }
    // Nothing real is brighter than this.
    let scale = (WHITE / red.max(green).max(blue)).min(1.0);
    Material {
        base_color: [red, green, blue].map(|channel| (channel * scale).clamp(0.0, 1.0)),
        roughness: given.roughness.clamp(0.35, 0.8),
        subsurface: [0.2, 0.15, 0.12],
        specular: 0.7,
        double_sided: given.double_sided,
    }
}
