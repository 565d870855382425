//! Which extensions a file may require.

use super::document::Document;
use super::vrm::{VRM_0, VRM_1};
use crate::error::GltfError;
use crate::warning::WarningKind;

/// Extensions that are read: quantized attributes are what the accessor reader reads anyway, a channel whose
/// pointer leads elsewhere than to a node is told by itself, and of an avatar it is the expressions.
const READ: [&str; 6] = [
    "EXT_meshopt_compression",
    "KHR_animation_pointer",
    "KHR_mesh_quantization",
    "KHR_meshopt_compression",
    VRM_0,
    VRM_1,
];

/// Prefixes and names of extensions that cannot change anything that an import hands out but the look of a material:
/// a file that requires them can be read without.
const HARMLESS: [&str; 7] = [
    "EXT_texture_",
    "KHR_lights_",
    "KHR_materials_",
    "KHR_texture_",
    "KHR_xmp",
    "MSFT_texture_",
    "KHR_node_visibility",
];

/// Refuses what is required and cannot be read, and tells what is used and not read.
pub(crate) fn check(document: &Document, mut warn: impl FnMut(WarningKind)) -> Result<(), GltfError> {
    let read = |name: &String| READ.contains(&name.as_str());
    let harmless = |name: &String| HARMLESS.iter().any(|prefix| name.starts_with(prefix));
    let mut names: Vec<String> = document
        .extensions_required
        .iter()
        .filter(|name| !read(name) && !harmless(name))
        .cloned()
        .collect();
    if !names.is_empty() {
        names.sort();
        names.dedup();
        return Err(GltfError::RequiredExtensions { names });
    }
    let mut ignored: Vec<&String> = document
        .extensions_used
        .iter()
        .chain(&document.extensions_required)
        .filter(|name| !read(name))
        .collect();
    ignored.sort();
    ignored.dedup();
    for name in ignored {
        warn(WarningKind::ExtensionIgnored { name: name.clone() });
    }
    Ok(())
}
