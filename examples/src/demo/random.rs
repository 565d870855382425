//! Numbers that look random and are the same in every run, so that pictures can be compared.

/// The generator `xorshift32` (Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8, 2003).
#[derive(Debug, Clone)]
pub struct Random(u32);

impl Random {
    /// Starts anywhere but at zero, which the generator would never leave.
    pub const fn new(seed: u32) -> Self {
        Self(seed | 1)
    }

    /// Between 0 and 1.
    pub fn unit(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        (self.0 >> 8) as f32 / 16_777_216.0
    }

    /// Between two bounds.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }
}
