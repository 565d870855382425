//! The files a module is made from, and their hashes.
//!
//! Includes are found by reading the text rather than by compiling, so that a machine without the C++ compiler's
//! exact version, or with none, can tell a stale module from a fresh one.
//! A line that says `#include` counts even where the preprocessor would skip it: a needless recompilation does no
//! harm, a missed one does.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use sha2::{Digest, Sha256};

use crate::list::Module;

/// Folder below the workspace root that `#include "name"` looks in.
pub(crate) const INCLUDE_FOLDER: &str = "shaders/include";

/// A module's source with everything it includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sources {
    /// Path of the module's own source below the workspace root.
    pub(crate) main: String,
    /// Text of every file by its path below the workspace root, the main source among them.
    pub(crate) texts: BTreeMap<String, String>,
}

impl Sources {
    /// Reads the module's source and, through as many steps as it takes, what it includes.
    pub(crate) fn read(root: &Path, module: &Module) -> anyhow::Result<Self> {
        let main = format!("shaders/{}", module.source);
        let mut texts = BTreeMap::new();
        let mut pending = vec![(
            main.clone(),
            format!("module `{}` of {}", module.name, crate::list::PATH),
        )];
        while let Some((path, wanted_by)) = pending.pop() {
            if texts.contains_key(&path) {
                continue;
            }
            let text = std::fs::read_to_string(root.join(&path))
                .with_context(|| format!("cannot read {path}, which {wanted_by} names"))?;
            for (line, name) in includes(&text).with_context(|| format!("bad include in {path}"))? {
                pending.push((include_path(&name), format!("{path}:{line}")));
            }
            texts.insert(path, text);
        }
        Ok(Self { main, texts })
    }

    /// Text of the module's own source.
    pub(crate) fn main_text(&self) -> &str {
        self.texts.get(&self.main).map_or("", String::as_str)
    }

    /// Hash of each file, by path.
    pub(crate) fn file_hashes(&self) -> BTreeMap<String, String> {
        self.texts
            .iter()
            .map(|(path, text)| (path.clone(), sha256(text.as_bytes())))
            .collect()
    }
}

/// Path below the workspace root of the file that `#include "name"` means.
pub(crate) fn include_path(name: &str) -> String {
    format!("{INCLUDE_FOLDER}/{name}")
}

/// Names in the `#include` lines of a text, with their line numbers from 1.
fn includes(text: &str) -> anyhow::Result<Vec<(usize, String)>> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(directive) = line.trim_start().strip_prefix('#') else {
            continue;
        };
        let Some(rest) = directive.trim_start().strip_prefix("include") else {
            continue;
        };
        let name = rest
            .trim_start()
            .strip_prefix('"')
            .and_then(|rest| rest.split_once('"'))
            .map(|(name, _)| name);
        match name {
            Some(name) if !name.is_empty() && !name.split('/').any(|part| part == "..") => {
                found.push((index + 1, name.to_owned()));
            }
            _ => bail!(
                "line {}: `{}` should read `#include \"name.glsl\"`",
                index + 1,
                line.trim()
            ),
        }
    }
    Ok(found)
}

/// Lower-case hexadecimal SHA-256.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;
    use crate::list::Stage;

    #[test]
    fn finds_includes_by_line() {
        let text = "#version 450\n  #  include \"a.glsl\" // why\nvoid main() {}\n#include \"deep/b.glsl\"";
        assert_eq!(
            includes(text).unwrap(),
            vec![(2, "a.glsl".to_owned()), (4, "deep/b.glsl".to_owned())]
        );
        assert!(includes("// include \"a.glsl\"").unwrap().is_empty());
    }

    #[test]
    fn refuses_includes_it_cannot_resolve() {
        for text in [
            "#include <a.glsl>",
            "#include \"a.glsl",
            "#include \"\"",
            "#include \"../a.glsl\"",
        ] {
            assert!(includes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn follows_includes_of_includes_and_stops_at_cycles() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join(INCLUDE_FOLDER)).unwrap();
        let write = |path: &str, text: &str| std::fs::write(folder.path().join(path), text).unwrap();
        write("shaders/x.comp", "#include \"a.glsl\"\n");
        write("shaders/include/a.glsl", "#include \"b.glsl\"\n");
        write("shaders/include/b.glsl", "#include \"a.glsl\"\n");
        let mut module = Module {
            name: "x".into(),
            source: "x.comp".into(),
            stage: Stage::Compute,
            defines: Vec::new(),
        };
        let sources = Sources::read(folder.path(), &module).unwrap();
        assert_eq!(
            sources.file_hashes().into_keys().collect::<Vec<_>>(),
            [
                "shaders/include/a.glsl",
                "shaders/include/b.glsl",
                "shaders/x.comp"
            ]
        );
        assert_eq!(sources.main_text(), "#include \"a.glsl\"\n");

        write("shaders/include/b.glsl", "\n#include \"gone.glsl\"\n");
        let message = format!("{:#}", Sources::read(folder.path(), &module).unwrap_err());
        assert!(message.contains("shaders/include/gone.glsl"), "{message}");
        assert!(message.contains("shaders/include/b.glsl:2"), "{message}");

        module.source = "gone.comp".into();
        assert!(Sources::read(folder.path(), &module).is_err());
    }

    #[test]
    fn hash_is_the_known_one() {
        assert_eq!(
            sha256(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
