//! Running other programs: what every command of this tool has in common.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

/// Root of the workspace.
///
/// Cargo says at run time where this crate lies; the folder it was compiled in is only the fallback, for whoever
/// starts the built program by hand.
pub(crate) fn workspace_root() -> anyhow::Result<PathBuf> {
    let crate_folder =
        std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| OsString::from(env!("CARGO_MANIFEST_DIR")));
    let root = Path::new(&crate_folder).join("../..");
    root.canonicalize()
        .with_context(|| format!("cannot find the workspace root {}", root.display()))
}

/// The cargo that started this program, so that inner calls use the same toolchain.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(root).stdin(Stdio::null());
    command
}

/// Runs a command with its output shown.
///
/// # Errors
/// Names the whole command line, whether it could not be started or ended with a failure.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let line = command_line(command);
    let status = command
        .status()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// Standard output of a command that succeeds quietly; `None` where it cannot be started or fails.
pub(crate) fn answer(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Whether a program of this name is in the search path.
pub(crate) fn is_in_path(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

/// The command as a person would type it: a program by its name, wherever it lies.
pub(crate) fn command_line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    std::iter::once(program.file_name().unwrap_or(program.as_os_str()))
        .chain(command.get_args())
        .map(shell_word)
        .collect::<Vec<_>>()
        .join(" ")
}

/// A word quoted for a POSIX shell where it needs to be.
pub(crate) fn shell_word(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref().to_string_lossy();
    let is_plain = !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./:=,+@%^".contains(c));
    if is_plain {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_only_where_a_shell_needs_it() {
        assert_eq!(shell_word("/usr/lib/x-y_z.json"), "/usr/lib/x-y_z.json");
        assert_eq!(shell_word("two words"), "'two words'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("$HOME"), "'$HOME'");
    }

    #[test]
    fn failures_name_the_command() {
        let message = run(Command::new("false").arg("a b")).unwrap_err().to_string();
        assert!(message.contains("`false 'a b'`"), "{message}");
        let message = run(&mut Command::new("/bin/false")).unwrap_err().to_string();
        assert!(message.contains("`false`"), "{message}");
        let message = run(&mut Command::new("no-such-program-here"))
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("cannot start `no-such-program-here`"),
            "{message}"
        );
    }

    #[test]
    fn answers_are_trimmed_and_failures_are_none() {
        assert_eq!(answer(Command::new("echo").arg("yes")).as_deref(), Some("yes"));
        assert_eq!(answer(&mut Command::new("false")), None);
        assert_eq!(answer(&mut Command::new("no-such-program-here")), None);
    }

    #[test]
    fn the_root_is_the_workspace() {
        assert!(
            workspace_root()
                .unwrap()
                .join("crates/xtask/Cargo.toml")
                .is_file()
        );
    }
}
