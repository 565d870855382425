//! Meshes and primitives: what the JSON says of them.

use super::json::{Json, Members, child};
use super::object::{Need, Object, named_indices};
use crate::text::shorten;

/// A mesh, as far as it could be read.
#[derive(Debug)]
pub(super) struct Mesh<'j> {
    /// `None` where they are missing or no objects.
    pub(super) primitives: Option<Vec<Primitive<'j>>>,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) extras: Option<&'j Json>,
}

/// Attribute names with accessors; `None` for an index that is none.
pub(super) type Attributes<'j> = Vec<(&'j str, Option<u64>)>;

/// A primitive, as far as it could be read.
#[derive(Debug)]
pub(super) struct Primitive<'j> {
    pub(super) attributes: Option<Attributes<'j>>,
    pub(super) indices: Option<u64>,
    pub(super) material: Option<u64>,
    pub(super) mode: Option<u64>,
    /// `None` where there are none or one of them is unusable.
    pub(super) targets: Option<Vec<Attributes<'j>>>,
    /// How many pairs of joints and weights can be used.
    pub(super) joint_sets: usize,
    pub(super) extras: Option<&'j Json>,
}

const TRIANGLES: u64 = 4;

impl<'j> Mesh<'j> {
    pub(super) fn read(object: &mut Object<'j, '_>) -> Self {
        object.begin(&["primitives", "weights", "name"]);
        let weights = object.floats("weights", None, (f64::NEG_INFINITY, f64::INFINITY));
        let primitives = object
            .objects("primitives", Need::Required)
            .map(|list| Self::read_primitives(object, &list));
        let target_count = primitives.as_ref().map(|list| list[0].target_count());
        if let (Some(weights), Some(targets)) = (&weights, target_count)
            && weights.len() != targets
        {
            let message = format!("{} weights for {targets} morph targets", weights.len());
            object.error("MESH_INVALID_WEIGHTS_COUNT", "weights", message);
        }
        Mesh {
            primitives,
            weights,
            extras: object.members.get("extras"),
        }
    }

    fn read_primitives(object: &mut Object<'j, '_>, list: &[&'j Members]) -> Vec<Primitive<'j>> {
        let mut primitives: Vec<Primitive<'j>> = Vec::with_capacity(list.len());
        for (index, members) in list.iter().enumerate() {
            let mut item = object.item(members, "primitives", index);
            let primitive = Primitive::read(&mut item);
            let (first, this) = match primitives.first() {
                Some(first) => (first.target_count(), primitive.target_count()),
                None => (0, 0),
            };
            if first != this {
                let message = format!("{this} morph targets, the first primitive of the mesh has {first}");
                let place = if this > 0 {
                    child(&item.pointer, "targets")
                } else {
                    item.pointer.clone()
                };
                item.reading
                    .findings
                    .error("MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT", place, message);
            }
            primitives.push(primitive);
        }
        primitives
    }

    /// The targets of the first primitive, which stand for the mesh.
    pub(super) fn target_count(&self) -> Option<usize> {
        let first = self.primitives.as_ref()?.first()?;
        Some(first.targets.as_ref()?.len())
    }

    /// Whether any primitive can be skinned.
    pub(super) fn has_joints(&self) -> bool {
        self.primitives
            .as_ref()
            .is_some_and(|list| list.iter().any(|primitive| primitive.joint_sets > 0))
    }
}

impl<'j> Primitive<'j> {
    pub(super) fn target_count(&self) -> usize {
        self.targets.as_ref().map_or(0, Vec::len)
    }

    fn read(object: &mut Object<'j, '_>) -> Self {
        object.begin(&["attributes", "indices", "material", "mode", "targets"]);
        let has_mode = object.has("mode");
        let mode = object.number("mode", Need::Optional, 0, 6);
        let attributes = object.named_indices("attributes");
        let joint_sets = attributes
            .as_ref()
            .map_or(0, |attributes| check_names(object, attributes));
        let targets = read_targets(object);
        Primitive {
            attributes,
            indices: object.index("indices", Need::Optional),
            material: object.index("material", Need::Optional),
            mode: if has_mode { mode } else { Some(TRIANGLES) },
            targets,
            joint_sets,
            extras: object.members.get("extras"),
        }
    }
}

/// Checks the names of base attributes, and returns the number of usable sets of joints and weights.
fn check_names(object: &mut Object<'_, '_>, attributes: &Attributes<'_>) -> usize {
    const NUMBERED: [&str; 4] = ["COLOR", "JOINTS", "WEIGHTS", "TEXCOORD"];
    let place = child(&object.pointer, "attributes");
    let findings = &mut object.reading.findings;
    let has = |wanted: &str| attributes.iter().any(|(name, _)| *name == wanted);
    // How many of each, and one past the highest number.
    let mut found = [(0, 0_u64); NUMBERED.len()];
    for (name, _) in attributes {
        if name.starts_with('_') || matches!(*name, "POSITION" | "NORMAL" | "TANGENT") {
            continue;
        }
        let kind = numbered(name).and_then(|(kind, number)| {
            Some((NUMBERED.iter().position(|numbered| *numbered == kind)?, number))
        });
        if let Some((kind, number)) = kind {
            let (count, end) = &mut found[kind];
            *count += 1;
            *end = (*end).max(number.saturating_add(1));
        } else {
            let message = format!(
                "`{}` is no attribute; names of your own begin with an underscore",
                shorten(name)
            );
            findings.error("MESH_PRIMITIVE_INVALID_ATTRIBUTE", child(&place, name), message);
        }
    }
    if !has("POSITION") {
        findings.warning(
            "MESH_PRIMITIVE_NO_POSITION",
            place.as_str(),
            "the primitive has no POSITION: nothing of it can be drawn",
        );
    }
    if has("TANGENT") && !has("NORMAL") {
        let message = "tangents mean nothing without normals";
        findings.warning(
            "MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL",
            child(&place, "TANGENT"),
            message,
        );
    }
    let mut usable = [0; NUMBERED.len()];
    for (kind, (count, end)) in found.into_iter().enumerate() {
        if count == end {
            usable[kind] = count as usize;
        } else {
            let name = NUMBERED[kind];
            let message = format!(
                "{count} attributes {name}_n numbered up to {}; they count from 0",
                end - 1
            );
            findings.error(
                "MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY",
                place.as_str(),
                message,
            );
        }
    }
    let [_, joints, weights, _] = usable;
    if joints == weights {
        return joints;
    }
    let message = format!("{joints} sets of JOINTS and {weights} of WEIGHTS; they come in pairs");
    findings.error("MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH", place, message);
    0
}

/// Splits `TEXCOORD_1` into its kind and number.
fn numbered(name: &str) -> Option<(&str, u64)> {
    let (kind, digits) = name.split_once('_')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    let has_zero_before = digits.len() > 1 && digits.starts_with('0');
    (is_number && !has_zero_before).then(|| (kind, digits.parse().unwrap_or(u64::MAX)))
}

fn read_targets<'j>(object: &mut Object<'j, '_>) -> Option<Vec<Attributes<'j>>> {
    let list = object.list("targets", Need::Optional)?;
    let place = child(&object.pointer, "targets");
    let findings = &mut object.reading.findings;
    let mut targets = Vec::with_capacity(list.len());
    for (index, item) in list.iter().enumerate() {
        let place = child(&place, index);
        match item {
            Json::Object(members) if members.is_empty() => {
                findings.error("EMPTY_ENTITY", place, "the morph target has no attributes at all");
            }
            Json::Object(members) => {
                for (name, _) in members.iter() {
                    check_target_name(name, &place, findings);
                }
                targets.push(named_indices(members, &place, findings));
            }
            other => {
                let message = format!(
                    "morph target {index} is {}, it has to be an object of attributes",
                    other.kind()
                );
                findings.error("ARRAY_TYPE_MISMATCH", child(&object.pointer, "targets"), message);
            }
        }
    }
    (targets.len() == list.len()).then_some(targets)
}

fn check_target_name(name: &str, place: &str, findings: &mut super::report::Findings) {
    let is_known = name.starts_with('_')
        || matches!(name, "POSITION" | "NORMAL" | "TANGENT")
        || matches!(numbered(name), Some(("TEXCOORD" | "COLOR", _)));
    if !is_known {
        let message = format!(
            "`{}` cannot be morphed; there are POSITION, NORMAL, TANGENT, TEXCOORD_n and COLOR_n",
            shorten(name)
        );
        findings.error("MESH_PRIMITIVE_INVALID_ATTRIBUTE", child(place, name), message);
    }
}
