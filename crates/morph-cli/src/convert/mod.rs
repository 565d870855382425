//! `morph convert`: a model in another format.

use std::path::{Path, PathBuf};

use morph_import::export::{to_glb, to_obj};

use crate::args::{ConvertArgs, ConvertFormat};
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;
use crate::text::{bytes, counted};
use crate::threshold::targets_of;
use crate::write::{check_out, write_whole};

/// Runs the command.
pub(crate) fn run(args: &ConvertArgs, console: &mut Console<'_>) -> Result<(), CliError> {
    let out = out_path(args)?;
    args.thresholds.check()?;
    let mut loaded = Loaded::read(&args.model.file, &args.model.import_options(), console)?;
    loaded.warn(console);
    args.thresholds.advise(targets_of(&loaded.model), console);
    let thresholds = args.thresholds.thresholds();
    let primitives = loaded
        .model
        .meshes
        .iter_mut()
        .flat_map(|mesh| &mut mesh.primitives);
    let dropped: usize = primitives
        .flat_map(|primitive| &mut primitive.targets)
        .map(|target| thresholds.thin(target))
        .sum();
    let (content, notes) = match args.to {
        ConvertFormat::Glb => to_glb(&loaded.model).map_err(|source| CliError::Export { source })?,
        ConvertFormat::Obj => {
            let (text, notes) = to_obj(&loaded.model);
            (text.into_bytes(), notes)
        }
    };
    for note in notes {
        console.warn(note);
    }
    write_whole(&out, |file| file.write_all(&content))?;
    let targets: usize = loaded
        .model
        .meshes
        .iter()
        .map(|mesh| mesh.target_names.len())
        .sum();
    console.print(&format!(
        "wrote {}: {}, {}, {}, {}{}\n",
        out.display(),
        counted(loaded.model.meshes.len(), "mesh", "meshes"),
        counted(targets, "target", "targets"),
        counted(loaded.model.clips.len(), "clip", "clips"),
        bytes(content.len() as u64),
        match dropped {
            0 => String::new(),
            _ => format!(" ({} dropped as too small)", counted(dropped, "entry", "entries")),
        },
    ))
}

/// Where the result goes: the place asked for, else beside the model under its name.
fn out_path(args: &ConvertArgs) -> Result<PathBuf, CliError> {
    let (ending, expected) = match args.to {
        ConvertFormat::Glb => ("glb", ".glb"),
        ConvertFormat::Obj => ("obj", ".obj"),
    };
    let file = &args.model.file;
    let out = args.out.clone().unwrap_or_else(|| file.with_extension(ending));
    check_out(&out, &[ending], expected)?;
    // The same file under another name counts too.
    let is_same = match (file.canonicalize(), out.canonicalize()) {
        (Ok(file), Ok(out)) => file == out,
        _ => *file == out,
    };
    if is_same {
        let free = free_name(file, ending);
        return Err(CliError::OutIsInput { path: out, free });
    }
    Ok(out)
}

/// A name beside the model that nothing has, as far as a thousand go.
fn free_name(file: &Path, ending: &str) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let plain = file.with_file_name(format!("{stem}-converted.{ending}"));
    let numbered = (2..1000).map(|number| file.with_file_name(format!("{stem}-converted-{number}.{ending}")));
    let mut names = std::iter::once(plain.clone()).chain(numbered);
    names.find(|name| !name.exists()).unwrap_or(plain)
}
