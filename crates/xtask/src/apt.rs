//! Installing packages with apt-get, as root or through sudo without a password, or saying how a person would.

use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::run::{answer, command_line, is_in_path, run};

/// How this process may install packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rights {
    /// The process is root.
    Root,
    /// `sudo -n` works without a password.
    Sudo,
    /// Neither: a person has to type the line.
    None,
}

impl Rights {
    fn of_this_process() -> Self {
        if answer(Command::new("id").arg("-u")).as_deref() == Some("0") {
            Self::Root
        } else if answer(Command::new("sudo").args(["-n", "true"])).is_some() {
            Self::Sudo
        } else {
            Self::None
        }
    }
}

/// Installs the packages.
///
/// # Errors
/// With the exact line a person would type, where this process may not install, or where installing fails.
pub(crate) fn install(packages: &[&str]) -> anyhow::Result<()> {
    if !is_in_path("apt-get") {
        bail!(
            "this machine has no apt-get, so what is missing must be installed by hand; on Debian or Ubuntu it would \
             be `{}`",
            line_for_a_person(packages)
        );
    }
    let rights = Rights::of_this_process();
    if rights == Rights::None {
        bail!(
            "this user may not install packages; run `{}` and try again",
            line_for_a_person(packages)
        );
    }
    // A fresh machine has no package lists, and old lists name versions that are gone.
    let mut update = apt_get(rights, &["update"]);
    println!("  $ {}", command_line(&update));
    if let Err(error) = run(&mut update) {
        println!("  note: {error:#}; trying with the package lists that are here");
    }
    let mut install = apt_get(rights, &install_arguments(packages));
    println!("  $ {}", command_line(&install));
    run(&mut install).with_context(|| {
        format!(
            "packages could not be installed; the line is `{}`",
            line_for_a_person(packages)
        )
    })
}

/// What apt-get gets to install packages: no questions, nothing that is merely recommended.
fn install_arguments<'a>(packages: &[&'a str]) -> Vec<&'a str> {
    ["install", "--yes", "--no-install-recommends"]
        .into_iter()
        .chain(packages.iter().copied())
        .collect()
}

/// The line a person would type to install the packages.
fn line_for_a_person(packages: &[&str]) -> String {
    format!(
        "sudo apt-get update && sudo apt-get {}",
        install_arguments(packages).join(" ")
    )
}

/// An apt-get call that asks nothing, waits for another one to end, and says little.
fn apt_get(rights: Rights, arguments: &[&str]) -> Command {
    let words = [
        "env",
        "DEBIAN_FRONTEND=noninteractive",
        "apt-get",
        "-qq",
        "-o",
        "DPkg::Lock::Timeout=300",
    ];
    let mut command = match rights {
        Rights::Sudo => {
            let mut command = Command::new("sudo");
            command.arg("-n").args(words);
            command
        }
        Rights::Root | Rights::None => {
            let mut command = Command::new(words[0]);
            command.args(&words[1..]);
            command
        }
    };
    command.args(arguments).stdin(Stdio::null());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_complete() {
        assert_eq!(
            line_for_a_person(&["libvulkan1", "g++"]),
            "sudo apt-get update && sudo apt-get install --yes --no-install-recommends libvulkan1 g++"
        );
    }

    #[test]
    fn sudo_never_asks() {
        let line = command_line(&apt_get(Rights::Sudo, &["update"]));
        assert!(
            line.starts_with("sudo -n env DEBIAN_FRONTEND=noninteractive apt-get "),
            "{line}"
        );
        let line = command_line(&apt_get(Rights::Root, &["update"]));
        assert!(
            line.starts_with("env DEBIAN_FRONTEND=noninteractive apt-get "),
            "{line}"
        );
    }
}
