//! The options of every command that reads a model.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use morph_import::{ImportOptions, Space, UpAxis};

/// The model and how it is read.
#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    /// Model: .gltf, .glb, .vrm, .fbx, the base .obj of MakeHuman, or a cooked .morph
    pub(crate) file: PathBuf,
    /// MakeHuman: a .target or .target.gz file, or a folder of them; may be repeated. Without it the folder `targets`
    /// beside the .obj
    #[arg(long, value_name = "DIR|FILE", help_heading = "Reading the model")]
    pub(crate) targets: Vec<PathBuf>,
    /// MakeHuman: groups of the .obj to read, each as a primitive [default: body]
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        help_heading = "Reading the model"
    )]
    pub(crate) groups: Vec<String>,
    /// MakeHuman: a rig, rig.NAME.json, whose bones become nodes and a skin
    #[arg(long, value_name = "FILE", help_heading = "Reading the model")]
    pub(crate) rig: Option<PathBuf>,
    /// MakeHuman: the weights of the rig. Without it weights.NAME.json beside rig.NAME.json
    #[arg(
        long,
        value_name = "FILE",
        requires = "rig",
        help_heading = "Reading the model"
    )]
    pub(crate) rig_weights: Option<PathBuf>,
    /// Make normals and normal deltas where the file has none
    #[arg(long, help_heading = "Reading the model")]
    pub(crate) generate_normals: bool,
    /// Make tangents and tangent deltas (MikkTSpace) where the file has none, and normals and texture coordinates
    #[arg(long, help_heading = "Reading the model")]
    pub(crate) generate_tangents: bool,
    /// FBX: units and axes of the data
    #[arg(
        long,
        value_enum,
        value_name = "SPACE",
        default_value_t = SpaceChoice::Meters,
        help_heading = "Reading the model"
    )]
    pub(crate) space: SpaceChoice,
    /// Multiply all lengths by this: 100 makes centimetres of metres
    #[arg(
        long,
        value_name = "X",
        default_value_t = 1.0,
        allow_hyphen_values = true,
        help_heading = "Reading the model"
    )]
    pub(crate) scale: f32,
    /// The axis that points up in what is read: z turns the model
    #[arg(
        long,
        value_enum,
        value_name = "AXIS",
        default_value_t = UpChoice::Y,
        help_heading = "Reading the model"
    )]
    pub(crate) up: UpChoice,
    /// Leave the targets out
    #[arg(long, help_heading = "Reading the model")]
    pub(crate) no_morphs: bool,
}

impl ModelArgs {
    pub(crate) fn import_options(&self) -> ImportOptions {
        ImportOptions {
            targets: self.targets.clone(),
            groups: self.groups.clone(),
            rig: self.rig.clone(),
            rig_weights: self.rig_weights.clone(),
            generate_normals: self.generate_normals,
            generate_tangents: self.generate_tangents,
            space: match self.space {
                SpaceChoice::Meters => Space::Meters,
                SpaceChoice::File => Space::File,
            },
            scale: self.scale,
            up: match self.up {
                UpChoice::Y => UpAxis::Y,
                UpChoice::Z => UpAxis::Z,
            },
            morphs: !self.no_morphs,
            ..ImportOptions::default()
        }
    }
}

/// The units and axes of an FBX file's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpaceChoice {
    /// Metres, Y up
    Meters,
    /// As the file has them
    File,
}

/// The axis that points up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum UpChoice {
    /// As in glTF
    Y,
    /// What was along Z is along -Y then
    Z,
}
