//! Where a clip comes from: the model itself, an authored file, or another model.

use std::path::{Path, PathBuf};

use morph_anim::{Clip, yaml};
use morph_import::ImportOptions;

use crate::args::ClipArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;
use crate::read;

/// The clip that was asked for.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) clip: Clip,
    /// Its index in its file.
    pub(super) index: usize,
    /// Its file, where that is not the model's.
    pub(super) file: Option<PathBuf>,
}

/// Finds the clip that the options name; `options` are those that the model was read with.
pub(super) fn choose(
    loaded: &Loaded,
    args: &ClipArgs,
    options: &ImportOptions,
    console: &mut Console<'_>,
) -> Result<Chosen, CliError> {
    let called = args.clip.as_deref().unwrap_or("0");
    let (mut clips, file) = match &args.clip_file {
        Some(path) => (read_clips(path, options, console)?, Some(path.clone())),
        None => (loaded.model.clips.clone(), None),
    };
    let index = find(&clips, called).ok_or_else(|| CliError::NoSuchClip {
        path: file.clone().unwrap_or_else(|| loaded.path.clone()),
        called: called.to_owned(),
        names: clips.iter().map(|clip| clip.name.clone()).collect(),
    })?;
    Ok(Chosen {
        clip: clips.swap_remove(index),
        index,
        file,
    })
}

/// By the index, else by the name.
fn find(clips: &[Clip], called: &str) -> Option<usize> {
    let by_name = || clips.iter().position(|clip| clip.name == called);
    let index = called.parse().ok().filter(|&index: &usize| index < clips.len());
    index.or_else(by_name)
}

fn read_clips(
    path: &Path,
    options: &ImportOptions,
    console: &mut Console<'_>,
) -> Result<Vec<Clip>, CliError> {
    if is_yaml(path) {
        let bytes = read::bounded(path, yaml::MAX_BYTES as u64, "a clip");
        let bytes = bytes.map_err(|source| CliError::ReadClip {
            path: path.to_owned(),
            source,
        })?;
        return Ok(vec![yaml::read(bytes, &path.display().to_string())?]);
    }
    // Of the model's options those that say in which units and axes clips are wanted.
    let options = ImportOptions {
        space: options.space,
        scale: options.scale,
        up: options.up,
        ..ImportOptions::default()
    };
    let model = console.step(format!("reading {}", path.display()), || {
        morph_import::load(path, &options)
    })?;
    for warning in &model.warnings {
        console.warn(format_args!("{}: {warning}", path.display()));
    }
    Ok(model.clips)
}

fn is_yaml(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    ending.eq_ignore_ascii_case("yaml") || ending.eq_ignore_ascii_case("yml")
}
