//! Asks the Vulkan loader, and a layer's library, what is there.
//!
//! This runs in a process of its own (a hidden command of this tool): the loader reads its environment once, at the
//! start, and loading a driver or a layer runs code that may crash.
//! The answer is plain text, one fact a line with tabs between its parts, which [`crate::vulkan`] reads.

use std::ffi::{CStr, c_char};
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, anyhow};
use ash::vk;

/// Layer that is enabled on request.
pub(crate) const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Describes the loader, its layers and its devices.
///
/// With `is_validated` the instance is made with the validation layer, which shows that the loader can load it.
pub(crate) fn describe_loader(is_validated: bool) -> anyhow::Result<String> {
    // SAFETY: loading the loader runs its initializers; it is the system's own and nothing here depends on them.
    let entry =
        unsafe { ash::Entry::load() }.context("the Vulkan loader (libvulkan.so.1) cannot be loaded")?;
    let mut text = String::new();
    // SAFETY: the entry holds the loaded loader; the call has no precondition.
    let version = unsafe { entry.try_enumerate_instance_version() }
        .context("the loader does not tell its version")?
        .unwrap_or(vk::API_VERSION_1_0);
    line(&mut text, &["loader", &version_text(version)]);
    // SAFETY: as above.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }.context("layers cannot be listed")?;
    for layer in layers {
        let name = layer.layer_name_as_c_str().unwrap_or_default().to_string_lossy();
        line(&mut text, &["layer", &name, &version_text(layer.spec_version)]);
    }

    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let names = [VALIDATION_LAYER.as_ptr()];
    let enabled: &[*const c_char] = if is_validated { &names } else { &[] };
    let description = vk::InstanceCreateInfo::default()
        .application_info(&application)
        .enabled_layer_names(enabled);
    // SAFETY: the description and what it points to outlive the call; layer names are nul-terminated constants.
    let instance = match unsafe { entry.create_instance(&description, None) } {
        Ok(instance) => instance,
        // The loader says so when it found no driver at all, which is an answer and not a failure to ask.
        Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER) => return Ok(text),
        Err(error) => return Err(anyhow!("the loader cannot make an instance: {error}")),
    };
    let devices = describe_devices(&instance);
    // SAFETY: nothing made from the instance is alive.
    unsafe { instance.destroy_instance(None) };
    text.push_str(&devices?);
    Ok(text)
}

/// One line for each device.
fn describe_devices(instance: &ash::Instance) -> anyhow::Result<String> {
    let mut text = String::new();
    // SAFETY: the instance is alive.
    let devices = unsafe { instance.enumerate_physical_devices() }.context("devices cannot be listed")?;
    for device in devices {
        // SAFETY: the device is of this instance.
        let properties = unsafe { instance.get_physical_device_properties(device) };
        let name = properties
            .device_name_as_c_str()
            .unwrap_or_default()
            .to_string_lossy();
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        if properties.api_version >= vk::API_VERSION_1_2 {
            let mut chain = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
            // SAFETY: the device is of this instance, and at 1.2 the chained structure is core.
            unsafe { instance.get_physical_device_properties2(device, &mut chain) };
        }
        let driver_name = driver
            .driver_name_as_c_str()
            .unwrap_or_default()
            .to_string_lossy();
        let driver_info = driver
            .driver_info_as_c_str()
            .unwrap_or_default()
            .to_string_lossy();
        line(
            &mut text,
            &[
                "device",
                &name,
                &version_text(properties.api_version),
                &driver_name,
                &driver_info,
            ],
        );
    }
    Ok(text)
}

/// Describes the validation layer in a library that comes without a manifest, by the functions it exports.
pub(crate) fn describe_layer(library: &Path) -> anyhow::Result<String> {
    // SAFETY: the file is a Vulkan layer by its name and place; its initializers set up its own state only.
    let library = unsafe { libloading::Library::new(library) }
        .with_context(|| format!("{} cannot be loaded", library.display()))?;
    // SAFETY: Vulkan fixes this function's type.
    let enumerate_layers: libloading::Symbol<'_, vk::PFN_vkEnumerateInstanceLayerProperties> =
        unsafe { library.get(b"vkEnumerateInstanceLayerProperties\0") }
            .context("it exports no list of layers")?;
    // SAFETY: Vulkan fixes this function's type.
    let enumerate_extensions: libloading::Symbol<'_, vk::PFN_vkEnumerateInstanceExtensionProperties> =
        unsafe { library.get(b"vkEnumerateInstanceExtensionProperties\0") }
            .context("it exports no list of extensions")?;

    let mut text = String::new();
    let mut count = 0;
    // SAFETY: with a null array the function writes the count only.
    let result = unsafe { enumerate_layers(&raw mut count, std::ptr::null_mut()) };
    result.result().context("it does not count its layers")?;
    let mut layers = vec![vk::LayerProperties::default(); count as usize];
    // SAFETY: the array has `count` elements.
    let result = unsafe { enumerate_layers(&raw mut count, layers.as_mut_ptr()) };
    result.result().context("it does not list its layers")?;
    for layer in &layers {
        let name = layer.layer_name_as_c_str().unwrap_or_default().to_string_lossy();
        let implementation = layer.implementation_version.to_string();
        let description = layer.description_as_c_str().unwrap_or_default().to_string_lossy();
        line(
            &mut text,
            &[
                "layer",
                &name,
                &version_text(layer.spec_version),
                &implementation,
                &description,
            ],
        );
    }

    let mut count = 0;
    let name = VALIDATION_LAYER.as_ptr();
    // SAFETY: the name is nul-terminated, and with a null array the function writes the count only.
    let result = unsafe { enumerate_extensions(name, &raw mut count, std::ptr::null_mut()) };
    result.result().context("it does not count its extensions")?;
    let mut extensions = vec![vk::ExtensionProperties::default(); count as usize];
    // SAFETY: the name is nul-terminated and the array has `count` elements.
    let result = unsafe { enumerate_extensions(name, &raw mut count, extensions.as_mut_ptr()) };
    result.result().context("it does not list its extensions")?;
    for extension in &extensions {
        let name = extension
            .extension_name_as_c_str()
            .unwrap_or_default()
            .to_string_lossy();
        line(
            &mut text,
            &["extension", &name, &extension.spec_version.to_string()],
        );
    }
    Ok(text)
}

/// Appends a line of parts with tabs between them; a part's own tabs and line ends become spaces.
fn line(text: &mut String, parts: &[&str]) {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            text.push('\t');
        }
        text.extend(part.chars().map(|c| if c.is_control() { ' ' } else { c }));
    }
    // Writing to a string cannot fail.
    let _ = writeln!(text);
}

/// `major.minor.patch`.
fn version_text(version: u32) -> String {
    format!(
        "{}.{}.{}",
        vk::api_version_major(version),
        vk::api_version_minor(version),
        vk::api_version_patch(version)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stay_on_their_line() {
        let mut text = String::new();
        line(&mut text, &["a", "b\tc\nd"]);
        assert_eq!(text, "a\tb c d\n");
    }

    #[test]
    fn versions_read_as_people_write_them() {
        assert_eq!(version_text(vk::make_api_version(0, 1, 3, 230)), "1.3.230");
    }
}
