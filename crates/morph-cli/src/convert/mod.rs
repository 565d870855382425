//! `morph convert`: a model in another format.

use std::path::PathBuf;

use morph_import::export::{to_glb, to_obj};

use crate::args::{ConvertArgs, ConvertFormat};
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;
use crate::text::{bytes, counted};
use crate::write::{check_out, write_whole};

/// Runs the command.
pub(crate) fn run(args: &ConvertArgs, console: &mut Console<'_>) -> Result<(), CliError> {
    let out = out_path(args)?;
    let loaded = Loaded::read(&args.model.file, &args.model.import_options(), console)?;
    loaded.warn(console);
    loaded.warn_of_expressions(console);
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
        "wrote {}: {}, {}, {}, {}\n",
        out.display(),
        counted(loaded.model.meshes.len(), "mesh", "meshes"),
        counted(targets, "target", "targets"),
        counted(loaded.model.clips.len(), "clip", "clips"),
        bytes(content.len() as u64),
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
        return Err(CliError::OutIsInput { path: out });
    }
    Ok(out)
}
