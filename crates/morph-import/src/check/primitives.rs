//! Whether the accessors of primitives and morph targets are there and fit their use.

use std::collections::{HashMap, HashSet};

use super::accessors::{AccessorUsage, note_uses};
use super::buffers::ViewUsage;
use super::format::AttributeRules;
use super::json::child;
use super::lists::Lists;
use super::meshes::{Attributes, Primitive};
use super::report::Findings;
use super::uses::Check;
use super::values::Checks;

/// Checks all primitives, and notes which values have to be looked at later.
pub(super) fn link(lists: &mut Lists<'_>, checks: &mut Checks, findings: &mut Findings) {
    // Primitives are taken out for the time, because their accessors are written to.
    let mut meshes = std::mem::take(&mut lists.meshes);
    let mut shared = HashMap::new();
    for (mesh_index, mesh) in meshes.iter_mut().enumerate() {
        let Some(primitives) = mesh.as_mut().and_then(|mesh| mesh.primitives.as_mut()) else {
            continue;
        };
        for (index, primitive) in primitives.iter().enumerate() {
            let mut link = Link {
                place: format!("/meshes/{mesh_index}/primitives/{index}"),
                lists,
                checks,
                findings,
                accessors_of_views: &mut shared,
            };
            link.primitive(primitive);
        }
    }
    lists.meshes = meshes;
}

struct Link<'a, 'j> {
    place: String,
    lists: &'a mut Lists<'j>,
    checks: &'a mut Checks,
    findings: &'a mut Findings,
    /// The accessors of vertex attributes in each view without a stride: more than one need a stride.
    accessors_of_views: &'a mut HashMap<u64, HashSet<u64>>,
}

impl Link<'_, '_> {
    fn primitive(&mut self, primitive: &Primitive<'_>) {
        let vertex_count = primitive
            .attributes
            .as_ref()
            .and_then(|attributes| self.attributes(attributes));
        let mut drawn = vertex_count;
        if let Some(index) = primitive.indices {
            match self.lists.accessor(index).map(|accessor| accessor.count) {
                None => self.unresolved("indices", index),
                Some(count) => {
                    drawn = count;
                    self.indices(index, vertex_count, primitive);
                }
            }
        }
        if let (Some(count), Some(mode)) = (drawn, primitive.mode) {
            self.mode(count, mode);
        }
        if let Some(material) = primitive.material
            && material >= self.lists.material_count
        {
            let (pointer, count) = (child(&self.place, "material"), self.lists.material_count as usize);
            self.findings.unresolved(pointer, "material", material, count);
        }
        self.targets(primitive);
    }

    fn unresolved(&mut self, name: &str, index: u64) {
        let pointer = child(&self.place, name);
        let count = self.lists.accessors.len();
        self.findings.unresolved(pointer, "accessor", index, count);
    }

    /// Checks the base attributes, and returns the vertex count.
    fn attributes(&mut self, attributes: &Attributes<'_>) -> Option<u64> {
        let rules = AttributeRules {
            quantized: self.lists.extensions.quantization,
            morph: false,
        };
        let place = child(&self.place, "attributes");
        let mut vertex_count: Option<u64> = None;
        for &(name, index) in attributes {
            let Some(index) = index else { continue };
            let pointer = child(&place, name);
            if !self.note(index, &pointer) {
                continue;
            }
            self.bounds(name, index, &pointer);
            if self.format(name, index, rules, &pointer) == Some(true) {
                self.schedule(name, index, &pointer);
            }
            self.alignment(index, &pointer);
            let count = self.lists.accessor(index).and_then(|accessor| accessor.count);
            match vertex_count {
                None => vertex_count = count,
                Some(first) if count != Some(first) => {
                    let count = count.map_or_else(|| "an unusable number of".to_owned(), |n| n.to_string());
                    let message = format!("{count} elements, an attribute before it has {first}");
                    self.findings
                        .error("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", pointer.as_str(), message);
                }
                Some(_) => {}
            }
            self.stride(index, &pointer);
        }
        vertex_count
    }

    /// Notes that the accessor holds vertices; false where it is not there.
    fn note(&mut self, index: u64, pointer: &str) -> bool {
        if self.lists.accessor(index).is_none() {
            let count = self.lists.accessors.len();
            self.findings.unresolved(pointer, "accessor", index, count);
            return false;
        }
        let usage = AccessorUsage::Attribute;
        note_uses(
            self.lists,
            index,
            usage,
            ViewUsage::Vertices,
            pointer,
            self.findings,
        );
        true
    }

    fn bounds(&mut self, name: &str, index: u64, pointer: &str) {
        let has_bounds =
            |accessor: &super::accessors::Accessor| accessor.min.is_some() && accessor.max.is_some();
        if name == "POSITION" && !self.lists.accessor(index).is_some_and(has_bounds) {
            self.findings.error(
                "MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS",
                pointer,
                "an accessor of positions needs `min` and `max`",
            );
        }
    }

    /// Checks the format; `None` for attributes that may have any.
    fn format(&mut self, name: &str, index: u64, rules: AttributeRules, pointer: &str) -> Option<bool> {
        let format = self.lists.accessor(index)?.format();
        let kind = name.split('_').next().unwrap_or_default();
        let allowed = rules.allow(kind, format);
        if allowed == Some(false) {
            let message = format!("the accessor is {format}, it has to be {}", rules.expected(kind));
            self.findings.error(
                "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT",
                pointer,
                message,
            );
        } else if allowed.is_none() && !rules.morph && format.component == super::format::Component::U32 {
            let message = "a vertex attribute cannot be of 32-bit integers";
            self.findings.error(
                "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT",
                pointer,
                message,
            );
        }
        allowed
    }

    fn schedule(&mut self, name: &str, index: u64, pointer: &str) {
        let is_float = self
            .lists
            .accessor(index)
            .is_some_and(|accessor| accessor.component.is_float());
        let check = match name {
            "NORMAL" => Check::UnitNormal,
            "TANGENT" => Check::UnitTangent,
            "COLOR_0" if is_float => Check::Clamped,
            _ => return,
        };
        self.checks.add(index, check, pointer);
    }

    fn alignment(&mut self, index: u64, pointer: &str) {
        let Some(accessor) = self.lists.accessor(index) else {
            return;
        };
        let offset_is_odd = accessor
            .byte_offset
            .is_some_and(|offset| !offset.is_multiple_of(4));
        let is_packed = self
            .lists
            .view_of(accessor)
            .is_some_and(|view| view.byte_stride.is_none());
        let bytes = accessor.element_bytes();
        if offset_is_odd || is_packed && !bytes.is_multiple_of(4) {
            let message = if offset_is_odd {
                "vertex data has to begin at a multiple of 4 bytes".to_owned()
            } else {
                format!("elements of {bytes} bytes are not at multiples of 4: they need a stride")
            };
            self.findings
                .error("MESH_PRIMITIVE_ACCESSOR_UNALIGNED", pointer, message);
        }
    }

    fn stride(&mut self, index: u64, pointer: &str) {
        let Some(view_index) = self.lists.accessor(index).and_then(|accessor| accessor.view) else {
            return;
        };
        if self
            .lists
            .view(view_index)
            .is_none_or(|view| view.byte_stride.is_some())
        {
            return;
        }
        let accessors = self.accessors_of_views.entry(view_index).or_default();
        if accessors.insert(index) && accessors.len() > 1 {
            let message =
                format!("several attributes share buffer view {view_index}, which needs a stride then");
            self.findings
                .error("MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE", pointer, message);
        }
    }

    fn indices(&mut self, index: u64, vertex_count: Option<u64>, primitive: &Primitive<'_>) {
        let pointer = child(&self.place, "indices");
        let usage = AccessorUsage::Indices;
        note_uses(
            self.lists,
            index,
            usage,
            ViewUsage::Indices,
            &pointer,
            self.findings,
        );
        let Some(accessor) = self.lists.accessor(index) else {
            return;
        };
        if self
            .lists
            .view_of(accessor)
            .is_some_and(|view| view.byte_stride.is_some())
        {
            let message = "indices are packed: their buffer view has no stride";
            self.findings.error(
                "MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE",
                pointer.as_str(),
                message,
            );
        }
        let format = accessor.format();
        let is_right = format.shape == super::format::Shape::Scalar
            && matches!(
                format.component,
                super::format::Component::U8 | super::format::Component::U16 | super::format::Component::U32
            )
            && !format.normalized;
        if is_right {
            let check = Check::Indices {
                vertex_count,
                is_triangles: primitive.mode == Some(4),
            };
            self.checks.add(index, check, &pointer);
        } else {
            let message = format!("the accessor is {format}, indices are SCALAR of unsigned integers");
            self.findings
                .error("MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", pointer, message);
        }
    }

    fn mode(&mut self, count: u64, mode: u64) {
        let is_odd = match mode {
            1 => !count.is_multiple_of(2),
            2 | 3 => count < 2,
            4 => !count.is_multiple_of(3),
            5 | 6 => count < 3,
            _ => false,
        };
        if is_odd {
            let kind = match mode {
                1 => "lines take two each",
                2 | 3 => "a line needs two",
                4 => "triangles take three each",
                _ => "a triangle needs three",
            };
            let message = format!("{count} vertices or indices; {kind}");
            self.findings
                .warning("MESH_PRIMITIVE_INCOMPATIBLE_MODE", self.place.as_str(), message);
        }
    }

    fn targets(&mut self, primitive: &Primitive<'_>) {
        let Some(targets) = &primitive.targets else { return };
        let rules = AttributeRules {
            quantized: self.lists.extensions.quantization,
            morph: true,
        };
        let place = child(&self.place, "targets");
        let base: HashMap<&str, Option<u64>> = primitive
            .attributes
            .iter()
            .flatten()
            .filter_map(|&(name, index)| Some((name, self.lists.accessor(index?)?.count)))
            .collect();
        for (slot, target) in targets.iter().enumerate() {
            let place = child(&place, slot);
            for &(name, index) in target {
                let Some(index) = index else { continue };
                let pointer = child(&place, name);
                if !self.note(index, &pointer) {
                    continue;
                }
                let count = self.lists.accessor(index).and_then(|accessor| accessor.count);
                match base.get(name) {
                    None => {
                        let message = format!("the primitive itself has no {name} that could be morphed");
                        self.findings.error(
                            "MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR",
                            pointer.as_str(),
                            message,
                        );
                    }
                    Some(base) if *base != count => {
                        let shown = |count: Option<u64>| count.map_or("?".to_owned(), |n| n.to_string());
                        let message = format!("{} elements for {} vertices", shown(count), shown(*base));
                        self.findings.error(
                            "MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT",
                            pointer.as_str(),
                            message,
                        );
                    }
                    Some(_) => {}
                }
                self.bounds(name, index, &pointer);
                self.format(name, index, rules, &pointer);
                self.alignment(index, &pointer);
                self.stride(index, &pointer);
            }
        }
    }
}
