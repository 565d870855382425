//! Accessors: what the JSON says of them, and whether they lie in their buffer views.

use super::buffers::{View, ViewUsage, note_usage, offset};
use super::format::{COMPONENTS, Component, Format, INDEX_COMPONENTS, SHAPES, Shape};
use super::json::child;
use super::lists::Lists;
use super::object::{Need, Object};
use super::report::Findings;

/// An accessor, as far as it could be read.
#[derive(Debug)]
pub(super) struct Accessor {
    pub(super) view: Option<u64>,
    pub(super) byte_offset: Option<u64>,
    pub(super) component: Component,
    pub(super) normalized: bool,
    pub(super) count: Option<u64>,
    pub(super) shape: Option<Shape>,
    pub(super) min: Option<Vec<f64>>,
    pub(super) max: Option<Vec<f64>>,
    pub(super) sparse: Option<Sparse>,
    pub(super) usage: Option<AccessorUsage>,
}

/// The sparse part of an accessor.
#[derive(Debug)]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: Part,
    pub(super) index_component: Option<Component>,
    pub(super) values: Part,
}

/// Where the data of a sparse part begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) view: Option<u64>,
    pub(super) byte_offset: Option<u64>,
}

/// What an accessor is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AccessorUsage {
    Indices,
    Attribute,
    AnimationInput,
    AnimationOutput,
    InverseBindMatrices,
}

impl AccessorUsage {
    fn name(self) -> &'static str {
        match self {
            Self::Indices => "vertex indices",
            Self::Attribute => "a vertex attribute",
            Self::AnimationInput => "key times",
            Self::AnimationOutput => "key values",
            Self::InverseBindMatrices => "inverse bind matrices",
        }
    }
}

impl Accessor {
    pub(super) fn read(object: &mut Object<'_, '_>) -> Self {
        object.begin(&[
            "bufferView",
            "byteOffset",
            "componentType",
            "count",
            "type",
            "normalized",
            "max",
            "min",
            "sparse",
            "name",
        ]);
        let view = object.index("bufferView", Need::Optional);
        let byte_offset = if view.is_some() {
            offset(object)
        } else {
            if object.has("byteOffset") {
                let message = "an accessor without a buffer view has no offset into one";
                object.error("UNSATISFIED_DEPENDENCY", "byteOffset", message);
            }
            Some(0)
        };
        let component = object
            .one_of("componentType", Need::Required, &COMPONENTS)
            .map_or(Component::Unknown, Component::from_file);
        let count = object.number("count", Need::Required, 1, u64::MAX);
        let shape = object.word("type", Need::Required, &SHAPES).map(Shape::from_file);
        let normalized = object.flag("normalized");
        let min = bound(object, "min", component, shape);
        let max = bound(object, "max", component, shape);
        let sparse = object
            .object("sparse", Need::Optional)
            .and_then(|mut sparse| Sparse::read(&mut sparse));
        if normalized && matches!(component, Component::F32 | Component::U32) {
            let message = "only integers of 8 and 16 bits can be normalized";
            object.error("ACCESSOR_NORMALIZED_INVALID", "normalized", message);
        }
        if shape.is_some_and(Shape::is_matrix) && byte_offset.is_some_and(|offset| !offset.is_multiple_of(4))
        {
            let message = "matrices begin at multiples of 4 bytes";
            object.error("ACCESSOR_MATRIX_ALIGNMENT", "byteOffset", message);
        }
        Accessor {
            view,
            byte_offset,
            component,
            normalized,
            count,
            shape,
            min,
            max,
            sparse,
            usage: None,
        }
    }

    /// Whether it is known what a component is.
    pub(super) fn is_readable(&self) -> bool {
        self.component != Component::Unknown
    }

    pub(super) fn format(&self) -> Format {
        Format {
            shape: self.shape.unwrap_or(Shape::Unknown),
            component: self.component,
            normalized: self.normalized,
        }
    }

    /// The bytes of an element.
    pub(super) fn element_bytes(&self) -> u64 {
        self.format().element_bytes()
    }

    /// The distance from one element to the next, in a view.
    pub(super) fn stride(&self, view: &View) -> u64 {
        view.byte_stride.unwrap_or_else(|| self.format().packed_stride())
    }

    /// The bytes from the first element to the end of the last.
    pub(super) fn byte_length(&self, view: &View, count: u64) -> u64 {
        self.stride(view)
            .saturating_mul(count.saturating_sub(1))
            .saturating_add(self.element_bytes())
    }
}

/// `min` or `max`, as values that the component type can hold; `None` too where it is not known how many to expect.
fn bound(
    object: &mut Object<'_, '_>,
    name: &str,
    component: Component,
    shape: Option<Shape>,
) -> Option<Vec<f64>> {
    let length = shape.map(Shape::components).filter(|&length| length > 0)?;
    if component.is_float() {
        let numbers = object.floats(name, Some(length), (f64::NEG_INFINITY, f64::INFINITY))?;
        Some(
            numbers
                .into_iter()
                .map(|number| f64::from(number as f32))
                .collect(),
        )
    } else if component == Component::Unknown {
        None
    } else {
        object.integers(name, length, component.range())
    }
}

impl Sparse {
    fn read(object: &mut Object<'_, '_>) -> Option<Self> {
        object.begin(&["count", "indices", "values"]);
        let count = object.number("count", Need::Required, 1, u64::MAX);
        let indices = object.object("indices", Need::Required).map(|mut indices| {
            indices.begin(&["bufferView", "byteOffset", "componentType"]);
            let part = Part::read(&mut indices);
            let component = indices.one_of("componentType", Need::Required, &INDEX_COMPONENTS);
            (part, component.map(Component::from_file))
        });
        let values = object.object("values", Need::Required).map(|mut values| {
            values.begin(&["bufferView", "byteOffset"]);
            Part::read(&mut values)
        });
        let (indices, index_component) = indices?;
        let (count, values) = (count?, values?);
        Some(Sparse {
            count,
            indices,
            index_component,
            values,
        })
    }
}

impl Part {
    fn read(object: &mut Object<'_, '_>) -> Self {
        Part {
            view: object.index("bufferView", Need::Required),
            byte_offset: offset(object),
        }
    }
}

/// Checks that accessors lie in their views.
pub(super) fn link(lists: &mut Lists<'_>, findings: &mut Findings) {
    for index in 0..lists.accessors.len() {
        let Some(accessor) = &lists.accessors[index] else {
            continue;
        };
        let place = child("/accessors", index);
        let (Some(count), Some(_), true) = (accessor.count, accessor.shape, accessor.is_readable()) else {
            continue;
        };
        if let Some(view_index) = accessor.view {
            match lists.view(view_index) {
                None => {
                    let pointer = child(&place, "bufferView");
                    findings.unresolved(pointer, "buffer view", view_index, lists.views.len());
                }
                Some(view) => {
                    let bytes = accessor.element_bytes();
                    if let Some(stride) = view.byte_stride
                        && stride < bytes
                    {
                        let message = format!(
                            "elements of {bytes} bytes overlap: the stride of buffer view {view_index} is {stride}"
                        );
                        findings.error("ACCESSOR_SMALL_BYTESTRIDE", place.as_str(), message);
                    }
                    let length = accessor.byte_length(view, count);
                    let span = Span {
                        byte_offset: accessor.byte_offset,
                        component_bytes: accessor.component.bytes(),
                        length,
                    };
                    span.check(view, view_index, &place, findings);
                }
            }
        }
        link_sparse(lists, index, count, &place, findings);
    }
}

fn link_sparse(lists: &mut Lists<'_>, index: usize, count: u64, place: &str, findings: &mut Findings) {
    let Some((accessor, sparse)) = lists.accessors[index]
        .as_ref()
        .and_then(|accessor| Some((accessor, accessor.sparse.as_ref()?)))
    else {
        return;
    };
    let place = child(place, "sparse");
    if sparse.count > count {
        let message = format!("the sparse part replaces {} of {count} elements", sparse.count);
        findings.error(
            "ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE",
            child(&place, "count"),
            message,
        );
    }
    let components = accessor.format().shape.components() as u64;
    let value_bytes = accessor.component.bytes();
    let parts = [
        (
            "indices",
            sparse.indices,
            sparse.index_component.map(|component| (component.bytes(), 1)),
        ),
        ("values", sparse.values, Some((value_bytes, components))),
    ];
    let sparse_count = sparse.count;
    for (name, part, layout) in parts {
        let Some(view_index) = part.view else { continue };
        let place = child(&place, name);
        let pointer = child(&place, "bufferView");
        let view_count = lists.views.len();
        let Some(view) = lists.view_mut(view_index) else {
            findings.unresolved(pointer, "buffer view", view_index, view_count);
            continue;
        };
        note_usage(view, ViewUsage::Other, &pointer, findings);
        if view.byte_stride.is_some() {
            let message = "sparse data is packed: its buffer view has no stride";
            findings.error("BUFFER_VIEW_INVALID_BYTE_STRIDE", pointer, message);
        }
        if let Some((component_bytes, components)) = layout {
            let span = Span {
                byte_offset: part.byte_offset,
                component_bytes,
                length: component_bytes
                    .saturating_mul(components)
                    .saturating_mul(sparse_count),
            };
            span.check(view, view_index, &place, findings);
        }
    }
}

/// Bytes in a view.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) byte_offset: Option<u64>,
    pub(super) component_bytes: u64,
    pub(super) length: u64,
}

impl Span {
    fn check(self, view: &View, view_index: u64, place: &str, findings: &mut Findings) {
        let Some(offset) = self.byte_offset else { return };
        let bytes = self.component_bytes;
        if !offset.is_multiple_of(bytes) {
            let message = format!("the offset of {offset} bytes is no multiple of the component's {bytes}");
            findings.error("ACCESSOR_OFFSET_ALIGNMENT", child(place, "byteOffset"), message);
        }
        let Some(view_offset) = view.byte_offset else {
            return;
        };
        let total = view_offset.saturating_add(offset);
        if !total.is_multiple_of(bytes) {
            let message = format!(
                "the data begins at byte {total} of the buffer, no multiple of the component's {bytes}"
            );
            findings.error("ACCESSOR_TOTAL_OFFSET_ALIGNMENT", place, message);
        }
        // A view without a length is told elsewhere; nothing fits into it.
        let available = view.byte_length.unwrap_or(0);
        let end = offset.saturating_add(self.length);
        if view.byte_length.is_none_or(|length| offset > length) {
            let message = format!(
                "the data begins at byte {offset} of buffer view {view_index}, which has {available}"
            );
            findings.error("ACCESSOR_TOO_LONG", child(place, "byteOffset"), message);
        } else if end > available {
            let message =
                format!("the data ends at byte {end} of buffer view {view_index}, which has {available}");
            findings.error("ACCESSOR_TOO_LONG", place, message);
        }
    }

    /// The first byte in the buffer, where the data is aligned and lies in the view.
    pub(super) fn start(self, view: &View) -> Option<u64> {
        let offset = self.byte_offset?;
        let total = view.byte_offset?.checked_add(offset)?;
        let end = offset.checked_add(self.length)?;
        let is_aligned =
            offset.is_multiple_of(self.component_bytes) && total.is_multiple_of(self.component_bytes);
        (is_aligned && end <= view.byte_length?).then_some(total)
    }
}

/// Notes what an accessor and its view are used for, and tells where one is used for two things.
pub(super) fn note_uses(
    lists: &mut Lists<'_>,
    accessor_index: u64,
    usage: AccessorUsage,
    view_usage: ViewUsage,
    pointer: &str,
    findings: &mut Findings,
) {
    let Some(accessor) = lists.accessor_mut(accessor_index) else {
        return;
    };
    match accessor.usage {
        None => accessor.usage = Some(usage),
        Some(before) if before != usage => {
            let message = format!(
                "the accessor is {} elsewhere, here it is {}",
                before.name(),
                usage.name()
            );
            findings.error("ACCESSOR_USAGE_OVERRIDE", pointer, message);
        }
        Some(_) => {}
    }
    if let Some(view) = accessor.view.and_then(|view| lists.view_mut(view)) {
        note_usage(view, view_usage, pointer, findings);
    }
}
