//! `morph render`: the morphed model as a picture, drawn from the very vertices that the pre-pass wrote.

pub(crate) mod camera;
mod draw;
mod parts;
mod placing;
pub(crate) mod size;
mod skinned;

use std::fmt::Write as _;
use std::io::Cursor;

use morph_import::ImportOptions;
use serde::Serialize;

use crate::args::RenderArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;
use crate::pose::{PoseRequest, PosedModel};
use crate::text::{count, counted};
use crate::write::{check_out, write_whole};
use parts::Parts;

/// Runs the command.
pub(crate) fn run(args: &RenderArgs, console: &mut Console<'_>) -> Result<(), CliError> {
    check_out(&args.out, &["png"], ".png")?;
    let request = PoseRequest::read(&args.pose)?;
    // Made only where the file has none: without normals there is no light to see by.
    let options = ImportOptions {
        generate_normals: true,
        ..args.model.import_options()
    };
    let loaded = Loaded::read_to_draw(&args.model.file, &options, console)?;
    loaded.warn(console);
    let posed = PosedModel::new(&loaded, &request, &options, console)?;
    let parts = Parts::new(&posed, args, console)?;
    let drawing = draw::draw(&parts, args, console)?;
    if drawing.stands_still {
        console.warn("the pose is the one that the motion starts from, so nothing moves");
    }

    let mut png = Vec::new();
    drawing
        .picture
        .write_to(&mut Cursor::new(&mut png), image::ImageFormat::Png)
        .map_err(|source| CliError::Png { source })?;
    write_whole(&args.out, |file| file.write_all(&png))?;

    let report = Report {
        file: loaded.path.display().to_string(),
        out: args.out.display().to_string(),
        pass: args.pass.name(),
        width: drawing.picture.width(),
        height: drawing.picture.height(),
        device: &drawing.device,
        quantization: args.quantization.as_str(),
        instances: parts.instance_count(),
        vertices: parts.vertex_count(),
        triangles: parts.triangle_count(),
        active_targets: drawing.stats.active_targets,
        active_entries: drawing.stats.active_entries,
        dispatches: drawing.stats.dispatches,
        skinned: parts.skinned_count(),
        clip: posed.moment.as_ref().map(|moment| moment.clip),
        time: posed.moment.as_ref().map(|moment| moment.time),
        barriers: drawing.stats.barriers,
    };
    let text = if args.json {
        serde_json::to_string(&report).map_err(|error| CliError::Print { source: error.into() })? + "\n"
    } else {
        report.text()
    };
    console.print(&text)
}

/// What was drawn, in the shape of its JSON.
#[derive(Debug, Serialize)]
struct Report<'a> {
    file: String,
    out: String,
    pass: &'static str,
    width: u32,
    height: u32,
    device: &'a str,
    quantization: &'static str,
    /// Primitives, each as often as nodes show it.
    instances: usize,
    vertices: usize,
    triangles: usize,
    /// Targets with a weight other than zero, summed over the instances.
    active_targets: u64,
    /// Entries of these.
    active_entries: u64,
    dispatches: u32,
    /// Primitives that bones carry, each as often as nodes show it.
    skinned: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    clip: Option<usize>,
    /// The clip's time in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<f32>,
    barriers: u32,
}

impl Report<'_> {
    fn text(&self) -> String {
        let mut text = String::new();
        let lines = [
            (
                "written",
                format!("{} ({}, {} x {})", self.out, self.pass, self.width, self.height),
            ),
            (
                "drawn",
                format!(
                    "{}, {}, {}",
                    counted(self.instances, "primitive", "primitives"),
                    counted(self.vertices, "vertex", "vertices"),
                    counted(self.triangles, "triangle", "triangles"),
                ),
            ),
            (
                "morphed",
                format!(
                    "{} with {}, {}",
                    counted(self.active_targets as usize, "active target", "active targets"),
                    counted(self.active_entries as usize, "entry", "entries"),
                    counted(self.dispatches as usize, "dispatch", "dispatches"),
                ),
            ),
            ("device", self.device.to_owned()),
        ];
        for (word, line) in lines {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{word:<8} {line}");
        }
        tracing::debug!(barriers = %count(u64::from(self.barriers)), "recorded");
        text
    }
}
