//! Skeletons: the poses that skinned instances follow.

use morph_core::skin::{BoneRows, SkinPose};

use crate::error::MorphError;
use crate::pass::MorphPass;
use crate::scene::{InstanceId, SkeletonId};

impl MorphPass {
    /// Adds a skeleton with every bone at identity: its instances show what the morph gave, blended by their skin
    /// weights, until [`set_pose`](Self::set_pose).
    ///
    /// Submeshes and outfits of one character share a skeleton, so that its pose is sent once a frame. Errors: no
    /// bones, more than [`Capacities::bone_capacity`](crate::Capacities::bone_capacity) has left, a pose that does not
    /// fit the frame's data beside what is there.
    pub fn add_skeleton(&mut self, bone_count: u32) -> Result<SkeletonId, MorphError> {
        self.scene.add_skeleton(bone_count)
    }

    /// Forgets a skeleton that no instance follows.
    pub fn remove_skeleton(&mut self, skeleton: SkeletonId) -> Result<(), MorphError> {
        self.scene.remove_skeleton(skeleton)
    }

    /// Sets all bones: for each the first three rows of the matrix that carries a vertex of the rest shape, or of what
    /// the morph gave, to where it is now (in glTF: joint matrix times inverse bind matrix).
    ///
    /// Returns whether any changed; an equal pose costs a comparison and nothing else. Components below 2⁻⁴⁰ in
    /// magnitude become zero, as everything does that enters the arithmetic. Errors, with nothing changed: another
    /// number of bones than the skeleton has; a component that is not finite (bone, row and column are named).
    pub fn set_pose(&mut self, skeleton: SkeletonId, bones: &[BoneRows]) -> Result<bool, MorphError> {
        self.scene.set_pose(skeleton, bones)
    }

    /// The pose of a skeleton.
    pub fn pose(&self, skeleton: SkeletonId) -> Result<&SkinPose, MorphError> {
        self.scene.pose(skeleton)
    }

    /// A number that changes whenever the pose does, for caches of shadows or bounds.
    pub fn pose_version(&self, skeleton: SkeletonId) -> Result<u64, MorphError> {
        self.scene.pose_version(skeleton)
    }

    /// The skeleton that an instance follows; `None` where it is morphed only.
    pub fn skeleton(&self, instance: InstanceId) -> Result<Option<SkeletonId>, MorphError> {
        self.scene.skeleton_of(instance)
    }
}
