//! A head made in code, for machines that cannot fetch a real one.
//!
//! The skin is one closed surface: rings around a vertical axis, with five rings at the height of the eyes and five at
//! the mouth that form a pocket behind each opening.
//! Its targets have ARKit names, so the expressions of the demo work on it.

mod shape;

use glam::{Mat3, Vec3};
use morph_core::Aabb;
use morph_render::Material;

use crate::demo::eyes::{self, Ball, Turn};
use crate::demo::figure::{Delta, Figure, Part, Vertex};
use crate::demo::grooming::{self, Measures};
use crate::demo::stage::TOWARD_CAMERA;
use shape::{Fold, MOUTH_HALF_WIDTH, MOUTH_Y, Site, TARGETS, place, smooth};

/// Vertices in a ring.
const SEGMENTS: usize = 144;
/// The name of the skin while the head is put together.
const SKIN: &str = "skin";

/// The head.
pub fn figure() -> Figure {
    let rings = rings();
    let mut figure = Figure {
        name: "generated head".to_owned(),
        target_names: TARGETS.iter().map(|name| (*name).to_owned()).collect(),
        start_weights: vec![0.0; TARGETS.len()],
        vertices: Vec::new(),
        parts: vec![Part {
            name: SKIN.to_owned(),
            material: Material::SKIN,
            indices: skin_indices(rings.len()),
        }],
        focus: None,
    };
    add_skin(&mut figure, &rings);
    let balls = [1.0, -1.0].map(eye);
    let measures = Measures::of(&balls[0].0, &balls[1].0);
    let brows = grooming::brows(&figure, SKIN, &balls, &measures);
    let hair = grooming::hair(&figure, SKIN, &measures);
    divide_skin(&mut figure, &rings, &measures);
    add_teeth(&mut figure);
    eyes::add(&mut figure, &balls, TOWARD_CAMERA);
    grooming::add_strands(&mut figure, "brows", grooming::BROWS, brows);
    grooming::add_strands(&mut figure, "hair", grooming::HAIR, hair);
    figure.focus = Some(Aabb {
        min: [-0.84, -1.42, 0.4],
        max: [0.84, 1.28, 0.7],
    });
    figure
}

/// Height and fold of each ring, from the crown down, without the two poles.
fn rings() -> Vec<(f32, Fold)> {
    let mut rings = Vec::new();
    // The dome in even angles, because heights would crowd where it is steep.
    for step in 1..=22_u8 {
        let angle = std::f32::consts::FRAC_PI_2 * (1.0 - f32::from(step) / 22.0);
        rings.push((shape::DOME + (shape::TOP - shape::DOME) * angle.sin(), Fold::None));
    }
    let between = |rings: &mut Vec<(f32, Fold)>, from: f32, to: f32, count: u8| {
        rings.extend((1..=count).map(|step| {
            (
                from + (to - from) * f32::from(step) / f32::from(count),
                Fold::None,
            )
        }));
    };
    between(&mut rings, shape::DOME, 0.012, 11);
    rings.extend((0..5).map(|row| (0.004 - 0.002 * f32::from(row), Fold::Eyes(row))));
    between(&mut rings, 0.0, -0.012, 1);
    between(&mut rings, -0.012, MOUTH_Y + 0.014, 31);
    rings.extend((0..5).map(|row| (MOUTH_Y + 0.004 - 0.002 * f32::from(row), Fold::Mouth(row))));
    between(&mut rings, MOUTH_Y, MOUTH_Y - 0.014, 1);
    between(&mut rings, MOUTH_Y - 0.014, -1.3, 24);
    between(&mut rings, -1.3, shape::BOTTOM, 14);
    rings
}

/// The direction of a segment: closer together in front, where the face is.
fn angle(segment: usize) -> f32 {
    let share = segment as f32 / SEGMENTS as f32 * 2.0 - 1.0;
    std::f32::consts::PI * (0.5 * share + 0.5 * share * share * share)
}

/// Two poles first, then ring by ring.
fn add_skin(figure: &mut Figure, rings: &[(f32, Fold)]) {
    let sites: Vec<Site> = rings
        .iter()
        .flat_map(|&(y, fold)| {
            (0..SEGMENTS).map(move |segment| Site {
                y,
                angle: angle(segment),
                fold,
            })
        })
        .collect();
    let shape = |target: &str| -> Vec<Vec3> {
        let poles = [Vec3::Y * shape::TOP, Vec3::Y * shape::BOTTOM];
        poles
            .into_iter()
            .chain(sites.iter().map(|site| place(site, target)))
            .collect()
    };
    let indices = figure.parts[0].indices.clone();
    let rest = shape("");
    let normals = normals(&rest, &indices);
    figure.vertices = rest
        .iter()
        .zip(&normals)
        .map(|(&position, &normal)| Vertex::still(position, normal))
        .collect();
    for (slot, name) in TARGETS.iter().enumerate() {
        let moved = shape(name);
        let turned = self::normals(&moved, &indices);
        for (index, vertex) in figure.vertices.iter_mut().enumerate() {
            let (position, normal) = (moved[index] - rest[index], turned[index] - normals[index]);
            if position != Vec3::ZERO || normal != Vec3::ZERO {
                vertex.deltas.push(Delta {
                    target: slot as u32,
                    position,
                    normal,
                });
            }
        }
    }
}

fn skin_indices(ring_count: usize) -> Vec<u32> {
    let at = |ring: usize, segment: usize| (2 + ring * SEGMENTS + segment % SEGMENTS) as u32;
    let mut indices = Vec::new();
    for segment in 0..SEGMENTS {
        indices.extend([0, at(0, segment), at(0, segment + 1)]);
    }
    for ring in 0..ring_count - 1 {
        for segment in 0..SEGMENTS {
            let (a, b) = (at(ring, segment), at(ring, segment + 1));
            let (c, d) = (at(ring + 1, segment), at(ring + 1, segment + 1));
            indices.extend([a, c, d, a, d, b]);
        }
    }
    for segment in 0..SEGMENTS {
        indices.extend([1, at(ring_count - 1, segment + 1), at(ring_count - 1, segment)]);
    }
    indices
}

/// Unit normals, the mean of the triangles around each vertex weighted by their areas.
fn normals(positions: &[Vec3], indices: &[u32]) -> Vec<Vec3> {
    let mut sums = vec![Vec3::ZERO; positions.len()];
    for corners in indices.chunks_exact(3) {
        let [a, b, c] = [corners[0], corners[1], corners[2]].map(|corner| positions[corner as usize]);
        let across = (b - a).cross(c - a);
        for &corner in corners {
            sums[corner as usize] += across;
        }
    }
    sums.into_iter().map(|sum| sum.normalize_or(Vec3::Y)).collect()
}

/// The eye of a side: 1 is the head's left.
fn eye(side: f32) -> (Ball, Vec<Turn>) {
    let ball = Ball {
        center: Vec3::new(side * shape::EYE_X, 0.0, shape::EYE_Z),
        radius: shape::EYE_RADIUS,
    };
    let turns = TARGETS
        .iter()
        .enumerate()
        .filter_map(|(slot, name)| {
            let turn = shape::eye_turn(name, side)?;
            Some(Turn {
                target: slot as u32,
                linear: Mat3::from_quat(turn) - Mat3::IDENTITY,
                shift: Vec3::ZERO,
            })
        })
        .collect();
    (ball, turns)
}

/// Cuts lips, scalp and the pocket of the mouth out of the skin.
fn divide_skin(figure: &mut Figure, rings: &[(f32, Fold)], measures: &Measures) {
    let Some(skin) = figure.take_part(SKIN) else {
        return;
    };
    let mut parts = [
        (SKIN, Material::SKIN),
        ("lips", grooming::LIPS),
        ("inside of the mouth", grooming::MOUTH),
        ("scalp", grooming::SCALP),
    ]
    .map(|(name, material)| Part {
        name: name.to_owned(),
        material,
        indices: Vec::new(),
    });
    for corners in skin.indices.chunks_exact(3) {
        let folds = || {
            corners
                .iter()
                .filter_map(|&corner| rings.get((corner as usize).checked_sub(2)? / SEGMENTS))
                .map(|ring| ring.1)
        };
        let middle = corners
            .iter()
            .map(|&corner| figure.vertices[corner as usize].position)
            .sum::<Vec3>()
            / 3.0;
        let in_pocket = folds().count() == 3 && folds().all(|fold| matches!(fold, Fold::Mouth(_)));
        let part = if in_pocket && middle.x.abs() < MOUTH_HALF_WIDTH && middle.z > 0.0 {
            2
        } else if is_lip(middle) {
            1
        } else if grooming::hair_depth(measures.local(middle)) > 0.1 {
            3
        } else {
            0
        };
        parts[part].indices.extend_from_slice(corners);
    }
    figure.parts.splice(0..0, parts);
}

fn is_lip(middle: Vec3) -> bool {
    let across = (middle.x / MOUTH_HALF_WIDTH).abs();
    // A dip in the middle of the upper lip, and both lips thin out toward the corners.
    let dip = 0.014 * smooth(0.35, 0.0, across);
    let thin = (1.0 - across.powi(3)).max(0.0);
    let height = middle.y - MOUTH_Y;
    middle.z > 0.4 && across < 1.0 && height < (0.085 - dip) * thin && height > -0.105 * thin
}

/// An arc of upper teeth behind the lips.
fn add_teeth(figure: &mut Figure) {
    const COLUMNS: u8 = 24;
    let mut indices = Vec::new();
    for column in 0..=COLUMNS {
        let turn = (f32::from(column) / f32::from(COLUMNS) * 2.0 - 1.0) * 1.1;
        let outward = Vec3::new(turn.sin(), 0.0, turn.cos());
        // Each tooth is a little rounder than the arc.
        let tooth = 0.006 * (f32::from(column) * std::f32::consts::PI / 3.0).sin().abs();
        let point = Vec3::new(0.21 * outward.x, 0.0, 0.64 + 0.21 * outward.z) + outward * tooth;
        for y in [-0.60, -0.735] {
            figure.push(Vertex::still(point + Vec3::Y * y, outward));
        }
        if column > 0 {
            let next = figure.vertices.len() as u32 - 4;
            indices.extend([next, next + 1, next + 3, next, next + 3, next + 2]);
        }
    }
    figure.parts.push(Part {
        name: "teeth".to_owned(),
        material: grooming::TEETH,
        indices,
    });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::collections::HashMap;

    use super::*;

    /// The head before it is cut into parts and dressed.
    fn bare() -> Figure {
        let rings = rings();
        let mut figure = figure();
        figure.parts = vec![Part {
            name: SKIN.to_owned(),
            material: Material::SKIN,
            indices: skin_indices(rings.len()),
        }];
        figure
    }

    #[test]
    fn the_skin_is_closed_and_has_one_outside() {
        let figure = bare();
        let mut edges: HashMap<(u32, u32), (u32, u32)> = HashMap::new();
        for corners in figure.parts[0].indices.chunks_exact(3) {
            for (from, to) in [
                (corners[0], corners[1]),
                (corners[1], corners[2]),
                (corners[2], corners[0]),
            ] {
                let uses = edges.entry((from.min(to), from.max(to))).or_default();
                if from < to { uses.0 += 1 } else { uses.1 += 1 }
            }
        }
        assert!(
            edges.values().all(|uses| *uses == (1, 1)),
            "every edge has a triangle on either side, turned alike"
        );
        let volume: f32 = figure
            .triangles(&figure.parts[0])
            .map(|[a, b, c]| a.position.dot(b.position.cross(c.position)) / 6.0)
            .sum();
        assert!(volume > 1.0, "the outside is outside: {volume}");
    }

    #[test]
    fn every_vertex_is_finite_and_has_a_unit_normal() {
        for vertex in &figure().vertices {
            assert!(vertex.position.is_finite());
            assert!((vertex.normal.length() - 1.0).abs() < 1.0e-4, "{vertex:?}");
            for delta in &vertex.deltas {
                assert!(delta.position.is_finite() && delta.normal.is_finite());
                assert!(
                    delta.position.length() < 0.6,
                    "{}: {delta:?}",
                    TARGETS[delta.target as usize]
                );
            }
        }
    }

    #[test]
    fn every_target_moves_something_and_those_of_a_side_only_that_side() {
        let figure = figure();
        for (slot, name) in TARGETS.iter().enumerate() {
            let moved: Vec<&Vertex> = figure
                .vertices
                .iter()
                .filter(|vertex| {
                    vertex
                        .deltas
                        .iter()
                        .any(|delta| delta.target == slot as u32 && delta.position.length() > 0.01)
                })
                .collect();
            assert!(moved.len() > 20, "{name} moves {} vertices", moved.len());
            let side = if name.ends_with("Left") { 1.0 } else { -1.0 };
            if (name.ends_with("Left") || name.ends_with("Right")) && !name.starts_with("jaw") {
                assert!(
                    moved.iter().all(|vertex| vertex.position.x * side > -0.09),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn a_blink_closes_the_eye_and_a_jaw_opens_the_mouth() {
        let edge = |fold: Fold, x: f32, target: &str| {
            (0..SEGMENTS)
                .map(|segment| {
                    place(
                        &Site {
                            y: if matches!(fold, Fold::Eyes(_)) {
                                0.0
                            } else {
                                MOUTH_Y
                            },
                            angle: angle(segment),
                            fold,
                        },
                        target,
                    )
                })
                .filter(|point| point.z > 0.0)
                .min_by(|a, b| (a.x - x).abs().total_cmp(&(b.x - x).abs()))
                .unwrap()
                .y
        };
        let eye =
            |target| edge(Fold::Eyes(0), shape::EYE_X, target) - edge(Fold::Eyes(4), shape::EYE_X, target);
        assert!(eye("") > 0.08, "open at rest: {}", eye(""));
        assert!(eye("eyeBlinkLeft") < 0.005, "closed: {}", eye("eyeBlinkLeft"));
        assert!(eye("eyeWideLeft") > eye("") + 0.03);
        let mouth = |target| edge(Fold::Mouth(0), 0.0, target) - edge(Fold::Mouth(4), 0.0, target);
        assert!(mouth("").abs() < 0.01, "closed at rest: {}", mouth(""));
        assert!(mouth("jawOpen") > 0.15, "open: {}", mouth("jawOpen"));
    }
}
