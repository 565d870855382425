//! Tests of the scene without a device.
