//! `--size WxH`.

use std::fmt;
use std::str::FromStr;

/// Width and height in pixels, each from 1 to [`Size::LARGEST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Size {
    pub(crate) const DEFAULT: Size = Size {
        width: 960,
        height: 960,
    };
    /// With the renderer's four samples a pixel this is the largest image that every driver at hand makes.
    const LARGEST: u32 = 8192;
}

/// A size that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no size: write WIDTHxHEIGHT in pixels, each from 1 to {largest}, as in 960x960", largest = Size::LARGEST)]
pub(crate) struct UnknownSize(String);

impl FromStr for Size {
    type Err = UnknownSize;

    fn from_str(text: &str) -> Result<Self, UnknownSize> {
        let side = |text: &str| {
            text.parse::<u32>()
                .ok()
                .filter(|side| (1..=Size::LARGEST).contains(side))
        };
        let (width, height) = text.split_once(['x', 'X']).unwrap_or_default();
        match (side(width), side(height)) {
            (Some(width), Some(height)) => Ok(Size { width, height }),
            _ => Err(UnknownSize(text.to_owned())),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_nonsense_is_not() {
        assert_eq!(
            "640x480".parse::<Size>().ok(),
            Some(Size {
                width: 640,
                height: 480
            })
        );
        for wrong in [
            "",
            "640",
            "640x",
            "x480",
            "0x480",
            "640x480x2",
            "-1x5",
            "8193x1",
            "4294967297x1",
        ] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
        assert_eq!(
            Size::DEFAULT.to_string().parse::<Size>().ok(),
            Some(Size::DEFAULT)
        );
    }
}
