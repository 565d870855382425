//! `morph eval`: one primitive, morphed on the host or on a device, compared, measured, and written.

mod control_points;
mod device;
mod measure;
mod moment;
mod obj;
mod output;
mod sets;
mod subject;
mod summary;

use std::path::Path;

use morph_core::MorphedStreams;

use crate::args::{Backend, EvalArgs, VertexOrder};
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;
use crate::pose::{PoseRequest, PosedModel};
use crate::write::{check_out, write_whole};
use device::DeviceRun;
use measure::{WorstError, worst_error};
use moment::Moment;
use output::{Output, write_json, write_raw};
use sets::MorphedSets;
use subject::Subject;

/// What an evaluation gave.
#[derive(Debug)]
struct Evaluation {
    /// The result: of the host, or of the first instance on the device.
    result: MorphedStreams,
    /// Texture coordinates and colors, where targets change any: of the host.
    sets: MorphedSets,
    /// The run on the device, where there was one.
    device: Option<DeviceRun>,
    worst_error: WorstError,
}

/// Runs the command.
pub(crate) fn run(args: &EvalArgs, console: &mut Console<'_>) -> Result<(), CliError> {
    let out = args.out.as_deref();
    let ending = out
        .map(|path| check_out(path, &["json", "f32", "obj"], ".json, .f32 or .obj"))
        .transpose()?;
    if args.instances == 0 {
        return Err(CliError::NoInstances);
    }
    if args.pose.skin && args.backend != Backend::Host {
        return Err(CliError::HostOnly { option: "--skin" });
    }
    let request = PoseRequest::read(&args.pose)?;
    if args.backend == Backend::Host && (args.instances > 1 || args.driver.is_some()) {
        console.warn("the host runs one instance and no driver; --instances and --driver need --backend scatter or gather");
    }
    let options = args.model.import_options();
    let loaded = Loaded::read(&args.model.file, &options, console)?;
    loaded.warn(console);
    let posed = PosedModel::new(&loaded, &request, &options, console)?;
    let moment = Moment::new(posed, args)?;
    if args.order == VertexOrder::ControlPoint {
        return control_points::run(args, &moment, console);
    }
    let subject = Subject::new(args, args.primitive, &moment, console)?;
    let evaluation = evaluate(&subject, args, &moment, console)?;
    let output = Output::new(&subject, &evaluation, args, &moment);
    if let (Some(path), Some(ending)) = (out, ending) {
        write_out(path, ending, &output, &subject)?;
    }
    let text = match (args.json, out) {
        (true, None) => output::json(&output)?,
        (true, Some(path)) => output::json(&output.without_vertices(path))?,
        (false, _) => summary::text(&subject, &evaluation, &output, out),
    };
    console.print(&text)?;
    match evaluation.device.and_then(|run| run.first_difference) {
        // Told last, so that the result is there to be looked at.
        Some(difference) => Err(difference),
        None => Ok(()),
    }
}

fn evaluate(
    subject: &Subject<'_>,
    args: &EvalArgs,
    moment: &Moment<'_>,
    console: &Console<'_>,
) -> Result<Evaluation, CliError> {
    let host = subject.morph()?;
    let (result, device) = match args.backend {
        Backend::Host => (host, None),
        Backend::Scatter => device::run(subject, morph_vk::Method::Scatter, args, &host, console)?,
        Backend::Gather => device::run(subject, morph_vk::Method::Gather, args, &host, console)?,
    };
    // The error of what is stored, which skinning does not change.
    let worst_error = worst_error(subject.primitive, &subject.weights, &result);
    let result = match &moment.bones {
        Some(bones) => subject.skin(&result, bones)?,
        None => result,
    };
    let sets = MorphedSets::new(&subject.place, &subject.mesh, subject.primitive, &subject.weights)?;
    Ok(Evaluation {
        result,
        sets,
        device,
        worst_error,
    })
}

fn write_out(path: &Path, ending: &str, output: &Output<'_>, subject: &Subject<'_>) -> Result<(), CliError> {
    write_whole(path, |file| match ending {
        "json" => write_json(file, output),
        "f32" => write_raw(file, output),
        _ => obj::write(file, output, subject),
    })
}
