//! Rotations as unit quaternions x, y, z, w.

use glam::DQuat;

/// How far the squared length of a rotation key may be from one for the key to count as a unit quaternion.
///
/// It is what `glam` asks of a unit quaternion. Rotations stored as 16-bit integers pass, 8-bit ones do not: they are
/// made unit.
const UNIT_TOLERANCE: f64 = 2.0e-4;

/// The cosine from which on straight interpolation replaces one at a constant speed.
///
/// The half angle is then below 4.5e-5, where the two differ by its cube, far less than an `f32` can tell, and the
/// sine that the latter divides by comes near zero.
const NEARLY_PARALLEL: f64 = 1.0 - 1.0e-9;

/// Turns from `from` by the part `passed` of the way to `to`, both unit, along the shorter way at a constant speed.
///
/// `ahead` is one minus `passed`. Both may lie outside zero to one: then the turn goes on.
pub(crate) fn slerp(from: DQuat, to: DQuat, ahead: f64, passed: f64) -> DQuat {
    let cosine = from.dot(to);
    let to = if cosine < 0.0 { -to } else { to };
    let cosine = cosine.abs();
    let mixed = if cosine > NEARLY_PARALLEL {
        from * ahead + to * passed
    } else {
        let angle = cosine.acos();
        from * (ahead * angle).sin() + to * (passed * angle).sin()
    };
    unit_else(mixed, from)
}

/// The quaternion made unit, or `otherwise` where its length is zero.
pub(crate) fn unit_else(quaternion: DQuat, otherwise: DQuat) -> DQuat {
    let length = quaternion.length();
    if length > 0.0 {
        quaternion / length
    } else {
        otherwise
    }
}

/// The rotation that a key means.
pub(crate) fn from_key(key: [f32; 4]) -> DQuat {
    unit_else(DQuat::from_array(key.map(f64::from)), DQuat::IDENTITY)
}

/// Rounded to what a key holds.
pub(crate) fn to_key(rotation: DQuat) -> [f32; 4] {
    rotation.as_quat().to_array()
}

/// A key's rotation: to the last bit as it is, where it is a unit quaternion.
pub(crate) fn unit_key(key: [f32; 4]) -> [f32; 4] {
    let length_squared: f64 = key.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    if (length_squared - 1.0).abs() <= UNIT_TOLERANCE {
        key
    } else {
        to_key(from_key(key))
    }
}
