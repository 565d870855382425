//! Which Vulkan devices are here, and which one to take.

use std::ffi::CStr;
use std::fmt;

use ash::vk;

use crate::error::{DeviceError, Named};
use crate::features::{Feature, FeatureChain};
use crate::instance::Instance;

/// One Vulkan device, as `list_drivers` and the errors show it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriverInfo {
    /// The name of the device, such as "llvmpipe (LLVM 15.0.6, 256 bits)".
    pub device_name: String,
    /// The name of the driver, such as "llvmpipe" or "NVIDIA".
    pub driver_name: String,
    /// The driver's own version text; may be empty.
    pub driver_info: String,
    /// Who made the driver, as Vulkan numbers it.
    pub driver_id: vk::DriverId,
    /// Discrete, integrated, virtual or CPU.
    pub device_type: vk::PhysicalDeviceType,
    /// The Vulkan version of the device: major, minor, patch.
    pub api_version: (u32, u32, u32),
}

impl fmt::Display for DriverInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor, patch) = self.api_version;
        let kind = match self.device_type {
            vk::PhysicalDeviceType::DISCRETE_GPU => "discrete GPU",
            vk::PhysicalDeviceType::INTEGRATED_GPU => "integrated GPU",
            vk::PhysicalDeviceType::VIRTUAL_GPU => "virtual GPU",
            vk::PhysicalDeviceType::CPU => "CPU",
            _ => "other",
        };
        write!(f, "\"{}\" ({kind}, driver {}", self.device_name, self.driver_name)?;
        if !self.driver_info.is_empty() {
            write!(f, " {}", self.driver_info)?;
        }
        write!(f, ", Vulkan {major}.{minor}.{patch})")
    }
}

impl DriverInfo {
    /// Whether a person who typed `wanted` means this device: a substring of the device's or the driver's name, any
    /// case.
    ///
    /// Mesa's software driver calls itself llvmpipe while everybody calls it lavapipe; both match.
    pub fn matches(&self, wanted: &str) -> bool {
        let wanted = wanted.to_lowercase();
        let alias = if self.driver_id == vk::DriverId::MESA_LLVMPIPE {
            "lavapipe"
        } else {
            ""
        };
        [&self.device_name, &self.driver_name, &self.driver_info]
            .iter()
            .any(|name| name.to_lowercase().contains(&wanted))
            || alias.contains(&wanted)
    }

    /// Whether this is Mesa's lavapipe.
    pub fn is_lavapipe(&self) -> bool {
        self.driver_id == vk::DriverId::MESA_LLVMPIPE
    }

    /// Whether this is SwiftShader.
    pub fn is_swiftshader(&self) -> bool {
        self.driver_id == vk::DriverId::GOOGLE_SWIFTSHADER
    }

    /// The order in which devices are tried when none is named: lower is better.
    fn rank(&self) -> u32 {
        match self.device_type {
            vk::PhysicalDeviceType::DISCRETE_GPU => 0,
            vk::PhysicalDeviceType::INTEGRATED_GPU => 1,
            vk::PhysicalDeviceType::VIRTUAL_GPU => 2,
            // Of the software drivers, lavapipe has more features and is the faster one.
            vk::PhysicalDeviceType::CPU if self.is_lavapipe() => 3,
            vk::PhysicalDeviceType::CPU => 4,
            _ => 5,
        }
    }
}

/// Every Vulkan device that the loader finds, in the order in which they would be taken.
///
/// # Errors
/// No loader, no driver, or a failed call.
pub fn list_drivers() -> Result<Vec<DriverInfo>, DeviceError> {
    let instance = Instance::new(None)?;
    let mut drivers: Vec<DriverInfo> = candidates(&instance)?
        .into_iter()
        .map(|candidate| candidate.info)
        .collect();
    drivers.sort_by_key(DriverInfo::rank);
    Ok(drivers)
}

/// A physical device with what is needed to choose it.
pub(crate) struct Candidate {
    pub(crate) physical_device: vk::PhysicalDevice,
    pub(crate) info: DriverInfo,
    pub(crate) core_13: bool,
}

/// Every physical device of the instance.
pub(crate) fn candidates(instance: &Instance) -> Result<Vec<Candidate>, DeviceError> {
    let raw = instance.raw();
    // SAFETY: the instance is alive.
    let physical_devices = unsafe { raw.enumerate_physical_devices() }.named("vkEnumeratePhysicalDevices")?;
    Ok(physical_devices
        .into_iter()
        .map(|physical_device| {
            let mut driver = vk::PhysicalDeviceDriverProperties::default();
            let mut query = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
            // SAFETY: the physical device was just enumerated from this instance.
            unsafe { raw.get_physical_device_properties2(physical_device, &mut query) };
            let properties = query.properties;
            let version = properties.api_version;
            Candidate {
                physical_device,
                core_13: version >= vk::API_VERSION_1_3,
                info: DriverInfo {
                    device_name: text(properties.device_name_as_c_str()),
                    driver_name: text(driver.driver_name_as_c_str()),
                    driver_info: text(driver.driver_info_as_c_str()),
                    driver_id: driver.driver_id,
                    device_type: properties.device_type,
                    api_version: (
                        vk::api_version_major(version),
                        vk::api_version_minor(version),
                        vk::api_version_patch(version),
                    ),
                },
            }
        })
        .collect())
}

/// Takes the best device that has every feature, or says which feature the best one lacks.
pub(crate) fn choose(
    instance: &Instance,
    wanted: Option<&str>,
    features: &[Feature],
) -> Result<Candidate, DeviceError> {
    let mut all = candidates(instance)?;
    all.sort_by_key(|candidate| candidate.info.rank());
    if all.is_empty() {
        return Err(DeviceError::NoDriver);
    }
    let drivers: Vec<DriverInfo> = all.iter().map(|candidate| candidate.info.clone()).collect();
    let mut refusal = None;
    for candidate in all {
        if wanted.is_some_and(|wanted| !candidate.info.matches(wanted)) {
            continue;
        }
        match missing(instance, &candidate, features) {
            None => return Ok(candidate),
            Some(feature) => {
                refusal.get_or_insert(DeviceError::MissingFeature {
                    feature,
                    device: candidate.info.device_name,
                    drivers: drivers.clone(),
                });
            }
        }
    }
    Err(refusal.unwrap_or(DeviceError::NoSuchDriver {
        wanted: wanted.unwrap_or("").to_owned(),
        drivers,
    }))
}

/// The first of the features that the device lacks.
fn missing(instance: &Instance, candidate: &Candidate, features: &[Feature]) -> Option<Feature> {
    if candidate.info.api_version < (1, 2, 0) {
        // The feature structs of Vulkan 1.2 may not even be asked about.
        return Some(Feature::Synchronization2);
    }
    // SAFETY: the physical device was enumerated from this living instance.
    let mut offered =
        unsafe { FeatureChain::query(instance.raw(), candidate.physical_device, candidate.core_13) };
    features.iter().copied().find(|feature| !offered.has(*feature))
}

fn text(name: Result<&CStr, std::ffi::FromBytesUntilNulError>) -> String {
    name.map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn driver(name: &str, id: vk::DriverId, device_type: vk::PhysicalDeviceType) -> DriverInfo {
        DriverInfo {
            device_name: name.to_owned(),
            driver_name: name.to_owned(),
            driver_info: String::new(),
            driver_id: id,
            device_type,
            api_version: (1, 3, 0),
        }
    }

    #[test]
    fn lavapipe_is_found_under_both_of_its_names() {
        let lavapipe = driver(
            "llvmpipe (LLVM 15)",
            vk::DriverId::MESA_LLVMPIPE,
            vk::PhysicalDeviceType::CPU,
        );
        assert!(lavapipe.matches("lavapipe"));
        assert!(lavapipe.matches("LLVMpipe"));
        assert!(!lavapipe.matches("swiftshader"));
    }

    #[test]
    fn real_devices_come_before_lavapipe_before_other_software() {
        let mut drivers = [
            driver(
                "SwiftShader",
                vk::DriverId::GOOGLE_SWIFTSHADER,
                vk::PhysicalDeviceType::CPU,
            ),
            driver(
                "llvmpipe",
                vk::DriverId::MESA_LLVMPIPE,
                vk::PhysicalDeviceType::CPU,
            ),
            driver(
                "H200",
                vk::DriverId::NVIDIA_PROPRIETARY,
                vk::PhysicalDeviceType::DISCRETE_GPU,
            ),
            driver(
                "iGPU",
                vk::DriverId::INTEL_OPEN_SOURCE_MESA,
                vk::PhysicalDeviceType::INTEGRATED_GPU,
            ),
        ];
        drivers.sort_by_key(DriverInfo::rank);
        let names: Vec<&str> = drivers.iter().map(|driver| driver.device_name.as_str()).collect();
        assert_eq!(names, ["H200", "iGPU", "llvmpipe", "SwiftShader"]);
    }
}
