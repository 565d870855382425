//! The options that drop small deltas.

use clap::Args;

/// What a build drops.
#[derive(Debug, Args)]
pub(crate) struct ThresholdArgs {
    /// Drop entries that move a vertex by no more than this, in model units, and turn it by no more than
    /// --direction-threshold: where normals move too, give both [default: 0]
    #[arg(
        long,
        value_name = "X",
        allow_hyphen_values = true,
        help_heading = "Arithmetic"
    )]
    pub(crate) position_threshold: Option<f32>,
    /// Keep entries that change a normal or tangent by more than this, against a unit one [default: 0]
    #[arg(
        long,
        value_name = "Y",
        allow_hyphen_values = true,
        help_heading = "Arithmetic"
    )]
    pub(crate) direction_threshold: Option<f32>,
}
