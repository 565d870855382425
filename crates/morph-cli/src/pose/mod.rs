//! The options that pose a model, and the model as they pose it: what `eval` and `render` have in common.

mod bones;
mod clip;
mod expressions;
mod playback;

use std::path::PathBuf;

use glam::Mat4;
use morph_anim::Pose;
use morph_core::SkinPose;
use morph_import::ImportOptions;

use crate::args::PoseArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;
use crate::weights::{Asking, WeightRequest, parse_list};

pub(crate) use bones::{check_overflow, skinned};
pub(crate) use playback::Playback;

/// What was asked for: read before the model is.
#[derive(Debug)]
pub(crate) struct PoseRequest<'a> {
    pub(crate) weights: WeightRequest,
    /// Names and values, where weights were asked for by expressions.
    expressions: Option<Vec<(String, f32)>>,
    args: &'a PoseArgs,
}

impl<'a> PoseRequest<'a> {
    /// Reads what the options say, the weights file included.
    pub(crate) fn read(args: &'a PoseArgs) -> Result<Self, CliError> {
        if !args.time.is_finite() {
            return Err(CliError::Time { time: args.time });
        }
        let expressions = args.expression.as_deref();
        Ok(PoseRequest {
            weights: WeightRequest::read(&args.weights)?,
            expressions: expressions
                .map(|list| parse_list(list, "--expression"))
                .transpose()?,
            args,
        })
    }

    fn has_clip(&self) -> bool {
        self.args.clip.clip.is_some() || self.args.clip.clip_file.is_some()
    }

    /// Whether nothing was said: the model is as the file has it.
    pub(crate) fn is_empty(&self) -> bool {
        self.weights.asks_for_file_default() && self.expressions.is_none() && !self.has_clip()
    }
}

/// A clip at a time.
#[derive(Debug)]
pub(crate) struct Moment {
    /// The clip's index in its file.
    pub(crate) clip: usize,
    /// The clip's file, where that is not the model's.
    pub(crate) clip_file: Option<PathBuf>,
    /// In seconds.
    pub(crate) time: f32,
    pose: Pose,
}

/// Where something lies: the matrix from its own space into the world, and the bones, where it is to be skinned; these
/// lead into the world, and the matrix is the identity then.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placement {
    pub(crate) world: Mat4,
    pub(crate) bones: Option<SkinPose>,
}

impl Placement {
    /// In the world itself.
    pub(crate) const ORIGIN: Self = Placement {
        world: Mat4::IDENTITY,
        bones: None,
    };
}

/// A model, posed as the options say.
#[derive(Debug)]
pub(crate) struct PosedModel<'a> {
    pub(crate) loaded: &'a Loaded,
    pub(crate) request: &'a PoseRequest<'a>,
    /// The clip that plays.
    pub(crate) moment: Option<Moment>,
    /// The matrices of all nodes.
    worlds: Vec<Mat4>,
    /// The same without the clip.
    rest_worlds: Vec<Mat4>,
}

impl<'a> PosedModel<'a> {
    /// Plays the clip, where one was asked for; `options` are those that the model was read with.
    pub(crate) fn new(
        loaded: &'a Loaded,
        request: &'a PoseRequest<'a>,
        options: &ImportOptions,
        console: &mut Console<'_>,
    ) -> Result<Self, CliError> {
        let moment = if request.has_clip() {
            let time = request.args.time;
            let mut playback = Playback::new(loaded, &request.args.clip, options, console)?;
            Some(Moment {
                pose: playback.at(time)?.clone(),
                clip: playback.index,
                clip_file: playback.file,
                time,
            })
        } else {
            None
        };
        let worlds = |pose| loaded.model.world_matrices(pose).map_err(CliError::playback);
        let rest_worlds = worlds(None)?;
        Ok(PosedModel {
            loaded,
            request,
            worlds: match &moment {
                Some(moment) => worlds(Some(&moment.pose))?,
                None => rest_worlds.clone(),
            },
            rest_worlds,
            moment,
        })
    }

    /// Where a node shows its mesh.
    pub(crate) fn placement(&self, node: usize) -> Result<Placement, CliError> {
        self.place(node, &self.worlds)
    }

    /// Where it shows it without the clip.
    pub(crate) fn rest_placement(&self, node: usize) -> Result<Placement, CliError> {
        self.place(node, &self.rest_worlds)
    }

    fn place(&self, node: usize, worlds: &[Mat4]) -> Result<Placement, CliError> {
        let model = &self.loaded.model;
        let Some(skin) = model.nodes[node].skin else {
            let world = worlds[node];
            return Ok(Placement { world, bones: None });
        };
        // A skin's joints place its mesh, not its node; in the bind pose they leave it where it is.
        let bones = if self.request.args.skin {
            Some(model.skin_pose(skin, worlds).map_err(CliError::playback)?)
        } else {
            None
        };
        Ok(Placement {
            bones,
            ..Placement::ORIGIN
        })
    }

    /// One weight per target of a mesh where a node shows it: those asked for, by names or expressions, else its own, and
    /// over them the clip's for what it drives.
    ///
    /// Names have been [checked](crate::weights::check).
    pub(crate) fn weights(
        &self,
        mesh: usize,
        node: Option<usize>,
        asking: &Asking<'_>,
        console: &mut Console<'_>,
    ) -> Result<Vec<f32>, CliError> {
        let mut weights = match &self.request.expressions {
            Some(asked) => expressions::weights(self.loaded, mesh, node, asked)?,
            None => asking.resolve(&self.request.weights, console)?,
        };
        if let (Some(moment), Some(node)) = (&self.moment, node) {
            let model = &self.loaded.model;
            let driven = model.drive_weights(node, &moment.pose, &mut weights);
            driven.map_err(CliError::playback)?;
        }
        Ok(weights)
    }
}
