//! Rigs: what bones there are, and where the base mesh puts them.
//!
//! A rig says for the head and the tail of each bone which vertices it lies between: mostly those of a small cube,
//! a helper group `joint-…` of the base mesh. The mesh is in decimeters, Y up. What a rig has as numbers, the default
//! positions and the roll, is in Blender's space: meters, Z up, the person looking along -Y. The default positions are
//! not those of the base mesh but of another person, whose joints lie up to some centimeters away, so they serve only
//! where the mesh lacks the cube.

use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_2, PI};
use std::path::Path;

use glam::{DMat3, DQuat, DVec3};
use serde::Deserialize;

use super::json::{self, Entries};
use super::obj::Obj;
use super::target::fault;
use super::{SCALE, warning};
use crate::error::{ImportError, MakeHumanError};
use crate::text::shorten;
use crate::warning::{ImportWarning, WarningKind};

/// How near the direction of a bone has to come to straight down for Blender to take it as that: the square of its
/// distance from the axis.
const STRAIGHT_DOWN: f64 = 2.5e-4 * 2.5e-4;

/// A bone at rest, in meters, Y up.
#[derive(Debug, Clone)]
pub(super) struct Bone {
    pub(super) name: String,
    /// The index of the parent among the bones, which may come later.
    pub(super) parent: Option<usize>,
    /// The joint.
    pub(super) head: DVec3,
    /// From the bone's own axes, of which Y runs from the head to the tail, to those of the model.
    pub(super) rotation: DQuat,
}

#[derive(Debug, Deserialize)]
struct BoneEntry {
    head: End,
    tail: End,
    #[serde(default)]
    parent: Option<String>,
    #[serde(default)]
    roll: f64,
    #[serde(default)]
    roll_strategy: Option<String>,
}

/// Where one end of a bone lies.
#[derive(Debug, Deserialize)]
struct End {
    strategy: String,
    #[serde(default)]
    cube_name: Option<String>,
    #[serde(default)]
    vertex_index: Option<u64>,
    #[serde(default)]
    vertex_indices: Option<Vec<u64>>,
    #[serde(default)]
    default_position: Option<[f64; 3]>,
}

/// Reads a rig and fits it to the base mesh.
pub(super) fn read(
    path: &Path,
    obj: &Obj,
    warnings: &mut Vec<ImportWarning>,
) -> Result<Vec<Bone>, ImportError> {
    let Entries(entries) = json::read::<Entries<BoneEntry>>(path)?;
    let refuse = |error| fault(path, None, error);
    let indices: HashMap<&str, usize> = (0..)
        .zip(&entries)
        .map(|(index, (name, _))| (name.as_str(), index))
        .collect();
    let mut fit = Fit {
        obj,
        cubes: cubes(obj),
        by_default: 0,
    };
    let mut bones = Vec::with_capacity(entries.len());
    for (name, entry) in &entries {
        let parent = match entry.parent.as_deref() {
            None | Some("") => None,
            Some(parent) => Some(*indices.get(parent).ok_or_else(|| {
                refuse(MakeHumanError::BoneParent {
                    bone: shorten(name),
                    parent: shorten(parent),
                })
            })?),
        };
        let head = fit.position(name, &entry.head).map_err(refuse)?;
        let tail = fit.position(name, &entry.tail).map_err(refuse)?;
        bones.push(Bone {
            name: name.clone(),
            parent,
            head,
            rotation: rotation(name, entry, tail - head).map_err(refuse)?,
        });
    }
    if fit.by_default > 0 {
        let ends = fit.by_default;
        warnings.push(warning(path, WarningKind::BonesByDefault { ends }));
    }
    Ok(bones)
}

/// Where the cubes lie: for each group of helpers that bones are fitted to, the mean of its vertices.
fn cubes(obj: &Obj) -> HashMap<&str, DVec3> {
    let mut cubes = HashMap::new();
    for group in &obj.groups {
        // Each corner of a cube belongs to three faces and counts once.
        let mut corners = group.polygons.points().to_vec();
        corners.sort_unstable();
        corners.dedup();
        let positions = corners.iter().map(|&point| DVec3::from(obj.positions[point]));
        let sum: DVec3 = positions.sum();
        if !corners.is_empty() {
            cubes.insert(group.name.as_str(), sum * SCALE / corners.len() as f64);
        }
    }
    cubes
}

/// Finds where the ends of bones lie.
struct Fit<'a> {
    obj: &'a Obj,
    cubes: HashMap<&'a str, DVec3>,
    /// How many ends lie at their default positions because the mesh lacks their cubes.
    by_default: usize,
}

impl Fit<'_> {
    fn position(&mut self, bone: &str, end: &End) -> Result<DVec3, MakeHumanError> {
        match end.strategy.as_str() {
            "CUBE" => {
                let name = given(bone, "cube_name", end.cube_name.as_deref())?;
                match self.cubes.get(name) {
                    Some(&position) => Ok(position),
                    None => self.default(bone, end),
                }
            }
            "VERTEX" => self.vertex(bone, given(bone, "vertex_index", end.vertex_index)?),
            "MEAN" => {
                let indices = self.vertices(bone, end)?;
                match indices.len() {
                    0 => Err(missing(bone, "vertex_indices")),
                    count => Ok(indices.into_iter().sum::<DVec3>() / count as f64),
                }
            }
            // Each coordinate, in Blender's order, is that of another vertex.
            "XYZ" => match self.vertices(bone, end)?[..] {
                [x, y, z] => Ok(from_blender(DVec3::new(
                    to_blender(x).x,
                    to_blender(y).y,
                    to_blender(z).z,
                ))),
                _ => Err(missing(bone, "three vertex_indices")),
            },
            "DEFAULT" => self.default(bone, end),
            other => Err(MakeHumanError::Strategy {
                bone: shorten(bone),
                found: shorten(other),
                expected: "CUBE, VERTEX, MEAN, XYZ or DEFAULT",
            }),
        }
    }

    fn vertices(&self, bone: &str, end: &End) -> Result<Vec<DVec3>, MakeHumanError> {
        let indices = given(bone, "vertex_indices", end.vertex_indices.as_ref())?;
        indices.iter().map(|&index| self.vertex(bone, index)).collect()
    }

    fn vertex(&self, bone: &str, index: u64) -> Result<DVec3, MakeHumanError> {
        let position = usize::try_from(index)
            .ok()
            .and_then(|index| self.obj.positions.get(index));
        position
            .map(|&position| DVec3::from(position) * SCALE)
            .ok_or_else(|| MakeHumanError::BoneVertex {
                bone: shorten(bone),
                index,
                vertex_count: self.obj.positions.len(),
            })
    }

    fn default(&mut self, bone: &str, end: &End) -> Result<DVec3, MakeHumanError> {
        let position = given(bone, "default_position", end.default_position)?;
        for component in position {
            finite(bone, "default_position", component)?;
        }
        self.by_default += 1;
        Ok(from_blender(position.into()))
    }
}

fn given<T>(bone: &str, what: &'static str, value: Option<T>) -> Result<T, MakeHumanError> {
    value.ok_or_else(|| missing(bone, what))
}

fn missing(bone: &str, what: &'static str) -> MakeHumanError {
    MakeHumanError::BoneLacks {
        bone: shorten(bone),
        what,
    }
}

fn finite(bone: &str, what: &'static str, value: f64) -> Result<f64, MakeHumanError> {
    if (value as f32).is_finite() {
        return Ok(value);
    }
    Err(MakeHumanError::BoneNumber {
        bone: shorten(bone),
        what,
        value,
    })
}

fn from_blender(position: DVec3) -> DVec3 {
    DVec3::new(position.x, position.z, -position.y)
}

fn to_blender(position: DVec3) -> DVec3 {
    DVec3::new(position.x, -position.z, position.y)
}

/// The axes of a bone at rest, as Blender has them.
///
/// The shortest turn takes Blender's Y to the bone's direction, straight down by way of Z, and the roll turns on about
/// the bone. A bone without length has the axes of the model.
fn rotation(name: &str, entry: &BoneEntry, along: DVec3) -> Result<DQuat, MakeHumanError> {
    let roll = finite(name, "roll", entry.roll)?;
    let strategy = entry.roll_strategy.as_deref();
    if let Some(found) = strategy.filter(|&strategy| strategy != "ALIGN_Z_WORLD_Z") {
        return Err(MakeHumanError::Strategy {
            bone: shorten(name),
            found: shorten(found),
            expected: "ALIGN_Z_WORLD_Z",
        });
    }
    let Some(y) = to_blender(along).try_normalize() else {
        return Ok(DQuat::IDENTITY);
    };
    let upright = y.cross(DVec3::Z).try_normalize().filter(|_| strategy.is_some());
    let in_blender = if let Some(x) = upright {
        // The bone's Z comes as near to upward as its direction lets it.
        DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)))
    } else {
        let is_down = y.y < 0.0 && y.x * y.x + y.z * y.z <= STRAIGHT_DOWN;
        let turned = if is_down {
            DQuat::from_rotation_z(PI)
        } else {
            DQuat::from_rotation_arc(DVec3::Y, y)
        };
        DQuat::from_axis_angle(y, roll) * turned
    };
    Ok((DQuat::from_rotation_x(-FRAC_PI_2) * in_blender).normalize())
}
