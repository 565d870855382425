//! Models and answers in the folder that is not part of the project.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::{ConformanceError, Row};

/// Endings of the files that are models, or may be.
const MODEL_ENDINGS: [&str; 4] = ["fbx", "glb", "gltf", "obj"];

/// An answer of another program.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, ConformanceError> {
    let bytes = std::fs::read(path).map_err(|source| ConformanceError::Read {
        path: path.to_owned(),
        source,
    })?;
    serde_json::from_slice(&bytes).map_err(|source| ConformanceError::Json {
        path: path.to_owned(),
        source,
    })
}

/// The answers of one program, sorted by name.
fn answers(shared: &Path, program: &str) -> Result<Vec<PathBuf>, ConformanceError> {
    let mut files = entries(&shared.join("oracle").join(program))?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    Ok(files)
}

/// A row for each answer of one program.
pub(super) fn rows(
    shared: &Path,
    program: &str,
    row: impl Fn(&Path, &Path) -> Result<Row, ConformanceError>,
) -> Result<Vec<Row>, ConformanceError> {
    answers(shared, program)?
        .iter()
        .map(|path| row(shared, path))
        .collect()
}

/// The model that an answer is for, below the folder of models: `~` in the answer's name stands for a folder, and it
/// says what the file is called.
pub(super) fn model_of(answer: &Path, file: &str) -> String {
    let stem = answer.file_stem().unwrap_or_default().to_string_lossy();
    match stem.rsplit_once('~') {
        Some((folder, _)) => format!("{}/{file}", folder.replace('~', "/")),
        // Those of ufbx's own files are without their folder.
        None => format!("ufbx_fbx/{file}"),
    }
}

/// Every file that is a model or may be one, below the folder of models, sorted.
pub(super) fn models(shared: &Path) -> Result<Vec<String>, ConformanceError> {
    let root = shared.join("assets");
    let mut folders = vec![root.clone()];
    let mut models = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in entries(&folder)? {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| {
                MODEL_ENDINGS
                    .iter()
                    .any(|ending| found.eq_ignore_ascii_case(ending))
            }) {
                let below = path.strip_prefix(&root).unwrap_or(&path);
                models.push(below.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    models.sort();
    Ok(models)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, ConformanceError> {
    let read = || -> std::io::Result<Vec<PathBuf>> {
        folder
            .read_dir()?
            .map(|entry| entry.map(|it| it.path()))
            .collect()
    };
    let mut paths = read().map_err(|source| ConformanceError::Read {
        path: folder.to_owned(),
        source,
    })?;
    paths.sort();
    Ok(paths)
}
