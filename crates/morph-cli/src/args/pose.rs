//! The options that pose a model: weights, expressions, clips, bones.

use std::path::PathBuf;

use clap::Args;

use crate::preset::Preset;

/// The weights: one of the three, or the file's own.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct WeightArgs {
    /// Weights by target name, all others zero: "jawOpen=1,mouthSmileLeft=-0.3". For names that hold a comma there is
    /// --weights-file
    #[arg(
        long,
        value_name = "LIST",
        allow_hyphen_values = true,
        help_heading = "Weights [default: the file's own]"
    )]
    pub(crate) weights: Option<String>,
    /// JSON: an array of numbers, one per target, where a short one reads as zero for the rest; or an object of names
    /// and numbers, all others zero: {"jawOpen": 1, "smile, left": -0.3}
    #[arg(
        long,
        value_name = "W.json",
        help_heading = "Weights [default: the file's own]"
    )]
    pub(crate) weights_file: Option<PathBuf>,
    /// rest, mixed (0.6, -0.35, 1.3, 0, 0.125, 0, 0, repeated), all-half, first-minus-1, last-2, or only:K (target K
    /// at 1)
    #[arg(
        long,
        value_name = "PRESET",
        help_heading = "Weights [default: the file's own]"
    )]
    pub(crate) preset: Option<Preset>,
}

/// A clip, of the model or of another file.
#[derive(Debug, Args)]
pub(crate) struct ClipArgs {
    /// Clip, by its index in the file or its name: at a time it stands in for the weights and transforms that it drives
    /// [default: none, and 0 with --clip-file]
    #[arg(long, value_name = "N|NAME", help_heading = "Scene")]
    pub(crate) clip: Option<String>,
    /// File to take the clip from: an authored one, .yaml or .yml, or another model with clips. It is bound by names; a
    /// weight track whose node is not there drives every target of its name. What finds nothing is told. The options for
    /// units and axes count for another model, and not for YAML
    #[arg(long, value_name = "PATH", help_heading = "Scene")]
    pub(crate) clip_file: Option<PathBuf>,
}

/// What a model is posed by.
#[derive(Debug, Args)]
pub(crate) struct PoseArgs {
    #[command(flatten)]
    pub(crate) weights: WeightArgs,
    /// VRM: values of expressions, 0 to 1, which become weights as the avatar has it, what they hold back included:
    /// "happy=0.5,blink=1". Targets that no expression moves stay as the file has them
    #[arg(
        long,
        value_name = "LIST",
        allow_hyphen_values = true,
        conflicts_with_all = ["weights", "weights_file", "preset"],
        help_heading = "Weights [default: the file's own]"
    )]
    pub(crate) expression: Option<String>,
    #[command(flatten)]
    pub(crate) clip: ClipArgs,
    /// Time in the clip, in seconds
    #[arg(
        long,
        value_name = "T",
        default_value_t = 0.0,
        requires = "ClipArgs",
        allow_hyphen_values = true,
        help_heading = "Scene"
    )]
    pub(crate) time: f32,
    /// Skin after the morph, on the host: what is skinned is in the model's space
    #[arg(long, help_heading = "Scene")]
    pub(crate) skin: bool,
}
