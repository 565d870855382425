//! Meshes: materials become primitives, shapes targets, and both may get normals and tangents.

use std::collections::HashMap;

use morph_core::MorphTarget;
use morph_core::generate::Polygons;

use super::budget::Budget;
use super::corners::{Attributes, Builder};
use super::{Fault, Findings, name_of, shapes, skin, targets};
use crate::damage::Part;
use crate::error::FbxError;
use crate::fault::{At, place};
use crate::findings::Account;
use crate::model::{Material, Mesh, Primitive};
use crate::normals::{self, ControlMesh};
use crate::options::ImportOptions;
use crate::tangents;
use crate::warning::WarningKind;

/// What reading a mesh needs to know.
pub(super) struct Context<'a> {
    pub(super) materials: &'a [Material],
    pub(super) options: &'a ImportOptions,
    pub(super) budget: &'a Budget,
}

/// A mesh, and what others need to know of it.
pub(super) struct ReadMesh {
    pub(super) mesh: Mesh,
    /// The name by which clips call each blend channel, in the order of [`shapes::channels`]; empty without morphs.
    pub(super) channel_names: Vec<String>,
    /// It has bones, and their weights could be read.
    pub(super) is_skinned: bool,
    /// It is damaged, and the mesh only keeps its place.
    pub(super) is_left_out: bool,
}

/// Reads one mesh; `index` is its place among the meshes of the file.
pub(super) fn read_or_leave_out(
    context: &Context<'_>,
    index: usize,
    mesh: &ufbx::Mesh,
    findings: &mut Findings,
) -> Result<ReadMesh, Fault> {
    let read = findings.part(Part::Mesh, context.budget, |findings| {
        read(context, index, mesh, findings)
    })?;
    Ok(read.unwrap_or_else(|_| ReadMesh {
        mesh: Mesh {
            name: name_of(&mesh.element).map(str::to_owned),
            ..Mesh::default()
        },
        channel_names: Vec::new(),
        is_skinned: false,
        is_left_out: true,
    }))
}

/// Corners of one control point that have equal attributes are one vertex; control points are never joined. The
/// vertices of a primitive are sorted by control point. All primitives are made of the same control points, so damage
/// to one is damage to the mesh.
fn read(
    context: &Context<'_>,
    index: usize,
    mesh: &ufbx::Mesh,
    findings: &mut Findings,
) -> Result<ReadMesh, Fault> {
    let (options, budget) = (context.options, context.budget);
    let here = || place("mesh", index, name_of(&mesh.element));

    let attributes = Attributes::read(mesh, budget).at(here)?;
    let faces_left_out = mesh.num_point_faces + mesh.num_line_faces + mesh.num_empty_faces;
    if faces_left_out > 0 {
        let faces = faces_left_out;
        findings.warn(here(), WarningKind::FacesLeftOut { faces });
    }
    let mut primitives = primitives(mesh, &attributes, context).at(here)?;
    let influences = findings.part(Part::Skin, budget, |findings| {
        skin::influences(mesh, budget, &mut |kind| findings.warn(here(), kind)).at(here)
    })?;
    let influences = influences.ok().flatten();
    if let Some(influences) = &influences {
        for primitive in &mut primitives {
            let points = primitive.source_points.as_deref().unwrap_or_default();
            primitive.skin_weights = Some(influences.of_vertices(points, budget).at(here)?);
        }
    }

    let mut result = Mesh {
        name: name_of(&mesh.element).map(str::to_owned),
        primitives,
        ..Mesh::default()
    };
    let mut channel_names = Vec::new();
    if options.morphs {
        let shapes = shapes::read(mesh, &mut |kind| findings.warn(here(), kind)).at(here)?;
        read_targets(&mut result, mesh, &shapes, here, budget, findings)?;
        result.target_names = shapes.names;
        result.default_weights = shapes.default_weights;
        result.rig = shapes.rig;
        channel_names = shapes.channel_names;
    }
    if options.generate_normals {
        generate_normals(&mut result, mesh, &attributes, budget).at(here)?;
    }
    if options.generate_tangents {
        let bytes = tangents::working_bytes(&result);
        budget.spend(bytes).at(here)?;
        tangents::generate(&mut result, |bytes| budget.spend(bytes)).at(here)?;
        budget.release(bytes);
    }
    budget.release(attributes.bytes);
    Ok(ReadMesh {
        mesh: result,
        channel_names,
        is_skinned: influences.is_some(),
        is_left_out: false,
    })
}

/// A primitive for each material that has triangles; one without vertices where none has.
fn primitives(
    mesh: &ufbx::Mesh,
    attributes: &Attributes,
    context: &Context<'_>,
) -> Result<Vec<Primitive>, FbxError> {
    let mut builder = Builder::new(mesh, attributes, context.budget)?;
    let mut primitives = Vec::new();
    for part in &mesh.material_parts {
        if part.num_triangles > 0 {
            let material = mesh
                .materials
                .get(part.index as usize)
                .and_then(|material| context.materials.get(material.element.typed_id as usize));
            let mut primitive = builder.primitive(&part.face_indices)?;
            primitive.material = material.cloned().unwrap_or_else(super::scene::default_material);
            primitives.push(primitive);
        }
    }
    if primitives.is_empty() {
        primitives.push(builder.primitive(&[])?);
    }
    Ok(primitives)
}

/// Reads the targets of all primitives; one that is damaged moves nothing.
fn read_targets(
    result: &mut Mesh,
    mesh: &ufbx::Mesh,
    shapes: &shapes::Shapes<'_>,
    here: impl Fn() -> String,
    budget: &Budget,
    findings: &mut Findings,
) -> Result<(), Fault> {
    let mut zero_normals = 0;
    for (slot, (shape, name)) in shapes.targets.iter().zip(&shapes.names).enumerate() {
        let target_place = || format!("{}, {}", here(), place("target", slot, Some(name)));
        let offsets = findings.part(Part::Target, budget, |findings| {
            let mut warn = |kind| findings.warn(target_place(), kind);
            let offsets = shape.offsets(mesh.num_vertices, budget, &mut warn);
            offsets.at(target_place)
        })?;
        zero_normals += usize::from(offsets.as_ref().is_ok_and(|offsets| offsets.zero_normals));
        for primitive in &mut result.primitives {
            let points = primitive.source_points.as_deref().unwrap_or_default();
            primitive.targets.push(match &offsets {
                Ok(offsets) => targets::target(name, offsets, points, budget).at(target_place)?,
                Err(_) => MorphTarget::empty(name),
            });
        }
    }
    if zero_normals > 0 {
        let targets = zero_normals;
        findings.warn(here(), WarningKind::ZeroNormalDeltas { targets });
    }
    Ok(())
}

/// Makes normals of the file's polygons, whose control points are the points of the surface, one for each normal that
/// the file gives them.
fn generate_normals(
    result: &mut Mesh,
    mesh: &ufbx::Mesh,
    attributes: &Attributes,
    budget: &Budget,
) -> Result<(), FbxError> {
    // What the surface takes while normals are made, all its lists together.
    let bytes = mesh.num_indices as u64 * 256;
    budget.spend(bytes)?;
    let mut known: HashMap<(u32, [u32; 3]), usize> = HashMap::new();
    let mut surface_point = |point: u32, normal: Option<[f32; 3]>| {
        let count = known.len();
        let normal = normal.map_or([0; 3], |normal| normal.map(f32::to_bits));
        *known.entry((point, normal)).or_insert(count)
    };
    let mut of_vertices = Vec::with_capacity(result.primitives.len());
    for primitive in &result.primitives {
        let points = primitive.source_points.iter().flatten().enumerate();
        let normals = primitive.normals.as_deref();
        let surface_points =
            points.map(|(vertex, &point)| surface_point(point, normals.map(|normals| normals[vertex])));
        of_vertices.push(surface_points.collect());
    }
    let mut faces = Polygons::default();
    for face in mesh.faces.iter().filter(|face| face.num_indices >= 3) {
        let corners = face.index_begin..face.index_begin + face.num_indices;
        faces.push(corners.map(|corner| {
            let normal = attributes
                .has_normals
                .then(|| std::array::from_fn(|component| attributes.of(corner)[component]));
            surface_point(mesh.vertex_indices[corner as usize], normal)
        }));
    }
    let control = ControlMesh::new(of_vertices, known.len(), faces);
    normals::generate(result, control, |bytes| budget.spend(bytes))?;
    budget.release(bytes);
    Ok(())
}
