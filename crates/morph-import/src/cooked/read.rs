//! What describes a model in a cooked file: read, and checked against the primitives and among itself.

use glam::Mat4;
use morph_anim::Clip;
use morph_core::cooked::{Container, Cooked, CookedError, Section, SectionError, SectionId, SectionKind};
use morph_core::rig::Rig;

use super::error::Fault;
use super::nodes::{NodeReader, Weights};
use super::records::{MeshRecord, ModelRecord, NodeRecord, PartRecord, SkinRecord};
use super::rigs;
use super::runs::{check_end, field, finite, next_run};
use super::text::Texts;
use super::{clips, expressions};
use crate::expressions::ModelExpression;
use crate::model::{Format, Material, Node, Skin, Topology};

/// A model without its vertices and targets.
#[derive(Debug)]
pub(super) struct Description {
    pub(super) format: Format,
    pub(super) meshes: Vec<MeshDescription>,
    pub(super) parts: Vec<Part>,
    pub(super) nodes: Vec<Node>,
    pub(super) skins: Vec<Skin>,
    pub(super) clips: Vec<Clip>,
    pub(super) expressions: Vec<ModelExpression>,
}

#[derive(Debug)]
pub(super) struct MeshDescription {
    pub(super) name: Option<String>,
    pub(super) default_weights: Vec<f32>,
    pub(super) rig: Option<Rig>,
    /// The primitives, counted over all meshes.
    pub(super) primitives: std::ops::Range<usize>,
}

/// What a primitive has beside vertices and targets.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) name: Option<String>,
    pub(super) material: Material,
    pub(super) topology: Topology,
    pub(super) source_points: Option<Vec<u32>>,
}

/// Reads and checks.
pub(super) fn read(cooked: &Cooked<'_>) -> Result<Description, Fault> {
    let container = cooked.container();
    let section = |kind| container.require(SectionId::of_model(kind));
    let model_section = section(SectionKind::MODEL)?;
    let format = read_format(&model_section)?;
    let texts = Texts(section(SectionKind::TEXT)?.text()?);
    let weight_section = section(SectionKind::WEIGHTS)?;
    let mut weights = Weights {
        values: weight_section.records()?,
        next: 0,
    };
    if let Some(at) = weights.values.iter().position(|weight| !weight.is_finite()) {
        return Err(weight_section
            .fault(SectionError::NotFinite { what: "weight", at })
            .into());
    }
    let parts = read_parts(&section(SectionKind::PARTS)?, cooked, &texts)?;
    let mut meshes = read_meshes(&section(SectionKind::MESHES)?, cooked, &texts, &mut weights)?;
    let node_section = section(SectionKind::NODES)?;
    let node_records: &[NodeRecord] = node_section.records()?;
    let skins = read_skins(container, node_records.len(), &texts)?;
    let nodes = NodeReader {
        section: node_section,
        meshes: &meshes,
        skins: &skins,
        texts: &texts,
        count: node_records.len(),
    }
    .read(node_records, &mut weights)?;
    check_end(
        weights.next,
        weights.values.len(),
        "the weights of all meshes and nodes",
    )
    .map_err(|error| weight_section.fault(error))?;
    rigs::read(cooked, &texts, &mut meshes)?;
    check_joints(cooked, &meshes, &nodes, &skins)?;
    let expressions = expressions::read(container, &texts, &nodes, &meshes)?;
    Ok(Description {
        format,
        meshes,
        parts,
        nodes,
        skins,
        clips: clips::read(container, &texts)?,
        expressions,
    })
}

fn read_format(section: &Section<'_>) -> Result<Format, CookedError> {
    let records: &[ModelRecord] = section.exactly(1)?;
    let &[ModelRecord { format, reserved }] = records else {
        return Err(CookedError::Missing {
            section: section.id(),
        });
    };
    if let Some(&found) = reserved.iter().find(|&&reserved| reserved != 0) {
        return Err(section.fault(field("the reserved number", 0, found, "0")));
    }
    format_of(format).ok_or_else(|| section.fault(field("the format", 0, format, FORMATS)))
}

/// What the number of a format may be.
const FORMATS: &str = "0 (glTF), 1 (binary glTF), 2 (MakeHuman) or 3 (FBX)";

fn format_of(code: u32) -> Option<Format> {
    match code {
        0 => Some(Format::Gltf),
        1 => Some(Format::Glb),
        2 => Some(Format::MakeHuman),
        3 => Some(Format::Fbx),
        _ => None,
    }
}

/// The number of a format in a file.
pub(super) fn format_code(format: Format) -> u32 {
    match format {
        Format::Gltf => 0,
        Format::Glb => 1,
        Format::MakeHuman => 2,
        Format::Fbx => 3,
    }
}

fn read_parts(
    section: &Section<'_>,
    cooked: &Cooked<'_>,
    texts: &Texts<'_>,
) -> Result<Vec<Part>, CookedError> {
    let records: &[PartRecord] = section.exactly(cooked.primitives().len() as u64)?;
    let mut parts = Vec::with_capacity(records.len());
    for (at, (record, primitive)) in records.iter().zip(cooked.primitives()).enumerate() {
        let fault = |error| section.fault(error);
        let topology = match record.topology {
            1 => Topology::Points,
            2 => Topology::Lines,
            3 => Topology::Triangles,
            found => return Err(fault(field("the topology", at, found, "1, 2 or 3"))),
        };
        let index_count = primitive.indices().len() as u32;
        if !index_count.is_multiple_of(record.topology) {
            let right = format!("a multiple of {}", record.topology);
            return Err(fault(field("the number of indices", at, index_count, &right)));
        }
        if record.double_sided > 1 {
            return Err(fault(field("double sided", at, record.double_sided, "0 or 1")));
        }
        let factors = [record.metallic, record.roughness];
        finite(&record.base_color, "the color of part", at).map_err(fault)?;
        finite(&factors, "the material of part", at).map_err(fault)?;
        let points = SectionId::of_primitive(SectionKind::SOURCE_POINTS, at as u32);
        let vertex_count = u64::from(primitive.mesh().vertex_count());
        let source_points = match cooked.container().get(points) {
            Some(section) => Some(section.exactly(vertex_count)?.to_vec()),
            None => None,
        };
        parts.push(Part {
            name: texts.optional(record.name, "the name of part", at, section)?,
            material: Material {
                name: texts.optional(record.material_name, "the material of part", at, section)?,
                base_color: record.base_color,
                metallic: record.metallic,
                roughness: record.roughness,
                double_sided: record.double_sided == 1,
            },
            topology,
            source_points,
        });
    }
    Ok(parts)
}

fn read_meshes(
    section: &Section<'_>,
    cooked: &Cooked<'_>,
    texts: &Texts<'_>,
    weights: &mut Weights<'_>,
) -> Result<Vec<MeshDescription>, CookedError> {
    let records: &[MeshRecord] = section.records()?;
    let mut meshes = Vec::with_capacity(records.len());
    let mut next = 0;
    for (at, record) in records.iter().enumerate() {
        let fault = |error| section.fault(error);
        let first = next;
        let primitives = next_run(
            cooked.primitives(),
            record.primitives,
            &mut next,
            "the primitives of mesh",
            at,
        )
        .map_err(fault)?;
        let names = primitives.first().map(|primitive| primitive.mesh().names());
        if let Some(odd) = primitives
            .iter()
            .position(|primitive| Some(primitive.mesh().names()) != names)
        {
            return Err(fault(SectionError::Mismatch {
                what: "a primitive's list of target names",
                at: first + odd,
            }));
        }
        let own = next_run(
            weights.values,
            record.weights,
            &mut weights.next,
            "the weights of mesh",
            at,
        )
        .map_err(fault)?;
        let target_count = names.map_or(0, morph_core::NameTable::len);
        if own.len() != target_count {
            let right = target_count.to_string();
            return Err(fault(field(
                "the number of weights",
                at,
                record.weights.count,
                &right,
            )));
        }
        meshes.push(MeshDescription {
            name: texts.optional(record.name, "the name of mesh", at, section)?,
            default_weights: own.to_vec(),
            rig: None,
            primitives: first..next,
        });
    }
    check_end(next, cooked.primitives().len(), "the primitives of all meshes")
        .map_err(|error| section.fault(error))?;
    Ok(meshes)
}

fn read_skins(
    container: &Container<'_>,
    node_count: usize,
    texts: &Texts<'_>,
) -> Result<Vec<Skin>, CookedError> {
    let Some(section) = container.get(SectionId::of_model(SectionKind::SKINS)) else {
        for kind in [SectionKind::SKIN_NODES, SectionKind::INVERSE_BINDS] {
            if let Some(section) = container.get(SectionId::of_model(kind)) {
                return Err(section.fault(SectionError::Unexpected));
            }
        }
        return Ok(Vec::new());
    };
    let joint_section = container.require(SectionId::of_model(SectionKind::SKIN_NODES))?;
    let joints: &[u32] = joint_section.records()?;
    let bind_section = container.require(SectionId::of_model(SectionKind::INVERSE_BINDS))?;
    let binds: &[[f32; 16]] = bind_section.exactly(joints.len() as u64)?;
    for (at, (&joint, bind)) in joints.iter().zip(binds).enumerate() {
        if joint as usize >= node_count {
            return Err(joint_section.fault(SectionError::OutOfRange {
                what: "the node of joint",
                at,
                index: u64::from(joint),
                count: node_count as u64,
            }));
        }
        finite(bind, "the inverse bind matrix of joint", at).map_err(|error| bind_section.fault(error))?;
    }
    let records: &[SkinRecord] = section.records()?;
    let mut skins = Vec::with_capacity(records.len());
    let mut next = 0;
    for (at, record) in records.iter().enumerate() {
        let first = next;
        let own = next_run(joints, record.joints, &mut next, "the joints of skin", at)
            .map_err(|error| section.fault(error))?;
        skins.push(Skin {
            name: texts.optional(record.name, "the name of skin", at, &section)?,
            joints: own.iter().map(|&joint| joint as usize).collect(),
            inverse_bind: binds[first..next].iter().map(Mat4::from_cols_array).collect(),
        });
    }
    check_end(next, joints.len(), "the joints of all skins").map_err(|error| joint_section.fault(error))?;
    Ok(skins)
}

/// Checks that vertices name joints that the skins of their nodes have.
fn check_joints(
    cooked: &Cooked<'_>,
    meshes: &[MeshDescription],
    nodes: &[Node],
    skins: &[Skin],
) -> Result<(), CookedError> {
    // The smallest skin of each mesh speaks for all.
    let mut joint_counts = vec![None; meshes.len()];
    for node in nodes {
        if let (Some(mesh), Some(skin)) = (node.mesh, node.skin) {
            let count = skins[skin].joints.len();
            let least: &mut Option<usize> = &mut joint_counts[mesh];
            *least = Some(least.map_or(count, |least| least.min(count)));
        }
    }
    for (mesh, joint_count) in meshes.iter().zip(joint_counts) {
        let Some(joint_count) = joint_count else { continue };
        for index in mesh.primitives.clone() {
            let Some(weights) = cooked.primitives()[index].skin_weights() else {
                continue;
            };
            let Some(joint) = weights
                .greatest_joint()
                .filter(|&joint| usize::from(joint) >= joint_count)
            else {
                continue;
            };
            let id = SectionId::of_primitive(SectionKind::SKIN_JOINTS, index as u32);
            let section = cooked.container().require(id)?;
            return Err(section.fault(SectionError::OutOfRange {
                what: "joint",
                at: weights
                    .joints()
                    .iter()
                    .position(|&other| other == joint)
                    .unwrap_or_default(),
                index: u64::from(joint),
                count: joint_count as u64,
            }));
        }
    }
    Ok(())
}
