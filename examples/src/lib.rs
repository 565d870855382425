//! What the example programs are made of, as a library so that tests can run them.
//!
//! - [`demo`]: a head changes its expression on the device, is checked against the host bit for bit, and is shown in a
//!   contact sheet, the four passes of one frame, and an animated picture.
//! - [`embed`]: the smallest engine, to read before embedding `morph-vk` into one's own.

pub mod demo;
pub mod embed;
pub mod generated_head;

/// An error with what led to it, in one line; what one message says already is not said again by the next.
pub fn describe(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    #[test]
    fn nothing_is_said_twice() {
        let error = anyhow::anyhow!("no room")
            .context("disk 3: no room")
            .context("writing the picture");
        assert_eq!(describe(&error), "writing the picture: disk 3: no room");
        let plain = std::fs::read("no/such/file")
            .context("reading")
            .map_err(|error| describe(&error));
        assert!(plain.is_err_and(|text| text.starts_with("reading: ")));
    }
}
