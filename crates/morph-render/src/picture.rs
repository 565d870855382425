//! From the numbers of a pass to a picture for people; plain arithmetic on the host.

use image::{Rgba, RgbaImage};

use crate::capture::Plane;
use crate::digits;

/// A finished picture from its bytes.
pub(crate) fn from_bytes((width, height): (u32, u32), bytes: Vec<u8>) -> RgbaImage {
    // The bytes were read back for exactly this size.
    RgbaImage::from_raw(width, height, bytes).unwrap_or_else(|| RgbaImage::new(width, height))
}

/// Depth in grey: the nearest drawn sample white, the farthest dark, what was not drawn black.
pub(crate) fn depth(depth: &Plane<f32>, factor: u32, distance: impl Fn(f32) -> f32) -> RgbaImage {
    let distances = depth.map(|depth| (depth < 1.0).then(|| distance(depth)));
    let drawn = || distances.values.iter().flatten().copied();
    let nearest = drawn().fold(f32::INFINITY, f32::min);
    let farthest = drawn().fold(f32::NEG_INFINITY, f32::max);
    let span = (farthest - nearest).max(f32::MIN_POSITIVE);
    pixels(&distances, factor, |distance| match distance {
        // From white down to a grey that is still plainly not the background.
        Some(distance) => [1.0 - 0.85 * ((distance - nearest) / span).clamp(0.0, 1.0); 3],
        None => [0.0; 3],
    })
}

/// Normals: each component from -1..1 to 0..1.
pub(crate) fn normal(normal: &Plane<[f32; 4]>, factor: u32) -> RgbaImage {
    pixels(normal, factor, |[x, y, z, coverage]| {
        [x, y, z].map(|component| (component * 0.5 + 0.5) * coverage)
    })
}

/// Motion on the color wheel, with a legend.
pub(crate) fn motion(motion: &Plane<[f32; 2]>, depth: &Plane<f32>, factor: u32) -> RgbaImage {
    let longest = motion
        .values
        .iter()
        .map(|[x, y]| x.hypot(*y))
        .fold(0.0_f32, f32::max);
    // Noise of the arithmetic must not fill the wheel when nothing moves.
    let scale = longest.max(0.01);
    let joined = Plane {
        width: motion.width,
        height: motion.height,
        values: motion
            .values
            .iter()
            .zip(&depth.values)
            .map(|(motion, depth)| (*motion, *depth < 1.0))
            .collect(),
    };
    let mut picture = pixels(&joined, factor, |(motion, drawn)| {
        if drawn {
            wheel(motion.map(|component| component / scale))
        } else {
            [0.08; 3]
        }
    });
    legend(&mut picture, scale);
    picture
}

/// The color of a motion whose full length is 1: grey in the middle, saturated at the rim.
fn wheel([x, y]: [f32; 2]) -> [f32; 3] {
    // A square root, because most of a face moves little.
    let saturation = x.hypot(y).min(1.0).sqrt();
    let turn = y.atan2(x) / std::f32::consts::TAU;
    let still = 0.75;
    [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|phase| {
        // Down the page is the positive y, and the hue runs from red over yellow there.
        let hue = (turn - phase).rem_euclid(1.0);
        let distance = hue.min(1.0 - hue) * 6.0;
        let pure = (2.0 - distance).clamp(0.0, 1.0);
        still + (pure - still) * saturation
    })
}

/// The wheel in the lower right corner, and the length at its rim in pixels.
fn legend(picture: &mut RgbaImage, scale: f32) {
    let (width, height) = picture.dimensions();
    let radius = (width.min(height) / 16).min(48);
    let text = format!("{scale:.2}");
    let digit = (radius / 8).max(1);
    let (text_width, text_height) = digits::size(&text, digit);
    let margin = radius / 2;
    if radius < 6
        || width < 2 * radius + margin + text_width
        || height < 2 * radius + 2 * margin + text_height
    {
        return;
    }
    let center = (width - margin - radius, height - margin - radius);
    for y in 0..=2 * radius {
        for x in 0..=2 * radius {
            let offset = [x, y].map(|at| (at as f32 - radius as f32) / radius as f32);
            if offset[0].hypot(offset[1]) <= 1.0 {
                let (x, y) = (center.0 + x - radius, center.1 + y - radius);
                picture.put_pixel(x, y, bytes(wheel(offset)));
            }
        }
    }
    let left = width - margin - text_width.max(radius + text_width / 2).min(width - margin);
    let top = height - 2 * margin - 2 * radius - text_height / 2;
    digits::draw(picture, &text, (left, top), digit, bytes([0.85; 3]));
}

/// The mean of the samples of each pixel.
fn pixels<T: Copy>(plane: &Plane<T>, factor: u32, color: impl Fn(T) -> [f32; 3]) -> RgbaImage {
    let factor = factor.max(1);
    RgbaImage::from_fn(plane.width / factor, plane.height / factor, |x, y| {
        let mut sum = [0.0_f32; 3];
        for row in 0..factor {
            for column in 0..factor {
                if let Some(value) = plane.get(x * factor + column, y * factor + row) {
                    let sample = color(value);
                    for channel in 0..3 {
                        sum[channel] += sample[channel];
                    }
                }
            }
        }
        bytes(sum.map(|sum| sum / (factor * factor) as f32))
    })
}

fn bytes(color: [f32; 3]) -> Rgba<u8> {
    let [red, green, blue] = color.map(|channel| (channel.clamp(0.0, 1.0) * 255.0).round() as u8);
    Rgba([red, green, blue, 255])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane<T>(width: u32, values: Vec<T>) -> Plane<T> {
        Plane {
            width,
            height: values.len() as u32 / width,
            values,
        }
    }

    #[test]
    fn the_nearest_is_white_and_nothing_is_black() {
        let picture = depth(&plane(3, vec![0.2, 0.6, 1.0]), 1, |depth| depth);
        assert_eq!(picture.get_pixel(0, 0).0, [255, 255, 255, 255]);
        assert_eq!(picture.get_pixel(1, 0).0, [38, 38, 38, 255]);
        assert_eq!(picture.get_pixel(2, 0).0, [0, 0, 0, 255]);
    }

    #[test]
    fn samples_of_a_pixel_are_averaged() {
        let picture = depth(&plane(2, vec![0.5, 1.0, 1.0, 1.0]), 2, |depth| depth);
        assert_eq!(picture.dimensions(), (1, 1));
        assert_eq!(picture.get_pixel(0, 0).0, [64, 64, 64, 255]);
    }

    #[test]
    fn the_wheel_is_grey_in_the_middle_and_red_to_the_right() {
        assert_eq!(wheel([0.0, 0.0]), [0.75; 3]);
        let right = wheel([1.0, 0.0]);
        assert!(right[0] > 0.99 && right[1] < 0.01 && right[2] < 0.01, "{right:?}");
        let left = wheel([-1.0, 0.0]);
        assert!(left[0] < 0.01 && left[1] > 0.99 && left[2] > 0.99, "{left:?}");
        let down = wheel([0.0, 1.0]);
        let up = wheel([0.0, -1.0]);
        assert!(down[1] > 0.9 && down[2] < 0.1, "down is yellow-green: {down:?}");
        assert!(up[2] > 0.9 && up[1] < 0.1, "up is violet: {up:?}");
    }

    #[test]
    fn a_picture_without_motion_has_no_color() {
        let still = motion(
            &plane(2, vec![[0.0; 2]; 4]),
            &plane(2, vec![0.5, 0.5, 1.0, 1.0]),
            1,
        );
        assert_eq!(still.get_pixel(0, 0).0, [191, 191, 191, 255]);
        assert_eq!(still.get_pixel(0, 1).0, [20, 20, 20, 255]);
    }

    #[test]
    fn a_canceled_normal_is_mid_grey() {
        let picture = normal(&plane(2, vec![[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]]), 1);
        assert_eq!(picture.get_pixel(0, 0).0, [128, 128, 128, 255]);
        assert_eq!(picture.get_pixel(1, 0).0, [0, 0, 0, 255]);
    }
}
