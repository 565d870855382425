//! Tells whether the committed modules are what their sources give, without writing anything.
//!
//! Hashes of the sources decide; where the compiler is the recorded one the modules are compiled again and compared
//! byte by byte as well. Another compiler may give other bytes for good reasons, so that is reported and not failed.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context;
use shaderc::Compiler;

use crate::HOW_TO_RENEW;
use crate::compile::compile;
use crate::list::{self, Module};
use crate::record::{self, ModuleRecord, Record, sources_hash, spv_path};
use crate::sources::{INCLUDE_FOLDER, Sources, sha256};
use crate::update::compiled_names;
use crate::validate::validate;

/// Folders below the workspace root whose files are not sources of their own.
const NO_SOURCES: [&str; 2] = [INCLUDE_FOLDER, record::FOLDER];
/// Endings of files that may lie among the sources without being one.
const NO_SOURCE_ENDINGS: [&str; 2] = ["toml", "md"];

/// Checks every module; prints each problem and returns whether there was none.
pub(crate) fn run(root: &Path, modules: &[Module], compiler_name: &str) -> anyhow::Result<bool> {
    let record = Record::read(root)?.unwrap_or_else(|| Record::new(compiler_name));
    let mut problems = Vec::new();
    for module in modules {
        match record.modules.get(&module.name) {
            Some(recorded) => problems.extend(stale(root, module, recorded)?),
            None => problems.push(format!(
                "module `{}` is listed but was never compiled",
                module.name
            )),
        }
    }
    problems.extend(unlisted(root, modules, &record)?);

    let is_recorded_compiler = record.compiler == compiler_name;
    if is_recorded_compiler && problems.is_empty() {
        problems.extend(recompile(root, modules)?);
    }
    for problem in &problems {
        eprintln!("error: {problem}; {HOW_TO_RENEW}");
    }
    if problems.is_empty() {
        if is_recorded_compiler {
            eprintln!(
                "{} modules are fresh, and compile to the same bytes ({compiler_name})",
                modules.len()
            );
        } else {
            eprintln!(
                "{} modules are fresh by the hashes of their sources; bytes were not compared, because this \
                 compiler ({compiler_name}) is not the recorded one ({})",
                modules.len(),
                record.compiler
            );
        }
    }
    Ok(problems.is_empty())
}

/// Ways in which a recorded module differs from what is on disk now.
fn stale(root: &Path, module: &Module, recorded: &ModuleRecord) -> anyhow::Result<Vec<String>> {
    let name = &module.name;
    let files = Sources::read(root, module)?.file_hashes();
    let mut problems = Vec::new();
    if sources_hash(module, &files) != recorded.sources_sha256 {
        let changed: Vec<&str> = files
            .iter()
            .filter(|&(path, hash)| recorded.files.get(path) != Some(hash))
            .map(|(p, _)| &**p)
            .collect();
        let dropped = recorded
            .files
            .keys()
            .filter(|&path| !files.contains_key(path))
            .map(|path| &**path);
        let all: Vec<&str> = changed.into_iter().chain(dropped).collect();
        problems.push(if all.is_empty() {
            format!(
                "{}: module `{name}` was compiled with other options, stage or defines",
                list::PATH
            )
        } else {
            format!("{}: changed since module `{name}` was compiled", all.join(", "))
        });
    }
    match std::fs::read(root.join(spv_path(name))) {
        Ok(spv) if sha256(&spv) == recorded.spv_sha256 => {}
        Ok(_) => problems.push(format!(
            "{}: is not the module that {} records",
            spv_path(name),
            record::PATH
        )),
        Err(error) => problems.push(format!("{}: cannot be read ({error})", spv_path(name))),
    }
    Ok(problems)
}

/// Compiled files, recorded modules and shader sources that the list does not name.
fn unlisted(root: &Path, modules: &[Module], record: &Record) -> anyhow::Result<Vec<String>> {
    let names: BTreeSet<&str> = modules.iter().map(|module| module.name.as_str()).collect();
    let mut compiled = compiled_names(root)?;
    compiled.extend(record.modules.keys().cloned());
    let mut problems: Vec<String> = compiled
        .iter()
        .filter(|name| !names.contains(name.as_str()))
        .map(|name| {
            format!(
                "{}: no module of this name is listed in {}",
                spv_path(name),
                list::PATH
            )
        })
        .collect();
    let sources: BTreeSet<String> = modules
        .iter()
        .map(|module| format!("shaders/{}", module.source))
        .collect();
    for path in source_files(root)? {
        if !sources.contains(&path) {
            problems.push(format!("{path}: no module of {} is made from it", list::PATH));
        }
    }
    Ok(problems)
}

/// Paths below the workspace root of all files that should be the source of a module.
fn source_files(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut pending = vec!["shaders".to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(root.join(&folder)).with_context(|| format!("cannot list {folder}"))? {
            let entry = entry.with_context(|| format!("cannot list {folder}"))?;
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            let is_folder = entry
                .file_type()
                .with_context(|| format!("cannot look at {path}"))?
                .is_dir();
            if is_folder && !NO_SOURCES.contains(&path.as_str()) {
                pending.push(path);
            } else if !is_folder
                && !NO_SOURCE_ENDINGS
                    .iter()
                    .any(|ending| path.ends_with(&format!(".{ending}")))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Compiles every module and compares with the committed bytes.
fn recompile(root: &Path, modules: &[Module]) -> anyhow::Result<Vec<String>> {
    let compiler = Compiler::new().context("shaderc gave no compiler object")?;
    let mut problems = Vec::new();
    for module in modules {
        let spv = compile(&compiler, module, &Sources::read(root, module)?)?;
        let path = spv_path(&module.name);
        validate(&path, &spv)?;
        if std::fs::read(root.join(&path)).with_context(|| format!("cannot read {path}"))? != spv {
            problems.push(format!(
                "{path}: the recorded compiler gives other bytes for the same sources"
            ));
        }
    }
    Ok(problems)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;
    use crate::list::Stage;
    use crate::update;

    const SOURCE: &str = "#version 450\n#include \"n.glsl\"\nlayout(local_size_x = N) in;\nvoid main() {}\n";

    fn project() -> (tempfile::TempDir, Vec<Module>) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("shaders/include")).unwrap();
        std::fs::write(folder.path().join("shaders/include/n.glsl"), "#define N 4\n").unwrap();
        std::fs::write(folder.path().join("shaders/a.comp"), SOURCE).unwrap();
        let module = Module {
            name: "a".into(),
            source: "a.comp".into(),
            stage: Stage::Compute,
            defines: Vec::new(),
        };
        let modules = vec![module];
        assert!(update::run(folder.path(), &modules, "this").unwrap());
        (folder, modules)
    }

    fn problems_of(root: &Path, module: &Module) -> String {
        let record = Record::read(root).unwrap().unwrap();
        stale(root, module, &record.modules[&module.name])
            .unwrap()
            .join("\n")
    }

    #[test]
    fn a_changed_include_is_named() {
        let (folder, modules) = project();
        std::fs::write(folder.path().join("shaders/include/n.glsl"), "#define N 8\n").unwrap();
        assert!(problems_of(folder.path(), &modules[0]).starts_with("shaders/include/n.glsl: changed"));
        assert!(!run(folder.path(), &modules, "this").unwrap());
        assert!(
            !run(folder.path(), &modules, "another").unwrap(),
            "the hash decides, whichever the compiler"
        );
    }

    #[test]
    fn changed_defines_are_told_from_changed_files() {
        let (folder, mut modules) = project();
        modules[0].defines.push("X".into());
        assert!(problems_of(folder.path(), &modules[0]).contains("other options, stage or defines"));
    }

    #[test]
    fn a_module_that_was_edited_by_hand_fails() {
        let (folder, modules) = project();
        std::fs::write(folder.path().join(spv_path("a")), b"not a module").unwrap();
        assert!(problems_of(folder.path(), &modules[0]).contains("is not the module"));
        std::fs::remove_file(folder.path().join(spv_path("a"))).unwrap();
        assert!(problems_of(folder.path(), &modules[0]).contains("cannot be read"));
    }

    #[test]
    fn bytes_are_compared_with_the_recorded_compiler_only() {
        let (folder, modules) = project();
        let forged = b"forged".as_slice();
        std::fs::write(folder.path().join(spv_path("a")), forged).unwrap();
        let mut record = Record::read(folder.path()).unwrap().unwrap();
        record.modules.get_mut("a").unwrap().spv_sha256 = sha256(forged);
        std::fs::write(folder.path().join(record::PATH), record.to_json().unwrap()).unwrap();
        assert!(!run(folder.path(), &modules, "this").unwrap());
        assert!(run(folder.path(), &modules, "another").unwrap());
    }

    #[test]
    fn a_source_that_nobody_compiles_is_named() {
        let (folder, modules) = project();
        std::fs::write(folder.path().join("shaders/forgotten.frag"), SOURCE).unwrap();
        let record = Record::read(folder.path()).unwrap().unwrap();
        let problems = unlisted(folder.path(), &modules, &record).unwrap();
        assert_eq!(problems.len(), 1);
        assert!(problems[0].starts_with("shaders/forgotten.frag"), "{problems:?}");
    }
}
