//! The demo: a head on the device, its expressions compared with the host bit by bit and shown in three pictures.
//!
//! In the order in which it happens: [`source`] finds a [`figure`], [`expressions`] name its faces, a [`lab`] runs the
//! pre-pass, a [`stage`] draws the results, and [`sheet`] and [`film`] make pictures of them.

pub mod expressions;
pub mod eyes;
pub mod figure;
pub mod film;
pub mod from_model;
pub mod grooming;
pub mod lab;
pub mod makehuman;
pub mod random;
pub mod sheet;
pub mod show;
pub mod source;
pub mod stage;
pub mod strands;
pub mod surface;
pub mod table;
pub mod text;
pub mod timer;

use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, bail};
use morph_core::{Aabb, BuildOptions, BuildReport, Layout, MorphMesh, Quantization, VertexLayout};
use morph_render::{HeadlessDesc, HeadlessDevice};
use morph_vk::Method;

use expressions::Faces;
use figure::Figure;
use lab::{Lab, Run};
use stage::Stage;
use table::count;

/// What a person may choose.
#[derive(Debug, Clone, clap::Parser)]
#[command(
    name = "demo",
    about = "Morphs a head on the GPU, checks it against the host bit for bit, and makes pictures of it",
    after_help = "Without a model the demo shows a head that is generated in code."
)]
pub struct Arguments {
    /// Model with morph targets: glTF, GLB, or a MakeHuman OBJ with a folder `targets` beside it.
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Folder for the pictures.
    #[arg(long, value_name = "DIR", default_value = "target/demo")]
    pub out: PathBuf,
    /// Device to use: part of its name, such as `llvmpipe`.
    #[arg(long, value_name = "SUBSTRING")]
    pub driver: Option<String>,
    /// Height of one face on the contact sheet, in pixels.
    #[arg(long, value_name = "PIXELS", default_value_t = 400, value_parser = clap::value_parser!(u32).range(48..=2048))]
    pub size: u32,
}

/// What the demo did.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Largest difference between device and host over everything that ran, in units in the last place.
    pub difference: u32,
    /// Instances that were compared, summed over the frames of the pre-pass.
    pub compared_instances: u64,
    /// The pictures.
    pub pictures: Vec<PathBuf>,
}

/// The vertex of the demo: the renderer draws positions and normals.
const LAYOUT: VertexLayout = VertexLayout::POSITION_NORMAL;
/// Faces on the contact sheet at most: three rows of five.
const MOST_FACES: usize = 15;

/// Runs the demo and says on `out` what it does.
///
/// # Errors
/// What cannot be read, a device that cannot be had or fails, pictures that cannot be written, or a single bit that
/// differs between device and host.
pub fn run(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let mut figure = source::load(arguments.model.as_deref(), out)?;
    let (mesh, report) = build(&figure)?;
    let rest = figure.rest(LAYOUT)?;
    let faces = expressions::faces(mesh.names(), &figure.start_weights, MOST_FACES);
    tell_faces(&faces, out)?;

    let desc = HeadlessDesc {
        driver: arguments.driver.clone(),
        ..HeadlessDesc::default()
    };
    let device = HeadlessDevice::new(&desc)?;
    writeln!(out, "device: {}", device.driver_info())?;
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("making the folder {}", arguments.out.display()))?;

    // Every face is an instance of its own; one more plays the film and the frame that is shown in all passes.
    let mut cast = Lab::new(&device, &mesh, &rest, Method::Gather, faces.shown.len() as u32)?;
    let mut runs = vec![cast.run(faces.shown.iter().map(|face| face.weights.as_slice()))?];
    let mut reference = Lab::new(&device, &mesh, &rest, Method::Scatter, faces.shown.len() as u32)?;
    runs.push(reference.run(faces.shown.iter().map(|face| face.weights.as_slice()))?);
    drop(reference);
    let mut actor = Lab::new(&device, &mesh, &rest, Method::Gather, 1)?;
    refuse_differences(&runs)?;
    writeln!(
        out,
        "pre-pass: {} instances equal the host in every bit",
        faces.shown.len()
    )?;

    let reach = reach(&figure, &mesh, &faces);
    if !faces.named && figure.focus.is_none() {
        // No face to look at: the camera shows all of what moves.
        figure.focus = Some(reach);
    }
    let stage = Stage::new(&device, &figure, LAYOUT, &reach)?;
    let mut show = show::Show {
        arguments,
        stage: &stage,
        figure: &figure,
        faces: &faces.shown,
        device: &device,
    };
    let mut pictures = vec![show.expressions(&cast, out)?];
    let (picture, passes) = show.passes(&mut actor, out)?;
    pictures.push(picture);
    let (picture, film) = show.animation(&mut actor, out)?;
    pictures.push(picture);
    runs.extend(passes);
    runs.extend(film);
    refuse_differences(&runs)?;

    write!(out, "\n{}", tables(&figure, &mesh, &report, &faces, &runs))?;
    writeln!(out, "\npictures:")?;
    for picture in &pictures {
        writeln!(out, "  {}", picture.display())?;
    }
    writeln!(out, "done in {:.1} s", started.elapsed().as_secs_f32())?;
    Ok(Outcome {
        difference: runs.iter().map(|run| run.difference).max().unwrap_or(0),
        compared_instances: runs.iter().map(|run| u64::from(run.instance_count)).sum(),
        pictures,
    })
}

fn build(figure: &Figure) -> anyhow::Result<(Arc<MorphMesh>, BuildReport)> {
    let rest = figure.rest(LAYOUT)?.streams();
    let options = BuildOptions {
        rest: Some(&rest),
        ..BuildOptions::new(Quantization::Snorm16)
    };
    let (mesh, report) = MorphMesh::build(figure.vertices.len() as u32, &figure.targets(), &options)?;
    Ok((Arc::new(mesh), report))
}

/// A box around the figure in all of its faces.
fn reach(figure: &Figure, mesh: &MorphMesh, faces: &Faces) -> Aabb {
    let rest = figure.bounds();
    faces.shown.iter().fold(rest, |reach, face| {
        let bounds = mesh.bounds(&rest, &face.weights);
        Aabb {
            min: std::array::from_fn(|axis| reach.min[axis].min(bounds.min[axis])),
            max: std::array::from_fn(|axis| reach.max[axis].max(bounds.max[axis])),
        }
    })
}

fn tell_faces(faces: &Faces, out: &mut impl Write) -> anyhow::Result<()> {
    let names: Vec<&str> = faces.shown.iter().map(|face| face.name.as_str()).collect();
    writeln!(out, "faces: {}", names.join(", "))?;
    if !faces.left_out.is_empty() {
        writeln!(out, "faces left out: {}", some(&faces.left_out))?;
    }
    let mut missing: Vec<String> = faces
        .shown
        .iter()
        .flat_map(|face| face.missing.iter().cloned())
        .collect();
    missing.sort_unstable();
    missing.dedup();
    if !missing.is_empty() {
        writeln!(
            out,
            "shown without, because the model lacks them: {}",
            some(&missing)
        )?;
    }
    Ok(())
}

/// The first few of a list.
fn some(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = names
        .iter()
        .take(SHOWN)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        // Writing into a string cannot fail.
        let _ = write!(text, " and {} more", names.len() - SHOWN);
    }
    text
}

fn refuse_differences(runs: &[Run]) -> anyhow::Result<()> {
    if let Some(run) = runs.iter().find(|run| run.difference != 0) {
        bail!(
            "device and host differ by up to {} units in the last place after {} on {} instances; they must be equal",
            run.difference,
            run.kernel,
            run.instance_count
        );
    }
    Ok(())
}

fn tables(figure: &Figure, mesh: &MorphMesh, report: &BuildReport, faces: &Faces, runs: &[Run]) -> String {
    let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
    let bounds = figure.bounds();
    let size = (0..3)
        .map(|axis| bounds.max[axis] - bounds.min[axis])
        .fold(0.0, f32::max);
    let degrees = report
        .worst_direction_error_degrees
        .map_or_else(|| "-".to_owned(), |degrees| format!("{degrees:.4}"));
    let facts = [
        row(&["mesh", &figure.name]),
        row(&["vertices", &count(u64::from(mesh.vertex_count()))]),
        row(&[
            "triangles",
            &count(
                figure
                    .parts
                    .iter()
                    .map(|part| part.indices.len() as u64 / 3)
                    .sum(),
            ),
        ]),
        row(&["targets", &count(mesh.target_count() as u64)]),
        row(&["entries", &count(mesh.entry_count())]),
        row(&["instances", &count(faces.shown.len() as u64)]),
        row(&["stored as", &mesh.quantization().to_string()]),
        row(&[
            "bytes, vertex-major (gather)",
            &count(mesh.size_bytes(Layout::VertexMajor)),
        ]),
        row(&["bytes, scatter", &count(mesh.size_bytes(Layout::Scatter))]),
        row(&[
            "worst position error",
            &format!("{:.2e} of the model's size", report.worst_position_error / size),
        ]),
        row(&["worst direction error, degrees", &degrees]),
    ];
    let label = facts.iter().map(|row| row[0].len()).max().unwrap_or(0);
    let mut text = String::new();
    for row in &facts {
        // Writing into a string cannot fail.
        let _ = writeln!(text, "  {:<label$}  {}", row[0], row[1]);
    }

    let mut rows = vec![row(&[
        "pre-pass",
        "frames",
        "instances",
        "active targets",
        "entries",
        "dispatches",
        "barriers",
        "time",
        "difference",
    ])];
    for group in runs.chunk_by(|a, b| a.kernel == b.kernel && a.instance_count == b.instance_count) {
        let sum = |number: fn(&Run) -> u64| count(group.iter().map(number).sum());
        let milliseconds: f64 = group
            .iter()
            .map(|run| run.device_time.unwrap_or(run.host_time).as_secs_f64() * 1000.0)
            .sum::<f64>();
        let clock = if group.iter().all(|run| run.device_time.is_some()) {
            "device"
        } else {
            "host"
        };
        rows.push(vec![
            group[0].kernel.clone(),
            group.len().to_string(),
            group[0].instance_count.to_string(),
            sum(|run| run.stats.active_targets),
            sum(|run| run.stats.active_entries),
            sum(|run| u64::from(run.stats.dispatches)),
            sum(|run| u64::from(run.stats.barriers)),
            format!("{milliseconds:.2} ms ({clock})"),
            format!(
                "{} bits",
                group.iter().map(|run| run.difference).max().unwrap_or(0)
            ),
        ]);
    }
    text += "\n";
    text += &table::format(&rows);
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn one_bit_of_difference_is_an_error() {
        let mut run = Run {
            kernel: "scatter".to_owned(),
            stats: morph_vk::FrameStats::default(),
            device_time: None,
            host_time: Duration::ZERO,
            instance_count: 3,
            difference: 0,
        };
        assert!(refuse_differences(&[run.clone()]).is_ok());
        run.difference = 1;
        let said = refuse_differences(&[run]).map_err(|error| error.to_string());
        assert!(said.is_err_and(|said| said.contains("scatter on 3 instances")));
    }
}
