//! A clip, bound to a model and played at the times that a command asks for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use morph_anim::{BoundClip, Cursors, Pose, Unresolved, WeightBinding};
use morph_import::ImportOptions;

use super::clip::choose;
use crate::args::ClipArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;
use crate::text::counted;

/// A clip that is bound to a model.
#[derive(Debug)]
pub(crate) struct Playback {
    /// The clip's index in its file.
    pub(crate) index: usize,
    /// The clip's file, where that is not the model's.
    pub(crate) file: Option<PathBuf>,
    bound: BoundClip,
    cursors: Cursors,
    pose: Pose,
}

impl Playback {
    /// Binds the clip that the options name, and warns of what it drives and the model does not have.
    ///
    /// `options` are those that the model was read with.
    pub(crate) fn new(
        loaded: &Loaded,
        args: &ClipArgs,
        options: &ImportOptions,
        console: &mut Console<'_>,
    ) -> Result<Self, CliError> {
        let chosen = choose(loaded, args, options, console)?;
        let index = chosen.index;
        let layout = loaded.model.pose_layout().map_err(CliError::playback)?;
        let layout = Arc::new(layout);
        // Meshes of other models are called otherwise, and their targets may still be the same.
        let binding = match chosen.file {
            Some(_) => WeightBinding::ByNodeElseTarget,
            None => WeightBinding::ByNode,
        };
        let bound = BoundClip::new(&Arc::new(chosen.clip), &layout, binding)
            .map_err(|source| CliError::Clip { index, source })?;
        if let Some(lost) = what_is_lost(&bound) {
            console.warn(lost);
        }
        Ok(Playback {
            index,
            file: chosen.file,
            cursors: bound.cursors(),
            pose: Pose::new(layout),
            bound,
        })
    }

    /// The clip's name; empty where it has none.
    pub(crate) fn name(&self) -> &str {
        &self.bound.clip().name
    }

    /// The clip's file, where that is not the model's.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// How many joints the clip moves that the model does not have.
    pub(crate) fn lost_joint_count(&self) -> usize {
        self.bound.unresolved_joint_count()
    }

    /// How many weights the clip drives that the model does not have.
    pub(crate) fn lost_weight_count(&self) -> usize {
        self.bound.unresolved_weight_count()
    }

    /// The time of the last key, in seconds.
    pub(crate) fn duration(&self) -> f32 {
        self.bound.clip().duration()
    }

    /// The pose at a time in seconds, which is finite.
    pub(crate) fn at(&mut self, time: f32) -> Result<&Pose, CliError> {
        self.pose.clear_driven();
        self.bound
            .sample_into(time, &mut self.cursors, &mut self.pose)
            .map_err(|source| CliError::OtherLayout { source })?;
        Ok(&self.pose)
    }
}

/// What the clip drives and the model does not have, joints and weights apart.
fn what_is_lost(bound: &BoundClip) -> Option<String> {
    let first = |is_weight: bool| {
        let mut lost = bound.unresolved().iter();
        lost.find(|track| track.target.is_some() == is_weight)
    };
    let joints = first(false).map(|track| {
        let count = counted(bound.unresolved_joint_count(), "joint", "joints");
        format!("{count}, such as {}", name_of(track))
    });
    let weights = first(true).map(|track| {
        let count = counted(bound.unresolved_weight_count(), "weight", "weights");
        format!("{count}, such as {}", name_of(track))
    });
    let lost: Vec<String> = [joints, weights].into_iter().flatten().collect();
    if lost.is_empty() {
        return None;
    }
    let tracks = bound.clip().tracks.len();
    let all = if bound.unresolved().len() == tracks {
        "; nothing that it drives is there"
    } else {
        ""
    };
    Some(format!(
        "the clip drives what the model does not have: {}{all}",
        lost.join("; ")
    ))
}

fn name_of(track: &Unresolved) -> String {
    match &track.target {
        Some(target) => format!("target `{target}` of node `{}`", track.node),
        None => format!("node `{}`", track.node),
    }
}
