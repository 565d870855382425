//! The validation layer: what to switch on, what it said, and what is filtered out and why.

use std::ffi::{CStr, c_void};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;

/// The name of the Khronos validation layer.
pub(crate) const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// What the validation layer is to check beside the core rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "switches of the layer, each of which stands for itself"
)]
pub struct ValidationDesc {
    /// Missing barriers within one command buffer.
    pub synchronization: bool,
    /// Missing barriers that only show when buffers are read and written through shaders.
    ///
    /// Layers from 2025 on; without it they do not report a barrier left out between two dispatches.
    pub shader_access_heuristic: bool,
    /// Missing barriers across queue submits; newer layers check them only when told.
    pub submit_time: bool,
    /// Advice rather than rules.
    pub best_practices: bool,
}

impl ValidationDesc {
    /// The core rules alone.
    pub const CORE: Self = Self {
        synchronization: false,
        shader_access_heuristic: false,
        submit_time: false,
        best_practices: false,
    };
    /// The core rules and every kind of synchronization check that the layer has.
    pub const SYNCHRONIZATION: Self = Self {
        synchronization: true,
        shader_access_heuristic: true,
        submit_time: true,
        best_practices: false,
    };
}

/// The validation layer that was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValidationLayer {
    /// The Vulkan header version it was built for: major, minor, patch.
    pub spec_version: (u32, u32, u32),
    /// The layer's own version number.
    pub implementation_version: u32,
    /// Whether it takes its settings from the program (`VK_EXT_layer_settings`).
    ///
    /// An older layer takes synchronization validation and best practices through `VK_EXT_validation_features`, and
    /// has neither the shader access heuristic nor the switch for submit time.
    pub has_layer_settings: bool,
}

impl fmt::Display for ValidationLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor, patch) = self.spec_version;
        write!(f, "VK_LAYER_KHRONOS_validation {major}.{minor}.{patch}")
    }
}

/// How bad a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Something that works and may not be meant.
    Warning,
    /// A broken rule.
    Error,
}

/// One message of the validation layer, the loader or the driver.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValidationMessage {
    /// How bad it is.
    pub severity: Severity,
    /// The name of the rule, such as `SYNC-HAZARD-WRITE-AFTER-WRITE`; empty where the sender gave none.
    pub id: String,
    /// What it says.
    pub text: String,
}

impl fmt::Display for ValidationMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}: {}", self.severity, self.id, self.text)
    }
}

/// A message that is set apart, and the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageFilter {
    /// The id of the message contains this.
    pub id: &'static str,
    /// The text contains this; empty takes any text.
    pub text: &'static str,
    /// Why the message says nothing about this program.
    pub reason: &'static str,
}

impl MessageFilter {
    fn takes(&self, message: &ValidationMessage) -> bool {
        message.id.contains(self.id) && message.text.contains(self.text)
    }
}

/// Every filter there is.
///
/// What they take is still kept, in [`MessageLog::filtered`].
pub const MESSAGE_FILTERS: &[MessageFilter] = &[
    MessageFilter {
        id: "Loader Message",
        text: "",
        reason: "the loader reports on the manifests of the machine (missing libraries, unused layers), not on calls",
    },
    MessageFilter {
        id: "vk_nir.c",
        text: "SpvDecorationInvariant",
        reason: "Mesa's reader of SPIR-V warns of `invariant gl_Position`, which every compiler of GLSL writes as the \
                 decoration of a block member; the specification allows it",
    },
    MessageFilter {
        id: "WARNING-vkGetDeviceProcAddr-device",
        text: "instance level function",
        reason: "ash asks for a few instance-level names when it fills a device's function table, and uses none of \
                 them; seen on an NVIDIA H200",
    },
];

/// The messages of one instance; a cheap handle that outlives the device.
#[derive(Debug, Clone, Default)]
pub struct MessageLog(Arc<Mutex<Messages>>);

#[derive(Debug, Default)]
struct Messages {
    kept: Vec<ValidationMessage>,
    filtered: Vec<ValidationMessage>,
}

impl MessageLog {
    /// The messages so far, oldest first, without the filtered ones.
    pub fn messages(&self) -> Vec<ValidationMessage> {
        self.lock().kept.clone()
    }

    /// The messages that a filter of [`MESSAGE_FILTERS`] set apart.
    pub fn filtered(&self) -> Vec<ValidationMessage> {
        self.lock().filtered.clone()
    }

    /// Takes the messages so far out of the log: the controls use it to tell one scene from the next.
    pub fn take(&self) -> Vec<ValidationMessage> {
        std::mem::take(&mut self.lock().kept)
    }

    /// Takes out what the layer says about a setting; whether there was any.
    pub(crate) fn take_complaints_about(&self, setting: &str) -> bool {
        let mut messages = self.lock();
        let before = messages.kept.len();
        messages
            .kept
            .retain(|message| message.id != "VALIDATION-SETTINGS" || !message.text.contains(setting));
        messages.kept.len() != before
    }

    fn push(&self, message: ValidationMessage) {
        let filtered = MESSAGE_FILTERS.iter().any(|filter| filter.takes(&message));
        let mut messages = self.lock();
        if filtered {
            messages.filtered.push(message);
        } else {
            messages.kept.push(message);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Messages> {
        // A panic while pushing leaves a list of whole messages behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The messenger that writes into this log.
    ///
    /// The log must outlive the messenger: it is handed to Vulkan as a plain pointer.
    pub(crate) fn create_info(&self) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
        vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(
                vk::DebugUtilsMessageSeverityFlagsEXT::WARNING | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
            )
            .message_type(
                vk::DebugUtilsMessageTypeFlagsEXT::GENERAL
                    | vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION
                    | vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE,
            )
            .pfn_user_callback(Some(on_message))
            .user_data(Arc::as_ptr(&self.0).cast_mut().cast())
    }
}

/// Takes a message from Vulkan; called on any thread, inside any Vulkan call.
unsafe extern "system" fn on_message(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    log: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: Vulkan hands a valid struct to the callback, or we ignore the call.
    let Some(data) = (unsafe { data.as_ref() }) else {
        return vk::FALSE;
    };
    let log: *const Mutex<Messages> = log.cast_const().cast();
    // SAFETY: `create_info` took the pointer from an `Arc` that the owner of the messenger keeps.
    unsafe { Arc::increment_strong_count(log) };
    // SAFETY: the count was just raised for this very handle.
    let log = MessageLog(unsafe { Arc::from_raw(log) });
    let severity = if severity.contains(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR) {
        Severity::Error
    } else {
        Severity::Warning
    };
    // SAFETY: where not null, both are strings that Vulkan ended with a zero and that live during the call.
    let id = unsafe { data.message_id_name_as_c_str() };
    // SAFETY: as above.
    let text = unsafe { data.message_as_c_str() };
    let owned = |text: Option<&CStr>| {
        text.map(|text| text.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    log.push(ValidationMessage {
        severity,
        id: owned(id),
        text: owned(text),
    });
    // False: the call that drew the message goes on.
    vk::FALSE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filtered_messages_are_kept_apart_and_not_lost() {
        let log = MessageLog::default();
        let message = |id: &str| ValidationMessage {
            severity: Severity::Warning,
            id: id.to_owned(),
            text: "text".to_owned(),
        };
        log.push(message("Loader Message"));
        log.push(message("SYNC-HAZARD-READ-AFTER-WRITE"));
        assert_eq!(log.messages().len(), 1);
        assert_eq!(log.filtered().len(), 1);
        assert_eq!(log.take()[0].id, "SYNC-HAZARD-READ-AFTER-WRITE");
        assert!(log.messages().is_empty());
    }

    #[test]
    fn every_filter_gives_a_reason() {
        assert!(
            MESSAGE_FILTERS
                .iter()
                .all(|filter| !filter.id.is_empty() && filter.reason.len() > 20)
        );
    }
}
