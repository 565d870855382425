//! Bounds of the morphed mesh for any weights, negative and past one included.

use crate::domain::to_domain;
use crate::mesh::MorphMesh;
use crate::rounding::{length64, sum_up, up};

/// An axis-aligned box in model units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least corner.
    pub min: [f32; 3],
    /// Greatest corner.
    pub max: [f32; 3],
}

impl Aabb {
    /// The box that holds nothing: its least corner is +infinity, its greatest -infinity.
    pub const EMPTY: Aabb = Aabb {
        min: [f32::INFINITY; 3],
        max: [f32::NEG_INFINITY; 3],
    };
    /// The box that holds everything.
    pub const EVERYTHING: Aabb = Aabb {
        min: [f32::NEG_INFINITY; 3],
        max: [f32::INFINITY; 3],
    };

    /// The smallest box around some points; [`EMPTY`](Self::EMPTY) around none.
    pub fn of(points: &[[f32; 3]]) -> Aabb {
        points.iter().fold(Aabb::EMPTY, |aabb, point| Aabb {
            min: std::array::from_fn(|axis| aabb.min[axis].min(point[axis])),
            max: std::array::from_fn(|axis| aabb.max[axis].max(point[axis])),
        })
    }

    /// The smallest box that holds both.
    #[must_use]
    pub fn union(&self, other: &Aabb) -> Aabb {
        Aabb {
            min: std::array::from_fn(|axis| self.min[axis].min(other.min[axis])),
            max: std::array::from_fn(|axis| self.max[axis].max(other.max[axis])),
        }
    }

    /// The length of the diagonal, in model units, rounded up; zero where the box holds nothing.
    pub fn diagonal(&self) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        let sides = std::array::from_fn(|axis| f64::from(self.max[axis]) - f64::from(self.min[axis]));
        // Three differences, two sums and a root round, each by less than one unit of 2⁻⁵².
        up(length64(sides) * (1.0 + 6.0 * f64::EPSILON))
    }

    /// A sphere that holds the box: its middle, and half its diagonal rounded up.
    ///
    /// A box that holds nothing gives the radius -infinity, one without bounds the radius infinity.
    pub fn sphere(&self) -> Sphere {
        if self.is_empty() {
            return Sphere {
                center: [0.0; 3],
                radius: f32::NEG_INFINITY,
            };
        }
        let middle = |axis: usize| {
            let middle = f64::midpoint(f64::from(self.min[axis]), f64::from(self.max[axis])) as f32;
            if middle.is_nan() { 0.0 } else { middle }
        };
        let center: [f32; 3] = std::array::from_fn(middle);
        let farthest = std::array::from_fn(|axis| {
            let from = f64::from(center[axis]);
            (f64::from(self.max[axis]) - from).max(from - f64::from(self.min[axis]))
        });
        Sphere {
            center,
            radius: up(length64(farthest) * (1.0 + 6.0 * f64::EPSILON)),
        }
    }

    /// The greatest magnitude on each axis.
    pub(crate) fn farthest(&self) -> [f64; 3] {
        std::array::from_fn(|axis| f64::from(self.min[axis].abs().max(self.max[axis].abs())))
    }

    /// Whether the box holds nothing.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|axis| self.min[axis] > self.max[axis])
    }

    /// Whether a point lies in the box or on its surface.
    pub fn contains(&self, point: [f32; 3]) -> bool {
        (0..3).all(|axis| self.min[axis] <= point[axis] && point[axis] <= self.max[axis])
    }
}

/// A sphere in model units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Center.
    pub center: [f32; 3],
    /// Radius.
    pub radius: f32,
}

impl MorphMesh {
    /// A box that holds every vertex that started in `rest`, morphed with these weights.
    ///
    /// Each side moves by weight times the least or greatest delta of each target, so one moved corner does
    /// not grow the other five sides.
    /// The box holds the exact sums and the rounded sums of the kernel alike, and is tight where the
    /// arithmetic is exact.
    /// Weights past the last target are ignored; if any weight is not finite the answer is
    /// [`Aabb::EVERYTHING`], which nothing is culled by.
    pub fn bounds(&self, rest: &Aabb, weights: &[f32]) -> Aabb {
        if rest.is_empty() {
            return *rest;
        }
        let weights = &weights[..weights.len().min(self.targets.len())];
        if weights.iter().any(|w| !w.is_finite()) {
            return Aabb::EVERYTHING;
        }
        let mut aabb = *rest;
        for (target, &weight) in self.targets.iter().zip(weights) {
            let weight = to_domain(weight);
            if weight == 0.0 {
                continue;
            }
            let (least, greatest) = if weight > 0.0 {
                (target.minimum, target.maximum)
            } else {
                (target.maximum, target.minimum)
            };
            for axis in 0..3 {
                // Zero minus rather than a sign, so that a side at zero is +0.
                aabb.min[axis] = 0.0 - add_up(-aabb.min[axis], -weight, least[axis]);
                aabb.max[axis] = add_up(aabb.max[axis], weight, greatest[axis]);
            }
        }
        aabb
    }

    /// How far any vertex can move with these weights: the sum of |weight| times reach, in model units,
    /// rounded up.
    ///
    /// This is about the exact sum; [`bounding_sphere`](Self::bounding_sphere) adds what the kernel's
    /// roundings may.
    /// Weights past the last target are ignored; a weight that is not finite makes it infinite.
    pub fn inflation(&self, weights: &[f32]) -> f32 {
        let mut sum = 0.0_f32;
        for (target, &weight) in self.targets.iter().zip(weights) {
            if !weight.is_finite() {
                return f32::INFINITY;
            }
            // The product of two floats is exact in double precision.
            sum = sum_up(
                f64::from(sum),
                f64::from(to_domain(weight)).abs() * f64::from(target.reach),
            );
        }
        sum
    }

    /// A sphere that holds every vertex that started in `rest`, morphed with these weights.
    ///
    /// The center stays; the radius grows by [`inflation`](Self::inflation) and by the roundings of the
    /// kernel's sums.
    pub fn bounding_sphere(&self, rest: &Sphere, weights: &[f32]) -> Sphere {
        let error = self.kernel_error(
            rest.center.iter().map(|x| f64::from(x.abs())).fold(0.0, f64::max) + f64::from(rest.radius),
            weights,
        );
        if error == 0.0 {
            return *rest;
        }
        let grown = f64::from(self.inflation(weights)) + error;
        Sphere {
            center: rest.center,
            radius: sum_up(f64::from(rest.radius), grown),
        }
    }

    /// How far from the exact sum the kernel may put a vertex none of whose rest components is past `farthest`;
    /// zero where no target is active.
    ///
    /// Per component that is at most (n + 1)·2⁻²⁴·(|rest| + Σ|weight|·|delta|) for n active targets, after the
    /// usual bound for recursive summation (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2).
    pub(crate) fn kernel_error(&self, farthest: f64, weights: &[f32]) -> f64 {
        let targets = self.targets.iter().zip(weights);
        let active_count = targets.filter(|&(_, &w)| to_domain(w) != 0.0).count();
        if active_count == 0 {
            return 0.0;
        }
        let farthest = farthest + f64::from(self.inflation(weights));
        // √3 turns a component's bound into a length; twice that swallows the second order and this line's
        // own roundings.
        2.0 * 3.0_f64.sqrt() * (active_count + 1) as f64 * farthest / f64::from(1_u32 << 24)
    }
}

/// A float that is at least `sum + weight * delta`, both exactly and as the kernel rounds it.
///
/// Rounding is monotone, so a bound that takes the kernel's own steps stays a bound of its results.
fn add_up(sum: f32, weight: f32, delta: f32) -> f32 {
    let kernel = sum + weight * delta;
    let exact = sum_up(f64::from(sum), f64::from(weight) * f64::from(delta));
    let bound = kernel.max(exact);
    // Only a rest box that is not a number comes here, and nothing may be culled by it.
    if bound.is_nan() { f32::INFINITY } else { bound }
}
