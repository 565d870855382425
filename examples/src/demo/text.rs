//! Words in pictures.

use image::{Rgb, RgbImage};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

/// How words look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextStyle {
    /// Height of a line.
    pub height: RasterHeight,
    /// Thin or thick strokes.
    pub weight: FontWeight,
    /// Color of the strokes.
    pub color: [u8; 3],
}

impl TextStyle {
    /// Width of some words in pixels.
    pub fn width(&self, words: &str) -> u32 {
        (words.chars().count() * get_raster_width(self.weight, self.height)) as u32
    }

    /// Height of a line in pixels.
    pub fn line_height(&self) -> u32 {
        self.height.val() as u32
    }

    /// As many of the words as fit into a width; what was cut ends in two dots.
    pub fn fit(&self, words: &str, width: u32) -> String {
        if self.width(words) <= width {
            return words.to_owned();
        }
        let room = width as usize / get_raster_width(self.weight, self.height);
        let kept: String = words.chars().take(room.saturating_sub(2)).collect();
        format!("{kept}..")
    }

    /// Draws words with their upper left corner at a place; what lies outside of the picture is cut off.
    pub fn draw(&self, picture: &mut RgbImage, words: &str, (left, top): (i64, i64)) {
        let mut left = left;
        for character in words.chars() {
            // The font has basic Latin only.
            let raster = get_raster(character, self.weight, self.height)
                .or_else(|| get_raster('?', self.weight, self.height));
            let Some(raster) = raster else { continue };
            for (y, row) in raster.rows().enumerate() {
                for (x, &ink) in row.iter().enumerate() {
                    self.ink(picture, left + x as i64, top + y as i64, ink);
                }
            }
            left += raster.width() as i64;
        }
    }

    /// Draws words in the middle between two columns.
    pub fn draw_centered(&self, picture: &mut RgbImage, words: &str, (left, right): (u32, u32), top: u32) {
        let words = self.fit(words, right.saturating_sub(left));
        let start =
            i64::from(left) + (i64::from(right) - i64::from(left) - i64::from(self.width(&words))) / 2;
        self.draw(picture, &words, (start, i64::from(top)));
    }

    fn ink(&self, picture: &mut RgbImage, x: i64, y: i64, ink: u8) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else {
            return;
        };
        let Some(pixel) = picture.get_pixel_mut_checked(x, y) else {
            return;
        };
        let Rgb(under) = *pixel;
        let share = u32::from(ink);
        *pixel = Rgb(std::array::from_fn(|channel| {
            ((u32::from(under[channel]) * (255 - share) + u32::from(self.color[channel]) * share) / 255) as u8
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: TextStyle = TextStyle {
        height: RasterHeight::Size20,
        weight: FontWeight::Regular,
        color: [255, 255, 255],
    };

    #[test]
    fn words_leave_ink_inside_of_the_picture_only() {
        let mut picture = RgbImage::new(40, 20);
        STYLE.draw(&mut picture, "smile", (-5, -3));
        assert!(picture.pixels().any(|pixel| pixel.0[0] > 200));
        let mut blank = RgbImage::new(40, 20);
        STYLE.draw(&mut blank, "smile", (40, 0));
        assert!(blank.pixels().all(|pixel| pixel.0 == [0; 3]));
    }

    #[test]
    fn long_words_are_cut() {
        let width = STYLE.width("twelve chars");
        assert_eq!(STYLE.fit("twelve chars", width), "twelve chars");
        let cut = STYLE.fit("mouthUpperUpLeft", width);
        assert!(cut.ends_with("..") && STYLE.width(&cut) <= width);
    }
}
