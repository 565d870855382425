//! What `morph inspect` finds odd beside what the reader of the file did.

use glam::Mat4;
use morph_core::{Aabb, BuildReport, MorphMesh, Quantization};
use morph_import::{Primitive, Topology};

use super::report::{MeshReport, Problem};
use crate::model::Loaded;
use crate::text::{brief, counted};
use crate::world::{Undrawable, check_extent, check_matrix, check_positions, to_world};

/// Below this length a normal has no direction to speak of.
const SHORTEST_NORMAL: f64 = 1.0e-4;
/// How far from 1 the length of a unit normal may be: what the coarsest packed normals of glTF (8 bits) cost.
const UNIT_TOLERANCE: f64 = 1.0e-2;

/// What is odd about the base of a primitive.
pub(super) fn of_base(place: &str, primitive: &Primitive) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut report = |problem: String| {
        found.push(Problem {
            place: place.to_owned(),
            problem,
        });
    };
    if primitive.positions.is_empty() {
        report("it has no vertices".to_owned());
    }
    if let Some(normals) = &primitive.normals {
        let lengths: Vec<f64> = normals.iter().map(|normal| length(*normal)).collect();
        let unset = lengths.iter().filter(|&&length| length < SHORTEST_NORMAL).count();
        let odd = |length: f64| length >= SHORTEST_NORMAL && (length - 1.0).abs() > UNIT_TOLERANCE;
        let not_unit = lengths.iter().filter(|&&length| odd(length)).count();
        if unset > 0 {
            report(format!(
                "{} no direction",
                counted(unset, "base normal has", "base normals have")
            ));
        }
        if not_unit > 0 {
            report(format!(
                "{} not of unit length",
                counted(not_unit, "base normal is", "base normals are")
            ));
        }
    }
    found
}

/// What is odd about the targets of a primitive, as their build shows it; told for one quantization only.
pub(super) fn of_build(place: &str, built: &MorphMesh, report: &BuildReport) -> Option<Problem> {
    let zeroed = report.zeroed_component_count;
    (built.quantization() == Quantization::F32 && zeroed > 0).then(|| Problem {
        place: place.to_owned(),
        problem: format!(
            "{} smaller than 2^-40 and read as zero",
            counted(
                zeroed as usize,
                "component of deltas is",
                "components of deltas are"
            )
        ),
    })
}

/// Targets that move nothing in any primitive of their mesh.
pub(super) fn idle_targets(place: &str, mesh: &MeshReport) -> Option<Problem> {
    const SHOWN: usize = 6;
    let built = || {
        mesh.primitives
            .iter()
            .filter(|primitive| !primitive.targets.is_empty())
    };
    let moves =
        |slot: usize| built().any(|primitive| primitive.targets.get(slot).is_some_and(|it| it.entries > 0));
    let idle: Vec<&str> = mesh
        .target_names
        .iter()
        .enumerate()
        .filter(|&(slot, _)| !moves(slot))
        .map(|(_, name)| name.as_str())
        .collect();
    if idle.is_empty() || built().next().is_none() {
        return None;
    }
    let names: Vec<String> = idle.iter().take(SHOWN).map(|name| brief(name)).collect();
    let more = if idle.len() > SHOWN {
        format!(" and {} more", idle.len() - SHOWN)
    } else {
        String::new()
    };
    let what = counted(idle.len(), "target moves", "targets move");
    Some(Problem {
        place: place.to_owned(),
        problem: format!("{what} nothing: {}{more}", names.join(", ")),
    })
}

/// Meshes that no node shows.
pub(super) fn unused_meshes(loaded: &Loaded) -> Vec<Problem> {
    let model = &loaded.model;
    (0..model.meshes.len())
        .filter(|&mesh| !model.nodes.iter().any(|node| node.mesh == Some(mesh)))
        .map(|mesh| Problem {
            place: loaded.mesh_place(mesh),
            problem: "no node shows it".to_owned(),
        })
        .collect()
}

/// What `morph render` will refuse to draw where it is, without any weights.
pub(super) fn undrawable(loaded: &Loaded) -> Vec<Problem> {
    let model = &loaded.model;
    // A box per mesh is looked at, not each vertex again for each node.
    let corners: Vec<Vec<[f32; 3]>> = model
        .meshes
        .iter()
        .map(|mesh| {
            let drawn = mesh
                .primitives
                .iter()
                .filter(|it| it.topology == Topology::Triangles && it.indices.len() >= 3);
            drawn.flat_map(|it| corners_of(&it.positions)).collect()
        })
        .collect();
    let worlds = match model.world_matrices(None) {
        Ok(worlds) => worlds,
        Err(error) => {
            return vec![Problem {
                place: "all nodes".to_owned(),
                problem: error.to_string(),
            }];
        }
    };
    let mut found = Vec::new();
    let mut all: Vec<[f32; 3]> = Vec::new();
    let mut is_complete = true;
    let mut look = |place: String, world: &Mat4, mesh: usize| {
        let in_world: Vec<_> = corners[mesh].iter().map(|&at| to_world(world, at)).collect();
        let checked = if in_world.is_empty() {
            Ok(())
        } else {
            check_matrix(world).and_then(|()| check_positions("corner", &in_world))
        };
        match checked {
            Ok(()) => all.extend(in_world),
            Err(error) => {
                is_complete = false;
                found.push(problem(place, &error));
            }
        }
    };
    let mut any_shown = false;
    for (index, node) in model.nodes.iter().enumerate() {
        let Some(mesh) = node.mesh.filter(|&mesh| mesh < corners.len()) else {
            continue;
        };
        any_shown = true;
        let world = if node.skin.is_some() {
            Mat4::IDENTITY
        } else {
            worlds[index]
        };
        let node = format!("node {index}{}", crate::text::quoted(node.name.as_deref()));
        look(
            format!("{}, shown by {node}", loaded.mesh_place(mesh)),
            &world,
            mesh,
        );
    }
    if !any_shown {
        (0..corners.len()).for_each(|mesh| look(loaded.mesh_place(mesh), &Mat4::IDENTITY, mesh));
    }
    if is_complete && !all.is_empty() {
        let checked = check_extent(&Aabb::of(&all));
        found.extend(
            checked
                .err()
                .map(|error| problem("all meshes".to_owned(), &error)),
        );
    }
    found
}

fn problem(place: String, error: &Undrawable) -> Problem {
    Problem {
        place,
        problem: format!("it cannot be drawn: {error}"),
    }
}

/// The corners of the box around places; none where there are none or where they are not finite.
fn corners_of(positions: &[[f32; 3]]) -> Vec<[f32; 3]> {
    if positions.is_empty() || positions.as_flattened().iter().any(|x| !x.is_finite()) {
        return Vec::new();
    }
    let Aabb { min, max } = Aabb::of(positions);
    (0..8)
        .map(|corner| {
            std::array::from_fn(|axis| {
                if corner >> axis & 1 == 0 {
                    min[axis]
                } else {
                    max[axis]
                }
            })
        })
        .collect()
}

fn length([x, y, z]: [f32; 3]) -> f64 {
    let [x, y, z] = [x, y, z].map(f64::from);
    (x * x + y * y + z * z).sqrt()
}
