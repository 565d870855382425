//! Where the figure comes from: a MakeHuman base mesh, any glTF file, or code.

use std::io::Write;
use std::path::Path;

use morph_import::{Format, ImportError, ImportOptions, MakeHumanError};

use super::figure::Figure;
use super::{from_model, makehuman};
use crate::generated_head;

/// Loads the model, or makes a head where none is named.
pub fn load(model: Option<&Path>, out: &mut impl Write) -> anyhow::Result<Figure> {
    let figure = match model {
        None => {
            writeln!(out, "model: none named, so a head is generated")?;
            generated_head::figure()
        }
        Some(path) => {
            writeln!(out, "model: {}", path.display())?;
            load_file(path)?
        }
    };
    writeln!(
        out,
        "figure: {}, {} vertices in {} parts, {} targets",
        figure.name,
        figure.vertices.len(),
        figure.parts.len(),
        figure.target_names.len()
    )?;
    Ok(figure)
}

fn load_file(path: &Path) -> anyhow::Result<Figure> {
    let is_obj = path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("obj"));
    if is_obj {
        match makehuman::load(path) {
            // An OBJ in the manner of MakeHuman without its helpers is still a model.
            Err(error) if lacks_a_group(&error) => {}
            result => return result,
        }
    }
    let options = ImportOptions {
        generate_normals: true,
        ..ImportOptions::default()
    };
    let model = morph_import::load(path, &options)?;
    let stem = path
        .file_stem()
        .map_or_else(|| "model".into(), |stem| stem.to_string_lossy());
    let name = match model.format {
        Format::MakeHuman => format!("{stem} (MakeHuman)"),
        _ => stem.into_owned(),
    };
    from_model::figure(&name, &model)
}

fn lacks_a_group(error: &anyhow::Error) -> bool {
    match error.downcast_ref::<ImportError>() {
        Some(ImportError::MakeHuman { reason, .. }) => matches!(**reason, MakeHumanError::NoGroup { .. }),
        _ => false,
    }
}
