//! Places on a surface: new vertices that move with the skin under them.

use glam::{Vec2, Vec3};

use super::figure::{Figure, Part, Vertex};
use super::random::Random;

/// A triangle soup in a plane of its own (a front view, texture coordinates) over vertices of a figure.
#[derive(Debug)]
pub struct Chart<'a> {
    triangles: Vec<([Vec2; 3], [&'a Vertex; 3])>,
}

impl<'a> Chart<'a> {
    /// The triangles of a part, laid flat by a map of one's own.
    pub fn new(figure: &'a Figure, part: &'a Part, flat: impl Fn(&Vertex) -> Vec2) -> Self {
        let triangles = figure
            .triangles(part)
            .map(|corners| (corners.map(&flat), corners))
            .collect();
        Self { triangles }
    }

    /// The triangles of a part as they are seen from the front (+z), without those that face away.
    pub fn front(figure: &'a Figure, part: &'a Part) -> Self {
        let mut chart = Self::new(figure, part, |vertex| vertex.position.truncate());
        chart
            .triangles
            .retain(|([a, b, c], _)| (*b - *a).perp_dot(*c - *a) > 0.0);
        chart
    }

    /// The least and the greatest y that the chart has at an x; `None` where it has nothing.
    pub fn column(&self, x: f32) -> Option<(f32, f32)> {
        let crossings = self
            .triangles
            .iter()
            .flat_map(|([a, b, c], _)| [(*a, *b), (*b, *c), (*c, *a)])
            .filter_map(|(from, to)| {
                let share = (x - from.x) / (to.x - from.x);
                (0.0..=1.0)
                    .contains(&share)
                    .then_some(from.y + (to.y - from.y) * share)
            });
        crossings.fold(None, |range: Option<(f32, f32)>, y| {
            let (low, high) = range.unwrap_or((y, y));
            Some((low.min(y), high.max(y)))
        })
    }

    /// The vertex of the surface at a point of the chart; where triangles lie over each other, the one nearest to the
    /// viewer.
    pub fn at(&self, point: Vec2) -> Option<Vertex> {
        self.triangles
            .iter()
            .filter_map(|(corners, vertices)| Some((barycentric(*corners, point)?, vertices)))
            .map(|(shares, vertices)| blend(vertices, shares))
            .max_by(|a, b| a.position.z.total_cmp(&b.position.z))
    }
}

/// The shares of the corners at a point, or `None` outside of the triangle.
fn barycentric([a, b, c]: [Vec2; 3], point: Vec2) -> Option<Vec3> {
    let area = (b - a).perp_dot(c - a);
    let at_b = (point - a).perp_dot(c - a) / area;
    let at_c = (b - a).perp_dot(point - a) / area;
    let shares = Vec3::new(1.0 - at_b - at_c, at_b, at_c);
    (shares.min_element() >= -1.0e-5).then_some(shares)
}

fn blend(corners: &[&Vertex; 3], shares: Vec3) -> Vertex {
    Vertex::blend(&[
        (corners[0], shares.x),
        (corners[1], shares.y),
        (corners[2], shares.z),
    ])
}

/// Vertices spread evenly over the triangles of a part whose middle passes.
pub fn scatter(
    figure: &Figure,
    part: &Part,
    count: usize,
    random: &mut Random,
    passes: impl Fn(Vec3) -> bool,
) -> Vec<Vertex> {
    let triangles: Vec<[&Vertex; 3]> = figure
        .triangles(part)
        .filter(|corners| passes(corners.iter().map(|vertex| vertex.position).sum::<Vec3>() / 3.0))
        .collect();
    let mut reached = 0.0;
    let areas: Vec<f32> = triangles
        .iter()
        .map(|[a, b, c]| {
            reached += (b.position - a.position).cross(c.position - a.position).length();
            reached
        })
        .collect();
    let mut vertices = Vec::with_capacity(count);
    if reached.is_nan() || reached <= 0.0 {
        return vertices;
    }
    for _ in 0..count {
        let wanted = random.unit() * reached;
        let index = areas
            .partition_point(|&area| area < wanted)
            .min(triangles.len() - 1);
        // Uniform in the triangle: the square root spreads what would crowd at one corner.
        let (root, along) = (random.unit().sqrt(), random.unit());
        let shares = Vec3::new(1.0 - root, root * (1.0 - along), root * along);
        vertices.push(blend(&triangles[index], shares));
    }
    vertices
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use morph_render::Material;

    use super::*;

    fn figure() -> Figure {
        let corners = [
            Vec3::ZERO,
            Vec3::X,
            Vec3::Y,
            Vec3::Z * 0.5,
            Vec3::new(1.0, 0.0, 0.5),
            Vec3::new(0.0, 1.0, 0.5),
        ];
        Figure {
            name: "two triangles, one behind the other".to_owned(),
            target_names: Vec::new(),
            start_weights: Vec::new(),
            vertices: corners.map(|position| Vertex::still(position, Vec3::Z)).to_vec(),
            parts: vec![Part {
                name: "skin".to_owned(),
                material: Material::SKIN,
                indices: (0..6).collect(),
            }],
            focus: None,
        }
    }

    #[test]
    fn the_chart_finds_the_nearest_surface() {
        let figure = figure();
        let chart = Chart::front(&figure, &figure.parts[0]);
        assert_eq!(
            chart.at(Vec2::new(0.25, 0.25)).unwrap().position,
            Vec3::new(0.25, 0.25, 0.5)
        );
        assert!(chart.at(Vec2::new(0.75, 0.75)).is_none());
    }

    #[test]
    fn scattered_vertices_lie_on_the_triangles_that_pass() {
        let figure = figure();
        let vertices = scatter(&figure, &figure.parts[0], 50, &mut Random::new(1), |middle| {
            middle.z > 0.2
        });
        assert_eq!(vertices.len(), 50);
        for vertex in vertices {
            assert!((vertex.position.z - 0.5).abs() < 1.0e-6);
            assert!(vertex.position.x + vertex.position.y <= 1.0 + 1.0e-6);
        }
        assert!(scatter(&figure, &figure.parts[0], 5, &mut Random::new(1), |_| false).is_empty());
    }
}
