//! Reading text formats line by line.

use crate::error::MakeHumanError;

/// Lines with their numbers, counted from one, without their ends.
pub(crate) struct Lines<'a> {
    rest: Option<&'a [u8]>,
    number: u64,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: Some(bytes),
            number: 0,
        }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (u64, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest?;
        self.number += 1;
        let end = rest.iter().position(|&byte| byte == b'\n');
        self.rest = end.map(|end| &rest[end + 1..]);
        Some((self.number, &rest[..end.unwrap_or(rest.len())]))
    }
}

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
