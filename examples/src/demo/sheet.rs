//! Pictures side by side with words under them.

use image::{Rgb, RgbImage, RgbaImage, imageops};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight};

use super::text::TextStyle;

const PAPER: Rgb<u8> = Rgb([18, 20, 24]);
const CAPTION: TextStyle = TextStyle {
    height: RasterHeight::Size24,
    weight: FontWeight::Regular,
    color: [226, 226, 224],
};
const SMALL_CAPTION: TextStyle = TextStyle {
    height: RasterHeight::Size16,
    ..CAPTION
};
const HEADING: TextStyle = TextStyle {
    height: RasterHeight::Size20,
    weight: FontWeight::Regular,
    color: [150, 156, 165],
};
const SMALL_HEADING: TextStyle = TextStyle {
    height: RasterHeight::Size16,
    ..HEADING
};

/// Pictures of one size, in rows.
///
/// Each has its caption under it; the heading stands above all of them, cut where it is too long.
pub fn compose(heading: &str, columns: u32, tiles: &[(String, RgbImage)]) -> RgbImage {
    let columns = columns.clamp(1, tiles.len().max(1) as u32);
    let rows = (tiles.len() as u32).div_ceil(columns);
    let (width, height) = tiles.first().map_or((1, 1), |(_, tile)| tile.dimensions());
    let gap = (width / 60).max(2);
    let caption = if width >= 240 { CAPTION } else { SMALL_CAPTION };
    let caption_height = caption.line_height() * 3 / 2;
    let sheet_width = columns * (width + gap) + gap;
    let title = if HEADING.width(heading) <= sheet_width {
        HEADING
    } else {
        SMALL_HEADING
    };
    let title_height = title.line_height() * 2;

    let mut sheet = RgbImage::from_pixel(
        sheet_width,
        title_height + rows * (height + caption_height) + gap,
        PAPER,
    );
    title.draw_centered(
        &mut sheet,
        heading,
        (gap, sheet_width - gap),
        title.line_height() / 2,
    );
    for (index, (words, tile)) in tiles.iter().enumerate() {
        let (column, row) = (index as u32 % columns, index as u32 / columns);
        let left = gap + column * (width + gap);
        let top = title_height + row * (height + caption_height);
        imageops::replace(&mut sheet, tile, i64::from(left), i64::from(top));
        let words_top = top + height + caption.line_height() / 4;
        caption.draw_centered(&mut sheet, words, (left, left + width), words_top);
    }
    sheet
}

/// A picture with words on a strip under it.
pub fn captioned(picture: &RgbImage, words: &str) -> RgbImage {
    let (width, height) = picture.dimensions();
    let style = if width >= 240 { CAPTION } else { SMALL_CAPTION };
    let strip = style.line_height() * 3 / 2;
    let mut card = RgbImage::from_pixel(width, height + strip, PAPER);
    imageops::replace(&mut card, picture, 0, 0);
    style.draw_centered(&mut card, words, (0, width), height + style.line_height() / 4);
    card
}

/// A picture without its opacity: what the renderer hands out is opaque.
pub fn opaque(picture: &RgbaImage) -> RgbImage {
    RgbImage::from_fn(picture.width(), picture.height(), |x, y| {
        let [red, green, blue, _] = picture.get_pixel(x, y).0;
        Rgb([red, green, blue])
    })
}

/// A picture scaled to fit into an extent and centered there on black.
pub fn letterbox(picture: &RgbImage, (width, height): (u32, u32)) -> RgbImage {
    let scale = (width as f32 / picture.width() as f32).min(height as f32 / picture.height() as f32);
    let fit = |side: u32, limit: u32| ((side as f32 * scale).round() as u32).clamp(1, limit);
    let (fit_width, fit_height) = (fit(picture.width(), width), fit(picture.height(), height));
    let scaled = imageops::resize(picture, fit_width, fit_height, imageops::FilterType::Triangle);
    let mut framed = RgbImage::new(width, height);
    imageops::replace(
        &mut framed,
        &scaled,
        i64::from((width - fit_width) / 2),
        i64::from((height - fit_height) / 2),
    );
    framed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tile_is_on_the_sheet_with_ink_under_it() {
        let tiles: Vec<_> = (0..5_u8)
            .map(|index| {
                (
                    format!("tile {index}"),
                    RgbImage::from_pixel(300, 200, Rgb([200 + index, 0, 0])),
                )
            })
            .collect();
        let sheet = compose("five tiles", 3, &tiles);
        for index in 0..5_u8 {
            let count = sheet
                .pixels()
                .filter(|pixel| pixel.0 == [200 + index, 0, 0])
                .count();
            assert_eq!(count, 300 * 200, "tile {index}");
        }
        let ink = |rows: std::ops::Range<u32>| {
            rows.flat_map(|y| (0..sheet.width()).map(move |x| (x, y)))
                .filter(|&(x, y)| sheet.get_pixel(x, y).0 == CAPTION.color)
                .count()
        };
        assert!(ink(240..276) > 50 && ink(476..sheet.height()) > 30);
        assert!(
            compose("nothing", 3, &[]).height() > 0,
            "no tiles are no reason to panic"
        );
    }

    #[test]
    fn a_letterbox_keeps_proportions() {
        let framed = letterbox(&RgbImage::from_pixel(100, 100, Rgb([255; 3])), (300, 200));
        assert_eq!(framed.dimensions(), (300, 200));
        assert_eq!(framed.get_pixel(10, 100).0, [0; 3]);
        assert_eq!(framed.get_pixel(150, 5).0, [255; 3]);
    }
}
