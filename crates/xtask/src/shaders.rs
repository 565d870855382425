//! `cargo xtask shaders`: builds the shader compiler and runs it.
//!
//! Debian's shaderc does not link as it comes: the shared library has undefined symbols, and the "combined" archive
//! lacks glslang and SPIRV-Tools. Joining the static archives of the three packages gives one that links in seconds,
//! where building shaderc from source takes ten minutes; `.cargo/config.toml` points shaderc's build script at it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::run::{cargo, run};

/// Archives without which nothing links, and archives that some versions of the packages fold into others.
const ARCHIVES: [(&str, Presence); 10] = [
    ("shaderc_combined", Presence::Needed),
    ("glslang", Presence::Needed),
    ("MachineIndependent", Presence::Optional),
    ("GenericCodeGen", Presence::Optional),
    ("OSDependent", Presence::Optional),
    ("SPIRV", Presence::Needed),
    ("HLSL", Presence::Optional),
    ("OGLCompiler", Presence::Optional),
    ("SPIRV-Tools-opt", Presence::Needed),
    ("SPIRV-Tools", Presence::Needed),
];

/// Whether an archive must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    Needed,
    Optional,
}

/// Compiles what changed, or with `is_check` fails where a committed module is not what its sources give.
///
/// The packages must be there; [`crate::setup`] sees to that.
pub(crate) fn compile(root: &Path, is_check: bool) -> anyhow::Result<()> {
    join_archives(root)?;
    let mut command = cargo(root);
    command
        .args(["run", "--quiet", "--package", "shader-compiler", "--", "--root"])
        .arg(root);
    if is_check {
        command.arg("--check");
    }
    run(&mut command)
}

/// Makes `target/shaderc/libshaderc_combined.a`, unless it is there and its parts are unchanged.
pub(crate) fn join_archives(root: &Path) -> anyhow::Result<()> {
    let parts = find_archives(&library_folders())?;
    let folder = root.join("target/shaderc");
    let archive = folder.join("libshaderc_combined.a");
    let stamp = folder.join("parts.txt");
    let description = describe(&parts)?;
    if archive.is_file() && std::fs::read_to_string(&stamp).is_ok_and(|old| old == description) {
        return Ok(());
    }
    eprintln!(
        "joining {} static archives into {}",
        parts.len(),
        archive.display()
    );
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    // The script names its output without a folder, because `ar` scripts know no quoting.
    let temporary = format!("joining-{}.a", std::process::id());
    let mut child = Command::new("ar")
        .arg("-M")
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .spawn()
        .context("cannot start `ar` (Debian package binutils); `cargo xtask setup` installs it")?;
    child
        .stdin
        .take()
        .context("`ar -M` took no script")?
        .write_all(script(&temporary, &parts).as_bytes())
        .context("`ar -M` did not read its script")?;
    let status = child.wait().context("`ar -M` did not end")?;
    if !status.success() {
        bail!("`ar -M` could not join the shaderc archives ({status})");
    }
    std::fs::rename(folder.join(&temporary), &archive)
        .with_context(|| format!("cannot put {} in place", archive.display()))?;
    // Cargo does not watch the archive: what was linked from an older one, or from a build without one, must go.
    run(cargo(root).args(["clean", "--quiet", "--package", "shaderc-sys"]))?;
    std::fs::write(&stamp, description).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Whether all archives that are needed are here.
pub(crate) fn has_archives() -> bool {
    find_archives(&library_folders()).is_ok()
}

/// Folders in which Debian and its kin keep static archives.
fn library_folders() -> Vec<PathBuf> {
    let architecture = std::env::consts::ARCH;
    vec![
        PathBuf::from(format!("/usr/lib/{architecture}-linux-gnu")),
        PathBuf::from("/usr/lib"),
    ]
}

/// Finds each archive in the first folder that has it.
fn find_archives(folders: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for (name, presence) in ARCHIVES {
        let file = format!("lib{name}.a");
        match folders
            .iter()
            .map(|folder| folder.join(&file))
            .find(|path| path.is_file())
        {
            Some(path) => found.push(path),
            None if presence == Presence::Optional => {}
            None => {
                let places: Vec<String> = folders
                    .iter()
                    .map(|folder| folder.display().to_string())
                    .collect();
                bail!(
                    "{file} is in none of {}; `cargo xtask setup` installs the packages that hold it \
                     (libshaderc-dev, glslang-dev, spirv-tools)",
                    places.join(", ")
                );
            }
        }
    }
    Ok(found)
}

/// Path, size and time of each archive: what must be the same for the joined archive to be current.
fn describe(parts: &[PathBuf]) -> anyhow::Result<String> {
    let mut text = String::new();
    for path in parts {
        let metadata = path
            .metadata()
            .with_context(|| format!("cannot look at {}", path.display()))?;
        let modified = metadata
            .modified()
            .with_context(|| format!("{} has no time", path.display()))?;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} {} {modified:?}", path.display(), metadata.len());
    }
    Ok(text)
}

/// The script for `ar -M`.
fn script(output: &str, parts: &[PathBuf]) -> String {
    let mut script = format!("CREATE {output}\n");
    for path in parts {
        let _ = writeln!(script, "ADDLIB {}", path.display());
    }
    script + "SAVE\nEND\n"
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    #[test]
    fn script_joins_in_order() {
        assert_eq!(
            script("out.a", &["/l/a.a".into(), "/l/b.a".into()]),
            "CREATE out.a\nADDLIB /l/a.a\nADDLIB /l/b.a\nSAVE\nEND\n"
        );
    }

    #[test]
    fn optional_archives_may_be_missing_and_needed_ones_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let folders = [folder.path().to_owned()];
        for (name, presence) in ARCHIVES {
            if presence == Presence::Needed {
                std::fs::write(folder.path().join(format!("lib{name}.a")), b"!<arch>\n").unwrap();
            }
        }
        let found = find_archives(&folders).unwrap();
        assert_eq!(found.len(), 5);
        assert_eq!(describe(&found).unwrap().lines().count(), 5);

        std::fs::remove_file(folder.path().join("libglslang.a")).unwrap();
        let message = find_archives(&folders).unwrap_err().to_string();
        assert!(
            message.contains("libglslang.a") && message.contains("glslang-dev"),
            "{message}"
        );
    }
}
