//! `--weights-file W.json`: an array of numbers, or an object of names and numbers.

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use morph_core::NameTable;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Unexpected, Visitor};

use super::not_finite;
use crate::error::CliError;
use crate::read;

/// The most bytes of a weights file: 65,536 targets, as many as a mesh may have, with names and numbers far longer than
/// any needs.
const LARGEST_FILE_BYTES: u64 = 64 << 20;

/// What a weights file holds.
#[derive(Debug)]
pub(super) enum FileWeights {
    /// An array: one number per target.
    Listed(WeightsFile),
    /// An object: pairs of name and weight, no name twice.
    Named(Vec<(String, f32)>),
}

/// Reads a weights file.
pub(super) fn read(path: &Path) -> Result<FileWeights, CliError> {
    parse(path, &read_text(path)?)
}

/// The numbers of a weights file.
#[derive(Debug)]
pub(crate) struct WeightsFile {
    path: PathBuf,
    weights: Vec<f32>,
    /// Where a NaN or infinity stands behind the last of `weights`: line, column and value.
    not_finite: Option<(usize, usize, f32)>,
}

fn read_text(path: &Path) -> Result<String, CliError> {
    let text = read::bounded(path, LARGEST_FILE_BYTES, "a file of weights").and_then(|bytes| {
        String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    });
    text.map_err(|source| CliError::ReadWeights {
        path: path.to_owned(),
        source,
    })
}

fn parse(path: &Path, text: &str) -> Result<FileWeights, CliError> {
    if text.trim_start().starts_with('{') {
        return parse_object(path, text).map(FileWeights::Named);
    }
    let mut file = WeightsFile {
        path: path.to_owned(),
        weights: Vec::new(),
        not_finite: None,
    };
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = Numbers(&mut file.weights)
        .deserialize(&mut reader)
        .and_then(|()| reader.end());
    let Err(error) = read else {
        return Ok(FileWeights::Listed(file));
    };
    let (line, column) = place_of(&error);
    // JSON has no NaN, but programs that write JSON do it all the same; say which target it is for.
    if error.is_syntax()
        && let Some((value, column)) = not_finite_at(text, line, column)
    {
        file.not_finite = Some((line, column, value));
        return Ok(FileWeights::Listed(file));
    }
    Err(refusal_at(path, (line, column), problem_of(&error)))
}

fn parse_object(path: &Path, text: &str) -> Result<Vec<(String, f32)>, CliError> {
    let mut named = Named::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = (&mut named).deserialize(&mut reader).and_then(|()| reader.end());
    let Err(error) = read else {
        return Ok(named.pairs);
    };
    let (line, column) = place_of(&error);
    if error.is_syntax()
        && let Some(name) = &named.current
        && let Some((value, column)) = not_finite_at(text, line, column)
    {
        let problem = format!("the weight of target `{name}` is {value}: weights must be finite numbers");
        return Err(refusal_at(path, (line, column), problem));
    }
    Err(refusal_at(path, (line, column), problem_of(&error)))
}

/// Line and column; at the very start the parser has not counted a column yet.
fn place_of(error: &serde_json::Error) -> (usize, usize) {
    (error.line(), error.column().max(1))
}

/// What is wrong, without the place.
fn problem_of(error: &serde_json::Error) -> String {
    let full = error.to_string();
    match full.rsplit_once(" at line ") {
        Some((problem, _)) => problem.to_owned(),
        None => full,
    }
}

fn refusal_at(path: &Path, (line, column): (usize, usize), problem: String) -> CliError {
    CliError::WeightsFile {
        path: path.to_owned(),
        line,
        column,
        problem,
    }
}

impl WeightsFile {
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

/// Reads an object of names and numbers.
#[derive(Debug, Default)]
struct Named {
    pairs: Vec<(String, f32)>,
    /// The name whose number is being read.
    current: Option<String>,
}

impl<'de> DeserializeSeed<'de> for &mut Named {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Named {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of names and numbers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            if !seen.insert(name.clone()) {
                return Err(serde::de::Error::custom(format_args!(
                    "`{name}` is there more than once"
                )));
            }
            self.current = Some(name.clone());
            let number = map.next_value_seed(Number(format!("`{name}`")))?;
            self.current = None;
            self.pairs.push((name, number));
        }
        Ok(())
    }
}

/// Reads the number for one target, which it names in errors.
struct Number<T>(T);

impl<'de, T: fmt::Display> DeserializeSeed<'de> for Number<T> {
    type Value = f32;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<f32, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<T: fmt::Display> Visitor<'_> for Number<T> {
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
        match super::parse(Path::new("w.json"), text)? {
            FileWeights::Listed(file) => Ok(file),
            FileWeights::Named(pairs) => panic!("an object: {pairs:?}"),
        }
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
    fn names_may_hold_anything_in_an_object() {
        let named = super::parse(Path::new("w.json"), "\n{\"a, b=c\": 0.5, \"\": -1}");
        let expected = vec![("a, b=c".to_owned(), 0.5), (String::new(), -1.0)];
        assert!(matches!(named, Ok(FileWeights::Named(pairs)) if pairs == expected));
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
                "{\"a\": 1, \"b, c\": true}",
                "w.json, line 1, column 21: invalid type: boolean `true`, expected a number for target `b, c`",
            ),
            (
                "{\"a\": 1,\n \"a\": 1}",
                "w.json, line 2, column 4: `a` is there more than once",
            ),
            (
                "{\"a\": NaN}",
                "w.json, line 1, column 7: the weight of target `a` is NaN: weights must be finite",
            ),
            (
                "{\"a\": 1",
                "w.json, line 1, column 7: EOF while parsing an object",
            ),
            (
                "7",
                "w.json, line 1, column 1: invalid type: integer `7`, expected an array of numbers",
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
