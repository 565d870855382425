//! A clip of a model, played at the times that a command asks for.

use std::sync::Arc;

use morph_anim::{BoundClip, Cursors, Pose, WeightBinding};

use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;
use crate::text::counted;

/// A clip that is bound to its model.
#[derive(Debug)]
pub(crate) struct Playback {
    /// The clip's index in the file.
    pub(crate) index: usize,
    bound: BoundClip,
    cursors: Cursors,
    pose: Pose,
}

impl Playback {
    /// Binds the clip that is called by its index or name, and warns of what it names and the model does not have.
    pub(crate) fn new(loaded: &Loaded, called: &str, console: &mut Console<'_>) -> Result<Self, CliError> {
        let index = find(loaded, called)?;
        let clip = Arc::new(loaded.model.clips[index].clone());
        let layout = loaded.model.pose_layout().map_err(CliError::playback)?;
        let layout = Arc::new(layout);
        let bound = BoundClip::new(&clip, &layout, WeightBinding::ByNode)
            .map_err(|source| CliError::Clip { index, source })?;
        let lost = bound.unresolved().len();
        if lost > 0 {
            let tracks = counted(lost, "track drives", "tracks drive");
            console.warn(format_args!(
                "{tracks} nothing in the model, such as {}",
                name_of_lost(&bound)
            ));
        }
        Ok(Playback {
            index,
            cursors: bound.cursors(),
            pose: Pose::new(layout),
            bound,
        })
    }

    /// The clip's name; empty where it has none.
    pub(crate) fn name(&self) -> &str {
        &self.bound.clip().name
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

fn find(loaded: &Loaded, called: &str) -> Result<usize, CliError> {
    let clips = &loaded.model.clips;
    let by_name = || clips.iter().position(|clip| clip.name == called);
    let index = called.parse().ok().filter(|&index: &usize| index < clips.len());
    index.or_else(by_name).ok_or_else(|| CliError::NoSuchClip {
        path: loaded.path.clone(),
        called: called.to_owned(),
        names: clips.iter().map(|clip| clip.name.clone()).collect(),
    })
}

fn name_of_lost(bound: &BoundClip) -> String {
    bound
        .unresolved()
        .first()
        .map_or_else(String::new, |track| match &track.target {
            Some(target) => format!("target `{target}` of node `{}`", track.node),
            None => format!("node `{}`", track.node),
        })
}
