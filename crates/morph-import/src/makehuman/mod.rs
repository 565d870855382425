//! The MakeHuman pair: a base mesh as `.obj`, and sparse targets as `.target` or `.target.gz`.
//!
//! A target's line is the number of a control point (a `v` line of the `.obj`, counted from zero) and an offset.
//! Both files are in decimeters, Y up; the model is in meters.
//! A control point can have several texture coordinates; each pair of both is one vertex of the model, sorted by
//! control point, and each of them gets the control point's offset.
//!
//! A rig with its weights, where one is named, adds bones: see [`rig`].

mod json;
mod obj;
mod rig;
mod skeleton;
mod target;
mod weights;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use glam::Mat4;
use morph_anim::Trs;
use morph_core::MorphTarget;
use morph_core::generate::Polygons;

use crate::error::{ImportError, MakeHumanError};
use crate::model::{Format, Material, Mesh, Model, Node, Primitive, Topology};
use crate::names::distinct;
use crate::normals::{self, ControlMesh};
use crate::options::ImportOptions;
use crate::tangents;
use crate::warning::{ImportWarning, WarningKind};
use obj::{Corner, Group, NO_TEXCOORD, Obj};

pub(crate) use target::stem as target_stem;

/// Meters in a decimeter.
const SCALE: f64 = 0.1;
/// The group that is the person; the others are helpers that clothes and bones are fitted to.
const BODY: &str = "body";

/// Reads the bytes of a base mesh, its targets, and its rig.
pub(crate) fn load(path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Model, ImportError> {
    let obj = obj::parse(bytes).map_err(|(line, error)| target::fault(path, line, error))?;
    let mut warnings = Vec::new();
    let mut warn = |kind| warnings.push(warning(path, kind));
    if obj.has_normals {
        warn(WarningKind::NormalsIgnored);
    }
    if obj.faces_left_out > 0 {
        warn(WarningKind::FacesLeftOut {
            faces: obj.faces_left_out,
        });
    }

    let mut parts = groups(&obj, options)
        .map_err(|error| target::fault(path, None, error))?
        .into_iter()
        .map(|group| Part::new(&obj, group))
        .collect::<Vec<_>>();
    let target_names = if options.morphs {
        read_targets(path, options, &obj, &mut parts, &mut warnings)?
    } else {
        Vec::new()
    };

    let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
    let mut nodes = vec![Node {
        name: name.clone(),
        parent: None,
        mesh: Some(0),
        weights: None,
        local: Mat4::IDENTITY,
        trs: Trs::IDENTITY,
        skin: None,
        id: name.clone().unwrap_or_else(|| "node_0".to_owned()),
    }];
    let skin = skeleton::read(options, &obj, &mut parts, &mut nodes, &mut warnings)?;
    nodes[0].skin = skin.is_some().then_some(0);

    let control = options.generate_normals.then(|| control_mesh(&obj, &parts));
    let mut mesh = Mesh {
        name,
        primitives: parts.into_iter().map(|part| part.primitive).collect(),
        default_weights: vec![0.0; target_names.len()],
        target_names,
        rig: None,
    };
    // A text that stands for much data is long itself, so nothing needs a limit here.
    let unlimited = |_| Ok::<(), std::convert::Infallible>(());
    if let Some(control) = control {
        let Ok(()) = normals::generate(&mut mesh, control, unlimited);
    }
    if options.generate_tangents {
        let Ok(()) = tangents::generate(&mut mesh, unlimited);
    }
    Ok(Model {
        format: Format::MakeHuman,
        meshes: vec![mesh],
        nodes,
        skins: skin.into_iter().collect(),
        clips: Vec::new(),
        expressions: Vec::new(),
        warnings,
    })
}

fn groups<'a>(obj: &'a Obj, options: &ImportOptions) -> Result<Vec<&'a Group>, MakeHumanError> {
    let find = |name: &str| {
        let with_faces = || obj.groups.iter().filter(|group| !group.triangles.is_empty());
        with_faces()
            .find(|group| group.name == name)
            .ok_or_else(|| MakeHumanError::NoGroup {
                group: name.to_owned(),
                found: with_faces().map(|group| group.name.clone()).collect(),
            })
    };
    if options.groups.is_empty() {
        return Ok(vec![find(BODY)?]);
    }
    options.groups.iter().map(|name| find(name)).collect()
}

/// Reads all targets into all parts, and returns their names.
fn read_targets(
    path: &Path,
    options: &ImportOptions,
    obj: &Obj,
    parts: &mut [Part<'_>],
    warnings: &mut Vec<ImportWarning>,
) -> Result<Vec<String>, ImportError> {
    let beside: PathBuf = path.with_file_name("targets");
    let files = if !options.targets.is_empty() {
        target::find(&options.targets)?
    } else if beside.is_dir() {
        target::find(&[beside])?
    } else {
        Vec::new()
    };
    if files.is_empty() {
        warnings.push(warning(path, WarningKind::NoTargets));
    }
    let names = distinct("target", target::names(&files), |kind| {
        warnings.push(warning(path, kind));
    });
    for (file, name) in files.iter().zip(&names) {
        let deltas = target::read(file, obj.positions.len(), warnings)?;
        for part in &mut *parts {
            let target = part.target(name, &deltas);
            part.primitive.targets.push(target);
        }
    }
    Ok(names)
}

/// The surface that the parts' vertices stand for: the faces of all parts, as they were before they were cut.
fn control_mesh(obj: &Obj, parts: &[Part<'_>]) -> ControlMesh {
    let points = |part: &Part<'_>| part.points.iter().map(|&point| point as usize).collect();
    let mut faces = Polygons::default();
    // A group that was asked for twice is still one piece of surface.
    let mut counted = HashSet::new();
    for part in parts.iter().filter(|part| counted.insert(&part.group.name)) {
        faces.append(&part.group.polygons);
    }
    ControlMesh::new(parts.iter().map(points).collect(), obj.positions.len(), faces)
}

/// A group on its way to a primitive.
struct Part<'a> {
    group: &'a Group,
    primitive: Primitive,
    /// The control point of each vertex, rising.
    points: Vec<u32>,
}

impl<'a> Part<'a> {
    fn new(obj: &Obj, group: &'a Group) -> Self {
        let mut vertices: Vec<Corner> = group.triangles.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        // Every corner is in the list that was made of all corners.
        let vertex = |corner: &Corner| vertices.binary_search(corner).unwrap_or_default() as u32;
        let indices = group.triangles.iter().flatten().map(vertex).collect();
        let texcoord = |&(_, texcoord): &Corner| match texcoord {
            NO_TEXCOORD => [0.0; 2],
            texcoord => {
                let [u, v] = obj.texcoords[texcoord as usize];
                [u, 1.0 - v]
            }
        };
        let has_texcoords = vertices.iter().any(|&(_, texcoord)| texcoord != NO_TEXCOORD);
        let primitive = Primitive {
            name: Some(group.name.clone()),
            positions: vertices
                .iter()
                .map(|&(point, _)| meters(obj.positions[point as usize]))
                .collect(),
            source_points: Some(vertices.iter().map(|&(point, _)| point).collect()),
            normals: None,
            tangents: None,
            texcoords: has_texcoords
                .then(|| vertices.iter().map(texcoord).collect())
                .into_iter()
                .collect(),
            colors: Vec::new(),
            skin_weights: None,
            indices,
            topology: Topology::Triangles,
            targets: Vec::new(),
            // The pair has no materials; skin is no metal, which is what glTF's default would be.
            material: Material {
                metallic: 0.0,
                roughness: 0.6,
                ..Material::default()
            },
        };
        Self {
            group,
            primitive,
            points: vertices.into_iter().map(|(point, _)| point).collect(),
        }
    }

    /// The deltas of a target for the vertices of this part.
    fn target(&self, name: &str, deltas: &target::Deltas) -> MorphTarget {
        let mut vertices = Vec::new();
        let mut positions = Vec::new();
        for &(point, delta) in deltas {
            let delta = meters(delta);
            if delta == [0.0; 3] {
                continue;
            }
            let first = self.points.partition_point(|&other| other < point);
            for vertex in (first..self.points.len()).take_while(|&vertex| self.points[vertex] == point) {
                vertices.push(vertex as u32);
                positions.push(delta);
            }
        }
        if vertices.is_empty() {
            return MorphTarget::empty(name);
        }
        MorphTarget {
            vertices,
            positions: Some(positions),
            ..MorphTarget::empty(name)
        }
    }
}

fn meters(decimeters: [f64; 3]) -> [f32; 3] {
    decimeters.map(|component| (component * SCALE) as f32)
}

fn warning(path: &Path, kind: WarningKind) -> ImportWarning {
    ImportWarning {
        place: path.display().to_string(),
        kind,
    }
}
