//! What makes a mesh with a face look like a person: brows, short hair, and the surfaces of a head.

use glam::{Vec2, Vec3};
use morph_render::Material;

use super::eyes::{Ball, Turn};
use super::figure::{Figure, Part, Vertex};
use super::random::Random;
use super::strands;
use super::surface::{Chart, scatter};

/// Lips.
pub const LIPS: Material = Material {
    base_color: [0.50, 0.215, 0.185],
    roughness: 0.38,
    ..Material::SKIN
};
/// The inside of the mouth.
pub const MOUTH: Material = wet([0.20, 0.055, 0.05], 0.45);
/// The tongue.
pub const TONGUE: Material = wet([0.48, 0.17, 0.16], 0.42);
/// Teeth.
pub const TEETH: Material = wet([0.96, 0.88, 0.76], 0.25);
/// Skin under hair, darker than the hair, as gaps between hairs are.
pub const SCALP: Material = Material {
    base_color: [0.040, 0.027, 0.020],
    specular: 0.2,
    ..Material::SKIN
};
/// Hair of the head.
pub const HAIR: Material = Material {
    base_color: [0.085, 0.055, 0.037],
    roughness: 0.55,
    subsurface: [0.2, 0.15, 0.1],
    specular: 0.5,
    double_sided: false,
};
/// Hair of the brows.
pub const BROWS: Material = Material {
    base_color: [0.075, 0.047, 0.032],
    ..HAIR
};
/// Lashes, darker than any other hair.
pub const LASHES: Material = Material {
    base_color: [0.010, 0.008, 0.007],
    specular: 0.2,
    ..HAIR
};

const fn wet(base_color: [f32; 3], roughness: f32) -> Material {
    Material {
        base_color,
        roughness,
        subsurface: [0.3, 0.15, 0.12],
        specular: 0.9,
        double_sided: false,
    }
}

/// The measures of a head, taken from its eyes, so that heads of other sizes work too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measures {
    /// Between the eyes.
    pub middle: Vec3,
    /// Radius of an eye: the unit of everything that is placed on a head.
    pub eye: f32,
}

impl Measures {
    /// The measures of a head with these eyes.
    pub fn of(left: &Ball, right: &Ball) -> Self {
        Self {
            middle: (left.center + right.center) * 0.5,
            eye: (left.radius + right.radius) * 0.5,
        }
    }

    /// A point as seen from between the eyes, in eye radii.
    pub fn local(&self, point: Vec3) -> Vec3 {
        (point - self.middle) / self.eye
    }

    /// The point that [`local`](Self::local) takes to these numbers.
    pub fn place(&self, local: Vec3) -> Vec3 {
        self.middle + local * self.eye
    }
}

/// One hair: spine from the root on, width, and where its flat side looks.
pub type Strand = (Vec<Vertex>, f32, Vec3);

/// Adds hairs as a part of their own.
pub fn add_strands(figure: &mut Figure, name: &str, material: Material, strands: Vec<Strand>) {
    let mut indices = Vec::new();
    for (spine, width, facing) in strands {
        strands::add(figure, &mut indices, &spine, width, facing);
    }
    figure.parts.push(Part {
        name: name.to_owned(),
        material,
        indices,
    });
}

/// The brow of an eye, as seen from the front, from the nose outward: where its middle runs, how high it is, and how
/// much its hairs lean outward. From the middle of the eye, in eye radii.
const BROW: [(Vec2, f32, f32); 5] = [
    (Vec2::new(-1.20, 1.46), 0.26, 0.25),
    (Vec2::new(-0.60, 1.58), 0.42, 0.60),
    (Vec2::new(0.20, 1.73), 0.40, 0.85),
    (Vec2::new(0.95, 1.74), 0.27, 1.00),
    (Vec2::new(1.70, 1.36), 0.07, 1.00),
];

/// Brows on the skin above the eyes.
pub fn brows(figure: &Figure, skin: &str, eyes: &[(Ball, Vec<Turn>)], measures: &Measures) -> Vec<Strand> {
    let Some(skin) = figure.part(skin) else {
        return Vec::new();
    };
    let chart = Chart::front(figure, skin);
    let mut random = Random::new(7);
    let mut strands = Vec::new();
    for (ball, _) in eyes {
        let outward = (ball.center.x - measures.middle.x).signum();
        let place =
            |local: Vec2| ball.center.truncate() + Vec2::new(local.x * outward, local.y) * ball.radius;
        for _ in 0..380 {
            let along = random.unit() * (BROW.len() - 1) as f32;
            let (index, share) = (along as usize, along.fract());
            let (near, far) = (BROW[index], BROW[index + 1]);
            // Smooth between the points: a polygon of a brow looks drawn.
            let middle = catmull_rom(index, share);
            let height = near.1 + (far.1 - near.1) * share;
            let lean = near.2 + (far.2 - near.2) * share;
            let across = random.between(-0.5, 0.5) + random.between(-0.12, 0.12);
            let root = middle + Vec2::Y * (across * height);
            let slope = (catmull_rom(index, (share + 0.1).min(1.0)) - middle).normalize_or(Vec2::X);
            // Lower hairs rise, upper hairs lie down: they meet in the middle.
            let rise = Vec2::Y * (0.9 - lean * 0.55 - across * 0.9);
            let direction = (slope * lean + rise).normalize_or(Vec2::X) * random.between(0.25, 0.40);
            let spine: Vec<Vertex> = [0.0, 0.5, 1.0]
                .iter()
                .filter_map(|along| {
                    let vertex = chart.at(place(root + direction * *along))?;
                    let lift = vertex.normal * (ball.radius * (0.015 + 0.06 * along));
                    Some(vertex.moved(lift))
                })
                .collect();
            let facing = spine.first().map_or(Vec3::Z, |vertex| vertex.normal);
            strands.push((spine, ball.radius * 0.04, facing));
        }
    }
    strands
}

/// The curve through the points of the brow (Catmull and Rom, "A class of local interpolating splines", 1974).
fn catmull_rom(index: usize, share: f32) -> Vec2 {
    let point = |offset: isize| {
        let at = (index as isize + offset).clamp(0, BROW.len() as isize - 1);
        BROW[at as usize].0
    };
    let [a, b, c, d] = [point(-1), point(0), point(1), point(2)];
    let (s1, s2, s3) = (share, share * share, share * share * share);
    0.5 * (b * 2.0 + (c - a) * s1 + (a * 2.0 - b * 5.0 + c * 4.0 - d) * s2 + (b * 3.0 - a - c * 3.0 + d) * s3)
}

/// How far inside of the hair a point is, in eye radii from between the eyes; below zero it is skin.
pub fn hair_depth(local: Vec3) -> f32 {
    // A plane that cuts the head from the forehead down to behind the ears, bent in at the temples.
    let temple = (local.x.abs() - 3.2).max(0.0);
    let line = (local.y - 5.3) - (local.z - 0.6) * 1.05 + temple * 0.25;
    // The nape.
    let nape = local.y + 5.2;
    // Not on the ears.
    let ear = if local.x.abs() > 5.0 && local.y < 0.8 {
        -1.0
    } else {
        1.0
    };
    line.min(nape).min(ear)
}

/// Short hair on the scalp.
pub fn hair(figure: &Figure, skin: &str, measures: &Measures) -> Vec<Strand> {
    let Some(skin) = figure.part(skin) else {
        return Vec::new();
    };
    let mut random = Random::new(23);
    let depth = |middle: Vec3| hair_depth(measures.local(middle));
    let mut roots = scatter(figure, skin, 9000, &mut random, |middle| depth(middle) > -0.9);
    // Denser along the hairline, where the skin shows through.
    roots.extend(scatter(figure, skin, 6000, &mut random, |middle| {
        (-0.9..1.3).contains(&depth(middle))
    }));
    let mut strands = Vec::new();
    for root in roots {
        let local = measures.local(root.position);
        let depth = hair_depth(local) + random.between(-0.35, 0.35);
        if depth < 0.0 {
            continue;
        }
        // Hair grows from the crown forward, and down at the sides.
        let crown = Vec3::new(0.0, 7.6, -5.5);
        let away = (local - crown).normalize_or(Vec3::Z);
        let flat = (away - root.normal * away.dot(root.normal)).normalize_or(Vec3::Z);
        let ruffle = Vec3::new(
            random.between(-0.3, 0.3),
            random.between(-0.3, 0.3),
            random.between(-0.3, 0.3),
        );
        let direction = (flat + root.normal * 0.35 + ruffle).normalize_or(flat);
        // Shorter toward its edge.
        let length = measures.eye * random.between(0.42, 0.72) * (0.7 + depth * 0.3).min(1.0);
        let tip = root.moved(direction * length);
        let facing = root.normal;
        strands.push((vec![root, tip], measures.eye * 0.06, facing));
    }
    strands
}
