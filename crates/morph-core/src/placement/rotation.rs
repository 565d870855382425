//! Rotations: unit quaternions x, y, z, w, and their matrices.

use super::error::{PlacementError, PlacementField};
use super::narrow::check_finite;
use crate::domain::to_domain3;
use crate::rounding::length64;

/// The rotation by `radians` about an axis of any length, counterclockwise for whom the axis points at.
///
/// Returns the quaternion x, y, z, w, unit in double precision.
///
/// # Errors
/// An axis of length zero, and numbers that are not finite.
///
/// ```
/// use morph_core::placement::axis_angle;
/// let half_turn = axis_angle([0.0, 0.0, 5.0], std::f64::consts::PI)?;
/// assert_eq!(half_turn[2], 1.0);
/// assert!(axis_angle([0.0; 3], 1.0).is_err());
/// # Ok::<(), morph_core::placement::PlacementError>(())
/// ```
pub fn axis_angle(axis: [f64; 3], radians: f64) -> Result<[f64; 4], PlacementError> {
    check_finite(PlacementField::Axis, &axis)?;
    check_finite(PlacementField::Angle, &[radians])?;
    let [x, y, z] = unit(PlacementField::Axis, axis)?;
    let (sin, cos) = (radians * 0.5).sin_cos();
    Ok([x * sin, y * sin, z * sin, cos])
}

/// Makes a quaternion unit: the way in for rotations that miss [`ROTATION_TOLERANCE`](super::ROTATION_TOLERANCE).
///
/// # Errors
/// A quaternion of length zero, and numbers that are not finite.
///
/// ```
/// use morph_core::placement::unit_rotation;
/// assert_eq!(unit_rotation([0.0, 0.0, 0.0, 2.0])?, [0.0, 0.0, 0.0, 1.0]);
/// # Ok::<(), morph_core::placement::PlacementError>(())
/// ```
pub fn unit_rotation(rotation: [f64; 4]) -> Result<[f64; 4], PlacementError> {
    check_finite(PlacementField::Rotation, &rotation)?;
    unit(PlacementField::Rotation, rotation)
}

/// The unit vector along `v`, which is finite.
fn unit<const N: usize>(field: PlacementField, v: [f64; N]) -> Result<[f64; N], PlacementError> {
    // Divided by the largest component first, neither tiny nor huge vectors lose their square.
    let largest = v.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if largest == 0.0 {
        return Err(PlacementError::NoDirection { field });
    }
    let v = v.map(|x| x / largest);
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    Ok(v.map(|x| x / length))
}

/// The length of a quaternion as a row stores it.
pub(super) fn length([x, y, z, w]: [f32; 4]) -> f64 {
    length64([f64::from(x), f64::from(y), f64::from(z)]).hypot(f64::from(w))
}

/// The rows of the rotation matrix, as the shader computes them: every product and sum rounded, in this order, and
/// entries below 2⁻⁴⁰ made zero so that products with them stay far from subnormal numbers.
pub(super) fn rows([x, y, z, w]: [f32; 4]) -> [[f32; 3]; 3] {
    let (xx, yy, zz) = (x * x, y * y, z * z);
    let (xy, xz, yz) = (x * y, x * z, y * z);
    let (wx, wy, wz) = (w * x, w * y, w * z);
    [
        [1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)],
        [2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)],
        [2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)],
    ]
    .map(to_domain3)
}

/// The same matrix in double precision.
pub(super) fn rows64(rotation: [f32; 4]) -> [[f64; 3]; 3] {
    let [x, y, z, w] = rotation.map(f64::from);
    [
        [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
        ],
        [
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - w * x),
        ],
        [
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (x * x + y * y),
        ],
    ]
}
