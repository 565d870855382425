//! Submeshes moved by a table: one row of translation, rotation and scale for each, read in the vertex shader.
//!
//! A mesh is cut into submeshes once, and every vertex carries the number of its own.
//! Moving a submesh writes one row of eleven words; no geometry is rebuilt, whatever the submesh's size.
//!
//! - [`Placement`] is the checked transform, and [`Placement::apply`] and [`Placement::apply_normal`] are what the
//!   shader does with it: positions to the last bit, normals within 10⁻⁶.
//! - [`pack_row`] and [`unpack_row`] turn it into words and back.
//! - [`TableLayout`] says where words lie in a texture of the caller's width, with the caller's stride;
//!   [`PlacementTable`] holds the words.
//! - [`BUFFER_BINDING`] and [`TEXTURE_BINDING`] say as data what an engine binds.
//!
//! The shader's side is `shaders/include/placement_buffer.glsl` and `shaders/include/placement_texture.glsl`.
//!
//! ```
//! use morph_core::placement::{Placement, TableLayout, axis_angle};
//!
//! let quarter = axis_angle([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2)?;
//! let moved = Placement::new([1.0, 2.0, 3.0], quarter, [2.0, 2.0, 2.0])?;
//! let [x, y, z] = moved.apply([1.0, 0.0, 0.0]);
//! assert!((x - 1.0).abs() < 1.0e-6 && (y - 4.0).abs() < 1.0e-6 && (z - 3.0).abs() < 1.0e-6);
//!
//! let layout = TableLayout::new(8, 11)?;
//! let table = layout.pack_table([None, Some(&moved), None])?;
//! assert_eq!(table.words().len(), 40); // 33 words, padded to 5 texture rows of 8
//! assert_eq!(table.lookup(1), moved);
//! assert_eq!(table.lookup(99), Placement::IDENTITY); // as in the shader
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apply;
mod binding;
mod error;
mod format;
mod layout;
mod narrow;
mod rotation;
mod row;
mod table;
mod value;

pub use binding::{
    AttributeBinding, BUFFER_BINDING, BindingKind, PlacementBinding, TEXTURE_BINDING, TableBinding,
    UniformBinding, WordFormat,
};
pub use error::{PlacementError, PlacementField, TableError};
pub use format::{
    MAX_TABLE_WORDS, PRESENCE_SLOT, ROTATION_SLOT, ROTATION_TOLERANCE, ROW_WORDS, SCALE_SLOT,
    TRANSLATION_SLOT,
};
pub use layout::TableLayout;
pub use rotation::{axis_angle, unit_rotation};
pub use row::{pack_row, unpack_row};
pub use table::PlacementTable;
pub use value::Placement;
