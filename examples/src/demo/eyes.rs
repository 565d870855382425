//! Eyes with pupil, iris and white: balls that look where the targets tell them to.

use glam::{DMat4, DVec4, Mat3, Quat, Vec3};
use morph_render::Material;

use super::figure::{Delta, Figure, Part, Vertex};

/// A ball in the head.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// Its middle.
    pub center: Vec3,
    /// Its radius.
    pub radius: f32,
}

impl Ball {
    /// The ball that vertices lie on: middle of their box, mean distance.
    pub fn around<'a>(vertices: &(impl Iterator<Item = &'a Vertex> + Clone)) -> Option<Self> {
        let positions = || vertices.clone().map(|vertex| vertex.position);
        let low = positions().reduce(Vec3::min)?;
        let high = positions().reduce(Vec3::max)?;
        let center = (low + high) * 0.5;
        let count = positions().count() as f32;
        let radius = positions().map(|position| position.distance(center)).sum::<f32>() / count;
        (radius > 0.0).then_some(Self { center, radius })
    }
}

/// How one target moves a whole ball: an affine map of the offset from its middle.
///
/// A turn is such a map exactly, so the iris stays round whatever the mesh was whose deltas were read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// Slot of the target.
    pub target: u32,
    /// What is added per unit of offset.
    pub linear: Mat3,
    /// What is added to the middle.
    pub shift: Vec3,
}

/// The maps that fit the deltas of vertices of a ball best, by least squares.
pub fn turns<'a>(ball: &Ball, vertices: impl Iterator<Item = &'a Vertex>) -> Vec<Turn> {
    let vertices: Vec<&Vertex> = vertices.collect();
    let unknown = |vertex: &Vertex| {
        ((vertex.position - ball.center) / ball.radius)
            .as_dvec3()
            .extend(1.0)
    };
    let mut normal_matrix = DMat4::ZERO;
    for vertex in &vertices {
        normal_matrix += outer(unknown(vertex), unknown(vertex));
    }
    if normal_matrix.determinant().abs() < 1.0e-9 {
        return Vec::new();
    }
    let inverse = normal_matrix.inverse();
    let mut targets: Vec<u32> = vertices
        .iter()
        .flat_map(|vertex| vertex.deltas.iter().map(|delta| delta.target))
        .collect();
    targets.sort_unstable();
    targets.dedup();
    targets
        .into_iter()
        .map(|target| {
            let mut sum = DMat4::ZERO;
            for vertex in &vertices {
                if let Some(delta) = vertex.deltas.iter().find(|delta| delta.target == target) {
                    sum += outer(delta.position.as_dvec3().extend(0.0), unknown(vertex));
                }
            }
            let fit = (sum * inverse).as_mat4();
            let linear = Mat3::from_mat4(fit) * (1.0 / ball.radius);
            Turn {
                target,
                linear,
                shift: fit.w_axis.truncate(),
            }
        })
        .collect()
}

/// `a` times the transpose of `b`.
fn outer(a: DVec4, b: DVec4) -> DMat4 {
    DMat4::from_cols(a * b.x, a * b.y, a * b.z, a * b.w)
}

/// Rings of a ball by their angle from the line of sight, in degrees, and what lies inside of each.
///
/// A human iris is 12 mm wide on a ball of 24 mm.
const RINGS: [(f32, Tissue); 13] = [
    (5.0, Tissue::Pupil),
    (9.5, Tissue::Pupil),
    (13.0, Tissue::InnerIris),
    (17.0, Tissue::Iris),
    (21.0, Tissue::Iris),
    (25.0, Tissue::Iris),
    (28.0, Tissue::Limbus),
    (31.0, Tissue::White),
    (38.0, Tissue::White),
    (50.0, Tissue::White),
    (65.0, Tissue::White),
    (85.0, Tissue::White),
    (110.0, Tissue::White),
];

/// Vertices in a ring.
const SEGMENTS: u32 = 48;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tissue {
    Pupil,
    InnerIris,
    Iris,
    Limbus,
    White,
}

impl Tissue {
    const ALL: [Self; 5] = [
        Self::Pupil,
        Self::InnerIris,
        Self::Iris,
        Self::Limbus,
        Self::White,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Pupil => "pupil",
            Self::InnerIris => "inner iris",
            Self::Iris => "iris",
            Self::Limbus => "limbus",
            Self::White => "white of the eye",
        }
    }

    const fn material(self) -> Material {
        let (base_color, roughness) = match self {
            Self::Pupil => ([0.004, 0.004, 0.005], 0.12),
            Self::InnerIris => ([0.20, 0.17, 0.09], 0.14),
            Self::Iris => ([0.075, 0.125, 0.145], 0.14),
            Self::Limbus => ([0.022, 0.030, 0.036], 0.14),
            Self::White => ([0.66, 0.61, 0.57], 0.22),
        };
        Material {
            base_color,
            roughness,
            subsurface: [0.25, 0.18, 0.15],
            specular: 1.0,
            double_sided: false,
        }
    }
}

/// Adds eyes to a figure that look along `sight` while nothing turns them.
pub fn add(figure: &mut Figure, eyes: &[(Ball, Vec<Turn>)], sight: Vec3) {
    let mut parts = Tissue::ALL.map(|tissue| Part {
        name: tissue.name().to_owned(),
        material: tissue.material(),
        indices: Vec::new(),
    });
    for (ball, turns) in eyes {
        let facing = Quat::from_rotation_arc(Vec3::Z, sight.normalize_or(Vec3::Z));
        let vertex = |outward: Vec3| {
            let normal = facing * outward;
            let offset = normal * ball.radius;
            let deltas = turns
                .iter()
                .map(|turn| Delta {
                    target: turn.target,
                    position: turn.linear * offset + turn.shift,
                    normal: turn.linear * normal,
                })
                .collect();
            Vertex {
                position: ball.center + offset,
                normal,
                deltas,
            }
        };
        let pole = figure.push(vertex(Vec3::Z));
        let mut inner: Option<u32> = None;
        for (degrees, tissue) in RINGS {
            let (sine, cosine) = degrees.to_radians().sin_cos();
            let first = figure.vertices.len() as u32;
            for segment in 0..SEGMENTS {
                let (y, x) = (segment as f32 / SEGMENTS as f32 * std::f32::consts::TAU).sin_cos();
                figure.push(vertex(Vec3::new(x * sine, y * sine, cosine)));
            }
            let indices = &mut parts[tissue as usize].indices;
            for segment in 0..SEGMENTS {
                let next = (segment + 1) % SEGMENTS;
                match inner {
                    None => indices.extend([pole, first + segment, first + next]),
                    Some(inner) => indices.extend([
                        inner + segment,
                        first + segment,
                        first + next,
                        inner + segment,
                        first + next,
                        inner + next,
                    ]),
                }
            }
            inner = Some(first);
        }
    }
    figure.parts.extend(parts);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few vertices of a ball, turned by target 3 and shifted by target 5.
    fn turned_ball() -> (Ball, Vec<Vertex>) {
        let ball = Ball {
            center: Vec3::new(0.3, 7.0, 1.0),
            radius: 0.15,
        };
        let turn = Quat::from_rotation_x(0.3);
        let outward = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
        let vertices = outward
            .map(|outward| {
                let offset = outward * ball.radius;
                let deltas = vec![
                    Delta {
                        target: 3,
                        position: turn * offset - offset,
                        normal: Vec3::ZERO,
                    },
                    Delta {
                        target: 5,
                        position: Vec3::new(0.0, 0.01, 0.0),
                        normal: Vec3::ZERO,
                    },
                ];
                Vertex {
                    deltas,
                    ..Vertex::still(ball.center + offset, outward)
                }
            })
            .to_vec();
        (ball, vertices)
    }

    #[test]
    fn a_ball_is_found_from_its_vertices() {
        let (ball, vertices) = turned_ball();
        let found = Ball::around(&vertices.iter());
        assert!(found.is_some_and(|found| {
            found.center.distance(ball.center) < 1.0e-6 && (found.radius - ball.radius).abs() < 1.0e-6
        }));
        assert_eq!(Ball::around(&[].iter()), None);
    }

    #[test]
    fn a_turn_is_read_from_deltas_exactly() {
        let (ball, vertices) = turned_ball();
        let turns = turns(&ball, vertices.iter());
        assert_eq!(turns.iter().map(|turn| turn.target).collect::<Vec<_>>(), [3, 5]);
        let point = Vec3::new(0.06, 0.08, 0.11);
        let expected = Quat::from_rotation_x(0.3) * point - point;
        assert!((turns[0].linear * point + turns[0].shift).distance(expected) < 1.0e-6);
        assert!((turns[1].linear * point + turns[1].shift).distance(Vec3::new(0.0, 0.01, 0.0)) < 1.0e-6);
    }

    #[test]
    fn eyes_face_outward() {
        let mut figure = Figure {
            name: String::new(),
            target_names: Vec::new(),
            start_weights: Vec::new(),
            vertices: Vec::new(),
            parts: Vec::new(),
            focus: None,
        };
        let ball = Ball {
            center: Vec3::new(1.0, 2.0, 3.0),
            radius: 0.5,
        };
        add(&mut figure, &[(ball, Vec::new())], Vec3::new(0.2, 0.1, 1.0));
        for part in &figure.parts {
            for [a, b, c] in figure.triangles(part) {
                let across = (b.position - a.position).cross(c.position - a.position);
                assert!(across.dot(a.position - ball.center) > 0.0, "{}", part.name);
            }
        }
    }
}
