//! The list of modules to compile, `shaders/shaders.toml`.
//!
//! One source can give several modules (through defines), so modules are listed by name and not found by looking
//! for files.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

/// Path of the list below the workspace root.
pub(crate) const PATH: &str = "shaders/shaders.toml";

/// Pipeline stage a module is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stage {
    /// Compute shader.
    Compute,
    /// Vertex shader.
    Vertex,
    /// Fragment shader.
    Fragment,
    /// Task shader.
    Task,
    /// Mesh shader.
    Mesh,
}

impl fmt::Display for Stage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Compute => "compute",
            Self::Vertex => "vertex",
            Self::Fragment => "fragment",
            Self::Task => "task",
            Self::Mesh => "mesh",
        })
    }
}

/// One `[[module]]` of the list.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Module {
    /// Name of the compiled file, without `.spv`.
    pub(crate) name: String,
    /// Source below `shaders/`, such as `morph/scatter.comp.glsl`.
    pub(crate) source: String,
    /// Stage the source is compiled for.
    pub(crate) stage: Stage,
    /// Preprocessor definitions, each `NAME` or `NAME=VALUE`.
    #[serde(default)]
    pub(crate) defines: Vec<String>,
}

impl Module {
    /// Names and values of the definitions.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.defines.iter().map(|define| match define.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (define.as_str(), None),
        })
    }
}

/// The file as a whole.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    module: Vec<Module>,
}

/// Reads and checks the list.
pub(crate) fn read(root: &Path) -> anyhow::Result<Vec<Module>> {
    let path = root.join(PATH);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {PATH}"))?;
    parse(&text).with_context(|| format!("{PATH} is not a valid list of modules"))
}

/// Parses the list; names must be plain and may occur once.
fn parse(text: &str) -> anyhow::Result<Vec<Module>> {
    let list: List = toml::from_str(text)?;
    let mut names = BTreeSet::new();
    for module in &list.module {
        let is_plain = !module.name.is_empty()
            && module
                .name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if !is_plain {
            bail!(
                "module name `{}` must consist of a-z, 0-9 and _, because it names a file",
                module.name
            );
        }
        if !names.insert(&module.name) {
            bail!(
                "module `{}` is listed twice; each name gives one file",
                module.name
            );
        }
        for (name, _) in module.definitions() {
            let is_identifier = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if !is_identifier {
                bail!(
                    "module `{}`: define `{name}` must be `NAME` or `NAME=VALUE`",
                    module.name
                );
            }
        }
        if module
            .source
            .split('/')
            .any(|part| part.is_empty() || part == "." || part == "..")
        {
            bail!(
                "module `{}`: source `{}` must be a plain path below shaders/, such as `morph/scatter.comp.glsl`",
                module.name,
                module.source
            );
        }
    }
    Ok(list.module)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    #[test]
    fn reads_a_module_with_defines() {
        let modules = parse(
            "[[module]]\nname = \"a_1\"\nsource = \"morph/a.comp\"\nstage = \"compute\"\ndefines = [\"N=4\", \"ON\"]\n",
        )
        .unwrap();
        assert_eq!(modules.len(), 1);
        assert_eq!(modules[0].stage, Stage::Compute);
        assert_eq!(
            modules[0].definitions().collect::<Vec<_>>(),
            [("N", Some("4")), ("ON", None)]
        );
    }

    #[test]
    fn an_empty_list_is_a_list() {
        assert!(parse("").unwrap().is_empty());
    }

    #[test]
    fn refuses_what_would_give_a_wrong_file() {
        let module = |name: &str, source: &str| {
            format!("[[module]]\nname = \"{name}\"\nsource = \"{source}\"\nstage = \"compute\"\n")
        };
        for (text, part) in [
            (module("a", "a.comp") + &module("a", "b.comp"), "listed twice"),
            (module("../a", "a.comp"), "must consist of"),
            (module("", "a.comp"), "must consist of"),
            (module("a", "../a.comp"), "plain path"),
            (module("a", "/a.comp"), "plain path"),
            (module("a", "a.comp").replace("compute", "computer"), "computer"),
            (module("a", "a.comp") + "defines = [\"4=N\"]\n", "must be `NAME`"),
            (module("a", "a.comp") + "colour = \"red\"\n", "colour"),
        ] {
            let message = format!("{:#}", parse(&text).unwrap_err());
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
