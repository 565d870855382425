//! Damages files in the ways that readers fall for: numbers at their limits, cut ends, swapped and doubled parts.

/// A small generator of random numbers (xorshift64*; Vigna, 2016), the same on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Begins with a seed.
    pub fn new(seed: u64) -> Self {
        // A state of zero would stay zero.
        Random(seed ^ 0x9e37_79b9_7f4a_7c15 | 1)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `limit`; zero where that is zero.
    pub fn below(&mut self, limit: usize) -> usize {
        if limit == 0 {
            0
        } else {
            ((u128::from(self.next_u64()) * limit as u128) >> 64) as usize
        }
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const WORDS: [u32; 12] = [
    0,
    1,
    3,
    0x7f,
    0xff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fc0_0000,
    0x7f80_0000,
    0x0000_0001,
];
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "1e39",
    "-1e-46",
    "0.5",
    "9007199254740993",
];

/// Changes a file in one to four places.
pub fn mutate(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut result = bytes.to_vec();
    for _ in 0..=random.below(4) {
        change(&mut result, random);
    }
    result
}

fn change(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        bytes.push(random.next_u64() as u8);
        return;
    }
    let at = random.below(bytes.len());
    match random.below(9) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.next_u64() as u8,
        2 => bytes.truncate(at),
        3 => {
            let word = random.pick(&WORDS).to_le_bytes();
            let end = (at + 4).min(bytes.len());
            bytes[at..end].copy_from_slice(&word[..end - at]);
        }
        4 => number(bytes, at, random),
        5 => {
            let part = part(bytes, random);
            bytes.splice(at..at, part);
        }
        6 => {
            let length = random.below(64).min(bytes.len() - at);
            bytes.drain(at..at + length);
        }
        7 => {
            let part = part(bytes, random);
            let end = (at + part.len()).min(bytes.len());
            bytes[at..end].copy_from_slice(&part[..end - at]);
        }
        _ => {
            let other = random.below(bytes.len());
            bytes.swap(at, other);
        }
    }
}

/// A copy of up to 64 bytes from anywhere.
fn part(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let start = random.below(bytes.len());
    let length = random.below(64).min(bytes.len() - start);
    bytes[start..start + length].to_vec()
}

/// Puts another number in the place of the next one in a text.
fn number(bytes: &mut Vec<u8>, from: usize, random: &mut Random) {
    let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+');
    let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit) else {
        return;
    };
    let start = from + start;
    let length = bytes[start..].iter().take_while(|byte| is_part(byte)).count();
    let number = random.pick(&NUMBERS);
    bytes.splice(start..start + length, number.bytes());
}
