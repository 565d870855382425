//! Whether a compiled module keeps the rules of SPIR-V for Vulkan, by `spirv-val` of SPIRV-Tools.
//!
//! The compiler does not check its own output, and a driver may take or crash on a module that breaks a rule.

use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

/// Checks a module; `path` is for messages only.
///
/// # Errors
/// What `spirv-val` says, or that it is missing: it comes in the package whose library this program is linked from.
pub(crate) fn validate(path: &str, spv: &[u8]) -> anyhow::Result<()> {
    let mut child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.1", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start `spirv-val` (Debian package spirv-tools); `cargo xtask setup` installs it")?;
    let written = child
        .stdin
        .take()
        .context("spirv-val reads nothing")?
        .write_all(spv);
    let output = child.wait_with_output().context("spirv-val did not end")?;
    if !output.status.success() {
        bail!("{path}: {}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    written.context("spirv-val did not read the module")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_module_is_refused_by_name() {
        let message = validate("shaders/spv/x.spv", &[0; 20]).unwrap_err().to_string();
        assert!(message.starts_with("shaders/spv/x.spv: "), "{message}");
    }
}
