//! What is left of a name when spelling, side marks and the name of its deformer are taken off.

use super::vocabulary;

/// A name's part before the last dot, colon or bar, where it has one, and the rest.
///
/// `Squish.TopH` is `TopH` of the deformer `Squish`. A side mark at the end (`smile.L`) is no name of its own.
pub(super) fn split_deformer(name: &str) -> (Option<&str>, &str) {
    let is_dot = |c: char| matches!(c, '.' | ':' | '|');
    let (stem, from) = match name.rsplit_once(is_dot) {
        Some((stem, last)) if Side::of(last).is_some() => (stem, stem.rfind(is_dot)),
        _ => (name, name.rfind(is_dot)),
    };
    match from {
        // A name needs something on both sides of the dot, which is one byte long.
        Some(at) if at > 0 && at + 1 < stem.len() => (Some(&name[..at]), &name[at + 1..]),
        _ => (None, name),
    }
}

/// The name in lower case without the separators between its words.
pub(super) fn plain(name: &str) -> String {
    words(name).concat()
}

/// [`plain`], with a side mark at either end (`_L`, `Left`, `left_`, …) written in one way.
pub(super) fn sided(name: &str) -> String {
    let words = words(name);
    let at_end = words
        .split_last()
        .and_then(|(last, rest)| Some((Side::of(last)?, rest)));
    let at_either = at_end.or_else(|| {
        words
            .split_first()
            .and_then(|(first, rest)| Some((Side::of(first)?, rest)))
    });
    match at_either {
        // A separator cannot be part of a word, so no plain name looks like this.
        Some((side, rest)) if !rest.is_empty() => format!("{}_{}", rest.concat(), side.mark()),
        _ => words.concat(),
    }
}

/// [`sided`], with the names of VRM 0.x as those of 1.0.
pub(super) fn modern(name: &str) -> String {
    let key = sided(name);
    let newer = vocabulary::VRM
        .iter()
        .find(|(_, old)| old.is_some_and(|old| sided(old) == key));
    newer.map_or(key, |(new, _)| sided(new))
}

#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

impl Side {
    fn of(word: &str) -> Option<Side> {
        let is = |mark: &str| word.eq_ignore_ascii_case(mark);
        if is("l") || is("left") {
            Some(Side::Left)
        } else if is("r") || is("right") {
            Some(Side::Right)
        } else {
            None
        }
    }

    fn mark(self) -> char {
        match self {
            Side::Left => 'l',
            Side::Right => 'r',
        }
    }
}

/// The words of a name in lower case: split at separators and where a capital begins a word.
///
/// A sign that says something (`brow+` and `brow-`) stays: a minus separates only between two letters or digits.
fn words(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| chars[before]);
        let after = chars.get(at + 1);
        let between = before.is_some_and(char::is_alphanumeric) && after.is_some_and(|c| c.is_alphanumeric());
        let separates = matches!(c, '_' | ' ' | '.' | ':' | '|') || c == '-' && between;
        // `jawOpen` and `FACSJaw`: a capital after a small letter, or before one in a row of capitals.
        let begins = c.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase())
            });
        if (separates || begins) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if !separates {
            word.extend(c.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}
