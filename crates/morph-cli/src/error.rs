//! What `morph` refuses, each with the place and what would be right.

use std::error::Error;
use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use morph_anim::yaml::YamlError;
use morph_anim::{ClipError, OtherLayout};
use morph_core::expression::ExpressionValueError;
use morph_core::{BuildError, KernelError, Limit, RestError, SkinError, Stream, VertexSet, WeightError};
use morph_import::ImportError;
use morph_import::PlaybackError;
use morph_import::cooked::{CookError, CookedModelError};
use morph_import::export::ExportError;
use morph_render::{CaptureError, DeformError, DeviceError, RenderError};

use crate::world::Undrawable;

/// Why a command failed. Nothing half written stays behind.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The file cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A cooked file is refused.
    #[error(transparent)]
    Cooked(#[from] CookedModelError),
    /// The file has no meshes at all.
    #[error("{} has no meshes: there is nothing to morph", path.display())]
    NoMeshes { path: PathBuf },
    /// No mesh has this index.
    #[error("there is no mesh {given}: {} has {count}, counted from 0 (`morph inspect` lists them)", path.display())]
    NoSuchMesh {
        path: PathBuf,
        given: usize,
        count: usize,
    },
    /// No primitive has this index.
    #[error(
        "there is no primitive {given}: mesh {mesh} has {count}, counted from 0 (`morph inspect` lists them)"
    )]
    NoSuchPrimitive { mesh: usize, given: usize, count: usize },
    /// A primitive without vertices.
    #[error("{place} has no vertices: there is nothing to morph")]
    NoVertices { place: String },
    /// A mesh without targets.
    #[error(
        "{place} has no morph targets, so there is nothing to evaluate{}; `--preset rest` gives its rest pose",
        meshes_with_targets(others)
    )]
    NoTargets { place: String, others: Vec<usize> },
    /// A part of `--weights` is not `name=number`.
    #[error(
        "`{part}` in {option}: {problem}; write name=number, separated by commas, as in \"jawOpen=1,smile=-0.3\" (names \
         that hold a comma or = can be set by --weights-file, with an object as in {{\"a, b\": 1}})"
    )]
    WeightList {
        option: &'static str,
        part: String,
        problem: &'static str,
    },
    /// A name is there twice.
    #[error("`{name}` is in {option} more than once; give each name one weight")]
    WeightTwice { option: &'static str, name: String },
    /// The weights file cannot be read.
    #[error("cannot read the weights file {}: {source}", path.display())]
    ReadWeights { path: PathBuf, source: io::Error },
    /// The weights file is neither an array of numbers nor an object of names and numbers.
    #[error(
        "{}, line {line}, column {column}: {problem}; the file has to be an array of numbers, one per target, as in \
         [0.5, 0, -0.3], or an object of names and numbers, as in {{\"jawOpen\": 0.5}}",
        path.display()
    )]
    WeightsFile {
        path: PathBuf,
        line: usize,
        column: usize,
        problem: String,
    },
    /// A weight in a file is not finite.
    #[error("{}, line {line}, column {column}: {source}", path.display())]
    WeightInFile {
        path: PathBuf,
        line: usize,
        column: usize,
        source: WeightError,
    },
    /// The file has no expressions.
    #[error("{} has no expressions; only VRM files have (`morph inspect` lists them)", path.display())]
    NoExpressions { path: PathBuf },
    /// No expression is called so.
    #[error("{} has no expression `{name}`{} (`morph inspect` lists them)", path.display(), nearest_names(nearest))]
    NoSuchExpression {
        path: PathBuf,
        name: String,
        nearest: Vec<String>,
    },
    /// A value of an expression is no number.
    #[error("--expression: {source}")]
    Expression { source: ExpressionValueError },
    /// Expressions are of nodes, and no node shows the mesh.
    #[error("no node shows {place}, and expressions move the meshes of nodes; choose another one by --mesh")]
    NodeShowsNone { place: String },
    /// A weight cannot be set.
    #[error("{place}: {source}")]
    Weight { place: String, source: WeightError },
    /// A preset names a target that is not there.
    #[error("the preset only:{given} names no target: {place} has {count}, counted from 0")]
    PresetTarget {
        place: String,
        given: usize,
        count: usize,
    },
    /// A threshold that means nothing.
    #[error("the {limit} threshold {value} cannot be used; it has to be finite and not negative")]
    Threshold { limit: Limit, value: f32 },
    /// No instances were asked for.
    #[error("--instances 0 leaves nothing to run; give at least 1")]
    NoInstances,
    /// More instances than one frame can carry.
    #[error("--instances {given} is more than {device} can take at once with this mesh; give at most {most}")]
    TooManyInstances { given: u32, device: String, most: u64 },
    /// The rest pose is not usable.
    #[error("{place}: {source}")]
    Rest { place: String, source: RestError },
    /// The targets are not usable.
    #[error("{place}: {source}")]
    Build { place: String, source: BuildError },
    /// The host kernel refused.
    #[error("{place}: {source}")]
    Kernel { place: String, source: KernelError },
    /// A result overflowed.
    #[error(
        "the morphed {stream} of vertex {vertex} does not fit a 32-bit float with these weights; give smaller weights"
    )]
    Overflow { stream: Stream, vertex: usize },
    /// A result of texture coordinates or colors overflowed.
    #[error(
        "the morphed {set} of vertex {vertex} does not fit a 32-bit float with these weights; give smaller weights"
    )]
    SetOverflow { set: VertexSet, vertex: usize },
    /// The device and its driver.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The pre-pass on the device.
    #[error("{what}: {source}")]
    Deform { what: String, source: DeformError },
    /// The targets do not fit the device.
    #[error(
        "{place}: the targets take {asked_bytes} bytes, which is more than {limit} on {device}, {budget_bytes}; try a \
         smaller --quantization or a --position-threshold"
    )]
    Refused {
        place: String,
        device: String,
        limit: morph_vk::RefusalLimit,
        asked_bytes: u64,
        budget_bytes: u64,
    },
    /// The device does not equal the host.
    #[error(
        "{device} differs from the host: {stream} of vertex {vertex} in instance {instance} is {ulp} floats away; \
         please report this with the device and its driver"
    )]
    Differs {
        device: String,
        instance: usize,
        stream: Stream,
        vertex: usize,
        ulp: u32,
    },
    /// No clip is called so.
    #[error("{} has no clip `{called}`{}", path.display(), clip_names(names))]
    NoSuchClip {
        path: PathBuf,
        called: String,
        names: Vec<String>,
    },
    /// A clip file cannot be read.
    #[error("cannot read the clip {}: {source}", path.display())]
    ReadClip { path: PathBuf, source: io::Error },
    /// A clip file is no clip.
    #[error(transparent)]
    ClipFile(#[from] YamlError),
    /// A clip drives one thing twice.
    #[error("clip {index} cannot be played: {source}")]
    Clip { index: usize, source: ClipError },
    /// A clip was bound to another model.
    #[error(transparent)]
    OtherLayout { source: OtherLayout },
    /// The model's nodes, rigs or skins do not hold together.
    #[error("the model cannot be posed: {source}")]
    Playback { source: Box<PlaybackError> },
    /// A time is no number.
    #[error("the time {time} has to be a finite number of seconds")]
    Time { time: f32 },
    /// A number of frames a second that makes no sense.
    #[error("--fps {fps}: it has to be above zero and finite")]
    Fps { fps: f32 },
    /// More samples than anybody could use.
    #[error(
        "these are {samples:.2e} samples of what the clip drives; {most} fit, so take a smaller --fps, or --times"
    )]
    TooManySamples { samples: f64, most: f64 },
    /// A node does not show the mesh.
    #[error("node {node} does not show {place}{}", showing_nodes(others))]
    NodeShowsNot {
        node: usize,
        place: String,
        others: Vec<usize>,
    },
    /// The mesh has no skin.
    #[error("{place} has no skin, or no node shows it with one; leave --skin out")]
    NoSkin { place: String },
    /// The skin does not fit the mesh.
    #[error("{place} cannot be skinned: {source}")]
    Skin { place: String, source: SkinError },
    /// Something that devices do not do yet.
    #[error("{option} is computed on the host; use it with --backend host")]
    HostOnly { option: &'static str },
    /// The format does not tell control points from vertices.
    #[error("{place} has no control points apart from its vertices; only FBX and MakeHuman files have")]
    NoControlPoints { place: String },
    /// Something is where it cannot be drawn.
    #[error("{place}: {source}")]
    Undrawable { place: String, source: Undrawable },
    /// There is nothing to draw.
    #[error("{place} has no triangles to draw; points and lines are not drawn")]
    NothingToDraw { place: String },
    /// The renderer could not be made.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A picture could not be read back.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The picture could not be written as PNG.
    #[error("the picture cannot be written as PNG: {source}")]
    Png { source: image::ImageError },
    /// An output file has an ending that stands for no format.
    #[error("--out {}: the ending has to be {expected}", path.display())]
    OutEnding { path: PathBuf, expected: &'static str },
    /// The folder of an output file is not there.
    #[error("--out {}: there is no folder {}; make it first", path.display(), folder.display())]
    OutFolder { path: PathBuf, folder: PathBuf },
    /// The result would take the place of what it is made from.
    #[error(
        "--out {}: this is the file to read; name another one, as in --out {}",
        path.display(),
        free.display()
    )]
    OutIsInput { path: PathBuf, free: PathBuf },
    /// The model does not fit the format to write.
    #[error("cannot write this model: {source}")]
    Export { source: ExportError },
    /// A model cannot be cooked.
    #[error(transparent)]
    Cook(#[from] CookError),
    /// A cooked file cannot be cooked.
    #[error("{} is cooked already, and its authored deltas are gone; cook the model that it was made of", path.display())]
    CookedTwice { path: PathBuf },
    /// An option asks for what was settled when the file was cooked.
    #[error("{option} has no use with {}, which is cooked: {settled}; cook the model again to change it", path.display())]
    Settled {
        path: PathBuf,
        option: &'static str,
        settled: String,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// A result cannot be printed.
    #[error("cannot print the result: {source}")]
    Print { source: io::Error },
}

fn nearest_names(nearest: &[String]) -> String {
    if nearest.is_empty() {
        return String::new();
    }
    format!("; the nearest are `{}`", nearest.join("`, `"))
}

fn clip_names(names: &[String]) -> String {
    if names.is_empty() {
        return ": it has none".to_owned();
    }
    let named: Vec<String> = names
        .iter()
        .enumerate()
        .map(|(index, name)| format!("{index} `{name}`"))
        .collect();
    format!(": there are {}", named.join(", "))
}

fn showing_nodes(others: &[usize]) -> String {
    if others.is_empty() {
        return "; no node does".to_owned();
    }
    let nodes: Vec<String> = others.iter().map(usize::to_string).collect();
    format!("; nodes that do: {}", nodes.join(", "))
}

fn meshes_with_targets(others: &[usize]) -> String {
    match others {
        [] => " (no mesh of the file has any)".to_owned(),
        [one] => format!(" (mesh {one} has some: --mesh {one})"),
        [first, ..] => {
            let list: Vec<String> = others.iter().map(usize::to_string).collect();
            format!(" (meshes {} have some: --mesh {first})", list.join(", "))
        }
    }
}

impl CliError {
    /// For `map_err` in front of a place.
    pub(crate) fn weight(place: &str) -> impl Fn(WeightError) -> CliError {
        move |source| CliError::Weight {
            place: place.to_owned(),
            source,
        }
    }

    /// For `map_err` behind what a model is asked for.
    pub(crate) fn playback(source: PlaybackError) -> CliError {
        CliError::Playback {
            source: Box::new(source),
        }
    }

    /// For `map_err` in front of what was being done.
    pub(crate) fn deform(what: impl Into<String>) -> impl FnOnce(DeformError) -> CliError {
        move |source| CliError::Deform {
            what: what.into(),
            source,
        }
    }
}

/// An error with its causes, each on a line of its own; causes that the lines before already tell are left out.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let line = error.to_string();
        if !text.contains(&line) {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n  because: {line}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer(#[source] Inner);

    #[derive(Debug, thiserror::Error)]
    #[error("inner: {0}")]
    struct Inner(#[source] io::Error);

    #[test]
    fn every_cause_is_told_once() {
        let error = Outer(Inner(io::Error::other("disk on fire")));
        assert_eq!(with_causes(&error), "outer\n  because: inner: disk on fire");
    }

    #[test]
    fn a_mesh_without_targets_points_to_those_that_have_some() {
        assert_eq!(meshes_with_targets(&[]), " (no mesh of the file has any)");
        assert_eq!(meshes_with_targets(&[2]), " (mesh 2 has some: --mesh 2)");
        assert_eq!(meshes_with_targets(&[1, 3]), " (meshes 1, 3 have some: --mesh 1)");
    }
}
