//! Names and labels for captures and validation messages, where the engine has the debug utilities on.

use std::ffi::CString;

use ash::{ext, vk};

/// Names objects and labels commands, or does nothing where the extension is off.
#[derive(Clone)]
pub(crate) struct DebugNames {
    utils: Option<ext::debug_utils::Device>,
}

impl std::fmt::Debug for DebugNames {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("DebugNames")
            .field("enabled", &self.utils.is_some())
            .finish()
    }
}

impl DebugNames {
    pub(crate) fn new(utils: Option<ext::debug_utils::Device>) -> DebugNames {
        DebugNames { utils }
    }

    pub(crate) fn enabled(&self) -> bool {
        self.utils.is_some()
    }

    pub(crate) fn name<T: vk::Handle>(&self, handle: T, name: &str) {
        let (Some(utils), Ok(name)) = (&self.utils, CString::new(name)) else {
            return;
        };
        let info = vk::DebugUtilsObjectNameInfoEXT::default()
            .object_handle(handle)
            .object_name(&name);
        // SAFETY: the handle is live where this is called, right behind its creation, and nobody else names it.
        let named = unsafe { utils.set_debug_utils_object_name(&info) };
        if let Err(error) = named {
            tracing::warn!(%error, "an object could not be named");
        }
    }

    /// # Safety
    ///
    /// `cmd` must be recording, and [`end`](Self::end) must follow.
    pub(crate) unsafe fn begin(&self, cmd: vk::CommandBuffer, label: &std::ffi::CStr) {
        if let Some(utils) = &self.utils {
            let info = vk::DebugUtilsLabelEXT::default().label_name(label);
            // SAFETY: the caller vouches for the command buffer.
            unsafe { utils.cmd_begin_debug_utils_label(cmd, &info) };
        }
    }

    /// # Safety
    ///
    /// `cmd` must be recording, behind [`begin`](Self::begin).
    pub(crate) unsafe fn end(&self, cmd: vk::CommandBuffer) {
        if let Some(utils) = &self.utils {
            // SAFETY: the caller vouches for the command buffer and the open label.
            unsafe { utils.cmd_end_debug_utils_label(cmd) };
        }
    }
}
