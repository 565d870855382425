//! The engine's device, in structs that print themselves.

/// `ash::Device` prints nothing of itself.
#[derive(Clone)]
pub(crate) struct DeviceHandle(pub(crate) ash::Device);

impl std::fmt::Debug for DeviceHandle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?}", self.0.handle())
    }
}
