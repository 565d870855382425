//! Which compiler this is.
//!
//! Two builds of shaderc may give different bytes for one source, so bytes are only compared where the compiler is
//! the recorded one. The library does not say its own version; on Debian and its kin the versions of the packages
//! that it was linked from do: the front end is glslang's, the back end SPIRV-Tools', shaderc joins them.

use std::process::Command;

/// Packages whose code the program is linked from.
const PACKAGES: [&str; 3] = ["libshaderc-dev", "glslang-dev", "spirv-tools"];

/// Names the compiler: package versions where the package manager knows them, else the SPIR-V version and revision
/// that the library was built for, which is all it tells.
pub(crate) fn compiler() -> String {
    let versions: Option<Vec<String>> = PACKAGES.iter().map(|package| package_version(package)).collect();
    if let Some(versions) = versions {
        return versions.join(", ");
    }
    let (version, revision) = shaderc::get_spirv_version();
    format!("shaderc for SPIR-V {version:#x} revision {revision}")
}

/// `name version` of an installed Debian package.
fn package_version(package: &str) -> Option<String> {
    let output = Command::new("dpkg-query")
        .args(["--show", "--showformat=${db:Status-Abbrev}|${Version}", package])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let version = installed_version(&text)?;
    Some(format!("{package} {version}"))
}

/// Version in dpkg-query's answer, if the package is installed and not merely known.
fn installed_version(answer: &str) -> Option<&str> {
    let (status, version) = answer.split_once('|')?;
    let is_installed = status.trim() == "ii";
    (is_installed && !version.is_empty()).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_installed_packages_count() {
        assert_eq!(installed_version("ii |2023.2-1"), Some("2023.2-1"));
        assert_eq!(installed_version("rc |2023.2-1"), None);
        assert_eq!(installed_version(""), None);
    }

    #[test]
    fn names_itself() {
        assert!(!compiler().is_empty());
    }
}
