//! An animated picture: GIF with one palette for all frames, ordered dithering, and only what changed in each frame.
//!
//! One palette and a dither pattern that stands still keep what does not move from flickering, and what does not
//! flicker need not be stored again.

use std::borrow::Cow;
use std::io::Write;

use anyhow::{Context as _, ensure};
use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use image::RgbImage;

/// Colors of the palette; one more entry means "as before".
const COLORS: usize = 255;
const UNCHANGED: u8 = 255;

/// Writes frames of one size as an endless loop; each is shown for `delay` hundredths of a second.
pub fn write(mut out: impl Write, frames: &[RgbImage], delay: u16) -> anyhow::Result<()> {
    let (width, height) = frames
        .first()
        .context("a film needs at least one frame")?
        .dimensions();
    ensure!(
        frames.iter().all(|frame| frame.dimensions() == (width, height)),
        "the frames of a film have one size"
    );
    let (Ok(columns), Ok(rows)) = (u16::try_from(width), u16::try_from(height)) else {
        anyhow::bail!("a GIF has at most 65,535 pixels a side; this film has {width} x {height}");
    };

    let palette = Palette::of(frames);
    let mut encoder = Encoder::new(&mut out, columns, rows, &palette.bytes)?;
    encoder.set_repeat(Repeat::Infinite)?;
    let mut shown: Option<Vec<u8>> = None;
    for picture in frames {
        let indices = palette.dither(picture);
        let mut frame = match &shown {
            None => Frame {
                width: columns,
                height: rows,
                buffer: Cow::Borrowed(&indices),
                ..Frame::default()
            },
            Some(before) => difference(before, &indices, width as usize),
        };
        frame.delay = delay;
        frame.dispose = DisposalMethod::Keep;
        encoder.write_frame(&frame)?;
        shown = Some(indices);
    }
    Ok(())
}

/// The smallest frame that turns one picture into the next.
fn difference(before: &[u8], after: &[u8], width: usize) -> Frame<'static> {
    let changed = |index: &usize| before[*index] != after[*index];
    let places = || (0..after.len()).filter(changed);
    // A frame has at least one pixel, so where nothing changed the first one is sent as unchanged.
    let top = places().next().unwrap_or(0) / width;
    let bottom = places().next_back().unwrap_or(0) / width;
    let left = places().map(|index| index % width).min().unwrap_or(0);
    let right = places().map(|index| index % width).max().unwrap_or(0);
    let mut buffer = Vec::with_capacity((right - left + 1) * (bottom - top + 1));
    for y in top..=bottom {
        for x in left..=right {
            let index = y * width + x;
            buffer.push(if before[index] == after[index] {
                UNCHANGED
            } else {
                after[index]
            });
        }
    }
    // All of these are below the size of the film, which fits.
    Frame {
        left: left as u16,
        top: top as u16,
        width: (right - left + 1) as u16,
        height: (bottom - top + 1) as u16,
        transparent: Some(UNCHANGED),
        buffer: Cow::Owned(buffer),
        ..Frame::default()
    }
}

/// The colors of a film.
struct Palette {
    bytes: Vec<u8>,
    /// The nearest entry for each color of 6 bits a channel.
    nearest: Vec<u8>,
}

impl Palette {
    fn of(frames: &[RgbImage]) -> Self {
        // A few hundred thousand pixels say as much about the colors as all of them do.
        let count: usize = frames.iter().map(|frame| frame.pixels().len()).sum();
        let step = (count / 300_000).max(1);
        let sample: Vec<u8> = frames
            .iter()
            .flat_map(RgbImage::pixels)
            .step_by(step)
            .flat_map(|pixel| [pixel.0[0], pixel.0[1], pixel.0[2], 255])
            .collect();
        // NeuQuant learns from one sample in this many; 1 is all, and it needs some to learn from.
        let colors = NeuQuant::new(3, COLORS, &sample);
        let mut bytes = colors.color_map_rgb();
        bytes.truncate(COLORS * 3);
        let entries: Vec<[i32; 3]> = bytes
            .chunks_exact(3)
            .map(|entry| [entry[0], entry[1], entry[2]].map(i32::from))
            .collect();
        let nearest = (0..1_i32 << 18)
            .map(|cell| {
                let wanted = [cell >> 12, cell >> 6 & 63, cell & 63].map(|channel| channel * 4 + 2);
                let distance = |entry: &[i32; 3]| -> i32 {
                    // Eyes see green best and blue least.
                    [3, 4, 2]
                        .iter()
                        .zip(entry)
                        .zip(wanted)
                        .map(|((weight, a), b)| weight * (a - b) * (a - b))
                        .sum()
                };
                (0..entries.len())
                    .min_by_key(|&index| distance(&entries[index]))
                    .unwrap_or(0) as u8
            })
            .collect();
        // The format wants the table to have room for the entry that means "unchanged".
        bytes.resize(256 * 3, 0);
        Self { bytes, nearest }
    }

    /// Indices of a picture, dithered with the ordered pattern of Bayer ("An optimum method for two-level rendition of
    /// continuous-tone pictures", 1973).
    fn dither(&self, picture: &RgbImage) -> Vec<u8> {
        /// About the distance of neighbors in the palette, in steps of 1/255.
        const STRENGTH: f32 = 9.0;
        picture
            .enumerate_pixels()
            .map(|(x, y, pixel)| {
                let offset = (bayer(x, y) - 0.5) * STRENGTH;
                let cell = pixel.0.iter().fold(0, |cell, &channel| {
                    let level = (f32::from(channel) + offset).clamp(0.0, 255.0) as usize;
                    cell << 6 | level >> 2
                });
                self.nearest[cell]
            })
            .collect()
    }
}

/// The 8 by 8 pattern of thresholds, each from 0 to 1.
fn bayer(x: u32, y: u32) -> f32 {
    let mut value = 0;
    for bit in 0..3 {
        let (x, y) = (x >> bit & 1, y >> bit & 1);
        value = value << 2 | (x ^ y) << 1 | y;
    }
    (value as f32 + 0.5) / 64.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use image::Rgb;

    use super::*;

    /// A gradient with a bright square that moves to the right.
    fn frames() -> Vec<RgbImage> {
        (0..4)
            .map(|frame| {
                RgbImage::from_fn(64, 48, |x, y| {
                    let inside = (10 + frame * 6..20 + frame * 6).contains(&x) && (20..30).contains(&y);
                    if inside {
                        Rgb([250, 200, 40])
                    } else {
                        Rgb([40, (x * 2) as u8, (y * 3) as u8])
                    }
                })
            })
            .collect()
    }

    #[test]
    fn the_pattern_has_every_threshold_once() {
        let mut thresholds: Vec<u32> = (0..64)
            .map(|index| (bayer(index % 8, index / 8) * 64.0) as u32)
            .collect();
        thresholds.sort_unstable();
        assert_eq!(thresholds, (0..64).collect::<Vec<_>>());
    }

    #[test]
    fn a_film_can_be_read_back() {
        let mut bytes = Vec::new();
        write(&mut bytes, &frames(), 4).unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::Indexed);
        let mut decoder = options.read_info(bytes.as_slice()).unwrap();
        let palette = decoder.global_palette().unwrap().to_vec();
        let mut shown = vec![0_u8; 64 * 48];
        for picture in frames() {
            let frame = decoder.read_next_frame().unwrap().unwrap();
            assert_eq!(frame.delay, 4);
            for y in 0..usize::from(frame.height) {
                for x in 0..usize::from(frame.width) {
                    let index = frame.buffer[y * usize::from(frame.width) + x];
                    if Some(index) != frame.transparent {
                        shown[(y + usize::from(frame.top)) * 64 + x + usize::from(frame.left)] = index;
                    }
                }
            }
            for (index, pixel) in picture.pixels().enumerate() {
                let entry = usize::from(shown[index]) * 3;
                for channel in 0..3 {
                    let error = i32::from(palette[entry + channel]) - i32::from(pixel.0[channel]);
                    assert!(error.abs() < 28, "pixel {index}: {error}");
                }
            }
        }
        assert!(decoder.read_next_frame().unwrap().is_none());
    }

    #[test]
    fn no_frames_and_frames_of_two_sizes_are_refused() {
        assert!(write(Vec::new(), &[], 4).is_err());
        assert!(write(Vec::new(), &[RgbImage::new(4, 4), RgbImage::new(5, 4)], 4).is_err());
    }
}
