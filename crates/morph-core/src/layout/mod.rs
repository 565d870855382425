//! Layouts: the same quantized values in the orders that shaders read.
//!
//! A layout changes no bit of a result, only what a kernel has to touch.

pub mod scatter;
pub mod set_table;
pub mod vertex_major;

pub use scatter::{Scatter, ScatterTarget, pack_scatter};
pub use set_table::pack_set_table;
pub use vertex_major::{VertexMajor, pack_vertex_major};

/// The orders in which the deltas of a mesh can be laid out for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// By target: vertex numbers and one stream per attribute, for one dispatch per target.
    Scatter,
    /// By vertex, targets rising, for one thread per vertex.
    VertexMajor,
}

/// Joins 16-bit halves to words, low half first; an odd one is padded with zero.
pub(crate) fn join_halves(halves: impl IntoIterator<Item = u16>) -> impl Iterator<Item = u32> {
    let mut halves = halves.into_iter();
    std::iter::from_fn(move || {
        let low = u32::from(halves.next()?);
        let high = u32::from(halves.next().unwrap_or(0));
        Some(low | high << 16)
    })
}
