//! `cargo xtask setup`: finds what this machine lacks, installs it, and shows what programs will then find.
//!
//! Each requirement is looked for by what it does (a driver that answers, an archive that is there), not by a package
//! being installed: a machine with its own GPU driver or a Vulkan SDK needs no package.
//! A second run with everything in place takes well under a second.

use std::path::{Path, PathBuf};

use anyhow::bail;

use crate::distribution::Distribution;
use crate::vulkan::{
    Device, Environment, Found, Probe, has_chromium_files, has_distribution_layer, package_version,
};
use crate::{apt, model, run, shaders};

/// What the machine is to be made ready for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// All that any command needs.
    Everything,
    /// The tests: two drivers, two validation layers, the shader compiler.
    Tests,
    /// The demo: any device, and if possible a way to fetch the model.
    Demo,
    /// Building the importer.
    Import,
    /// Compiling shaders.
    Shaders,
    /// Fetching the model.
    Model,
}

/// Something that must be there, and the packages that bring it.
#[derive(Debug)]
struct Requirement {
    what: &'static str,
    why: &'static str,
    packages: &'static [&'static str],
    /// Whether there is no going on without it.
    is_needed: bool,
    is_there: fn(&Machine) -> bool,
}

/// What was seen of the machine.
#[derive(Debug)]
struct Machine {
    /// Root of the workspace, for what is kept below its `target/`.
    root: PathBuf,
    /// The loader's answer; `None` where there is no loader, or none was asked for.
    probe: Option<Probe>,
}

const LOADER: Requirement = Requirement {
    what: "Vulkan loader",
    why: "every program finds its driver through it",
    packages: &["libvulkan1"],
    is_needed: true,
    is_there: |machine| machine.probe.is_some(),
};
const ANY_DEVICE: Requirement = Requirement {
    what: "a Vulkan 1.3 device",
    why: "there is no GPU driver, so Mesa's software driver (lavapipe) computes and draws",
    packages: &["mesa-vulkan-drivers"],
    is_needed: true,
    is_there: |machine| machine.devices(Device::is_new_enough),
};
const LAVAPIPE: Requirement = Requirement {
    what: "lavapipe",
    why: "the software driver that the tests and gold images run on",
    packages: &["mesa-vulkan-drivers"],
    is_needed: true,
    is_there: |machine| machine.devices(Device::is_lavapipe),
};
const DISTRIBUTION_LAYER: Requirement = Requirement {
    what: "validation layer of the distribution",
    why: "checks every call that the tests make",
    packages: &["vulkan-validationlayers"],
    is_needed: true,
    is_there: |_| has_distribution_layer(),
};
const CHROMIUM_FILES: Requirement = Requirement {
    what: "SwiftShader and the newest validation layer",
    why: "a second, poorer driver, and a layer that sees missing barriers between dispatches; Chromium brings both",
    packages: &["chromium-common"],
    is_needed: true,
    is_there: |_| has_chromium_files(),
};
const SHADERC: Requirement = Requirement {
    what: "shaderc",
    why: "compiles GLSL",
    packages: &["libshaderc-dev", "glslang-dev", "spirv-tools"],
    is_needed: true,
    is_there: |_| shaders::has_archives(),
};
const CPP: Requirement = Requirement {
    what: "C++ compiler",
    why: "builds the readers of FBX (ufbx) and of compressed glTF (meshoptimizer); shaderc is C++ too",
    packages: &["g++"],
    is_needed: true,
    is_there: |_| run::is_in_path("c++"),
};
const BINUTILS: Requirement = Requirement {
    what: "ar",
    why: "joins shaderc's archives",
    packages: &["binutils"],
    is_needed: true,
    is_there: |_| run::is_in_path("ar"),
};
const PIP: Requirement = Requirement {
    what: "pip",
    why: "fetches the model of the demo, which has a generated head where it cannot",
    packages: &["python3-pip"],
    is_needed: false,
    is_there: |machine| model::is_here(&machine.root) || model::pip().is_some(),
};

impl Machine {
    fn look(root: &Path, purpose: Purpose, environment: &Environment) -> Self {
        let is_asked = !matches!(purpose, Purpose::Import | Purpose::Shaders | Purpose::Model);
        Self {
            root: root.to_owned(),
            probe: is_asked.then(|| Probe::ask(environment, false).ok()).flatten(),
        }
    }

    fn devices(&self, wanted: impl Fn(&Device) -> bool) -> bool {
        self.probe
            .as_ref()
            .is_some_and(|probe| probe.devices.iter().any(wanted))
    }
}

/// What a purpose needs on a distribution.
fn requirements(purpose: Purpose, distribution: Distribution) -> Vec<Requirement> {
    let mut list = match purpose {
        Purpose::Everything => {
            vec![
                LOADER,
                LAVAPIPE,
                DISTRIBUTION_LAYER,
                CHROMIUM_FILES,
                SHADERC,
                CPP,
                BINUTILS,
                PIP,
            ]
        }
        Purpose::Tests => vec![
            LOADER,
            LAVAPIPE,
            DISTRIBUTION_LAYER,
            CHROMIUM_FILES,
            SHADERC,
            CPP,
            BINUTILS,
        ],
        Purpose::Demo => vec![LOADER, ANY_DEVICE, CPP, PIP],
        Purpose::Import => vec![CPP],
        Purpose::Shaders => vec![SHADERC, CPP, BINUTILS],
        Purpose::Model => vec![PIP],
    };
    if distribution != Distribution::Debian {
        list.retain(|requirement| requirement.packages != CHROMIUM_FILES.packages);
    }
    list
}

/// Packages of the requirements, each once.
fn packages<'a>(requirements: impl IntoIterator<Item = &'a Requirement>) -> Vec<&'static str> {
    let mut list: Vec<&'static str> = Vec::new();
    for package in requirements
        .into_iter()
        .flat_map(|requirement| requirement.packages)
    {
        if !list.contains(package) {
            list.push(package);
        }
    }
    list
}

/// Makes the machine ready, and returns the environment for programs that use Vulkan.
///
/// # Errors
/// Where something needed is missing and cannot be installed, with the line that would install it; with `is_check`
/// where anything needed is missing.
pub(crate) fn prepare(root: &Path, purpose: Purpose, is_check: bool) -> anyhow::Result<Environment> {
    let distribution = Distribution::of_this_machine();
    let requirements = requirements(purpose, distribution);
    let look = || -> anyhow::Result<(Environment, Vec<&Requirement>)> {
        let environment = Found::look(root)?.environment();
        let machine = Machine::look(root, purpose, &environment);
        let missing = requirements
            .iter()
            .filter(|requirement| !(requirement.is_there)(&machine))
            .collect();
        Ok((environment, missing))
    };
    let (environment, missing) = look()?;
    if missing.is_empty() {
        println!("setup: nothing is missing");
        return Ok(environment);
    }
    println!("setup: missing on this machine ({distribution}):");
    for requirement in &missing {
        println!(
            "  {} ({}): {}",
            requirement.what,
            requirement.packages.join(" "),
            requirement.why
        );
    }
    if is_check {
        bail!(
            "{} of {} requirements are missing; `cargo xtask setup` installs them",
            missing.len(),
            requirements.len()
        );
    }
    let (needed, optional): (Vec<&Requirement>, Vec<&Requirement>) =
        missing.into_iter().partition(|requirement| requirement.is_needed);
    if !needed.is_empty() {
        apt::install(&packages(needed))?;
    }
    if !optional.is_empty()
        && let Err(error) = apt::install(&packages(optional))
    {
        println!("  note: {error:#}; going on without");
    }
    let (environment, missing) = look()?;
    let still: Vec<&str> = missing
        .iter()
        .filter(|requirement| requirement.is_needed)
        .map(|requirement| requirement.what)
        .collect();
    if !still.is_empty() {
        bail!("installed, and yet not found: {}", still.join(", "));
    }
    Ok(environment)
}

/// Shows what programs will find, and checks that the loader really takes the layer and the second driver.
pub(crate) fn report(root: &Path) -> anyhow::Result<()> {
    let found = Found::look(root)?;
    if let Some(problem) = &found.layer_problem {
        bail!("Chromium's validation layer is here and cannot be used: {problem}");
    }
    let probe = Probe::ask(&found.environment(), found.newest_layer.is_some())?;
    println!("  Vulkan loader {}", probe.loader);
    for device in &probe.devices {
        println!(
            "  device {}, Vulkan {}, {}",
            device.name, device.version, device.driver
        );
    }
    match &found.newest_layer {
        Some((version, folder)) if probe.layer == Some(*version) => {
            println!("  validation layer {version}, from {}", folder.display());
        }
        Some((version, folder)) => {
            let taken = probe.layer.map_or("none".to_owned(), |layer| layer.to_string());
            bail!(
                "validation layer {version} in {} is not what the loader takes: {taken}",
                folder.display()
            );
        }
        None => println!("  no validation layer"),
    }
    if let Some((version, folder)) = &found.distribution_layer
        && found.newest_layer != found.distribution_layer
    {
        println!(
            "  older validation layer {version}, from {}, for tests that ask for it",
            folder.display()
        );
    }
    match &found.swiftshader {
        Some(manifest) if !probe.devices.iter().any(Device::is_swiftshader) => {
            bail!(
                "SwiftShader is here ({}), but the loader does not list it",
                manifest.display()
            );
        }
        Some(_) => {
            let version =
                package_version("chromium-common").unwrap_or_else(|| "of unknown version".to_owned());
            println!("  SwiftShader and that layer are from chromium-common {version}");
        }
        None => println!(
            "  missing nets: no SwiftShader (the second driver) and no recent validation layer, which sees missing \
             barriers between dispatches; Debian's chromium-common has both, Ubuntu ships Chromium as a snap without"
        ),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vulkan::Version;

    #[test]
    fn debian_gets_both_drivers_and_both_layers() {
        assert_eq!(
            packages(&requirements(Purpose::Everything, Distribution::Debian)),
            [
                "libvulkan1",
                "mesa-vulkan-drivers",
                "vulkan-validationlayers",
                "chromium-common",
                "libshaderc-dev",
                "glslang-dev",
                "spirv-tools",
                "g++",
                "binutils",
                "python3-pip"
            ]
        );
    }

    #[test]
    fn other_distributions_are_not_asked_for_what_they_do_not_have() {
        for distribution in [Distribution::Ubuntu, Distribution::Other] {
            let list = packages(&requirements(Purpose::Tests, distribution));
            assert!(!list.contains(&"chromium-common"), "{list:?}");
            assert!(list.contains(&"mesa-vulkan-drivers"), "{list:?}");
        }
    }

    #[test]
    fn the_demo_takes_any_device_that_is_new_enough() {
        let machine = |name: &str, version| Machine {
            root: PathBuf::new(),
            probe: Some(Probe {
                loader: Version(1, 3, 239),
                devices: vec![Device {
                    name: name.into(),
                    version,
                    driver: String::new(),
                }],
                layer: None,
            }),
        };
        assert!((ANY_DEVICE.is_there)(&machine("a real GPU", Version(1, 4, 312))));
        assert!(!(ANY_DEVICE.is_there)(&machine("an old GPU", Version(1, 1, 0))));
        assert!(!(LAVAPIPE.is_there)(&machine("a real GPU", Version(1, 4, 312))));
        assert!((LAVAPIPE.is_there)(&machine(
            "llvmpipe (LLVM 15)",
            Version(1, 3, 230)
        )));
        let none = Machine {
            root: PathBuf::new(),
            probe: None,
        };
        assert!(!(LOADER.is_there)(&none) && !(ANY_DEVICE.is_there)(&none));
    }

    #[test]
    fn packages_are_named_once() {
        assert_eq!(
            packages(&[LAVAPIPE, ANY_DEVICE, LOADER]),
            ["mesa-vulkan-drivers", "libvulkan1"]
        );
    }
}
