//! Meshes: base attributes, indices, targets, and the names and default weights that all primitives share.

use std::collections::BTreeMap;

use morph_core::MorphTarget;
use serde_json::Value;

use super::accessor::Accessors;
use super::document::{self, Attributes, Whole};
use super::fault::{At, Fault, item, place};
use super::numbers::finite;
use super::topology::Mode;
use crate::error::GltfError;
use crate::model::{Material, Mesh, Primitive};
use crate::names::distinct;
use crate::warning::{ImportWarning, WarningKind};

/// Memory that an empty target takes besides the letters of its name, for the limit on what a file may ask for.
const EMPTY_TARGET_BYTES: u64 = 256;

/// What reading a mesh needs to know.
pub(crate) struct Context<'a> {
    pub(crate) accessors: Accessors<'a>,
    pub(crate) materials: &'a [Material],
    pub(crate) morphs: bool,
}

/// Reads one mesh; `index` is its place in the file.
pub(crate) fn read(
    context: &Context<'_>,
    index: usize,
    mesh: &document::Mesh,
    warnings: &mut Vec<ImportWarning>,
) -> Result<Mesh, Fault> {
    let mesh_place = place("mesh", index, mesh.name.as_deref());
    let mut warn = |kind| {
        warnings.push(ImportWarning {
            place: mesh_place.clone(),
            kind,
        });
    };

    let counts: Vec<usize> = mesh
        .primitives
        .iter()
        .map(|primitive| primitive.targets.len())
        .collect();
    let target_count = if context.morphs {
        counts.iter().copied().max().unwrap_or(0)
    } else {
        0
    };
    if context.morphs && counts.iter().any(|&count| count != target_count) {
        warn(WarningKind::UnequalTargetCounts { counts });
    }
    let target_names = if context.morphs {
        target_names(mesh, target_count, &mut warn)
    } else {
        Vec::new()
    };
    // Every primitive gets every target with its name, however short the file puts that.
    let targets_bytes: u64 = target_names
        .iter()
        .map(|name| name.len() as u64 + EMPTY_TARGET_BYTES)
        .sum();
    let all_bytes = targets_bytes.saturating_mul(mesh.primitives.len() as u64);
    context.accessors.spend(all_bytes).at(|| mesh_place.clone())?;

    let default_weights = match &mesh.weights {
        Some(weights) if context.morphs => {
            read_weights(weights, target_count, &mut warn).at(|| format!("{mesh_place}, weights"))?
        }
        _ => vec![0.0; target_count],
    };

    let mut primitives = Vec::with_capacity(mesh.primitives.len());
    for (number, primitive) in mesh.primitives.iter().enumerate() {
        let primitive_place = format!("{mesh_place}, primitive {number}");
        primitives.push(read_primitive(
            context,
            &primitive_place,
            primitive,
            &target_names,
            warnings,
        )?);
    }
    Ok(Mesh {
        name: mesh.name.clone(),
        primitives,
        default_weights,
        target_names,
    })
}

/// Reads weights and gives every target one.
pub(crate) fn read_weights(
    weights: &[f64],
    target_count: usize,
    mut warn: impl FnMut(WarningKind),
) -> Result<Vec<f32>, GltfError> {
    if weights.len() != target_count {
        warn(WarningKind::WeightCount {
            weights: weights.len(),
            targets: target_count,
        });
    }
    let mut weights = weights
        .iter()
        .take(target_count)
        .map(|&weight| finite("a weight", weight))
        .collect::<Result<Vec<f32>, _>>()?;
    weights.resize(target_count, 0.0);
    Ok(weights)
}

/// Names of all targets. They are a convention: the mesh's extras, else those of the first primitive that has any.
fn target_names(
    mesh: &document::Mesh,
    target_count: usize,
    warn: &mut impl FnMut(WarningKind),
) -> Vec<String> {
    let listed = names_in(mesh.extras.as_ref()).or_else(|| {
        mesh.primitives
            .iter()
            .find_map(|primitive| names_in(primitive.extras.as_ref()))
    });
    let mut names = vec![None; target_count];
    if let Some(listed) = listed {
        if listed.len() != target_count {
            warn(WarningKind::TargetNameCount {
                names: listed.len(),
                targets: target_count,
            });
        }
        for (name, listed) in names.iter_mut().zip(listed) {
            *name = listed.as_str().filter(|name| !name.is_empty()).map(str::to_owned);
        }
        let listed_count = listed.len();
        let result = distinct("target", names.clone(), &mut *warn);
        for (slot, (name, renamed)) in names.iter().zip(&result).enumerate().take(listed_count) {
            if name.is_none() {
                warn(WarningKind::TargetNameInvalid {
                    slot,
                    renamed: renamed.clone(),
                });
            }
        }
        return result;
    }
    distinct("target", names, warn)
}

fn names_in(extras: Option<&Value>) -> Option<&Vec<Value>> {
    extras?.get("targetNames")?.as_array()
}

fn read_primitive(
    context: &Context<'_>,
    place: &str,
    primitive: &document::Primitive,
    target_names: &[String],
    warnings: &mut Vec<ImportWarning>,
) -> Result<Primitive, Fault> {
    let accessors = context.accessors;
    let mode = Mode::from_file(primitive.mode.map(|mode| mode.0)).at(|| place.to_owned())?;
    let material = match primitive.material {
        Some(material) => {
            let material = item(context.materials, material.0, "material").at(|| place.to_owned())?;
            accessors
                .spend(material.name.as_ref().map_or(0, String::len) as u64)
                .at(|| place.to_owned())?;
            material.clone()
        }
        None => Material::default(),
    };
    let mut result = Primitive {
        name: None,
        positions: Vec::new(),
        normals: None,
        tangents: None,
        texcoords: Vec::new(),
        colors: Vec::new(),
        skin_weights: None,
        indices: Vec::new(),
        topology: mode.topology(),
        targets: Vec::new(),
        material,
    };
    let Some(position) = primitive.attributes.get("POSITION") else {
        // The specification allows this and says nothing is drawn; it keeps its index.
        warnings.push(ImportWarning {
            place: place.to_owned(),
            kind: WarningKind::NoPositions,
        });
        result.targets = target_names.iter().map(MorphTarget::empty).collect();
        return Ok(result);
    };

    result.positions = accessors
        .floats(position.0, None)
        .at(|| format!("{place}, POSITION (accessor {})", position.0))?;
    let vertex_count = u32::try_from(result.positions.len())
        .map_err(|_| GltfError::TooManyVertices {
            count: result.positions.len() as u64,
        })
        .at(|| place.to_owned())?;
    result.normals = attribute(accessors, place, &primitive.attributes, "NORMAL", vertex_count)?;
    result.tangents = attribute(accessors, place, &primitive.attributes, "TANGENT", vertex_count)?;
    result.texcoords = attribute(
        accessors,
        place,
        &primitive.attributes,
        "TEXCOORD_0",
        vertex_count,
    )?
    .into_iter()
    .collect();
    result.indices = read_indices(accessors, place, primitive.indices, mode, vertex_count, warnings)?;

    if context.morphs {
        result.targets = read_targets(accessors, place, primitive, target_names, vertex_count)?;
        warn_of_targets(place, primitive, warnings);
    }
    Ok(result)
}

/// Reads an attribute where there is one; it has to have one element per vertex.
fn attribute<const N: usize>(
    accessors: Accessors<'_>,
    place: &str,
    attributes: &Attributes,
    name: &str,
    vertex_count: u32,
) -> Result<Option<Vec<[f32; N]>>, Fault> {
    let Some(accessor) = attributes.get(name) else {
        return Ok(None);
    };
    let values = accessors
        .floats(accessor.0, Some(u64::from(vertex_count)))
        .at(|| format!("{place}, {name} (accessor {})", accessor.0))?;
    Ok(Some(values))
}

fn read_indices(
    accessors: Accessors<'_>,
    place: &str,
    accessor: Option<Whole>,
    mode: Mode,
    vertex_count: u32,
    warnings: &mut Vec<ImportWarning>,
) -> Result<Vec<u32>, Fault> {
    let before = accessors.spent();
    let indices = if let Some(accessor) = accessor {
        let here = || format!("{place}, indices (accessor {})", accessor.0);
        let indices = accessors.indices(accessor.0).at(here)?;
        if let Some(position) = indices.iter().position(|&index| index >= vertex_count) {
            let (index, vertex_count) = (indices[position], vertex_count as usize);
            return Err(GltfError::IndexRange {
                position,
                index,
                vertex_count,
            })
            .at(here);
        }
        indices
    } else {
        accessors
            .spend(u64::from(vertex_count) * 4)
            .at(|| place.to_owned())?;
        (0..vertex_count).collect()
    };
    accessors
        .spend((indices.len() as u64 * 4).saturating_mul(mode.growth()))
        .at(|| place.to_owned())?;
    let (mut list, left_over) = mode.to_list(indices);
    list.shrink_to_fit();
    accessors
        .settle(before, list.len() as u64 * 4)
        .at(|| place.to_owned())?;
    if left_over > 0 {
        warnings.push(ImportWarning {
            place: place.to_owned(),
            kind: WarningKind::IndicesLeftOver { left_over },
        });
    }
    Ok(list)
}

/// Reads the targets; one that the primitive does not have moves nothing in it.
fn read_targets(
    accessors: Accessors<'_>,
    place: &str,
    primitive: &document::Primitive,
    target_names: &[String],
    vertex_count: u32,
) -> Result<Vec<MorphTarget>, Fault> {
    let mut targets = Vec::with_capacity(target_names.len());
    for (slot, name) in target_names.iter().enumerate() {
        let Some(attributes) = primitive.targets.get(slot) else {
            targets.push(MorphTarget::empty(name));
            continue;
        };
        let target_place = place_of_target(place, slot, name);
        let read = |stream| attribute::<3>(accessors, &target_place, attributes, stream, vertex_count);
        let before = accessors.spent();
        let (positions, normals, tangents) = (read("POSITION")?, read("NORMAL")?, read("TANGENT")?);
        let dense = [&positions, &normals, &tangents];
        let stream_count = dense.iter().filter(|stream| stream.is_some()).count();
        if stream_count > 0 {
            // At worst every vertex moves, in vectors that double as they grow.
            let most = 2 * u64::from(vertex_count) * entry_bytes(stream_count);
            accessors.spend(most).at(|| target_place.clone())?;
        }
        let mut target = MorphTarget::from_dense(
            name,
            positions.as_deref(),
            normals.as_deref(),
            tangents.as_deref(),
        );
        drop((positions, normals, tangents));
        // Many small targets would keep twice of what they need.
        target.vertices.shrink_to_fit();
        for stream in [&mut target.positions, &mut target.normals, &mut target.tangents] {
            stream.iter_mut().for_each(Vec::shrink_to_fit);
        }
        let kept = target.vertices.len() as u64 * entry_bytes(stream_count);
        accessors.settle(before, kept).at(|| target_place.clone())?;
        targets.push(target);
    }
    Ok(targets)
}

/// The bytes that a target takes for each vertex that it moves: the index, and a vector in each stream.
fn entry_bytes(stream_count: usize) -> u64 {
    4 + 12 * stream_count as u64
}

fn place_of_target(place_of_primitive: &str, slot: usize, name: &str) -> String {
    format!("{place_of_primitive}, {}", place("target", slot, Some(name)))
}

/// Tells, once per attribute, what the targets have that is not read or that nothing belongs to.
fn warn_of_targets(place: &str, primitive: &document::Primitive, warnings: &mut Vec<ImportWarning>) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in primitive.targets.iter().flat_map(Attributes::keys) {
        *counts.entry(name).or_default() += 1;
    }
    for (name, targets) in counts {
        let kind = match name {
            "POSITION" => continue,
            "NORMAL" | "TANGENT" if primitive.attributes.contains_key(name) => continue,
            "NORMAL" => WarningKind::DeltasWithoutBase {
                attribute: "NORMAL",
                targets,
            },
            "TANGENT" => WarningKind::DeltasWithoutBase {
                attribute: "TANGENT",
                targets,
            },
            _ => WarningKind::TargetAttributeIgnored {
                attribute: crate::text::shorten(name),
                targets,
            },
        };
        warnings.push(ImportWarning {
            place: place.to_owned(),
            kind,
        });
    }
}
