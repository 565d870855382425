//! Which driver the Vulkan loader is told of beside those that it finds by itself.

use std::env::VarError;
use std::path::Path;

/// The loader's variable for drivers beside those that it finds by itself.
pub const ADD_DRIVERS_VARIABLE: &str = "VK_ADD_DRIVER_FILES";

/// Where Debian's package `chromium` keeps SwiftShader, in no folder that the loader searches.
const SWIFTSHADER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

/// The driver manifest to put into [`ADD_DRIVERS_VARIABLE`], so that `--driver swiftshader` finds what is installed.
///
/// `None` where the variable is set already, or where Chromium's SwiftShader is not installed.
pub fn driver_to_add() -> Option<&'static str> {
    let unset = std::env::var(ADD_DRIVERS_VARIABLE) == Err(VarError::NotPresent);
    (unset && Path::new(SWIFTSHADER).is_file()).then_some(SWIFTSHADER)
}
