//! The device features that this crate knows by name, and the chain of structs that asks for them.

use std::ffi::CStr;
use std::fmt;

use ash::vk;

/// A device feature that can be required.
///
/// The name shown is the one in the Vulkan specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Feature {
    /// Barriers and submits of Vulkan 1.3; always required.
    Synchronization2,
    /// Rendering without render pass objects; always required.
    DynamicRendering,
    /// Cull mode and front face set while recording; always required.
    ExtendedDynamicState,
    /// Semaphores with a counter.
    TimelineSemaphore,
    /// Buffers reached by address.
    BufferDeviceAddress,
    /// 64-bit integers in shaders.
    ShaderInt64,
    /// 64-bit integer atomics on buffers.
    ShaderBufferInt64Atomics,
    /// 16-bit values in storage buffers.
    StorageBuffer16BitAccess,
    /// Several indirect draws in one command.
    MultiDrawIndirect,
    /// The number of indirect draws read from a buffer.
    DrawIndirectCount,
    /// Stores and atomics in fragment shaders.
    FragmentStoresAndAtomics,
    /// Triangles drawn as lines.
    FillModeNonSolid,
    /// Reads and writes past the end of a bound buffer are defined.
    RobustBufferAccess,
}

impl Feature {
    /// What the renderer itself cannot do without.
    pub const ALWAYS: [Self; 3] = [
        Self::Synchronization2,
        Self::DynamicRendering,
        Self::ExtendedDynamicState,
    ];

    /// The member name in the Vulkan specification.
    pub fn name(self) -> &'static str {
        match self {
            Self::Synchronization2 => "synchronization2",
            Self::DynamicRendering => "dynamicRendering",
            Self::ExtendedDynamicState => "extendedDynamicState",
            Self::TimelineSemaphore => "timelineSemaphore",
            Self::BufferDeviceAddress => "bufferDeviceAddress",
            Self::ShaderInt64 => "shaderInt64",
            Self::ShaderBufferInt64Atomics => "shaderBufferInt64Atomics",
            Self::StorageBuffer16BitAccess => "storageBuffer16BitAccess",
            Self::MultiDrawIndirect => "multiDrawIndirect",
            Self::DrawIndirectCount => "drawIndirectCount",
            Self::FragmentStoresAndAtomics => "fragmentStoresAndAtomics",
            Self::FillModeNonSolid => "fillModeNonSolid",
            Self::RobustBufferAccess => "robustBufferAccess",
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The structs of a feature query or of a device creation, kept together so that they can be chained.
///
/// The structs of single features stand in for `VkPhysicalDeviceVulkan13Features`, because a device that reports
/// Vulkan 1.2 and offers the extensions is good enough: under RenderDoc every device is such a device.
#[derive(Debug, Default)]
pub(crate) struct FeatureChain {
    pub(crate) core: vk::PhysicalDeviceFeatures,
    vulkan11: vk::PhysicalDeviceVulkan11Features<'static>,
    vulkan12: vk::PhysicalDeviceVulkan12Features<'static>,
    synchronization2: vk::PhysicalDeviceSynchronization2Features<'static>,
    dynamic_rendering: vk::PhysicalDeviceDynamicRenderingFeatures<'static>,
    extended_dynamic_state: vk::PhysicalDeviceExtendedDynamicStateFeaturesEXT<'static>,
}

impl FeatureChain {
    /// A chain with exactly these features on.
    pub(crate) fn of(features: &[Feature]) -> Self {
        let mut chain = Self::default();
        for feature in features {
            *chain.member(*feature) = vk::TRUE;
        }
        chain
    }

    /// What the device offers.
    ///
    /// # Safety
    /// `physical_device` belongs to `instance`, and both are alive.
    pub(crate) unsafe fn query(
        instance: &ash::Instance,
        physical_device: vk::PhysicalDevice,
        core_13: bool,
    ) -> Self {
        let mut chain = Self::default();
        let mut query = vk::PhysicalDeviceFeatures2::default();
        query = query
            .push_next(&mut chain.vulkan11)
            .push_next(&mut chain.vulkan12)
            .push_next(&mut chain.synchronization2)
            .push_next(&mut chain.dynamic_rendering);
        if !core_13 {
            query = query.push_next(&mut chain.extended_dynamic_state);
        }
        // SAFETY: the caller vouches for the handles, and every struct of the chain outlives the call.
        unsafe { instance.get_physical_device_features2(physical_device, &mut query) };
        chain.core = query.features;
        chain.unlink();
        if core_13 {
            // Part of Vulkan 1.3 without a feature bit of its own.
            chain.extended_dynamic_state.extended_dynamic_state = vk::TRUE;
        }
        chain
    }

    /// Whether the feature is on in this chain.
    pub(crate) fn has(&mut self, feature: Feature) -> bool {
        *self.member(feature) == vk::TRUE
    }

    /// Puts the chain in front of a device creation.
    pub(crate) fn chain_into<'a>(
        &'a mut self,
        mut info: vk::DeviceCreateInfo<'a>,
        core_13: bool,
    ) -> vk::DeviceCreateInfo<'a> {
        if !core_13 {
            info = info.push_next(&mut self.extended_dynamic_state);
        }
        info.push_next(&mut self.vulkan11)
            .push_next(&mut self.vulkan12)
            .push_next(&mut self.synchronization2)
            .push_next(&mut self.dynamic_rendering)
            .enabled_features(&self.core)
    }

    /// The extensions that stand in for Vulkan 1.3 on a device that reports less.
    pub(crate) fn extensions(core_13: bool) -> &'static [&'static CStr] {
        if core_13 {
            return &[];
        }
        &[
            ash::khr::synchronization2::NAME,
            ash::khr::dynamic_rendering::NAME,
            ash::ext::extended_dynamic_state::NAME,
        ]
    }

    fn unlink(&mut self) {
        // The pointers lead into this very value, which is about to move.
        self.vulkan11.p_next = std::ptr::null_mut();
        self.vulkan12.p_next = std::ptr::null_mut();
        self.synchronization2.p_next = std::ptr::null_mut();
        self.dynamic_rendering.p_next = std::ptr::null_mut();
        self.extended_dynamic_state.p_next = std::ptr::null_mut();
    }

    fn member(&mut self, feature: Feature) -> &mut vk::Bool32 {
        match feature {
            Feature::Synchronization2 => &mut self.synchronization2.synchronization2,
            Feature::DynamicRendering => &mut self.dynamic_rendering.dynamic_rendering,
            Feature::ExtendedDynamicState => &mut self.extended_dynamic_state.extended_dynamic_state,
            Feature::TimelineSemaphore => &mut self.vulkan12.timeline_semaphore,
            Feature::BufferDeviceAddress => &mut self.vulkan12.buffer_device_address,
            Feature::ShaderInt64 => &mut self.core.shader_int64,
            Feature::ShaderBufferInt64Atomics => &mut self.vulkan12.shader_buffer_int64_atomics,
            Feature::StorageBuffer16BitAccess => &mut self.vulkan11.storage_buffer16_bit_access,
            Feature::MultiDrawIndirect => &mut self.core.multi_draw_indirect,
            Feature::DrawIndirectCount => &mut self.vulkan12.draw_indirect_count,
            Feature::FragmentStoresAndAtomics => &mut self.core.fragment_stores_and_atomics,
            Feature::FillModeNonSolid => &mut self.core.fill_mode_non_solid,
            Feature::RobustBufferAccess => &mut self.core.robust_buffer_access,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_has_what_was_asked_and_nothing_else() {
        let mut chain = FeatureChain::of(&[Feature::ShaderInt64, Feature::DynamicRendering]);
        assert!(chain.has(Feature::ShaderInt64));
        assert!(chain.has(Feature::DynamicRendering));
        assert!(!chain.has(Feature::StorageBuffer16BitAccess));
        assert!(!chain.has(Feature::ExtendedDynamicState));
    }
}
