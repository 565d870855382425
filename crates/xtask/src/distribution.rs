//! Which Linux distribution this is, as far as package names depend on it.

use std::fmt;

/// Distributions that differ in what they package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Distribution {
    /// Debian: its Chromium package brings SwiftShader and a recent validation layer.
    Debian,
    /// Ubuntu and what is made from it: Chromium is a snap, without those files.
    Ubuntu,
    /// Anything else; packages are not known.
    Other,
}

impl Distribution {
    /// Asks the machine.
    pub(crate) fn of_this_machine() -> Self {
        let text = std::fs::read_to_string("/etc/os-release")
            .or_else(|_| std::fs::read_to_string("/usr/lib/os-release"))
            .unwrap_or_default();
        Self::from_os_release(&text)
    }

    /// Reads an os-release file: `ID`, then the kin named by `ID_LIKE`, nearest first.
    fn from_os_release(text: &str) -> Self {
        let value = |key: &str| {
            text.lines()
                .filter_map(|line| line.split_once('='))
                .find(|(name, _)| name.trim() == key)
                .map(|(_, value)| value.trim().trim_matches(['"', '\'']).to_owned())
                .unwrap_or_default()
        };
        let (id, kin) = (value("ID"), value("ID_LIKE"));
        std::iter::once(id.as_str())
            .chain(kin.split_whitespace())
            .find_map(|name| match name {
                "debian" => Some(Self::Debian),
                "ubuntu" => Some(Self::Ubuntu),
                _ => None,
            })
            .unwrap_or(Self::Other)
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Debian => "Debian",
            Self::Ubuntu => "Ubuntu",
            Self::Other => "another distribution",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_goes_before_kin() {
        let of = Distribution::from_os_release;
        assert_eq!(
            of("PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n"),
            Distribution::Debian
        );
        assert_eq!(of("ID=ubuntu\nID_LIKE=debian\n"), Distribution::Ubuntu);
        assert_eq!(
            of("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"),
            Distribution::Ubuntu
        );
        assert_eq!(of("ID=raspbian\nID_LIKE=debian\n"), Distribution::Debian);
        assert_eq!(of("ID=fedora\n"), Distribution::Other);
        assert_eq!(of(""), Distribution::Other);
    }
}
