//! Digits of three by five squares, enough to write a scale into a picture.

use image::{Rgba, RgbaImage};

/// Rows from the top, three bits each, the leftmost highest.
const GLYPHS: [(char, [u8; 5]); 11] = [
    ('0', [0b111, 0b101, 0b101, 0b101, 0b111]),
    ('1', [0b010, 0b110, 0b010, 0b010, 0b111]),
    ('2', [0b111, 0b001, 0b111, 0b100, 0b111]),
    ('3', [0b111, 0b001, 0b111, 0b001, 0b111]),
    ('4', [0b101, 0b101, 0b111, 0b001, 0b001]),
    ('5', [0b111, 0b100, 0b111, 0b001, 0b111]),
    ('6', [0b111, 0b100, 0b111, 0b101, 0b111]),
    ('7', [0b111, 0b001, 0b010, 0b010, 0b010]),
    ('8', [0b111, 0b101, 0b111, 0b101, 0b111]),
    ('9', [0b111, 0b101, 0b111, 0b001, 0b111]),
    ('.', [0b000, 0b000, 0b000, 0b000, 0b010]),
];

/// Width and height of a text, with squares of this many pixels.
pub(crate) fn size(text: &str, square: u32) -> (u32, u32) {
    let count = text.chars().count() as u32;
    ((count * 4).saturating_sub(1) * square, 5 * square)
}

/// Writes digits and points; other characters leave a gap, and what falls outside of the picture is left out.
pub(crate) fn draw(
    picture: &mut RgbaImage,
    text: &str,
    (left, top): (u32, u32),
    square: u32,
    color: Rgba<u8>,
) {
    let (width, height) = picture.dimensions();
    for (index, character) in text.chars().enumerate() {
        let Some((_, rows)) = GLYPHS.iter().find(|(glyph, _)| *glyph == character) else {
            continue;
        };
        for y in 0..5 * square {
            for x in 0..3 * square {
                let on = rows[(y / square) as usize] >> (2 - x / square) & 1 == 1;
                let (x, y) = (left + index as u32 * 4 * square + x, top + y);
                if on && x < width && y < height {
                    picture.put_pixel(x, y, color);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_one_is_drawn_as_a_one() {
        let mut picture = RgbaImage::new(7, 5);
        let white = Rgba([255; 4]);
        draw(&mut picture, "1.", (0, 0), 1, white);
        assert_eq!(size("1.", 1), (7, 5));
        assert_eq!(picture.get_pixel(1, 0), &white);
        assert_ne!(picture.get_pixel(0, 0), &white);
        assert_eq!(picture.get_pixel(5, 4), &white);
    }
}
