//! Compiles what is listed and writes what changed.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context;
use shaderc::Compiler;

use crate::compile::compile;
use crate::list::Module;
use crate::record::{FOLDER, ModuleRecord, PATH, Record, spv_path};
use crate::sources::Sources;
use crate::validate::validate;

/// Compiles every module and brings `shaders/spv/` up to date; returns whether all of them compiled.
///
/// A module that fails keeps its old file and its old record (which [`crate::check`] then reports as stale), so that
/// one broken shader does not stand in the way of another that is being worked on.
pub(crate) fn run(root: &Path, modules: &[Module], compiler_name: &str) -> anyhow::Result<bool> {
    std::fs::create_dir_all(root.join(FOLDER)).with_context(|| format!("cannot create {FOLDER}"))?;
    let old = Record::read(root).unwrap_or_else(|error| {
        eprintln!("note: {error:#}; starting a new record");
        None
    });
    let compiler = Compiler::new().context("shaderc gave no compiler object")?;
    let mut record = Record::new(compiler_name);
    let (mut written_count, mut failed_count) = (0, 0);
    for module in modules {
        let compiled = Sources::read(root, module)
            .and_then(|sources| Ok((compile(&compiler, module, &sources)?, sources)))
            .and_then(|(spv, sources)| {
                validate(&spv_path(&module.name), &spv)?;
                let is_written = write_if_changed(root, &spv_path(&module.name), &spv)?;
                Ok((ModuleRecord::new(module, &sources, &spv), is_written))
            });
        match compiled {
            Ok((module_record, is_written)) => {
                if is_written {
                    written_count += 1;
                    eprintln!("{}: {} bytes", spv_path(&module.name), module_record.spv_bytes);
                }
                record.modules.insert(module.name.clone(), module_record);
            }
            Err(error) => {
                failed_count += 1;
                eprintln!("{error:#}");
                eprintln!(
                    "error: module `{}` did not compile; its old file is kept",
                    module.name
                );
                let kept = old.as_ref().and_then(|old| old.modules.get(&module.name));
                record
                    .modules
                    .extend(kept.map(|kept| (module.name.clone(), kept.clone())));
            }
        }
    }
    remove_unlisted(root, modules)?;
    write_if_changed(root, PATH, record.to_json()?.as_bytes())?;
    eprintln!(
        "{} modules: {written_count} written, {} unchanged, {failed_count} failed ({compiler_name})",
        modules.len(),
        modules.len() - written_count - failed_count,
    );
    Ok(failed_count == 0)
}

/// Removes compiled files that no module of the list gives.
fn remove_unlisted(root: &Path, modules: &[Module]) -> anyhow::Result<()> {
    let names: BTreeSet<&str> = modules.iter().map(|module| module.name.as_str()).collect();
    for name in compiled_names(root)? {
        if !names.contains(name.as_str()) {
            let path = spv_path(&name);
            std::fs::remove_file(root.join(&path)).with_context(|| format!("cannot remove {path}"))?;
            eprintln!("{path}: removed, no module of this name is listed");
        }
    }
    Ok(())
}

/// Names of the compiled files that are there.
pub(crate) fn compiled_names(root: &Path) -> anyhow::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let entries = match std::fs::read_dir(root.join(FOLDER)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(names),
        Err(error) => return Err(error).with_context(|| format!("cannot list {FOLDER}")),
    };
    for entry in entries {
        let file_name = entry
            .with_context(|| format!("cannot list {FOLDER}"))?
            .file_name();
        names.extend(
            file_name
                .to_str()
                .and_then(|name| name.strip_suffix(".spv"))
                .map(str::to_owned),
        );
    }
    Ok(names)
}

/// Writes a file through a temporary one, so that an interrupted run leaves the old file whole; leaves an equal file
/// alone, so that nothing that depends on it is rebuilt. Returns whether it wrote.
fn write_if_changed(root: &Path, path: &str, bytes: &[u8]) -> anyhow::Result<bool> {
    let target = root.join(path);
    if std::fs::read(&target).is_ok_and(|old| old == bytes) {
        return Ok(false);
    }
    let temporary = root.join(format!("{path}.{}.spv.tmp", std::process::id()));
    std::fs::write(&temporary, bytes).with_context(|| format!("cannot write {}", temporary.display()))?;
    std::fs::rename(&temporary, &target).with_context(|| format!("cannot put {path} in place"))?;
    Ok(true)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;
    use crate::check;
    use crate::list::Stage;

    const GOOD: &str = "#version 450\n#include \"n.glsl\"\nlayout(local_size_x = N) in;\nvoid main() {}\n";

    fn module(name: &str) -> Module {
        Module {
            name: name.into(),
            source: format!("{name}.comp"),
            stage: Stage::Compute,
            defines: Vec::new(),
        }
    }

    /// A folder with the modules `a` and `b`, both good.
    fn project() -> (tempfile::TempDir, Vec<Module>) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("shaders/include")).unwrap();
        std::fs::write(folder.path().join("shaders/include/n.glsl"), "#define N 4\n").unwrap();
        for name in ["a", "b"] {
            std::fs::write(folder.path().join(format!("shaders/{name}.comp")), GOOD).unwrap();
        }
        (folder, vec![module("a"), module("b")])
    }

    #[test]
    fn what_was_compiled_checks_clean_and_is_written_once() {
        let (folder, modules) = project();
        assert!(run(folder.path(), &modules, "this").unwrap());
        assert!(check::run(folder.path(), &modules, "this").unwrap());
        let spv = folder.path().join(spv_path("a"));
        let time = std::fs::metadata(&spv).unwrap().modified().unwrap();
        assert!(run(folder.path(), &modules, "this").unwrap());
        assert_eq!(time, std::fs::metadata(&spv).unwrap().modified().unwrap());
    }

    #[test]
    fn a_broken_module_keeps_its_file_and_the_others_are_written() {
        let (folder, modules) = project();
        assert!(run(folder.path(), &modules, "this").unwrap());
        let old = std::fs::read(folder.path().join(spv_path("a"))).unwrap();
        std::fs::write(
            folder.path().join("shaders/a.comp"),
            "#version 450\nvoid main() { x }\n",
        )
        .unwrap();
        std::fs::write(
            folder.path().join("shaders/b.comp"),
            GOOD.replace("{}", "{ uint x = 1; }"),
        )
        .unwrap();
        let old_b = std::fs::read(folder.path().join(spv_path("b"))).unwrap();
        assert!(!run(folder.path(), &modules, "this").unwrap());
        assert_eq!(old, std::fs::read(folder.path().join(spv_path("a"))).unwrap());
        assert_ne!(old_b, std::fs::read(folder.path().join(spv_path("b"))).unwrap());
        assert!(!check::run(folder.path(), &modules, "this").unwrap());
    }

    #[test]
    fn a_module_that_is_no_longer_listed_goes() {
        let (folder, mut modules) = project();
        assert!(run(folder.path(), &modules, "this").unwrap());
        modules.pop();
        assert!(!check::run(folder.path(), &modules, "this").unwrap());
        assert!(run(folder.path(), &modules, "this").unwrap());
        assert!(!folder.path().join(spv_path("b")).exists());
        std::fs::remove_file(folder.path().join("shaders/b.comp")).unwrap();
        assert!(check::run(folder.path(), &modules, "this").unwrap());
    }
}
