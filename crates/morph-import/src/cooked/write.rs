//! Cooking: targets are built, and the model is written with them.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use morph_core::cooked::{PrimitiveParts, SectionId, SectionKind, Writer};
use morph_core::{
    BaseNormals, BuildOptions, BuildReport, MorphMesh, Quantization, RestPose, Streams, VertexLayout,
};

use super::error::CookError;
use super::open::CookedModel;
use super::read::format_code;
use super::records::{ABSENT, MeshRecord, ModelRecord, NodeRecord, PartRecord, RunRecord, SkinRecord};
use super::runs::{optional_index_record, run};
use super::text::TextWriter;
use super::{clips, expressions, rigs};
use crate::model::{Mesh, Model, Node, Primitive, Topology};

/// How the targets of a model are built; see [`BuildOptions`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CookOptions {
    /// How deltas are stored.
    pub quantization: Quantization,
    /// A vertex stays in a target if its position delta is longer than this, in model units.
    pub position_threshold: f32,
    /// A vertex stays in a target if its normal or tangent delta is longer than this, against a unit base.
    pub direction_threshold: f32,
}

impl CookOptions {
    /// Zero thresholds.
    pub fn new(quantization: Quantization) -> Self {
        CookOptions {
            quantization,
            position_threshold: 0.0,
            direction_threshold: 0.0,
        }
    }
}

/// A model with its targets built, ready to be written.
#[derive(Debug)]
pub struct BuiltModel<'a> {
    model: &'a Model,
    options: CookOptions,
    /// One per primitive, over all meshes.
    built: Vec<Built>,
}

#[derive(Debug)]
struct Built {
    rest: RestPose,
    mesh: MorphMesh,
    report: BuildReport,
}

/// Builds the targets of every primitive. Errors are measured against the rest normals, where there are some.
///
/// # Errors
/// Where a rest pose or targets are not usable.
pub fn cook<'a>(model: &'a Model, options: &CookOptions) -> Result<BuiltModel<'a>, CookError> {
    let mut built = Vec::new();
    for (mesh, primitive, it) in primitives(model) {
        built.push(build((mesh, primitive), it, options)?);
    }
    Ok(BuiltModel {
        model,
        options: *options,
        built,
    })
}

fn primitives(model: &Model) -> impl Iterator<Item = (usize, usize, &Primitive)> {
    model.meshes.iter().enumerate().flat_map(|(index, mesh)| {
        let numbered = mesh.primitives.iter().enumerate();
        numbered.map(move |(number, primitive)| (index, number, primitive))
    })
}

fn build(
    (mesh, primitive): (usize, usize),
    it: &Primitive,
    options: &CookOptions,
) -> Result<Built, CookError> {
    let streams = Streams {
        positions: true,
        normals: it.normals.is_some(),
        tangents: it.tangents.is_some(),
    };
    let rest = RestPose::from_streams(
        VertexLayout::tight(streams),
        &it.positions,
        it.normals.as_deref(),
        it.tangents.as_deref(),
        BaseNormals::AsGiven,
    )
    .map_err(|reason| CookError::Rest {
        mesh,
        primitive,
        reason,
    })?;
    let (mesh_built, report) = MorphMesh::build(
        rest.vertex_count(),
        &it.targets,
        &BuildOptions {
            position_threshold: options.position_threshold,
            direction_threshold: options.direction_threshold,
            rest: Some(&rest.streams()),
            ..BuildOptions::new(options.quantization)
        },
    )
    .map_err(|reason| CookError::Build {
        mesh,
        primitive,
        reason,
    })?;
    Ok(Built {
        rest,
        mesh: mesh_built,
        report,
    })
}

impl BuiltModel<'_> {
    /// What building each primitive cost, over all meshes in order.
    pub fn reports(&self) -> impl ExactSizeIterator<Item = &BuildReport> {
        self.built.iter().map(|built| &built.report)
    }

    /// The built mesh of each primitive, over all meshes in order.
    pub fn meshes(&self) -> impl ExactSizeIterator<Item = &MorphMesh> {
        self.built.iter().map(|built| &built.mesh)
    }

    /// Writes the file: for one model and options always the same bytes.
    ///
    /// # Errors
    /// Where `out` fails. That a reader takes the file is not checked here, and follows for every model that
    /// [`load`](crate::load) gives; [`save`](Self::save) checks it.
    pub fn write_to(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        self.writer().write_to(out)
    }

    /// Writes the file beside its place, reads it back, and moves it there if it is right: nobody ever sees half of
    /// it, and whoever has an earlier one open keeps that.
    ///
    /// Returns the model as it was read back.
    ///
    /// # Errors
    /// Where the file cannot be written, and where a reader would refuse it.
    pub fn save(&self, path: &Path) -> Result<CookedModel, CookError> {
        let failed = |reason| CookError::Write {
            path: path.to_owned(),
            reason,
        };
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".morph-");
        // Temporary files are their owner's alone; a cooked file is as open as any file of this person.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.tempfile_in(folder).map_err(failed)?;
        let mut buffered = BufWriter::new(file.as_file_mut());
        self.write_to(&mut buffered)
            .and_then(|()| buffered.flush())
            .map_err(failed)?;
        drop(buffered);
        let cooked = CookedModel::read(file.path()).map_err(|reason| CookError::Refused {
            reason: Box::new(reason),
        })?;
        file.persist(path).map_err(|error| failed(error.error))?;
        Ok(cooked.at(path))
    }

    fn writer(&self) -> Writer<'_> {
        let model = self.model;
        let mut writer = Writer::new();
        let mut text = TextWriter::default();
        let mut weights = Vec::new();
        let format = ModelRecord {
            format: format_code(model.format),
            reserved: [0; 3],
        };
        let mut first_primitive = 0;
        let meshes: Vec<MeshRecord> = model
            .meshes
            .iter()
            .map(|mesh| {
                let record = mesh_record(mesh, first_primitive, &mut text, &mut weights);
                first_primitive += mesh.primitives.len();
                record
            })
            .collect();
        let parts: Vec<PartRecord> = primitives(model)
            .map(|(_, _, primitive)| part_record(primitive, &mut text))
            .collect();
        let nodes: Vec<NodeRecord> = model
            .nodes
            .iter()
            .map(|node| node_record(node, &mut text, &mut weights))
            .collect();
        writer.add_owned(SectionId::of_model(SectionKind::MODEL), &[format]);
        writer.add_owned(SectionId::of_model(SectionKind::MESHES), &meshes);
        writer.add_owned(SectionId::of_model(SectionKind::PARTS), &parts);
        writer.add_owned(SectionId::of_model(SectionKind::NODES), &nodes);
        writer.add_owned(SectionId::of_model(SectionKind::WEIGHTS), &weights);
        self.add_skins(&mut writer, &mut text);
        rigs::add(&mut writer, &mut text, &model.meshes);
        clips::add(&mut writer, &mut text, &model.clips);
        expressions::add(&mut writer, &mut text, &model.expressions);
        writer.add_owned(SectionId::of_model(SectionKind::TEXT), text.as_bytes());
        let primitives = primitives(model).map(|(_, _, primitive)| primitive);
        for (index, (built, primitive)) in self.built.iter().zip(primitives).enumerate() {
            let parts = PrimitiveParts {
                thresholds: [self.options.position_threshold, self.options.direction_threshold],
                texcoords: &primitive.texcoords,
                colors: &primitive.colors,
                skin_weights: primitive.skin_weights.as_ref(),
                ..PrimitiveParts::new(&built.mesh, &built.report, &built.rest, &primitive.indices)
            };
            writer.add_primitive(index as u32, &parts);
            if let Some(points) = &primitive.source_points {
                let id = SectionId::of_primitive(SectionKind::SOURCE_POINTS, index as u32);
                writer.add(id, points.as_slice());
            }
        }
        writer
    }

    fn add_skins(&self, writer: &mut Writer<'_>, text: &mut TextWriter) {
        let skins = &self.model.skins;
        if skins.is_empty() {
            return;
        }
        let (mut records, mut joints, mut binds) = (Vec::with_capacity(skins.len()), Vec::new(), Vec::new());
        for skin in skins {
            records.push(SkinRecord {
                name: text.add_optional(skin.name.as_deref()),
                joints: run(joints.len(), skin.joints.len()),
            });
            joints.extend(skin.joints.iter().map(|&joint| joint as u32));
            binds.extend(skin.inverse_bind.iter().map(glam::Mat4::to_cols_array));
        }
        writer.add_owned(SectionId::of_model(SectionKind::SKINS), &records);
        writer.add_owned(SectionId::of_model(SectionKind::SKIN_NODES), &joints);
        writer.add_owned(SectionId::of_model(SectionKind::INVERSE_BINDS), &binds);
    }
}

fn mesh_record(
    mesh: &Mesh,
    first_primitive: usize,
    text: &mut TextWriter,
    weights: &mut Vec<f32>,
) -> MeshRecord {
    let first_weight = weights.len();
    weights.extend_from_slice(&mesh.default_weights);
    MeshRecord {
        name: text.add_optional(mesh.name.as_deref()),
        primitives: run(first_primitive, mesh.primitives.len()),
        weights: run(first_weight, mesh.default_weights.len()),
    }
}

fn part_record(primitive: &Primitive, text: &mut TextWriter) -> PartRecord {
    let material = &primitive.material;
    PartRecord {
        name: text.add_optional(primitive.name.as_deref()),
        material_name: text.add_optional(material.name.as_deref()),
        base_color: material.base_color,
        metallic: material.metallic,
        roughness: material.roughness,
        double_sided: u32::from(material.double_sided),
        topology: match primitive.topology {
            Topology::Points => 1,
            Topology::Lines => 2,
            Topology::Triangles => 3,
        },
    }
}

fn node_record(node: &Node, text: &mut TextWriter, weights: &mut Vec<f32>) -> NodeRecord {
    let own = match &node.weights {
        Some(own) => {
            let first = weights.len();
            weights.extend_from_slice(own);
            run(first, own.len())
        }
        None => RunRecord {
            first: ABSENT,
            count: 0,
        },
    };
    NodeRecord {
        name: text.add_optional(node.name.as_deref()),
        id: text.add(&node.id),
        weights: own,
        parent: optional_index_record(node.parent),
        mesh: optional_index_record(node.mesh),
        skin: optional_index_record(node.skin),
        local: node.local.to_cols_array(),
        translation: node.trs.translation.to_array(),
        rotation: node.trs.rotation.to_array(),
        scale: node.trs.scale.to_array(),
    }
}
