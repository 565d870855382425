//! Columns of text under each other.

/// On which side the text of a column lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table with a line of headings.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(columns: &[(&str, Align)]) -> Self {
        let columns = columns
            .iter()
            .map(|&(heading, align)| (heading.to_owned(), align))
            .collect();
        Table {
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row with one text per column.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(
            cells.len(),
            self.columns.len(),
            "a row has a text for every column"
        );
        self.rows.push(cells);
    }

    /// The lines, each behind an indent and without blanks at its end; a column without any text is left out.
    pub(crate) fn lines(&self, indent: usize) -> String {
        let headings: Vec<String> = self.columns.iter().map(|(heading, _)| heading.clone()).collect();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| {
                let widest = self
                    .rows
                    .iter()
                    .filter_map(|row| row.get(column))
                    .map(|cell| width(cell))
                    .max();
                match widest {
                    None | Some(0) => 0,
                    Some(widest) => widest.max(width(&headings[column])),
                }
            })
            .collect();
        let mut text = String::new();
        for row in std::iter::once(&headings).chain(&self.rows) {
            let mut line = " ".repeat(indent);
            for ((cell, &wide), (_, align)) in row.iter().zip(&widths).zip(&self.columns) {
                if wide == 0 {
                    continue;
                }
                if line.len() > indent {
                    line.push_str("  ");
                }
                let blanks = " ".repeat(wide.saturating_sub(width(cell)));
                match align {
                    Align::Left => line.extend([cell.as_str(), blanks.as_str()]),
                    Align::Right => line.extend([blanks.as_str(), cell.as_str()]),
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// How wide a text is: its characters, which is right for all but the doubly wide ones of East Asia.
fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_text() {
        let mut table = Table::new(&[("name", Align::Left), ("n", Align::Right), ("empty", Align::Left)]);
        table.row(vec!["jawOpen".into(), "7".into(), String::new()]);
        table.row(vec!["é".into(), "1,234".into(), String::new()]);
        assert_eq!(
            table.lines(2),
            "  name         n\n  jawOpen      7\n  é        1,234\n"
        );
    }

    #[test]
    fn a_table_without_rows_is_empty_lines_of_nothing() {
        assert_eq!(Table::new(&[("a", Align::Left)]).lines(0), "\n");
    }
}
