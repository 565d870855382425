//! The version of a file, and the extensions that it names.

use super::json::{Json, child};
use super::object::{Need, Object};
use crate::text::shorten;

/// What has an effect on other checks.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extensions {
    pub(super) quantization: bool,
    pub(super) animation_pointer: bool,
}

/// Checks `asset`; false where the rest of the file cannot be understood.
pub(super) fn check_version(root: &mut Object<'_, '_>) -> bool {
    let Some(mut asset) = root.object("asset", Need::Required) else {
        return false;
    };
    asset.begin(&["copyright", "generator", "version", "minVersion"]);
    asset.text("copyright", Need::Optional);
    asset.text("generator", Need::Optional);
    let version = version(&mut asset, "version", Need::Required);
    let least = self::version(&mut asset, "minVersion", Need::Optional);
    let Some((major, minor)) = version else {
        return false;
    };
    if let Some(least) = least
        && least > (major, minor)
    {
        let message = format!(
            "the file needs at least {}.{} and is {major}.{minor}",
            least.0, least.1
        );
        asset.error("ASSET_MIN_VERSION_GREATER_THAN_VERSION", "minVersion", message);
    }
    if major != 2 {
        let message = format!("the file is glTF {major}.{minor}; this is about version 2");
        asset.error("UNKNOWN_ASSET_MAJOR_VERSION", "version", message);
        return false;
    }
    if minor > 0 {
        let message = format!("the file is glTF 2.{minor}; this is about version 2.0");
        asset.warning("UNKNOWN_ASSET_MINOR_VERSION", "version", message);
    }
    true
}

/// A version such as `2.0`.
fn version(asset: &mut Object<'_, '_>, name: &str, need: Need) -> Option<(u64, u64)> {
    let text = asset.text(name, need)?;
    let number = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        is_number.then(|| digits.parse().unwrap_or(u64::MAX))
    };
    let parts = text
        .split_once('.')
        .and_then(|(major, minor)| Some((number(major)?, number(minor)?)));
    if parts.is_none() {
        let message = format!("{:?} is no version; one looks like 2.0", shorten(text));
        asset.error("PATTERN_MISMATCH", name, message);
    }
    parts
}

/// Checks the lists of extensions, and remembers which are used.
pub(super) fn check_extensions(root: &mut Object<'_, '_>) -> Extensions {
    if root.has("extensionsRequired") && !root.has("extensionsUsed") {
        root.error(
            "UNSATISFIED_DEPENDENCY",
            "extensionsRequired",
            "what is required has to be listed in `extensionsUsed` too, which is missing",
        );
    }
    let used = names(root, "extensionsUsed");
    let required = names(root, "extensionsRequired");
    for (index, name) in used.iter().enumerate() {
        let place = child("/extensionsUsed", index);
        let findings = &mut root.reading.findings;
        if !has_extension_name(name) {
            let message = format!(
                "{:?} is no extension's name; one looks like KHR_lights_punctual",
                shorten(name)
            );
            findings.warning("INVALID_EXTENSION_NAME_FORMAT", place.as_str(), message);
        }
        if *name == "KHR_mesh_quantization" && !required.contains(name) {
            findings.error(
                "NON_REQUIRED_EXTENSION",
                place,
                "KHR_mesh_quantization changes how vertices are read, so it has to be in `extensionsRequired` too",
            );
        }
    }
    for (index, name) in required.iter().enumerate() {
        if !used.contains(name) {
            let message = format!(
                "`{}` is required and not listed in `extensionsUsed`",
                shorten(name)
            );
            let place = child("/extensionsRequired", index);
            root.reading
                .findings
                .error("UNUSED_EXTENSION_REQUIRED", place, message);
        }
    }
    let uses = |name: &str| used.contains(&name);
    let extensions = Extensions {
        quantization: uses("KHR_mesh_quantization"),
        animation_pointer: uses("KHR_animation_pointer"),
    };
    root.reading.extensions_used = used.into_iter().map(str::to_owned).collect();
    extensions
}

/// Capitals or digits, an underscore, and letters, digits or underscores.
fn has_extension_name(name: &str) -> bool {
    name.split_once('_').is_some_and(|(prefix, rest)| {
        let is_prefix = |letter: u8| letter.is_ascii_uppercase() || letter.is_ascii_digit();
        let is_rest = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'_';
        !prefix.is_empty() && !rest.is_empty() && prefix.bytes().all(is_prefix) && rest.bytes().all(is_rest)
    })
}

/// A list of different texts; where an item is no text, none of them.
fn names<'j>(root: &mut Object<'j, '_>, name: &str) -> Vec<&'j str> {
    let Some(list) = root.list(name, Need::Optional) else {
        return Vec::new();
    };
    let place = child(&root.pointer, name);
    let findings = &mut root.reading.findings;
    let mut seen = std::collections::HashSet::new();
    let mut names = Vec::with_capacity(list.len());
    for (index, item) in list.iter().enumerate() {
        match item {
            Json::Text(text) => {
                if !seen.insert(text.as_str()) {
                    let message = format!("{:?} is in the list already", shorten(text));
                    findings.error("DUPLICATE_ELEMENTS", child(&place, index), message);
                }
                names.push(text.as_str());
            }
            other => {
                let message = format!("the item is {}, it has to be text", other.kind());
                findings.error("ARRAY_TYPE_MISMATCH", child(&place, index), message);
            }
        }
    }
    if names.len() == list.len() {
        names
    } else {
        Vec::new()
    }
}
