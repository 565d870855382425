//! Looking on while a device is used.

use std::fmt;

/// Someone who looks on while a device is used, such as a test that counts its objects.
pub trait DeviceWatch: fmt::Debug + Send + Sync {
    /// Gets the functions of a device right behind its creation, and returns those that everybody calls.
    fn begin(&self, device: ash::Device) -> ash::Device;

    /// The device is gone, and everything made on it should be.
    fn end(&self);
}
