//! What was compiled, from which sources and by which compiler: `shaders/spv/manifest.json`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use crate::HOW_TO_RENEW;
use crate::list::{Module, Stage};
use crate::sources::{Sources, sha256};

/// Folder of the compiled modules below the workspace root.
pub(crate) const FOLDER: &str = "shaders/spv";
/// Path of the record below the workspace root.
pub(crate) const PATH: &str = "shaders/spv/manifest.json";
/// Version of the record's own form.
const FORMAT: u32 = 1;

/// The record as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Version of this form.
    format: u32,
    /// Who compiled; see [`crate::identity`].
    pub(crate) compiler: String,
    /// Compiled modules by name.
    pub(crate) modules: BTreeMap<String, ModuleRecord>,
}

/// One compiled module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ModuleRecord {
    /// Stage it was compiled for.
    pub(crate) stage: Stage,
    /// Hash of everything the module is made from: options, stage, defines, and each file's path and text.
    pub(crate) sources_sha256: String,
    /// Hash of each file it is made from, by path, so that a difference can be named.
    pub(crate) files: BTreeMap<String, String>,
    /// Preprocessor definitions.
    pub(crate) defines: Vec<String>,
    /// Hash of the compiled module.
    pub(crate) spv_sha256: String,
    /// Size of the compiled module.
    pub(crate) spv_bytes: u64,
}

impl Record {
    /// A record without modules.
    pub(crate) fn new(compiler: &str) -> Self {
        Self {
            format: FORMAT,
            compiler: compiler.to_owned(),
            modules: BTreeMap::new(),
        }
    }

    /// Reads the record, `None` where there is none yet.
    pub(crate) fn read(root: &Path) -> anyhow::Result<Option<Self>> {
        let text = match std::fs::read_to_string(root.join(PATH)) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot read {PATH}")),
        };
        let record: Self =
            serde_json::from_str(&text).with_context(|| format!("{PATH} is damaged; {HOW_TO_RENEW}"))?;
        if record.format != FORMAT {
            bail!(
                "{PATH} has form {}, this program writes form {FORMAT}; {HOW_TO_RENEW}",
                record.format
            );
        }
        Ok(Some(record))
    }

    /// The bytes of the record's file; equal records give equal bytes.
    pub(crate) fn to_json(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

impl ModuleRecord {
    /// Describes a module as compiled.
    pub(crate) fn new(module: &Module, sources: &Sources, spv: &[u8]) -> Self {
        let files = sources.file_hashes();
        Self {
            stage: module.stage,
            sources_sha256: sources_hash(module, &files),
            files,
            defines: module.defines.clone(),
            spv_sha256: sha256(spv),
            spv_bytes: spv.len() as u64,
        }
    }
}

/// Hash of everything that decides a module's bytes, but for the compiler.
///
/// Each part is written with its length before it, so that no two different inputs give the same text.
pub(crate) fn sources_hash(module: &Module, files: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    let mut part = |value: &str| {
        text.push_str(&value.len().to_string());
        text.push(':');
        text.push_str(value);
        text.push('\n');
    };
    part(crate::compile::OPTIONS);
    part(&format!("shaders/{}", module.source));
    part(&module.stage.to_string());
    part(&module.defines.len().to_string());
    for define in &module.defines {
        part(define);
    }
    for (path, hash) in files {
        part(path);
        part(hash);
    }
    sha256(text.as_bytes())
}

/// Path below the workspace root of a module's compiled file.
pub(crate) fn spv_path(name: &str) -> String {
    format!("{FOLDER}/{name}.spv")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    fn module() -> Module {
        Module {
            name: "a".into(),
            source: "a.comp".into(),
            stage: Stage::Compute,
            defines: vec!["A=1".into()],
        }
    }

    #[test]
    fn hash_depends_on_every_part() {
        let files = BTreeMap::from([("shaders/a.comp".to_owned(), "00".to_owned())]);
        let hash = sources_hash(&module(), &files);
        assert_eq!(hash, sources_hash(&module(), &files));
        let mut other = module();
        other.stage = Stage::Vertex;
        assert_ne!(hash, sources_hash(&other, &files));
        let mut other = module();
        other.defines.push("B".into());
        assert_ne!(hash, sources_hash(&other, &files));
        let mut other = module();
        other.source = "b.comp".into();
        assert_ne!(hash, sources_hash(&other, &files));
        let other = BTreeMap::from([("shaders/a.comp".to_owned(), "01".to_owned())]);
        assert_ne!(hash, sources_hash(&module(), &other));
    }

    #[test]
    fn record_survives_its_file() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Record::read(folder.path()).unwrap(), None);
        let sources = Sources {
            main: "shaders/a.comp".into(),
            texts: BTreeMap::from([("shaders/a.comp".into(), "void main() {}".into())]),
        };
        let mut record = Record::new("a compiler");
        record
            .modules
            .insert("a".into(), ModuleRecord::new(&module(), &sources, &[1, 2, 3, 4]));
        std::fs::create_dir_all(folder.path().join(FOLDER)).unwrap();
        std::fs::write(folder.path().join(PATH), record.to_json().unwrap()).unwrap();
        assert_eq!(Record::read(folder.path()).unwrap(), Some(record.clone()));

        std::fs::write(folder.path().join(PATH), "{").unwrap();
        assert!(format!("{:#}", Record::read(folder.path()).unwrap_err()).contains("cargo xtask shaders"));
        record.format = FORMAT + 1;
        std::fs::write(folder.path().join(PATH), record.to_json().unwrap()).unwrap();
        assert!(format!("{:#}", Record::read(folder.path()).unwrap_err()).contains("form 2"));
    }
}
