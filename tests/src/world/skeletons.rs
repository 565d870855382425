//! The skeletons of a world, and the instances that follow them.

use morph_core::skin::{BoneRows, SkinError, SkinPose};
use morph_vk::{MeshSkin, MorphError, SkeletonId};

use super::{Actor, Outcome, World, no_room, text};
use crate::skin::cook_bones;

const IDENTITY: BoneRows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// A skeleton in the world.
#[derive(Debug)]
pub(super) struct Skeleton {
    id: SkeletonId,
    pose: SkinPose,
}

impl World {
    /// Whether the pass has room for skeletons.
    pub(super) fn skins(&self) -> bool {
        self.rig.pass().stats().bone_capacity > 0
    }

    /// Adds a skeleton; nothing happens where there is no room for it, or where the pass does not skin.
    ///
    /// # Errors
    /// Another refusal.
    pub fn add_skeleton(&mut self, bone_count: u32) -> Outcome {
        if !self.skins() {
            return Ok(());
        }
        match self.rig.pass_mut().add_skeleton(bone_count) {
            Ok(id) => {
                let pose = SkinPose::new(&vec![IDENTITY; bone_count as usize]).map_err(text)?;
                self.skeletons.push(Skeleton { id, pose });
                Ok(())
            }
            Err(MorphError::BoneCapacity { .. }) => Ok(()),
            Err(error) => no_room(&error),
        }
    }

    fn pick_skeleton(&self, number: u32) -> Option<usize> {
        (!self.skeletons.is_empty()).then(|| number as usize % self.skeletons.len())
    }

    /// Adds an instance that follows a skeleton, or that is morphed only where there is none, or where the skeleton has
    /// too few bones for the mesh; `None` where there is no room for it.
    ///
    /// # Errors
    /// A refusal that should not be, or none where one should be.
    pub fn attach_skinned(&mut self, mesh: usize, skeleton: u32) -> Result<Option<usize>, String> {
        let (Some(skeleton), Some(skin)) = (self.pick_skeleton(skeleton), &self.meshes[mesh].skin) else {
            return self.attach(mesh);
        };
        let skeleton = &self.skeletons[skeleton];
        let bone_count = skeleton.pose.bone_count();
        let fits = skin
            .weights
            .greatest_joint()
            .is_none_or(|it| usize::from(it) < bone_count);
        let id = skeleton.id;
        self.is_quiet = false;
        match self.rig.pass_mut().attach_skinned(self.meshes[mesh].id, id) {
            Ok(_) if !fits => Err(format!("a skeleton of {bone_count} bones was taken for {skin:?}")),
            Ok(instance) => Ok(Some(self.add_actor(instance, mesh, Some(id)))),
            Err(MorphError::Skin(SkinError::JointOutOfRange { .. })) if !fits => self.attach(mesh),
            Err(error) => no_room(&error).map(|()| None),
        }
    }

    /// Forgets a skeleton, which is refused where instances follow it.
    ///
    /// # Errors
    /// Another refusal, or none where one should be.
    pub fn remove_skeleton(&mut self, number: u32) -> Outcome {
        let Some(at) = self.pick_skeleton(number) else {
            return Ok(());
        };
        let id = self.skeletons[at].id;
        let used = self.actors.iter().filter(|it| it.skeleton == Some(id)).count() as u32;
        match self.rig.pass_mut().remove_skeleton(id) {
            Ok(()) if used == 0 => {
                self.skeletons.remove(at);
                Ok(())
            }
            Err(MorphError::SkeletonInUse { instance_count }) if instance_count == used && used > 0 => Ok(()),
            other => Err(format!("{used} instances follow the skeleton: {other:?}")),
        }
    }

    /// Draws a pose and sets it.
    ///
    /// # Errors
    /// The pass refused, or does not know whether the pose changed.
    pub fn set_pose(&mut self, number: u32, seed: u64) -> Outcome {
        let Some(at) = self.pick_skeleton(number) else {
            return Ok(());
        };
        let skeleton = &mut self.skeletons[at];
        let bones = cook_bones(skeleton.pose.bone_count() as u32, seed);
        let pose = SkinPose::new(&bones).map_err(text)?;
        let changed = self.rig.pass_mut().set_pose(skeleton.id, &bones).map_err(text)?;
        if changed != (pose != skeleton.pose) {
            return Err(format!(
                "a pose from {:?} to {pose:?}: changed {changed}",
                skeleton.pose
            ));
        }
        skeleton.pose = pose;
        // An equal pose must cause no work.
        self.is_quiet &= !changed;
        Ok(())
    }

    /// What bones make of an instance.
    pub(super) fn posed(&self, actor: &Actor) -> Option<(&MeshSkin, &SkinPose)> {
        let skeleton = self.skeletons.iter().find(|it| Some(it.id) == actor.skeleton)?;
        Some((self.meshes[actor.mesh].skin.as_ref()?, &skeleton.pose))
    }
}
