//! Where in the scene and when in a clip a mesh is evaluated.

use morph_anim::Pose;
use morph_core::{NameTable, SkinPose};
use morph_import::Mesh;

use crate::args::EvalArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;
use crate::playback::Playback;
use crate::weights::WeightRequest;

use super::expressions;

/// The node whose mesh is evaluated, and what clip and skeleton do to it.
#[derive(Debug)]
pub(super) struct Moment {
    /// The node, where any shows the mesh.
    pub(super) node: Option<usize>,
    /// The clip that plays.
    pub(super) clip: Option<usize>,
    /// The clip's time in seconds.
    pub(super) time: f32,
    /// The bones, where the mesh is to be skinned.
    pub(super) bones: Option<SkinPose>,
    pose: Option<Pose>,
    /// The weights that expressions give, which stand in for the file's own.
    expressed: Option<Vec<f32>>,
}

impl Moment {
    /// `expressions` are names and values, where weights were asked for by them.
    pub(super) fn new(
        loaded: &Loaded,
        args: &EvalArgs,
        expressions: Option<&[(String, f32)]>,
        console: &mut Console<'_>,
    ) -> Result<Self, CliError> {
        if !args.time.is_finite() {
            return Err(CliError::Time { time: args.time });
        }
        let node = find_node(loaded, args)?;
        let mut moment = Moment {
            node,
            clip: None,
            time: args.time,
            bones: None,
            pose: None,
            expressed: None,
        };
        if let Some(asked) = expressions {
            moment.expressed = Some(expressions::weights(loaded, args.mesh, node, asked)?);
        }
        if let Some(called) = &args.clip {
            let mut playback = Playback::new(loaded, called, console)?;
            moment.pose = Some(playback.at(args.time)?.clone());
            moment.clip = Some(playback.index);
        }
        if args.skin {
            moment.bones = Some(moment.pose_skin(loaded, args.mesh)?);
        }
        Ok(moment)
    }

    fn pose_skin(&self, loaded: &Loaded, mesh: usize) -> Result<SkinPose, CliError> {
        let skin = self.node.and_then(|node| loaded.model.nodes[node].skin);
        let skin = skin.ok_or_else(|| CliError::NoSkin {
            place: loaded.mesh_place(mesh),
        })?;
        let worlds = loaded.model.world_matrices(self.pose.as_ref());
        let bones = worlds.and_then(|worlds| loaded.model.skin_pose(skin, &worlds));
        bones.map_err(CliError::playback)
    }

    /// One weight per target of the mesh: those asked for, and the clip's for what it drives.
    ///
    /// Weights of a mesh with a rig are those of its controls.
    pub(super) fn weights(
        &self,
        loaded: &Loaded,
        mesh: &Mesh,
        names: &NameTable,
        request: &WeightRequest,
        place: &str,
        console: &mut Console<'_>,
    ) -> Result<Vec<f32>, CliError> {
        let own = match (&self.expressed, self.node) {
            (Some(weights), _) => weights,
            // A node's own weights count where that node was meant; without a clip the mesh itself is.
            (None, Some(node)) if self.pose.is_some() => loaded.model.start_weights(node),
            _ => &mesh.default_weights,
        };
        let rig = mesh.rig.as_ref().filter(|_| !request.asks_for_file_default());
        let (given, warning) = match rig {
            Some(rig) => request.resolve(rig.controls(), &[], place)?,
            None => request.resolve(names, own, place)?,
        };
        if let Some(warning) = warning {
            console.warn(warning);
        }
        let mut weights = given;
        if let Some(rig) = rig {
            let controls = std::mem::replace(&mut weights, vec![0.0; names.len()]);
            rig.evaluate(&controls, &mut weights)
                .map_err(|source| CliError::playback(source.into()))?;
        }
        if let (Some(pose), Some(node)) = (&self.pose, self.node) {
            let driven = loaded.model.drive_weights(node, pose, &mut weights);
            driven.map_err(CliError::playback)?;
        }
        Ok(weights)
    }
}

/// The node that was asked for, else the first that shows the mesh, one with a skin before others where one is needed.
fn find_node(loaded: &Loaded, args: &EvalArgs) -> Result<Option<usize>, CliError> {
    let nodes = &loaded.model.nodes;
    let shows = |node: usize| nodes.get(node).is_some_and(|node| node.mesh == Some(args.mesh));
    if let Some(node) = args.node {
        if !shows(node) {
            return Err(CliError::NodeShowsNot {
                node,
                place: loaded.mesh_place(args.mesh),
                others: (0..nodes.len()).filter(|&node| shows(node)).collect(),
            });
        }
        return Ok(Some(node));
    }
    let mut showing = (0..nodes.len()).filter(|&node| shows(node));
    let first = showing.clone().next();
    let skinned = showing.find(|&node| nodes[node].skin.is_some());
    Ok(if args.skin { skinned.or(first) } else { first })
}
