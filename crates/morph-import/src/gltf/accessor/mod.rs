//! The one reader of accessors, for every use: base attributes, targets, indices, key times.
//!
//! It reads every component type by its own meaning, normalized or not, packed or interleaved, with a sparse part or
//! without, with a buffer view or without. How data is read never depends on what a view says it is meant for.

mod component;
mod elements;

use glam::Mat4;

use component::{ComponentType, INDEX_TYPES};

use super::buffers::Buffers;
use super::document::{Accessor, Document};
use super::item::sound_item;
use crate::error::GltfError;
use crate::findings::Account;

const FLOAT_TYPES: &str = "5120 to 5123 (8 and 16 bits) or 5126 (float)";
const JOINT_TYPES: &str = "5121 or 5123 (8 and 16 bits, unsigned)";
const MATRIX_TYPES: &str = "5126 (float)";

/// Reads accessors of one document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accessors<'a> {
    document: &'a Document,
    buffers: &'a Buffers<'a>,
}

impl<'a> Accessors<'a> {
    pub(crate) fn new(document: &'a Document, buffers: &'a Buffers<'a>) -> Self {
        Self { document, buffers }
    }

    /// The bytes that are counted now, for [`Accessors::settle`].
    pub(crate) fn spent(&self) -> u64 {
        self.buffers.spent()
    }

    /// Ends a step that began when `before` bytes were counted: its temporaries are freed, and `kept` bytes stay.
    pub(crate) fn settle(&self, before: u64, kept: u64) -> Result<(), GltfError> {
        self.buffers.settle(before, kept)
    }

    /// Reads an accessor of `N` components as floats.
    ///
    /// Integers that are normalized become fractions of their largest value, others their value as a float.
    /// `expected_count`, where given, is checked before anything is read or allocated.
    pub(crate) fn floats<const N: usize>(
        &self,
        accessor: u64,
        expected_count: Option<u64>,
    ) -> Result<Vec<[f32; N]>, GltfError> {
        let described = self.described(accessor)?;
        let component = ComponentType::from_file(described.component_type.0, FLOAT_TYPES)?;
        if component == ComponentType::U32 {
            return Err(GltfError::ComponentType {
                found: component as u64,
                expected: FLOAT_TYPES,
            });
        }
        match (component, described.normalized) {
            (ComponentType::I8, false) => self.read(described, expected_count, |[a]| f32::from(a as i8)),
            // The most negative integer has no counterpart; it stands for -1 like its neighbor.
            (ComponentType::I8, true) => self.read(described, expected_count, |[a]| {
                (f32::from(a as i8) / 127.0).max(-1.0)
            }),
            (ComponentType::U8, false) => self.read(described, expected_count, |[a]| f32::from(a)),
            (ComponentType::U8, true) => self.read(described, expected_count, |[a]| f32::from(a) / 255.0),
            (ComponentType::I16, false) => self.read(described, expected_count, |bytes| {
                f32::from(i16::from_le_bytes(bytes))
            }),
            (ComponentType::I16, true) => self.read(described, expected_count, |bytes| {
                (f32::from(i16::from_le_bytes(bytes)) / 32767.0).max(-1.0)
            }),
            (ComponentType::U16, false) => self.read(described, expected_count, |bytes| {
                f32::from(u16::from_le_bytes(bytes))
            }),
            (ComponentType::U16, true) => self.read(described, expected_count, |bytes| {
                f32::from(u16::from_le_bytes(bytes)) / 65535.0
            }),
            (ComponentType::U32 | ComponentType::F32, _) => {
                self.read(described, expected_count, f32::from_le_bytes)
            }
        }
    }

    /// Reads colors, which may leave opacity out.
    pub(crate) fn colors(
        &self,
        accessor: u64,
        expected_count: u64,
        absent_opacity: f32,
    ) -> Result<Vec<[f32; 4]>, GltfError> {
        let described = self.described(accessor)?;
        match described.kind.as_str() {
            "VEC4" => self.floats::<4>(accessor, Some(expected_count)),
            "VEC3" => {
                let before = self.spent();
                let colors = self.floats::<3>(accessor, Some(expected_count))?;
                let kept = (colors.len() * size_of::<[f32; 4]>()) as u64;
                self.spend(kept)?;
                let widened = colors
                    .iter()
                    .map(|&[r, g, b]| [r, g, b, absent_opacity])
                    .collect();
                self.settle(before, kept)?;
                Ok(widened)
            }
            found => Err(GltfError::AccessorType {
                found: crate::text::shorten(found),
                expected: "VEC3 or VEC4",
            }),
        }
    }

    /// Reads joint numbers, four for each vertex.
    pub(crate) fn joints(&self, accessor: u64, expected_count: u64) -> Result<Vec<[u16; 4]>, GltfError> {
        let described = self.described(accessor)?;
        let found = described.component_type.0;
        match ComponentType::from_file(found, JOINT_TYPES)? {
            ComponentType::U8 => self.read(described, Some(expected_count), |[a]| u16::from(a)),
            ComponentType::U16 => self.read(described, Some(expected_count), u16::from_le_bytes),
            _ => Err(GltfError::ComponentType {
                found,
                expected: JOINT_TYPES,
            }),
        }
    }

    /// Reads the first `count` of an accessor's matrices, column by column; there may be more of them.
    pub(crate) fn matrices(&self, accessor: u64, count: usize) -> Result<Vec<Mat4>, GltfError> {
        let described = self.described(accessor)?;
        let found = described.component_type.0;
        if ComponentType::from_file(found, MATRIX_TYPES)? != ComponentType::F32 {
            return Err(GltfError::ComponentType {
                found,
                expected: MATRIX_TYPES,
            });
        }
        if described.count.0 < count as u64 {
            return Err(GltfError::Count {
                found: described.count.0,
                expected: count as u64,
            });
        }
        let before = self.spent();
        let matrices: Vec<[f32; 16]> = self.read(described, None, f32::from_le_bytes)?;
        if let Some(&value) = matrices.as_flattened()[..16 * count]
            .iter()
            .find(|value| !value.is_finite())
        {
            return Err(GltfError::NotFinite {
                what: "a matrix",
                value: value.into(),
            });
        }
        let kept = (count * size_of::<Mat4>()) as u64;
        self.spend(kept)?;
        let matrices = matrices[..count].iter().map(Mat4::from_cols_array).collect();
        self.settle(before, kept)?;
        Ok(matrices)
    }

    /// Reads an accessor of unsigned integers.
    pub(crate) fn indices(&self, accessor: u64) -> Result<Vec<u32>, GltfError> {
        let described = self.described(accessor)?;
        let found = described.component_type.0;
        let indices: Vec<[u32; 1]> = match ComponentType::from_file(found, INDEX_TYPES)? {
            ComponentType::U8 => self.read(described, None, |[a]| u32::from(a)),
            ComponentType::U16 => self.read(described, None, |bytes| u32::from(u16::from_le_bytes(bytes))),
            ComponentType::U32 => self.read(described, None, u32::from_le_bytes),
            _ => Err(GltfError::ComponentType {
                found,
                expected: INDEX_TYPES,
            }),
        }?;
        Ok(indices.into_iter().map(|[index]| index).collect())
    }

    fn described(&self, accessor: u64) -> Result<&'a Accessor, GltfError> {
        sound_item(&self.document.accessors, accessor, "accessor")
    }
}

impl Account<GltfError> for Accessors<'_> {
    fn spend(&self, bytes: u64) -> Result<(), GltfError> {
        self.buffers.spend(bytes)
    }
}
