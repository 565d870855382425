//! The MakeHuman base mesh, made presentable: only the head, with eyes, teeth, lips, brows, lashes and short hair.
//!
//! The base mesh comes without textures and without hair, because MakeHuman dresses it with other files.
//! What is added here is geometry of the same mesh: it moves with the skin under it, because its deltas are blends of
//! the skin's deltas, and it goes through the same pre-pass and the same comparison.

use std::path::Path;

use anyhow::Context as _;
use glam::{Vec2, Vec3};
use morph_core::Aabb;
use morph_import::ImportOptions;
use morph_render::Material;

use super::eyes::{self, Ball, Turn};
use super::figure::{Figure, Part, Vertex};
use super::grooming::{Measures, Strand};
use super::random::Random;
use super::stage::TOWARD_CAMERA;
use super::surface::Chart;
use super::{from_model, grooming};

/// Groups of the base mesh: the person, and the helpers that stand for what MakeHuman puts there.
const BODY: &str = "body";
const EYES: [&str; 2] = ["helper-l-eye", "helper-r-eye"];
const TEETH: [&str; 2] = ["helper-upper-teeth", "helper-lower-teeth"];
const TONGUE: &str = "helper-tongue";
/// Upper and lower lashes of each eye.
const LASHES: [[&str; 2]; 2] = [
    ["helper-l-eyelashes-2", "helper-l-eyelashes-1"],
    ["helper-r-eyelashes-2", "helper-r-eyelashes-1"],
];

/// Loads a base mesh with its targets and dresses it.
pub fn load(path: &Path) -> anyhow::Result<Figure> {
    let mut groups = vec![BODY];
    groups.extend(EYES);
    groups.extend(TEETH);
    groups.push(TONGUE);
    groups.extend(LASHES.as_flattened());
    let options = ImportOptions {
        groups: groups.into_iter().map(str::to_owned).collect(),
        generate_normals: true,
        ..ImportOptions::default()
    };
    let model = morph_import::load(path, &options)?;
    let mut figure = from_model::figure("MakeHuman head with eyes and hair added", &model)?;
    dress(&mut figure)?;
    Ok(figure)
}

fn dress(figure: &mut Figure) -> anyhow::Result<()> {
    let balls: Vec<(Ball, Vec<Turn>)> = EYES
        .iter()
        .map(|name| {
            let part = figure
                .part(name)
                .with_context(|| format!("the base mesh has no group {name}"))?;
            let vertices = || part.indices.iter().map(|&index| &figure.vertices[index as usize]);
            let ball = Ball::around(&vertices()).with_context(|| format!("the group {name} is no ball"))?;
            Ok((ball, eyes::turns(&ball, vertices())))
        })
        .collect::<anyhow::Result<_>>()?;
    let measures = Measures::of(&balls[0].0, &balls[1].0);
    let lashes = lashes(figure, &balls);
    for name in EYES.iter().chain(LASHES.as_flattened()) {
        figure.take_part(name);
    }
    // The head and the neck down to the shoulders; wider than what the camera shows.
    figure.keep(|vertex| {
        let local = measures.local(vertex.position);
        local.y > -22.0 && local.x.abs() < 20.0
    });

    let brows = grooming::brows(figure, BODY, &balls, &measures);
    let hair = grooming::hair(figure, BODY, &measures);
    divide_skin(figure, &measures);
    for part in &mut figure.parts {
        if let Some(material) = material(&part.name) {
            part.material = material;
        }
    }
    eyes::add(figure, &balls, TOWARD_CAMERA);
    grooming::add_strands(figure, "lashes", grooming::LASHES, lashes);
    grooming::add_strands(figure, "brows", grooming::BROWS, brows);
    grooming::add_strands(figure, "hair", grooming::HAIR, hair);

    let corner = |x: f32, y: f32, z: f32| (measures.middle + Vec3::new(x, y, z) * measures.eye).to_array();
    figure.focus = Some(Aabb {
        min: corner(-5.4, -8.9, -1.0),
        max: corner(5.4, 8.4, 1.0),
    });
    Ok(())
}

const LIPS: &str = "lips";
const MOUTH: &str = "inside of the mouth";
const SCALP: &str = "scalp";

fn material(part: &str) -> Option<Material> {
    match part {
        BODY => Some(Material::SKIN),
        LIPS => Some(grooming::LIPS),
        MOUTH => Some(grooming::MOUTH),
        SCALP => Some(grooming::SCALP),
        TONGUE => Some(grooming::TONGUE),
        _ if TEETH.contains(&part) => Some(grooming::TEETH),
        _ => None,
    }
}

/// Lashes along the strips that the base mesh has for them.
///
/// A strip fans out from the lid, so the angle around the line of sight runs along it and the distance from the middle
/// of the eye runs from root to tip.
fn lashes(figure: &Figure, balls: &[(Ball, Vec<Turn>)]) -> Vec<Strand> {
    let mut random = Random::new(71);
    let mut strands = Vec::new();
    for ((ball, _), strips) in balls.iter().zip(LASHES) {
        for (strip, up, count, length) in [(strips[0], 1.0, 64, 0.85), (strips[1], -1.0, 40, 0.55)] {
            let Some(part) = figure.part(strip) else { continue };
            let chart = Chart::new(figure, part, |vertex| {
                let offset = (vertex.position - ball.center) / ball.radius;
                Vec2::new(offset.x.atan2(offset.y * up), offset.length())
            });
            for index in 0..count {
                let angle = -1.75 + 3.5 * (index as f32 + random.unit()) / count as f32;
                let Some((root, tip)) = chart.column(angle) else {
                    continue;
                };
                let reach = (tip - root) * length * random.between(0.7, 1.0);
                let lean = random.between(-0.04, 0.04);
                let spine: Vec<Vertex> = [0.0, 0.35, 0.7, 1.0]
                    .iter()
                    .filter_map(|along| {
                        let vertex = chart.at(Vec2::new(angle + lean * along, root + reach * along))?;
                        // Out of the lid, into which the strip sinks when the eye is closed.
                        let outward = (vertex.position - ball.center).normalize_or(Vec3::Z);
                        Some(vertex.moved(outward * (ball.radius * (0.03 + 0.14 * along))))
                    })
                    .collect();
                strands.push((spine, ball.radius * 0.045, Vec3::Z));
            }
        }
    }
    strands
}

/// Cuts lips, scalp and the inside of the mouth out of the skin.
fn divide_skin(figure: &mut Figure, measures: &Measures) {
    let Some(body) = figure.take_part(BODY) else {
        return;
    };
    let chart = Chart::front(figure, &body);
    let mut parts = [BODY, LIPS, MOUTH, SCALP].map(|name| Part {
        name: name.to_owned(),
        material: body.material,
        indices: Vec::new(),
    });
    for corners in body.indices.chunks_exact(3) {
        let positions =
            [corners[0], corners[1], corners[2]].map(|corner| figure.vertices[corner as usize].position);
        let middle = measures.local(positions.iter().sum::<Vec3>() / 3.0);
        let behind = || {
            let center = positions.iter().sum::<Vec3>() / 3.0;
            chart
                .at(center.truncate())
                .is_some_and(|skin| skin.position.z > center.z + measures.eye * 0.4)
        };
        let mouth_box = middle.x.abs() < 2.3 && (-7.0..-2.2).contains(&middle.y) && middle.z > -4.0;
        let scalp = || {
            positions
                .iter()
                .all(|position| grooming::hair_depth(measures.local(*position)) > 0.1)
        };
        let part = if mouth_box && behind() {
            2
        } else if is_lip(middle) {
            1
        } else if scalp() {
            3
        } else {
            0
        };
        parts[part].indices.extend_from_slice(corners);
    }
    drop(chart);
    figure
        .parts
        .extend(parts.into_iter().filter(|part| !part.indices.is_empty()));
}

/// The edges of the lips of the base mesh, from the middle to the corner of the mouth: distance from the middle, upper
/// edge, lower edge.
const LIP_EDGES: [(f32, f32, f32); 6] = [
    (0.0, -4.05, -5.31),
    (0.55, -3.94, -5.29),
    (1.15, -4.06, -5.16),
    (1.50, -4.24, -4.95),
    (1.72, -4.42, -4.72),
    (1.80, -4.50, -4.60),
];

fn is_lip(local: Vec3) -> bool {
    let x = local.x.abs();
    let Some(index) = LIP_EDGES
        .windows(2)
        .position(|pair| (pair[0].0..pair[1].0).contains(&x))
    else {
        return false;
    };
    let (near, far) = (LIP_EDGES[index], LIP_EDGES[index + 1]);
    let share = (x - near.0) / (far.0 - near.0);
    let upper = near.1 + (far.1 - near.1) * share;
    let lower = near.2 + (far.2 - near.2) * share;
    local.z > 0.5 && (lower..upper).contains(&local.y)
}
