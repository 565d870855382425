//! Elements of accessors, whatever they are: where they lie, what replaces them, and their bytes.

use super::Accessors;
use super::component::{ComponentType, INDEX_TYPES};
use crate::error::GltfError;
use crate::findings::Account;
use crate::gltf::document::{Accessor, Sparse};

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
    /// Reads elements of `N` components of `B` bytes each.
    pub(super) fn read<T: Copy + Default, const N: usize, const B: usize>(
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
