//! How far a change of weights moves a mesh, so that a change too small to see can be left out.

use crate::bounds::{Aabb, Sphere};
use crate::domain::to_domain;
use crate::mesh::MorphMesh;
use crate::rounding::up;

impl MorphMesh {
    /// How far any vertex that started in `rest` can move when the weights change, in model units, rounded up.
    ///
    /// This is Σ reach·|to − from|, and, where that is not zero, what the kernel's roundings may add at either end:
    /// no vertex that the kernel gives for `from` is farther than this from where `to` puts it, be that the kernel's
    /// result or the exact sum.
    /// It is about positions: a target that only turns normals or tangents moves nothing.
    ///
    /// Missing weights are zero, weights past the last target are ignored; a weight that is not finite makes it
    /// infinite.
    ///
    /// ```
    /// use morph_core::{Aabb, BuildOptions, MorphMesh, MorphTarget, Quantization};
    ///
    /// let up = MorphTarget::from_dense("up", Some(&[[0.0, 4.0, 0.0]]), None, None);
    /// let (mesh, _) = MorphMesh::build(1, &[up], &BuildOptions::new(Quantization::F32))?;
    /// let movement = mesh.movement(&Aabb::of(&[[0.0; 3]]), &[0.25], &[0.5]);
    /// assert!((1.0..1.00001).contains(&movement));
    /// # Ok::<(), morph_core::BuildError>(())
    /// ```
    pub fn movement(&self, rest: &Aabb, from: &[f32], to: &[f32]) -> f32 {
        if rest.is_empty() {
            return 0.0;
        }
        let mut sum = 0.0_f64;
        for (slot, target) in self.targets.iter().enumerate() {
            let [from, to] = [from, to].map(|weights| weights.get(slot).map_or(0.0, |&w| to_domain(w)));
            if !(from.is_finite() && to.is_finite()) {
                return f32::INFINITY;
            }
            if from != to {
                sum += (f64::from(to) - f64::from(from)).abs() * f64::from(target.reach);
            }
        }
        if sum == 0.0 {
            return 0.0;
        }
        let farthest = rest.farthest().into_iter().fold(0.0, f64::max);
        let error = self.kernel_error(farthest, from) + self.kernel_error(farthest, to);
        // Each term rounds twice and each sum once, by half a unit of 2⁻⁵²; the last two sums are covered too.
        up((sum + error) * (1.0 + (self.targets.len() + 4) as f64 * f64::EPSILON))
    }

    /// The box of what these weights add to a vertex, in double precision: exact but for the roundings of its sums.
    pub(crate) fn offsets(&self, weights: &[f32]) -> [[f64; 3]; 2] {
        let (mut least, mut greatest) = ([0.0_f64; 3], [0.0_f64; 3]);
        for (target, &weight) in self.targets.iter().zip(weights) {
            let weight = f64::from(to_domain(weight));
            if weight == 0.0 {
                continue;
            }
            for axis in 0..3 {
                let ends = [target.minimum[axis], target.maximum[axis]].map(|end| weight * f64::from(end));
                least[axis] += ends[0].min(ends[1]);
                greatest[axis] += ends[0].max(ends[1]);
            }
        }
        [least, greatest]
    }
}

/// How many pixels a model unit covers at the nearest point of a sphere, rounded up: what turns a movement in model
/// units into one in pixels.
///
/// - `sphere`: around the mesh, as [`MorphMesh::bounding_sphere`] or [`Aabb::sphere`] give it.
/// - `eye`: where the camera is, in the space of the sphere and in units of its own; for an instance that is scaled,
///   transform the eye into the model's space.
/// - `vertical_fov`: the vertical field of view, in radians, between 0 and π.
/// - `viewport_height`: in pixels.
///
/// From inside the sphere, and wherever an argument makes no sense, the answer is infinity, so that nothing is left
/// out.
/// It is the size at the middle of the view: perspective stretches what is off it by an angle α to as much as 1/cos²α
/// times that, 1 + tan²α. Who wants a bound for the whole view multiplies by that of its corner.
///
/// ```
/// use morph_core::{Sphere, pixels_per_unit};
///
/// let sphere = Sphere { center: [0.0; 3], radius: 1.0 };
/// // Ninety degrees show as much to each side as there is distance: 10 units above and 10 below in 1,080 pixels.
/// let pixels = pixels_per_unit(&sphere, [0.0, 0.0, 11.0], std::f32::consts::FRAC_PI_2, 1080.0);
/// assert!((pixels - 54.0).abs() < 1e-3);
/// assert_eq!(pixels_per_unit(&sphere, [0.5, 0.0, 0.0], 1.0, 1080.0), f32::INFINITY);
/// ```
pub fn pixels_per_unit(sphere: &Sphere, eye: [f32; 3], vertical_fov: f32, viewport_height: f32) -> f32 {
    let apart: [f64; 3] = std::array::from_fn(|axis| f64::from(eye[axis]) - f64::from(sphere.center[axis]));
    let distance = apart.iter().map(|x| x * x).sum::<f64>().sqrt();
    let nearest = distance - f64::from(sphere.radius);
    let half = f64::from(vertical_fov) / 2.0;
    let makes_sense = nearest > 0.0
        && nearest.is_finite()
        && half > 0.0
        && half < std::f64::consts::FRAC_PI_2
        && viewport_height >= 0.0;
    if !makes_sense {
        return f32::INFINITY;
    }
    // The roundings of the distance weigh more the nearer the sphere is.
    let nearest = nearest - 8.0 * f64::EPSILON * distance;
    if nearest <= 0.0 {
        return f32::INFINITY;
    }
    up(f64::from(viewport_height) / (2.0 * half.tan() * nearest) * (1.0 + 8.0 * f64::EPSILON))
}
