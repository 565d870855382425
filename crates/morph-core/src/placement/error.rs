//! Why a placement, a row or a table is refused.

use std::fmt;

use super::format::{MAX_TABLE_WORDS, ROTATION_TOLERANCE, ROW_WORDS};

/// What of a placement a value was given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlacementField {
    /// The translation, in model units.
    Translation,
    /// The rotation, a quaternion x, y, z, w.
    Rotation,
    /// The scale along the submesh's own axes.
    Scale,
    /// The point that [`about_pivot`](super::Placement::about_pivot) keeps in place.
    Pivot,
    /// The axis of [`axis_angle`](super::axis_angle).
    Axis,
    /// The angle of [`axis_angle`](super::axis_angle), in radians; its one component counts as x.
    Angle,
}

impl fmt::Display for PlacementField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PlacementField::Translation => "translation",
            PlacementField::Rotation => "rotation",
            PlacementField::Scale => "scale",
            PlacementField::Pivot => "pivot",
            PlacementField::Axis => "axis",
            PlacementField::Angle => "angle",
        })
    }
}

/// A placement, or a row of one, that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// A component is NaN or infinite.
    #[error("the {field}'s {component} is {value}: it must be finite")]
    NotFinite {
        /// The field.
        field: PlacementField,
        /// `x`, `y`, `z` or `w`.
        component: char,
        /// What was given.
        value: f64,
    },
    /// A component is finite, but beyond what a 32-bit float holds.
    #[error(
        "the {field}'s {component} is {value:e}: a row holds 32-bit floats, so it must be within ±{:e}",
        f32::MAX
    )]
    BeyondF32 {
        /// The field.
        field: PlacementField,
        /// `x`, `y`, `z` or `w`.
        component: char,
        /// What was given, or what the operation came to.
        value: f64,
    },
    /// A scale is zero or negative, as given or once it is stored.
    #[error(
        "the scale's {component} is {value:e}, stored as {stored:e}: it must be positive, at least {:e}, because zero \
         flattens a submesh and a negative scale mirrors it",
        f32::MIN_POSITIVE
    )]
    ScaleNotPositive {
        /// `x`, `y` or `z`.
        component: char,
        /// What was given.
        value: f64,
        /// The nearest 32-bit float, which is what a row would hold.
        stored: f32,
    },
    /// A scale is positive, but stored as a subnormal number, which a device may read as zero.
    #[error(
        "the scale's {component} is {value:e}, stored as {stored:e}: it must be at least {:e}, because a device may \
         read a smaller number as zero",
        f32::MIN_POSITIVE
    )]
    ScaleSubnormal {
        /// `x`, `y` or `z`.
        component: char,
        /// What was given.
        value: f64,
        /// The nearest 32-bit float, which is what a row would hold.
        stored: f32,
    },
    /// A rotation's length is not 1.
    #[error(
        "the rotation {rotation:?} (x, y, z, w) has the length {length}: it must be 1 within {ROTATION_TOLERANCE:e}, \
         because another length stretches the submesh; `unit_rotation` makes it so"
    )]
    RotationNotUnit {
        /// What was given.
        rotation: [f64; 4],
        /// The length of what a row would hold.
        length: f64,
    },
    /// A rotation that is to be made unit, or the axis of one, has the length zero.
    #[error("the {field} is zero: it has no direction, so give one that is longer")]
    NoDirection {
        /// The axis or the rotation.
        field: PlacementField,
    },
    /// The first word of a row is neither 0 nor 1.
    #[error(
        "the presence word of a row is {found:#x}: it must be 0 (identity) or 1 (placed); is this the start of a row?"
    )]
    Presence {
        /// The word.
        found: u32,
    },
}

/// A table, or a place in one, that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The width is zero, or more than a texel coordinate reaches.
    #[error("a table width of {width} texels: it must be 1 to {}", MAX_TABLE_WORDS)]
    Width {
        /// The width given.
        width: u32,
    },
    /// The stride is shorter than a row, or more than a table holds.
    #[error(
        "a table stride of {stride} words: it must be {}, the words of a row, to {}",
        ROW_WORDS,
        MAX_TABLE_WORDS
    )]
    Stride {
        /// The stride given.
        stride: u32,
    },
    /// A slot lies beyond the stride, in the next submesh's row.
    #[error("slot {slot} of a row of {stride} words: it must be below {stride}")]
    Slot {
        /// The slot given.
        slot: u32,
        /// The stride of the table.
        stride: u32,
    },
    /// The table, padded to whole texture rows, has more words than a texel coordinate reaches.
    #[error(
        "{row_count} rows of {stride} words in texture rows of {width} take {words} words: a table has at most {}",
        MAX_TABLE_WORDS
    )]
    TooLarge {
        /// How many rows are to fit.
        row_count: u64,
        /// The stride of the table.
        stride: u32,
        /// The width of the table.
        width: u32,
        /// How many words they take, padding counted.
        words: u64,
    },
    /// The memory for the words is not there.
    #[error("no memory for a table of {words} words: use fewer rows or a lower stride")]
    OutOfMemory {
        /// How many words were asked for.
        words: u64,
    },
    /// A submesh that the table has no row for.
    #[error("submesh {submesh} of a table of {row_count} rows: it must be below {row_count}")]
    NoRow {
        /// The number given.
        submesh: u32,
        /// How many rows the table has.
        row_count: u32,
    },
}
