//! A head made in code: a ball with a brow, a nose, eyes, a mouth and a chin, and expressions that move them.
//!
//! Every shape is a distance from the center for every direction, so an expression is another such shape: its position
//! deltas are differences, and its normal deltas are differences of the normals that the two surfaces really have.

use morph_core::MorphTarget;

/// Columns around and rows from pole to pole.
const COLUMNS: u32 = 96;
const ROWS: u32 = 64;

/// The head at rest with its expressions.
#[derive(Debug, Clone)]
pub struct Head {
    /// Rest positions; about 2 units high, looking along +z.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals.
    pub normals: Vec<[f32; 3]>,
    /// Triangles, counterclockwise from outside.
    pub indices: Vec<u32>,
    /// Expressions, in the order of [`EXPRESSIONS`].
    pub targets: Vec<MorphTarget>,
}

/// Names of the expressions.
pub const EXPRESSIONS: [&str; 4] = ["jawOpen", "smile", "browUp", "noseLong"];

/// How far each expression is on, 0 to 1.
type Expression = [f64; EXPRESSIONS.len()];

/// A bump of a height around a direction, of a width in radians.
fn bump(direction: [f64; 3], center: [f64; 3], width: [f64; 2], height: f64) -> f64 {
    // Differences of angles, across and along, are near enough to distances on the ball for a face.
    let angles = |[x, y, z]: [f64; 3]| [x.atan2(z), y.atan2(x.hypot(z))];
    let ([across, along], [center_across, center_along]) = (angles(direction), angles(center));
    let x = (across - center_across) / width[0];
    let y = (along - center_along) / width[1];
    height * (-(x * x + y * y)).exp()
}

/// 0 below `from`, 1 above `to`, smooth between.
fn step(from: f64, to: f64, value: f64) -> f64 {
    let t = ((value - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Distance of the surface from the center in a direction of unit length.
fn radius(direction: [f64; 3], [jaw, smile, brow, nose]: Expression) -> f64 {
    let [x, y, z] = direction;
    // An ellipsoid, narrower across than high, and narrower at the jaw than at the skull.
    let narrow = 0.80 - 0.14 * step(0.1, 0.9, -y);
    let ball = 1.0 / ((x / narrow).powi(2) + (y / 1.05).powi(2) + (z / 0.92).powi(2)).sqrt();
    let mut radius = ball;
    // The jaw drops: the lower face grows, and everything below the nose slides down.
    radius += 0.22 * jaw * step(0.25, 0.75, -y) * step(-0.3, 0.5, z);
    let drop = 0.12 * jaw;
    // Nose: a ridge and a tip.
    radius += bump(direction, [0.0, 0.04, 1.0], [0.10, 0.22], 0.12 + 0.10 * nose);
    radius += bump(direction, [0.0, -0.13, 1.0], [0.14, 0.09], 0.13 + 0.26 * nose);
    for side in [-1.0, 1.0] {
        // Brow, eye socket, eyeball.
        radius += bump(
            direction,
            [side * 0.32, 0.31 + 0.16 * brow, 1.0],
            [0.24, 0.06],
            0.07 + 0.05 * brow,
        );
        radius -= bump(
            direction,
            [side * 0.34, 0.14 + 0.03 * brow, 1.0],
            [0.19, 0.12],
            0.11,
        );
        radius += bump(
            direction,
            [side * 0.34, 0.14, 1.0],
            [0.10, 0.07 + 0.02 * brow],
            0.09,
        );
        // Cheek, and the corner of the mouth.
        radius += bump(
            direction,
            [side * 0.46, -0.12 + 0.04 * smile, 1.0],
            [0.20, 0.16],
            0.05 + 0.08 * smile,
        );
        let corner = [
            side * (0.24 + 0.12 * smile),
            -0.40 + 0.14 * smile - 0.5 * drop,
            1.0,
        ];
        radius -= bump(direction, corner, [0.08, 0.06], 0.05 + 0.07 * smile);
        // Ears.
        radius += bump(direction, [side, 0.05, -0.10], [0.10, 0.20], 0.15);
    }
    // Upper lip, mouth, lower lip, chin.
    radius += bump(
        direction,
        [0.0, -0.33 + 0.02 * smile, 1.0],
        [0.22 + 0.06 * smile, 0.05],
        0.06,
    );
    radius -= bump(
        direction,
        [0.0, -0.42 - drop, 1.0],
        [0.25 - 0.05 * jaw, 0.04 + 0.11 * jaw],
        0.08 + 0.20 * jaw,
    );
    radius += bump(direction, [0.0, -0.50 - 2.0 * drop, 1.0], [0.22, 0.05], 0.06);
    radius += bump(direction, [0.0, -0.82 - drop, 1.0], [0.40, 0.18], 0.10);
    radius
}

fn point(column: f64, row: f64, expression: Expression) -> [f64; 3] {
    // The seam is at the back of the head.
    let turn = (column / f64::from(COLUMNS)) * std::f64::consts::TAU + std::f64::consts::PI;
    let tilt = (row / f64::from(ROWS) - 0.5) * std::f64::consts::PI;
    let direction = [tilt.cos() * turn.sin(), tilt.sin(), tilt.cos() * turn.cos()];
    let radius = radius(direction, expression);
    direction.map(|axis| axis * radius)
}

/// The normal by differences of neighbors on the surface; the poles take the axis.
fn normal(column: f64, row: f64, expression: Expression) -> [f64; 3] {
    const STEP: f64 = 0.05;
    if row <= 0.0 || row >= f64::from(ROWS) {
        return [0.0, if row <= 0.0 { -1.0 } else { 1.0 }, 0.0];
    }
    let difference = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let across = difference(
        point(column + STEP, row, expression),
        point(column - STEP, row, expression),
    );
    let along = difference(
        point(column, row + STEP, expression),
        point(column, row - STEP, expression),
    );
    let cross = [
        across[1] * along[2] - across[2] * along[1],
        across[2] * along[0] - across[0] * along[2],
        across[0] * along[1] - across[1] * along[0],
    ];
    let length = cross.iter().map(|it| it * it).sum::<f64>().sqrt();
    cross.map(|it| it / length)
}

fn narrow(values: [f64; 3]) -> [f32; 3] {
    values.map(|it| it as f32)
}

impl Head {
    /// Makes the head.
    pub fn new() -> Head {
        // One column more than there are steps around, so that the seam closes.
        let grid = || {
            (0..=ROWS).flat_map(|row| (0..=COLUMNS).map(move |column| (f64::from(column), f64::from(row))))
        };
        let rest = [0.0; EXPRESSIONS.len()];
        let shape = |expression: Expression| -> [Vec<[f32; 3]>; 2] {
            [
                grid()
                    .map(|(column, row)| narrow(point(column, row, expression)))
                    .collect(),
                grid()
                    .map(|(column, row)| narrow(normal(column, row, expression)))
                    .collect(),
            ]
        };
        let [positions, normals] = shape(rest);
        let difference = |a: &[[f32; 3]], b: &[[f32; 3]]| -> Vec<[f32; 3]> {
            let pairs = a.iter().zip(b);
            // What a bump's far tail moves is nothing to look at and would make every target dense.
            pairs
                .map(|(a, b)| [a[0] - b[0], a[1] - b[1], a[2] - b[2]])
                .map(|delta| {
                    if delta.iter().all(|it| it.abs() < 1.0e-4) {
                        [0.0; 3]
                    } else {
                        delta
                    }
                })
                .collect()
        };
        let targets = EXPRESSIONS
            .iter()
            .enumerate()
            .map(|(number, name)| {
                let mut expression = rest;
                expression[number] = 1.0;
                let [moved, turned] = shape(expression);
                let (moved, turned) = (difference(&moved, &positions), difference(&turned, &normals));
                MorphTarget::from_dense(*name, Some(&moved), Some(&turned), None)
            })
            .collect();
        Head {
            positions,
            normals,
            indices: triangles(),
            targets,
        }
    }
}

impl Default for Head {
    fn default() -> Self {
        Head::new()
    }
}

fn triangles() -> Vec<u32> {
    let mut indices = Vec::new();
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let a = row * (COLUMNS + 1) + column;
            let (b, c) = (a + 1, a + COLUMNS + 1);
            let d = c + 1;
            // At a pole one of the two triangles has no area.
            if row > 0 {
                indices.extend([a, b, d]);
            }
            if row + 1 < ROWS {
                indices.extend([a, d, c]);
            }
        }
    }
    indices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_face_outward_and_normals_are_unit() {
        let head = Head::new();
        for triangle in head.indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|corner| head.positions[triangle[corner] as usize].map(f64::from));
            let (u, v) = (
                [0, 1, 2].map(|it| b[it] - a[it]),
                [0, 1, 2].map(|it| c[it] - a[it]),
            );
            let face = [
                u[1] * v[2] - u[2] * v[1],
                u[2] * v[0] - u[0] * v[2],
                u[0] * v[1] - u[1] * v[0],
            ];
            let out: f64 = (0..3).map(|it| face[it] * (a[it] + b[it] + c[it])).sum();
            assert!(out > 0.0, "{triangle:?}");
        }
        for normal in &head.normals {
            let length: f32 = normal.iter().map(|it| it * it).sum();
            assert!((length - 1.0).abs() < 1.0e-5);
        }
        assert!(
            head.targets
                .iter()
                .all(|target| target.vertices.len() > 50 && target.vertices.len() < 3000)
        );
    }
}
