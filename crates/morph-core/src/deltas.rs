//! The flat pool of quantized deltas, and views into it.
//!
//! One pool holds all streams of all targets, so that a mesh of a thousand targets is a handful of
//! allocations.

use std::ops::Range;

use crate::quantization::{
    Quantization, decode_half, decode_snorm16, encode_half, encode_snorm16, snorm16_step,
};

/// All deltas of a mesh in their stored form.
#[derive(Clone, Debug)]
pub(crate) enum DeltaPool {
    F32(Vec<[f32; 3]>),
    Half(Vec<[u16; 3]>),
    Snorm16(Vec<[i16; 3]>),
}

/// What storing a stream gave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    /// Where its first delta lies in the pool.
    pub(crate) first: usize,
    /// The step, 1 where the quantization has none.
    pub(crate) step: f32,
    /// Components whose quantized value fell outside the domain and became zero.
    pub(crate) zeroed_component_count: u64,
}

impl DeltaPool {
    pub(crate) fn new(quantization: Quantization) -> Self {
        match quantization {
            Quantization::F32 => DeltaPool::F32(Vec::new()),
            Quantization::Half => DeltaPool::Half(Vec::new()),
            Quantization::Snorm16 => DeltaPool::Snorm16(Vec::new()),
        }
    }

    /// Quantizes and appends one stream of one target; the deltas are finite, in the domain, and in the
    /// format's range.
    pub(crate) fn push_stream(&mut self, deltas: &[[f32; 3]]) -> Stored {
        match self {
            DeltaPool::F32(pool) => {
                let first = pool.len();
                pool.extend_from_slice(deltas);
                Stored {
                    first,
                    step: 1.0,
                    zeroed_component_count: 0,
                }
            }
            DeltaPool::Half(pool) => {
                let first = pool.len();
                pool.extend(deltas.iter().map(|delta| delta.map(encode_half)));
                Stored {
                    first,
                    step: 1.0,
                    zeroed_component_count: 0,
                }
            }
            DeltaPool::Snorm16(pool) => {
                let first = pool.len();
                let largest = deltas
                    .iter()
                    .flatten()
                    .fold(0.0_f32, |largest, x| largest.max(x.abs()));
                let step = snorm16_step(largest);
                let mut zeroed_component_count = 0;
                pool.extend(deltas.iter().map(|delta| {
                    delta.map(|x| {
                        encode_snorm16(x, step).unwrap_or_else(|| {
                            zeroed_component_count += 1;
                            0
                        })
                    })
                }));
                Stored {
                    first,
                    step,
                    zeroed_component_count,
                }
            }
        }
    }

    /// The deltas in `range`, which lies inside the pool.
    pub(crate) fn slice(&self, range: Range<usize>, step: f32) -> DeltaSlice<'_> {
        match self {
            DeltaPool::F32(pool) => DeltaSlice::F32(&pool[range]),
            DeltaPool::Half(pool) => DeltaSlice::Half(&pool[range]),
            DeltaPool::Snorm16(pool) => DeltaSlice::Snorm16(&pool[range], step),
        }
    }

    /// Makes room for as many deltas and no more.
    pub(crate) fn reserve_exact(&mut self, delta_count: usize) {
        match self {
            DeltaPool::F32(pool) => pool.reserve_exact(delta_count),
            DeltaPool::Half(pool) => pool.reserve_exact(delta_count),
            DeltaPool::Snorm16(pool) => pool.reserve_exact(delta_count),
        }
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        match self {
            DeltaPool::F32(pool) => pool.shrink_to_fit(),
            DeltaPool::Half(pool) => pool.shrink_to_fit(),
            DeltaPool::Snorm16(pool) => pool.shrink_to_fit(),
        }
    }
}

/// One stream of one target, in vertex order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DeltaSlice<'a> {
    F32(&'a [[f32; 3]]),
    Half(&'a [[u16; 3]]),
    /// With the step.
    Snorm16(&'a [[i16; 3]], f32),
}

impl DeltaSlice<'_> {
    /// The decoded delta of entry `i`, or `None` past the last one.
    #[inline]
    pub(crate) fn get(&self, i: usize) -> Option<[f32; 3]> {
        match *self {
            DeltaSlice::F32(deltas) => deltas.get(i).copied(),
            DeltaSlice::Half(deltas) => deltas.get(i).map(|q| q.map(decode_half)),
            DeltaSlice::Snorm16(deltas, step) => deltas.get(i).map(|q| q.map(|q| decode_snorm16(q, step))),
        }
    }

    /// The three stored 16-bit patterns of entry `i`; zeros for floats, which have none, and past the last
    /// one.
    #[inline]
    pub(crate) fn half_words(&self, i: usize) -> [u16; 3] {
        match *self {
            DeltaSlice::F32(_) => [0; 3],
            DeltaSlice::Half(deltas) => deltas.get(i).copied().unwrap_or_default(),
            DeltaSlice::Snorm16(deltas, _) => deltas
                .get(i)
                .map(|q| q.map(i16::cast_unsigned))
                .unwrap_or_default(),
        }
    }
}
