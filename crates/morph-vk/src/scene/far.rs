//! Changes that are too small to be seen are not written.

use crate::error::MorphError;
use crate::scene::{InstanceId, Scene};

impl Scene {
    pub(crate) fn set_pixels_per_unit(&mut self, id: InstanceId, pixels: f32) -> Result<bool, MorphError> {
        let instance = self.instance_mut(id)?;
        check_pixels("pixels_per_unit", pixels)?;
        let changed = instance.pixels_per_unit != pixels;
        instance.pixels_per_unit = pixels;
        if changed {
            self.judge_again(id);
        }
        Ok(changed)
    }

    pub(crate) fn set_skip_below_pixels(&mut self, pixels: f32) -> Result<(), MorphError> {
        check_pixels("skip_below_pixels", pixels)?;
        if self.skip_below_pixels == pixels {
            return Ok(());
        }
        self.skip_below_pixels = pixels;
        let instances = self.instances.iter();
        let behind: Vec<_> = instances
            .filter(|(_, it)| it.is_behind)
            .map(|(id, _)| id)
            .collect();
        for id in behind {
            self.judge_again(id);
        }
        Ok(())
    }

    /// Has the next frame look again at an instance whose last change was left out.
    fn judge_again(&mut self, id: InstanceId) {
        if let Some(instance) = self.instances.get_mut(id)
            && instance.is_behind
        {
            instance.mark_dirty();
            self.enqueue(id);
        }
    }

    /// Whether what would change if this frame wrote an instance is too small to be seen.
    ///
    /// Never so where its range may hold something else than an earlier shape of its own (the first write, the rest
    /// pose in place of what could not be morphed yet, a frame that was dropped), or in the first frame that shows it.
    pub(super) fn is_too_small_to_see(&self, id: InstanceId) -> bool {
        let instance = &self.instances[id];
        let is_judged = self.skip_below_pixels > 0.0
            && instance.pixels_per_unit.is_finite()
            && instance.written
            && instance.held.is_known
            && !instance.must_write
            && instance.seen_from < self.frame;
        if !is_judged {
            return false;
        }
        let mesh = &self.meshes[instance.mesh];
        let movement = mesh.movement(instance.held.view(), self.wanted_shape(instance));
        // The product of two floats is exact in double precision, and no number is not below anything.
        f64::from(movement) * f64::from(instance.pixels_per_unit) < f64::from(self.skip_below_pixels)
    }
}

/// Pixels are not negative; infinity is a number of them.
pub(crate) fn check_pixels(what: &'static str, pixels: f32) -> Result<(), MorphError> {
    if pixels >= 0.0 {
        Ok(())
    } else {
        Err(MorphError::Pixels { what, given: pixels })
    }
}
