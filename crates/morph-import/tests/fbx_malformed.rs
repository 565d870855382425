//! Damaged FBX files: an error or a model that keeps its promises, and never a panic.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod common;

use common::{check, load_bytes, shared_or_skip};
use morph_import::ImportOptions;

/// Numbers that look random and are the same in every run (G. Marsaglia, "Xorshift RNGs", Journal of Statistical
/// Software 8(14), 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// Loads and checks; says whether there was a model.
fn survive(bytes: &[u8]) -> bool {
    let options = ImportOptions {
        generate_normals: true,
        ..ImportOptions::default()
    };
    match load_bytes("model.fbx", bytes, &options) {
        Ok(model) => {
            check(&model);
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

/// Small files of all kinds: old and new, binary and text, with shapes, in-betweens and skins.
const FILES: [&str; 6] = [
    "blender_279_shape_weights_7400_binary.fbx",
    "max7_blend_cube_5000_binary.fbx",
    "maya_blend_inbetween_7500_ascii.fbx",
    "maya_blend_shape_cube_6100_ascii.fbx",
    "maya_blend_shape_cube_7700_binary.fbx",
    "maya_game_sausage_7500_binary_wiggle.fbx",
];

#[test]
fn changed_bytes_never_panic() {
    let Some(shared) = shared_or_skip(&["mutations of real FBX files"]) else {
        return;
    };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut read, mut refused) = (0, 0);
    for file in FILES {
        let whole = std::fs::read(shared.join("assets/ufbx_fbx").join(file)).unwrap();
        assert!(survive(&whole), "{file}");
        for _ in 0..100 {
            let mut bytes = whole.clone();
            for _ in 0..=random.below(8) {
                let at = random.below(bytes.len());
                match random.below(4) {
                    0 => bytes[at] = random.below(256) as u8,
                    1 => bytes[at] ^= 1 << random.below(8),
                    // Digits and names of the text form stay what they are this way.
                    2 => {
                        let from = random.below(bytes.len());
                        let length = random.below(16).min(bytes.len() - at).min(bytes.len() - from);
                        bytes.copy_within(from..from + length, at);
                    }
                    _ => drop(bytes.drain(at..(at + random.below(8)).min(bytes.len()))),
                }
            }
            if survive(&bytes) {
                read += 1;
            } else {
                refused += 1;
            }
        }
    }
    // Both ways of ending are taken.
    assert!(read > 50 && refused > 50, "{read} read, {refused} refused");
}

#[test]
fn beginnings_of_files_never_panic() {
    let Some(shared) = shared_or_skip(&["beginnings of real FBX files"]) else {
        return;
    };
    for file in FILES {
        let whole = std::fs::read(shared.join("assets/ufbx_fbx").join(file)).unwrap();
        for part in 0..40 {
            survive(&whole[..whole.len() * part / 40]);
        }
    }
}

#[test]
fn changed_numbers_of_a_text_never_panic() {
    let Some(shared) = shared_or_skip(&["numbers of real FBX files"]) else {
        return;
    };
    let path = shared.join("assets/ufbx_fbx/maya_blend_inbetween_7500_ascii.fbx");
    let whole = String::from_utf8(std::fs::read(path).unwrap()).unwrap();
    let starts: Vec<usize> = whole
        .match_indices(|letter: char| letter.is_ascii_digit())
        .map(|(at, _)| at)
        .collect();
    let mut random = Random(1);
    for _ in 0..200 {
        let at = starts[random.below(starts.len())];
        let end = whole[at..]
            .find(|letter: char| !letter.is_ascii_digit())
            .map_or(whole.len(), |length| at + length);
        let numbers = [
            "-1",
            "0",
            "99999999999999999999",
            "1e308",
            "nan",
            "2147483648",
            "4294967295",
            "inf",
        ];
        let number = numbers[random.below(numbers.len())];
        survive(format!("{}{number}{}", &whole[..at], &whole[end..]).as_bytes());
    }
}
