//! A model with all that playing it needs, made once: what an engine would hold of it on the host.

use std::path::Path;
use std::sync::Arc;

use glam::Mat4;
use morph_anim::{BoundClip, Hierarchy, Pose, PoseLayout, PoseNode, WeightBinding, joint_matrices_into};
use morph_core::skin::rows_from_columns;
use morph_core::{
    BuildOptions, DirectionTransform, MorphMesh, MorphedStreams, NameTable, Quantization, RestStreams,
    SkinPose, morph, skin,
};
use morph_import::{ImportOptions, Mesh, Model, Primitive, load};

use super::ConformanceError;

/// A model that is ready to be played.
pub(super) struct Subject {
    pub(super) model: Model,
    layout: Arc<PoseLayout>,
    hierarchy: Hierarchy,
    /// By mesh, then primitive.
    morphs: Vec<Vec<(MorphMesh, RestStreams)>>,
    clips: Vec<BoundClip>,
}

impl Subject {
    pub(super) fn load(path: &Path, options: &ImportOptions) -> Result<Self, ConformanceError> {
        let model = load(path, options).map_err(|source| ConformanceError::Import {
            path: path.to_owned(),
            source,
        })?;
        Self::prepare(model).map_err(|error| ConformanceError::Prepare {
            path: path.to_owned(),
            reason: error.to_string(),
        })
    }

    fn prepare(model: Model) -> Result<Self, Box<dyn std::error::Error>> {
        let layout = Arc::new(layout_of(&model)?);
        let morphs = model
            .meshes
            .iter()
            .map(|mesh| mesh.primitives.iter().map(build).collect())
            .collect::<Result<_, _>>()?;
        let bind =
            |clip: &morph_anim::Clip| BoundClip::new(&Arc::new(clip.clone()), &layout, WeightBinding::ByNode);
        Ok(Subject {
            hierarchy: Hierarchy::new(model.nodes.iter().map(|node| node.parent).collect())?,
            clips: model.clips.iter().map(bind).collect::<Result<_, _>>()?,
            morphs,
            layout,
            model,
        })
    }

    /// The model as it starts.
    pub(super) fn rest(&self) -> Pose {
        Pose::new(Arc::clone(&self.layout))
    }

    /// Puts what a clip drives at a time into a pose.
    ///
    /// # Panics
    /// Where there is no such clip.
    pub(super) fn play(&self, clip: usize, time: f64, pose: &mut Pose) {
        let clip = &self.clips[clip];
        clip.sample_into(time as f32, &mut clip.cursors(), pose)
            .expect("poses and clips of a subject share its layout");
    }

    /// A primitive morphed by the weights of its targets.
    pub(super) fn morphed(&self, mesh: usize, primitive: usize, weights: &[f32]) -> MorphedStreams {
        let (built, rest) = &self.morphs[mesh][primitive];
        morph(built, rest, weights)
            .expect("rest pose and targets are of one primitive, and weights are finite")
    }

    /// The transforms of all nodes into the model's space.
    pub(super) fn worlds(&self, pose: &Pose) -> Vec<Mat4> {
        let mut worlds = Vec::new();
        self.hierarchy
            .world_matrices_into(pose.locals(), &mut worlds)
            .expect("a pose has the nodes of its model");
        worlds
    }

    /// Where the vertices of a primitive are in a pose: morphed, then skinned or placed.
    pub(super) fn in_world(
        &self,
        pose: &Pose,
        worlds: &[Mat4],
        node: usize,
        primitive: usize,
    ) -> Vec<[f32; 3]> {
        let described = &self.model.nodes[node];
        let mesh = described.mesh.expect("a node that is shown has a mesh");
        let weights = target_weights(&self.model.meshes[mesh], pose.weights(node));
        let mut morphed = self.morphed(mesh, primitive, &weights);
        let skin_weights = self.model.meshes[mesh].primitives[primitive]
            .skin_weights
            .as_ref();
        let Some((weights, of_skin)) = skin_weights.zip(described.skin) else {
            let world = worlds[node];
            for position in &mut morphed.positions {
                *position = world.transform_point3((*position).into()).into();
            }
            return morphed.positions;
        };
        let of_skin = &self.model.skins[of_skin];
        let mut bones = Vec::new();
        joint_matrices_into(worlds, &of_skin.joints, &of_skin.inverse_bind, &mut bones)
            .expect("an import checks joints");
        let rows: Vec<_> = bones
            .iter()
            .map(|bone| rows_from_columns(&bone.to_cols_array_2d()))
            .collect();
        let bones = SkinPose::new(&rows).expect("poses are finite");
        skin(&morphed, weights, &bones, DirectionTransform::Linear)
            .expect("an import checks joints")
            .positions
    }
}

/// The weights of a mesh's targets where what clips drive of it, controls of a rig or the targets themselves, has these.
pub(super) fn target_weights(mesh: &Mesh, weights: &[f32]) -> Vec<f32> {
    let Some(rig) = &mesh.rig else {
        return weights.to_vec();
    };
    let mut targets = vec![0.0; rig.target_count()];
    rig.evaluate(weights, &mut targets)
        .expect("a mesh is driven by the weights of its own rig");
    targets
}

/// What clips drive of a mesh by name.
pub(super) fn driven_names(mesh: &Mesh) -> Result<NameTable, morph_core::NameError> {
    match &mesh.rig {
        Some(rig) => Ok(rig.controls().clone()),
        None => NameTable::new(&mesh.target_names),
    }
}

fn layout_of(model: &Model) -> Result<PoseLayout, Box<dyn std::error::Error>> {
    let mut nodes = Vec::with_capacity(model.nodes.len());
    for (index, node) in model.nodes.iter().enumerate() {
        let mesh = node.mesh.map(|mesh| &model.meshes[mesh]);
        let is_rigged = mesh.is_some_and(|mesh| mesh.rig.is_some());
        let names = mesh.map(driven_names).transpose()?;
        nodes.push(PoseNode {
            id: node.id.clone(),
            rest: node.trs,
            targets: names.unwrap_or_default(),
            // What a file saves of a rig is weights of targets, and no control stands for them: controls start at zero.
            start_weights: if is_rigged {
                Vec::new()
            } else {
                model.start_weights(index).to_vec()
            },
        });
    }
    Ok(PoseLayout::new(nodes)?)
}

fn build(primitive: &Primitive) -> Result<(MorphMesh, RestStreams), Box<dyn std::error::Error>> {
    let vertex_count = u32::try_from(primitive.positions.len())?;
    let (mesh, _) = MorphMesh::build(
        vertex_count,
        &primitive.targets,
        &BuildOptions::new(Quantization::F32),
    )?;
    let tangents = primitive.tangents.as_ref();
    let (rest, _) = RestStreams::new(
        primitive.positions.clone(),
        primitive.normals.clone(),
        tangents.map(|all| all.iter().map(|&[x, y, z, _]| [x, y, z]).collect()),
    )?;
    Ok((mesh, rest))
}
