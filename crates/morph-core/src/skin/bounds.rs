//! A box that holds a mesh after morph and skin.

use crate::bounds::Aabb;
use crate::domain::DOMAIN_MIN;
use crate::mesh::MorphMesh;
use crate::rest::RestStreams;
use crate::rounding::up;
use crate::skin::{BoneRows, SkinError, SkinPose, SkinWeights};

/// Where the vertices of each bone lie at rest: what bounds of a skinned mesh need, computed once.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinBounds {
    /// Each bone that holds a vertex, rising, with the box of its vertices at rest.
    bones: Vec<(u16, Aabb)>,
    /// The vertices that no bone holds.
    unskinned: Aabb,
    /// The least and greatest sum of the weights of a vertex that any bone holds.
    weight_sums: [f64; 2],
    influence_count: usize,
}

impl SkinBounds {
    /// Sorts the vertices of a rest pose by the bones that hold them.
    ///
    /// # Errors
    /// [`SkinError::VertexCount`] where the weights belong to another mesh.
    pub fn new(rest: &RestStreams, weights: &SkinWeights) -> Result<Self, SkinError> {
        let bone_count = weights.greatest_joint().map_or(0, |joint| usize::from(joint) + 1);
        weights.check(rest.positions.len(), bone_count)?;
        let mut boxes = vec![Aabb::EMPTY; bone_count];
        let mut unskinned = Aabb::EMPTY;
        let mut weight_sums = [f64::INFINITY, 0.0];
        for (vertex, &position) in rest.positions.iter().enumerate() {
            let mut sum = 0.0;
            for (joint, weight) in weights.of(vertex).filter(|&(_, weight)| weight != 0.0) {
                grow(&mut boxes[usize::from(joint)], position);
                sum += f64::from(weight);
            }
            if sum == 0.0 {
                grow(&mut unskinned, position);
            } else {
                weight_sums = [sum.min(weight_sums[0]), sum.max(weight_sums[1])];
            }
        }
        let held = boxes.into_iter().enumerate().filter(|(_, aabb)| !aabb.is_empty());
        Ok(SkinBounds {
            bones: held.map(|(bone, aabb)| (bone as u16, aabb)).collect(),
            unskinned,
            weight_sums,
            influence_count: weights.influence_count().get(),
        })
    }

    /// A box that holds every vertex, morphed with these weights and then skinned in this pose.
    ///
    /// A vertex lies, up to the sum of its weights, between the places to which its bones would carry it alone,
    /// and each of these lies in the box to which the bone carries the [morphed box](MorphMesh::bounds) of the
    /// vertices that it holds.
    /// What the kernel's roundings and its domain rule may add is added, so the box holds the kernel's results
    /// and not only the exact ones.
    /// If a morph weight is not finite, or a corner is past the largest float, the box is unbounded there.
    ///
    /// # Errors
    /// [`SkinError::MissingBone`] where the pose lacks a bone that holds a vertex.
    pub fn bounds(&self, mesh: &MorphMesh, weights: &[f32], pose: &SkinPose) -> Result<Aabb, SkinError> {
        let mut skinned = Reach::NONE;
        for &(bone, rest) in &self.bones {
            let rows = pose.rows().get(usize::from(bone));
            let rows = rows.ok_or(SkinError::MissingBone {
                bone,
                bone_count: pose.bone_count(),
            })?;
            skinned.add(rows, &mesh.bounds(&rest, weights));
        }
        let carried = skinned.aabb(self.weight_sums, self.influence_count);
        let unskinned = mesh.bounds(&self.unskinned, weights);
        if unskinned.is_empty() {
            return Ok(carried);
        }
        // The domain rule may make a component zero that was all but zero.
        let kept = outward(
            unskinned.min.map(f64::from),
            unskinned.max.map(f64::from),
            [f64::from(DOMAIN_MIN); 3],
        );
        Ok(union(&carried, &kept))
    }
}

/// Where bones carry boxes, in double precision, with what the kernel's error is measured by.
struct Reach {
    min: [f64; 3],
    max: [f64; 3],
    /// Per row the largest sum of |entry|·|coordinate|, the fourth column included.
    magnitude: [f64; 3],
    /// Per row the largest sum of |entry| of the first three columns.
    gain: [f64; 3],
    /// The largest sum of the |coordinates| of a corner.
    extent: f64,
}

impl Reach {
    const NONE: Reach = Reach {
        min: [f64::INFINITY; 3],
        max: [f64::NEG_INFINITY; 3],
        magnitude: [0.0; 3],
        gain: [0.0; 3],
        extent: 0.0,
    };

    fn add(&mut self, rows: &BoneRows, aabb: &Aabb) {
        let farthest: [f64; 3] =
            std::array::from_fn(|axis| f64::from(aabb.min[axis].abs().max(aabb.max[axis].abs())));
        self.extent = self.extent.max(farthest.iter().sum());
        for (r, row) in rows.iter().enumerate() {
            let moved = f64::from(row[3]);
            let (mut min, mut max, mut magnitude, mut gain) = (moved, moved, moved.abs(), 0.0);
            for axis in 0..3 {
                let entry = f64::from(row[axis]);
                if entry == 0.0 {
                    // An unbounded box times zero is no number.
                    continue;
                }
                let ends = [aabb.min[axis], aabb.max[axis]].map(|end| entry * f64::from(end));
                min += ends[0].min(ends[1]);
                max += ends[0].max(ends[1]);
                magnitude += entry.abs() * farthest[axis];
                gain += entry.abs();
            }
            self.min[r] = self.min[r].min(min);
            self.max[r] = self.max[r].max(max);
            self.magnitude[r] = self.magnitude[r].max(magnitude);
            self.gain[r] = self.gain[r].max(gain);
        }
    }

    /// The box around it all for vertices whose weights sum to anything between the two sums.
    ///
    /// A blended entry takes as many roundings as there are influences, and a row times a point four more, so
    /// the error is below (influences + 4)·2⁻²⁴ times the magnitudes (Higham, Accuracy and Stability of
    /// Numerical Algorithms, section 3.1); the domain rule takes less than 2⁻⁴⁰ from each entry, coordinate and
    /// result.
    /// Twice that swallows the second order and the roundings made here.
    fn aabb(&self, [least_sum, greatest_sum]: [f64; 2], influence_count: usize) -> Aabb {
        if self.min[0] > self.max[0] {
            return Aabb::EMPTY;
        }
        let roundings = (influence_count + 4) as f64 / f64::from(1_u32 << 24);
        let scaled = |x: f64| [x * least_sum, x * greatest_sum];
        let slack = std::array::from_fn(|r| {
            let rounded = roundings * greatest_sum * self.magnitude[r];
            let zeroed = f64::from(DOMAIN_MIN) * (self.extent + 1.0 + greatest_sum * self.gain[r] + 1.0);
            2.0 * (rounded + zeroed)
        });
        outward(
            self.min
                .map(|x| scaled(x).into_iter().fold(f64::INFINITY, f64::min)),
            self.max
                .map(|x| scaled(x).into_iter().fold(f64::NEG_INFINITY, f64::max)),
            slack,
        )
    }
}

fn outward(min: [f64; 3], max: [f64; 3], slack: [f64; 3]) -> Aabb {
    Aabb {
        min: std::array::from_fn(|axis| 0.0 - up(slack[axis] - min[axis])),
        max: std::array::from_fn(|axis| up(max[axis] + slack[axis])),
    }
}

fn union(a: &Aabb, b: &Aabb) -> Aabb {
    Aabb {
        min: std::array::from_fn(|axis| a.min[axis].min(b.min[axis])),
        max: std::array::from_fn(|axis| a.max[axis].max(b.max[axis])),
    }
}

fn grow(aabb: &mut Aabb, point: [f32; 3]) {
    *aabb = union(
        aabb,
        &Aabb {
            min: point,
            max: point,
        },
    );
}
