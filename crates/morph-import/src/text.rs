//! What the readers of text have in common.

use crate::error::MakeHumanError;

/// A number that a 32-bit float can hold.
pub(crate) fn float(text: &str) -> Result<f64, MakeHumanError> {
    text.parse::<f64>()
        .ok()
        .filter(|value| (*value as f32).is_finite())
        .ok_or_else(|| MakeHumanError::Number {
            expected: "a number of 32 bits",
            found: shorten(text),
        })
}

/// The beginning of a text, as much as an error message can carry.
pub(crate) fn shorten(text: &str) -> String {
    const LIMIT: usize = 60;
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
