//! Skeletons: one pose each, shared by all instances that follow it.

use std::sync::Arc;

use morph_core::skin::{BoneRows, SkinPose};
use morph_core::to_domain;
use slotmap::SlotMap;

use crate::desc::Capacities;
use crate::error::MorphError;
use crate::scene::{InstanceId, Scene, SkeletonId};

/// A bone that leaves everything where it is.
const IDENTITY: BoneRows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

#[derive(Debug)]
pub(super) struct Skeleton {
    pub(super) pose: SkinPose,
    /// Changes with the pose.
    pub(super) version: u64,
    followers: Vec<InstanceId>,
    /// The frame that last sent the pose, and its first row there.
    sent: (u64, u32),
    /// Poses that instances were written with, kept for as long as any of them is held somewhere.
    snapshots: Vec<Arc<SkinPose>>,
    /// The one of them that is the pose now, with its version.
    current: Option<(u64, Arc<SkinPose>)>,
}

/// All skeletons of a pass.
#[derive(Debug)]
pub(crate) struct Skeletons {
    map: SlotMap<SkeletonId, Skeleton>,
    bone_count: u32,
}

impl Skeletons {
    pub(super) fn new() -> Skeletons {
        Skeletons {
            map: SlotMap::with_key(),
            bone_count: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.map.len()
    }

    /// Bones of all skeletons.
    pub(crate) fn bone_count(&self) -> u32 {
        self.bone_count
    }

    pub(super) fn get(&self, id: SkeletonId) -> Result<&Skeleton, MorphError> {
        self.map
            .get(id)
            .ok_or(MorphError::StaleHandle { kind: "skeleton" })
    }

    pub(super) fn follow(&mut self, id: SkeletonId, instance: InstanceId) {
        if let Some(skeleton) = self.map.get_mut(id) {
            skeleton.followers.push(instance);
        }
    }

    pub(super) fn unfollow(&mut self, id: SkeletonId, instance: InstanceId) {
        if let Some(skeleton) = self.map.get_mut(id)
            && let Some(at) = skeleton.followers.iter().position(|it| *it == instance)
        {
            skeleton.followers.swap_remove(at);
        }
    }

    /// The pose as it is now, to keep: one copy for all instances that are written with it. What nobody holds any more
    /// is used again, so that nothing is allocated in steady state.
    pub(super) fn snapshot(&mut self, id: SkeletonId) -> Arc<SkinPose> {
        // An instance keeps its skeleton from being removed.
        let skeleton = &mut self.map[id];
        if let Some((version, pose)) = &skeleton.current
            && *version == skeleton.version
        {
            return Arc::clone(pose);
        }
        skeleton.current = None;
        let unused = skeleton.snapshots.iter_mut().find_map(|it| {
            // A pose that was taken once is taken again.
            Arc::get_mut(it)?.set(skeleton.pose.rows()).ok()?;
            Some(Arc::clone(it))
        });
        let pose = unused.unwrap_or_else(|| {
            let pose = Arc::new(skeleton.pose.clone());
            skeleton.snapshots.push(Arc::clone(&pose));
            pose
        });
        skeleton.current = Some((skeleton.version, Arc::clone(&pose)));
        pose
    }

    /// The first row of a pose in this frame's data; writes it into `staging` from `cursor` on where this is the first
    /// instance of the frame that asks.
    pub(super) fn send(&mut self, id: SkeletonId, frame: u64, staging: &mut [u8], cursor: &mut usize) -> u32 {
        // An instance keeps its skeleton from being removed.
        let skeleton = &mut self.map[id];
        if skeleton.sent.0 != frame {
            let rows: &[u8] = bytemuck::cast_slice(skeleton.pose.rows());
            staging[*cursor..*cursor + rows.len()].copy_from_slice(rows);
            skeleton.sent = (frame, (*cursor / size_of::<[f32; 4]>()) as u32);
            *cursor += rows.len();
        }
        skeleton.sent.1
    }
}

/// Bytes of frame data that the pose of so many bones takes.
fn pose_bytes(bone_count: u32) -> u64 {
    u64::from(bone_count) * Capacities::BONE_BYTES
}

impl Scene {
    pub(crate) fn add_skeleton(&mut self, bone_count: u32) -> Result<SkeletonId, MorphError> {
        let capacity = self.constants.capacities.bone_capacity;
        let used = self.skeletons.bone_count;
        if bone_count == 0 {
            return Err(MorphError::InvalidDesc {
                member: "bone_count",
                given: 0,
                right: "more than zero",
            });
        }
        if bone_count > capacity - used {
            return Err(MorphError::BoneCapacity {
                asked: bone_count,
                used,
                capacity,
            });
        }
        self.reserve_frame_bytes("a skeleton's pose", pose_bytes(bone_count))?;
        self.skeletons.bone_count += bone_count;
        let pose = SkinPose::new(&vec![IDENTITY; bone_count as usize])?;
        Ok(self.skeletons.map.insert(Skeleton {
            pose,
            version: 0,
            followers: Vec::new(),
            sent: (0, 0),
            snapshots: Vec::new(),
            current: None,
        }))
    }

    pub(crate) fn remove_skeleton(&mut self, id: SkeletonId) -> Result<(), MorphError> {
        let skeleton = self.skeletons.get(id)?;
        if !skeleton.followers.is_empty() {
            return Err(MorphError::SkeletonInUse {
                instance_count: skeleton.followers.len() as u32,
            });
        }
        let bone_count = skeleton.pose.bone_count() as u32;
        self.skeletons.map.remove(id);
        self.skeletons.bone_count -= bone_count;
        self.reserved_frame_bytes -= pose_bytes(bone_count);
        Ok(())
    }

    pub(crate) fn pose(&self, id: SkeletonId) -> Result<&SkinPose, MorphError> {
        Ok(&self.skeletons.get(id)?.pose)
    }

    pub(crate) fn pose_version(&self, id: SkeletonId) -> Result<u64, MorphError> {
        Ok(self.skeletons.get(id)?.version)
    }

    pub(crate) fn set_pose(&mut self, id: SkeletonId, bones: &[BoneRows]) -> Result<bool, MorphError> {
        let stale = MorphError::StaleHandle { kind: "skeleton" };
        let skeleton = self.skeletons.map.get_mut(id).ok_or(stale)?;
        if bones.len() != skeleton.pose.bone_count() {
            return Err(MorphError::PoseLength {
                given: bones.len(),
                bone_count: skeleton.pose.bone_count() as u32,
            });
        }
        let (given, held) = (bones.as_flattened(), skeleton.pose.rows().as_flattened());
        let mut pairs = given.as_flattened().iter().zip(held.as_flattened());
        // Not a number equals nothing, so that `set` gets to see it.
        if pairs.all(|(given, held)| to_domain(*given) == *held) {
            return Ok(false);
        }
        skeleton.pose.set(bones)?;
        skeleton.version += 1;
        for at in 0..self.skeletons.map[id].followers.len() {
            let follower = self.skeletons.map[id].followers[at];
            if let Some(instance) = self.instances.get_mut(follower) {
                instance.mark_dirty();
            }
            self.enqueue(follower);
        }
        Ok(true)
    }
}
