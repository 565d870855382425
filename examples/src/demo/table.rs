//! Rows of words in columns, for a terminal.

use std::fmt::Write as _;

/// A table whose first row is its heading; every column is as wide as its widest cell, the first one flush left and the
/// others flush right.
pub fn format(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, &width))| {
                if column == 0 {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            })
            .collect();
        let _ = writeln!(text, "  {}", cells.join("  ").trim_end());
        if index == 0 {
            let rule = widths.iter().sum::<usize>() + 2 * columns.saturating_sub(1);
            let _ = writeln!(text, "  {}", "-".repeat(rule));
        }
    }
    text
}

/// A count with commas between thousands.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_commas() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(count),
            ["0", "999", "1,000", "1,234,567"].map(str::to_owned)
        );
    }

    #[test]
    fn columns_line_up() {
        let rows = vec![
            vec!["run".to_owned(), "bytes".to_owned()],
            vec!["gather".to_owned(), "12".to_owned()],
        ];
        assert_eq!(
            format(&rows),
            "  run     bytes\n  -------------\n  gather     12\n"
        );
    }
}
