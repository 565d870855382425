//! What can go wrong, said so that a person knows what to do next.

use ash::vk;

use crate::drivers::DriverInfo;
use crate::features::Feature;

/// Why a device, or something made on it, is not there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The Vulkan loader library could not be opened.
    #[error(
        "the Vulkan loader could not be opened ({reason}). Install it together with a software driver: \
         on Debian or Ubuntu `apt-get install libvulkan1 mesa-vulkan-drivers`"
    )]
    NoLoader {
        /// What the system's library loader said.
        reason: String,
    },
    /// The loader works and finds no driver.
    #[error(
        "the Vulkan loader found no driver. Install one (a software driver on Debian or Ubuntu: \
         `apt-get install mesa-vulkan-drivers`), or name a driver's manifest in the variable VK_DRIVER_FILES"
    )]
    NoDriver,
    /// No device has the name that was asked for.
    #[error("no Vulkan device matches \"{wanted}\". Devices here: {}", list(drivers))]
    NoSuchDriver {
        /// The substring that was asked for.
        wanted: String,
        /// Every device that the loader lists.
        drivers: Vec<DriverInfo>,
    },
    /// The chosen device lacks a feature that is needed.
    #[error(
        "the device \"{device}\" lacks the feature {feature}. Devices here: {}",
        list(drivers)
    )]
    MissingFeature {
        /// The feature, by the name that Vulkan gives it.
        feature: Feature,
        /// The device that lacks it.
        device: String,
        /// Every device that the loader lists.
        drivers: Vec<DriverInfo>,
    },
    /// No queue of the device does both graphics and compute.
    #[error("the device \"{device}\" has no queue that does graphics and compute")]
    NoQueue {
        /// The device.
        device: String,
    },
    /// Validation was asked for and the layer is not installed.
    #[error(
        "the validation layer VK_LAYER_KHRONOS_validation is not installed (layers here: {}). On Debian or Ubuntu \
         `apt-get install vulkan-validationlayers`, or point VK_LAYER_PATH at a folder with its manifest",
        if layers.is_empty() { "none".to_owned() } else { layers.join(", ") }
    )]
    NoValidationLayer {
        /// The layers that the loader lists.
        layers: Vec<String>,
    },
    /// A Vulkan call failed.
    #[error("{call} failed: {result}")]
    Vulkan {
        /// The Vulkan function.
        call: &'static str,
        /// What it returned.
        result: vk::Result,
    },
    /// The memory for an object could not be had.
    #[error("no memory for \"{name}\" ({size_bytes} bytes): {source}")]
    Memory {
        /// The debug name of the object.
        name: String,
        /// How many bytes it needs.
        size_bytes: u64,
        /// What the allocator said.
        source: gpu_allocator::AllocationError,
    },
    /// A buffer of zero bytes was asked for, which Vulkan does not have.
    #[error("the buffer \"{name}\" would have zero bytes; a buffer needs at least one")]
    EmptyBuffer {
        /// The debug name of the buffer.
        name: String,
    },
    /// A host read or write reaches past the end of a buffer.
    #[error(
        "bytes {offset}..{} of the buffer \"{name}\" were asked for; it has {size_bytes}",
        offset.saturating_add(*length)
    )]
    OutOfRange {
        /// The debug name of the buffer.
        name: String,
        /// The first byte.
        offset: u64,
        /// How many bytes.
        length: u64,
        /// The size of the buffer.
        size_bytes: u64,
    },
    /// The host cannot reach the memory of a buffer.
    #[error("the buffer \"{name}\" is in memory that the host cannot reach; use `upload` or `readback`")]
    NotMapped {
        /// The debug name of the buffer.
        name: String,
    },
}

/// Why a renderer could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The device refused something.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The picture has no pixels, or more than the device allows.
    #[error(
        "{what} of {width} x {height} is not possible: both must be between 1 and {limit} on this device"
    )]
    Extent {
        /// Which image.
        what: &'static str,
        /// Its width in samples.
        width: u64,
        /// Its height in samples.
        height: u64,
        /// The largest that the device allows.
        limit: u32,
    },
    /// The supersampling factor is out of range.
    #[error("a supersampling of {given} is not possible: it must be between 1 and {limit}")]
    Supersampling {
        /// What was asked for.
        given: u32,
        /// The largest factor.
        limit: u32,
    },
    /// The vertex layout cannot be right.
    #[error(transparent)]
    Layout(#[from] morph_core::LayoutError),
    /// The buffer of placement tables is larger than the device can bind.
    #[error(
        "placement tables of {size_bytes} bytes are not possible: this device binds at most {limit} bytes \
         (maxStorageBufferRange); spread them over several buffers"
    )]
    PlacementTables {
        /// The size of the buffer.
        size_bytes: u64,
        /// The most that the device binds.
        limit: u32,
    },
    /// The vertices lie in several streams, or some attribute is packed.
    #[error(
        "this renderer draws interleaved vertices of floats: give the pass such a layout to draw with it"
    )]
    NotInterleaved,
    /// The vertices are longer than the device can draw from.
    #[error(
        "a vertex stride of {stride_bytes} bytes is not possible: this device draws from at most {limit}"
    )]
    Stride {
        /// The stride of the layout.
        stride_bytes: u32,
        /// The largest that the device allows.
        limit: u32,
    },
}

/// Why a picture could not be read back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The device refused something.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The pass was left out of the last frame, or no frame was recorded yet.
    #[error("the {pass} pass was not part of the last recorded frame, so there is nothing to read")]
    NotRecorded {
        /// The pass.
        pass: crate::frame::Pass,
    },
}

/// Turns a Vulkan result into an error that names the call.
pub(crate) trait Named<T> {
    /// Names the call that gave this result.
    fn named(self, call: &'static str) -> Result<T, DeviceError>;
}

impl<T> Named<T> for Result<T, vk::Result> {
    fn named(self, call: &'static str) -> Result<T, DeviceError> {
        self.map_err(|result| DeviceError::Vulkan { call, result })
    }
}

fn list(drivers: &[DriverInfo]) -> String {
    if drivers.is_empty() {
        return "none".to_owned();
    }
    drivers
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("; ")
}
