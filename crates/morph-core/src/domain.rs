//! The domain on which host and devices agree to the last bit.
//!
//! Software drivers and real GPUs disagree about subnormal numbers: some keep them, some flush them to zero.
//! Every factor of the morph is therefore zero or at least 2⁻⁴⁰ in magnitude.
//! A product of two such factors is at least 2⁻⁸⁰, and any sum of values built from them is a multiple of a
//! power of two far above the smallest normal number, so no subnormal can arise.
//! -0 is stored as +0, which makes adding a zero delta change nothing.

/// The smallest magnitude other than zero that enters the arithmetic: 2⁻⁴⁰, about 9.1e-13.
pub const DOMAIN_MIN: f32 = f32::from_bits((127 - 40) << 23);

/// Applies the domain rule: a magnitude below [`DOMAIN_MIN`] (and -0) becomes +0, anything else is kept.
///
/// NaN and infinity pass through, so that the checks that refuse them still see them.
///
/// ```
/// use morph_core::{DOMAIN_MIN, to_domain};
/// assert_eq!(to_domain(DOMAIN_MIN), DOMAIN_MIN);
/// assert_eq!(to_domain(-1.0e-13).to_bits(), 0);
/// assert_eq!(to_domain(-0.0).to_bits(), 0);
/// ```
#[inline]
pub fn to_domain(x: f32) -> f32 {
    if x.abs() < DOMAIN_MIN { 0.0 } else { x }
}

/// Applies [`to_domain`] to each component.
#[inline]
pub(crate) fn to_domain3(v: [f32; 3]) -> [f32; 3] {
    v.map(to_domain)
}

/// Counts the components that the domain rule makes zero although they were not.
///
/// -0 is not counted: it has the value zero already.
#[inline]
pub(crate) fn zeroed_components(v: [f32; 3]) -> u32 {
    v.iter()
        .map(|&x| u32::from(x != 0.0 && x.abs() < DOMAIN_MIN))
        .sum()
}
