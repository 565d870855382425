//! The numbers that rows and tables keep to, on the host and in the shader.

/// The words of a row: presence, translation (3), rotation (4), scale (3). The least stride of a table.
pub const ROW_WORDS: u32 = 11;
/// Slot of the presence word: 1 where the row places its submesh, 0 where it is the identity.
pub const PRESENCE_SLOT: u32 = 0;
/// First slot of the translation x, y, z.
pub const TRANSLATION_SLOT: u32 = 1;
/// First slot of the rotation x, y, z, w.
pub const ROTATION_SLOT: u32 = 4;
/// First slot of the scale x, y, z.
pub const SCALE_SLOT: u32 = 8;

/// The most words of a table, padding counted: texel coordinates are signed 32-bit integers.
///
/// Devices have lower limits: compare width and height of a texture with `maxImageDimension2D`, and the bytes of a
/// buffer with `maxStorageBufferRange`.
pub const MAX_TABLE_WORDS: u32 = i32::MAX as u32;

/// How far the length of a rotation, as a row stores it, may be from 1.
///
/// A rotation of length 1 + δ stretches what it turns by up to 4δ, so 10⁻⁵ keeps that to 40 µm in a meter.
/// Rounding a unit quaternion to 32-bit floats costs at most 6·10⁻⁸ of length and each product of two of them as much
/// again, so a chain of a hundred products passes, as do components that were typed with five digits.
/// What is further off was meant to be something else: a quaternion that was never made unit, or Euler angles.
pub const ROTATION_TOLERANCE: f64 = 1.0e-5;
