//! Unit directions in 32 bits, packed so that every device gives the same bits.
//!
//! Packing makes a direction unit, and that takes a division or a square root, which devices round as they like
//! (Vulkan allows 2.5 and more units in the last place).
//! Sums and products they round exactly.
//! So the reciprocal and the inverse square root are Newton's method from a first guess out of the bits of the number,
//! three steps of sums and products; the largest component is brought to about one before, by a power of two, so that
//! nothing overflows.
//! `shaders/include/morph_pack.glsl` mirrors this file, and both give the same bits.
//!
//! Sources: Q. Meyer, J. Süßmuth, G. Sußner, M. Stamminger, G. Greiner, "On Floating-Point Normal Vectors", 2010, for
//! the octahedral map; C. Lomont, "Fast Inverse Square Root", 2003, for the guess.

use crate::vertex_attribute::VertexFormat;

/// The scale of ten bits: the largest component.
const SNORM10_MAX: f32 = 511.0;
/// The scale of sixteen bits.
const SNORM16_MAX: f32 = 32767.0;
const MAGNITUDE_MASK: u32 = 0x7fff_ffff;
const SIGN_MASK: u32 = 0x8000_0000;

impl VertexFormat {
    /// The word of a direction in this format; `w` as for [`encode_snorm10`], and zero for floats, which are no word.
    pub fn encode(self, direction: [f32; 3], w: Option<f32>) -> u32 {
        match self {
            VertexFormat::Float32 => 0,
            VertexFormat::Snorm10 => encode_snorm10(direction, w),
            VertexFormat::Octahedral16 => encode_octahedral16(direction),
        }
    }
}

/// Packs a direction as Vulkan's `A2B10G10R10_SNORM_PACK32`: x in the lowest ten bits, then y, z, and two bits of w.
///
/// The direction is made unit; each component is then within 0.501 / 511 of the true one, and the angle within 0.1
/// degrees.
/// A direction without length (opposed deltas may cancel one), or one that is not finite, is packed as zeros.
/// `w` is the handedness of a tangent, of which the sign alone is kept, and `None` (zero) for a normal.
///
/// ```
/// use morph_core::{decode_snorm10, encode_snorm10};
/// let word = encode_snorm10([0.0, 0.0, 3.0], Some(-1.0));
/// assert_eq!(decode_snorm10(word), [0.0, 0.0, 1.0, -1.0]);
/// ```
pub fn encode_snorm10(direction: [f32; 3], w: Option<f32>) -> u32 {
    let handedness = match w {
        None => 0,
        Some(w) if w.to_bits() & SIGN_MASK != 0 => 0b11 << 30,
        Some(_) => 0b01 << 30,
    };
    let Some(scaled) = scale_to_one(direction) else {
        return handedness;
    };
    let [x, y, z] = scaled;
    let squares = [x * x, y * y, z * z];
    let inverse_length = inverse_square_root(squares[0] + squares[1] + squares[2]);
    let [x, y, z] = scaled.map(|it| quantize(it * inverse_length, SNORM10_MAX) & 0x3ff);
    x | y << 10 | z << 20 | handedness
}

/// The components of a packed direction, which is unit to within the steps, and w; as vertex input reads it.
pub fn decode_snorm10(word: u32) -> [f32; 4] {
    let component = |shift: u32| (((word << (22 - shift)) as i32 >> 22) as f32 / SNORM10_MAX).max(-1.0);
    let w = ((word as i32 >> 30) as f32).max(-1.0);
    [component(0), component(10), component(20), w]
}

/// Packs a direction as an octahedral map in Vulkan's `R16G16_SNORM`, the first coordinate in the low half.
///
/// The angle is within 0.004 degrees.
/// A direction without length, or one that is not finite, is packed as zeros, which is +Z: the map has no zero.
///
/// The vertex shader unfolds `e`, the two components, with
/// `n = vec3(e, 1.0 - abs(e.x) - abs(e.y)); n.xy -= sign(e) * max(-n.z, 0.0); normalize(n)`.
pub fn encode_octahedral16(direction: [f32; 3]) -> u32 {
    let Some(scaled) = scale_to_one(direction) else {
        return 0;
    };
    let [x, y, z] = scaled.map(magnitude);
    let inverse_sum = reciprocal(x + y + z);
    let (x, y) = (x * inverse_sum, y * inverse_sum);
    // The lower half is folded over the edges. The signs come from what was given: scaling may lose that of a zero.
    let (u, v) = if is_negative(direction[2]) {
        (1.0 - y, 1.0 - x)
    } else {
        (x, y)
    };
    let u = quantize(with_sign_of(u, direction[0]), SNORM16_MAX) & 0xffff;
    let v = quantize(with_sign_of(v, direction[1]), SNORM16_MAX) & 0xffff;
    u | v << 16
}

/// The unit direction that an octahedral map stands for.
pub fn decode_octahedral16(word: u32) -> [f32; 3] {
    let coordinate = |bits: u32| f64::from((f32::from(bits as u16 as i16) / SNORM16_MAX).max(-1.0));
    let (u, v) = (coordinate(word), coordinate(word >> 16));
    let z = 1.0 - u.abs() - v.abs();
    let fold = (-z).max(0.0);
    let [x, y] = [u, v].map(|it| it - fold.copysign(it));
    let length = (x * x + y * y + z * z).sqrt();
    [x, y, z].map(|it| (it / length) as f32)
}

/// Brings the largest component to 1 or more and below 4 by a power of two; `None` for zero and what is not finite.
fn scale_to_one(direction: [f32; 3]) -> Option<[f32; 3]> {
    let magnitudes = direction.map(|it| it.to_bits() & MAGNITUDE_MASK);
    let largest = magnitudes[0].max(magnitudes[1]).max(magnitudes[2]);
    // Below the smallest normal number, infinite, or NaN.
    if !(0x0080_0000..0x7f80_0000).contains(&largest) {
        return None;
    }
    // The exponent of the scale would be zero, and so the scale, for the largest numbers of all.
    let exponent = (largest >> 23).min(253);
    let scale = f32::from_bits((254 - exponent) << 23);
    Some(direction.map(|it| it * scale))
}

fn inverse_square_root(x: f32) -> f32 {
    let half = 0.5 * x;
    let mut guess = f32::from_bits(0x5f37_5a86 - (x.to_bits() >> 1));
    for _ in 0..3 {
        let square = guess * guess;
        let product = half * square;
        guess *= 1.5 - product;
    }
    guess
}

fn reciprocal(x: f32) -> f32 {
    let mut guess = f32::from_bits(0x7ef3_11c7 - x.to_bits());
    for _ in 0..3 {
        let product = x * guess;
        guess *= 2.0 - product;
    }
    guess
}

/// A number of magnitude 1 or less times `largest`, rounded to the next integer, half away from zero.
fn quantize(x: f32, largest: f32) -> u32 {
    let scaled = x * largest;
    let rounded = if scaled < 0.0 { scaled - 0.5 } else { scaled + 0.5 };
    (rounded as i32).cast_unsigned()
}

fn magnitude(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & MAGNITUDE_MASK)
}

/// Below zero; -0 is not, because a device may lose its sign.
fn is_negative(x: f32) -> bool {
    x.to_bits() > SIGN_MASK
}

fn with_sign_of(magnitude: f32, sign: f32) -> f32 {
    if is_negative(sign) {
        f32::from_bits(magnitude.to_bits() | SIGN_MASK)
    } else {
        magnitude
    }
}
