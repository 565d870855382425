//! A Vulkan device without a window, with one queue that does graphics and compute.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};

use crate::drivers::{DriverInfo, choose};
use crate::error::{DeviceError, Named};
use crate::features::{Feature, FeatureChain};
use crate::instance::Instance;
use crate::validation::{MessageLog, ValidationDesc, ValidationLayer, ValidationMessage};
use crate::watch::DeviceWatch;

/// What device is wanted.
#[derive(Debug, Clone, Default)]
pub struct HeadlessDesc {
    /// A part of the device's or driver's name, any case; `None` takes the best: discrete, integrated, virtual, then
    /// lavapipe before other software drivers.
    pub driver: Option<String>,
    /// The checks of the validation layer; `None` loads no layer.
    pub validation: Option<ValidationDesc>,
    /// Features to switch on beside [`Feature::ALWAYS`]; a device that lacks one is refused by its name.
    pub required: Vec<Feature>,
    /// Whether a second queue is wanted, for compute beside the first one; see [`HeadlessDevice::second_queue`].
    pub second_queue: bool,
    /// Who looks on; see [`DeviceWatch`].
    pub watch: Option<Arc<dyn DeviceWatch>>,
}

/// A queue with its family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FamilyQueue {
    /// The queue.
    pub queue: vk::Queue,
    /// Its family.
    pub family: u32,
}

/// A Vulkan 1.3 device with one queue, an allocator, and the messages of the validation layer.
///
/// Everything made on it (buffers, renderers) holds on to it, so the order in which they are dropped does not matter.
///
/// # Threads
/// Submits of this crate take a lock on the queue.
/// Whoever submits through [`queue`](Self::queue) must not do so while another thread uses this crate.
#[derive(Clone)]
pub struct HeadlessDevice {
    context: Arc<Context>,
}

impl HeadlessDevice {
    /// Picks a physical device and makes a device on it.
    ///
    /// # Errors
    /// No loader, no driver, no device of that name, a missing feature (named), no validation layer where one is
    /// asked for, or a failed Vulkan call.
    pub fn new(desc: &HeadlessDesc) -> Result<Self, DeviceError> {
        Context::new(desc).map(|context| Self {
            context: Arc::new(context),
        })
    }

    /// The loader's entry points.
    pub fn entry(&self) -> &ash::Entry {
        self.context.instance.entry()
    }

    /// The instance.
    pub fn instance(&self) -> &ash::Instance {
        self.context.instance.raw()
    }

    /// The physical device.
    pub fn physical_device(&self) -> vk::PhysicalDevice {
        self.context.physical_device
    }

    /// The device.
    pub fn device(&self) -> &ash::Device {
        &self.context.device.0
    }

    /// The queue; it does graphics, compute and copies.
    pub fn queue(&self) -> vk::Queue {
        self.context.queue
    }

    /// The family of [`queue`](Self::queue).
    pub fn queue_family(&self) -> u32 {
        self.context.queue_family
    }

    /// A second queue that computes, where it was asked for and the device has one: of a family that only computes
    /// before other families, and before a second queue of the first one's family.
    ///
    /// This crate never submits to it.
    pub fn second_queue(&self) -> Option<FamilyQueue> {
        self.context.second_queue
    }

    /// How many bits of the queue's timestamps mean something; zero where it has none.
    pub fn timestamp_valid_bits(&self) -> u32 {
        self.context.timestamp_valid_bits
    }

    /// The limits of the device.
    pub fn limits(&self) -> &vk::PhysicalDeviceLimits {
        &self.context.properties.limits
    }

    /// The name of the device.
    pub fn device_name(&self) -> &str {
        &self.context.driver.device_name
    }

    /// The device and its driver, for people and for reports.
    pub fn driver_info(&self) -> &DriverInfo {
        &self.context.driver
    }

    /// The validation layer that was loaded, if one was asked for.
    pub fn validation_layer(&self) -> Option<&ValidationLayer> {
        self.context.instance.layer()
    }

    /// The messages of the validation layer, the loader and the driver so far, without the filtered ones.
    pub fn messages(&self) -> Vec<ValidationMessage> {
        self.context.instance.log().messages()
    }

    /// A handle to the messages that still works when the device is gone, so that messages about its end count.
    pub fn message_log(&self) -> MessageLog {
        self.context.instance.log().clone()
    }

    /// Whether `VK_EXT_debug_utils` is on, so that names and labels may be set.
    pub fn has_debug_utils(&self) -> bool {
        self.context.debug_utils.is_some()
    }

    /// Gives a Vulkan object the name that captures and messages show; does nothing without `VK_EXT_debug_utils`.
    ///
    /// # Safety
    /// The object belongs to this device and is alive.
    pub unsafe fn name_object<H: vk::Handle>(&self, object: H, name: &str) {
        // SAFETY: the caller vouches for the object.
        unsafe { self.context.name_object(object, name) }
    }

    /// Records commands, submits them and waits until they are done.
    ///
    /// `label` names the submit in captures.
    /// The command buffer is in the recording state inside `record` and must be left in it.
    ///
    /// # Errors
    /// A failed Vulkan call; a lost device among them.
    pub fn submit_once<R>(
        &self,
        label: &str,
        record: impl FnOnce(vk::CommandBuffer) -> R,
    ) -> Result<R, DeviceError> {
        crate::submit::submit_once(&self.context, label, record)
    }

    /// Waits until the queue has nothing left to do.
    ///
    /// # Errors
    /// A lost device.
    pub fn wait_idle(&self) -> Result<(), DeviceError> {
        self.context.wait_idle()
    }

    /// Gives up this handle; the device ends with the last object made on it.
    ///
    /// The same as dropping it, for those who like to see it.
    pub fn destroy(self) {
        drop(self);
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

impl fmt::Debug for HeadlessDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeadlessDevice")
            .field("driver", &self.context.driver)
            .finish_non_exhaustive()
    }
}

/// What every object of this crate shares; the fields end in the order in which they stand here.
pub(crate) struct Context {
    // First, because its memory blocks belong to the device.
    allocator: Mutex<Allocator>,
    pub(crate) device: DeviceOwner,
    instance: Instance,
    pub(crate) physical_device: vk::PhysicalDevice,
    pub(crate) properties: vk::PhysicalDeviceProperties,
    pub(crate) queue: vk::Queue,
    pub(crate) queue_family: u32,
    second_queue: Option<FamilyQueue>,
    timestamp_valid_bits: u32,
    pub(crate) debug_utils: Option<ash::ext::debug_utils::Device>,
    pub(crate) functions: Functions,
    queue_lock: Mutex<()>,
    driver: DriverInfo,
}

/// Destroys the device when it goes.
pub(crate) struct DeviceOwner(pub(crate) ash::Device, Option<Arc<dyn DeviceWatch>>);

impl Drop for DeviceOwner {
    fn drop(&mut self) {
        // SAFETY: the context is the last owner, so no other thread submits; a lost device is waited for in vain.
        let _ = unsafe { self.0.device_wait_idle() };
        // SAFETY: every object of this crate held on to the context, so all of them are gone.
        unsafe { self.0.destroy_device(None) };
        if let Some(watch) = &self.1 {
            watch.end();
        }
    }
}

/// The commands that a device below Vulkan 1.3 only has under the names of their extensions.
pub(crate) struct Functions {
    pub(crate) synchronization2: Option<ash::khr::synchronization2::Device>,
    pub(crate) dynamic_rendering: Option<ash::khr::dynamic_rendering::Device>,
    pub(crate) extended_dynamic_state: Option<ash::ext::extended_dynamic_state::Device>,
}

impl Context {
    fn new(desc: &HeadlessDesc) -> Result<Self, DeviceError> {
        let instance = Instance::new(desc.validation)?;
        let mut features = Feature::ALWAYS.to_vec();
        features.extend(&desc.required);
        let candidate = choose(&instance, desc.driver.as_deref(), &features)?;
        let physical_device = candidate.physical_device;
        let raw = instance.raw();
        // SAFETY: the physical device was enumerated from this living instance.
        let properties = unsafe { raw.get_physical_device_properties(physical_device) };
        // SAFETY: as above.
        let families = unsafe { raw.get_physical_device_queue_family_properties(physical_device) };
        let wanted = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
        let queue_family = families
            .iter()
            .position(|family| family.queue_count > 0 && family.queue_flags.contains(wanted))
            .ok_or_else(|| DeviceError::NoQueue {
                device: candidate.info.device_name.clone(),
            })? as u32;

        let second = if desc.second_queue {
            second_queue_place(&families, queue_family)
        } else {
            None
        };
        let one_of = |family| {
            vk::DeviceQueueCreateInfo::default()
                .queue_family_index(family)
                .queue_priorities(&[1.0])
        };
        let queues = match second {
            None => vec![one_of(queue_family)],
            Some((family, 0)) => vec![one_of(queue_family), one_of(family)],
            Some((family, _)) => vec![one_of(family).queue_priorities(&[1.0, 1.0])],
        };
        let core_13 = candidate.core_13;
        let extensions: Vec<_> = FeatureChain::extensions(core_13)
            .iter()
            .map(|name| name.as_ptr())
            .collect();
        let mut chain = FeatureChain::of(&features);
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&extensions);
        let info = chain.chain_into(info, core_13);
        // SAFETY: everything that the structs point to lives until the end of this function, and the features were
        // found on this device.
        let device = unsafe { raw.create_device(physical_device, &info, None) }.named("vkCreateDevice")?;
        let device = match &desc.watch {
            Some(watch) => watch.begin(device),
            None => device,
        };
        let device = DeviceOwner(device, desc.watch.clone());
        // SAFETY: the device was made with one queue of this family.
        let queue = unsafe { device.0.get_device_queue(queue_family, 0) };
        let second_queue = second.map(|(family, index)| FamilyQueue {
            // SAFETY: the device was made with this queue too.
            queue: unsafe { device.0.get_device_queue(family, index) },
            family,
        });
        let functions = Functions {
            synchronization2: (!core_13).then(|| ash::khr::synchronization2::Device::new(raw, &device.0)),
            dynamic_rendering: (!core_13).then(|| ash::khr::dynamic_rendering::Device::new(raw, &device.0)),
            extended_dynamic_state: (!core_13)
                .then(|| ash::ext::extended_dynamic_state::Device::new(raw, &device.0)),
        };
        let debug_utils = instance
            .has_debug_utils()
            .then(|| ash::ext::debug_utils::Device::new(raw, &device.0));
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: raw.clone(),
            device: device.0.clone(),
            physical_device,
            debug_settings: gpu_allocator::AllocatorDebugSettings::default(),
            buffer_device_address: desc.required.contains(&Feature::BufferDeviceAddress),
            allocation_sizes: gpu_allocator::AllocationSizes::default(),
        })
        .map_err(|source| DeviceError::Memory {
            name: "allocator".to_owned(),
            size_bytes: 0,
            source,
        })?;
        let context = Self {
            allocator: Mutex::new(allocator),
            device,
            instance,
            physical_device,
            properties,
            queue,
            queue_family,
            second_queue,
            timestamp_valid_bits: families[queue_family as usize].timestamp_valid_bits,
            debug_utils,
            functions,
            queue_lock: Mutex::new(()),
            driver: candidate.info,
        };
        // SAFETY: the queue belongs to the device that was just made.
        unsafe { context.name_object(queue, "morph queue") };
        Ok(context)
    }

    pub(crate) fn allocator(&self) -> std::sync::MutexGuard<'_, Allocator> {
        self.allocator.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lock_queue(&self) -> std::sync::MutexGuard<'_, ()> {
        self.queue_lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn wait_idle(&self) -> Result<(), DeviceError> {
        let _lock = self.lock_queue();
        // SAFETY: the lock keeps this crate's other submits away; others were told to stay away.
        unsafe { self.device.0.queue_wait_idle(self.queue) }.named("vkQueueWaitIdle")
    }

    /// Names an object where `VK_EXT_debug_utils` is on.
    ///
    /// # Safety
    /// The object belongs to this device and is alive.
    pub(crate) unsafe fn name_object<H: vk::Handle>(&self, object: H, name: &str) {
        let Some(debug_utils) = &self.debug_utils else {
            return;
        };
        let name = c_string(name);
        let info = vk::DebugUtilsObjectNameInfoEXT::default()
            .object_handle(object)
            .object_name(&name);
        // A name that could not be set is only missing in a capture.
        // SAFETY: the caller vouches for the object.
        let _ = unsafe { debug_utils.set_debug_utils_object_name(&info) };
    }
}

/// The family and the index in it of a second queue that computes.
fn second_queue_place(families: &[vk::QueueFamilyProperties], first_family: u32) -> Option<(u32, u32)> {
    let other = |unwanted: vk::QueueFlags| {
        let found = families.iter().enumerate().find(|(index, family)| {
            *index as u32 != first_family
                && family.queue_count > 0
                && family.queue_flags.contains(vk::QueueFlags::COMPUTE)
                && !family.queue_flags.intersects(unwanted)
        });
        found.map(|(index, _)| (index as u32, 0))
    };
    let beside = || (families[first_family as usize].queue_count > 1).then_some((first_family, 1));
    other(vk::QueueFlags::GRAPHICS)
        .or_else(|| other(vk::QueueFlags::empty()))
        .or_else(beside)
}

/// A name for Vulkan; what follows a zero byte is cut off.
pub(crate) fn c_string(text: &str) -> std::ffi::CString {
    let end = text.find('\0').unwrap_or(text.len());
    std::ffi::CString::new(&text[..end]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_that_only_computes_comes_before_others_and_a_second_queue_of_the_first_one_last() {
        let family = |queue_flags, queue_count| vk::QueueFamilyProperties {
            queue_flags,
            queue_count,
            ..Default::default()
        };
        let (all, compute) = (
            vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE,
            vk::QueueFlags::COMPUTE,
        );
        let copies = family(vk::QueueFlags::TRANSFER, 2);
        let place = |families: &[_]| second_queue_place(families, 0);
        assert_eq!(
            place(&[family(all, 16), copies, family(all, 1), family(compute, 8)]),
            Some((3, 0))
        );
        assert_eq!(place(&[family(all, 16), copies, family(all, 1)]), Some((2, 0)));
        assert_eq!(place(&[family(all, 16), copies]), Some((0, 1)));
        assert_eq!(place(&[family(all, 1), copies]), None);
    }
}
