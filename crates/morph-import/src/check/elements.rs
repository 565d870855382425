//! The values of an accessor, element after element: no more than one is ever held.

use super::accessors::{Accessor, Span};
use super::buffers::View;
use super::data::Data;
use super::format::{Component, Format};
use super::lists::Lists;

/// The most components that an element can have.
pub(super) const MOST_COMPONENTS: usize = 16;

/// Walks over the elements of an accessor.
#[derive(Debug)]
pub(super) struct Elements<'a> {
    format: Format,
    count: u64,
    next: u64,
    /// The bytes from the first element on; none where all are zero.
    base: Option<(&'a [u8], usize)>,
    sparse: Option<SparseElements<'a>>,
}

#[derive(Debug)]
struct SparseElements<'a> {
    component: Component,
    indices: &'a [u8],
    values: &'a [u8],
    position: usize,
}

impl<'a> Elements<'a> {
    /// `None` where the data is not there, out of bounds or not aligned, which is told elsewhere, or where there is none:
    /// zeros without a sparse part are not worth a look.
    pub(super) fn of(accessor: &Accessor, lists: &Lists<'_>, data: &'a Data<'_>) -> Option<Self> {
        let count = accessor.count?;
        let format = accessor.format();
        accessor.shape.filter(|_| accessor.is_readable())?;
        let view = lists.view_of(accessor);
        if view.is_none() {
            accessor.sparse.as_ref()?;
        }
        let base = match view {
            Some(view) => Some(base_of(accessor, count, view, data)?),
            None => None,
        };
        let sparse = match &accessor.sparse {
            Some(_) => Some(sparse_of(accessor, count, lists, data)?),
            None => None,
        };
        Some(Elements {
            format,
            count,
            next: 0,
            base,
            sparse,
        })
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn components(&self) -> usize {
        self.format.shape.components()
    }

    /// Writes the components of the next element; false after the last.
    pub(super) fn next(&mut self, values: &mut [f64; MOST_COMPONENTS]) -> bool {
        if self.next >= self.count {
            return false;
        }
        let element = self.next;
        self.next += 1;
        let components = self.components();
        let component = self.format.component;
        if let Some(sparse) = &mut self.sparse
            && sparse.index() == element
        {
            let bytes = component.bytes() as usize;
            let start = sparse.position * components * bytes;
            let replacement = sparse.values.get(start..).unwrap_or_default();
            for (value, bytes) in values
                .iter_mut()
                .zip(replacement.chunks_exact(bytes))
                .take(components)
            {
                *value = component.value(bytes);
            }
            sparse.advance();
            return true;
        }
        match self.base {
            None => values[..components].fill(0.0),
            Some((bytes, stride)) => {
                let element = bytes.get(element as usize * stride..).unwrap_or_default();
                for (index, value) in values.iter_mut().enumerate().take(components) {
                    let at = self.format.component_offset(index);
                    *value = component.value(element.get(at..).unwrap_or_default());
                }
            }
        }
        true
    }
}

impl SparseElements<'_> {
    /// The element that the next replacement is for.
    fn index(&self) -> u64 {
        index_at(self.indices, self.component, self.position)
    }

    /// The last replacement stays for good: indices that do not rise are told elsewhere.
    fn advance(&mut self) {
        let count = self.indices.len() / self.component.bytes() as usize;
        if self.position + 1 < count {
            self.position += 1;
        }
    }
}

/// The bytes of the elements in a view, and their distance.
fn base_of<'a>(
    accessor: &Accessor,
    count: u64,
    view: &View,
    data: &'a Data<'_>,
) -> Option<(&'a [u8], usize)> {
    let stride = accessor.stride(view);
    if stride < accessor.element_bytes() {
        return None;
    }
    let span = Span {
        byte_offset: accessor.byte_offset,
        component_bytes: accessor.component.bytes(),
        length: accessor.byte_length(view, count),
    };
    let bytes = data.bytes(view.buffer?, span.start(view)?, span.length)?;
    Some((bytes, stride as usize))
}

fn sparse_of<'a>(
    accessor: &Accessor,
    count: u64,
    lists: &Lists<'_>,
    data: &'a Data<'_>,
) -> Option<SparseElements<'a>> {
    let sparse = accessor.sparse.as_ref().filter(|sparse| sparse.count <= count)?;
    let component = sparse.index_component?;
    let part = |part: super::accessors::Part, component_bytes: u64, components: u64| {
        let view = lists.view(part.view?)?;
        let span = Span {
            byte_offset: part.byte_offset,
            component_bytes,
            length: component_bytes
                .checked_mul(components)?
                .checked_mul(sparse.count)?,
        };
        data.bytes(view.buffer?, span.start(view)?, span.length)
    };
    let components = accessor.format().shape.components() as u64;
    Some(SparseElements {
        component,
        indices: part(sparse.indices, component.bytes(), 1)?,
        values: part(sparse.values, accessor.component.bytes(), components)?,
        position: 0,
    })
}

/// The bytes of the sparse indices alone, also where the rest of the accessor cannot be read.
pub(super) fn sparse_indices<'a>(
    accessor: &Accessor,
    lists: &Lists<'_>,
    data: &'a Data<'_>,
) -> Option<(Component, &'a [u8])> {
    let sparse = accessor.sparse.as_ref()?;
    let component = sparse.index_component?;
    let view = lists.view(sparse.indices.view?)?;
    let start = view.byte_offset?.checked_add(sparse.indices.byte_offset?)?;
    let bytes = component.bytes();
    if !start.is_multiple_of(bytes) {
        return None;
    }
    let bytes = data.bytes(view.buffer?, start, bytes.checked_mul(sparse.count)?)?;
    Some((component, bytes))
}

/// The index at a position of packed indices.
pub(super) fn index_at(indices: &[u8], component: Component, position: usize) -> u64 {
    let start = position * component.bytes() as usize;
    component.value(indices.get(start..).unwrap_or_default()) as u64
}
