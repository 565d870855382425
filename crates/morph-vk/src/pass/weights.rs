//! What an instance shows: its weights, and whether it shows at all.

use crate::error::MorphError;
use crate::pass::MorphPass;
use crate::scene::InstanceId;

impl MorphPass {
    /// Sets all weights: one per target in slot order, zero for those that are missing.
    ///
    /// Returns whether any changed; equal weights cost a comparison and nothing else. Negative weights and weights
    /// past one are applied. Errors, with nothing changed: NaN or infinity (the target is named), more weights than
    /// targets.
    pub fn set_weights(&mut self, instance: InstanceId, weights: &[f32]) -> Result<bool, MorphError> {
        self.scene
            .change_weights(instance, |state, names| state.set_all(weights, names))
    }

    /// Sets the weight of one slot; as [`set_weights`](Self::set_weights).
    pub fn set_weight(&mut self, instance: InstanceId, slot: usize, weight: f32) -> Result<bool, MorphError> {
        self.scene
            .change_weights(instance, |state, names| state.set_slot(slot, weight, names))
    }

    /// Sets the weight of one target by name; an unknown name is an error that lists the nearest.
    pub fn set_weight_named(
        &mut self,
        instance: InstanceId,
        name: &str,
        weight: f32,
    ) -> Result<bool, MorphError> {
        self.scene
            .change_weights(instance, |state, names| state.set_named(name, weight, names))
    }

    /// Sets the weights that [`reset_weights`](Self::reset_weights) goes back to: those saved with the scene, zero
    /// until set. What is shown stays.
    ///
    /// Returns whether any changed; errors as [`set_weights`](Self::set_weights).
    pub fn set_authored_weights(
        &mut self,
        instance: InstanceId,
        weights: &[f32],
    ) -> Result<bool, MorphError> {
        self.scene.set_authored_weights(instance, weights)
    }

    /// Sets all weights to the authored ones, and returns whether any changed.
    pub fn reset_weights(&mut self, instance: InstanceId) -> Result<bool, MorphError> {
        self.scene.change_weights(instance, |state, _| Ok(state.reset()))
    }

    /// The authored weights of an instance, one per target.
    pub fn authored_weights(&self, instance: InstanceId) -> Result<&[f32], MorphError> {
        Ok(self.scene.weights(instance)?.authored())
    }

    /// The weights of an instance, one per target, whether or not its morphs are on.
    pub fn weights(&self, instance: InstanceId) -> Result<&[f32], MorphError> {
        Ok(self.scene.weights(instance)?.values())
    }

    /// A number that changes whenever a weight of the instance does or its morphs are switched, for caches of shadows or
    /// bounds.
    pub fn weights_version(&self, instance: InstanceId) -> Result<u64, MorphError> {
        Ok(self.scene.weights(instance)?.version())
    }

    /// Shows the morphed or the rest shape; weights are kept.
    pub fn set_morphs_enabled(&mut self, instance: InstanceId, enabled: bool) -> Result<bool, MorphError> {
        self.scene.set_morphs_enabled(instance, enabled)
    }

    /// Whether the morphed shape of an instance is shown, rather than its rest shape.
    pub fn morphs_enabled(&self, instance: InstanceId) -> Result<bool, MorphError> {
        Ok(self.scene.weights(instance)?.is_enabled())
    }

    /// A hidden instance is not written; it is right again in the first frame that is recorded with it visible.
    pub fn set_visible(&mut self, instance: InstanceId, visible: bool) -> Result<bool, MorphError> {
        self.scene.set_visible(instance, visible)
    }
}
