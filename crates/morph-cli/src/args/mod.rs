//! The command line, in clap's words. The comments here are what `--help` shows.

mod model;
mod pose;
mod threshold;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use morph_core::Quantization;
use morph_render::Pass;

use crate::render::camera::CameraChoice;
use crate::render::size::Size;

pub(crate) use model::ModelArgs;
pub(crate) use pose::{ClipArgs, PoseArgs, WeightArgs};
pub(crate) use threshold::ThresholdArgs;

const EXAMPLES: &str = "\
Examples:
  morph inspect face.glb
  morph check face.glb
  morph eval face.glb --weights \"jawOpen=1,mouthSmileLeft=-0.3\" --out face.obj
  morph eval face.glb --preset mixed --backend gather --instances 16
  morph render face.glb --weights jawOpen=0.7 --camera head --out face.png
  morph pack face.glb --quantization snorm16 -o face.morph

Exit codes:
  0  done
  1  refused, and the error says why; a value that is no good counts here too
  2  the command line itself is wrong: an unknown option, or one that is missing
  3  morph check only: the file has warnings, and no errors
  4  morph check only: the file has errors

Drivers:
  --driver takes a part of a device's or driver's name, such as nvidia, lavapipe or swiftshader.
  Without it the best device is taken: a discrete one, then an integrated one, a virtual one,
  lavapipe, and other software drivers.
  Where Debian's package chromium is installed and VK_ADD_DRIVER_FILES is not set, morph sets it to
  the SwiftShader that comes with Chromium, so that --driver swiftshader works.";

/// Morph targets (blend shapes, shape keys): look at them, evaluate them exactly, draw them.
///
/// Reads glTF 2.0 (.gltf, .glb, .vrm), FBX (.fbx), MakeHuman (.obj with a folder `targets` beside it), and its own cooked
/// files (.morph).
#[derive(Debug, Parser)]
#[command(name = "morph", version, propagate_version = true, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Log what happens inside to standard error; twice for more
    #[arg(short, long, action = clap::ArgAction::Count, global = true, display_order = 900)]
    pub(crate) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what a file holds: meshes, targets, what they cost in each format, and problems
    Inspect(InspectArgs),
    /// List everything that is wrong with a file, for whoever made it
    Check(CheckArgs),
    /// Morph one primitive, on the host or on a Vulkan device, and write or sum up the result
    Eval(EvalArgs),
    /// Draw the morphed model into a PNG
    Render(RenderArgs),
    /// Say what a clip drives, and how, at some times
    Sample(SampleArgs),
    /// Write the model in another format: GLB with sparse deltas, or OBJ at rest
    Convert(ConvertArgs),
    /// Build all targets and write the model as a cooked file, which loads without work
    Pack(PackArgs),
}

/// What `sample` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
Only what the clip drives is listed: a weight of zero is a value, an absent one is left alone. Without
--clip it is clip 0. What the clip drives and the model does not have is told, joints and weights apart.
Before the first key and after the last their values hold.

Examples:
  morph sample face.glb --clip talk --fps 24 --json
  morph sample body.glb --clip 0 --times 0,0.5,1
  morph sample face.glb --clip-file talk.yaml --fps 24
  morph sample body.glb --clip-file walk.fbx --clip walk --fps 24 --json")]
pub(crate) struct SampleArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) clip: ClipArgs,
    /// Times in seconds
    #[arg(long, value_name = "T,T", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) times: Vec<f32>,
    /// Samples a second, from 0 to the last key
    #[arg(
        long,
        value_name = "F",
        allow_hyphen_values = true,
        conflicts_with = "times",
        required_unless_present = "times"
    )]
    pub(crate) fps: Option<f32>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The order of the vertices in a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VertexOrder {
    /// As they are drawn: in the order of the file's POSITION accessor for glTF
    Vertex,
    /// By control point over all primitives of the mesh: positions only, as FBX and OBJ number them
    ControlPoint,
}

/// What `convert` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
A GLB keeps targets, weights, nodes, skins and clips. What a format has no way to say is told: expressions
of avatars are kept by `morph pack` only, and clips that drive nothing are left out of a GLB, whose clips
are numbered anew then.

Examples:
  morph convert face.fbx --to glb
  morph convert face.glb --to glb --position-threshold 1e-5 --direction-threshold 1e-2 --out small.glb
  morph convert face.glb --to obj")]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The format to write
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: ConvertFormat,
    /// File to write [default: beside the model, under its name]
    #[arg(short, long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) thresholds: ThresholdArgs,
}

/// A format to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConvertFormat {
    /// glTF 2.0 in the binary container, with targets, skins and clips
    Glb,
    /// Wavefront OBJ: the rest pose of every node, and nothing that moves
    Obj,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The file holds what a device gets: rest pose, indices and deltas in the layouts of both kernels, with
nodes, materials, skins, clips and expressions. It is read back and checked before it takes the place of an older one.
The same model and options always give the same bytes.

Examples:
  morph pack face.glb -o face.morph
  morph pack body.glb --quantization snorm16 --position-threshold 1e-5 --direction-threshold 1e-2 -o body.morph
  morph inspect face.morph")]
pub(crate) struct PackArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// File to write, a .morph
    #[arg(short, long, value_name = "X.morph")]
    pub(crate) out: PathBuf,
    /// How deltas are stored: f32, half, or snorm16 (16-bit steps, one step per target)
    #[arg(long, value_name = "FORMAT", default_value_t = Quantization::F32, help_heading = "Arithmetic")]
    pub(crate) quantization: Quantization,
    #[command(flatten)]
    pub(crate) thresholds: ThresholdArgs,
    /// Print what was written as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Every target is built in each quantization, and every error is measured over all vertices: positions
in the model's units (metres in glTF), directions in degrees with one target at weight 1.
In the list of targets, \"moves\" is the share of vertices, \"reach\" the longest way of one at weight 1,
and \"deltas\" tells of positions (p), normals (n) and tangents (t).

Examples:
  morph inspect face.glb
  morph inspect body.glb --position-threshold 1e-5 --direction-threshold 1e-2
  morph inspect base.obj --targets faceunits/ --generate-normals
  morph inspect face.glb --json | jq '.meshes[0].target_names'")]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) thresholds: ThresholdArgs,
    /// List every target, also where there are more than a hundred
    #[arg(long)]
    pub(crate) full: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
glTF: the errors that touch geometry, morph targets, skins and animation are those of the Khronos glTF
validator, with its codes and JSON pointers. Codes that begin with MORPH_ are morph's own. Materials,
textures, images and cameras are not looked at.
Other formats: what is odd about a file that can be read.

Exit codes:
  0  nothing is wrong; there may be notes
  1  the file cannot be read, and the error says why
  2  the command line itself is wrong
  3  there are warnings, and no errors
  4  there are errors

Examples:
  morph check face.glb
  morph check face.glb --all
  morph check face.glb --json | jq -r '.problems[] | select(.severity == \"error\") | .code'")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// List every place of a problem, also where there are many
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The result is in the order of the file's POSITION accessor and in the mesh's own space, before skin
and node, unless --skin is given. Texture coordinates and colors are in it where targets change them,
computed on the host with every backend; in an OBJ they are the set 0 of each, colors as three numbers
behind a position. Weights of FBX channels with in-betweens are those of the channels,
1 for 100 percent. Normals and tangents are sums and not made unit.
A device has to give the host's result to the last bit. If it does not, the result is written all the
same, and the exit code is 1.
A cooked file is evaluated as it is stored; its errors are against what it stores, since it no longer
has what was authored: `morph inspect` tells what storing it cost.

Examples:
  morph eval face.glb --weights \"jawOpen=1,mouthSmileLeft=-0.3\" --out face.json
  morph eval face.glb --preset only:7 --out face.obj
  morph eval avatar.vrm --expression \"happy=0.5,blink=1\" --out face.obj
  morph eval body.glb --clip walk --time 0.5 --skin --out body.obj
  morph eval face.glb --clip-file talk.yaml --time 0.5 --out face.json
  morph eval face.glb --preset mixed --backend gather --quantization snorm16 --instances 16
  morph eval face.glb --weights-file pose.json --backend scatter --driver swiftshader --json")]
pub(crate) struct EvalArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Mesh, by its index in the file
    #[arg(long, value_name = "M", default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) mesh: usize,
    /// Primitive of the mesh, by its index in the file
    #[arg(long, value_name = "P", default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) primitive: usize,
    #[command(flatten)]
    pub(crate) pose: PoseArgs,
    /// Node that shows the mesh, by its index in the file [default: the first, with --skin the first that has a skin]
    #[arg(long, value_name = "NODE", help_heading = "Scene")]
    pub(crate) node: Option<usize>,
    /// The order of the vertices in the result
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = VertexOrder::Vertex)]
    pub(crate) order: VertexOrder,
    /// Who does the arithmetic
    #[arg(long, value_enum, default_value_t = Backend::Host, help_heading = "Arithmetic")]
    pub(crate) backend: Backend,
    /// How deltas are stored: f32, half, or snorm16 (16-bit steps, one step per target) [default: f32, or as the
    /// cooked file has them]
    #[arg(long, value_name = "FORMAT", help_heading = "Arithmetic")]
    pub(crate) quantization: Option<Quantization>,
    #[command(flatten)]
    pub(crate) thresholds: ThresholdArgs,
    /// Instances that the device morphs at once; all of them are compared with the host
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        allow_negative_numbers = true,
        help_heading = "Arithmetic"
    )]
    pub(crate) instances: u32,
    /// Vulkan device: a part of its name, any case
    #[arg(long, value_name = "SUBSTRING", help_heading = "Arithmetic")]
    pub(crate) driver: Option<String>,
    /// Write the result: .json (all of it), .f32 (positions as raw little-endian triples) or .obj (with faces)
    #[arg(long, value_name = "X.json|X.f32|X.obj")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON: without --out all of the result, with it all but the vertices
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
All meshes of all nodes are drawn where the nodes put them, from vertices that the compute pre-pass
morphed. Names in --weights count for every mesh that has them, and with a clip nodes stand where it
moves them. With --skin the bones carry what the pre-pass morphed, on the host; without it, what is
skinned is drawn in its bind pose.
Where the file has no normals, or targets have no normal deltas, they are made. Textures are not read.
The motion pass shows the way from the model as the file has it to what is asked for, or from the rest
pose to the file's own weights where nothing is.

Examples:
  morph render face.glb --weights \"jawOpen=0.7\" --out face.png
  morph render body.glb --preset mixed --camera head --size 1200x1600 --out head.png
  morph render body.glb --clip walk --time 0.5 --skin --out walk.png
  morph render avatar.vrm --expression happy=1 --camera head --out happy.png
  morph render body.glb --clip-file walk.glb --clip walk --time 0.5 --skin --out walk.png
  morph render face.glb --weights jawOpen=1 --pass motion --out motion.png")]
pub(crate) struct RenderArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Draw only this mesh, by its index in the file
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(crate) mesh: Option<usize>,
    /// Draw only this primitive of the mesh, by its index in the file
    #[arg(long, value_name = "P", requires = "mesh", allow_negative_numbers = true)]
    pub(crate) primitive: Option<usize>,
    #[command(flatten)]
    pub(crate) pose: PoseArgs,
    /// Picture to write, a .png
    #[arg(long, value_name = "X.png")]
    pub(crate) out: PathBuf,
    /// What to show: color, depth, shadow (the shadow map), motion, or normal
    #[arg(long, value_name = "PASS", default_value_t = Pass::Color, help_heading = "Picture")]
    pub(crate) pass: Pass,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value_t = Size::DEFAULT, help_heading = "Picture")]
    pub(crate) size: Size,
    /// Where to look: auto (the head where only a body's head can move, else all), all, head, front, left, right,
    /// back, top
    #[arg(
        long,
        value_enum,
        value_name = "VIEW",
        default_value_t = CameraChoice::Auto,
        hide_possible_values = true,
        help_heading = "Picture"
    )]
    pub(crate) camera: CameraChoice,
    /// How deltas are stored: f32, half, or snorm16
    #[arg(long, value_name = "FORMAT", default_value_t = Quantization::F32, help_heading = "Picture")]
    pub(crate) quantization: Quantization,
    /// Vulkan device: a part of its name, any case
    #[arg(long, value_name = "SUBSTRING", help_heading = "Picture")]
    pub(crate) driver: Option<String>,
    /// Print what was drawn as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Who does the arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// The processor: the definition of the result
    Host,
    /// A Vulkan device, one dispatch per active target
    Scatter,
    /// A Vulkan device, all targets and instances at once
    Gather,
}

impl Backend {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Backend::Host => "host",
            Backend::Scatter => "scatter",
            Backend::Gather => "gather",
        }
    }
}
