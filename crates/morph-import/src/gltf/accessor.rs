//! The one reader of accessors, for every use: base attributes, targets, indices, key times.
//!
//! It reads every component type by its own meaning, normalized or not, packed or interleaved, with a sparse part or
//! without, with a buffer view or without. How data is read never depends on what a view says it is meant for.

use glam::Mat4;

use super::buffers::Buffers;
use super::document::{Accessor, Document, Sparse};
use super::fault::item;
use crate::error::GltfError;

/// Component types by their number in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ComponentType {
    I8 = 5120,
    U8 = 5121,
    I16 = 5122,
    U16 = 5123,
    U32 = 5125,
    F32 = 5126,
}

impl ComponentType {
    fn from_file(number: u64, expected: &'static str) -> Result<Self, GltfError> {
        Ok(match number {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            found => return Err(GltfError::ComponentType { found, expected }),
        })
    }

    fn bytes(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

const FLOAT_TYPES: &str = "5120 to 5123 (8 and 16 bits) or 5126 (float)";
const JOINT_TYPES: &str = "5121 or 5123 (8 and 16 bits, unsigned)";
const MATRIX_TYPES: &str = "5126 (float)";
const INDEX_TYPES: &str = "5121, 5123 or 5125 (8, 16 and 32 bits, unsigned)";

/// Reads accessors of one document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accessors<'a> {
    document: &'a Document,
    buffers: &'a Buffers<'a>,
}

/// The `type` of elements of so many components. Columns of a matrix are packed where a column takes a multiple of
/// four bytes, as those of MAT4 always do; the matrices with padding inside are not read anywhere.
const fn shape(component_count: usize) -> &'static str {
    match component_count {
        1 => "SCALAR",
        2 => "VEC2",
        3 => "VEC3",
        4 => "VEC4",
        16 => "MAT4",
        _ => panic!("there are no elements of so many components"),
    }
}

/// Elements of a view: the bytes from the first element on, and the distance from one to the next.
struct Elements<'a> {
    bytes: &'a [u8],
    stride: usize,
    count: usize,
}

impl<'a> Accessors<'a> {
    pub(crate) fn new(document: &'a Document, buffers: &'a Buffers<'a>) -> Self {
        Self { document, buffers }
    }

    /// Counts memory that the caller is about to take on the file's account.
    pub(crate) fn spend(&self, bytes: u64) -> Result<(), GltfError> {
        self.buffers.spend(bytes)
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
        let described = item(&self.document.accessors, accessor, "accessor")?;
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
        let described = item(&self.document.accessors, accessor, "accessor")?;
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
        let described = item(&self.document.accessors, accessor, "accessor")?;
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
        let described = item(&self.document.accessors, accessor, "accessor")?;
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
        let described = item(&self.document.accessors, accessor, "accessor")?;
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

    /// Reads elements of `N` components of `B` bytes each.
    fn read<T: Copy + Default, const N: usize, const B: usize>(
        &self,
        accessor: &Accessor,
        expected_count: Option<u64>,
        decode: impl Fn([u8; B]) -> T + Copy,
    ) -> Result<Vec<[T; N]>, GltfError> {
        let shape = const { shape(N) };
        if accessor.kind != shape {
            return Err(GltfError::AccessorType {
                found: crate::text::shorten(&accessor.kind),
                expected: shape,
            });
        }
        let count = accessor.count.0;
        if let Some(expected) = expected_count
            && count != expected
        {
            return Err(GltfError::Count {
                found: count,
                expected,
            });
        }
        let element_bytes = (N * B) as u64;
        let memory = count.saturating_mul((N * size_of::<T>()) as u64);
        let mut values = if let Some(view) = accessor.buffer_view {
            let elements = self.elements(view.0, accessor.byte_offset.0, count, element_bytes)?;
            self.buffers.spend(memory)?;
            elements.decode(decode)
        } else {
            // Zeros take no bytes of the file. The rule that bounds them: no more of them than the file has bytes.
            let limit = self.buffers.bytes_read();
            if count > limit {
                return Err(GltfError::Unbacked { count, limit });
            }
            self.buffers.spend(memory)?;
            vec![[T::default(); N]; count as usize]
        };
        if let Some(sparse) = &accessor.sparse {
            let before = self.spent();
            self.replace(sparse, &mut values, decode)?;
            self.settle(before, 0)?;
        }
        Ok(values)
    }

    /// Replaces the elements that the sparse part names.
    fn replace<T: Copy, const N: usize, const B: usize>(
        &self,
        sparse: &Sparse,
        values: &mut [[T; N]],
        decode: impl Fn([u8; B]) -> T + Copy,
    ) -> Result<(), GltfError> {
        let count = values.len() as u64;
        let sparse_count = sparse.count.0;
        if sparse_count > count {
            return Err(GltfError::SparseCount {
                sparse: sparse_count,
                count,
            });
        }
        // An index and an element for each, which is no more than the accessor itself takes.
        let replacement_bytes = (size_of::<u32>() + size_of::<[T; N]>()) as u64;
        self.spend(sparse_count.saturating_mul(replacement_bytes))?;
        let indices = self.sparse_indices(sparse)?;
        let replacements: Vec<[T; N]> = self
            .elements(
                sparse.values.buffer_view.0,
                sparse.values.byte_offset.0,
                sparse_count,
                (N * B) as u64,
            )?
            .decode(decode);

        let mut previous: Option<u32> = None;
        for (position, (&[index], replacement)) in indices.iter().zip(replacements).enumerate() {
            let position = position as u64;
            if let Some(previous) = previous
                && index <= previous
            {
                return Err(GltfError::SparseOrder {
                    position,
                    previous,
                    index,
                });
            }
            let Some(value) = values.get_mut(index as usize) else {
                return Err(GltfError::SparseRange {
                    position,
                    index,
                    count,
                });
            };
            *value = replacement;
            previous = Some(index);
        }
        Ok(())
    }

    fn sparse_indices(&self, sparse: &Sparse) -> Result<Vec<[u32; 1]>, GltfError> {
        let (view, offset) = (sparse.indices.buffer_view.0, sparse.indices.byte_offset.0);
        let found = sparse.indices.component_type.0;
        let component = ComponentType::from_file(found, INDEX_TYPES)?;
        let elements = || self.elements(view, offset, sparse.count.0, component.bytes());
        Ok(match component {
            ComponentType::U8 => elements()?.decode(|[a]| u32::from(a)),
            ComponentType::U16 => elements()?.decode(|bytes| u32::from(u16::from_le_bytes(bytes))),
            ComponentType::U32 => elements()?.decode(u32::from_le_bytes),
            _ => {
                return Err(GltfError::ComponentType {
                    found,
                    expected: INDEX_TYPES,
                });
            }
        })
    }

    /// Finds elements in a view and makes sure that the last one ends inside it.
    fn elements(
        &self,
        view: u64,
        offset: u64,
        count: u64,
        element_bytes: u64,
    ) -> Result<Elements<'a>, GltfError> {
        let found = self.buffers.view(view)?;
        let stride = found.stride.unwrap_or(element_bytes);
        if stride < element_bytes {
            return Err(GltfError::Stride {
                view,
                stride,
                element_bytes,
            });
        }
        let available = found.bytes.len() as u64;
        // The last element needs its own bytes only, not a whole stride.
        let end = match count {
            0 => Some(offset),
            _ => (count - 1)
                .checked_mul(stride)
                .and_then(|before_last| before_last.checked_add(element_bytes))
                .and_then(|length| length.checked_add(offset)),
        }
        .unwrap_or(u64::MAX);
        if end > available {
            return Err(GltfError::OutOfRange { view, end, available });
        }
        Ok(Elements {
            bytes: &found.bytes[offset as usize..end as usize],
            // A stride past the address space can only belong to a single element, which needs none.
            stride: usize::try_from(stride).unwrap_or(usize::MAX),
            count: count as usize,
        })
    }
}

impl Elements<'_> {
    fn decode<T, const N: usize, const B: usize>(&self, decode: impl Fn([u8; B]) -> T) -> Vec<[T; N]> {
        let element = |bytes: &[u8]| -> [T; N] {
            std::array::from_fn(|component| {
                let mut parts = [0; B];
                parts.copy_from_slice(&bytes[component * B..][..B]);
                decode(parts)
            })
        };
        // Chunks end early at the last element, whose bytes may be fewer than a stride but never fewer than its own.
        self.bytes
            .chunks(self.stride)
            .take(self.count)
            .map(element)
            .collect()
    }
}
