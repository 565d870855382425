//! Gold images: pictures that were looked at once, and what is rendered today against them.
//!
//! # The measure
//! Of every pixel the largest difference of its channels, 0 to 255.
//! Drivers round differently everywhere, so the first [`NOISE_LEVEL`] steps count as nothing; and along an edge a sample
//! falls to either side, so a few pixels may be far off.
//! A picture passes where the mean of what is beyond the noise is at most [`MEAN_LIMIT`], and at most [`ROUGH_LIMIT`] of
//! the pixels are more than [`ROUGH_LEVEL`] off.
//! A missing target or a wrong normal changes whole areas by tens of steps: tests render those faults and want them
//! refused by a wide margin.

use std::fmt;
use std::path::{Path, PathBuf};

use image::{Rgba, RgbaImage};

/// Differences up to this are how drivers round: between lavapipe and SwiftShader half of the pixels are one step off.
pub const NOISE_LEVEL: u8 = 2;
/// The largest mean of the differences beyond the noise, in steps of 255.
pub const MEAN_LIMIT: f64 = 0.1;
/// From this difference on a pixel is rough.
pub const ROUGH_LEVEL: u8 = 12;
/// The largest share of rough pixels.
pub const ROUGH_LIMIT: f64 = 0.001;

/// The variable that makes tests write gold images instead of comparing.
pub const RENEW: &str = "MORPH_RENEW_GOLD";

/// How far apart two pictures are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// Mean over the pixels of the largest difference of a channel beyond [`NOISE_LEVEL`], in steps of 255.
    pub mean: f64,
    /// Share of the pixels that differ by more than [`ROUGH_LEVEL`].
    pub rough: f64,
    /// The largest difference.
    pub largest: u8,
}

impl Difference {
    /// Whether the pictures show the same.
    pub fn is_small(&self) -> bool {
        self.mean <= MEAN_LIMIT && self.rough <= ROUGH_LIMIT
    }

    /// How far past its limit the worse of the two measures is; at most 1 where the difference is small.
    pub fn excess(&self) -> f64 {
        (self.mean / MEAN_LIMIT).max(self.rough / ROUGH_LIMIT)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "mean {:.4} beyond the noise (limit {MEAN_LIMIT}), {:.3} % of the pixels off by more than {ROUGH_LEVEL} \
             (limit {:.1} %), largest {}",
            self.mean,
            self.rough * 100.0,
            ROUGH_LIMIT * 100.0,
            self.largest
        )
    }
}

/// Compares two pictures; `None` where their sizes differ.
pub fn compare(expected: &RgbaImage, found: &RgbaImage) -> Option<Difference> {
    if expected.dimensions() != found.dimensions() {
        return None;
    }
    let (mut sum, mut rough, mut largest) = (0_u64, 0_u64, 0);
    for (expected, found) in expected.pixels().zip(found.pixels()) {
        let difference = pixel_difference(*expected, *found);
        sum += u64::from(difference.saturating_sub(NOISE_LEVEL));
        rough += u64::from(difference > ROUGH_LEVEL);
        largest = largest.max(difference);
    }
    let count = expected.pixels().len().max(1) as f64;
    Some(Difference {
        mean: sum as f64 / count,
        rough: rough as f64 / count,
        largest,
    })
}

fn pixel_difference(expected: Rgba<u8>, found: Rgba<u8>) -> u8 {
    (0..4)
        .map(|channel| expected.0[channel].abs_diff(found.0[channel]))
        .max()
        .unwrap_or(0)
}

/// Expected, found, and eight times the difference, side by side.
pub fn difference_picture(expected: &RgbaImage, found: &RgbaImage) -> RgbaImage {
    let (width, height) = (
        expected.width().max(found.width()),
        expected.height().max(found.height()),
    );
    RgbaImage::from_fn(width * 3, height, |x, y| {
        let (panel, x) = (x / width, x % width);
        let of = |picture: &RgbaImage| {
            picture
                .get_pixel_checked(x, y)
                .copied()
                .unwrap_or(Rgba([255, 0, 255, 255]))
        };
        match panel {
            0 => of(expected),
            1 => of(found),
            _ => {
                let level = pixel_difference(of(expected), of(found)).saturating_mul(8);
                Rgba([level, level, level, 255])
            }
        }
    })
}

/// A gold image that is not matched.
#[derive(Debug, thiserror::Error)]
pub enum GoldError {
    /// It was never made.
    #[error("there is no gold image {}: look at {}, then run `cargo xtask gold --renew`", wanted.display(), found.display())]
    Missing {
        /// Where it should be.
        wanted: PathBuf,
        /// What was rendered.
        found: PathBuf,
    },
    /// It shows something else.
    #[error("{} is not matched: {difference}; expected, found and eightfold difference side by side: {}", gold.display(), picture.display())]
    Different {
        /// The gold image.
        gold: PathBuf,
        /// How far apart.
        difference: String,
        /// Where the three pictures are.
        picture: PathBuf,
    },
    /// A picture could not be read or written.
    #[error("{}: {reason}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

/// Where gold images lie and where differences go.
#[derive(Debug, Clone)]
pub struct Gallery {
    /// Gold images, `<name>.png`, and `<name>.<driver>.png` where a driver differs.
    pub gold: PathBuf,
    /// Pictures of differences.
    pub differences: PathBuf,
    /// Whether images are written instead of compared.
    pub is_renewed: bool,
}

impl Gallery {
    /// The project's own: `tests/gold/`, with differences in `target/gold-diff/`.
    pub fn of_the_project() -> Gallery {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
        Gallery {
            gold: tests.join("gold"),
            differences: tests.join("../target/gold-diff"),
            is_renewed: std::env::var_os(RENEW).is_some_and(|it| it == "1"),
        }
    }

    /// Compares what a driver rendered with its gold image, or renews the image.
    ///
    /// A renewal writes `<name>.png` for the first driver that asks (`is_first`), and an image of its own for another
    /// driver only where that one would not match.
    ///
    /// # Errors
    /// No image, another picture, or a file that cannot be read or written.
    pub fn check(
        &self,
        name: &str,
        driver: &str,
        is_first: bool,
        found: &RgbaImage,
    ) -> Result<Difference, GoldError> {
        let driver = driver
            .to_lowercase()
            .replace(|it: char| !it.is_ascii_alphanumeric(), "-");
        let common = self.gold.join(format!("{name}.png"));
        let own = self.gold.join(format!("{name}.{driver}.png"));
        if self.is_renewed {
            renew(&common, &own, is_first, found)?;
        }
        let gold = if own.is_file() { own } else { common };
        let picture = self.differences.join(format!("{name}.{driver}.png"));
        if !gold.is_file() {
            save(&picture, found)?;
            return Err(GoldError::Missing {
                wanted: gold,
                found: picture,
            });
        }
        let expected = load(&gold)?;
        match compare(&expected, found) {
            Some(difference) if difference.is_small() => Ok(difference),
            difference => {
                save(&picture, &difference_picture(&expected, found))?;
                let difference = difference.map_or_else(
                    || {
                        format!(
                            "{:?} pixels instead of {:?}",
                            found.dimensions(),
                            expected.dimensions()
                        )
                    },
                    |it| it.to_string(),
                );
                Err(GoldError::Different {
                    gold,
                    difference,
                    picture,
                })
            }
        }
    }
}

fn renew(common: &Path, own: &Path, is_first: bool, found: &RgbaImage) -> Result<(), GoldError> {
    if own.is_file() {
        std::fs::remove_file(own).map_err(|error| file_error(own, &error))?;
    }
    if is_first {
        return save(common, found);
    }
    let matches = common.is_file() && compare(&load(common)?, found).is_some_and(|it| it.is_small());
    if matches { Ok(()) } else { save(own, found) }
}

fn file_error(path: &Path, reason: &dyn fmt::Display) -> GoldError {
    GoldError::File {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}

/// Reads a picture.
///
/// # Errors
/// It is not there, or is no picture.
pub fn load(path: &Path) -> Result<RgbaImage, GoldError> {
    Ok(image::open(path)
        .map_err(|error| file_error(path, &error))?
        .into_rgba8())
}

fn save(path: &Path, picture: &RgbaImage) -> Result<(), GoldError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| file_error(folder, &error))?;
    }
    picture.save(path).map_err(|error| file_error(path, &error))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    fn grey(level: u8) -> RgbaImage {
        RgbaImage::from_pixel(40, 40, Rgba([level, level, level, 255]))
    }

    #[test]
    fn one_step_in_a_few_pixels_passes_and_an_area_does_not() {
        let gold = grey(100);
        let mut found = gold.clone();
        for x in 0..40 {
            found.put_pixel(x, 3, Rgba([101, 100, 100, 255]));
        }
        found.put_pixel(7, 7, Rgba([200, 100, 100, 255]));
        let difference = compare(&gold, &found).unwrap();
        assert!(difference.is_small(), "{difference}");
        assert_eq!(difference.largest, 100);
        for x in 0..40 {
            found.put_pixel(x, 9, Rgba([120, 100, 100, 255]));
        }
        let difference = compare(&gold, &found).unwrap();
        assert!(
            !difference.is_small() && difference.excess() > 1.0,
            "{difference}"
        );
    }

    #[test]
    fn a_renewal_keeps_one_file_where_drivers_agree_and_two_where_they_do_not() {
        let folder = std::env::temp_dir().join(format!("morph-gold-{}", std::process::id()));
        let mut gallery = Gallery {
            gold: folder.join("gold"),
            differences: folder.join("diff"),
            is_renewed: false,
        };
        let error = gallery.check("a", "lavapipe", true, &grey(10)).unwrap_err();
        assert!(
            matches!(error, GoldError::Missing { .. }) && error.to_string().contains("--renew"),
            "{error}"
        );
        gallery.is_renewed = true;
        gallery.check("a", "lavapipe", true, &grey(10)).unwrap();
        gallery.check("a", "SwiftShader", false, &grey(10)).unwrap();
        gallery.check("b", "lavapipe", true, &grey(10)).unwrap();
        gallery.check("b", "SwiftShader", false, &grey(20)).unwrap();
        gallery.is_renewed = false;
        let has = |name: &str| folder.join("gold").join(name).is_file();
        assert!(has("a.png") && !has("a.swiftshader.png") && has("b.swiftshader.png"));
        gallery.check("b", "lavapipe", true, &grey(10)).unwrap();
        gallery.check("b", "SwiftShader", false, &grey(20)).unwrap();
        let error = gallery
            .check("a", "SwiftShader", false, &grey(60))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("gold-") && error.contains("a.swiftshader.png"),
            "{error}"
        );
        assert!(folder.join("diff/a.swiftshader.png").is_file());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
