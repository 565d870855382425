//! `morph sample`: what a clip drives, at some times.

mod print;

use std::collections::BTreeMap;

use morph_anim::Pose;
use serde::Serialize;

use crate::args::SampleArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;
use crate::pose::Playback;

/// More values than this, over all samples, are refused: they take some hundred bytes each.
const MOST_VALUES: f64 = 4_000_000.0;

/// All samples of a clip. Only what the clip drives is there: what is absent is left alone.
#[derive(Debug, Serialize)]
struct Sampled {
    file: String,
    clip: ClipName,
    unresolved: Unresolved,
    samples: Vec<Sample>,
}

#[derive(Debug, Serialize)]
struct ClipName {
    index: usize,
    name: String,
    duration: f32,
    /// Where it comes from, where that is not the model's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

/// How much of what the clip drives the model does not have.
#[derive(Debug, Serialize)]
struct Unresolved {
    joints: usize,
    weights: usize,
}

/// What is driven at one time.
#[derive(Debug, Serialize)]
struct Sample {
    time: f32,
    /// By node and by target (FBX: by channel).
    weights: BTreeMap<String, BTreeMap<String, f32>>,
    /// By node.
    nodes: BTreeMap<String, Parts>,
}

/// The parts of a node's transform that are driven.
#[derive(Debug, Serialize)]
struct Parts {
    #[serde(skip_serializing_if = "Option::is_none")]
    translation: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rotation: Option<[f32; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<[f32; 3]>,
}

/// Runs the command.
pub(crate) fn run(args: &SampleArgs, console: &mut Console<'_>) -> Result<(), CliError> {
    let options = args.model.import_options();
    let loaded = Loaded::read(&args.model.file, &options, console)?;
    loaded.warn(console);
    let mut playback = Playback::new(&loaded, &args.clip, &options, console)?;
    let value_count = value_count(playback.at(0.0)?);
    let times = times(args, playback.duration(), value_count)?;
    let mut samples = Vec::with_capacity(times.len());
    for time in times {
        let pose = playback.at(time)?;
        samples.push(sample(time, pose));
    }
    let samples = Sampled {
        file: loaded.path.display().to_string(),
        clip: ClipName {
            index: playback.index,
            name: playback.name().to_owned(),
            duration: playback.duration(),
            file: playback.file().map(|file| file.display().to_string()),
        },
        unresolved: Unresolved {
            joints: playback.lost_joint_count(),
            weights: playback.lost_weight_count(),
        },
        samples,
    };
    let text = if args.json {
        serde_json::to_string(&samples).map_err(|error| CliError::Print { source: error.into() })? + "\n"
    } else {
        print::text(&samples)
    };
    console.print(&text)
}

/// The times that were asked for: as they are, or the whole clip at a number of frames a second, both ends included.
fn times(args: &SampleArgs, duration: f32, value_count: usize) -> Result<Vec<f32>, CliError> {
    let Some(fps) = args.fps else {
        return match args.times.iter().find(|time| !time.is_finite()) {
            Some(&time) => Err(CliError::Time { time }),
            None => Ok(args.times.clone()),
        };
    };
    if !(fps > 0.0 && fps.is_finite()) {
        return Err(CliError::Fps { fps });
    }
    let frames = (f64::from(duration) * f64::from(fps)).floor();
    let most = (MOST_VALUES / value_count.max(1) as f64).floor();
    if frames >= most {
        return Err(CliError::TooManySamples {
            samples: frames,
            most,
        });
    }
    let mut times: Vec<f32> = (0..=frames as u32)
        .map(|frame| (f64::from(frame) / f64::from(fps)) as f32)
        .collect();
    if times.last().is_some_and(|&last| last < duration) {
        times.push(duration);
    }
    Ok(times)
}

/// How many values a clip drives, in a pose that it was sampled into.
fn value_count(pose: &Pose) -> usize {
    let nodes = 0..pose.layout().node_count();
    let of_node = |node| {
        let weights = pose.driven_weights(node).iter().filter(|&&driven| driven).count();
        weights + 3 * usize::from(pose.driven_parts(node).any())
    };
    nodes.map(of_node).sum()
}

fn sample(time: f32, pose: &Pose) -> Sample {
    let (mut weights, mut nodes) = (BTreeMap::new(), BTreeMap::new());
    let layout = pose.layout();
    for (node, id) in layout.ids().iter().enumerate() {
        let names = layout
            .targets(node)
            .into_iter()
            .flat_map(|names| names.iter().enumerate());
        let of_node: BTreeMap<String, f32> = names
            .filter_map(|(slot, name)| Some((name.to_owned(), pose.driven_weight(node, slot)?)))
            .collect();
        if !of_node.is_empty() {
            weights.insert(id.to_owned(), of_node);
        }
        let driven = pose.driven_parts(node);
        if driven.any() {
            let local = &pose.locals()[node];
            let parts = Parts {
                translation: driven.translation.then(|| local.translation.to_array()),
                rotation: driven.rotation.then(|| local.rotation.to_array()),
                scale: driven.scale.then(|| local.scale.to_array()),
            };
            nodes.insert(id.to_owned(), parts);
        }
    }
    Sample { time, weights, nodes }
}
