//! Random numbers that are the same on every machine, so that a failure can be told by its seed.

use morph_core::DOMAIN_MIN;

/// SplitMix64 (Steele, Lea and Flood 2014): one word of state, any seed will do.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// A number below `count`; zero where `count` is zero.
    pub fn below(&mut self, count: u32) -> u32 {
        ((u64::from(self.next_u32()) * u64::from(count)) >> 32) as u32
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// Between -1 and 1.
    pub fn signed(&mut self) -> f32 {
        (self.next_u32() >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Three components between -1 and 1, times `scale`.
    pub fn vector(&mut self, scale: f32) -> [f32; 3] {
        std::array::from_fn(|_| self.signed() * scale)
    }

    /// A component that is likely to hit an edge of the arithmetic: zeros of both signs, numbers around the smallest
    /// of the domain, subnormal halves, and ordinary ones of many sizes up to `largest`.
    pub fn edgy(&mut self, largest: f32) -> f32 {
        let sign = if self.chance(50) { -1.0 } else { 1.0 };
        let magnitude = match self.below(10) {
            0 => 0.0,
            1 => DOMAIN_MIN,
            2 => DOMAIN_MIN.next_down(),
            3 => f32::from_bits(self.below(0x0080_0000)),
            // A subnormal half: a multiple of 2^-24 below 2^-14.
            4 => self.below(1024) as f32 * 2.0_f32.powi(-24),
            5 => largest,
            6 => largest * 2.0_f32.powi(-(self.below(39) as i32)),
            _ => self.signed().abs() * largest,
        };
        sign * magnitude
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_sequence() {
        let mut rng = Rng::new(1);
        assert_eq!(rng.next_u64(), 0x910a_2dec_8902_5cc1);
        assert!((0..1000).all(|_| rng.below(7) < 7));
        assert_eq!(rng.below(0), 0);
        assert!((0..1000).all(|_| (-1.0..1.0).contains(&rng.signed())));
        assert!((0..1000).all(|_| rng.edgy(3.0).abs() <= 3.0));
    }
}
