//! The Vulkan loader, drivers and validation layers of this machine, and the environment that makes programs use them.
//!
//! Two files of Debian's Chromium package matter beside the distribution's own Vulkan: SwiftShader, a second software
//! driver that lacks most optional features, and a validation layer years newer than the distribution's, which comes
//! without the manifest that the loader needs. The manifest is written here, from what the library says of itself.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::{Value, json};

use crate::run::answer;

/// Folder in which Debian's Chromium package puts SwiftShader and its validation layer.
const CHROMIUM: &str = "/usr/lib/chromium";
/// Manifest of SwiftShader in Chromium's folder.
const SWIFTSHADER_MANIFEST: &str = "vk_swiftshader_icd.json";
/// Library of the validation layer in Chromium's folder.
const LAYER_LIBRARY: &str = "libVkLayer_khronos_validation.so";
/// Folders in which distributions put manifests of explicit layers.
const LAYER_FOLDERS: [&str; 4] = [
    "/usr/share/vulkan/explicit_layer.d",
    "/usr/local/share/vulkan/explicit_layer.d",
    "/etc/vulkan/explicit_layer.d",
    "/usr/local/etc/vulkan/explicit_layer.d",
];
/// Name of the validation layer.
const LAYER_NAME: &str = "VK_LAYER_KHRONOS_validation";

/// A Vulkan version; compares as versions do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(pub(crate) u32, pub(crate) u32, pub(crate) u32);

impl Version {
    /// Reads `major.minor` or `major.minor.patch`.
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| part.parse().ok());
        let version = Self(parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0))?);
        parts.next().is_none().then_some(version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// A device as the loader lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Device {
    pub(crate) name: String,
    pub(crate) version: Version,
    pub(crate) driver: String,
}

impl Device {
    /// Whether this is Mesa's software driver.
    pub(crate) fn is_lavapipe(&self) -> bool {
        self.name.starts_with("llvmpipe")
    }

    /// Whether this is Chromium's software driver.
    pub(crate) fn is_swiftshader(&self) -> bool {
        self.name.starts_with("SwiftShader")
    }

    /// Whether the device has the Vulkan version that this project asks for.
    pub(crate) fn is_new_enough(&self) -> bool {
        self.version >= Version(1, 3, 0)
    }
}

/// What the loader said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Probe {
    pub(crate) loader: Version,
    pub(crate) devices: Vec<Device>,
    /// Version of the validation layer that the loader would take.
    pub(crate) layer: Option<Version>,
}

impl Probe {
    /// Asks the loader in a process of its own, under the given environment.
    pub(crate) fn ask(environment: &Environment, is_validated: bool) -> anyhow::Result<Self> {
        let mut command = own_command("probe-loader")?;
        if is_validated {
            command.arg("--validated");
        }
        environment.apply(&mut command);
        Self::parse(&text_of(&mut command)?)
    }

    /// Reads the lines of [`crate::probe::describe_loader`].
    fn parse(text: &str) -> anyhow::Result<Self> {
        let mut probe = Self {
            loader: Version(0, 0, 0),
            devices: Vec::new(),
            layer: None,
        };
        for line in text.lines() {
            let parts: Vec<&str> = line.split('\t').collect();
            let version =
                |text: &str| Version::parse(text).with_context(|| format!("`{line}` names no version"));
            match parts[..] {
                ["loader", loader] => probe.loader = version(loader)?,
                ["layer", LAYER_NAME, layer] => probe.layer = Some(version(layer)?),
                ["layer", ..] => {}
                ["device", name, device_version, driver, info] => probe.devices.push(Device {
                    name: name.to_owned(),
                    version: version(device_version)?,
                    driver: format!("{driver} {info}").trim().to_owned(),
                }),
                _ => bail!("the loader's description has a line that is not understood: `{line}`"),
            }
        }
        Ok(probe)
    }
}

/// Variables for programs that use Vulkan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Environment(Vec<(&'static str, PathBuf)>);

impl Environment {
    /// Sets the variables for a command.
    pub(crate) fn apply(&self, command: &mut Command) {
        command.envs(self.0.iter().map(|(name, value)| (*name, value)));
    }

    /// The variables as lines for a shell to evaluate.
    pub(crate) fn export_lines(&self) -> String {
        let lines = self
            .0
            .iter()
            .map(|(name, value)| format!("export {name}={}", crate::run::shell_word(value)));
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// What beside the loader was found on the machine, and the manifests written for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Manifest of SwiftShader.
    pub(crate) swiftshader: Option<PathBuf>,
    /// Version of the newest layer and the folder of its manifest.
    pub(crate) newest_layer: Option<(Version, PathBuf)>,
    /// Version of the distribution's layer and the folder of its manifest.
    pub(crate) distribution_layer: Option<(Version, PathBuf)>,
    /// Why Chromium's layer, which is here, cannot be used.
    pub(crate) layer_problem: Option<String>,
}

impl Found {
    /// Looks, and writes manifests below `target/vulkan` where the ones there do not do.
    pub(crate) fn look(root: &Path) -> anyhow::Result<Self> {
        let target = root.join("target/vulkan");
        let distribution_layer = LAYER_FOLDERS
            .iter()
            .find_map(|folder| layer_in(Path::new(folder)));
        let library = Path::new(CHROMIUM).join(LAYER_LIBRARY);
        let chromium_layer = library
            .is_file()
            .then(|| write_layer_manifest(&library, &target.join("layers")));
        let (chromium_layer, layer_problem) = match chromium_layer.transpose() {
            Ok(layer) => (layer, None),
            Err(error) => (None, Some(format!("{error:#}"))),
        };
        Ok(Self {
            swiftshader: swiftshader_manifest(Path::new(CHROMIUM), &target.join("icd.d"))?,
            newest_layer: [chromium_layer, distribution_layer.clone()]
                .into_iter()
                .flatten()
                .max(),
            distribution_layer,
            layer_problem,
        })
    }

    /// Variables that put SwiftShader beside the machine's own drivers and the newest layer before any other.
    pub(crate) fn environment(&self) -> Environment {
        let mut variables = Vec::new();
        if let Some(manifest) = &self.swiftshader {
            variables.push(("VK_ADD_DRIVER_FILES", manifest.clone()));
        }
        if let Some((_, folder)) = &self.newest_layer {
            variables.push(("VK_LAYER_PATH", folder.clone()));
        }
        if let Some((_, folder)) = &self.distribution_layer {
            variables.push(("MORPH_LAYER_DEBIAN", folder.clone()));
        }
        Environment(variables)
    }
}

/// Whether Chromium's two files are here.
pub(crate) fn has_chromium_files() -> bool {
    [SWIFTSHADER_MANIFEST, LAYER_LIBRARY]
        .iter()
        .all(|file| Path::new(CHROMIUM).join(file).is_file())
}

/// Whether the distribution's validation layer is here.
pub(crate) fn has_distribution_layer() -> bool {
    LAYER_FOLDERS
        .iter()
        .any(|folder| layer_in(Path::new(folder)).is_some())
}

/// Version of the validation layer whose manifest lies in a folder.
fn layer_in(folder: &Path) -> Option<(Version, PathBuf)> {
    std::fs::read_dir(folder)
        .ok()?
        .filter_map(Result::ok)
        .filter(|entry| entry.path().extension().is_some_and(|ending| ending == "json"))
        .filter_map(|entry| layer_version(&std::fs::read_to_string(entry.path()).ok()?))
        .max()
        .map(|version| (version, folder.to_owned()))
}

/// Version in a layer manifest, if it is one of the validation layer.
fn layer_version(manifest: &str) -> Option<Version> {
    let manifest: Value = serde_json::from_str(manifest).ok()?;
    let layer = &manifest["layer"];
    (layer["name"] == LAYER_NAME)
        .then(|| Version::parse(layer["api_version"].as_str()?))
        .flatten()
}

/// A manifest of SwiftShader whose library the loader will find: the one in the folder where that is so, else one
/// written to `target`. `None` where SwiftShader is not there.
fn swiftshader_manifest(folder: &Path, target: &Path) -> anyhow::Result<Option<PathBuf>> {
    let manifest = folder.join(SWIFTSHADER_MANIFEST);
    let Ok(text) = std::fs::read_to_string(&manifest) else {
        return Ok(None);
    };
    if driver_library(&manifest, &text).is_some_and(|library| library.is_file()) {
        return Ok(Some(manifest));
    }
    let library = folder.join("libvk_swiftshader.so");
    if !library.is_file() {
        return Ok(None);
    }
    let written = target.join(SWIFTSHADER_MANIFEST);
    write_json(
        &written,
        &json!({
            "file_format_version": "1.0.0",
            "ICD": { "library_path": library, "api_version": "1.3.0" },
        }),
    )?;
    Ok(Some(written))
}

/// Library that a driver's manifest names, by the loader's rule: a path with a slash is absolute or starts at the
/// manifest's folder; a bare name is left to the system's search, which `None` stands for.
fn driver_library(manifest: &Path, text: &str) -> Option<PathBuf> {
    let parsed: Value = serde_json::from_str(text).ok()?;
    let path = parsed["ICD"]["library_path"].as_str()?;
    path.contains('/')
        .then(|| manifest.parent().unwrap_or(Path::new("")).join(path))
}

/// Writes the manifest of a validation layer that comes without one; returns its version and the manifest's folder.
fn write_layer_manifest(library: &Path, folder: &Path) -> anyhow::Result<(Version, PathBuf)> {
    let mut command = own_command("probe-layer")?;
    let description = text_of(command.arg(library)).with_context(|| {
        format!(
            "the validation layer {} does not describe itself",
            library.display()
        )
    })?;
    let (version, manifest) = layer_manifest(library, &description)?;
    write_json(&folder.join("VkLayer_khronos_validation.json"), &manifest)?;
    Ok((version, folder.to_owned()))
}

/// The manifest for a library that described itself by the lines of [`crate::probe::describe_layer`].
fn layer_manifest(library: &Path, description: &str) -> anyhow::Result<(Version, Value)> {
    let mut layer = None;
    let mut extensions = Vec::new();
    for line in description.lines() {
        match line.split('\t').collect::<Vec<_>>()[..] {
            ["layer", LAYER_NAME, version, implementation, text] => {
                layer = Some((version, implementation, text));
            }
            ["layer", ..] => {}
            ["extension", name, version] => extensions.push(json!({ "name": name, "spec_version": version })),
            _ => bail!(
                "{} described itself with a line that is not understood: `{line}`",
                library.display()
            ),
        }
    }
    let Some((version_text, implementation, text)) = layer else {
        bail!("{} does not hold {LAYER_NAME}", library.display());
    };
    let version = Version::parse(version_text)
        .with_context(|| format!("{} says it is of version `{version_text}`", library.display()))?;
    let manifest = json!({
        "file_format_version": "1.2.0",
        "layer": {
            "name": LAYER_NAME,
            "type": "GLOBAL",
            "library_path": library,
            "api_version": version_text,
            "implementation_version": implementation,
            "description": text,
            "instance_extensions": extensions,
        },
    });
    Ok((version, manifest))
}

/// Writes a JSON file, leaving an equal one alone.
fn write_json(path: &Path, value: &Value) -> anyhow::Result<()> {
    let text = format!("{value:#}\n");
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// This program with one of its hidden commands.
fn own_command(name: &str) -> anyhow::Result<Command> {
    let program = std::env::current_exe().context("this program does not know its own path")?;
    let mut command = Command::new(program);
    command.arg(name);
    Ok(command)
}

/// Output of a hidden command; its own message where it fails.
fn text_of(command: &mut Command) -> anyhow::Result<String> {
    let output = command
        .output()
        .context("a hidden command of this tool cannot be started")?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        let last = message
            .lines()
            .rfind(|line| line.starts_with("error: "))
            .unwrap_or("it said nothing");
        bail!("{} ({})", last.trim_start_matches("error: "), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Version of the installed package that the drivers come from, for people to report.
pub(crate) fn package_version(package: &str) -> Option<String> {
    answer(Command::new("dpkg-query").args(["--show", "--showformat=${Version}", package]))
        .filter(|version| !version.is_empty())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        assert_eq!(Version::parse("1.3.239"), Some(Version(1, 3, 239)));
        assert_eq!(Version::parse("1.4"), Some(Version(1, 4, 0)));
        assert!(Version::parse("1.4.9").unwrap() < Version::parse("1.4.10").unwrap());
        for text in ["", "1", "1.x.3", "1.2.3.4"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    #[test]
    fn reads_what_the_loader_says() {
        let probe = Probe::parse(
            "loader\t1.3.239\nlayer\tVK_LAYER_MESA_overlay\t1.3.211\nlayer\tVK_LAYER_KHRONOS_validation\t1.4.364\n\
             device\tllvmpipe (LLVM 15.0.6, 256 bits)\t1.3.230\tllvmpipe\tMesa 22.3.6\n\
             device\tSwiftShader Device\t1.3.0\tSwiftShader driver\t\n",
        )
        .unwrap();
        assert_eq!(probe.loader, Version(1, 3, 239));
        assert_eq!(probe.layer, Some(Version(1, 4, 364)));
        assert!(probe.devices[0].is_lavapipe() && !probe.devices[0].is_swiftshader());
        assert!(probe.devices[1].is_swiftshader() && probe.devices[1].is_new_enough());
        assert_eq!(probe.devices[1].driver, "SwiftShader driver");
        assert!(Probe::parse("device\tone part\n").is_err());
        assert!(Probe::parse("loader\tnew\n").is_err());
    }

    #[test]
    fn driver_libraries_resolve_as_the_loader_resolves_them() {
        let of = |path: &str| {
            driver_library(
                Path::new("/m/icd.json"),
                &format!("{{\"ICD\":{{\"library_path\":\"{path}\"}}}}"),
            )
        };
        assert_eq!(of("./a.so"), Some(PathBuf::from("/m/./a.so")));
        assert_eq!(of("../a.so"), Some(PathBuf::from("/m/../a.so")));
        assert_eq!(of("/l/a.so"), Some(PathBuf::from("/l/a.so")));
        assert_eq!(of("a.so"), None);
        assert_eq!(driver_library(Path::new("/m/icd.json"), "not json"), None);
    }

    #[test]
    fn a_manifest_is_written_only_where_the_one_there_does_not_do() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("written");
        let look = || swiftshader_manifest(folder.path(), &target).unwrap();
        assert_eq!(look(), None);
        let manifest = folder.path().join(SWIFTSHADER_MANIFEST);
        std::fs::write(&manifest, "{\"ICD\":{\"library_path\":\"./elsewhere.so\"}}").unwrap();
        assert_eq!(look(), None);
        std::fs::write(folder.path().join("libvk_swiftshader.so"), "").unwrap();
        let written = look().unwrap();
        assert!(written.starts_with(&target));
        let text = std::fs::read_to_string(&written).unwrap();
        assert_eq!(
            driver_library(&written, &text),
            Some(folder.path().join("libvk_swiftshader.so"))
        );
        std::fs::write(
            &manifest,
            "{\"ICD\":{\"library_path\":\"./libvk_swiftshader.so\"}}",
        )
        .unwrap();
        assert_eq!(look(), Some(manifest));
    }

    #[test]
    fn the_layer_manifest_says_what_the_library_says() {
        let description = "layer\tVK_LAYER_KHRONOS_validation\t1.4.364\t1\tvalidation Layer\n\
                           extension\tVK_EXT_layer_settings\t2\n";
        let (version, manifest) = layer_manifest(Path::new("/l/v.so"), description).unwrap();
        assert_eq!(version, Version(1, 4, 364));
        assert_eq!(manifest["layer"]["library_path"], "/l/v.so");
        assert_eq!(manifest["layer"]["api_version"], "1.4.364");
        assert_eq!(
            manifest["layer"]["instance_extensions"][0]["name"],
            "VK_EXT_layer_settings"
        );
        assert_eq!(layer_version(&manifest.to_string()), Some(version));
        assert!(layer_manifest(Path::new("/l/v.so"), "layer\tother\t1.4.364\t1\tx\n").is_err());
    }

    #[test]
    fn the_newest_layer_goes_first_and_the_other_stays_reachable() {
        let found = Found {
            swiftshader: Some("/c/s.json".into()),
            newest_layer: Some((Version(1, 4, 364), "/t/layers dir".into())),
            distribution_layer: Some((Version(1, 3, 239), "/usr/d".into())),
            layer_problem: None,
        };
        assert_eq!(
            found.environment().export_lines(),
            "export VK_ADD_DRIVER_FILES=/c/s.json\nexport VK_LAYER_PATH='/t/layers dir'\n\
             export MORPH_LAYER_DEBIAN=/usr/d"
        );
        let none = Found {
            swiftshader: None,
            newest_layer: None,
            distribution_layer: None,
            layer_problem: None,
        };
        assert_eq!(none.environment(), Environment::default());
    }

    #[test]
    fn only_the_validation_layer_counts_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| std::fs::write(folder.path().join(file), text).unwrap();
        assert_eq!(layer_in(folder.path()), None);
        write(
            "a.json",
            "{\"layer\":{\"name\":\"VK_LAYER_MESA_overlay\",\"api_version\":\"1.3.1\"}}",
        );
        write("b.json", "damaged");
        assert_eq!(layer_in(folder.path()), None);
        write(
            "c.json",
            "{\"layer\":{\"name\":\"VK_LAYER_KHRONOS_validation\",\"api_version\":\"1.3.239\"}}",
        );
        assert_eq!(
            layer_in(folder.path()),
            Some((Version(1, 3, 239), folder.path().to_owned()))
        );
    }
}
