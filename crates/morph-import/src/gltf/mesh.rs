//! Meshes: primitives, and the names and default weights that all of them share.

use morph_core::MorphTarget;
use serde_json::Value;

use super::accessor::Accessors;
use super::attributes::{attribute, color_sets, texcoord_sets};
use super::document::{self, Whole};
use super::fault::{At, Fault, Findings, place};
use super::item::{Item, item};
use super::numbers::finite;
use super::topology::Mode;
use super::{skin, targets};
use crate::damage::Part;
use crate::error::GltfError;
use crate::findings::Account;
use crate::model::{Material, Mesh, Primitive, Topology};
use crate::names::distinct;
use crate::warning::{ImportWarning, WarningKind};

/// Memory that an empty target takes besides the letters of its name, for the limit on what a file may ask for.
const EMPTY_TARGET_BYTES: u64 = 256;

/// What reading a mesh needs to know.
pub(crate) struct Context<'a> {
    pub(crate) accessors: Accessors<'a>,
    pub(crate) materials: &'a [Material],
    /// For each mesh how many joints the smallest skin has that deforms it, where one does.
    pub(crate) joint_counts: &'a [Option<usize>],
    pub(crate) morphs: bool,
}

/// Reads one mesh; `index` is its place in the file.
///
/// Damage leaves out a primitive, or the mesh where no vertices are left then: a mesh whose primitives are all damaged
/// fails with what is wrong with the first.
pub(crate) fn read(
    context: &Context<'_>,
    index: usize,
    mesh: &document::Mesh,
    findings: &mut Findings,
) -> Result<Mesh, Fault> {
    let mesh_place = place("mesh", index, mesh.name.as_deref());
    let mut warn = |kind| findings.warn(mesh_place.clone(), kind);

    let sound = mesh.primitives.iter().filter_map(Item::sound);
    let counts: Vec<usize> = sound.map(|primitive| primitive.targets.len()).collect();
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
        Some(weights) if context.morphs => findings
            .part(Part::Weights, &context.accessors, |findings| {
                let warn = |kind| findings.warn(mesh_place.clone(), kind);
                read_weights(weights, target_count, warn).at(|| format!("{mesh_place}, weights"))
            })?
            .ok(),
        _ => None,
    };
    let default_weights = default_weights.unwrap_or_else(|| vec![0.0; target_count]);

    let mut primitives = Vec::with_capacity(mesh.primitives.len());
    let mut first_damage = None;
    for (number, primitive) in mesh.primitives.iter().enumerate() {
        let read = findings.part(Part::Primitive, &context.accessors, |findings| {
            let here = format!("{mesh_place}, primitive {number}");
            let primitive = primitive.get("primitive", number as u64).at(|| here.clone())?;
            let joint_count = context.joint_counts[index];
            read_primitive(context, &here, primitive, joint_count, &target_names, findings)
        })?;
        primitives.push(read.unwrap_or_else(|fault| {
            first_damage.get_or_insert(fault);
            empty_primitive(&target_names)
        }));
    }
    if let Some(fault) = first_damage
        && primitives.iter().all(|primitive| primitive.positions.is_empty())
    {
        return Err(fault);
    }
    Ok(Mesh {
        name: mesh.name.clone(),
        primitives,
        default_weights,
        target_names,
        rig: None,
    })
}

/// The meshes of the file, with one without primitives in the place of each that was left out.
pub(crate) fn with_left_out(meshes: Vec<Option<Mesh>>, document: &document::Document) -> Vec<Mesh> {
    let described = meshes.into_iter().zip(&document.meshes);
    described
        .map(|(mesh, described)| {
            mesh.unwrap_or_else(|| Mesh {
                name: described.sound().and_then(|mesh| mesh.name.clone()),
                ..Mesh::default()
            })
        })
        .collect()
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
        let mut sound = mesh.primitives.iter().filter_map(Item::sound);
        sound.find_map(|primitive| names_in(primitive.extras.as_ref()))
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

/// What keeps the place of a primitive without vertices.
fn empty_primitive(target_names: &[String]) -> Primitive {
    Primitive {
        name: None,
        positions: Vec::new(),
        source_points: None,
        normals: None,
        tangents: None,
        texcoords: Vec::new(),
        colors: Vec::new(),
        skin_weights: None,
        indices: Vec::new(),
        topology: Topology::Triangles,
        targets: target_names.iter().map(MorphTarget::empty).collect(),
        material: Material::default(),
    }
}

/// The material of a primitive; the default where the file names none, or one that is not there.
fn read_material(
    context: &Context<'_>,
    place: &str,
    index: Option<Whole>,
    findings: &mut Findings,
) -> Result<Material, Fault> {
    let Some(index) = index else {
        return Ok(Material::default());
    };
    let found = findings.part(Part::Material, &context.accessors, |_| {
        item(context.materials, index.0, "material").at(|| place.to_owned())
    })?;
    let Ok(material) = found else {
        return Ok(Material::default());
    };
    let bytes = material.name.as_ref().map_or(0, String::len) as u64;
    context.accessors.spend(bytes).at(|| place.to_owned())?;
    Ok(material.clone())
}

/// Reads one primitive. Of its own data all has to be sound; a target that is not moves nothing.
fn read_primitive(
    context: &Context<'_>,
    place: &str,
    primitive: &document::Primitive,
    joint_count: Option<usize>,
    target_names: &[String],
    findings: &mut Findings,
) -> Result<Primitive, Fault> {
    let accessors = context.accessors;
    let mode = Mode::from_file(primitive.mode.map(|mode| mode.0)).at(|| place.to_owned())?;
    let mut result = Primitive {
        topology: mode.topology(),
        material: read_material(context, place, primitive.material, findings)?,
        ..empty_primitive(target_names)
    };
    let Some(position) = primitive.attributes.get("POSITION") else {
        // The specification allows this and says nothing is drawn; it keeps its index.
        findings.warn(place.to_owned(), WarningKind::NoPositions);
        return Ok(result);
    };

    let warnings = &mut findings.warnings;
    result.positions = accessors
        .floats(position.0, None)
        .at(|| format!("{place}, POSITION (accessor {})", position.0))?;
    let vertex_count = u32::try_from(result.positions.len())
        .map_err(|_| GltfError::TooManyVertices {
            count: result.positions.len() as u64,
        })
        .at(|| place.to_owned())?;
    let attributes = &primitive.attributes;
    result.normals = attribute(accessors, place, attributes, "NORMAL", vertex_count)?;
    if result.normals.is_some() {
        result.tangents = attribute(accessors, place, attributes, "TANGENT", vertex_count)?;
    } else if attributes.contains_key("TANGENT") {
        warnings.push(ImportWarning {
            place: place.to_owned(),
            kind: WarningKind::TangentsWithoutNormals,
        });
    }
    result.texcoords = texcoord_sets(accessors, place, attributes, vertex_count, warnings)?;
    result.colors = color_sets(accessors, place, attributes, vertex_count, warnings)?;
    result.skin_weights = skin::weights(accessors, place, attributes, vertex_count, joint_count, warnings)?;
    result.indices = read_indices(accessors, place, primitive.indices, mode, vertex_count, warnings)?;

    if context.morphs {
        let base = targets::Base::of(&result);
        let source = targets::Source {
            accessors,
            place,
            described: &primitive.targets,
            vertex_count,
            base,
        };
        result.targets = source.read(target_names, findings)?;
        source.warn(&mut findings.warnings);
    }
    Ok(result)
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
