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
    pub(super) bones: Vec<(u16, Aabb)>,
    /// The vertices that no bone holds.
    pub(super) unskinned: Aabb,
    /// The vertices that any bone holds.
    pub(super) skinned: Aabb,
    /// The least and greatest sum of the weights of a vertex that any bone holds.
    pub(super) weight_sums: [f64; 2],
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
        let skinned = boxes.iter().fold(Aabb::EMPTY, |all, aabb| all.union(aabb));
        let held = boxes.into_iter().enumerate().filter(|(_, aabb)| !aabb.is_empty());
        Ok(SkinBounds {
            skinned,
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
        let mut skinned = Reach::none();
        for &(bone, rest) in &self.bones {
            skinned.add(rows_of(pose, bone)?, &mesh.bounds(&rest, weights));
        }
        let carried = skinned.aabb(self.weight_sums, self.kernel_error(&skinned.magnitudes));
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
        Ok(carried.union(&kept))
    }

    /// How far from the exact result the kernel may put what bones carry, per axis.
    ///
    /// A blended entry takes as many roundings as there are influences, and a row times a point four more, so
    /// the error is below (influences + 4)·2⁻²⁴ times the magnitudes (Higham, Accuracy and Stability of
    /// Numerical Algorithms, section 3.1); the domain rule takes less than 2⁻⁴⁰ from each entry, coordinate and
    /// result.
    /// Twice that swallows the second order and the roundings of the bounds made with it.
    pub(super) fn kernel_error(&self, magnitudes: &Magnitudes) -> [f64; 3] {
        let roundings = (self.influence_count + 4) as f64 / f64::from(1_u32 << 24);
        let [_, greatest_sum] = self.weight_sums;
        std::array::from_fn(|r| {
            let rounded = roundings * greatest_sum * magnitudes.sums[r];
            let zeroed =
                f64::from(DOMAIN_MIN) * (magnitudes.extent + 1.0 + greatest_sum * magnitudes.gains[r] + 1.0);
            2.0 * (rounded + zeroed)
        })
    }
}

/// The rows of a bone that a mesh needs.
pub(super) fn rows_of(pose: &SkinPose, bone: u16) -> Result<&BoneRows, SkinError> {
    pose.rows().get(usize::from(bone)).ok_or(SkinError::MissingBone {
        bone,
        bone_count: pose.bone_count(),
    })
}

/// How large the numbers are that the kernel adds up: what its error is measured by.
#[derive(Default)]
pub(super) struct Magnitudes {
    /// Per row the largest sum of |entry|·|coordinate|, the fourth column included.
    sums: [f64; 3],
    /// Per row the largest sum of |entry| of the first three columns.
    gains: [f64; 3],
    /// The largest sum of the |coordinates| of a corner.
    extent: f64,
}

impl Magnitudes {
    /// A bone, and the greatest magnitude on each axis of what it carries.
    pub(super) fn add(&mut self, rows: &BoneRows, farthest: [f64; 3]) {
        self.extent = self.extent.max(farthest.iter().sum());
        for (r, row) in rows.iter().enumerate() {
            let (mut sum, mut gain) = (f64::from(row[3].abs()), 0.0);
            // An unbounded box times zero is no number.
            for axis in (0..3).filter(|&axis| row[axis] != 0.0) {
                let entry = f64::from(row[axis].abs());
                sum += entry * farthest[axis];
                gain += entry;
            }
            self.sums[r] = self.sums[r].max(sum);
            self.gains[r] = self.gains[r].max(gain);
        }
    }
}

/// Where bones carry boxes, in double precision.
struct Reach {
    min: [f64; 3],
    max: [f64; 3],
    magnitudes: Magnitudes,
}

impl Reach {
    fn none() -> Reach {
        Reach {
            min: [f64::INFINITY; 3],
            max: [f64::NEG_INFINITY; 3],
            magnitudes: Magnitudes::default(),
        }
    }

    fn add(&mut self, rows: &BoneRows, aabb: &Aabb) {
        self.magnitudes.add(rows, aabb.farthest());
        for (r, row) in rows.iter().enumerate() {
            let moved = f64::from(row[3]);
            let (mut min, mut max) = (moved, moved);
            for axis in (0..3).filter(|&axis| row[axis] != 0.0) {
                let entry = f64::from(row[axis]);
                let ends = [aabb.min[axis], aabb.max[axis]].map(|end| entry * f64::from(end));
                min += ends[0].min(ends[1]);
                max += ends[0].max(ends[1]);
            }
            self.min[r] = self.min[r].min(min);
            self.max[r] = self.max[r].max(max);
        }
    }

    /// The box around it all for vertices whose weights sum to anything between the two sums.
    fn aabb(&self, [least_sum, greatest_sum]: [f64; 2], slack: [f64; 3]) -> Aabb {
        if self.min[0] > self.max[0] {
            return Aabb::EMPTY;
        }
        let scaled = |x: f64| [x * least_sum, x * greatest_sum];
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

fn grow(aabb: &mut Aabb, point: [f32; 3]) {
    *aabb = aabb.union(&Aabb {
        min: point,
        max: point,
    });
}
