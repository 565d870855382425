//! What a frame wrote, for those who keep something made from it: acceleration structures, cached shadows.

use crate::error::MorphError;
use crate::scene::held::HeldShape;
use crate::scene::instance::VertexRange;
use crate::scene::{InstanceId, Scene};

/// An instance that the frame last recorded wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedInstance {
    /// The instance.
    pub instance: InstanceId,
    /// Its range now, as [`MorphPass::vertex_range`](crate::MorphPass::vertex_range) gives it.
    pub range: VertexRange,
    /// First byte in the geometry buffer of what was written, in the stream that holds the positions.
    pub offset_bytes: u64,
    /// Bytes written there.
    pub size_bytes: u64,
}

/// What to do with an acceleration structure that was built from the range of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BuildAdvice {
    /// It is as the range is, or there is nothing in the range yet.
    Keep,
    /// Update it in place: the range was written since, and no vertex is far from where the structure was built.
    Refit,
    /// Build it anew: it never was, or the shape has moved too far from what its tree was made for.
    Rebuild,
}

impl BuildAdvice {
    /// A threshold to start from: a tenth of the mesh's size.
    ///
    /// A refit keeps the tree and grows its boxes. Where no vertex moved by more than a tenth of the diagonal, a box
    /// grows by no more than a fifth of it along each axis, so the upper levels of the tree, whose boxes are larger
    /// than that, still tell parts of the mesh apart; beyond it they begin to overlap everywhere. It is a rule of thumb
    /// and no measurement: take one on the device, and raise or lower it.
    pub const DEFAULT_REBUILD_ABOVE: f32 = 0.1;
}

/// What an acceleration structure was made from.
#[derive(Debug)]
pub(super) struct Built {
    shape: HeldShape,
    /// The diagonal of the mesh as it was then.
    size: f32,
    /// The version of the shape that the structure last followed, by build or refit.
    followed: u64,
}

impl Scene {
    /// The instances that the frame last recorded wrote; none where it was taken back.
    pub(crate) fn changed_instances(&self) -> impl Iterator<Item = ChangedInstance> {
        let positions = self.geometry.streams()[self.constants.layout.position.stream as usize];
        let log = &self.slots[self.last_slot as usize];
        log.written.iter().filter_map(move |(instance, _)| {
            let range = self.vertex_range(*instance)?;
            Some(ChangedInstance {
                instance: *instance,
                range,
                offset_bytes: positions.offset_of(range.current_first_vertex),
                size_bytes: u64::from(range.vertex_count) * u64::from(positions.stride_bytes),
            })
        })
    }

    pub(crate) fn shape_version(&self, id: InstanceId) -> Result<u64, MorphError> {
        Ok(self.instance(id)?.written_frame)
    }

    pub(crate) fn built(&mut self, id: InstanceId) -> Result<(), MorphError> {
        let instance = self.instance(id)?;
        let size = self.held_bounds(instance, &instance.held).diagonal();
        let instance = self.instance_mut(id)?;
        let followed = instance.written_frame;
        if let Some(built) = &mut instance.built {
            built.shape.copy_from(&instance.held);
            (built.size, built.followed) = (size, followed);
        } else {
            let shape = instance.held.clone();
            instance.built = Some(Box::new(Built {
                shape,
                size,
                followed,
            }));
        }
        Ok(())
    }

    pub(crate) fn refitted(&mut self, id: InstanceId) -> Result<(), MorphError> {
        let instance = self.instance_mut(id)?;
        if let Some(built) = &mut instance.built {
            built.followed = instance.written_frame;
        }
        Ok(())
    }

    pub(crate) fn build_advice(&self, id: InstanceId, rebuild_above: f32) -> Result<BuildAdvice, MorphError> {
        let instance = self.instance(id)?;
        if !instance.written {
            return Ok(BuildAdvice::Keep);
        }
        let Some(built) = &instance.built else {
            return Ok(BuildAdvice::Rebuild);
        };
        if built.followed == instance.written_frame && instance.held.is_known {
            return Ok(BuildAdvice::Keep);
        }
        let mesh = &self.meshes[instance.mesh];
        let is_known = built.shape.is_known && instance.held.is_known;
        let movement = mesh.movement(built.shape.view(), instance.held.view());
        let is_near = is_known && f64::from(movement) <= f64::from(rebuild_above) * f64::from(built.size);
        Ok(if is_near {
            BuildAdvice::Refit
        } else {
            BuildAdvice::Rebuild
        })
    }
}
