//! The normals of a surface, at rest and where a target moves it.

use crate::generate::{Groups, Polygons};
use crate::rounding::length64;

type Vector = [f64; 3];

/// A sum that is this much shorter than its parts together has no direction: the faces around the point cancel.
const LEAST_SUM: f64 = 1e-12;
/// Deltas whose every component is smaller than this are rounding, not movement: 2⁻³⁰, a hundredth of what the last
/// bit of a unit normal is worth in 32-bit floats.
const LEAST_DELTA: f64 = 1.0 / (1 << 30) as f64;
/// The normal of a point without a direction of its own, as the rest pose prescribes it.
const UNSET: Vector = [0.0, 1.0, 0.0];

/// How much the faces around a point count for its normal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FaceWeight {
    /// By the face's angle at the point (G. Thürmer and C. A. Wüthrich, "Computing vertex normals from polygonal
    /// facets", Journal of Graphics Tools 3(1), 1998): does not depend on how flat faces are cut.
    #[default]
    Angle,
    /// By the face's area, as many older tools do: large faces pull the normals at their rims.
    Area,
}

/// Why a surface cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SurfaceError {
    /// A face has a corner that is no point of the surface.
    #[error(
        "corner {corner} of the faces is point {point}, but there are {point_count} points, counted from 0"
    )]
    PointOutOfRange {
        /// Position among the corners of all faces.
        corner: usize,
        /// The point.
        point: usize,
        /// How many points there are.
        point_count: usize,
    },
}

/// Points and faces, with what is computed of them at rest.
///
/// A point may stand for many vertices: those that a file had to split, as at a texture seam.
#[derive(Clone, Debug)]
pub struct Surface {
    faces: Polygons,
    weight: FaceWeight,
    positions: Vec<Vector>,
    /// For each corner its face's unit normal times its weight there, at rest.
    corners: Vec<Vector>,
    /// The unit normals at rest.
    normals: Vec<Vector>,
    /// Faces and corners around each point.
    around: Groups<(usize, usize)>,
    /// The same as `corners` for the faces that the target at hand moves; others are stale.
    moved_corners: Vec<Vector>,
    /// What the target at hand moves points by; others are stale.
    deltas: Vec<Vector>,
    /// Counts the targets, from one.
    stamp: usize,
    /// The target that last moved a point, moved a face, or reached a point through one of its faces.
    moved_stamp: Vec<usize>,
    face_stamp: Vec<usize>,
    point_stamp: Vec<usize>,
}

impl Surface {
    /// Computes the normals of points and faces at rest.
    ///
    /// # Errors
    /// Where a face has a point that is not there.
    pub fn new(positions: &[[f32; 3]], faces: Polygons, weight: FaceWeight) -> Result<Self, SurfaceError> {
        let point_count = positions.len();
        if let Some(corner) = faces.points().iter().position(|&point| point >= point_count) {
            return Err(SurfaceError::PointOutOfRange {
                corner,
                point: faces.points()[corner],
                point_count,
            });
        }
        let positions: Vec<Vector> = positions.iter().map(|position| position.map(f64::from)).collect();
        let mut corners = vec![[0.0; 3]; faces.points().len()];
        let mut outline = Vec::new();
        for face in 0..faces.count() {
            let range = faces.corners(face);
            outline.clear();
            outline.extend(
                faces.points()[range.clone()]
                    .iter()
                    .map(|&point| positions[point]),
            );
            corner_normals(&outline, weight, &mut corners[range]);
        }
        let corners_of = |face| {
            let faces = &faces;
            faces
                .corners(face)
                .map(move |corner| (faces.points()[corner], (face, corner)))
        };
        let around: Groups<(usize, usize)> =
            Groups::new(point_count, (0..faces.count()).flat_map(corners_of));
        let normals = (0..point_count)
            .map(|point| {
                let parts = around.of(point).iter().map(|&(_, corner)| corners[corner]);
                unit_sum(parts).unwrap_or(UNSET)
            })
            .collect();
        Ok(Surface {
            moved_corners: corners.clone(),
            deltas: vec![[0.0; 3]; point_count],
            stamp: 0,
            moved_stamp: vec![0; point_count],
            face_stamp: vec![0; faces.count()],
            point_stamp: vec![0; point_count],
            faces,
            weight,
            positions,
            corners,
            normals,
            around,
        })
    }

    /// The unit normal of each point at rest; +Y where the faces around it give no direction.
    pub fn normals(&self) -> impl ExactSizeIterator<Item = [f32; 3]> {
        self.normals.iter().map(|&normal| narrow(normal))
    }

    /// By how much the normals of points turn when a target at weight 1 moves points: the normals of the moved
    /// surface minus those at rest, both unit and made the same way.
    ///
    /// `moved` names points with their position deltas; where a point comes twice the first counts, and what is no
    /// point of the surface is left out.
    /// Only the surroundings of what moves are computed again. A point that loses its direction keeps its normal.
    /// Sums are in double precision and in the order of the faces, so results do not depend on the machine.
    pub fn normal_deltas(
        &mut self,
        moved: impl IntoIterator<Item = (usize, [f32; 3])>,
    ) -> Vec<(usize, [f32; 3])> {
        self.stamp += 1;
        let reached = self.reach(moved);
        let delta = |point: usize| {
            let parts = self.around.of(point).iter().map(|&(face, corner)| {
                if self.face_stamp[face] == self.stamp {
                    self.moved_corners[corner]
                } else {
                    self.corners[corner]
                }
            });
            let normal = unit_sum(parts)?;
            let delta = zip(normal, self.normals[point], |morphed, rest| morphed - rest);
            let turns = delta.iter().any(|component| component.abs() >= LEAST_DELTA);
            turns.then(|| (point, narrow(delta)))
        };
        reached.into_iter().filter_map(delta).collect()
    }

    /// Moves points and computes their faces; returns the points of these faces.
    fn reach(&mut self, moved: impl IntoIterator<Item = (usize, [f32; 3])>) -> Vec<usize> {
        let stamp = self.stamp;
        let mut points = Vec::new();
        for (point, delta) in moved {
            if point < self.positions.len() && delta != [0.0; 3] && self.moved_stamp[point] != stamp {
                self.moved_stamp[point] = stamp;
                self.deltas[point] = delta.map(f64::from);
                points.push(point);
            }
        }
        let mut reached = Vec::new();
        let mut outline = Vec::new();
        for point in points {
            for &(face, _) in self.around.of(point) {
                if self.face_stamp[face] == stamp {
                    continue;
                }
                self.face_stamp[face] = stamp;
                let range = self.faces.corners(face);
                let corners = &self.faces.points()[range.clone()];
                outline.clear();
                outline.extend(corners.iter().map(|&corner| {
                    if self.moved_stamp[corner] == stamp {
                        zip(self.positions[corner], self.deltas[corner], |a, b| a + b)
                    } else {
                        self.positions[corner]
                    }
                }));
                corner_normals(&outline, self.weight, &mut self.moved_corners[range.clone()]);
                for &corner in corners {
                    if self.point_stamp[corner] != stamp {
                        self.point_stamp[corner] = stamp;
                        reached.push(corner);
                    }
                }
            }
        }
        reached
    }
}

/// Writes, for each corner of a face, the face's unit normal times its weight at the corner; zero where it has no
/// area.
///
/// The normal of a face that is not flat is that of the areas that its outline has in the three planes (Newell).
fn corner_normals(outline: &[Vector], weight: FaceWeight, corners: &mut [Vector]) {
    corners.fill([0.0; 3]);
    let Some((&origin, rest)) = outline.split_first() else {
        return;
    };
    let subtract = |a: Vector, b: Vector| zip(a, b, |a, b| a - b);
    // Areas are measured from the first corner, which loses fewer digits than from the origin.
    let area = rest.windows(2).fold([0.0; 3], |sum, edge| {
        let doubled = cross(subtract(edge[0], origin), subtract(edge[1], origin));
        zip(sum, doubled, |a, b| a + b)
    });
    // Unlike a sum of unit normals, an area may be tiny and have a direction.
    let length = length64(area);
    if !(length > 0.0 && length.is_finite()) {
        return;
    }
    if weight == FaceWeight::Area {
        corners.fill(area);
        return;
    }
    let normal = area.map(|component| component / length);
    let count = outline.len();
    for (corner, result) in corners.iter_mut().enumerate() {
        let next = subtract(outline[(corner + 1) % count], outline[corner]);
        let previous = subtract(outline[(corner + count - 1) % count], outline[corner]);
        // The sine times the lengths of the edges, which in a triangle is one number for all corners.
        let turn = if count == 3 {
            length
        } else {
            length64(cross(next, previous))
        };
        // Never more than a half turn, on the inside of a concave corner too: a morph may fold a corner shut and over,
        // and its angle then goes through zero instead of jumping to a whole turn.
        let angle = turn.atan2(dot(next, previous));
        *result = normal.map(|component| component * angle);
    }
}

/// The unit vector of a sum, where its parts do not cancel.
fn unit_sum(parts: impl Iterator<Item = Vector>) -> Option<Vector> {
    let (mut sum, mut magnitude) = ([0.0; 3], 0.0);
    for part in parts {
        sum = zip(sum, part, |a, b| a + b);
        magnitude += part.iter().map(|component| component.abs()).sum::<f64>();
    }
    let length = length64(sum);
    (length > LEAST_SUM * magnitude && length.is_finite()).then(|| sum.map(|component| component / length))
}

fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn zip(a: Vector, b: Vector, f: impl Fn(f64, f64) -> f64) -> Vector {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])]
}

fn narrow(vector: Vector) -> [f32; 3] {
    vector.map(|component| component as f32)
}
