//! `--weights-file W.json`: an array of numbers.

use std::fmt;
use std::path::{Path, PathBuf};

use morph_core::NameTable;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Unexpected, Visitor};

use super::not_finite;
use crate::error::CliError;

/// The most bytes of a weights file: 65,536 targets, as many as a mesh may have, at far more digits than any needs.
const LARGEST_FILE_BYTES: u64 = 8 << 20;

/// The numbers of a weights file.
#[derive(Debug)]
pub(crate) struct WeightsFile {
    path: PathBuf,
    weights: Vec<f32>,
    /// Where a NaN or infinity stands behind the last of `weights`: line, column and value.
    not_finite: Option<(usize, usize, f32)>,
}

impl WeightsFile {
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        let read_error = |source| CliError::ReadWeights {
            path: path.to_owned(),
            source,
        };
        let metadata = path.metadata().map_err(read_error)?;
        let refuse =
            |problem: &str| read_error(std::io::Error::new(std::io::ErrorKind::InvalidInput, problem));
        // A pipe or a device would block or never end.
        if !metadata.is_file() {
            return Err(refuse("it is not a file"));
        }
        if metadata.len() > LARGEST_FILE_BYTES {
            return Err(refuse("it is longer than weights for any mesh can be"));
        }
        let text = std::fs::read_to_string(path).map_err(read_error)?;
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, CliError> {
        let mut file = WeightsFile {
            path: path.to_owned(),
            weights: Vec::new(),
            not_finite: None,
        };
        let mut reader = serde_json::Deserializer::from_str(text);
        let read = Numbers(&mut file.weights)
            .deserialize(&mut reader)
            .and_then(|()| reader.end());
        let Err(error) = read else { return Ok(file) };
        // At the very start the parser has not counted a column yet.
        let (line, column) = (error.line(), error.column().max(1));
        // JSON has no NaN, but programs that write JSON do it all the same; say which target it is for.
        if error.is_syntax()
            && let Some((value, column)) = not_finite_at(text, line, column)
        {
            file.not_finite = Some((line, column, value));
            return Ok(file);
        }
        let full = error.to_string();
        let problem = full.split(" at line ").next().unwrap_or_default().to_owned();
        Err(CliError::WeightsFile {
            path: path.to_owned(),
            line,
            column,
            problem,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn is_empty(&self) -> bool {
        self.weights.is_empty() && self.not_finite.is_none()
    }

    /// The weights for a mesh with these targets, and how many weights were left over.
    pub(super) fn for_targets(&self, names: &NameTable) -> Result<(Vec<f32>, usize), CliError> {
        if let Some((line, column, value)) = self.not_finite {
            let source = not_finite(self.weights.len(), value, names);
            return Err(CliError::WeightInFile {
                path: self.path.clone(),
                line,
                column,
                source,
            });
        }
        let used = self.weights.len().min(names.len());
        Ok((self.weights[..used].to_vec(), self.weights.len() - used))
    }
}

/// The NaN or infinity that a parser stopped at, and the column where it starts.
fn not_finite_at(text: &str, line: usize, column: usize) -> Option<(f32, usize)> {
    let text = text.lines().nth(line.checked_sub(1)?)?;
    let bytes = text.as_bytes();
    // The parser stops at the first letter that cannot be right, which may be inside the word.
    let in_word = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'+');
    let mut start = column.checked_sub(1)?.min(bytes.len());
    while start > 0 && in_word(&bytes[start - 1]) {
        start -= 1;
    }
    let end = start + bytes[start..].iter().take_while(|byte| in_word(byte)).count();
    let value: f32 = text.get(start..end)?.parse().ok()?;
    (!value.is_finite()).then_some((value, start + 1))
}

/// Reads an array of numbers into a vector that shows after an error how far the reading came.
struct Numbers<'a>(&'a mut Vec<f32>);

impl<'de> DeserializeSeed<'de> for Numbers<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Numbers<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        while let Some(number) = sequence.next_element_seed(Number(self.0.len()))? {
            self.0.push(number);
        }
        Ok(())
    }
}

/// Reads the number for one target.
struct Number(usize);

impl<'de> DeserializeSeed<'de> for Number {
    type Value = f32;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<f32, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Number {
    type Value = f32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number for target {}", self.0)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<f32, E> {
        let narrow = value as f32;
        if narrow.is_finite() {
            Ok(narrow)
        } else {
            Err(E::invalid_value(
                Unexpected::Float(value),
                &"a number that a 32-bit float can hold",
            ))
        }
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<f32, E> {
        Ok(value as f32)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<f32, E> {
        Ok(value as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<WeightsFile, CliError> {
        WeightsFile::parse(Path::new("w.json"), text)
    }

    fn refusal(text: &str) -> String {
        parse(text)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn numbers_of_every_spelling_are_read() {
        let file = parse(" [0.5, -1, 2, 1e-3,\n 0] ").ok();
        assert_eq!(
            file.map(|file| file.weights),
            Some(vec![0.5, -1.0, 2.0, 1.0e-3, 0.0])
        );
    }

    #[test]
    fn anything_else_is_an_error_with_its_place() {
        for (text, start) in [
            ("", "w.json, line 1, column 1: EOF while parsing a value"),
            (
                "[1,\n \"a\"]",
                "w.json, line 2, column 4: invalid type: string \"a\", expected a number for target 1",
            ),
            (
                "[1, null]",
                "w.json, line 1, column 8: invalid type: null, expected a number for target 1",
            ),
            (
                "[1, [2]]",
                "w.json, line 1, column 5: invalid type: sequence, expected a number for target 1",
            ),
            (
                "{\"a\": 1}",
                "w.json, line 1, column 1: invalid type: map, expected an array of numbers",
            ),
            ("[1, 2", "w.json, line 1, column 5: EOF while parsing a list"),
            ("[1] 2", "w.json, line 1, column 5: trailing characters"),
            (
                "[1e39]",
                "w.json, line 1, column 5: invalid value: floating point",
            ),
        ] {
            let error = refusal(text);
            assert!(error.starts_with(start), "{text}: {error}");
            assert!(error.contains("array of numbers, one per target"), "{error}");
        }
    }

    #[test]
    fn a_value_that_is_not_finite_is_found_with_its_place() {
        for (text, place) in [
            ("[0.5, NaN]", (1, 7, "NaN")),
            ("[0.5,\n -Infinity]", (2, 2, "-inf")),
            ("[0.5, nan, 1]", (1, 7, "NaN")),
        ] {
            let found = parse(text)
                .ok()
                .and_then(|file| file.not_finite.map(|it| (it, file.weights)));
            let expected = Some(((place.0, place.1, place.2.to_owned()), vec![0.5]));
            let found =
                found.map(|((line, column, value), weights)| ((line, column, value.to_string()), weights));
            assert_eq!(found, expected, "{text}");
        }
        assert!(
            refusal("[0.5, none]").contains("expected"),
            "{}",
            refusal("[0.5, none]")
        );
    }
}
