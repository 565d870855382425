//! For those who keep something made from the ranges: acceleration structures, cached shadow maps.

use crate::error::MorphError;
use crate::pass::MorphPass;
use crate::scene::{BuildAdvice, ChangedInstance, InstanceId};

impl MorphPass {
    /// The instances that the frame last recorded wrote, each with its range; none where the frame was taken back.
    ///
    /// Allocates nothing.
    pub fn changed_instances(&self) -> impl Iterator<Item = ChangedInstance> {
        self.scene.changed_instances()
    }

    /// A number that is another one whenever the range of an instance holds another shape than before, and rises with
    /// every frame that writes it; zero until the first. A frame that is taken back takes its number with it.
    ///
    /// [`weights_version`](Self::weights_version) says what is wanted, this what is drawn.
    pub fn shape_version(&self, instance: InstanceId) -> Result<u64, MorphError> {
        self.scene.shape_version(instance)
    }

    /// Says that an acceleration structure was built from what the range of an instance holds, as of the frame last
    /// recorded.
    ///
    /// With history the two ranges of an instance take turns: give the builder
    /// [`VertexRange::current_first_vertex`](crate::VertexRange::current_first_vertex) of this frame.
    pub fn built(&mut self, instance: InstanceId) -> Result<(), MorphError> {
        self.scene.built(instance)
    }

    /// Says that the structure was updated in place. Nothing where none was [`built`](Self::built).
    pub fn refitted(&mut self, instance: InstanceId) -> Result<(), MorphError> {
        self.scene.refitted(instance)
    }

    /// Whether to keep, refit or rebuild the structure of an instance, behind [`record`](Self::record).
    ///
    /// Rebuild once a vertex may be farther than `rebuild_above` times the diagonal of the mesh, as it was when the
    /// structure was built, from where it was then. [`BuildAdvice::DEFAULT_REBUILD_ABOVE`] is where to start; zero
    /// rebuilds at every movement, infinity never.
    pub fn build_advice(&self, instance: InstanceId, rebuild_above: f32) -> Result<BuildAdvice, MorphError> {
        self.scene.build_advice(instance, rebuild_above)
    }
}
