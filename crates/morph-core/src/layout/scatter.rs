//! Scatter order: target after target, each with its vertex numbers and a stream per attribute.
//!
//! One dispatch per active target adds to the vertices that it moves; the reference path, simple to check.

use crate::deltas::DeltaSlice;
use crate::layout::join_halves;
use crate::mesh::{MorphMesh, StoredTarget};
use crate::quantization::Quantization;
use crate::streams::Stream;

/// Words of a mesh in scatter order, exactly as the scatter shader reads them.
///
/// Streams are x, y, z after x, y, z: a word a component in `f32`, otherwise 16 bits, low half first.
/// Every stream of every target starts on a word, so that an odd number of halves ends in a zero half.
/// A mesh without entries has no words.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// The words.
    pub words: Vec<u32>,
    /// Where each target lies, in slot order.
    pub targets: Vec<ScatterTarget>,
}

/// Where one target lies in [`Scatter::words`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScatterTarget {
    /// How many vertices the target moves.
    pub entry_count: u32,
    /// Word at which its vertex numbers start, one word each.
    pub index_offset: u32,
    /// Word at which its position deltas start, where it has them.
    pub position_offset: Option<u32>,
    /// Word at which its normal deltas start, where it has them.
    pub normal_offset: Option<u32>,
    /// Word at which its tangent deltas start, where it has them.
    pub tangent_offset: Option<u32>,
    /// What one count of a position is worth; 1 where not snorm16.
    pub position_step: f32,
    /// What one count of a normal is worth; 1 where not snorm16.
    pub normal_step: f32,
    /// What one count of a tangent is worth; 1 where not snorm16.
    pub tangent_step: f32,
}

fn stream_word_count(quantization: Quantization, entry_count: u32) -> u64 {
    let components = 3 * u64::from(entry_count);
    match quantization {
        Quantization::F32 => components,
        Quantization::Half | Quantization::Snorm16 => components.div_ceil(2),
    }
}

pub(crate) fn target_word_count(mesh: &MorphMesh, target: &StoredTarget) -> u64 {
    u64::from(target.entry_count)
        + u64::from(target.streams().count()) * stream_word_count(mesh.quantization(), target.entry_count)
}

pub(crate) fn word_count(mesh: &MorphMesh) -> u64 {
    mesh.targets
        .iter()
        .map(|target| target_word_count(mesh, target))
        .sum()
}

/// Lays a mesh out in scatter order.
///
/// Takes time and memory linear in targets and entries; the build has made sure that word offsets fit 32
/// bits.
pub fn pack_scatter(mesh: &MorphMesh) -> Scatter {
    let mut words: Vec<u32> = Vec::with_capacity(word_count(mesh) as usize);
    let targets = mesh
        .targets
        .iter()
        .map(|target| {
            let index_offset = words.len() as u32;
            words.extend_from_slice(mesh.vertices_of(target));
            let [position_offset, normal_offset, tangent_offset] = Stream::ALL.map(|stream| {
                let offset = words.len() as u32;
                mesh.stream(target, stream).map(|deltas| {
                    push_stream(&mut words, deltas);
                    offset
                })
            });
            let [position_step, normal_step, tangent_step] = target.steps;
            ScatterTarget {
                entry_count: target.entry_count,
                index_offset,
                position_offset,
                normal_offset,
                tangent_offset,
                position_step,
                normal_step,
                tangent_step,
            }
        })
        .collect();
    Scatter { words, targets }
}

fn push_stream(words: &mut Vec<u32>, deltas: DeltaSlice<'_>) {
    match deltas {
        DeltaSlice::F32(deltas) => words.extend(deltas.as_flattened().iter().map(|x| x.to_bits())),
        DeltaSlice::Half(deltas) => words.extend(join_halves(deltas.as_flattened().iter().copied())),
        DeltaSlice::Snorm16(deltas, _) => {
            words.extend(join_halves(
                deltas.as_flattened().iter().map(|q| q.cast_unsigned()),
            ));
        }
    }
}
