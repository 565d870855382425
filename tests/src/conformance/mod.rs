//! Every model of the field against everything that other programs say of it.
//!
//! Models and answers are not part of the project; [`measure`] reads them from the folder that
//! [`shared_folder`](crate::oracle::shared_folder) finds, and [`document`] is the table in `docs/conformance.md`.
//! Everything runs on the host, by what an engine would call: an import, [`morph_core::morph`], [`morph_core::skin()`],
//! rigs, and the binding and sampling of `morph-anim`. Devices have the bits of the host, which other tests show.

mod blender;
mod document;
mod error;
mod files;
mod frames;
mod measure;
mod points;
mod skipped;
mod subject;
mod tangents;
mod three;
mod ufbx;

use std::path::Path;

pub use document::{document, same_document};
pub use error::ConformanceError;
pub use measure::{Cell, Quantity, Row};
pub use skipped::Skipped;

/// Where the numbers of a table come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Oracle {
    /// three.js.
    Three,
    /// Blender, shapes and weights.
    Blender,
    /// Blender, morphed and skinned vertices.
    BlenderSkinned,
    /// The C library ufbx.
    Ufbx,
    /// The programs that wrote FBX files.
    AuthoringTools,
    /// Arithmetic in double precision.
    Arithmetic,
}

/// What one program says.
#[derive(Clone, Debug)]
pub struct Table {
    /// The program.
    pub oracle: Oracle,
    /// One row for each model.
    pub rows: Vec<Row>,
}

/// Everything that was compared.
#[derive(Clone, Debug)]
pub struct Conformance {
    /// By program.
    pub tables: Vec<Table>,
    /// Models that no program has an answer for.
    pub skipped: Vec<Skipped>,
}

impl Conformance {
    /// The rows that do not pass, with the program that they disagree with.
    pub fn failures(&self) -> Vec<(Oracle, &Row)> {
        let tables = self.tables.iter();
        let rows = tables.flat_map(|table| table.rows.iter().map(|row| (table.oracle, row)));
        rows.filter(|(_, row)| !row.passes()).collect()
    }
}

/// Compares every model with every answer.
///
/// # Errors
/// Where a file cannot be read, or is not what it should be. What differs is no error; it is in the result.
pub fn measure(shared: &Path) -> Result<Conformance, ConformanceError> {
    let tables: Vec<Table> = [
        (Oracle::Three, three::rows(shared)?),
        (Oracle::Blender, blender::rows(shared)?),
        (Oracle::BlenderSkinned, blender::skinned_rows(shared)?),
        (Oracle::Ufbx, ufbx::rows(shared)?),
        (Oracle::AuthoringTools, frames::rows(shared)?),
        (Oracle::Arithmetic, tangents::rows(shared)?),
    ]
    .into_iter()
    .map(|(oracle, rows)| Table { oracle, rows })
    .collect();
    let skipped = skipped::skipped(shared, &tables)?;
    Ok(Conformance { tables, skipped })
}
