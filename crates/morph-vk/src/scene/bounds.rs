//! Where instances are: boxes for culling on the host.

use morph_core::Aabb;

use crate::error::MorphError;
use crate::scene::held::{HeldShape, ShapeView};
use crate::scene::instance::Instance;
use crate::scene::{InstanceId, Scene};

impl Scene {
    /// A box around what an instance shows, computed once for every change.
    pub(crate) fn bounds(&self, id: InstanceId) -> Result<Aabb, MorphError> {
        let instance = self.instance(id)?;
        Ok(*instance.bounds.get_or_init(|| self.compute_bounds(instance)))
    }

    fn compute_bounds(&self, instance: &Instance) -> Aabb {
        let wanted = self.meshes[instance.mesh].bounds(self.wanted_shape(instance));
        // What is drawn lags behind what is wanted: until the next frame, while a change is left out as too small, or
        // while the rest pose stands in.
        let lags = instance.dirty || instance.is_behind || instance.must_write;
        if instance.written && lags {
            wanted.union(&self.held_bounds(instance, &instance.held))
        } else {
            wanted
        }
    }

    /// What an instance shows once it is written with what it has now.
    pub(super) fn wanted_shape<'a>(&'a self, instance: &'a Instance) -> ShapeView<'a> {
        ShapeView {
            weights: instance.weights.effective(),
            pose: instance.skeleton.and_then(|skeleton| self.pose(skeleton).ok()),
        }
    }

    /// A box around a shape that was written.
    pub(super) fn held_bounds(&self, instance: &Instance, held: &HeldShape) -> Aabb {
        let mesh = &self.meshes[instance.mesh];
        if held.is_known {
            mesh.bounds(held.view())
        } else {
            Aabb::EVERYTHING
        }
    }
}
