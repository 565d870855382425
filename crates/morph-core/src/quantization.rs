//! The quantizations: how one delta component becomes bits, and how it comes back.
//!
//! Quantization is fixed when a mesh is built and decides the bits; a layout only orders the same values.

use std::fmt;
use std::str::FromStr;

use half::f16;

use crate::domain::DOMAIN_MIN;

/// How deltas are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Quantization {
    /// 32-bit floats, kept as authored.
    F32,
    /// 16-bit floats, rounded to nearest even; components beyond ±65504 are refused.
    Half,
    /// 16-bit signed integers times a step per target and stream.
    Snorm16,
}

impl Quantization {
    /// All quantizations.
    pub const ALL: [Quantization; 3] = [Quantization::F32, Quantization::Half, Quantization::Snorm16];

    /// The name that [`FromStr`] reads and [`fmt::Display`] writes.
    pub fn as_str(self) -> &'static str {
        match self {
            Quantization::F32 => "f32",
            Quantization::Half => "half",
            Quantization::Snorm16 => "snorm16",
        }
    }
}

impl fmt::Display for Quantization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A quantization that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is no quantization: use f32, half or snorm16")]
pub struct ParseQuantizationError {
    /// What was given.
    pub given: String,
}

impl FromStr for Quantization {
    type Err = ParseQuantizationError;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Quantization::ALL
            .into_iter()
            .find(|q| q.as_str() == s)
            .ok_or_else(|| ParseQuantizationError { given: s.to_owned() })
    }
}

/// The largest finite half float.
pub(crate) const HALF_MAX: f32 = 65504.0;

/// The largest magnitude of a 16-bit step count; -32768 is not used, so that the range is symmetric.
const SNORM16_MAX: f32 = 32767.0;

/// Rounds a component of magnitude at most [`HALF_MAX`] to the nearest half, ties to even; zero of either
/// sign is +0.
#[inline]
pub(crate) fn encode_half(x: f32) -> u16 {
    let bits = f16::from_f32(x).to_bits();
    if bits == 0x8000 { 0 } else { bits }
}

/// The value of a finite half, exactly.
///
/// The same integer steps as the shaders take: a subnormal half is `m * 2^-24`, which no device flushes, and
/// a normal one needs its exponent rebased from 15 to 127.
#[inline]
pub(crate) fn decode_half(bits: u16) -> f32 {
    const STEP: f32 = 1.0 / 16_777_216.0;
    let magnitude = u32::from(bits & 0x7fff);
    let value = if magnitude < 0x400 {
        magnitude as f32 * STEP
    } else {
        f32::from_bits((magnitude << 13) + (112 << 23))
    };
    f32::from_bits(value.to_bits() | u32::from(bits & 0x8000) << 16)
}

/// The step for components of magnitude up to `largest`: that over 32767, zero when nothing moves.
///
/// Near the end of the float range the rounded step could decode to infinity; the next lower step does not.
pub(crate) fn snorm16_step(largest: f32) -> f32 {
    let step = largest / SNORM16_MAX;
    if (SNORM16_MAX * step).is_finite() {
        step
    } else {
        step.next_down()
    }
}

/// The step count nearest to `x`, or `None` where its value falls outside the domain and zero has to stand
/// for it.
///
/// The quotient is taken in double precision, so that the choice is the nearest one also where a float
/// quotient would round to the midpoint.
#[inline]
pub(crate) fn encode_snorm16(x: f32, step: f32) -> Option<i16> {
    if x == 0.0 || step == 0.0 {
        return Some(0);
    }
    let limit = f64::from(SNORM16_MAX);
    let q = (f64::from(x) / f64::from(step))
        .round_ties_even()
        .clamp(-limit, limit) as i16;
    if q != 0 && decode_snorm16(q, step).abs() < DOMAIN_MIN {
        None
    } else {
        Some(q)
    }
}

/// The value of a step count: one product, rounded once.
#[inline]
pub(crate) fn decode_snorm16(q: i16, step: f32) -> f32 {
    f32::from(q) * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_half_decodes_exactly_and_encodes_back() {
        for bits in 0..=u16::MAX {
            let expected = f16::from_bits(bits);
            if expected.is_finite() {
                assert_eq!(
                    decode_half(bits).to_bits(),
                    expected.to_f32().to_bits(),
                    "half {bits:#06x}"
                );
                assert_eq!(
                    encode_half(decode_half(bits)),
                    if bits == 0x8000 { 0 } else { bits }
                );
            }
        }
    }

    #[test]
    fn halves_round_to_nearest_even() {
        // Halves near 1 are 2^-10 apart, so these lie midway between two of them.
        assert_eq!(decode_half(encode_half(1.0 + 1.0 / 2048.0)), 1.0);
        assert_eq!(decode_half(encode_half(1.0 + 3.0 / 2048.0)), 1.0 + 4.0 / 2048.0);
        // Half the smallest subnormal ties to zero, anything above it does not.
        let smallest = 1.0 / 16_777_216.0_f32;
        assert_eq!(encode_half(smallest / 2.0), 0);
        assert_eq!(encode_half((smallest / 2.0).next_up()), 1);
        assert_eq!(
            encode_half(-smallest / 2.0),
            0,
            "a negative value that rounds to zero is +0"
        );
        assert_eq!(decode_half(encode_half(HALF_MAX)), HALF_MAX);
    }

    #[test]
    fn a_step_at_the_end_of_the_float_range_decodes_to_something_finite() {
        for ulps_below in 0..1000 {
            let largest = f32::from_bits(f32::MAX.to_bits() - ulps_below);
            let step = snorm16_step(largest);
            let q = encode_snorm16(largest, step).unwrap_or(0);
            let decoded = decode_snorm16(q, step);
            assert!(decoded.is_finite());
            assert!(f64::from(decoded - largest).abs() <= f64::from(step) / 2.0);
        }
    }

    #[test]
    fn step_counts_whose_value_leaves_the_domain_become_zero() {
        // The step for 2^-40 is about 2^-55; a tenth of the range is a count of 3277, worth less than 2^-40.
        let step = snorm16_step(DOMAIN_MIN);
        assert_eq!(encode_snorm16(DOMAIN_MIN / 10.0, step), None);
        assert_eq!(encode_snorm16(0.0, step), Some(0));
        assert_eq!(encode_snorm16(0.0, 0.0), Some(0));
    }

    #[test]
    fn names_are_read_back() {
        for quantization in Quantization::ALL {
            assert_eq!(quantization.to_string().parse(), Ok(quantization));
        }
        let error = "snorm8"
            .parse::<Quantization>()
            .err()
            .map(|error| error.to_string());
        assert_eq!(
            error.as_deref(),
            Some("`snorm8` is no quantization: use f32, half or snorm16")
        );
    }
}
