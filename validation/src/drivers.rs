//! Which Vulkan drivers are at hand, and what to type where they are not.

use std::fmt;
use std::sync::Arc;

use morph_render::{DeviceError, DriverInfo, HeadlessDesc, HeadlessDevice, ValidationDesc, list_drivers};

use crate::watch::ObjectWatch;

/// The line that brings everything: drivers, layers and the files of the compiler.
pub const SETUP_LINE: &str = "cargo xtask setup";
/// The same by hand, on Debian.
pub const APT_LINE: &str =
    "apt-get install libvulkan1 mesa-vulkan-drivers vulkan-validationlayers chromium-common";

/// A driver that tests run on.
#[derive(Debug, Clone)]
pub struct Driver {
    info: DriverInfo,
}

impl Driver {
    /// What the loader says of it.
    pub fn info(&self) -> &DriverInfo {
        &self.info
    }

    /// A short name: `lavapipe`, `SwiftShader`, or the device's own.
    pub fn name(&self) -> &str {
        if self.info.is_lavapipe() {
            "lavapipe"
        } else if self.info.is_swiftshader() {
            "SwiftShader"
        } else {
            &self.info.device_name
        }
    }

    /// A device on it, without validation.
    ///
    /// # Errors
    /// Whatever [`HeadlessDevice::new`] refuses.
    pub fn device(&self) -> Result<HeadlessDevice, DeviceError> {
        self.open(HeadlessDesc::default())
    }

    /// A device on it under the validation layer that the loader takes.
    ///
    /// # Errors
    /// Whatever [`HeadlessDevice::new`] refuses; a missing layer among it.
    pub fn validated_device(&self, validation: ValidationDesc) -> Result<HeadlessDevice, DeviceError> {
        self.open(HeadlessDesc {
            validation: Some(validation),
            ..HeadlessDesc::default()
        })
    }

    /// A device on it as described, whatever driver the description names; its objects are counted.
    ///
    /// # Errors
    /// Whatever [`HeadlessDevice::new`] refuses.
    pub fn open(&self, desc: HeadlessDesc) -> Result<HeadlessDevice, DeviceError> {
        HeadlessDevice::new(&HeadlessDesc {
            driver: Some(self.info.device_name.clone()),
            watch: Some(Arc::new(ObjectWatch::new())),
            ..desc
        })
    }
}

impl fmt::Display for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.info.fmt(f)
    }
}

/// No driver, and what to type.
#[derive(Debug, thiserror::Error)]
#[error(
    "these tests need a Vulkan 1.3 driver and found none ({reason}); \
     type `{SETUP_LINE}`, or by hand on Debian `{APT_LINE}`"
)]
pub struct NoDriver {
    /// What the loader said.
    pub reason: String,
}

/// Every driver at hand that has what the project needs; never empty.
///
/// # Errors
/// There is none.
pub fn drivers() -> Result<Vec<Driver>, NoDriver> {
    let found = list_drivers().map_err(|error| NoDriver {
        reason: error.to_string(),
    })?;
    let mut drivers: Vec<Driver> = Vec::new();
    let mut refusals = Vec::new();
    for info in found {
        // Two devices of one name are the same driver twice.
        if drivers.iter().any(|it| it.info.device_name == info.device_name) {
            continue;
        }
        let driver = Driver { info };
        match driver.device() {
            Ok(_) => drivers.push(driver),
            Err(error) => refusals.push(error.to_string()),
        }
    }
    if drivers.is_empty() {
        let reason = if refusals.is_empty() {
            "the loader lists no device".to_owned()
        } else {
            refusals.join("; ")
        };
        return Err(NoDriver { reason });
    }
    Ok(drivers)
}

/// The drivers that every run is meant to have and this one has not, by name.
pub fn missing_drivers(drivers: &[Driver]) -> Vec<&'static str> {
    let has = |is: fn(&DriverInfo) -> bool| drivers.iter().any(|driver| is(&driver.info));
    [
        ("lavapipe", has(DriverInfo::is_lavapipe)),
        ("SwiftShader", has(DriverInfo::is_swiftshader)),
    ]
    .into_iter()
    .filter(|(_, here)| !here)
    .map(|(name, _)| name)
    .collect()
}
