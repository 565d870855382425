//! Numbers and names as people read them.

use std::fmt::Write as _;

/// A count with its thousands apart: `28,716`.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count and what is counted: `1 mesh`, `2 meshes`.
pub(crate) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(n as u64), if n == 1 { one } else { many })
}

/// A size in bytes: `1.31 MB`. Units are decimal.
pub(crate) fn bytes(n: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if n < 1000 {
        return format!("{n} B");
    }
    let mut value = n as f64 / 1000.0;
    let mut unit = 0;
    // What would be rounded to 1000 of one unit is 1 of the next.
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let decimals = if value < 9.995 {
        2
    } else {
        usize::from(value < 99.95)
    };
    format!("{value:.decimals$} {}", UNITS[unit])
}

/// An error or another small length: `0`, `1.7e-6`.
pub(crate) fn small(x: f64) -> String {
    if x == 0.0 {
        "0".to_owned()
    } else {
        format!("{x:.1e}")
    }
}

/// A number with four digits that count: `0.01234`, `12.3`, `1.2e-7`.
pub(crate) fn number(x: f64) -> String {
    let magnitude = x.abs();
    if magnitude == 0.0 {
        return "0".to_owned();
    }
    if !(1.0e-4..1.0e6).contains(&magnitude) {
        return format!("{x:.2e}");
    }
    let decimals = (3 - magnitude.log10().floor() as i32).clamp(0, 7) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A point: `(0.1, 0, -2.5)`.
pub(crate) fn point([x, y, z]: [f32; 3]) -> String {
    let [x, y, z] = [x, y, z].map(|component| number(f64::from(component)));
    format!("({x}, {y}, {z})")
}

/// A name out of a file, without anything that a terminal would obey.
pub(crate) fn printable(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for character in name.chars() {
        if character.is_control() || is_invisible(character) {
            let _ = write!(text, "{}", character.escape_unicode());
        } else {
            text.push(character);
        }
    }
    text
}

/// The most characters of a name that people are shown.
const LONGEST_NAME: usize = 80;
/// The most characters of a line of a message.
const LONGEST_LINE: usize = 2000;

/// A name out of a file, printable, and cut where it is longer than anybody reads.
pub(crate) fn brief(name: &str) -> String {
    printable(&cut(name, LONGEST_NAME))
}

/// The beginning of a text that is too long, and how it goes on.
fn cut(text: &str, most: usize) -> std::borrow::Cow<'_, str> {
    if text.chars().nth(most).is_none() {
        return text.into();
    }
    text.chars().take(most).chain(['…']).collect()
}

/// A message whose quoted parts may come out of a file or off the command line: printable, and with all of them brief.
///
/// Lines stay lines. What is quoted stands between backticks or quotation marks.
pub(crate) fn readable(message: &str) -> String {
    let line = |line: &str| -> String {
        let mut text = String::new();
        for (index, part) in line.split('`').enumerate() {
            if index > 0 {
                text.push('`');
            }
            if index % 2 == 1 {
                text.push_str(&cut(part, LONGEST_NAME));
                continue;
            }
            for (index, part) in part.split('"').enumerate() {
                if index > 0 {
                    text.push('"');
                }
                text.push_str(&if index % 2 == 1 {
                    cut(part, LONGEST_NAME)
                } else {
                    part.into()
                });
            }
        }
        printable(&cut(&text, LONGEST_LINE))
    };
    message.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Marks that turn the direction of writing around or join characters, so that a text is not what it looks like.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A space and the name in quotes, or nothing.
pub(crate) fn quoted(name: Option<&str>) -> String {
    name.map(|name| format!(" \"{}\"", brief(name)))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_their_thousands_apart() {
        assert_eq!(
            [0, 999, 1000, 28_716, 1_234_567].map(count),
            ["0", "999", "1,000", "28,716", "1,234,567"]
        );
        assert_eq!(counted(1, "mesh", "meshes"), "1 mesh");
        assert_eq!(counted(0, "mesh", "meshes"), "0 meshes");
    }

    #[test]
    fn sizes_have_three_digits_that_count() {
        let sizes = [
            0,
            999,
            1000,
            13_140,
            131_400,
            999_499,
            999_600,
            1_310_000,
            5_000_000_000_000_000,
        ];
        let expected = [
            "0 B", "999 B", "1.00 kB", "13.1 kB", "131 kB", "999 kB", "1.00 MB", "1.31 MB", "5000 TB",
        ];
        assert_eq!(sizes.map(bytes), expected);
    }

    #[test]
    fn numbers_keep_four_digits() {
        let numbers = [0.0, 0.012_344, -12.3, 1.0, 1234.56, 1.2e-7, 3.0e9];
        assert_eq!(
            numbers.map(number),
            ["0", "0.01234", "-12.3", "1", "1235", "1.20e-7", "3.00e9"]
        );
        assert_eq!(small(1.66e-6), "1.7e-6");
    }

    #[test]
    fn names_that_nobody_reads_to_their_end_are_cut() {
        let long = "é".repeat(1_000_000);
        let short = "é".repeat(80);
        assert_eq!(brief(&short), short);
        assert_eq!(brief(&long), format!("{short}…"));
        assert_eq!(quoted(Some(&long)), format!(" \"{short}…\""));
        let message =
            format!("no target is named `{long}`: the nearest are `a`, `{long}`\n  because: \"{long}\"");
        let expected = format!(
            "no target is named `{short}…`: the nearest are `a`, `{short}…`\n  because: \"{short}…\""
        );
        assert_eq!(readable(&message), expected);
        assert_eq!(readable(&long).chars().count(), 2001);
        assert_eq!(readable("a `\u{1b}[31m`\nb"), "a `\\u{1b}[31m`\nb");
    }

    #[test]
    fn names_cannot_command_a_terminal() {
        assert_eq!(printable("a\u{1b}[31m\n名"), "a\\u{1b}[31m\\u{a}名");
        assert_eq!(quoted(Some("x")), " \"x\"");
        assert_eq!(quoted(None), "");
    }
}
