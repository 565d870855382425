//! Meshes and instances come and go.

use std::sync::Arc;

use morph_core::MorphMesh;

use crate::error::MorphError;
use crate::mesh_desc::MeshDesc;
use crate::pass::MorphPass;
use crate::scene::{InstanceId, MeshId, MeshState, SkeletonId};

impl MorphPass {
    /// Takes a mesh: targets and the rest pose, as the engine draws it.
    ///
    /// Nothing is sent yet; [`record`](Self::record) streams the bytes through the staging ring, a bounded number a
    /// frame. Deltas that pass the budget or the device's binding limit leave the mesh
    /// [`Refused`](MeshState::Refused), which draws at rest. Errors: a rest pose in another layout or of another
    /// size than the targets, one without vertices, one without room; skin weights for another number of vertices,
    /// without room, or in a pass that does not skin.
    pub fn add_mesh(&mut self, desc: MeshDesc) -> Result<MeshId, MorphError> {
        self.scene.add_mesh(desc)
    }

    /// Where a mesh stands.
    pub fn mesh_state(&self, mesh: MeshId) -> Result<MeshState, MorphError> {
        self.scene.mesh_state(mesh)
    }

    /// The mesh behind a handle, for its names and bounds.
    pub fn morph_mesh(&self, mesh: MeshId) -> Result<&Arc<MorphMesh>, MorphError> {
        self.scene.morph_mesh(mesh)
    }

    /// Sends a mesh again and judges a refusal anew. Its instances show the rest pose until the deltas are there.
    pub fn reupload(&mut self, mesh: MeshId) -> Result<MeshState, MorphError> {
        self.scene.reupload(mesh)
    }

    /// Changes how many bytes of deltas may be held.
    ///
    /// Counts for what is added or [sent again](Self::reupload) from now on: deltas beyond a smaller budget stay, and a
    /// refusal holds until its mesh is sent again.
    pub fn set_delta_budget(&mut self, bytes: u64) {
        self.scene.set_delta_budget(bytes);
    }

    /// Forgets a mesh that has no instances.
    pub fn remove_mesh(&mut self, mesh: MeshId) -> Result<(), MorphError> {
        self.scene.remove_mesh(mesh)
    }

    /// Makes room for `count` more instances of a mesh side by side, so that one dispatch writes them all.
    ///
    /// Without it the room grows with the number of instances, and they fall into a few dispatches.
    pub fn reserve_instances(&mut self, mesh: MeshId, count: u32) -> Result<(), MorphError> {
        self.scene.reserve_instances(mesh, count)
    }

    /// Adds an instance of a mesh, with every weight at zero and a range of its own. It is morphed only, also where
    /// the mesh has a skin.
    pub fn attach(&mut self, mesh: MeshId) -> Result<InstanceId, MorphError> {
        self.scene.attach(mesh, None)
    }

    /// Adds an instance that follows a skeleton: the pre-pass morphs it, skins the result, and writes it once.
    ///
    /// It does so also where the mesh has no targets, though an engine that skins in its vertex shader anyway gains
    /// nothing from it then. Errors, beside those of [`attach`](Self::attach): a mesh without a skin; a vertex that is
    /// held by a bone which the skeleton does not have (vertex, influence and joint are named).
    pub fn attach_skinned(&mut self, mesh: MeshId, skeleton: SkeletonId) -> Result<InstanceId, MorphError> {
        self.scene.attach(mesh, Some(skeleton))
    }

    /// Removes an instance. Frames already recorded may still draw it; those to come must not.
    pub fn detach(&mut self, instance: InstanceId) -> Result<(), MorphError> {
        self.scene.detach(instance)
    }
}
