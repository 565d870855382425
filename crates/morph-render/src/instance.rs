//! The Vulkan instance: loader, layer, messenger, and their end in the right order.

use std::ffi::CStr;
use std::sync::OnceLock;

use ash::vk;

use crate::error::{DeviceError, Named};
use crate::validation::{LAYER, MessageLog, ValidationDesc, ValidationLayer};

/// An instance with its messenger.
pub(crate) struct Instance {
    entry: ash::Entry,
    raw: ash::Instance,
    messenger: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    layer: Option<ValidationLayer>,
    has_debug_utils: bool,
    // Last, because the messenger points into it until the instance is gone.
    log: MessageLog,
}

impl Instance {
    /// Opens the loader and makes an instance, with the validation layer where asked.
    pub(crate) fn new(validation: Option<ValidationDesc>) -> Result<Self, DeviceError> {
        // SAFETY: the system's Vulkan loader is a library made to be loaded this way.
        let entry = unsafe { ash::Entry::load() }.map_err(|error| DeviceError::NoLoader {
            reason: error.to_string(),
        })?;
        keep_drivers_loaded(&entry);
        let layer = validation.map(|_| find_layer(&entry)).transpose()?;
        let layer_settings = layer.as_ref().is_some_and(|layer| layer.has_layer_settings);

        let has_debug_utils = has_extension(&entry, None, ash::ext::debug_utils::NAME)?
            || (layer.is_some() && has_extension(&entry, Some(LAYER), ash::ext::debug_utils::NAME)?);
        let log = MessageLog::default();
        let mut request = Request {
            validation: layer.as_ref().and(validation),
            layer_settings,
            submit_time_setting: c"syncval_submit_time_validation",
            has_debug_utils,
            log: &log,
        };
        let mut raw = request.create(&entry)?;
        // Layers from late 2026 on know this setting under a new name, and say so when they hear the old one.
        if log.take_complaints_about("syncval_submit_time_validation") {
            // SAFETY: nothing was made of this instance.
            unsafe { raw.destroy_instance(None) };
            request.submit_time_setting = c"syncval_full_validation";
            raw = request.create(&entry)?;
        }
        let mut instance = Self {
            entry,
            raw,
            messenger: None,
            layer,
            has_debug_utils,
            log,
        };
        if has_debug_utils {
            let functions = ash::ext::debug_utils::Instance::new(&instance.entry, &instance.raw);
            let messenger_info = instance.log.create_info();
            // SAFETY: the extension was enabled, and the log outlives the messenger.
            let messenger = unsafe { functions.create_debug_utils_messenger(&messenger_info, None) }
                .named("vkCreateDebugUtilsMessengerEXT")?;
            instance.messenger = Some((functions, messenger));
        }
        Ok(instance)
    }

    pub(crate) fn entry(&self) -> &ash::Entry {
        &self.entry
    }

    pub(crate) fn raw(&self) -> &ash::Instance {
        &self.raw
    }

    pub(crate) fn layer(&self) -> Option<&ValidationLayer> {
        self.layer.as_ref()
    }

    pub(crate) fn has_debug_utils(&self) -> bool {
        self.has_debug_utils
    }

    pub(crate) fn log(&self) -> &MessageLog {
        &self.log
    }
}

/// Makes one bare instance that lives as long as the process, so that the loader never unloads a driver.
///
/// The loader unloads drivers with the last instance. NVIDIA's driver 580.159 leaves destructors of thread-local data
/// behind when it goes: a thread that used it and ends later jumps to where it was. Loading it anew for every device
/// also uses up the room for static thread-local data, until it is no driver any more.
fn keep_drivers_loaded(entry: &ash::Entry) {
    static ANCHOR: OnceLock<Option<(ash::Entry, ash::Instance)>> = OnceLock::new();
    ANCHOR.get_or_init(|| {
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: the loader is open and stays so, because the entry is kept beside the instance.
        let anchor = unsafe { entry.create_instance(&info, None) };
        // Where it fails, the instance that is really wanted fails too, and says why.
        anchor.ok().map(|instance| (entry.clone(), instance))
    });
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some((functions, messenger)) = self.messenger.take() {
            // SAFETY: the messenger is ours and used nowhere else.
            unsafe { functions.destroy_debug_utils_messenger(messenger, None) };
        }
        // SAFETY: whoever made objects of this instance held on to it until they were gone.
        unsafe { self.raw.destroy_instance(None) };
    }
}

/// What an instance is asked to have.
struct Request<'a> {
    validation: Option<ValidationDesc>,
    layer_settings: bool,
    submit_time_setting: &'static CStr,
    has_debug_utils: bool,
    log: &'a MessageLog,
}

impl Request<'_> {
    fn create(&self, entry: &ash::Entry) -> Result<ash::Instance, DeviceError> {
        match self.try_create(entry, self.layer_settings) {
            // A loader older than the extension refuses the name, although the layer offers it and reads the settings
            // whether the extension is on or not.
            Err(vk::Result::ERROR_EXTENSION_NOT_PRESENT) if self.layer_settings => {
                self.try_create(entry, false)
            }
            other => other,
        }
        .map_err(|result| match result {
            vk::Result::ERROR_INCOMPATIBLE_DRIVER => DeviceError::NoDriver,
            result => DeviceError::Vulkan {
                call: "vkCreateInstance",
                result,
            },
        })
    }

    fn try_create(&self, entry: &ash::Entry, name_layer_settings: bool) -> Result<ash::Instance, vk::Result> {
        let wanted = self.validation.unwrap_or(ValidationDesc::CORE);
        let mut extensions = Vec::new();
        let mut layers = Vec::new();
        let application = vk::ApplicationInfo::default()
            .application_name(c"morph")
            .engine_name(c"morph-render")
            .api_version(vk::API_VERSION_1_3);
        let mut info = vk::InstanceCreateInfo::default().application_info(&application);
        // In the chain as well, so that messages about making and ending the instance are heard.
        let mut messenger_info = self.log.create_info();
        if self.has_debug_utils {
            extensions.push(ash::ext::debug_utils::NAME.as_ptr());
            info = info.push_next(&mut messenger_info);
        }
        let flags = LayerFlags::of(wanted, self.submit_time_setting);
        let settings = flags.settings();
        let mut settings_info = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
        let features = features_of(wanted);
        let mut features_info = vk::ValidationFeaturesEXT::default().enabled_validation_features(&features);
        if self.validation.is_some() {
            layers.push(LAYER.as_ptr());
            if self.layer_settings {
                info = info.push_next(&mut settings_info);
            } else {
                extensions.push(ash::ext::validation_features::NAME.as_ptr());
                info = info.push_next(&mut features_info);
            }
        }
        if name_layer_settings {
            extensions.push(ash::ext::layer_settings::NAME.as_ptr());
        }
        let info = info
            .enabled_extension_names(&extensions)
            .enabled_layer_names(&layers);
        // SAFETY: everything that the structs point to lives until the end of this function, except for the log, which
        // the instance keeps.
        unsafe { entry.create_instance(&info, None) }
    }
}

/// The settings as the 32-bit booleans that the layer reads through pointers.
struct LayerFlags([(&'static CStr, [vk::Bool32; 1]); 4]);

impl LayerFlags {
    fn of(wanted: ValidationDesc, submit_time_setting: &'static CStr) -> Self {
        Self([
            (c"validate_sync", [vk::Bool32::from(wanted.synchronization)]),
            (
                c"syncval_shader_accesses_heuristic",
                [vk::Bool32::from(
                    wanted.synchronization && wanted.shader_access_heuristic,
                )],
            ),
            (
                submit_time_setting,
                [vk::Bool32::from(wanted.synchronization && wanted.submit_time)],
            ),
            (
                c"validate_best_practices",
                [vk::Bool32::from(wanted.best_practices)],
            ),
        ])
    }

    fn settings(&self) -> [vk::LayerSettingEXT<'_>; 4] {
        self.0.each_ref().map(|(name, value)| {
            let mut setting = vk::LayerSettingEXT::default()
                .layer_name(LAYER)
                .setting_name(name)
                .ty(vk::LayerSettingTypeEXT::BOOL32)
                .values(bytemuck::bytes_of(value));
            // `values` counts bytes where the layer expects a count of values.
            setting.value_count = 1;
            setting
        })
    }
}

fn features_of(wanted: ValidationDesc) -> Vec<vk::ValidationFeatureEnableEXT> {
    let mut features = Vec::new();
    if wanted.synchronization {
        features.push(vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION);
    }
    if wanted.best_practices {
        features.push(vk::ValidationFeatureEnableEXT::BEST_PRACTICES);
    }
    features
}

fn find_layer(entry: &ash::Entry) -> Result<ValidationLayer, DeviceError> {
    // SAFETY: the entry is loaded.
    let layers =
        unsafe { entry.enumerate_instance_layer_properties() }.named("vkEnumerateInstanceLayerProperties")?;
    let Some(layer) = layers
        .iter()
        .find(|layer| layer.layer_name_as_c_str() == Ok(LAYER))
    else {
        return Err(DeviceError::NoValidationLayer {
            layers: layers
                .iter()
                .filter_map(|layer| layer.layer_name_as_c_str().ok())
                .map(|name| name.to_string_lossy().into_owned())
                .collect(),
        });
    };
    let version = layer.spec_version;
    Ok(ValidationLayer {
        spec_version: (
            vk::api_version_major(version),
            vk::api_version_minor(version),
            vk::api_version_patch(version),
        ),
        implementation_version: layer.implementation_version,
        has_layer_settings: has_extension(entry, Some(LAYER), ash::ext::layer_settings::NAME)?,
    })
}

fn has_extension(entry: &ash::Entry, layer: Option<&CStr>, name: &CStr) -> Result<bool, DeviceError> {
    // SAFETY: the entry is loaded, and the layer's name ends with a zero.
    let extensions = unsafe { entry.enumerate_instance_extension_properties(layer) }
        .named("vkEnumerateInstanceExtensionProperties")?;
    Ok(extensions
        .iter()
        .any(|extension| extension.extension_name_as_c_str() == Ok(name)))
}
