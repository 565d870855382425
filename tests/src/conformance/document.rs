//! The tables as a document.

use std::fmt::Write as _;

use super::{Conformance, Oracle, Quantity, Row, Skipped, Table};

const HEAD: &str = "\
<!-- Written by `cargo xtask conformance`; do not edit. -->
# Conformance
Every model of the field that was at hand, against everything that other programs say of it.
Models and answers are not part of the project.

All is computed on the host, in 32-bit floats, by what an engine would call: import, clips, rigs, morph, skin.
Devices have the bits of the host; other tests show that.

A cell is `difference / allowed`: the largest difference between our number and theirs, as a part of what is allowed, and what is allowed there.
Both are rounded to one digit, and 0 means equal to the last digit that the answer has.
`allowed` comes from how far the other programs are from each other: three.js and Blender agree within 1.3e-6 on every file, ufbx and Blender within 1.8e-7 on unskinned FBX files, and their numbers are 32-bit floats as well.
It is 2e-6 times the size of what is compared where that is over one, and what is added to it stands above each table.
A row passes where no difference is larger than what is allowed, and counts, names and start weights are equal.

";

/// The document for what was measured.
pub fn document(conformance: &Conformance) -> String {
    let mut text = HEAD.to_owned();
    write_summary(&mut text, conformance);
    for table in &conformance.tables {
        write_table(&mut text, table);
    }
    write_skipped(&mut text, &conformance.skipped);
    text
}

/// Whether two documents say the same.
///
/// Small numbers may be apart by a factor of two: sines and products of matrices are rounded as the machine does it.
pub fn same_document(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.split_whitespace(), b.split_whitespace());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || are_near(a, b) => {}
            _ => return false,
        }
    }
}

fn are_near(a: &str, b: &str) -> bool {
    let number = |text: &str| {
        text.parse::<f64>()
            .ok()
            .filter(|number| text.contains("e-") && *number < 1.0)
    };
    let (Some(a), Some(b)) = (number(a), number(b)) else {
        return false;
    };
    a.max(b) / a.min(b) < 2.01
}

fn title(oracle: Oracle) -> &'static str {
    match oracle {
        Oracle::Three => "three.js r187",
        Oracle::Blender => "Blender 3.4.1, shapes and weights",
        Oracle::BlenderSkinned => "Blender 3.4.1, skinned",
        Oracle::Ufbx => "ufbx 0.23.1",
        Oracle::AuthoringTools => "Authoring tools",
        Oracle::Arithmetic => "Arithmetic in double precision",
    }
}

fn about(oracle: Oracle) -> &'static str {
    match oracle {
        Oracle::Three => {
            "Normals are sums of unit vectors: their size is one plus the weights. \
             `skinned` is four times as much, for the chain of matrices behind it, and is measured by the largest coordinate.\n\
             three.js plays rotation keys of any length, which then stretch what hangs from them; ours are made unit. \
             By what the squared length of such a key is off one, twice is added for rotations and vertices.\n\
             The filters of compressed normals and rotations end in a rounding to 8 and 16 bits, \
             which programs may come to from either side: one step is allowed.\n\
             three.js reads no tangents of targets, and of skins only the first four bones; no model here has more."
        }
        Oracle::Blender => {
            "glTF vertices as far as faces use them, FBX control points. \
             Blender keeps the times of keys as 32-bit numbers of frames: 1e-5 is allowed of weights."
        }
        Oracle::BlenderSkinned => {
            "Vertices in the world at the keys of clips, in metres: morphed, then skinned. \
             Four times as much is allowed of them, for the chain of matrices behind each."
        }
        Oracle::Ufbx => {
            "Control points in the units and axes of the file; in the world where the mesh has a skin, with four times as much allowed. \
             Weights are those of clips, and those that in-betweens make of the channels'."
        }
        Oracle::AuthoringTools => {
            "Frames that Maya and Blender 2.79 wrote as OBJ files beside their FBX files: control points in the world. \
             The text has six digits behind the point, so that half a digit is added."
        }
        Oracle::Arithmetic => {
            "Directions are sums of unit vectors, as the normals above; the handedness has to be equal."
        }
    }
}

fn write_summary(text: &mut String, conformance: &Conformance) {
    text.push_str("| against | models | pass | numbers |");
    for quantity in Quantity::ALL {
        let _ = write!(text, " {} |", quantity.title());
    }
    text.push_str("\n|---|--:|--:|--:|");
    text.push_str(&"--:|".repeat(Quantity::ALL.len()));
    text.push('\n');
    for Table { oracle, rows } in &conformance.tables {
        let passing = rows.iter().filter(|row| row.passes()).count();
        let values: u64 = rows.iter().map(Row::value_count).sum();
        let _ = write!(
            text,
            "| {} | {} | {passing} | {values} |",
            title(*oracle),
            rows.len()
        );
        for quantity in Quantity::ALL {
            let cells = rows.iter().filter_map(|row| row.cell(quantity));
            let worst = cells.max_by(|a, b| a.ratio().total_cmp(&b.ratio()));
            let _ = write!(
                text,
                " {} |",
                worst.map_or(String::new(), |cell| difference_over(
                    cell.difference,
                    cell.allowed
                ))
            );
        }
        text.push('\n');
    }
    text.push_str("\nThe worst of each column by what is allowed.\n");
}

fn write_table(text: &mut String, Table { oracle, rows }: &Table) {
    let _ = write!(text, "\n## {}\n{}\n\n", title(*oracle), about(*oracle));
    let quantities: Vec<Quantity> = Quantity::ALL
        .into_iter()
        .filter(|&quantity| rows.iter().any(|row| row.cell(quantity).is_some()))
        .collect();
    text.push_str("| model | numbers |");
    for quantity in &quantities {
        let _ = write!(text, " {} |", quantity.title());
    }
    text.push_str(" result |\n|---|--:|");
    text.push_str(&"--:|".repeat(quantities.len()));
    text.push_str("---|\n");
    for row in rows {
        let _ = write!(text, "| {} | {} |", row.model, row.value_count());
        for &quantity in &quantities {
            let cell = row.cell(quantity);
            let shown = cell.map_or(String::new(), |cell| {
                difference_over(cell.difference, cell.allowed)
            });
            let _ = write!(text, " {shown} |");
        }
        let _ = writeln!(text, " {} |", result(row));
    }
    let left_out: Vec<&Row> = rows.iter().filter(|row| !row.left_out.is_empty()).collect();
    if !left_out.is_empty() {
        text.push_str("\nNot compared:\n");
        for row in left_out {
            let _ = writeln!(text, "- {}: {}", row.model, row.left_out.join("; "));
        }
    }
}

fn result(row: &Row) -> String {
    if row.passes() {
        "pass".to_owned()
    } else if row.value_count() == 0 {
        "**fail**: nothing was compared".to_owned()
    } else if row.faults.is_empty() {
        "**fail**".to_owned()
    } else {
        format!("**fail**: {}", row.faults.join("; "))
    }
}

fn write_skipped(text: &mut String, skipped: &[Skipped]) {
    text.push_str("\n## Models in no table\n\n| model | why |\n|---|---|\n");
    for Skipped { model, reason } in skipped {
        let _ = writeln!(text, "| {model} | {reason} |");
    }
}

fn difference_over(difference: f64, allowed: f64) -> String {
    format!("{} / {}", one_digit(difference), one_digit(allowed))
}

/// A number with one digit.
fn one_digit(number: f64) -> String {
    if number == 0.0 {
        "0".to_owned()
    } else if number.is_finite() {
        format!("{number:.0e}")
    } else {
        "not a number".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_digit() {
        let cases = [
            (0.0, "0"),
            (1.1e-7, "1e-7"),
            (4.9e-7, "5e-7"),
            (9.9e-7, "1e-6"),
            (0.3, "3e-1"),
            (f64::NAN, "not a number"),
        ];
        for (number, expected) in cases {
            assert_eq!(one_digit(number), expected);
        }
    }

    #[test]
    fn documents_may_differ_by_half_a_difference_and_by_nothing_else() {
        let row = "| a.glb | 12 | 1e-7 / 2e-6 | pass |";
        assert!(same_document(row, row));
        assert!(same_document(row, "| a.glb | 12 | 2e-7 / 2e-6 | pass |"));
        assert!(!same_document(row, "| a.glb | 12 | 5e-7 / 2e-6 | pass |"));
        assert!(!same_document(row, "| a.glb | 13 | 1e-7 / 2e-6 | pass |"));
        assert!(!same_document(row, "| a.glb | 12 | 1e-7 / 2e-6 | **fail** |"));
        assert!(!same_document(row, ""));
    }
}
